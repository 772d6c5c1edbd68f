"""kubectl berth snapshot: a cluster at this moment, as a directory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kubectl_berth.cli.options import connection_flags, source_options
from kubectl_berth.cli.spelling import KubectlCommand

if TYPE_CHECKING:
    from kubectl_berth.cluster.cluster import Cluster
    from kubectl_berth.cluster.snapshot_writer import Written
    from kubectl_berth.environment import Environment

SHOWN = 20


@click.group()
def snapshot() -> None:
    """Keep a cluster at this moment as a directory: for a ticket, for later questions, for a scenario."""


@snapshot.command(cls=KubectlCommand, short_help="Write the current cluster into a directory.")
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@click.option("-A", "--all-namespaces", is_flag=True, help="Take all namespaces (the default without -n).")
@click.option(
    "--logs",
    type=click.Choice(["none", "unhealthy", "all"]),
    default="unhealthy",
    help="Whose logs to take: of containers that are not well (unhealthy), of all, of none.",
)
@source_options
@connection_flags
@click.pass_obj
def create(environment: Environment, /, directory: Path, all_namespaces: bool, logs: str, **options: Any) -> int:
    """Write the current cluster, or one namespace and what belongs to no namespace, into DIRECTORY.

    Secrets and ConfigMaps are not read. Objects and logs are pruned and redacted as for a model; look through them all
    the same before you hand them on. Every command reads the directory with --snapshot.

    \b
    kubectl berth snapshot create ./moment -n shop
    kubectl berth ask "why is checkout failing" --snapshot ./moment
    """
    from kubectl_berth.cli.sources import Source, load_scenario, opener
    from kubectl_berth.cluster.scope import scope_of
    from kubectl_berth.cluster.snapshot_writer import write_snapshot
    from kubectl_berth.errors import Interrupted, ReadError, UsageError
    from kubectl_berth.investigation.stopping import on_signals
    from kubectl_berth.tools.rights import read_kinds

    source = Source(**options)
    source.validate()
    if all_namespaces and source.namespace:
        raise UsageError("-n takes one namespace and -A all of them; give one of them")
    open_cluster = opener(source, load_scenario(source), environment)
    cluster: Cluster | None = None
    stopped = False

    def stop() -> None:
        nonlocal stopped
        stopped = True
        if cluster is None:  # only waited for, and nothing is written yet
            raise KeyboardInterrupt
        # what is being read breaks off
        cluster.close()

    try:
        with on_signals(stop):
            cluster = open_cluster()
            kinds, scope = read_kinds(cluster.kinds()), scope_of(cluster, source.namespace)
            written = write_snapshot(cluster, directory, kinds, namespace=scope, logs=logs, stopped=lambda: stopped)
    except (ReadError, KeyboardInterrupt):
        if stopped:
            raise Interrupted("interrupted: nothing was written") from None
        raise
    finally:
        if cluster is not None:
            cluster.close()
    environment.stdout.write(f"{directory}\n")
    environment.stderr.write(_summary(written))
    return 0


def _summary(written: Written) -> str:
    from kubectl_berth.safety.gate import shown_line

    objects, kinds, logs = (
        f"{number} {word}{'' if number == 1 else 's'}"
        for number, word in ((written.objects, "object"), (written.kinds, "kind"), (written.logs, "log"))
    )
    lines = [f"{objects} of {kinds} and {logs}, redacted"]
    lines += [f"not read: {gap.what} ({gap.why}): {shown_line(gap.detail)}" for gap in written.gaps[:SHOWN]]
    if len(written.gaps) > SHOWN:
        lines.append(f"not read: {len(written.gaps) - SHOWN} more, all in snapshot.yaml")
    return "\n".join(lines) + "\n"
