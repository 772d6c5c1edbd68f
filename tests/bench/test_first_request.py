"""What a process takes until its first request to a model leaves: at most 2.0 s of CPU and 120 MB."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.anthropic import FakeAnthropic, reply
from tests.fakes.bedrock import FakeBedrock
from tests.fakes.loopback import Hang, Loopback
from tests.fakes.ollama import MODEL, FakeOllama
from tests.fakes.ollama import reply as ollama_reply
from tests.process import snapshot, start, surroundings

CPU_SECONDS = 2.0
MEGABYTES = 120
ATTEMPTS = 3
"""The machine is shared: the best one counts."""

FAKES: dict[str, Callable[[], Loopback]] = {
    "claude": lambda: FakeAnthropic([Hang(reply(), silent=True)]),
    "bedrock": lambda: FakeBedrock([Hang(reply(), silent=True)]),
    "ollama": lambda: FakeOllama([Hang(ollama_reply(), silent=True)]),
}


@pytest.mark.nightly
@pytest.mark.parametrize("engine", FAKES)
def test_the_first_request_leaves_soon(engine: str, tmp_path: Path) -> None:
    moment = str(snapshot(tmp_path / "moment"))
    taken = []
    for _ in range(ATTEMPTS):
        with FAKES[engine]() as fake:
            taken.append(until_asked(engine, fake, moment, tmp_path))
    assert min(cpu for cpu, _ in taken) <= CPU_SECONDS
    assert min(memory for _, memory in taken) <= MEGABYTES


def until_asked(engine: str, fake: Loopback, moment: str, home: Path) -> tuple[float, float]:
    """CPU seconds and the most memory in MB that the process had when the server got its request."""
    env = surroundings(
        home,
        ANTHROPIC_API_KEY="k" + "ey",
        ANTHROPIC_BASE_URL=fake.url,
        ANTHROPIC_BEDROCK_BASE_URL=fake.url,
        AWS_BEARER_TOKEN_BEDROCK="to" + "ken",
        AWS_REGION="us-east-1",
        OLLAMA_HOST=fake.url,
        OLLAMA_MODEL=MODEL,
    )
    process = start("ask", "why?", "--snapshot", moment, "--engine", engine, env=env)
    try:
        assert fake.asked.wait(60)
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        peak = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process.pid}/status").read_text())
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert peak is not None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), int(peak[1]) / 1024
