"""A name, a separator, a value: the place where most secrets stand."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubectl_berth.safety.keys import (
    names_a_password,
    names_a_secret,
    names_a_secret_id,
    names_credentials,
    sensitive,
    sensitive_if_random,
)
from kubectl_berth.safety.redaction.encoded import decode
from kubectl_berth.safety.redaction.spans import VALUE, Span
from kubectl_berth.safety.values import opaque, placeholder, prose, random_looking

QUOTE = r"(?:\"{3}|\\{0,7}[\"'`]|&quot;|&#3[49];|%22|%27|\\{1,3}u002[27])"
_TYPE = r"(?:&(?:'\w{1,20} )?)?(?:str|[sS]tring|bytes|SecretStr|Optional\[str\]|any|Any|text|Text)\??"
_NAME = re.compile(
    r"(?:(?<![A-Za-z0-9_.%-])|(?<=%3[Ff])|(?<=%2[26])|(?<=%253[Ff])|(?<=%2526)|(?<=u0022)|(?<=^%)|(?<=[\s\"']%))(?P<dash>-{0,2})(?P<name>[A-Za-z_]"
    r"[A-Za-z0-9_.-]{1,120}+)"
    rf"(?P<quote>{QUOTE}[\]}}]?|[\]}}]|)"
    rf"(?P<sep>:[ \t]{{0,3}}{_TYPE}[ \t]{{0,3}}=[ \t]{{0,3}}(?={QUOTE})"
    r"|[ \t]{0,20}(?::=|=>|->|==|=|:|%3[Dd]|%3[Aa]|%253[Dd])[ \t]{0,20}(?:\n[ \t]{0,40}(?=[\"'\[{s]))?"
    rf"|(?<=[\"'`])[ \t]{{0,3}},[ \t]{{0,3}}(?={QUOTE})|(?<![\"'`])[ \t]{{1,3}}(?=\"))"
)
# what may stand around a value: a constructor, a literal's prefix, a YAML anchor or tag, a list, a nested object
_WRAP = re.compile(
    r"(?:(?:Some|Just|Ok|Secret|SecretStr|SecretString|Optional|Password|GString|nonsensitive|sensitive"
    r"|base64encode)\(\s?"
    r"|[bnNrRuU](?=[\"'])|&[A-Za-z]\w{0,40}[ \t]+(?=\S)|!!(?:str|binary)[ \t]+|string\(\d{1,5}\)[ \t]"
    rf"|\[(?!REDACTED)(?=[^\s\],]{{2}})|\{{\s{{0,20}}{QUOTE}?(?:value|plaintext|plain|secret|current|new){QUOTE}?"
    rf"[ \t]{{0,3}}[:=][ \t]{{0,3}}"
    r"|(?:Buffer|Vec|String)[ \t]?\{[ \t]?)"
)
_UNQUOTED = re.compile(r"(?:[^\s&;,\"'`<>)}\]\\]|,(?![\s\"'{]|[\w.-]{1,40}\s{0,3}[=:])|[)}\]](?=[A-Za-z0-9])){1,4000}")
_ODBC = re.compile(r"\{(?:[^{}\n]|\}(?!;|\s|$)){2,200}\}(?=;|\s|$)")
_BLOCK = re.compile(r"[ \t]{0,4}[|>][+-]?\d?[+-]?[ \t]*(?:#[^\n]*)?\n")
_LINE_START = re.compile(r"[ \t]*(?:[-*][ \t]+|export[ \t]+|env[ \t]+|ENV[ \t]+|[+>#<|-][ \t]*)?[\"']?")
_DELIMITER = re.compile(QUOTE)
_LABELS = re.compile(r"(?i)label|selector|(?<!\S)-l\s")
_ARROW = re.compile(rf"{QUOTE}[ \t]{{0,3}}(?:->|=>|→)[ \t]{{0,3}}(?={QUOTE})")
_SECOND_OF_TWO = re.compile(r"[\"'`\\]{1,8}\s{0,3}(?:,\s?(?:true|false)\s?)?[\])]")
_CHECKSUM = re.compile(r"(?i)(?:checksum|hash|digest)[/_.-]$")
_MOST_IN_A_WORD = 12
_NAME_OF_KEY = re.compile(
    r"[A-Za-z]{2,11}|[A-Za-z]{2,20}(?:[-_.][A-Za-z]{1,20}){1,6}(?:[-_.]?\d{1,2})?|[a-z]{2,12}(?:[A-Z][a-z]{1,12}){1,4}"
)
_INNER = re.compile(r"(?P<name>[A-Za-z_][\w.-]{1,80})=(?!=)")
_BYTES = re.compile(r"[ \t]{1,3}bytes\b")


def pairs(text: str, low: str) -> Iterator[Span]:
    """The values of names that call for a secret, in every notation that puts one behind the other."""
    done = run_end = inside = 0
    for match in _NAME.finditer(text):
        if match.start() < done:
            continue
        name = match["name"].rstrip(".-")
        always = sensitive(name)
        if not always and not sensitive_if_random(name):
            continue
        # names within names within one word: past a few, nobody can tell them apart, and each costs a look at the rest
        inside = inside + 1 if match.end() < run_end else 0
        if inside > _MOST_IN_A_WORD:
            yield match.end(), run_end, VALUE
            done = run_end
            continue
        if match.end() >= run_end and (word := _UNQUOTED.match(text, match.end())):
            run_end = word.end()
        for start, end in _secrets_behind(text, match, always=always):
            yield start, end, VALUE
            done = end


def _secrets_behind(text: str, match: re.Match[str], *, always: bool) -> list[tuple[int, int]]:
    """Where the secrets behind a name stand; none where it is a reference, a placeholder or prose."""
    at = match.end()
    if not _quoted_as_a_whole(text, match):
        return []
    if always and (block := _BLOCK.match(text, at)):
        return _block(text, match.start(), block.end())
    wrap = _WRAP.match(text, at)
    if wrap:
        at = wrap.end()
        if wrap.group() == "[" and _DELIMITER.match(text, at):
            return _listed(text, match, at) if always else []
    start, end = value_span(text, at)
    value = text[start:end]
    if not always and (len(value) < 8 or value.rstrip(":").isalpha()):
        return []
    if always and not wrap and (odbc := _ODBC.match(text, at)) and match["sep"] == "=":
        fields = text.startswith(";", odbc.end()) or ";" in text[max(0, match.start() - 80) : match.start()]
        return [odbc.span()] if names_a_password(match["name"]) and fields else []
    arrow = _ARROW.match(text, end)
    after = [value_span(text, arrow.end())] if arrow and always else []  # a change: both values
    if after and value.startswith("[REDACTED"):
        return [] if placeholder(text[slice(*after[0])]) else after
    place = _Place(text, match, end, quoted=start > at or bool(wrap and wrap.group() != "["), always=always)
    if not place.holds_secret(value):
        return []
    if not place.quoted and (more := place.rest_of_phrase(value)):
        end = more
    return [(start, end), *after]


def _quoted_as_a_whole(text: str, match: re.Match[str]) -> bool:
    """False where the quote behind the name closes something longer than the name, or a comma only lists names."""
    quote, sep = match["quote"], match["sep"].strip(" \t")
    if sep == ",":
        return _pair_of_two(text, match)
    if not quote:
        compound = bool(re.search(r"\w[-_.]\w", match["name"]))
        return (
            bool(sep) or compound or text[match.start() - 1 : match.start()] == ":" or names_a_password(match["name"])
        )
    if match["name"].startswith("u0022") and quote.endswith("u0022"):
        return True
    if quote == "}":  # $settings{password} = "x"
        return sep == "=" and bool(re.search(r"[\w>}]\{$", text[max(0, match.start() - 2) : match.start()]))
    opening = quote.rstrip("]}") or "["
    before = text[max(0, match.start() - len(opening) - 60) : match.start()]
    if before.endswith("[") if quote == "]" else before.endswith(opening):
        return True
    # "db/password": "..." is a key as well, but "https://host/token": connection refused is none
    return sep == ":" and "/" in before[-60:] and "://" not in before and bool(_DELIMITER.match(text, match.end()))


def _pair_of_two(text: str, match: re.Match[str]) -> bool:
    """True for ("password", "x") and ["password", "x"], False for longer lists."""
    before = text[max(0, match.start() - 12) : match.start()]
    opening = before.removesuffix(match["quote"]).rstrip(" ")
    if not before.endswith(match["quote"]) or not opening.endswith(("(", "[")):
        return False
    start, end = value_span(text, match.end())
    return bool(_SECOND_OF_TWO.match(text, end)) and not _named(text[start:end])


def _named(value: str) -> bool:
    """True where a value is itself the name of a secret: ["password", "refresh_token"]."""
    return value.replace("_", "").isalpha() and value.islower() and sensitive(value)


def value_span(text: str, at: int) -> tuple[int, int]:
    """Where the value behind a separator begins and ends, without its quotes."""
    opening = _DELIMITER.match(text, at)
    if opening is None:
        value = _UNQUOTED.match(text, at)
        return (at, value.end() if value else at)
    delimiter, start = opening.group(), opening.end()
    limit = min(len(text), start + 8000)
    at = start
    while at < limit:
        close = text.find(delimiter, at, limit)
        if close < 0:
            break
        # a longer run of backslashes escapes the quote, a doubled single quote stands for itself
        if close > start and text[close - 1] == "\\":
            at = close + len(delimiter)
        elif delimiter == "'" and close > start and text.startswith("''", close):
            at = close + 2
        else:
            return start, close
    line = text.find("\n", start, limit)
    return start, line if line >= 0 else limit


def _listed(text: str, match: re.Match[str], at: int) -> list[tuple[int, int]]:
    """The quoted strings of a list."""
    spans: list[tuple[int, int]] = []
    while len(spans) < 50 and _DELIMITER.match(text, at):
        start, end = value_span(text, at)
        value = text[start:end]
        if names_a_secret(match["name"], value) or placeholder(value) or len(value) < 3:
            break
        spans.append((start, end))
        behind = re.compile(r"[\"'\\]{1,4}\s{0,40},\s{0,40}").match(text, end)
        if behind is None:
            break
        at = behind.end()
    if not spans or names_a_password(match["name"]):
        return spans
    return spans if all(random_looking(text[start:end]) for start, end in spans) else []


def _block(text: str, name_start: int, at: int) -> list[tuple[int, int]]:
    """The lines of a YAML block scalar: all that are indented deeper than the line of its key."""
    line = text.rfind("\n", 0, name_start) + 1
    indent = len(text[line:name_start]) - len(text[line:name_start].lstrip(" \t-"))
    end = at
    while end < len(text):
        stop = text.find("\n", end)
        stop = len(text) if stop < 0 else stop
        content = text[end:stop]
        if content.strip() and len(content) - len(content.lstrip(" \t")) <= indent:
            break
        end = stop + 1
    end = min(end, len(text))
    while end > at and text[end - 1] == "\n":
        end -= 1
    start = at + len(text[at:end]) - len(text[at:end].lstrip())
    value = text[start:end]
    return [] if len(value) < 2 or placeholder(value) else [(start, end)]


class _Place:
    """Where a value stands: what the judgement of one that is not quoted rests on."""

    def __init__(self, text: str, match: re.Match[str], end: int, *, quoted: bool, always: bool) -> None:
        self.text, self.match, self.end = text, match, end
        self.name = match["name"].rstrip(".-")
        self.quoted, self.always = quoted, always
        self.separator = match["sep"].strip()
        # what stands before the name on its line, at most 300 characters
        start = match.start()
        self._before = text[max(0, start - 300) : start].rpartition("\n")[2]

    def holds_secret(self, value: str) -> bool:
        """True where the value is a secret, not a reference, a placeholder, a state or a word of a sentence."""
        if (
            len(value) < 2
            or placeholder(value)
            or names_a_secret(self.name, value)
            or _CHECKSUM.search(self._before[-9:])
        ):
            return False
        if not self.quoted and self._holds_a_pair(value):
            return False
        if not self.always:
            return names_a_secret_id(self.name, value) or opaque(value) or _pair_in_base64(value)
        if (
            self.name.lower().endswith("key")
            and _NAME_OF_KEY.fullmatch(value)
            and sensitive(value)
            and not (self.separator == "=" and any(map(str.isdigit, value)))
        ):
            return False  # the name of a key
        dotted = "." in self.name and self.separator == "="
        if (
            names_credentials(self.name)
            and not dotted
            and not (random_looking(value) or re.match(r"[\w.@-]+:[^/\s]", value))
        ):
            return False
        if self.quoted:
            return not (self.separator in (",", "") and not (random_looking(value) or names_a_password(self.name)))
        if (value.isdigit() and len(value) < 4) or _BYTES.match(self.text, self.end):
            return False
        if self.name.lower().endswith("pwd") and value.startswith("/"):
            return False
        if self._labels(value) or (self.separator == "=" and self._status(value)):
            return False
        if self.separator == ":" or (self.separator == "=" and self.match["sep"] != "=" and not self._at_line_start()):
            return self._behind_a_colon(value)
        return True

    def _holds_a_pair(self, value: str) -> bool:
        """True for credentials: secret_key='x', where the value begins with the name that the secret stands behind."""
        inner = _INNER.match(value)
        if inner is None or not sensitive(inner["name"]):
            return False
        return inner.end() < len(value) or self.text[self.end : self.end + 1] in ('"', "'")

    def rest_of_phrase(self, value: str) -> int:
        """The end of a passphrase of several words, 0 where the value is one word."""
        if self.separator not in (":", "=") or not self._at_line_start() or not names_a_password(self.name):
            return 0
        stop = self.text.find("\n", self.end)
        rest = self.text[self.end : len(self.text) if stop < 0 else stop].rstrip()
        words = rest.split()
        if not words or len(words) > 24 or not all(word.isalpha() for word in words):
            return 0
        told = self.name.lower().endswith(("phrase", "mnemonic")) or (
            2 <= len(words) <= 5 and not any(map(prose, [value, *words]))
        )
        return self.end + len(rest) if told else 0

    def _behind_a_colon(self, value: str) -> bool:
        """`name: value` is a setting at the start of a line and in a dump, and may be prose anywhere else."""
        joined = self.match["sep"] == ":"
        if joined and (self._before.endswith(":") or "://" in self._before[-8:]):
            return random_looking(value) and ":" not in self._before[-40:-1]
        if self.match["quote"] or self.match["dash"]:
            return not prose(value)
        if joined and self._in_brackets():
            return not (prose(value) and not names_a_password(self.name))
        rest = self.text[self.end : self.end + 400].split("\n", 1)[0].strip()
        ends = not rest or rest[0] in ",}]#;|)" or (rest[0] == "." and not rest[1:].strip())
        if self._at_line_start() or self._before.rstrip(" ").endswith(("{", ",", "(", "[")):
            if ends:
                return not prose(value)
            return random_looking(value) or bool(self.rest_of_phrase(value))
        if random_looking(value) and not _reference(value):
            return True
        return names_a_password(self.name) and (ends or joined) and not prose(value) and value.strip(".").isalnum()

    def _at_line_start(self) -> bool:
        return bool(_LINE_START.fullmatch(self._before))

    def _in_brackets(self) -> bool:
        return sum(map(self._before.count, "{[(")) > sum(map(self._before.count, "}])"))

    def _labels(self, value: str) -> bool:
        """True for a label such as token=blue."""
        plain = value.isalpha() and value.islower() and self.name in ("token", "secret", "pass", "key")
        return plain and bool(_LABELS.search(self._before))

    def _status(self, value: str) -> bool:
        """True for key=word where the word says how the secret is."""
        behind = self.text[self.end : self.end + 2]
        return prose(value) or (value.endswith(":") and behind[:1] == " ")


def _reference(value: str) -> bool:
    """True for namespace/name and for a library's path in an error."""
    return bool(re.fullmatch(r"[a-z0-9.-]+(?:/[A-Za-z0-9._-]+)+:?|\w+:", value))


def _pair_in_base64(value: str) -> bool:
    if len(value) < 8 or (value.isalpha() and value.islower()):
        return False
    decoded = decode(value)
    return decoded is not None and bool(re.fullmatch(r"[\w.@+-]{1,64}:[^\s{}\"]{2,200}", decoded))
