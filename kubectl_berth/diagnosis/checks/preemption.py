"""Pods that had to make room for others of a higher priority."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from kubectl_berth.cluster.views import Event, Pod, Workload, age
from kubectl_berth.diagnosis.objects import HOUR, Inventory
from kubectl_berth.diagnosis.say import count, listed, said
from kubectl_berth.records import Finding, Ref

_BY = re.compile(r"Preempted by (?:pod )?([0-9a-f][0-9a-f-]{7,})", re.IGNORECASE)


@dataclass(frozen=True)
class Preemption:
    """One pod that was put out: its workload, and the workload (or pod) that took its place, where that is known."""

    event: Event
    pod: Ref
    loser: Ref
    winner: Ref
    priorities: tuple[int | None, int | None]
    """The loser's and the winner's priority, None where it is not known."""


def preemptions(inventory: Inventory) -> list[Preemption]:
    """The preemptions of the last hour, newest first. Where the winner is gone, the pod that was put out stands in."""
    return inventory.once(_preemptions)


def _preemptions(inventory: Inventory) -> list[Preemption]:
    newest_first = sorted(inventory.events, key=lambda one: str(one.last_seen), reverse=True)
    told = [one for one in newest_first if one.reason == "Preempted" and one.about.kind == "Pod"]
    return [_told(inventory, event) for event in told if inventory.recent(event, HOUR)]


def _told(inventory: Inventory, event: Event) -> Preemption:
    victim = event.about_ref
    there = inventory.pod(victim.namespace, victim.name)
    loser = inventory.workload(there) if there is not None else _maker(inventory, victim)
    match = _BY.search(event.text)
    winner = inventory.by_uid(match[1]) if match else None
    above = inventory.find(loser)
    lost = there.spec.priority if there else _template_priority(inventory, loser)
    won = winner.spec.priority if isinstance(winner, Pod) else None
    subject = inventory.workload(winner) if winner is not None else victim
    return Preemption(event, victim, loser if above is not None else victim, subject, (lost, won))


def _maker(inventory: Inventory, pod: Ref) -> Ref:
    """The workload whose name a pod that is gone bears."""
    makers = [*inventory.replica_sets, *inventory.stateful_sets, *inventory.daemon_sets, *inventory.jobs]
    named = [one for one in makers if one.namespace == pod.namespace and pod.name.startswith(f"{one.name}-")]
    longest = max(named, key=lambda one: len(one.name), default=None)
    return inventory.workload(longest) if longest is not None else pod


def _template_priority(inventory: Inventory, workload: Ref) -> int | None:
    pods = inventory.pods_of(workload)
    return pods[0].spec.priority if pods else None


def check_preemptions(inventory: Inventory) -> Iterable[Finding]:
    """What took the place of other pods lately, and whether they are still missed."""
    by_winner: dict[Ref, list[Preemption]] = {}
    for one in preemptions(inventory):
        by_winner.setdefault(one.winner, []).append(one)
    for winner, group in sorted(by_winner.items()):
        losers = sorted({one.loser for one in group})
        missed = [ref for ref in losers if _short(inventory, ref)]
        lost, won = group[0].priorities
        known = winner != group[0].pod
        yield Finding(
            "warning" if missed else "info",
            winner,
            "Preempts" if known else "Preempted",
            (
                f"{count(len(group), 'pod')} of {listed([str(ref) for ref in losers])} had to make room for it, "
                f"{age(inventory.now, group[0].event.last_seen)} ago: its priority is higher"
            )
            if known
            else "it had to make room for a pod of a higher priority, which is gone by now",
            (
                *_spoken(inventory, group[0], known),
                f"put out: {listed([str(one.pod) for one in group])}, priority {0 if lost is None else lost}",
                *(
                    [f"{winner} runs with priority {won}{_class(inventory, winner)}"]
                    if known and won is not None
                    else []
                ),
            ),
            effects=tuple(sorted({*losers, *(one.pod for one in group)} - {winner})),
            remedy="preemption is meant to do this: add room, give the pods that must stay a PriorityClass at least as "
            f"high, or let {winner if known else 'the other pods'} wait for room instead (a lower PriorityClass, or "
            "one with preemptionPolicy Never)",
            disproof="a pod of the loser that ended by itself",
        )


def _spoken(inventory: Inventory, one: Preemption, known: bool) -> list[str]:
    """The event, the winner in it by its name: the scheduler writes a uid, which tells a person nothing."""
    line = said(one.event, inventory.now)
    hit = _BY.search(line)
    if hit is None:
        return [line]
    winner = inventory.by_uid(hit[1])
    name = str(winner.ref) if known and winner is not None else "a pod that is gone by now"
    return [line.replace(hit[0], f"Preempted by {name}")]


def _class(inventory: Inventory, workload: Ref) -> str:
    pods = inventory.pods_of(workload)
    name = pods[0].spec.priority_class_name if pods else ""
    return f" (PriorityClass {name})" if name else ""


def _short(inventory: Inventory, ref: Ref) -> bool:
    found = inventory.find(ref)
    return isinstance(found, Workload) and found.ready < found.desired
