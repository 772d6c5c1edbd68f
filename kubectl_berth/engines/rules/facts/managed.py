"""Who manages an object, as labels, annotations and owners say, what an edit by hand is worth, what should run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kubectl_berth.cluster.views import CustomResource, Identified
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.facts.asked import ASKS, bare, only
from kubectl_berth.engines.rules.facts.lookups import Answer
from kubectl_berth.engines.rules.orders import quoted
from kubectl_berth.records import Ref

_TOOLS = r"flux\w*|argo ?cd|argo|helm|git ?ops|git|kustomize|terraform|operators?|controllers?|fleet|kapp|ci|pipeline"
_MANAGES = (
    r"manag(?:es?|ed|ing|er)|reconcil\w+|controls?|controlled|own(?:s|ed|er)?|deployed by|installed by|"
    r"maintain(?:s|ed)?|"
    r"responsible|in charge|comes? from|came from|belongs? to|in git"
)
_EDIT = (
    r"(?:kubectl )?(?:edit(?:ed|ing)?|patch(?:ed|ing)?|modif(?:y|ied|ying))|change (?:it|this|that)|by hand|"
    r"manual(?:ly)?|"
    r"directly|in place|just|simply|safely|myself|stick|last|survive"
)
_WANTED = (
    r"should|supposed|wanted|wants?|desired|declared|expects?|expected|pinned|target(?:ed)?|according to|asks? for|"
    r"meant|"
    r"intended"
)
_VERSION = r"(?:chart |image |app )?versions?|releases?|revisions?|images?|tags?|charts?"
_KEYS = re.compile(r"(?:chart|app|target|image)?(?:version|revision|tag)|ref|branch|semver", re.IGNORECASE)
_STATUS = re.compile(
    r"last(?:Attempted|Applied|Handled|Deployed)?(?:Release)?Revision|(?:chart|app)Version|revision|version|observedVersion",
    re.IGNORECASE,
)
_DEEP = 4


@dataclass(frozen=True)
class Manager:
    """What applies an object: in words, the object that says how where it can be read, and when an edit is undone."""

    words: str
    ref: Ref | None
    undone: str


def managed(case: Case) -> Answer | None:
    """Who manages the subject and whether an edit lasts; None for another question."""
    text = bare(case)
    main = case.main
    asks = re.search(rf"\b(?:{_MANAGES})\b", text, re.I) or re.search(
        r"\b(?:edit|patch|modify|change) (?:it|thing|the)", text, re.I
    )
    if main is None or main.kind in ("Node", "Namespace") or not asks or not ASKS.search(text):
        return None
    if re.search(r"\bwhen\b", text, re.IGNORECASE) or not only(
        case, _MANAGES, _EDIT, _TOOLS, "deployment|what|who|how|it|deployed|installed", text=text
    ):
        return None
    view = case.inventory.find(main)
    if view is None:
        return None
    found = list(managers(case, view))
    if re.search(r"\b(?:own\w*|belongs?)\b", text, re.IGNORECASE) and (not found or case.inventory.owners(view)):
        return None  # whose it is is told by its owners
    edit = re.search(rf"\b(?:{_EDIT})\b", text, re.I) and re.search(r"\b(?:edit|patch|modif|change)\w*", text, re.I)
    lines = _marks(view)
    alike = [one.ref for one in case.inventory.custom if (one.namespace, one.name) == (main.namespace, main.name)]
    if not found and alike and alike[0] != main:
        return (
            f"Nothing on {main} itself says what manages it, but {alike[0]} bears its name and may be what applies it: "
            "look there before anything is edited by hand."
        ), lines
    if not found:
        tail = " An edit would last, as far as that tells." if edit else ""
        return (
            f"Nothing on {main} says that anything manages it: no owner, no label or annotation of a tool.{tail}",
            lines,
        )
    first = found[0]
    head = f"{main} is managed by {first.words}."
    if len(found) > 1:
        head = (
            f"{main} is managed by {first.words}, and bears the marks of {', '.join(one.words for one in found[1:3])}."
        )
    lasting = f"an edit by hand does not last: {first.undone}. Change it there"
    if edit:
        return f"{head} So {lasting}.", lines
    return head, [lasting, *lines]


def managers(case: Case, view: Identified) -> Iterator[Manager]:
    """What manages an object, the surest sign first."""
    inventory = case.inventory
    above = inventory.owners(view)
    if above:
        top = above[-1]
        custom = isinstance(inventory.find(top), CustomResource)
        yield Manager(str(top), top, f"the controller of {top} sets it back" if custom else f"{top} makes it so again")
        owner = inventory.find(top)
        if owner is not None and owner is not view:
            yield from managers(case, owner)
    seen: set[Ref] = set()
    for found in (*_pairs(case, view), *_tracked(case, view)):
        if found.ref is not None and found.ref not in seen:
            seen.add(found.ref)
            yield found
    helm = view.metadata.annotations.get("meta.helm.sh/release-name", "")
    labels = view.metadata.labels
    if helm and not any(ref.name == helm for ref in seen):
        yield Manager(f"Helm release {helm}", None, "the next helm upgrade of that release applies its chart again")
    by = labels.get("app.kubernetes.io/managed-by", "")
    if by and not helm and not seen:
        yield Manager(f"{by} (label app.kubernetes.io/managed-by)", None, f"{by} applies its own state again")


def _pairs(case: Case, view: Identified) -> Iterator[Manager]:
    """Labels or annotations GROUP/name and GROUP/namespace that name an object of that API group."""
    marks = {**view.metadata.annotations, **view.metadata.labels}
    for key, name in sorted(marks.items()):
        group, slash, last = key.rpartition("/")
        if last not in ("name", "instance") or not slash or "." not in group:
            continue
        spaces = [marks.get(f"{group}/namespace", ""), view.namespace]
        hits = [
            one
            for one in case.inventory.custom
            if one.name == name and one.api_version.partition("/")[0] == group and one.namespace in spaces
        ]
        yield from map(_manager, hits)
        if last == "name" and not hits and f"{group}/namespace" in marks:
            unseen = f"{name} of API group {group}, which could not be read"
            yield Manager(unseen, Ref(group, spaces[0], name), "it is applied again")


def _tracked(case: Case, view: Identified) -> Iterator[Manager]:
    """A tracking mark "NAME:group/kind:namespace/name", or an instance label, that names an object of the same API."""
    for key, value in sorted({**view.metadata.labels, **view.metadata.annotations}.items()):
        group, _, last = key.rpartition("/")
        if last not in ("tracking-id", "instance") or group.endswith("kubernetes.io"):
            continue
        name = value.partition(":")[0].rpartition("_")[2]
        vendor = ".".join(group.split(".")[-2:])
        hits = [one for one in case.inventory.custom if one.name == name and vendor in one.api_version]
        for one in hits:
            yield _manager(one)
        if not hits and last == "tracking-id":
            yield Manager(f"{name} ({key})", Ref(group, "", name), "its next sync applies what is declared again")


def _manager(one: CustomResource) -> Manager:
    return Manager(str(one.ref), one.ref, f"{one.ref} applies what it declares again when it reconciles or is upgraded")


def _marks(view: Identified) -> list[str]:
    """The labels and annotations that tell of a manager."""
    marks = {**view.metadata.labels, **view.metadata.annotations}
    telling = re.compile(
        r"managed-by|toolkit\.|argocd|helm\.sh|kapp|fleet|tracking-id|part-of$|release-name", re.IGNORECASE
    )
    return [f"{key}: {quoted(value, 100)}" for key, value in sorted(marks.items()) if telling.search(key)][:8]


# --- what should run ------------------------------------------------------------------------------------------------


def wanted_version(case: Case) -> Answer | None:
    """The version that the managing object declares beside the one that runs; None for another question."""
    text = bare(case)
    main = case.main
    asks = re.search(rf"\b(?:{_VERSION})\b", text, re.I) and re.search(rf"\b(?:{_WANTED})\b", text, re.I)
    if main is None or not asks or not ASKS.search(text):
        return None
    if not only(case, _VERSION, _WANTED, _TOOLS, "running|run|be|have|deployed|installed", text=text):
        return None
    view = case.inventory.find(main)
    one = view if isinstance(view, CustomResource) else None
    if one is None and view is not None:
        refs = [found.ref for found in managers(case, view) if found.ref is not None]
        one = next((each for ref in refs if isinstance(each := case.inventory.find(ref), CustomResource)), None)
    if one is None:
        return None
    asked = list(_values(one.spec, _KEYS, "spec"))
    told = list(_values(one.status, _STATUS, "status"))
    if not asked and not told:
        return f"{one.ref} manages {main}, but names no version that can be read.", []
    runs = sorted(
        {box.image for pod in case.inventory.pods_of(main) if not pod.finished for box in pod.spec.containers}
    )
    head = f"{one.ref} asks for {', '.join(f'{value} ({path})' for path, value in asked[:2])}" if asked else (
        f"{one.ref} manages it and names no version in its spec"
    )  # fmt: skip
    head += f"; {main} runs {', '.join(runs[:3])}" if runs and one.ref != main else ""
    return f"{head}.", [f"{path}: {value}" for path, value in (*asked[2:6], *told[:6])]


def _values(part: object, keys: re.Pattern[str], path: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Short texts under such keys, with where they stand; of a list the first entry alone."""
    if depth > _DEEP:
        return
    if isinstance(part, list) and part:
        yield from _values(part[0], keys, f"{path}[0]", depth + 1)
    if not isinstance(part, Mapping):
        return
    for key, value in part.items():
        where = f"{path}.{key}"
        if keys.fullmatch(str(key)) and isinstance(value, str | int | float) and not isinstance(value, bool):
            if re.fullmatch(r"[\w.+~^<>=*|/@:-]{1,80}", str(value)):
                yield where, str(value)
        elif str(key) not in ("values", "conditions", "parameters", "metadata"):
            yield from _values(value, keys, where, depth + 1)
