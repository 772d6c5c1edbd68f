"""The result document, field by field."""

from __future__ import annotations

import json
import math

from kubectl_berth.output.json_document import document, encode
from kubectl_berth.records import Action, ClusterName, Cost, Finding, Gap, Ref, Result, TraceEntry, Usage

CAUSE = Ref("Pod", "shop", "web-0")

RESULT = Result(
    question="why?",
    cluster=ClusterName("scenario", "oomkilled", "v1.33.4", "shop"),
    engine="claude",
    model="claude-sonnet-5-5",
    outcome="answered",
    answer="It ran out of memory.",
    forced=True,
    findings=[
        Finding("critical", CAUSE, "OOMKilled", "killed at its limit"),
        Finding("warning", Ref("Node", "", "n1"), "NotReady", "gone", caused_by=CAUSE, source="model"),
    ],
    actions=[Action("set", "Deployment", "shop", "web", "resources.limits.memory", "64Mi", "256Mi")],
    trace=[TraceEntry(1, 1, "list_pods", {"namespace": "shop"}, "ok", 812, 0.01234)],
    gaps=[Gap("pods/log in finance", "forbidden", "no right")],
    usage=Usage(3, 9120, 640, 5400, 1800, 1),
    cost=Cost(0.0123, "2026-11-30"),
    seconds=4.2,
)


def test_the_document_has_the_fields_that_scripts_rely_on() -> None:
    assert document(RESULT) == {
        "schema": "berth.dev/v1/answer",
        "question": "why?",
        "cluster": {"source": "scenario", "name": "oomkilled", "version": "v1.33.4", "namespace": "shop"},
        "engine": "claude",
        "model": "claude-sonnet-5-5",
        "outcome": "answered",
        "complete": True,
        "forced": True,
        "answer": "It ran out of memory.",
        "error": None,
        "findings": [
            {
                "kind": "Pod",
                "namespace": "shop",
                "name": "web-0",
                "reason": "OOMKilled",
                "severity": "critical",
                "summary": "killed at its limit",
                "cause": True,
                "source": "rules",
            },
            {
                "kind": "Node",
                "namespace": "",
                "name": "n1",
                "reason": "NotReady",
                "severity": "warning",
                "summary": "gone",
                "cause": False,
                "source": "model",
            },
        ],
        "actions": [
            {
                "verb": "set",
                "kind": "Deployment",
                "namespace": "shop",
                "name": "web",
                "field": "resources.limits.memory",
                "from": "64Mi",
                "to": "256Mi",
            }
        ],
        "trace": [
            {
                "n": 1,
                "model_call": 1,
                "tool": "list_pods",
                "arguments": {"namespace": "shop"},
                "fate": "ok",
                "bytes": 812,
                "seconds": 0.012,
                "error": None,
            }
        ],
        "gaps": [{"what": "pods/log in finance", "why": "forbidden", "detail": "no right"}],
        "not_in_evidence": None,
        "remarks": [],
        "usage": {
            "model_calls": 3,
            "input_tokens": 9120,
            "output_tokens": 640,
            "cache_read_tokens": 5400,
            "cache_write_tokens": 1800,
            "retries": 1,
        },
        "cost": {"usd": 0.0123, "estimate": True, "prices_of": "2026-11-30"},
        "seconds": 4.2,
    }


def test_without_cluster_and_cost() -> None:
    found = document(Result("q", None, "rules", None, "interrupted", error="stopped"))
    assert (found["cluster"], found["cost"], found["model"], found["complete"]) == (None, None, None, False)


def test_whatever_a_model_gave_as_arguments_is_json() -> None:
    given = {"a": math.nan, "b": "\ud800x\x1b[2J", 3: [math.inf, {"c": object}], "d": (1, None, True), "e": "漢\u202e"}
    line = encode({"arguments": given})
    assert line.isascii()
    read = json.loads(line)["arguments"]
    assert (read["a"], read["3"][0], read["d"]) == ("nan", "inf", [1, None, True])
    assert read["b"] == "?x"
