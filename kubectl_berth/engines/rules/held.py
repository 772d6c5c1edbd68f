"""What there is: the workloads of a namespace, the storage of a workload, who issues a certificate."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kubectl_berth.cluster.views import CustomResource, PersistentVolumeClaim
from kubectl_berth.diagnosis.fit import ZERO, amount, show
from kubectl_berth.diagnosis.say import count, listed
from kubectl_berth.engines.rules.asked import ASKS, bare, capped, half, in_place, only
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.lookups import Answer
from kubectl_berth.records import Ref

MOST = 25
_RUNS = re.compile(
    r"^\W*(?:what|which (?:workloads?|apps?|applications?|things?))\b[^.?!]{0,12}\b(?:runs?|running)\b", re.I
)
_STORAGE = r"storage|disks?(?: space)?|disk space|volumes?"
_ISSUED = r"issue(?:s|d|r)?|signs?|signed"


def runs_in(case: Case) -> Answer | None:
    """The workloads of the namespaces that were named; None for another question."""
    text, spaces = bare(case), case.understanding.namespaces
    if case.subjects or not spaces or not _RUNS.search(text) or not only(case, "all|there|inside", text=text):
        return None
    inventory = case.inventory
    found = [one for one in (*inventory.workloads, *inventory.cron_jobs) if in_place(case, one.namespace)]
    found = sorted((one for one in found if inventory.owner(one) is None), key=lambda one: one.ref)
    gone = half(case, "deployments", "stateful_sets", "daemon_sets", "cron_jobs")
    where = f"namespace {', '.join(spaces)}"
    if not found:
        return None
    rows = []
    for one in found:
        pods = [pod for pod in inventory.pods_of(one.ref) if not pod.finished]
        rows.append(f"{one.ref} ({sum(pod.ready for pod in pods)} of {count(len(pods), 'pod')} ready)")
    head = f"{count(len(rows), 'workload')} {'is' if len(rows) == 1 else 'are'} in {where}{gone}"
    return (f"{head}: {'; '.join(rows)}.", []) if len(rows) <= 4 else (f"{head}.", capped(rows, MOST))


def storage_of(case: Case) -> Answer | None:
    """The volume claims of a workload with their sizes; None for another question."""
    text, main = bare(case), case.main
    asks = re.search(rf"\bhow (?:much|big|large|many)\b[^.?!]{{0,20}}\b(?:{_STORAGE})\b", text, re.IGNORECASE)
    if main is None or asks is None or main.kind not in ("Deployment", "StatefulSet", "DaemonSet", "Pod"):
        return None
    if not only(case, _STORAGE, "have|has|get|got|take|takes|in total|claim|claimed|request|requested", text=text):
        return None
    inventory = case.inventory
    refs = sorted({Ref("PersistentVolumeClaim", pod.namespace, name)
                   for pod in inventory.pods_of(main) for name in pod.claims})  # fmt: skip
    claims = [one for ref in refs if isinstance(one := inventory.find(ref), PersistentVolumeClaim)]
    if not claims:
        return None if refs or "claims" in inventory.unread else (f"{main} uses no volume claim.", [])
    sizes = [one.status.capacity.get("storage") or one.spec.resources.requests.get("storage") or "" for one in claims]
    whole = show("storage", sum((amount(size) for size in sizes if size), ZERO))
    rows = [f"{one.ref}: {size or 'size not known'}" for one, size in zip(claims, sizes, strict=True)]
    head = f"{main} has {count(len(claims), 'volume claim')} of {whole} {'together' if len(claims) > 1 else 'in size'}"
    return f"{head}; how full they are is not on any object.", capped(rows, MOST)


def issuer_of(case: Case) -> Answer | None:
    """Who issues a certificate, as its own spec says; None for another question."""
    text, main = bare(case), case.main
    view = case.inventory.find(main) if main is not None else None
    if not isinstance(view, CustomResource) or not re.search(rf"\b(?:{_ISSUED})\b", text, re.IGNORECASE):
        return None
    if not ASKS.search(text) or not only(case, _ISSUED, "tls|certs?|certificates?|by|whom?", text=text):
        return None
    spec = view.spec if isinstance(view.spec, Mapping) else {}
    told = [_named(value) for key, value in spec.items() if re.match(r"issuer", str(key), re.IGNORECASE)]
    told = [one for one in told if one]
    return (f"{view.ref} names {listed(told, 3)} as its issuer.", []) if told else None


def _named(value: object) -> str:
    """ "ClusterIssuer corporate" for a reference, the name alone for a word."""
    if isinstance(value, Mapping):
        kind, name = str(value.get("kind") or "Issuer"), str(value.get("name") or "")
        value = f"{kind} {name}" if name else ""
    return value if isinstance(value, str) and re.fullmatch(r"[\w.:/ -]{1,160}", value) else ""
