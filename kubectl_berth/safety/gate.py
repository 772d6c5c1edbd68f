"""The one gate that every text from a cluster passes before a model or a person sees it.

Sanitise, redact, truncate, frame, in this order: a secret that straddles the cut is gone before the cut is made.
"""

from __future__ import annotations

from kubectl_berth.safety.redact import redact
from kubectl_berth.safety.sanitise import hidden_characters, one_line, sanitise

LIMIT = 32 * 1024
"""Bytes of UTF-8 in one tool result, frame included."""

OPENING = "<<<cluster-data"
CLOSING = "cluster-data>>>"


def clean(text: str) -> str:
    """Sanitised and redacted, as one line after another, without a frame."""
    hidden = hidden_characters(text)
    note = f"\n[{hidden} invisible character{'' if hidden == 1 else 's'} removed]" if hidden else ""
    return redact(sanitise(text)) + note


def shown(text: str) -> str:
    """The text as a person may see it: sanitised and redacted."""
    return redact(sanitise(text))


def shown_line(text: str, limit: int = 200) -> str:
    """The same on one line of at most `limit` characters."""
    return one_line(redact(sanitise(text)), limit)


def pass_through(text: str, limit: int = LIMIT) -> str:
    """The text as a model may see it: cleaned, at most `limit` bytes, framed as untrusted data."""
    body = clean(text).rstrip("\n").replace(OPENING, "<<\\<cluster-data").replace(CLOSING, "cluster-data>\\>>")
    return f"{OPENING}\n{truncate(body, limit - len(OPENING) - len(CLOSING) - 2)}\n{CLOSING}"


def truncate(text: str, limit: int) -> str:
    """The text, or its head with a line that says how much was cut; at most `limit` bytes of UTF-8."""
    raw = text.encode()
    if len(raw) <= limit:
        return text
    note = f"\n[cut: {len(raw)} bytes in all; ask for less: a namespace, a name, fewer lines]"
    head = raw[: limit - len(note.encode())].decode(errors="ignore")
    # a line cut in the middle may end in half a name: end at a whole line where one is near
    whole = head.rfind("\n")
    return (head[:whole] if whole > len(head) - 2000 and whole > 0 else head) + note
