"""From the options of a command to the cluster it reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from kubectl_berth.cluster.overrides import Overrides
from kubectl_berth.errors import Refused, UsageError

if TYPE_CHECKING:
    from kubectl_berth.cluster.cluster import Cluster
    from kubectl_berth.cluster.connection import ConnectionOptions
    from kubectl_berth.environment import Environment
    from kubectl_berth.knowledge.run_files import RunFiles
    from kubectl_berth.knowledge.shelf import Shelf
    from kubectl_berth.knowledge.store import Store
    from kubectl_berth.scenarios.reader import Scenario
    from kubectl_berth.settings import Settings


@dataclass(frozen=True)
class Source:
    """Which cluster was asked for. `request_timeout` is in seconds, 0 meaning no limit."""

    kube_context: str | None = None
    namespace: str | None = None
    kubeconfig: str | None = None
    request_timeout: float | None = None
    snapshot: str | None = None
    scenario: str | None = None
    twin: bool = False
    overrides: Overrides = field(default_factory=Overrides)

    def validate(self) -> None:
        """Raises UsageError for options that exclude each other."""
        if self.twin and not self.scenario:
            raise UsageError("--twin belongs to --scenario NAME; name the scenario")
        if self.snapshot and self.scenario:
            raise UsageError("--snapshot and --scenario exclude each other; give one of them")
        offline = "--snapshot" if self.snapshot else "--scenario" if self.scenario else ""
        live = {"--context": self.kube_context, "--kubeconfig": self.kubeconfig}
        for flag, value in live.items():
            if offline and value:
                raise UsageError(f"{flag} names a live cluster and {offline} needs none; give one of them")
        if offline and self.overrides:
            raise UsageError(f"{offline} needs no connection: leave out --server, --as and the flags like them")
        if self.namespace is not None:
            from kubectl_berth.safety.refuse import check_namespace

            try:
                check_namespace(self.namespace)
            except Refused as error:
                raise UsageError(f"--namespace: {error}") from None


def load_scenario(source: Source) -> Scenario | None:
    """The scenario that was asked for, None where none was."""
    if not source.scenario:
        return None
    from kubectl_berth.scenarios.reader import load

    return load(source.scenario, twin=source.twin)


def opener(
    source: Source, scenario: Scenario | None, environment: Environment, *, quiet: bool = False
) -> Callable[[], Cluster]:
    """What opens the cluster. Opening may raise UsageError and ClusterUnreachable.

    Unless `quiet`, a note on stderr says what of a snapshot is ignored.
    """
    if scenario is not None:
        return scenario.open

    def open_cluster() -> Cluster:
        if source.snapshot:
            from kubectl_berth.cluster.snapshot import open_snapshot

            path = Path(source.snapshot)
            cluster = open_snapshot([path], source="snapshot", name=path.resolve().name)
            if cluster.empty:
                raise UsageError(f"{source.snapshot} holds no Kubernetes objects that berth reads; nothing to look at")
            if cluster.ignored and not quiet:
                environment.stderr.write(
                    f"note: {_ignored(cluster.ignored)} in {source.snapshot}: berth never reads those\n"
                )
            return cluster
        from kubectl_berth.cluster.live import connect

        return connect(connection_of(source), environment)

    return open_cluster


def _ignored(count: int) -> str:
    one = count == 1
    return f"{count} Secret{'' if one else 's'} or ConfigMap{'' if one else 's'} {'was' if one else 'were'} ignored"


def connection_of(source: Source) -> ConnectionOptions:
    """kubectl's flags as the connection takes them."""
    from kubectl_berth.cluster.connection import ConnectionOptions

    return ConnectionOptions(
        kubeconfig=source.kubeconfig,
        context=source.kube_context,
        namespace=source.namespace,
        request_timeout=source.request_timeout,
        overrides=source.overrides,
    )


def shelf_of(scenario: Scenario | None, settings: Settings, environment: Environment) -> Shelf:
    """Runbooks and past incidents; those of a scenario are its own and never touch what this machine remembers.

    Raises UsageError for a runbook directory that is none, and for a scenario's own ones that are neither text nor
    fields.
    """
    from kubectl_berth.knowledge.runbooks import open_library
    from kubectl_berth.knowledge.shelf import Shelf

    if scenario is not None:
        for name, entries, shapes in (
            ("incidents", scenario.incidents, Mapping),
            ("runbooks", scenario.runbooks, (Mapping, str)),
        ):
            if not all(isinstance(each, shapes) for each in entries):
                raise UsageError(f"scenario {scenario.name}: {name} wants entries with fields such as title")
        return Shelf(open_library(settings.runbooks, scenario.runbooks), None, scenario.incidents)
    return Shelf(open_library(settings.runbooks), store_of(settings, environment))


def store_of(settings: Settings, environment: Environment) -> Store:
    """The store on this machine."""
    from kubectl_berth.knowledge.store import FILE, Store, data_directory

    return Store(data_directory(settings, environment) / FILE)


def run_files_of(settings: Settings, environment: Environment) -> RunFiles:
    """The runs kept on this machine."""
    from kubectl_berth.knowledge.run_files import DIRECTORY, RunFiles
    from kubectl_berth.knowledge.store import data_directory

    return RunFiles(data_directory(settings, environment) / DIRECTORY)
