"""kubectl berth scenario: broken clusters to try things on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from kubectl_berth.environment import Environment


@click.group(short_help="Broken clusters to try questions on.")
def scenario() -> None:
    """Broken clusters to try questions on: kubectl berth ask --scenario NAME QUESTION reads one."""


@scenario.command("list", short_help="The scenarios and what each is about.")
@click.pass_obj
def list_scenarios(environment: Environment, /) -> int:
    """The scenarios and what each is about."""
    from kubectl_berth.scenarios.reader import load, names

    found = [(name, load(name).title) for name in names()]
    width = max((len(name) for name, _ in found), default=0)
    for name, title in found:
        environment.stdout.write(f"{name:<{width}}  {title}\n")
    return 0


@scenario.command(short_help="Serve a scenario as a Kubernetes API.")
@click.argument("name")
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="Port to listen on (any free one).")
@click.option("--twin", is_flag=True, help="The same cluster without the fault.")
@click.option(
    "--write-kubeconfig",
    "kubeconfig",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a kubeconfig for it.",
)
@click.pass_obj
def serve(environment: Environment, /, name: str, port: int, twin: bool, kubeconfig: Path | None) -> int:
    """Serve the scenario NAME as a read-only Kubernetes API on 127.0.0.1, until Ctrl-C.

    The URL goes to stdout, one line. kubectl and any other client can read it; Secrets, ConfigMaps and every write
    are refused.
    """
    from kubectl_berth.scenarios.reader import load
    from kubectl_berth.simulator.kubeconfig import write_kubeconfig
    from kubectl_berth.simulator.server import serve as start

    cluster = load(name, twin=twin).open()
    server = start(cluster, port)
    try:
        if kubeconfig is not None:
            write_kubeconfig(kubeconfig, server.url, f"scenario-{Path(name).name}", cluster.name().namespace)
        environment.stdout.write(f"{server.url}\n")
        environment.stdout.flush()
        words = f"kubectl --kubeconfig {kubeconfig}" if kubeconfig else f"kubectl --server {server.url}"
        environment.stderr.write(f"serving {cluster.name().name} until Ctrl-C; read it with: {words} get pods -A\n")
        environment.stderr.flush()
        server.wait()
    except KeyboardInterrupt:
        pass
    finally:
        server.close()
    return 0


@scenario.command("lint", short_help="Check scenarios: their clusters, checks and example answers.")
@click.argument("names", nargs=-1, metavar="[NAME|DIR]...")
@click.pass_obj
def lint_scenarios(environment: Environment, /, names: tuple[str, ...]) -> int:
    """Check scenarios, all that are shipped or those of NAME and DIR.

    Looks at whether the cluster could be (owners, counts, times, wording of its version), whether a name gives the
    answer away, and whether the checks pass every right answer and fail every wrong one. Exits 1 where it finds
    something.
    """
    from kubectl_berth.evals.lint import lint
    from kubectl_berth.scenarios.reader import names as shipped

    found = 0
    for name in names or shipped():
        problems = lint(name)
        found += len(problems)
        for problem in problems:
            environment.stdout.write(f"{problem}\n")
        if not problems:
            environment.stderr.write(f"{name}: in order\n")
    return 1 if found else 0
