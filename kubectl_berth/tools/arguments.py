"""Makes the arguments of a tool call fit the tool's parameters, or says what is wrong with them."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping
from typing import Any

from kubectl_berth.safety.refuse import check_api_version, check_kind, check_name, check_namespace, refused_word
from kubectl_berth.safety.sanitise import one_line
from kubectl_berth.tools.tool import Parameter, Tool, ToolError

LONGEST = 2000
"""Characters in one string argument."""

_ALIASES = {
    "apiversion": ("version", "group", "groupversion"),
    "name": ("pod", "podname", "resourcename", "objectname", "workload"),
    "kind": ("resource", "resourcetype", "type", "resourcekind"),
    "namespace": ("ns",),
    "labelselector": ("selector", "labels", "label"),
    "node": ("nodename",),
    "taillines": ("tail", "lines", "limit"),
    "sinceseconds": ("since",),
    "grep": ("pattern", "search", "filter"),
    "filter": ("query", "search", "text"),
    "query": ("filter", "search", "text"),
    "onlyunhealthy": ("unhealthy", "unhealthyonly"),
    "includenormal": ("normal",),
}
_EVERYWHERE = frozenset({"*", "all", "all-namespaces", "all namespaces", "any", "cluster"})
_ABSENT = frozenset({"", "null", "none", "undefined", "nil"})
_DURATION = re.compile(r"(\d+)\s*(s|m|h|d)[a-z]*")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_PLACEHOLDER = re.compile(r"(?:-?<[^<>]*>|-?\{[^{}]*\}|[-.]?\*|-?\.\.\.)$")


def as_mapping(arguments: Any) -> dict[str, Any]:
    """The arguments as a mapping; JSON text of one counts. Raises ToolError for anything else."""
    if arguments is None or arguments == "":
        return {}
    if isinstance(arguments, str):
        with contextlib.suppress(ValueError, RecursionError):
            arguments = json.loads(arguments)
    if isinstance(arguments, Mapping):
        return {str(key): value for key, value in arguments.items()}
    raise ToolError("The arguments are no JSON object: pass each argument by its name.")


def validate(tool: Tool, given: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The arguments by their declared names and types, and the names of those that the tool does not have.

    Absent, null, empty and zero values are left out. Raises ToolError that names what is missing or wrong.
    """
    by_plain_name = {_plain(key): key for key in given}
    accepted: dict[str, Any] = {}
    used = set()
    for parameter in tool.parameters:
        plain = _plain(parameter.name)
        for spelling in (plain, *_ALIASES.get(plain, ())):
            key = by_plain_name.get(spelling)
            if key is None or key in used:
                continue
            if spelling != plain and any(_plain(p.name) == spelling for p in tool.parameters):
                continue
            used.add(key)
            value = _coerce(tool, parameter, given[key])
            if value is not None:
                accepted[parameter.name] = value
            break
    unknown = sorted(one_line(key, 60) for key in given if key not in used)
    _split_name(tool, accepted)
    # without a namespace a name is looked for in all of them
    missing = [p.name for p in tool.parameters if p.required and p.name not in (*accepted, "namespace")]
    if missing:
        extra = f" (it has no argument {', '.join(unknown)})" if unknown else ""
        raise ToolError(f"{tool.name} needs {' and '.join(missing)}{extra}: {usage(tool)}.")
    return accepted, unknown


def usage(tool: Tool) -> str:
    """How the tool is called: name(required, optional?)."""
    parameters = ", ".join(p.name + ("" if p.required else "?") for p in tool.parameters)
    return f"{tool.name}({parameters})"


def refuse(tool: Tool, accepted: Mapping[str, Any]) -> None:
    """Raises Refused for Secrets, ConfigMaps and for what is no kind, name, namespace or apiVersion."""
    if "kind" in accepted and (tool.reads_kind or not refused_word(accepted["kind"])):
        check_kind(accepted["kind"])
    if "apiVersion" in accepted:
        check_api_version(accepted["apiVersion"])
    for name in ("name", "node"):
        if name in accepted:
            check_name(accepted[name])
    if "namespace" in accepted:
        check_namespace(accepted["namespace"])


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _coerce(tool: Tool, parameter: Parameter, value: Any) -> Any:
    if value is None:
        return None
    if parameter.type == "boolean":
        return _boolean(tool, parameter, value)
    if parameter.type == "integer":
        return _integer(tool, parameter, value)
    if parameter.type == "array":
        return _strings(value)
    return _string(tool, parameter, value)


def _boolean(tool: Tool, parameter: Parameter, value: Any) -> bool | None:
    word = str(value).strip().lower()
    if word in _ABSENT:
        return None
    if word in ("true", "yes", "1", "1.0", "on"):
        return True
    if word in ("false", "no", "0", "0.0", "off"):
        return False
    raise ToolError(f"{parameter.name} of {tool.name} is true or false, not {one_line(word, 60)!r}.")


def _integer(tool: Tool, parameter: Parameter, value: Any) -> int | None:
    word = str(value).strip().lower()
    if word in _ABSENT:
        return None
    if match := _DURATION.fullmatch(word):
        return min(int(match[1][:9]) * _SECONDS[match[2]], 10**9) or None
    try:
        number = int(float(word))
    except (ValueError, OverflowError):
        raise ToolError(f"{parameter.name} of {tool.name} is a whole number, not {one_line(word, 60)!r}.") from None
    if number < 0:
        raise ToolError(f"{parameter.name} of {tool.name} cannot be negative.")
    return min(number, 10**9) or None


def _strings(value: Any) -> list[str] | None:
    values = value if isinstance(value, list) else [value]
    return [v if isinstance(v, str) else json.dumps(v, default=str) for v in values][:100] or None


def _string(tool: Tool, parameter: Parameter, value: Any) -> str | None:
    if isinstance(value, Mapping):
        value = ",".join(f"{key}={each}" for key, each in value.items())
    elif isinstance(value, (list, tuple)):
        value = ",".join(str(each) for each in value)
    text = str(value)
    if len(text) > LONGEST and parameter.name in ("kind", "name", "namespace", "apiVersion", "node", "filter", "grep"):
        raise ToolError(f"{parameter.name} of {tool.name} is too long: at most {LONGEST} characters.")
    if text.strip().lower() in _ABSENT:
        return None
    if parameter.name == "namespace" and text.strip().lower() in _EVERYWHERE:
        return None
    if parameter.enum and text not in parameter.enum:
        raise ToolError(f"{parameter.name} of {tool.name} is one of {', '.join(parameter.enum)}.")
    return text


def _split_name(tool: Tool, accepted: dict[str, Any]) -> None:
    """Takes a name such as shop/web, deployment/web or web-* apart; results name objects as namespace/name."""
    name = accepted.get("name")
    if not isinstance(name, str) or not any(parameter.name == "namespace" for parameter in tool.parameters):
        return
    name = name.strip()
    before, slash, rest = name.partition("/")
    if slash and rest and "/" not in rest:
        if before == accepted.get("namespace") or before.lower() == str(accepted.get("kind", "")).lower():
            name = rest
        elif "kind" not in accepted and any(parameter.name == "kind" for parameter in tool.parameters):
            accepted["kind"], name = before, rest
        elif "namespace" not in accepted:
            accepted["namespace"], name = before, rest
    bare = _PLACEHOLDER.sub("", name)
    if not bare:
        raise ToolError(
            f"{one_line(name, 60)!r} stands for no object: pass a name that list_pods or list_resources shows."
        )
    accepted["name"] = bare
