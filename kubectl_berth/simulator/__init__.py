"""Serves a snapshot as a Kubernetes API on loopback."""
