"""Which engine answers: the one asked for, or what `auto` finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

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
    from kubectl_berth.engines.ollama_host import address
    from kubectl_berth.engines.ollama_models import fitting

    fit = fitting(address(settings.ollama_host), settings.model or settings.ollama_model or "", PROBE_SECONDS)
    if fit.model:
        return Choice(
            _ollama(settings, remaining, fit.model, fit.remote), (*remarks, f"auto chose ollama: {fit.words}")
        )
    return Choice(_rules(), (*remarks, f"auto chose the rules engine: no ANTHROPIC_API_KEY, and {fit.words}"))


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
    from kubectl_berth.engines.claude import DEFAULT_MODEL, make_claude, require_credentials
    from kubectl_berth.engines.claude_loop import preload

    require_credentials(settings.anthropic_base_url, environment)
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


def _ollama(settings: Settings, remaining: Callable[[], float], model: str, remote: str | None = None) -> Engine:
    from kubectl_berth.engines.ollama import make_ollama

    own = settings.ollama_max_tokens if settings.source("max_tokens") != "--max-tokens" else None
    return make_ollama(
        settings.ollama_host,
        model,
        num_ctx=settings.num_ctx,
        max_tokens=own or settings.max_tokens,
        thinking=settings.thinking,
        remaining=remaining,
        remote=remote,
    )


def _named_ollama(settings: Settings, remaining: Callable[[], float]) -> Engine:
    """Ollama was asked for: its model is the one that was named, or the first that can call tools."""
    named = settings.model or settings.ollama_model
    if named:
        return _ollama(settings, remaining, named)
    from kubectl_berth.engines.ollama_host import address
    from kubectl_berth.engines.ollama_models import fitting

    fit = fitting(address(settings.ollama_host), "", min(LIST_SECONDS, max(remaining(), 0.1)))
    if fit.models is None:
        raise EngineUnreachable(f"{fit.words}; start it with `ollama serve`, or set OLLAMA_HOST")
    if not fit.model:
        raise EngineUnreachable(f"{fit.words}; pull one that can: ollama pull qwen3.5")
    return _ollama(settings, remaining, fit.model, fit.remote)
