"""Text that a terminal or a model may see: printable characters, newline and tab, nothing hidden.

Escape sequences go with their payload; characters that nobody can see go, those that turn the reading order or stand
for a private glyph are shown as <U+202E>.
"""

from __future__ import annotations

import re

_SEQUENCES = re.compile(
    r"(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\n\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # OSC, DCS, SOS, PM, APC
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI
    r"|\x1b[ -/]*[0-~]?"
)
_EMOJI = "\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff"
_JOINERS = re.compile(f"(?<=[{_EMOJI}])\ufe0f|(?<=[{_EMOJI}\ufe0f])\u200d(?=[{_EMOJI}])")
_INVISIBLE = re.compile(
    "[\u200b-\u200d\u2060-\u2064\ufeff\u00ad\u180b-\u180f\u3164\uffa0\u115f\u1160\u034f\u17b4\u17b5"
    "\ufe00-\ufe0f\U000e0000-\U000e0fff]"
)
_SHOWN = re.compile(
    "[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\u2028\u2029\u206a-\u206f\ufff9-\ufffb"
    "\ue000-\uf8ff\U000f0000-\U0010ffff]"
)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_KEPT_VS16 = "\ufdd0"  # noncharacters stand in for the joiners of an emoji while the invisible ones go
_KEPT_ZWJ = "\ufdd1"


def sanitise(text: str) -> str:
    """The text without escape sequences, control, hidden and direction-turning characters."""
    if text.isascii():
        return _plain(text)
    text = text.replace(_KEPT_VS16, "").replace(_KEPT_ZWJ, "")
    text = _JOINERS.sub(lambda m: _KEPT_VS16 if m.group() == "\ufe0f" else _KEPT_ZWJ, text)
    # hidden characters first: one inside an escape sequence would keep it from being recognised
    text = _SURROGATE.sub("\ufffd", _INVISIBLE.sub("", text))
    text = _SHOWN.sub(lambda m: f"<U+{ord(m.group()):04X}>", text)
    return _plain(text).replace(_KEPT_VS16, "\ufe0f").replace(_KEPT_ZWJ, "\u200d")


def hidden_characters(text: str) -> int:
    """How many characters nobody can see the text holds (emoji joiners not counted)."""
    if text.isascii():
        return 0
    return len(_INVISIBLE.findall(_JOINERS.sub("", text)))


def one_line(text: str, limit: int = 300) -> str:
    """Sanitised, on one line, at most `limit` characters: for a name or an argument in a sentence."""
    line = " ".join(sanitise(text).split())
    if len(line) <= limit:
        return line
    # only a cut needs the redactor, and its rules take as long to compile as a TAB may take
    from kubectl_berth.safety.redact import head

    return head(line, limit - 1) + "…"


def _plain(text: str) -> str:
    if "\x1b" in text or not text.isascii():
        text = _SEQUENCES.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\\r")
    return _CONTROL.sub("", text)
