"""An object without what nobody should see: the walk knows the path, so that a value is judged by the key above it.

The text gate runs over the result as well; this walk removes what only the structure gives away.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from kubectl_berth.records import Object
from kubectl_berth.safety.keys import names_a_secret, sensitive
from kubectl_berth.safety.values import placeholder

_DEPTH = 60
_NODES = 60_000

_DROPPED_ANNOTATIONS = re.compile(
    r"(?:^|/)(?:last-applied|applied$|last-applied-.*|token-secret\.value$)|^objectset\.rio\.cattle\.io/applied$"
)
_ELIDED = frozenset(
    {
        "cloudInitNoCloud",
        "cloudInitConfigDrive",
        "userData",
        "userDataBase64",
        "encryptedData",
        "secureJsonData",
        "stringData",
        "binaryData",
        "passwd",
    }
)
_PUBLIC = frozenset({"caBundle", "jwks", "certificate", "request", "caData", "certificate-authority-data"})
_SHOWN_HEADERS = frozenset({"host", "accept", "user-agent"})
# fields whose name sounds like a secret and that hold a reference, a flag or a path
_REFERENCES = re.compile(
    r"(?:Ref|Refs|Name|Names|Path|File|Key|Namespace|Version|Type|Mode|Policy)$|^(?:secret|token)$"
)


def prune(obj: Object) -> Object:
    """A copy of the object without managedFields, copies of itself, literals of env and headers, nested secrets."""
    walk = _Walk()
    copy = walk.value(obj, "", 0)
    return copy if isinstance(copy, dict) else {}


class _Walk:
    def __init__(self) -> None:
        self.left = _NODES

    def value(self, value: Any, key: str, depth: int) -> Any:
        self.left -= 1
        if depth > _DEPTH or self.left < 0:
            return "[cut: nested too deep or too large]"
        if isinstance(value, dict):
            return self.mapping(value, key, depth)
        if isinstance(value, list):
            return self.sequence(value, key, depth)
        if isinstance(value, str):
            return _string(value, key)
        return value

    def mapping(self, value: Mapping[str, Any], key: str, depth: int) -> dict[str, Any]:
        if key == "annotations":
            return {name: _annotation(str(name), text) for name, text in value.items()}
        nested_secret = str(value.get("kind", "")).lower() in ("secret", "configmap") and "apiVersion" in value
        out: dict[str, Any] = {}
        for name, inner in value.items():
            if name == "managedFields":
                continue
            if name in _ELIDED or (nested_secret and name == "data"):
                out[name] = _sizes(inner)
            elif name == "value" and _literal(value, key):
                out[name] = f"[REDACTED:{'header' if key == 'httpHeaders' else 'env'}]"
            else:
                out[name] = self.value(inner, str(name), depth + 1)
        return out

    def sequence(self, value: list[Any], key: str, depth: int) -> list[Any]:
        out: list[Any] = []
        hide_next = False
        for inner in value:
            if hide_next and isinstance(inner, str) and not inner.startswith("-"):
                out.append(inner if placeholder(inner) else "[REDACTED:value]")
            else:
                out.append(self.value(inner, key, depth + 1))
            hide_next = isinstance(inner, str) and inner.startswith("-") and "=" not in inner and sensitive(inner)
        return out


def _literal(pair: Mapping[str, Any], key: str) -> bool:
    """True for the literal value of an env entry, of a header, or of a parameter whose name calls for a secret."""
    name = pair.get("name", pair.get("key"))
    if not isinstance(name, str):
        return False
    if key == "httpHeaders":
        return name.lower() not in _SHOWN_HEADERS
    return key in ("env", "initEnv", "extraEnv", "envVars") or sensitive(name)


def _string(value: str, key: str) -> str:
    if key in _PUBLIC and len(value) > 100:
        return f"<{key}, {len(value)} characters>"
    if sensitive(key) and not (_REFERENCES.search(key) or placeholder(value) or names_a_secret(key, value)):
        return "[REDACTED:value]"
    if len(value) > 2000 and value.lstrip()[:1] in "{[" and _object(value):
        return f"<an object as text, {len(value)} characters>"
    return value


def _annotation(name: str, value: Any) -> Any:
    if _DROPPED_ANNOTATIONS.search(name) or (isinstance(value, str) and _object(value)):
        return f"<dropped {len(str(value))} bytes>"
    return "[REDACTED:value]" if sensitive(name) and not placeholder(str(value)) else value


def _object(text: str) -> bool:
    """True where the text is a Kubernetes object in JSON."""
    if '"kind"' not in text or not text.lstrip().startswith("{"):
        return False
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return True


def _sizes(value: Any) -> Any:
    """Keys and sizes in the place of contents."""
    if isinstance(value, Mapping):
        return {name: f"<{len(str(inner))} characters>" for name, inner in value.items()}
    return f"<{len(str(value))} characters>"
