"""What the brief saves: tool calls of recorded runs that only looked for what it already says.

python -m tests.bench.brief_saves [RUNS.jsonl]

The recorded system starts from the bare question; the scenarios of the same names hold the same objects. A call counts
as needless where
- it lists pods of a namespace, and the brief names the pod that is meant, with its state;
- it looks for kinds or objects by a word, and the brief names such an object;
- it failed because its name or namespace is not exact, and the brief gives the exact one.
Repeats, refusals, and calls whose arguments were not recorded count as they are.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kubectl_berth.investigation.brief import brief
from kubectl_berth.question.understand import understand
from kubectl_berth.scenarios.reader import load
from kubectl_berth.tools.context import Context

RUNS = Path(__file__).parents[3] / "shared" / "anchor-evals" / "runs_q35_all17.jsonl"
_NAMED = re.compile(
    r"^(?:(?:Named|Found, \w+|Not where [^:]*): (?P<kind>\w+)|Its pod:) (?:(?P<namespace>[\w.-]+)/)?(?P<name>[\w.-]+)",
    re.M,
)


@dataclass(frozen=True)
class Named:
    """An object that a brief names."""

    kind: str
    namespace: str
    name: str


def brief_of(scenario_name: str) -> str:
    """The brief that berth writes for the scenario's own question."""
    scenario = load(scenario_name)
    context = Context(scenario.open())
    context.namespace = context.cluster.name().namespace
    question = understand(scenario.question, context.cluster, namespace=context.namespace, narrowed=False)
    return brief(question, context)


def named_in(text: str) -> list[Named]:
    """The objects that the brief names, with their state or a finding."""
    return [Named(m["kind"] or "Pod", m["namespace"] or "", m["name"]) for m in _NAMED.finditer(text)]


def why_needless(tool: str, arguments: dict[str, Any], error: str, named: list[Named]) -> str:
    """Which of the three it is, "" for none."""
    name, namespace = str(arguments.get("name") or ""), str(arguments.get("namespace") or "")
    if tool == "list_pods" and any(each.kind == "Pod" and each.namespace == namespace for each in named):
        return "looked for the pod"
    if tool in ("list_resources", "list_api_resources"):
        word = str(arguments.get("filter") or arguments.get("kind") or "").lower()
        if word and any(word in f"{each.kind} {each.name}".lower() for each in named):
            return "looked for the object or its kind"
    if name and error and "not found" in error:
        kind = str(arguments.get("kind") or "")
        exact = any((each.kind, each.namespace, each.name) == (kind, namespace, name) for each in named)
        alike = any(each.name == name or each.name.startswith(f"{name}-") for each in named)
        if alike and not exact:
            return "asked by a name or namespace that is not exact"
    return ""


def main() -> None:
    """Prints the figures, in all and by scenario."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    if not path.exists():
        print(f"skipped: there are no recorded runs at {path}")
        return
    runs = [json.loads(line) for line in path.read_text().splitlines()]
    briefs = {name: brief_of(name) for name in dict.fromkeys(run["scenario"] for run in runs)}
    why: Counter[str] = Counter()
    made: Counter[str] = Counter()
    saved: Counter[str] = Counter()
    for run in runs:
        named = named_in(briefs[run["scenario"]])
        for tool, arguments, error in run["tools"] or ():
            made[run["scenario"]] += 1
            reason = why_needless(tool, arguments or {}, error or "", named)
            if reason:
                why[reason] += 1
                saved[run["scenario"]] += 1
    total, needless = sum(made.values()), sum(saved.values())
    sizes = sorted(len(text.encode()) for text in briefs.values())
    print(f"{needless} of {total} recorded tool calls are needless with the brief ({needless / total:.0%})")
    for reason, count in why.most_common():
        print(f"  {count:>3} {reason}")
    for scenario, count in made.items():
        print(f"  {scenario}: {saved[scenario]} of {count}")
    print(f"bytes of a brief: median {sizes[len(sizes) // 2]}, worst {sizes[-1]}")


if __name__ == "__main__":
    main()
