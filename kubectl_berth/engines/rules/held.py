"""What there is: the workloads of a namespace, the storage of a workload, who issues a certificate."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from kubectl_berth.cluster.views import CustomResource, PersistentVolume, PersistentVolumeClaim
from kubectl_berth.diagnosis.fit import ZERO, amount, show
from kubectl_berth.diagnosis.say import count, listed
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.facts.asked import ASKS, bare, capped, half, in_place, only, place, said_of
from kubectl_berth.engines.rules.facts.lookups import Answer
from kubectl_berth.question.words import concept_of, fits_concept
from kubectl_berth.records import Ref

MOST = 25
_RUNS = re.compile(
    r"^\W*(?:what|which (?:workloads?|apps?|applications?|things?))\b[^.?!]{0,12}\b(?:runs?|running)\b", re.I
)
_STORAGE = r"storage|disks?(?: space)?|disk space|volumes?"
_USES = re.compile(r"\b(?:who|what|which|is|does)\b[^.?!]{0,30}\b(?:us(?:es?|ed|ing)|mount(?:s|ed)?)\b", re.IGNORECASE)
_LISTS = re.compile(r"\b(?:list|show|which|what|any|are there|do we have|how many)\b", re.IGNORECASE)
_PLAIN = frozenset(
    "list show me all the which what do does we have are there is our any in run here this cluster how many namespace "
    "please exist of print give us i you see".split()
)
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


def used_by(case: Case) -> Answer | None:
    """Who mounts the volume or claim whose name is said; None for another question."""
    text, inventory = case.understanding.text, case.inventory
    if not _USES.search(text) or not re.search(rf"\b(?:{_STORAGE}|pvcs?|pvs?|claims?)\b", text, re.IGNORECASE):
        return None
    claims = [one for one in inventory.claims if re.search(said_of(one.name), text, re.IGNORECASE)]
    claims = [one for one in claims if in_place(case, one.namespace)]
    volumes = [one for one in inventory.volumes if any(re.search(said_of(name), text, re.I) for name in _called(one))]
    names = {*(one.name for one in claims), *(name for one in volumes for name in _called(one))}
    spoken = re.sub("|".join(map(said_of, names)) or "$^", " thing ", text, flags=re.IGNORECASE)
    if not names or not only(case, _STORAGE, "us(?:es?|ed|ing)|mount(?:s|ed)?|by|pods?|claims?", text=spoken):
        return None
    told = []
    for claim in claims:
        pods = [str(pod.ref) for pod in inventory.pods if pod.namespace == claim.namespace and claim.name in pod.claims]
        told.append(f"{claim.ref} is mounted by {listed(pods, 6) if pods else f'no pod{place(case)}'}")
    bound = {one.spec.volume_name for one in claims}
    for volume in (one for one in volumes if one.name not in bound):
        last = volume.spec.claim_ref
        of = f", of claim {last.namespace}/{last.name}" if last is not None else ""
        told.append(f"{volume.ref} is {volume.status.phase or 'in no phase'}{of}" + (
            f", which is gone{half(case, 'claims')}: nothing uses it" if volume.status.phase == "Released" else ""
        ))  # fmt: skip
    return f"{'; '.join(told[:4])}{half(case, 'pods')}.", told[4:MOST]


def _called(volume: PersistentVolume) -> list[str]:
    """What a volume is called: its own name, and that of the claim it was made for."""
    return [volume.name, *([volume.spec.claim_ref.name] if volume.spec.claim_ref is not None else [])]


def of_software(case: Case) -> Answer | None:
    """The workloads that are of a kind of software by their names and images; None for another question."""
    said = case.understanding
    words = [word for word in re.findall(r"[a-z]{2,}s\b", said.text.lower()) if concept_of(word)]
    if len(words) != 1 or not _LISTS.search(said.text) or (case.subjects and not said.by_kind):
        return None
    spoken = re.sub(rf"\b{words[0]}\b", " ", said.text, flags=re.IGNORECASE)
    concept = concept_of(words[0]) or ""
    if concept == "certificate" or _asks_more(spoken, said.namespaces):
        return None
    inventory = case.inventory
    hit = []
    for one in inventory.workloads:
        images = [box.image for box in one.spec.template.spec.containers]
        if (
            one.kind != "ReplicaSet"
            and in_place(case, one.namespace)
            and fits_concept(concept, " ".join([one.name, *images]))
        ):
            hit.append(f"{one.ref}: {', '.join(images[:3])}")
    tail = half(case, "deployments", "stateful_sets", "daemon_sets")
    if not hit:
        return f"No workload{place(case)} is called like one of the {words[0]} or runs such an image{tail}.", []
    head = f"{count(len(hit), 'workload')}{place(case)} {'is' if len(hit) == 1 else 'are'} called like {words[0]} "
    return f"{head}or run{'s' if len(hit) == 1 else ''} such an image{tail}.", capped(sorted(hit), MOST)


def _asks_more(text: str, spaces: Sequence[str]) -> bool:
    """True where more than a list is asked for: which of them are down, which is slow."""
    return bool({*re.findall(r"[\w'-]+", text.lower())} - _PLAIN - {*spaces})


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
