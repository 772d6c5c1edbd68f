"""One run as it is kept: enough to play it again, to judge it again and to go on from it, without cluster or model.

Everything in it has passed redaction: what tools returned did before a model saw it, the rest does here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from typing import Any, get_type_hints

import msgspec

from kubectl_berth import records
from kubectl_berth.engines.engine import Turn
from kubectl_berth.errors import UsageError
from kubectl_berth.records import Event, Finished, Result, Text, Thinking, ToolReturned, Usage, Waiting
from kubectl_berth.safety.own_keys import without_own_keys
from kubectl_berth.safety.redact import redact
from kubectl_berth.safety.sanitise import sanitise
from kubectl_berth.settings import Settings

SCHEMA = "berth.dev/v1/run"
MOST_TURNS = 6
"""Earlier questions and answers that a run goes on from."""

_NAMES: dict[type[Event], str] = {
    records.RunStarted: "run",
    records.Sent: "sent",
    records.ModelCallStarting: "model_call",
    Text: "text",
    Thinking: "thinking",
    records.ToolCalled: "tool_call",
    ToolReturned: "tool_result",
    records.Retry: "retry",
    records.Notice: "notice",
    records.GapFound: "gap",
    Finished: "finished",
}
_TYPES = {name: kind for kind, name in _NAMES.items()}


@dataclass(frozen=True)
class Played:
    """One event, `at` seconds after the run began."""

    at: float
    event: Event


@dataclass(frozen=True)
class Record:
    """One recorded run. `time` is UTC in ISO 8601, `cluster_key` tells the cluster from every other.

    `calls` is what each model call used, `earlier` the turns before, `told` what the engine was told of the cluster
    beside tool results. `host` is where data went, "" for nowhere.
    """

    id: str
    time: str
    version: str
    namespace: str | None
    cluster_key: str
    host: str
    settings: dict[str, Any]
    earlier: tuple[Turn, ...]
    told: tuple[str, ...]
    calls: tuple[Usage, ...]
    events: tuple[Played, ...]
    result: Result

    def tool_results(self) -> list[ToolReturned]:
        """What the tools returned, in the order of the calls."""
        found = [played.event for played in self.events if isinstance(played.event, ToolReturned)]
        return sorted(found, key=lambda event: event.entry.n)

    def finished(self) -> Finished | None:
        """The engine's last event, None where the run was ended before."""
        return next((p.event for p in reversed(self.events) if isinstance(p.event, Finished)), None)

    def turns(self) -> tuple[Turn, ...]:
        """What a run that goes on from this one was told before."""
        return (*self.earlier, Turn(self.result.question, self.result.answer))[-MOST_TURNS:]


@dataclass
class Tape:
    """Takes the events of a run as they come; pieces of one text become one event."""

    played: list[Played] = field(default_factory=list)

    def take(self, at: float, event: Event) -> None:
        """One event, `at` seconds after the run began."""
        last = self.played[-1] if self.played else None
        if isinstance(event, Waiting):
            return
        if isinstance(event, Text | Thinking) and last is not None and type(last.event) is type(event):
            whole = replace(last.event, text=last.event.text + event.text)
            self.played[-1] = Played(last.at, whole)
            return
        self.played.append(Played(round(at, 3), event))


def moment(seconds: float) -> str:
    """Seconds since 1970 as a record's time."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def settings_of(settings: Settings) -> dict[str, Any]:
    """The settings and where each came from. Keys and tokens are no settings; URLs lose their logins."""
    values = {each.name: getattr(settings, each.name) for each in fields(settings) if each.name != "sources"}
    return {"values": values, "sources": dict(settings.sources)}


def encode(record: Record, keys: Sequence[str] = ()) -> bytes:
    """The record as JSON, redacted, and without the keys of this process."""
    content = msgspec.to_builtins(record)
    content["events"] = [
        {"at": played.at, "type": _NAMES[type(played.event)], **_plain(played.event)} for played in record.events
    ]
    return msgspec.json.encode({"schema": SCHEMA, **_clean(content, keys)})


def decode(content: bytes, where: str) -> Record:
    """The record from its JSON. Raises UsageError where it is none."""
    try:
        found = msgspec.json.decode(content)
        if not isinstance(found, dict) or found.get("schema") != SCHEMA:
            raise UsageError(f"{where} holds no recorded run: its schema is not {SCHEMA}")
        kinds = get_type_hints(Record)
        values = {name: msgspec.convert(found[name], kind) for name, kind in kinds.items() if name != "events"}
        return Record(**values, events=tuple(_event(each) for each in found["events"]))
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise UsageError(f"{where} holds no recorded run: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError):
        raise UsageError(f"{where} holds no recorded run, or a damaged one: ask --save writes one") from None


def key_in(content: bytes) -> str:
    """The cluster's key in the JSON of a record, "" where there is none; nothing else of it is read."""
    try:
        return msgspec.json.decode(content, type=_Key).cluster_key
    except (msgspec.ValidationError, msgspec.DecodeError):
        return ""


class _Key(msgspec.Struct):
    cluster_key: str = ""


def _plain(event: Event) -> dict[str, Any]:
    content: dict[str, Any] = msgspec.to_builtins(event)
    return content


def _event(content: dict[str, Any]) -> Played:
    kind = _TYPES[content["type"]]
    return Played(float(content["at"]), msgspec.convert(content, kind))


def _clean(value: Any, keys: Sequence[str]) -> Any:
    """Every text in it as a person may see it, without what redaction takes for a secret."""
    if isinstance(value, str):
        return without_own_keys(redact(sanitise(value)), keys)
    if isinstance(value, dict):
        return {str(key): _clean(each, keys) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(each, keys) for each in value]
    return value
