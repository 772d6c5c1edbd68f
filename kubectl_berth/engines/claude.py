"""Claude on the Anthropic API, or on a gateway that speaks it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from kubectl_berth.engines.claude_errors import Place, no_key, odd_key
from kubectl_berth.engines.claude_loop import ClaudeEngine, Service, Ways
from kubectl_berth.engines.connections import host_of, is_http
from kubectl_berth.environment import Environment
from kubectl_berth.errors import EngineUnreachable, UsageError

DEFAULT_MODEL = "claude-sonnet-5-5"
DEFAULT_URL = "https://api.anthropic.com"
_CREDENTIALS = (
    *("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE", "ANTHROPIC_CUSTOM_HEADERS"),
    *("ANTHROPIC_FEDERATION_RULE_ID", "ANTHROPIC_CONFIG_DIR"),
)
"""Variables any of which may bring credentials."""


def make_claude(model: str, ways: Ways, *, base_url: str | None = None, api_key: str | None = None) -> ClaudeEngine:
    """The engine for the Anthropic API.

    Without `api_key` the SDK looks for one in its usual places. Raises UsageError for a base URL that is none.
    """
    url = checked_url(base_url)

    def client(options: dict[str, Any]) -> Any:
        import anthropic

        made = anthropic.Anthropic(api_key=api_key, **options)
        # the SDK would say so only at the first request
        if not (made.api_key or made.auth_token or made.credentials or _sends_its_own(made)):
            raise no_key(place)
        if odd := odd_key("ANTHROPIC_API_KEY", made.api_key) or odd_key("ANTHROPIC_AUTH_TOKEN", made.auth_token):
            raise EngineUnreachable(odd)
        return made

    place = Place(host_of(url))
    return ClaudeEngine(model, Service("claude", url, place, client), ways)


def require_credentials(base_url: str | None, environment: Environment) -> None:
    """Raises EngineUnreachable where the SDK cannot find a key, before it is imported to look for one.

    Whether what there is makes credentials, the SDK alone can tell.
    """
    if any(environment.variable(name) for name in _CREDENTIALS) or _profiles(environment).is_dir():
        return
    raise no_key(Place(host_of(checked_url(base_url))))


def _profiles(environment: Environment) -> Path:
    """Where the SDK keeps profiles where no variable says so."""
    home = Path(environment.home or "/")
    if sys.platform == "win32":
        return Path(environment.variable("APPDATA") or home / "AppData" / "Roaming") / "Anthropic"
    return home / ".config" / "anthropic"


def checked_url(base_url: str | None) -> str:
    """Where requests go. Raises UsageError for a base URL that is none."""
    url = base_url or DEFAULT_URL
    if not is_http(url):
        raise UsageError("ANTHROPIC_BASE_URL is no http or https URL: unset it, or give one like " + DEFAULT_URL)
    return url


def _sends_its_own(client: Any) -> bool:
    """Whether ANTHROPIC_CUSTOM_HEADERS brings the credentials."""
    return not {"authorization", "x-api-key"}.isdisjoint(name.lower() for name in client.default_headers)
