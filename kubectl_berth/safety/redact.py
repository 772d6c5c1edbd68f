"""Secrets out of text, by what they are and by where they stand.

Rules go by kinds of secrets (provider tokens, keys, hashes, URLs with a password) and by places (a name that calls for
a secret before `=`, `:`, in JSON, in a flag, in XML, in a table, in a statement, in a sentence, on the line above its
value). Kinds are looked for in every long word. Places all hold one of a few key words: the lines around those, and no
others, are read closely. Every pattern is anchored and bounded, so that a hostile line costs linear time. Names,
references and field names stay: a diagnosis needs them.
"""

from __future__ import annotations

import re
from functools import lru_cache

from kubectl_berth.safety.redaction.encoded import decode, decode_hex
from kubectl_berth.safety.redaction.neighbours import in_json_web_keys, in_secret_objects
from kubectl_berth.safety.redaction.places import redact_places
from kubectl_berth.safety.redaction.spans import replaced
from kubectl_berth.safety.redaction.tokens import (
    LONGEST_KEPT,
    redact_hashes_and_hooks,
    redact_pairs_of_aws,
    redact_private_keys,
    redact_tokens,
)

BASE64 = "[REDACTED:base64]"

_LONG = re.compile(r"[A-Za-z0-9_+/.~-]{16,}+={0,2}")
_LINES = re.compile(r"(?m)^[ \t]{0,40}(?:[A-Za-z0-9+/_-]{40,100}\r?\n[ \t]{0,40}){1,2000}[A-Za-z0-9+/_-]{1,100}={0,2}$")
_HEX = re.compile(r"[0-9a-fA-F]+")
_REACH = 4000
"""Characters behind a cut that are looked at: no secret that begins before it is longer, but for a key's body."""


def redact(text: str) -> str:
    """The text with each secret replaced by a [REDACTED:kind] marker. Idempotent; linear in the text's length."""
    return _redact(text, 2)


def head(text: str, limit: int) -> str:
    """The first `limit` characters of the text, redacted before the cut: half a secret is recognised by nothing."""
    return _redacted_once(text[: limit + _REACH])[:limit]


@lru_cache(maxsize=1024)
def _redacted_once(text: str) -> str:
    """Redacted; for short texts that come again and again, such as one condition of many pods."""
    return redact(text)


def _redact(text: str, depth: int) -> str:
    text = redact_private_keys(text)
    if "Secret" in text and "ata" in text:
        text = replaced(text, in_secret_objects(text, text))
    if 'kty"' in text or 'kty\\"' in text:
        text = replaced(text, in_json_web_keys(text, text))
    text = _LONG.sub(lambda m: redact_tokens(m.group()), text)
    text = redact_hashes_and_hooks(text)
    if "[REDACTED:token]" in text:
        text = redact_pairs_of_aws(text)
    text = redact_places(text)
    if depth:
        text = _LONG.sub(lambda m: _run(m.group(), depth), _LINES.sub(lambda m: _lines(m.group(), depth), text))
    return text


def _lines(lines: str, depth: int) -> str:
    """Base64 that was broken into lines of one length."""
    return BASE64 if _hides_secret("".join(lines.split()), depth) else lines


def _run(run: str, depth: int) -> str:
    """One long word: base64 or hexadecimal of what holds a secret."""
    if run.islower() and not _HEX.match(run):
        return run
    return ".".join(BASE64 if len(part) >= 16 and _hides_secret(part, depth) else part for part in run.split("."))


def _hides_secret(run: str, depth: int) -> bool:
    return _hides(run, depth) if len(run) <= LONGEST_KEPT else _hides.__wrapped__(run, depth)


@lru_cache(maxsize=8192)
def _hides(run: str, depth: int) -> bool:
    decoded = decode_hex(run) if _HEX.fullmatch(run) else decode(run[:65_536])
    return decoded is not None and _redact(decoded, depth - 1) != decoded
