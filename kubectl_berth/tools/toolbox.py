"""Guards the tools: one pipeline for every call, and the run's trace, evidence, gaps and findings.

Validate, refuse, point at an earlier result, run, pass the gate, remember: in this order for every call.
"""

from __future__ import annotations

import difflib
import json
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Protocol

from kubectl_berth.errors import Forbidden, NotFound, NotServed, ReadError, Refused
from kubectl_berth.records import Action, Fate, Finding, Gap, ToolResult, TraceEntry
from kubectl_berth.safety.gate import LIMIT, clean, pass_through
from kubectl_berth.safety.own_keys import without_own_keys
from kubectl_berth.safety.refuse import refused_word
from kubectl_berth.safety.sanitise import one_line
from kubectl_berth.tools.arguments import as_mapping, refuse, validate
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.registry import ALL
from kubectl_berth.tools.tool import Arguments, Report, Tool, ToolError

AT_ONCE = 8
"""Calls of one reply that run at the same time."""
MOST_IN_A_REPLY = 24
"""Calls of one reply that are run at all."""

ROOM = 64
"""Bytes kept free in a result for the lines behind its frame."""
AFTER_TRIPWIRE = "[after tripwire]"
"""Told with every result after the model tried to change the cluster."""

GONE = {
    "get_resource": "describe_resource",
    "list_api_resources": "list_resources",
    "list_nodes": "cluster_health",
}
"""Tools that other versions had, and what took their place."""


class Call(Protocol):
    """One call as a model asked for it."""

    @property
    def name(self) -> str:
        """The tool's name."""

    @property
    def arguments(self) -> Any:
        """Whatever the model gave."""


@dataclass
class _Job:
    """One call on its way. `settled` where it needs no run."""

    number: int
    model_call: int
    name: str
    arguments: Any
    tool: Tool | None = None
    accepted: Arguments | None = None
    ignored: Sequence[str] = ()
    settled: tuple[Fate, str] | None = None
    gaps: tuple[Gap, ...] = ()


class Toolbox:
    """The tools of one run. Safe to call from several threads."""

    def __init__(
        self, context: Context, tools: Sequence[Tool] = ALL, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self.context = context
        self._tools = {tool.name: tool for tool in tools}
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._entries: dict[int, TraceEntry] = {}
        self._results: dict[int, ToolResult] = {}
        self._seen: dict[str, int] = {}
        self._told: list[str] = []
        self._count = 0
        self._tripped = 0
        self.failures: list[Exception] = []
        """What tools raised that nobody foresaw; each cost its call and is a gap too."""

    def definitions(self) -> list[dict[str, Any]]:
        """Tools as name, description, parameters."""
        return [tool.definition() for tool in self._tools.values()]

    def call(self, name: str, arguments: Any, model_call: int = 0) -> ToolResult:
        """One call, at once."""
        with self._lock:
            job = self._prepare(name, arguments, model_call)
        return self._finish(job)

    def call_all(self, calls: Sequence[Call], model_call: int, left: int | None) -> list[ToolResult]:
        """All calls of one reply, together; results in the order of the calls.

        `left`, the number of model calls that remain, is told in the last result, behind its frame.
        """
        with self._lock:
            jobs = [self._prepare(call.name, call.arguments, model_call) for call in calls]
            for job in jobs[MOST_IN_A_REPLY:]:
                if job.settled is None and not (job.tool and job.tool.tripwire):
                    self._seen = {key: number for key, number in self._seen.items() if number != job.number}
                    words = f"Not run: at most {MOST_IN_A_REPLY} calls in one reply. Ask again with fewer."
                    job.settled = ("error", words)
        if len(jobs) <= 1:
            results = [self._finish(job) for job in jobs]
        else:
            with ThreadPoolExecutor(max_workers=AT_ONCE, thread_name_prefix="tool") as pool:
                results = list(pool.map(self._finish, jobs))
        if results and left is not None:
            results[-1] = self._with_line(results[-1], f"[model calls left: {left}]")
        return results

    def _with_line(self, result: ToolResult, line: str) -> ToolResult:
        """The result with a line behind its frame; what is kept of it has the line too."""
        text = f"{result.text}\n{line}"
        told = replace(result, text=text, bytes=len(text.encode()))
        with self._lock:
            self._results[told.number] = told
            self._entries[told.number] = replace(self._entries[told.number], bytes=told.bytes)
        return told

    def entry(self, number: int) -> TraceEntry:
        """The trace entry of a result."""
        return self._entries[number]

    def text(self, number: int) -> str:
        """What the engine was given for the call of this number."""
        return self._results[number].text

    def remember(self, text: str) -> None:
        """Adds what the engine was told beside tool results (the brief) to the evidence."""
        with self._lock:
            self._told.append(text)
            self.context.told.append(text)

    @property
    def trace(self) -> list[TraceEntry]:
        """Every call so far, in order."""
        with self._lock:
            return [self._entries[number] for number in sorted(self._entries)]

    @property
    def evidence(self) -> list[str]:
        """Every text that the engine was given, the brief first."""
        with self._lock:
            return [*self._told, *(self._results[number].text for number in sorted(self._results))]

    @property
    def gaps(self) -> list[Gap]:
        """What could not be read so far, each once."""
        return list(dict.fromkeys(gap for result in self._in_order() for gap in result.gaps))

    @property
    def findings(self) -> list[Finding]:
        """What the checks said in the results so far, each once."""
        return list(dict.fromkeys(finding for result in self._in_order() for finding in result.findings))

    @property
    def actions(self) -> list[Action]:
        """What was proposed so far, each once."""
        return list(dict.fromkeys(action for result in self._in_order() for action in result.actions))

    def _in_order(self) -> list[ToolResult]:
        with self._lock:
            return [self._results[number] for number in sorted(self._results)]

    def _prepare(self, name: str, arguments: Any, model_call: int) -> _Job:
        """Numbers the call and settles what needs no run. The lock is held."""
        self._count += 1
        job = _Job(self._count, model_call, str(name), arguments)
        try:
            job.tool = self._tool(job.name)
            if job.tool.tripwire:
                # whatever its arguments are, and before any call of the same reply runs
                self._tripped = self._tripped or job.number
                self.context.tripped = True
                job.accepted = {}
                return job
            given = as_mapping(arguments)
            accepted, job.ignored = validate(job.tool, given)
            refuse(job.tool, accepted)
            job.accepted = self._within_scope(accepted)
        except Refused as error:
            job.settled = ("refused", _refusal(error, arguments))
        except ToolError as error:
            job.settled, job.gaps = (error.fate, str(error)), error.gaps
        else:
            key = json.dumps([job.tool.name, job.accepted], sort_keys=True)
            earlier = self._seen.setdefault(key, job.number)
            if earlier != job.number:
                words = f"Same call as number {earlier}: its result stands above and has not changed. Use it."
                job.settled = ("repeated", words)
        return job

    def _tool(self, name: str) -> Tool:
        if tool := self._tools.get(name):
            return tool
        shown = one_line(name, 60)
        successor = GONE.get(name)
        if successor is None:
            successor = self._nearest(name.lower()[:100])
        if successor in self._tools:
            raise ToolError(f"There is no tool {shown}: use {successor}.")
        raise ToolError(f"There is no tool {shown}. The tools are {', '.join(self._tools)}.")

    def _nearest(self, name: str) -> str | None:
        """The tool whose noun is nearest (get_pods means list_pods), else the one whose whole name is."""
        nouns = {known.partition("_")[2]: known for known in self._tools}
        noun = difflib.get_close_matches(name.partition("_")[2] or name, nouns, 1, 0.75)
        if noun:
            return nouns[noun[0]]
        close = difflib.get_close_matches(name, self._tools, 1, 0.5)
        return close[0] if close else None

    def _within_scope(self, accepted: dict[str, Any]) -> dict[str, Any]:
        """Keeps a run that -n confines inside its namespace."""
        scope = self.context.scope
        if scope and accepted.get("namespace", scope) != scope:
            raise ToolError(f"This run reads namespace {scope} only: leave namespace out, or say it was not checked.")
        return accepted

    def _finish(self, job: _Job) -> ToolResult:
        started = self._monotonic()
        report: Report | None = None
        error = None
        if job.settled is not None:
            fate, text = job.settled
        else:
            fate, text, report = self._run(job)
        text = without_own_keys(text, self.context.keys)
        if fate in ("error", "refused", "withheld"):
            error = one_line(clean(text), 500)
        passed = pass_through(text, LIMIT - ROOM)
        if self._tripped and job.number > self._tripped:
            passed += f"\n{AFTER_TRIPWIRE}"
        result = ToolResult(
            number=job.number,
            text=passed,
            fate=fate,
            bytes=len(passed.encode()),
            seconds=round(self._monotonic() - started, 3),
            error=error,
            gaps=(*(report.gaps if report else ()), *job.gaps),
            findings=report.findings if report else (),
            actions=report.actions if report else (),
        )
        self._keep(job, result)
        return result

    def _keep(self, job: _Job, result: ToolResult) -> None:
        try:
            arguments = as_mapping(job.arguments)
        except ToolError:
            arguments = {"": job.arguments}
        entry = TraceEntry(
            n=job.number,
            model_call=job.model_call,
            tool=job.name,
            arguments=arguments,
            fate=result.fate,
            bytes=result.bytes,
            seconds=result.seconds,
            error=result.error,
        )
        with self._lock:
            self._entries[job.number] = entry
            self._results[job.number] = result
            if result.fate == "ok":
                self.context.told.append(result.text)

    def _run(self, job: _Job) -> tuple[Fate, str, Report | None]:
        assert job.tool is not None and job.accepted is not None  # noqa: S101  settled otherwise
        try:
            report = job.tool.run(self.context, job.accepted)
        except ToolError as error:
            job.gaps = error.gaps
            return error.fate, str(error), None
        except Refused as error:
            return "refused", _refusal(error, job.arguments), None
        except ReadError as error:
            job.gaps = (Gap(_what(job), error.why, str(error)),)
            return "error", taught(error), None
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            # one object of a shape nobody foresaw costs its call, not the run
            self.failures.append(error)
            job.gaps = (Gap(_what(job), "failed", f"{type(error).__name__}: {error}"),)
            words = (
                f"{job.name} met an object that it cannot read ({type(error).__name__}). Ask for something narrower."
            )
            return "error", words, None
        text = report.text
        if job.ignored:
            text = f"{text}\n({job.tool.name} has no argument {', '.join(job.ignored)}: ignored)"
        fate: Fate = "tripwire" if job.tool.tripwire else "empty" if report.empty else "ok"
        return fate, text, report


def taught(error: ReadError) -> str:
    """What a failed read means, in words that keep a model from taking it for health or absence."""
    words = str(error).rstrip(".")
    if isinstance(error, Forbidden):
        return f"Forbidden: {words}. It may exist and may be unhealthy: say that it could not be checked."
    if isinstance(error, NotServed):
        return f"Not served: {words}. list_resources(filter) shows the kinds that are."
    if isinstance(error, NotFound):
        return f"Not found: {words}. list_resources(filter) finds objects by a part of their name."
    return f"Could not be read ({error.why}): {words}. Say that it could not be checked."


def _refusal(error: Refused, arguments: Any) -> str:
    words = str(error).rstrip(".")
    kind = arguments.get("kind") if isinstance(arguments, dict) else None
    if isinstance(kind, str) and refused_word(kind):
        return (
            f"{words}. Which ones a pod needs, and whether one is missing, stands in describe_resource of the pod "
            "and in get_events."
        )
    return f"{words}."


def _what(job: _Job) -> str:
    values = [str(value) for value in (job.accepted or {}).values() if isinstance(value, str)]
    return one_line(" ".join((job.name, *values)), 200)
