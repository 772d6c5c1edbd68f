"""Runbooks: what is shipped, what fits, and directories of a person's own with everything odd in them."""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path

import pytest

import kubectl_berth.diagnosis.checks
from kubectl_berth.errors import UsageError
from kubectl_berth.knowledge.runbooks import MOST_BYTES, SHIPPED, open_library, parse, read_directory, shipped


def reason_codes() -> set[str]:
    """The codes that stand as constants in the findings of the checks."""
    found: set[str] = set()
    for path in Path(kubectl_berth.diagnosis.checks.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Finding" and len(node.args) > 2:
                reason = node.args[2]
                for branch in (reason.body, reason.orelse) if isinstance(reason, ast.IfExp) else (reason,):
                    if isinstance(branch, ast.Constant):
                        found.add(str(branch.value))
    return found


def test_at_least_twenty_and_each_whole() -> None:
    found, odd = read_directory(SHIPPED)
    assert len(found) >= 20
    assert odd == []
    assert len({runbook.title for runbook in found}) == len(found)
    for runbook in found:
        assert runbook.reasons and runbook.symptoms, runbook.title
        assert "## Do" in runbook.text and "## Not first" in runbook.text, runbook.title
        assert len(runbook.text) < 2000, runbook.title


def test_every_reason_code_of_the_checks_has_one() -> None:
    codes = reason_codes()
    assert len(codes) > 40
    assert codes - {reason for runbook in shipped() for reason in runbook.reasons} == set()


@pytest.mark.parametrize(
    ("query", "source"),
    [
        ("CrashLoopBackOff", "container-crashes.md"),
        ("crashloopbackoff of api", "container-crashes.md"),
        ("why is worker OOMKilled", "out-of-memory.md"),
        ("exit code 137 out of memory", "out-of-memory.md"),
        ("drain of node-2 hangs", "drain-blocked.md"),
        ("pods Pending, insufficient cpu", "unschedulable.md"),
        ("lookup orders: no such host", "dns.md"),
        ("pull access denied for registry", "image-pull.md"),
        ("namespace Terminating for days, finalizers", "deletion-stuck.md"),
        ("CustomResourceDegraded", "custom-resource.md"),
    ],
)
def test_what_fits(query: str, source: str) -> None:
    assert open_library([]).match(query)[0].source == source


def test_nothing_fits_everything() -> None:
    assert open_library([]).match("banana marathon") == []
    assert open_library([]).match("") == []


def test_the_persons_own_come_first_and_are_marked(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "ours.md").write_text("---\ntitle: Ours\nreasons: [OOMKilled]\n---\nCall the team.\n")
    (tmp_path / "notes.txt").write_text("OOMKilled")
    (tmp_path / ".hidden.md").write_text("OOMKilled OOMKilled")
    first, second, *_ = open_library([tmp_path]).match("OOMKilled")
    assert (first.title, first.own, first.source) == ("Ours", True, "deep/ours.md")
    assert (second.source, second.own) == ("out-of-memory.md", False)


@pytest.mark.parametrize(
    ("content", "odd"),
    [
        ("---\ntitle: [unclosed\n---\n# Disk full\nText of the disk.\n", "is no YAML"),
        ("---\ntitle: Disk\n# Disk full\nText of the disk.\n", "does not end"),
        ("---\n- a\n- b\n---\n# Disk full\nText of the disk.\n", "is no list of fields"),
        ("# Disk full\nText of the disk.\n", ""),
        ("---\nreasons: {a: b}\nsymptoms: 7\n---\n# Disk full\nText of the disk.\n", ""),
        ("\ufeff---\ntitle:\n---\n# Disk full\nText of the disk.\n", ""),
    ],
)
def test_broken_front_matter_is_one_notice_and_still_a_runbook(tmp_path: Path, content: str, odd: str) -> None:
    (tmp_path / "disk.md").write_text(content)
    library = open_library([tmp_path])
    (runbook,) = library.own
    assert runbook.title == "Disk full"
    assert "Text of the disk." in runbook.text
    assert library.match("disk full")[0] == runbook
    assert len(library.notices) == bool(odd)
    assert all(odd in notice and "disk.md" in notice for notice in library.notices)


def test_without_a_heading_the_file_names_it() -> None:
    assert parse("words", "on-call/disk_full.md")[0].title == "disk full"


def test_a17_nothing_outside_the_directory_is_read(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    inside = tmp_path / "inside"
    for directory in (outside, inside):
        directory.mkdir()
    (outside / "secret.md").write_text("# Canary words\n")
    (inside / "link.md").symlink_to(outside / "secret.md")
    (inside / "way").symlink_to(outside)
    (inside / "up.md").symlink_to("../outside/secret.md")
    (inside / "dangling.md").symlink_to("nowhere.md")
    (inside / "good.md").write_text("# Good\n")
    (inside / "alias.md").symlink_to("good.md")
    os.mkfifo(inside / "pipe.md")
    library = open_library([inside])
    assert [runbook.title for runbook in library.own] == ["Good", "Good"]
    assert "Canary" not in repr(library)
    assert sorted(re.findall(r"(\w+)\.md", " ".join(library.notices))) == ["dangling", "link", "pipe", "up"]


def test_a17_the_directory_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "good.md").write_text("# Good\n")
    (tmp_path / "link").symlink_to("real")
    assert [runbook.title for runbook in open_library([tmp_path / "link"]).own] == ["Good"]


def test_large_and_odd_bytes(tmp_path: Path) -> None:
    (tmp_path / "large.md").write_bytes(b"# Large\n" + b"x" * (MOST_BYTES * 2))
    (tmp_path / "bytes.md").write_bytes(b"# Bytes \xff\xfe\n\x00")
    library = open_library([tmp_path])
    assert {len(runbook.text.encode()) <= MOST_BYTES for runbook in library.own} == {True}
    assert len(library.notices) == 1 and "large.md" in library.notices[0]


def test_no_such_directory() -> None:
    with pytest.raises(UsageError, match="--runbooks /no/such: there is no such directory"):
        open_library(["/no/such"])


def test_a_scenarios_runbooks() -> None:
    library = open_library([], ["---\ntitle: A\nreasons: [OOMKilled]\n---\nText.", {"title": "B", "text": "OOMKilled"}])
    assert [runbook.title for runbook in library.match("OOMKilled")[:2]] == ["A", "B"]
