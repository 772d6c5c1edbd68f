"""What goes wrong between us and Claude on Bedrock, as one sentence each. Its errors carry a message and no type."""

from __future__ import annotations

from kubectl_berth.engines import claude_errors
from kubectl_berth.engines.bedrock_models import needs_profile, too_old
from kubectl_berth.engines.claude_errors import Place
from kubectl_berth.errors import EngineError, EngineUnreachable, NoAnswer
from kubectl_berth.safety.sanitise import one_line

CREDENTIALS = "AWS_BEARER_TOKEN_BEDROCK, AWS_PROFILE or the AWS access key"

_STALE = ("security token", "expired", "signature", "unrecognizedclient", "api key", "bearer token", "credential")


def status_error(place: Place, model: str, status: int, kind: str, message: str) -> NoAnswer:
    """Bedrock answered with this HTTP status and message (200: in the middle of a reply)."""
    said = one_line(message)
    low = said.lower()
    if status == 400 and "on-demand throughput" in low:
        return EngineError(f"{needs_profile(model, place.host)} (400: {said})")
    if status == 400 and ("anthropic_version" in low or "api version" in low):
        return EngineError(f"{too_old(model, place.host)} (400: {said})")
    if status == 404 or (status == 400 and "model identifier" in low):
        return EngineError(
            f"{place.host} has no model {model} ({status}: {said}): `aws bedrock list-inference-profiles` lists those "
            "of a region, --model or MODEL chooses one"
        )
    if status in (401, 403) and any(word in low for word in _STALE):
        return EngineUnreachable(f"{place.host} refused the credentials ({status}: {said}): renew {CREDENTIALS}")
    if status == 403:
        return EngineUnreachable(
            f"these credentials may not use {model} at {place.host} (403: {said}): they need the action "
            "bedrock:InvokeModelWithResponseStream and access to the model in this account"
        )
    return claude_errors.status_error(place, model, status, kind, message)


def foreign() -> tuple[type[Exception], ...]:
    """The error types of botocore, and the one that the SDK raises where it finds no credentials."""
    from botocore.eventstream import ParserError
    from botocore.exceptions import BotoCoreError, ClientError
    from botocore.parsers import ResponseParserError

    return BotoCoreError, ClientError, ParserError, ResponseParserError, RuntimeError


def foreign_error(place: Place, error: Exception) -> NoAnswer | None:
    """The sentence for one of these; None for a RuntimeError of anybody else."""
    from botocore.eventstream import ParserError
    from botocore.parsers import ResponseParserError

    if isinstance(error, ParserError | ResponseParserError):
        return claude_errors.not_the_api(place)
    if isinstance(error, RuntimeError) and "credentials" not in str(error):
        return None
    return EngineUnreachable(
        f"no usable AWS credentials for Bedrock ({one_line(str(error))}): set {CREDENTIALS}, log in again, or ask with "
        "--engine rules"
    )
