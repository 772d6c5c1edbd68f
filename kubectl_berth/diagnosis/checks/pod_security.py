"""What a pod security level forbids: which of it the pod template can mend, and which needs another namespace."""

from __future__ import annotations

import re

from kubectl_berth.diagnosis.say import listed

_SPLIT = re.compile(r",\s+(?![^(]*\))")

# What a container may set to keep to the level "restricted"; all else that a level names is something a pod needs
# and that the level withholds.
_FIELDS: tuple[tuple[str, str], ...] = (
    ("allowprivilegeescalation", "allowPrivilegeEscalation false"),
    ("unrestricted capabilities", 'capabilities.drop ["ALL"]'),
    ("runasnonroot", "runAsNonRoot true"),
    ("runasuser", "a runAsUser that is not 0"),
    ("seccompprofile", "seccompProfile.type RuntimeDefault"),
)


def violations(text: str) -> list[str]:
    """The names of what a pod violates ("host namespaces", "runAsNonRoot != true"), without the details in brackets."""
    parts = (re.sub(r"\s*\(.*", "", part, flags=re.DOTALL).strip(" .") for part in _SPLIT.split(text))
    return list(dict.fromkeys(part for part in parts if part))


def _field(violation: str) -> str:
    return next((words for mark, words in _FIELDS if mark in violation.lower()), "")


def security_remedy(text: str, namespace: str) -> str:
    """What mends the violations of an API server's message: fields of the template, or a namespace of another level."""
    found = violations(text)
    fields = list(dict.fromkeys(words for one in found if (words := _field(one))))
    needed = [one for one in found if not _field(one)]
    setting = f"set {listed(fields)} in the template's securityContext" if fields else ""
    if not needed:
        return setting or "change the pod template as the level asks"
    elsewhere = (
        f"{listed(needed)}: no field mends that; do without it, or, where the pods need it, run them in a namespace of "
        f"their own with the label pod-security.kubernetes.io/enforce=privileged and leave {namespace} as it is"
    )
    return f"{elsewhere}; besides, {setting}" if setting else elsewhere
