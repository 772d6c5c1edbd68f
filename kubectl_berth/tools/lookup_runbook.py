"""lookup_runbook: the runbook that fits a symptom or a reason code, the person's own first."""

from __future__ import annotations

from kubectl_berth.knowledge.runbooks import Runbook
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.fields import clip, listed
from kubectl_berth.tools.tool import Arguments, Parameter, Report, Tool

MOST_BYTES = 6000
"""Of one runbook; a result is to stay short."""
OTHERS = 3


def lookup_runbook(context: Context, arguments: Arguments) -> Report:
    """The best runbook whole, and the titles of the next ones."""
    query = arguments["query"]
    found = context.library.match(query)
    if not found:
        titles = "; ".join(context.library.titles()[:40])
        return Report(f"No runbook fits {clip(query, 100)!r}. There are: {titles}.", empty=True)
    first, *others = found
    lines = [_head(first), *(["Reason codes: " + listed(first.reasons, 12)] if first.reasons else []), _body(first)]
    if others:
        lines.append("Others that may fit: " + "; ".join(_head(each) for each in others[:OTHERS]))
    return Report("\n".join(lines))


def _head(runbook: Runbook) -> str:
    if not runbook.own:
        return f"Runbook of berth: {runbook.title}"
    return f"Runbook of this person's own: {runbook.title}" + (f" ({runbook.source})" if runbook.source else "")


def _body(runbook: Runbook) -> str:
    raw = runbook.text.encode()
    if len(raw) <= MOST_BYTES:
        return runbook.text
    return raw[:MOST_BYTES].decode(errors="ignore") + f"\n[cut: {len(raw)} bytes in all]"


LOOKUP_RUNBOOK = Tool(
    name="lookup_runbook",
    description="What to check and do about a reason code or symptom.",
    run=lookup_runbook,
    parameters=(Parameter("query", "string", "CrashLoopBackOff, or words", required=True),),
)
