"""kubectl berth eval run: from the options to runs that are kept, and what they came to."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kubectl_berth.errors import EngineUnreachable, ExitStatus

if TYPE_CHECKING:
    from kubectl_berth.environment import Environment
    from kubectl_berth.evals.plan import Plan, Thinker
    from kubectl_berth.evals.results import Results, Row
    from kubectl_berth.evals.running import CarryOut, Ran
    from kubectl_berth.scenarios.reader import Scenario
    from kubectl_berth.settings import Settings

DIRECTORY = "evals"


def run(options: dict[str, Any], environment: Environment) -> int:
    """Carries an evaluation out, or goes on with one; the exit status."""
    from kubectl_berth.evals.plan import Plan, chosen
    from kubectl_berth.evals.results import open_results
    from kubectl_berth.evals.running import carry_out
    from kubectl_berth.output.bar import Bar

    words, asked = chosen(options["scenarios"], options["of"], twins=options["twins"])
    settings, thinker = _thinker(options, environment)
    plan = Plan(thinker, words, options["repeats"], tuple(asked))
    results = open_results(_directory(options["results"], plan, settings, environment), plan, environment.wall())
    before = results.rows()
    _say(environment, _opening(plan, results, len(before)))
    bar = Bar(environment, len(plan.runs()), len(before), sum(not row.passed for row in before.values()))
    ask = _ask(options, thinker, environment)
    try:
        for row in carry_out(results, ask, options["parallel"], environment.wall):
            bar.ended(f"{row.label} #{row.repeat}", passed=row.passed)
    except KeyboardInterrupt:
        bar.close()
        _say(environment, f"stopped; the same command goes on where it was ({results.directory})")
        return ExitStatus.INTERRUPTED
    finally:
        bar.close()
    rows = list(results.rows().values())
    _show(options["output"], results, rows, environment)
    passed = sum(row.passed for row in rows)
    under = options["fail_under"] is not None and passed < options["fail_under"] * len(rows)
    if under:
        _say(
            environment,
            f"{passed} of {len(rows)} run{'' if len(rows) == 1 else 's'} passed, fewer than --fail-under asks for",
        )
    return ExitStatus.ERROR if under else ExitStatus.OK


def _thinker(options: dict[str, Any], environment: Environment) -> tuple[Settings, Thinker]:
    """The settings, and the engine that all runs will have. Raises where there is none, before anything has run."""
    from kubectl_berth.engines.choose import choose
    from kubectl_berth.evals.plan import Thinker
    from kubectl_berth.investigation.record import settings_of
    from kubectl_berth.settings import resolve

    settings = resolve(_flags(options), environment=environment)
    engine = choose(settings, environment, lambda: settings.timeout).engine
    kept = settings_of(settings)["values"]
    shown = {
        name: kept[name]
        for name in ("effort", "thinking", "max_tokens", "ollama_max_tokens", "num_ctx", "timeout", "raw_diagnostics")
    }
    cap = None if engine.name == "rules" else settings.max_iterations
    return settings, Thinker(engine.name, engine.model, engine.host, cap, shown)


def _flags(options: dict[str, Any]) -> dict[str, Any]:
    return {
        "engine": options["engine"],
        "model": options["model"],
        "max_iterations": options["max_iter"],
        "timeout": options["timeout"],
        "raw_diagnostics": options["raw_diagnostics"],
    }


def _directory(named: str | None, plan: Plan, settings: Settings, environment: Environment) -> Path:
    """Where the results go: where the person said, else where the same plan was stopped, else a new place."""
    from kubectl_berth.evals.results import stamp, unfinished
    from kubectl_berth.knowledge.store import data_directory

    if named:
        return Path(named)
    home = data_directory(settings, environment) / DIRECTORY
    if found := unfinished(home, plan):
        return found
    when = re.sub("[-:Z]", "", stamp(environment.wall())).replace("T", "-")
    return home / f"{when}-{plan.thinker.engine}-{plan.hash[:6]}"


def _opening(plan: Plan, results: Results, done: int) -> str:
    thinker = plan.thinker
    who = f"{thinker.engine} {thinker.model}" if thinker.model else thinker.engine
    where = f" at {thinker.host}, which gets the scenarios' data" if thinker.host else ""
    going_on = f", {done} of them done before" if done else ""
    runs = "1 run" if len(plan.runs()) == 1 else f"{len(plan.runs())} runs"
    return f"{runs} of {who}{where}{going_on}; results in {results.directory}"


def _ask(options: dict[str, Any], thinker: Thinker, environment: Environment) -> CarryOut:
    """What asks one scenario's question: as `kubectl berth ask --scenario` does, with nobody at a terminal."""
    from kubectl_berth.cli.ask import earlier_turns
    from kubectl_berth.cli.sources import shelf_of, store_of
    from kubectl_berth.engines.choose import choose
    from kubectl_berth.evals.running import Ran
    from kubectl_berth.investigation.ask import Books, Question, ask, unstarted
    from kubectl_berth.investigation.record import encode
    from kubectl_berth.output.json_document import document
    from kubectl_berth.safety.own_keys import own_keys
    from kubectl_berth.settings import resolve

    flags = {**_flags(options), "engine": thinker.engine, "model": thinker.model}
    keys = own_keys(environment.variables)

    def carry_out(scenario: Scenario) -> Ran:
        alone = replace(environment, stdin=io.StringIO(), stdout=io.StringIO(), stderr=io.StringIO())
        settings = resolve(flags, scenario.settings, alone, scenario_name=scenario.name)
        question = Question(scenario.question, None, earlier_turns(scenario))
        deadline = alone.monotonic() + settings.timeout
        try:
            engine = choose(settings, alone, lambda: deadline - alone.monotonic()).engine
        except EngineUnreachable as error:
            return Ran(document(unstarted(question, settings, error, environment)), None)
        kept: list[bytes] = []
        books = Books(store_of(settings, alone), lambda record: kept.append(encode(record, keys)))
        shelf = shelf_of(scenario, settings, alone)
        result = ask(question, scenario.open, engine, settings, alone, lambda event: None, (), shelf, books)
        return Ran(document(result), kept[0] if kept else None)

    return carry_out


def _show(output: str, results: Results, rows: Sequence[Row], environment: Environment) -> None:
    from kubectl_berth.evals.summary import summary, summary_text
    from kubectl_berth.output.json_document import encode

    found = summary(results.plan, rows)
    if output == "json":
        environment.stdout.write(encode({**found, "results": str(results.directory)}, indent=2) + "\n")
    else:
        environment.stdout.write(summary_text(found))
    environment.stdout.flush()


def _say(environment: Environment, words: str) -> None:
    environment.stderr.write(f"{words}\n")
    environment.stderr.flush()
