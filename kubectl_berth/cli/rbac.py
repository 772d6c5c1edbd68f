"""kubectl berth rbac: the smallest ClusterRole with which every tool works."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kubectl_berth.cli.options import connection_flags, source_options
from kubectl_berth.cli.spelling import KubectlCommand

if TYPE_CHECKING:
    from kubectl_berth.environment import Environment

HEAD = """\
# The smallest role with which every tool of kubectl berth works: it reads, and nothing in it can change the cluster.
# Secrets and ConfigMaps are not in it and are never asked for. Leave out pods/log to keep logs from being read; what
# a role does not hold is named as a gap in every answer. Discovery and the reviews that `kubectl berth doctor` makes
# need no rule: Kubernetes allows them to everybody who has logged in.
"""
WITHOUT_CUSTOM = """\
# Custom resources need a rule of their own, for no role can name kinds that it does not know:
# `kubectl berth rbac --custom` adds one for each group of custom resources that the cluster serves.
"""
WITH_CUSTOM = """\
# The groups of custom resources are those that the cluster serves now; leave out what berth is not to read.
"""


@click.command(cls=KubectlCommand)
@click.option("--custom", "with_custom", is_flag=True, help="Add the custom resources that the cluster serves.")
@click.option("--name", default="kubectl-berth", metavar="NAME", help="The role's name (kubectl-berth).")
@source_options
@connection_flags
@click.pass_obj
def rbac(environment: Environment, /, with_custom: bool, name: str, **options: Any) -> int:
    """Print the smallest ClusterRole with which every tool works, as YAML. Asks no cluster without --custom.

    Bind it with a ClusterRoleBinding, or with a RoleBinding in each namespace that berth is to read.

    \b
    kubectl berth rbac > role.yaml
    kubectl create clusterrolebinding berth --clusterrole kubectl-berth --user jane
    """
    import yaml

    from kubectl_berth.tools.rights import custom, needed, rules

    rights = rules(needed())
    if with_custom:
        rights += rules(custom(_kinds(environment, options)))
    role = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": name},
        "rules": rights,
    }
    environment.stdout.write(HEAD + (WITH_CUSTOM if with_custom else WITHOUT_CUSTOM))
    environment.stdout.write(yaml.safe_dump(role, sort_keys=False, width=120))
    return 0


def _kinds(environment: Environment, options: dict[str, Any]) -> Any:
    from kubectl_berth.cli.sources import Source, load_scenario, opener

    source = Source(**options)
    source.validate()
    cluster = opener(source, load_scenario(source), environment)()
    try:
        return cluster.kinds().kinds
    finally:
        cluster.close()
