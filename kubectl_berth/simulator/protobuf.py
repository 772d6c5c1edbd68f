"""The two reviews as kubectl sends them: protobuf in the envelope of Kubernetes, read as far as a review needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

MAGIC = b"k8s\x00"
"""What a body of Kubernetes in protobuf begins with (k8s.io/apimachinery, runtime/serializer/protobuf)."""

_RAW = 2  # of the envelope: the object itself
_SPEC = 2  # of a review
# k8s.io/api/authorization/v1/generated.proto: field numbers and their names in JSON
_RESOURCE = {1: "namespace", 2: "verb", 3: "group", 4: "version", 5: "resource", 6: "subresource", 7: "name"}
_PATH = {1: "path", 2: "verb"}


def spec_of(body: bytes, *, access: bool) -> dict[str, Any]:
    """The spec of an access review, else of a rules review, as JSON has it. Raises ValueError for what is none."""
    if not body.startswith(MAGIC):
        raise ValueError("no protobuf of Kubernetes")
    review = dict(_fields(dict(_fields(body[len(MAGIC) :])).get(_RAW, b"")))
    if _SPEC not in review:
        raise ValueError("a review without a spec")
    spec = dict(_fields(review[_SPEC]))
    if not access:
        return _named(spec, {1: "namespace"})
    parts = {"resourceAttributes": (1, _RESOURCE), "nonResourceAttributes": (2, _PATH)}
    return {key: _named(dict(_fields(spec[at])), names) for key, (at, names) in parts.items() if at in spec}


def _named(fields: Mapping[int, bytes], names: Mapping[int, str]) -> dict[str, Any]:
    return {name: fields[number].decode() for number, name in names.items() if fields.get(number)}


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of a message that are texts or messages, with their numbers; a review has no others."""
    at = 0
    while at < len(message):
        key, at = _number(message, at)
        length, at = _number(message, at)
        if key & 7 != 2 or at + length > len(message):
            raise ValueError("a field that no review has")
        yield key >> 3, message[at : at + length]
        at += length


def _number(message: bytes, at: int) -> tuple[int, int]:
    """A varint, and where what follows it begins."""
    value = shift = 0
    while at < len(message) and shift < 35:
        byte = message[at]
        value, shift, at = value | (byte & 0x7F) << shift, shift + 7, at + 1
        if byte < 0x80:
            return value, at
    raise ValueError("a number without an end")
