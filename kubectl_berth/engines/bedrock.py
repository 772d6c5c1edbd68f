"""Claude on AWS Bedrock: the loop of the Anthropic API over AWS's event stream, with AWS's credentials."""

from __future__ import annotations

import re
from typing import Any

from kubectl_berth.engines import bedrock_errors
from kubectl_berth.engines.bedrock_models import checked
from kubectl_berth.engines.claude_errors import Place, odd_key
from kubectl_berth.engines.claude_loop import ClaudeEngine, Service, Ways
from kubectl_berth.engines.connections import host_of, is_http
from kubectl_berth.environment import missing
from kubectl_berth.errors import EngineUnreachable, UsageError
from kubectl_berth.safety.sanitise import one_line

MODULES = ("anthropic.lib.bedrock", "boto3", "botocore.auth", "botocore.eventstream", "botocore.parsers")
"""What to import beside the SDK before the first request."""

EXTRA = f"the bedrock engine needs boto3, {missing('bedrock')}"
NO_REGION = (
    "no AWS region for Bedrock: set AWS_REGION, or give the AWS profile one (aws configure set region us-east-1)"
)

_REGION = re.compile(r"[a-z]{2,}(-[a-z]+)+-\d+")


def is_installed() -> bool:
    """True where the libraries of the `bedrock` extra are there."""
    try:
        import botocore  # noqa: F401
    except ImportError:
        return False
    return True


def region(named: str | None) -> str | None:
    """The region that was named, else that of the AWS profile; None where there is none.

    Raises EngineUnreachable for a profile or an AWS settings file that cannot be used.
    """
    if named or not is_installed():
        return named
    from botocore.exceptions import BotoCoreError
    from botocore.session import Session

    try:
        found = Session().get_config_variable("region")
    except BotoCoreError as error:
        raise EngineUnreachable(f"no AWS region for Bedrock ({one_line(str(error))}): set AWS_REGION") from error
    return str(found) if found else None


def place_of(aws_region: str | None, base_url: str | None) -> tuple[str, str]:
    """The region and the URL of requests. Raises UsageError for what is none, EngineUnreachable without a region."""
    where = region(aws_region)
    if where is None:
        raise EngineUnreachable(NO_REGION)
    if not _REGION.fullmatch(where):
        raise UsageError(f"{where!r} is no AWS region: set AWS_REGION to one like us-east-1")
    url = base_url or f"https://bedrock-runtime.{where}.amazonaws.com"
    if not is_http(url):
        raise UsageError("ANTHROPIC_BEDROCK_BASE_URL is no http or https URL: unset it")
    return where, url


def make_bedrock(
    model: str,
    ways: Ways,
    *,
    aws_region: str | None,
    token: str | None = None,
    base_url: str | None = None,
    source: str = "--model",
) -> ClaudeEngine:
    """The engine for Claude on Bedrock. `source` says where the model was named.

    Without `token` (AWS_BEARER_TOKEN_BEDROCK) requests are signed with what AWS's own chain of credentials finds.
    Raises UsageError for a model, region or URL that cannot be used, EngineUnreachable where boto3 or a region is
    missing, or the token is none.
    """
    if not is_installed():
        raise EngineUnreachable(EXTRA)
    model = checked(model, source)
    where, url = place_of(aws_region, base_url)
    if odd := odd_key("AWS_BEARER_TOKEN_BEDROCK", token):
        raise EngineUnreachable(odd)

    def client(options: dict[str, Any]) -> Any:
        import anthropic

        made = anthropic.AnthropicBedrock(aws_region=where, api_key=token, **options)
        # a variable that is set and blank would count as a token there
        made.api_key = token
        return made

    place = Place(
        host_of(url),
        api="Bedrock",
        key=bedrock_errors.CREDENTIALS,
        address="AWS_REGION, ANTHROPIC_BEDROCK_BASE_URL",
    )
    service = Service(
        "bedrock",
        url,
        place,
        client,
        # Bedrock's own integration is not known to take the mark that moves by itself
        marks_itself=False,
        status_error=bedrock_errors.status_error,
        foreign=bedrock_errors.foreign,
        foreign_error=bedrock_errors.foreign_error,
    )
    return ClaudeEngine(model, service, ways)
