"""The shipped scenarios, opened for tests."""

from __future__ import annotations

from functools import lru_cache

from kubectl_berth.evals.faithful.world import World
from kubectl_berth.evals.faithful.world import world as opened
from kubectl_berth.scenarios import reader


@lru_cache(maxsize=4)
def world(name: str, twin: bool = False, version: str | None = None) -> World:
    """Opens a scenario; the last few stay open."""
    return opened(reader.load(name, twin=twin, version=version))


def worlds() -> list[tuple[str, bool]]:
    """Every shipped scenario, and its twin (True) where it has one."""
    found = []
    for name in reader.names():
        found.append((name, False))
        if (reader.SHIPPED / name / "twin").is_dir():
            found.append((name, True))
    return found
