"""One line each for what a run did: tool calls, gaps, findings, what it took and what it cost."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from kubectl_berth.records import Finding, Gap, Result, RunStarted, TraceEntry
from kubectl_berth.safety.gate import shown_line

PROVIDERS = {"claude": "Anthropic", "bedrock": "AWS Bedrock", "ollama": "Ollama"}


def destination(event: RunStarted) -> str:
    """Who thinks, and where the data goes."""
    if event.engine == "rules":
        return "engine: rules; no model is asked and nothing leaves this machine"
    model = event.model or "its default model"
    if not event.host:
        return f"engine: {event.engine}, {model}, on this machine"
    provider = PROVIDERS.get(event.engine, event.engine)
    return f"engine: {event.engine}; what is read from the cluster goes to {provider}, {model}, at {event.host}"


def call(entry: TraceEntry) -> str:
    """A tool call: number, tool, arguments, size, time, and its fate where that is not ok."""
    shown = " ".join(f"{shown_line(str(name), 40)}={argument(value)}" for name, value in entry.arguments.items())
    line = f"{entry.n:>3} {shown_line(entry.tool, 60)} {shown}".rstrip()
    line += f"  {size(entry.bytes)}  {entry.seconds:.2f} s"
    if entry.fate != "ok":
        line += f"  {entry.fate}"
        if entry.error:
            line += f": {shown_line(entry.error, 160)}"
    return line


def argument(value: Any) -> str:
    """One argument as it was given, on one line."""
    if isinstance(value, str):
        word = shown_line(value, 80)
        return word if word and " " not in word else json.dumps(word, ensure_ascii=False)
    return shown_line(json.dumps(value, default=str, ensure_ascii=False), 80)


def size(count: int) -> str:
    """Bytes for a person: 812 B, 1.2 kB."""
    return f"{count} B" if count < 1000 else f"{count / 1000:.1f} kB"


def gap(gap: Gap) -> str:
    """What could not be read, and why."""
    detail = f" ({shown_line(gap.detail, 160)})" if gap.detail else ""
    return f"not checked: {shown_line(gap.what, 120)}: {gap.why}{detail}"


def finding(finding: Finding) -> str:
    """One finding: what, where, why."""
    return f"{finding.severity}: {finding.subject}: {finding.reason}: {shown_line(finding.summary, 240)}"


def unseen(texts: Sequence[str]) -> str:
    """What of the answer was not found in what berth read, in words that leave open why."""
    listed = ", ".join(shown_line(text, 80) for text in texts)
    return f"not found in what was read (it may be a proposal, worked out, or said in other words): {listed}"


def closing(result: Result, host: str) -> str:
    """What the run took: calls, tokens, retries, seconds, what it cost as far as anyone knows, and what is missing."""
    missing = ""
    if result.gaps:
        missing += f"; {_count(len(result.gaps), 'gap')}"
    if result.not_in_evidence:
        missing += f"; {len(result.not_in_evidence)} not seen in the evidence"
    return _spent(result, host) + missing


def _spent(result: Result, host: str) -> str:
    calls = _count(len(result.trace), "tool call")
    if result.engine == "rules":
        return f"no model was used; {calls}, {result.seconds:.1f} s; nothing to pay on this machine"
    usage = result.usage
    read = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    cached = f" ({usage.cache_read_tokens:,} from cache)" if usage.cache_read_tokens else ""
    parts = [
        _count(usage.model_calls, "model call"),
        calls,
        f"{read:,} tokens in{cached}, {usage.output_tokens:,} out",
        _count(usage.retries, "retry", "retries"),
        f"{result.seconds:.1f} s",
    ]
    return ", ".join(parts) + "; " + _cost(result, host)


def _cost(result: Result, host: str) -> str:
    if result.cost is not None:
        return f"about ${result.cost.usd:.4f} (an estimate, prices of {result.cost.prices_of})"
    if not host:
        return "nothing to pay on this machine"
    return f"no price is known for {result.model}" if result.usage.model_calls else "nothing was spent"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
