"""What the rules engine answers about a small cluster."""

from __future__ import annotations

from kubectl_berth.engines.engine import Conversation
from kubectl_berth.engines.rules.engine import make_rules
from kubectl_berth.records import Finished
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.toolbox import Toolbox
from tests.fakes.small_clusters import SmallCluster


def ask(small: SmallCluster, question: str) -> str:
    """The whole answer."""
    toolbox = Toolbox(Context(small.open()))
    finished = list(make_rules().run(Conversation("", "", question, ()), toolbox, 8))[-1]
    assert isinstance(finished, Finished)
    return finished.text


def first(answer: str) -> str:
    """The answer's first line."""
    return answer.splitlines()[0]


def holds(small: SmallCluster, question: str, says: tuple[str, ...], never: tuple[str, ...] = ()) -> None:
    """That the first line of the answer has these words, and nothing before its footer those."""
    answer = ask(small, question)
    for words in says:
        assert words in first(answer), answer
    for words in never:
        assert words not in answer.partition("No model was used")[0], answer
