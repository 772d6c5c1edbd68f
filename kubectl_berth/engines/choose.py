"""Which engine answers: the one asked for, or what `auto` finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from kubectl_berth.engines.engine import Engine
from kubectl_berth.environment import Environment
from kubectl_berth.errors import EngineUnreachable
from kubectl_berth.settings import Settings

if TYPE_CHECKING:
    from kubectl_berth.engines.claude_loop import Ways

PROBE_SECONDS = 0.3
LIST_SECONDS = 5.0


@dataclass(frozen=True)
class Choice:
    """The engine, and what the person should know about how it was chosen, one line each."""

    engine: Engine
    remarks: tuple[str, ...] = ()


def choose(settings: Settings, environment: Environment, remaining: Callable[[], float]) -> Choice:
    """The engine of a run. `remaining` gives the seconds left of it.

    Raises UsageError for a setting that the engine cannot use, EngineUnreachable where one that was asked for is not
    there.
    """
    match settings.engine:
        case "rules":
            return Choice(_rules())
        case "claude":
            return Choice(_claude(settings, environment, remaining))
        case "ollama":
            return Choice(_named_ollama(settings, remaining))
        case "bedrock":
            return Choice(_bedrock(settings, environment, remaining))
    return _auto(settings, environment, remaining)


def _auto(settings: Settings, environment: Environment, remaining: Callable[[], float]) -> Choice:
    if environment.variable("ANTHROPIC_API_KEY"):
        return Choice(_claude(settings, environment, remaining), ("auto chose claude: ANTHROPIC_API_KEY is set",))
    remarks: tuple[str, ...] = ()
    if environment.variable("AWS_BEARER_TOKEN_BEDROCK"):
        missing = _missing_for_bedrock(settings)
        if not missing:
            chosen = "auto chose bedrock: AWS_BEARER_TOKEN_BEDROCK and a region are set"
            return Choice(_bedrock(settings, environment, remaining), (chosen,))
        remarks = (f"auto left bedrock out: {missing}",)
    model, why = _probe(settings)
    if model:
        return Choice(_ollama(settings, remaining, model), (*remarks, f"auto chose ollama: {why}"))
    return Choice(_rules(), (*remarks, f"auto chose the rules engine: no ANTHROPIC_API_KEY, and {why}"))


def _missing_for_bedrock(settings: Settings) -> str:
    """What Bedrock lacks beside its token, "" for nothing."""
    from kubectl_berth.engines.bedrock import EXTRA, NO_REGION, is_installed, region

    if not is_installed():
        return EXTRA
    try:
        return "" if region(settings.aws_region) else NO_REGION
    except EngineUnreachable as error:
        return str(error)


def _rules() -> Engine:
    from kubectl_berth.engines.rules.engine import make_rules

    return make_rules()


def _claude(settings: Settings, environment: Environment, remaining: Callable[[], float]) -> Engine:
    from kubectl_berth.engines.claude import DEFAULT_MODEL, make_claude
    from kubectl_berth.engines.claude_loop import preload

    engine = make_claude(
        settings.model or settings.anthropic_model or DEFAULT_MODEL,
        _ways(settings, remaining),
        base_url=settings.anthropic_base_url,
        api_key=environment.variable("ANTHROPIC_API_KEY") or None,
    )
    # over a second of CPU, spent while the cluster is read
    preload()
    return engine


def _bedrock(settings: Settings, environment: Environment, remaining: Callable[[], float]) -> Engine:
    from kubectl_berth.engines.bedrock import MODULES, make_bedrock
    from kubectl_berth.engines.bedrock_models import DEFAULT_MODEL
    from kubectl_berth.engines.claude_loop import preload

    engine = make_bedrock(
        settings.model or settings.bedrock_model or DEFAULT_MODEL,
        _ways(settings, remaining),
        aws_region=settings.aws_region,
        token=environment.variable("AWS_BEARER_TOKEN_BEDROCK") or None,
        base_url=settings.bedrock_base_url,
        source=settings.source("model" if settings.model else "bedrock_model"),
    )
    preload(*MODULES)
    return engine


def _ways(settings: Settings, remaining: Callable[[], float]) -> Ways:
    from kubectl_berth.engines.claude_loop import Ways

    return Ways(settings.effort, settings.thinking, settings.max_tokens, remaining)


def _ollama(settings: Settings, remaining: Callable[[], float], model: str) -> Engine:
    from kubectl_berth.engines.ollama import make_ollama

    own = settings.ollama_max_tokens if settings.source("max_tokens") != "--max-tokens" else None
    return make_ollama(
        settings.ollama_host,
        model,
        num_ctx=settings.num_ctx,
        max_tokens=own or settings.max_tokens,
        thinking=settings.thinking,
        remaining=remaining,
    )


def _named_ollama(settings: Settings, remaining: Callable[[], float]) -> Engine:
    """Ollama was asked for: its model is the one that was named, or the first that can call tools."""
    named = settings.model or settings.ollama_model
    if named:
        return _ollama(settings, remaining, named)
    from kubectl_berth.engines.ollama_host import address
    from kubectl_berth.engines.ollama_models import models

    url = address(settings.ollama_host)
    found = models(url, min(LIST_SECONDS, max(remaining(), 0.1)))
    where = urlsplit(url).netloc.rpartition("@")[2]
    if found is None:
        raise EngineUnreachable(f"no Ollama answers at {where}; start it with `ollama serve`, or set OLLAMA_HOST")
    if not found.with_tools:
        raise EngineUnreachable(
            f"the Ollama at {where} has no model that can call tools; pull one: ollama pull qwen3.5"
        )
    return _ollama(settings, remaining, found.with_tools[0])


def _probe(settings: Settings) -> tuple[str, str]:
    """The model that `auto` would use on Ollama, "" for none, and why."""
    from kubectl_berth.engines.ollama_host import address
    from kubectl_berth.engines.ollama_models import bears, models

    url = address(settings.ollama_host)
    where = urlsplit(url).netloc.rpartition("@")[2]
    found = models(url, PROBE_SECONDS)
    if found is None:
        return "", f"no Ollama answers at {where}"
    named = settings.model or settings.ollama_model
    if named and not any(bears(name, named) for name in found.names):
        return "", f"the Ollama at {where} has no model {named}"
    able = [name for name in found.with_tools if not named or bears(name, named)]
    if not able:
        return "", f"{named or 'no model'} on the Ollama at {where} can{'not' if named else ''} call tools"
    return able[0], f"{able[0]} at {where} can call tools"
