"""Claude through the Anthropic SDK's own tool runner: streaming, no message thread, tools never dropped.

The runner would answer unknown tool names itself and run calls one by one. So a reply's calls go to the toolbox
together, in the loop's body, and the results take the place of what the runner made of them.
"""

from __future__ import annotations

import importlib
import threading
import warnings
from collections.abc import Callable, Generator, Iterator
from typing import Any
from urllib.parse import urlsplit

from kubectl_berth.engines import claude_errors as words
from kubectl_berth.engines.claude_models import thinking_and_effort
from kubectl_berth.engines.claude_retries import Retries
from kubectl_berth.engines.connections import Connections, client_options, no_deadline
from kubectl_berth.engines.engine import Conversation, Toolbox, ToolCall
from kubectl_berth.engines.estimate import tokens
from kubectl_berth.engines.last_call import ANSWER_NOW
from kubectl_berth.engines.loop import Tally, opening, run_tools
from kubectl_berth.errors import EngineError, EngineUnreachable, Interrupted, NoAnswer, UsageError
from kubectl_berth.records import (
    Event,
    Finished,
    ModelCallStarting,
    Notice,
    StopReason,
    Text,
    Thinking,
    ToolResult,
    Usage,
)

DEFAULT_URL = "https://api.anthropic.com"
SILENCE_SECONDS = 120.0
"""The API pings an open stream every few seconds; this much silence is a dead connection."""

CACHED = {"type": "ephemeral"}
UNFINISHED = ("pause_turn", "compaction")
"""Stop reasons after which the runner sends the turn back for the model to go on."""


def preload() -> threading.Thread:
    """Imports the SDK, over a second of CPU, on a thread."""
    thread = threading.Thread(target=_import_sdk, name="import-anthropic", daemon=True)
    thread.start()
    return thread


def _import_sdk() -> None:
    for name in ("anthropic", "anthropic.resources.beta.messages", "anthropic.lib.tools"):
        importlib.import_module(name)


def make_claude(
    model: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    effort: str = "high",
    thinking: str = "adaptive",
    max_tokens: int = 8192,
    remaining: Callable[[], float] = no_deadline,
) -> ClaudeEngine:
    """The engine for the Anthropic API.

    Without `api_key` the SDK looks for one in its usual places. `remaining` gives the seconds left of the run.
    Raises UsageError for a base URL that is none.
    """
    url = base_url or DEFAULT_URL
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError("ANTHROPIC_BASE_URL is no http or https URL: unset it, or give one like " + DEFAULT_URL)
    return ClaudeEngine(model, url, api_key, effort, thinking, max_tokens, remaining)


class ClaudeEngine:
    """One run of Claude. `usage` and `calls` (one Usage for each model call) are up to date at any moment."""

    name = "claude"

    def __init__(
        self,
        model: str,
        url: str,
        api_key: str | None,
        effort: str,
        thinking: str,
        max_tokens: int,
        remaining: Callable[[], float],
    ) -> None:
        self.model = model
        self.max_tokens = max_tokens
        # a gateway on a loopback address passes the data on, so Claude is never on this machine
        self.host = urlsplit(url).netloc.rpartition("@")[2]
        self._url = url
        self._api_key = api_key
        self._extras = thinking_and_effort(model, thinking, effort)
        self._tally = Tally()
        self._connections = Connections(remaining, SILENCE_SECONDS)
        self._retries = Retries(self._connections, self._tally, self.host)
        self._tool_calls = 0

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
        client = self._client()
        runner = None
        try:
            runner, said = _recording(lambda: self._runner(client, conversation, toolbox, cap))
            for notice in said:
                yield Notice(notice)
            estimate = tokens(conversation.system, toolbox.definitions(), opening(conversation))
            for number in range(1, cap + 1):
                yield ModelCallStarting(number, estimate)
                message = yield from self._call(runner)
                if number == cap or not _goes_on(message):
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
            http_client = anthropic.DefaultHttpxClient(**client_options(self._url, self._connections))
        except (ImportError, ValueError) as error:
            raise words.unreachable(self.host, error) from error
        return anthropic.Anthropic(
            api_key=self._api_key,
            base_url=self._url,
            max_retries=0,
            http_client=http_client,
            middleware=[self._retries.send],
            open_telemetry=False,
        )

    def _runner(self, client: Any, conversation: Conversation, toolbox: Toolbox, cap: int) -> Any:
        messages = [{"role": role, "content": said} for role, said in opening(conversation)]
        extra: dict[str, Any] = {"cache_control": CACHED}
        if cap == 1:
            messages[-1]["content"] += "\n\n" + ANSWER_NOW
            extra = {"tool_choice": {"type": "none"}}
        return client.beta.messages.tool_runner(
            model=self.model,
            max_tokens=self.max_tokens,
            system=[{"type": "text", "text": conversation.system, "cache_control": CACHED}],
            messages=messages,
            tools=_adapters(toolbox.definitions()),
            stream=True,
            thread=False,
            max_iterations=cap,
            **self._extras.parameters,
            **extra,
        )

    def _call(self, runner: Any) -> Generator[Event, None, Any]:
        """One model call: its events as they stream, and the finished message."""
        import anthropic
        import httpx2

        self._tally.start()
        try:
            stream, _ = _recording(lambda: next(runner, None))
            yield from self._retries.events()
            if stream is None:
                raise words.broken_off(self.host)
            complete = yield from self._stream(stream)
            message = stream.get_final_message()
        except NoAnswer:
            yield from self._retries.events()
            raise
        except anthropic.APIStatusError as error:
            yield from self._retries.events()
            raise words.status_error(self.host, self.model, error.status_code, *words.words_of(error)) from error
        except anthropic.APIConnectionError as error:
            yield from self._retries.events()
            self._raise_if_cancelled(error)
            raise words.unreachable(self.host, error.__cause__ or error) from error
        except httpx2.HTTPError as error:
            self._raise_if_cancelled(error)
            raise words.broken_off(self.host, error) from error
        except TypeError as error:
            if "authentication method" not in str(error):
                raise
            raise EngineUnreachable(words.NO_KEY) from error
        except (AssertionError, AttributeError, ValueError) as error:
            # what the SDK makes of a body that is no stream of the API: an HTML page, a missing usage, broken JSON
            self._raise_if_cancelled(error)
            if "tool parameter JSON" in str(error):
                raise EngineError(f"{self.model} wrote a tool call that is no JSON: ask again") from error
            raise words.not_the_api(self.host) from error
        self._raise_if_cancelled(None)
        if not complete:
            raise words.broken_off(self.host)
        return message

    def _stream(self, stream: Any) -> Generator[Event, None, bool]:
        """The events of one reply; True where it came to its end, which the SDK does not check."""
        complete = False
        for event in stream:
            if event.type == "text":
                yield Text(event.text)
            elif event.type == "thinking":
                yield Thinking(event.thinking)
            elif event.type in ("message_start", "message_delta"):
                self._count(stream.current_message_snapshot.usage)
            elif event.type == "message_stop":
                complete = True
        return complete

    def _count(self, usage: Any) -> None:
        self._tally.counted(
            input=usage.input_tokens or 0,
            output=usage.output_tokens or 0,
            cache_read=usage.cache_read_input_tokens or 0,
            cache_write=usage.cache_creation_input_tokens or 0,
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
            _put_results(response, results, ANSWER_NOW if last_next else "")
        if last_next:
            # tools stay: the cache and the model's check of its earlier thoughts need them
            runner.set_messages_params(_without_tool_choice)
        return results

    def _finished(self, message: Any, forced: bool) -> Finished:
        """What the last message amounts to. Raises EngineError where it is cut off before it said anything."""
        said = "".join(block.text for block in message.content if block.type == "text")
        calls = any(block.type == "tool_use" for block in message.content)
        reason, detail = _reason(message, said, calls)
        if reason == "cut-off" and (calls or not said.strip()):
            raise EngineError(
                f"the reply was cut off ({detail}) before it said anything: raise --max-tokens (now {self.max_tokens}) "
                "or lower EFFORT"
            )
        return Finished(reason, said, self.usage, forced, detail)


def _goes_on(message: Any) -> bool:
    asks = message.stop_reason == "tool_use" and any(block.type == "tool_use" for block in message.content)
    return asks or message.stop_reason in UNFINISHED


def _reason(message: Any, said: str, calls: bool) -> tuple[StopReason, str]:
    stop = message.stop_reason or ""
    if stop == "refusal":
        details = message.stop_details
        category = getattr(details, "category", None) or "no category"
        explanation = getattr(details, "explanation", None)
        return "refused", f"{category}: {explanation}" if explanation else category
    if stop in ("max_tokens", "model_context_window_exceeded", *UNFINISHED):
        return "cut-off", stop
    if calls:
        return "tool-calls", stop
    return ("end", stop) if said.strip() else ("empty", stop)


def _without_tool_choice(parameters: dict[str, Any]) -> dict[str, Any]:
    # a mark on messages would pay for a cache entry that nobody reads
    kept = {name: value for name, value in parameters.items() if name != "cache_control"}
    return {**kept, "tool_choice": {"type": "none"}}


def _put_results(response: Any, results: list[ToolResult], ending: str) -> None:
    """Replaces what the runner made of the calls. Text in a block of its own would provoke an empty reply."""
    blocks = response["content"]
    for block, result in zip(blocks, results, strict=True):
        block["content"] = result.text
        block["is_error"] = result.fate in ("error", "refused")
    if ending:
        blocks[-1]["content"] += "\n\n" + ending


def _adapters(definitions: list[dict[str, Any]]) -> list[Any]:
    """The tools as the runner wants them. It never needs their results: `_put_results` brings those."""
    from anthropic.lib.tools import BetaBuiltinFunctionTool

    class Adapter(BetaBuiltinFunctionTool):
        def __init__(self, definition: dict[str, Any]) -> None:
            self._definition = definition

        def to_dict(self) -> Any:
            return {
                "name": self._definition["name"],
                "description": self._definition["description"],
                "input_schema": self._definition["parameters"],
            }

        def call(self, input: object) -> str:
            return ""

    return [Adapter(definition) for definition in definitions]


def _recording(call: Callable[[], Any]) -> tuple[Any, list[str]]:
    """The call's result, and what the SDK warned of meanwhile, one line each: nothing of it reaches stderr raw."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    lines = [" ".join(str(warning.message).split()) for warning in caught]
    return result, list(dict.fromkeys(lines))
