"""Which kinds a live API server serves: in two requests where it can, group by group where not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from kubectl_berth.cluster.answers import document, failure
from kubectl_berth.cluster.cluster import Discovery, Kind
from kubectl_berth.cluster.read_errors import read_error
from kubectl_berth.cluster.transport import JSON, Transport
from kubectl_berth.errors import ReadError
from kubectl_berth.records import Gap

AGGREGATED = ",".join(
    [*(f"{JSON};g=apidiscovery.k8s.io;v={version};as=APIGroupDiscoveryList" for version in ("v2", "v2beta1")), JSON]
)
GROUP_SECONDS = 5.0
"""How long one group's own discovery may take."""

Found = tuple[list[Kind], list[Gap]]


def discover(transport: Transport) -> Discovery:
    """The kinds served, the preferred version of each first; groups that do not answer are gaps.

    Raises the ReadError of the core API where neither it nor any group can be read.
    """
    with ThreadPoolExecutor(2) as pool:
        core, groups = pool.map(lambda path: _root(transport, path), ("/api", "/apis"))
    kinds: list[Kind] = []
    gaps: list[Gap] = []
    for answer in (core, groups):
        if isinstance(answer, ReadError):
            continue
        found = _aggregated(answer) if answer.get("kind") == "APIGroupDiscoveryList" else _plain(answer, transport)
        kinds += found[0]
        gaps += found[1]
    if isinstance(core, ReadError) and isinstance(groups, ReadError):
        raise core
    for path, answer in (("/api", core), ("/apis", groups)):
        if isinstance(answer, ReadError):
            gaps.append(Gap(f"discovery of {path}", answer.why, str(answer)))
    return Discovery(tuple(kinds), tuple(gaps))


def _root(transport: Transport, path: str) -> dict[str, Any] | ReadError:
    try:
        return _read(transport, path, AGGREGATED)
    except ReadError as error:
        return error


def _read(transport: Transport, path: str, accept: str = JSON, seconds: float | None = None) -> dict[str, Any]:
    answer = transport.request("GET", path, accept=accept, seconds=seconds)
    if not answer.ok:
        raise read_error(failure(answer))
    return document(answer)


def _mappings(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, list):
        yield from (entry for entry in value if isinstance(entry, dict))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(entry for entry in value if isinstance(entry, str)) if isinstance(value, list) else ()


def _aggregated(document: Mapping[str, Any]) -> Found:
    kinds: list[Kind] = []
    gaps: list[Gap] = []
    for item in _mappings(document.get("items")):
        metadata = item.get("metadata")
        group = _text(metadata.get("name")) if isinstance(metadata, dict) else ""
        seen: set[str] = set()
        for version in _mappings(item.get("versions")):
            number = _text(version.get("version"))
            if version.get("freshness") == "Stale":
                gaps.append(Gap(f"{group}/{number}" if group else number, "unavailable", "stale"))
            kinds += _first_preferred(_aggregated_kinds(group, number, version), seen)
    return kinds, gaps


def _aggregated_kinds(group: str, version: str, served: Mapping[str, Any]) -> Iterator[Kind]:
    for resource in _mappings(served.get("resources")):
        answer = resource.get("responseKind")
        kind = _text(answer.get("kind")) if isinstance(answer, dict) else ""
        plural = _text(resource.get("resource"))
        if kind and plural:
            yield Kind(
                group,
                version,
                kind,
                plural,
                resource.get("scope") == "Namespaced",
                _text(resource.get("singularResource")),
                _texts(resource.get("shortNames")),
                _texts(resource.get("categories")),
                _texts(resource.get("verbs")),
            )


def _first_preferred(kinds: Iterator[Kind], seen: set[str]) -> Iterator[Kind]:
    """The kinds as they are; those whose plural an earlier version of the group served are not the preferred ones."""
    from dataclasses import replace

    for kind in kinds:
        yield replace(kind, preferred=False) if kind.plural in seen else kind
        seen.add(kind.plural)


def _plain(document: Mapping[str, Any], transport: Transport) -> Found:
    """Discovery of servers that know no aggregated one (before 1.26), a request for each version of each group."""
    places = [("", version) for version in _texts(document.get("versions"))]
    for group in _mappings(document.get("groups")):
        preferred = group.get("preferredVersion")
        first = _text(preferred.get("version")) if isinstance(preferred, dict) else ""
        versions = [_text(version.get("version")) for version in _mappings(group.get("versions"))]
        versions.sort(key=lambda version: version != first)
        places += [(_text(group.get("name")), version) for version in versions]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda place: _group(transport, *place), places))
    kinds: list[Kind] = []
    gaps: list[Gap] = []
    seen: dict[str, set[str]] = {}
    for (group_name, _version), answer in zip(places, answers, strict=True):
        if isinstance(answer, Gap):
            gaps.append(answer)
        else:
            kinds += _first_preferred(iter(answer), seen.setdefault(group_name, set()))
    return kinds, gaps


def _group(transport: Transport, group: str, version: str) -> Sequence[Kind] | Gap:
    try:
        path = f"/apis/{group}/{version}" if group else f"/api/{version}"
        return [
            Kind(
                group,
                version,
                _text(resource.get("kind")),
                _text(resource.get("name")),
                resource.get("namespaced") is True,
                _text(resource.get("singularName")),
                _texts(resource.get("shortNames")),
                _texts(resource.get("categories")),
                _texts(resource.get("verbs")),
            )
            for resource in _mappings(_read(transport, path, seconds=GROUP_SECONDS).get("resources"))
            if "/" not in _text(resource.get("name"))
        ]
    except ReadError as error:
        return Gap(f"{group}/{version}" if group else version, error.why, str(error))
