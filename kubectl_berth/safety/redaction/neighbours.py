"""A name and its value in neighbouring fields, elements, columns and lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubectl_berth.safety.keys import names_a_password, names_a_secret, names_a_secret_id, sensitive
from kubectl_berth.safety.redaction.pairs import QUOTE, value_span
from kubectl_berth.safety.redaction.spans import VALUE, Span
from kubectl_berth.safety.values import placeholder, prose, random_looking

_Q = rf"{QUOTE}?"
_EQUALS = r"[ \t]{0,8}(?:=>|[:=])[ \t]{0,8}"
_BETWEEN = re.compile(r"[ \t]{0,8}[,;]?[ \t]{0,8}(?:\r?\n[ \t]{0,60}(?:-[ \t]{1,4})?)?[{ ]{0,4}")
# patterns that end in _FIELD run over the text in lower case
_NAME_FIELD = re.compile(
    rf"(?:name|key|env|variable|property|header|field|param|parameter|id|option|setting)(?<!"
    rf"[a-z0-9.-]id){_Q}{_EQUALS}{_Q}"
    rf"(?P<name>[a-z_/][\w./:-]{{1,120}}+){_Q}"
)
_VALUE_FIELD = re.compile(rf"{_Q}(?:value|val|data|content|default|secret|string_?value|plaintext){_Q}{_EQUALS}")
# fields that stand between name and value: "type": "string", "flags": 0
_OTHER_FIELD = re.compile(rf"{_Q}[a-z_]\w{{0,40}}+{_Q}{_EQUALS}(?:{QUOTE}[^\"'\n]{{0,80}}?{QUOTE}|[\w.-]{{1,40}})")
_MOST_OTHERS = 3
_VALUE_FIRST = re.compile(
    rf"(?<![a-z0-9_.-])(?:value|val){_Q}{_EQUALS}{_Q}(?P<secret>[^\s\"'\\,;{{}}]{{2,400}}+){_Q}"
    rf"[ \t]{{0,8}}[,;]?[ \t]{{0,8}}(?:\n[ \t]{{1,60}})?{_Q}(?:name|key|variable){_Q}{_EQUALS}{_Q}(?P<name>[a-z_]"
    rf"[\w.-]{{1,120}})"
)
_ELEMENT = re.compile(
    r"<(?P<name>[a-z_][\w:.-]{1,60}+)(?:\s[^<>]{0,200})?>\s{0,40}(?:<!\[cdata\[)?(?P<secret>[^<>\s\]]"
    r"[^<>\]]{1,400})(?=\s{0,40}(?:\]\]>)?\s{0,40}</)"
)
# an element in HTML's or JSON's spelling of < and >
_ESCAPED_ELEMENT = re.compile(
    r"(?:&lt;|\\u003c)(?P<name>[a-z_][\w:.-]{1,60}+)(?:&gt;|\\u003e)(?P<secret>[^\s<>&\\]{2,400})(?=(?:&lt;|\\u003c)/)"
)
_ENTRY = re.compile(
    r"<[a-z][\w:.-]{0,40}[^<>]{0,80}?\s(?:name|key|id)=[\"'](?P<name>[\w.-]{1,80})[\"']"
    r"[^<>]{0,40}>(?P<secret>[^<>\s][^<>]{1,400})(?=</)"
)
_KEY_ELEMENT = re.compile(
    r"<(?:key|name|string)>(?P<name>[\w.-]{1,80})</(?:key|name|string)>\s{0,40}<(?:string|value)>(?P<secret>"
    r"[^<>]{2,400})(?=</)"
)


_DECLARED = re.compile(r"variable[ \t]{1,3}\"(?P<name>[\w-]{1,80})\"[ \t]{0,3}\{\s{0,20}")


def in_fields(text: str, low: str) -> Iterator[Span]:
    """name: DB_PASSWORD, value: x, on one line or two, with other fields between."""
    matches = [*_NAME_FIELD.finditer(low), *_DECLARED.finditer(low)]
    for match in sorted(matches, key=lambda match: match.start()):
        name = text[slice(*match.span("name"))].rstrip(".-:/").rpartition("/")[2]
        if not sensitive(name):
            continue
        at = match.end()
        for _ in range(_MOST_OTHERS + 1):
            between = _BETWEEN.match(low, at)
            at = between.end() if between else at
            if field := _VALUE_FIELD.match(low, at):
                start, end = value_span(text, field.end())
                value = text[start:end]
                if len(value) > 1 and not placeholder(value) and not names_a_secret(name, value):
                    yield start, end, VALUE
                break
            other = _OTHER_FIELD.match(low, at)
            if other is None:
                break
            at = other.end()


def before_names(text: str, low: str) -> Iterator[Span]:
    """value: x, name: DB_PASSWORD."""
    yield from _named(_VALUE_FIRST, text, low)


def in_elements(text: str, low: str) -> Iterator[Span]:
    """XML: the text of an element that is called so, of an entry with such a key, of the element behind a key."""
    yield from _named(_ELEMENT, text, low)


def in_entries(text: str, low: str) -> Iterator[Span]:
    """XML: <entry key="password">x</entry>, <key>password</key><string>x</string>."""
    yield from _named(_ENTRY, text, low)
    yield from _named(_KEY_ELEMENT, text, low)


def in_escaped_elements(text: str, low: str) -> Iterator[Span]:
    """XML within HTML or JSON: &lt;password&gt;x&lt;/password&gt;."""
    yield from _named(_ESCAPED_ELEMENT, text, low)


def _named(pattern: re.Pattern[str], text: str, low: str) -> Iterator[Span]:
    for match in pattern.finditer(low):
        secret = text[slice(*match.span("secret"))]
        name = text[slice(*match.span("name"))].rpartition(":")[2]
        if sensitive(name) and not placeholder(secret) and not names_a_secret(name, secret):
            yield *match.span("secret"), VALUE


# --- name and value on one line with nothing but space or a bar between ---------------------------------------------

_VERBS = ("env", "set", "setx", "export", "setenv", "arg", "config set")
_PLAIN_WORDS = ("password", "passwords", "pass", "passwd", "passphrase", "passphrases", "pwd", "pw", "passcode")
_SPACED = re.compile(
    r"(?m)^(?P<head>[^\S\n]{0,40}(?:[|+>*#-]{1,2}[^\S\n]{0,8})?(?:(?:ENV|set(?:[ \t]-\w{1,4})?|setx|export|setenv|ARG"
    r"|(?i:config[ \t]set))"
    r"[^\S\n]{1,8})?)(?P<name>[A-Za-z_][\w.-]{1,80})"
    r"(?P<gap>[^\S\n]{0,60}(?:(?:[|│]|\.{3,60})[^\S\n]{0,60})|[^\S\n]{1,60})(?P<quote>[\"']?)(?P<value>[^\s"
    r"|│\"']{2,400})"
    r"(?P=quote)(?=[^\S\n]{0,60}(?:[|│]|$))"
)


def in_second_column(text: str, low: str) -> Iterator[Span]:
    """Values in the second column of a listing, behind ENV NAME, and in settings such as requirepass VALUE."""
    for match in _SPACED.finditer(text):
        name, value, gap = match["name"], match["value"], match["gap"]
        reference = names_a_secret(name, value) or placeholder(value) or prose(value) or value[0] in "=:>-"
        if reference or not (sensitive(name) or names_a_secret_id(name, value)):
            continue
        wide = len(gap) > 1 or gap == "\t"
        verb = match["head"].lower().split(" -")[0].strip() in _VERBS
        compound = any(mark in name for mark in "_.-")
        setting = (name.islower() or compound) and names_a_password(name) and name not in _PLAIN_WORDS
        setting = setting or (compound and sensitive(name) and random_looking(value))
        listed = wide and (names_a_password(name) or (random_looking(value) and "-" not in value))
        if verb or setting or listed or not sensitive(name) or ("_" in name and name.isupper()):
            yield *match.span("value"), VALUE


# --- tables with a column of passwords ----------------------------------------------------------------------------

_HEADING = re.compile(
    r"(?<![\w.-])(?:user[_ ]?)?(?:password|passwd|pwd|passphrase|api[_-]?key|api[_-]?token|client[_-]?secret)(?!"
    r"[\w.:=-])"
)
_ROWS = 500
_LONGEST_HEADING = 600


def in_tables(text: str, low: str) -> Iterator[Span]:
    """The cells under a heading such as PASSWORD, in columns, with bars, tabs or commas."""
    done = 0
    for heading in _HEADING.finditer(low):
        if heading.start() < done:
            continue
        start = text.rfind("\n", 0, heading.start()) + 1
        stop = text.find("\n", heading.end())
        if stop < 0:
            return
        done = stop
        cells = _column(text[start:stop]) if stop - start < _LONGEST_HEADING else None
        if cells is not None:
            for span in _rows(text, stop, *cells):
                yield span
                done = span[1]


def _column(heading: str) -> tuple[str, int, int] | None:
    """Separator, number of the column with passwords, and how many columns there are."""
    for separator in ("|", "\t", ",", ";", "  "):
        cells = _cells(heading, separator)
        if len(cells) < 2 or any(len(cell.split()) > 3 for cell in cells):
            continue
        for number, cell in enumerate(cells):
            name = re.sub(r"[ _-]", "_", cell.strip(" \"'*"))
            if sensitive(name) and name.replace("_", "").isalpha():
                return separator, number, len(cells)
    return None


def _cells(line: str, separator: str) -> list[str]:
    return re.split(r" {2,}", line.strip()) if separator == "  " else line.split(separator)


def _rows(text: str, at: int, separator: str, column: int, count: int) -> Iterator[Span]:
    """The secrets in the rows below a heading that ends at `at`."""
    for _ in range(_ROWS):
        start = at + 1
        at = text.find("\n", start)
        at = len(text) if at < 0 else at
        line = text[start:at]
        cells = _cells(line, separator)
        ruler = bool(line) and not line.strip("-+=| \t:")
        if start >= len(text) or (len(cells) != count and not ruler):
            return
        secret = "" if ruler else cells[column].strip(" \"'")
        if len(secret) > 2 and " " not in secret and not placeholder(secret):
            offset = sum(len(cell) + len(separator) for cell in cells[:column]) if separator != "  " else 0
            found = start + line.find(secret, offset)
            yield found, found + len(secret), VALUE


# --- Secret objects as text -------------------------------------------------------------------------------------

_SECRET_YAML = re.compile(r"(?m)^(?P<indent>[ \t]{0,80}(?:- )?)kind:[ \t]{0,8}[\"']?Secret[\"']?[ \t]{0,8}$")
_DATA_LINE = re.compile(r"(?:data|stringData):[ \t]*$")
_ENTRY_LINE = re.compile(
    r"[ \t]*[\w.\"'-]{1,253}:[ \t]*(?P<secret>[^\s|>\[<{][^\n]*)$|[ \t]*(?P<more>[A-Za-z0-9+/=]{8,})$"
)
_SECRET_JSON = re.compile(r"\\?\"kind\\?\":[ \t]?\\?\"Secret(?:List)?\\?\"")
_DATA_JSON = re.compile(r"\\?\"(?:data|stringData)\\?\":\s{0,20}(?P<body>\{[^{}]{0,100000}\})")
_ENTRY_JSON = re.compile(r"\\?\"[\w./-]{1,253}\\?\"\s{0,4}:\s{0,4}\\?\"(?P<secret>[^\"\\]{1,65536})")


_JWK = re.compile(r"\\?\"(?:d|p|q|dp|dq|qi|k)\\?\"\s{0,4}:\s{0,4}\\?\"(?P<secret>[A-Za-z0-9_-]{16,8000}+)\\?\"")


def in_json_web_keys(text: str, low: str) -> Iterator[Span]:
    """The private members of a JSON Web Key."""
    for match in _JWK.finditer(text):
        yield *match.span("secret"), VALUE


def in_secret_objects(text: str, low: str) -> Iterator[Span]:
    """Values under data and stringData where the text holds a Secret object in YAML or JSON."""
    if _SECRET_YAML.search(text):
        yield from _in_yaml(text)
    elif _SECRET_JSON.search(text):
        for block in _DATA_JSON.finditer(text):
            for match in _ENTRY_JSON.finditer(text, *block.span("body")):
                if not placeholder(match["secret"]):
                    yield *match.span("secret"), VALUE


def _in_yaml(text: str) -> Iterator[Span]:
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    done = 0
    for number, line in enumerate(lines):
        if number >= done and (kind := _SECRET_YAML.match(line)):
            first, last = _object_lines(lines, number, len(kind["indent"]), done)
            yield from _data_lines(lines, starts, range(first, last), len(kind["indent"]))
            done = last


def _object_lines(lines: list[str], number: int, indent: int, first: int) -> tuple[int, int]:
    """The lines of the object that the line with its kind belongs to."""
    start = number
    while start > first and not lines[start].startswith("---") and not _item(lines[start], indent):
        if lines[start - 1].strip() and _indent(lines[start - 1]) < indent:
            break
        start -= 1
    stop = number + 1
    while stop < len(lines) and not lines[stop].startswith("---") and not _item(lines[stop], indent):
        if lines[stop].strip() and _indent(lines[stop]) < indent:
            break
        stop += 1
    return start, stop


def _data_lines(lines: list[str], starts: list[int], numbers: range, indent: int) -> Iterator[Span]:
    inside = False
    for number in numbers:
        line = lines[number]
        if line.strip() and _indent(line) <= indent:
            inside = _indent(line) == indent and bool(_DATA_LINE.match(line[indent:]))
        elif inside and (entry := _ENTRY_LINE.match(line)):
            group = "secret" if entry["secret"] else "more"
            if not placeholder(entry[group]):
                yield starts[number] + entry.start(group), starts[number] + entry.end(group), VALUE


def _indent(line: str) -> int:
    """Where a line's first key stands, behind the dash of a list item."""
    return len(line) - len(line.lstrip(" \t-"))


def _item(line: str, indent: int) -> bool:
    return indent > 1 and line[:indent].strip() == "-"
