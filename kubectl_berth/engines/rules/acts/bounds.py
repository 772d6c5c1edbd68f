"""Whether an amount of cpu or memory that is to be set is one that the namespace's LimitRanges refuse."""

from __future__ import annotations

import re

from kubectl_berth.cluster.views import Workload
from kubectl_berth.diagnosis.fit import amount, show
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.topic import Said
from kubectl_berth.records import Ref
from kubectl_berth.safety.shell import kubectl

_GIVES = re.compile(r"\b(?:rais|increas|set|giv|bump|lift|put|chang|lower|reduc)\w*", re.IGNORECASE)
_AMOUNT = re.compile(
    r"(?<![\w.-])(?P<number>\d+(?:\.\d+)?)\s?(?:(?P<bytes>[KMGT]i?)B?|(?P<milli>m|millicores?)|(?P<cores>cores?|cpus?))"
    r"(?!\w)"
)
_ELSEWHERE = re.compile(r"\b(?:disks?|storage|volumes?|claims?|pvcs?|quotas?|nodes?|heap|cache)\b", re.IGNORECASE)


def amount_refused(case: Case) -> tuple[Ref, str] | None:
    """The workload and "memory=3Gi", where a question would set an amount that a LimitRange refuses; None else."""
    text = case.understanding.text
    found = _AMOUNT.search(text)
    ref = next((one for one in case.subjects if isinstance(case.inventory.find(one), Workload)), None)
    if found is None or ref is None or not _GIVES.search(text) or _ELSEWHERE.search(text):
        return None
    unit = "k" if found["bytes"] == "K" else found["bytes"] or ("m" if found["milli"] else "")
    what = f"{'memory' if found['bytes'] else 'cpu'}={found['number']}{unit}"
    return (ref, what) if _bound(case, ref, what) else None


def say_bound(case: Case, ref: Ref, what: str) -> Said | None:
    """That new pods with this amount would be refused, and by which bound."""
    bound = _bound(case, ref, what)
    if bound is None:
        return None
    limits, words = bound
    name, _, much = what.partition("=")
    verdict = (
        f"No: {limits} allows {words}, so with {much} of {name} new pods of {ref} would be refused. Those that run "
        "are not touched by it."
    )
    look = kubectl("get", "limitrange", limits.name, "-n", limits.namespace, "-o", "yaml")
    ways = [f"Stay within the bound, or have {limits} changed first by who sets it; it is shown by `{look}`."]
    return Said(verdict, [], ways, ("How much it needs: use over time decides.",), alone=True)


def _bound(case: Case, ref: Ref, what: str) -> tuple[Ref, str] | None:
    """The LimitRange that such an amount breaks, with what it allows."""
    name, _, much = what.partition("=")
    for one in case.inventory.limit_ranges:
        for item in one.spec.limits if one.namespace == ref.namespace else ():
            per = item.type.lower()
            if per not in ("container", "pod"):
                continue
            if name in item.max and amount(much) > amount(item.max[name]):
                return one.ref, f"at most {show(name, amount(item.max[name]))} of {name} per {per}"
            if per == "container" and name in item.min and amount(much) < amount(item.min[name]):
                return one.ref, f"no less than {show(name, amount(item.min[name]))} of {name} per {per}"
    return None
