"""The first line of an answer: the outcome in one sentence."""

from __future__ import annotations

import re
from dataclasses import replace

from kubectl_berth.cluster.views import CustomResource, Workload
from kubectl_berth.diagnosis.family import concerning, family_of
from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.diagnosis.say import listed
from kubectl_berth.diagnosis.unknown import unknown_states
from kubectl_berth.engines.rules.beside import gist
from kubectl_berth.engines.rules.blamed import blamed
from kubectl_berth.engines.rules.case import Case, telling_kinds
from kubectl_berth.engines.rules.material import (
    LOG_REPEATS,
    MOST_CAUSES,
    UNREAD,
    Material,
    about,
    bare,
    capital,
    clause,
    log_of,
    spoken,
    why,
)
from kubectl_berth.engines.rules.restarts import last_restart
from kubectl_berth.engines.rules.resting import resting
from kubectl_berth.engines.rules.serving import endpoints_of, figure
from kubectl_berth.engines.rules.special import own_note
from kubectl_berth.engines.rules.words import asks_whether_alike, not_found
from kubectl_berth.records import Finding, Ref


def verdict(material: Material) -> str:
    """The first line: the outcome in one sentence, as yes or no where the question wants it."""
    case = material.case
    worst = next(iter((*case.causes, *case.symptoms)), None)
    if case.reach is not None and case.reach.blind:
        return f"**{case.reach.headline}**"
    if case.lost:
        return f"**{not_found(case)}**"
    moot = material.opening is not None and material.opening.alone
    if worst is None:
        answer = "" if moot else _answer(case, fault=False)
        return f"**{capital(_blind(case) or answer + _healthy(material))}**"
    main = case.main
    if main is not None and case.mixed and not concerning([worst], family_of(main, case.inventory)):
        clean = f"{main} looks healthy ({figure(case.inventory, main) or 'nothing found'})"
        return f"**{capital(_answer(case, fault=False) + clean)}. {capital(_wide_verdict(material))}**"
    if main is None:
        answer = "" if moot else _answer(case, fault=True)
        return f"**{capital(answer + _wide_verdict(material))}**"
    said = clause(about(material, worst, main)) + gist(material, worst)
    if (chain := _chain(material, worst, said)) and worst.subject not in case.explained:
        said = chain
    elif (own := _own_symptom(material, worst)) is not None:
        said = _joined(material, own, main, worst, said)
    state = _state(case)
    head = _head(case, main)
    known = figure(case.inventory, head)
    label = f"{head} {state}" + (f" ({known})" if known else "")
    joint = ", but " if state in UP else ". "
    said = said if state in UP else capital(said)
    return f"**{_answer(case, fault=True)}{label}{joint}{said}{why(material, worst)}.{_second(material)}**"


def _head(case: Case, main: Ref) -> Ref:
    """The Deployment of a ReplicaSet that the question did not name itself."""
    view = case.inventory.find(main) if main.kind == "ReplicaSet" else None
    owner = case.inventory.owner(view) if view is not None else None
    return owner if owner is not None and main.name not in case.understanding.text else main


def _second(material: Material) -> str:
    """The other causes, so that nobody stops at the first."""
    causes = material.case.causes
    if len(causes) < 2:
        return ""
    more = f", and {len(causes) - 2} more below" if len(causes) > 2 else ""
    return f" Besides that: {clause(about(material, causes[1]))}{more}."


GENERIC = ("ReplicasNotReady", "RolloutStalled", "ServiceWithoutEndpoints", "ServiceEndpointsNotReady", "JobFailing")
"""Reasons that only say that something below is wrong."""


def _own_symptom(material: Material, root: Finding) -> Finding | None:
    """What the subject itself shows, where its cause lies elsewhere (on a node, behind a webhook)."""
    case = material.case
    main = case.main
    if main is None or root.subject in case.family:
        return None
    own = {main, *(pod.ref for pod in case.inventory.pods_of(main)), *(v.ref for v in case.inventory.descendants(main))}
    own |= {ref for ref in case.family if isinstance(case.inventory.find(ref), CustomResource)}
    mine = [one for one in case.symptoms if one.subject in own and one.reason not in GENERIC]
    return next((one for one in mine if one.caused_by == root.subject), None)


def _joined(material: Material, own: Finding, main: Ref, root: Finding, said: str) -> str:
    """What the subject shows and the cause in one; the cause's words take the place of its name in the other's."""
    told = clause(about(material, own, main))
    effect, colon, named = own.summary.partition(": ")
    parts = colon and effect.count("(") == effect.count(")")  # inside brackets it parts a code from its sentence
    if parts and root.subject.name in named and effect in told and not effect.endswith(f" {own.subject.kind}"):
        return f"{told[: told.index(effect) + len(effect)]}: {said}"
    return _so(told, said, root)


def _so(effect: str, said: str, root: Finding) -> str:
    """Effect and cause in one sentence; words that begin with the name of their object are no clause of "because"."""
    return f"{effect}; the cause is {said}" if said.startswith(f"{root.subject}: ") else f"{effect}, because {said}"


def _chain(material: Material, root: Finding, said: str) -> str:
    """What the subject's own log says it cannot reach or waits for, where that was followed, and then the cause."""
    for log in material.logs:
        down = next((target for target in log.targets if target.down), None)
        if down is None or log.wanted.pod not in material.case.explained:
            continue
        waits = down.words.startswith("it waits for ")
        if down.ref == root.subject:
            return (
                f"{log.wanted.pod} waits for {said}" if waits else f"{log.wanted.pod} needs {down.host}, that is {said}"
            )
        if not waits:
            return _so(f"{log.wanted.pod} needs something that is down: {down.words}", said, root)
        return _so(f"{log.wanted.pod} {down.words.removeprefix('it ')}", said, root)
    return ""


def _answer(case: Case, *, fault: bool) -> str:
    asked = case.understanding.yes_no
    if asks_whether_alike(case.understanding.text):
        return ""  # the yes or no is another one
    if fault and (told := blamed(case)):
        return told
    if asked is None or (not fault and (case.reach is not None or starting(case) or _at_rest(case) or _quiet(case))):
        return ""
    if asked in ("up", "down") and case.main is not None:
        if case.reach is not None:
            return ""  # "reachable from jobs?": the other side was not read
        serves = not fault or _state(case) in (*UP[:2], READY, PARTLY)
        return "Yes, " if serves == (asked == "up") else "No, "
    return "Yes, " if fault == (asked in ("bad", "down")) else "No, "


def _quiet(case: Case) -> bool:
    """True where neither up nor down says it: done, idle, being updated."""
    asked = case.understanding.yes_no in ("up", "down")
    return asked and case.main is not None and bool(resting(case.inventory, case.main))


def _at_rest(case: Case) -> bool:
    """True where the subject wants no pods at all."""
    return case.main is not None and figure(case.inventory, case.main).startswith("0 of 0")


def starting(case: Case) -> bool:
    """True where the subject has no fault and fewer ready pods than it wants: they are young."""
    if case.main is None or case.main.kind in ("Node", "Namespace", "Service"):
        return False
    counts = re.match(r"(\d+) of (\d+)", figure(case.inventory, case.main))
    return counts is not None and case.healthy and int(counts.group(1)) < int(counts.group(2))


READY = "is ready"
UP = ("still serves", "is up at the moment", "runs", READY)
TRAFFIC = ("Service", "Ingress", "IngressClass", "NetworkPolicy", "Gateway", "HTTPRoute")
"""Kinds whose fault keeps traffic from pods that are fine themselves."""
PARTLY = "is degraded"


def _state(case: Case) -> str:
    main = case.main
    counts = re.match(r"(\d+) of (\d+)", figure(case.inventory, main) if main is not None else "")
    if counts is None:
        critical = any(finding.severity == "critical" for finding in (*case.causes, *case.symptoms))
        return "is not healthy" if critical else "has a fault"
    up, wanted = int(counts.group(1)), int(counts.group(2))
    if up == 0:
        return "is not healthy"
    if up < wanted:
        return PARTLY
    if main is not None and main.kind == "Node":
        view = case.inventory.node(main.name)
        return READY if view is not None and view.ready else "is not ready"
    if any(one.subject.kind in TRAFFIC or one.reason == LOG_REPEATS for one in case.causes):
        return UP[2]
    if main is not None and not _answered(case.inventory, main):
        return UP[2]
    return UP[1] if _dies_now_and_then(case) else UP[0]


def _answered(inventory: Inventory, main: Ref) -> bool:
    """False where Services stand in front of its pods, and not one of them has a ready endpoint."""
    labels = [pod.metadata.labels for pod in inventory.pods_of(main) if not pod.finished]
    fronts = [
        endpoints_of(inventory, service)
        for service in inventory.services
        if service.namespace == main.namespace
        and service.spec.selector
        and any(service.spec.selector.items() <= each.items() for each in labels)
    ]
    known = [state for state in fronts if state is not None]
    return not known or any(state.ready for state in known)


def _dies_now_and_then(case: Case) -> bool:
    """True where the faulty pod itself is among the ready ones: it will be down again."""
    sick = [
        case.inventory.pod(one.subject.namespace, one.subject.name) for one in case.causes if one.subject.kind == "Pod"
    ]
    return any(pod is not None and pod.ready for pod in sick)


SHORT = 100
"""Characters of a log's line where several faults share a sentence."""


def _wide_verdict(material: Material) -> str:
    case = material.case
    spaces = case.understanding.namespaces
    place = f"in namespace {', '.join(spaces)}" if spaces else "in the cluster"
    worst = case.causes or case.symptoms
    if len(worst) == 1:
        if spaces and worst[0].subject.namespace not in spaces and worst[0].subject.name not in spaces:
            place = f"that reaches into namespace {', '.join(spaces)}"
        said = clause(about(material, worst[0])) + gist(material, worst[0])
        return f"one fault {place}: {said}{why(material, worst[0])}{_brings(material, worst[0])}."
    names = "; ".join(_named(material, finding) for finding in worst[:MOST_CAUSES])
    more = f"; and {len(worst) - MOST_CAUSES} more" if len(worst) > MOST_CAUSES else ""
    return f"{len(worst)} faults {place}: {names}{more}."


def _named(material: Material, finding: Finding) -> str:
    """A finding by its object and its reason in words: "Pod shop/api-0 (crash loop)"."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", finding.reason)
    plain = " ".join(
        word if word.isupper() or re.search(r"[A-Z].*[A-Z]", word) else word.lower() for word in words.split()
    )
    log = log_of(material, finding) if finding in material.case.causes else None
    line = log.best if log is not None and not finding.reason.lower().startswith("oom") else None
    told = f": {spoken(replace(line, line=bare(line.line)), SHORT)}" if line is not None else ""
    return f"{finding.subject} ({plain}{told})"


def _brings(material: Material, root: Finding) -> str:
    """The effect that explains what a person notices, where the cause alone does not say it."""
    effects = [
        one
        for one in material.case.symptoms
        if one.reason not in GENERIC and one.subject.kind != "Pod" and str(one.subject) not in root.summary
    ]
    worst = next((one for one in effects if one.severity == "critical"), next(iter(effects), None))
    if worst is None or worst.subject == root.subject:
        return _waits_for(material, root) or _down(material, root)
    return f"; so {clause(about(material, worst))}"


def _down(material: Material, root: Finding) -> str:
    """The workload elsewhere that has no ready pod for it, where the cause does not name it."""
    for one in material.case.symptoms:
        view = material.case.inventory.find(one.subject)
        own = {pod.ref for pod in material.case.inventory.pods_of(one.subject)}
        if (
            isinstance(view, Workload)
            and not view.ready
            and root.subject not in own
            and one.subject.name not in root.summary
        ):
            return f"; so no pod of {one.subject} is ready"
    return ""


def _waits_for(material: Material, root: Finding) -> str:
    """The workload whose log says that it needs what is at fault, where nothing else tells what the fault brings."""
    for log in material.logs:
        if log.wanted.pod in material.case.explained and any(
            one.down and one.ref == root.subject for one in log.targets
        ):
            return f"; {log.workload} waits for it"
    return ""


def _healthy(material: Material) -> str:
    case = material.case
    limits = ", as far as it can be read" if any(gap.why in UNREAD for gap in material.gaps) else ""
    untold = _untold(case)
    if case.subjects:
        main, *rest = case.subjects
        if main in untold:
            return f"whether {main} is healthy is not known: no status says so; no fault was found."
        known = figure(case.inventory, main)
        note = own_note(case)
        if note is not None:
            return f"{clause(about(material, note))}; that is no fault, and none was found{limits}."
        seen = [
            f"{ref}" + (f" ({until})" if "valid" in (until := figure(case.inventory, ref)) else "") for ref in rest[:4]
        ]
        others = f" Looked at too: {', '.join(seen)}." if rest else ""
        state = f" ({known})" if known else ""
        if quiet := resting(case.inventory, main):
            return f"{main} {quiet}{limits}; no fault was found.{others}"
        if _at_rest(case):
            return f"{main} is scaled to zero, so nothing of it runs{limits}; no fault was found.{others}"
        if starting(case):
            still = "is still starting" if known.startswith("0 ") else "serves, and pods of it are still starting"
            return f"{main} {still}{state}{limits}: nothing has failed so far.{others}"
        return f"{main} looks healthy{state}{limits}: no fault found.{_lately(material)}{others}"
    spaces = case.understanding.namespaces
    place = f"namespace {', '.join(spaces)}" if spaces else "the cluster"
    kinds = telling_kinds(case.understanding)
    if kinds and case.others:
        return f"no fault found in {place} with any {' or '.join(kinds)}{limits}."
    if untold:
        return f"no fault was found in {place}, but no status says how {listed(list(map(str, untold)), 3)} is."
    only = ", and nothing else was read" if case.inventory.namespace is not None else ""
    return f"nothing is broken: {place} looks healthy{limits}{only}.{_left_over(material)}{_lately(material)}"


def _lately(material: Material) -> str:
    """The last restart, unless what the question took for granted is answered with it."""
    last = "" if any("restart" in line for line in material.premises) else last_restart(material.case)
    return f" {last}" if last else ""


_VITAL = ("pods", "deployments", "stateful_sets", "daemon_sets")
"""Without these nobody can say that all is well."""


def _blind(case: Case) -> str:
    """Where what matters could not be read, or there is nothing, nobody can say that all is well; "" elsewhere."""
    inventory = case.inventory
    if case.subjects:
        main = case.subjects[0]
        if "pods" in inventory.unread and isinstance(inventory.find(main), Workload) and not inventory.pods_of(main):
            known = figure(inventory, main)
            state = f" (its status says {known})" if known else ""
            return f"whether {main} is healthy cannot be told: its pods could not be read{state}. No fault was found."
        return ""
    everywhere = inventory.namespace is None and not case.understanding.namespaces
    unread = [name for name in (*_VITAL, *(("nodes",) if everywhere else ())) if name in inventory.unread]
    if unread:
        what = listed([name.replace("_", " ") for name in unread])
        held = "In what could be, no fault was found."
        return f"whether anything is broken cannot be told: {what} could not be read. {held}"
    if not everywhere or inventory.pods or inventory.workloads or inventory.nodes:
        return ""
    return "the cluster holds no node, no pod and no workload that can be read: there is nothing to judge."


def _untold(case: Case) -> list[Ref]:
    """What the question is about and no status tells of."""
    spaces = {"", *case.understanding.namespaces}
    within = [ref for ref in unknown_states(case.inventory) if len(spaces) == 1 or ref.namespace in spaces]
    return [ref for ref in within if not case.subjects or ref in case.family]


def _left_over(material: Material) -> str:
    """What is no fault but may be what the question speaks of, where it takes harm for granted."""
    case = material.case
    harm = {"crash", "failing", "down", "pending"} & {one.claim for one in case.understanding.premises}
    notes = [one for one in case.notes if one.subject.kind != "PodDisruptionBudget"]
    return f" {capital(clause(about(material, notes[0])))}." if harm and notes else ""
