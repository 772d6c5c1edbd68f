"""kubectl berth tools and tool: what a model is told of, and what it would see, by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kubectl_berth.investigation.prompt import SYSTEM_PROMPT
from tests.fakes import anthropic, ollama
from tests.process import berth, surroundings
from tests.tools.objects import shop, write

MOST_DEFINITIONS, MOST_WITH_PROMPT = 6500, 10_500
FIFTEEN = set(
    "describe_resource list_pods get_events get_logs analyze_workload_resources cluster_health analyze_capacity "
    "check_availability check_disruption_budgets list_resources lookup_runbook recall_incidents propose_remediation "
    "record_incident apply_remediation".split()
)
LOG = {"shop/api-6b8f7c9d44-q7zkd/app.previous.log": "FATAL no DATABASE_URL\n"}


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return surroundings(tmp_path)


@pytest.fixture
def moment(tmp_path: Path) -> str:
    return str(write(tmp_path / "moment", shop(), LOG))


def test_definitions_as_each_engine_sends_them(env: dict[str, str], moment: str) -> None:
    """What the wire carries is what `tools` prints, and it is small enough."""
    for engine, module in (("claude", anthropic), ("ollama", ollama)):
        fake: Any = module.FakeAnthropic([module.reply("Fine.")]) if engine == "claude" else None
        fake = fake or ollama.FakeOllama(ollama.obeying("Fine."))
        with fake:
            there = {"ANTHROPIC_BASE_URL": fake.url, "ANTHROPIC_API_KEY": "k" + "ey"}
            there |= {"OLLAMA_HOST": fake.url, "OLLAMA_MODEL": ollama.MODEL}
            ended = berth("ask", "why?", "--snapshot", moment, "--engine", engine, env=env | there)
            assert ended.status == 0, ended.err
            sent = fake.requests[-1].body["tools"]
        for tool in sent:
            tool.pop("cache_control", None)
        shown = json.loads(berth("tools", "--engine", engine, "-o", "json", env=env).out)
        assert [tool["definition"] for tool in shown["tools"]] == sent
        size = sum(len(json.dumps(tool, separators=(",", ":"), ensure_ascii=False).encode()) for tool in sent)
        assert shown["bytes"] == size <= MOST_DEFINITIONS
        assert size + len(SYSTEM_PROMPT.encode()) <= MOST_WITH_PROMPT


def test_tools_lists_each_with_its_size(env: dict[str, str]) -> None:
    ended = berth("tools", env=env)
    *rows, total = ended.out.splitlines()
    assert (ended.status, ended.err) == (0, "")
    sizes = [int(row.split()[0]) for row in rows]
    assert f"{sum(sizes)} B  {len(rows)} tools" in total
    assert any(row.split()[2].startswith("describe_resource(kind,") for row in rows)
    assert {row.split()[2].split("(")[0] for row in rows} == FIFTEEN


def test_tool_prints_exactly_what_a_model_sees(env: dict[str, str], moment: str) -> None:
    arguments = {"namespace": "shop", "onlyUnhealthy": True}
    with ollama.FakeOllama(ollama.obeying("Fine.", ("list_pods", arguments))) as fake:
        there = env | {"OLLAMA_HOST": fake.url, "OLLAMA_MODEL": ollama.MODEL}
        berth("ask", "why?", "--snapshot", moment, "--engine", "ollama", env=there)
        seen = next(message["content"] for message in fake.requests[-1].body["messages"] if message["role"] == "tool")
    ended = berth("tool", "list_pods", "namespace=shop", "onlyUnhealthy=true", "--snapshot", moment, env=env)
    assert ended.status == 0
    assert ended.out.rstrip("\n") == seen.rpartition("\n[model calls left")[0]
    assert ended.err.startswith("ok, ") and ended.err.count("\n") == 1


def test_tool_as_json(env: dict[str, str], moment: str) -> None:
    step = "steps=kubectl rollout undo deployment/api -n shop"
    ended = berth("tool", "propose_remediation", "summary=x", step, "-o", "json", "--snapshot", moment, env=env)
    found = json.loads(ended.out)
    assert (ended.status, ended.err, found["schema"]) == (0, "", "berth.dev/v1/tool-result")
    assert (found["tool"], found["fate"], found["error"]) == ("propose_remediation", "ok", None)
    assert found["arguments"] == {"summary": "x", "steps": step.removeprefix("steps=")}
    assert found["bytes"] == len(found["text"].encode())


@pytest.mark.parametrize(
    ("arguments", "status", "fate"),
    [
        (["get_logs", "name=api", "namespace=shop"], 0, "ok"),
        (["get_logs", "name=api", "namespace=shop", "--engine", "claude"], 0, "withheld"),
        (["get_logs", "name=api", "namespace=shop", "--engine", "claude", "--allow-raw-diagnostics"], 0, "ok"),
        (["get_logs", "name=api", "namespace=shop", "--no-raw-diagnostics"], 0, "withheld"),
        (["get_logs", "name=api", "namespace=shop", "--engine", "ollama"], 0, "ok"),
        (["get_logs", "name=api", "namespace=shop", "--engine", "rules"], 0, "ok"),
        (["describe_resource", "kind=Secret", "name=db", "namespace=shop"], 1, "refused"),
        (["describe_resource", "kind=Pod"], 1, "error"),
        (["get_resource", "kind=Pod"], 1, "error"),
        (["list_pods", "namespace=shop", "node=node-2"], 0, "empty"),
        (["apply_remediation", "summary=restart web"], 1, "tripwire"),
    ],
)
def test_fate_and_exit_status(arguments: list[str], status: int, fate: str, env: dict[str, str], moment: str) -> None:
    there = env | {"ANTHROPIC_API_KEY": "k" + "ey"}
    ended = berth("tool", *arguments, "--snapshot", moment, "-o", "json", env=there)
    found = json.loads(ended.out)
    assert (ended.status, found["fate"]) == (status, fate), found
    assert ("DATABASE_URL" in ended.out) == (fate == "ok")
    assert (found["error"] is None) == (fate in ("ok", "empty", "tripwire"))


def test_an_ollama_elsewhere_gets_no_log(env: dict[str, str], moment: str) -> None:
    there = env | {"OLLAMA_HOST": "gpu.example:11434"}
    ended = berth("tool", "get_logs", "name=api", "--engine", "ollama", "--snapshot", moment, env=there)
    assert ended.err.startswith("withheld, ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["tool"], "missing argument 'NAME'"),
        (["tool", "list_pods", "shop"], "'shop' is no argument of a tool; write it as key=value"),
        (["tool", "list_pods", "=x"], "write it as key=value"),
        (["tool", "list_pods", "--engine", "gpt"], "--engine must be one of"),
        (["tool", "list_pods", "--runbooks", "/no/such"], "there is no such directory"),
        (["tools", "--engine", "gpt"], "'gpt'"),
    ],
)
def test_usage_errors(arguments: list[str], words: str, env: dict[str, str], moment: str) -> None:
    extra = ["--snapshot", moment] if arguments[0] == "tool" else []
    ended = berth(*arguments, *extra, env=env)
    assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert words in ended.err


def test_the_persons_runbooks(env: dict[str, str], moment: str, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "oom.md").write_text("---\ntitle: [\n---\n# Ours\nOOMKilled\n")
    ended = berth("tool", "lookup_runbook", "query=OOMKilled", "--runbooks", str(own), "--snapshot", moment, env=env)
    assert "Runbook of this person's own: Ours (oom.md)" in ended.out
    assert ended.err.count("front matter is no YAML") == 1
    settings = tmp_path / "config" / "kubectl-berth"
    settings.mkdir(parents=True)
    (settings / "settings.yaml").write_text(f"runbooks: {own}\n")
    assert "Ours" in berth("tool", "lookup_runbook", "query=OOMKilled", "--snapshot", moment, env=env).out
