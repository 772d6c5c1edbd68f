"""The tools, in the order in which a model is told of them."""

from __future__ import annotations

from kubectl_berth.tools.describe_resource import DESCRIBE_RESOURCE
from kubectl_berth.tools.list_pods import LIST_PODS
from kubectl_berth.tools.tool import Tool

ALL: tuple[Tool, ...] = (DESCRIBE_RESOURCE, LIST_PODS)
