"""Which engine answers: the one asked for, or what `auto` finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from kubectl_berth.engines.engine import Engine
from kubectl_berth.environment import Environment
from kubectl_berth.errors import EngineUnreachable, UsageError
from kubectl_berth.settings import Settings

CLAUDE_MODEL = "claude-sonnet-5-5"
PROBE_SECONDS = 0.3
LIST_SECONDS = 5.0


@dataclass(frozen=True)
class Choice:
    """The engine, and what the person should know about how it was chosen, one line each."""

    engine: Engine
    remarks: tuple[str, ...] = ()


def choose(settings: Settings, environment: Environment, remaining: Callable[[], float]) -> Choice:
    """The engine of a run. `remaining` gives the seconds left of it.

    Raises UsageError for an engine that this version lacks, EngineUnreachable where one that was asked for is not
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
            source = settings.source("engine")
            raise UsageError(f"{source}: the bedrock engine is not in this version; use claude, ollama or rules")
    return _auto(settings, environment, remaining)


def _auto(settings: Settings, environment: Environment, remaining: Callable[[], float]) -> Choice:
    if environment.variable("ANTHROPIC_API_KEY"):
        return Choice(_claude(settings, environment, remaining), ("auto chose claude: ANTHROPIC_API_KEY is set",))
    model, why = _probe(settings)
    if model:
        return Choice(_ollama(settings, remaining, model), (f"auto chose ollama: {why}",))
    return Choice(_rules(), (f"auto chose the rules engine: no ANTHROPIC_API_KEY, and {why}",))


def _rules() -> Engine:
    from kubectl_berth.engines.rules.engine import make_rules

    return make_rules()


def _claude(settings: Settings, environment: Environment, remaining: Callable[[], float]) -> Engine:
    from kubectl_berth.engines.claude import make_claude, preload

    # over a second of CPU, spent while the cluster is read
    preload()
    return make_claude(
        settings.model or settings.anthropic_model or CLAUDE_MODEL,
        base_url=settings.anthropic_base_url,
        api_key=environment.variable("ANTHROPIC_API_KEY") or None,
        effort=settings.effort,
        thinking=settings.thinking,
        max_tokens=settings.max_tokens,
        remaining=remaining,
    )


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
