"""kubectl berth tools: what a model may ask for, and how many bytes each takes of its context."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubectl_berth.environment import Environment

WIRES = ("claude", "bedrock", "ollama")


@click.command()
@click.option("--engine", type=click.Choice(WIRES), help="Show them as this engine is sent them.")
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", help="What stdout gets.")
@click.pass_obj
def tools(environment: Environment, /, engine: str | None, output: str) -> int:
    """List the tools that a model may call, with the bytes that each definition takes.

    kubectl berth tool NAME runs one by hand.
    """
    from kubectl_berth.investigation.prompt import SYSTEM_PROMPT
    from kubectl_berth.tools.arguments import usage
    from kubectl_berth.tools.registry import ALL

    sent = as_sent([tool.definition() for tool in ALL], engine)
    sizes = [len(compact(each).encode()) for each in sent]
    prompt = len(SYSTEM_PROMPT.encode())
    if output == "json":
        found = [
            {"name": tool.name, "bytes": size, "definition": each}
            for tool, size, each in zip(ALL, sizes, sent, strict=True)
        ]
        totals = {"bytes": sum(sizes), "system_prompt_bytes": prompt}
        environment.stdout.write(json.dumps({"tools": found, **totals}, indent=2, ensure_ascii=False) + "\n")
        return 0
    width = max(len(usage(tool)) for tool in ALL)
    for tool, size in zip(ALL, sizes, strict=True):
        environment.stdout.write(f"{size:>5} B  {usage(tool):<{width}}  {tool.description}\n")
    environment.stdout.write(
        f"{sum(sizes):>5} B  {len(ALL)} tools; {prompt} B system prompt; {sum(sizes) + prompt} B in all\n"
    )
    return 0


def as_sent(definitions: Sequence[Mapping[str, Any]], engine: str | None) -> list[dict[str, Any]]:
    """The definitions in the shape of the engine's provider."""
    if engine == "ollama":
        return [{"type": "function", "function": dict(each)} for each in definitions]
    if engine in ("claude", "bedrock"):
        return [
            {"name": each["name"], "description": each["description"], "input_schema": each["parameters"]}
            for each in definitions
        ]
    return [dict(each) for each in definitions]


def compact(definition: Mapping[str, Any]) -> str:
    """JSON without blanks, as it goes over the wire."""
    return json.dumps(definition, separators=(",", ":"), ensure_ascii=False)
