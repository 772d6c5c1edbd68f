"""Claude through the Anthropic SDK's own tool runner: streaming, no message thread, tools never dropped.

The runner would answer unknown tool names itself and run calls one by one. So a reply's calls go to the toolbox
together, in the loop's body, and the results take the place of what the runner made of them.
"""

from __future__ import annotations

import importlib
import json
import threading
import warnings
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Any

from kubectl_berth.engines import claude_errors as words
from kubectl_berth.engines.claude_messages import (
    CACHED,
    Marks,
    adapters,
    goes_on,
    put_results,
    reason,
    without_tool_choice,
)
from kubectl_berth.engines.claude_models import thinking_and_effort
from kubectl_berth.engines.claude_retries import Retries
from kubectl_berth.engines.connections import Connections, client_options, no_deadline
from kubectl_berth.engines.engine import Conversation, Toolbox, ToolCall
from kubectl_berth.engines.estimate import tokens
from kubectl_berth.engines.last_call import ANSWER_NOW
from kubectl_berth.engines.loop import Tally, opening, run_tools
from kubectl_berth.engines.pump import Emit, pumped
from kubectl_berth.engines.text_calls import begins_a_call, calls_in
from kubectl_berth.errors import EngineError, Interrupted, NoAnswer
from kubectl_berth.records import (
    Event,
    Finished,
    ModelCallStarting,
    Notice,
    Text,
    Thinking,
    ToolResult,
    Usage,
)

SILENCE_SECONDS = 120.0
"""The API pings an open stream every few seconds; this much silence is a dead connection."""


@dataclass(frozen=True)
class Service:
    """A place that serves Claude, and what is particular there.

    `client` makes the SDK's client from the options it is given. `marks_itself` where the place moves the cache mark
    of the messages along by itself, which leaves the history as it was; elsewhere marks on results do it.
    `status_error` words an HTTP error. `foreign` gives the error types of libraries that only this place needs,
    `foreign_error` the sentence for one (None: it is a bug).
    """

    name: str
    url: str
    place: words.Place
    client: Callable[[dict[str, Any]], Any]
    marks_itself: bool = True
    status_error: Callable[[words.Place, str, int, str, str], NoAnswer] = words.status_error
    foreign: Callable[[], tuple[type[Exception], ...]] = tuple
    foreign_error: Callable[[words.Place, Exception], NoAnswer | None] = lambda place, error: None


@dataclass(frozen=True)
class Ways:
    """How a model is asked. `max_tokens` is for one reply, `remaining` gives the seconds left of the run."""

    effort: str = "high"
    thinking: str = "adaptive"
    max_tokens: int = 8192
    remaining: Callable[[], float] = no_deadline


def preload(*more: str) -> threading.Thread:
    """Imports the SDK, over a second of CPU, and `more` modules on a thread."""

    def load() -> None:
        for name in ("anthropic", "anthropic.resources.beta.messages", "anthropic.lib.tools", *more):
            importlib.import_module(name)

    thread = threading.Thread(target=load, name="import-anthropic", daemon=True)
    thread.start()
    return thread


class ClaudeEngine:
    """One run of Claude. `usage` and `calls` (one Usage for each model call) are up to date at any moment."""

    def __init__(self, model: str, service: Service, ways: Ways) -> None:
        self.name = service.name
        self.model = model
        # a gateway on a loopback address passes the data on, so Claude is never on this machine
        self.host = service.place.host
        self.max_tokens = ways.max_tokens
        self._service = service
        self._place = service.place
        self._extras = thinking_and_effort(model, ways.thinking, ways.effort)
        self._tally = Tally()
        self._connections = Connections(ways.remaining, SILENCE_SECONDS)
        self._retries = Retries(self._connections, self._tally, service.place)
        self._marks = Marks()
        self._tool_calls = 0
        self._doing = ""

    @property
    def usage(self) -> Usage:
        """What the run used so far."""
        return self._tally.total()

    @property
    def calls(self) -> list[Usage]:
        """What each model call used."""
        return list(self._tally.calls)

    def cancel(self) -> None:
        """From another thread: cuts the connection, so that run() ends with Interrupted."""
        self._connections.cut()

    def run(self, conversation: Conversation, toolbox: Toolbox, cap: int) -> Iterator[Event]:
        """Events of one run; the last is Finished."""
        for notice in self._extras.notices:
            yield Notice(notice)
        definitions = toolbox.definitions()
        client = self._client()
        runner = None
        try:
            runner, said = _recording(lambda: self._runner(client, conversation, definitions, cap))
            for notice in said:
                yield Notice(notice)
            estimate = tokens(conversation.system, definitions, opening(conversation))
            for number in range(1, cap + 1):
                yield ModelCallStarting(number, estimate)
                message = yield from self._call(runner)
                if number == cap or not goes_on(message):
                    yield self._finished(message, forced=number == cap)
                    return
                results = yield from self._round(runner, message, toolbox, number, cap)
                estimate = self._prompt_tokens() + tokens(*(result.text for result in results))
        finally:
            if runner is not None:
                runner.close()
            client.close()

    # --- the request -----------------------------------------------------------------------------------------------

    def _client(self) -> Any:
        import anthropic

        try:
            http_client = anthropic.DefaultHttpxClient(**client_options(self._service.url, self._connections))
        except (ImportError, ValueError) as error:
            raise words.unreachable(self._place, error) from error
        options = {
            "base_url": self._service.url,
            "max_retries": 0,
            "http_client": http_client,
            "middleware": [self._retries.send],
            "open_telemetry": False,
        }
        return self._service.client(options)

    def _runner(self, client: Any, conversation: Conversation, definitions: list[dict[str, Any]], cap: int) -> Any:
        messages = [{"role": role, "content": said} for role, said in opening(conversation)]
        extra: dict[str, Any] = {"cache_control": CACHED} if self._service.marks_itself else {}
        if cap == 1:
            messages[-1]["content"] += "\n\n" + ANSWER_NOW
            extra = {"tool_choice": {"type": "none"}}
        return client.beta.messages.tool_runner(
            model=self.model,
            max_tokens=self.max_tokens,
            # the mark covers the tools too, which come before the system prompt
            system=[{"type": "text", "text": conversation.system, "cache_control": CACHED}],
            messages=messages,
            tools=adapters(definitions),
            stream=True,
            thread=False,
            max_iterations=cap,
            **self._extras.parameters,
            **extra,
        )

    def _call(self, runner: Any) -> Generator[Event, None, Any]:
        """One model call: its events as they come, and the finished message. Every failure is one sentence."""
        import anthropic
        import httpx2

        self._tally.start()
        self._doing = f"waiting for {self.model}"
        try:
            return (
                yield from pumped(
                    lambda emit: self._exchange(runner, emit), lambda: self._doing, stop=self._connections.cut
                )
            )
        except anthropic.APIStatusError as error:
            told = words.words_of(error)
            raise self._service.status_error(self._place, self.model, error.status_code, *told) from error
        except anthropic.APIConnectionError as error:
            self._raise_if_cancelled(error)
            raise words.unreachable(self._place, error.__cause__ or error) from error
        except httpx2.HTTPError as error:
            self._raise_if_cancelled(error)
            raise words.broken_off(self._place, error) from error
        except TypeError as error:
            if "authentication method" not in str(error):
                raise
            raise words.no_key(self._place) from error
        except self._service.foreign() as error:
            self._raise_if_cancelled(error)
            sentence = self._service.foreign_error(self._place, error)
            if sentence is None:
                raise
            raise sentence from error
        except (AssertionError, AttributeError, ValueError) as error:
            # what the SDK makes of a body that is no stream of the API: an HTML page, a missing usage, broken JSON
            self._raise_if_cancelled(error)
            if "tool parameter JSON" in str(error):
                raise words.no_json(self.model) from error
            raise words.not_the_api(self._place) from error

    def _exchange(self, runner: Any, emit: Emit) -> Any:
        """One request and its reply, on a thread of its own; the finished message."""
        self._retries.emit = emit
        stream, _ = _recording(lambda: next(runner, None))
        if stream is None:
            raise words.broken_off(self._place)
        complete, broken = self._stream(stream, emit)
        message = stream.get_final_message()
        self._raise_if_cancelled(None)
        if not complete:
            raise words.broken_off(self._place)
        if broken and message.stop_reason == "tool_use":
            raise words.no_json(self.model)
        return message

    def _stream(self, stream: Any, emit: Emit) -> tuple[bool, bool]:
        """The events of one reply; whether it came to its end, and whether it holds a tool call that is no JSON.

        The SDK checks neither: it makes the best of a tool call that ends in the middle.
        """
        complete = False
        arguments: dict[int, str] = {}
        for event in stream:
            if event.type == "text":
                emit(Text(event.text))
            elif event.type == "thinking":
                emit(Thinking(event.thinking))
            elif event.type in ("message_start", "message_delta"):
                self._doing = f"{self.model} is thinking"
                self._count(stream.current_message_snapshot.usage)
            elif event.type == "content_block_delta" and event.delta.type == "input_json_delta":
                arguments[event.index] = arguments.get(event.index, "") + event.delta.partial_json
            elif event.type == "message_stop":
                complete = True
        return complete, any(text.strip() and not _is_json(text) for text in arguments.values())

    def _count(self, usage: Any) -> None:
        self._tally.counted(
            input=usage.input_tokens or 0,
            output=usage.output_tokens or 0,
            cache_read=usage.cache_read_input_tokens or 0,
            cache_write=usage.cache_creation_input_tokens or 0,
            cache_write_hour=getattr(usage.cache_creation, "ephemeral_1h_input_tokens", 0) or 0,
        )

    def _prompt_tokens(self) -> int:
        last = self._tally.calls[-1]
        return last.input_tokens + last.cache_read_tokens + last.cache_write_tokens + last.output_tokens

    def _raise_if_cancelled(self, cause: BaseException | None) -> None:
        if self._connections.cancelled.is_set():
            raise Interrupted("the run was stopped") from cause

    # --- between the calls -----------------------------------------------------------------------------------------

    def _round(
        self, runner: Any, message: Any, toolbox: Toolbox, number: int, cap: int
    ) -> Generator[Event, None, list[ToolResult]]:
        """Runs the tools a reply asked for and puts their results where the runner takes them from."""
        blocks = [block for block in message.content if block.type == "tool_use"]
        last_next = number == cap - 1
        results: list[ToolResult] = []
        if blocks:
            calls = [ToolCall(block.name, block.input) for block in blocks]
            results = yield from run_tools(toolbox, calls, number, cap - number, self._tool_calls)
            self._tool_calls += len(results)
            response, _ = _recording(runner.generate_tool_call_response)
            put_results(response, results, ANSWER_NOW if last_next else "")
            if not self._service.marks_itself:
                self._marks.roll(response)
        if last_next:
            self._marks.lift()
            runner.set_messages_params(without_tool_choice)
        return results

    def _finished(self, message: Any, forced: bool) -> Finished:
        """What the last message amounts to. Raises EngineError where it is cut off before it said anything."""
        said = "".join(block.text for block in message.content if block.type == "text")
        asked = any(block.type == "tool_use" for block in message.content) or bool(calls_in(said))
        why, detail = reason(message, said, asked)
        if why == "cut-off" and (asked or not said.strip() or begins_a_call(said)):
            raise EngineError(
                f"the reply was cut off ({detail}) before it said anything: raise --max-tokens (now {self.max_tokens}) "
                "or lower EFFORT"
            )
        return Finished(why, said, self.usage, forced, detail)


def _recording(call: Callable[[], Any]) -> tuple[Any, list[str]]:
    """The call's result, and what the SDK warned of meanwhile, one line each: nothing of it reaches stderr raw."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    lines = [" ".join(str(warning.message).split()) for warning in caught]
    return result, list(dict.fromkeys(lines))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
