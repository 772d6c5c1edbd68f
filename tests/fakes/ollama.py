"""A fake Ollama server: NDJSON on loopback, scripted, with the answers of /api/show, /api/tags and /api/version.

    with FakeOllama([reply(calls=[("list_pods", {})]), reply("All is well.")]) as fake:
        ...                                             # OLLAMA_HOST=fake.url, OLLAMA_MODEL=qwen3.5:9b

`obeying(...)` and `stubborn(...)` are scripts of a model that answers when it gets no tools and of one that does not.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tests.fakes.loopback import Loopback, Request, Script, Status

MODEL = "qwen3.5:9b"
CREATED = "2026-11-30T09:44:45.806401241Z"


@dataclass(frozen=True)
class Reply:
    """One assistant turn. `on_final` puts content and calls on the last line, as the native path does.

    `error` is the line that ends the stream in place of `done`. `prompt` 0 lets the fake count characters.
    """

    content: str = ""
    calls: Sequence[tuple[str, Any]] = ()
    thinking: str = ""
    done_reason: str = "stop"
    error: Any = None
    on_final: bool = False
    prompt: int = 0
    output: int = 17


def reply(content: str = "", *, calls: Sequence[tuple[str, Any]] = (), **options: Any) -> Reply:
    """A turn of this text and these calls (name, arguments)."""
    return Reply(content, calls, **options)


def obeying(answer: str, *calls: tuple[str, dict[str, Any]]) -> Callable[[dict[str, Any]], Reply]:
    """A model that makes these calls one after the other, and answers when they are done or when it gets no tools."""

    def step(body: dict[str, Any]) -> Reply:
        done = sum(message["role"] == "assistant" for message in body["messages"])
        if not body.get("tools") or done >= len(calls):
            return reply(answer)
        return reply(f"Let me call {calls[done][0]}.", calls=[calls[done]])

    return step


def stubborn(name: str, arguments: dict[str, Any]) -> Callable[[dict[str, Any]], Reply]:
    """A model that calls this tool whatever it is told."""
    return lambda body: reply("Let me look once more.", calls=[(name, arguments)])


class FakeOllama(Loopback):
    """POST /api/chat, streamed. `models` maps a name to its capabilities; `context` is what each was trained for.

    A model is loaded by the first request, with `given` tokens of context or else what was asked for. `remote` has the
    URL that the server passes what is said to a model on to, for each that it does not run itself. The list of models
    takes `slow` seconds.
    """

    content_type = "application/x-ndjson"

    def __init__(
        self,
        script: Script,
        models: dict[str, Sequence[str]] | None = None,
        context: int = 262144,
        given: int = 0,
        remote: dict[str, str] | None = None,
        slow: float = 0,
    ) -> None:
        super().__init__(script)
        self.given = given
        self.models = models or {MODEL: ("completion", "tools", "thinking")}
        self.context = context
        self.remote = remote or {}
        self.slow = slow

    def scripted(self, request: Request) -> bool:
        return request.method == "POST" and request.path == "/api/chat"

    def other(self, request: Request) -> Status:
        if request.path == "/api/version":
            return Status(200, {"version": "0.34.0"})
        if request.path == "/api/tags":
            time.sleep(self.slow)
            return Status(200, {"models": [self._tag(name) for name in self.models]})
        if request.path == "/api/ps":
            return Status(200, {"models": self._loaded()})
        if request.path == "/api/show":
            return self._show(request.body.get("model", ""))
        return Status(404, "404 page not found")

    def complaint(self, request: Request) -> Status | None:
        body = request.body
        name = body.get("model", "")
        if name not in self.models:
            return Status(404, {"error": f"model '{name}' not found"})
        if body.get("tools") and "tools" not in self.models[name]:
            return Status(400, {"error": f"registry.ollama.ai/library/{name} does not support tools"})
        if body.get("think") and "thinking" not in self.models[name]:
            return Status(400, {"error": f'"{name}" does not support thinking'})
        return None

    def chunks(self, reply: Reply, request: Request) -> Iterator[bytes]:
        for piece in _pieces(reply.thinking):
            yield self._line(request, thinking=piece)
        if not reply.on_final:
            for piece in _pieces(reply.content):
                yield self._line(request, content=piece)
            for index, call in enumerate(reply.calls):
                yield self._line(request, tool_calls=[_call(index, *call)])
        if reply.error is not None:
            yield json.dumps({"error": reply.error}).encode() + b"\n"
            return
        last: dict[str, Any] = {}
        if reply.on_final:
            last = {"content": reply.content, "tool_calls": [_call(i, *c) for i, c in enumerate(reply.calls)]}
        prompt = reply.prompt or len(json.dumps([request.body["messages"], request.body.get("tools")])) // 4
        yield self._line(
            request,
            done=True,
            done_reason=reply.done_reason,
            total_duration=5191566416,
            load_duration=2154458,
            prompt_eval_count=prompt,
            prompt_eval_duration=383809000,
            eval_count=reply.output,
            eval_duration=4799921000,
            **last,
        )

    def _line(self, request: Request, *, done: bool = False, content: str = "", **fields: Any) -> bytes:
        message: dict[str, Any] = {"role": "assistant", "content": content}
        for name in ("thinking", "tool_calls"):
            if fields.get(name):
                message[name] = fields[name]
            fields.pop(name, None)
        line = {"model": request.body["model"], "created_at": CREATED, "message": message, "done": done, **fields}
        return json.dumps(line).encode() + b"\n"

    def _tag(self, name: str) -> dict[str, Any]:
        details = {"format": "gguf", "family": "qwen35", "parameter_size": "9.7B", "context_length": self.context}
        elsewhere = {"remote_model": "big:120b", "remote_host": self.remote[name]} if name in self.remote else {}
        return {
            "name": name,
            "model": name,
            **elsewhere,
            "modified_at": CREATED,
            "size": 6594474711,
            "digest": "6488c96fa5faab64bb65cbd30d4289e20e6130ef535a93ef9a49f42eda893ea7",
            "details": details,
            "capabilities": list(self.models[name]),
        }

    def _loaded(self) -> list[dict[str, Any]]:
        if not self.requests:
            return []
        body = self.requests[0].body
        length = self.given or min(body.get("options", {}).get("num_ctx", 4096), self.context)
        return [{**self._tag(body["model"]), "context_length": length, "expires_at": CREATED, "size_vram": 6594474711}]

    def _show(self, name: str) -> Status:
        if name not in self.models:
            return Status(404, {"error": f"model '{name}' not found"})
        return Status(
            200,
            {
                "modelfile": "",
                "parameters": "",
                "template": "{{ .Prompt }}",
                "details": {"format": "gguf", "family": "qwen35"},
                "model_info": {"general.architecture": "qwen35", "qwen35.context_length": self.context},
                "capabilities": list(self.models[name]),
            },
        )


def _call(index: int, name: str, arguments: Any) -> dict[str, Any]:
    return {"id": f"call_{index:08d}", "function": {"index": index, "name": name, "arguments": arguments}}


def _pieces(words: str, size: int = 12) -> list[str]:
    return [words[start : start + size] for start in range(0, len(words), size)]
