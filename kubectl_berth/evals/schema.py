"""A scenario's `checks` and `answers` as written, read into checks that can be run.

`checks` maps the name of a check to one mapping that holds its kind, and beside it:

    critical: true    the run fails with it (budget: false unless said otherwise)
    twin: false       true: asked of the healthy twin too
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kubectl_berth.cluster.quantities import quantity
from kubectl_berth.errors import UsageError
from kubectl_berth.evals.advice import DANGERS
from kubectl_berth.evals.checks import (
    ActionCheck,
    AdmitsCheck,
    BudgetCheck,
    Call,
    CallCheck,
    Check,
    CheckSet,
    Example,
    FindingCheck,
    MemoryCheck,
    NamesCheck,
    NumberCheck,
    Rule,
    SaysCheck,
)
from kubectl_berth.evals.concepts import concepts
from kubectl_berth.evals.phrases import Phrase, phrase
from kubectl_berth.records import Ref
from kubectl_berth.scenarios.reader import Scenario

_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")


def check_set(scenario: Scenario) -> CheckSet:
    """Reads the scenario's checks and answers. What cannot be read raises UsageError naming scenario and check."""
    checks: list[Check] = []
    special: dict[str, tuple[str, ...]] = {"canaries": (), "advice": (), "objects": ()}
    for name, written in scenario.checks.items():
        entry = _Entry(f"scenario {scenario.name}, check {name}", written)
        if not _NAME.fullmatch(str(name)):
            raise entry.error("has a name that is not of small letters, digits and hyphens")
        kind = entry.kind()
        if kind in special:
            special[kind] += _special(entry, kind)
            continue
        rule = _RULES[kind](entry.inner(kind))
        checks.append(
            Check(str(name), kind, rule, entry.flag("critical", kind not in _REPORTED), entry.flag("twin", False))
        )
    answers = _Entry(f"scenario {scenario.name}, answers", scenario.answers)
    answers.only("right", "wrong")
    return CheckSet(
        tuple(checks),
        special["canaries"],
        special["advice"],
        special["objects"],
        tuple(_example(answers, entry) for entry in answers.list("right")),
        tuple(_example(answers, entry) for entry in answers.list("wrong")),
    )


_REPORTED = ("budget",)
_SHARED = ("critical", "twin", "why")


class _Entry:
    """One mapping of a scenario file, with the words that name its place in errors."""

    def __init__(self, where: str, values: Any) -> None:
        self.where = where
        if not isinstance(values, Mapping):
            raise self.error(f"wants a mapping, not {type(values).__name__}")
        self.values = values

    def error(self, words: str) -> UsageError:
        return UsageError(f"{self.where}: {words}")

    def kind(self) -> str:
        kinds = [key for key in self.values if key not in _SHARED]
        if len(kinds) == 1 and kinds[0] in (*_RULES, "canaries", "advice", "objects"):
            return str(kinds[0])
        known = ", ".join((*_RULES, "canaries", "advice", "objects"))
        if len(kinds) == 1 and (near := difflib.get_close_matches(str(kinds[0]), known.split(", "), n=1)):
            raise self.error(f"does not know {kinds[0]}, did you mean {near[0]}?")
        raise self.error(f"wants exactly one of {known}, and has {', '.join(map(str, kinds)) or 'none'}")

    def inner(self, kind: str) -> _Entry:
        """The mapping below the kind; a plain list or scalar is handed on under the kind's own name."""
        value = self.values[kind]
        return _Entry(self.where, value if isinstance(value, Mapping) else {kind: value})

    def only(self, *names: str) -> None:
        """Refuses fields that are not in `names`."""
        for key in self.values:
            if key not in names:
                near = difflib.get_close_matches(str(key), names, n=1)
                raise self.error(f"does not know {key}" + (f", did you mean {near[0]}?" if near else ""))

    def flag(self, name: str, default: bool) -> bool:
        value = self.values.get(name, default)
        if not isinstance(value, bool):
            raise self.error(f"wants true or false for {name}")
        return value

    def text(self, name: str, default: str = "") -> str:
        value = self.values.get(name, default)
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise self.error(f"wants a string for {name}")
        return str(value)

    def list(self, name: str) -> Sequence[Any]:
        value = self.values.get(name, ())
        return value if isinstance(value, Sequence) and not isinstance(value, str) else (value,)

    def strings(self, name: str) -> tuple[str, ...]:
        found = self.list(name)
        if any(isinstance(entry, bool) or not isinstance(entry, str | int) for entry in found):
            raise self.error(f"wants strings for {name}")
        return tuple(map(str, found))

    def phrases(self, *names: str) -> tuple[Phrase, ...]:
        """The phrases under any of `names`; a concept ("@name") stands for all of its own."""
        found: list[Phrase] = []
        for written in (entry for name in names for entry in self.strings(name)):
            if not written.startswith("@"):
                found.append(self._phrase(written))
            elif written[1:] in concepts():
                found.extend(concepts()[written[1:]].phrases)
            else:
                near = difflib.get_close_matches(written[1:], concepts(), n=1)
                raise self.error(f"there is no concept {written}" + (f", did you mean @{near[0]}?" if near else ""))
        return tuple(found)

    def _phrase(self, written: str) -> Phrase:
        try:
            return phrase(written)
        except ValueError as error:
            raise self.error(f"{written!r} {error}") from error

    def amount(self, name: str) -> str | None:
        """A quantity as written, None where it is absent."""
        if name not in self.values:
            return None
        value = self.text(name)
        try:
            quantity(value.removesuffix("%"))
        except ValueError as error:
            raise self.error(f"{name}: {error}") from error
        return value

    def subject(self) -> Ref:
        """The object that kind, namespace and name stand for; "" for what is left open."""
        return Ref(self.text("kind"), self.text("namespace"), self.text("name"))


def _finding(entry: _Entry, forbidden: bool = False) -> FindingCheck:
    entry.only("kind", "namespace", "name", "reasons", "cause", "says")
    cause = entry.flag("cause", True) if "cause" in entry.values else None
    known = {reason for concept in concepts().values() for reason in concept.reasons}
    reasons = entry.strings("reasons")
    for reason in reasons:
        if reason not in known:
            near = difflib.get_close_matches(reason, known, n=1)
            raise entry.error(f"no concept has the reason {reason}" + (f", did you mean {near[0]}?" if near else ""))
    if not reasons and not forbidden:
        raise entry.error("wants the reasons that are accepted")
    return FindingCheck(entry.subject(), reasons, cause, entry.phrases("says"), forbidden)


def _action(entry: _Entry, forbidden: bool = False) -> ActionCheck:
    entry.only(
        "kind", "namespace", "name", "verb", "verbs", "field", "direction", "from", "at_least", "at_most", "says"
    )
    direction = entry.text("direction")
    if direction not in ("", "raise", "lower"):
        raise entry.error("wants raise or lower for direction")
    verbs = (*entry.strings("verb"), *entry.strings("verbs"))
    if not (verbs or direction or entry.phrases("says")):
        raise entry.error("wants a verb, a direction or says")
    return ActionCheck(
        entry.subject(),
        verbs,
        entry.text("field"),
        direction,
        entry.amount("from"),
        entry.amount("at_least"),
        entry.amount("at_most"),
        entry.phrases("says"),
        forbidden,
    )


def _called(entry: _Entry, forbidden: bool = False) -> CallCheck:
    entry.only("tool", "with", "fate", "called", "not_called")
    tools = (*entry.strings("tool"), *entry.strings("called"), *entry.strings("not_called"))
    if not tools:
        raise entry.error("wants the tool, or a list of which one suffices")
    arguments = entry.values.get("with", {})
    if not isinstance(arguments, Mapping):
        raise entry.error("wants a mapping of arguments for with")
    return CallCheck(tools, arguments, entry.strings("fate"), forbidden)


def _budget(entry: _Entry) -> BudgetCheck:
    entry.only("budget")
    most = entry.values["budget"]
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise entry.error("wants the number of tool calls for budget")
    return BudgetCheck(most)


def _memory(entry: _Entry) -> MemoryCheck:
    entry.only("writes", "says", "never")
    writes = entry.values.get("writes")
    if writes is not None and (isinstance(writes, bool) or not isinstance(writes, int)):
        raise entry.error("wants a number for writes")
    return MemoryCheck(writes, entry.phrases("says"), entry.phrases("never"))


def _says(entry: _Entry, forbidden: bool = False) -> SaysCheck:
    entry.only("says", "never_says", "any", "about", "quoted", "asked", "hedged")
    phrases = entry.phrases("says", "never_says", "any")
    if not phrases:
        raise entry.error("wants the words under any")
    return SaysCheck(
        phrases,
        entry.strings("about"),
        quoted=entry.flag("quoted", False),
        asked=entry.flag("asked", False),
        hedged=entry.flag("hedged", forbidden),
        forbidden=forbidden,
    )


def _number(entry: _Entry) -> NumberCheck:
    entry.only("number", "value", "at_least", "at_most", "tolerance", "near")
    value = entry.amount("value") or entry.amount("number")
    bounds = entry.amount("at_least"), entry.amount("at_most")
    if value is None and bounds == (None, None):
        raise entry.error("wants a value or bounds")
    tolerance = entry.values.get("tolerance", 0.05)
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not 0 <= tolerance < 1:
        raise entry.error("wants a share below 1 for tolerance")
    return NumberCheck(value, *bounds, float(tolerance), entry.phrases("near"))


def _names(entry: _Entry) -> NamesCheck:
    entry.only("names", "any", "all", "owner")
    check = NamesCheck(
        (*entry.strings("names"), *entry.strings("any")), entry.strings("all"), entry.flag("owner", False)
    )
    if not (check.any or check.all):
        raise entry.error("wants the names")
    return check


def _admits(entry: _Entry) -> AdmitsCheck:
    entry.only("admits", "about")
    phrases = entry.phrases("admits", "about")
    if not phrases:
        raise entry.error("wants what could not be read")
    return AdmitsCheck(phrases)


_RULES: Mapping[str, Callable[[_Entry], Rule]] = {
    "finding": _finding,
    "not_finding": lambda entry: _finding(entry, forbidden=True),
    "action": _action,
    "not_action": lambda entry: _action(entry, forbidden=True),
    "called": _called,
    "not_called": lambda entry: _called(entry, forbidden=True),
    "budget": _budget,
    "memory": _memory,
    "says": _says,
    "never_says": lambda entry: _says(entry, forbidden=True),
    "number": _number,
    "names": _names,
    "admits": _admits,
}


def _special(entry: _Entry, kind: str) -> tuple[str, ...]:
    inner = entry.inner(kind)
    inner.only(kind, "allow")
    found = (*inner.strings(kind), *inner.strings("allow"))
    if kind == "advice" and (unknown := sorted(set(found) - set(DANGERS))):
        raise entry.error(f"does not know the advice {', '.join(unknown)}: there are {', '.join(DANGERS)}")
    if kind == "canaries" and any(len(canary) < 6 for canary in found):
        raise entry.error("wants canaries of at least 6 characters")
    return found


def _example(answers: _Entry, written: Any) -> Example:
    if isinstance(written, str):
        return Example(written.strip())
    entry = _Entry(answers.where, written)
    entry.only("answer", "calls", "fails")
    calls = None if "calls" not in entry.values else tuple(_call(answers, call) for call in entry.list("calls"))
    return Example(entry.text("answer").strip(), calls, entry.strings("fails"))


def _call(answers: _Entry, written: Any) -> Call:
    entry = _Entry(answers.where, written)
    entry.only("tool", "arguments", "fate")
    arguments = entry.values.get("arguments", {})
    if not isinstance(arguments, Mapping):
        raise entry.error("wants a mapping for arguments")
    return Call(entry.text("tool"), arguments, entry.text("fate", "ok"))
