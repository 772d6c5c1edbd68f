"""What a reader of the served snapshot may do, asked the way kubectl and berth ask an API server.

Everything may be read but Secrets, ConfigMaps and what the snapshot says was refused; nothing may be changed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from kubectl_berth.cluster import rules
from kubectl_berth.cluster.cluster import Kind
from kubectl_berth.cluster.failures import ApiFailure
from kubectl_berth.cluster.shape import mapping
from kubectl_berth.cluster.store import Store
from kubectl_berth.safety.refuse import refused_kind
from kubectl_berth.simulator.protobuf import MAGIC, spec_of

ROOT = "/apis/authorization.k8s.io/v1"
ACCESS = f"{ROOT}/selfsubjectaccessreviews"
RULES = f"{ROOT}/selfsubjectrulesreviews"
MOST_BYTES = 64 * 1024
_LOG = "log"


def answers(method: str, path: str) -> bool:
    """Whether a request is one of the two reviews, the only ones whose body is read."""
    return method == "POST" and path in (ACCESS, RULES)


def review(store: Store, path: str, body: bytes) -> dict[str, Any]:
    """The review with its status, in JSON. Raises ApiFailure for a body that is none in JSON or protobuf."""
    spec = _spec(path, body)
    status = _access(store, spec) if path == ACCESS else _rules(store, str(spec.get("namespace") or ""))
    kind = "SelfSubjectAccessReview" if path == ACCESS else "SelfSubjectRulesReview"
    named = {"kind": kind, "apiVersion": "authorization.k8s.io/v1", "metadata": {"creationTimestamp": None}}
    return {**named, "spec": spec, "status": status}


def _spec(path: str, body: bytes) -> dict[str, Any]:
    try:
        if body.startswith(MAGIC):
            return spec_of(body, access=path == ACCESS)
        asked = json.loads(body)
    except ValueError:
        asked = None
    if not isinstance(asked, dict) or not isinstance(asked.get("spec"), dict):
        words = "the body of the request was in an unknown format - accepted media types include: application/json, "
        raise ApiFailure(415, words + "application/vnd.kubernetes.protobuf", "UnsupportedMediaType")
    spec: dict[str, Any] = asked["spec"]
    return spec


def _access(store: Store, spec: Mapping[str, Any]) -> dict[str, Any]:
    asked = mapping(spec, "resourceAttributes")
    if not asked:
        return {"allowed": str(mapping(spec, "nonResourceAttributes").get("verb")) == "get"}
    group, plural = str(asked.get("group") or ""), str(asked.get("resource") or "")
    verb, part = str(asked.get("verb") or ""), str(asked.get("subresource") or "")
    kind = next((kind for kind in store.kinds if (kind.group, kind.plural) == (group, plural)), None)
    kind = kind or Kind(group, "v1", plural, plural, True)
    namespace = str(asked.get("namespace") or "") or None
    return {"allowed": _allowed(store, kind, verb, namespace, str(asked.get("name") or ""), part)}


def _allowed(store: Store, kind: Kind, verb: str, namespace: str | None, name: str = "", part: str = "") -> bool:
    if verb not in ("get", "list") or refused_kind((kind.kind, kind.plural)) or part not in ("", _LOG):
        return False
    if store.only and kind.namespaced and namespace != store.only:
        return False
    if part and (verb != "get" or (kind.group, kind.plural) != ("", "pods")):
        return False
    try:
        rules.check(store.unavailable, kind, verb, namespace, name, part)
    except ApiFailure as failure:
        # a backend that is down keeps nobody from being allowed
        return failure.status != 403
    return True


def _rules(store: Store, namespace: str) -> dict[str, Any]:
    found = []
    for kind in store.kinds:
        verbs = [verb for verb in ("get", "list") if verb in kind.verbs and _allowed(store, kind, verb, namespace)]
        if verbs:
            found.append({"verbs": verbs, "apiGroups": [kind.group], "resources": [kind.plural]})
        if (kind.group, kind.plural) == ("", "pods") and _allowed(store, kind, "get", namespace, part=_LOG):
            found.append({"verbs": ["get"], "apiGroups": [""], "resources": ["pods/log"]})
    reviews = {"verbs": ["create"], "apiGroups": ["authorization.k8s.io"]}
    found.append({**reviews, "resources": ["selfsubjectaccessreviews", "selfsubjectrulesreviews"]})
    return {
        "resourceRules": found,
        "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["*"]}],
        "incomplete": False,
    }
