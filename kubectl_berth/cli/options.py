"""Options that several commands share, spelled as kubectl spells them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION = re.compile(r"\+?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+")
_PART = re.compile(r"(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)")


class Duration(click.ParamType[float]):
    """kubectl's durations: whole seconds, or 1m30s; 0 means no limit. Gives seconds."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        text = str(value).strip()
        if re.fullmatch(r"\d+", text):
            return float(text)
        if not _DURATION.fullmatch(text):
            self.fail(f"{text!r} is no duration; give whole seconds or a time like 1m30s", param, ctx)
        return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text))


def source_options(command: F) -> F:
    """Which cluster: a context of a kubeconfig, a snapshot directory or a scenario."""
    for option in reversed(
        (
            click.option("--context", "kube_context", metavar="NAME", help="Context of the kubeconfig to use."),
            click.option("-n", "--namespace", metavar="NAME", help="Read this namespace only."),
            click.option("--kubeconfig", metavar="FILE", help="The kubeconfig file to use."),
            click.option(
                "--request-timeout",
                type=Duration(),
                metavar="DURATION",
                help="Give up on one request to the API server after this long (5s, 1m30s); 0 means never.",
            ),
            click.option("--snapshot", metavar="DIR", help="Read a snapshot directory instead of a live cluster."),
            click.option("--scenario", metavar="NAME", help="Read a shipped scenario, or one's directory."),
            click.option("--twin", is_flag=True, help="Take the scenario's healthy twin."),
        )
    ):
        command = option(command)
    return command
