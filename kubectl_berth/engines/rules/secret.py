"""Declines to show Secrets, ConfigMaps and credentials, and says how the person reads them with their own rights."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.engines.rules.case import referenced, users_of
from kubectl_berth.engines.rules.orders import without_orders
from kubectl_berth.question.understand import Understanding
from kubectl_berth.question.words import says_little
from kubectl_berth.records import Finding
from kubectl_berth.safety.shell import in_namespace, kubectl

_NAMED = (
    re.compile(
        r"(?:secret|configmap|config map)s?\s+(?:called |named )?[`\"']?([a-z0-9][a-z0-9.-]*[a-z0-9])", re.IGNORECASE
    ),
    re.compile(r"([a-z0-9][a-z0-9.-]*[a-z0-9])[`\"']?\s+(?:secret|configmap|config map)\b", re.IGNORECASE),
)
_NO_NAMES = frozenset(
    "the a an my our your this that any all of in from contents value values kubernetes database and".split()
)


def secret_answer(question: Understanding, inventory: Inventory, causes: Sequence[Finding] = ()) -> str:
    """The answer to a question for the contents of a Secret or ConfigMap, or for a credential.

    `causes` are what is wrong with what the question is about: told where it does not work for want of one.
    """
    kind = "configmap" if re.search(r"config ?maps?\b", question.text, re.IGNORECASE) and not re.search(
        r"secret|password|credential|token", question.text, re.IGNORECASE
    ) else "secret"  # fmt: skip
    called = "ConfigMap" if kind == "configmap" else "Secret"
    name = _named(question.text)
    users = users_of([name], question.namespaces, inventory) if name else ()
    space = question.namespaces[0] if question.namespaces else (users[0].namespace if users else "")
    shown = kubectl("get", kind, *in_namespace(space), name or f"NAME-OF-THE-{kind.upper()}", "-o", "yaml")
    needed = _needed(question, inventory) if not users else ""
    wrong = [
        f"What is wrong there: {without_orders(one.summary)[0]}."
        for one in causes
        if one.subject.kind in ("Secret", "ConfigMap")
    ]
    lines = [
        f"**The contents of Secrets and ConfigMaps are not available here: berth cannot read them and will not show "
        f"{'a credential that an application uses' if kind == 'secret' else 'them'}, by design.**",
        *wrong[:2],
        f"You can read it with your own access: `{shown}`"
        + (" (the values are base64). " if kind == "secret" else ". ")
        + "If your account may not, ask whoever administers the cluster, or look in the secret manager it comes from.",
    ]
    if users:
        where = ", ".join(str(ref) for ref in users[:5])
        lines.append(f"{called} {space}/{name} is used by {where}.")
    lines += [needed] if needed else []
    if kind == "secret":
        lines.append(
            "If it is lost, the safe way is to rotate it: set a new one in the system that checks it, update the "
            "Secret, then restart what uses it, since environment variables are read at the start only."
        )
    lines.append(
        "Credential-shaped text in logs is masked before anything is shown. No model was used, and no Secret was read."
    )
    return "\n\n".join(lines) + "\n"


def _needed(question: Understanding, inventory: Inventory) -> str:
    """Which Secrets and ConfigMaps the workloads asked about take something from: their names are no secret."""
    for ref in question.subjects:
        names = sorted({name for pod in inventory.pods_of(ref) for name in referenced(pod)} - {"kube-root-ca.crt"})
        if names:
            return f"{ref} takes something from these Secrets and ConfigMaps: {', '.join(names[:8])}."
    return ""


def _named(text: str) -> str:
    for pattern in _NAMED:
        for hit in pattern.finditer(text):
            name = hit.group(1).lower()
            if name not in _NO_NAMES and not says_little(name) and not re.fullmatch(r"secrets?|configmaps?", name):
                return name
    return ""
