"""Which rights the tools use: the smallest role that lets every one of them work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kubectl_berth.cluster.cluster import Discovery, Kind
from kubectl_berth.cluster.kinds import METRICS_KINDS, NEWEST, builtin_kinds
from kubectl_berth.cluster.names import kind_names, searchable_kinds
from kubectl_berth.diagnosis.inventory import wanted
from kubectl_berth.safety.refuse import refused_kind


@dataclass(frozen=True, order=True)
class Right:
    """One resource of one API group ("" is the core one) and the verbs that are needed on it."""

    group: str
    resource: str
    verbs: tuple[str, ...]
    namespaced: bool = True

    def __str__(self) -> str:
        name = f"{self.resource}.{self.group}" if self.group else self.resource
        # listing alone is what most of what berth does goes by
        return f"{name} one by one (get)" if self.verbs == ("get",) and "/" not in self.resource else name


def needed(version: str = NEWEST) -> list[Right]:
    """What the tools read on a server of `version`, of its own kinds alone, in order.

    Discovery and the reviews of one's own rights are left out: Kubernetes allows them to everybody who has logged in.
    """
    kinds = [kind for kind in read_kinds(Discovery(builtin_kinds(version))) if kind.group != METRICS_KINDS[0].group]
    rights = [Right(kind.group, kind.plural, ("get", "list"), kind.namespaced) for kind in kinds]
    rights += [Right(kind.group, kind.plural, ("list",), kind.namespaced) for kind in METRICS_KINDS]
    return sorted([*rights, Right("", "pods/log", ("get",))])


def read_kinds(discovery: Discovery) -> list[Kind]:
    """The kinds that the tools list of their own accord, each once: built-in, custom, and usage figures."""
    kinds = (*wanted(discovery), *searchable_kinds(discovery), *METRICS_KINDS)
    return list({(kind.group, kind.plural): kind for kind in kinds}.values())


def custom(kinds: Sequence[Kind]) -> list[Right]:
    """What the tools read of custom kinds."""
    chosen = {
        Right(kind.group, kind.plural, ("get", "list"), kind.namespaced)
        for kind in kinds
        if not kind.builtin and "list" in kind.verbs and "/" not in kind.plural and not refused_kind(kind_names(kind))
    }
    return sorted(chosen)


def rules(rights: Sequence[Right]) -> list[dict[str, list[str]]]:
    """The rules of a role: resources of one group with the same verbs together."""
    together: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for right in sorted(rights):
        together.setdefault((right.group, right.verbs), []).append(right.resource)
    return [
        {"apiGroups": [group], "resources": resources, "verbs": list(verbs)}
        for (group, verbs), resources in together.items()
    ]
