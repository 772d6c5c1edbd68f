"""What every view shares: metadata, conditions, decoding, time."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec
from msgspec import field

from kubectl_berth.records import Object, Ref
from kubectl_berth.safety.refuse import possible_name
from kubectl_berth.safety.sanitise import one_line

Amounts = dict[str, str | int | float]
"""Resource name -> quantity as written."""


class View(msgspec.Struct, kw_only=True, rename="camel"):
    """A struct that declares only the fields we read; the rest of the object is skipped."""


class OwnerReference(View):
    """An owner as the owned object names it."""

    kind: str = ""
    name: str = ""
    uid: str = ""
    api_version: str = ""
    controller: bool = False


class Meta(View):
    """ObjectMeta. Times are RFC 3339 texts; read them with `parse_time`."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    deletion_grace_period_seconds: int | None = None
    generation: int | None = None
    owner_references: list[OwnerReference] = []
    finalizers: list[str] = []

    @property
    def controller(self) -> OwnerReference | None:
        """The owner that manages this object, or its only owner."""
        for owner in self.owner_references:
            if owner.controller:
                return owner
        return self.owner_references[0] if self.owner_references else None


class Condition(View):
    """A status condition. `status` is "True", "False" or "Unknown"."""

    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""
    last_transition_time: str | None = None
    last_update_time: str | None = None
    observed_generation: int | None = None


class Identified(View):
    """An object of any kind: what it is and its metadata."""

    api_version: str = ""
    kind: str = ""
    metadata: Meta = field(default_factory=Meta)

    @property
    def ref(self) -> Ref:
        """The reference that names this object."""
        return Ref(self.kind, self.metadata.namespace, self.metadata.name)

    @property
    def name(self) -> str:
        """metadata.name."""
        return self.metadata.name

    @property
    def namespace(self) -> str:
        """metadata.namespace, "" where the kind is cluster-scoped."""
        return self.metadata.namespace


class Selector(View):
    """A label selector. Empty selects everything; absent (None in its field) selects nothing."""

    match_labels: dict[str, str] = {}
    match_expressions: list[Requirement] = []

    def matches(self, labels: dict[str, str]) -> bool:
        """True where all labels and all expressions hold."""
        return all(labels.get(key) == value for key, value in self.match_labels.items()) and all(
            requirement.holds(labels) for requirement in self.match_expressions
        )

    @property
    def empty(self) -> bool:
        """True where nothing is required."""
        return not self.match_labels and not self.match_expressions

    def __str__(self) -> str:
        parts = [f"{key}={value}" for key, value in sorted(self.match_labels.items())]
        return ",".join(parts + [str(requirement) for requirement in self.match_expressions])


class Requirement(View):
    """One expression of a selector: In, NotIn, Exists, DoesNotExist, and for nodes Gt and Lt."""

    key: str = ""
    operator: str = ""
    values: list[str] = []

    def holds(self, labels: dict[str, str]) -> bool:
        """True where the labels meet it; an operator nobody knows does not hold."""
        present = labels.get(self.key)
        if self.operator == "In":
            return present in self.values
        if self.operator == "NotIn":
            return present not in self.values
        if self.operator == "Exists":
            return present is not None
        if self.operator == "DoesNotExist":
            return present is None
        return self._compares(present)

    def _compares(self, present: str | None) -> bool:
        try:
            here, there = int(present or ""), int(self.values[0])
        except (ValueError, IndexError):
            return False
        return here > there if self.operator == "Gt" else self.operator == "Lt" and here < there

    def __str__(self) -> str:
        if self.operator in ("Exists", "DoesNotExist"):
            return f"{'!' if self.operator == 'DoesNotExist' else ''}{self.key}"
        return f"{self.key} {self.operator.lower()} ({','.join(self.values)})"


_FREE = ("rbac.authorization.k8s.io/", "certificates.k8s.io/")


class OddObject(ValueError):
    """An object that does not have the shape its kind promises; str() says which one and where."""


T = TypeVar("T")


def decode(obj: Object, view: type[T]) -> T:
    """The view of an object. Unknown fields are skipped, null counts as absent. Raises OddObject.

    An object whose name no API server lets be is odd too: commands are made of names, and people paste them.
    """
    _require_names(obj)
    try:
        return msgspec.convert(obj, view, strict=False)
    except msgspec.ValidationError:
        pass
    try:
        return msgspec.convert(_without_nulls(obj), view, strict=False)
    except (msgspec.ValidationError, RecursionError) as error:
        raise OddObject(f"{_label(obj)} has an odd shape: {error}") from None


def _require_names(obj: Any) -> None:
    metadata = obj.get("metadata") if isinstance(obj, dict) else None
    # of rights and of certificate requests a name may hold nearly anything
    if not isinstance(metadata, dict) or str(obj.get("apiVersion")).startswith(_FREE):
        return
    for key in ("name", "namespace"):
        name = metadata.get(key)
        if isinstance(name, str) and name and not possible_name(name):
            words = f"Kubernetes allows no {key} like {one_line(name, 80)!r}"
            raise OddObject(f"a {obj.get('kind') or 'object'} that cannot be: {words}")


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [_without_nulls(inner) for inner in value if inner is not None]
    return value


def _label(obj: Any) -> str:
    if not isinstance(obj, dict):
        return "an entry that is no object"
    metadata = obj.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return f"{obj.get('kind') or 'object'} {name or '(without a name)'}"


def parse_time(text: str | None) -> datetime | None:
    """An RFC 3339 time, fractions included, as an aware UTC datetime; None for an absent or odd one."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def seconds_since(now: datetime, timestamp: str | datetime | None) -> float | None:
    """Seconds from `timestamp` to `now`, negative for the future; None where the time is absent or odd."""
    moment = parse_time(timestamp) if isinstance(timestamp, str) else timestamp
    return (now - moment).total_seconds() if moment else None


def age(now: datetime, timestamp: str | datetime | None) -> str:
    """An age as kubectl writes it: "95s", "4m30s", "26h", "3d2h"; "<unknown>" where there is no time."""
    seconds = seconds_since(now, timestamp)
    return "<unknown>" if seconds is None else duration(seconds)


def duration(seconds: float) -> str:
    """A length of time as kubectl writes it (k8s.io/apimachinery HumanDuration)."""
    whole = int(seconds)
    if whole < 0:
        return "<invalid>" if whole < -1 else "0s"
    if whole < 120:
        return f"{whole}s"
    minutes, hours = whole // 60, whole // 3600
    if minutes < 10:
        return f"{minutes}m" + (f"{whole % 60}s" if whole % 60 else "")
    if minutes < 180:
        return f"{minutes}m"
    if hours < 8:
        return f"{hours}h" + (f"{minutes % 60}m" if minutes % 60 else "")
    if hours < 48:
        return f"{hours}h"
    days = hours // 24
    if days < 8:
        return f"{days}d" + (f"{hours % 24}h" if hours % 24 else "")
    if days < 730:
        return f"{days}d"
    return f"{days // 365}y" + (f"{days % 365}d" if days < 2920 and days % 365 else "")


def condition(conditions: list[Condition], kind: str) -> Condition | None:
    """The condition of that type, or None."""
    return next((one for one in conditions if one.type == kind), None)
