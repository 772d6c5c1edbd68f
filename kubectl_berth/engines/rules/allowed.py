"""Whether one thing can reach another: nobody can tell without sending traffic, but policies say what they allow."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kubectl_berth.cluster.views import NetworkPolicy, Pod
from kubectl_berth.cluster.views.network import PolicyPeer, PolicyPort
from kubectl_berth.diagnosis.family import family_of
from kubectl_berth.diagnosis.say import listed
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.facts.asked import bare, half
from kubectl_berth.engines.rules.facts.lookups import Answer
from kubectl_berth.records import Ref

MOST = 8
_OPENS = r"^\W*(?:(?:so|and|ok|hey|please|but)\W+)*(?:can|could|may|is|are|does|do|has|have)\b"
_REACHES = re.compile(
    rf"{_OPENS}[^.?!]{{1,80}}\b(?:reach(?:able)?|access(?:ible)?|talk(?:ing)? to|connect(?:ed)? to|call|"
    r"get (?:out )?to|"
    r"speak to|go out to|open connections to|communicate with|ping)\b",
    re.IGNORECASE,
)
_FAULT = re.compile(r"\b(?:not|no longer|why|cannot|anymore|any more|still)\b|n't\b", re.IGNORECASE)
_OUTSIDE = re.compile(
    r"\b(?:internet|outside|external\w*|public|world|egress|www|web ?sites?|\w+\.(?:com|org|io|net))\b", re.I
)


def reaching(case: Case) -> Answer | None:
    """What policies say of whether one can reach the other; None for another question, or where a fault is."""
    if case.causes or case.symptoms:
        return None  # said before the diagnosis
    return _answer(case)


def untold_reach(case: Case) -> str:
    """That reaching cannot be told, before a diagnosis; "" for another question."""
    found = _answer(case) if case.causes or case.symptoms else None
    if found is None:
        return ""
    _, other = _sides(case)
    there = family_of(other, case.inventory) if isinstance(other, Ref) else frozenset()
    # what is wrong with the other side is the answer then
    return "" if any(one.subject in there for one in case.causes) else found[0]


def _answer(case: Case) -> Answer | None:
    text = case.understanding.text
    main = case.main
    if re.search(r"\baccess to (?:the )?(?:api|secrets?|config ?maps?|pods?|nodes?|resources?)\b", text, re.IGNORECASE):
        return None  # a right, not a way
    if main is None or _FAULT.search(text) or not _REACHES.search(text) or main.kind in ("Node", "Namespace"):
        return None
    first, other = _sides(case)
    pods = case.inventory.pods_of(first)
    if not pods or not _REACHES.search(bare(case)):
        return None
    target = other or "what is asked about"
    head = f"Whether {first} can reach {target} cannot be told without sending traffic, which berth does not do. "
    if "network_policies" in case.inventory.unread:
        return f"{head}NetworkPolicies could not be read either.", []
    out = [one for one in _selecting(case, pods) if one.limits_egress]
    lines = [_egress(one) for one in out[:MOST]]
    if not out:
        head += f"No NetworkPolicy limits what the pods of {first} may reach"
    elif len(out) == 1:
        head += f"One NetworkPolicy limits what its pods may reach: {out[0].ref}"
    else:
        head += f"{len(out)} NetworkPolicies limit what its pods may reach"
    if isinstance(other, Ref):
        if not case.inventory.covers(other.namespace):
            return f"{head}; the policies of namespace {other.namespace} were not read.", lines
        into = [one for one in _selecting(case, case.inventory.pods_of(other)) if one.limits_ingress]
        lines += [_ingress(one) for one in into[:MOST]]
        head += f"; {len(into) or 'none'} limits who may reach {other}"
    return f"{head}{half(case, 'network_policies')}.", [*lines, *_plugin(case, first)]


def _sides(case: Case) -> tuple[Ref, Ref | str]:
    """Who reaches, and what: the one named first in the sentence is the first."""
    text = case.understanding.text.lower()
    named = sorted({ref.name: ref for ref in reversed(case.subjects)}.values(), key=lambda ref: text.find(ref.name))
    found = [ref for ref in named if ref.name in text] or list(case.subjects)
    if len(found) > 1:
        turned = re.search(r"\b(?:reachable|accessible|called|reached) (?:from|by|for)\b", text)
        return (found[1], found[0]) if turned else (found[0], found[1])
    return found[0], "the internet" if _OUTSIDE.search(bare(case)) else ""


def _selecting(case: Case, pods: Sequence[Pod]) -> list[NetworkPolicy]:
    return [
        one
        for one in case.inventory.network_policies
        if any(pod.namespace == one.namespace and one.spec.pod_selector.matches(pod.metadata.labels) for pod in pods)
    ]


def _egress(one: NetworkPolicy) -> str:
    told = [f"{_peers(rule.to)}{_ports(rule.ports)}" for rule in one.spec.egress]
    return f"{one.ref} lets them reach {listed(told, 4) if told else 'nothing'}"


def _ingress(one: NetworkPolicy) -> str:
    told = [f"{_peers(rule.from_)}{_ports(rule.ports)}" for rule in one.spec.ingress]
    return f"{one.ref} lets in {listed(told, 4) if told else 'nobody'}"


def _peers(peers: Sequence[PolicyPeer]) -> str:
    if not peers:
        return "everything"
    told = []
    for one in peers[:4]:
        words = [f"addresses {one.ip_block.get('cidr', '?')}"] if one.ip_block else []
        words += [f"namespaces {one.namespace_selector or 'all'}"] if one.namespace_selector is not None else []
        words += [f"pods {one.pod_selector if not one.pod_selector.empty else 'all'}"] if one.pod_selector else []
        told.append(" with ".join(words) or "everything")
    return " or ".join(told) + (f" and {len(peers) - 4} more" if len(peers) > 4 else "")


def _ports(ports: Sequence[PolicyPort]) -> str:
    told = [f"{one.protocol} {one.port}" if one.port is not None else one.protocol for one in ports[:6]]
    return f" on {', '.join(told)}" if told else ""


def _plugin(case: Case, ref: Ref) -> list[str]:
    """Policies of a network plugin's own kinds that may bear on it: named, not worked out."""
    kinds = sorted(
        {one.kind for one in case.inventory.custom if "Policy" in one.kind and one.namespace in ("", ref.namespace)
         and ("Network" in one.kind or "Authorization" in one.kind)}
    )  # fmt: skip
    more = f"{', '.join(kinds)} were not worked out" if kinds else "A firewall or proxy outside the cluster is not seen"
    return [more]
