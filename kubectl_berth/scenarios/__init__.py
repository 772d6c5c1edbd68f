"""Broken clusters with what a right answer says, and their reader."""
