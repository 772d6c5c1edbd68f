"""The case that a question makes: its subjects, the findings that concern them, the containers whose logs may tell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from kubectl_berth.cluster.views import Pod
from kubectl_berth.diagnosis.family import concerning, family_of, inside
from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.engines.rules.fit import fitting
from kubectl_berth.engines.rules.orders import unmarked
from kubectl_berth.engines.rules.reach import Reach, reach_of
from kubectl_berth.engines.rules.shipped import shipped_in_vain
from kubectl_berth.question.intents import Intent
from kubectl_berth.question.understand import Understanding
from kubectl_berth.records import Finding, Ref

_CHOICE = re.compile(r"\bwhich (?:one )?of\b|\bor\b", re.IGNORECASE)
"""Several are named, and the question is which of them it is."""


@dataclass
class Case:
    """What the rules engine knows before it reads logs.

    `findings` concern the question, causes first; `others` are the rest of the cluster's. `family` are the subjects
    with what belongs to them. `explained` are pods whose log says that something else is down; `wide` is True where no
    object was named, `mixed` where namespaces were named beside an object that lies in none of them. `reach` is what
    was asked about and lies beyond the one namespace read. `passing` is what the question mentions and is well, where
    its words fit faults elsewhere.
    """

    understanding: Understanding
    inventory: Inventory
    subjects: tuple[Ref, ...]
    findings: list[Finding]
    others: list[Finding]
    family: frozenset[Ref] = field(default_factory=frozenset)
    wide: bool = False
    explained: set[Ref] = field(default_factory=set)
    mixed: bool = False
    reach: Reach | None = None
    passing: tuple[str, ...] = ()

    @property
    def lost(self) -> bool:
        """True where what was named exists nowhere, so that nothing can be said about it."""
        said = self.understanding
        return not self.subjects and (bool(said.missing) or _nowhere(said, self.inventory))

    @property
    def blind(self) -> bool:
        """True where nothing of what was asked about was read."""
        return self.reach is not None and self.reach.blind

    @property
    def instead(self) -> bool:
        """True where nothing bears the name asked for, and what it goes on from is told of instead."""
        said = self.understanding
        instead = bool(self.subjects) and set(self.subjects) <= set(said.longer)
        return instead and not users_of(said.missing, said.namespaces, self.inventory)

    @property
    def healthy(self) -> bool:
        """True where nothing is wrong with what was asked about."""
        return not (self.lost or self.causes or self.symptoms)

    @property
    def main(self) -> Ref | None:
        """The object asked about first."""
        return self.subjects[0] if self.subjects else None

    @property
    def causes(self) -> list[Finding]:
        """Root causes that are faults."""
        return [finding for finding in self.findings if finding.severity != "info" and self.is_root(finding)]

    @property
    def symptoms(self) -> list[Finding]:
        """Faults that another finding explains."""
        return [finding for finding in self.findings if finding.severity != "info" and not self.is_root(finding)]

    @property
    def notes(self) -> list[Finding]:
        """What was found but is no fault."""
        return [finding for finding in self.findings if finding.severity == "info"]

    def is_root(self, finding: Finding) -> bool:
        """True where no other finding of the case explains this one."""
        if finding.caused_by is None:
            return True
        return not any(other.subject == finding.caused_by and other is not finding for other in self.findings)


def make_case(understanding: Understanding, inventory: Inventory, findings: Sequence[Finding]) -> Case:
    """Sorts the findings by whether they concern the question. What they quote is set in no mark of Markdown."""
    findings = [_unmarked(finding) for finding in findings]
    understanding = _doubts(understanding, findings)
    subjects = _subjects(understanding, inventory, findings)
    spaces = {"", *understanding.namespaces}
    mixed = bool(understanding.namespaces and understanding.subjects) and all(
        r.namespace not in spaces for r in subjects
    )
    family = frozenset(member for ref in subjects for member in family_of(ref, inventory))
    if subjects:
        family |= _guards(understanding, subjects, inventory)
    chosen = _chosen(understanding, inventory, findings, family, mixed=mixed)
    passing: tuple[str, ...] = ()
    if inventory.namespace is None and (
        meant := _meant_elsewhere(understanding, subjects, chosen, findings, inventory)
    ):
        passing = _well(understanding, subjects)
        subjects, family, mixed, chosen = (), frozenset(), False, meant
        understanding = replace(understanding, subjects=(), namespaces=(), guessed=False, by_kind=False)
    elif few := _all_there_is(understanding, subjects, chosen, inventory):
        subjects, family = few, frozenset(member for ref in few for member in family_of(ref, inventory))
    reach = reach_of(understanding, inventory, subjects, chosen)
    if inventory.namespace is not None:
        # the others that were named are told of in the reach; what follows is about the one read
        understanding = replace(understanding, namespaces=(inventory.namespace,))
    if reach is not None and reach.blind:
        subjects, family, chosen, mixed = (), frozenset(), [], False
    if not subjects and (held := shipped_in_vain(understanding.text, chosen, inventory)):
        chosen = [*held, *(one for one in chosen if one not in held)]
    others = [finding for finding in findings if finding not in chosen]
    subjects = _sick_first(understanding, subjects, chosen, inventory)
    if len(subjects) > 1 and not understanding.by_kind:
        chosen = _main_first(chosen, subjects[0], inventory)
    return Case(understanding, inventory, subjects, chosen, others, family, not subjects,
                mixed=mixed, reach=reach, passing=passing)  # fmt: skip


def _subjects(said: Understanding, inventory: Inventory, findings: Sequence[Finding]) -> tuple[Ref, ...]:
    """What the question is about: what it names, or what stands for a name that is not there."""
    subjects = said.subjects or said.elsewhere or said.likely
    subjects = subjects or users_of(said.missing, said.namespaces, inventory)
    return subjects or _broken(said.longer, inventory, findings)


def _chosen(
    said: Understanding, inventory: Inventory, findings: Sequence[Finding], family: frozenset[Ref], *, mixed: bool
) -> list[Finding]:
    """The findings that concern the question."""
    if not family:
        return [] if said.missing or _nowhere(said, inventory) else _unnamed(said, inventory, findings)
    chosen = concerning(findings, family)
    if not mixed:
        return chosen
    there = inside(findings, said.namespaces)
    return [one for one in findings if one in chosen or one in there]


MOST_WORKLOADS = 2
"""Workloads of a namespace up to which a complaint about it is one about them."""


def _all_there_is(
    said: Understanding, subjects: Sequence[Ref], chosen: Sequence[Finding], inventory: Inventory
) -> tuple[Ref, ...]:
    """The few workloads of the one namespace that a complaint mentions, where the objects show no fault of it."""
    if subjects or len(said.mentioned) != 1 or said.namespaces != said.mentioned or said.kinds or said.missing:
        return ()
    if said.yes_no is not None or set(said.intents) != {"diagnose"} or any(one.severity != "info" for one in chosen):
        return ()
    there = [
        one.ref
        for one in inventory.workloads
        if one.namespace in said.namespaces and one.kind in _LASTING and inventory.owner(one) is None
    ]
    return tuple(there) if len(there) <= MOST_WORKLOADS else ()


_LASTING = frozenset({"Deployment", "StatefulSet", "DaemonSet"})


def _doubts(said: Understanding, findings: Sequence[Finding]) -> Understanding:
    """Words that may be names or not count as missing names only where no fault is what the question may be about.

    Nor do words of two parts that come near no name ("credit-card payments").
    """
    names = tuple(word for word in said.doubtful if "-" not in word or said.near)
    if not names or inside(findings, said.namespaces) or fitting(said.text, findings):
        return said
    return replace(said, missing=names, doubtful=(), unrecognised=())


def _meant_elsewhere(
    said: Understanding,
    subjects: Sequence[Ref],
    chosen: Sequence[Finding],
    findings: Sequence[Finding],
    inventory: Inventory,
) -> list[Finding]:
    """The faults that a complaint fits, where all that its words only resemble or mention in passing is well."""
    if any(one.severity != "info" for one in chosen) or said.yes_no is not None or set(said.intents) - _COMPLAINT:
        return []
    placed = set(said.namespaces) - set(said.mentioned)
    if placed or said.missing or said.unknown_namespaces or not (said.guessed or (said.mentioned and not subjects)):
        return []
    # what is only called alike is not left for a fault that no word names
    meant = shipped_in_vain(said.text, findings, inventory) or fitting(said.text, findings, by_name=bool(subjects))
    return concerning(findings, {one.subject for one in meant}) if meant else []


_COMPLAINT: frozenset[Intent] = frozenset({"diagnose", "health"})


def _well(said: Understanding, subjects: Sequence[Ref]) -> tuple[str, ...]:
    return tuple(str(ref) for ref in subjects) or tuple(f"Namespace {space}" for space in said.mentioned)


def _nowhere(understanding: Understanding, inventory: Inventory) -> bool:
    """True where the only namespaces named do not exist; the one that a run is narrowed to was not named."""
    return bool(understanding.unknown_namespaces) and set(understanding.namespaces) <= {inventory.namespace}


def _broken(refs: Sequence[Ref], inventory: Inventory, findings: Sequence[Finding]) -> tuple[Ref, ...]:
    """Those of these objects that have a fault of their own."""
    hit = {ref for one in findings if one.severity != "info" for ref in (one.subject, *one.effects)}
    return tuple(ref for ref in refs if hit & _own(ref, inventory))


def _unmarked(finding: Finding) -> Finding:
    summary, evidence = unmarked(finding.summary), tuple(unmarked(each) for each in finding.evidence)
    if (summary, evidence) == (finding.summary, tuple(finding.evidence)):
        return finding
    return replace(finding, summary=summary, evidence=evidence)


def _unnamed(understanding: Understanding, inventory: Inventory, findings: Sequence[Finding]) -> list[Finding]:
    """The findings of the namespaces and kinds spoken of, or all."""
    chosen = inside(findings, understanding.namespaces) if understanding.namespaces else list(findings)
    kinds = telling_kinds(understanding)
    if not kinds:
        return chosen
    own = _of_kinds(chosen, kinds, inventory)
    # a kind said in passing does not hide what is wrong elsewhere; one that was asked about does
    asked = "health" in understanding.intents or understanding.yes_no is not None
    return own if own or asked else chosen


def _guards(understanding: Understanding, subjects: Sequence[Ref], inventory: Inventory) -> set[Ref]:
    """Where nodes are to be drained, the budgets of the pods on them."""
    nodes = {ref.name for ref in subjects if ref.kind == "Node"}
    if "drain" not in understanding.intents or not nodes:
        return set()
    return {
        budget.ref
        for budget in inventory.budgets
        if any(pod.spec.node_name in nodes for pod in inventory.pods_of(budget.ref))
    }


def users_of(names: Sequence[str], namespaces: Sequence[str], inventory: Inventory) -> tuple[Ref, ...]:
    """The workloads whose pods take something from a Secret or ConfigMap of one of these names."""
    wanted = set(names)
    found = {
        inventory.workload(pod): None
        for pod in inventory.pods
        if (not namespaces or pod.namespace in namespaces) and wanted & referenced(pod)
    }
    return tuple(found)


def referenced(pod: Pod) -> set[str]:
    """Names of the Secrets and ConfigMaps that a pod takes variables, files or pull credentials from."""
    names = {one.name for one in pod.spec.image_pull_secrets}
    for container in pod.spec.all_containers:
        for variable in container.env:
            source = variable.value_from
            for key in (source.secret_key_ref, source.config_map_key_ref) if source else ():
                if key is not None:
                    names.add(key.name)
        for bundle in container.env_from:
            names.update(one.name for one in (bundle.secret_ref, bundle.config_map_ref) if one is not None)
    for volume in pod.spec.volumes:
        names.add(volume.secret.secret_name if volume.secret else "")
        names.add(volume.config_map.name if volume.config_map else "")
    return names - {""}


def _sick_first(
    understanding: Understanding, subjects: tuple[Ref, ...], findings: Sequence[Finding], inventory: Inventory
) -> tuple[Ref, ...]:
    """Of several objects that may be meant equally, those with a fault of their own come first.

    So do those named beside one that is well ("cart is fine, but promo is not").
    """
    if not subjects:
        return subjects
    main = subjects[0]
    hit = {ref for one in findings if one.severity != "info" for ref in (one.subject, *one.effects)}

    def sick(ref: Ref) -> bool:
        return bool(hit & (_own(ref, inventory) | _above(ref, inventory)))

    # a Service that fails is told with the workload of its name
    well = not any(sick(ref) for ref in subjects if ref.name == main.name)
    choice = understanding.by_kind or understanding.guessed or _CHOICE.search(understanding.text) or well
    same = subjects if choice else [r for r in subjects if (r.kind, r.name) == (main.kind, main.name)]
    if len(same) < 2:
        return subjects
    return tuple(dict.fromkeys((*(ref for ref in same if sick(ref)), *subjects)))


def _main_first(findings: list[Finding], main: Ref, inventory: Inventory) -> list[Finding]:
    """The causes that concern the object which the answer is headed with before those of the others.

    What is wrong with a node stays where it is: what it explains is often known from a log alone.
    """
    if any(one.subject.kind == "Node" and one.cause for one in findings):
        return findings
    first = [one for one in concerning(findings, family_of(main, inventory)) if one.cause]
    return [*first, *(one for one in findings if one not in first)]


def _own(ref: Ref, inventory: Inventory) -> set[Ref]:
    """The object, what it owns and its pods."""
    below = {view.ref for view in inventory.descendants(ref)}
    return {ref, *below, *(pod.ref for pod in inventory.pods_of(ref))}


def _above(ref: Ref, inventory: Inventory) -> set[Ref]:
    """What an object is made by."""
    view = inventory.find(ref)
    return set(inventory.owners(view)) if view is not None else set()


def extend(case: Case, pod: Ref, target: Ref) -> bool:
    """Takes in what is wrong with something a pod's log says it cannot reach; True where that explains the pod."""
    reach = family_of(target, case.inventory)
    every = [*case.findings, *case.others]
    more = [one for one in concerning(every, reach) if one.severity != "info"]
    own = {pod, case.inventory.workload(view) if (view := case.inventory.pod(pod.namespace, pod.name)) else pod}
    if not any(one.subject not in own for one in more):
        return False
    case.explained |= own
    root = next(one for one in more if one.subject not in own)
    kept = [replace(one, caused_by=root.subject) if one.subject in own else one for one in case.findings]
    case.findings = [*(one for one in more if one not in case.findings and one.subject not in own), *kept]
    case.others = [one for one in case.others if one not in more]
    return True


def telling_kinds(understanding: Understanding) -> tuple[str, ...]:
    """The kinds spoken of, but for words that mean any application."""
    return tuple(kind for kind in understanding.kinds if kind not in ("Pod", "Service", "Namespace"))


def _of_kinds(findings: Sequence[Finding], kinds: Sequence[str], inventory: Inventory) -> list[Finding]:
    wanted = set(kinds)

    def fits(one: Finding) -> bool:
        view = inventory.find(one.subject)
        above = {ref.kind for ref in inventory.owners(view)} if view is not None else set()
        return bool(({one.subject.kind, *(ref.kind for ref in one.effects)} | above) & wanted)

    return concerning(findings, {one.subject for one in findings if fits(one)})
