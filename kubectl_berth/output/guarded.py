"""Streams that never carry the keys of this process, whoever writes to them and whatever for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, TextIO, cast


class _Guarded:
    """Passes everything on; what is written loses the keys first. They are looked for when something is written."""

    def __init__(self, stream: TextIO, variables: Mapping[str, str]) -> None:
        self._stream, self._variables = stream, variables

    @cached_property
    def _keys(self) -> tuple[str, ...]:
        from kubectl_berth.safety.own_keys import own_keys

        return own_keys(self._variables)

    def write(self, text: str) -> int:
        """Writes the text without the keys; how many of its characters that took care of."""
        if not self._keys:
            return self._stream.write(text)
        from kubectl_berth.safety.own_keys import without_own_keys

        self._stream.write(without_own_keys(text, self._keys))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Writes each."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _Lenient(_Guarded):
    """The same for words beside the answer: where they cannot be written, a full disk say, the answer still is."""

    def write(self, text: str) -> int:
        """Writes the text as far as that can be done."""
        try:
            return super().write(text)
        except BrokenPipeError:
            raise
        except OSError:
            return len(text)

    def flush(self) -> None:
        """Flushes as far as that can be done."""
        try:
            self._stream.flush()
        except BrokenPipeError:
            raise
        except OSError:
            return


def guarded_beside(stream: TextIO, variables: Mapping[str, str]) -> TextIO:
    """The stream for what is said beside the answer; that it cannot be written to is no error."""
    return cast(TextIO, _Lenient(stream, variables))


def guarded(stream: TextIO, variables: Mapping[str, str]) -> TextIO:
    """The stream, closed to the values of variables whose names call for a secret."""
    return cast(TextIO, _Guarded(stream, variables))
