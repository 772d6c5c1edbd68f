"""One tool by hand: what an engine would get for this call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_berth.cluster.cluster import Cluster
from kubectl_berth.cluster.scope import scope_of
from kubectl_berth.environment import Environment
from kubectl_berth.investigation.consent import raw_allowed
from kubectl_berth.knowledge.shelf import Shelf
from kubectl_berth.records import ToolResult
from kubectl_berth.safety.own_keys import own_keys
from kubectl_berth.settings import Settings
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.toolbox import Toolbox


def call_tool(
    cluster: Cluster,
    name: str,
    arguments: Mapping[str, Any],
    *,
    namespace: str | None,
    host: str,
    shelf: Shelf,
    settings: Settings,
    environment: Environment,
) -> ToolResult:
    """The result for an engine at `host`, "" for this machine. `namespace` narrows what is read, None does not."""
    scope = scope_of(cluster, namespace)
    context = Context(
        cluster=cluster,
        namespace=scope or cluster.name().namespace,
        narrowed=scope is not None,
        raw_allowed=raw_allowed(settings, host, environment),
        memory=shelf.memory(cluster),
        library=shelf.library,
        keys=own_keys(environment.variables),
    )
    return Toolbox(context).call(name, arguments)
