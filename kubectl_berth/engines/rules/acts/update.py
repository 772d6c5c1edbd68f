"""What another maxUnavailable or maxSurge of a Deployment means for its updates, in its present figures."""

from __future__ import annotations

import re
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from kubectl_berth.cluster.views import Workload
from kubectl_berth.diagnosis.capacity import unscheduled
from kubectl_berth.diagnosis.say import count
from kubectl_berth.engines.rules.acts.refused import refused
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.topic import Said
from kubectl_berth.records import Ref
from kubectl_berth.safety.shell import kubectl

_SETTING = re.compile(
    r"\bmax ?(?P<field>unavailable|surge)\b[^.?!\d]{0,40}?(?:\bto|=|:|\bof|\bis|\bat)?\s*"
    r"(?P<value>\d{1,3}%?)(?![\w.%-])",
    re.IGNORECASE,
)
_BUDGET = re.compile(r"\bpdbs?\b|\bbudgets?\b|\bdisruption", re.IGNORECASE)


def setting_asked(case: Case) -> tuple[Ref, str] | None:
    """The Deployment and "maxUnavailable=1", where a question says so; None for a budget's, or where none is meant."""
    text = case.understanding.text
    found = _SETTING.search(text)
    if found is None or _BUDGET.search(text):
        return None
    ref = next((one for one in case.subjects if one.kind == "Deployment"), None)
    return (ref, f"max{found['field'].title()}={found['value']}") if ref is not None else None


def say_update(case: Case, view: Workload, setting: str) -> Said | None:
    """How many pods an update takes away and adds then, and whether one that waits goes on."""
    field, _, value = setting.partition("=")
    strategy = view.spec.strategy
    if view.kind != "Deployment" or (strategy is not None and strategy.type == "Recreate"):
        return None
    rolling = strategy.rolling_update if strategy is not None else None
    now = {
        "maxUnavailable": rolling.max_unavailable if rolling is not None else None,
        "maxSurge": rolling.max_surge if rolling is not None else None,
    }
    then = {name: "25%" if kept is None else str(kept) for name, kept in now.items()} | {field: value}
    away = _pods(then["maxUnavailable"], view.desired, ROUND_FLOOR)
    more = _pods(then["maxSurge"], view.desired, ROUND_CEILING)
    where = ("get", "deployment", view.name, "-n", view.namespace, "-o", "jsonpath={.spec.strategy}")
    ways = [f"The strategy as it is shows `{kubectl(*where)}`."]
    if away == 0 and more == 0:
        zero = "the API server refuses it" if {then["maxUnavailable"], then["maxSurge"]} <= {"0", "0%"} else (
            "the controller then lets 1 pod go all the same")  # fmt: skip
        return Said(f"With {field} {value} {view.ref} may neither lack a pod nor have one more: {zero}.",
                    [], ways, alone=True)  # fmt: skip
    was = f" (now {now[field]})" if now[field] is not None else ""
    verdict = (
        f"With {field} {value}{was} an update of {view.ref} keeps at least {max(0, view.desired - away)} of its "
        f"{count(view.desired, 'pod')} and has at most {view.desired + more} in all at a time."
    )
    return Said(verdict + _goes_on(case, view, away), [], ways, alone=True)


def _pods(value: str, desired: int, rounding: str) -> int:
    if not value.endswith("%"):
        return int(value)
    return int((Decimal(value[:-1]) * desired / 100).to_integral_value(rounding))


def _goes_on(case: Case, view: Workload, away: int) -> str:
    """What becomes of an update that waits for a place for its new pod."""
    mine = {pod.ref for pod in case.inventory.pods_of(view.ref)}
    waiting = next((pod for pod in unscheduled(case.inventory) if pod.ref in mine), None)
    if waiting is None or view.ready < view.desired or not away or refused(case, view.ref, waiting):
        return ""
    return (
        f" The update that waits for a place for {waiting.ref} may go on then: {count(away, 'old pod')} end"
        f"{'s' if away == 1 else ''} first, and what that held on its node is free for a new one."
    )
