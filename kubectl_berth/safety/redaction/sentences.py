"""Secrets in sentences: a key word, what links it, and a word that no sentence holds."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubectl_berth.safety.keys import sensitive
from kubectl_berth.safety.redaction.spans import VALUE, Span
from kubectl_berth.safety.values import placeholder, prose, random_looking, strong

# all patterns run over the text in lower case
_S = r"[ \t]{1,3}"
_SAID = re.compile(
    r"(?:pass(?:word|wd|phrase|code)s?|pwd|pw|pin(?: code)?|(?:secret|access|api|private|signing|signature|encryption"
    r"|license|webhook|master|account|storage|shared)[ _-]?key"
    r"|(?:auth|authentication|api|access|bearer|refresh|session|bot|root|join)[ _-]token|token|secret|credentials?"
    r"|creds|jwt|otp"
    r"|kennwort|passwort|wachtwoord|senha)"
    rf"(?P<link>{_S}(?:is|was|are|=|:|->|(?:set|changed|reset|updated|rotated) to|now|of|value|to be|used|given"
    rf"|provided|entered|received|would be)[ \t:=]{{1,3}}(?:now |still )?"
    r"|[ \t]{0,2}(?:[:=]|->)[ \t]{0,2}|[ \t]{1,2})"
    r"(?P<quote>[\"'`(\[]?)(?!redacted)(?P<secret>[^\s\"'`,;)\]]{4,200})"
)
_BARE_KEY = re.compile(r"(?<![\w-])(?:aws|secret|key)[ \t\"'`(]{1,3}(?P<secret>[a-z0-9/+]{40})(?![a-z0-9/+=_-])")
_FIELD = re.compile(r"(?P<name>[\w.-]+)[=:]")
_WORD_BEFORE = re.compile(r"[\w.\[:/-]$")
_PEOPLE = frozenset(
    {"password", "passwd", "passphrase", "passcode", "pwd", "pw", "kennwort", "passwort", "senha", "wachtwoord"}
)
_SHOWN = ("", ":", "of", "value", "used", "given", "provided", "entered", "received", "->")
_CHANGED = re.compile(
    rf"(?:password|passwd|passphrase|token|secret|api key|credentials?)(?:{_S}(?:for|of){_S}\S{{1,80}})?"
    rf"(?:{_S}(?:was|has been|successfully))?(?:{_S}(?:changed|reset|updated|rotated|set))?"
    rf"(?:{_S}from{_S}[\"'`]?(?P<old>[^\s\"'`,;]{{4,100}})[\"'`]?)?{_S}to:?{_S}(?P<quote>[\"'`]?)(?P<secret>"
    rf"[^\s\"'`,;]{{4,100}})"
)
_FOLLOWING = re.compile(
    r"(?:password|passwd|passphrase|secret|token|credentials|key)\b(?:[^\n=]{0,80}:)?[ \t]{0,4}\n(?:[ \t]{0,20}\n){0,2}"
    r"(?:\d{4}-\d\d-\d\d[t ]\d\d:[\d:.,z+-]{3,40}[ \t]{1,3})?[ \t]{0,20}[\"'`*]{0,2}"
    r"(?:-[ \t]{1,3})?(?P<secret>[^\s\"'`*:=]{6,400}+)(?=[\"'`*]{0,2}[ \t]{0,4}(?:\n|\Z))"
)
_ALONE = re.compile(r"(?:^|\n)[ \t]*$")
_UNSEAL = re.compile(
    r"(?:unseal|recovery) key ?(?:\d{1,2})?(?: ?\([^)\n]{1,40}\))?:[ \t]{0,4}(?P<secret>[a-z0-9+/]{20,100}={0,2})"
)
_PHRASE = re.compile(
    r"(?:seed|recovery|mnemonic|backup)[ _-](?:phrase|words|codes?)[\"']?[ \t]{0,3}(?:is|are|:|=)[ \t]{0,3}[\"']?"
    r"(?P<secret>(?:[a-z]{3,10}[ ,]{1,2}){5,24}[a-z]{3,10}|[a-z0-9][a-z0-9-]{5,30}(?:,? [a-z0-9-]{6,30}){0,12})"
)
_CODE = re.compile(
    r"(?:one[- ]time|verification|sms|otp|mfa|2fa|totp|authentication|confirmation|pairing|login|(?<![a-z])pin)(?:[ -]?"
    r"(?:pass)?(?:code|pin|password))?"
    rf"(?: (?:for|to) \S{{1,60}})?(?:[ \t]{{0,3}}(?:is|was|:|=)[ \t]{{0,3}}|{_S})[\"'`(]?"
    rf"(?P<secret>\d{{4,8}}|\d{{3}}[ -]\d{{3}})(?!"
    rf"[\w:%/-]|\.\d)"
)
_LOGIN = re.compile(
    r"(?:credentials?|creds|login|log in|logged in|logging in|connect(?:ing|ed)?|authenticat(?:ing|ed)|user/pass"
    r"(?:word)?)"
    r"(?![a-z])[ \t]{0,2}(?:[:=]|with|as|using|are|were|is|was)?[ \t]{0,2}(?:as |with |the |user |credentials? )?"
    r"[\"'`(]?"
    r"[a-z_][\w.@+-]{1,60}(?P<between>:| ?/ ?)(?![/\d]{1,5}(?:\W|$)|/)(?P<secret>[^\s\"'`,;()/]{4,100})"
)
_FOREIGN = re.compile(
    r"(?:mot de passe|contrase(?:ñ|n)a|пароль|парол[яьи]|密码|密碼|口令|パスワード|비밀번호"
    r"|hasło|heslo|lösenord|parola|şifre|senha|wachtwoord|kodeord|salasana)"
    r"[ \t]{0,3}(?:[:=：]|is|est|es|ist|é|это)[ \t]{0,3}[\"'`«]?(?P<secret>[^\s\"'`,;»]{3,200})"
)
_OF_USER = re.compile(
    r"(?P<word>password|passwd|passphrase|passcode|secret|token|credentials?|api key|pin)"
    rf"(?:{_S}(?:is|was|has been){_S}(?:\w{{1,20}}{_S})?)?{_S}(?:for|of){_S}(?:the{_S})?(?:(?:user|account|role"
    rf"|login){_S})?"
    rf"[\"'`\[]?[\w.@+-]{{1,60}}[\"'`\]]?(?:{_S}(?:user|account|role))?"
    r"(?P<link>[ \t]{0,3}(?:is|was|:|=)[ \t]{0,3}(?:now )?[\"'`]?|[ \t]{0,3}\([\"'`]?)(?P<secret>[^\s\"'`,;()]{4,100})"
)
_OF_A_USER = re.compile(r"password[ \t]{1,3}[\w.-]{1,40}[ \t]{0,3}=[ \t]{0,3}(?P<secret>[^\s\"'`,;()]{4,100})")
_LATER = re.compile(
    r"(?:password|passwd|passphrase|passcode|secret|token|api key|credentials?)(?![\w-])[^\n:=\"'`|]{1,60}:"
    r"[ \t]{1,3}[\"'`]?"
    r"(?P<secret>[^\s\"'`]{8,100})[\"'`]?[ \t]{0,3}(?:\n|\Z)"
)
_OBJECT = re.compile(r"[a-z0-9]+(?:[-./][a-z0-9]+)+")
_GOES_ON = re.compile(r" (?:but|and|for|on|at|in|as|instead|yet|still|which)\b")
_AS = re.compile(
    r"[\"'`]? as (?:the |a |my |your |his |her |its |their )?(?:admin |root |new )?"
    r"(?:password|passphrase|secret|api key|access token|pin)(?![\w-])"
)
_LAST_WORD = re.compile(r"[^\s\"'`,;=:/]{5,100}$")
_WITH = re.compile(r"\b(?:with|using|has|tried|use|by|and|gave|sent)\s+(?:the\s+|a\s+)?$")


def said(text: str, low: str) -> Iterator[Span]:
    """password is x, tried password x, token: x."""
    for match in _SAID.finditer(low):
        if _WORD_BEFORE.search(low[match.start() - 1 : match.start()]) and match.start():
            continue
        start = match.start("secret")
        value = text[start : match.end("secret")].rstrip(".:!?")
        if value and not placeholder(value) and not prose(value) and _told(match, value, low):
            yield start, start + len(value), VALUE


def _told(match: re.Match[str], value: str, low: str) -> bool:
    """True where the sentence tells the value, or no sentence would hold such a word."""
    link = " ".join(match["link"].split())
    word = match.group()[: match.start("link") - match.start()]
    people, told, quoted = word in _PEOPLE, link not in _SHOWN, match["quote"] in tuple("\"'`")
    field = None if quoted else _FIELD.match(value)
    if field and (not link or sensitive(field["name"])):
        return False  # the next field
    if not people and not told and value.islower() and _OBJECT.fullmatch(value):
        return False  # the name of an object
    if word == "pwd" and value.startswith("/"):
        return False
    if (people and (quoted or told)) or (quoted and told):
        return True
    if random_looking(value) and (people or link or quoted):
        return True
    if link:
        return False
    if people:
        ends = low[match.end() : match.end() + 1] in ("", "\n", ".", ",", ")", ";") or _GOES_ON.match(low, match.end())
        return bool(ends) and bool(_WITH.search(low[max(0, match.start() - 40) : match.start()]))
    if word in ("secret", "credential", "credentials", "creds"):
        return strong(value) and value.isalnum()
    return _machine_made(value)


def _machine_made(value: str) -> bool:
    return len(value) >= 16 and value.isalnum() and any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def bare_keys(text: str, low: str) -> Iterator[Span]:
    """aws AbC...40: a cloud's secret key behind a word for it, with nothing between them."""
    for match in _BARE_KEY.finditer(low):
        start, end = match.span("secret")
        value = text[start:end]
        if not value.islower() and not value.isupper() and any(map(str.isdigit, value)):
            yield start, end, VALUE


def changed(text: str, low: str) -> Iterator[Span]:
    """password changed from x to y, reset password for admin to y."""
    for match in _CHANGED.finditer(low):
        new = text[slice(*match.span("secret"))]
        if placeholder(new) or prose(new) or not (random_looking(new) or match["quote"] or match["old"]):
            continue
        if match["old"]:
            yield *match.span("old"), VALUE
        yield *match.span("secret"), VALUE


def on_the_next_line(text: str, low: str) -> Iterator[Span]:
    """Use the following password:, an empty line, the password."""
    for match in _FOLLOWING.finditer(low):
        value = text[slice(*match.span("secret"))]
        told = ":" in match.group() or _ALONE.search(low[: match.start()][-40:])
        if told and random_looking(value) and not placeholder(value) and value[0] not in "/-<{[":
            yield *match.span("secret"), VALUE


def codes(text: str, low: str) -> Iterator[Span]:
    """One-time codes and unseal keys."""
    found = [(*match.span("secret"), VALUE) for pattern in (_UNSEAL, _PHRASE, _CODE) for match in pattern.finditer(low)]
    yield from sorted(found)


def logins(text: str, low: str) -> Iterator[Span]:
    """credentials admin:x, login with admin / x."""
    for match in _LOGIN.finditer(low):
        if _WORD_BEFORE.search(low[match.start() - 1 : match.start()]) and match.start():
            continue
        start = match.start("secret")
        value = text[start : match.end("secret")].rstrip(".:")
        plain = value.isalpha() and (match["between"] != ":" or not match.group().startswith("cred"))
        reported = match.group().startswith(("connect", "auth", "logged", "logging")) and match["between"] == ":"
        names = reported or _OBJECT.fullmatch(value) or (match["between"] != ":" and not random_looking(value))
        if value and not (placeholder(value) or prose(value) or plain or names):
            yield start, start + len(value), VALUE


def told(text: str, low: str) -> Iterator[Span]:
    """The password for bob is x; password generated for bob: x."""
    found: list[Span] = []
    for match in _OF_USER.finditer(low):
        start = match.start("secret")
        value = text[start : match.end("secret")].rstrip(".:")
        likely = random_looking(value) and not _OBJECT.fullmatch(value)
        if value and not placeholder(value) and not prose(value) and (match["word"] in _PEOPLE or likely):
            found.append((start, start + len(value), VALUE))
    for match in _OF_A_USER.finditer(low):
        if random_looking(text[slice(*match.span("secret"))]):
            found.append((*match.span("secret"), VALUE))
    for match in _AS.finditer(low):
        word = _LAST_WORD.search(text[max(0, match.start() - 100) : match.start()])
        value = word.group() if word else ""
        if random_looking(value) and not (placeholder(value) or _OBJECT.fullmatch(value) or value[0] in "$<[{("):
            found.append((match.start() - len(value), match.start(), VALUE))
    for match in _LATER.finditer(low):
        if strong(text[slice(*match.span("secret"))]):
            found.append((*match.span("secret"), VALUE))
    yield from sorted(found)


def foreign(text: str, low: str) -> Iterator[Span]:
    """mot de passe : x, and the word in other languages."""
    yield from _whole(_FOREIGN, text, low)


def _whole(pattern: re.Pattern[str], text: str, low: str) -> Iterator[Span]:
    for match in pattern.finditer(low):
        start = match.start("secret")
        value = text[start : match.end("secret")].rstrip(".:!")
        if value and not placeholder(value) and not prose(value):
            yield start, start + len(value), VALUE
