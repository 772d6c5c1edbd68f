"""Rows and cells, against figures counted by hand."""

from __future__ import annotations

import pytest

from kubectl_berth.output.screen import cut, rows, width


@pytest.mark.parametrize(
    ("text", "columns", "expected"),
    [
        ("", 80, 1),
        ("abc", 80, 1),
        ("abc\n", 80, 2),
        ("a" * 80, 80, 1),
        ("a" * 81, 80, 2),
        ("a" * 80 + "\nb", 80, 2),
        ("a\n\nb", 80, 3),
        ("漢" * 5, 10, 1),
        ("漢" * 6, 10, 2),
        # a wide character that does not fit on the row's last cell starts the next row
        ("a" * 9 + "漢", 10, 2),
        ("e\u0301" * 10, 10, 1),
        ("\tx", 10, 1),
        ("\t" * 5 + "x", 10, 1),
    ],
)
def test_rows(text: str, columns: int, expected: int) -> None:
    assert rows(text, columns) == expected


@pytest.mark.parametrize(("character", "cells"), [("a", 1), ("é", 1), ("漢", 2), ("\u0301", 0), ("🙂", 2)])
def test_width(character: str, cells: int) -> None:
    assert width(character) == cells


def test_cut_keeps_to_the_columns() -> None:
    assert cut("short", 10) == "short"
    assert cut("0123456789", 10) == "0123456789"
    assert cut("0123456789a", 10) == "0123456..."
    assert cut("漢漢漢漢漢漢", 10) == "漢漢漢..."
