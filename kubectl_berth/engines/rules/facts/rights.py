"""What a workload's service account may do: the rules of the roles bound to it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kubectl_berth.cluster.views import Role, RoleBinding
from kubectl_berth.cluster.views.rbac import PolicyRule
from kubectl_berth.diagnosis.say import count, listed
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.facts.asked import ASKS, bare, capped, in_place, only
from kubectl_berth.engines.rules.facts.attributes import spec_of
from kubectl_berth.engines.rules.facts.lookups import Answer
from kubectl_berth.records import Ref

MOST = 14
FIELDS = ("roles", "cluster_roles", "role_bindings", "cluster_role_bindings")
_ACCOUNT = r"service ?accounts?|sa|identity|run(?:s|ning)? (?:as|under)|as"
_RIGHTS = (
    r"rights|permissions?|rbac|(?:cluster)?roles?|role ?bindings?|privileges?|allowed(?: to)?|may|can|able to|"
    r"do|access|"
    r"bound(?: to)?|granted"
)
_VERBS = r"get|list|watch|create|update|patch|delete|read|write|see"
_ASKED = re.compile(
    r"\b(?:have|has|with) (?P<access>access) to (?:the |all |any )?(?P<what2>[a-z]{3,40})\b|"
    rf"\b(?:can|may|allowed to|able to|permitted to)\b[^.?!]{{0,45}}\b(?P<verb>{_VERBS})\s+(?:the |all |any )?"
    r"(?P<what>[a-z]{3,40})\b",
    re.IGNORECASE,
)
_READS = {"read": "get", "see": "get", "write": "update"}


def rights(case: Case) -> Answer | None:
    """The service account of the subject with what it may do; None for another question."""
    text = bare(case)
    main = case.main
    if main is None or main.kind in ("Node", "Namespace", "Service") or not ASKS.search(text):
        return None
    wide = re.search(
        r"\bwhat\b[^.?!]{0,25}\b(?:may|can|allowed)\b[^.?!]{0,45}\b(?:do|to)\b|\b(?:rights|permissions?|rbac|privileges)\b|"
        r"\b(?:cluster)?roles?\b",
        text,
        re.IGNORECASE,
    )
    one = re.search(r"\b(?:have|has) access to\b", text, re.IGNORECASE) or re.search(
        r"\bthing\b[^.?!]{0,25}\b(?:can|may|allowed|able)\b|\b(?:can|may|is)\b[^.?!]{0,8}"
        r"(?:\b(?:service ?account|sa|identity) (?:of |for |named |behind )?(?:the )?)?\bthing\b",
        text,
        re.IGNORECASE,
    )
    verb = spoken = _ASKED.search(text) if one else None
    words = (_ACCOUNT, _RIGHTS, "api|kubernetes|server|it|have|has|got|under|which|what|with")
    if verb is None and not (wide and only(case, *words, text=text)):
        return None
    if verb is not None and not only(case, *words, text=text.replace(verb[0], " thing ")):
        return None
    if spoken is not None:
        # a role may bear the name of what it is for
        verb = _ASKED.search(case.understanding.text) or spoken
    account = _account(case, main)
    return _told(case, main, account, verb) if account is not None else None


def _account(case: Case, main: Ref) -> Ref | None:
    if main.kind == "ServiceAccount":
        return main
    spec = spec_of(case.inventory, main)
    return Ref("ServiceAccount", main.namespace, spec.service_account_name or "default") if spec else None


def _told(case: Case, main: Ref, account: Ref, verb: re.Match[str] | None) -> Answer:
    inventory = case.inventory
    who = str(account) if main == account else f"{main} runs as {account}"
    gone = sorted(inventory.unread & {*FIELDS})
    if gone or not any(getattr(inventory, name) for name in FIELDS):
        which = f" ({', '.join(gone).replace('_', ' ')})" if gone else ""
        user = f"system:serviceaccount:{account.namespace}:{account.name}"
        return (
            f"{who}; what it may do cannot be told: roles and bindings could not be read{which}. "
            f"`kubectl auth can-i --list --as={user}` asks the API server."
        ), []
    found = list(_bound(case, account))
    lines = [f"{role.ref} through {binding.ref}, {scope}: {listed([str(rule) for rule in role.rules], 8)}"
             for role, binding, scope in found if role is not None]  # fmt: skip
    lines += [f"{binding.ref} names a role that is not there ({binding.role_ref.name})" for role, binding, _ in found
              if role is None]  # fmt: skip
    if verb is not None:
        every = list(_bound(case, account, everybody=True))
        return _whether(account, every, verb), capped([*lines, *_namesakes(case, account)], MOST)
    if not found:
        return f"{who}; no binding that can be read names it, so it may do no more than every service account may.", []
    rules = [f"{rule}" for role, _, _ in found if role is not None for rule in role.rules]
    return f"{who}. Through {count(len(found), 'binding')} it may: {listed(rules, 6) or 'nothing'}.", capped(
        lines, MOST
    )


def _whether(account: Ref, found: list[tuple[Role | None, RoleBinding, str]], verb: re.Match[str]) -> str:
    said = "get" if verb["access"] else verb["verb"].lower()
    wanted, what = _READS.get(said, said), (verb["what"] or verb["what2"]).lower()
    names = {what, f"{what}s", what.removesuffix("s"), f"{what}es", f"{what.removesuffix('y')}ies"}
    some = ""
    for role, binding, scope in found:
        for rule in role.rules if role is not None else ():
            if {wanted, "*"} & {*rule.verbs} and ({*names, "*"} & {*rule.resources}):
                if rule.resource_names:
                    some = some or f"Only some: {account} may {wanted} {what} {listed(rule.resource_names, 4)} {scope}."
                    continue
                return f"Yes: {account} may {wanted} {what} {scope}, through {binding.ref}."
    return some or f"No: no rule bound to {account} lets it {wanted} {what}."


def _namesakes(case: Case, account: Ref) -> list[str]:
    """The bindings that name an account of the same name in another namespace."""
    return [
        f"{binding.ref} names ServiceAccount {one.namespace}/{one.name}, which is another one"
        for binding in (*case.inventory.cluster_role_bindings, *case.inventory.role_bindings)
        for one in binding.subjects
        if one.kind == "ServiceAccount" and one.name == account.name
        and (one.namespace or binding.namespace) != account.namespace
    ]  # fmt: skip


def holders(case: Case) -> Answer | None:
    """Who may do something with a kind of object, or holds a role; None for another question."""
    text = case.understanding.text
    inventory = case.inventory
    verb = _WHO_MAY.search(text)
    role = _WHO_HOLDS.search(text)
    name = role["role"].lower() if role is not None else ""
    bindings = (*inventory.cluster_role_bindings, *inventory.role_bindings)
    if verb is None and name != "cluster-admin" and not any(one.role_ref.name == name for one in bindings):
        return None
    if inventory.unread & {*FIELDS} or not any(getattr(inventory, field) for field in FIELDS):
        return "Who may do that cannot be told: roles and bindings could not be read.", []
    rows = [row for binding in bindings for row in _holding(case, binding, verb, name)]
    rows = sorted(dict.fromkeys(rows))
    what = f"may {verb['verb'].lower()} {verb['what'].lower()}" if verb is not None else f"hold {name}"
    head = f"{len(rows) or 'No'} subject{'s' if len(rows) != 1 else ''} of bindings {what}"
    return f"{head}{f': {listed(rows, 3)}' if rows else ''}.", capped(rows[3:], MOST)


def _holding(case: Case, binding: RoleBinding, verb: re.Match[str] | None, name: str) -> Iterator[str]:
    """The subjects of a binding that gives what is asked about."""
    if not in_place(case, binding.namespace):
        return
    cluster = binding.role_ref.kind == "ClusterRole"
    space = "" if cluster else binding.namespace
    found = case.inventory.find(Ref(binding.role_ref.kind, space, binding.role_ref.name))
    rules = found.rules if isinstance(found, Role) else []
    if not (_allows(rules, verb) if verb is not None else binding.role_ref.name == name):
        return
    scope = f"in namespace {binding.namespace}" if binding.namespace else "in all namespaces"
    for one in binding.subjects:
        where = f"{one.namespace or binding.namespace}/" if one.kind == "ServiceAccount" else ""
        yield f"{one.kind} {where}{one.name} {scope} (through {binding.ref})"


_WHO_MAY = re.compile(
    r"\b(?:who|which (?:service ?)?accounts?|which users?)\b[^.?!]{0,12}\b(?:can|may|(?:is|are) allowed to)\s+"
    rf"(?P<verb>{_VERBS})\s+(?:the |all |any )?(?P<what>[a-z]{{3,40}})\b",
    re.IGNORECASE,
)


_WHO_HOLDS = re.compile(
    r"\b(?:who|which (?:service ?)?accounts?|which users?)\b[^.?!]{0,12}\b(?:has|have|holds?|gets?|bound to|with)\s+"
    r"(?:the |a )?(?:(?:cluster ?)?roles? )?(?P<role>[a-z0-9][a-z0-9:.-]*[a-z0-9])(?![\w-])",
    re.IGNORECASE,
)


def _allows(rules: Sequence[PolicyRule], verb: re.Match[str]) -> bool:
    wanted, what = _READS.get(verb["verb"].lower(), verb["verb"].lower()), verb["what"].lower()
    names = {what, f"{what}s", what.removesuffix("s"), f"{what}es", f"{what.removesuffix('y')}ies", "*"}
    return any({wanted, "*"} & {*rule.verbs} and names & {*rule.resources} for rule in rules)


def _bound(case: Case, account: Ref, *, everybody: bool = False) -> Iterator[tuple[Role | None, RoleBinding, str]]:
    inventory = case.inventory
    groups = {"system:serviceaccounts", f"system:serviceaccounts:{account.namespace}"}
    groups |= {"system:authenticated"} if everybody else set()
    for binding in (*inventory.cluster_role_bindings, *inventory.role_bindings):
        named = any(
            (one.kind == "ServiceAccount" and one.name == account.name
             and (one.namespace or binding.namespace) == account.namespace)
            or (one.kind == "Group" and one.name in groups)
            or (one.kind == "User" and one.name == f"system:serviceaccount:{account.namespace}:{account.name}")
            for one in binding.subjects
        )  # fmt: skip
        if not named:
            continue
        cluster = binding.role_ref.kind == "ClusterRole"
        role = inventory.find(Ref(binding.role_ref.kind, "" if cluster else binding.namespace, binding.role_ref.name))
        scope = f"in namespace {binding.namespace}" if binding.namespace else "in all namespaces"
        yield (role if isinstance(role, Role) else None), binding, scope
