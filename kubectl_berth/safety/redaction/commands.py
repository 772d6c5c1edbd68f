"""Command lines: passwords behind flags, and as the arguments of the programs that take them so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from kubectl_berth.safety.keys import names_a_secret, sensitive, sensitive_if_random
from kubectl_berth.safety.redaction.spans import VALUE, Rule, Span
from kubectl_berth.safety.values import opaque, placeholder, prose

_FLAG = re.compile(
    r"(?<![\w-])--?(?P<name>[A-Za-z][\w.-]{1,80})"
    r"(?:[ \t]{1,8}|[\"'][ \t]{0,4},[ \t]{0,4}\n?[ \t]{0,40}|[\"']?\n[ \t]{0,40}-[ \t]{1,4}"
    r"|\"[ \t]a\d{1,3}=(?=\"))"
    r"(?P<quote>[\"']?)(?P<value>(?!-)[^\s\"',\]]{2,400}(?:(?<=pass:)[^\s\"',\]]{1,100})?)"
)


def flags(text: str, low: str) -> Iterator[Span]:
    """The value behind --db-password, on a command line or as the next item of a list."""
    for match in _FLAG.finditer(text):
        if _taken_by(match["name"], match["value"]):
            yield *match.span("value"), VALUE


def _taken_by(name: str, value: str) -> bool:
    """True where the value behind a flag of this name is a secret."""
    if placeholder(value) or value in ("string", "stringArray", "strings"):
        return False
    if name in ("passin", "passout"):
        return not value.startswith(("file:", "env:", "fd:", "stdin"))
    if sensitive(name):
        named = name.endswith("secret") and value.isidentifier() and sensitive(value)  # --secret dbPassword x
        return not (named or prose(value) or names_a_secret(name, value))
    return sensitive_if_random(name) and opaque(value)


# --- short flags of programs ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Option:
    """A flag that takes a password: as the next word, glued to it, or behind a user and a separator."""

    name: str
    next: bool = True
    glued: bool = False
    separator: str = ""


_NEXT_P, _BOTH_P, _GLUED_P = _Option("-p"), _Option("-p", glued=True), _Option("-p", next=False, glued=True)
_W, _LARGE_P = _Option("-w", glued=True), _Option("-P")
_USER = (
    _Option("-u", glued=True, separator=":"),
    *(_Option(name, separator=":") for name in ("--user", "--proxy-user", "-U", "-a")),
)
_PROGRAMS: dict[str, tuple[_Option, ...]] = {
    **dict.fromkeys(("mysql", "mysqldump", "mysqladmin", "mysqlimport", "mysqlcheck", "mariadb"), (_BOTH_P,)),
    **dict.fromkeys(("mariadb-dump", "mariadb-admin", "7z"), (_GLUED_P,)),
    **dict.fromkeys(("mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport"), (_BOTH_P,)),
    **dict.fromkeys(("ldapsearch", "ldapmodify", "ldapadd", "ldapdelete", "ldapwhoami"), (_W,)),
    **dict.fromkeys(("redis-cli", "valkey-cli"), (_Option("-a"), _Option("--pass"))),
    **dict.fromkeys(("mosquitto_pub", "mosquitto_sub", "ipmitool", "unzip", "zip"), (_LARGE_P,)),
    **dict.fromkeys(("snmpget", "snmpwalk"), (_Option("-A"), _Option("-X"))),
    **dict.fromkeys(("curl", "wget", "lftp"), _USER),
    **dict.fromkeys(("cqlsh", "beeline", "useradd", "usermod"), (_NEXT_P,)),
    "etcdctl": (_Option("--user", separator=":"),),
    "ldappasswd": (_W, _Option("-s"), _Option("-a")),
    "sshpass": (_BOTH_P,),
    "sqlcmd": (_Option("-P", glued=True),),
    "smbclient": (_Option("-U", separator="%"),),
    "openssl": (_Option("-k"), _Option("-K")),
    "ssh-keygen": (_Option("-N"), _LARGE_P),
    "influx": (_Option("-password"), _NEXT_P),
    "login": (_BOTH_P, _Option("-t")),
}
NAMES = (
    *("mysql", "mariadb", "redis-cli", "valkey-cli", "sshpass", "mongo", "sqlcmd", "ldap", "smbclient", "curl", "wget"),
    *("useradd", "usermod"),
    *(
        "lftp",
        "cqlsh",
        "beeline",
        "mosquitto_",
        "ipmitool",
        "zip -",
        " 7z ",
        "/7z ",
        "openssl",
        "ssh-keygen",
        "snmp",
        "etcdctl",
        "influx",
    ),
    "login",
)
VERBS = (
    *(
        "add_user",
        "change_password",
        "authenticate_user",
        "configure set",
        "config set",
        "vault login",
        "wpa_passphrase",
    ),
    *("microk8s join", "authtoken", "mc alias", "mc config", "lftp", "xfreerdp", "net user"),
)
"""What a text holds where `programs` and ARGUMENT_OF may find something."""

_PROGRAM = re.compile(
    r"(?<![\w.-])(?:[\w./-]{0,100}/)?(?P<program>"
    + "|".join(sorted(map(re.escape, _PROGRAMS), key=len, reverse=True))
    + r")(?:(?=[ \t,]|\n[ \t]{0,40}-[ \t])|[\"'](?=[ \t,\n]))"
)
_LOGINS = re.compile(
    r"(?<![\w-])(?:docker|podman|nerdctl|buildah|skopeo|crane|helm|registry|oc|az|cf|auth|acr|ibmcloud|argocd)"
    r"[\"',]{0,3}[ \t][\"']?$"
)
_ARGUMENT = re.compile(
    r"\\?\"(?P<double>[^\"\n\\]{0,400})\\?\"|'(?P<single>[^'\n]{0,400})'|(?P<bare>[^\s\"',|;&()\[\]`\\]{1,400})|"
    r"(?P<end>[|;&()`\]]|\n(?![ \t]*-[ \t]))"
)
_MOST_ARGUMENTS = 60
_REACH = 2000


def programs(text: str, low: str) -> Iterator[Span]:
    """What stands behind the short flags that mysql, redis-cli, curl and their like take passwords with."""
    done = 0
    for match in _PROGRAM.finditer(text):
        program, at = match["program"], match.start("program")
        if at < done or (program == "login" and not _LOGINS.search(text[max(0, at - 40) : at])):
            continue
        words = list(_arguments(text, match.end()))
        for start, end in _secrets(words, _PROGRAMS[program]):
            yield start, end, VALUE
        done = words[-1][2] if words else match.end()


_COLUMN_OF_FLAGS = re.compile(r"\n[ \t]{4,40}--?[A-Za-z]")
_COLUMN = re.compile(r"(?m)^(?P<indent>[ \t]{4,40}+)[^\n]+\n(?:(?P=indent)[^\s][^\n]*(?:\n|\Z)){1,400}")


def described(text: str, low: str) -> Iterator[Span]:
    """Command and arguments as kubectl describe lists them, each word on a line of its own."""
    for match in _COLUMN.finditer(text) if _COLUMN_OF_FLAGS.search(text) else ():
        indent, at = len(match["indent"]), match.start()
        words: list[tuple[str, int, int]] = []
        for line in match.group().splitlines(keepends=True):
            words.append((line.strip(), at + indent, at + len(line.rstrip())))
            at += len(line)
        yield from _of_list(words)


def _of_list(words: list[tuple[str, int, int]]) -> Iterator[Span]:
    found = {
        (start, end)
        for (flag, _, _), (word, start, end) in pairwise(words)
        if flag.startswith("-") and not word.startswith("-") and _taken_by(flag.lstrip("-"), word)
    }
    for number, (word, _, _) in enumerate(words):
        if options := _PROGRAMS.get(word.rpartition("/")[2]):
            found.update(_secrets(words[number + 1 :], options))
            break
    yield from ((start, end, VALUE) for start, end in sorted(found))


def statements(pattern: re.Pattern[str]) -> Rule:
    """A rule that takes the secret out of what a pattern finds."""

    def rule(text: str, low: str) -> Iterator[Span]:
        for match in pattern.finditer(text):
            if not placeholder(match["secret"]):
                yield *match.span("secret"), VALUE

    return rule


def _arguments(text: str, at: int) -> Iterator[tuple[str, int, int]]:
    """The words of a command line behind its program, or of the list that spells it, with their places."""
    for number, match in enumerate(_ARGUMENT.finditer(text, at, at + _REACH)):
        if match["end"] or number > _MOST_ARGUMENTS:
            return
        group = match.lastgroup or "bare"
        if match[group].lstrip().partition(" ")[0].rpartition("/")[2] in _PROGRAMS:
            return
        if match[group] and match[group] != "-":
            yield match[group], match.start(group), match.end(group)


def _secrets(words: list[tuple[str, int, int]], options: tuple[_Option, ...]) -> Iterator[tuple[int, int]]:
    """Where the passwords among the arguments of a program stand."""
    waiting: _Option | None = None
    for word, _, end in words:
        if waiting is not None:
            secret, waiting = ("" if word.startswith("-") else _behind(word, waiting.separator)), None
        else:
            secret, waiting = _read(word, options)
        if secret and not placeholder(secret) and "://" not in word:
            yield end - len(secret), end


def _read(word: str, options: tuple[_Option, ...]) -> tuple[str, _Option | None]:
    """The password in an argument, or the option whose password is the next one."""
    for option in options:
        short = not word.startswith("--") and word.startswith("-")
        if option.next and (word == option.name or (short and option.separator and word[-1] == option.name[-1])):
            return "", option
        if option.name.startswith("--") and word.startswith(option.name + "="):
            return _behind(word.partition("=")[2], option.separator), None
        glued = word[len(option.name) :]
        if option.glued and short and word.startswith(option.name) and len(glued) > 2 and not glued.isdigit():
            return _behind(glued, option.separator), None
    return "", None


def _behind(word: str, separator: str) -> str:
    return word.partition(separator)[2] if separator else word


LOGIN = re.compile(r"(?i)(?<![\w-])login[ \t\n]{1,8}\S{1,100}[ \t\n]{1,8}password[ \t\n]{1,8}(?P<secret>\S{1,200})")
"""A line of .netrc."""
PGPASS = re.compile(
    r"(?m)(?:^[\w.*-]{1,253}+:(?:\d{2,5}|\*)|(?<![\w.-])[\w.*-]{1,253}+:(?:5432|6432|3306|\*)):[\w*-]{1,64}+:"
    r"[\w*-]{1,64}+:"
    r"(?P<secret>[^\s:\"']{3,200})(?=[\s\"']|$)"
)
ECHOED = re.compile(
    r"(?<![\w-])(?:echo|printf)[ \t]{1,3}(?:-\w[ \t]{1,3})?(?:[\"']?%s(?:\\n)?[\"']?[ \t])?[\"']?(?:[\w.-]{1,40}:)?"
    r"(?P<secret>[^\s\"'|\\]{3,200})"
    r"(?=(?:\\n)?[\"']?[ \t]{0,3}\|[^\n]{0,120}?(?:--password-stdin|sudo[ \t]{1,3}-S|chpasswd|passwd|kinit"
    r"|cryptsetup|base64|login|--stdin|htpasswd))"
)
"""echo x | docker login --password-stdin."""
LAST_ARGUMENT = re.compile(
    r"(?<![\w/.])htpasswd[ \t]{1,4}-\w{0,4}b\w{0,4}[ \t]{1,4}(?:-\w{1,8}[ \t]{1,4}){0,4}(?:[^\s-]\S{0,200}"
    r"[ \t]{1,4}){1,2}(?P<secret>[^\s\"';|]{2,200})(?=[ \t]{0,4}(?:$|[\"'\n;|&)]))"
)
"""htpasswd -b file user x."""
ARGUMENT_OF = re.compile(
    r"(?:(?:add_user|change_password|authenticate_user)[ \t]{1,4}(?:-\S{1,40}[ \t]{1,4})?[^\s-]\S{0,100}[ \t]{1,4}"
    r"[\"']?"
    r"|microk8s[ \t]{1,4}join[ \t]{1,4}\S{1,100}:\d{2,5}/|(?:add-)?authtoken[ \t]{1,4}"
    r"|(?:configure|config)[ \t]{1,4}set[ \t]{1,4}(?:--[a-z]{2,20}[ \t]{1,4})?(?!-)"
    r"[\w.-]{0,60}?(?i:secret|token|password|passwd|api_?key)"
    r"[\w.-]{0,40}[ \t]{1,4}[\"']?"
    r"|(?:vault[ \t]{1,4}login|wpa_passphrase[ \t]{1,4}\S{1,60})[ \t]{1,4}(?!-)[\"']?"
    r"|lftp[^\n|;]{0,80}?-u[ \t]{1,4}[^\s,]{1,60},|(?:xfreerdp|mstsc)[^\n]{0,200}?[ \t]/p:"
    r"|mc[ \t]{1,4}(?:alias[ \t]{1,4}set|config[ \t]{1,4}host[ \t]{1,4}add)[ \t]{1,4}(?:[^\s]{1,200}[ \t]{1,4}){3}"
    r"|net[ \t]{1,4}user[ \t]{1,4}[^\s/]{1,60}[ \t]{1,4}(?=[^/\s]\S{0,100}[ \t]{1,4}/))(?P<secret>[^\s\"'=]{3,400})"
)
"""Programs that take a password as an argument of its own."""
