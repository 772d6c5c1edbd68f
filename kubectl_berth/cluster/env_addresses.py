"""The addresses in an environment variable: what a diagnosis needs of it, without what may be secret."""

from __future__ import annotations

import re
from typing import Any

from kubectl_berth.safety.keys import sensitive

HIDDEN = "[REDACTED:env]"

_HOST = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*"
_URL = re.compile(r"([A-Za-z][\w+.-]*://)([^/?#\s\"',]+)[^\s,]*")
_PLACE = re.compile(rf"{_HOST}(?::\d{{1,5}})?")
_WITH_PORT = re.compile(rf"(?<![\w.@/:-]){_HOST}:\d{{2,5}}(?![\w.:])")
_SAYS_ADDRESS = re.compile(
    r"HOST|ADDR|UR[IL]|ENDPOINT|SERVER|BROKER|UPSTREAM|BACKEND|DSN|TARGET|PEER|SEED|CONNECT|SERVICE$", re.IGNORECASE
)


def addresses(name: str, value: str) -> str:
    """Schemes, hosts and ports in the value of the variable `name`; what else it holds is marked as hidden.

    A bare word counts where the name says that it is an address. Nothing is kept where the name calls for a secret.
    """
    if sensitive(name):
        return HIDDEN
    if _SAYS_ADDRESS.search(name) and re.fullmatch(_HOST, value) and len(value) <= 253:
        return value
    found = []
    for scheme, place in _URL.findall(value):
        place = place.rsplit("@", 1)[-1]
        if _PLACE.fullmatch(place):
            found.append(f"{scheme}{place}")
    found += _WITH_PORT.findall(_URL.sub(" ", value))
    kept = " ".join(found)
    return kept if kept == value.strip("/ ") else f"{kept} {HIDDEN}".lstrip()


def with_addresses(pruned: Any, original: Any) -> None:
    """Puts the addresses back into the variables of a pruned object, in place."""
    if isinstance(pruned, dict) and isinstance(original, dict):
        for key, inner in pruned.items():
            if key == "env" and isinstance(inner, list) and isinstance(original.get(key), list):
                for entry, before in zip(inner, original[key], strict=False):
                    _put_back(entry, before)
            else:
                with_addresses(inner, original.get(key))
    elif isinstance(pruned, list) and isinstance(original, list):
        for inner, before in zip(pruned, original, strict=False):
            with_addresses(inner, before)


def _put_back(entry: Any, before: Any) -> None:
    if isinstance(entry, dict) and entry.get("value") == HIDDEN and isinstance(before.get("value"), str):
        entry["value"] = addresses(str(before.get("name")), before["value"])
