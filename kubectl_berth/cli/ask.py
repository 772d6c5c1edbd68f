"""kubectl berth ask: one question, answered."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from kubectl_berth.cli import candidates
from kubectl_berth.cli.options import connection_flags, source_options
from kubectl_berth.cli.spelling import KubectlCommand

if TYPE_CHECKING:
    from kubectl_berth.cli.sources import Source
    from kubectl_berth.engines.engine import Turn
    from kubectl_berth.environment import Environment
    from kubectl_berth.scenarios.reader import Scenario
    from kubectl_berth.settings import Settings

MOST_QUESTION_BYTES = 64 * 1024
NO_QUESTION = 'there is no question; type one: kubectl berth ask "why is my-app failing?"'


@click.command(cls=KubectlCommand)
@click.argument("question", nargs=-1)
@source_options
@click.option(
    "--engine", metavar="NAME", shell_complete=candidates.engines, help="auto, rules, ollama, claude or bedrock (auto)."
)
@click.option("--model", metavar="ID", shell_complete=candidates.models, help="The engine's model.")
@click.option("--max-iter", metavar="N", help="Model calls at most; the last one must answer (8).")
@click.option("--max-tokens", metavar="N", help="Output tokens of one reply at most (8192).")
@click.option("--timeout", metavar="DURATION", help="End the run after this long: seconds, or 1m30s (180).")
@click.option("-o", "--output", type=click.Choice(["text", "json", "jsonl"]), default="text", help="What stdout gets.")
@click.option(
    "--trace",
    type=click.Choice(["none", "brief", "full"]),
    default="brief",
    help="How much of each tool call stderr gets.",
)
@click.option("-q", "--quiet", is_flag=True, help="Nothing on stderr but errors and where data goes.")
@click.option(
    "--allow-raw-diagnostics/--no-raw-diagnostics",
    "raw_diagnostics",
    default=None,
    help="Whether logs and descriptions may go to the engine (only to one on this machine).",
)
@click.option(
    "--runbooks",
    multiple=True,
    metavar="DIR",
    shell_complete=candidates.directories,
    help="A directory of your own runbooks (Markdown); may be repeated.",
)
@click.option("--max-cost", metavar="USD", help="End the run before a model call that may cost more than this in all.")
@click.option("--continue", "go_on", is_flag=True, help="Go on from the last recorded run of this cluster.")
@click.option("--no-record", is_flag=True, help="Do not keep this run on this machine.")
@click.option(
    "--save",
    metavar="FILE",
    shell_complete=candidates.files,
    help="Write the run to a file that kubectl berth replay plays again.",
)
@click.option("--show-data", is_flag=True, help="Show on stderr what is sent to the model, word for word.")
@connection_flags
@click.pass_obj
def ask(environment: Environment, /, question: tuple[str, ...], **options: Any) -> int:
    """Answer QUESTION about the cluster of the current context. Reads only.

    The answer goes to stdout, everything else to stderr. A lone - reads the question from standard input.

    \b
    kubectl berth ask "why is ledger-db unhealthy"
    kubectl berth ask "can I drain node-3?" --context prod
    kubectl berth ask "is checkout ok?" --snapshot ./moment -o json
    """
    from kubectl_berth.cli.sources import Source, load_scenario

    source = Source(**{name: options[name] for name in Source.__dataclass_fields__})
    source.validate()
    words = _words(question, environment)
    return _run(words, source, load_scenario(source), options, environment)


def _words(question: tuple[str, ...], environment: Environment) -> str:
    """The question as typed or, for a lone -, as standard input holds it."""
    from kubectl_berth.errors import UsageError

    if question[:1] == ("-",) and len(question) > 1:
        raise UsageError("a lone - reads the question from standard input; leave out the words behind it, or the -")
    if question != ("-",):
        words = " ".join(" ".join(question).split())
        if question and not words:
            raise UsageError(NO_QUESTION)
        if len(words.encode(errors="replace")) > MOST_QUESTION_BYTES:
            raise UsageError(f"the question holds more than {MOST_QUESTION_BYTES} bytes; that is no question")
        return words
    raw = environment.stdin_bytes().read(MOST_QUESTION_BYTES + 1)
    if len(raw) > MOST_QUESTION_BYTES:
        raise UsageError(f"standard input holds more than {MOST_QUESTION_BYTES} bytes; that is no question")
    text = raw.decode(errors="replace").strip()
    if not text:
        raise UsageError("standard input holds no question")
    return text


def _run(
    words: str, source: Source, scenario: Scenario | None, options: dict[str, Any], environment: Environment
) -> int:
    from kubectl_berth.cli.books import books_of, last_turns
    from kubectl_berth.cli.report import Report
    from kubectl_berth.cli.sources import opener, shelf_of
    from kubectl_berth.engines.choose import choose
    from kubectl_berth.errors import BerthError, Interrupted, UsageError
    from kubectl_berth.investigation.ask import Question, ask, unstarted
    from kubectl_berth.investigation.stopping import on_signals
    from kubectl_berth.records import RunStarted

    settings = _settings(options, scenario, environment)
    asked = words or (scenario.question if scenario else "")
    if not asked:
        raise UsageError(NO_QUESTION)
    report, unsaved = Report(environment, options), list[str]()
    question = Question(asked, source.namespace, earlier_turns(scenario))
    deadline = environment.monotonic() + settings.timeout
    try:
        # nothing but reads and looks at servers happens in here: an exception may end it anywhere
        with on_signals(_interrupt):
            shelf = shelf_of(scenario, settings, environment)
            books = books_of(settings, environment, options["save"], unsaved)
            question = replace(question, go_on=last_turns(settings, environment) if options["go_on"] else None)
            choice = choose(settings, environment, lambda: deadline - environment.monotonic())
    except UsageError:
        raise
    except (BerthError, KeyboardInterrupt) as error:
        ended = error if isinstance(error, BerthError) else Interrupted("interrupted before there was an answer")
        report.opening(RunStarted(settings.engine, settings.model, "", settings.max_iterations))
        return report.end(unstarted(question, settings, ended, environment))
    remarks = (*choice.remarks, *shelf.library.notices, *([] if words else [f"asked: {asked}"]))
    cluster = opener(source, scenario, environment, quiet=options["quiet"])
    result = ask(question, cluster, choice.engine, settings, environment, report.event, remarks, shelf, books)
    return report.end(result, unsaved)


def _interrupt() -> None:
    raise KeyboardInterrupt


def _settings(options: dict[str, Any], scenario: Scenario | None, environment: Environment) -> Settings:
    from kubectl_berth.settings import resolve

    flags = {
        "engine": options["engine"],
        "model": options["model"],
        "max_iterations": options["max_iter"],
        "max_tokens": options["max_tokens"],
        "timeout": options["timeout"],
        "raw_diagnostics": options["raw_diagnostics"],
        "runbooks": list(options["runbooks"]) or None,
        "max_cost": options["max_cost"],
        "record": False if options["no_record"] else None,
    }
    if scenario is None:
        return resolve(flags, environment=environment)
    return resolve(flags, scenario.settings, environment, scenario_name=scenario.name)


def earlier_turns(scenario: Scenario | None) -> list[Turn]:
    """The scenario's earlier messages as questions with their answers."""
    from kubectl_berth.engines.engine import Turn

    turns: list[Turn] = []
    for message in scenario.turns if scenario else ():
        if message.role == "user":
            turns.append(Turn(message.content, ""))
        elif turns:
            turns[-1] = Turn(turns[-1].question, message.content)
    return turns
