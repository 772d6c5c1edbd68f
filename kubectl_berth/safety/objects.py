"""An object without what nobody should see: the walk knows the path, so that a value is judged by the keys above it.

The text gate runs over the result as well; this walk removes what only the structure gives away.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from kubectl_berth.records import Object
from kubectl_berth.safety.keys import names_a_secret, sensitive
from kubectl_berth.safety.redact import redact
from kubectl_berth.safety.redaction.spans import VALUE
from kubectl_berth.safety.values import placeholder

_DEPTH = 60
_NODES = 60_000
_LONG_TEXT = 2000
_LONGEST_TEXT = 64 * 1024
CUT = "[cut: nested too deep or too large]"

_DROPPED_ANNOTATIONS = re.compile(
    r"(?:^|/)(?:last-applied|applied$|last-applied-.*|token-secret\.value$)|^objectset\.rio\.cattle\.io/applied$"
)
_ELIDED = frozenset(
    """
    cloudInitNoCloud cloudInitConfigDrive userData userDataBase64 encryptedData secureJsonData stringData binaryData
    passwd
    """.split()
)
_PUBLIC = frozenset({"caBundle", "certificate", "request", "caData", "certificate-authority-data"})
_SHOWN_HEADERS = frozenset({"host", "accept", "user-agent"})
_ENVIRONMENT = frozenset({"env", "initEnv", "extraEnv", "extraEnvVars", "envVars", "environment"})
_KINDS_OF_LIST = {"httpHeaders": "header", **dict.fromkeys(_ENVIRONMENT, "env")}
# fields whose name sounds like a secret and that hold a reference, a flag or a path
_REFERENCES = re.compile(r"(?:Ref|Refs|Name|Names|Path|File|Key|Namespace|Version|Type|Mode|Policy)$")
_LABELS = frozenset({"labels", "matchLabels", "selector", "nodeSelector"})
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$")


def prune(obj: Object) -> Object:
    """A copy of the object without managedFields, copies of itself, literals of env and headers, nested secrets."""
    copy = _Walk().value(obj, ())
    return copy if isinstance(copy, dict) else {}


_Path = tuple[str, ...]
"""The keys from the top of the object down to a value, ITEM for each list on the way."""

ITEM = "[]"


def _key(path: _Path) -> str:
    """The last key above a value; for what stands in a list, the list's."""
    return next((key for key in reversed(path) if key != ITEM), "")


class _Walk:
    """One walk over one object, bounded in depth and in how many values it looks at."""

    def __init__(self) -> None:
        self.left = _NODES

    def value(self, value: Any, path: _Path) -> Any:
        self.left -= 1
        if len(path) > _DEPTH or self.left < 0:
            return CUT
        if isinstance(value, dict):
            return self.mapping(value, path)
        if isinstance(value, list):
            return self.sequence(value, path)
        return _string(value, path) if isinstance(value, str) else value

    def mapping(self, value: Mapping[str, Any], path: _Path) -> dict[str, Any]:
        key = path[-1] if path else ""
        owner = _key(path)
        if key == "annotations":
            return {str(name): _annotation(str(name), text) for name, text in value.items()}
        if key in _ENVIRONMENT:
            return {str(name): _hidden(each, "env") for name, each in value.items()}
        command = _without_passwords(value)
        out: dict[str, Any] = {}
        for name, inner in value.items():
            if name == "managedFields":
                continue
            below = (*path, str(name))
            if name in _ELIDED or (name == "data" and _holds_secrets(value, path)):
                out[name] = _sizes(inner)
            elif name in command:
                out[name] = command[name]
            elif name in ("value", "content", "contents") and _literal(value, below):
                out[name] = _hidden(inner, _KINDS_OF_LIST.get(owner, "value"))
            else:
                out[name] = self.value(inner, below)
        return out

    def sequence(self, value: list[Any], path: _Path) -> list[Any]:
        if _flags(value):
            return _redacted_words(value)
        return [self.value(inner, (*path, ITEM)) for inner in value]


def _holds_secrets(owner: Mapping[str, Any], path: _Path) -> bool:
    """True where `data` of this object holds contents: a nested Secret or ConfigMap, the template of one."""
    kind = str(owner.get("kind", "")).lower()
    return (kind in ("secret", "configmap") and "apiVersion" in owner) or path[-2:] == ("target", "template")


def _literal(pair: Mapping[str, Any], path: _Path) -> bool:
    """True for what stands under value or content where the list around it, or the name beside it, says so."""
    key, owner = path[-1], _key(path[:-1])
    if key in ("content", "contents"):
        return owner in ("files", "writeFiles", "write_files")
    name = pair.get("name", pair.get("key"))
    if "fake" in path and "provider" in path:
        return True
    if not isinstance(name, str):
        return False
    if owner == "httpHeaders":
        return name.lower() not in _SHOWN_HEADERS
    return owner in _ENVIRONMENT or sensitive(name)


def _hidden(value: Any, what: str) -> Any:
    """The marker in the place of a value; booleans, empty values and references stay."""
    if value is None or isinstance(value, bool | dict | list) or value == "":
        return value
    return f"[REDACTED:{what}]"


def _string(value: str, path: _Path) -> str:
    key = _key(path)
    if key in _PUBLIC and len(value) > 40:
        digest = hashlib.sha256(value.encode("utf-8", "replace")).hexdigest()
        return f"<{key}, {len(value)} characters, sha256 {digest[:12]}>"
    if value.startswith(("-----BEGIN CERTIFICATE-----", "ENC[")) and len(value) > 40:
        return f"<{'certificate' if value[0] == '-' else 'encrypted'}, {len(value)} characters>"
    if _calls_for_secret(key, value, path):
        return VALUE
    if len(value) > _LONG_TEXT and value.lstrip()[:1] in "{[" and _object(value):
        return f"<an object as text, {len(value)} characters>"
    if len(value) > _LONGEST_TEXT:
        return f"<text, {len(value)} characters>"
    return redact(value) if "\n" in value or len(value) > 200 else value


def _calls_for_secret(key: str, value: str, path: _Path) -> bool:
    if not sensitive(key) or _REFERENCES.search(key) or placeholder(value) or not _LABELS.isdisjoint(path):
        return False
    if key == "secret":
        # most often the name of a Secret; in a webhook's trigger the secret itself
        return "triggers" in path or not _NAME.match(value)
    return not names_a_secret(key, value)


def _annotation(name: str, value: Any) -> Any:
    text = str(value)
    if _DROPPED_ANNOTATIONS.search(name) or _object(text):
        return f"<dropped {len(text)} bytes>"
    return VALUE if sensitive(name) and not placeholder(text) else redact(text)


def _object(text: str) -> bool:
    """True where the text is a Kubernetes object in JSON."""
    if '"kind"' not in text or not text.lstrip().startswith("{"):
        return False
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return True


def _sizes(value: Any) -> Any:
    """Keys and sizes in the place of contents."""
    if isinstance(value, Mapping):
        return {name: f"<{len(str(inner))} characters>" for name, inner in value.items()}
    return f"<{len(str(value))} characters>"


# --- command lines --------------------------------------------------------------------------------------------------


def _without_passwords(container: Mapping[str, Any]) -> dict[str, Any]:
    """command and args, read as the one line that they are."""
    parts = {name: container[name] for name in ("command", "args") if _words(container.get(name))}
    if not parts:
        return {}
    words = _redacted_words([word for part in parts.values() for word in part])
    out: dict[str, Any] = {}
    for name, part in parts.items():
        out[name], words = words[: len(part)], words[len(part) :]
    return out


def _words(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(word, str) for word in value)


def _flags(value: list[Any]) -> bool:
    return _words(value) and any(word.startswith("-") for word in value)


def _redacted_words(words: list[str]) -> list[str]:
    """The words without the passwords among them; none of them where they cannot be told apart any more."""
    line = redact(json.dumps(words, ensure_ascii=False))
    try:
        kept = json.loads(line)
    except ValueError:
        kept = []
    return kept if len(kept) == len(words) else [VALUE] * len(words)
