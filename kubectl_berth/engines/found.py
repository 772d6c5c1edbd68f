"""Which engines could be used here, looked at without starting one."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass

from kubectl_berth.engines.connections import host_of
from kubectl_berth.environment import Environment
from kubectl_berth.errors import BerthError
from kubectl_berth.settings import Settings

OLLAMA_SECONDS = 1.0


@dataclass(frozen=True)
class Found:
    """One engine: whether a run could use it, with which model, where ("" for this machine), and why or why not."""

    name: str
    usable: bool
    words: str
    model: str = ""
    host: str = ""
    models: tuple[str, ...] = ()


def find_engines(settings: Settings, environment: Environment) -> list[Found]:
    """Every engine, in the order in which `auto` takes the first that is usable."""
    rules = Found("rules", True, "always there; needs no model")
    return [_claude(settings, environment), _bedrock(settings, environment), find_ollama(settings), rules]


def chosen(settings: Settings, environment: Environment, found: list[Found]) -> Found:
    """The engine that a run would take."""
    if settings.engine != "auto":
        return next(each for each in found if each.name == settings.engine)
    token = bool(environment.variable("AWS_BEARER_TOKEN_BEDROCK"))
    return next(each for each in found if each.usable and (each.name != "bedrock" or token))


def _claude(settings: Settings, environment: Environment) -> Found:
    from kubectl_berth.engines.claude import DEFAULT_MODEL, DEFAULT_URL

    model = settings.model or settings.anthropic_model or DEFAULT_MODEL
    host = host_of(settings.anthropic_base_url or DEFAULT_URL)
    if importlib.util.find_spec("anthropic") is None:
        return Found("claude", False, "the anthropic package is not installed", model, host)
    if not environment.variable("ANTHROPIC_API_KEY"):
        return Found("claude", False, "ANTHROPIC_API_KEY is not set", model, host)
    return Found("claude", True, "ANTHROPIC_API_KEY is set (whether it is valid shows at the first call)", model, host)


def _bedrock(settings: Settings, environment: Environment) -> Found:
    from kubectl_berth.engines.bedrock import EXTRA, NO_REGION, is_installed, region
    from kubectl_berth.engines.bedrock_models import DEFAULT_MODEL

    model = settings.model or settings.bedrock_model or DEFAULT_MODEL
    if not is_installed():
        return Found("bedrock", False, EXTRA, model)
    try:
        where = region(settings.aws_region)
    except BerthError as error:
        return Found("bedrock", False, str(error), model)
    if not where:
        return Found("bedrock", False, NO_REGION, model)
    host = host_of(settings.bedrock_base_url or f"https://bedrock-runtime.{where}.amazonaws.com")
    if environment.variable("AWS_BEARER_TOKEN_BEDROCK"):
        return Found("bedrock", True, f"AWS_BEARER_TOKEN_BEDROCK and the region {where} are set", model, host)
    words = f"region {where}; requests would be signed with what AWS's own chain of credentials finds"
    return Found("bedrock", True, words, model, host)


def find_ollama(settings: Settings) -> Found:
    """Ollama: its own words where nothing answers, and then the host by its address and the model's name alone."""
    from kubectl_berth.engines.ollama_host import address, goes_to
    from kubectl_berth.engines.ollama_models import Models, fitting

    url = address(settings.ollama_host)
    named = settings.model or settings.ollama_model or ""
    fit = fitting(url, named, OLLAMA_SECONDS)
    has = fit.models or Models()
    model = fit.model or named
    words = fit.words
    if fit.model and not named:
        words = f"at {host_of(url)}: {len(has.with_tools)} of its models can call tools"
    return Found(
        "ollama", bool(fit.model), words, model, goes_to(url, model, has.remote.get(model, "")), has.with_tools
    )
