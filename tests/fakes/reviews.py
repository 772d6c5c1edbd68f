"""The reviews of one's own rights, as a scripted API server answers them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.fakes.kube_recorder import Recorded, Recorder, Reply

ACCESS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
RULES = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"


def rule(groups: str, resources: str, verbs: str) -> dict[str, Any]:
    """A rule of the list; the groups stand with commas between, resources and verbs with blanks."""
    return {"apiGroups": groups.split(","), "resources": resources.split(), "verbs": verbs.split()}


def answering(
    recorder: Recorder,
    allowed: Callable[[dict[str, Any]], bool],
    rules: list[dict[str, Any]],
    stall: float = 0,
    **more: Any,
) -> None:
    """The reviews say what `allowed` says of their attributes, and list these rules."""

    def script(request: Recorded) -> Reply | None:
        if request.method != "POST":
            return None
        asked = json.loads(request.body)
        assert asked["apiVersion"] == "authorization.k8s.io/v1"
        if request.path == ACCESS:
            assert asked["kind"] == "SelfSubjectAccessReview"
            answer: dict[str, Any] = {"allowed": allowed(asked["spec"]["resourceAttributes"])}
        else:
            assert (request.path, asked["kind"]) == (RULES, "SelfSubjectRulesReview")
            answer = {"resourceRules": rules, "nonResourceRules": [], "incomplete": False, **more}
        return Reply({**asked, "status": answer}, 201, stall=stall)

    recorder.script = script
