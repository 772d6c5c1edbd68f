"""A scenario asked in this process, without a model."""

from __future__ import annotations

import io
from typing import Any

from kubectl_berth.cli.ask import earlier_turns
from kubectl_berth.cli.sources import shelf_of
from kubectl_berth.engines.rules.engine import make_rules
from kubectl_berth.environment import Environment
from kubectl_berth.investigation.ask import Question, ask
from kubectl_berth.output.json_document import document
from kubectl_berth.scenarios.reader import Scenario
from kubectl_berth.settings import resolve


def asked(scenario: Scenario) -> dict[str, Any]:
    """The result document of the rules engine on this scenario's question."""
    here = Environment(io.StringIO(), io.StringIO(), io.StringIO(), {"XDG_CONFIG_HOME": "/nowhere"})
    settings = resolve({"engine": "rules"}, scenario.settings, here)
    question = Question(scenario.question, None, earlier_turns(scenario))
    shelf = shelf_of(scenario, settings, here)
    return document(ask(question, scenario.open, make_rules(), settings, here, lambda event: None, (), shelf))
