"""kubectl berth scenario: broken clusters to try things on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kubectl_berth.cli import candidates

if TYPE_CHECKING:
    from kubectl_berth.environment import Environment


@click.group()
def scenario() -> None:
    """Broken clusters to try questions on: kubectl berth ask --scenario NAME QUESTION reads one."""


@scenario.command("list", short_help="The scenarios and what each is about.")
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", help="What stdout gets.")
@click.pass_obj
def list_scenarios(environment: Environment, /, output: str) -> int:
    """The scenarios and what each is about. -o json adds the category and the question that each is made for."""
    from kubectl_berth.scenarios.reader import load, names

    found = [load(name) for name in names()]
    if output == "json":
        told = [{name: getattr(one, name) for name in ("name", "title", "category", "question")} for one in found]
        environment.stdout.write(json.dumps({"scenarios": told}, indent=2, ensure_ascii=False) + "\n")
        return 0
    width = max((len(one.name) for one in found), default=0)
    for one in found:
        environment.stdout.write(f"{one.name:<{width}}  {one.title}\n")
    return 0


@scenario.command(short_help="Serve a scenario as a Kubernetes API.")
@click.argument("name", required=False, shell_complete=candidates.scenarios)
@click.option("--all", "everything", is_flag=True, help="Serve every scenario, each on a port of its own.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="Port to listen on (any free one).")
@click.option("--twin", is_flag=True, help="The same cluster without the fault; with --all, of all that have a twin.")
@click.option(
    "--write-kubeconfig",
    "kubeconfig",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a kubeconfig for it; with --all, one with a context for each.",
)
@click.pass_obj
def serve(
    environment: Environment,
    /,
    name: str | None,
    everything: bool,
    port: int,
    twin: bool,
    kubeconfig: Path | None,
) -> int:
    """Serve the scenario NAME as a read-only Kubernetes API on 127.0.0.1, until Ctrl-C.

    The URL goes to stdout, one line. kubectl and any other client can read it; Secrets, ConfigMaps and every write
    are refused. With --all every scenario is served, and a line is its context's name and its URL.
    """
    if everything:
        return _serve_all(environment, name, port, twin, kubeconfig)
    if name is None:
        raise click.UsageError("missing argument 'NAME'; or give --all")
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


def _serve_all(environment: Environment, name: str | None, port: int, twin: bool, kubeconfig: Path | None) -> int:
    from kubectl_berth.scenarios.reader import SHIPPED, load, names
    from kubectl_berth.simulator.kubeconfig import Served, write_kubeconfigs
    from kubectl_berth.simulator.server import serve as start

    if name is not None or port:
        raise click.UsageError("--all serves every scenario, each on any free port: leave out the name and --port")
    if kubeconfig is None:
        raise click.UsageError("--all needs --write-kubeconfig FILE, which gets a context for each scenario")
    chosen = [each for each in names() if not twin or (SHIPPED / each / "twin").is_dir()]
    servers = []
    try:
        served = []
        for each in chosen:
            cluster = load(each, twin=twin).open()
            servers.append(start(cluster))
            served.append(Served(servers[-1].url, f"scenario-{each}", cluster.name().namespace))
        write_kubeconfigs(kubeconfig, served)
        environment.stdout.writelines(f"{each.context}\t{each.url}\n" for each in served)
        environment.stdout.flush()
        example = f"kubectl --kubeconfig {kubeconfig} --context {served[0].context} get pods -A"
        environment.stderr.write(f"serving {len(served)} scenarios until Ctrl-C; read one with: {example}\n")
        environment.stderr.flush()
        servers[0].wait()
    except KeyboardInterrupt:
        pass
    finally:
        for server in servers:
            server.close()
    return 0


@scenario.command("new", short_help="Start a scenario of your own.")
@click.argument("name", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--from-snapshot",
    "snapshot",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="The snapshot, or directory of manifests, that becomes its cluster.",
)
@click.option("--question", default="", metavar="TEXT", help="What is asked about it.")
@click.pass_obj
def new(environment: Environment, /, name: Path, snapshot: Path, question: str) -> int:
    """Start a scenario in DIR from a snapshot: a scenario.yaml to fill in beside a copy of the cluster.

    The values of Secrets and ConfigMaps are left out of the copy. kubectl berth scenario lint says what is missing.
    """
    from kubectl_berth.evals.start import start

    for line in start(name, snapshot, question):
        environment.stderr.write(f"left out: {line}\n")
    environment.stdout.write(f"{name / 'scenario.yaml'}\n")
    environment.stderr.write(f"write its question, checks and answers, then: kubectl berth scenario lint {name}\n")
    return 0


@scenario.command("lint", short_help="Check scenarios: their clusters, checks and example answers.")
@click.argument("names", nargs=-1, metavar="[NAME|DIR]...", shell_complete=candidates.scenarios)
@click.pass_obj
def lint_scenarios(environment: Environment, /, names: tuple[str, ...]) -> int:
    """Check scenarios, all that are shipped or those of NAME and DIR.

    Looks at whether the cluster could be (owners, counts, times, wording of its version), whether a name gives the
    answer away, and whether the checks pass every right answer and fail every wrong one. Exits 1 where it finds
    something.
    """
    from kubectl_berth.evals.lint import lint
    from kubectl_berth.scenarios.reader import find
    from kubectl_berth.scenarios.reader import names as shipped

    for name in names:
        find(name)
    found = 0
    for name in names or shipped():
        problems = lint(name)
        found += len(problems)
        for problem in problems:
            environment.stdout.write(f"{problem}\n")
        # all of them take a while
        environment.stdout.flush()
        if not problems:
            environment.stderr.write(f"{name}: in order\n")
            environment.stderr.flush()
    return 1 if found else 0
