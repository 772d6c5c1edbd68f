"""What an engine's last event amounts to."""

from __future__ import annotations

import pytest

from kubectl_berth.investigation.outcome import judge
from kubectl_berth.records import Finished, StopReason, Usage


@pytest.mark.parametrize(
    ("reason", "text", "outcome", "status"),
    [
        ("end", "All is well.", "answered", 0),
        ("end", " \n", "empty", 4),
        ("empty", "", "empty", 4),
        ("cut-off", "All is", "cut-off", 0),
        ("cut-off", "", "engine-error", 4),
        ("refused", "", "refused", 5),
        ("refused", "I will", "refused", 5),
        ("tool-calls", "Let me", "still-calling-tools", 4),
        ("tool-calls", "web-0 is down.", "still-calling-tools", 4),
        ("error", "All is well.", "engine-error", 4),
        (
            "end",
            'web-0 crashes.\n<tool_call>{"name": "get_logs", "arguments": {}}</tool_call>',
            "still-calling-tools",
            4,
        ),
        ("end", '{"name": "get_resource", "arguments": {}}', "still-calling-tools", 4),
    ],
)
def test_every_reason(reason: StopReason, text: str, outcome: str, status: int) -> None:
    verdict = judge(Finished(reason, text, Usage(), detail="word"))
    assert (verdict.outcome, verdict.exit_status) == (outcome, status)
    assert bool(verdict.answer) == (status == 0) and bool(verdict.error) == (status != 0)


def test_a_cut_off_answer_says_so_in_its_text() -> None:
    verdict = judge(Finished("cut-off", "web-0 is down because", Usage(), detail="max_tokens"))
    first, notice = verdict.answer.split("\n\n")
    assert first == "web-0 is down because"
    assert "cut off" in notice and "--max-tokens" in notice
