"""What the answer says after the model tried to change the cluster: nothing was done, and where an order stands."""

from __future__ import annotations

from kubectl_berth.engines.rules.orders import addresses_an_assistant
from kubectl_berth.safety.gate import CLOSING, OPENING
from kubectl_berth.safety.sanitise import one_line
from kubectl_berth.tools.toolbox import Toolbox

QUOTE = 200
"""Characters of the order that are quoted at most."""


def remark(toolbox: Toolbox) -> str:
    """One line for the end of the answer, "" where nothing was tried.

    An order is spoken of only where one is found in what the tools returned before: it is no reproach to the person.
    """
    tried = next((entry for entry in toolbox.trace if entry.fate == "tripwire"), None)
    if tried is None:
        return ""
    words = "The model asked berth to change the cluster; berth is read-only and nothing was done."
    for entry in toolbox.trace:
        if entry.n >= tried.n:
            break
        if order := _order(toolbox.text(entry.n)):
            asked = one_line(" ".join(str(value) for value in entry.arguments.values() if isinstance(value, str)), 120)
            return f'[{words} What {entry.tool} {asked} returned gives orders to an assistant: "{order}"]'
    return f"[{words}]"


def _order(text: str) -> str:
    """The first line that speaks to an assistant, "" where none does."""
    for line in text.splitlines():
        if line not in (OPENING, CLOSING) and addresses_an_assistant(line):
            return one_line(line, QUOTE).replace('"', "'")
    return ""
