"""A scenario's own example answers, as runs that can be scored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubectl_berth.evals.checks import CallCheck, CheckSet, Example


def document(example: Example, asked: CheckSet) -> Mapping[str, Any]:
    """The result document of a model's run that ended with this answer.

    Without calls of its own the run has made those that the checks ask for.
    """
    if example.calls is not None:
        trace = [_entry(n, call.tool, call.arguments, call.fate) for n, call in enumerate(example.calls, 1)]
    else:
        wanted = [check.rule for check in asked.checks if isinstance(check.rule, CallCheck)]
        rules = [rule for rule in wanted if not rule.forbidden]
        trace = [
            _entry(n, rule.tools[0], rule.arguments, next(iter(rule.fates), "ok")) for n, rule in enumerate(rules, 1)
        ]
    return {
        "engine": "model",
        "outcome": "answered" if example.answer else "empty",
        "answer": example.answer,
        "findings": [],
        "actions": [],
        "trace": trace,
    }


def _entry(n: int, tool: str, arguments: Mapping[str, Any], fate: str) -> dict[str, Any]:
    return {"n": n, "tool": tool, "arguments": dict(arguments), "fate": fate}


def everything(asked: CheckSet, answer: str) -> Example:
    """The answer with all that could be said beside it: every other answer, and every fault there is."""
    from kubectl_berth.evals.concepts import concepts

    faults = ". ".join(
        f"The cause is {_plainly(concept.phrases[0].written)}" for concept in concepts().values() if concept.fault
    )
    return Example("\n\n".join([answer, *(wrong.answer for wrong in asked.wrong), faults + "."]))


def _plainly(written: str) -> str:
    """A phrase as words: the first of each choice."""
    words = [word.split("|")[0].rstrip("*?") for word in written.split() if word.strip(".&")]
    return " ".join(words)
