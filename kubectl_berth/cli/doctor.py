"""kubectl berth doctor: what a run would meet here, before one is made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from kubectl_berth.cli import candidates
from kubectl_berth.cli.options import connection_flags, kubeconfig_options
from kubectl_berth.cli.spelling import KubectlCommand

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubectl_berth.cluster.connection import Access
    from kubectl_berth.environment import Environment
    from kubectl_berth.investigation.doctor import Point

SCHEMA = "berth.dev/v1/doctor"
MARKS = {"ok": "ok", "note": "note", "missing": "MISSING", "failed": "FAILED"}


@click.command(cls=KubectlCommand)
@kubeconfig_options
@click.option(
    "--engine", metavar="NAME", shell_complete=candidates.engines, help="The engine that a run would take (auto)."
)
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", help="What stdout gets.")
@connection_flags
@click.pass_obj
def doctor(environment: Environment, /, engine: str | None, output: str, **options: Any) -> int:
    """Check what a run would meet: kubeconfig, cluster, rights, usage figures, engines, data policy, budget.

    Asks the API server what you may read, and what you may do beyond what berth ever needs. Exit status: 0 all in
    order, 1 something is missing, 2 usage or kubeconfig, 3 cluster unreachable, 4 no usable engine, 6 over budget.

    \b
    kubectl berth doctor
    kubectl berth doctor -n shop --as jane -o json
    """
    from kubectl_berth.cli.sources import Source, connection_of
    from kubectl_berth.cluster.connection import resolve as way
    from kubectl_berth.cluster.kubeconfig import read_kubeconfig
    from kubectl_berth.cluster.live import reach
    from kubectl_berth.investigation.doctor import PATIENCE, examine
    from kubectl_berth.settings import resolve

    source = Source(**options)
    source.validate()
    settings = resolve({"engine": engine}, environment=environment)
    connection = connection_of(source)

    def find() -> tuple[Access, list[str]]:
        access = way(connection, environment)
        if access.request_timeout is None:
            access = replace(access, request_timeout=PATIENCE)
        return access, [str(path) for path in read_kubeconfig(connection.kubeconfig, environment).files]

    points = []
    for point in examine(
        find,
        lambda access: reach(access, environment),
        settings,
        environment,
        narrowed=source.namespace is not None,
    ):
        points.append(point)
        if output == "text":
            environment.stdout.write(_text(point))
            environment.stdout.flush()
    status = _status(points)
    if output == "json":
        environment.stdout.write(json.dumps(_document(points, status), indent=2, ensure_ascii=False) + "\n")
    return status


def _status(points: Sequence[Point]) -> int:
    """What keeps a run from starting comes before what it would only lack."""
    statuses = {int(point.status) for point in points}
    return next((status for status in (2, 3, 4, 6, 1) if status in statuses), 0)


def _text(point: Point) -> str:
    from kubectl_berth.safety.gate import shown_line

    lines = [f"{MARKS[point.state]:<8}{point.name}: {shown_line(point.words, 2000)}"]
    lines += [f"{'':<10}{shown_line(line, 2000)}" for line in point.lines]
    return "\n".join(lines) + "\n"


def _document(points: Sequence[Point], status: int) -> dict[str, Any]:
    from kubectl_berth.safety.gate import shown_line

    found = [
        {
            "name": point.name,
            "state": point.state,
            "summary": shown_line(point.words, 2000),
            "lines": [shown_line(line, 2000) for line in point.lines],
            "details": _shown(point.details),
        }
        for point in points
    ]
    return {"schema": SCHEMA, "ok": status == 0, "exit_status": status, "points": found}


def _shown(details: Any) -> Any:
    """The details with every text in them cleaned and redacted."""
    from kubectl_berth.safety.gate import shown_line

    if isinstance(details, Mapping):
        return {name: _shown(value) for name, value in details.items()}
    if isinstance(details, list):
        return [_shown(value) for value in details]
    return shown_line(details, 2000) if isinstance(details, str) else details
