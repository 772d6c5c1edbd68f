"""What berth never asks a cluster for, and what is no name at all.

Secrets and ConfigMaps are refused by every name that discovery gives, in every group and version. Grammar comes
before meaning: an argument that is not plain ASCII of the right shape is refused, never tidied up until it fits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kubectl_berth.errors import Refused
from kubectl_berth.safety.sanitise import one_line

_KIND = re.compile(r"[A-Za-z][A-Za-z0-9]{0,62}")
_KIND_WITH_GROUP = re.compile(r"[A-Za-z][A-Za-z0-9]{0,62}(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")
_LABEL = r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
_NAMESPACE = re.compile(_LABEL)
_GROUP = re.compile(rf"{_LABEL}(\.{_LABEL})*")
_VERSION = re.compile(r"v[0-9]{1,4}((alpha|beta)[0-9]{1,4})?")
# object names are path segments: RBAC names hold colons, some operators' names capitals
_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._:-]{0,251}[A-Za-z0-9])?")

_REFUSED = frozenset({"secret", "secrets", "secretlist", "configmap", "configmaps", "configmaplist", "cm"})

WORDS = "berth never reads Secrets or ConfigMaps, nor kinds that hold tokens"

_TOKENS = ("token", "tokens", "tokenlist", "kubeconfig", "kubeconfigs", "kubeconfiglist")
"""How kinds end whose objects are credentials: OAuthAccessToken, clusterregistrationtokens."""


def refused_word(word: str) -> bool:
    """True for any spelling of Secret or ConfigMap: case, plural, list, short name, with a group behind it."""
    return _withheld(word.strip().casefold().split("/")[0].split(".")[0])


def refused_kind(names: Iterable[str]) -> bool:
    """True where one of the names that discovery gives a kind (kind, plural, singular, short) is refused."""
    return any(_withheld(name.casefold()) for name in names)


def _withheld(name: str) -> bool:
    return name in _REFUSED or name.endswith(_TOKENS)


def check_kind(kind: object) -> str:
    """The kind word as it is. Raises Refused for Secrets, ConfigMaps and for what is no kind word."""
    if isinstance(kind, str):
        parts = re.split(r"[\s,/|+]+", kind.strip())
        if any(refused_word(part) for part in parts) or refused_word(_ascii(kind)):
            raise Refused(f"{WORDS}: {one_line(kind, 100)!r} was not looked up")
        if _KIND.fullmatch(kind) or _KIND_WITH_GROUP.fullmatch(kind):
            return kind
    raise Refused(f"{one_line(str(kind), 100)!r} is no kind: pass one kind such as Pod or Deployment")


def check_name(name: object) -> str:
    """The object's name as it is. Raises Refused for what cannot be one."""
    if isinstance(name, str) and possible_name(name):
        return name
    raise Refused(f"{one_line(str(name), 100)!r} is no object name: pass the name alone, such as web-7d4b9c6f5d-x2x9z")


def possible_name(name: str) -> bool:
    """Whether the API server would let an object, a namespace or a container be called like that."""
    return bool(_NAME.fullmatch(name)) and ".." not in name


def check_namespace(namespace: object) -> str:
    """The namespace as it is. Raises Refused for what cannot be one."""
    if isinstance(namespace, str) and _NAMESPACE.fullmatch(namespace):
        return namespace
    raise Refused(f"{one_line(str(namespace), 100)!r} is no namespace: pass one namespace's name, such as default")


def check_api_version(api_version: object) -> str:
    """The apiVersion as it is. Raises Refused for what is none."""
    if isinstance(api_version, str):
        group, slash, version = api_version.rpartition("/")
        if _VERSION.fullmatch(version) and (_GROUP.fullmatch(group) if slash else not group):
            return api_version
    raise Refused(f"{one_line(str(api_version), 100)!r} is no apiVersion: pass group/version, such as apps/v1")


_LOOKALIKES = str.maketrans("аеорсухіѕԁᴄɡ", "aeopcyxisdcg")


def _ascii(word: str) -> str:
    """What the word looks like to a reader, so that a look-alike of Secret gets the right refusal."""
    import unicodedata

    plain = unicodedata.normalize("NFKC", word).translate(_LOOKALIKES)
    return "".join(c for c in plain if c.isascii() and c.isalnum())
