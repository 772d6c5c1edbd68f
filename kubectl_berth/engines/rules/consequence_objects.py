"""What hangs on a Service, an Ingress, a namespace, a Secret's name, an operator's object, a definition and others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from kubectl_berth.cluster.views import (
    CustomResource,
    CustomResourceDefinition,
    Identified,
    Ingress,
    NetworkPolicy,
    PersistentVolumeClaim,
    Pod,
    PodDisruptionBudget,
    Service,
)
from kubectl_berth.diagnosis.checks.operators import operators_of
from kubectl_berth.diagnosis.dependents import (
    callers,
    keepers,
    made_secrets,
    referring,
    released_by,
    takers,
    templates,
)
from kubectl_berth.diagnosis.say import count, listed
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.consequence_ask import third
from kubectl_berth.engines.rules.consequence_storage import claims_of
from kubectl_berth.engines.rules.consequence_workloads import OUTSIDE, SYSTEM, leads_to
from kubectl_berth.engines.rules.topic import Said, bullets
from kubectl_berth.records import Ref
from kubectl_berth.safety.shell import in_namespace, kubectl

MOST = 6
_POLICY = re.compile(r"(?:creation|deletion|reclaim|removal|retention|prune|cleanup)\w*policy$|^prune$", re.IGNORECASE)
_KEEPS = re.compile(r"retain|orphan|keep|none|merge", re.IGNORECASE)


def _said(verdict: str, lines: Sequence[str], ways: Sequence[str], unchecked: Sequence[str] = OUTSIDE[:1]) -> Said:
    parts = [bullets("**What hangs on it**", lines)] if lines else []
    return Said(verdict, parts, ways, unchecked, alone=True)


def _printed(ref: Ref) -> str:
    command = kubectl("get", ref.kind.lower(), ref.name, *in_namespace(ref.namespace), "-o", "yaml")
    return f"Keep how it is made: `{command}` prints it."


def _set_back(case: Case, view: Identified) -> list[str]:
    lines = [f"{one} makes it what it is and makes it again" for one in keepers(case.inventory, view)[:2]]
    return lines + ([f"managed by {by} (label)"] if (by := released_by(view)) else [])


# --- Services and Ingresses -----------------------------------------------------------------------------------------


def say_service(case: Case, view: Service) -> Said:
    """Who reaches something through a Service."""
    pods = [pod for pod in case.inventory.pods_of(view.ref) if not pod.finished]
    who = [ref for ref in callers(case.inventory, view.ref) if ref not in {case.inventory.workload(p) for p in pods}]
    behind = f"the {count(len(pods), 'pod')} behind it keep{third(len(pods))} running, but " if pods else ""
    if who:
        first = leads_to(who[0], view.ref) + (f", and {count(len(who) - 1, 'more')} too" if len(who) > 1 else "")
        verdict = f"No, not without breaking what needs it: {first}; {behind}nobody reaches it by that name any more."
    elif pods:
        verdict = (
            f"Only if nobody calls it: nothing that can be read leads to {view.ref} or names it; {behind}its name and "
            "address are gone."
        )
    else:
        verdict = (
            f"Only if nobody calls it: no pod is behind {view.ref}, and nothing that can be read leads to it or names "
            "it."
        )
    lines = [leads_to(ref, "it") for ref in who[:MOST]]
    if view.spec.type == "LoadBalancer":
        lines.append("type LoadBalancer: its outside address is given back, and a new one may be another")
    lines.append("made again it gets another cluster address, unless spec.clusterIP says which")
    return _said(verdict, [*lines, *_set_back(case, view)], [_printed(view.ref)])


def say_ingress(case: Case, view: Ingress) -> Said:
    """Which hosts an Ingress leads in."""
    hosts = list(dict.fromkeys(rule.host or "any host" for rule in view.spec.rules)) or ["any host"]
    others = {rule.host for one in case.inventory.ingresses if one.ref != view.ref for rule in one.spec.rules}
    alone = [host for host in hosts if host not in others]
    verdict = (
        f"No, not without cutting off {listed(alone, 4)}: only {view.ref} leads requests for it in."
        if alone
        else f"Only in part: {listed(hosts, 4)} stand{third(len(hosts))} in other Ingresses too; the paths of "
        f"{view.ref} are gone."
    )
    lines = [
        f"{rule.host or 'any host'}{path.path or '/'} leads to Service {path.backend.service.name}"
        for rule in view.spec.rules
        for path in (rule.http.paths if rule.http else [])
        if path.backend.service is not None
    ][:MOST]
    lines += [f"{one.ref} belongs to it and goes with it" for one in case.inventory.children(view.ref)[:3]]
    lines += [f"its Secret {tls.secret_name} stays" for tls in view.spec.tls[:2] if tls.secret_name]
    return _said(verdict, [*lines, *_set_back(case, view)], [_printed(view.ref)])


# --- names of Secrets and ConfigMaps --------------------------------------------------------------------------------


def say_setting(case: Case, ref: Ref) -> Said:
    """Who refers to a Secret or ConfigMap; whether it is there is not known, since berth reads none."""
    inventory = case.inventory
    spaces = [ref.namespace] if ref.namespace else sorted({pod.namespace for pod in inventory.pods})
    who = [one for space in spaces for one in takers(inventory, ref.kind, space, ref.name)]
    homes = {ref.namespace} if ref.namespace else {one.namespace for one in who}
    name = f"{ref.kind} {next(iter(homes)) + '/' if len(homes) == 1 else ''}{ref.name}"
    if who:
        verdict = (
            f"No: {listed([str(one) for one in who], 4)} refer{third(len(who))} to {name}; what runs keeps what it has "
            "read, but the next start fails without it."
        )
    else:
        verdict = (
            f"Only if nobody needs it: nothing that can be read refers to {name}. Berth never reads {ref.kind}s, so "
            "whether it is there, and who reads it through the API, is not known."
        )
    lines = [f"{one} refers to it" for one in who[:MOST]]
    lines += [f"{one.ref} may be what makes it, and make it again" for one in _makers(case, ref)[:3]]
    return _said(verdict, lines, ["Keep a copy where your credentials are kept; berth shows no contents."],
                 ("Applications that read it through the API, and its contents: berth does not look.",))  # fmt: skip


def _makers(case: Case, ref: Ref) -> list[CustomResource]:
    """Operators' objects of its name, or that name it as what they make."""
    if ref.kind != "Secret":
        return []
    return [
        one
        for one in case.inventory.custom
        if one.namespace == ref.namespace and (one.name == ref.name or ref.name in made_secrets(case.inventory, one))
    ]


# --- a namespace ----------------------------------------------------------------------------------------------------


def say_namespace(case: Case, name: str) -> Said:
    """What lies in a namespace: all of it goes."""
    inventory = case.inventory
    if not inventory.covers(name):
        return _said(f"What lies in namespace {name} was not read, so what would go with it cannot be told.", [], [])
    inside = [one for one in inventory.everything if one.namespace == name]
    kinds = Counter(one.kind for one in inside if one.kind in _COUNTED or isinstance(one, CustomResource))
    told = listed([count(number, kind) for kind, number in kinds.most_common(8)], 8)
    claims = claims_of(case, {one.ref for one in inventory.claims if one.namespace == name})
    gone = [claim for claim, policy in claims if policy != "Retain" and claim.spec.volume_name]
    here = {one.ref for one in inside}
    outside = sorted({
        who for one in inventory.services if one.namespace == name
        for who in callers(inventory, one.ref) if who not in here and who.namespace != name
    })  # fmt: skip
    data = f", {len(gone)} of its {count(len(claims), 'claim')} with their data" if gone else ""
    if name in (*SYSTEM, "default"):
        verdict = f"No: namespace {name} belongs to the cluster itself; {told or 'nothing that was read'} lies in it."
    elif not kinds and not inventory.unread:
        verdict = (
            f"Yes, as far as can be read: namespace {name} holds nothing but what every namespace has; its Secrets and "
            "ConfigMaps, which berth does not read, go too."
        )
    elif outside:
        verdict = (
            f"No, not without breaking others: with namespace {name} go {told}{data}, and "
            f"{listed([str(one) for one in outside], 3)} outside it need{third(len(outside))} its Services."
        )
    else:
        verdict = (
            f"Only if everything in it may go, for good: with namespace {name} go {told}{data}, and its Secrets and "
            "ConfigMaps."
        )
    lines = [
        f"{claim.ref} ({claim.status.capacity.get('storage', 'size unknown')}): reclaim policy {policy or 'not read'}"
        for claim, policy in claims[:MOST]
    ]
    lines += [leads_to(one, "a Service in it") for one in outside[:MOST]]
    held = [one for one in inside if one.metadata.finalizers and isinstance(one, CustomResource)]
    if held:
        lines.append(
            f"{listed([str(one.ref) for one in held], 3)}: finalizers, so without their operator the namespace would "
            "hang in Terminating"
        )
    ways = ["Before anything is deleted: a backup of the volumes, and the manifests of what is to come back."]
    return _said(verdict, lines, ways)


_COUNTED = frozenset(
    "Pod Deployment StatefulSet DaemonSet Job CronJob Service Ingress PersistentVolumeClaim NetworkPolicy".split()
)


# --- operators' objects ---------------------------------------------------------------------------------------------


def say_custom(case: Case, view: CustomResource) -> Said:
    """What an operator's object owns, makes and keeps."""
    inventory = case.inventory
    below = inventory.descendants(view.ref)
    policies = list(_policies(view.spec))
    keeps = [words for words in policies if _KEEPS.search(words.rpartition(": ")[2])]
    secrets = made_secrets(inventory, view)
    makes = any(re.search(r"creationpolicy: *owner", words, re.IGNORECASE) for words in policies)
    claims = claims_of(case, {one.ref for one in below if isinstance(one, PersistentVolumeClaim)}
                       | {Ref("PersistentVolumeClaim", pod.namespace, name)
                          for pod in below if isinstance(pod, Pod) for name in pod.claims})  # fmt: skip
    users = referring(inventory, view)
    verdict = _custom_verdict(view, below, claims, secrets, users, makes, keeps)
    kinds = Counter(one.kind for one in below)
    lines = (
        [f"it owns {listed([count(number, kind) for kind, number in kinds.most_common(6)], 6)}, which go with it"]
        if below
        else []
    )
    for name, who in list(secrets.items())[:3]:
        lines.append(f"Secret {name}: {listed([str(one) for one in who], 3)} take{third(len(who))} settings from it")
    lines += [f"{claim.ref}: reclaim policy {policy or 'not read'}" for claim, policy in claims[:MOST]]
    lines += [f"{one} names it" for one in users[:MOST]]
    lines += [f"{words}" for words in policies[:4]]
    lines += _finalizers(case, view)
    return _said(verdict, [*lines, *_set_back(case, view)], _custom_ways(view, claims), _OPERATOR)


_OPERATOR = (
    "What its operator does when the object goes, in the cluster and outside (cloud resources, DNS, accounts): that "
    "stands in its manual, not in the objects.",
)


def _custom_verdict(
    view: CustomResource,
    below: Sequence[Identified],
    claims: Sequence[tuple[PersistentVolumeClaim, str]],
    secrets: dict[str, list[Ref]],
    users: Sequence[Ref],
    makes: bool,
    keeps: Sequence[str],
) -> str:
    ref = view.ref
    pods = [one for one in below if isinstance(one, Pod)]
    if claims:
        return (
            f"No, not without its data: {ref} runs {count(len(pods), 'pod')} on {count(len(claims), 'claim')}, and its "
            "operator takes down with it what it made for it."
        )
    if secrets and (makes or not keeps):
        name, who = next(iter(secrets.items()))
        names = listed([str(one) for one in who], 3)
        made = "is made by it and goes with it" if makes else "goes with it if it is what makes it"
        return (
            f"No: Secret {name} {made}, and {names} take{third(len(who))} settings from that Secret: what runs keeps "
            "what it has read, but the next start fails."
        )
    if users:
        names = listed([str(one) for one in users], 4)
        return f"No, not without breaking what names it: {names} need{third(len(users))} {ref}."
    if below:
        kinds = Counter(one.kind for one in below)
        what = listed([count(number, kind) for kind, number in kinds.most_common(4)], 4)
        return f"Only if what it owns may go: with {ref} go {what}, which name it as their owner."
    kept = f" {keeps[0]} says that what it made stays." if keeps else ""
    return f"Only if what it stands for is needed no more: nothing that was read is owned by {ref} or names it.{kept}"


def _policies(value: Any, where: str = "spec", depth: int = 0) -> Iterator[str]:
    """Fields of a spec that say what becomes of what the object made."""
    if depth > 6:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, str | bool) and _POLICY.search(str(key)):
                yield f"{where}.{key}: {str(inner)[:40]}"
            else:
                yield from _policies(inner, f"{where}.{key}", depth + 1)
    elif isinstance(value, list):
        for number, inner in enumerate(value[:20]):
            yield from _policies(inner, f"{where}[{number}]", depth + 1)


def _finalizers(case: Case, view: CustomResource) -> list[str]:
    if not view.metadata.finalizers:
        return []
    group = view.api_version.rpartition("/")[0]
    down = [one for one in operators_of(case.inventory, group, idle=True) if not one.ready]
    state = f"; {down[0].ref} does not run now, so it would hang in Terminating" if down else ""
    return [f"finalizers: {listed(view.metadata.finalizers, 3)}: its operator has to let it go{state}"]


def _custom_ways(view: CustomResource, claims: Sequence[tuple[PersistentVolumeClaim, str]]) -> list[str]:
    told = [_printed(view.ref)]
    if claims:
        told.insert(0, "Before anything is deleted: a backup whose restore was tried, or volumes set to Retain.")
    return told


def say_definition(case: Case, view: CustomResourceDefinition) -> Said:
    """All objects of the kind go with its definition."""
    kind, group = view.spec.names.kind, view.spec.group
    mine = [one for one in case.inventory.custom if one.kind == kind and one.api_version.rpartition("/")[0] == group]
    owned = Counter(below.kind for one in mine for below in case.inventory.descendants(one.ref))
    what = listed([count(number, name) for name, number in owned.most_common(5)], 5)
    if not mine:
        half = "; not all could be read" if "custom" in case.inventory.unread else ""
        verdict = (
            f"Only if its operator is gone too: there are no objects of kind {kind} now{half}, but its operator needs "
            "the kind."
        )
    else:
        verdict = (
            f"No: with {view.ref} all {count(len(mine), 'object')} of kind {kind} are deleted"
            f"{f', and what they own ({what})' if what else ''}."
        )
    lines = [f"{one.ref} goes with it" for one in mine[:MOST]]
    every = kubectl("get", view.name, "-A", "-o", "yaml")
    return _said(verdict, lines, [f"Keep the objects before: `{every}` prints them."], _OPERATOR)


# --- the rest -------------------------------------------------------------------------------------------------------


_PLAIN = {
    "HorizontalPodAutoscaler": "what it scales keeps the replicas that it has now, and nothing adds any more",
    "PodDisruptionBudget": "nothing holds a drain back any more that would take all its pods at once",
    "NetworkPolicy": "the pods that it selects lose that restriction; if it is their last one, all traffic is allowed",
    "ResourceQuota": "nothing limits what the namespace asks for any more",
    "LimitRange": "containers without requests and limits get no defaults any more",
    "StorageClass": "volumes that are bound stay; new claims that name it stay Pending",
    "IngressClass": "Ingresses of the class stay, but new ones are served by nobody",
}


def say_other(case: Case, view: Identified) -> Said:
    """What can be told of any kind: what it owns, and what is known of the kind."""
    below = case.inventory.descendants(view.ref)
    users: list[Ref] = []
    if view.kind == "ServiceAccount":
        users = [
            ref for ref, spec in templates(case.inventory, view.namespace)
            if (spec.service_account_name or "default") == view.name
        ]  # fmt: skip
    plain = _PLAIN.get(view.kind, "")
    if users:
        verdict = (
            f"No: {listed([str(one) for one in users], 4)} run{third(len(users))} as {view.ref}; no new pod of theirs "
            "starts without it."
        )
    elif plain:
        verdict = f"Only if its effect is needed no more: without {view.ref} {plain}."
    elif below:
        verdict = (
            f"Only if what it owns may go: {listed([str(one.ref) for one in below], 4)} name {view.ref} as their owner."
        )
    else:
        verdict = (
            f"That cannot be told from the objects: nothing that was read is owned by {view.ref}, but who needs it "
            "does not stand in them."
        )
    lines = [f"{one.ref} is owned by it" for one in below[:MOST]]
    selector = (
        view.spec.selector
        if isinstance(view, PodDisruptionBudget)
        else view.spec.pod_selector
        if isinstance(view, NetworkPolicy)
        else None
    )
    if selector is not None:
        pods = case.inventory.selected(view.namespace, selector)
        names = f": {listed([pod.name for pod in pods], 4)}" if pods else ""
        lines.append(f"it selects {count(len(pods), 'pod')} now{names}")
    return _said(verdict, [*lines, *_set_back(case, view)], [_printed(view.ref)])
