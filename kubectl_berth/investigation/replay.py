"""A recorded run judged again: cost by today's prices, findings from what the tools said, the evidence check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kubectl_berth.investigation.ending import causes_first, spoken, unseen_in
from kubectl_berth.investigation.record import Record
from kubectl_berth.knowledge.prices import cost
from kubectl_berth.records import Cost, Finding, Result
from kubectl_berth.safety.gate import shown


def judged_again(record: Record, price_in: float | None, price_out: float | None) -> Result:
    """The result as it would be today. The prices are the person's own, which go before those of the recording."""
    result = replace(record.result, answer=shown(record.result.answer))
    findings = _findings(record)
    unseen = None
    if result.answer:
        read = [*evidence_of(record), *spoken(result.question, record.earlier)]
        unseen = unseen_in(result.answer, read, findings, result.model)
    return replace(
        result,
        findings=causes_first(findings),
        not_in_evidence=unseen,
        cost=_cost(record, price_in, price_out),
    )


def evidence_of(record: Record) -> list[str]:
    """Every text that the engine was given, the brief first."""
    return [*record.told, *(event.result.text for event in record.tool_results())]


def _findings(record: Record) -> Sequence[Finding]:
    finished = record.finished()
    if finished is not None and finished.findings:
        return finished.findings
    found = (finding for event in record.tool_results() for finding in event.result.findings)
    return tuple(dict.fromkeys(found))


def _cost(record: Record, price_in: float | None, price_out: float | None) -> Cost | None:
    if record.result.model is None or not record.host or not record.calls:
        return None
    values = record.settings.get("values", {})
    own_input = price_in if price_in is not None else _number(values.get("price_in"))
    own_output = price_out if price_out is not None else _number(values.get("price_out"))
    return cost(record.calls, record.result.model, own_input=own_input, own_output=own_output)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
