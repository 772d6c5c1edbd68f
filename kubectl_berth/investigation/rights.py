"""What the person may and may not do, as the API server says: asked of the reviews of one's own rights."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from kubectl_berth.cluster.live import LiveCluster
from kubectl_berth.errors import BerthError
from kubectl_berth.tools.rights import Right, needed

SECONDS = 2.0
"""How long all reviews together may take."""

AT_ONCE = 20
_CHANGING = frozenset("create update patch delete deletecollection bind escalate impersonate *".split())
_READING = frozenset("get list watch *".split())
_INSIDE = frozenset(
    "pods/exec pods/attach pods/portforward pods/ephemeralcontainers nodes/proxy pods/proxy services/proxy".split()
)
# what is asked about one by one where the API server cannot list the rules: an authorizer outside of it (a cloud's
# own, a webhook) answers single questions alone
_PROBES = (
    ("", "secrets", "list"),
    ("", "secrets", "get"),
    ("", "configmaps", "list"),
    ("", "pods/exec", "create"),
    ("", "nodes/proxy", "get"),
    ("", "users", "impersonate"),
    ("", "pods", "create"),
    ("", "pods", "delete"),
    ("apps", "deployments", "patch"),
    ("*", "*", "*"),
)
# these ask or renew one's own rights and change no object
_HARMLESS = frozenset({"authorization.k8s.io", "authentication.k8s.io"})


@dataclass(frozen=True)
class Rights:
    """The person's rights against those that the tools use.

    `missing` may not be read at all, `only_here` in `namespace` alone, `unknown` was not answered (`why`), `known_here`
    was not either, but may be read in `namespace` by its list of rules. `excess` is what the person could do with these
    credentials and berth never does, one line each. `incomplete` says why the list of rules may lack some; `rules` is
    that list, None where the server gave none.
    """

    namespace: str
    missing: Sequence[Right] = ()
    only_here: Sequence[Right] = ()
    unknown: Sequence[Right] = ()
    known_here: Sequence[Right] = ()
    excess: Sequence[str] = ()
    why: str = ""
    incomplete: str = ""
    rules: Sequence[Rule] | None = None

    def readable(self, group: str, resource: str) -> bool:
        """Whether the rules let the resource be listed in `namespace`; True where they are not known."""
        whole = self.rules is None or bool(self.incomplete)
        return whole or _covered(Right(group, resource, ("list",)), self.rules or ())


def review(cluster: LiveCluster, narrowed: bool, monotonic: Callable[[], float]) -> Rights:
    """The rights in all namespaces or, `narrowed`, in the cluster's own one; within two seconds in all."""
    name = cluster.name()
    end = monotonic() + SECONDS
    late = BerthError(f"not answered within {SECONDS:g} s")

    def ask(resource: str, spec: Mapping[str, Any]) -> dict[str, Any] | BerthError:
        left = end - monotonic()
        if left <= 0.05:
            return late
        try:
            return cluster.review(resource, spec, seconds=left)
        except BerthError as error:
            return late if monotonic() >= end else error

    def allowed(group: str, resource: str, verb: str, place: Mapping[str, str]) -> bool | BerthError:
        plural, _, part = resource.partition("/")
        attributes = {"group": group, "resource": plural, "verb": verb, **place}
        attributes |= {"subresource": part} if part else {}
        status = ask("selfsubjectaccessreviews", {"resourceAttributes": attributes})
        if isinstance(status, BerthError):
            return status
        answer = status.get("allowed")
        return answer if isinstance(answer, bool) else BerthError("the API server's review says neither yes nor no")

    def may_read(right: Right) -> bool | BerthError:
        place = {"namespace": name.namespace} if narrowed and right.namespaced else {}
        return allowed(right.group, right.resource, right.verbs[-1], place)

    def probed(probe: tuple[str, str, str]) -> bool:
        return allowed(*probe, {"namespace": name.namespace}) is True

    wanted = needed(name.version)
    pool = ThreadPoolExecutor(AT_ONCE)
    try:
        listing = pool.submit(ask, "selfsubjectrulesreviews", {"namespace": name.namespace})
        answers = list(zip(wanted, pool.map(may_read, wanted), strict=True))
        listed = listing.result()
        rules = None if isinstance(listed, BerthError) else _rules(listed)
        incomplete = _incomplete(listed)
        probes = _PROBES if incomplete else ()
        known = [_rule(*probe) for probe, answer in zip(probes, pool.map(probed, probes), strict=True) if answer]
    finally:
        # after Ctrl-C nobody waits for what is under way
        pool.shutdown(wait=False, cancel_futures=True)
    found = Rights(name.namespace, excess=excess([*(rules or ()), *known]), incomplete=incomplete, rules=rules)
    return _compared(found, answers, narrowed)


def _compared(found: Rights, answers: Sequence[tuple[Right, bool | BerthError]], narrowed: bool) -> Rights:
    """The same with what the tools use sorted by what the reviews answered and, where they did not, by the rules."""
    rules, incomplete = found.rules or (), found.incomplete
    refused = [right for right, answer in answers if answer is False]
    failed = [answer for _, answer in answers if isinstance(answer, BerthError)]
    only_here = [right for right in refused if not narrowed and right.namespaced and _covered(right, rules)]
    partly = [] if incomplete else _list_alone([right for right, answer in answers if answer is True], rules)
    unanswered = [right for right, answer in answers if isinstance(answer, BerthError)]
    # what a whole list of rules does not hold is granted nowhere for all namespaces
    closed = [right for right in unanswered if not incomplete and not _covered(right, rules)]
    return replace(
        found,
        missing=[*(right for right in refused if right not in only_here), *closed, *partly],
        only_here=only_here,
        unknown=unanswered if incomplete else [],
        known_here=[right for right in unanswered if not incomplete and right not in closed],
        why=str(failed[0]) if failed else "",
    )


def _list_alone(rights: Sequence[Right], rules: Sequence[Rule]) -> list[Right]:
    """What the rules let be listed and not read one by one: a rule for all namespaces shows in each of them."""
    single = [(right, replace(right, verbs=("get",))) for right in rights if "get" in right.verbs[:-1]]
    return [get for right, get in single if _covered(right, rules) and not _covered(get, rules)]


def _rule(group: str, resource: str, verb: str) -> Rule:
    return Rule(frozenset({group}), frozenset({resource}), frozenset({verb}))


def _incomplete(listed: dict[str, Any] | BerthError) -> str:
    if isinstance(listed, BerthError):
        return str(listed)
    if not isinstance(listed.get("resourceRules"), list):
        return "the API server gave no list of rules"
    if listed.get("incomplete") is True:
        return str(listed.get("evaluationError") or "the API server says that its list of rules is incomplete")
    return ""


@dataclass(frozen=True)
class Rule:
    """One rule of the review; `named` where it holds for objects of certain names alone."""

    groups: frozenset[str]
    resources: frozenset[str]
    verbs: frozenset[str]
    named: bool = False

    def covers(self, group: str, resource: str, verbs: Iterable[str]) -> bool:
        """Whether one of the verbs is allowed on the resource."""
        _, slash, part = resource.partition("/")
        names = {"*", resource, *([f"*/{part}"] if slash else [])}
        return bool({group, "*"} & self.groups and names & self.resources and {*verbs, "*"} & self.verbs)


def _rules(status: Mapping[str, Any]) -> list[Rule]:
    found = status.get("resourceRules")
    return [
        Rule(
            _words(rule, "apiGroups"), _words(rule, "resources"), _words(rule, "verbs"), bool(rule.get("resourceNames"))
        )
        for rule in (found if isinstance(found, list) else [])
        if isinstance(rule, dict)
    ]


def _words(rule: Mapping[str, Any], key: str) -> frozenset[str]:
    value = rule.get(key)
    return frozenset(word for word in value if isinstance(word, str)) if isinstance(value, list) else frozenset()


def _covered(right: Right, rules: Sequence[Rule]) -> bool:
    return any(not rule.named and rule.covers(right.group, right.resource, right.verbs[-1:]) for rule in rules)


def excess(rules: Sequence[Rule]) -> list[str]:
    """What the rules allow that berth never does, the worst first."""
    lines = []
    if any("*" in rule.verbs and "*" in rule.resources and "*" in rule.groups for rule in rules):
        lines.append("everything on everything")
    for plural in ("secrets", "configmaps"):
        opened = [rule for rule in rules if rule.covers("", plural, _READING)]
        if opened:
            lines.append(f"read {plural}" + (" of certain names" if all(rule.named for rule in opened) else ""))
    inside = sorted(part for part in _INSIDE if any(rule.covers("", part, ("get", "create")) for rule in rules))
    if inside:
        lines.append(f"get into containers and nodes: {', '.join(inside)}")
    if any("impersonate" in rule.verbs for rule in rules):
        lines.append("act as somebody else (impersonate)")
    changed = sorted(
        {
            _changed(group, resource)
            for rule in rules
            if rule.verbs & (_CHANGING - {"impersonate"})
            for group in rule.groups - _HARMLESS
            for resource in rule.resources - _INSIDE
        }
    )
    if changed:
        more = f" and {len(changed) - 6} more" if len(changed) > 6 else ""
        lines.append(f"change {', '.join(changed[:6])}{more}")
    return lines


def _changed(group: str, resource: str) -> str:
    if resource == "*":
        return "anything" if group == "*" else f"all of {group or 'the core group'}"
    return f"{resource}.{group}" if group else resource
