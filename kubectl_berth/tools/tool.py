"""What a tool is: a name, a description, flat parameters, and a function from arguments to a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kubectl_berth.records import Action, Fate, Finding, Gap

if TYPE_CHECKING:
    from kubectl_berth.tools.context import Context


class ToolError(Exception):
    """A call that cannot work. The words say what was wrong and name the call that will."""

    fate: Fate = "error"

    def __init__(self, words: str, gaps: Sequence[Gap] = ()) -> None:
        super().__init__(words)
        self.gaps = tuple(gaps)


class ToolRefused(ToolError):
    """A call that berth never carries out: a Secret, a ConfigMap, a name that is no name."""

    fate = "refused"


class ToolWithheld(ToolError):
    """Raw diagnostics that the data policy keeps from this engine. The words say what to set."""

    fate = "withheld"


@dataclass(frozen=True)
class Report:
    """What a tool gives back. `empty` where the call worked and nothing was there."""

    text: str
    empty: bool = False
    gaps: tuple[Gap, ...] = ()
    findings: tuple[Finding, ...] = ()
    actions: tuple[Action, ...] = ()


Arguments = Mapping[str, Any]
"""Validated arguments: only declared names, each of its declared type."""


@dataclass(frozen=True)
class Parameter:
    """One flat parameter. `type` is a JSON schema type: string, integer or boolean (or array of strings)."""

    name: str
    type: str
    description: str = ""
    required: bool = False
    enum: tuple[str, ...] = ()


@dataclass(frozen=True)
class Tool:
    """One of the fifteen.

    `raw` marks a tool whose whole output is raw diagnostics. `reads_kind` is False where a kind only selects what is
    said about it: events about a Secret hold none of its values. `tripwire` marks the tool that a model calls only
    where it obeys an order that it should have ignored.
    """

    name: str
    description: str
    run: Callable[[Context, Arguments], Report]
    parameters: tuple[Parameter, ...] = field(default=())
    raw: bool = False
    reads_kind: bool = True
    tripwire: bool = False

    def definition(self) -> dict[str, Any]:
        """Name, description and flat JSON schema, in the shape that both providers' adapters start from."""
        properties: dict[str, Any] = {}
        for parameter in self.parameters:
            schema: dict[str, Any] = {"type": parameter.type}
            if parameter.type == "array":
                schema["items"] = {"type": "string"}
            if parameter.description:
                schema["description"] = parameter.description
            if parameter.enum:
                schema["enum"] = list(parameter.enum)
            properties[parameter.name] = schema
        return {
            "name": self.name,
            "description": self.description,
            "parameters": {
                "type": "object",
                "properties": properties,
                "required": [p.name for p in self.parameters if p.required],
            },
        }
