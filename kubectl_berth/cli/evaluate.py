"""kubectl berth eval: is this model, prompt or version good enough, and did a change help."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kubectl_berth.cli import candidates

if TYPE_CHECKING:
    from kubectl_berth.environment import Environment


class Share(click.ParamType[float]):
    """A share as 0.9 or 90%."""

    name = "share"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        text = str(value).strip()
        try:
            share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except ValueError:
            share = -1.0
        if not 0 <= share <= 1:
            self.fail(f"{text!r} is no share; give one like 0.9 or 90%", param, ctx)
        return share


@click.group("eval")
def evaluate() -> None:
    """Judge a model, a prompt or a version on broken clusters: without a cluster, by checks, not by another model.

    \b
    kubectl berth eval run --engine ollama --model qwen3.5 --repeats 5 --results before
    kubectl berth eval report before
    kubectl berth eval compare before after
    """


@evaluate.command(short_help="Ask the scenarios' questions and judge the answers.")
@click.option(
    "--scenario",
    "scenarios",
    multiple=True,
    metavar="NAME|DIR",
    shell_complete=candidates.scenarios,
    help="One scenario and its twin; may be repeated.",
)
@click.option("--set", "of", metavar="NAME|DIR", help="all (the default), a category, or a directory of scenarios.")
@click.option("--twins/--no-twins", default=True, help="Whether the healthy twins are asked too (they are).")
@click.option(
    "--engine", metavar="NAME", shell_complete=candidates.engines, help="auto, rules, ollama, claude or bedrock (auto)."
)
@click.option("--model", metavar="ID", shell_complete=candidates.models, help="The engine's model.")
@click.option("--repeats", type=click.IntRange(1, 1000), default=1, metavar="R", help="Runs of each scenario (1).")
@click.option("--parallel", type=click.IntRange(1, 64), default=1, metavar="P", help="Runs at the same time (1).")
@click.option("--max-iter", metavar="N", help="Model calls of a run at most; the last one must answer (8).")
@click.option("--timeout", metavar="DURATION", help="End a run after this long: seconds, or 1m30s (180).")
@click.option(
    "--allow-raw-diagnostics/--no-raw-diagnostics",
    "raw_diagnostics",
    default=None,
    help="Whether logs and descriptions may go to the engine (only to one on this machine).",
)
@click.option("--fail-under", type=Share(), metavar="SHARE", help="End with status 1 where fewer runs pass (0.9, 90%).")
@click.option(
    "--results",
    metavar="DIR",
    shell_complete=candidates.directories,
    help="Where results are kept (a new directory in the data directory).",
)
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", help="What stdout gets.")
@click.pass_obj
def run(environment: Environment, /, **options: Any) -> int:
    """Ask the questions of scenarios and of their healthy twins, and judge every answer by checks.

    A run that ends in an error has failed, and is named. A stopped evaluation goes on where it was when the same
    command is given again. Exit status: 0 it ran, 1 fewer runs passed than --fail-under asks for,
    4 there is nobody to ask.
    """
    from kubectl_berth.cli.eval_run import run as carry_out

    return carry_out(options, environment)


@evaluate.command(short_help="Show what an evaluation found.")
@click.argument("results", metavar="DIR", shell_complete=candidates.evaluations)
@click.option(
    "-o",
    "--output",
    type=click.Choice(["markdown", "json", "html"]),
    default="markdown",
    help="What stdout gets (markdown); html is one page that needs no network.",
)
@click.option("--rescore", is_flag=True, help="Judge the stored runs by today's checks and show both verdicts.")
@click.pass_obj
def report(environment: Environment, /, results: str, output: str, rescore: bool) -> int:
    """Show what the evaluation in DIR found: rates, calls, tokens, errors, every failed run.

    Rates come with intervals where scipy is installed.
    """
    from kubectl_berth.cli.eval_report import report as show

    return show(results, output, rescore, environment)


@evaluate.command(short_help="Compare two evaluations.")
@click.argument("before", metavar="A", shell_complete=candidates.evaluations)
@click.argument("after", metavar="B", shell_complete=candidates.evaluations)
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", help="What stdout gets.")
@click.option("--rescore", is_flag=True, help="Judge both by today's checks first.")
@click.pass_obj
def compare(environment: Environment, /, before: str, after: str, output: str, rescore: bool) -> int:
    """Compare the evaluation in B with the one in A, run by run: what changed, and whether chance explains it."""
    from kubectl_berth.cli.eval_report import compare as show

    return show(before, after, output, rescore, environment)
