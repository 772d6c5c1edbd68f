"""Exit statuses: what each means, and which a command may end with."""

from __future__ import annotations

from collections.abc import Iterable

from kubectl_berth.errors import ExitStatus

OK, ERROR, USAGE = ExitStatus.OK, ExitStatus.ERROR, ExitStatus.USAGE
CLUSTER, NO_ANSWER = ExitStatus.CLUSTER_UNREACHABLE, ExitStatus.NO_ANSWER
REFUSED, BUDGET, TIMED_OUT = ExitStatus.REFUSED, ExitStatus.OVER_BUDGET, ExitStatus.TIMED_OUT

MEANINGS = {
    OK: "It worked. For `ask`: answered, also where the answer was cut off (`complete` is false then, and the text "
    "ends with a notice).",
    ERROR: "An error that has no status of its own; or, for the commands that judge something, that it was found "
    "wanting (see the command).",
    USAGE: "What was typed cannot be used, or a file it names: options, settings, kubeconfig, snapshot, scenario.",
    CLUSTER: "The API server does not answer, or refuses the credentials.",
    NO_ANSWER: "The engine gave no answer: not reachable, no key or a refused one, an error, an empty text, a "
    "fragment, or a call for tools where it had to answer.",
    REFUSED: "The model declined to answer.",
    BUDGET: "The next model call would go beyond a budget or `--max-cost`.",
    TIMED_OUT: "The run's time (`--timeout`) was over.",
    ExitStatus.INTERRUPTED: "Ctrl-C; for `ask`, `check` and `snapshot create` SIGTERM too.",
    ExitStatus.READER_GONE: "Whoever read the output went away, as `head` does when it has enough.",
}
"""What each status means, in general."""

ALWAYS = {
    OK: "",
    ERROR: "",
    USAGE: "",
    ExitStatus.INTERRUPTED: "",
    ExitStatus.READER_GONE: "",
}
"""What every command may end with; the words where a command says more."""

SOURCE = {CLUSTER: ""}

BY_COMMAND: dict[str, dict[ExitStatus, str]] = {
    "": {},
    "ask": {
        ERROR: "also where it was answered, and the file of --save could not be written",
        CLUSTER: "",
        NO_ANSWER: "",
        REFUSED: "",
        BUDGET: "",
        TIMED_OUT: "",
    },
    "check": {
        OK: "nothing found that is as bad as --fail-on says",
        ERROR: "a finding at least as bad as --fail-on says (warning), and nothing else",
        USAGE: "also any error that has no status of its own",
        CLUSTER: "with --fail-on-gaps also where something could not be read",
    },
    "scenario": {},
    "scenario lint": {ERROR: "something is wrong with a scenario"},
    "scenario list": {},
    "scenario new": {},
    "scenario serve": {OK: "Ctrl-C ended it, as is meant", ExitStatus.INTERRUPTED: "Ctrl-C before it served"},
    "tools": {},
    "tool": {
        ERROR: "the call was an error or refused",
        CLUSTER: "",
        NO_ANSWER: "--engine names one that cannot be asked",
    },
    "memory": {},
    "memory add": SOURCE,
    "memory forget": {},
    "memory list": {},
    "memory show": {},
    "runs": {},
    "runs list": {},
    "runs purge": {},
    "runs show": {},
    "replay": {
        OK: "the recorded run was answered",
        CLUSTER: "as the recorded run",
        NO_ANSWER: "as the recorded run",
        REFUSED: "as the recorded run",
        BUDGET: "as the recorded run",
        TIMED_OUT: "as the recorded run",
    },
    "usage": {},
    "eval": {},
    "eval compare": {},
    "eval report": {},
    "eval run": {
        OK: "it ran to its end, whatever passed",
        ERROR: "fewer runs passed than --fail-under asks for",
        NO_ANSWER: "the engine cannot be asked",
    },
    "config": {},
    "config path": {},
    "config set": {},
    "config show": {},
    "config unset": {},
    "doctor": {
        OK: "all in order",
        ERROR: "something is missing",
        CLUSTER: "",
        NO_ANSWER: "no usable engine",
        BUDGET: "",
    },
    "rbac": {CLUSTER: "with --custom"},
    "snapshot": {},
    "snapshot create": SOURCE,
}
"""What each command may end with beside ALWAYS; words where they say more than MEANINGS."""


def of(words: str) -> dict[ExitStatus, str]:
    """The statuses of a command, least first, each with its own words ("" where it has none)."""
    if missing := set(ExitStatus) - set(MEANINGS):
        raise SystemExit(f"docs/generator/statuses.py has no words for {sorted(missing)}")
    return dict(sorted({**ALWAYS, **BY_COMMAND[words]}.items()))


def table(commands: Iterable[str]) -> str:
    """A row for each command that does something, a column for each status; what it means there where that differs."""
    names = [words for words in commands if words]
    statuses = sorted(ExitStatus)
    lines = ["| command | " + " | ".join(str(int(status)) for status in statuses) + " |"]
    lines.append("| --- |" + " --- |" * len(statuses))
    for words in names:
        own = of(words)
        cells = [("✓ " + own[status]).strip() if status in own else "" for status in statuses]
        lines.append(f"| `{words}` | " + " | ".join(cells) + " |")
    return "\n".join(lines)
