"""Which namespace a reading of a cluster is confined to: the one asked for, or the only one that is in a snapshot."""

from __future__ import annotations

from kubectl_berth.cluster.cluster import Cluster
from kubectl_berth.errors import UsageError


def scope_of(cluster: Cluster, wanted: str | None) -> str | None:
    """The namespace to read, None for all. `wanted` is the one that was asked for.

    Raises UsageError where a snapshot was taken of another one: what it does not hold can only be unknown.
    """
    name = cluster.name()
    if not name.only or wanted == name.only:
        return wanted
    if wanted is None:
        return name.only
    raise UsageError(
        f"{name.source} {name.name} holds namespace {name.only} alone, and what is in {wanted} was not taken: leave "
        f"out -n, or take a snapshot of {wanted}"
    )
