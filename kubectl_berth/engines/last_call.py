"""The words of the forced last call. They stand nowhere else: said earlier, they make a model stop too soon."""

from __future__ import annotations

ANSWER_NOW = (
    "No more tools are available. Answer the question now, from the evidence gathered above. "
    "Lead with the outcome. Say what you could not check. Do not describe a next step of yours and do not ask for "
    "another tool: this message is the last one the person will read."
)
"""Told on the last permitted model call, and only there."""
