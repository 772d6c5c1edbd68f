"""All rules by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kubectl_berth.evals.faithful import controllers, events, moment, objects, pods
from kubectl_berth.evals.faithful.world import Rule, World

RULES: Mapping[str, Rule] = {
    **objects.RULES,
    **pods.RULES,
    **controllers.RULES,
    **moment.RULES,
    **events.RULES,
}


def oddities(world: World) -> Iterator[tuple[str, str]]:
    """What is odd about a world: the rule's name, and one line."""
    for name, rule in RULES.items():
        try:
            for words in rule(world):
                yield name, words
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            # an object so bare that the others cannot be compared with it
            yield name, f"cannot be judged, an object lacks what every cluster fills in: {error}"
