"""Does this name call for a secret?"""

from __future__ import annotations

import re
from functools import lru_cache

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

_PASSWORDS = frozenset(
    """
    pass password passwd passphrase passcode passwords passphrases pwd pw passkey pword userpassword pgpassword
    psk presharedkey kennwort passwort passe mdp contrasena senha wachtwoord heslo kodeord adgangskode salasana haslo
    losenord sifre jelszo lozinka geslo katasandi storepass keypass requirepass masterauth
    """.split()
)
_SECRET = _PASSWORDS | frozenset(
    """
    secret token credential credentials creds apikey apikeys apitoken authtoken accesskey secretkey privatekey
    jwt pat otp totp pincode pin sas webhooksecret accesstoken refreshtoken idtoken bearertoken
    clientsecret authkey sharedkey masterkey devkey signingkey encryptionkey mnemonic secretstring secretaccesskey
    """.split()
)
_KEYED = frozenset(
    """
    api access secret private signing signature encryption encrypt decryption master shared client account auth
    license licence session storage ssh app application hmac crypto cipher deploy deployment integration service
    subscription ingest webhook admin root tls jwt gpg pgp aes rsa consumer write read primary secondary preshared
    unseal recovery instrumentation fernet sdk cookie bot wallet sec
    """.split()
)
# words behind the secret word that do not change what the value is
_NEUTRAL = frozenset(
    """
    value values data b64 base64 string text plain plaintext raw enc encoded hash hashed digest current old new previous
    next prod production dev test staging default override env content contents fake example base hex sha md
    """.split()
)
_JOINED = re.compile(
    r"(?:passw(?:or)?d|passphrase|secret|token|apikey|accesskey|secretkey|privatekey|signingkey|credentials?"
    r"|(?<!by)(?<!com)(?<!tres)(?<!sur)pass)$"
)
_PASSES = frozenset("multi single one two three first second last high low band all by".split())
_IF_RANDOM = frozenset(
    """
    sig signature auth authorization code sid session sessionid jsessionid phpsessid sessid cookie nonce assertion
    samlresponse community hmac verifier login
    """.split()
)
_PAIRS_IF_RANDOM = (
    *(["session", "id"], ["saml", "response"], ["saml", "request"], ["routing", "key"], ["secret", "id"]),
    *(["certificate", "key"], ["role", "key"]),
)


@lru_cache(maxsize=4096)
def sensitive(name: str) -> bool:
    """True where the last words of the name call for a secret: dbPassword, API_KEY, client-key-data; not maxTokens."""
    words = _core(name)
    if not words:
        return False
    if ".account.key." in name:
        return True  # fs.azure.account.key.shop.dfs.core.windows.net
    last = words[-1]
    if last in _SECRET:
        return not (last == "pass" and len(words) > 1 and words[-2] in _PASSES)
    if last == "secrets":
        return len(words) > 1 and words[-2] in _HOLDS_VALUE
    if last in ("key", "keys") and len(words) > 1 and words[-2] in _KEYED:
        return not (words[-2] in ("read", "write", "primary", "secondary") and len(words) == 2)
    return len(last) > 6 and bool(_JOINED.search(last)) and last not in ("tokens", "secretname")


@lru_cache(maxsize=1024)
def names_a_password(name: str) -> bool:
    """True for the sensitive names whose value is chosen by people, so that any word may be one."""
    words = _core(name)
    return bool(words) and (words[-1] in _PASSWORDS or bool(re.search(r"passw(?:or)?d|passphrase", words[-1])))


@lru_cache(maxsize=1024)
def names_credentials(name: str) -> bool:
    """True for names such as credentials, whose value is a pair, a file or the way to get them."""
    words = _core(name)
    return bool(words) and words[-1] in ("credential", "credentials", "creds") and "bind" not in words


@lru_cache(maxsize=1024)
def sensitive_if_random(name: str) -> bool:
    """True for names such as sig, auth, key whose value is a secret only where it looks like one."""
    words = [w.lower() for w in _WORDS.findall(name)]
    return bool(words) and (words[-1] in _IF_RANDOM or words[-2:] in _PAIRS_IF_RANDOM or words == ["key"])


def _core(name: str) -> list[str]:
    words = [w.lower() for w in _WORDS.findall(name)]
    hashed = False
    while len(words) > 1 and (words[-1] in _NEUTRAL or words[-1].isdigit()):
        hashed = words.pop() in ("hash", "hashed", "digest", "sha", "md") or hashed
    # a password's hash can be cracked; that of a Secret object or a token tells nothing
    return [] if hashed and words[-1] not in _PASSWORDS else words


# "clientSecret" holds one, "serverTLSSecret" names one
_HOLDS_VALUE = frozenset(
    """
    client app api consumer shared webhook session cookie jwt hmac encryption signing master user oauth admin state
    totp otp access auth
    """.split()
)
_OBJECT_NAME = re.compile(r"(?:[a-z][a-z0-9-]{0,62}/)?[a-z][a-z0-9]{0,30}(?:[-.][a-z0-9]{1,16}){1,8}$")


def names_a_secret(name: str, value: str) -> bool:
    """True for a field such as serverTLSSecret or imagePullSecrets whose value is the name of a Secret object."""
    words = [w.lower() for w in _WORDS.findall(name)]
    if not words or words[-1] not in ("secret", "secrets") or not _OBJECT_NAME.match(value):
        return False
    return len(words) == 1 or not (words[-2] in _HOLDS_VALUE or words[-2].endswith("auth"))


_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def names_a_secret_id(name: str, value: str) -> bool:
    """True for secret_id with a UUID, the password of an application at Vault."""
    return name.lower().replace("_", "").endswith("secretid") and bool(_UUID.fullmatch(value))
