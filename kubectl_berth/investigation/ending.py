"""From what a run got to, to its result and its record."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kubectl_berth import __version__
from kubectl_berth.engines.engine import Engine, Turn
from kubectl_berth.environment import Environment
from kubectl_berth.errors import BerthError, EngineError
from kubectl_berth.investigation import tripwire
from kubectl_berth.investigation.admission import estimated
from kubectl_berth.investigation.evidence import not_in_evidence
from kubectl_berth.investigation.outcome import Verdict, failed, judge
from kubectl_berth.investigation.record import Record, Tape, moment, settings_of
from kubectl_berth.investigation.remarks import remarks
from kubectl_berth.investigation.worker import Question, Run
from kubectl_berth.knowledge.run_files import new_id
from kubectl_berth.records import Finding, Result
from kubectl_berth.safety.answers import presentable
from kubectl_berth.settings import Settings
from kubectl_berth.tools.toolbox import Toolbox


def result_of(
    question: Question, run: Run, engine: Engine, settings: Settings, seconds: float, clean: Callable[[str], str]
) -> Result:
    """The result of a run that took so many seconds. What a model said passes `clean`: nobody sees more of it."""
    verdict = _verdict(run)
    # judged by what was said; from here on it is what may be shown
    said = clean(verdict.answer)
    toolbox = run.toolbox
    finished = run.finished
    findings = finished.findings if finished and finished.findings else tuple(toolbox.findings if toolbox else ())
    actions = finished.actions if finished and finished.actions else tuple(toolbox.actions if toolbox else ())
    gaps = dict.fromkeys((*run.gaps, *(toolbox.gaps if toolbox else ())))
    unseen = None
    if said and toolbox is not None:
        read = [*toolbox.evidence, *spoken(question.text, run.earlier)]
        unseen = unseen_in(said, read, findings, engine.model)
    return Result(
        question=question.text,
        cluster=run.name,
        engine=engine.name,
        model=engine.model,
        outcome=verdict.outcome,
        answer=_answer(said, toolbox, question.text),
        error=verdict.error,
        exit_status=verdict.exit_status,
        forced=bool(finished and finished.forced),
        findings=causes_first(findings),
        actions=actions,
        trace=toolbox.trace if toolbox else [],
        gaps=list(gaps),
        not_in_evidence=unseen,
        remarks=remarks(said, toolbox.trace, run.found) if said and toolbox is not None and engine.model else (),
        usage=finished.usage if finished else engine.usage,
        cost=estimated(engine, settings, engine.calls),
        seconds=seconds,
    )


def record_of(
    result: Result,
    question: Question,
    run: Run,
    engine: Engine,
    settings: Settings,
    environment: Environment,
    tape: Tape,
) -> Record:
    """The record of a run that has just ended."""
    began = environment.wall() - result.seconds
    return Record(
        id=new_id(began),
        time=moment(began),
        version=__version__,
        namespace=question.namespace,
        cluster_key=run.key,
        host=engine.host,
        settings=settings_of(settings),
        earlier=run.earlier,
        told=(run.told,) if run.told else (),
        calls=tuple(engine.calls),
        events=tuple(tape.played),
        result=result,
    )


def unseen_in(answer: str, read: Sequence[str], findings: Sequence[Finding], model: str | None) -> list[str]:
    """What of the answer was not in what was read; nothing where no model wrote it, but berth from the objects."""
    if model is None:
        return []
    return [text for text in not_in_evidence(answer, read, findings) if "[redacted:" not in text.lower()]


def spoken(question: str, earlier: Sequence[Turn]) -> list[str]:
    """What was said before the answer; an answer may rest on it as on what was read."""
    return [question, *(words for turn in earlier for words in (turn.question, turn.answer))]


def causes_first(findings: Sequence[Finding]) -> list[Finding]:
    """Root causes before symptoms, else in the given order."""
    return sorted(findings, key=lambda finding: not finding.cause)


def _verdict(run: Run) -> Verdict:
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


def _answer(text: str, toolbox: Toolbox | None, question: str) -> str:
    """The answer as it may be shown, with berth's own remark behind it."""
    answer = presentable(text, question)
    said = tripwire.remark(toolbox) if toolbox and answer else ""
    return f"{answer}\n\n{said}" if said else answer
