"""The words of a question with what their form tells: quoted, at the beginning, made up."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kubectl_berth.question.words import says_little

_TOKEN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._/-]*[A-Za-z0-9])?(?:['’][A-Za-z]+)?")
NO_NAME = re.compile(
    r"\d+([.:,/-]\d+)*(?:[a-zA-Z%]{0,2})|v\d+[\w.-]*|\d+(?:\.\d+)?(?:[kmgt]i?b?|m|s|h|d|ms|min|cores?|x)|\d+(?:st|nd|rd|th)|"
    r"[a-z]+n't|https?|"
    r"\d{4}-\d\d-\d\d(?:t[\d.+-]*z?)?|(?=[a-f]*\d)[0-9a-f]{8,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    re.IGNORECASE,
)
_TERM = re.compile(
    r"p\d\d(?:\.?\d+)?|[a-z]\d[a-z]|[hlqs]\d|k[38]s|ec2|http2|oauth2|ipv[46]|utf-?8|sha-?\d+|md5|base(?:32|64)|mp[34]|"
    r"log4j|i18n",
    re.IGNORECASE,
)
"""Terms that look made up: a percentile, a protocol. A name only where something bears it."""
_QUOTES = "\"'`“”‘’"
NAMED = frozenset({"called", "named", "name"})
BETWEEN = frozenset({"the", "my", "our", "your", "this", "that", "a", "an", "called", "named", "of", "for"})
NAMESPACE_WORDS = frozenset({"namespace", "namespaces", "ns", "project"})


@dataclass(frozen=True)
class Token:
    """One word: as written, in lower case, its place in the text, whether it is quoted or begins a sentence."""

    text: str
    lower: str
    position: int
    quoted: bool
    starts: bool


def tokens_of(text: str) -> list[Token]:
    """The words of a text, without the ending of a possessive."""
    found = []
    for hit in _TOKEN.finditer(text):
        word = re.sub(r"['’]s$", "", hit.group(0)).strip(".-/")
        before, after = text[max(0, hit.start() - 40) : hit.start()], text[hit.end() : hit.end() + 1]
        quoted = before[-1:] in tuple(_QUOTES) and after in tuple(_QUOTES)
        starts = not before.strip() or bool(re.search(r"[.!?]\s*$", before))
        if word:
            found.append(Token(word, word.lower(), hit.start(), quoted, starts))
    return found


def name_like(token: Token) -> bool:
    """True where the word has the form of a name and says something."""
    return bool(re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", token.lower)) and (
        token.quoted or not says_little(token.lower)
    )


def looks_generated(word: str) -> bool:
    """True for words with a dash or a digit between letters: hardly English."""
    return bool(re.fullmatch(r"[a-z0-9]+(?:[-.][a-z0-9]+)+|[a-z]+\d+[a-z0-9]*", word)) and not (
        NO_NAME.fullmatch(word) or _TERM.fullmatch(word)
    )
