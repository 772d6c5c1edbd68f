"""Runs of the model engines against the fakes, without the command line around them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from kubectl_berth.engines.claude import make_claude
from kubectl_berth.engines.claude_loop import Ways
from kubectl_berth.engines.engine import Conversation
from kubectl_berth.engines.ollama import make_ollama
from kubectl_berth.errors import BerthError
from kubectl_berth.records import Event, Finished, Gap, GapFound, Notice, Retry, Text, Usage, Waiting
from tests.engines.toolbox import CONVERSATION, FakeToolbox
from tests.fakes import ollama as fake_ollama


@dataclass
class Ran:
    """What a run gave: its events, and the error that ended it."""

    events: list[Event]
    usage: Usage
    toolbox: FakeToolbox
    error: BaseException | None = None
    seconds: float = 0.0
    engine: Any = field(default=None)

    @property
    def finished(self) -> Finished:
        last = self.events[-1]
        assert isinstance(last, Finished), self.error
        return last

    @property
    def notices(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Notice)]

    @property
    def gaps(self) -> list[Gap]:
        return [event.gap for event in self.events if isinstance(event, GapFound)]

    @property
    def waits(self) -> list[Waiting]:
        return [event for event in self.events if isinstance(event, Waiting)]

    @property
    def retries(self) -> list[str]:
        return [event.reason for event in self.events if isinstance(event, Retry)]

    @property
    def text(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, Text))

    @property
    def sentence(self) -> str:
        """The error's words, which must be one line."""
        assert isinstance(self.error, BerthError), self.error
        assert "\n" not in str(self.error)
        return str(self.error)


def run(
    engine: Any,
    cap: int = 8,
    *,
    conversation: Conversation = CONVERSATION,
    toolbox: FakeToolbox | None = None,
    cancel_when: threading.Event | None = None,
) -> Ran:
    """Runs an engine to its end. `cancel_when` lets another thread cancel it 0.1 s after it is set."""
    ran = Ran([], Usage(), toolbox or FakeToolbox(), engine=engine)
    if cancel_when is not None:
        threading.Thread(target=_cancel, args=(engine, cancel_when), daemon=True).start()
    started = time.monotonic()
    try:
        ran.events.extend(engine.run(conversation, ran.toolbox, cap))
    except BerthError as error:
        ran.error = error
    ran.usage = engine.usage
    ran.seconds = time.monotonic() - started
    return ran


def _cancel(engine: Any, when: threading.Event) -> None:
    when.wait(10)
    time.sleep(0.1)
    engine.cancel()


def claude(url: str, **options: Any) -> Any:
    """A Claude engine on this server."""
    model = options.pop("model", "claude-sonnet-5-5")
    key = options.pop("api_key", "key")
    return make_claude(model, Ways(**options), base_url=url, api_key=key)


def ollama(url: str, **options: Any) -> Any:
    """An Ollama engine on this server."""
    return make_ollama(url, options.pop("model", fake_ollama.MODEL), **options)


def counting_down(seconds: float) -> Callable[[], float]:
    """The remaining seconds of a run that started now."""
    end = time.monotonic() + seconds
    return lambda: end - time.monotonic()
