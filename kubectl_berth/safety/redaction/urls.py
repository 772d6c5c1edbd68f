"""Passwords in URLs and in data source names: between a user and a host."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubectl_berth.safety.redaction.spans import Span
from kubectl_berth.safety.values import placeholder, random_looking

PASSWORD = "[REDACTED:password]"

_USERINFO = re.compile(
    r"://(?P<user>[^\s:/?#@\"'<>\[]{0,200}:)"
    r"(?:(?P<plain>(?:(?!@[\w.-]{1,100}(?::\d{2,5})?,)[^\s/?#\"'<>\\]){1,400})|(?!\d{1,5}[/?#])(?P<odd>"
    r"[^\s@\"'<>\\]{1,400}))@(?=[^\s@])"
)
_ESCAPED = re.compile(r":(?:\\/){2}[^\s:/?#@\"'<>\\\[]{0,200}:(?P<secret>[^\s/?#\"'<>\\@]{1,400})(?=@)")
_USER_TOKEN = re.compile(r"://(?P<secret>[A-Za-z0-9_~.-]{16,400}+)(?=@[\w\[])")
_DRIVER = re.compile(r"@(?:(?:tcp|tcp4|tcp6|udp|unix)\(|/\w{1,64}(?:\?|\s|[\"']|\Z))")
_HOST = re.compile(r"@(?!sha\d)[\w-]{1,63}(?:\.[\w-]{1,63}){0,10}(?::\d{2,5}(?!\w)|(?<=\.)[\w-]{2,63}/|/(?=[\w?]))")
_ORACLE = re.compile(
    r"(?:jdbc:oracle:(?:thin|oci):|sqlplus[ \t]{1,3}(?:-\w{1,8}[ \t]{1,3}){0,3}|(?:userid|connect|conn)[= \t])"
    r"[\"']?[\w$#.-]{1,64}/"
    r"(?P<secret>\"[^\"\s]{1,100}\"|[^\s@\"'/]{2,100})(?=@|[ \t\"'\n]|\Z)"
)
_REACH = 300


def in_urls(text: str, low: str) -> Iterator[Span]:
    """Passwords and tokens between :// and the @ before a host."""
    for match in _USERINFO.finditer(text):
        group = "plain" if match["plain"] else "odd"
        if not placeholder(match[group]):
            yield match.start(group), match.end(group), PASSWORD


def tokens_in_urls(text: str, low: str) -> Iterator[Span]:
    """A token in the place of the user, and passwords in URLs whose slashes are escaped."""
    found = [
        (m.start("secret"), m.end("secret"), PASSWORD) for m in _ESCAPED.finditer(text) if not placeholder(m["secret"])
    ]
    found += [
        (m.start("secret"), m.end("secret"), "[REDACTED:token]")
        for m in _USER_TOKEN.finditer(text)
        if random_looking(m["secret"]) and any(map(str.isdigit, m["secret"]))
    ]
    yield from sorted(found)


def in_source_names(text: str, low: str) -> Iterator[Span]:
    """user:password@tcp(host)/db, user:password@/db and user:password@host:port."""
    for pattern in (_DRIVER, _HOST):
        for match in pattern.finditer(text):
            start = max(0, match.start() - _REACH)
            word = re.split(r"[\s\"'<>`,]", text[start : match.start()])[-1]
            user, colon, secret = word.partition(":")
            if pattern is _HOST:
                user, colon, secret = word.rpartition(":")
            user = user.rpartition("=")[2] if "//" not in user else ""
            if (
                colon
                and secret
                and re.fullmatch(r"[\w.%+@-]{1,64}", user)
                and len(secret) > 1
                and not placeholder(secret)
            ):
                if pattern is _HOST and (len(secret) < 3 or "/" in secret or "[" in word):
                    continue
                yield match.start() - len(secret), match.start(), PASSWORD


def in_oracle_logins(text: str, low: str) -> Iterator[Span]:
    """user/password@host behind sqlplus and jdbc:oracle."""
    for match in _ORACLE.finditer(low):
        start, end = match.span("secret")
        if not placeholder(text[start:end]):
            yield start, end, PASSWORD
