"""The evidence check on published answers: how often it flags right ones, and how many planted inventions it finds.

python -m tests.bench.evidence_check [ANCHOR_EVALS]

The recordings keep short forms of some results ("3 pods"); for these the facts of the scenario stand in, which are
what the tool gave back.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kubectl_berth.investigation.evidence import looked_up

PUBLISHED = Path(__file__).parents[3] / "shared" / "anchor-evals"
SHORT = {
    "list_pods": ("pods",),
    "get_events": ("events",),
    "cluster_health": ("health", "nodes"),
    "analyze_capacity": ("capacity",),
}
"""Tools of which the recordings say how much they gave, and which facts of the scenario that was."""

LIES: dict[str, tuple[str, Callable[[str], str]]] = {
    "wrong pod": (r"\b[a-z][a-z0-9-]*-[a-z0-9]{5,10}-[a-z0-9]{5}\b", lambda said: said[:-5] + "x7k2d"),
    "wrong object": (r"(?<=`)[a-z]+-[a-z]+(?=`)", lambda said: "stock-keeper"),
    "wrong figure": (
        r"\b\d+(?:\.\d+)?\s?(?:Mi|Gi|GiB|MiB|m\b|%)",
        lambda said: re.sub(r"\d+(\.\d+)?", "73" if "%" in said else "777", said, count=1),
    ),
    "wrong count": (r"\b\d+(?= restarts)|(?<=restarted )\d+|(?<=[Rr]estart count: )\d+", lambda said: "57"),
    "invented namespace": (
        r"(?<=in the )`?[a-z]+`?(?= namespace)|(?<=namespace `)[a-z]+(?=`)|(?<=-n )[a-z]+",
        lambda said: re.sub("[a-z]+", "warehouse", said),
    ),
    "wrong image": (r"registry\.example\.com/[a-z/-]+:[\w.-]+", lambda said: said + "9"),
    "wrong exit code": (r"(?<=[Ee]xit [Cc]ode )\d+|(?<=[Ee]xit [Cc]ode: )\d+|(?<=exit status )\d+", lambda said: "42"),
    "wrong address": (r"\b[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)*\.svc(?::\d+)?", lambda said: "kafka-2." + said),
}


@dataclass(frozen=True)
class Published:
    """One recorded run: where it belongs, whether its answer is right, the answer and what it rests on."""

    label: str
    right: bool
    answer: str
    evidence: list[str]


@dataclass(frozen=True)
class Figures:
    """What the check says: claims and flagged claims of right answers, planted lies and found ones by kind."""

    claims: int
    flagged: list[tuple[str, str]]
    planted: Counter[str]
    found: Counter[str]

    @property
    def share(self) -> float:
        """Flagged claims of right answers, as a share."""
        return len(self.flagged) / self.claims


def published(directory: Path) -> Iterator[Published]:
    """The recorded runs."""
    overruled = {
        (each["scenario"], each["repeat"])
        for each in json.loads((directory / "adjudication.json").read_text())
        if each["reading"] == "pass"
    }
    base = json.loads((directory / "scenarios" / "_baseline.json").read_text())["fixture"]
    for line in (directory / "full_q35_all17.jsonl").read_text().splitlines():
        run = json.loads(line)
        scenario = json.loads((directory / "scenarios" / f"{run['scenario']}.json").read_text())
        right = run["pass"] or (run["scenario"], run["repeat"]) in overruled
        label = f"{run['scenario']} {run['repeat']}"
        yield Published(label, right, run["answer"], list(_evidence(run, scenario, base)))


def _evidence(run: dict[str, Any], scenario: dict[str, Any], base: dict[str, Any]) -> Iterator[str]:
    fixture = scenario.get("fixture", {})
    moment = fixture.get("snapshot", {})
    yield scenario.get("prompt", "")
    yield json.dumps(scenario.get("turns", ""))
    for call in run["toolTrace"] or ():
        preview = call.get("resultPreview") or ""
        yield preview
        yield json.dumps(call.get("args") or {})
        for part in SHORT.get(call["tool"], ()):
            yield json.dumps(moment.get(part, base["snapshot"].get(part)), indent=0)
        if preview.endswith("..."):
            yield json.dumps(fixture.get("live", {}), indent=0).replace("\\n", "\n")


def measure(runs: list[Published]) -> Figures:
    """The figures over these runs; a lie counts as found where something is flagged that was not before."""
    claims, flagged = 0, []
    planted: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for run in runs:
        claimed, unseen = looked_up(run.answer, run.evidence)
        if run.right:
            claims += len(claimed)
            flagged += [(run.label, claim.text) for claim in unseen]
        before = Counter(claim.text for claim in unseen)
        for kind, (pattern, lie) in LIES.items():
            match = re.search(pattern, run.answer)
            if match is None:
                continue
            answer = run.answer[: match.start()] + lie(match.group()) + run.answer[match.end() :]
            after = Counter(claim.text for claim in looked_up(answer, run.evidence)[1])
            planted[kind] += 1
            found[kind] += bool(after - before)
    return Figures(claims, flagged, planted, found)


def main() -> None:
    """Prints the figures and everything that was flagged."""
    directory = Path(sys.argv[1]) if len(sys.argv) > 1 else PUBLISHED
    if not (directory / "full_q35_all17.jsonl").exists():
        print(f"skipped: there are no recorded runs in {directory}")
        return
    runs = list(published(directory))
    figures = measure(runs)
    right = sum(run.right for run in runs)
    print(
        f"{len(runs)} answers, {right} right: {len(figures.flagged)} of {figures.claims} claims of right answers "
        f"flagged ({figures.share:.1%})"
    )
    for label, text in figures.flagged:
        print(f"  {label}: {text}")
    print(f"{sum(figures.found.values())} of {sum(figures.planted.values())} planted inventions found")
    for kind, count in figures.planted.items():
        print(f"  {kind}: {figures.found[kind]} of {count}")


if __name__ == "__main__":
    main()
