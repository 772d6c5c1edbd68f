"""The usual spelling of words that people in a hurry write without their apostrophe: "cant" is "can't"."""

from __future__ import annotations

import re

_WITHOUT = {
    word.replace("'", ""): word
    for word in (
        "can't", "don't", "isn't", "won't", "doesn't", "didn't", "aren't", "wasn't", "weren't", "hasn't", "haven't",
        "hadn't", "couldn't", "wouldn't", "shouldn't", "what's", "that's", "where's", "there's", "who's", "how's",
        "you're", "they're", "i've",
    )
}  # fmt: skip
"""Each without its apostrophe, where that is no other word ("its", "were" and "well" are)."""
_WORD = re.compile(rf"(?<![\w./`\"'’-])(?:{'|'.join(_WITHOUT)})(?![\w/`\"'’-]|\.\w)", re.IGNORECASE)
_DOES = re.compile(r"\b(why|how|what|when|where|who) dose\b", re.IGNORECASE)
_APOSTROPHE = re.compile(r"(?<=[A-Za-z])[’‘´](?=[A-Za-z])")


def usual(text: str) -> str:
    """The text with its contractions as they are usually written; what stands in quotes or in a name stays."""
    text = _APOSTROPHE.sub("'", text)
    text = _WORD.sub(lambda hit: _like(hit[0], _WITHOUT[hit[0].lower()]), text)
    return _DOES.sub(r"\1 does", text)


def _like(said: str, word: str) -> str:
    return word[0].upper() + word[1:] if said[0].isupper() else word
