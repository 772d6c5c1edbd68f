"""Secrets out of text, by what they are and by where they stand.

Rules go by kinds of secrets (provider tokens, keys, URLs with a password) and by places (a name that calls for a
secret before `=`, `:`, in JSON, in a flag, in XML, on the line above its value). Every pattern is anchored on the left
and bounded, so that a hostile line costs linear time. Names, references and field names stay: a diagnosis needs them.
"""

from __future__ import annotations

import base64
import binascii
import re

from kubectl_berth.safety.keys import names_a_secret, placeholder, random_looking, sensitive, sensitive_if_random
from kubectl_berth.safety.tokens import redact_private_keys, redact_tokens

_VALUE = "[REDACTED:value]"


def redact(text: str) -> str:
    """The text with each secret replaced by a [REDACTED:kind] marker. Idempotent; linear in the text's length."""
    return _redact(text, depth=2)


def _redact(text: str, depth: int) -> str:
    text = redact_private_keys(text)
    text = redact_tokens(text)
    text = _headers(text)
    text = _urls(text)
    text = _commands(text)
    text = _pairs(text)
    text = _named_values(text)
    text = _flags(text)
    text = _prose(text)
    return _base64(text, depth) if depth else text


# --- URLs and data source names ------------------------------------------------------------

_USERINFO = re.compile(
    r"(?<![A-Za-z0-9+.-])(?P<head>[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s:/?#@\"'<>\\\[]{0,200}:)"
    r"(?:(?P<plain>[^\s/?#\"'<>\\]{1,400})|(?!\d{1,5}[/?#])(?P<odd>[^\s@\"'<>\\]{1,400}))@(?=[^\s@])"
)
_USER_TOKEN = re.compile(r"(?<![A-Za-z0-9+.-])([A-Za-z][A-Za-z0-9+.-]{0,30}://)([A-Za-z0-9_~.-]{20,400})@")
_GO_DSN = re.compile(
    r"(?<![\w.-])([\w.-]{1,64}:)([^\s\"'<>@:/]{1,200}|[^\s\"'<>]{1,200}?)(?=@(?:tcp|tcp4|tcp6|udp|unix)\()"
)
_IMAGE_USER = re.compile(r"(?<![\w./:\[-])([\w.-]{1,64}:)([^\s@:/\"'<>]{3,100})(?=@[\w-]+(?:\.[\w-]+)+(?::\d{2,5})?/)")


def _urls(text: str) -> str:
    if "@" not in text:
        return text
    if "://" in text:
        text = _USERINFO.sub(_userinfo, text)
        text = _USER_TOKEN.sub(lambda m: f"{m[1]}[REDACTED:token]@" if random_looking(m[2]) else m.group(), text)
    if "(" in text:
        text = _GO_DSN.sub(lambda m: m.group() if placeholder(m[2]) else f"{m[1]}[REDACTED:password]", text)
    return _IMAGE_USER.sub(lambda m: m.group() if placeholder(m[2]) else f"{m[1]}[REDACTED:password]", text)


def _userinfo(match: re.Match[str]) -> str:
    secret = match["plain"] or match["odd"]
    return match.group() if placeholder(secret) else f"{match['head']}[REDACTED:password]@"


# --- HTTP headers ------------------------------------------------------------

_AUTHORIZATION = re.compile(
    r"(?i)(?P<name>(?<![A-Za-z0-9])(?:proxy-)?authorization[\"'\\]{0,3}[ \t]{0,3}[:=][ \t]{0,3}\[?[\"'\\]{0,3})"
    r"(?P<scheme>(?:bearer|basic|token|apikey|negotiate|ntlm|digest|aws4-hmac-sha256|key|oauth|splunk)[ \t]{1,3})?"
    r"(?P<value>[^\s\"'\\\],;][^\"'\\\n\]]{0,4000})"
)
_BEARER = re.compile(r"(?i)(?<![\w-])(bearer[ \t]{1,3}[\"']?)([A-Za-z0-9._~+/=-]{16,4000})")
_BASIC = re.compile(r"(?<![\w-])((?:Basic|basic)[ \t])([A-Za-z0-9+/]{6,400}={0,2})(?![\w+/=])")
_COOKIE = re.compile(
    r"(?i)(?<![\w-])((?:set-)?cookie[\"'\\]{0,3}[ \t]{0,3}[:=][ \t]{0,3}\[?[\"'\\]{0,3})([^\n\"'\\\]]{1,4000})"
)
_CRUMB = re.compile(r"([\w.$!#%&*+^`|~-]{1,200}=)([^;\s,]{1,4000})")
_COOKIE_ATTRIBUTES = frozenset({"path", "domain", "expires", "max-age", "samesite", "priority"})


def _headers(text: str) -> str:
    folded = text.casefold()
    if "authorization" in folded:
        text = _AUTHORIZATION.sub(_authorization, text)
    if "bearer" in folded:
        text = _BEARER.sub(lambda m: f"{m[1]}[REDACTED:authorization]" if random_looking(m[2]) else m.group(), text)
    if "basic" in folded:
        text = _BASIC.sub(lambda m: f"{m[1]}[REDACTED:authorization]" if _basic(m[2]) else m.group(), text)
    return _COOKIE.sub(lambda m: m[1] + _CRUMB.sub(_crumb, m[2]), text) if "cookie" in folded else text


def _authorization(match: re.Match[str]) -> str:
    name, scheme, value = match["name"], match["scheme"] or "", match["value"]
    if value.startswith("[REDACTED") or placeholder(value):
        return match.group()
    if scheme.strip().lower() in ("digest", "aws4-hmac-sha256", "oauth"):
        return f"{name}{scheme}[REDACTED:authorization]"
    first = re.match(r"[^\s,;]+", value)
    word = first.group() if first else value
    if not scheme and not random_looking(word):
        return match.group()
    return f"{name}{scheme}[REDACTED:authorization]{value[len(word) :]}"


def _basic(value: str) -> bool:
    decoded = _decode(value)
    return decoded is not None and ":" in decoded


def _crumb(match: re.Match[str]) -> str:
    name, value = match[1], match[2]
    if name[:-1].lower() in _COOKIE_ATTRIBUTES or value.startswith("[REDACTED") or len(value) < 4:
        return match.group()
    return f"{name}[REDACTED:cookie]"


# --- commands with a password in a short flag ------------------------------------------------------------

_WORDS = r"[\"',]{0,3}[ \t](?:[^\n|;&]{0,200}?[ \t\"'])?"
_END = r"[\"',]{0,3}[ \t]"
_COMMAND = re.compile(
    r"(?<![\w-])(?P<head>(?:"
    rf"(?:mysql(?:dump|admin)?|mariadb(?:-dump|-admin)?){_WORDS}-p{_END}?"
    rf"|redis-cli{_WORDS}-a{_END}"
    rf"|sshpass{_WORDS}-p{_END}?"
    rf"|mongo(?:sh|dump|restore)?{_WORDS}-p{_END}"
    rf"|(?:docker|podman|registry|oc|auth|kubectl)[ \t]login{_WORDS}-p{_END}?"
    r")[\"']?)(?P<secret>[^\s\"',]{3,200})"
)
_CURL_USER = re.compile(
    rf"(?<![\w-])((?:curl|wget|https?){_WORDS}(?:-u|--user|--proxy-user|-a)[\"',]{{0,3}}[= \t][\"']?"
    r"[^\s:\"']{1,100}:)([^\s\"',]{1,200})"
)
_NETRC = re.compile(r"(?i)(?<![\w-])(login[ \t\n]{1,8}\S{1,100}[ \t\n]{1,8}password[ \t\n]{1,8})(\S{1,200})")
_PGPASS = re.compile(r"(?m)^([\w.*-]{1,253}:(?:\d{2,5}|\*):[\w*-]{1,64}:[\w*-]{1,64}:)([^\s:]{3,200})$")
_HINTS = (
    (_COMMAND, ("mysql", "mariadb", "redis-cli", "sshpass", "mongo", " login")),
    (_CURL_USER, (" -u", "-user", " -a")),
    (_NETRC, ("login",)),
    (_PGPASS, (":",)),
)


def _commands(text: str) -> str:
    for pattern, hints in _HINTS:
        if any(hint in text for hint in hints):
            text = pattern.sub(lambda m: m.group() if placeholder(m[2]) else m[1] + _VALUE, text)
    return text


# --- a name, a separator, a value ------------------------------------------------------------

_NAME = re.compile(
    r"(?:(?<![A-Za-z0-9_.-])|(?<=%3[Ff])|(?<=%26))(?P<dash>-{0,2})(?P<name>[A-Za-z_][A-Za-z0-9_.-]{1,120})(?P<quote>\\{0,3}[\"'`]|)"
    r"(?P<sep>[ \t]{0,20}(?::=|=>|==|=|:|%3[Dd]|%3[Aa])[ \t]{0,20}"
    r"(?:\n[ \t]{0,40}(?=[\"']))?(?:[|>][+-]?\n[ \t]{1,40})?)"
)
_UNQUOTED = re.compile(r"(?:[^\s&;,\"'`<>)}\]\\]|,(?![\s\"'{]|[\w.-]{1,40}\s{0,3}[=:])|[)}\]](?=[A-Za-z0-9])){1,4000}")
_LINE_START = re.compile(r"(?:^|\n)[ \t]*(?:-[ \t]+|export[ \t]+|env[ \t]+|ENV[ \t]+|[+>#-][ \t]*)?$")
_DELIMITER = re.compile(r"\\{0,3}[\"'`]")


def _pairs(text: str) -> str:
    out: list[str] = []
    done = 0
    for match in _NAME.finditer(text):
        if match.start() < done:
            continue
        name = match["name"].rstrip(".-")
        always = sensitive(name)
        if not always and not sensitive_if_random(name):
            continue
        start, end = _value_span(text, match.end())
        value = text[start:end]
        if not _is_secret(text, match, value, always=always, quoted=start > match.end()):
            continue
        out += [text[done:start], _VALUE]
        done = end
    return "".join([*out, text[done:]])


def _value_span(text: str, at: int) -> tuple[int, int]:
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
        # a longer run of backslashes escapes the quote
        if close > start and text[close - 1] == "\\":
            at = close + len(delimiter)
            continue
        return start, close
    line = text.find("\n", start, limit)
    return start, line if line >= 0 else limit


def _is_secret(text: str, match: re.Match[str], value: str, *, always: bool, quoted: bool) -> bool:
    if len(value) < 2 or value.startswith("[REDACTED") or placeholder(value):
        return False
    if names_a_secret(match["name"], value):
        return False
    if not always:
        return _opaque(value)
    separator = match["sep"].strip()
    if quoted or match["quote"] or match["dash"] or separator not in (":", "=="):
        return not (
            separator == "=" and value.endswith(":") and " " in text[match.end() : match.end() + len(value) + 2]
        )
    # `name: value` without quotes is a setting at the start of a line, and prose anywhere else
    before = text[max(0, match.start() - 200) : match.start()]
    if _LINE_START.search(before) or before.rstrip(" ").endswith(("{", ",")):
        rest = text[match.end() + len(value) :].split("\n", 1)[0].strip()
        return not rest or rest[0] in ",}]#;" or random_looking(value)
    return random_looking(value)


def _opaque(value: str) -> bool:
    """Long enough, and of too many kinds of characters, to be anything but a secret."""
    if len(value) < 12 or not re.fullmatch(r"[A-Za-z0-9+/=_.~%-]+", value):
        return False
    if re.fullmatch(r"[a-z0-9.-]+", value):
        return len(value) >= 32 and bool(re.fullmatch(r"[0-9a-f]+", value))
    decoded = _decode(value)
    if decoded is not None and ":" in decoded and "\n" not in decoded and not decoded.startswith("{"):
        return True
    return len(value) >= 24 and all(any(map(test, value)) for test in (str.isdigit, str.islower, str.isupper))


# --- a name and its value in neighbouring fields ------------------------------------------------------------

_QUOTE = r"\\{0,3}[\"']?"
_FIELD = r"[ \t]{0,8}[:=][ \t]{0,8}"
_BETWEEN = r"[ \t]{0,8}[,;]?[ \t]{0,8}(?:\r?\n[ \t]{0,60}(?:-[ \t]{1,4})?)?[{ ]{0,4}"
_NAME_VALUE = re.compile(
    rf"(?i)(?<![A-Za-z0-9_.-])(?:name|key|env|variable|property|header|field|param|parameter){_QUOTE}{_FIELD}{_QUOTE}"
    rf"(?P<name>[A-Za-z_][\w.-]{{1,120}}){_QUOTE}{_BETWEEN}{_QUOTE}"
    rf"(?:value|val|data|content|default|secret){_QUOTE}{_FIELD}"
)
_VALUE_NAME = re.compile(
    rf"(?i)(?<![A-Za-z0-9_.-])(?:value|val){_QUOTE}{_FIELD}(?P<open>{_QUOTE})(?P<secret>[^\s\"'\\,;{{}}]{{2,400}}){_QUOTE}"
    rf"{_BETWEEN}{_QUOTE}(?:name|key|variable){_QUOTE}{_FIELD}{_QUOTE}(?P<name>[A-Za-z_][\w.-]{{1,120}})"
)
_XML = re.compile(r"<(?P<name>[A-Za-z_][\w:.-]{1,60})(?:\s[^<>]{0,200})?>(?P<secret>[^<>]{2,400})(?=</)")


def _named_values(text: str) -> str:
    out: list[str] = []
    done = 0
    for match in _NAME_VALUE.finditer(text):
        if match.start() < done or not sensitive(match["name"]):
            continue
        start, end = _value_span(text, match.end())
        if end > start and not placeholder(text[start:end]):
            out += [text[done:start], _VALUE]
            done = end
    text = "".join([*out, text[done:]])
    text = _VALUE_NAME.sub(_swap, text)
    return _XML.sub(_swap, text) if "</" in text else text


def _swap(match: re.Match[str]) -> str:
    secret = match["secret"]
    if placeholder(secret) or not sensitive(match["name"].rpartition(":")[2]):
        return match.group()
    whole, start = match.group(), match.start("secret") - match.start()
    return whole[:start] + _VALUE + whole[start + len(secret) :]


# --- flags, also as items of a list ------------------------------------------------------------

_FLAG = re.compile(
    r"(?<![\w-])--?(?P<name>[A-Za-z][\w.-]{1,80})"
    r"(?:[ \t]{1,8}|[\"'][ \t]{0,4},[ \t]{0,4}\n?[ \t]{0,40}|[\"']?\n[ \t]{0,40}-[ \t]{1,4})"
    r"(?P<quote>[\"']?)(?P<value>(?!-)[^\s\"',\]]{2,400})"
)


def _flags(text: str) -> str:
    return _FLAG.sub(_flag, text)


def _flag(match: re.Match[str]) -> str:
    value = match["value"]
    if not sensitive(match["name"]) or placeholder(value):
        return match.group()
    return match.group()[: match.start("value") - match.start()] + _VALUE


# --- prose ------------------------------------------------------------

_SAID = re.compile(
    r"(?i)(?<![\w-])(?P<word>pass(?:word|wd|phrase|code)|pwd|pin code|(?:secret|access|api)[ _-]?key"
    r"|(?:auth|authentication|api|access)[ _-]token|token|secret|credentials?)"
    r"(?P<link>[ \t]{1,3}(?:is|was|are|=|:|(?:set|changed|reset) to|now|of|value|to be|used|given|provided)[ \t:=]{1,3}"
    r"|[ \t]{0,2}[:=][ \t]{0,2}|[ \t]{1,2})"
    r"(?P<quote>[\"'`(]?)(?P<value>[^\s\"'`,;)]{4,200})"
)
_ADJACENT = frozenset({"password", "passwd", "passphrase", "passcode", "pwd"})


def _prose(text: str) -> str:
    return _SAID.sub(_said, text)


def _said(match: re.Match[str]) -> str:
    value = match["value"].rstrip(".:!?")
    word, link = match["word"].lower(), match["link"].strip()
    if placeholder(value) or not value or (not link and word not in _ADJACENT):
        return match.group()
    told = bool(link) and link not in (":", "of", "value", "used", "given", "provided")
    quoted = match["quote"] in ('"', "'", "`") and bool(match["quote"])
    if not random_looking(value) and not (quoted and (told or word in _ADJACENT)):
        return match.group()
    start = match.start("value") - match.start()
    return match.group()[:start] + _VALUE + match.group()[start + len(value) :]


# --- base64 of any of these ------------------------------------------------------------

_RUN = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}={0,2}")
_HEX = re.compile(r"[0-9a-fA-F-]+")


def _base64(text: str, depth: int) -> str:
    return _RUN.sub(lambda m: "[REDACTED:base64]" if _hides_secret(m.group(), depth) else m.group(), text)


def _hides_secret(run: str, depth: int) -> bool:
    if _HEX.fullmatch(run):
        return False
    decoded = _decode(run[:65_536])
    return decoded is not None and _redact(decoded, depth - 1) != decoded


def _decode(run: str) -> str | None:
    """The text behind base64 or base64url, None where it is no text."""
    plain = run.rstrip("=").translate(str.maketrans("-_", "+/"))
    plain = plain[: len(plain) - 1] if len(plain) % 4 == 1 else plain
    try:
        raw = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
        text = raw.decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return None
    return text if text.isprintable() or all(c.isprintable() or c in "\r\n\t" for c in text) else None
