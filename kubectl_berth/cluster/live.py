"""The cluster behind an API server, read-only."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urlencode

from kubectl_berth.cluster.allow_list import LOG_BYTES, LOG_LINES, PAGE
from kubectl_berth.cluster.answers import Answer, document, failure
from kubectl_berth.cluster.cluster import Discovery, Kind, UsageFigures
from kubectl_berth.cluster.connection import Access, ConnectionOptions, resolve
from kubectl_berth.cluster.kinds import METRICS_KINDS
from kubectl_berth.cluster.read_errors import read_error
from kubectl_berth.cluster.targets import log_target, target
from kubectl_berth.cluster.transport import Transport
from kubectl_berth.environment import Environment
from kubectl_berth.errors import NotServed, ReadError, Refused, Unavailable
from kubectl_berth.records import ClusterName, Gap, Object
from kubectl_berth.safety.refuse import WORDS, refused_kind

LOG_SECONDS = 10.0
"""How long a container's log may take: a node that is gone keeps the API server waiting much longer."""

AUTHORIZATION = "authorization.k8s.io/v1"
REVIEWS = {
    "selfsubjectaccessreviews": "SelfSubjectAccessReview",
    "selfsubjectrulesreviews": "SelfSubjectRulesReview",
}


def connect(options: ConnectionOptions, environment: Environment, *, light: bool = False) -> LiveCluster:
    """The cluster that flags and kubeconfig name, after its first answer.

    `light` is for completion: a connection that starts quicker, and no request before the first read.
    Raises UsageError for a kubeconfig that cannot be used, ClusterUnreachable where the server does not answer or
    refuses the credentials.
    """
    return reach(resolve(options, environment), environment, light=light)


def reach(access: Access, environment: Environment, *, light: bool = False) -> LiveCluster:
    """The same for a way to the cluster that is known already."""
    transport = Transport(access, environment, light=light)
    if light:
        return LiveCluster(access, transport, "", environment)
    answer = transport.request("GET", "/version")
    version = ""
    if answer.ok:
        try:
            version = str(document(answer).get("gitVersion") or "")
        except Unavailable as error:
            transport.close()
            raise transport.unreachable(str(error)) from error
    elif answer.status != 403:  # a server may keep its version to itself
        transport.close()
        raise transport.unreachable(str(read_error(failure(answer))))
    return LiveCluster(access, transport, version, environment)


class LiveCluster:
    """The Cluster of one API server."""

    def __init__(self, access: Access, transport: Transport, version: str, environment: Environment) -> None:
        self._transport = transport
        self._name = ClusterName("context", access.context, version, access.namespace)
        self._wall = environment.wall
        self._discovering = threading.Lock()
        self._discovery: Discovery | None = None

    def name(self) -> ClusterName:
        """The context's name, the server's version, the namespace in use."""
        return self._name

    def now(self) -> datetime:
        """The Date header of the newest answer, UTC; the clock of this machine where the server sends none."""
        from email.utils import parsedate_to_datetime

        try:
            return parsedate_to_datetime(self._transport.date).astimezone(UTC)
        except ValueError:
            return datetime.fromtimestamp(self._wall(), UTC)

    def kinds(self) -> Discovery:
        """Discovery, read once."""
        from kubectl_berth.cluster.live_discovery import discover

        with self._discovering:
            if self._discovery is None:
                self._discovery = discover(self._transport)
            return self._discovery

    def list(self, kind: Kind, namespace: str | None = None, *, labels: str = "", fields: str = "") -> Iterator[Object]:
        """Objects in pages of 500, the first of which is read before this returns. `namespace` None means all.

        A list that cannot be read to its end raises Unavailable where it broke off.
        """
        _refuse(kind)
        path = target(kind, namespace)
        query = {key: value for key, value in (("labelSelector", labels), ("fieldSelector", fields)) if value}
        first = self._page(path, query, "")
        return self._pages(kind, path, query, first)

    def get(self, kind: Kind, name: str, namespace: str | None = None) -> Object:
        """One object; of the namespace in use where `namespace` is None and the kind has one."""
        _refuse(kind)
        if kind.namespaced and namespace is None:
            namespace = self._name.namespace
        found = self._document(target(kind, namespace, name))
        if refused_kind((str(found.get("kind")),)):
            raise Refused(WORDS)
        return {"apiVersion": kind.api_version, "kind": kind.kind, **found}

    def log(
        self,
        pod: str,
        namespace: str,
        container: str,
        *,
        previous: bool = False,
        tail: int | None = None,
        since: int | None = None,
        timestamps: bool = False,
    ) -> str:
        """The last lines of a log, at most 500 and 256 kB of them; "" for a pod that was never scheduled."""
        lines = min(tail or LOG_LINES, LOG_LINES)
        query = {"limitBytes": str(LOG_BYTES)}
        query |= {"container": container} if container else {}
        query |= {"previous": "true"} if previous else {}
        query |= {"sinceSeconds": str(since)} if since else {}
        query |= {"timestamps": "true"} if timestamps else {}
        path = log_target(namespace, pod)
        body = self._log(path, query, lines)
        # the server cuts at the end: with fewer lines the newest of them, which matter most, fit
        while len(body) >= LOG_BYTES and lines > 1:
            lines = max(lines // 8, 1)
            body = self._log(path, query, lines)
        return body.decode("utf-8", "replace")

    def usage(self, namespace: str | None = None) -> UsageFigures | None:
        """PodMetrics and NodeMetrics; None where metrics.k8s.io is not served."""
        nodes, pods = METRICS_KINDS
        gaps = []
        figures: dict[str, tuple[Object, ...]] = {"pods": (), "nodes": ()}
        for kind, where in ((pods, namespace), (nodes, None)):
            try:
                figures[kind.plural] = tuple(self.list(kind, where))
            except NotServed:
                return None
            except ReadError as error:
                gaps.append(Gap(f"{kind.plural}.{kind.group}", error.why, str(error)))
        return UsageFigures(figures["pods"], figures["nodes"], tuple(gaps))

    def review(self, resource: str, spec: Mapping[str, Any], *, seconds: float) -> dict[str, Any]:
        """The status of one selfsubjectaccessreviews or selfsubjectrulesreviews: what the person may do.

        Raises a ReadError where the server does not say within `seconds`.
        """
        question = {"apiVersion": AUTHORIZATION, "kind": REVIEWS[resource], "spec": spec}
        answer = self._transport.review(f"/apis/{AUTHORIZATION}/{resource}", question, seconds=seconds)
        if not answer.ok:
            raise read_error(failure(answer))
        status = document(answer).get("status")
        return status if isinstance(status, dict) else {}

    @property
    def access(self) -> Access:
        """How the cluster is reached."""
        return self._transport.access

    def close(self) -> None:
        """Lets go of the connections; reads under way end with Unavailable."""
        self._transport.close()

    def _document(self, path: str) -> dict[str, Any]:
        answer = self._transport.request("GET", path)
        if not answer.ok:
            raise read_error(failure(answer))
        return document(answer)

    def _log(self, path: str, query: Mapping[str, str], lines: int) -> bytes:
        asked = f"{path}?{urlencode({**query, 'tailLines': str(lines)}, quote_via=quote)}"
        answer = self._transport.request("GET", asked, most_bytes=LOG_BYTES, seconds=LOG_SECONDS, retry=False)
        if not answer.ok:
            raise read_error(failure(answer), log=True)
        return answer.body

    def _page(self, path: str, query: Mapping[str, str], token: str) -> Answer:
        """One page of a list; a smaller one where 500 objects are more bytes than berth reads."""
        size = PAGE
        while True:
            asked = {**query, "limit": str(size), **({"continue": token} if token else {})}
            answer = self._transport.request("GET", f"{path}?{urlencode(asked, quote_via=quote)}")
            if not answer.ok and answer.status != 410:
                raise read_error(failure(answer))
            if answer.whole or size == 1:
                return answer
            size = max(size // 10, 1)

    def _pages(self, kind: Kind, path: str, query: Mapping[str, str], answer: Answer) -> Iterator[Object]:
        given: set[tuple[str, str]] = set()
        tokens: set[str] = set()
        restarted = False
        while True:
            if answer.status == 410:
                # the server forgot the moment the list began at: go on from the same place, at a later moment
                gone = failure(answer)
                token = str(gone.metadata.get("continue") or "")
                if not token and restarted:
                    raise Unavailable(f"the list of {kind.plural} broke off after {len(given)}: {gone.message}")
                restarted = restarted or not token
            else:
                found = document(answer)
                yield from _new(_items(kind, found), given, restarted)
                metadata = found.get("metadata")
                token = str(metadata.get("continue") or "") if isinstance(metadata, dict) else ""
                if not token:
                    return
            if token and token in tokens:
                raise Unavailable(f"the list of {kind.plural} goes round in circles after {len(given)}; try again")
            tokens.add(token)
            answer = self._page(path, query, token)


def _refuse(kind: Kind) -> None:
    if refused_kind((kind.kind, kind.plural, kind.singular, *kind.short_names)):
        raise Refused(WORDS)


def _items(kind: Kind, found: Mapping[str, Any]) -> Iterator[Object]:
    """The objects of one page. Should a Secret or ConfigMap be among them, it goes no further."""
    items = found.get("items")
    named = str(found.get("kind", ""))
    listed = named in (f"{kind.kind}List", "List") if kind.builtin else named.endswith("List")
    if (items is not None and not isinstance(items, list)) or not listed:
        raise Unavailable(f"the server's answer for {kind.plural} is no list; check what stands between")
    for item in items or ():
        if isinstance(item, dict) and not refused_kind((str(item.get("kind")),)):
            yield {"apiVersion": kind.api_version, "kind": kind.kind, **item}


def _new(items: Iterator[Object], given: set[tuple[str, str]], restarted: bool) -> Iterator[Object]:
    """The objects that were not `given` before: a list that had to start again repeats some."""
    for item in items:
        metadata = item.get("metadata")
        found = metadata if isinstance(metadata, dict) else {}
        key = (str(found.get("namespace") or ""), str(found.get("name") or ""))
        if not (restarted and key in given):
            given.add(key)
            yield item
