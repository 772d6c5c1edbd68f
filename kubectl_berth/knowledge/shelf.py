"""What a run may look up beside the cluster: runbooks and past incidents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kubectl_berth.cluster.cluster import Cluster
from kubectl_berth.knowledge.incidents import Memory, cluster_key, own_memory
from kubectl_berth.knowledge.runbooks import Library
from kubectl_berth.knowledge.store import Store


@dataclass(frozen=True)
class Shelf:
    """Runbooks, and the store that keeps past incidents; without one they end with the run.

    `incidents` are those that a scenario brings along, as mappings of title, rootCause, fix and time.
    """

    library: Library = field(default_factory=Library)
    store: Store | None = None
    incidents: Sequence[Mapping[str, Any]] = ()

    def memory(self, cluster: Cluster) -> Memory:
        """The notes about this cluster."""
        name = cluster.name().name
        if self.store is None:
            return own_memory(self.incidents, name, cluster.now())
        return Memory(self.store, lambda: cluster_key(cluster), name)
