"""What a run writes down on this machine: what it took, and the run itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kubectl_berth.engines.engine import Turn
    from kubectl_berth.environment import Environment
    from kubectl_berth.investigation.ask import Books
    from kubectl_berth.investigation.record import Record
    from kubectl_berth.settings import Settings


def books_of(settings: Settings, environment: Environment, save: str | None, unsaved: list[str]) -> Books:
    """The books of a run; `save` is a file that gets its record too.

    Raises UsageError where there is no place for that file; why it could not be written in the end goes into `unsaved`.
    """
    from kubectl_berth.cli.sources import run_files_of, store_of
    from kubectl_berth.errors import UsageError
    from kubectl_berth.investigation.ask import Books

    target = Path(save) if save else None
    if target is not None and (target.is_dir() or not target.parent.is_dir()):
        raise UsageError(
            f"--save {save}: there is no directory {target.parent}"
            if not target.is_dir()
            else f"--save {save} is a directory; name a file"
        )
    files = run_files_of(settings, environment) if settings.record else None

    def keep(record: Record) -> str | None:
        from kubectl_berth.investigation.record import encode
        from kubectl_berth.knowledge.run_files import write_private
        from kubectl_berth.knowledge.store import StoreError
        from kubectl_berth.safety.own_keys import own_keys

        content = encode(record, own_keys(environment.variables))
        words = None
        if target is not None:
            try:
                write_private(target, content)
            except OSError as error:
                unsaved.append(f"--save {target} cannot be written: {error.strerror or error}; the run is not in it")
        if files is not None:
            try:
                files.write(record.id, content)
            except StoreError as error:
                words = str(error)
        return words

    return Books(store_of(settings, environment), keep if files is not None or target is not None else None)


def last_turns(settings: Settings, environment: Environment) -> Callable[[str], Sequence[Turn]]:
    """What finds the questions and answers of the last recorded run of a cluster, by the cluster's key."""

    def find(key: str) -> Sequence[Turn]:
        from kubectl_berth.cli.sources import run_files_of
        from kubectl_berth.errors import UsageError
        from kubectl_berth.investigation.record import decode, key_in
        from kubectl_berth.knowledge.store import StoreError

        files = run_files_of(settings, environment)
        try:
            for id in files.ids():
                content = files.read(id)
                if key_in(content) == key:
                    return decode(content, f"run {id}").turns()
        except StoreError as error:
            raise UsageError(f"--continue: {error}") from None
        raise UsageError("--continue: no run of this cluster is recorded; ask without it")

    return find
