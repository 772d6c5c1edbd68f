"""A fake Bedrock runtime: the Messages API in AWS's event stream on loopback, scripted like the fake Anthropic.

    with FakeBedrock([reply(tool_use("list_pods", {})), reply("All is well.")]) as fake:
        ...           # ANTHROPIC_BEDROCK_BASE_URL=fake.url, AWS_BEARER_TOKEN_BEDROCK=anything, AWS_REGION=us-east-1

A reply's `error` ends the stream as an exception frame, (":exception-type", message).
"""

from __future__ import annotations

import base64
import json
import re
import struct
import zlib
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from tests.fakes.anthropic import FakeAnthropic, Reply, objection
from tests.fakes.loopback import Request, Status

API_VERSION = "2026-10-21"
MODEL = "global.anthropic.claude-opus-4-8"
_PATH = re.compile(r"/model/([^/]+)/invoke-with-response-stream")


class FakeBedrock(FakeAnthropic):
    """POST /model/<id>/invoke-with-response-stream. Everything else is a 404."""

    content_type = "application/vnd.amazon.eventstream"

    def scripted(self, request: Request) -> bool:
        return request.method == "POST" and _PATH.fullmatch(request.path) is not None

    def other(self, request: Request) -> Status:
        return bedrock_error(404, f"Unknown operation {request.path}")

    def complaint(self, request: Request) -> Status | None:
        if not request.headers.get("authorization"):
            return bedrock_error(403, "Missing Authentication Token")
        body = dict(request.body)
        if {"model", "stream", "cache_control"} & set(body):
            return bedrock_error(400, "Malformed input request: extraneous key is not permitted")
        if body.pop("anthropic_version", None) != API_VERSION:
            return bedrock_error(400, "anthropic_version: unknown version")
        if not model_of(request).split(".")[0].isalpha() or model_of(request).startswith("anthropic."):
            return bedrock_error(
                400,
                f"Invocation of model ID {model_of(request)} with on-demand throughput isn't supported. Retry your "
                "request with the ID or ARN of an inference profile that contains this model.",
            )
        words = objection({**body, "model": model_of(request), "stream": True}) or self.bindings.objection(body)
        return bedrock_error(400, words) if words else None

    def chunks(self, reply: Reply, request: Request) -> Iterator[bytes]:
        body = {**request.body, "model": model_of(request)}
        for piece in super().chunks(reply, Request(request.method, request.path, request.headers, body)):
            event = json.loads(piece.partition(b"data: ")[2])
            if event["type"] == "error":
                yield exception_frame(event["error"]["type"], event["error"]["message"])
            else:
                yield chunk_frame(event)


def model_of(request: Request) -> str:
    """The model that a request names in its path."""
    found = _PATH.fullmatch(request.path)
    return unquote(found[1]) if found else ""


def bedrock_error(status: int, message: str, headers: dict[str, str] | None = None) -> Status:
    """An HTTP error as Bedrock words it: a message and nothing else."""
    return Status(status, {"message": message}, headers or {})


def chunk_frame(event: dict[str, Any]) -> bytes:
    """One event of the Messages API in its frame."""
    payload = {"bytes": base64.b64encode(json.dumps(event).encode()).decode(), "p": "abcdefghijk"}
    return frame(
        {":event-type": "chunk", ":content-type": "application/json", ":message-type": "event"},
        json.dumps(payload).encode(),
    )


def exception_frame(kind: str, message: str) -> bytes:
    """The frame that ends a stream with an error."""
    return frame(
        {":exception-type": kind, ":content-type": "application/json", ":message-type": "exception"},
        json.dumps({"message": message}).encode(),
    )


def frame(headers: dict[str, str], payload: bytes) -> bytes:
    """One message of AWS's event stream: lengths, checksum, headers, payload, checksum."""
    written = b"".join(_header(name, value) for name, value in headers.items())
    prelude = struct.pack("!II", 16 + len(written) + len(payload), len(written))
    message = prelude + struct.pack("!I", zlib.crc32(prelude)) + written + payload
    return message + struct.pack("!I", zlib.crc32(message))


def _header(name: str, value: str) -> bytes:
    # 7 is the type of a string
    return struct.pack("!B", len(name)) + name.encode() + struct.pack("!BH", 7, len(value)) + value.encode()
