"""Which requests may leave this process: an allow-list of methods, paths and query keys, held on the final target.

Whatever a model or a person asked for, and whichever room built the request, only these go out: reads of discovery, of
lists and single objects, and of pod logs. Everything else is refused before a connection is made. Nothing here asks
what discovery says: a path names its resource, and that is enough to decide.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import parse_qsl

from kubectl_berth.errors import Refused

PAGE = 500
"""Objects in one page of a list, at most."""

LOG_LINES = 500
LOG_BYTES = 256 * 1024
"""Lines and bytes of one container's log, at most."""

_REVIEWS = frozenset(
    f"/apis/authorization.k8s.io/v1/{review}" for review in ("selfsubjectaccessreviews", "selfsubjectrulesreviews")
)
"""The only targets of a POST: they ask what the person may do, and store nothing."""

_HEADERS = {"Accept": re.compile(r"[A-Za-z0-9/.;=,+*_-]{1,400}")}

_LABEL = r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?"
_NAMESPACE = _PLURAL = re.compile(_LABEL)
_GROUP = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*")
_VERSION = re.compile(r"v[0-9]{1,5}(?:(?:alpha|beta)[0-9]{1,5})?")
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._:@~+=,-]{0,251}[A-Za-z0-9])?")

_WITHHELD = frozenset({"secret", "secrets", "secretlist", "configmap", "configmaps", "configmaplist", "cm"})
_TOKENS = ("token", "tokens", "kubeconfig", "kubeconfigs")
"""How resources end whose objects are credentials."""

# words that stand where a resource would, but are another way in or a subresource of what stands before them
_NO_RESOURCE = frozenset(
    """
    watch proxy exec attach portforward log status scale finalize eviction binding token approval resize
    ephemeralcontainers console vnc usbredir
    """.split()
)

_WHOLE = re.compile(r"[1-9][0-9]{0,8}")
_TRUE = re.compile(r"true")
_ANY = re.compile(r"[^\x00-\x1f\x7f]{1,4096}", re.DOTALL)

_NO_QUERY: Mapping[str, re.Pattern[str]] = {}
_LIST_QUERY = {"limit": _WHOLE, "continue": _ANY, "labelSelector": _ANY, "fieldSelector": _ANY}
_LOG_QUERY = {
    "container": _NAME,
    "previous": _TRUE,
    "tailLines": _WHOLE,
    "limitBytes": _WHOLE,
    "sinceSeconds": _WHOLE,
    "timestamps": _TRUE,
}
_MOST = {"limit": PAGE, "tailLines": LOG_LINES, "limitBytes": LOG_BYTES}


def permit(method: str, target: str, headers: Mapping[str, str] | None = None) -> None:
    """Returns where the request may be sent, raises Refused where not.

    `target` is path and query as they follow the server's own URL, encoded; `headers` are those of this request alone.
    """
    if method == "POST" and target in _REVIEWS:
        return
    if method != "GET":
        raise _refusal(f"{method} requests")
    for name, value in (headers or {}).items():
        if name not in _HEADERS or not _HEADERS[name].fullmatch(value):
            raise _refusal(f"the header {name}")
    path, mark, query = target.partition("?")
    if not re.fullmatch(r"(?:/[A-Za-z0-9._:@~+=,-]+)+", path):
        raise _refusal(f"the path {path}")
    allowed = _query_of(path)
    if mark:
        _check_query(query, allowed)


def _refusal(what: str) -> Refused:
    words = "".join(c if c.isprintable() else "?" for c in what)[:120]
    return Refused(
        f"berth does not send {words}: it only reads objects other than Secrets and ConfigMaps, and pod logs"
    )


def _query_of(path: str) -> Mapping[str, re.Pattern[str]]:
    """The query keys that the path allows, with the form of their values. Raises Refused for any other path."""
    if path in ("/version", "/api", "/apis", "/api/v1"):
        return _NO_QUERY
    root, *rest = path.removeprefix("/").split("/")
    core = root == "api"
    if core and rest[0] == "v1":
        rest = rest[1:]
    elif root == "apis" and _GROUP.fullmatch(rest[0]) and all(map(_VERSION.fullmatch, rest[1:2])):
        rest = rest[2:]
        if not rest:
            return _NO_QUERY
    else:
        raise _refusal(f"the path {path}")
    namespaced = rest[0] == "namespaces" and len(rest) > 2
    if namespaced:
        if not _NAMESPACE.fullmatch(rest[1]):
            raise _refusal(f"the namespace {rest[1]}")
        rest = rest[2:]
    return _query_of_resource(path, rest, log=core and namespaced and rest[0] == "pods")


def _query_of_resource(path: str, rest: list[str], *, log: bool) -> Mapping[str, re.Pattern[str]]:
    """As above, for what follows version and namespace. `log` where a log may be read below."""
    plural, *below = rest
    if plural in _WITHHELD or plural.endswith(_TOKENS) or plural in _NO_RESOURCE or not _PLURAL.fullmatch(plural):
        raise _refusal(f"a request for {plural}")
    if not below:
        return _LIST_QUERY
    if not _NAME.fullmatch(below[0]):
        raise _refusal(f"the name {below[0]}")
    if len(below) == 1:
        return _NO_QUERY
    if log and below[1:] == ["log"]:
        return _LOG_QUERY
    raise _refusal(f"the path {path}")


def _check_query(query: str, allowed: Mapping[str, re.Pattern[str]]) -> None:
    if not re.fullmatch(r"[A-Za-z0-9._~%&=-]+", query):
        raise _refusal("a query that is not encoded")
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True, errors="strict")
    except ValueError as error:
        raise _refusal("a query that is not encoded") from error
    for key, value in pairs:
        if key not in allowed or not allowed[key].fullmatch(value) or (key in _MOST and int(value) > _MOST[key]):
            raise _refusal(f"the query {key}={value}")
    if len({key for key, _ in pairs}) != len(pairs):
        raise _refusal("a query key twice")
