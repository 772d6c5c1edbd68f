"""What a run ended as: the engine's last event, or the error that ended it, judged."""

from __future__ import annotations

from dataclasses import dataclass

from kubectl_berth.errors import (
    BerthError,
    EmptyAnswer,
    EngineError,
    ExitStatus,
    Fragment,
    ModelRefused,
    StillCallingTools,
)
from kubectl_berth.investigation.fragments import holds_a_written_call, is_fragment
from kubectl_berth.records import Finished, Outcome

CUT_OFF = "[The answer was cut off here: {why}.]"
_WHY_CUT_OFF = {
    "max_tokens": "the output limit was reached, --max-tokens raises it",
    "length": "the output limit was reached or the context is full",
    "model_context_window_exceeded": "the model's context is full",
}

_STILL_CALLING = "the model still asked for tools on its last call; raise --max-iter or choose another --model"
_CALLED_IN_TEXT = "the model ended with a tool call written as text; ask again or choose another --model"


@dataclass(frozen=True)
class Verdict:
    """How a run ended. `answer` is "" and `error` a sentence where there is no answer."""

    outcome: Outcome
    exit_status: int
    answer: str = ""
    error: str | None = None


def judge(finished: Finished) -> Verdict:
    """The verdict on an engine's last event. Text counts as an answer only after it was checked to be one."""
    text = finished.text.strip()
    if finished.reason == "cut-off" and text:
        notice = CUT_OFF.format(why=_WHY_CUT_OFF.get(finished.detail, finished.detail or "it went on"))
        return Verdict("cut-off", ExitStatus.OK, f"{text}\n\n{notice}")
    if finished.reason == "end" and text and not holds_a_written_call(text) and not is_fragment(text):
        return Verdict("answered", ExitStatus.OK, text)
    return failed(_error(finished, text))


def failed(error: BerthError) -> Verdict:
    """The verdict on a run that an error ended."""
    outcome: Outcome = error.outcome  # type: ignore[assignment]  # errors is below records and cannot name its type
    return Verdict(outcome, error.exit_status, error=str(error))


def _error(finished: Finished, text: str) -> BerthError:
    match finished.reason:
        case "refused":
            why = f" ({finished.detail})" if finished.detail else ""
            return ModelRefused(f"the model declined to answer{why}; ask differently or choose another --engine")
        case "tool-calls":
            return StillCallingTools(_STILL_CALLING if finished.forced else _CALLED_IN_TEXT)
        case "cut-off":
            return EngineError("the reply was cut off before it said anything; raise --max-tokens")
        case "error":
            return EngineError(f"the engine failed: {finished.detail or 'it did not say why'}")
        case "end" if holds_a_written_call(text):
            return StillCallingTools(_STILL_CALLING if finished.forced else _CALLED_IN_TEXT)
        case "end" if text:
            return Fragment("the model only said what it would do next; raise --max-iter or ask again")
    return EmptyAnswer("the model ended without an answer; ask again or choose another --model")
