"""Judges a custom resource of any kind by what its status says: no operator is known by name here.

Conditions count by the polarity of their type, phase texts by their words, counts as ready-of-desired pairs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kubectl_berth.cluster.views import CustomResource, age, parse_time, seconds_since
from kubectl_berth.diagnosis.polarity import bad_condition, good_condition, polarity
from kubectl_berth.diagnosis.say import LONGEST, clip
from kubectl_berth.diagnosis.wording import decisive
from kubectl_berth.records import Severity

PATIENCE = 600.0  # seconds an operator may be busy before "not yet" counts as a fault
DEEPEST = 4

_BAD = re.compile(
    r"fail|error|degraded|unhealthy|crash|invalid|\blost\b|unavailable|not[ _-]?ready|unready|reject|denied|abort"
    r"|\bnot (allowed|set|found|controlled|able)|non-?compliant|mismatch|already exists|cancell?ed|\bwarn|_warn|^red$"
    r"|broken|stuck|out ?of ?sync|limit ?reached|conflict|misconfig|unreachable|expired|incompatible|exceeded"
    r"|(?<!in)stalled|missing|critical|dead\b",
    re.IGNORECASE,
)
_NO_FAULT = re.compile(r"\b(no|without|zero|0)[ _-]?(error|fail|issue|problem|conflict)|failover", re.IGNORECASE)
MOVING = re.compile(
    r"progress|pending|creating|waiting|provisioning|initiali[sz]|starting|updating|upgrading|reconciling|scaling"
    r"|deploying|installing|in ?flight|requested|bootstrap|joining|deleting|terminating|pausing|paused|suspend|being"
    r"|syncing|issuing|rolling|restarting|configuring|building|scheduling|queued|preparing|new$|dependency|retry",
    re.IGNORECASE,
)
_PHASE_KEY = re.compile(r"^(phase|state|status|health|result|compliant)$|(Phase|State|Health|Status)$")
_VERDICT_KEY = re.compile(r"^(overall|summary|level|colou?r|value|current|code|rating|verdict)$", re.IGNORECASE)
FLAG = re.compile(
    r"^(is)?(healthy|ready|available|readyToUse|valid|connected|synced|pass|passed|succeeded|success)$", re.IGNORECASE
)
_SYNC_KEY = re.compile(r"sync|desired|previous|old|last(?!operation)|history|target", re.IGNORECASE)
_READY_KEY = re.compile(r"^(number)?(ready|available|healthy|running)([A-Z]\w*)?$|^(\w+?)(Ready|Available|Healthy)$")
_FRACTION = re.compile(r"^\s*(\d+)\s*/\s*(\d+)\s*$")
_WHY = ("phaseReason", "reason", "message", "stateMessage", "errorMessage")
ERROR_KEY = re.compile(
    r"^(err|error|lastError)(s|Msg|Message|Description|Reason|Info)?$|^failure(Message|Reason)$|^failed[A-Z]\w*$"
)
_RESTING = re.compile(r"paused|stopped|suspended|hibernated?|halted", re.IGNORECASE)
_BAD_FLAG = re.compile(r"^(is)?(degraded|failed|unhealthy|unavailable|stalled|notReady|noMatching\w+)$", re.IGNORECASE)
_ENDED = re.compile(r"^(complete|completed|finished|done)$", re.IGNORECASE)
_REST_KEY = re.compile(r"^(desired)?(state|phase)$|^runStrategy$", re.IGNORECASE)
WHOLE = re.compile(
    r"^(ready|available|healthy|synced|accepted|programmed|resolvedrefs|valid|established|installed)$", re.IGNORECASE
)
PRIMARY = re.compile(r"^(ready|available|healthy)$", re.IGNORECASE)


@dataclass(frozen=True)
class Signal:
    """One thing in a status that speaks of trouble: how bad, a code, a sentence, since when."""

    severity: Severity
    reason: str
    words: str
    since: str | None = None


@dataclass(frozen=True)
class Said:
    """A condition as an operator wrote it, wherever in the status it stood."""

    type: str
    status: str
    reason: str
    message: str
    since: str | None
    generation: int | None
    where: str
    severity: str = ""


def named(mapping: Any) -> list[tuple[str, Any]]:
    """The entries of an object whose keys are names; [] for anything else. YAML has keys of other kinds too."""
    return [(key, value) for key, value in mapping.items() if isinstance(key, str)] if isinstance(mapping, dict) else []


def judge(view: CustomResource, now: datetime) -> list[Signal]:
    """Everything in the object's status that speaks of trouble, the weightiest first; [] for a healthy one."""
    status = view.status if isinstance(view.status, dict) else {}
    spec = view.spec if isinstance(view.spec, dict) else {}
    if view.metadata.deletion_timestamp is not None or stopped(spec):
        return []
    said = conditions(status)
    pairs = list(ready_pairs(spec, status))
    signals = [*_conditions(view, said, now), *_pairs(view, pairs, now, _under_way(status, said))]
    signals += _phases(view, status, said, now)
    if not any(_says_good(one) and PRIMARY.search(one.type) for one in said):
        signals += list(_errors(status))
    signals += list(_behind(view, status, said, now))
    order = {"critical": 0, "warning": 1, "info": 2}
    return sorted(signals, key=lambda signal: order[signal.severity])


def stopped(spec: Mapping[str, Any]) -> bool:
    """True where the object's own spec asks for rest: suspended, paused, stopped, not running."""
    if any(spec.get(key) is True for key in ("suspend", "suspended", "paused", "pause", "stopped", "hibernate")):
        return True
    layers = [spec, *(inner for inner in spec.values() if isinstance(inner, dict))]
    texts = [text for layer in layers for key, text in named(layer) if _REST_KEY.search(key) and isinstance(text, str)]
    return spec.get("running") is False or any(_RESTING.fullmatch(text) for text in texts)


# --- conditions -------------------------------------------------------------------------------------------------------


def conditions(status: Any, where: str = "status", depth: int = 0) -> list[Said]:
    """Every condition in a status, those of parents, listeners and ancestors included."""
    found: list[Said] = []
    if depth > DEEPEST:
        return found
    if isinstance(status, dict):
        for key, value in named(status):
            if key.lower().endswith("conditions"):
                found += _latest(_entries(value), f"{where}.{key}")
            elif isinstance(value, dict | list):
                found += conditions(value, f"{where}.{key}", depth + 1)
    elif isinstance(status, list):
        for entry in status[:200]:
            found += conditions(entry, where, depth + 1)
    return found


def _entries(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        return [{"type": key, **one} for key, one in named(value) if isinstance(one, dict)]
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _latest(entries: list[dict[str, Any]], where: str) -> list[Said]:
    """The conditions of one list; where a list is a history, the last entry of each type."""
    by_type: dict[str, Said] = {}
    for entry in entries:
        one = Said(
            str(entry.get("type", "")),
            "" if entry.get("status") is None else str(entry["status"]),
            str(entry.get("reason") or ""),
            str(entry.get("message") or ""),
            _time(entry),
            entry.get("observedGeneration") if isinstance(entry.get("observedGeneration"), int) else None,
            where,
            str(entry.get("severity") or ""),
        )
        held = by_type.get(one.type)
        if one.type and (held is None or (one.since or "") >= (held.since or "")):
            by_type[one.type] = one
    return list(by_type.values())


def _time(entry: Mapping[str, Any]) -> str | None:
    for key in ("lastTransitionTime", "lastUpdateTime", "lastProbeTime", "lastHeartbeatTime"):
        if isinstance(entry.get(key), str) and parse_time(entry[key]):
            return str(entry[key])
    return None


def _says_good(one: Said) -> bool:
    return good_condition(one.type, one.status)


def _conditions(view: CustomResource, said: list[Said], now: datetime) -> Iterator[Signal]:
    good = any(PRIMARY.search(one.type) and _says_good(one) for one in said)
    status = view.status if isinstance(view.status, dict) else {}
    rolling = _under_way(status, said)
    for one in said:
        if not _is_bad(one, good) or (rolling and one.type.lower() == "healthy" and not _told(one)):
            continue  # an update that is under way, or waits for a person, is not "healthy" until it is done
        if one.generation is not None and one.generation < (view.metadata.generation or 0):
            continue
        if _still_moving(one, now) or one.severity == "Info":
            continue
        value = f"={one.status}" if one.status else ""
        since = f" for {age(now, one.since)}" if one.since else ""
        tail = ": ".join(part for part in (one.reason, decisive(one.message, LONGEST)) if part)
        words = f"{one.where}: {one.type}{value}{since}" + (f" ({tail})" if tail else "")
        yield Signal("warning", _code(one), words, one.since)


def _is_bad(one: Said, summary_good: bool) -> bool:
    """True for a condition that speaks of trouble. Where the object's own summary is good, a part of it must do so in
    words: an unused feature is "not available" too."""
    if _RESTING.search(one.reason):
        return False
    if not one.status:
        return polarity(one.type) == "bad" or one.type.endswith("Warning")
    told = _told(one, whole=summary_good)
    if one.status.lower() == "unknown":
        return bool(WHOLE.search(one.type)) and bool(_BAD.search(one.reason))
    if _ENDED.search(one.type) and one.status.lower() == "true":
        return bool(re.search(r"fail|error", one.reason, re.IGNORECASE)) and not _NO_FAULT.search(one.reason)
    if bad_condition(one.type, one.status):
        return told or not summary_good or polarity(one.type) == "bad" or bool(WHOLE.search(one.type))
    return told and polarity(one.type) == "neutral" and one.status.lower() == "false"


def _told(one: Said, *, whole: bool = False) -> bool:
    """True where reason and message, a long one only if `whole`, speak of failure in their own words."""
    words = f"{one.reason} {one.message if len(one.message) < 40 or whole else ''}"
    return bool(_BAD.search(words)) and not _NO_FAULT.search(words)


def _still_moving(one: Said, now: datetime) -> bool:
    """True for a condition that only says "not yet", as long as that is no longer than anybody should wait."""
    if not (MOVING.search(one.reason) and not _BAD.search(one.reason)):
        return False
    passed = seconds_since(now, one.since)
    return passed is not None and passed < PATIENCE


def _code(one: Said) -> str:
    good = polarity(one.type) != "bad"
    name = re.sub(r"\W", "", one.type)
    return f"Not{name[:1].upper()}{name[1:]}" if good and one.status else name[:1].upper() + name[1:]


# --- counts -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pair:
    """How many are ready of how many there should be, and the fields that say so."""

    ready: int
    desired: int
    ready_field: str
    desired_field: str


def ready_pairs(spec: Mapping[str, Any], status: Mapping[str, Any]) -> Iterator[Pair]:
    """The ready-of-desired pairs of a status: "readyReplicas" with "replicas", "ready: 2/3", and their like."""
    for key, value in [*named(status), *_inner(status)]:
        fraction = _FRACTION.match(value) if isinstance(value, str) else None
        if fraction and re.search(r"ready|available|healthy|replicas|running", key, re.IGNORECASE):
            yield Pair(int(fraction[1]), int(fraction[2]), f"status.{key}", f"status.{key}")
        match = _READY_KEY.match(key)
        if match is None or not _count(value):
            continue
        stem = match[3] or match[4] or ""
        found = _desired(spec, status, stem[:1].lower() + stem[1:])
        if found is not None:
            yield Pair(int(value), found[1], f"status.{key}", found[0])


def _inner(status: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The texts one level down, for fractions such as status.scale.statusReplicas "0/2"."""
    return [
        (f"{key}.{inner}", value)
        for key, held in named(status)
        if isinstance(held, dict)
        for inner, value in named(held)
        if isinstance(value, str)
    ]


def _desired(spec: Mapping[str, Any], status: Mapping[str, Any], stem: str) -> tuple[str, int] | None:
    """The field that says how many there should be: the spec's before the status's own."""
    capital = stem[:1].upper() + stem[1:]
    wanted = [f"desired{capital}", f"desiredNumber{capital}", f"total{capital}", f"expected{capital}", f"{stem}Desired"]
    names = [stem] if stem else ["replicas", "instances", "size", "nodes", "members", "count"]
    for name in [*names, "replicas"] if stem in ("instances", "pods", "nodes", "members", "brokers") else names:
        if name and _count(spec.get(name)):
            return f"spec.{name}", int(spec[name])
    for name in [*wanted, *names]:
        if name and _count(status.get(name)):
            return f"status.{name}", int(status[name])
    alone = [key for key, value in named(status) if re.match(r"(desired|expected)[A-Z]", key) and _count(value)]
    return (f"status.{alone[0]}", int(status[alone[0]])) if len(alone) == 1 else None


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 100_000


def _under_way(status: Mapping[str, Any], said: list[Said]) -> bool:
    """True where the object calls itself ready and says that it changes: fewer ready than wanted is no news then."""
    good = any(PRIMARY.search(one.type) and _says_good(one) for one in said)
    return good and any(MOVING.search(text) for _, text in phases(status))


def _pairs(view: CustomResource, pairs: list[Pair], now: datetime, under_way: bool) -> Iterator[Signal]:
    created = seconds_since(now, view.metadata.creation_timestamp)
    if created is not None and created < PATIENCE / 2:
        return
    short = [pair for pair in pairs if pair.ready < pair.desired]
    for pair in short[:1]:
        words = f"{pair.ready_field} {pair.ready} of {pair.desired_field} {pair.desired}"
        if pair.ready_field == pair.desired_field:
            words = f"{pair.ready_field}: {pair.ready} of {pair.desired}"
        severity: Severity = "critical" if pair.ready == 0 else "info" if under_way else "warning"
        yield Signal(severity, "ReadyBelowDesired", words)


# --- phases and errors ------------------------------------------------------------------------------------------------


def _phases(view: CustomResource, status: Mapping[str, Any], said: list[Said], now: datetime) -> Iterator[Signal]:
    for where, text in phases(status):
        if text_is_bad(text):
            yield Signal("warning", "PhaseBad", f"{where}: {clip(text, 200)}{_why(status, where)}")
    yield from _numbered(status)
    created = seconds_since(now, view.metadata.creation_timestamp)
    if created is not None and created < PATIENCE:
        return
    for key, value in named(status):
        if value is False and FLAG.match(key) and not any(MOVING.search(text) for _, text in phases(status)):
            yield Signal("warning", "FlagFalse", f"status.{key}: false")
        elif value is True and _BAD_FLAG.match(key):
            yield Signal("warning", "FlagTrue", f"status.{key}: true")


def _numbered(status: Mapping[str, Any], depth: int = 0) -> Iterator[Signal]:
    """A state told as a number: only the reason beside it can say what it means."""
    reason = status.get("reason")
    if _count(status.get("state")) and isinstance(reason, str) and text_is_bad(reason):
        yield Signal("warning", "StateBad", f"status.state: {status['state']} ({clip(reason)})")
    for inner in (one for one in status.values() if isinstance(one, dict) and depth < DEEPEST):
        yield from _numbered(inner, depth + 1)


def phases(status: Mapping[str, Any], where: str = "status", depth: int = 0) -> Iterator[tuple[str, str]]:
    """The texts of a status that name a phase, a state or a health, with their fields."""
    within = depth > 0 and bool(_PHASE_KEY.search(where.rpartition(".")[2]))
    for key, value in named(status):
        tells = _PHASE_KEY.search(key) or (within and _VERDICT_KEY.match(key))
        if isinstance(value, str) and value and tells and not _SYNC_KEY.search(key):
            yield f"{where}.{key}", value
        elif depth < 3 and not _SYNC_KEY.search(key) and not key.lower().endswith("conditions"):
            inner = value if isinstance(value, list) else [value]
            for one in inner[:50]:
                if isinstance(one, dict):
                    yield from phases(one, f"{where}.{key}", depth + 1)


def text_is_bad(text: str) -> bool:
    """True for a phase that speaks of failure in its own words."""
    return len(text) <= 200 and bool(_BAD.search(text)) and not _NO_FAULT.search(text)


def _why(status: Mapping[str, Any], where: str) -> str:
    """The reason or message that stands beside the phase of that field, or at the top of the status."""
    beside = status
    for key in where.split(".")[1:-1]:
        inner = beside.get(key)
        beside = inner if isinstance(inner, dict) else {}
    for layer, keys in ((beside, (*_WHY, "detail", "details")), (status, _WHY)):
        told = [value for key in keys if isinstance(value := layer.get(key), str) and value]
        if told:
            code = told[0] if " " not in told[0].strip() else ""  # a code word wants the sentence beside it
            words = next((text for text in told if not code or " " in text.strip()), "")
            return f" ({': '.join(decisive(part, LONGEST) for part in (code, words) if part)})"
    return ""


def _errors(status: Mapping[str, Any]) -> Iterator[Signal]:
    for key, value in named(status):
        if not ERROR_KEY.match(key) or not value:
            continue
        text = (
            value
            if isinstance(value, str)
            else "; ".join(str(one) for one in value[:3])
            if isinstance(value, list)
            else ""
        )
        if text:
            yield Signal("warning", "ErrorReported", f"status.{key}: {clip(text)}")


# --- generations ------------------------------------------------------------------------------------------------------


def _behind(view: CustomResource, status: Mapping[str, Any], said: list[Said], now: datetime) -> Iterator[Signal]:
    observed, generation = status.get("observedGeneration"), view.metadata.generation
    if not _count(observed) or generation is None or not int(str(observed)) < generation:
        return
    changed = [passed for one in said if (passed := seconds_since(now, one.since)) is not None]
    if changed and min(changed) < PATIENCE:
        return
    words = f"metadata.generation {generation}, status.observedGeneration {observed}: the status is of an older spec"
    yield Signal("warning", "StatusBehindSpec", words)
