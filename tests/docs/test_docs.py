"""The pages: generated ones are fresh, examples do what they show, links lead somewhere."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from kubectl_berth.cli.main import PROG_NAME, cli
from kubectl_berth.scenarios.reader import load
from kubectl_berth.simulator.kubeconfig import write_kubeconfig
from kubectl_berth.simulator.server import serve
from tests.docs.blocks import Script, Transcript, command_lines, scripts, shows, transcripts
from tests.process import ROOT, surroundings

README = ROOT / "README.md"
SCRIPTS = scripts(ROOT / "docs" / "runbook-scripts.md")
TRANSCRIPTS = transcripts(README)
PAGES = [README, ROOT / "SECURITY.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """Nothing of the developer's own; the commands of this environment first on PATH, the real kubectl among them."""
    found = surroundings(tmp_path, TERM="dumb")
    found["PATH"] = f"{Path(sys.executable).parent}:{found['PATH']}"
    return found


def generate(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """docs/generate.py of a copy of the pages."""
    script = [sys.executable, str(root / "docs" / "generate.py"), *arguments]
    return subprocess.run(script, capture_output=True, text=True, timeout=100, check=False)


def test_generated_pages_are_fresh() -> None:
    ended = generate(ROOT, "--check")
    assert ended.returncode == 0, ended.stderr


def test_a_stale_page_is_told_and_written_again(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    shutil.copytree(ROOT / "man", tmp_path / "man")
    page, manual = tmp_path / "docs" / "commands.md", tmp_path / "man" / "kubectl-berth-gone.1"
    right = page.read_text()
    page.write_text(right.replace("Reads only", "Reads", 1))
    manual.write_text(".TH GONE 1\n")
    (tmp_path / "man" / "kubectl-berth-ask.1").unlink()

    ended = generate(tmp_path, "--check")
    assert ended.returncode == 1
    assert [line.partition(";")[0] for line in ended.stderr.splitlines()] == [
        "docs/commands.md is stale",
        "man/kubectl-berth-ask.1 is missing",
        "man/kubectl-berth-gone.1 is of no command",
    ]
    assert generate(tmp_path).returncode == 0
    assert page.read_text() == right
    assert not manual.exists()
    assert (tmp_path / "man" / "kubectl-berth-ask.1").exists()


@pytest.fixture
def served(request: pytest.FixtureRequest, env: dict[str, str], tmp_path: Path) -> Iterator[Script]:
    """A script of the page, with a kubeconfig whose only context is the scenario it is for."""
    script: Script = request.param
    cluster = load(script.scenario).open()
    server = serve(cluster)
    try:
        write_kubeconfig(tmp_path / "kubeconfig", server.url, "prod", cluster.name().namespace)
        env["KUBECONFIG"] = str(tmp_path / "kubeconfig")
        yield script
    finally:
        server.close()


@pytest.mark.parametrize("served", SCRIPTS, indirect=True, ids=lambda script: script.scenario)
def test_scripts_of_the_runbook_page(served: Script, env: dict[str, str], tmp_path: Path) -> None:
    if shutil.which("jq") is None:
        pytest.skip("jq is not installed")
    ended = subprocess.run(
        ["bash", "-u", "-c", served.text],
        env=env,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (served.status, served.out), ended.stderr


def test_there_are_five_scripts_and_three_transcripts() -> None:
    assert (len(SCRIPTS), len(TRANSCRIPTS)) == (5, 3)


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda transcript: transcript.command)
def test_transcripts_of_the_readme(transcript: Transcript, env: dict[str, str], tmp_path: Path) -> None:
    ended = subprocess.run(
        ["bash", "-c", f"{transcript.command} 2>&1"],
        env=env,
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert shows(transcript.shown, ended.stdout), ended.stdout


def test_what_a_transcript_shows_is_compared() -> None:
    assert shows("one\n[...]\nlast 0.1 s\n", "one\ntwo\nthree\nlast 12.5 s\n")
    assert not shows("one\n[...]\nlast\n", "one\nlast but one\n")
    assert not shows("one\n", "one\ntwo\n")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:|mailto:)([^)]+)\)", page.read_text(encoding="utf-8")):
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), target
        if anchor:
            titles = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}, target


def test_every_manual_page_is_clean_troff() -> None:
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed")
    pages = sorted(str(page) for page in (ROOT / "man").glob("*.1"))
    ended = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8", *pages], capture_output=True, text=True, timeout=60, check=False
    )
    assert pages
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=lambda page: page.name)
def test_every_command_line_on_a_page_is_understood(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the snapshot that the pages speak of
    (tmp_path / "moment").mkdir()
    monkeypatch.chdir(tmp_path)
    for words in command_lines(page):
        understood(cli, PROG_NAME, words, None)


def understood(command: click.Command, name: str, words: list[str], parent: click.Context | None) -> None:
    """Raises click's error for a command, option or argument that is not there; runs nothing."""
    if isinstance(command, click.Group) and not words:
        return
    if isinstance(command, click.Group) and not words[0].startswith("-"):
        context = click.Context(command, info_name=name, parent=parent)
        for each in words[0].split("|"):
            below = command.get_command(context, each)
            assert below is not None, words
            understood(below, each, words[1:], context)
    elif not {"-h", "--help", "--version"} & set(words):
        # a sentence may name a command without what it takes
        with contextlib.suppress(click.MissingParameter):
            command.make_context(name, list(words), parent=parent)


def test_exit_statuses_told_by_help_are_those_of_the_table() -> None:
    text = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    told = 0
    for part in text.split("\n## ", 1)[1].split("\nExit status: ")[:-1]:
        own = text[text.index(part) + len(part) :].removeprefix("\nExit status: ").partition(".\n")[0]
        listed = {word.split()[0] for word in own.split(" · ")}
        helped = re.search(r"Exit status: (.+?)\n\n", part.rpartition("```text")[2], re.DOTALL)
        if helped and "that of the run" not in helped[1]:
            told += 1
            assert set(re.findall(r"\b\d+\b", helped[1])) <= listed
    assert told >= 4
