"""What is dangerous about a command that somebody proposes, by what it says."""

from __future__ import annotations

import re

_DESTRUCTIVE = (
    (r"\|\s*(?:sudo\s+)?(?:\S*/)?(?:ba|z|da|k)?sh\b|<\(\s*(?:curl|wget)", "runs what it downloads or decodes"),
    (r"\b(?:apply|create|replace)\b.*\s-f\s*https?://", "applies a file from the network"),
    (
        r"\bdelete\b.*--all\b|\bdelete\s+(?:ns|namespaces?|crds?|pvc?s?|persistentvolume\w*)\b",
        "deletes more than a pod",
    ),
    (r"--force\b|--grace-period[= ]0\b|--disable-eviction\b|finalizers?\b.*(?:null|\[\])", "forces"),
    (r"cluster-admin|\b(?:cluster)?rolebindings?\b|\bclusterroles?\b", "changes who may do what"),
    (r"\brm\s+-\w*[rf]", "deletes files"),
)
_ODD = (
    (r"\bkubectl\s+(?:exec|debug|cp|attach|proxy|port-forward)\b", "opens a way into a container or node"),
    (
        r"--(?:server|token|kubeconfig|as|insecure-skip-tls-verify|context|username|password)\b",
        "talks to another server",
    ),
    (r"\b(?:helm|docker|podman)\s+(?:install|upgrade|run)\b", "installs or runs something else"),
    (r"[;&|<>]|\$\(|`", "holds characters of a shell"),
)
_READS = re.compile(r"^\s*kubectl\s+(?:get|describe|logs|auth|top|explain|api-resources|events)\b", re.IGNORECASE)


def destroys(command: str) -> list[str]:
    """Why running the command may lose something for good; nothing for one that only reads."""
    return [] if _READS.search(command) else _fitting(_DESTRUCTIVE, command)


def dangers(command: str) -> list[str]:
    """Everything about the command that a person should see before it is run."""
    return _fitting((*_DESTRUCTIVE, *_ODD), command)


def _fitting(table: tuple[tuple[str, str], ...], command: str) -> list[str]:
    return [words for pattern, words in table if re.search(pattern, command, re.IGNORECASE)]
