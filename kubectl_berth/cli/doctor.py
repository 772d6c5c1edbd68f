"""kubectl berth doctor: what a run would meet here, before one is made."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from kubectl_berth.cli import candidates
from kubectl_berth.cli.options import connection_flags, kubeconfig_options
from kubectl_berth.cli.spelling import KubectlCommand

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubectl_berth.environment import Environment
    from kubectl_berth.records import Point


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
    from kubectl_berth.investigation.doctor import examine
    from kubectl_berth.output.doctor_report import doctor_document, point_text
    from kubectl_berth.settings import resolve

    source = Source(**options)
    source.validate()
    settings = resolve({"engine": engine}, environment=environment)
    points = []
    for point in examine(connection_of(source), settings, environment):
        points.append(point)
        if output == "text":
            environment.stdout.write(point_text(point))
            environment.stdout.flush()
    status = _status(points)
    if output == "json":
        environment.stdout.write(json.dumps(doctor_document(points, status), indent=2, ensure_ascii=False) + "\n")
    return status


def _status(points: Sequence[Point]) -> int:
    """What keeps a run from starting comes before what it would only lack."""
    statuses = {int(point.status) for point in points}
    return next((status for status in (2, 3, 4, 6, 1) if status in statuses), 0)
