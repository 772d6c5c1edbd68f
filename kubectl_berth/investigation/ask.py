"""One question from start to end.

The cluster is opened and the engine runs on a worker thread; the main thread shows events, owns the deadline and the
signals, and ends the run whatever the worker is waiting for.
"""

from __future__ import annotations

import json
import queue
import threading
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kubectl_berth.cluster.cluster import Cluster
from kubectl_berth.engines.engine import Conversation, Engine, Turn
from kubectl_berth.environment import Environment
from kubectl_berth.errors import BerthError, EngineError, Interrupted, TimedOut, UsageError
from kubectl_berth.investigation import consent, tripwire
from kubectl_berth.investigation.brief import brief
from kubectl_berth.investigation.consent import Wish
from kubectl_berth.investigation.outcome import Verdict, failed, judge
from kubectl_berth.investigation.prompt import SYSTEM_PROMPT
from kubectl_berth.investigation.stopping import on_signals
from kubectl_berth.knowledge.prices import cost
from kubectl_berth.knowledge.shelf import Shelf
from kubectl_berth.question.understand import understand
from kubectl_berth.records import (
    ClusterName,
    Cost,
    Event,
    Finding,
    Finished,
    Gap,
    GapFound,
    Notice,
    Result,
    RunStarted,
    Sent,
)
from kubectl_berth.settings import Settings
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.toolbox import Toolbox

GRACE = 0.4
"""Seconds that a stopped run waits for its worker to hand over what it has."""


@dataclass(frozen=True)
class Question:
    """What is asked. `namespace` is -n's, `earlier` the turns before."""

    text: str
    namespace: str | None = None
    earlier: Sequence[Turn] = ()


@dataclass
class _Run:
    """What the worker got to. The main thread reads it, also when the worker never comes back."""

    engine: str
    host: str
    events: queue.SimpleQueue[Event | Wish | None] = field(default_factory=queue.SimpleQueue)
    stop: BerthError | None = None
    cluster: Cluster | None = None
    name: ClusterName | None = None
    toolbox: Toolbox | None = None
    gaps: tuple[Gap, ...] = ()
    finished: Finished | None = None
    failure: BaseException | None = None

    def halt(self, error: BerthError) -> None:
        """From anywhere, signal handlers too: the run ends with this error."""
        self.stop = self.stop or error
        self.events.put(None)


def ask(
    question: Question,
    open_cluster: Callable[[], Cluster],
    engine: Engine,
    settings: Settings,
    environment: Environment,
    observer: Callable[[Event], None],
    remarks: Sequence[str] = (),
    shelf: Shelf | None = None,
) -> Result:
    """Answers one question. `observer` gets every event, on the calling thread; `remarks` become notices.

    `shelf` holds runbooks and past incidents; without one there are the shipped runbooks and no incidents.

    UsageError and what is a bug are raised; every other end is a Result. The run is over within a second of Ctrl-C,
    SIGTERM or its deadline.
    """
    started = environment.monotonic()
    run = _Run(engine.name, engine.host)
    observer(_opening(engine, settings))
    for text in (*remarks, *_remarks(engine, settings)):
        observer(Notice(text))
    put = consent.question(settings, engine.host, environment)
    worker = threading.Thread(
        target=_work,
        args=(run, question, open_cluster, engine, settings, environment, shelf or Shelf(), put is not None),
        name="berth-run",
        daemon=True,
    )
    with on_signals(lambda: run.halt(Interrupted("interrupted before there was an answer"))):
        worker.start()
        try:
            _watch(run, started + settings.timeout, settings, environment, observer, put)
        finally:
            _end(run, engine, worker)
    if isinstance(run.failure, UsageError):
        raise run.failure
    if environment.debug and run.failure is not None:
        traceback.print_exception(run.failure, file=environment.stderr)
    return _result(question, run, engine, _cost(engine, settings), environment.monotonic() - started)


def unstarted(question: Question, settings: Settings, error: BerthError) -> Result:
    """The result of a run whose engine could not even be made."""
    verdict = failed(error)
    return Result(
        question=question.text,
        cluster=None,
        engine=settings.engine,
        model=settings.model,
        outcome=verdict.outcome,
        error=verdict.error,
        exit_status=verdict.exit_status,
    )


def _opening(engine: Engine, settings: Settings) -> RunStarted:
    cap = None if engine.name == "rules" else settings.max_iterations
    return RunStarted(engine.name, engine.model, engine.host, cap)


def _remarks(engine: Engine, settings: Settings) -> list[str]:
    if engine.name == "rules" and settings.source("max_iterations") != "default":
        return [f"{settings.source('max_iterations')} has no effect: the rules engine makes no model call"]
    return []


def _work(
    run: _Run,
    question: Question,
    open_cluster: Callable[[], Cluster],
    engine: Engine,
    settings: Settings,
    environment: Environment,
    shelf: Shelf,
    asks: bool,
) -> None:
    """The worker: opens the cluster, writes the brief, lets the engine run. Leaves everything in `run`."""
    try:
        run.cluster = open_cluster()
        run.name = run.cluster.name()
        context = Context(
            cluster=run.cluster,
            namespace=question.namespace or run.name.namespace,
            narrowed=question.namespace is not None,
            raw_allowed=consent.raw_allowed(settings, engine.host, environment),
            ask_raw=(lambda: _wish(run)) if asks else None,
            memory=shelf.memory(run.cluster),
            library=shelf.library,
        )
        run.toolbox = Toolbox(context)
        understanding = understand(
            question.text, context.cluster, namespace=context.namespace, narrowed=context.narrowed
        )
        told = brief(understanding, context)
        run.gaps = (*understanding.gaps, *context.inventory().gaps)
        run.toolbox.remember(told)
        conversation = Conversation(
            system=SYSTEM_PROMPT,
            first=f"{told}\n\nQuestion: {question.text}",
            question=question.text,
            earlier=question.earlier,
        )
        if engine.model is not None:
            run.events.put(_sent(conversation, run.toolbox))
        for event in engine.run(conversation, run.toolbox, settings.max_iterations):
            if isinstance(event, Finished):
                run.finished = event
            elif isinstance(event, GapFound):
                run.gaps += (event.gap,)
            run.events.put(event)
    except BaseException as error:  # whatever it is, the main thread has to hear of it
        run.failure = error
    finally:
        run.events.put(None)


def _sent(conversation: Conversation, toolbox: Toolbox) -> Sent:
    tools = "\n".join(json.dumps(each, ensure_ascii=False) for each in toolbox.definitions())
    earlier = "\n".join(f"{turn.question}\n{turn.answer}" for turn in conversation.earlier)
    parts = (("system prompt", conversation.system), ("tools", tools), ("earlier turns", earlier))
    return Sent(tuple(part for part in (*parts, ("message", conversation.first)) if part[1]))


def _wish(run: _Run) -> bool:
    """On a tool's thread: asks the person through the main thread."""
    wish = Wish()
    run.events.put(wish)
    return wish.wait(lambda: run.stop is not None)


def _watch(
    run: _Run,
    deadline: float,
    settings: Settings,
    environment: Environment,
    observer: Callable[[Event], None],
    put: consent.Ask | None,
) -> None:
    """Shows events until the worker is done, a signal came or the deadline passed."""
    while run.stop is None:
        left = deadline - environment.monotonic()
        if left <= 0:
            run.halt(TimedOut(f"no answer within {settings.timeout:g} s; give it longer with --timeout"))
            return
        try:
            event = run.events.get(timeout=min(left, 3600.0))
        except queue.Empty:
            continue
        if event is None:
            return
        if not isinstance(event, Wish):
            observer(event)
        elif put is not None:
            observer(Notice(consent.why(run.engine, run.host)))
            event.settle(put(lambda: run.stop is None and environment.monotonic() < deadline))


def _end(run: _Run, engine: Engine, worker: threading.Thread) -> None:
    """Lets go of the engine and the cluster, at once where the worker still waits for one of them."""
    if worker.is_alive():
        engine.cancel()
    if run.cluster is not None:
        run.cluster.close()
    worker.join(GRACE)


def _cost(engine: Engine, settings: Settings) -> Cost | None:
    """The estimate; None where no price is known, or where nothing is paid because the model runs on this machine."""
    if engine.model is None or not engine.host or not engine.calls:
        return None
    return cost(engine.calls, engine.model, own_input=settings.price_in, own_output=settings.price_out)


def _result(question: Question, run: _Run, engine: Engine, price: Cost | None, seconds: float) -> Result:
    verdict = _verdict(run)
    toolbox = run.toolbox
    finished = run.finished
    usage = finished.usage if finished else engine.usage
    findings = finished.findings if finished and finished.findings else tuple(toolbox.findings if toolbox else ())
    actions = finished.actions if finished and finished.actions else tuple(toolbox.actions if toolbox else ())
    gaps = dict.fromkeys((*run.gaps, *(toolbox.gaps if toolbox else ())))
    return Result(
        question=question.text,
        cluster=run.name,
        engine=engine.name,
        model=engine.model,
        outcome=verdict.outcome,
        answer=_answer(verdict, toolbox),
        error=verdict.error,
        exit_status=verdict.exit_status,
        forced=bool(finished and finished.forced),
        findings=_causes_first(findings),
        actions=actions,
        trace=toolbox.trace if toolbox else [],
        gaps=list(gaps),
        usage=usage,
        cost=price,
        seconds=seconds,
    )


def _verdict(run: _Run) -> Verdict:
    if run.finished is not None:
        return judge(run.finished)
    if run.stop is not None:
        return failed(run.stop)
    if isinstance(run.failure, BerthError):
        return failed(run.failure)
    if run.failure is not None:
        kind = type(run.failure).__name__
        return failed(BerthError(f"unexpected {kind}: {run.failure} (BERTH_DEBUG=1 shows where)"))
    return failed(EngineError("the engine ended without a word; ask again"))


def _answer(verdict: Verdict, toolbox: Toolbox | None) -> str:
    said = tripwire.remark(toolbox) if toolbox and verdict.answer else ""
    return f"{verdict.answer}\n\n{said}" if said else verdict.answer


def _causes_first(findings: Sequence[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda finding: not finding.cause)
