"""One table of what berth costs, each figure beside what it is compared with, measured in the same run.

    python -m tests.bench [--full]      --full adds the list of 150,000 pods

Figures of two runs or two machines cannot be compared: the ratios can.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.bench.processes import Taken, take
from tests.bench.test_first_request import FAKES, until_asked
from tests.process import COMMAND, snapshot, surroundings
from tests.safety.test_redact import HOSTILE

SCENARIO = "crashloop-missing-config"
MOST_PROMPT_BYTES = 10_500
FIRST_TABS = 5
KUBECTL = Path(sys.executable).parent / "kubectl"


@dataclass(frozen=True)
class Row:
    """One line of the table: what was measured, the figure, what it is compared with and that one's figure."""

    what: str
    figure: float
    unit: str
    beside: str
    other: float

    def __str__(self) -> str:
        ratio = f"{self.figure / self.other:.2f}" if self.other else "-"
        ours, theirs = (f"{_shown(each)} {self.unit}" for each in (self.figure, self.other))
        return f"| {self.what} | {ours} | {self.beside} | {theirs} | {ratio} |"


def _shown(figure: float) -> str:
    digits = 0 if figure >= 100 else 1 if figure >= 10 else 2 if figure >= 0.1 or not figure else 4
    return f"{figure:,.{digits}f}"


def _three(what: str, taken: Taken, beside: str, other: Taken) -> Iterator[Row]:
    yield Row(f"{what}: clock", taken.wall * 1000, "ms", beside, other.wall * 1000)
    yield Row(f"{what}: CPU", taken.cpu * 1000, "ms", beside, other.cpu * 1000)
    yield Row(f"{what}: memory", taken.memory, "MB", beside, other.memory)


# --- the parts -------------------------------------------------------------------------------------------------------


def starting(home: Path) -> Iterator[Row]:
    """--help and a TAB beside bare Python with click."""
    env = surroundings(home)
    bare = take(
        [sys.executable, "-c", "import click; click.Group('x').get_help(click.Context(click.Group('x')))"], env, runs=9
    )
    yield from _three("kubectl-berth --help", take([*COMMAND, "--help"], env, runs=9), "python with click", bare)
    tab = take([sys.executable, "-m", "kubectl_berth.cli.completion", "ask", "--"], env, runs=9)
    yield from _three("a TAB", tab, "python with click", bare)


def first_request(home: Path) -> Iterator[Row]:
    """From the start of the process to its first request to a model; rules asks none and answers."""
    env = surroundings(home)
    moment = str(snapshot(home / "moment"))
    bare = take([sys.executable, "-c", "import click"], env)
    answered = take([*COMMAND, "ask", "why is web-0 failing?", "--snapshot", moment, "--engine", "rules"], env, runs=3)
    yield from list(_three("rules: a whole answer", answered, "python with click", bare))[1:]
    for engine in FAKES:
        found = []
        for _ in range(3):
            with FAKES[engine]() as fake:
                found.append(until_asked(engine, fake, moment, home))
        cpu, memory = min(each for each, _ in found), min(each for _, each in found)
        yield Row(f"{engine}: to the first request: CPU", cpu * 1000, "ms", "python with click", bare.cpu * 1000)
        yield Row(f"{engine}: to the first request: memory", memory, "MB", "python with click", bare.memory)


@contextmanager
def _running(command: list[str], env: dict[str, str]) -> Iterator[str]:
    """A server in a process of its own; its URL, which is the first line it prints."""
    process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


def tools(home: Path) -> Iterator[Row]:
    """A tool as a command beside kubectl reading the same, and a tool within a run, on one served cluster."""
    env, config = surroundings(home), str(home / "kubeconfig")
    serving = [*COMMAND, "scenario", "serve", SCENARIO, "--write-kubeconfig", config]
    with _running(serving, env):
        pod = json.loads(_kubectl(env, config, "get", "pods", "-A", "-o", "json"))["items"][0]["metadata"]
        name, namespace = pod["name"], pod["namespace"]
        pairs = {
            "list_pods": ([], ["get", "pods", "-A"]),
            "describe_resource": (
                ["kind=Pod", f"name={name}", f"namespace={namespace}"],
                ["describe", "pod", name, "-n", namespace],
            ),
            "get_events": ([], ["get", "events", "-A"]),
        }
        yield from _first_tab(home, env, config)
        for tool, (words, asked) in pairs.items():
            ours = take([*COMMAND, "tool", tool, *words, "--kubeconfig", config], env, runs=3)
            theirs = take([KUBECTL, "--kubeconfig", config, *asked], env, runs=3)
            yield Row(
                f"tool {tool}, as a command: clock", ours.wall * 1000, "ms", "kubectl " + asked[0], theirs.wall * 1000
            )
            within = _within_a_run(config, tool, dict(word.split("=") for word in words))
            yield Row(
                f"tool {tool}, within a run: clock", within * 1000, "ms", "kubectl " + asked[0], theirs.wall * 1000
            )


def _first_tab(home: Path, env: dict[str, str], config: str) -> Iterator[Row]:
    """A TAB that has to read the namespaces first, beside kubectl's own completion of the same."""
    found, shown = [], 0
    for run in range(FIRST_TABS):
        cold = {**env, "XDG_CACHE_HOME": str(home / f"cache{run}")}
        words = ["ask", "--kubeconfig", config, "-n", ""]
        found.append(take([sys.executable, "-m", "kubectl_berth.cli.completion", *words], cold, runs=1))
        shown += any((home / f"cache{run}").rglob("*.json"))
    theirs = take([KUBECTL, "__complete", "--kubeconfig", config, "get", "pods", "-n", ""], env, runs=5)
    ours = min(found, key=lambda taken: taken.wall)
    yield Row("a TAB that reads namespaces: clock", ours.wall * 1000, "ms", "kubectl's own", theirs.wall * 1000)
    yield Row("such TABs that showed them at once", shown, "", "all", FIRST_TABS)


def _kubectl(env: dict[str, str], config: str, *words: str) -> bytes:
    deadline = time.monotonic() + 20
    while True:
        run = subprocess.run([KUBECTL, "--kubeconfig", config, *words], env=env, capture_output=True, check=False)
        if run.returncode == 0 or time.monotonic() > deadline:
            return run.stdout
        time.sleep(0.2)


def _within_a_run(config: str, tool: str, arguments: dict[str, str]) -> float:
    """The quickest of some calls, each with nothing read before, on a connection that is open."""
    from kubectl_berth.cluster.connection import ConnectionOptions
    from kubectl_berth.cluster.live import connect
    from kubectl_berth.environment import Environment
    from kubectl_berth.tools.context import Context
    from kubectl_berth.tools.toolbox import Toolbox

    cluster = connect(ConnectionOptions(kubeconfig=config), Environment.actual())
    cluster.kinds()
    found = []
    for _ in range(5):
        toolbox = Toolbox(Context(cluster=cluster, namespace="default", raw_allowed=True))
        started = time.monotonic()
        result = toolbox.call(tool, dict(arguments))
        found.append(time.monotonic() - started)
        assert result.fate == "ok", result.text
    cluster.close()
    return min(found)


def redaction() -> Iterator[Row]:
    """Seconds for a megabyte of log lines and of the worst hostile text, beside zlib on the same."""
    from kubectl_berth.safety.redact import redact

    lines = (
        f"2026-10-05T09:{n // 60 % 60:02d}:{n % 60:02d}Z INFO handler served path=/api/v1/orders/{n} "
        f"status=200 took={n % 90}ms user=u{n % 5000} trace={n * 2654435761 % 2**64:016x} pod=web-{n % 40}\n"
        for n in range(8000)
    )
    text = "".join(lines)
    yield Row(
        "redaction of log lines: CPU for a MB", _per_megabyte(redact, text), "s", "zlib", _per_megabyte(_zlib, text)
    )
    worst, name = 0.0, ""
    for case, unit in HOSTILE.items():
        text = "password=" + unit * (200_000 // len(unit)) + "token="
        worst, name = max((worst, name), (_per_megabyte(redact, text), case))
    text = "password=" + HOSTILE[name] * (200_000 // len(HOSTILE[name])) + "token="
    yield Row(
        f"redaction of the worst of {len(HOSTILE)} hostile texts ({name})",
        worst,
        "s",
        "zlib",
        _per_megabyte(_zlib, text),
    )


def _zlib(text: str) -> str:
    return str(len(zlib.compress(text.encode())))


def _per_megabyte(work: Callable[[str], str], text: str) -> float:
    started = time.process_time()
    work(text)
    return (time.process_time() - started) / len(text.encode()) * 1e6


def pods(home: Path, count: int) -> Iterator[Row]:
    """A list from a loopback server: read object by object, beside the least that reading it costs and kubectl."""
    env = surroundings(home)
    module = [sys.executable, "-m", "tests.bench.many_pods"]
    what = f"a list of {count:,} pods"
    with _running([*module, "serve", str(count)], env) as url:
        runs = 3 if count <= 10_000 else 1
        ours = take([*module, "read", url], env, runs=runs)
        least = take([*module, "decode", url], env, runs=runs)
        yield from _three(what, ours, "http.client and json", least)
        growth, other = _growth([*module, "read", url], env, count), _growth([*module, "decode", url], env, count)
        yield Row(f"{what}: growth behind the first page", growth, "MB", "http.client and json", other)
        if count > 10_000:
            return  # kubectl holds the whole list: several GB
        theirs = take([KUBECTL, "--server", url, "get", "pods", "-A", "-o", "name"], env, runs=runs)
        yield from list(_three(what, ours, "kubectl get -o name", theirs))[::2]
        checked = take([*COMMAND, "check", "--server", url], env, runs=1, statuses=(0, 1))
        yield from list(_three(f"check with {count:,} pods", checked, "kubectl get -o name", theirs))[::2]


def _growth(command: list[str], env: dict[str, str], count: int) -> float:
    run = subprocess.run(command, env=env, capture_output=True, check=True)
    found = json.loads(run.stdout)
    assert found["pods"] == count
    return float(found["growth"])


def prompt() -> Iterator[Row]:
    """The bytes that every first request holds beside the question."""
    from kubectl_berth.cli.tools import WIRES, as_sent
    from kubectl_berth.investigation.prompt import SYSTEM_PROMPT
    from kubectl_berth.tools.registry import ALL

    for wire in WIRES:
        sent = as_sent([tool.definition() for tool in ALL], wire)
        size = len(json.dumps(sent, separators=(",", ":"), ensure_ascii=False).encode()) + len(SYSTEM_PROMPT.encode())
        yield Row(f"{wire}: system prompt and {len(ALL)} tools", size, "bytes", "the bar", MOST_PROMPT_BYTES)


def main() -> None:
    """Prints the table, a line as soon as it is measured."""
    load = os.getloadavg()[0]
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, load {load:.1f} at the start\n")
    print("| measured | berth | beside it | | ratio |\n| --- | ---: | --- | ---: | ---: |", flush=True)
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        parts = [starting(home), first_request(home), tools(home), redaction(), pods(home, 10_000)]
        parts += [pods(home, 150_000)] if "--full" in sys.argv else []
        for part in (*parts, prompt()):
            for row in part:
                print(row, flush=True)


if __name__ == "__main__":
    main()
