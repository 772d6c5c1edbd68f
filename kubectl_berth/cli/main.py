"""The front door: words to a command, errors to one line and an exit status."""

from __future__ import annotations

import atexit
import errno
import importlib
import io
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn

import click

from kubectl_berth import __version__
from kubectl_berth.cli.asked import to_complete
from kubectl_berth.cli.interrupts import hear_at_once
from kubectl_berth.environment import Environment
from kubectl_berth.errors import BerthError, ExitStatus
from kubectl_berth.output.guarded import guarded, guarded_beside

PROG_NAME = "kubectl berth"
COMMANDS = {
    "ask": ("kubectl_berth.cli.ask:ask", "Answer one question about the cluster."),
    "check": ("kubectl_berth.cli.check:check", "List what is wrong, without a model."),
    "scenario": ("kubectl_berth.cli.scenario:scenario", "Broken clusters to try questions on."),
    "tools": ("kubectl_berth.cli.tools:tools", "List the tools a model may call."),
    "tool": ("kubectl_berth.cli.tool:tool", "Run one tool by hand."),
    "memory": ("kubectl_berth.cli.memory:memory", "Notes about past incidents."),
    "runs": ("kubectl_berth.cli.runs:runs", "The last runs, kept on this machine."),
    "replay": ("kubectl_berth.cli.replay:replay", "Play a recorded run again."),
    "usage": ("kubectl_berth.cli.usage:usage", "What model calls took."),
    "eval": ("kubectl_berth.cli.evaluate:evaluate", "Judge a model, a prompt or a version on broken clusters."),
    "config": ("kubectl_berth.cli.config:config", "Show and set settings."),
    "doctor": ("kubectl_berth.cli.doctor:doctor", "Check cluster, rights, engines and policy."),
    "snapshot": ("kubectl_berth.cli.snapshot:snapshot", "Keep a cluster at this moment as a directory."),
    "rbac": ("kubectl_berth.cli.rbac:rbac", "Print the smallest role that berth needs."),
}
"""Where each command lives, and what it does: its module is imported when it is used, not to be listed."""


UNREADABLE = frozenset("EACCES EPERM ENOENT ENOTDIR EISDIR EEXIST ENAMETOOLONG ELOOP".split())
"""What is wrong with a file that was named, not with the machine."""

FINDS = ("check",)
"""Commands whose status 1 says that something was found: no error of theirs may end like that."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        place, about = COMMANDS[cmd_name]
        module, _, name = place.partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        command.short_help = about
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        word = args[0]
        if word == "help":
            if args[1:]:
                return super().resolve_command(ctx, [args[1], "--help"])
            click.echo(ctx.get_help())
            ctx.exit()
        if not word.startswith("-") and self.get_command(ctx, word) is None:
            raise click.UsageError(
                f"there is no command {word!r} ({', '.join(COMMANDS)}); a question goes behind ask: "
                f'{PROG_NAME} ask "why is my-app failing?"'
            )
        return super().resolve_command(ctx, args)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    invoke_without_command=True,
    no_args_is_help=False,
)
@click.version_option(__version__, prog_name="kubectl-berth", message="%(prog)s %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """Answer questions about a Kubernetes cluster. Reads only; changes nothing, ever.

    \b
    kubectl berth ask "why is ledger-db unhealthy"
    kubectl berth ask "is anything broken?" -n shop --engine rules
    kubectl berth check deployment/api -n shop
    kubectl berth scenario list
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main() -> NoReturn:
    """Runs the command line of this process, or completes one, and ends it."""
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, signal.default_int_handler)
        if to_complete():
            from kubectl_berth.cli.completion import main as complete

            complete()
        _prepare_streams()
        hear_at_once()
        environment = _guarded(Environment.actual())
        status = run(sys.argv[1:], environment)
        _leave(status, environment)
    except KeyboardInterrupt:
        os._exit(ExitStatus.INTERRUPTED)


def _guarded(environment: Environment) -> Environment:
    """The surroundings with streams that never carry a key of this process."""
    variables = environment.variables
    stdout, stderr = guarded(environment.stdout, variables), guarded_beside(environment.stderr, variables)
    return replace(environment, stdout=stdout, stderr=stderr)


def run(arguments: Sequence[str], environment: Environment) -> int:
    """Runs one command line; the exit status. Every error ends here, as one line on stderr."""
    status, failed = _run(arguments, environment)
    return ExitStatus.USAGE if failed and status == ExitStatus.ERROR and _finds(arguments) else status


def _finds(arguments: Sequence[str]) -> bool:
    return next((word for word in arguments if not word.startswith("-")), "") in FINDS


def _run(arguments: Sequence[str], environment: Environment) -> tuple[int, bool]:
    """The exit status, and whether an error led to it."""
    try:
        with cli.make_context(PROG_NAME, list(arguments), obj=environment) as context:
            status = cli.invoke(context)
        return int(status or ExitStatus.OK), False
    except click.exceptions.Exit as error:
        return error.exit_code, False
    except click.exceptions.NoArgsIsHelpError as error:
        environment.stdout.write(f"{error.format_message()}\n")
        return ExitStatus.OK, False
    except click.ClickException as error:
        return _usage(error, environment), True
    except BerthError as error:
        _say(environment, str(error))
        return error.exit_status, True
    except (KeyboardInterrupt, click.Abort):
        _say(environment, "interrupted")
        return ExitStatus.INTERRUPTED, True
    except BrokenPipeError:
        return _reader_gone(), True
    except Exception as error:
        return _unexpected(error, environment), True


def _usage(error: click.ClickException, environment: Environment) -> int:
    context = getattr(error, "ctx", None)
    command = context.command_path if context else PROG_NAME
    words = " ".join(error.format_message().split()).rstrip(".")
    if isinstance(error, click.NoSuchOption) and context is not None and context.command is cli:
        words = f"no such option {error.option_name} before the command: it goes behind it, {PROG_NAME} check -n shop"
    _say(environment, f"{words[:1].lower()}{words[1:]} (see {command} --help)")
    return ExitStatus.USAGE


def _unexpected(error: Exception, environment: Environment) -> int:
    if environment.debug:
        import traceback

        from kubectl_berth.safety.gate import shown

        environment.stderr.write(shown("".join(traceback.format_exception(error))))
    if isinstance(error, OSError) and error.filename and errno.errorcode.get(error.errno or 0) in UNREADABLE:
        _say(environment, f"{error.filename}: {error.strerror}; check that it is there and who may use it")
        return ExitStatus.USAGE
    if isinstance(error, OSError) and error.strerror:
        _say(environment, ": ".join(filter(None, (error.filename and str(error.filename), error.strerror))))
    else:
        _say(environment, f"unexpected {type(error).__name__}: {error} (BERTH_DEBUG=1 shows where)")
    return ExitStatus.ERROR


def _say(environment: Environment, words: str) -> None:
    from kubectl_berth.safety.gate import shown_line

    try:
        environment.stderr.write(f"error: {shown_line(words, 4000)}\n")
        environment.stderr.flush()
    except OSError:
        return  # nobody can be told


def _reader_gone() -> int:
    # what is still buffered must not be written again when the interpreter ends
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(nowhere, stream.fileno())
    return ExitStatus.READER_GONE


def _prepare_streams() -> None:
    """No character crashes an output that cannot show it; a closed stdout has no reader, a closed stderr swallows.

    A closed stdin is an empty one.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123  lives as long as the process
    if sys.stdout is None:
        read, write = os.pipe()
        os.close(read)
        if write != 1:
            # else the next file that is opened would get the number, and whatever a child process writes there
            os.dup2(write, 1)
            os.close(write)
        sys.stdout = open(1, "w", encoding="utf-8")  # noqa: SIM115  lives as long as the process
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123  the same
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _leave(status: int, environment: Environment) -> NoReturn:
    try:
        sys.stdout.flush()
        environment.stderr.flush()
    except BrokenPipeError:
        status = _reader_gone()
    except OSError as error:
        # said already where the command itself ran into it
        failed = ExitStatus.USAGE if _finds(sys.argv[1:]) else ExitStatus.ERROR
        os._exit(status or max(_unexpected(error, environment), failed))
    # taking the modules of an SDK apart takes seconds, and a thread that waits for a dead server would keep the process
    atexit._run_exitfuncs()
    os._exit(status)
