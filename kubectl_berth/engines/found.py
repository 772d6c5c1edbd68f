"""Which engines could be used here, looked at without starting one."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass

from kubectl_berth.engines.claude_errors import odd_key
from kubectl_berth.engines.connections import host_of
from kubectl_berth.environment import Environment
from kubectl_berth.errors import BerthError, UsageError
from kubectl_berth.settings import Settings

OLLAMA_SECONDS = 1.0
"""How long a look at Ollama may take."""

# with these the SDK finds credentials of its own where the engine is named; auto goes by the key alone
_OTHER_CREDENTIALS = ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE", "ANTHROPIC_CUSTOM_HEADERS")
_KEY_BEGINS = "sk-ant-"


@dataclass(frozen=True)
class Found:
    """One engine: whether a run could use it, with which model, where ("" for this machine), and why or why not.

    `auto` is whether `auto` would take it, where that is not the same as whether it can be used.
    """

    name: str
    usable: bool
    words: str
    model: str = ""
    host: str = ""
    models: tuple[str, ...] = ()
    auto: bool | None = None


def find_engines(settings: Settings, environment: Environment) -> list[Found]:
    """Every engine, in the order in which `auto` takes the first that it would take."""
    rules = Found("rules", True, "always there; needs no model")
    return [_claude(settings, environment), _bedrock(settings, environment), find_ollama(settings), rules]


def chosen(settings: Settings, found: list[Found]) -> Found:
    """The engine that a run would take."""
    if settings.engine != "auto":
        return next(each for each in found if each.name == settings.engine)
    return next(each for each in found if (each.usable if each.auto is None else each.auto))


def _claude(settings: Settings, environment: Environment) -> Found:
    from kubectl_berth.engines.claude import DEFAULT_MODEL, DEFAULT_URL, checked_url

    model = settings.model or settings.anthropic_model or DEFAULT_MODEL
    key = environment.variable("ANTHROPIC_API_KEY")
    auto = bool(key)
    if importlib.util.find_spec("anthropic") is None:
        return Found("claude", False, "the anthropic package is not installed", model, auto=auto)
    try:
        url = checked_url(settings.anthropic_base_url)
    except UsageError as error:
        return Found("claude", False, str(error), model, auto=auto)
    usable, words = _credentials(key, environment, at_home=url == DEFAULT_URL)
    return Found("claude", usable, words, model, host_of(url), auto=auto)


def _credentials(key: str, environment: Environment, *, at_home: bool) -> tuple[bool, str]:
    """Whether there is something to prove oneself with, in words; `at_home` on Anthropic's own API."""
    if not key:
        other = next((name for name in _OTHER_CREDENTIALS if environment.variable(name)), "")
        if other:
            return True, f"ANTHROPIC_API_KEY is not set; --engine claude goes by {other}"
        return False, "ANTHROPIC_API_KEY is not set"
    if odd := odd_key("ANTHROPIC_API_KEY", key):
        return False, odd
    if at_home and not key.startswith(_KEY_BEGINS):
        return True, f"ANTHROPIC_API_KEY is set, but does not begin with {_KEY_BEGINS} as the keys of Anthropic do"
    return True, "ANTHROPIC_API_KEY is set (whether it is valid shows at the first call)"


def _bedrock(settings: Settings, environment: Environment) -> Found:
    from kubectl_berth.engines.bedrock import EXTRA, is_installed, place_of, region
    from kubectl_berth.engines.bedrock_models import DEFAULT_MODEL, checked

    model = settings.model or settings.bedrock_model or DEFAULT_MODEL
    key = environment.variable("AWS_BEARER_TOKEN_BEDROCK")
    token = bool(key)
    auto = False
    try:
        if not is_installed():
            return Found("bedrock", False, EXTRA, model, auto=False)
        auto = token and bool(region(settings.aws_region))
        where, url = place_of(settings.aws_region, settings.bedrock_base_url)
        checked(model, settings.source("model" if settings.model else "bedrock_model"))
        if odd := odd_key("AWS_BEARER_TOKEN_BEDROCK", key):
            return Found("bedrock", False, odd, model, auto=auto)
    except BerthError as error:
        return Found("bedrock", False, str(error), model, auto=auto)
    words = f"region {where}; requests would be signed with what AWS's own chain of credentials finds"
    if token:
        words = f"AWS_BEARER_TOKEN_BEDROCK and the region {where} are set"
    return Found("bedrock", True, words, model, host_of(url), auto=auto)


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
