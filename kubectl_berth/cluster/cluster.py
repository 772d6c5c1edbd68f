"""What every source of objects offers: a live API, a snapshot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from kubectl_berth.records import ClusterName, Gap, Object


@dataclass(frozen=True)
class Kind:
    """One kind as discovery serves it. `group` is "" for the core API."""

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool
    singular: str = ""
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ("get", "list", "watch")
    preferred: bool = True

    @property
    def api_version(self) -> str:
        """ "v1", "apps/v1"."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def builtin(self) -> bool:
        """True for kinds of Kubernetes itself: no dot in the group, or one of its own k8s.io groups."""
        return "." not in self.group or self.group in BUILTIN_GROUPS


BUILTIN_GROUPS = frozenset(
    {
        "admissionregistration.k8s.io",
        "apiextensions.k8s.io",
        "apiregistration.k8s.io",
        "authentication.k8s.io",
        "authorization.k8s.io",
        "certificates.k8s.io",
        "coordination.k8s.io",
        "discovery.k8s.io",
        "events.k8s.io",
        "flowcontrol.apiserver.k8s.io",
        "internal.apiserver.k8s.io",
        "metrics.k8s.io",
        "networking.k8s.io",
        "node.k8s.io",
        "rbac.authorization.k8s.io",
        "resource.k8s.io",
        "scheduling.k8s.io",
        "storage.k8s.io",
        "storagemigration.k8s.io",
    }
)


@dataclass(frozen=True)
class Discovery:
    """The kinds served, preferred version first, and the groups that did not answer."""

    kinds: Sequence[Kind]
    gaps: Sequence[Gap] = ()


@dataclass(frozen=True)
class UsageFigures:
    """metrics.k8s.io at one moment: PodMetrics and NodeMetrics objects as served."""

    pods: Sequence[Object] = field(default_factory=tuple)
    nodes: Sequence[Object] = field(default_factory=tuple)
    gaps: Sequence[Gap] = ()


class Cluster(Protocol):
    """A cluster at one moment, read-only.

    Every read may raise NotFound, Forbidden, NotServed, Unavailable or Refused (errors.ReadError: each carries the
    words to show), and the first one ClusterUnreachable. Safe to call from several threads.
    """

    def name(self) -> ClusterName:
        """Source, name, version and default namespace."""

    def now(self) -> datetime:
        """The cluster's own time, UTC: the API server's Date header, or the snapshot's moment."""

    def kinds(self) -> Discovery:
        """Discovery; partial where a group is down. Read once, then remembered."""

    def list(self, kind: Kind, namespace: str | None = None, *, labels: str = "", fields: str = "") -> Iterator[Object]:
        """Objects page by page, each with apiVersion and kind filled in. `namespace` None means all."""

    def get(self, kind: Kind, name: str, namespace: str | None = None) -> Object:
        """One object."""

    def log(
        self,
        pod: str,
        namespace: str,
        container: str,
        *,
        previous: bool = False,
        tail: int | None = None,
        since: int | None = None,
        timestamps: bool = False,
    ) -> str:
        """Log text, at most 500 lines and 256 kB; bad bytes are replaced one by one. `since` is in seconds."""

    def usage(self, namespace: str | None = None) -> UsageFigures | None:
        """Usage of pods and nodes; None where metrics.k8s.io is not served."""

    def close(self) -> None:
        """Lets go of connections; a read that is under way ends with Unavailable."""
