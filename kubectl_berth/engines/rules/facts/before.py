"""What is asked beside a fault, or cannot be told at all: said before the diagnosis."""

from __future__ import annotations

import re
from dataclasses import replace

from kubectl_berth.cluster.views import CronJob, Job
from kubectl_berth.engines.rules.allowed import untold_reach
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.facts.asked import bare
from kubectl_berth.engines.rules.facts.attributes import HOOKED, hooks
from kubectl_berth.engines.rules.facts.rolled import unfinished
from kubectl_berth.engines.rules.facts.runs import said_of_runs, timed_by_word
from kubectl_berth.engines.rules.opening import Opening
from kubectl_berth.engines.rules.run_now import under_way
from kubectl_berth.engines.rules.topic import bullets
from kubectl_berth.question.words import fits_concept

_FIGURE = (
    r"p\d{2,3}|percentiles?|latenc(?:y|ies)|response times?|throughput|rps|qps|tps|bandwidth|"
    r"(?:requests?|queries|transactions|messages|hits|calls) (?:per|a|/) ?(?:seconds?|sec|minutes?|s|hour)|"
    r"(?:error|success|hit|failure)[ -](?:rates?|ratios?)|(?:queue|backlog)(?:['’]?s)? (?:length|depth|size)|"
    r"(?:consumer|replication) lag|lag|(?:active|concurrent) (?:users|connections|sessions)"
)
_ASKS_FIGURE = re.compile(
    rf"\b(?:what(?:['’]?s)?|how (?:high|big|much|many|long|fast|bad|large)|show|tell|give|which)\b[^.?!]{{0,40}}"
    rf"(?<![\w-])(?P<figure>{_FIGURE})(?![\w-])",
    re.IGNORECASE,
)
_RUN = re.compile(
    r"\b(?:r[ua]ns?|start\w*|schedul\w+|fire\w*|trigger\w*|happen\w*|came|come|comes|last|next|sen[dt])\b",
    re.IGNORECASE,
)


def before(case: Case) -> Opening | None:
    """The sentence that a diagnosis follows; None where nothing but a fault is asked about."""
    if case.lost or case.blind:
        return None
    return _not_measured(case) or _under_way(case) or _held_up(case) or _hook(case) or _runs(case)


def _not_measured(case: Case) -> Opening | None:
    """That a figure of the application is on no object."""
    found = _ASKS_FIGURE.search(bare(case))
    if found is None or re.search(r"\bwhy\b", case.understanding.text, re.IGNORECASE):
        return None
    workloads = sorted(
        (one.ref for one in case.inventory.workloads if fits_concept("monitoring", one.name)),
        key=lambda ref: ("prometheus" not in ref.name, ref),
    )
    ask = f"Ask what measures it: {workloads[0]} runs here." if workloads else (
        "What measures it (the application's own metrics, a metrics store, a mesh or a gateway) has to be asked."
    )  # fmt: skip
    what = found["figure"].lower()
    return Opening(f"The {what} cannot be told from here: no object of the Kubernetes API holds it. {ask}", alone=True)


def _held_up(case: Case) -> Opening | None:
    words = unfinished(case) or untold_reach(case)
    return Opening(words if words.endswith(".") else f"{words}.") if words else None


def _under_way(case: Case) -> Opening | None:
    """Whether a run goes on, beside the fault of what starts it."""
    told = under_way(case) if case.causes else None
    if told is None:
        return None
    # the yes or no is to the run, not to whether it is well
    case.understanding = replace(case.understanding, yes_no=None)
    return Opening(told[0])


def _hook(case: Case) -> Opening | None:
    """What a container does at its start or its end, where that is asked of one with a fault."""
    if case.main is None or not case.causes or not re.search(rf"\bwhat\b[^?!]*(?:{HOOKED})", bare(case), re.IGNORECASE):
        return None
    told = hooks(case, case.main)
    return Opening(told[0], [bullets("", told[1]).strip()] if told[1] else []) if told is not None else None


def _runs(case: Case) -> Opening | None:
    """When a CronJob that is well last ran, where it is thought not to have."""
    if not case.healthy or not _RUN.search(case.understanding.text):
        return None
    view = case.inventory.find(case.main) if case.main is not None else None
    if isinstance(view, Job) and (above := case.inventory.owner(view)) is not None:
        view = case.inventory.find(above)
    named = view is not None
    if view is None and case.main is None:
        view = timed_by_word(case)
    if not isinstance(view, CronJob):
        return None
    head, lines = said_of_runs(case, view)
    return Opening(head if named else f"If {view.ref} is meant: {head}", [bullets("", lines).strip()])
