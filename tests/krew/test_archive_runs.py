"""What a person does with the archive: questions, clusters, snapshots, TAB, and the engines on servers of the tests."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.fakes.anthropic import FakeAnthropic
from tests.fakes.anthropic import obeying as claude_obeying
from tests.fakes.loopback import Hang
from tests.fakes.ollama import MODEL, FakeOllama, obeying, reply
from tests.krew.archive import KUBECTL, bare, kubectl, scenario_served
from tests.process import on_terminal, screen_of

pytestmark = [
    pytest.mark.archive,
    pytest.mark.timeout(900),
    pytest.mark.skipif(sys.platform == "win32", reason="krew makes no links there"),
]

SCENARIO = ("--scenario", "failing-rollout")
ASK = ("berth", "ask", "why does the rollout of checkout hang?")
ANSWER = "The image registry.example.com/shop/checkout:v2.4.1-rc does not exist."


def test_a_question_is_answered_and_the_status_passes_through(installed: Path, tmp_path: Path) -> None:
    asked = (*ASK, "--engine", "rules")
    done = kubectl(installed, tmp_path, *asked, *SCENARIO)
    assert done.returncode == 0 and "v2.4.1-rc" in done.stdout
    assert kubectl(installed, tmp_path, *asked, "--scenario", "no-such").returncode == 2
    assert kubectl(installed, tmp_path, *asked).returncode == 3


def test_a_served_cluster_is_read_like_the_scenario(installed: Path, tmp_path: Path) -> None:
    at_rest = kubectl(installed, tmp_path, "berth", "check", *SCENARIO, "-o", "json")
    with scenario_served(installed, tmp_path, "failing-rollout") as config:
        live = kubectl(installed, tmp_path, "berth", "check", "-o", "json", KUBECONFIG=str(config))
        answered = kubectl(installed, tmp_path, *ASK, "--engine", "rules", KUBECONFIG=str(config))
        doctor = kubectl(installed, tmp_path, "berth", "doctor", KUBECONFIG=str(config))
    assert live.returncode == at_rest.returncode == 1, live.stderr
    assert json.loads(live.stdout)["findings"] == json.loads(at_rest.stdout)["findings"] != []
    assert answered.returncode == 0 and "v2.4.1-rc" in answered.stdout
    assert "v1.3" in doctor.stdout and "Traceback" not in doctor.stderr, doctor.stderr


def test_a_snapshot_of_a_cluster_is_kept_and_read(installed: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    with scenario_served(installed, tmp_path, "failing-rollout") as config:
        made = kubectl(installed, tmp_path, "berth", "snapshot", "create", str(kept), KUBECONFIG=str(config))
    assert made.returncode == 0, made.stderr
    found = kubectl(installed, tmp_path, "berth", "check", "--snapshot", str(kept))
    assert found.returncode == 1 and "v2.4.1-rc" in found.stdout


def test_ollama_and_claude_answer_through_it(installed: Path, tmp_path: Path) -> None:
    look = ("list_pods", {"namespace": "shop"})
    with FakeOllama(obeying(ANSWER, look)) as server:
        variables = {"OLLAMA_HOST": server.url, "OLLAMA_MODEL": MODEL}
        done = kubectl(installed, tmp_path, *ASK, *SCENARIO, "--engine", "ollama", **variables)
        assert (done.returncode, done.stdout.strip()) == (0, ANSWER), done.stderr
        assert "checkout-" in json.dumps(server.requests[-1].body)
    with FakeAnthropic(claude_obeying(ANSWER, look)) as server:
        variables = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "-".join(("sk", "ant", "test"))}
        done = kubectl(installed, tmp_path, *ASK, *SCENARIO, "--engine", "claude", **variables)
        assert (done.returncode, done.stdout.strip()) == (0, ANSWER), done.stderr
        assert "checkout-" in json.dumps(server.requests[-1].body)


WRITTEN = """\
The image does not exist 🚢 (画像なし).

```yaml
image: registry.example.com/shop/checkout:v2.4.1-rc
```
"""


def test_an_answer_is_drawn_on_a_terminal(installed: Path, tmp_path: Path) -> None:
    with FakeOllama(obeying(WRITTEN, ("list_pods", {"namespace": "shop"}))) as server:
        environment = bare(installed, tmp_path, OLLAMA_HOST=server.url, OLLAMA_MODEL=MODEL)
        environment |= {"TERM": "xterm-256color", "LANG": "C.UTF-8"}
        words = [*ASK, *SCENARIO, "--engine", "ollama"]
        ended = on_terminal(words, environment, columns=100, command=[str(KUBECTL)])
    assert ended.status == 0, ended.out
    assert "\x1b[" in ended.out and "🚢" in ended.out and "画像なし" in ended.out
    assert any("image: registry.example.com/shop/checkout:v2.4.1-rc" in row for row in screen_of(ended.out, 100))


def test_an_interrupt_ends_it_at_once(installed: Path, tmp_path: Path) -> None:
    with FakeOllama([Hang(reply(ANSWER))]) as server:
        process = subprocess.Popen(
            [str(KUBECTL), *ASK, *SCENARIO, "--engine", "ollama"],
            env=bare(installed, tmp_path, OLLAMA_HOST=server.url, OLLAMA_MODEL=MODEL),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        deadline = time.monotonic() + 30
        while not server.requests and time.monotonic() < deadline:
            time.sleep(0.02)
        # kubectl has become the plugin: there is one process
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=10)
    assert (process.returncode, out) == (130, b"") and b"Traceback" not in err, err


def test_what_is_left_out_is_said_in_one_line_with_the_way_to_it(installed: Path, tmp_path: Path) -> None:
    bedrock = kubectl(installed, tmp_path, *ASK, *SCENARIO, "--engine", "bedrock", AWS_REGION="eu-west-1")
    assert (bedrock.returncode, bedrock.stdout) == (4, "")
    said = [line for line in bedrock.stderr.splitlines() if line.startswith("error: ")]
    assert said == [
        "error: the bedrock engine needs boto3, which this build leaves out: "
        "pipx install 'kubectl-berth[bedrock]' has it"
    ]
    assert "Traceback" not in bedrock.stderr
    results = str(tmp_path / "results")
    runs = ("eval", "run", "--scenario", "failing-rollout", "--engine", "rules", "--results", results)
    assert kubectl(installed, tmp_path, "berth", *runs).returncode == 0
    left_out = "which this build leaves out: pipx install 'kubectl-berth[eval]' has it"
    done = kubectl(installed, tmp_path, "berth", "eval", "compare", results, results)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: intervals and tests need scipy, {left_out}\n"
    report = kubectl(installed, tmp_path, "berth", "eval", "report", results)
    assert report.returncode == 0
    assert f"Without intervals: intervals and tests need scipy, {left_out}." in report.stdout


def completed(installed: Path, home: Path, *words: str, soon: bool = False, **variables: str) -> list[str]:
    """What the real kubectl tells its shells; names come with the first TAB or with a later one."""
    deadline = time.monotonic() + 20
    while True:
        done = subprocess.run(
            [str(KUBECTL), "__complete", "berth", *words],
            env=bare(installed, home, XDG_CACHE_HOME=str(home / "cache"), **variables),
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        )
        strange = [line for line in done.stderr.splitlines() if not line.startswith(("[Debug]", "Completion ended"))]
        assert strange == []
        lines = done.stdout.splitlines()
        if not soon or len(lines) > 1 or time.monotonic() > deadline:
            return [line.partition("\t")[0] for line in lines]
        time.sleep(0.1)


def test_tab_completes_through_the_link_that_the_caveats_name(installed: Path, tmp_path: Path) -> None:
    assert {"ask", "check", "doctor", ":4"} <= set(completed(installed, tmp_path, ""))
    assert "--scenario" in completed(installed, tmp_path, "check", "--sc")
    assert "failing-rollout" in completed(installed, tmp_path, "check", "--scenario", "fail")
    assert "shop" in completed(installed, tmp_path, "check", *SCENARIO, "-n", "", soon=True)


def test_tab_completes_names_of_a_live_cluster(installed: Path, tmp_path: Path) -> None:
    with scenario_served(installed, tmp_path, "failing-rollout") as config:
        found = completed(installed, tmp_path, "check", "-n", "", soon=True, KUBECONFIG=str(config))
    assert "shop" in found
    # without that link kubectl falls back to the names of files, and nothing goes wrong
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "kubectl-berth").symlink_to((installed / "kubectl-berth").resolve())
    assert completed(alone, tmp_path, "") == [":0"]
