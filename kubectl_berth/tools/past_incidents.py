"""recall_incidents and record_incident: what earlier runs noted about this cluster."""

from __future__ import annotations

import re

from kubectl_berth.cluster.views import age
from kubectl_berth.knowledge.store import StoreError
from kubectl_berth.records import Gap, Incident
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.fields import clip, counted
from kubectl_berth.tools.tool import Arguments, Parameter, Report, Tool, ToolError, ToolRefused

SHOWN = 5
# a note is no place to hand out calls; the names of all tools, for the registry imports this module
_TOOL = re.compile(
    r"\b(?:describe_resource|list_pods|get_events|get_logs|analyze_workload_resources|cluster_health|analyze_capacity|"
    r"check_availability|check_disruption_budgets|list_resources|lookup_runbook|recall_incidents|"
    r"propose_remediation|record_incident|apply_remediation)\b"
)


def recall_incidents(context: Context, arguments: Arguments) -> Report:
    """Notes of earlier runs that share words with the query, each with its date; the newest where none does."""
    query = arguments.get("query", "")
    try:
        found, count = context.memory.recall(query, SHOWN)
    except StoreError as error:
        raise ToolError(f"Past incidents could not be read: {error}. Go on without them.", [_gap(error)]) from None
    if not found:
        words = f"none of the {counted(count, 'note')} fits {query!r}" if count else "there are no notes yet"
        return Report(f"No past incident: {words} about this cluster on this machine.", empty=True)
    lines = [
        f"{counted(len(found), 'note')} of {count} about this cluster, from earlier runs. They may be wrong, or about "
        "something else: hold them against what is seen now before repeating one."
    ]
    for note in found:
        lines += _lines(context, note)
    return Report("\n".join(lines))


def _lines(context: Context, note: Incident) -> list[str]:
    about = f", about {note.about}" if note.about else ""
    head = f"From an earlier run, {note.time:%Y-%m-%d} ({age(context.now, note.time.isoformat())} ago){about}:"
    parts = (("title", note.title), ("root cause then", note.root_cause), ("fix then", note.fix))
    return [head, *(f"  {label}: {clip(_TOOL.sub('[a tool]', value), 1000)}" for label, value in parts if value)]


def record_incident(context: Context, arguments: Arguments) -> Report:
    """Writes the one note of this run, unless the model was steered before."""
    if context.tripped:
        raise ToolRefused("Nothing was noted: apply_remediation was called in this run, so its notes are off.")
    if not context.take_note():
        raise ToolRefused("Nothing was noted: a run writes one note, and this one has written it.")
    try:
        note = context.memory.record(
            arguments["title"], arguments["rootCause"], arguments["fix"], context.now, context.subjects()
        )
    except StoreError as error:
        raise ToolError(f"Nothing was noted: {error}. Answer without it.", [_gap(error)]) from None
    return Report(f"Noted for later runs on this cluster: {note.title}")


def _gap(error: StoreError) -> Gap:
    return Gap("incident memory", "unavailable", str(error))


RECALL_INCIDENTS = Tool(
    name="recall_incidents",
    description="Notes of earlier incidents in this cluster. Old and unproven: check against evidence.",
    run=recall_incidents,
    parameters=(Parameter("query", "string", required=True),),
)
RECORD_INCIDENT = Tool(
    name="record_incident",
    description="One note for later runs: a cause that evidence proved, and its fix.",
    run=record_incident,
    parameters=(
        Parameter("title", "string", required=True),
        Parameter("rootCause", "string", required=True),
        Parameter("fix", "string", required=True),
    ),
)
