"""A model on an Ollama server: streaming, with a loop of our own.

There is no tool choice in that protocol: on the last call the tools are left out, and the words to answer now are
the last message.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from typing import Any

from kubectl_berth.engines import ollama_errors as words
from kubectl_berth.engines.connections import Connections, client_options, is_loopback, no_deadline
from kubectl_berth.engines.engine import Conversation, Toolbox, ToolCall
from kubectl_berth.engines.estimate import tokens
from kubectl_berth.engines.last_call import ANSWER_NOW
from kubectl_berth.engines.loop import Tally, opening, run_tools
from kubectl_berth.engines.ollama_context import Context
from kubectl_berth.engines.ollama_host import address, goes_to, without_login
from kubectl_berth.engines.ollama_models import loaded_context, remote_host
from kubectl_berth.engines.pump import Emit, pumped
from kubectl_berth.engines.text_calls import begins_a_call, calls_in
from kubectl_berth.errors import EngineError, Interrupted, NoAnswer
from kubectl_berth.records import (
    Event,
    Finished,
    GapFound,
    ModelCallStarting,
    Notice,
    Retry,
    StopReason,
    Text,
    Thinking,
    Usage,
)

SILENCE_SECONDS = 300.0
"""The server itself gives a model five minutes to load; a hung retry would wait for ever."""

RETRY_SECONDS = 0.3
MOST_CHARACTERS = 40
"""Characters that a token stands for at most: a reply that is longer than --max-tokens of them is cut off."""
LOADED_SECONDS = 0.5
"""What a look at the loaded models may take."""

WHERE_SECONDS = 5.0
"""What asking where the model runs may take: what may be sent to it hangs on the answer, and a busy server is slow."""


def make_ollama(
    host: str | None,
    model: str,
    *,
    num_ctx: int = 16384,
    max_tokens: int = 8192,
    thinking: str = "adaptive",
    remaining: Callable[[], float] = no_deadline,
    remote: str | None = None,
) -> OllamaEngine:
    """The engine for a model on the Ollama at `host`, as a person writes it; None is this machine's own.

    OLLAMA_API_KEY goes only to a host that was named. `remaining` gives the seconds left of the run. `remote` is where
    the server said that the model runs ("" for there itself); it is asked where that is None.
    Raises UsageError for a host that is none.
    """
    url = address(host)
    if remote is None and is_loopback(url):
        remote = remote_host(url, model, min(WHERE_SECONDS, max(remaining(), 0.1)))
    goes = goes_to(url, model, remote)
    return OllamaEngine(url, goes, bool(host), model, num_ctx, max_tokens, thinking, remaining)


@dataclass
class _Reply:
    """One assistant turn as it arrives."""

    content: str = ""
    thinking: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    done: bool = False
    done_reason: str = ""

    def message(self) -> dict[str, Any]:
        """The turn as the next request tells it."""
        told: dict[str, Any] = {"role": "assistant", "content": self.content}
        if self.thinking:
            told["thinking"] = self.thinking
        if self.calls:
            told["tool_calls"] = [{"function": {"name": c.name, "arguments": c.arguments}} for c in self.calls]
        return told


class OllamaEngine:
    """One run on Ollama. `usage` and `calls` (one Usage for each model call) are up to date at any moment."""

    name = "ollama"

    def __init__(
        self,
        url: str,
        host: str,
        named: bool,
        model: str,
        num_ctx: int,
        max_tokens: int,
        thinking: str,
        remaining: Callable[[], float],
    ) -> None:
        self.model = model
        self.host = host
        self.max_tokens = max_tokens
        self.num_ctx = num_ctx
        self._url = url
        self._where = without_login(url)
        self._named = named
        self._thinking = thinking
        self._think: bool | None = None
        self._tally = Tally()
        self._connections = Connections(remaining, SILENCE_SECONDS)
        self._tool_calls = 0
        self._context = Context(num_ctx, max_tokens)
        self._gap_told = False
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
        client = self._client()
        try:
            yield from self._look_at_model(client, needs_tools=cap > 1)
            yield from self._turns(client, conversation, toolbox, cap)
        finally:
            client.close()

    def _turns(self, client: Any, conversation: Conversation, toolbox: Toolbox, cap: int) -> Iterator[Event]:
        definitions = toolbox.definitions()
        messages: list[dict[str, Any]] = [{"role": "system", "content": conversation.system}]
        messages += [{"role": role, "content": said} for role, said in opening(conversation)]
        estimate = tokens(definitions, messages)
        for number in range(1, cap + 1):
            outgrown = 1 < number < cap and estimate > self._context.room()
            last = number == cap or outgrown
            if outgrown:
                yield Notice(
                    f"the conversation nearly fills the {self._context.length} tokens of context: {self.model} must "
                    "answer now"
                )
            if last:
                _tell_last_call(messages)
            yield ModelCallStarting(number, estimate)
            reply = yield from self._call(client, messages, [] if last else definitions)
            yield from self._look_at_counts(number)
            if not reply.calls:
                reply.calls = calls_in(reply.content)
                if reply.calls and not last:
                    reply.content = ""
            if last or not reply.calls or reply.done_reason == "length":
                yield self._finished(reply, forced=last)
                return
            results = yield from run_tools(toolbox, reply.calls, number, cap - number, self._tool_calls)
            self._tool_calls += len(results)
            messages.append(reply.message())
            for call, result in zip(reply.calls, results, strict=True):
                messages.append({"role": "tool", "tool_name": call.name, "content": result.text})
            spent = self._tally.calls[-1]
            estimate = spent.input_tokens + spent.output_tokens + tokens(*(result.text for result in results))

    # --- the server ------------------------------------------------------------------------------------------------

    def _client(self) -> Any:
        import ollama

        options = client_options(self._url, self._connections)
        options["event_hooks"]["request"].append(self._keep_key)
        options["event_hooks"]["response"] = [_split_at_newlines]
        try:
            return ollama.Client(self._url, **options)
        except (ImportError, ValueError) as error:
            raise words.no_connection(self._where, error) from error

    def _keep_key(self, request: Any) -> None:
        if not self._named:
            request.headers.pop("authorization", None)

    def _look_at_model(self, client: Any, needs_tools: bool) -> Iterator[Event]:
        """What the model can do and how long its context may be. A server that does not say is taken as it is."""
        import httpx
        import ollama

        if not is_loopback(self._url) and self._url.startswith("http://"):
            yield Notice(f"what is read of the cluster goes to {self.host} over plain http")
        try:
            shown = client.show(self.model)
        except ollama.ResponseError as error:
            if error.status_code == 404 and "not found" in error.error and "page" not in error.error:
                raise words.missing(self.model, self._where) from error
            return
        except (ConnectionError, httpx.HTTPError) as error:
            self._raise_if_cancelled(error)
            raise self._network_error(error) from error
        except (ValueError, TypeError):
            return
        capabilities = shown.capabilities or []
        if capabilities and needs_tools and "tools" not in capabilities:
            raise words.toolless(self.model)
        if "thinking" in capabilities:
            self._think = self._thinking == "adaptive"
        information = shown.modelinfo or {}
        longest = information.get(f"{information.get('general.architecture')}.context_length")
        if isinstance(longest, int) and 0 < longest < self.num_ctx:
            yield Notice(f"{self.model} has a context of {longest} tokens: OLLAMA_NUM_CTX {self.num_ctx} is not sent")
            self.num_ctx = self._context.length = longest

    def _call(
        self, client: Any, messages: list[dict[str, Any]], definitions: list[dict[str, Any]]
    ) -> Generator[Event, None, _Reply]:
        """One model call, sent a second time where the server failed."""
        first = self._tally.start() == 1
        loading = first and loaded_context(self._url, self.model, LOADED_SECONDS) == 0
        self._doing = f"{self.model} is loading" if loading else f"waiting for {self.model}"
        self._context.sending(messages, definitions)
        options: dict[str, Any] = {"num_ctx": self.num_ctx, "num_predict": self.max_tokens}
        try:
            return (yield from self._attempt(client, messages, definitions, options))
        except _ServerFailed as failure:
            yield Retry(f"Ollama failed: {failure.reason}")
        self._tally.retried()
        if not self._connections.pause(RETRY_SECONDS):
            raise Interrupted("the run was stopped")
        # the same request often fails the same way
        options["seed"] = random.randrange(1, 2**31)
        try:
            return (yield from self._attempt(client, messages, definitions, options))
        except _ServerFailed as failure:
            raise failure.sentence from failure

    def _attempt(
        self, client: Any, messages: list[dict[str, Any]], definitions: list[dict[str, Any]], options: dict[str, Any]
    ) -> Generator[Event, None, _Reply]:
        import httpx
        import ollama

        tools = [{"type": "function", "function": definition} for definition in definitions] or None

        def exchange(emit: Emit) -> _Reply:
            reply = _Reply()
            for chunk in self._chunks(client, messages, tools, options):
                self._take(chunk, reply, emit)
                if len(reply.content) + len(reply.thinking) > MOST_CHARACTERS * self.max_tokens:
                    # the server does not keep to num_predict
                    reply.done, reply.done_reason = True, "length"
                    break
            return reply

        try:
            reply = yield from pumped(exchange, lambda: self._doing, stop=self._connections.cut)
        except ollama.ResponseError as error:
            sentence = words.status_error(self.model, self._where, error.status_code, error.error)
            if error.status_code >= 500 or error.status_code < 0:
                raise _ServerFailed(str(error.error), sentence) from error
            raise sentence from error
        except httpx.HTTPError as error:
            self._raise_if_cancelled(error)
            raise self._network_error(error) from error
        except (ValueError, AttributeError) as error:
            wrong = words.odd_call(self.model) if "tool_calls" in str(error) else words.not_ollama(self._where)
            raise wrong from error
        self._raise_if_cancelled(None)
        if not reply.done:
            raise words.broken_off(self._where)
        return reply

    def _chunks(
        self, client: Any, messages: list[dict[str, Any]], tools: Any, options: dict[str, Any]
    ) -> Iterator[Any]:
        """The lines of one reply, as the package reads them."""
        try:
            yield from client.chat(self.model, messages, tools=tools, stream=True, think=self._think, options=options)
        except TypeError as error:
            # an error line that holds an object, which the package cannot make its own error of
            sentence = words.status_error(self.model, self._where, -1, "an error without words")
            raise _ServerFailed("an error without words", sentence) from error

    def _take(self, chunk: Any, reply: _Reply, emit: Emit) -> None:
        """One line of the stream. Any line may hold text, thinking and calls, the last one too."""
        message = chunk.message
        if message.thinking:
            self._doing = f"{self.model} is thinking"
            reply.thinking += message.thinking
            emit(Thinking(message.thinking))
        if message.content:
            reply.content += message.content
            emit(Text(message.content))
        for call in message.tool_calls or ():
            reply.calls.append(ToolCall(call.function.name, dict(call.function.arguments)))
        if chunk.done:
            reply.done = True
            reply.done_reason = chunk.done_reason or ""
            self._tally.counted(input=chunk.prompt_eval_count or 0, output=chunk.eval_count or 0)

    def _network_error(self, error: BaseException) -> NoAnswer:
        import httpx

        if isinstance(error, httpx.ReadTimeout):
            return words.silent(self._where, min(SILENCE_SECONDS, max(self._connections.remaining(), 0.0)))
        if isinstance(error, ConnectionError | httpx.ConnectError | httpx.ConnectTimeout | httpx.UnsupportedProtocol):
            return words.unreachable(self._where, error.__context__ or error)
        return words.broken_off(self._where, error)

    def _raise_if_cancelled(self, cause: BaseException | None) -> None:
        if self._connections.cancelled.is_set():
            raise Interrupted("the run was stopped") from cause

    # --- what a reply amounts to -----------------------------------------------------------------------------------

    def _look_at_counts(self, number: int) -> Iterator[Event]:
        """What the counts of a reply give away: a context smaller than asked for, and a prompt that was cut."""
        if number == 1:
            given = loaded_context(self._url, self.model, LOADED_SECONDS)
            if given and given < self._context.length:
                yield Notice(f"Ollama gives {self.model} {given} tokens of context, not {self._context.length}")
                self._context.length = given
        gap = self._context.counted(self._tally.calls[-1].input_tokens)
        if gap and not self._gap_told:
            self._gap_told = True
            yield GapFound(gap)

    def _finished(self, reply: _Reply, forced: bool) -> Finished:
        """What the last reply amounts to. Raises EngineError where it is cut off before it said anything."""
        said = reply.content
        if reply.done_reason == "length" and (reply.calls or not said.strip() or begins_a_call(said)):
            raise EngineError(
                f"the reply of {self.model} was cut off before it said anything: raise OLLAMA_MAX_TOKENS "
                f"(now {self.max_tokens}) or OLLAMA_NUM_CTX (now {self.num_ctx})"
            )
        if not reply.calls and not said.strip() and self._context.is_full(self._tally.calls[-1].input_tokens):
            raise words.outgrown(self.model, f"{self._context.length} tokens")
        reason: StopReason = "end"
        if reply.calls:
            reason = "tool-calls"
        elif not said.strip():
            reason = "empty"
        elif reply.done_reason == "length":
            reason = "cut-off"
        return Finished(reason, said, self.usage, forced, reply.done_reason)


class _ServerFailed(Exception):
    """A failure that one more try may mend; `sentence` is the error where it does not."""

    def __init__(self, reason: str, sentence: NoAnswer) -> None:
        super().__init__(reason)
        self.reason = " ".join(reason.split())[:200]
        self.sentence = sentence


def _split_at_newlines(response: Any) -> None:
    """Lets the package read a stream line by line as JSON lines are: httpx ends a line at any Unicode line end too."""

    def lines() -> Iterator[str]:
        rest = b""
        for piece in response.iter_bytes():
            *whole, rest = (rest + piece).split(b"\n")
            yield from (line.decode("utf-8", "replace") for line in whole)
        if rest:
            yield rest.decode("utf-8", "replace")

    response.iter_lines = lines


def _tell_last_call(messages: list[dict[str, Any]]) -> None:
    """Puts the words to answer now last. Some chat templates refuse two user messages in a row."""
    if messages[-1]["role"] == "user":
        messages[-1] = {"role": "user", "content": f"{messages[-1]['content']}\n\n{ANSWER_NOW}"}
    else:
        messages.append({"role": "user", "content": ANSWER_NOW})
