"""propose_remediation: a fix as the person may carry it out, each step by itself; nothing is done."""

from __future__ import annotations

import re

from kubectl_berth.records import Action
from kubectl_berth.safety.sanitise import one_line
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.dangers import dangers
from kubectl_berth.tools.kubectl_step import Command, NotOurs, read
from kubectl_berth.tools.tool import Arguments, Parameter, Report, Tool

MOST_STEPS = 12
STEP_CHARACTERS = 400

_DECORATION = re.compile(r"^\s*(?:(?:step\s*)?[0-9]{1,2}[.):]\s+|[-*•]\s+|\$\s+|>\s+)+", re.IGNORECASE)
_SPAN = re.compile(r"`+([^`]*kubectl [^`]*)`+")


def propose_remediation(context: Context, arguments: Arguments) -> Report:
    """The summary and its steps; only commands that berth itself put together are shown as commands."""
    summary = one_line(arguments.get("summary", ""), STEP_CHARACTERS)
    steps = [step for step in arguments.get("steps", []) for step in _split(step)]
    lines = [f"Proposal: {summary}", "Nothing was done. Every command is for the person to judge and to run."]
    actions: list[Action] = []
    for number, step in enumerate(steps[:MOST_STEPS], 1):
        told, command, why = _step(context, step)
        lines += [f"{number}. {line}" if not at else f"   {line}" for at, line in enumerate(_shown(told, command, why))]
        actions += command.actions if command else ()
    if len(steps) > MOST_STEPS:
        lines.append(f"({len(steps) - MOST_STEPS} more steps are left out: at most {MOST_STEPS})")
    return Report("\n".join(lines), actions=tuple(actions))


def _split(step: str) -> list[str]:
    """The lines of a step that are steps of their own."""
    return [line for line in step.splitlines() if line.strip().strip("`")]


def _step(context: Context, step: str) -> tuple[str, Command | None, str]:
    """What is said in words, the command, and why there is none."""
    step = _DECORATION.sub("", step).strip()
    span = _SPAN.search(step)
    told = _SPAN.sub("", step).strip(" :`") if span else ""
    line = span[1].strip() if span else step.strip("`").strip()
    if not line.startswith("kubectl"):
        return step, None, _danger(step) or "words only"
    try:
        return told, read(context, line), ""
    except NotOurs as error:
        danger = _danger(line)
        return step, None, f"{error}; {danger}" if danger else str(error)


def _danger(step: str) -> str:
    found = dangers(step)
    return f"careful, it {', '.join(found)}" if found else ""


def _shown(told: str, command: Command | None, why: str) -> list[str]:
    # quoted, and without backticks: nothing of it is to look like a command of ours
    words = one_line(told, STEP_CHARACTERS).replace("`", "'")
    if command is None:
        reason = why.replace("`", "'")
        return [f'Not verified by berth ({reason}): "{words}"']
    lines = [f'Not verified by berth: "{words}"'] if words else []
    if not command.changes:
        return [*lines, f"Reads only: {command.line}"]
    remark = f" ({command.remark})" if command.remark else ""
    first = "Look first" if command.remark.endswith("no dry run") else "Rehearse first"
    return [*lines, f"{first}: {command.rehearsal}", f"Then, changes the cluster{remark}: {command.line}"]


PROPOSE_REMEDIATION = Tool(
    name="propose_remediation",
    description="Writes a fix down as commands for the person; changes nothing. Name objects as read before.",
    run=propose_remediation,
    parameters=(
        Parameter("summary", "string", required=True),
        Parameter("steps", "array", "one kubectl command or sentence each", required=True),
    ),
)
