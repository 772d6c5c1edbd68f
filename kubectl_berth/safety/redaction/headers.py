"""HTTP headers that authenticate: Authorization, cookies, bearer and basic credentials wherever they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubectl_berth.safety.redaction.encoded import decode
from kubectl_berth.safety.redaction.spans import Span
from kubectl_berth.safety.values import placeholder, random_looking

AUTHORIZATION = "[REDACTED:authorization]"

_QUOTES = r"(?:[\"'\\]|&quot;|%22){0,4}+"
_SCHEMES = (
    r"bearer|basic|token|apikey|api-key|negotiate|ntlm|digest|aws4-hmac-sha256|key|oauth|splunk|hawk|hmac\S{0,12}"
    r"|sso-key|genie[kg]ey|bot|discogs|sharedkey(?:lite)?|sharedaccesssignature|snowflake|jwt|zoho-oauthtoken|vapid"
)
# all patterns run over the text in lower case
_NAME = re.compile(
    rf"authorization{_QUOTES}(?P<sep>[ \t]{{0,3}}(?:=>|->|[:=,])[ \t]{{0,3}}|[ \t]{{1,3}})\[?{_QUOTES}"
    rf"(?P<scheme>(?:{_SCHEMES})(?:[ \t]{{1,3}}|%20|\+))?(?P<value>[^\s\"'\\\],;&\[][^\"'\\\n\]&]{{0,1000}})"
)
_FIRST_WORD = re.compile(r"[^\s,;]+")
_WHOLE = ("digest", "aws4-hmac-sha256", "oauth", "hawk", "sharedaccesssignature", "vapid")
_PROOF = re.compile(
    r"(?<![\w-])(?:response|cnonce|nonce|mac|hash|signature|oauth_\w{0,20}(?:signature|token|verifier)|sig|proof)=\\{0,3}[\"']"
    r"(?P<value>(?!\[REDACTED)[^\s\"'\\,]{4,1000})"
)
_BEARER = re.compile(r"bearer(?:[ \t]{1,3}|%20|:[ \t]{0,2}|=)[\"']?(?P<value>[a-z0-9._~+/=-]{12,4000}+)")
_BASIC = re.compile(r"basic(?:[ \t]|%20)(?P<value>[a-z0-9+/]{6,400}+={0,2})(?![\w+/=])")
_COOKIE = re.compile(
    rf"(?:(?<=set-)|(?<![\w-]))cookie2?{_QUOTES}[ \t]{{0,3}}(?:->|[:=])[ \t]{{0,3}}\[?{_QUOTES}(?P<value>"
    rf"[^\n\"'\\\]]{{1,4000}})"
)
_CRUMB = re.compile(r"(?<![\w.$!#%&*+^`|~-])[\w.$!#%&*+^`|~-]{1,200}+=(?P<value>[^;\s,]{4,4000})")
_ATTRIBUTES = frozenset({"path", "domain", "expires", "max-age", "samesite", "priority", "version", "comment"})


def in_authorization(text: str, low: str) -> Iterator[Span]:
    """Credentials of Authorization and Proxy-Authorization, in a header, a dump, a configuration."""
    at = 0
    while match := _NAME.search(low, at):
        start, stop = match.span("value")
        scheme = (match["scheme"] or "").strip(" \t+")
        first = _FIRST_WORD.match(text, start, stop)
        word = first.group() if first else text[start]
        at = start + len(word)
        if text[at : at + 12].lstrip().startswith("[REDACTED") or placeholder(word):
            continue
        if scheme in _WHOLE and word.endswith("="):
            # Digest username="bob", response="...": what is quoted closes the header's own quote nowhere
            for field in _PROOF.finditer(text, start, min(len(text), start + 2000)):
                at = field.end()
                yield *field.span("value"), AUTHORIZATION
        elif scheme in _WHOLE and ("=" in text[start:stop] or ":" in text[start:stop]):
            at = stop
            yield start, stop, AUTHORIZATION
        elif random_looking(word) or (scheme and match["sep"].strip() and len(word) > 3):
            yield start, start + len(word), AUTHORIZATION


def bearer(text: str, low: str) -> Iterator[Span]:
    """The token behind the word Bearer."""
    for match in _BEARER.finditer(low):
        start, end = match.span("value")
        if random_looking(text[start:end]):
            yield start, end, AUTHORIZATION


def basic(text: str, low: str) -> Iterator[Span]:
    """The encoded user and password behind the word Basic."""
    for match in _BASIC.finditer(low):
        start, end = match.span("value")
        decoded = decode(text[start:end])
        if decoded is not None and ":" in decoded:
            yield start, end, AUTHORIZATION


def cookies(text: str, low: str) -> Iterator[Span]:
    """The values of cookies; their names and attributes stay."""
    for match in _COOKIE.finditer(low):
        for crumb in _CRUMB.finditer(text, *match.span("value")):
            name, value = crumb.group().split("=", 1)
            if name.lower() not in _ATTRIBUTES and not placeholder(value):
                yield crumb.start("value"), crumb.end("value"), "[REDACTED:cookie]"
