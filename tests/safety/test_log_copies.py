"""A pod carries a piece of its container's log where the kubelet copied it there: withheld where logs are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kubectl_berth.investigation.brief import brief
from kubectl_berth.question.understand import understand
from kubectl_berth.safety.log_copies import LOG_TEXT, without_log_copies
from tests.tools.objects import BACKING_OFF, ago, pod, shop, toolbox

LINE = "FATAL licence key of the canary is wrong"


def crashed(policy: str | None, reason: str = "Error", message: str = LINE) -> dict[str, Any]:
    """A pod whose container ended with this message."""
    last = {"terminated": {"exitCode": 1, "reason": reason, "finishedAt": ago(minutes=1), "message": message}}
    spec = {"terminationMessagePolicy": policy} if policy else {}
    return pod("api-0", "shop", state=BACKING_OFF, last=last, restarts=3, ready=False, spec=spec)


def message(thing: dict[str, Any]) -> Any:
    return thing["status"]["containerStatuses"][0]["lastState"]["terminated"]["message"]


@pytest.mark.parametrize(
    ("policy", "reason", "kept"),
    [
        ("FallbackToLogsOnError", "Error", False),
        ("FallbackToLogsOnError", "OOMKilled", False),
        ("FallbackToLogsOnError", "StartError", True),
        ("File", "Error", True),
        (None, "Error", True),
    ],
)
def test_what_is_a_copy_of_the_log(policy: str | None, reason: str, kept: bool) -> None:
    thing = crashed(policy, reason)
    assert message(without_log_copies(thing)) == (LINE if kept else LOG_TEXT)
    assert message(thing) == LINE


@pytest.mark.parametrize("odd", [{}, {"spec": 1, "status": []}, {"spec": {"containers": 3}, "status": {}}])
def test_odd_objects_pass(odd: dict[str, Any]) -> None:
    assert without_log_copies(odd) == odd


def test_no_tool_and_no_finding_and_no_brief_gives_it_away(tmp_path: Path) -> None:
    ended = crashed("FallbackToLogsOnError")
    ended["metadata"] |= {"name": "once-0", "labels": {"app": "once"}}
    status = ended["status"]["containerStatuses"][0]
    status["state"] = status["lastState"]
    ended["status"]["phase"] = "Failed"
    objects = [*shop(), crashed("FallbackToLogsOnError"), ended]
    for allowed in (True, False):
        box = toolbox(tmp_path / str(allowed), objects, raw_allowed=allowed)
        question = understand("why does api-0 crash", box.context.cluster, namespace="shop", narrowed=False)
        told = [brief(question, box.context), repr(box.context.findings())]
        for name, arguments in (
            ("list_pods", {"namespace": "shop"}),
            ("cluster_health", {}),
            ("list_resources", {"kind": "Pod", "apiVersion": "v1", "namespace": "shop"}),
            ("list_pods", {"labelSelector": "app=once"}),
            ("get_logs", {"name": "api-0", "namespace": "shop"}),
            ("describe_resource", {"kind": "Pod", "name": "api-0", "namespace": "shop"}),
        ):
            told.append(box.call(name, arguments).text)
        giving = [LINE in text for text in told]
        assert any(giving) == allowed
        # the findings and both lists of pods: each would give it away
        assert all(giving[each] == allowed for each in (1, 2, 5))
