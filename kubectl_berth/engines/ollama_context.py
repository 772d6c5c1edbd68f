"""How full a model's context is, and whether the server dropped what did not fit. Ollama does that without a word."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from kubectl_berth.records import Gap

FULL = 8
"""A prompt that leaves fewer tokens than this leaves no room for an answer."""

_SHARE = 0.6
"""A prompt with less than this share of the tokens that its size stands for was cut."""

_USUAL_BYTES_PER_TOKEN = 4.0


class Context:
    """The context of one run: `length` in tokens, of which an answer may need `max_tokens`."""

    def __init__(self, length: int, max_tokens: int) -> None:
        self.length = length
        self._max_tokens = max_tokens
        self._bytes = 0
        self._last_call = False
        self._bytes_per_token = 0.0
        self._prompts: list[int] = []

    def room(self) -> int:
        """The tokens that a conversation may have so that there is space to answer."""
        return self.length - min(self._max_tokens, self.length // 4)

    def sending(self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]) -> None:
        """A request with these leaves. Earlier thoughts are not counted: templates drop them as they like."""
        told = [{name: part for name, part in message.items() if name != "thinking"} for message in messages]
        self._last_call = not tools
        self._bytes = len(json.dumps([told, list(tools)], ensure_ascii=False).encode("utf-8", "replace"))

    def counted(self, prompt: int) -> Gap | None:
        """The server counted this many tokens in the request; the gap where it has dropped some of them.

        0 is a count that is not told.
        """
        if prompt <= 0:
            return None
        expected = self._bytes / (self._bytes_per_token or _USUAL_BYTES_PER_TOKEN)
        before = self._prompts[-1] if self._prompts else 0
        # the last call has no tools, and its words from the user end what templates keep of earlier thoughts
        shrunk = prompt < before and not self._last_call
        # what Ollama keeps of a prompt that it cuts in the middle
        halved = abs(prompt - (self.length // 2 + 2)) <= 2
        self._prompts.append(prompt)
        if shrunk or halved or prompt < expected * _SHARE:
            return Gap(
                "earlier parts of the conversation",
                "dropped by Ollama",
                f"the model saw {prompt} tokens of about {max(round(expected), before)}; its context holds "
                f"{self.length}: raise OLLAMA_NUM_CTX",
            )
        self._bytes_per_token = self._bytes_per_token or self._bytes / prompt
        return None

    def is_full(self, prompt: int) -> bool:
        """True where a prompt of this size left no room for an answer."""
        return prompt > self.length - FULL
