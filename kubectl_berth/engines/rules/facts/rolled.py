"""Whether a rollout is done, and which revisions there are to go back to."""

from __future__ import annotations

import re

from kubectl_berth.cluster.views import Workload, age, condition, parse_time
from kubectl_berth.diagnosis.say import count
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.facts.asked import ASKS, capped, half, in_place, only, place
from kubectl_berth.engines.rules.facts.lookups import Answer, revisions
from kubectl_berth.records import Ref

MOST = 12
KINDS = ("Deployment", "StatefulSet", "DaemonSet")
_ROLLOUT = (
    r"roll(?:ed|ing|s)?[ -]?outs?|roll(?:ed|ing)? out|deploy(?:ment|ed|ing|s)?|updat(?:e|es|ed|ing)|"
    r"upgrad(?:e|es|ed|ing)|releas(?:e|es|ed)|new (?:version|revision|image)"
)
_DONE = (
    r"finish(?:ed|es)?|complet(?:e|ed|es|ely)|done|succe(?:ed|eded|ss|ssful|ssfully)|"
    r"(?:go|gone|went|goes|going|get|got) "
    r"(?:through|out|live)|"
    r"through|over|fully|in progress|under ?way|still (?:going|running)|status|live|everywhere|ready|"
    r"get(?:ting)? on|so far|yet"
)
_WHETHER = r"^\W*(?:(?:so|and|ok|hey|please)\W+)*(?:did|has|have|was|were|is|are)\b"
_BACK = (
    r"roll(?:ed|ing)? ?backs?|roll\w* \w+ back|go(?:ing|es)? back(?: to)?|undo|rollout history|history|"
    r"previous(?:ly)?|before(?: (?:the current one|that|this))?|revert\w*|older|last"
)
_REVISION = r"revisions?|versions?|rollout history|images?"


def rolled(case: Case) -> Answer | None:
    """Yes or no to whether a rollout is done; None for another question, or where a fault holds it up."""
    if not _asks(case):
        return None
    main = _workload(case)
    if main is None:
        return None if case.subjects else _all(case)
    if not complete(main) and case.causes:
        return None  # said before the diagnosis
    same = _bearers(case, main)
    if len(same) > 1:
        done = [one for one in same if complete(one)]
        head = f"{_verdict(len(done) == len(same))}: {len(done)} of {len(same)} that bear this name are rolled out"
        return f"{head}: {'; '.join(_state(case, one) for one in same[:4])}.", [
            _state(case, one) for one in same[4:MOST]
        ]
    return _one(case, main)


def unfinished(case: Case) -> str:
    """The no to whether a rollout is done that a fault holds up; "" for anything else."""
    if not _asks(case):
        return ""
    main = _workload(case)
    return f"No: {_state(case, main)}" if main is not None and case.causes and not complete(main) else ""


def _asks(case: Case) -> bool:
    text = case.understanding.text
    begins = re.search(r"\b(?:did|has|have|was|were|is|are)\b", text, re.IGNORECASE)
    asks = re.search(rf"\b(?:{_ROLLOUT})\b", text, re.I) and re.search(rf"\b(?:{_DONE})\b", text, re.I)
    return bool(ASKS.search(text) and begins and asks and only(case, _ROLLOUT, _DONE, "latest|last|newest|recent"))


def _workload(case: Case) -> Workload | None:
    views = (case.inventory.find(ref) for ref in case.subjects)
    return next((one for one in views if isinstance(one, Workload) and one.kind in KINDS), None)


def _bearers(case: Case, main: Workload) -> list[Workload]:
    spaces = case.understanding.namespaces
    found = [
        one
        for one in case.inventory.workloads
        if (one.kind, one.name) == (main.kind, main.name) and (not spaces or one.namespace in spaces)
    ]
    return sorted(found, key=lambda one: one.ref)


def complete(view: Workload) -> bool:
    """True where every pod is of the present template and ready, and no other is left."""
    if not view.observed or view.ready < view.desired:
        return False
    if view.kind == "StatefulSet" and view.status.update_revision == view.status.current_revision:
        return True  # the count of updated pods may be left out then
    return view.updated >= view.desired and (view.kind != "Deployment" or view.status.replicas <= view.desired)


def _verdict(yes: bool) -> str:
    return "Yes" if yes else "No"


def _state(case: Case, view: Workload) -> str:
    """ "Deployment shop/web is at revision 12, 3 of 3 pods updated, 3 ready"."""
    words = f"{view.ref} is at revision {view.revision}, " if view.revision else f"{view.ref}: "
    updated = max(view.updated, view.desired if complete(view) else 0)
    words += f"{updated} of {count(view.desired, 'pod')} updated, {view.ready} ready"
    words += " (paused)" if view.spec.paused else ""
    return words if view.observed else f"{words}; its newest spec has not been seen by the controller yet"


def _one(case: Case, view: Workload) -> Answer:
    inventory = case.inventory
    newest = next(iter(revisions(inventory, view.ref)), None)
    done = complete(view)
    lines = []
    if newest is not None:
        images = ", ".join(one.image for one in newest.spec.template.spec.containers[:3])
        when = newest.metadata.creation_timestamp
        lines.append(f"revision {newest.revision} was made {age(inventory.now, when)} ago ({when}): {images}")
    progress = condition(view.status.conditions, "Progressing")
    if done and progress is not None and progress.reason == "NewReplicaSetAvailable":
        moment = parse_time(progress.last_update_time or progress.last_transition_time)
        lines += [f"it was complete {age(inventory.now, moment)} ago"] if moment else []
    strategy = view.spec.update_strategy
    if strategy is not None and strategy.type == "OnDelete":
        lines.append("its strategy is OnDelete: a pod is updated only once somebody deletes it")
    if strategy is not None and strategy.rolling_update is not None and strategy.rolling_update.partition:
        lines.append(f"partition {strategy.rolling_update.partition} holds the pods below that number back")
    if newest is None:
        youngest = max(
            (pod.metadata.creation_timestamp or "" for pod in inventory.pods_of(view.ref) if not pod.finished),
            default="",
        )
        lines += [f"its youngest pod was made {age(inventory.now, youngest)} ago"] if youngest else []
    tail = "" if done else "; no fault was found that holds it up"
    word = f"{_verdict(done)}: " if re.search(_WHETHER, case.understanding.text, re.IGNORECASE) else ""
    return f"{word}{_state(case, view)}{tail}.", lines


def _all(case: Case) -> Answer | None:
    every = [one for one in case.inventory.workloads if in_place(case, one.namespace)]
    if not every:
        return None
    under = [one for one in every if not complete(one)]
    done = f"{len(every) - len(under)} of {count(len(every), 'workload')}{place(case)} are rolled out"
    head = f"{_verdict(not under)}: {done}"
    return f"{head}{half(case, 'deployments', 'stateful_sets', 'daemon_sets')}.", capped(
        [_state(case, one) for one in under], MOST
    )


# --- what there is to go back to ------------------------------------------------------------------------------------


def earlier(case: Case) -> Answer | None:
    """The revision that a rollback leads to, and all that are kept; None for another question."""
    text = case.understanding.text
    kept = re.search(r"\brevisions\b", text, re.IGNORECASE)
    if not kept and not (re.search(rf"\b(?:{_BACK})\b", text, re.I) and re.search(rf"\b(?:{_REVISION})\b", text, re.I)):
        return None
    if not re.search(r"\b(?:what|which|show|list|rollout history)\b", text, re.I):
        return None
    view = _workload(case)
    if view is None or not only(case, _BACK, _REVISION, "ran|run|was|current|one|out|kept"):
        return None
    if view.kind != "Deployment":
        return (
            f"Which revision {view.ref} would go back to is kept in ControllerRevisions, which berth does not read; "
            f"`kubectl rollout history {view.kind.lower()}/{view.name} -n {view.namespace}` lists them."
        ), []
    return _back(case, view.ref)


def _back(case: Case, ref: Ref) -> Answer:
    kept = revisions(case.inventory, ref)
    if not kept:
        return f"No ReplicaSet of {ref} can be read, so its revisions are not known.", []
    lines = [f"revision {one.revision}{' (present)' if one is kept[0] else ''}: {_images(one)}, made "
             f"{age(case.inventory.now, one.metadata.creation_timestamp)} ago" for one in kept]  # fmt: skip
    if len(kept) == 1:
        return (
            f"{ref} is at revision {kept[0].revision}, and no earlier one is kept: there is nothing to go back to.",
            lines,
        )
    head = (
        f"{ref} is at revision {kept[0].revision} ({_images(kept[0])}); a rollback leads to revision "
        f"{kept[1].revision}: {_images(kept[1])}."
    )
    return head, capped(lines, MOST)


def _images(view: Workload) -> str:
    return ", ".join(one.image for one in view.spec.template.spec.containers[:3])
