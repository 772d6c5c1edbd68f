"""kubectl berth rbac: the smallest role with which every tool works, and what gives it to somebody."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from kubectl_berth.cli.options import connection_flags, source_options
from kubectl_berth.cli.spelling import KubectlCommand

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubectl_berth.cluster.cluster import Kind
    from kubectl_berth.environment import Environment
    from kubectl_berth.tools.rights import Right

API = "rbac.authorization.k8s.io"
HEAD = """\
# The smallest role with which every tool of kubectl berth works: it reads, and nothing in it can change the cluster.
# Secrets and ConfigMaps are not in it and are never asked for. Leave out pods/log to keep logs from being read; what
# a role does not hold is named as a gap in every answer. Discovery and the reviews that `kubectl berth doctor` makes
# need no rule: Kubernetes allows them to everybody who has logged in.
"""
NAMESPACED = """\
# What belongs to no namespace (nodes, storage, webhooks) is in the ClusterRole; what is in {namespace} in the Role.
"""
WITHOUT_CUSTOM = """\
# Custom resources need a rule of their own, for no role can name kinds that it does not know:
# `kubectl berth rbac --custom` adds one for each group of custom resources that the cluster serves.
"""
WITH_CUSTOM = """\
# The groups of custom resources are those that the cluster serves now; leave out what berth is not to read.
"""

_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_ACCOUNT = re.compile(rf"(?=.{{1,253}}\Z){_LABEL.pattern}(?:\.{_LABEL.pattern})*")
# what may stand in the path of a request
_NAME = re.compile(r"(?!\.{1,2}\Z)[^\s/%\x00-\x1f\x7f]{1,253}")


@click.command(cls=KubectlCommand, short_help="Print the smallest role that berth needs.")
@click.option("--custom", "with_custom", is_flag=True, help="Add the custom resources that the cluster serves.")
@click.option("--name", default="kubectl-berth", metavar="NAME", help="The role's name (kubectl-berth).")
@click.option(
    "--bind",
    "subjects",
    multiple=True,
    metavar="SUBJECT",
    help="Add the binding to user:NAME, group:NAME or serviceaccount:NAMESPACE:NAME.",
)
@source_options
@connection_flags
@click.pass_obj
def rbac(environment: Environment, /, with_custom: bool, name: str, subjects: Sequence[str], **options: Any) -> int:
    """Print the smallest ClusterRole with which every tool works, as YAML. Asks no cluster without --custom.

    With -n it is a Role for what is in that namespace, and a ClusterRole for what belongs to none.

    \b
    kubectl berth rbac > role.yaml
    kubectl berth rbac --bind user:jane | kubectl apply -f -
    kubectl berth rbac -n shop --bind serviceaccount:shop:berth
    """
    import yaml

    from kubectl_berth.cli.sources import Source
    from kubectl_berth.errors import UsageError
    from kubectl_berth.tools.rights import custom, needed

    source = Source(**options)
    source.validate()
    if not _NAME.fullmatch(name):
        raise UsageError(f"--name: {name!r} cannot be the name of a role")
    bound = [_subject(subject) for subject in subjects]
    rights = needed()
    if with_custom:
        rights += custom(_kinds(environment, source))
    objects = _objects(name, source.namespace, rights, bound)
    environment.stdout.write(HEAD + (NAMESPACED.format(namespace=source.namespace) if source.namespace else ""))
    environment.stdout.write(WITH_CUSTOM if with_custom else WITHOUT_CUSTOM)
    environment.stdout.write(yaml.safe_dump_all(objects, sort_keys=False, width=120))
    return 0


def _objects(
    name: str, namespace: str | None, rights: Sequence[Right], subjects: Sequence[dict[str, str]]
) -> list[dict[str, Any]]:
    """The roles, each followed by its binding where there are subjects."""
    if namespace is None:
        return _role("ClusterRole", {"name": name}, rights, subjects)
    inside = [right for right in rights if right.namespaced]
    outside = [right for right in rights if not right.namespaced]
    # under its own name: the role for all namespaces may be there, and is not to lose what is left out here
    objects = _role("ClusterRole", {"name": f"{name}-cluster"}, outside, subjects)
    return objects + _role("Role", {"name": name, "namespace": namespace}, inside, subjects)


def _role(
    kind: str, metadata: dict[str, str], rights: Sequence[Right], subjects: Sequence[dict[str, str]]
) -> list[dict[str, Any]]:
    from kubectl_berth.tools.rights import rules

    role = {"apiVersion": f"{API}/v1", "kind": kind, "metadata": metadata, "rules": rules(rights)}
    if not subjects:
        return [role]
    binding = {
        "apiVersion": f"{API}/v1",
        "kind": f"{kind}Binding",
        "metadata": dict(metadata),
        "roleRef": {"apiGroup": API, "kind": kind, "name": metadata["name"]},
        "subjects": [dict(subject) for subject in subjects],
    }
    return [role, binding]


def _subject(word: str) -> dict[str, str]:
    """What a binding calls user:NAME, group:NAME or serviceaccount:NAMESPACE:NAME."""
    from kubectl_berth.errors import UsageError

    kind, _, name = word.partition(":")
    if kind in ("user", "group") and name.strip() and name.isprintable():
        return {"apiGroup": API, "kind": kind.title(), "name": name}
    namespace, _, account = name.partition(":")
    if kind == "serviceaccount" and _LABEL.fullmatch(namespace) and _ACCOUNT.fullmatch(account):
        return {"kind": "ServiceAccount", "namespace": namespace, "name": account}
    forms = "user:NAME, group:NAME and serviceaccount:NAMESPACE:NAME"
    raise UsageError(f"--bind: {word!r} is none of {forms} with names that Kubernetes takes")


def _kinds(environment: Environment, source: Any) -> Sequence[Kind]:
    from kubectl_berth.cli.sources import load_scenario, opener
    from kubectl_berth.safety.gate import shown_line

    cluster = opener(source, load_scenario(source), environment)()
    try:
        discovery = cluster.kinds()
    finally:
        cluster.close()
    for gap in discovery.gaps:
        environment.stderr.write(f"not in the role: {gap.what} does not answer ({shown_line(gap.detail or gap.why)})\n")
    return discovery.kinds
