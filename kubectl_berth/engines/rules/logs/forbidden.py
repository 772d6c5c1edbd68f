"""An access that the API server refused, as a log or a condition words it: who may not do what, what would allow it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kubectl_berth.cluster.views import Role, RoleBinding
from kubectl_berth.diagnosis.checks.rights import BINDINGS, bindings, holds
from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.records import Ref
from kubectl_berth.safety.shell import kubectl

_FORBIDDEN = re.compile(
    r"\bUser \\?\"(?P<user>[\w:.@/-]{1,200})\\?\" cannot (?P<verb>[a-z]+) "
    r"resource \\?\"(?P<resource>[\w./*-]{1,100})\\?\""
    r"(?: in API group \\?\"(?P<group>[\w.-]{0,100})\\?\")?"
    r"(?: in the namespace \\?\"(?P<space>[\w.-]{1,100})\\?\")?"
)


@dataclass(frozen=True)
class Forbidden:
    """One refused access. `space` is "" at the scope of the cluster, `group` for the core API group."""

    user: str
    verb: str
    resource: str
    group: str
    space: str

    @property
    def account(self) -> Ref | None:
        """The service account, None for another user."""
        parts = self.user.split(":")
        return Ref("ServiceAccount", parts[2], parts[3]) if self.user.count(":") == 3 and parts[1:2] == [
            "serviceaccount"
        ] else None  # fmt: skip

    @property
    def what(self) -> str:
        """The verb and the resource: "list ingresses.networking.k8s.io"."""
        resource, slash, below = self.resource.partition("/")
        return f"{self.verb} {resource}{'.' + self.group if self.group else ''}{slash}{below}"

    @property
    def where(self) -> str:
        """The scope: "in namespace dns" or "in the whole cluster"."""
        return f"in namespace {self.space}" if self.space else "in the whole cluster"

    def __str__(self) -> str:
        verb, _, resource = self.what.partition(" ")
        return (
            f"access is forbidden: {self.account or f'user {self.user}'} cannot {verb} resource {resource} {self.where}"
        )


def forbidden_in(text: str) -> Forbidden | None:
    """The first refused access that a text tells of."""
    hit = _FORBIDDEN.search(text)
    return Forbidden(*(hit[name] or "" for name in ("user", "verb", "resource", "group", "space"))) if hit else None


def grant(access: Forbidden, inventory: Inventory) -> str:
    """What would allow it, as a sentence: a role that only wants binding, or the rule that a role lacks."""
    account = access.account
    check = kubectl("auth", "can-i", *access.what.split(" "), f"--as={access.user}", *_scope(access))
    seen = f"`{check}` tells whether it may now."
    if account is None:
        return f"Give user {access.user} the verb {access.verb} on {access.resource} {access.where}, no more. {seen}"
    group = f'API group "{access.group}"'
    rule = f"the verb {access.verb} on {access.resource} ({group if access.group else 'the core API group'})"
    if set(BINDINGS) & inventory.unread or inventory.namespace is not None:
        kind = "a Role and a RoleBinding there" if access.space else "a ClusterRole and a ClusterRoleBinding"
        return f"Grant {account} {rule} {access.where} by {kind}, and no more than that. {seen}"
    held = [one for one in bindings(inventory) if holds(one, account.namespace, account.name) and _reaches(one, access)]
    loose = [role for role in _roles(access, inventory) if _allows(role, access)]
    named = [role for role in loose if account.name in role.name or role.name in account.name]
    if held:
        roles = " or ".join(dict.fromkeys(f"{one.role_ref.kind} {one.role_ref.name}" for one in held[:3]))
        return f"Add {rule} to {roles}, which is bound to {account}; no wider right is needed. {seen}"
    binding = "RoleBinding" if access.space else "ClusterRoleBinding"
    for role in named or (loose if len(loose) == 1 else []):
        if (other := _bound_to_another(role, account, inventory)) is not None:
            wrong, subject = other
            return (
                f"{role.ref} allows it, and {wrong.ref} gives it to {subject} instead of {account}: correct the "
                f"subject of that binding. {seen}"
            )
        return f"{role.ref} allows it, and no {binding} gives it to {account}: create that binding again. {seen}"
    return f"No binding gives {account} rights {access.where}: bind a role with {rule} to it by a {binding}. {seen}"


def _bound_to_another(role: Role, account: Ref, inventory: Inventory) -> tuple[RoleBinding, Ref] | None:
    """The binding that gives a role to an account of the same name elsewhere, which does not exist."""
    for one in bindings(inventory) if "service_accounts" not in inventory.unread else ():
        if (one.role_ref.kind, one.role_ref.name) != (role.kind, role.name):
            continue
        for subject in one.subjects:
            ref = Ref("ServiceAccount", subject.namespace or one.namespace, subject.name)
            if subject.kind == ref.kind and ref.name == account.name and inventory.find(ref) is None:
                return one, ref
    return None


def _scope(access: Forbidden) -> tuple[str, ...]:
    return ("-n", access.space) if access.space else ("--all-namespaces",)


def _reaches(binding: RoleBinding, access: Forbidden) -> bool:
    return not binding.namespace or binding.namespace == access.space


def _roles(access: Forbidden, inventory: Inventory) -> Sequence[Role]:
    """The roles that one could bind there, but for those that the system brings."""
    own = [one for one in inventory.roles if one.namespace == access.space]
    return [*own, *(one for one in inventory.cluster_roles if not _supplied(one))]


def _supplied(role: Role) -> bool:
    return role.name.startswith("system:") or "kubernetes.io/bootstrapping" in role.metadata.labels


def _allows(role: Role, access: Forbidden) -> bool:
    return any(
        {access.verb, "*"} & set(rule.verbs)
        and {access.resource} & set(rule.resources)
        and {access.group, "*"} & set(rule.api_groups)
        for rule in role.rules
    )
