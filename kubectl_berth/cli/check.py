"""kubectl berth check: what is wrong, by berth's own checks, without a question and without a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kubectl_berth.cli import candidates
from kubectl_berth.cli.options import connection_flags, source_options
from kubectl_berth.cli.spelling import KubectlCommand

if TYPE_CHECKING:
    from kubectl_berth.environment import Environment
    from kubectl_berth.records import Checked, Severity

SEVERITIES = ("critical", "warning", "info")
"""Worst first."""


@click.command(cls=KubectlCommand)
@click.argument("target", nargs=-1, metavar="[KIND/NAME|KIND NAME|NAME]", shell_complete=candidates.target)
@source_options
@click.option("-A", "--all-namespaces", is_flag=True, help="Read all namespaces (the default without -n).")
@click.option("-o", "--output", type=click.Choice(["text", "json", "yaml"]), default="text", help="What stdout gets.")
@click.option(
    "--severity",
    type=click.Choice(SEVERITIES),
    default="warning",
    help="Show findings at least this bad, and what explains them (warning).",
)
@click.option(
    "--fail-on",
    type=click.Choice([*SEVERITIES, "never"]),
    help="End with status 1 where a finding is at least this bad, shown or not (warning).",
)
@click.option(
    "--fail-on-gaps",
    is_flag=True,
    help="End with status 3 where something there could not be read and no finding ends it with 1.",
)
@connection_flags
@click.pass_obj
def check(environment: Environment, /, target: tuple[str, ...], **options: Any) -> int:
    """List what is wrong in the cluster, or with one object: KIND/NAME or NAME. Reads only, asks no model.

    Causes come first, what follows from each under it, what could not be read at the end.
    Exit status: 0 nothing found, 1 findings, 2 usage or an unreadable file, 3 cluster unreachable.

    \b
    kubectl berth check
    kubectl berth check deployment/api -n shop
    kubectl berth check --snapshot ./moment -o json --fail-on critical
    """
    from kubectl_berth.cli.sources import Source, load_scenario, opener
    from kubectl_berth.errors import ClusterUnreachable, UsageError
    from kubectl_berth.investigation.check import check as run
    from kubectl_berth.investigation.check import target_of

    source = Source(**{name: options[name] for name in Source.__dataclass_fields__})
    source.validate()
    if options["all_namespaces"] and source.namespace:
        raise UsageError("-n reads one namespace and -A all of them; give one of them")
    named = target_of(target)
    cluster = opener(source, load_scenario(source), environment)
    try:
        checked = run(cluster, named, source.namespace)
    except ClusterUnreachable as error:
        _show_error(str(error), options, environment)
        raise
    return _show(checked, options, environment)


def _fail_on(options: dict[str, Any]) -> str:
    """What --fail-on says; without it no finding that --severity hides, and none that is no fault, fails a check."""
    return str(options["fail_on"] or ("critical" if options["severity"] == "critical" else "warning"))


def _fails(checked: Checked, fail_on: str) -> bool:
    """True where a finding, shown or not, is at least as bad as asked."""
    if fail_on == "never":
        return False
    bad = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
    return any(finding.severity in bad for finding in checked.findings)


def _show(checked: Checked, options: dict[str, Any], environment: Environment) -> int:
    from kubectl_berth.errors import ExitStatus
    from kubectl_berth.output.check_document import as_json, as_yaml, check_document
    from kubectl_berth.output.check_text import check_text
    from kubectl_berth.output.screen import takes_escapes

    severity: Severity = options["severity"]
    fail_on = _fail_on(options)
    failed = _fails(checked, fail_on)
    stdout = environment.stdout
    if options["output"] == "text":
        stdout.write(check_text(checked, severity, colour=takes_escapes(stdout, environment)))
    else:
        write = as_json if options["output"] == "json" else as_yaml
        stdout.write(write(check_document(checked, severity, fail_on, failed=failed)))
    stdout.flush()
    if failed:
        return ExitStatus.ERROR
    # what is not installed, a metrics server say, could not be read by anybody
    unread = any(gap.why != "not served" for gap in checked.gaps)
    return ExitStatus.CLUSTER_UNREACHABLE if options["fail_on_gaps"] and unread else ExitStatus.OK


def _show_error(words: str, options: dict[str, Any], environment: Environment) -> None:
    """The document of a check that ended before anything was found; the sentence itself goes to stderr."""
    if options["output"] == "text":
        return
    from kubectl_berth.output.check_document import as_json, as_yaml, error_document

    write = as_json if options["output"] == "json" else as_yaml
    environment.stdout.write(write(error_document(words, options["severity"], _fail_on(options))))
    environment.stdout.flush()
