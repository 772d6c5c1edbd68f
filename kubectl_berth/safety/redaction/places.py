"""The rules of all places, in order, each with the key words without which it finds nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from kubectl_berth.safety.redaction import commands, dialogues, headers, neighbours, sentences, urls
from kubectl_berth.safety.redaction.pairs import pairs
from kubectl_berth.safety.redaction.spans import VALUE, Rule, lower, replaced

_ANY = ("",)
_SAID = ("pass", "pwd", "pw ", "secret", "token", "cred", "key", "pin", "jwt", "otp", "kennwort", "senha", "wachtwoord")

# structure goes before prose
_RULES: tuple[tuple[tuple[str, ...], Rule], ...] = (
    (("authorization",), headers.in_authorization),
    (("bearer",), headers.bearer),
    (("basic",), headers.basic),
    (("cookie",), headers.cookies),
    (("@",), urls.in_urls),
    (("@",), urls.tokens_in_urls),
    (("@",), urls.in_source_names),
    (("jdbc:oracle", "sqlplus", "userid", "connect", "conn"), urls.in_oracle_logins),
    (("passw", "identified", "secret", "pwd"), dialogues.sql),
    (("identified",), dialogues.sql_bare),
    (("insert",), dialogues.inserts),
    (('("', '<<"', "securestring", "addauth", "stats auth", "insecure-password", "loginmodule"), dialogues.calls),
    (("auth",), dialogues.authentications),
    (("pass", "login", "334 ", "auth", " >", "secret", "community"), dialogues.protocol_lines),
    (("\n    ", "\n\t\t\t\t"), commands.described),
    (commands.NAMES, commands.programs),
    (("login",), commands.statements(commands.LOGIN)),
    ((":5432:", ":3306:", ":6432:", ":*:"), commands.statements(commands.PGPASS)),
    (("echo", "printf"), commands.statements(commands.ECHOED)),
    (("htpasswd",), commands.statements(commands.LAST_ARGUMENT)),
    (commands.VERBS, commands.statements(commands.ARGUMENT_OF)),
    (_ANY, pairs),
    (
        ("name", "key", "env", "variable", "property", "header", "field", "param", "id", "option", "setting"),
        neighbours.in_fields,
    ),
    (("val",), neighbours.before_names),
    (("</",), neighbours.in_elements),
    (("</",), neighbours.in_entries),
    (("&lt;/", "u003c/"), neighbours.in_escaped_elements),
    (("-",), commands.flags),
    (_ANY, neighbours.in_second_column),
    (("passw", "pwd", "passphrase", "key", "token", "secret"), neighbours.in_tables),
    (("aws", "secret", "key"), sentences.bare_keys),
    (_SAID, sentences.said),
    ((" to",), sentences.changed),
    (("\n",), sentences.on_the_next_line),
    (
        ("unseal", "recovery", "phrase", "code", "pin", "otp", "mfa", "2fa", "one-time", "one time", "login"),
        sentences.codes,
    ),
    (_SAID, sentences.told),
    (("cred", "login", "log in", "logg", "connect", "authenticat", "user/pass"), sentences.logins),
    (_ANY, sentences.foreign),
)

_WORDS = (
    # names that call for a secret, and what stands before one in prose
    *(
        "pass",
        "pwd",
        " pw ",
        " aws ",
        "secret",
        "token",
        "cred",
        "cookie",
        "sess",
        "psk",
        "mnemonic",
        "signature",
        "sig=",
        "nonce",
    ),
    *("assertion", "samlre", "_pw", "pw=", "pw:", 'pw"', "community", "unseal", "jwt", "_pat", "verifier"),
    *("pin=", "pin:", 'pin"', "pin is", "pin code", "sas=", "code=", "sid=", "one-time", "mfa", "sms "),
    *("verification", "confirmation", "pairing", " phrase", " codes"),
    # the same in other languages
    *("kennwort", "senha", "mot de", "motde", "mdp", "contrase", "wachtwoord", "heslo", "parol", "kodeord"),
    *("adgangskode", "salasana", "haslo", "losenord", "sifre", "jelszo", "lozinka", "geslo", "katasandi"),
    # headers, statements, dialogues, programs
    *("auth", "bearer", "basic ", "login", "logged in", "logging in", "log in", "connected as", "connecting as"),
    *("identified", "setuser", "securestring", "334 ", "@", "jdbc:oracle", "userid"),
    *(":5432:", ":3306:", ":6432:", ":*:", "| sudo", "| base64", "|base64", "| kinit"),
    *(name for name in (*commands.NAMES, *commands.VERBS) if "pass" not in name and "login" not in name),
)
_FOREIGN_WORDS = ("пароль", "парол", "密码", "密碼", "口令", "パスワード", "비밀번호", "hasło", "lösenord", "şifre")
_BEFORE_KEY = frozenset(("", *"_-. ?&\t\nabcdefghijklmnopqrstuvwxyz"))
_KEYS = frozenset(("s ", "s:", "s=", 's"', "_d", "da", "va"))
_BEFORE, _AFTER = 1, 4
_MOST_AGAIN = 50
"""Values of one text that are looked for in the rest of it."""


def redact_places(text: str) -> str:
    """The text with its lines around key words gone through rule by rule, and what was found there masked elsewhere."""
    low = lower(text)
    out: list[str] = []
    done = 0
    values: set[str] = set()
    for start, end in _blocks(low):
        out += [text[done:start], _by_rules(text[start:end], values)]
        done = end
    return _without("".join([*out, text[done:]]), values)


def _by_rules(text: str, values: set[str]) -> str:
    """The text without what the rules find; the values go into `values`."""
    low = lower(text)
    for hints, rule in _RULES:
        if any(hint in low for hint in hints):
            spans = list(rule(text, low))
            new = replaced(text, spans)
            if new is not text:
                values.update(text[start:end] for start, end, marker in spans if marker == VALUE)
                text, low = new, lower(new)
    return text


def _without(text: str, values: set[str]) -> str:
    """The text without these values wherever they stand by themselves: a password is said again in other words."""
    for value in sorted(filter(_unmistakable, values), key=len, reverse=True)[:_MOST_AGAIN]:
        if value in text:
            text = re.sub(rf"(?<![\w-]){re.escape(value)}(?![\w-])", VALUE, text)
    return text


def _unmistakable(value: str) -> bool:
    """True for what is no word, no name of an object and no number."""
    return (
        8 <= len(value) <= 200
        and not any(map(str.isspace, value))
        and any(map(str.isdigit, value))
        and any(map(str.isalpha, value))
        and re.fullmatch(r"[a-z0-9.:/_-]+", value) is None
        and "REDACTED" not in value
    )


def _blocks(low: str) -> Iterator[tuple[int, int]]:
    """Runs of whole lines with a key word in or near them, in order."""
    start = end = -1
    for hit in sorted(_hits(low)):
        if hit < end and end > 0 and low.find("\n", hit, end) > 0 and _lines_left(low, hit, end):
            continue
        first = hit
        for _ in range(_BEFORE + 1):
            first = low.rfind("\n", 0, first) if first > 0 else -1
        last = hit - 1
        for _ in range(_AFTER + 1):
            last = low.find("\n", last + 1)
            if last < 0:
                last = len(low)
                break
        if end < 0:
            start = first + 1
        elif first + 1 > end:
            yield start, end
            start = first + 1
        end = max(end, last)
    if end >= 0:
        yield start, end


def _lines_left(low: str, hit: int, end: int) -> bool:
    """True where the block already reaches far enough behind the hit."""
    at = hit - 1
    for _ in range(_AFTER + 1):
        at = low.find("\n", at + 1, end)
        if at < 0:
            return False
    return True


def _hits(low: str) -> set[int]:
    """Where key words stand: at most one place for each word and line."""
    found: set[int] = set()
    words = _WORDS if low.isascii() else (*_WORDS, *_FOREIGN_WORDS)
    for word in words:
        at = low.find(word)
        while at >= 0:
            found.add(at)
            line = low.find("\n", at)
            at = low.find(word, line) if line >= 0 else -1
    for word, told in _TOLD_BY_NEIGHBOURS:
        at = low.find(word)
        while at >= 0:
            if told(low[at - 1 : at], low[at + 3 : at + 5]):
                found.add(at)
                at = low.find("\n", at)
            at = low.find(word, at + 3) if at >= 0 else -1
    return found


def _calls_for_secret(before: str, behind: str) -> bool:
    """api-key, secretKey, access keys; not "keyspace", nor a key of a map."""
    return (before in _BEFORE_KEY and not behind[:1].isalpha()) or behind in _KEYS


_TOLD_BY_NEIGHBOURS: tuple[tuple[str, Callable[[str, str], bool]], ...] = (
    ("key", _calls_for_secret),
    ("otp", lambda _, behind: not behind[:1].isalpha()),  # not IfNotPresent
    ("2fa", lambda before, _: not before.isalnum()),  # nor hexadecimal digits
)
"""Words of three letters that stand within others, each with what must stand before and behind it."""
