"""Where the events and the result of a run go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubectl_berth.environment import Environment
    from kubectl_berth.records import Event, Result, RunStarted


class Report:
    """Shows one run, by -o, --trace, -q and --show-data."""

    def __init__(self, environment: Environment, options: dict[str, Any]) -> None:
        from kubectl_berth.output.jsonl import writer
        from kubectl_berth.output.terminal import Terminal

        self._output = options["output"]
        self._stdout = environment.stdout
        self._terminal = Terminal(environment, options["trace"], quiet=options["quiet"], answer=self._output == "text")
        self._line = writer(environment.stdout) if self._output == "jsonl" else None
        self._show_data: bool = options["show_data"]

    def opening(self, event: RunStarted) -> None:
        """Notes where a run's data went without saying that it goes there now."""
        if self._line:
            self._line(event)
        self._terminal.host = event.host

    def event(self, event: Event) -> None:
        """Shows one event."""
        from kubectl_berth.output.sent import sent_lines

        if self._line:
            self._line(event)
        self._terminal.event(event)
        if self._show_data:
            for line in sent_lines(event):
                self._terminal.line(line, always=True)

    def end(self, result: Result, unsaved: Sequence[str] = ()) -> int:
        """Shows the result, and why a file that was asked for is not there; the exit status."""
        from kubectl_berth.errors import ExitStatus
        from kubectl_berth.output.json_document import document, encode
        from kubectl_berth.output.jsonl import result_line

        if self._output == "json":
            self._stdout.write(encode(document(result), indent=2) + "\n")
        elif self._output == "jsonl":
            self._stdout.write(result_line(result) + "\n")
        self._stdout.flush()
        self._terminal.result(result)
        for words in unsaved:
            self._terminal.error(words)
        return int(result.exit_status or (ExitStatus.ERROR if unsaved else ExitStatus.OK))
