"""Model ids of Bedrock: which can be asked, and the sentence for those that cannot."""

from __future__ import annotations

import re

from kubectl_berth.errors import UsageError

DEFAULT_MODEL = "global.anthropic.claude-opus-4-8"

API_VERSION = "2026-10-21"
"""What the installed SDK speaks, and Bedrock serves for Claude 4.7 and later only."""
OLDEST = (4, 7)

_VERSION = re.compile(r"claude-(?:[a-z]+-)*?(\d+)(?:-(\d{1,2}))?(?!\d)")
_BEFORE_NUMBERS = re.compile(r"claude-(?:v\d|instant)")
_PREFIXED = re.compile(r"[a-z-]+\.anthropic\.")


def checked(model: str, source: str) -> str:
    """The id as it is sent. Raises UsageError for one that Bedrock or the installed SDK could not serve.

    ARNs of profiles are taken as they are, unless they name an older model.
    """
    if model.startswith("arn:"):
        if _too_old(model):
            raise UsageError(too_old(model, source))
        return model
    if "claude" not in model:
        raise UsageError(
            f"{source}: {model} is no Claude model, and the bedrock engine asks no other: try {DEFAULT_MODEL}"
        )
    if _too_old(model):
        raise UsageError(too_old(model, source))
    if not _PREFIXED.match(model):
        raise UsageError(needs_profile(model, source))
    return model


def too_old(model: str, source: str) -> str:
    """The sentence for a model that the API version of the installed SDK leaves out."""
    return (
        f"{source}: {model} is older than Claude 4.7, and for those Bedrock does not serve version {API_VERSION} of "
        f"the API, which the installed Anthropic SDK speaks: choose a newer one, such as {DEFAULT_MODEL}"
    )


def needs_profile(model: str, source: str) -> str:
    """The sentence for an id that only an inference profile makes callable."""
    base = "anthropic." + model.rpartition("anthropic.")[2]
    return (
        f"{source}: {model} can be asked through an inference profile only: write global.{base}, or put the prefix of "
        f"your geography (us., eu., jp., au.) before {base}"
    )


def _too_old(model: str) -> bool:
    if _BEFORE_NUMBERS.search(model):
        return True
    found = _VERSION.search(model)
    return found is not None and (int(found[1]), int(found[2] or 0)) < OLDEST
