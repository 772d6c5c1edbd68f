"""kubectl berth eval report and compare: from results directories to words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kubectl_berth.environment import Environment
    from kubectl_berth.evals.compare import Side


def report(directory: str, output: str, rescore: bool, environment: Environment) -> int:
    """Writes the report to stdout; the exit status."""
    from kubectl_berth.evals import running
    from kubectl_berth.evals.report import report as found_in
    from kubectl_berth.evals.results import Results

    results = Results(Path(directory))
    if rescore:
        running.rescore(results, environment.wall)
    found = found_in(results)
    if output == "json":
        from kubectl_berth.output.json_document import encode

        text = encode(found, indent=2) + "\n"
    elif output == "html":
        from kubectl_berth.evals.report_page import page
        from kubectl_berth.evals.transcripts import run_of

        rows = results.rows()
        text = page(found, (run_of(results, rows[key]) for key in sorted(rows)))
    else:
        from kubectl_berth.evals.report_markdown import markdown

        text = markdown(found)
    environment.stdout.write(text)
    environment.stdout.flush()
    return 0


def compare(before: str, after: str, output: str, rescore: bool, environment: Environment) -> int:
    """Writes the comparison to stdout; the exit status."""
    from kubectl_berth.evals import compare as comparing

    found = comparing.compare(_side(before, rescore, environment), _side(after, rescore, environment))
    if output == "json":
        from kubectl_berth.output.json_document import encode

        environment.stdout.write(encode(found, indent=2) + "\n")
    else:
        from kubectl_berth.evals.compare_words import text

        environment.stdout.write(text(found))
    environment.stdout.flush()
    return 0


def _side(directory: str, rescore: bool, environment: Environment) -> Side:
    from kubectl_berth.evals import running
    from kubectl_berth.evals.compare import side
    from kubectl_berth.evals.results import Results

    results = Results(Path(directory))
    return side(results, running.rescore(results, environment.wall) if rescore else None)
