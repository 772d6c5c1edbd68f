"""The tool calls of published runs, replayed on the scenarios of the same names.

    python -m tests.bench.replay_calls RUNS.jsonl

RUNS.jsonl holds a run a line: {"scenario": name, "tools": [[tool, arguments or null, ...], ...]}. Calls whose arguments
were not recorded are left out. Prints the share of errors, repeats and empty results, each of them, and the sizes.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kubectl_berth.records import TraceEntry
from kubectl_berth.scenarios.reader import load, names
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.toolbox import Toolbox

WASTED = ("error", "repeated", "empty", "refused")


def replay(run: dict[str, Any]) -> list[TraceEntry]:
    """The trace of one run's calls, in order, in a toolbox of its own."""
    scenario = load(run["scenario"])
    cluster = scenario.open()
    toolbox = Toolbox(Context(cluster=cluster, namespace=cluster.name().namespace))
    for number, (tool, arguments, *_) in enumerate(run["tools"], 1):
        if arguments is not None:
            toolbox.call(tool, arguments, number)
    return toolbox.trace


def runs(path: Path) -> Iterator[dict[str, Any]]:
    """The runs whose scenario is here too."""
    known = set(names())
    for line in path.read_text().splitlines():
        run = json.loads(line)
        if run["scenario"] in known:
            yield run


def main(path: Path) -> None:
    """Prints the figures."""
    entries = [(run["scenario"], entry) for run in runs(path) for entry in replay(run)]
    fates = Counter(entry.fate for _, entry in entries)
    wasted = [(name, entry) for name, entry in entries if entry.fate in WASTED]
    print(f"{len(entries)} calls: {dict(fates)}")
    print(f"errors, repeats, empty, refused: {len(wasted)} = {100 * len(wasted) / len(entries):.1f} %")
    for name, entry in wasted:
        print(f"  {name}: {entry.fate} {entry.tool} {json.dumps(dict(entry.arguments))} {entry.error or ''}"[:240])
    sizes = sorted(entry.bytes for _, entry in entries)
    print(f"bytes per result: median {statistics.median(sizes):.0f}, worst {sizes[-1]}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
