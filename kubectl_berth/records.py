"""The plain data that travels up: references, findings, gaps, usage, events of a run, its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

Object = dict[str, Any]
"""A Kubernetes object: the JSON as the API gave it."""

Severity = Literal["critical", "warning", "info"]
Fate = Literal["ok", "empty", "error", "refused", "withheld", "repeated", "tripwire"]


@dataclass(frozen=True, order=True)
class Ref:
    """Which object is meant. `namespace` is "" for cluster-scoped kinds."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"


@dataclass(frozen=True)
class Gap:
    """Something that could not be read: `what` ("pods/log in finance"), `why` ("forbidden"), the API's words."""

    what: str
    why: str
    detail: str = ""


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with one object.

    `reason` is a CamelCase code. `evidence` names object, field, event or log line, one sentence each.
    `effects` are the objects that suffer from this one; `caused_by` the subject whose finding explains this one
    (a finding with it is a symptom). `remedy` is what to do, `disproof` what would show that the finding is wrong.
    """

    severity: Severity
    subject: Ref
    reason: str
    summary: str
    evidence: tuple[str, ...] = ()
    effects: tuple[Ref, ...] = ()
    caused_by: Ref | None = None
    remedy: str = ""
    disproof: str = ""
    source: Literal["rules", "model"] = "rules"

    @property
    def cause(self) -> bool:
        """True for a root cause, False for a symptom of another finding."""
        return self.caused_by is None


@dataclass(frozen=True)
class Action:
    """One change that the answer proposes. Nothing ever carries it out."""

    verb: str
    kind: str
    namespace: str
    name: str
    field: str | None = None
    before: str | None = None
    after: str | None = None


@dataclass(frozen=True)
class Usage:
    """What a run used so far. Tokens as the provider counted them; cached ones are not part of `input_tokens`.

    `cache_write_hour_tokens` are those of `cache_write_tokens` that were written for an hour instead of five minutes.
    """

    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    retries: int = 0
    cache_write_hour_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.model_calls + other.model_calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.retries + other.retries,
            self.cache_write_hour_tokens + other.cache_write_hour_tokens,
        )


@dataclass(frozen=True)
class Cost:
    """An estimate in US dollars, with the date of the price row it rests on."""

    usd: float
    prices_of: str
    estimate: bool = True


@dataclass(frozen=True)
class ToolResult:
    """What the toolbox gave back for one call: `text` is exactly what the engine sees.

    `number` is the call's place in the trace, from 1. `bytes` is the size of `text` in UTF-8, `error` the sentence
    where the fate is error or refused.
    """

    number: int
    text: str
    fate: Fate
    bytes: int
    seconds: float
    error: str | None = None
    gaps: tuple[Gap, ...] = ()
    findings: tuple[Finding, ...] = ()
    actions: tuple[Action, ...] = ()


@dataclass(frozen=True)
class TraceEntry:
    """One tool call of a run, as the result document lists it. `arguments` are as the engine gave them."""

    n: int
    model_call: int
    tool: str
    arguments: Mapping[str, Any]
    fate: Fate
    bytes: int
    seconds: float
    error: str | None = None


# --- events: the only thing that travels up while a run goes on ----------------------------------------------------


@dataclass(frozen=True)
class RunStarted:
    """First event. `host` is where the data goes ("" for this machine), `cap` the number of model calls."""

    engine: str
    model: str | None
    host: str
    cap: int | None


@dataclass(frozen=True)
class Sent:
    """What a model is told before its first call: each part's name and text. Tool results follow as they come."""

    parts: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ModelCallStarting:
    """Before each request that counts. `number` from 1; `estimate` is the input tokens the request may have."""

    number: int
    estimate: int = 0


@dataclass(frozen=True)
class Text:
    """A piece of the model's text as it streams. Narration, if a tool call follows in the same turn."""

    text: str


@dataclass(frozen=True)
class Thinking:
    """A piece of the model's notes. Never part of the answer."""

    text: str


@dataclass(frozen=True)
class ToolCalled:
    """The engine asked for a tool. All text of this turn so far was narration."""

    n: int
    model_call: int
    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class ToolReturned:
    """A tool call ended."""

    entry: TraceEntry
    result: ToolResult


@dataclass(frozen=True)
class Retry:
    """A request is sent again; all text of this turn so far is withdrawn."""

    reason: str


@dataclass(frozen=True)
class Notice:
    """One line for the person, on stderr."""

    text: str


@dataclass(frozen=True)
class Waiting:
    """A model call goes on without text of an answer: the model is loaded, reads or thinks.

    `doing` says which, in a few words; `seconds` how long the call takes already.
    """

    doing: str
    seconds: float


@dataclass(frozen=True)
class GapFound:
    """Something of this run is missing that no tool has to do with: the model did not get all that was sent."""

    gap: Gap


StopReason = Literal["end", "cut-off", "refused", "tool-calls", "empty", "error"]


@dataclass(frozen=True)
class Finished:
    """The last event of an engine.

    `reason`: "end" the model ended its turn; "cut-off" output limit or context window; "refused" the model declined;
    "tool-calls" the last permitted call asked for tools. `forced` where the cap forced the last call. `detail` is the
    provider's own word (a refusal's category, a stop reason). Anything else an engine meets it raises.
    """

    reason: StopReason
    text: str
    usage: Usage
    forced: bool = False
    detail: str = ""
    findings: tuple[Finding, ...] = ()
    actions: tuple[Action, ...] = ()


Event = (
    RunStarted
    | Sent
    | ModelCallStarting
    | Text
    | Thinking
    | Waiting
    | ToolCalled
    | ToolReturned
    | Retry
    | Notice
    | GapFound
    | Finished
)


# --- the result: the only thing at the end --------------------------------------------------------------------------

Outcome = Literal[
    "answered",
    "cut-off",
    "refused",
    "still-calling-tools",
    "empty",
    "fragment",
    "engine-unreachable",
    "engine-error",
    "timed-out",
    "over-budget",
    "interrupted",
    "cluster-unreachable",
]


@dataclass(frozen=True)
class ClusterName:
    """Which cluster was read, as the result document names it.

    `only` is the one namespace that is in it, "" for all: a snapshot may have been taken of one alone.
    """

    source: Literal["context", "snapshot", "scenario"]
    name: str
    version: str
    namespace: str
    only: str = ""


@dataclass(frozen=True)
class Result:
    """What a run ended as. `answer` is "" and `error` a sentence where there is no answer.

    `remarks` are what berth itself says about the answer of a model.
    """

    question: str
    cluster: ClusterName | None
    engine: str
    model: str | None
    outcome: Outcome
    answer: str = ""
    error: str | None = None
    exit_status: int = 0
    forced: bool = False
    findings: Sequence[Finding] = ()
    actions: Sequence[Action] = ()
    trace: Sequence[TraceEntry] = ()
    gaps: Sequence[Gap] = ()
    not_in_evidence: Sequence[str] | None = None
    remarks: Sequence[str] = ()
    usage: Usage = field(default_factory=Usage)
    cost: Cost | None = None
    seconds: float = 0.0

    @property
    def complete(self) -> bool:
        """True where the answer is whole."""
        return self.outcome == "answered"


@dataclass(frozen=True)
class Checked:
    """What the checks found. `findings` are all, causes first; `looked_at` is how much was read ("pods": 41).

    `targets` are the objects asked about (none: everything), `namespace` the only one read (None: all). `remarks` are
    lines for the person: what a name was taken for, text that was left out.
    """

    cluster: ClusterName
    findings: Sequence[Finding] = ()
    gaps: Sequence[Gap] = ()
    looked_at: Mapping[str, int] = field(default_factory=dict)
    targets: Sequence[Ref] = ()
    namespace: str | None = None
    remarks: Sequence[str] = ()


@dataclass(frozen=True)
class Spent:
    """What all runs of a day with one model of one engine took; `unpriced` of the `runs` have no price."""

    day: str
    engine: str
    model: str
    runs: int
    usage: Usage
    usd: float
    unpriced: int
    reserved: int


@dataclass(frozen=True)
class Incident:
    """One note. `cluster` is the cluster's name when it was written, `time` UTC, `about` the objects it speaks of."""

    number: int
    cluster: str
    time: datetime
    title: str
    root_cause: str
    fix: str
    about: str = ""


@dataclass(frozen=True)
class Point:
    """One thing that doctor looked at. `state` is ok, note (nothing to mend), missing or failed; `lines` say more.

    `status` is the exit status that it calls for.
    """

    name: str
    state: str
    words: str
    lines: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    status: int = 0
