"""kubectl berth memory: the notes about past incidents that are kept on this machine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kubectl_berth.cli import candidates
from kubectl_berth.cli.options import connection_flags, kubeconfig_options
from kubectl_berth.cli.spelling import KubectlCommand

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubectl_berth.environment import Environment
    from kubectl_berth.knowledge.store import Store
    from kubectl_berth.records import Incident

T = TypeVar("T")
SCHEMA = "berth.dev/v1/memory"


@click.group()
def memory() -> None:
    """Notes about past incidents, kept on this machine for each cluster by itself. A run may look them up."""


@memory.command("list", short_help="The notes, newest first.")
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", help="What stdout gets.")
@click.pass_obj
def list_notes(environment: Environment, /, output: str) -> int:
    """The notes of all clusters, newest first."""
    from kubectl_berth.output.notes import note_document, notes_list

    found = _reading(environment)
    if output == "json":
        _write_json(environment, {"notes": [note_document(note) for note in found]})
        return 0
    if not found:
        environment.stderr.write("there are no notes on this machine\n")
    environment.stdout.write(notes_list(found))
    return 0


@memory.command(short_help="One note.")
@click.argument("number", type=int, shell_complete=candidates.note_numbers)
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", help="What stdout gets.")
@click.pass_obj
def show(environment: Environment, /, number: int, output: str) -> int:
    """The note of this NUMBER, as memory list gives it."""
    from kubectl_berth.output.notes import note_document, note_text

    note = next((note for note in _reading(environment) if note.number == number), None)
    if note is None:
        raise _no_such(number)
    if output == "json":
        _write_json(environment, note_document(note))
        return 0
    environment.stdout.write(note_text(note))
    return 0


@memory.command(short_help="Delete notes.")
@click.argument("numbers", type=int, nargs=-1, shell_complete=candidates.note_numbers)
@click.option("--all", "everything", is_flag=True, help="Delete every note of every cluster.")
@click.pass_obj
def forget(environment: Environment, /, numbers: tuple[int, ...], everything: bool) -> int:
    """Delete the notes of these NUMBERS."""
    from kubectl_berth.errors import UsageError
    from kubectl_berth.knowledge.incidents import forget as delete

    if bool(numbers) == everything:
        raise UsageError("name the notes to delete by their numbers, or give --all")
    if missing := set(numbers) - {note.number for note in _reading(environment)}:
        raise _no_such(min(missing))
    count = _using(environment, lambda store: delete(store, None if everything else numbers))
    environment.stderr.write(f"{count} note{'' if count == 1 else 's'} deleted\n")
    return 0


@memory.command(cls=KubectlCommand, short_help="Write a note about a cluster.")
@click.option("--title", required=True, metavar="TEXT", help="What happened, in a few words.")
@click.option("--root-cause", "root_cause", required=True, metavar="TEXT", help="What caused it.")
@click.option("--fix", required=True, metavar="TEXT", help="What helped.")
@kubeconfig_options
@click.option(
    "--snapshot", metavar="DIR", shell_complete=candidates.directories, help="The cluster of a snapshot directory."
)
@connection_flags
@click.pass_obj
def add(environment: Environment, /, title: str, root_cause: str, fix: str, **options: Any) -> int:
    """Write a note about the cluster of the current context."""
    from kubectl_berth.cli.sources import Source, opener
    from kubectl_berth.errors import UsageError
    from kubectl_berth.knowledge.incidents import Memory, cluster_key

    source = Source(scenario=None, twin=False, **options)
    source.validate()
    if not all(part.strip() for part in (title, root_cause, fix)):
        raise UsageError("a note needs words for --title, --root-cause and --fix")
    cluster = opener(source, None, environment)()
    try:
        key, label, now = cluster_key(cluster), cluster.name().name, cluster.now()
    finally:
        cluster.close()
    note = _using(environment, lambda store: Memory(store, key, label).record(title, root_cause, fix, now))
    environment.stderr.write(f"noted as number {note.number} for {note.cluster}\n")
    return 0


def _reading(environment: Environment) -> list[Incident]:
    from kubectl_berth.knowledge.incidents import notes

    return _using(environment, notes)


def _using(environment: Environment, work: Callable[[Store], T]) -> T:
    """Does something with the store; a store that cannot be used is an error of one line."""
    from kubectl_berth.errors import BerthError
    from kubectl_berth.knowledge.store import FILE, Store, StoreError, data_directory
    from kubectl_berth.settings import resolve

    try:
        return work(Store(data_directory(resolve({}, environment=environment), environment) / FILE))
    except StoreError as error:
        raise BerthError(str(error)) from None


def _no_such(number: int) -> Exception:
    from kubectl_berth.errors import UsageError

    return UsageError(f"there is no note {number}; kubectl berth memory list shows them")


def _write_json(environment: Environment, content: dict[str, Any]) -> None:
    environment.stdout.write(json.dumps({"schema": SCHEMA, **content}, indent=2, ensure_ascii=False) + "\n")
