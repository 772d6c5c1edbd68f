"""Commands that a person may paste into a shell: built in one place, every word of them quoted where it has to be."""

from __future__ import annotations

import shlex


def kubectl(*words: str) -> str:
    """The kubectl command of these words, those that are "" left out.

    Names come from the cluster, and not all of them were checked by an API server: an owner's, a pull secret's.
    """
    return shlex.join(("kubectl", *filter(None, words)))


def in_namespace(namespace: str) -> tuple[str, ...]:
    """The words that name a namespace, none where there is none."""
    return ("-n", namespace) if namespace else ()
