"""What follows from deleting, scaling down, restarting, rolling back or changing something: told, never done."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from kubectl_berth.cluster.views import (
    CustomResource,
    CustomResourceDefinition,
    Identified,
    Ingress,
    Job,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    Service,
    Workload,
)
from kubectl_berth.diagnosis.capacity_more import sample
from kubectl_berth.engines.engine import ToolCall
from kubectl_berth.engines.rules.acts.ask import NEEDED, Asked, asked
from kubectl_berth.engines.rules.acts.bounds import say_bound
from kubectl_berth.engines.rules.acts.objects import (
    say_ingress,
    say_namespace,
    say_other,
    say_service,
    say_setting,
)
from kubectl_berth.engines.rules.acts.operators import say_custom, say_definition, say_finalizers
from kubectl_berth.engines.rules.acts.pods import say_all_pods, say_pods, say_state
from kubectl_berth.engines.rules.acts.refused import refused_by_others
from kubectl_berth.engines.rules.acts.rollouts import say_restart, say_rollback
from kubectl_berth.engines.rules.acts.storage import say_claim, say_unnamed, say_volume
from kubectl_berth.engines.rules.acts.update import say_update
from kubectl_berth.engines.rules.acts.workloads import say_edit, say_gone
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.material import capital
from kubectl_berth.engines.rules.plan import describe
from kubectl_berth.engines.rules.topic import Said, Topic, findings_of
from kubectl_berth.records import Ref, ToolResult


def consequence(case: Case) -> Asked | None:
    """What is asked, where the question is what follows from an act and that can be told; None for any other."""
    found = None if case.blind or case.instead else asked(case)
    if found is None:
        return None
    known = found.ref is not None and (found.ref.kind in ("Secret", "ConfigMap") or case.inventory.find(found.ref))
    if case.lost and not known:
        return None
    return found if _said(case, found) is not None else None


def consequence_calls(case: Case) -> list[ToolCall]:
    """The object; for pods in a state the list of pods."""
    found = consequence(case)
    spaces = case.understanding.namespaces
    if found is None:
        return []
    ref = found.ref
    if ref is None or ref.kind in ("Secret", "ConfigMap", "Namespace") or case.inventory.find(ref) is None:
        space = ref.name if ref is not None and ref.kind == "Namespace" else spaces[0] if len(spaces) == 1 else ""
        return [ToolCall("list_pods", {"namespace": space} if space else {})]
    return [describe(ref, case.understanding.apis.get(ref))]


def say_consequence(case: Case, results: Sequence[ToolResult]) -> Said | None:
    """The answer; None where there is nothing to say after all."""
    found = asked(case)
    said = _said(case, found) if found is not None else None
    if said is None:
        return None
    only = case.inventory.namespace
    beyond = () if only is None else (f"Other namespaces than {only}: what there hangs on it was not read.",)
    verdict = _turned(case.understanding.text, said.verdict)
    if only is not None and not verdict.startswith("No"):
        verdict += f" Only namespace {only} was read."
    return replace(said, verdict=verdict, findings=findings_of(results), unchecked=(*beyond, *said.unchecked))


_HARM = re.compile(
    r"^\W*(?:(?:and|so|but|ok|hey)\W+)*(?:does|do|will|would|could|is there|are there|is it|any)\b[^.?!]{0,60}\b"
    r"(?:los(?:e|es|ing|s)|break\w*|hurts?|harm\w*|caus\w+|interrupt\w*|downtime|outage|risk\w*|danger\w*|affect\w*|"
    r"impact\w*|damage\w*|bad|downsides?|drawbacks?|wrong with)\b|[-,:;]\s*any (?:risks?|danger|harm|problem)",
    re.IGNORECASE,
)
"""Asks whether it does harm: a yes then means that it does."""


def _turned(text: str, verdict: str) -> str:
    """The verdict with the yes or no that such a question asks for."""
    if NEEDED.search(text):
        rest = verdict.partition(": ")[2]
        return f"Yes: {rest}" if verdict.startswith("No") else f"Not by what can be read: {rest or verdict}"
    if not _HARM.search(text):
        plain = re.match(r"\W*what\b", text, re.IGNORECASE) and verdict.startswith("Yes: ")
        return capital(verdict[len("Yes: ") :]) if plain else verdict
    if verdict.startswith("Yes"):
        return f"No, by what can be read: {verdict.partition(': ')[2]}"
    return f"Yes, it would: {verdict.partition(': ')[2]}" if verdict.startswith("No") else verdict


def _said(case: Case, what: Asked) -> Said | None:
    """The answer for the object, and for further ones that the same was asked of."""
    said = _one(case, what)
    more = [one for ref in what.more if (one := _one(case, replace(what, ref=ref, more=()))) is not None]
    if said is None or not more:
        return said
    return replace(
        said,
        verdict=" ".join(one.verdict for one in (said, *more)),
        parts=[part for one in (said, *more) for part in one.parts],
        remedies=list(dict.fromkeys(way for one in (said, *more) for way in one.remedies)),
    )


def _one(case: Case, what: Asked) -> Said | None:
    if what.ref is None:
        if what.kind == "Pod" and case.understanding.namespaces:
            return say_all_pods(case)
        return say_state(case, what.state) if what.state else say_unnamed(case, what.kind)
    if what.ref.kind in ("Secret", "ConfigMap"):
        return say_setting(case, what.ref)
    if what.ref.kind == "Namespace":
        return say_namespace(case, what.ref.name) if what.act == "delete" else None
    view = case.inventory.find(what.ref)
    if view is None:
        return None
    if what.state == "finalizer":
        return say_finalizers(case, view)
    if what.pods or isinstance(view, Pod):
        return (
            say_pods(case, what.ref, forced=what.state == "force")
            if what.act in ("delete", "restart", "loss")
            else None
        )
    if what.act == "edit" and what.state and not what.state.startswith("max"):
        return say_bound(case, what.ref, what.state)
    if what.act == "edit" and what.state:
        return say_update(case, view, what.state) if isinstance(view, Workload) else None
    if what.act == "edit":
        return say_edit(case, what, view)
    workload = _workload(case, view)
    if what.act == "rollback":
        return _not_now(case, workload, say_rollback(case, workload, what.number))
    if what.act == "restart":
        return say_restart(case, workload)
    if what.act == "scale":
        return _not_now(case, workload, say_gone(case, what, workload))
    if what.act == "loss":
        return say_gone(case, what, workload)
    return _deleted(case, what, view)


def _not_now(case: Case, view: Identified, said: Said | None) -> Said | None:
    """The answer with what keeps new pods from being made: neither a rollback nor a way back gets any then."""
    like = sample(case.inventory, view.ref) if said is not None else None
    stopped = refused_by_others(case, like) if like is not None else None
    if said is None or stopped is None:
        return said
    verdict = said.verdict.removeprefix("Yes: ")
    words = f"ew pods of {view.ref} cannot be created at present, so what ends does not come back ({stopped.why})."
    if verdict.startswith("No"):
        verdict = f"{verdict} N{words}"
    else:
        then = f"{verdict[0].lower()}{verdict[1:]}" if verdict.startswith("Only") else verdict
        verdict = f"No, not now: n{words} Once that is mended: {then}"
    return replace(said, verdict=verdict, remedies=[stopped.first, *said.remedies])


def _workload(case: Case, view: Identified) -> Identified:
    """The workload behind a Service of which alone is spoken; the object itself otherwise."""
    if not isinstance(view, Service):
        return view
    above: set[Ref] = {case.inventory.workload(pod) for pod in case.inventory.pods_of(view.ref)}
    found = case.inventory.find(next(iter(above))) if len(above) == 1 else None
    return found if isinstance(found, Workload) else view


def _deleted(case: Case, what: Asked, view: Identified) -> Said | None:
    if isinstance(view, PersistentVolumeClaim):
        return say_claim(case, view)
    if isinstance(view, PersistentVolume):
        return say_volume(case, view)
    if isinstance(view, Service):
        return say_service(case, view)
    if isinstance(view, Ingress):
        return say_ingress(case, view)
    if isinstance(view, CustomResource):
        return say_custom(case, view)
    if isinstance(view, CustomResourceDefinition):
        return say_definition(case, view)
    if isinstance(view, Workload | Job) or view.kind == "CronJob":
        return say_gone(case, what, view)
    return say_other(case, view)


CONSEQUENCE = Topic(consequence_calls, say_consequence)
