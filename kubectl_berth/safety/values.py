"""Could this value be a secret, or does it stand where one would?"""

from __future__ import annotations

import re

_PLACEHOLDER = re.compile(
    r"(?i)\s*(?:$|[<\[(]|\{\{|\{[\w.:-]*\}?$|\$[{(]|\$[A-Za-z_]\w*$|%\(?[a-z]\b|%[A-Za-z_]\w*%|\*+\s*$|[x#.•-]{3,}$"
    r"|!(?:vault|ref|sub|getatt|env|secret|include|join|importvalue|var|sops)\b|ENC\[|vault:|secretref:|file:"
    r"|&\w+\{|\w+\.\w+\{|func\(|0x[0-9a-f]{6,16}$|os\.environ|process\.env|env\.|var\.|local\.|data\.|module\."
    r"|(?:null|none|nil|n/a|true|false|yes|no|undefined|unset|empty|optional|required|string|str|default|unknown|bytes"
    r"|missing|present|absent|expired|invalid|valid|ok|found|notfound|enabled|disabled|changed|rotated|set|object|int"
    r"|text|secret|sensitive|plain|value|hidden|encrypted)$"
    r"|redacted|hidden\b|masked|changeme_in|your[-_]|my[-_](?:token|password|secret)$)"
)
_NAMED = re.compile(
    r"[A-Z][A-Z_]*(?:PASSWORD|PASSWD|TOKEN|SECRET|KEY|PASS|PWD)$|(?:PASSWORD|PASSWD|TOKEN|SECRET|KEY|PASS|PWD)$"
)
_PATH = re.compile(r"(?:[A-Za-z]:\\|\.{0,2}/)(?:[\w.@+-]+[/\\])+[\w.@+-]*$")
_PLAIN_NUMBER = re.compile(r"\d{1,5}(?:\.\d+)?(?:ms|s|m|h|d|%)?$")
_TIME = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d")
_HOSTLIKE = re.compile(
    r"(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?$|[\w./-]+\.(?:go|py|java|js|ts|rb|rs|c|cc|cpp|cs|kt|php|scala|ya?ml|json):\d+"
)
_SYMBOL = re.compile(r"[!@#$%^&*+=~?]")

STOP = frozenset(
    """
    a about above access accepted after again all already also an and any are argument as at attempt authentication
    auth be been before being below between blank but by can cannot change changes check code config configuration
    could creation credential credentials date database did do does done during either element else email empty error
    every exceeded exists expiration expiry failed failure field file flag find for format from get got had has have
    header hint how i id if in incorrect insecure input insufficient into invalid is it its just key keys later length
    less level line long login manager match matches may mechanism method mismatch missing more must name needed needs
    never new no nobody none nonexistent not now null of off ok old on once one only optional option or other our out
    over page parameter permission please policy prompt protection provided provider rate read recovery refused
    rejected request require requirement reset reset. response retry rotation rule same see server service session
    set setting shall short should since so some still storage store strength string such than that the their them
    then there they this through to too tried try twice type under unknown unless unset until up update upon usage
    use used user username validation validator value values via was weak were what when where whether which while
    who why will with without wrong yes you your case-sensitive base64 plaintext plain lost gone stale safe secure
    right there visible public private shared common anyway somewhere elsewhere ready active
    """.split()
)
"""Words of prose that follow a word such as password; none of them is one."""

_SUFFIXES = ("ed", "ing", "able", "ible", "tion", "ment", "ly", "ness")


def placeholder(value: str) -> bool:
    """True for what stands where a secret would: empty, null, <set from ...>, ${VAR}, ***, a file's path."""
    return bool(_PLACEHOLDER.match(value) or _PATH.match(value) or _NAMED.match(value))


def prose(value: str) -> bool:
    """True for an ordinary word of a sentence about secrets."""
    word = value.strip("\"'`.,:;!?()").lower()
    return word in STOP or (word.isalpha() and len(word) > 4 and word.endswith(_SUFFIXES))


def random_looking(value: str) -> bool:
    """True for a single word that no prose holds: letters with digits or symbols, mixed case, or very long."""
    if len(value) < 5 or _PLAIN_NUMBER.match(value):
        return False
    if _TIME.match(value) or _HOSTLIKE.match(value):
        return False
    has_digit = any(c.isdigit() for c in value)
    has_letter = any(c.isalpha() for c in value)
    if has_digit and has_letter:
        return True
    if has_letter and _SYMBOL.search(value):
        return True
    if has_digit and len(value) >= 6 and not has_letter:
        return value.isdigit()
    inner = value[1:]
    return len(value) >= 16 and any(c.islower() for c in inner) and any(c.isupper() for c in inner)


_K8S_NAME = re.compile(r"[a-z0-9]+(?:[-./:][a-z0-9]+)+$")


def opaque(value: str) -> bool:
    """True for what only a machine wrote: long, of several kinds of characters, and no name, host, path or hash tag."""
    if len(value) < 10 or not re.fullmatch(r"[A-Za-z0-9+/=_.~%:-]+", value) or _HOSTLIKE.match(value):
        return False
    if re.fullmatch(r"[0-9a-fA-F]+", value):
        return len(value) >= 32 or (len(value) >= 16 and value.isupper() and not value.isdigit())
    if not any(map(str.isdigit, value)) or _K8S_NAME.match(value):
        return False
    mixed = any(map(str.islower, value)) and any(map(str.isupper, value))
    return (mixed and len(value) >= 16) or (len(value) >= 20 and value.isalnum()) or "%2B" in value or "%3D" in value


def strong(value: str) -> bool:
    """True for a word that only a generator or a careful person makes: cases and digits mixed, or symbols within."""
    if (
        len(value) < 8
        or _HOSTLIKE.match(value)
        or placeholder(value)
        or re.search(r"[/:=<>{}()\[\]]|\.\w{2,4}$", value)
    ):
        return False
    if not any(map(str.isdigit, value)):
        return False
    mixed = any(map(str.islower, value)) and any(map(str.isupper, value))
    return (mixed and "-" not in value) or bool(re.search(r"\w[!@#$%^&*]", value))
