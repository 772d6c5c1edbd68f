"""A results directory: eval.json (the plan), runs.jsonl (a line for each run), runs/ (the full record of each).

Lines are only ever added, so that a stopped evaluation goes on where it was. rescored.jsonl, where there is one, holds
later verdicts on the same runs; the first ones stay. Only their owner can read them: what was read of a cluster is in
them.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kubectl_berth.errors import UsageError
from kubectl_berth.evals.plan import Plan, plan_of
from kubectl_berth.knowledge.run_files import make_private, write_private

SCHEMA = "berth.dev/v1/eval"
ABOUT, RUNS, RESCORED, RECORDS = "eval.json", "runs.jsonl", "rescored.jsonl", "runs"

Key = tuple[str, int]
"""A run: the label of its scenario, and its repeat, from 1."""


@dataclass(frozen=True)
class Row:
    """One run that ended, however it did.

    `document` is its result document, `verdict` what score.Verdict.document gives, `at` when it ended (UTC).
    """

    label: str
    repeat: int
    at: str
    document: Mapping[str, Any]
    verdict: Mapping[str, Any]

    @property
    def key(self) -> Key:
        """What pairs it with a run of other results."""
        return self.label, self.repeat

    @property
    def passed(self) -> bool:
        """Whether every critical check passed."""
        return bool(self.verdict["passed"])

    @property
    def check_hash(self) -> str:
        """Which checks judged it."""
        return str(self.verdict["checkHash"])

    @property
    def failed(self) -> list[Mapping[str, Any]]:
        """The critical checks that failed."""
        return [check for check in self.verdict["checks"] if check["critical"] and not check["passed"]]


class Results:
    """One results directory. Every method raises UsageError, naming the file, where it cannot be used."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.started, self.plan = self._about()

    @classmethod
    def create(cls, directory: Path, plan: Plan, started: str) -> Results:
        """A new directory for a plan."""
        about = {"schema": SCHEMA, "started": started, "hash": plan.hash, **plan.document()}
        try:
            make_private(directory)
            make_private(directory / RECORDS)
            write_private(directory / ABOUT, (json.dumps(about, indent=1) + "\n").encode())
        except OSError as error:
            raise _unusable(directory, error) from error
        return cls(directory)

    def _about(self) -> tuple[str, Plan]:
        path = self.directory / ABOUT
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            if content.get("schema") != SCHEMA:
                raise UsageError(f"{path} is not of an evaluation: its schema is not {SCHEMA}")
            return str(content["started"]), plan_of(content)
        except FileNotFoundError as error:
            raise UsageError(f"{self.directory} holds no results of kubectl berth eval run: no {ABOUT}") from error
        except OSError as error:
            raise _unusable(path, error) from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError(f"{path} cannot be read: {error}") from error

    def rows(self) -> dict[Key, Row]:
        """Every run that ended, as it was first scored. A line that was cut off while it was written is no run."""
        found: dict[Key, Row] = {}
        for line in self._lines(RUNS):
            row = Row(line["label"], line["repeat"], line["at"], line["document"], line["verdict"])
            found.setdefault(row.key, row)
        wanted = set(self.plan.runs())
        return {key: row for key, row in found.items() if key in wanted}

    def rescored(self) -> dict[Key, tuple[str, Mapping[str, Any]]]:
        """The latest verdict on runs that were scored again, and when."""
        return {(line["label"], line["repeat"]): (line["at"], line["verdict"]) for line in self._lines(RESCORED)}

    def add(self, row: Row, record: bytes | None) -> None:
        """Keeps a run that ended, its record first."""
        path = self.record_path(row.key)
        try:
            if record is not None:
                write_private(path, record)
        except OSError as error:
            raise _unusable(path, error) from error
        self._append(
            RUNS,
            {
                "label": row.label,
                "repeat": row.repeat,
                "at": row.at,
                "verdict": row.verdict,
                "record": f"{RECORDS}/{path.name}" if record is not None else None,
                "document": row.document,
            },
        )

    def add_rescored(self, row: Row) -> None:
        """Keeps another verdict on a run."""
        self._append(RESCORED, {"label": row.label, "repeat": row.repeat, "at": row.at, "verdict": row.verdict})

    def record_path(self, key: Key) -> Path:
        """Where the full record of a run is."""
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", key[0]).strip("-")
        return self.directory / RECORDS / f"{name}.{key[1]}.json"

    def record(self, key: Key) -> bytes | None:
        """The full record of a run, None where there is none."""
        try:
            return self.record_path(key).read_bytes()
        except OSError:
            return None

    def _lines(self, name: str) -> list[dict[str, Any]]:
        path = self.directory / name
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return []
        except OSError as error:
            raise _unusable(path, error) from error
        found = []
        for line in text.splitlines():
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
        return found

    def _append(self, name: str, content: Mapping[str, Any]) -> None:
        path = self.directory / name
        line = json.dumps(content, ensure_ascii=True).encode() + b"\n"
        try:
            with os.fdopen(os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600), "ab+") as file:
                file.seek(0, os.SEEK_END)
                if file.tell():
                    file.seek(-1, os.SEEK_END)
                    # what was cut off while it was written must not swallow this line too
                    line = line if file.read(1) == b"\n" else b"\n" + line
                file.write(line)
        except OSError as error:
            raise _unusable(path, error) from error


def open_results(directory: Path, plan: Plan, seconds: float) -> Results:
    """The results in `directory`, for this plan: new ones, or those begun before.

    UsageError where the directory holds those of another plan, or other things.
    """
    if (directory / ABOUT).exists():
        results = Results(directory)
        if results.plan.hash != plan.hash:
            raise UsageError(f"{directory} holds the results of another evaluation ({difference(results.plan, plan)})")
        return results
    if directory.is_dir() and any(directory.iterdir()):
        raise UsageError(f"{directory} holds other things: name a new directory for the results")
    return Results.create(directory, plan, stamp(seconds))


def difference(one: Plan, other: Plan) -> str:
    """In what two plans differ, in words."""
    before, after = one.document(), other.document()
    found = [
        f"{name} {before[name]} there, {after[name]} here"
        for name in ("engine", "model", "cap", "repeats", "of", "berth")
        if before[name] != after[name]
    ]
    found += [f"another {name}" for name in ("prompt", "tools", "settings") if before[name] != after[name]]
    if before["scenarios"] != after["scenarios"]:
        found.append("other scenarios or checks")
    return "; ".join(found) or "the same"


def unfinished(home: Path, plan: Plan) -> Path | None:
    """The newest directory in `home` whose plan is this one and not done with."""
    for path in sorted(home.glob(f"*/{ABOUT}"), reverse=True):
        try:
            results = Results(path.parent)
        except UsageError:
            continue
        if results.plan.hash == plan.hash and len(results.rows()) < len(plan.runs()):
            return path.parent
    return None


def stamp(seconds: float) -> str:
    """Seconds since 1970 as UTC in ISO 8601."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _unusable(path: Path, error: OSError) -> UsageError:
    return UsageError(f"{error.filename or path} cannot be used: {error.strerror or error}")
