"""Label and field selectors with the server's grammar, meaning and words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kubectl_berth.cluster.cluster import Kind
from kubectl_berth.cluster.failures import bad_request
from kubectl_berth.cluster.shape import mapping
from kubectl_berth.records import Object

Test = Callable[[Object], bool]

_LABEL_VALUE = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9])?")
_QUALIFIED_NAME = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]")
_DNS_PREFIX = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_TOKEN = re.compile(r"\s*(?:(?P<symbol>==|!=|[=!(),<>])|(?P<word>[^\s=!(),<>]+))")
_OPERATORS = ("in", "notin", "=", "==", "!=", "gt", "lt")


@dataclass(frozen=True)
class Requirement:
    """One requirement of a label selector. `operator`: in, notin, exists, !, gt or lt."""

    key: str
    operator: str
    values: frozenset[str] = frozenset()

    def holds(self, labels: Mapping[str, Any]) -> bool:
        """Whether an object with these labels is meant. An absent key meets notin and !."""
        value = labels.get(self.key)
        if self.operator in ("gt", "lt"):
            bound = int(next(iter(self.values)))
            try:
                number = int(str(value))
            except ValueError:
                return False
            return number > bound if self.operator == "gt" else number < bound
        if self.operator == "exists":
            return self.key in labels
        if self.operator == "!":
            return self.key not in labels
        return (value in self.values) is (self.operator == "in")


def label_test(selector: str) -> Test:
    """What a labelSelector keeps. Raises ApiFailure 400 with the server's words where it cannot be parsed."""
    requirements = parse_labels(selector)

    def test(obj: Object) -> bool:
        labels = mapping(obj, "metadata", "labels")
        return all(requirement.holds(labels) for requirement in requirements)

    return test


def parse_labels(selector: str) -> list[Requirement]:
    """The requirements of a labelSelector ("app=web,tier in (a,b),!old"); [] for the empty one."""
    return _LabelParser(selector).parse()


class _LabelParser:
    """A cursor over the selector's tokens; "" is the end of the string."""

    def __init__(self, selector: str) -> None:
        self.tokens = [found.group(found.lastgroup or 0) for found in _TOKEN.finditer(selector)]
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.at += 1
        return token

    def parse(self) -> list[Requirement]:
        requirements: list[Requirement] = []
        while token := self.peek():
            if not (_is_word(token) or token == "!"):
                raise bad_request(f"found '{token}', expected: !, identifier, or 'end of string'")
            requirements.append(self.requirement())
            separator = self.take()
            if not separator:
                break
            if separator != ",":
                raise bad_request(f"found '{separator}', expected: ',' or 'end of string'")
            if not (_is_word(self.peek()) or self.peek() == "!"):
                raise bad_request(f"found '{self.peek()}', expected: identifier after ','")
        return requirements

    def requirement(self) -> Requirement:
        absent = self.peek() == "!"
        if absent:
            self.take()
        key = self.take()
        if not _is_word(key):
            raise _unparsed(f"found '{key}', expected: identifier")
        _check_key(key)
        if self.peek() in ("", ","):
            return Requirement(key, "!" if absent else "exists")
        if absent:
            raise _unparsed(f"found '{self.peek()}', expected: ',' or 'end of string'")
        return self.comparison(key)

    def comparison(self, key: str) -> Requirement:
        operator = self.take()
        if operator in ("in", "notin"):
            return _checked(Requirement(key, operator, self.several()))
        names = {"=": "in", "==": "in", "!=": "notin", ">": "gt", "<": "lt"}
        if operator not in names:
            raise _unparsed(f"found '{operator}', expected: {', '.join(_OPERATORS)}")
        if self.peek() in ("", ","):
            return _checked(Requirement(key, names[operator], frozenset({""})))
        value = self.take()
        if not _is_word(value):
            raise _unparsed(f"found '{value}', expected: identifier")
        return _checked(Requirement(key, names[operator], frozenset({value})))

    def several(self) -> frozenset[str]:
        """The values in parentheses; an empty place between commas is the empty value."""
        if (opening := self.take()) != "(":
            raise _unparsed(f"found '{opening}' expected: '('")
        values: set[str] = set()
        place_is_empty = True
        while True:
            token = self.take()
            if _is_word(token):
                values.add(token)
                place_is_empty = False
                if self.peek() not in (",", ")"):
                    raise _unparsed(f"found '{self.peek()}', expected: ',' or ')'")
            elif token in (",", ")"):
                if place_is_empty:
                    values.add("")
                place_is_empty = True
                if token == ")":
                    return frozenset(values)
            else:
                raise _unparsed(f"found '{token}', expected: ',', ')' or identifier")


def _is_word(token: str) -> bool:
    return bool(token) and token[0] not in "=!(),<>"


def _unparsed(words: str) -> Exception:
    return bad_request(f"unable to parse requirement: {words}")


def _check_key(key: str) -> None:
    prefix, slash, name = key.rpartition("/")
    if not _QUALIFIED_NAME.fullmatch(name) or (slash and not (len(prefix) <= 253 and _DNS_PREFIX.fullmatch(prefix))):
        raise _unparsed(
            f'<nil>: Invalid value: "{key}": name part must consist of alphanumeric characters, '
            "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  "
            "or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
        )


def _checked(requirement: Requirement) -> Requirement:
    for number, value in enumerate(sorted(requirement.values)):
        if requirement.operator in ("gt", "lt"):
            if not re.fullmatch(r"[+-]?\d+", value):
                raise _unparsed(
                    f"values[{number}]: Invalid value: \"{value}\": for 'Gt', 'Lt' operators, "
                    "the value must be an integer"
                )
        elif not _LABEL_VALUE.fullmatch(value):
            raise _unparsed(
                f'values[{number}][{requirement.key}]: Invalid value: "{value}": a valid label must be an empty string '
                "or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
                "character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
                "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
            )
    return requirement


# --- field selectors ------------------------------------------------------------------------------------------------

_META = ("metadata.name", "metadata.namespace")
_NOT_SUPPORTED = "field label not supported: {label}"
_EVENT_OBJECT = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")

_FIELDS: dict[tuple[str, str], tuple[str, ...]] = {
    ("", "pods"): (
        "spec.nodeName",
        "spec.host",
        "spec.restartPolicy",
        "spec.schedulerName",
        "spec.serviceAccountName",
        "spec.hostNetwork",
        "status.phase",
        "status.podIP",
        "status.podIPs",
        "status.nominatedNodeName",
    ),
    ("", "events"): (
        *(f"involvedObject.{name}" for name in _EVENT_OBJECT),
        "reason",
        "reportingComponent",
        "source",
        "type",
    ),
    ("events.k8s.io", "events"): (
        *(f"regarding.{name}" for name in _EVENT_OBJECT),
        "reason",
        "reportingController",
        "type",
    ),
    ("", "nodes"): ("spec.unschedulable",),
    ("", "namespaces"): ("status.phase",),
    ("", "replicationcontrollers"): ("status.replicas",),
    ("", "services"): ("spec.clusterIP", "spec.type"),
    ("batch", "jobs"): ("status.successful",),
    ("certificates.k8s.io", "certificatesigningrequests"): ("spec.signerName",),
    ("resource.k8s.io", "resourceslices"): ("spec.nodeName", "spec.driver"),
}
_WORDS = {("batch", "jobs"): 'field label "{label}" not supported for batchv1.Job'}
_PATHS = {
    "spec.host": "spec.nodeName",
    "status.successful": "status.succeeded",
    "source": "source.component",
    "status.podIPs": "status.podIP",
}
_EMPTY = {"spec.unschedulable": "false", "spec.hostNetwork": "false", "status.successful": "0", "status.replicas": "0"}


def field_test(selector: str, kind: Kind, selectable: Sequence[str] = ()) -> Test:
    """What a fieldSelector keeps among objects of `kind`, in the shape in which that kind is served.

    `selectable` are the JSON paths (without the leading dot) that a CustomResourceDefinition declares. Raises
    ApiFailure 400 where the selector cannot be parsed or names a field the server does not select by.
    """
    terms = [_term(part) for part in _split(selector)]
    for label, _, _ in terms:
        _check_field(label, kind, selectable)
    return lambda obj: all((_field(obj, label) == value) is equal for label, value, equal in terms)


def _split(selector: str) -> list[str]:
    """The terms between commas that no backslash escapes."""
    return [part for part in re.findall(r"((?:\\.|[^,\\])*)(?:,|$)", selector) if part]


def _term(part: str) -> tuple[str, str, bool]:
    found = re.match(r"((?:\\.|[^=!\\]|!(?!=))*?)(==|!=|=)(.*)", part, re.DOTALL)
    if not found:
        raise bad_request(f"invalid selector: '{part}'; can't understand '{part}'")
    label, operator, value = found.groups()
    return label, re.sub(r"\\(.)", r"\1", value), operator != "!="


def _check_field(label: str, kind: Kind, selectable: Sequence[str]) -> None:
    resource = (kind.group, kind.plural)
    # cluster-scoped kinds with their own conversion know no metadata.namespace
    common = _META if kind.namespaced or resource not in _FIELDS else _META[:1]
    if label in common or label in _FIELDS.get(resource, ()) or label in selectable:
        return
    if resource in _FIELDS or not kind.builtin:
        raise bad_request(_WORDS.get(resource, _NOT_SUPPORTED).format(label=label))
    raise bad_request(f'"{label}" is not a known field selector: only "metadata.name", "metadata.namespace"')


def _field(obj: Object, label: str) -> str:
    """The field's value as the server compares it: text, and "" (or the zero value) where it is not set."""
    value: Any = obj
    for name in _PATHS.get(label, label).split("."):
        value = value.get(name) if isinstance(value, dict) else None
    if label == "source" and not value:
        value = obj.get("reportingComponent")
    if value is None:
        return _EMPTY.get(label, "")
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
