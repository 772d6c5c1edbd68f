"""What the tools of a run remember of the cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from kubectl_berth.cluster.cluster import Cluster, Kind
from kubectl_berth.cluster.names import read_list
from kubectl_berth.diagnosis.inventory import INSTANCES
from kubectl_berth.records import Object
from kubectl_berth.tools.context import Remembered


class Endless:
    """A cluster whose lists do not end by themselves."""

    def __init__(self) -> None:
        self.given = 0

    def list(self, kind: Kind, namespace: str | None = None, **selectors: Any) -> Iterator[Object]:
        while self.given < 4 * INSTANCES:
            self.given += 1
            yield {"metadata": {"name": f"report-{self.given}"}}


def test_of_a_custom_kind_only_so_many_are_read_and_the_rest_is_a_gap() -> None:
    endless = Endless()
    kind = Kind("reports.example.com", "v1", "Report", "reports", True, "report", (), (), ("list",))
    found, gaps = read_list(cast(Cluster, Remembered(cast(Cluster, endless))), kind)
    assert (len(found), endless.given) == (INSTANCES, INSTANCES + 1)
    assert gaps[0].detail == f"only the first {INSTANCES} were read"
