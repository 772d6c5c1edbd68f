# ruff: noqa: RUF012 -- msgspec copies an empty default for every struct
"""Views of roles and of who holds them."""

from __future__ import annotations

from msgspec import field

from kubectl_berth.cluster.views.base import Identified, View


class PolicyRule(View):
    """What a rule of a role allows."""

    verbs: list[str] = []
    api_groups: list[str] = []
    resources: list[str] = []
    resource_names: list[str] = []

    def __str__(self) -> str:
        return f"{','.join(self.verbs)} on {','.join(self.resources) or 'no resources'}"


class Role(Identified):
    """A Role or ClusterRole."""

    rules: list[PolicyRule] = []


class RoleReference(View):
    """The role that a binding gives."""

    kind: str = ""
    name: str = ""


class Subject(View):
    """Who gets it: a ServiceAccount, a User or a Group."""

    kind: str = ""
    name: str = ""
    namespace: str = ""


class RoleBinding(Identified):
    """A RoleBinding or ClusterRoleBinding."""

    role_ref: RoleReference = field(default_factory=RoleReference)
    subjects: list[Subject] = []
