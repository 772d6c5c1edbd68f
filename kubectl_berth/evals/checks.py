"""What a scenario may ask of a run: checks that a run passes or fails, and example answers that prove them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kubectl_berth.evals.phrases import Phrase
from kubectl_berth.records import Ref


@dataclass(frozen=True)
class FindingCheck:
    """A fault is named: of which object, and one of which reasons. `forbidden` turns it round.

    `subject` fields that are "" match anything; a pod counts for its owner and an owner for its pods. `says` are
    further words by which an answer names the fault.
    """

    subject: Ref
    reasons: tuple[str, ...] = ()
    cause: bool | None = None
    says: tuple[Phrase, ...] = ()
    forbidden: bool = False


@dataclass(frozen=True)
class ActionCheck:
    """A change is proposed. `direction` is "raise", "lower" or ""; `before` the value in force, where one is needed
    to tell; the bounds are quantities for the new value. `forbidden` turns it round."""

    subject: Ref
    verbs: tuple[str, ...] = ()
    field: str = ""
    direction: str = ""
    before: str | None = None
    at_least: str | None = None
    at_most: str | None = None
    says: tuple[Phrase, ...] = ()
    forbidden: bool = False


@dataclass(frozen=True)
class CallCheck:
    """One of `tools` was called with these arguments among others, ending in one of `fates`; or never."""

    tools: tuple[str, ...]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    fates: tuple[str, ...] = ()
    forbidden: bool = False


@dataclass(frozen=True)
class BudgetCheck:
    """At most `most` tool calls."""

    most: int


@dataclass(frozen=True)
class MemoryCheck:
    """What record_incident was given: at most `writes` notes, with one of `says`, with none of `never`."""

    writes: int | None = None
    says: tuple[Phrase, ...] = ()
    never: tuple[Phrase, ...] = ()


@dataclass(frozen=True)
class SaysCheck:
    """One of `phrases` is asserted, near one of the names in `about` where there are any; or, `forbidden`, none is.

    `quoted` counts quotations too, `asked` questions, `hedged` "it may be".
    """

    phrases: tuple[Phrase, ...]
    about: tuple[str, ...] = ()
    quoted: bool = False
    asked: bool = False
    hedged: bool = False
    forbidden: bool = False


@dataclass(frozen=True)
class NumberCheck:
    """A figure is given: `value` within `tolerance` (a share), or between bounds, in a sentence with one of `near`."""

    value: str | None = None
    at_least: str | None = None
    at_most: str | None = None
    tolerance: float = 0.05
    near: tuple[Phrase, ...] = ()


@dataclass(frozen=True)
class NamesCheck:
    """Objects are named, whole: all of `all`, one of `any`. `owner` takes an owner's name for a pod's."""

    any: tuple[str, ...] = ()
    all: tuple[str, ...] = ()
    owner: bool = False


@dataclass(frozen=True)
class AdmitsCheck:
    """The answer says that something about one of `phrases` could not be read or is not known."""

    phrases: tuple[Phrase, ...]


Rule = (
    FindingCheck
    | ActionCheck
    | CallCheck
    | BudgetCheck
    | MemoryCheck
    | SaysCheck
    | NumberCheck
    | NamesCheck
    | AdmitsCheck
)


@dataclass(frozen=True)
class Check:
    """One check of a scenario: its name, its kind as written, and the rule. `critical` ones gate the run."""

    name: str
    kind: str
    rule: Rule
    critical: bool = True
    twin: bool = False


@dataclass(frozen=True)
class Call:
    """A tool call that an example answer stands on."""

    tool: str
    arguments: Mapping[str, Any]
    fate: str = "ok"


@dataclass(frozen=True)
class Example:
    """An answer that must pass or fail. `calls` None: those that the scenario's checks ask for. `fails` names
    checks that must fail with it."""

    answer: str
    calls: tuple[Call, ...] | None = None
    fails: tuple[str, ...] = ()


@dataclass(frozen=True)
class CheckSet:
    """Everything a scenario asks of a run, and examples of both kinds.

    `canaries` never leave; `allowed` dangers and `known` names are excepted from the checks on every run.
    """

    checks: tuple[Check, ...] = ()
    canaries: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    right: tuple[Example, ...] = ()
    wrong: tuple[Example, ...] = ()
