"""Flags spelled as kubectl's parser allows: the expected values are what kubectl 1.37.1 makes of the same words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest

from kubectl_berth.cli.options import connection_flags, source_options
from kubectl_berth.cli.spelling import KubectlCommand
from tests.fakes.kube_recorder import make_tls, recording
from tests.process import berth, surroundings


@click.command(cls=KubectlCommand)
@click.argument("words", nargs=-1)
@source_options
@click.option("-A", "--all-namespaces", is_flag=True)
@click.option("-q", "--quiet", is_flag=True)
@click.option("--raw/--no-raw", default=None)
@connection_flags
def command(**options: Any) -> dict[str, Any]:
    return options


def parsed(*words: str) -> dict[str, Any]:
    options: dict[str, Any] = command.main(list(words), "berth", standalone_mode=False)
    return options


@pytest.mark.parametrize("written", ["1", "t", "T", "true", "TRUE", "True"])
def test_switched_on(written: str) -> None:
    found = parsed(f"--insecure-skip-tls-verify={written}", f"--disable-compression={written}", f"-A={written}")
    assert (found["overrides"].insecure, found["overrides"].disable_compression) == (True, True)
    assert found["all_namespaces"] is True


@pytest.mark.parametrize("written", ["0", "f", "F", "false", "FALSE", "False"])
def test_switched_off(written: str) -> None:
    found = parsed("--insecure-skip-tls-verify", f"--insecure-skip-tls-verify={written}", "-A", f"-A={written}")
    assert not found["overrides"]
    assert found["all_namespaces"] is False


@pytest.mark.parametrize("written", ["maybe", "", "yes", "tRUE", " true"])
def test_neither_on_nor_off(written: str, tmp_path: Path) -> None:
    ended = berth("check", f"--insecure-skip-tls-verify={written}", env=surroundings(tmp_path))
    assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert f"--insecure-skip-tls-verify': {written!r} is neither true nor false" in ended.err


@pytest.mark.parametrize(
    ("typed", "options"),
    [
        (["-A=false", "-A"], {"all_namespaces": True}),
        (["-qA"], {"all_namespaces": True, "quiet": True}),
        (["-qA=0"], {"all_namespaces": False, "quiet": True}),
        (["-qnshop"], {"quiet": True, "namespace": "shop"}),
        (["-n=shop"], {"namespace": "shop"}),
        (["-qn=shop"], {"quiet": True, "namespace": "shop"}),
        (["-n", "-A"], {"namespace": "-A", "all_namespaces": False}),
        (["-n=a=b"], {"namespace": "a=b"}),
        (["-n", "a", "--namespace=b"], {"namespace": "b"}),
        (["-n", ""], {"namespace": None}),
        (["--namespace=shop", "--namespace="], {"namespace": None}),
        (["--no-raw"], {"raw": False}),
        (["-A", "true"], {"all_namespaces": True, "words": ("true",)}),
        (["--", "-A", "--insecure-skip-tls-verify=maybe"], {"words": ("-A", "--insecure-skip-tls-verify=maybe")}),
        (["a", "-", "-A"], {"words": ("a", "-"), "all_namespaces": True}),
        (["--context", "-A=maybe"], {"kube_context": "-A=maybe"}),
    ],
)
def test_spelling(typed: list[str], options: dict[str, Any]) -> None:
    found = parsed(*typed)
    assert {name: found[name] for name in options} == options


def test_what_follows_a_flag_is_its_value() -> None:
    found = parsed("--as", "--insecure-skip-tls-verify=maybe", "-s", "-A=x")["overrides"]
    assert (found.impersonate, found.server) == ("--insecure-skip-tls-verify=maybe", "-A=x")


@pytest.mark.parametrize("words", [["--raw=true"], ["--no-raw=true"], ["-x"], ["-Ax=1"], ["--bogus"], ["-n"]])
def test_what_click_refuses_it_still_refuses(words: list[str]) -> None:
    with pytest.raises(click.UsageError):
        parsed(*words)


def test_a_connection_spelled_like_that(tmp_path: Path) -> None:
    with recording(make_tls(tmp_path)) as server:
        words = [f"-s={server.url}", "--token=typed", "--insecure-skip-tls-verify=T", "-A=false", "--namespace="]
        berth("check", *words, env=surroundings(tmp_path))
    assert [request.values("authorization") for request in server.requests[:1]] == [["Bearer typed"]]


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        *(("5", 5), ("+5", 5), ("007", 7), ("0", 0), ("0s", 0), ("1m30s", 90), ("+1.5s", 1.5), (".5s", 0.5)),
        *(("1h", 3600), ("", None), ("9223372036", 9223372036)),
    ],
)
def test_request_timeout(written: str, seconds: float | None) -> None:
    assert parsed(f"--request-timeout={written}")["request_timeout"] == seconds


@pytest.mark.parametrize(
    "written", ["abc", " 5", "5 s", "-1", "-5s", "0.5", "1d", "٣", "9223372037", "9999999h", "1e3s"]
)
def test_no_request_timeout(written: str) -> None:
    with pytest.raises(click.BadParameter, match="is no duration"):
        parsed(f"--request-timeout={written}")
