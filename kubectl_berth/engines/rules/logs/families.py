"""What lines of a log are about, by their words, and which of them only say how it ended."""

from __future__ import annotations

import re

_FAMILIES: tuple[tuple[str, str], ...] = (
    ("store full", r"\bused memory > '?maxmemory|\boom command not allowed|\bout of memory storing object|"
                   r"\b(?:database|db|store) space exceeded|\bexceeded flood-stage watermark|"
                   r"\b(?:cache|store|storage|database|broker|bucket) (?:is |was )?full\b|"
                   r"\b(?:memory|disk)(?: resource)? alarm\b.{0,60}\b(?:block|publish)|"
                   r"\b(?:write|writes|publish\w*|insert\w*)\b.{0,40}\b(?:refused|rejected|blocked|not allowed)\b"
                   r".{0,40}\b(?:full|memory|space)\b"),
    ("heap", r"outofmemoryerror|heap out of memory|java heap space|\bmemoryerror\b|"
             r"(?<!lock memory: )cannot allocate memory|"
             r"gc overhead limit|fatal error: (?:runtime: )?out of memory|std::bad_alloc|"
             r"memory allocation of \d+ bytes"),
    ("killed", r"(?-i:(?:^|[\s:\d])Killed(?:\s{2,}\S.*|\s+[\w./-]+(?:\s-.*)?)?$)|\bkilled by signal 9\b|"
               r"\bsignal: killed\b|\bsent sigkill\b|(?-i:\bwas terminated by signal 9\b)"),
    ("rbac", r"is forbidden: user \"?|cannot (?:list|get|watch|create|update|patch|delete) resource|rbac: "),
    ("dns", r"no such host|name or service not known|enotfound|eai_again|temporary failure in name resolution|"
            r"getaddrinfo|"
            r"could not (?:resolve|translate) host|bad address|can't resolve|cannot resolve|unable to resolve|"
            r"host not found|name does not resolve|unknownhostexception|server misbehaving|nxdomain|"
            r"\blookup \S+.*(?:timeout|refused|misbehaving)"),
    ("refused", r"connection refused|econnrefused|actively refused|no route to host|ehostunreach|"
                r"connection reset|econnreset"),
    ("timeout", r"i/o timeout|etimedout|context deadline exceeded|timed? ?out|deadline exceeded"),
    ("refused", r"(?:could not|cannot|can.t|unable to) (?:connect|reach)\b|unreachable|failed to connect"),
    ("authentication", r"password authentication failed|access denied for user|authentication failed|"
                       r"auth(?:entication)? error|"
                       r"unauthorized|\b401\b|invalid (?:api[- ]?key|credentials|token)|login failed|bad credentials"),
    ("disk full", r"no space left on device|enospc|disk quota exceeded|disk (?:is )?full"),
    ("not allowed", r"is not authorized to perform|\baccessdenied\b|\b403 forbidden\b|"
                    r"\bstatus(?:[ _-]?code)?[:=( ]+403\b|"
                    r"\bforbidden \(403\)|\b403\b.{0,20}\bforbidden|\bpermission_?denied\b|"
                    r"\binsufficient (?:permissions?|privileges?)|"
                    r"permission denied for (?:table|relation|schema|database|sequence|function|view)|"
                    r"command denied to user|does not have (?:the )?[\w.:]+ (?:permission|access|role)"),
    ("low port", r"\b(?:bind|listen)\w*\b.{0,80}:\d{1,5}\b.{0,40}(?:permission denied|eacces)|"
                 r"(?:permission denied|eacces)\b.{0,60}(?:\bbind|\blisten|\d{1,3}(?:\.\d{1,3}){3}:\d|:::)"),
    ("permission", r"permission denied|eacces|eperm|read-only file ?system|operation not permitted|"
                   r"access (?:is )?denied"),
    ("port in use", r"address already in use|eaddrinuse|port \d+ (?:is )?already"),
    ("wrong architecture", r"exec format error"),
    ("schema", r"relation \\?\"?[\w.]+\\?\"? (?:does not exist|already exists)|"
               r"column \S+ (?:of relation \S+ )?does not exist|"
               r"no such (?:table|column)|unknown column|table \S+ (?:doesn't|does not) exist|migration|"
               r"undefinedtable|undefinedcolumn|"
               r"schema version"),
    ("corrupt data", r"checkpoint record|\bcorrupt|checksum (?:mismatch|failed|error|verification)|invalid page|"
                     r"bad magic|bad file format|wrong signature|"
                     r"malformed (?:page|block|database)|crc (?:mismatch|error)|disk image is malformed"),
    ("certificate", r"x509:|certificate (?:has )?expired|certificate verify failed|unknown authority|tls: |"
                    r"ssl error|handshake fail"),
    ("missing setting", r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b.{0,60}(?:not set|unset|is empty|empty|required|missing|"
                        r"undefined|must be|not found|not defined)|"
                        r"(?:not set|unset|required|missing|undefined|must set|must provide|not defined|"
                        r"no value for)\b.{0,80}"
                        r"(?:\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b|\b(?:env|environment|setting|variable|config|"
                        r"configuration|key|option|parameter|property|flag)\b)|"
                        r"\bkey not found: |keyerror: '?[A-Z]|environment variable"),
    ("missing file", r"no such file or directory|enoent|executable file not found|cannot find module|"
                     r"modulenotfounderror|"
                     r"classnotfoundexception|importerror|filenotfound|cannot open shared object"),
    ("bad setting", r"flag provided but not defined|no such option|invalid choice|"
                    r"unknown (?:field|flag|option|key|parameter|argument|command)|invalid (?:config|value|option|"
                    r"argument|setting|format)|"
                    r"unrecognized|cannot unmarshal|could not parse|failed to parse|parse error|yaml: |"
                    r"syntax error|unexpected token|unknown directive|"
                    r"(?:error|failed|failure)\b.{0,20}\bpars(?:e|ing)\b|"
                    r"unsupported (?:value|version|option)"),
    ("limit", r"\b429\b|cuda out of memory|"
              r"too many requests|too many open files|emfile|too many connections|rate limit|quota"),
    ("crash", r"segmentation fault|sigsegv|core dumped|nil pointer|nullpointerexception|stack overflow|"
              r"assertion failed|unhandled|uncaught"),
)  # fmt: skip
_COMPILED = tuple((family, re.compile(pattern, re.IGNORECASE)) for family, pattern in _FAMILIES)
CASED = re.compile(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b")

"""Names of settings, in capitals."""


def family_of_line(message: str) -> str | None:
    """What a message is about ("refused", "heap", …), None where it is nothing that is known."""
    for family, pattern in _COMPILED:
        hit = pattern.search(message)
        if hit is None:
            continue
        if family == "missing setting" and not _speaks_of_a_setting(message):
            continue
        return family
    return None


def _speaks_of_a_setting(message: str) -> bool:
    return bool(CASED.search(message)) or bool(
        re.search(r"\b(?:env|environment|setting|variable|config|configuration|option|parameter|property|"
                  r"key)\b", message, re.IGNORECASE)
    )  # fmt: skip


CONNECTION = frozenset({"refused", "timeout", "dns", "certificate", "authentication"})
"""Families of a connection that could not be used."""
DECISIVE = frozenset({"heap", "killed", "rbac", "wrong architecture", "disk full"})
"""Families that explain an end whatever is said after them, and at whatever severity."""

_CONSEQUENCE = re.compile(
    r"\b(?:gave|giving) up\b|\bexiting\b|\bshut(?:ting)?[ -]?down\b|\babort(?:ed|ing)\b|\bstopp(?:ed|ing)\b|"
    r"\bterminating\b|\bquit(?:ting)?\b|\bretries (?:are )?exhausted\b|\btoo many (?:failures|attempts|retries)\b|"
    r"\bafter \d+ (?:attempts?|tries|retries|failures)\b|"
    r"\b(?:application|service|server|context|start-?up|initiali[sz]ation|process|main|migration|script|task|job)\b"
    r"[^:]{0,40}\b(?:failed|crashed|errored|threw exception)\b[^:]*$|"
    r"\b(?:failed to|cannot|could not|unable to) (?:start|run|boot|initiali[sz]e|continue)\b[^:]*$|"
    r"\bdid not exit normally\b|\b(?:check|see) the logs?\b|\b(?:lost|lease lost|leader election lost)$",
    re.IGNORECASE,
)


def says_the_end(message: str) -> bool:
    """True for a line that tells how it ended ("giving up after 20s"), and not why."""
    return _CONSEQUENCE.search(message) is not None


def speaks_of_a_connection(message: str) -> bool:
    """True where the hosts in a message are hosts that something connects to."""
    return any(pattern.search(message) for family, pattern in _COMPILED if family in CONNECTION) or bool(
        re.search(r"\b(?:waiting for|connecting to|dial)\b", message, re.IGNORECASE)
    )
