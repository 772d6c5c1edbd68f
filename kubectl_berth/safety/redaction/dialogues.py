"""Statements and dialogues that carry a password by their own grammar: SQL, Redis, SMTP, FTP, IMAP."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubectl_berth.safety.keys import names_a_password, names_a_secret, sensitive
from kubectl_berth.safety.redaction.spans import VALUE, Span
from kubectl_berth.safety.values import placeholder, prose, random_looking

# patterns over the text in lower case
_SQL = re.compile(
    r"(?:identified[ \t]{1,4}(?:with[ \t]{1,4}[\"']?\w{1,60}[\"']?[ \t]{1,4})?(?:by|as)(?:[ \t]{1,4}(?:password"
    r"|values))?"
    r"|(?<![\w-])password(?:[ \t]{1,4}for[ \t]{1,4}[^\s=]{1,120})?|(?<![\w-])(?:passwd|secret|pwd))"
    r"(?P<link>[ \t]{0,4}(?::=|=|\bto\b)[ \t]{0,4}|[ \t]{1,4}|(?=\())(?:(?:password|old_password|md5|sha1|sha2"
    r"|crypt|encrypt)[ \t]{0,3}(?=\())?\(?"
    r"n?(?P<quote>\\{0,3}'|\")(?P<secret>(?:(?!(?P=quote))[^\n]|''){1,400}?)(?P=quote)(?!')"
)
_BARE = re.compile(
    r"identified[ \t]{1,4}by[ \t]{1,4}(?:values[ \t]{1,4})?(?!['\"$:@&\\])(?P<secret>[^\s;,'\")]{2,100})"
)
_INSERT = re.compile(
    r"insert[ \t]{1,4}into[ \t]{1,4}[^\s(]{1,120}[ \t]{0,4}\((?P<columns>[^()]{3,1000})\)[ \t\n]{0,20}values"
    r"[ \t\n]{0,20}(?P<rows>(?:\([^()\n]{1,2000}\)[ \t]{0,4},?[ \t]{0,4}){1,20})"
)
_FIELD = re.compile(
    r"[ \t]{0,8}(?:N?'(?P<quoted>(?:[^'\n]|'')*)'|\"(?P<double>[^\"\n]*)\"|(?P<bare>[^,()'\"\n]*))[ \t]{0,8}"
    r"(?P<end>,|\)|$)"
)
_AUTH = re.compile(
    r"(?m)(?:^|[>\])] ?|[cC]: |[cC]ommand[:=] ?|(?:^|\s)HELLO [23] )[\"']?(?:AUTH|auth)[\"']?[ \t]{1,4}(?P<rest>"
    r"[^\n]{2,300})$"
)
_SENTINEL = re.compile(r"(?i)auth-pass[ \t]{1,4}\S{1,60}[ \t]{1,4}[\"']?(?P<secret>[^\s\"']{2,200})")
_ROUTER = re.compile(
    r"(?i)(?:(?:username[ \t]{1,3}\S{1,60}(?:[ \t]{1,3}privilege[ \t]{1,3}\d{1,2})?|enable)[ \t]{1,3}(?:password"
    r"|secret)"
    r"[ \t]{1,3}\d|snmp-server[ \t]{1,3}community)[ \t]{1,3}(?P<secret>\S{2,200})"
)
_CALL = re.compile(
    r"(?i)(?:sp_addlogin[ \t]{1,3}|sp_password[ \t]{1,3}|(?:basic_?auth|auth)[ \t]{0,2}=?[ \t]{0,2}\()[ \t]{0,2}N?"
    r"(?P<q>['\"])[^'\"\n]{1,80}(?P=q)"
    r"[ \t]{0,3},[ \t]{0,3}N?(?P=q)(?P<secret>[^'\"\n]{2,200})(?P=q)"
)
_RESP = re.compile(
    r"(?:^|\n)\$\d{1,3}\n(?:AUTH|auth)\n(?:\$\d{1,3}\n[^\n]{1,100}\n(?=\$))?\$\d{1,5}\n(?P<secret>[^\n]{2,400})"
)
_LISTED = re.compile(r"1\) \"(?:AUTH|auth)\"\n(?:2\) \"[^\"\n]{1,100}\"\n(?=3))?\d\) \"(?P<secret>[^\"\n]{2,400})\"")
_GENERATED = re.compile(
    r"random_password[^\x00]{0,600}?\"(?:result|bcrypt_hash)\":\s{0,8}\"(?P<secret>[^\"\n]{2,400})\""
)
_MECHANISM = re.compile(r"(?i)(?:PLAIN|LOGIN|XOAUTH2|OAUTHBEARER|CRAM-MD5|EXTERNAL|DIGEST-MD5|SCRAM\S*|NTLM|GSSAPI)\b")
_PASS = re.compile(r"(?m)^(?:[^\n]{0,60}?[>:\]] ?)?(?:PASS|pass)[ \t]{1,3}(?P<secret>\S{2,200})[ \t]{0,4}$")
_IMAP = re.compile(
    r"(?m)^(?:[^\n]{0,40}?[>:\]] ?)?[A-Za-z]{0,4}\d{1,6}[ \t]LOGIN[ \t]{1,3}\S{1,100}[ \t]{1,3}\"?(?P<secret>"
    r"[^\s\"]{2,200})\"?[ \t]{0,4}$"
)
_LOGIN_STEP = re.compile(
    r"334[ \t]{1,3}(?:UGFzc3dvcmQ6|VXNlcm5hbWU6)[^\n]{0,20}\n(?:[cC]: |<?- ?|-> ?|>>> ?)?(?P<secret>"
    r"[A-Za-z0-9+/]{4,400}={0,2})"
)
_ACL = re.compile(
    r"(?i)(?:setuser|user)[ \t]{1,3}\S{1,60}[ \t](?:[^\s>]{1,40}[ \t]{1,3}){0,12}>(?P<secret>[^\s\"']{2,200})"
)


_TUPLE = re.compile(r"\{(?P<name>[a-z_]\w{1,60}+),[ \t]{0,3}(?:<<)?\"(?P<secret>[^\"\n]{2,400})\"(?:>>)?\}")
_MADE = re.compile(r"(?<![\w.])(?P<name>[A-Z]\w{1,60}+)\(\"(?P<secret>[^\"\n]{2,400})\"\)")
_TOLD = re.compile(
    r"(?i)(?:ConvertTo-SecureString[ \t]{1,3}(?:-String[ \t]{1,3})?|addauth[ \t]{1,3}digest[ \t]{1,3}[\w.-]{1,60}:"
    r"|stats[ \t]{1,3}auth[ \t]{1,3}[\w.-]{1,60}:|(?<![\w-])insecure-password[ \t]{1,3})"
    r"[\"']?(?P<secret>(?<=[\"'])[^\"'\n]{2,400}|[^\s\"'$-][^\s\"']{1,400})"
)
_USERS_OF_BROKER = re.compile(r"(?<![\w.-])user_[\w.-]{1,60}+=(?P<quote>\\{0,3}[\"'])(?P<secret>[^\"'\\\n]{2,400})")


def calls(text: str, low: str) -> Iterator[Span]:
    """Password("x"), {default_pass, <<"x">>}, ConvertTo-SecureString "x", the users in a broker's login module."""
    found: list[Span] = []
    for pattern in (_TUPLE, _MADE):
        for match in pattern.finditer(text):
            told = names_a_password(match["name"]) or (sensitive(match["name"]) and random_looking(match["secret"]))
            if told and not placeholder(match["secret"]) and not names_a_secret(match["name"], match["secret"]):
                found.append((*match.span("secret"), VALUE))
    for pattern in (_TOLD, *([_USERS_OF_BROKER] if "loginmodule" in low else [])):
        found += [(*m.span("secret"), VALUE) for m in pattern.finditer(text) if not placeholder(m["secret"])]
    yield from sorted(found)


def sql(text: str, low: str) -> Iterator[Span]:
    """IDENTIFIED BY 'x', PASSWORD 'x', PASSWORD('x'), password = 'x'."""
    for match in _SQL.finditer(low):
        start, end = match.span("secret")
        secret, word = text[start:end], match.group()
        link = match["link"].strip()
        if placeholder(secret) or (match["quote"] == '"' and not (link or word.startswith("identified"))):
            continue
        # secret 'x' is the name of an object, secret = 'x' is one
        if (word.startswith("secret") and not link) or (" " in secret.strip() and prose(secret.split()[0])):
            continue
        yield start, end, VALUE


def sql_bare(text: str, low: str) -> Iterator[Span]:
    """IDENTIFIED BY x."""
    for match in _BARE.finditer(low):
        start, end = match.span("secret")
        if not placeholder(text[start:end]) and not prose(text[start:end]):
            yield start, end, VALUE


def inserts(text: str, low: str) -> Iterator[Span]:
    """Values of sensitive columns in INSERT INTO users (name, password) VALUES ('bob', 'x')."""
    for match in _INSERT.finditer(low):
        columns = [name.strip(" \t\n\"'`[]") for name in text[slice(*match.span("columns"))].split(",")]
        at, number = match.start("rows"), 0
        while at < match.end("rows"):
            if text[at] in "(, \t":
                number = 0 if text[at] == "(" else number
                at += 1
                continue
            field = _FIELD.match(text, at, match.end("rows"))
            if field is None:
                break
            group = "quoted" if field["quoted"] else "double" if field["double"] else "bare"
            value = (field[group] or "").strip()
            if number < len(columns) and sensitive(columns[number]) and value and not placeholder(value):
                yield *field.span(group), VALUE
            number += 1
            at = max(field.end(), at + 1)


def authentications(text: str, low: str) -> Iterator[Span]:
    """AUTH x of Redis, AUTH PLAIN x of mail servers."""
    for match in _AUTH.finditer(text):
        words = list(re.finditer(r"[^\s\"']+", match["rest"]))
        told = [word for word in words if not _MECHANISM.match(word.group())]
        if words and _MECHANISM.match(words[0].group()):
            secret = told[0] if len(told) == 1 and re.fullmatch(r"[A-Za-z0-9+/]{8,}={0,2}", told[0].group()) else None
        elif len(words) > 2 or any(prose(w.group()) or w.group()[-1:] == ":" for w in words):
            secret = None
        else:
            secret = words[-1] if words else None
        masked = "[REDACTED:" in text[max(0, match.start() - 24) : match.start() + 1]  # its bracket is no prompt
        if secret is not None and not masked and not placeholder(secret.group()):
            offset = match.start("rest")
            yield offset + secret.start(), offset + secret.end(), VALUE


def protocol_lines(text: str, low: str) -> Iterator[Span]:
    """PASS x of file transfer and mail, LOGIN user x of IMAP, the answers to AUTH LOGIN, Redis on the wire."""
    found: list[Span] = []
    for pattern in (_PASS, _IMAP, _LOGIN_STEP, _RESP, _ACL, _SENTINEL, _ROUTER, _CALL, _LISTED, _GENERATED):
        for match in pattern.finditer(text):
            secret = match["secret"]
            if not (placeholder(secret) or prose(secret) or re.fullmatch(r"\d{1,3}%?|[\d.]+m?s", secret)):
                found.append((*match.span("secret"), VALUE))
    yield from sorted(found)
