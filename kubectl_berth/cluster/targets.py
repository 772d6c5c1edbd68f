"""The paths under which an API server serves what a kind, a namespace and a name mean."""

from __future__ import annotations

from urllib.parse import quote

from kubectl_berth.cluster.cluster import Kind


def segment(name: str) -> str:
    """One segment of a path. What is no name stays recognisable as such, and the allow-list refuses it."""
    return quote(name, safe=":@~+=,")


def target(kind: Kind, namespace: str | None, name: str | None = None) -> str:
    """The path of an object, or of the list where `name` is None; `namespace` None means all of them."""
    root = f"/apis/{kind.group}/{kind.version}" if kind.group else f"/api/{kind.version}"
    inside = f"/namespaces/{segment(namespace)}" if kind.namespaced and namespace is not None else ""
    return f"{root}{inside}/{kind.plural}" + ("" if name is None else f"/{segment(name)}")


def log_target(namespace: str, pod: str) -> str:
    """The path of a pod's log."""
    return f"/api/v1/namespaces/{segment(namespace)}/pods/{segment(pod)}/log"
