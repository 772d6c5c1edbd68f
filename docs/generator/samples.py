"""A sample of every document that berth writes: made by the code that writes them, so that no field is missed."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kubectl_berth import records
from kubectl_berth.cli.main import run
from kubectl_berth.environment import Environment
from kubectl_berth.output.check_document import check_document
from kubectl_berth.output.json_document import document
from kubectl_berth.output.jsonl import event_document
from kubectl_berth.output.usage_table import spent_document
from kubectl_berth.records import (
    Action,
    Checked,
    ClusterName,
    Cost,
    Finding,
    Gap,
    Ref,
    Result,
    Spent,
    TraceEntry,
    Usage,
)

Sample = dict[str, Any]

_POD = Ref("Pod", "shop", "web-0")
_CLUSTER = ClusterName("context", "prod", "v1.33.4", "default")
_FINDING = Finding("critical", _POD, "CrashLoopBackOff", "crashes", ("restartCount 7",), (_POD,), _POD, "roll back")
_GAP = Gap("pods/log in finance", "forbidden", "the API's words")
_ENTRY = TraceEntry(1, 1, "list_pods", {}, "ok", 812, 0.01)
_RETURNED = records.ToolResult(1, "text", "ok", 812, 0.01)


def answer() -> Sample:
    """What -o json prints for a run that has everything."""
    return document(
        Result(
            question="why?",
            cluster=_CLUSTER,
            engine="claude",
            model="claude-sonnet-5-5",
            outcome="answered",
            answer="because",
            findings=[_FINDING],
            actions=[Action("set", "Deployment", "shop", "web", "limits.memory", "256Mi", "384Mi")],
            trace=[_ENTRY],
            gaps=[_GAP],
            not_in_evidence=[],
            remarks=["the model read nothing"],
            usage=Usage(1, 1000, 100),
            cost=Cost(0.01, "2026-11-30"),
        )
    )


def events() -> list[Sample]:
    """One line of -o jsonl for each type, the result left out."""
    found: list[records.Event] = [
        records.RunStarted("claude", "claude-sonnet-5-5", "api.anthropic.com", 8),
        records.ModelCallStarting(1, 2000),
        records.Text("text"),
        records.Thinking("text"),
        records.ToolCalled(1, 1, "list_pods", {}),
        records.ToolReturned(_ENTRY, _RETURNED),
        records.Retry("why"),
        records.Notice("text"),
    ]
    return [line for event in found if (line := event_document(event)) is not None]


def check() -> Sample:
    """What check -o json prints."""
    checked = Checked(_CLUSTER, [_FINDING], [_GAP], {"pods": 41}, [_POD], "shop", ["a remark"])
    return check_document(checked, "warning", "warning", failed=True)


def usage() -> Sample:
    """What usage -o json prints, with one row."""
    with _home() as ask:
        found = ask("usage", "-o", "json")
    return {
        **found,
        "usage": [spent_document(Spent("2026-11-30", "claude", "claude-sonnet-5-5", 1, Usage(), 0.0, 0, 0))],
    }


def kept() -> dict[str, Sample]:
    """The documents of commands that are run here, on shipped scenarios and in a home of their own."""
    with _home() as ask:
        asked = ["--scenario", "oomkilled", "--engine", "rules"]
        ask("ask", *asked, "-q", "-o", "json")
        snapshot = _snapshot(ask.home)
        words = ["--title", "a", "--root-cause", "b", "--fix", "c", "--snapshot", str(snapshot)]
        ask("memory", "add", *words, plain=True)
        results = str(ask.home / "results")
        evaluated = ask("eval", "run", *asked, "--results", results, "-o", "json")
        return {
            "tool": ask("tool", "cluster_health", "--scenario", "oomkilled", "-o", "json"),
            "tools": ask("tools", "-o", "json"),
            "scenario list": ask("scenario", "list", "-o", "json"),
            "runs list": ask("runs", "list", "-o", "json"),
            "runs show": ask("runs", "show", "-o", "json"),
            "memory list": ask("memory", "list", "-o", "json"),
            "config show": ask("config", "show", "-o", "json"),
            "doctor": ask("doctor", "-o", "json"),
            "eval run": evaluated,
            "eval report": ask("eval", "report", results, "-o", "json"),
            "eval compare": ask("eval", "compare", results, results, "-o", "json"),
        }


class _Asking:
    """Runs command lines in one home, with nothing of the person's own settings."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def __call__(self, *words: str, plain: bool = False) -> Sample:
        variables = {
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "XDG_DATA_HOME": str(self.home / "data"),
            "OLLAMA_HOST": "127.0.0.1:9",
        }
        out, err = io.StringIO(), io.StringIO()
        status = run(words, Environment(io.StringIO(), out, err, variables, home=self.home))
        if plain and status == 0:
            return {}
        try:
            found: Sample = json.loads(out.getvalue())
        except ValueError:
            raise SystemExit(f"kubectl berth {' '.join(words)} printed no document: {err.getvalue()}") from None
        return found


@contextmanager
def _home() -> Iterator[_Asking]:
    with tempfile.TemporaryDirectory() as directory:
        yield _Asking(Path(directory))


def _snapshot(home: Path) -> Path:
    directory = home / "moment"
    directory.mkdir()
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
    (directory / "namespace.json").write_text(json.dumps(namespace), encoding="utf-8")
    return directory
