"""What has to be said before anything else: nothing was done, the question was not understood, or is none of faults."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kubectl_berth.diagnosis.place import wider
from kubectl_berth.diagnosis.relations import resolves
from kubectl_berth.diagnosis.say import listed
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.changes import NOBODY, asks_for_changes, changes, span
from kubectl_berth.engines.rules.fit import fitting
from kubectl_berth.engines.rules.orders import quoted
from kubectl_berth.engines.rules.unanswerable import unanswerable
from kubectl_berth.engines.rules.words import complains, names_nothing, not_found, spoken_of, strange_name
from kubectl_berth.question.words import concept_of, fits_concept
from kubectl_berth.records import Ref
from kubectl_berth.safety.shell import kubectl

DONE_NOTHING = "Nothing was done: berth only reads and changes nothing."

_POLITE = r"^\W*(?:(?:please|pls|plz|now|just|go|ok|hey|(?:can|could|would|will) you)\b[\s,]*)*"
_ORDER = re.compile(
    _POLITE + r"(?:kubectl\s+)?(?P<verb>delete|remove|scale|restart|kill|evict|cordon|uncordon|patch|edit|apply|"
    r"create|deploy|install|uninstall|upgrade|roll ?back|"
    r"rollout (?:restart|undo|pause|resume)|undo|set|increase|raise|lower|stop|reboot|exec)\b"
    r"(?!\s+(?:of|is|was|are|were|loops?|counts?|fail\w*|hang\w*|policy)\b|-|:)",
    re.IGNORECASE,
)
_REQUEST = re.compile(r"^\W*(?:please|pls|plz|can you|could you|would you|will you)\b", re.IGNORECASE)
_NO_ORDER = re.compile(
    r"\b(?:why|what|how|when|which|who|not|never|fail\w*|stuck|hang\w*|hung|broken|missing|"
    r"pending|crash\w*|since|after)\b|n't\b",
    re.IGNORECASE,
)
_OUT_OF = re.compile(
    r"\b(?:did|do|does|has|have|is|are|was|were)\b[^.?!]{0,20}\b(?:nodes?|machines?|hosts?)\b[^.?!]{0,20}"
    r"\b(?:out of|short of|low on|lack\w*|no) (?:\w+ )?(disk|storage|memory|ram|pids|processes)\b[^.?!]*\?",
    re.IGNORECASE,
)
_PRESSURES = {
    **dict.fromkeys(("disk", "storage"), "DiskPressure"),
    **dict.fromkeys(("memory", "ram"), "MemoryPressure"),
    **dict.fromkeys(("pids", "processes"), "PIDPressure"),
}
_SHORTAGES = {"DiskPressure": r"disk|storage", "MemoryPressure": r"memory|\boom", "PIDPressure": r"\bpids?\b|process"}
_VERSION = re.compile(r"\bversion\b(?! of (?!the cluster|kubernetes|k8s|the server))", re.IGNORECASE)
_UPGRADE = re.compile(r"\bupgrad\w*\b[^.?!]{0,30}?\bv?1\.(\d{1,2})\b", re.IGNORECASE)


@dataclass(frozen=True)
class Opening:
    """The first sentence, and blocks that belong to it. `alone` where what the question takes for granted is moot.

    `joined` where the verdict goes on from it in the same paragraph.
    """

    headline: str
    parts: Sequence[str] = ()
    alone: bool = False
    joined: bool = False


def opening(case: Case, version: str) -> Opening | None:
    """What comes before the verdict; None where the question is one about faults. `version` is the server's."""
    if case.lost or case.blind:
        return None
    if case.instead:
        return Opening(not_found(case))
    return (
        _pressure(case)
        or _resolver(case)
        or _order(case)
        or _upgrade(case, version)
        or _changes(case)
        or _version(case, version)
        or _misplaced(case)
        or _which(case)
        or _unknown(case)
        or _denied(case)
        or _unanswered(case)
    )


def _order(case: Case) -> Opening | None:
    text = case.understanding.text
    found = _ORDER.search(text)
    if found is None or _NO_ORDER.search(text) or ("?" in text and not _REQUEST.search(text)):
        return None
    command = _command(case, found["verb"].lower())
    judge = f"If you want it, this is the command, for you to judge and run: `{command}`." if command else ""
    return Opening(DONE_NOTHING, (judge,) if judge else (), alone=True)


def _command(case: Case, verb: str) -> str:
    """The command for what takes nothing away; "" for anything else."""
    main = case.main
    if main is None or main.kind not in ("Deployment", "StatefulSet", "DaemonSet"):
        return ""
    where = (f"{main.kind.lower()}/{main.name}", "-n", main.namespace)
    wanted = re.search(r"\bto (\d{1,3})\b", case.understanding.text)
    if verb == "scale" and main.kind != "DaemonSet" and wanted and int(wanted[1]) > 0:
        return kubectl("scale", *where, f"--replicas={int(wanted[1])}")
    return kubectl("rollout", "restart", *where) if verb == "restart" else ""


def _pressure(case: Case) -> Opening | None:
    """Whether a node ran out of disk, memory or processes, where that is the question."""
    found = _OUT_OF.search(case.understanding.text)
    nodes = case.inventory.nodes
    if found is None or not nodes or "nodes" in case.inventory.unread:
        return None
    what = _PRESSURES[found[1].lower()]
    hit = [
        node.ref for node in nodes if any(one.type == what and one.status == "True" for one in node.status.conditions)
    ]
    every = [one for one in (*case.findings, *case.others) if one.subject.kind == "Node" and one.severity != "info"]
    told = [one.subject for one in every if one.reason == f"Node{what}"]
    if names := ", ".join(str(ref) for ref in dict.fromkeys((*hit, *told))):
        return Opening(f"Yes: {names} reports {what}.")
    ran_out = [one for one in every if re.search(rf"{_SHORTAGES[what]}", f"{one.reason} {one.summary}", re.IGNORECASE)]
    if ran_out:
        return Opening(f"Yes, though no node reports {what} now: {ran_out[0].subject}.")
    return Opening(f"No: no node reports {what} now.")


_DNS_ASKED = re.compile(
    r"\b(?:is|are)\s+(?:the\s+|our\s+)?(?:cluster\s+)?(?:dns|coredns|name resolution)\s+(?:\w+\s+)?"
    r"(?P<word>down|broken|dead|failing|ok|okay|fine|up|working|healthy)\b[^.?!]*\?",
    re.IGNORECASE,
)


def _resolver(case: Case) -> Opening | None:
    """Whether the cluster's DNS runs, where that is asked beside something else."""
    found = _DNS_ASKED.search(case.understanding.text)
    servers = [one for one in case.inventory.services if resolves(one)]
    if found is None or not servers or "pods" in case.inventory.unread or servers[0].ref in case.family:
        return None
    pods = [pod for pod in case.inventory.pods_of(servers[0].ref) if not pod.finished]
    ready = sum(pod.ready for pod in pods)
    yes = (ready > 0) == (found["word"].lower() in ("ok", "okay", "fine", "up", "working", "healthy"))
    state = f"{ready} of {len(pods)} pods behind {servers[0].ref} are ready"
    return Opening(f"{'Yes' if yes else 'No'}: {state}, so the cluster's DNS {'runs' if ready else 'does not run'}.")


def _minor(version: str) -> int | None:
    found = re.match(r"v?1\.(\d+)", version)
    return int(found[1]) if found else None


def _upgrade(case: Case, version: str) -> Opening | None:
    found = _UPGRADE.search(case.understanding.text)
    here = _minor(version)
    if found is None or here is None or case.subjects:
        return None
    wanted = int(found[1])
    if wanted < here:
        said = f"No: the cluster is at {version}, and Kubernetes cannot go back to 1.{wanted}."
    elif wanted == here:
        said = f"The cluster is at {version} already, which is 1.{wanted}."
    elif wanted > here + 1:
        said = (
            f"Not in one step: the cluster is at {version}, and its control plane goes up one minor version at a time."
        )
    else:
        said = (
            f"The cluster is at {version}, so 1.{wanted} is the next step; whether it is safe, the rules cannot tell."
        )
    more = f"Not checked: which APIs 1.{wanted} no longer serves, and what add-ons and operators need."
    return Opening(said, (more,))


def _version(case: Case, version: str) -> Opening | None:
    text = case.understanding.text
    asked = re.search(r"\b(?:which|what|tell|show|kubernetes|k8s|server|cluster|running)\b", text, re.IGNORECASE)
    if not version or case.subjects or not asked or not _VERSION.search(text):
        return None
    kubelets: dict[str, int] = {}
    for node in case.inventory.nodes:
        kubelet = node.status.node_info.kubelet_version or "unknown"
        kubelets[kubelet] = kubelets.get(kubelet, 0) + 1
    nodes = ", ".join(f"{name} on {number}" for name, number in sorted(kubelets.items()))
    return Opening(f"The server is Kubernetes {version}." + (f" Kubelets: {nodes} of the nodes." if nodes else ""))


def _changes(case: Case) -> Opening | None:
    text = case.understanding.text
    # beside a fault that was asked about, what changed is no answer by itself
    if not asks_for_changes(text) or (case.causes and (case.subjects or case.understanding.premises)):
        return None
    lines = changes(case)
    own = case.inventory.namespace
    within = (" in that time" if span(text) is not None else "") + (f" in namespace {own}" if own is not None else "")
    who = [NOBODY] if re.search(r"\bwho\b", text, re.IGNORECASE) else []
    if not lines:
        return Opening(f"No change is on record{within}: no new revision, no scaling, nothing of the nodes.", who)
    listed = "\n".join(["**What changed, newest first**", *(f"- {line}" for line in lines)])
    return Opening(f"The newest change on record{within} was {lines[0]}.", [listed, *who])


_WHICH = re.compile(r"\b(?:which|what|any|how many|every|all|list|show)\b", re.IGNORECASE)


def _which(case: Case) -> Opening | None:
    """Which objects of an operator's kind have a fault, where that is the question."""
    said = case.understanding
    if not said.of_kinds or len(case.subjects) < 2 or not _WHICH.search(said.text) or said.yes_no is not None:
        return None
    hit = {ref for one in (*case.causes, *case.symptoms) for ref in (one.subject, *one.effects)}
    sick = sorted(ref for ref in case.subjects if ref in hit)
    well = sorted(ref for ref in case.subjects if ref not in hit)
    kinds = " and ".join(f"{kind}s" for kind in said.of_kinds)
    if not sick:
        return Opening(f"None of the {len(well)} {kinds} has a fault that can be seen.", joined=True)
    has = "has a fault" if len(sick) == 1 else "have a fault"
    rest = f"; without one: {listed([_place(ref) for ref in well], 6)}" if well else ""
    total = len(case.subjects)
    return Opening(
        f"{len(sick)} of the {total} {kinds} {has}: {listed([_place(ref) for ref in sick], 8)}{rest}.", joined=True
    )


def _place(ref: Ref) -> str:
    return f"{ref.namespace}/{ref.name}" if ref.namespace else ref.name


def _misplaced(case: Case) -> Opening | None:
    """That the namespace named does not exist, where what was looked for in it is elsewhere."""
    said = case.understanding
    if not (said.elsewhere and said.unknown_namespaces):
        return None
    names = ", ".join(dict.fromkeys(ref.name for ref in said.elsewhere))
    found = ", ".join(dict.fromkeys(ref.namespace for ref in said.elsewhere))
    gone = ", ".join(said.unknown_namespaces)
    return Opening(f"There is no namespace {gone} that can be seen; {names} exists in {found}.", joined=True)


def _unknown(case: Case) -> Opening | None:
    said = case.understanding
    if case.subjects:
        return None
    if said.absent:
        return _no_product(case, said.absent[0])
    software = next((word for word in re.findall(r"[a-z]+", said.text.lower()) if _absent(word, case)), None)
    if software is not None and not fitting(said.text, case.causes):
        return Opening(
            f"Nothing that can be read looks like {quoted(software, 40)}{_only(case)}; this is about the rest.",
            alone=True,
        )
    if (name := _nobody(case)) is not None:
        return Opening(
            f"There is nothing called `{name}` that can be read{_only(case)}; this is about the rest.", alone=True
        )
    if (name := strange_name(case)) is not None:
        if fitting(said.text, case.causes):
            return None
        return Opening(
            f"There is nothing called {quoted(name, 40)} that can be read{_only(case)}; this is about the rest.",
            alone=True,
        )
    if not names_nothing(case) or complains(said.text):
        return None
    return Opening("This is no question about the cluster that the rules can answer. What they check was checked:")


_KILLED = re.compile(r"\boom\b|\boom-?kill\w*|\b(?:run|ran|running|runs) out of memory\b", re.IGNORECASE)


def _denied(case: Case) -> Opening | None:
    """That nothing was killed for lack of memory, where the question takes it for granted."""
    said = case.understanding
    memory = next((one for one in said.premises if one.claim == "memory" and not one.negated), None)
    found = _KILLED.search(said.text)
    if memory is None or found is None or case.inventory.unread & {"pods", "events"}:
        return None
    told = (*case.findings, *case.others) if case.wide else case.findings
    if any(re.search(r"oom|memory|evict", f"{one.reason} {one.summary}", re.IGNORECASE) for one in told):
        return None
    pods = (
        [pod for ref in case.subjects for pod in case.inventory.pods_of(ref)] if case.subjects else case.inventory.pods
    )
    statuses = [one for pod in pods for one in (*pod.status.init_container_statuses, *pod.status.container_statuses)]
    ends = [end for one in statuses for end in (one.state.terminated, one.last_state.terminated) if end is not None]
    if any(end.reason == "OOMKilled" for end in ends):
        return None
    whose = f" of {case.subjects[0]}" if case.subjects else ""
    return Opening(f"No container{whose} is on record as {quoted(found[0], 40)}: it was not killed for lack of memory.",
                   alone=True)  # fmt: skip


def _nobody(case: Case) -> str | None:
    """A word of the trade that stands for a workload of its own here, where there is none of that name."""
    text = case.understanding.text
    if spoken_of("worker", text) and not re.search(r"\bnodes?\b|\bnot ?ready\b", text, re.IGNORECASE):
        return "worker"  # else a word for a node
    there = any("etcd" in view.name for view in (*case.inventory.pods, *case.inventory.workloads))
    return "etcd" if spoken_of("etcd", text) and not there else None


def _unanswered(case: Case) -> Opening | None:
    if not unanswerable(case.understanding):
        return None
    about = f" about {case.subjects[0]}" if case.subjects else ""
    return Opening(f"This the rules cannot answer. What their checks found{about} follows:", alone=True)


def _no_product(case: Case, word: str) -> Opening:
    """That nothing is the product asked about, and what there is instead of the same kind."""
    said = case.understanding
    place = f" in namespace {', '.join(said.namespaces)}" if said.namespaces else ""
    what = (
        f"Nothing that can be read{place} looks like {quoted(word, 40)}{_only(case)}: no name, image, label, API kind"
    )
    there = f" Of its kind there is: {', '.join(map(str, said.kindred))}." if said.kindred else ""
    return Opening(f"{what}.{there} What follows is about the rest.", alone=True)


def _only(case: Case) -> str:
    own = case.inventory.namespace
    return f" (only namespace {own} was read: {wider(case.inventory)})" if own is not None else ""


def _absent(word: str, case: Case) -> bool:
    """True for a kind of software asked about ("is redis ok?") that no workload and no custom object is of."""
    concept = concept_of(word)
    if concept is None or not spoken_of(word, case.understanding.text):
        return False
    inventory = case.inventory
    images = (one.image for pod in inventory.pods for one in pod.spec.containers)
    names = (f"{one.api_version} {one.kind} {one.name}" for one in (*inventory.workloads, *inventory.custom))
    return not any(fits_concept(concept, text) for text in (*images, *names))
