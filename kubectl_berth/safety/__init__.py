"""Refuse, redact, sanitise: pure functions on text and objects."""
