"""What a model says, as anybody may see it: no output gets an event of a run but through here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from kubectl_berth.records import Event, Finished, GapFound, Notice, Text, Thinking, Waiting
from kubectl_berth.safety.gate import shown
from kubectl_berth.safety.streamed import Streamed


@dataclass
class Said:
    """Passes events on to `observer`; text comes in other pieces, as far as it is known to hold no secret."""

    observer: Callable[[Event], None]
    clean: Callable[[str], str] = shown
    _kind: type[Text] | type[Thinking] | None = field(default=None, init=False)
    _streamed: Streamed | None = field(default=None, init=False)

    def event(self, event: Event) -> None:
        """One event."""
        if isinstance(event, Text | Thinking):
            if self._streamed is None or self._kind is not type(event):
                self.end()
                self._kind, self._streamed = type(event), Streamed(self.clean)
            self._pass_on(self._streamed.add(event.text))
            return
        if not isinstance(event, Waiting | Notice | GapFound):
            self.end()
        self.observer(replace(event, text=self.clean(event.text)) if isinstance(event, Finished) else event)

    def end(self) -> None:
        """No more comes of the text that there may be."""
        if self._streamed is not None:
            self._pass_on(self._streamed.rest())
        self._kind = self._streamed = None

    def _pass_on(self, text: str) -> None:
        if text and self._kind is not None:
            self.observer(self._kind(text))
