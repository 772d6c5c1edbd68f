"""A plain no to whether something healthy is pending, restarts, was evicted or is killed for memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from kubectl_berth.cluster.views import Pod, age, seconds_since
from kubectl_berth.diagnosis.say import count
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.facts.asked import bare, only
from kubectl_berth.engines.rules.facts.lookups import Answer

DAY = 86400
_BEGINS = re.compile(r"^\W*(?:(?:so|and|ok|hey|please)\W+)*(?:is|are|was|were|does|do|did|has|have)\b", re.IGNORECASE)
_AHEAD = re.compile(r"\b(?:going to|will|about to|soon|close to|near(?:ly)?|almost|tomorrow|tonight)\b", re.IGNORECASE)
"""Asks for what may come."""
_PENDING = r"(?:stuck )?(?:in )?pending|unscheduled|unschedulable"
_RESTARTS = r"(?:keep(?:s|ing)? )?(?:restart(?:s|ing|ed)?|crash[- ]?loop\w*)|in (?:an? )?crash ?loop"
_EVICTED = r"evicted"
_MEMORY = (
    r"(?:being |get(?:s|ting)? |got )?(?:oom[- ]?kill\w*|killed (?:for|by|because of|due to|over) (?:its |the )?"
    r"(?:memory|ram|oom(?: killer)?))|(?:run(?:s|ning)?|ran) out of (?:memory|ram)|oom(?:s|ing)?"
)


def _waits(pods: Sequence[Pod]) -> bool:
    return any(pod.status.phase == "Pending" for pod in pods)


def _restarted(pods: Sequence[Pod]) -> bool:
    return any(one.restart_count for pod in pods for one in pod.status.container_statuses)


def _put_out(pods: Sequence[Pod]) -> bool:
    return any(pod.status.reason == "Evicted" for pod in pods)


def _starved(pods: Sequence[Pod]) -> bool:
    ends = (end for pod in pods for one in pod.status.container_statuses
            for end in (one.state.terminated, one.last_state.terminated))  # fmt: skip
    return any(end is not None and end.reason == "OOMKilled" for end in ends)


_STATES: tuple[tuple[str, str, Callable[[Sequence[Pod]], bool]], ...] = (
    (_PENDING, "no pod of {ref} is pending", _waits),
    (_MEMORY, "no container of {ref} is on record as killed for memory", _starved),
    (_RESTARTS, "no container of {ref} has restarted", _restarted),
    (_EVICTED, "no pod of {ref} that is kept was evicted", _put_out),
)


def not_so(case: Case) -> Answer | None:
    """The no, with what there is; None for another question, or where anything of the kind is on record."""
    text, main = bare(case), case.main
    if (
        main is None
        or not case.healthy
        or case.causes
        or case.symptoms
        or not _BEGINS.search(text)
        or _AHEAD.search(text)
    ):
        return None
    pods = case.inventory.pods_of(main)
    state = next((one for one in _STATES if re.search(rf"(?<![\w-])(?:{one[0]})(?![\w-])", text, re.I)), None)
    if state is None or not pods or main.kind == "Node" or "pods" in case.inventory.unread:
        return None
    if not only(case, state[0], "now|right now|currently|still|again|at the moment|ever|any", text=text):
        return None
    if state[2](pods):
        return _long_ago(case, pods) if state[0] in (_MEMORY, _RESTARTS) else None
    going = [pod for pod in pods if not pod.finished]
    restarts = sum(one.restart_count for pod in going for one in pod.status.container_statuses)
    ready = f"{sum(pod.ready for pod in going)} of {count(len(going), 'pod')} ready"
    youngest = max((pod.metadata.creation_timestamp or "" for pod in going), default="")
    made = f"; the youngest pod was made {age(case.inventory.now, youngest)} ago" if youngest else ""
    head = f"No: {state[1].format(ref=main)}; {ready}, {count(restarts, 'restart')} in all{made}."
    return head, []


def _long_ago(case: Case, pods: Sequence[Pod]) -> Answer | None:
    """The no where the last restart is more than a day ago; None where it is not, or has no time."""
    now = case.inventory.now
    states = [one for pod in pods for one in pod.status.container_statuses]
    ends = [end for one in states if (end := one.last_state.terminated) is not None and end.finished_at]
    last = max(ends, key=lambda end: end.finished_at or "", default=None)
    passed = seconds_since(now, last.finished_at) if last is not None else None
    if last is None or passed is None or passed <= DAY or not all(one.ready for one in states):
        return None
    told = f"{count(sum(one.restart_count for one in states), 'restart')} in all"
    how = f"{last.reason or 'no reason'}, exit code {last.exit_code}"
    return f"No, not now: {told}, the last {age(now, last.finished_at)} ago ({how}).", []
