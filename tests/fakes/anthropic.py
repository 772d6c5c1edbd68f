"""A fake Anthropic Messages API: server-sent events on loopback, scripted, strict about what the real one rejects.

    with FakeAnthropic([reply(tool_use("list_pods", {})), reply("All is well.")]) as fake:
        ...                                             # ANTHROPIC_BASE_URL=fake.url, ANTHROPIC_API_KEY=anything

`obeying(...)` and `stubborn(...)` are scripts of a model that keeps to `tool_choice: none` and of one that does not.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.loopback import Loopback, Request, Script, Status
from tests.fakes.prompt_cache import Bindings, PromptCache

FIELDS = {
    *("model", "max_tokens", "messages", "system", "tools", "tool_choice", "stream"),
    *("thinking", "output_config", "cache_control", "metadata"),
}


@dataclass(frozen=True)
class Reply:
    """One assistant turn. `pings` of them come before it; `error` is an SSE error event in place of its end."""

    blocks: tuple[dict[str, Any], ...]
    stop_reason: str | None = "end_turn"
    stop_details: dict[str, Any] | None = None
    usage: dict[str, int] = field(default_factory=dict)
    pings: int = 1
    error: tuple[str, str] | None = None


def text(words: str) -> dict[str, Any]:
    """A text block."""
    return {"type": "text", "text": words}


def thinking(words: str) -> dict[str, Any]:
    """A thinking block."""
    return {"type": "thinking", "thinking": words, "signature": "c2ln"}


_made = iter(range(10**9))


def tool_use(name: str, arguments: dict[str, Any], *, raw: str = "") -> dict[str, Any]:
    """A tool_use block with an id of its own; `raw` is sent in the place of the arguments' JSON."""
    block = {"type": "tool_use", "id": f"toolu_{next(_made):08d}", "name": name, "input": arguments}
    return {**block, "raw": raw} if raw else block


def reply(*blocks: str | dict[str, Any], stop: str | None = "", **options: Any) -> Reply:
    """A turn of these blocks, a string being a text block. The stop reason follows from them where none is given."""
    made = tuple(text(block) if isinstance(block, str) else block for block in blocks)
    if stop == "":
        stop = "tool_use" if any(block["type"] == "tool_use" for block in made) else "end_turn"
    return Reply(made, stop, **options)


def obeying(answer: str, *calls: tuple[str, dict[str, Any]]) -> Callable[[dict[str, Any]], Reply]:
    """A model that makes these calls one after the other, and answers when they are done or when it must."""

    def step(body: dict[str, Any]) -> Reply:
        done = sum(message["role"] == "assistant" for message in body["messages"])
        if body.get("tool_choice", {}).get("type") == "none" or done >= len(calls):
            return reply(answer)
        name, arguments = calls[done]
        return reply(f"Let me call {name}.", tool_use(name, arguments))

    return step


def stubborn(name: str, arguments: dict[str, Any]) -> Callable[[dict[str, Any]], Reply]:
    """A model that calls this tool whatever it is told."""
    return lambda body: reply("Let me look once more.", tool_use(name, arguments))


PING = b'event: ping\ndata: {"type": "ping"}\n\n'


class FakeAnthropic(Loopback):
    """POST /v1/messages, streamed. Everything else is a 404. `cache` counts tokens as a prompt cache would."""

    content_type = "text/event-stream; charset=utf-8"

    def __init__(self, script: Script, cache: PromptCache | None = None) -> None:
        super().__init__(script)
        self.cache = cache
        self.bindings = Bindings()

    def scripted(self, request: Request) -> bool:
        return request.method == "POST" and request.path.split("?")[0] == "/v1/messages"

    def other(self, request: Request) -> Status:
        return api_error(404, "not_found_error", f"Not found: {request.path}")

    def complaint(self, request: Request) -> Status | None:
        if not request.headers.get("authorization") and not request.headers.get("x-api-key"):
            return api_error(401, "authentication_error", "x-api-key header is required")
        words = objection(request.body) or self.bindings.objection(request.body)
        return api_error(400, "invalid_request_error", words) if words else None

    def chunks(self, reply: Reply, request: Request) -> Iterator[bytes]:
        usage = {
            "input_tokens": len(json.dumps(request.body["messages"])) // 4,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            **(self.cache.usage(request.body) if self.cache else {}),
            **reply.usage,
        }
        hour = usage.pop("ephemeral_1h_input_tokens", 0)
        for block in reply.blocks:
            if block["type"] == "thinking":
                self.bindings.bind(block["thinking"], request.body)
        output = usage.pop("output_tokens", 17)
        start = {
            "id": "msg_01",
            "type": "message",
            "role": "assistant",
            "model": request.body["model"],
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "stop_details": None,
            "usage": {
                **usage,
                "cache_creation": {
                    "ephemeral_5m_input_tokens": usage["cache_creation_input_tokens"] - hour,
                    "ephemeral_1h_input_tokens": hour,
                },
                "output_tokens": 1,
                "service_tier": "standard",
                "inference_geo": "not_available",
            },
        }
        yield _event("message_start", message=start)
        for _ in range(reply.pings):
            yield _event("ping")
        for index, block in enumerate(reply.blocks):
            yield from _block(index, block)
        if reply.error:
            yield _event("error", error={"type": reply.error[0], "message": reply.error[1]})
            return
        delta = {"stop_reason": reply.stop_reason, "stop_sequence": None, "stop_details": reply.stop_details}
        yield _event("message_delta", delta=delta, usage={"output_tokens": output})
        yield _event("message_stop")


def api_error(status: int, kind: str, message: str, headers: dict[str, str] | None = None) -> Status:
    """An HTTP error in the words of the API."""
    body = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_011"}
    return Status(status, body, headers or {})


def _event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


def _block(index: int, block: dict[str, Any]) -> Iterator[bytes]:
    kind = block["type"]
    if kind == "text":
        empty, deltas = {**block, "text": ""}, [{"type": "text_delta", "text": t} for t in _pieces(block["text"])]
    elif kind == "thinking":
        empty = {"type": kind, "thinking": "", "signature": ""}
        deltas = [{"type": "thinking_delta", "thinking": t} for t in _pieces(block["thinking"])]
        deltas.append({"type": "signature_delta", "signature": block["signature"]})
    elif kind == "tool_use":
        raw = block.pop("raw", None) or json.dumps(block["input"])
        empty = {**block, "input": {}}
        written = ["", *_pieces(raw)]
        deltas = [{"type": "input_json_delta", "partial_json": t} for t in written]
    else:
        empty, deltas = block, []
    yield _event("content_block_start", index=index, content_block=empty)
    for delta in deltas:
        yield _event("content_block_delta", index=index, delta=delta)
    yield _event("content_block_stop", index=index)


def _pieces(words: str, size: int = 12) -> list[str]:
    return [words[start : start + size] for start in range(0, len(words), size)]


def objection(body: dict[str, Any]) -> str | None:
    """What the real API would answer 400 to in this body, or None."""
    strange = sorted(set(body) - FIELDS)
    if strange:
        return f"{strange[0]}: Extra inputs are not permitted"
    if not body.get("stream"):
        return "stream: this fake only streams"
    if json.dumps(body).count('"cache_control"') > 4:
        return "A maximum of 4 blocks with cache_control may be provided. Found 5."
    messages = body["messages"]
    if not messages or messages[0]["role"] != "user":
        return "messages: first message must use the user role"
    for number, (message, following) in enumerate(zip(messages, [*messages[1:], None], strict=True)):
        content = message["content"] if isinstance(message["content"], list) else []
        if not message["content"]:
            return f"messages.{number}: all messages must have non-empty content"
        if any(block["type"] == "text" and not block["text"].strip() for block in content):
            return f"messages.{number}: text content blocks must be non-empty"
        asked = [block["id"] for block in content if block["type"] == "tool_use"]
        if not asked:
            continue
        if "tools" not in body:
            return "tools: required where the conversation holds tool_use blocks"
        given = following["content"] if following and isinstance(following["content"], list) else []
        answered = [block.get("tool_use_id") for block in given[: len(asked)]]
        if answered != asked:
            return (
                f"messages.{number}: `tool_use` ids were found without `tool_result` blocks immediately after: {asked}"
            )
    return None
