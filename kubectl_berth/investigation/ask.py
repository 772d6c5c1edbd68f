"""One question from start to end.

The cluster is opened and the engine runs on a worker thread; the main thread shows events, owns the deadline, the
budget and the signals, and ends the run whatever the worker is waiting for.
"""

from __future__ import annotations

import queue
import threading
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from kubectl_berth.cluster.cluster import Cluster
from kubectl_berth.engines.engine import Engine
from kubectl_berth.environment import Environment
from kubectl_berth.errors import BerthError, Interrupted, OverBudget, TimedOut, UsageError
from kubectl_berth.investigation import consent
from kubectl_berth.investigation.admission import Admission, Hold
from kubectl_berth.investigation.consent import Wish
from kubectl_berth.investigation.ending import record_of, result_of
from kubectl_berth.investigation.outcome import failed
from kubectl_berth.investigation.record import Record, Tape
from kubectl_berth.investigation.said import Said
from kubectl_berth.investigation.stopping import TICK, on_signals
from kubectl_berth.investigation.worker import Job, Question, Run, work
from kubectl_berth.knowledge.shelf import Shelf
from kubectl_berth.knowledge.store import Store
from kubectl_berth.records import Event, Notice, Result, RunStarted
from kubectl_berth.safety.gate import shown
from kubectl_berth.safety.own_keys import own_keys, without_own_keys
from kubectl_berth.safety.sanitise import sanitise
from kubectl_berth.settings import Settings

GRACE = 0.4
"""Seconds that a stopped run waits for its worker to hand over what it has."""

__all__ = ["Books", "Question", "ask", "unstarted"]


@dataclass(frozen=True)
class Books:
    """What a run writes down. `ledger` keeps what model calls take; None keeps nothing and holds no budget of tokens.

    `keep` takes the record of the run and gives the words where it could not be kept.
    """

    ledger: Store | None = None
    keep: Callable[[Record], str | None] | None = None


def ask(
    question: Question,
    open_cluster: Callable[[], Cluster],
    engine: Engine,
    settings: Settings,
    environment: Environment,
    observer: Callable[[Event], None],
    remarks: Sequence[str] = (),
    shelf: Shelf | None = None,
    books: Books | None = None,
) -> Result:
    """Answers one question. `observer` gets every event, on the calling thread; `remarks` become notices.

    `shelf` holds runbooks and past incidents; without one there are the shipped runbooks and no incidents. Without
    `books` nothing is written down.

    UsageError and what is a bug are raised; every other end is a Result. The run is over within a second of Ctrl-C,
    SIGTERM or its deadline.
    """
    started = environment.monotonic()
    clean = _cleaning(environment)
    typed = sanitise(question.text)
    question = replace(question, text=clean(typed))
    if question.text != typed:
        remarks = (*remarks, "the question holds what looks like a secret: it goes on without it")
    books = books or Books()
    tape = Tape()
    said = Said(observer, clean)

    def see(event: Event) -> None:
        tape.take(environment.monotonic() - started, event)
        said.event(event)

    run = Run()
    admission = Admission(engine, settings, environment, books.ledger)
    see(_opening(engine, settings))
    for text in (*remarks, *_remarks(engine, settings, environment)):
        see(Notice(text))
    put = consent.question(settings, engine.host, environment)
    job = Job(
        question,
        open_cluster,
        engine,
        settings,
        environment,
        shelf or Shelf(),
        asks=put is not None,
        held=admission.holds,
        keyed=books.keep is not None,
    )
    duty = _Duty(engine, started + settings.timeout, settings, environment, see, put, admission)
    try:
        with on_signals(lambda: run.halt(Interrupted("interrupted before there was an answer"))):
            try:
                admission.before_run(run.stopped)
            except (OverBudget, Interrupted) as error:
                run.failure = error
            else:
                _carry_out(run, job, duty)
                said.end()
    finally:
        # also where the reader of stdout is gone: what stays reserved would be lost for the month
        unsettled = admission.settle(hurried=run.stopped())
    if isinstance(run.failure, UsageError):
        raise run.failure
    if environment.debug:
        for failure in (*(run.toolbox.failures if run.toolbox else ()), *([run.failure] if run.failure else ())):
            environment.stderr.write(shown("".join(traceback.format_exception(failure))))
    result = result_of(question, run, engine, settings, environment.monotonic() - started, clean)
    warning = f"what this run took could not be written down: {unsettled}" if unsettled else ""
    if books.keep is not None:
        words = books.keep(record_of(result, question, run, engine, settings, environment, tape))
        warning = f"this run was not recorded: {words}" if words else warning
    if warning:
        observer(Notice(warning))
    return result


def _cleaning(environment: Environment) -> Callable[[str], str]:
    """What a question passes before it is sent and kept, and whatever a model says before anybody sees it."""
    keys = own_keys(environment.variables)
    return lambda text: without_own_keys(shown(text), keys)


def unstarted(question: Question, settings: Settings, error: BerthError, environment: Environment) -> Result:
    """The result of a run whose engine could not even be made."""
    verdict = failed(error)
    return Result(
        question=_cleaning(environment)(question.text),
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


def _remarks(engine: Engine, settings: Settings, environment: Environment) -> list[str]:
    if engine.host and consent.raw_allowed(settings, engine.host, environment):
        allowed = "raw_diagnostics" in settings.sources
        by = settings.source("raw_diagnostics") if allowed else str(consent.hosts_file(environment))
        return [f"logs and descriptions of objects are sent there too, as {by} says"]
    if engine.name == "rules" and settings.source("max_iterations") != "default":
        return [f"{settings.source('max_iterations')} has no effect: the rules engine makes no model call"]
    return []


@dataclass(frozen=True)
class _Duty:
    """What the main thread watches over. `deadline` is a moment of the monotonic clock."""

    engine: Engine
    deadline: float
    settings: Settings
    environment: Environment
    see: Callable[[Event], None]
    put: consent.Ask | None
    admission: Admission


def _carry_out(run: Run, job: Job, duty: _Duty) -> None:
    worker = threading.Thread(target=work, args=(run, job), name="berth-run", daemon=True)
    worker.start()
    try:
        _watch(run, duty)
    finally:
        _end(run, duty.engine, worker)


def _watch(run: Run, duty: _Duty) -> None:
    """Shows events until the worker is done, a signal came or the deadline passed."""

    def over() -> bool:
        return run.stopped() or duty.environment.monotonic() >= duty.deadline

    while not run.stopped():
        left = duty.deadline - duty.environment.monotonic()
        if left <= 0:
            run.halt(TimedOut(f"no answer within {duty.settings.timeout:g} s; give it longer with --timeout"))
            return
        try:
            event = run.events.get(timeout=min(left, TICK))
        except queue.Empty:
            continue
        if event is None:
            return
        if isinstance(event, Hold):
            event.settle(_refusal(duty.admission, event, over))
        elif not isinstance(event, Wish):
            duty.see(event)
        elif duty.put is not None:
            duty.see(Notice(consent.why(duty.engine.name, duty.engine.host)))
            event.settle(duty.put(lambda: not over()))


def _refusal(admission: Admission, hold: Hold, over: Callable[[], bool]) -> BerthError | None:
    try:
        admission.before_call(hold.estimate, over)
    except BerthError as error:
        return error
    return None


def _end(run: Run, engine: Engine, worker: threading.Thread) -> None:
    """Lets go of the engine and the cluster, at once where the worker still waits for one of them."""
    if worker.is_alive():
        engine.cancel()
    if run.cluster is not None:
        run.cluster.close()
    worker.join(GRACE)
