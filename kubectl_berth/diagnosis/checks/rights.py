"""Service accounts without the rights somebody meant to give them: bindings to nothing, or of another account."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kubectl_berth.cluster.views import Pod, Role, RoleBinding
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.say import count, listed
from kubectl_berth.records import Finding, Ref

BUILT_IN = frozenset({"cluster-admin", "admin", "edit", "view"})
MISSES = "BindingMissesAccount"
"""The reason of a finding about a binding that names another account than the one it is meant for."""
BINDINGS = ("role_bindings", "cluster_role_bindings")


def bindings(inventory: Inventory) -> list[RoleBinding]:
    """RoleBindings and ClusterRoleBindings."""
    return [*inventory.role_bindings, *inventory.cluster_role_bindings]


def holds(binding: RoleBinding, namespace: str, account: str) -> bool:
    """True where a binding names this service account."""
    return any(
        one.kind == "ServiceAccount" and one.name == account and (one.namespace or binding.namespace) in ("", namespace)
        for one in binding.subjects
    )


def meant_for(inventory: Inventory, namespace: str, account: str) -> list[RoleBinding]:
    """The bindings that name the account, or bear its name although they bind another one."""
    account = account or "default"
    found = [one for one in bindings(inventory) if holds(one, namespace, account)]
    if account == "default" or any(one.namespace in ("", namespace) for one in found if _role(inventory, one)):
        return found
    return found + [one for one in bindings(inventory) if one not in found and _bears(one, namespace, account)]


def _bears(binding: RoleBinding, namespace: str, account: str) -> bool:
    """True for a binding named for the account that gives its rights to somebody else there."""
    near = binding.namespace == namespace or any((one.namespace or namespace) == namespace for one in binding.subjects)
    near = near or any(one.name == account for one in binding.subjects)
    named = account in binding.name or account in binding.role_ref.name
    return near and named and any(one.kind == "ServiceAccount" for one in binding.subjects)


def check_rights(inventory: Inventory) -> Iterable[Finding]:
    """Bindings to a role that does not exist, and bindings that miss the account they are named for."""
    if set(BINDINGS) & inventory.unread or inventory.namespace is not None:
        return
    for binding in bindings(inventory):
        if not _role(inventory, binding):
            yield from _dangling(inventory, binding)
    used: dict[tuple[str, str], list[Pod]] = {}
    for pod in inventory.pods:
        if not pod.finished and pod.spec.service_account_name not in ("", "default"):
            used.setdefault((pod.namespace, pod.spec.service_account_name), []).append(pod)
    for (namespace, account), pods in sorted(used.items()):
        ref = Ref("ServiceAccount", namespace, account)
        astray = [one for one in bindings(inventory) if _astray(inventory, one, ref)]
        meant = meant_for(inventory, namespace, account)
        if any(holds(one, namespace, account) for one in bindings(inventory)):
            meant = []
        for binding in [*meant, *(one for one in astray if one not in meant)]:
            yield _missed(inventory, binding, ref, pods, absent=binding in astray)


def missed(inventory: Inventory) -> dict[Ref, Ref]:
    """The workloads whose account a binding misses, each with that binding."""
    found = [one for one in check_rights(inventory) if one.reason == MISSES]
    return {ref: one.subject for one in found for ref in one.effects}


def _astray(inventory: Inventory, binding: RoleBinding, account: Ref) -> bool:
    """True for a binding to accounts that do not exist, one of which has the name of this one and not its namespace.

    What is left of something uninstalled, or prepared for an account that comes later, binds nobody either: the account
    that runs must lack rights of that scope, and the binding must be of the whole cluster or of its namespace.
    """
    accounts = [one for one in binding.subjects if one.kind == "ServiceAccount"]
    refs = [Ref("ServiceAccount", one.namespace or binding.namespace, one.name) for one in accounts]
    if "service_accounts" in inventory.unread or inventory.find(account) is None or len(refs) < len(binding.subjects):
        return False
    if not any(ref.name == account.name and ref.namespace not in ("", account.namespace) for ref in refs):
        return False
    if any(inventory.find(ref) is not None for ref in refs) or binding.namespace not in ("", account.namespace):
        return False
    role = binding.role_ref
    if role.name in BUILT_IN or role.name.startswith("system:"):
        return False
    return not any(_provides(inventory, one, binding, account) for one in bindings(inventory))


_LOCKS = frozenset({"leases", "configmaps", "events"})
"""Resources that any controller needs in its own namespace, whatever it looks after."""


def _resources(inventory: Inventory, binding: RoleBinding) -> set[str]:
    """What the role of a binding is about."""
    role = binding.role_ref
    found = inventory.find(Ref(role.kind, binding.namespace if role.kind == "Role" else "", role.name))
    return {one for rule in found.rules for one in rule.resources} - _LOCKS if isinstance(found, Role) else set()


def _provides(inventory: Inventory, other: RoleBinding, binding: RoleBinding, account: Ref) -> bool:
    """True where the account has rights of the kind from another binding, its groups counted."""
    groups = ("system:serviceaccounts", f"system:serviceaccounts:{account.namespace}")
    user = f"system:serviceaccount:{account.namespace}:{account.name}"
    held = holds(other, account.namespace, account.name) or any(one.name in (*groups, user) for one in other.subjects)
    if not held or other is binding or other.role_ref.name.startswith("system:"):
        return False
    held_there, given = _resources(inventory, other), _resources(inventory, binding)
    same_scope = not other.namespace and not binding.namespace
    return same_scope or other.role_ref.name == binding.role_ref.name or bool(held_there & (given | {"*"}))


def _role(inventory: Inventory, binding: RoleBinding) -> bool:
    """True where the binding's role exists, or nobody can tell."""
    kind = binding.role_ref.kind
    if kind == "ClusterRole" and (binding.role_ref.name in BUILT_IN or binding.role_ref.name.startswith("system:")):
        return True
    if ("roles" if kind == "Role" else "cluster_roles") in inventory.unread or not inventory.cluster_roles:
        return True
    return inventory.find(Ref(kind, binding.namespace if kind == "Role" else "", binding.role_ref.name)) is not None


def _dangling(inventory: Inventory, binding: RoleBinding) -> Iterator[Finding]:
    pods = [
        pod
        for pod in inventory.pods
        if not pod.finished and holds(binding, pod.namespace, pod.spec.service_account_name or "default")
    ]
    if not pods:
        return
    troubled = [pod for pod in pods if not pod.ready or any(one.restart_count for one in pod.status.container_statuses)]
    role = f"{binding.role_ref.kind} {binding.role_ref.name}"
    yield Finding(
        "warning" if troubled else "info",
        binding.ref,
        "RoleMissing",
        f"it gives {role}, which does not exist, so {count(len(pods), 'pod')} with its account have no rights from it",
        (f"roleRef: {role}", f"pods that run with its account: {listed([str(pod.ref) for pod in pods])}"),
        effects=tuple(sorted({inventory.workload(pod) for pod in pods})),
        remedy=f"create {role} again, or bind a role that exists (the roleRef of a binding cannot be changed)",
        disproof="a role of that name",
    )


def _missed(
    inventory: Inventory, binding: RoleBinding, account: Ref, pods: list[Pod], *, absent: bool = False
) -> Finding:
    named = [f"{one.kind} {one.namespace + '/' if one.namespace else ''}{one.name}" for one in binding.subjects]
    workloads = sorted({inventory.workload(pod) for pod in pods})
    return Finding(
        "warning",
        binding.ref,
        MISSES,
        f"it binds {listed(named)}, {'which does not exist; ' if absent else 'but '}"
        f"{listed([str(ref) for ref in workloads])} runs as {account}, "
        f"{'and has no rights from it' if absent else 'which no binding names'}",
        (f"subjects: {listed(named)}", f"spec.serviceAccountName: {account.name} in namespace {account.namespace}"),
        effects=tuple(workloads),
        remedy=f"correct the subject of {binding.ref}: name {account} there, namespace included",
        disproof=f"another binding, or a group, that gives {account} its rights",
    )
