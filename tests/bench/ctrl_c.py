"""How long a run takes to end after Ctrl-C: until the result is out, and until the process is gone.

python -m tests.bench.ctrl_c [RUNS]
"""

from __future__ import annotations

import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.fakes import anthropic, ollama
from tests.fakes.loopback import Drip, Hang
from tests.process import snapshot, start, surroundings

CALL = ("list_pods", {"namespace": "shop"})


def once(engine: str, endless: Any, home: Path) -> tuple[float, float]:
    """Seconds from the signal to the first byte of the result, and to the end of the process."""
    fakes: Any = anthropic if engine == "claude" else ollama
    first = anthropic.reply("Hm.", anthropic.tool_use(*CALL)) if engine == "claude" else ollama.reply(calls=[CALL])
    kind: Any = anthropic.FakeAnthropic if engine == "claude" else ollama.FakeOllama
    del fakes
    with kind([first, endless]) as fake:
        env = surroundings(home, ANTHROPIC_API_KEY="any" + "thing", ANTHROPIC_BASE_URL=fake.url)
        env |= {"OLLAMA_HOST": fake.url, "OLLAMA_MODEL": ollama.MODEL}
        process = start("ask", "why?", "--snapshot", str(home / "moment"), "--engine", engine, "-o", "json", env=env)
        while len(fake.requests) < 2:
            time.sleep(0.02)
        time.sleep(0.2)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None
        process.stdout.read(1)
        told = time.monotonic() - sent
        process.communicate(timeout=30)
        gone = time.monotonic() - sent
        assert process.returncode == 130
    return told, gone


def main() -> None:
    """Prints one line for each engine and way of hanging."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        snapshot(home / "moment")
        for engine, name, endless in (
            ("claude", "pings for ever", Drip(anthropic.reply("x"), 2, anthropic.PING)),
            ("claude", "silent", Hang(anthropic.reply("x"), silent=True)),
            ("ollama", "silent", Hang(ollama.reply("x"), silent=True)),
        ):
            found = [once(engine, endless, home) for _ in range(runs)]
            told, gone = (sorted(column) for column in zip(*found, strict=True))
            print(
                f"{engine}, {name}: result after {statistics.median(told):.2f} s (worst {told[-1]:.2f}), "
                f"gone after {statistics.median(gone):.2f} s (worst {gone[-1]:.2f})",
                flush=True,
            )


if __name__ == "__main__":
    main()
