"""The result as one JSON document. Fields are added, never renamed."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from kubectl_berth.records import Action, Finding, Gap, Result, TraceEntry
from kubectl_berth.safety.gate import shown
from kubectl_berth.safety.sanitise import sanitise

SCHEMA = "berth.dev/v1/answer"


def document(result: Result) -> dict[str, Any]:
    """The result document, plain data only."""
    cluster = result.cluster
    return {
        "schema": SCHEMA,
        "question": shown(result.question),
        "cluster": cluster
        and {
            "source": cluster.source,
            "name": shown(cluster.name),
            "version": shown(cluster.version),
            "namespace": cluster.namespace,
        },
        "engine": result.engine,
        "model": result.model,
        "outcome": result.outcome,
        "complete": result.complete,
        "forced": result.forced,
        "answer": shown(result.answer),
        "error": None if result.error is None else shown(result.error),
        "findings": [finding_document(finding) for finding in result.findings],
        "actions": [action_document(action) for action in result.actions],
        "trace": [entry_document(entry) for entry in result.trace],
        "gaps": [gap_document(gap) for gap in result.gaps],
        "not_in_evidence": None if result.not_in_evidence is None else list(result.not_in_evidence),
        "remarks": [shown(remark) for remark in result.remarks],
        "usage": {
            "model_calls": result.usage.model_calls,
            "input_tokens": result.usage.input_tokens,
            "output_tokens": result.usage.output_tokens,
            "cache_read_tokens": result.usage.cache_read_tokens,
            "cache_write_tokens": result.usage.cache_write_tokens,
            "retries": result.usage.retries,
        },
        "cost": result.cost
        and {
            "usd": round(result.cost.usd, 6),
            "estimate": result.cost.estimate,
            "prices_of": result.cost.prices_of,
        },
        "seconds": round(result.seconds, 3),
    }


def finding_document(finding: Finding) -> dict[str, Any]:
    """One entry of `findings`."""
    return {
        "kind": finding.subject.kind,
        "namespace": finding.subject.namespace,
        "name": finding.subject.name,
        "reason": finding.reason,
        "severity": finding.severity,
        "summary": shown(finding.summary),
        "cause": finding.cause,
        "source": finding.source,
    }


def action_document(action: Action) -> dict[str, Any]:
    """One entry of `actions`."""
    return {
        "verb": action.verb,
        "kind": action.kind,
        "namespace": action.namespace,
        "name": action.name,
        "field": told(action.field),
        "from": told(action.before),
        "to": told(action.after),
    }


def entry_document(entry: TraceEntry) -> dict[str, Any]:
    """One entry of `trace`."""
    return {
        "n": entry.n,
        "model_call": entry.model_call,
        "tool": shown(entry.tool),
        "arguments": told(entry.arguments),
        "fate": entry.fate,
        "bytes": entry.bytes,
        "seconds": round(entry.seconds, 3),
        "error": None if entry.error is None else shown(entry.error),
    }


def gap_document(gap: Gap) -> dict[str, Any]:
    """One entry of `gaps`."""
    return {"what": shown(gap.what), "why": gap.why, "detail": shown(gap.detail)}


def encode(content: Mapping[str, Any], *, indent: int | None = None) -> str:
    """JSON in ASCII, so that no character of it can act on a terminal, nor on one that shows a field of it."""
    return json.dumps(harmless(content), ensure_ascii=True, allow_nan=False, indent=indent)


def harmless(value: Any) -> Any:
    """Plain data whose texts, keys too, hold no character that acts on a terminal, whoever wrote them."""
    if isinstance(value, str):
        return sanitise(plain(value))
    if isinstance(value, Mapping):
        return {sanitise(str(plain(str(key)))): harmless(each) for key, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [harmless(each) for each in value]
    return plain(value)


def told(value: Any) -> Any:
    """Arguments as a model gave them, without what redaction takes for a secret."""
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, Mapping):
        return {shown(str(key)): told(each) for key, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [told(each) for each in value]
    return plain(value)


def plain(value: Any) -> Any:
    """The value as JSON can hold it: whatever a model gave as arguments must not break the document."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {plain(str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [plain(item) for item in value]
    return plain(str(value))
