"""What hangs on a Service, an Ingress, a namespace, a Secret's name, an operator's object, a definition and others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from kubectl_berth.cluster.views import (
    CustomResource,
    Identified,
    Ingress,
    NetworkPolicy,
    PodDisruptionBudget,
    Service,
)
from kubectl_berth.diagnosis.dependents import (
    callers,
    keepers,
    made_secrets,
    released_by,
    takers,
    templates,
)
from kubectl_berth.diagnosis.say import count, listed
from kubectl_berth.engines.rules.acts.ask import third
from kubectl_berth.engines.rules.acts.storage import claims_of
from kubectl_berth.engines.rules.acts.workloads import FROM_OUTSIDE, OUTSIDE, SYSTEM, leads_to
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.topic import Said, bullets
from kubectl_berth.records import Ref
from kubectl_berth.safety.shell import in_namespace, kubectl

MOST = 6


def told(verdict: str, lines: Sequence[str], ways: Sequence[str], unchecked: Sequence[str] = OUTSIDE[:1]) -> Said:
    """The answer with its lines under their head."""
    parts = [bullets("**What hangs on it**", lines)] if lines else []
    return Said(verdict, parts, ways, unchecked, alone=True)


def printed(ref: Ref) -> str:
    """How to keep what an object is made of."""
    command = kubectl("get", ref.kind.lower(), ref.name, *in_namespace(ref.namespace), "-o", "yaml")
    return f"Keep how it is made: `{command}` prints it."


def set_back(case: Case, view: Identified) -> list[str]:
    """Who makes it what it is."""
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
    elif pods and view.spec.type in FROM_OUTSIDE:
        verdict = (
            f"No, not without cutting off who comes from outside: {view.ref} is of type {view.spec.type}; {behind}its "
            "address is gone."
        )
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
    return told(verdict, [*lines, *set_back(case, view)], [printed(view.ref)])


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
    return told(verdict, [*lines, *set_back(case, view)], [printed(view.ref)])


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
    return told(verdict, lines, ["Keep a copy where your credentials are kept; berth shows no contents."],
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
        return told(f"What lies in namespace {name} was not read, so what would go with it cannot be told.", [], [])
    inside = [one for one in inventory.everything if one.namespace == name]
    kinds = Counter(one.kind for one in inside if one.kind in _COUNTED or isinstance(one, CustomResource))
    inner = listed([count(number, kind) for kind, number in kinds.most_common(8)], 8)
    claims = claims_of(case, {one.ref for one in inventory.claims if one.namespace == name})
    gone = [claim for claim, policy in claims if policy != "Retain" and claim.spec.volume_name]
    here = {one.ref for one in inside}
    outside = sorted({
        who for one in inventory.services if one.namespace == name
        for who in callers(inventory, one.ref) if who not in here and who.namespace != name
    })  # fmt: skip
    data = f", {len(gone)} of its {count(len(claims), 'claim')} with their data" if gone else ""
    empty = not kinds and not inventory.unread
    verdict = _namespace_verdict(name, inner, data, outside, empty=empty)
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
    return told(verdict, lines, ways)


def _namespace_verdict(name: str, inner: str, data: str, outside: Sequence[Ref], *, empty: bool) -> str:
    if name in (*SYSTEM, "default"):
        return f"No: namespace {name} belongs to the cluster itself; {inner or 'nothing that was read'} lies in it."
    if empty:
        return (
            f"Yes, as far as can be read: namespace {name} holds nothing but what every namespace has; its Secrets and "
            "ConfigMaps, which berth does not read, go too."
        )
    if outside:
        return (
            f"No, not without breaking others: with namespace {name} go {inner}{data}, and "
            f"{listed([str(one) for one in outside], 3)} outside it need{third(len(outside))} its Services."
        )
    return (
        f"Only if everything in it may go, for good: with namespace {name} go {inner}{data}, and its Secrets and "
        "ConfigMaps."
    )


_COUNTED = frozenset(
    "Pod Deployment StatefulSet DaemonSet Job CronJob Service Ingress PersistentVolumeClaim NetworkPolicy".split()
)


# --- the rest -------------------------------------------------------------------------------------------------------


_PLAIN = {
    "HorizontalPodAutoscaler": "what it scales keeps the replicas that it has now, and nothing adds any more",
    "PodDisruptionBudget": "nothing holds a drain back any more that would take all its pods at once",
    "NetworkPolicy": "the pods that it selects lose that restriction; if it is their last one, all traffic is allowed",
    "ResourceQuota": "nothing limits what the namespace asks for any more",
    "LimitRange": "containers without requests and limits get no defaults any more",
    "StorageClass": "volumes that are bound stay; new claims that name it stay Pending",
    "IngressClass": "Ingresses of the class stay, but new ones are served by nobody",
    "APIService": "the API that it serves is gone for everybody who asks it",
    "ValidatingWebhookConfiguration": "what it checks is let in unchecked",
    "MutatingWebhookConfiguration": "what it fills in is missing from every object made from then on",
    "Role": "whoever has these rights by a binding loses them",
    "ClusterRole": "whoever has these rights by a binding loses them",
    "RoleBinding": "whoever has rights by it loses them",
    "ClusterRoleBinding": "whoever has rights by it loses them",
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
    if found := keepers(case.inventory, view):
        verdict += f" It does not last: {found[0]} makes it again."
    lines = [*[f"{one.ref} is owned by it" for one in below[:MOST]], *_selects(case, view)]
    return told(verdict, [*lines, *set_back(case, view)], [printed(view.ref)])


def _selects(case: Case, view: Identified) -> list[str]:
    """The pods that a budget or a policy is about."""
    if isinstance(view, PodDisruptionBudget):
        selector = view.spec.selector
    elif isinstance(view, NetworkPolicy):
        selector = view.spec.pod_selector
    else:
        return []
    pods = case.inventory.selected(view.namespace, selector)
    names = f": {listed([pod.name for pod in pods], 4)}" if pods else ""
    return [f"it selects {count(len(pods), 'pod')} now{names}"]
