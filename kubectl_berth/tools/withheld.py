"""What is said in the place of raw diagnostics that the data policy keeps from an engine."""

from __future__ import annotations

from kubectl_berth.records import Gap
from kubectl_berth.safety import shell
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.pods import pod_rows
from kubectl_berth.tools.target import Target
from kubectl_berth.tools.tool import ToolWithheld

SETTING = "AI_ALLOW_RAW_DIAGNOSTICS=true or --allow-raw-diagnostics"


def withheld(
    context: Context, target: Target, tool: str, *, container: str = "", previous: bool = False
) -> ToolWithheld:
    """The error for a log or a description: what to set, what the person can run, what is known without it."""
    what = "Logs are" if tool == "get_logs" else "The description is"
    command = kubectl(target, tool, container=container, previous=previous)
    known = ""
    if target.ref.kind == "Pod":
        pods, _ = context.objects("Pod", target.namespace)
        row = next((row for row in pod_rows(pods, context.now) if row.ref == target.ref), None)
        known = f" Known without it: {row.line()}." if row else ""
    note = f" ({target.note}.)" if target.note else ""
    words = (
        f"{what} withheld from this engine by the data policy, unless {SETTING} is set. The person can run: "
        f"{command}{known}{note} Name this gap, that setting and that command in the answer. list_pods and get_events "
        "are still given."
    )
    gap = Gap(
        f"{'log' if tool == 'get_logs' else 'description'} of {target.ref}", "withheld", f"set {SETTING}; or {command}"
    )
    return ToolWithheld(words, [gap])


def kubectl(target: Target, tool: str, *, container: str = "", previous: bool = False) -> str:
    """The kubectl command that shows the person what was withheld."""
    space = shell.in_namespace(target.ref.namespace)
    if tool != "get_logs":
        return shell.kubectl("describe", target.kind.singular or target.kind.kind.lower(), target.ref.name, *space)
    name = target.ref.name if target.ref.kind == "Pod" else f"{target.kind.plural}/{target.ref.name}"
    which = ("-c", container) if container else ()
    return shell.kubectl("logs", name, *space, *which, "--previous" if previous else "")
