"""kubectl berth tool: one tool by hand, and exactly what a model would see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kubectl_berth.cli import candidates
from kubectl_berth.cli.options import connection_flags, source_options
from kubectl_berth.cli.spelling import KubectlCommand

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubectl_berth.environment import Environment
    from kubectl_berth.records import ToolResult
    from kubectl_berth.settings import Settings

SCHEMA = "berth.dev/v1/tool-result"


@click.command(cls=KubectlCommand)
@click.argument("name", shell_complete=candidates.tool_names)
@click.argument("arguments", nargs=-1, metavar="[KEY=VALUE]...", shell_complete=candidates.tool_arguments)
@source_options
@click.option(
    "--engine",
    metavar="NAME",
    shell_complete=candidates.engines,
    help="Show what this engine would get (one on this machine).",
)
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", help="What stdout gets.")
@click.option(
    "--allow-raw-diagnostics/--no-raw-diagnostics",
    "raw_diagnostics",
    default=None,
    help="Whether logs and descriptions may be shown (only to an engine on this machine).",
)
@click.option(
    "--runbooks",
    multiple=True,
    metavar="DIR",
    shell_complete=candidates.directories,
    help="A directory of your own runbooks (Markdown); may be repeated.",
)
@connection_flags
@click.pass_obj
def tool(environment: Environment, /, name: str, arguments: tuple[str, ...], **options: Any) -> int:
    """Run the tool NAME on the cluster and print exactly what a model would see. Reads only.

    A key that is given several times makes a list. Exit status: 0, or 1 where the call was an error or refused
    (apply_remediation always is).

    \b
    kubectl berth tool list_pods namespace=shop onlyUnhealthy=true
    kubectl berth tool get_logs name=api namespace=shop previous=true --engine claude
    kubectl berth tool describe_resource kind=Pod name=web-0 --snapshot ./moment -o json
    """
    from kubectl_berth.cli.sources import Source, load_scenario, opener, shelf_of
    from kubectl_berth.investigation.by_hand import call_tool
    from kubectl_berth.settings import resolve

    source = Source(**{name: options[name] for name in Source.__dataclass_fields__})
    source.validate()
    given = _arguments(arguments)
    scenario = load_scenario(source)
    flags = {
        "engine": options["engine"],
        "raw_diagnostics": options["raw_diagnostics"],
        "runbooks": list(options["runbooks"]) or None,
    }
    settings = resolve(
        flags, scenario.settings if scenario else None, environment, scenario_name=scenario.name if scenario else ""
    )
    host = _host(settings, environment) if options["engine"] else ""
    shelf = shelf_of(scenario, settings, environment)
    for notice in shelf.library.notices:
        environment.stderr.write(f"{notice}\n")
    cluster = opener(source, scenario, environment)()
    try:
        result = call_tool(
            cluster,
            name,
            given,
            namespace=source.namespace,
            host=host,
            shelf=shelf,
            settings=settings,
            environment=environment,
        )
    finally:
        cluster.close()
    return _show(name, given, result, options["output"], environment)


def _arguments(words: Sequence[str]) -> dict[str, Any]:
    from kubectl_berth.errors import UsageError

    found: dict[str, Any] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise UsageError(f"{word!r} is no argument of a tool; write it as key=value")
        if key in found:
            found[key] = [*(found[key] if isinstance(found[key], list) else [found[key]]), value]
        else:
            found[key] = value
    return found


def _host(settings: Settings, environment: Environment) -> str:
    """Where the engine's data goes, "" for this machine; an Ollama need not be there."""
    if settings.engine == "ollama":
        from kubectl_berth.engines.found import find_ollama

        return find_ollama(settings).host
    from kubectl_berth.engines.choose import choose

    return choose(settings, environment, lambda: settings.timeout).engine.host


def _show(name: str, given: dict[str, Any], result: ToolResult, output: str, environment: Environment) -> int:
    from kubectl_berth.output.json_document import action_document, encode, finding_document, gap_document, plain
    from kubectl_berth.output.words import size
    from kubectl_berth.safety.sanitise import sanitise

    if output == "json":
        document = {
            "schema": SCHEMA,
            "tool": sanitise(name),
            "arguments": plain(given),
            "fate": result.fate,
            "bytes": result.bytes,
            "seconds": result.seconds,
            "error": result.error,
            "text": result.text,
            "gaps": [gap_document(gap) for gap in result.gaps],
            "findings": [finding_document(finding) for finding in result.findings],
            "actions": [action_document(action) for action in result.actions],
        }
        environment.stdout.write(encode(document, indent=2) + "\n")
    else:
        environment.stdout.write(f"{result.text}\n")
        environment.stdout.flush()
        environment.stderr.write(f"{result.fate}, {size(result.bytes)}, {result.seconds:.2f} s\n")
    return 1 if result.fate in ("error", "refused", "tripwire") else 0
