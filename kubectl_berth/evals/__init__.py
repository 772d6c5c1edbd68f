"""Checks on runs, repeated runs, statistics, comparison."""
