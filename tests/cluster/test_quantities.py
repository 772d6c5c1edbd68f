"""Quantities: the API's grammar, exactly; anything else is refused with words."""

from __future__ import annotations

from decimal import Decimal

import pytest

from kubectl_berth.cluster.quantities import format_bytes, format_cpu, format_quantity, quantity


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("250m", "0.25"),
        ("2", "2"),
        (2, "2"),
        (0.5, "0.5"),
        (".5", "0.5"),
        ("+1", "1"),
        ("-3", "-3"),
        ("100n", "0.0000001"),
        ("5u", "0.000005"),
        ("1k", "1000"),
        ("3M", "3000000"),
        ("1Ki", "1024"),
        ("1.5Gi", "1610612736"),
        ("1Ei", "1152921504606846976"),
        ("12E", "12000000000000000000"),
        ("1e3", "1000"),
        ("1E-2", "0.01"),
        (None, "0"),
    ],
)
def test_reads_every_suffix(text: str, number: str) -> None:
    assert quantity(text) == Decimal(number)


@pytest.mark.parametrize(
    "text", ["", "1 Gi", "1gi", "abc", "1e999", "1e3Ki", "--1", "1.2.3", "9" * 40, "NaN", "inf", "1\n2"]
)
def test_refuses_what_is_none_and_says_so(text: str) -> None:
    with pytest.raises(ValueError, match="is not a quantity"):
        quantity(text)


def test_writes_back_as_kubectl_does() -> None:
    assert [format_cpu(Decimal(text)) for text in ("0.25", "2", "1.5")] == ["250m", "2", "1500m"]
    assert [format_bytes(quantity(text)) for text in ("256Mi", "1536Mi", "999", "16Gi")] == [
        "256Mi",
        "1.5Gi",
        "999",
        "16Gi",
    ]
    assert format_quantity("requests.memory", quantity("3Gi")) == "3Gi"
    assert format_quantity("limits.cpu", quantity("1500m")) == "1500m"
    assert format_quantity("nvidia.com/gpu", quantity("2")) == "2"
