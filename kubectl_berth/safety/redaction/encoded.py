"""Text behind base64, base64url or hexadecimal."""

from __future__ import annotations

import base64
import binascii

_URL_SAFE = str.maketrans("-_", "+/")


def decode(run: str) -> str | None:
    """The text behind base64 or base64url, None where it is no text."""
    plain = run.rstrip("=").translate(_URL_SAFE)
    plain = plain[: len(plain) - 1] if len(plain) % 4 == 1 else plain
    try:
        return _readable(base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True))
    except (binascii.Error, ValueError):
        return None


def decode_hex(run: str) -> str | None:
    """The text behind hexadecimal digits, None where it is no text."""
    try:
        return _readable(bytes.fromhex(run)) if len(run) % 2 == 0 else None
    except ValueError:
        return None


def _readable(raw: bytes) -> str | None:
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return None
    return text if text.isprintable() or all(c.isprintable() or c in "\r\n\t\0" for c in text) else None
