"""kubectl berth runs: the last runs, kept on this machine."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import click

from kubectl_berth.cli import candidates

if TYPE_CHECKING:
    from kubectl_berth.environment import Environment
    from kubectl_berth.investigation.record import Record
    from kubectl_berth.knowledge.run_files import RunFiles

T = TypeVar("T")
SCHEMA = "berth.dev/v1/runs"


@click.group()
def runs() -> None:
    """The last 50 runs, kept on this machine, readable by you alone. ask --no-record keeps one out.

    kubectl berth replay plays one again.
    """


@runs.command("list", short_help="The kept runs, newest first.")
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", help="What stdout gets.")
@click.pass_obj
def list_runs(environment: Environment, /, output: str) -> int:
    """The kept runs, newest first."""
    from kubectl_berth.output.kept_runs import run_document, run_line

    found, broken = _all(environment)
    for words in broken:
        environment.stderr.write(f"left out: {words}\n")
    if output == "json":
        kept = [run_document(each.id, each.time, each.result) for each in found]
        environment.stdout.write(json.dumps({"schema": SCHEMA, "runs": kept}, indent=2) + "\n")
        return 0
    if not found:
        environment.stderr.write("no run is kept on this machine\n")
    for each in found:
        environment.stdout.write(run_line(each.id, each.result) + "\n")
    return 0


@runs.command(short_help="One run: question, tool calls, answer.")
@click.argument("id", required=False, shell_complete=candidates.run_ids)
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", help="What stdout gets.")
@click.pass_obj
def show(environment: Environment, /, id: str | None, output: str) -> int:
    """The run of this ID, or the last one; -o json gives all that was recorded."""
    content, name = read_run(id, environment)
    if output == "json":
        environment.stdout.write(json.dumps(json.loads(content), indent=2) + "\n")
        return 0
    from kubectl_berth.investigation.record import decode
    from kubectl_berth.output.kept_runs import run_text

    record = decode(content, name)
    environment.stdout.write(f"run {record.id}, {record.time}, kubectl berth {record.version}\n")
    environment.stdout.write(run_text(record.result, record.host))
    return 0


@runs.command(short_help="Delete every kept run.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def purge(environment: Environment, /, yes: bool) -> int:
    """Delete every kept run. Asks on a terminal; anywhere else it needs --yes."""
    from kubectl_berth.errors import UsageError

    kept = len(_using(environment, lambda files: files.ids()))
    if kept and not yes:
        if not (environment.stdin.isatty() and environment.stderr.isatty()):
            raise UsageError("runs purge deletes every kept run: give --yes where nobody can be asked")
        environment.stderr.write(f"Delete {kept} run{'' if kept == 1 else 's'}? [y/N]: ")
        environment.stderr.flush()
        if environment.stdin.readline().strip().lower() not in ("y", "yes"):
            environment.stderr.write("nothing was deleted\n")
            return 0
    count = _using(environment, lambda files: files.purge())
    environment.stderr.write(f"{count} run{'' if count == 1 else 's'} deleted\n")
    return 0


def read_run(id: str | None, environment: Environment) -> tuple[bytes, str]:
    """The record of a kept run, the last one where there is no id, and what to call it. Raises UsageError."""
    from kubectl_berth.errors import UsageError

    ids = _using(environment, lambda files: files.ids())
    if not ids:
        raise UsageError("no run is kept on this machine; kubectl berth ask keeps one")
    chosen = ids[0] if id is None else id
    fitting = [each for each in ids if each == chosen] or [each for each in ids if each.endswith(chosen)]
    if len(fitting) != 1:
        raise UsageError(f"there is no run {chosen!r}; kubectl berth runs list shows them")
    return _using(environment, lambda files: files.read(fitting[0])), f"run {fitting[0]}"


def _all(environment: Environment) -> tuple[list[Record], list[str]]:
    from kubectl_berth.errors import UsageError
    from kubectl_berth.investigation.record import decode
    from kubectl_berth.knowledge.store import StoreError

    def decoded(files: RunFiles) -> tuple[list[Record], list[str]]:
        found, broken = [], []
        for id in files.ids():
            try:
                found.append(decode(files.read(id), f"run {id}"))
            except (UsageError, StoreError) as error:
                broken.append(str(error))
        return found, broken

    return _using(environment, decoded)


def _using(environment: Environment, work: Callable[[RunFiles], T]) -> T:
    """Does something with the kept runs; a directory that cannot be used is an error of one line."""
    from kubectl_berth.cli.sources import run_files_of
    from kubectl_berth.errors import BerthError
    from kubectl_berth.knowledge.store import StoreError
    from kubectl_berth.settings import resolve

    try:
        return work(run_files_of(resolve({}, environment=environment), environment))
    except StoreError as error:
        raise BerthError(str(error)) from None
