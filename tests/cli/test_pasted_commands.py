"""Commands that are shown to be pasted: no name from the cluster may become a command of its own."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from kubectl_berth.safety.shell import in_namespace, kubectl
from tests.process import berth, snapshot, surroundings

EVIL = "x;rm -rf ~ `id` $(id)"
OWNED = f'uid: a1, ownerReferences: [{{kind: StatefulSet, name: "{EVIL}", uid: b, controller: true}}]'
MEMORY = 'name: web, image: "registry.example/web:1", resources: {limits: {memory: 1Gi}}'


def edited(directory: Path, *edits: tuple[str, str]) -> str:
    pods = snapshot(directory) / "objects" / "pods.yaml"
    text = pods.read_text()
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    pods.write_text(text)
    return str(directory)


def test_a_name_that_kubernetes_cannot_have_is_no_object(tmp_path: Path) -> None:
    moment, env = edited(tmp_path / "moment", ("name: web-0", f'name: "{EVIL}"')), surroundings(tmp_path)
    checked = berth("check", "--snapshot", moment, env=env)
    assert (checked.status, "kubectl logs" in checked.out) == (0, False)
    assert f"pods: odd object (a Pod that cannot be: Kubernetes allows no name like '{EVIL}')" in checked.out
    answered = berth("ask", "what is wrong in shop?", "--engine", "rules", "--snapshot", moment, env=env)
    assert "kubectl logs" not in answered.out
    assert "odd object" in answered.out


@pytest.mark.parametrize(
    ("edits", "quoted"),
    [
        ([("name: web,", f'name: "{EVIL}",'), ("name: web\n", f'name: "{EVIL}"\n')], f"-c '{EVIL}'"),
        (
            [
                ("uid: a1", OWNED),
                ('name: web, image: "registry.example/web:1"', MEMORY),
                ("exitCode: 3, reason: Error", "exitCode: 137, reason: OOMKilled"),
            ],
            f"'statefulset/{EVIL}'",
        ),
    ],
    ids=["container", "owner"],
)
def test_what_no_server_looked_at_is_quoted(edits: list[tuple[str, str]], quoted: str, tmp_path: Path) -> None:
    moment, env = edited(tmp_path / "moment", *edits), surroundings(tmp_path)
    shown = berth("check", "--snapshot", moment, env=env).out
    shown += berth("ask", "why does web-0 crash?", "--engine", "rules", "--snapshot", moment, env=env).out
    told = [command for line in shown.splitlines() for command in re.findall(r"kubectl (?:logs|set) .*", line)]
    assert any(quoted in command for command in told)
    assert [command for command in told if EVIL in command.replace(quoted, "")] == []


def test_a_shell_takes_every_word_for_one_word() -> None:
    for word in (EVIL, "it's", "a b", "$HOME", "-n", "web-0", "deployment/api"):
        assert shlex.split(kubectl("logs", word, *in_namespace("shop"), "")) == ["kubectl", "logs", word, "-n", "shop"]
    assert kubectl("get", "pods", *in_namespace("")) == "kubectl get pods"
