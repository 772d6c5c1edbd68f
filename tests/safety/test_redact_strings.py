"""Strings of many forms: what each must lose and keep, and lines that must come through as they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from kubectl_berth.safety.redact import redact
from kubectl_berth.safety.sanitise import sanitise

FILES = sorted((Path(__file__).parent / "redaction").glob("*.yaml"))


def whole(value: Any) -> Any:
    """The value without the bars that keep tokens apart in the file."""
    if isinstance(value, dict):
        return {key: whole(each) for key, each in value.items()}
    return [whole(each) for each in value] if isinstance(value, list) else value.replace("¦", "")


def cases(part: str) -> list[Any]:
    """Every entry of a part of all files, by its number or its place."""
    found = []
    for file in FILES:
        for number, entry in enumerate(whole(yaml.safe_load(file.read_text()))[part]):
            told = entry if isinstance(entry, dict) else {"text": entry}
            found.append(pytest.param(told, id=told.get("id") or f"{file.stem}-{number}"))
    return found


@pytest.mark.parametrize("case", cases("secrets"))
def test_a_secret_goes(case: dict[str, Any]) -> None:
    text = redact(sanitise(case["text"]))
    assert not [part for part in case["gone"] if part in text], text
    assert not [part for part in case.get("kept", []) if part not in text], text
    assert redact(text) == text


@pytest.mark.parametrize("case", cases("plain"))
def test_what_is_no_secret_is_not_touched(case: dict[str, Any]) -> None:
    assert redact(sanitise(case["text"])) == case["text"]


def test_the_whole_checklist_is_here() -> None:
    numbers = {case.id for part in ("secrets", "plain") for case in cases(part)}
    assert {f"P{number:02}" for number in range(1, 45)} | {f"N{number:02}" for number in range(1, 37)} <= numbers
