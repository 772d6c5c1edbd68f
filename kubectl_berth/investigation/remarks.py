"""What berth itself has to say about a model's answer: what it rests on, what it leaves out, what it would destroy."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kubectl_berth.records import Finding, TraceEntry
from kubectl_berth.safety.sanitise import one_line
from kubectl_berth.tools.dangers import destroys

MOST = 3
"""Findings, and commands, that are named at most."""
LINE = 160

_COMMAND = re.compile(
    r"`+\s*(?:\$\s*)?((?:sudo\s+)?(?:kubectl|rm|helm|etcdctl)\s[^`\n]+)`+|"
    r"^\s*(?:\$\s*)?((?:sudo\s+)?(?:kubectl|rm|helm|etcdctl)\s[^\n]+)$",
    re.MULTILINE,
)
_WARNED = re.compile(
    r"\b(?:not|never|avoid|instead of|rather than|without)\b[^.!?\n]{0,40}$|n't\b[^.!?\n]{0,40}$", re.I
)
"""What stands before a command that the answer advises against."""
_GENERATED = re.compile(r"-[a-z0-9]{5,10}(?:-[a-z0-9]{5})?$|-\d+$")


def remarks(answer: str, trace: Sequence[TraceEntry], found: Sequence[Finding]) -> list[str]:
    """The remarks on an answer of a model. `found` is what berth's own checks say about what was asked."""
    return [line for line in (_unread(trace), _left_out(answer, found), _destructive(answer)) if line]


def _unread(trace: Sequence[TraceEntry]) -> str:
    if any(entry.fate in ("ok", "empty") for entry in trace):
        return ""
    return "the model read nothing of the cluster itself: the answer rests on what berth had looked up before"


def _left_out(answer: str, found: Sequence[Finding]) -> str:
    """Critical root causes of which the answer names neither the object nor what made it nor the reason."""
    said = answer.lower()
    silent = [
        one
        for one in found
        if one.cause and one.severity == "critical" and not any(word in said for word in _words(one))
    ]
    if not silent:
        return ""
    named = "; ".join(one_line(f"{one.subject}: {one.summary}", LINE) for one in silent[:MOST])
    more = f" and {len(silent) - MOST} more" if len(silent) > MOST else ""
    return f"berth's own checks found what the answer does not name: {named}{more}"


def _words(finding: Finding) -> Iterator[str]:
    for ref in (finding.subject, *finding.effects):
        yield ref.name.lower()
        yield _GENERATED.sub("", ref.name.lower())
    yield finding.reason.lower()


def _destructive(answer: str) -> str:
    found: dict[str, list[str]] = {}
    for match in _COMMAND.finditer(answer):
        command = (match[1] or match[2]).strip()
        if (why := destroys(command)) and not _WARNED.search(answer[: match.start()][-60:]):
            found.setdefault(one_line(command, 120), why)
    if not found:
        return ""
    named = "; ".join(f"{command} ({', '.join(why)})" for command, why in list(found.items())[:MOST])
    return f"the answer names commands that may destroy something, and berth does not vouch for them: {named}"
