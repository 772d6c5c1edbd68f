"""kubectl berth replay: a recorded run played and judged again, without cluster or model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kubectl_berth.cli import candidates

if TYPE_CHECKING:
    from kubectl_berth.environment import Environment


@click.command()
@click.argument("file", shell_complete=candidates.recorded)
@click.option("-o", "--output", type=click.Choice(["text", "json", "jsonl"]), default="text", help="What stdout gets.")
@click.option(
    "--trace",
    type=click.Choice(["none", "brief", "full"]),
    default="brief",
    help="How much of each tool call stderr gets.",
)
@click.option("-q", "--quiet", is_flag=True, help="Nothing on stderr but errors.")
@click.option("--show-data", is_flag=True, help="Show on stderr what was sent to the model, word for word.")
@click.pass_obj
def replay(environment: Environment, /, file: str, **options: Any) -> int:
    """Play the run in FILE (of ask --save), or the kept run of this id, again.

    Cost, findings and what was not seen in the evidence are worked out anew. Nothing is asked of a model or a cluster.
    Exit status: that of the run.
    """
    from kubectl_berth.cli.report import Report
    from kubectl_berth.cli.runs import read_run
    from kubectl_berth.errors import UsageError
    from kubectl_berth.investigation.record import decode
    from kubectl_berth.investigation.replay import judged_again
    from kubectl_berth.investigation.said import Said
    from kubectl_berth.knowledge.run_files import read_file
    from kubectl_berth.knowledge.store import StoreError
    from kubectl_berth.records import Notice, RunStarted
    from kubectl_berth.settings import resolve

    try:
        content, name = (read_file(Path(file)), file) if Path(file).exists() else read_run(file, environment)
    except StoreError as error:
        raise UsageError(str(error)) from None
    record = decode(content, name)
    settings = resolve({}, environment=environment)
    report = Report(environment, options)
    model = f", {record.result.model}" if record.result.model else ""
    asked = (
        f"replay of {record.id}, {record.time}, {record.result.engine}{model}: nothing is asked of a model or a cluster"
    )
    # a file that somebody else wrote has not been through redaction
    said = Said(report.event)
    for played in record.events:
        if isinstance(played.event, RunStarted):
            report.opening(played.event)
            report.event(Notice(asked))
        else:
            said.event(played.event)
    said.end()
    return report.end(judged_again(record, settings.price_in, settings.price_out))
