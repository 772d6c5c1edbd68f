"""Does this name call for a secret, and could this value be one?"""

from __future__ import annotations

import re
from functools import lru_cache

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

_SECRET = frozenset(
    """
    pass password passwd passphrase passcode passwords pwd pw secret secrets token credential credentials creds
    apikey apitoken authtoken accesskey secretkey privatekey jwt pat otp totp pincode sas webhooksecret
    accesstoken refreshtoken idtoken bearertoken clientsecret authkey sharedkey masterkey signingkey encryptionkey
    connectionstring dsn pgpassword kennwort passwort contrasena
    """.split()
)
_KEYED = frozenset(
    """
    api access secret private signing signature encryption encrypt decryption master shared client account auth
    license licence session storage ssh app application hmac crypto cipher deploy deployment integration service
    subscription ingest webhook admin root tls jwt gpg pgp aes rsa consumer write read primary secondary
    """.split()
)
# words behind the secret word that do not change what the value is
_NEUTRAL = frozenset(
    """
    value values data b64 base64 string text plain plaintext raw enc encoded hash hashed current old new previous
    next prod production dev test staging default override env content contents fake example
    """.split()
)
_JOINED = re.compile(
    r"(?:password|passwd|passphrase|secret|token|apikey|accesskey|secretkey|privatekey|signingkey|credentials?)$"
)
_QUERY_ONLY = frozenset({"sig", "signature", "auth", "authorization", "key", "code", "sid", "session", "cookie"})


@lru_cache(maxsize=4096)
def sensitive(name: str) -> bool:
    """True where the last words of the name call for a secret: dbPassword, API_KEY, client-key-data; not maxTokens."""
    words = [w.lower() for w in _WORDS.findall(name)]
    while len(words) > 1 and (words[-1] in _NEUTRAL or words[-1].isdigit()):
        words.pop()
    if not words:
        return False
    last = words[-1]
    if last in _SECRET:
        return True
    if last in ("key", "keys") and len(words) > 1 and words[-2] in _KEYED:
        return not (words[-2] in ("read", "write", "primary", "secondary") and len(words) == 2)
    return len(last) > 6 and bool(_JOINED.search(last)) and last not in ("tokens", "secretname")


@lru_cache(maxsize=1024)
def sensitive_if_random(name: str) -> bool:
    """True for names such as sig, auth, key whose value is a secret only where it looks like one."""
    words = [w.lower() for w in _WORDS.findall(name)]
    return bool(words) and words[-1] in _QUERY_ONLY


# "clientSecret" holds one, "serverTLSSecret" names one
_HOLDS_VALUE = frozenset(
    """
    client app api consumer shared webhook session cookie jwt hmac encryption signing master user oauth admin state
    totp otp access auth
    """.split()
)
_OBJECT_NAME = re.compile(r"[a-z]+(?:[-.](?:[a-z]+|[a-z]{0,3}\d{1,2}))+$")


def names_a_secret(name: str, value: str) -> bool:
    """True for a field such as serverTLSSecret or imagePullSecrets whose value is the name of a Secret object."""
    words = [w.lower() for w in _WORDS.findall(name)]
    if not words or words[-1] not in ("secret", "secrets") or not _OBJECT_NAME.match(value):
        return False
    return words == ["secrets"] or (len(words) > 1 and words[-2] not in _HOLDS_VALUE)


_PLACEHOLDER = re.compile(
    r"(?i)\s*(?:$|[<\[{(]|\$[{(]|%\(?[a-z]\b|\{\{|\*+\s*$|[x#.•-]{3,}$"
    r"|null$|none$|nil$|n/a$|true$|false$|yes$|no$|undefined$|"
    r"unset$|empty$|redacted|hidden|masked|optional$|required$|string$|default$|unknown$)"
)
_PATH = re.compile(r"/(?:var|etc|run|secrets?|opt|home|mnt|tmp|usr|vault|data|root|app|config|srv)(?:/[\w.@-]+)+/?$")
_PLAIN_NUMBER = re.compile(r"\d{1,5}(?:\.\d+)?(?:ms|s|m|h|d|%)?$")


def placeholder(value: str) -> bool:
    """True for what stands where a secret would: empty, null, <set from ...>, ${VAR}, ***, a file's path."""
    return bool(_PLACEHOLDER.match(value)) or bool(_PATH.match(value))


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
    if has_letter and re.search(r"[!@#$%^&*+=~?]", value):
        return True
    if has_digit and len(value) >= 6 and not has_letter:
        return value.isdigit()
    inner = value[1:]
    return len(value) >= 16 and any(c.islower() for c in inner) and any(c.isupper() for c in inner)


_TIME = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d")
_HOSTLIKE = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?$|[\w.-]+\.(?:go|py|java|js|rb|rs|c|cc|cpp|yaml|json):\d+")
