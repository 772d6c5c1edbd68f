"""What to do about a custom resource, read from the words that Kubernetes and its clients use for a failure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from kubectl_berth.cluster.views import CustomResource
from kubectl_berth.diagnosis.naming import named_in, near, referred
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.diagnosis.say import listed
from kubectl_berth.records import Ref

GENERAL = "look at what it owns and what its conditions name, then at its operator's log; do not edit the status"
"""What is left to say where the words name nothing."""

Mend = Callable[[Inventory, CustomResource, str], str]

_FORBIDDEN = re.compile(
    r"User \\?\"system:serviceaccount:([\w.-]+):([\w.-]+)\\?\" cannot (\w+) resource \\?\"([\w./*-]+)\\?\""
    r"(?: in API group \\?\"([\w.-]*)\\?\")?(?:(?: in the)? namespace \\?\"([\w.-]+)\\?\")?"
)
_IMMUTABLE = re.compile(r"immutable|updates to \w+ spec for fields other than", re.IGNORECASE)
_INVALID = re.compile(r"\b([A-Z]\w+)(?:\.[\w.]+)? \\?\"([\w.-]+)\\?\" is invalid: (spec[\w.\[\]]*)?")
_HOST_KEY = re.compile(r"known_?hosts|host key|hostkey", re.IGNORECASE)
_DENIED = re.compile(r"admission webhook \\?\"([\w.-]+)\\?\" denied the request", re.IGNORECASE)
_LACKING = re.compile(
    r"\b(secret|configmap)s?\s+[\"'`]?(?:[a-z0-9-]+/)?([a-z0-9][a-z0-9.-]*)[\"'`]? (?:not found|does not exist)", re.I
)
_NOT_FOUND = re.compile(
    r"\b([A-Za-z][a-z0-9A-Z]*?)(?:\.([a-z0-9.-]+))? \\?\"(?:[\w-]+/)?([\w.-]+)\\?\" (?:not found|does not exist)"
)
_TRUST = re.compile(r"x509|certificate (?:has expired|signed by|is not trusted)|tls: ", re.IGNORECASE)
_NO_LOGIN = re.compile(r"private|write|output|publish", re.IGNORECASE)
_ACTION = re.compile(r"(?:perform|permission|action)[:' ]+([a-z][\w-]*[:.][\w.:*-]+)", re.IGNORECASE)
_CREDENTIALS = re.compile(
    r"access ?denied|not authori[sz]ed|unauthori[sz]ed|permission denied|authentication (?:failed|required)|forbidden"
    r"|(?:invalid|bad|wrong|expired|incorrect) (?:access )?(?:token|credential|password|api ?key|user)"
    r"|username or password|login|(?<![\d.:])40[13](?![\d.])",
    re.IGNORECASE,
)
_WRITTEN = re.compile(
    r"execution error at|template|values don't meet|schema|unmarshal|yaml|json|unknown field|parse error"
    r"|validation|unresolved|kustomize build|must be (?:one|a|an|set)|required value|unsupported|not supported"
    r"|is (?:unknown|invalid)|did not match any|unknown (?:type|value)",
    re.IGNORECASE,
)
_AWAY = re.compile(
    r"no such host|connection refused|ECONNREFUSED|i/o timeout|dial tcp|connection timed out|handshake timeout"
    r"|unreachable|no route|reset by peer|\bEOF\b|\b50[234]\b|while awaiting headers",
    re.IGNORECASE,
)
_FULL = re.compile(
    r"quota|limit ?(?:exceeded|reached)|maximum number|too many|all \w[\w ]{0,40} (?:are )?in use|exhausted"
    r"|no space left|insufficient",
    re.IGNORECASE,
)


def remedy(inventory: Inventory, view: CustomResource, texts: Sequence[str], lacking: Sequence[str] = ()) -> str:
    """What to do about an object whose status and events say these texts; `lacking` names what its spec misses."""
    for text in texts:
        told = next((words for mend in _MENDS if (words := mend(inventory, view, text))), "")
        if told and not (lacking and told == GENERAL):
            return told
    if lacking:
        return f"{lacking[0]}: correct that name in the spec of {view.ref}, or create what it names"
    for text in texts:
        told = next((words for mend in _BROAD if (words := mend(inventory, view, text))), "")
        if told:
            return told
    return GENERAL


def _grant(inventory: Inventory, view: CustomResource, text: str) -> str:
    match = _FORBIDDEN.search(text)
    if match is None:
        return ""
    account = Ref("ServiceAccount", match[1], match[2])
    group = f" of API group {match[5]}" if match[5] else ""
    where = f" in namespace {match[6]}" if match[6] else ""
    roles = _roles_of(inventory, account)
    held = f" (its rights come from {listed(roles, 2)}, which lacks that)" if roles else ""
    return (
        f"grant {account} the verb {match[3]} on {match[4]}{group}{where}, in a Role or ClusterRole bound to it{held}; "
        "no more than that"
    )


def _roles_of(inventory: Inventory, account: Ref) -> list[str]:
    """The roles that are bound to a service account by name."""
    found: dict[str, None] = {}
    for binding in (*inventory.role_bindings, *inventory.cluster_role_bindings):
        for one in binding.subjects:
            if one.kind == "ServiceAccount" and (one.name, one.namespace) == (account.name, account.namespace):
                found[f"{binding.role_ref.kind} {binding.role_ref.name}"] = None
    return list(found)


def _immutable(inventory: Inventory, view: CustomResource, text: str) -> str:
    if not _IMMUTABLE.search(text):
        return ""
    match = _INVALID.search(text)
    what = f"{match[1]} {match[2]}" if match else "the object it names"
    field = match[3] if match and match[3] and match[3] != "spec" else "the field"
    return (
        f"it cannot be changed on an object that exists: give {field} of {what} its old value back in what {view.ref} "
        f"applies, or have {what} made anew, which ends what runs under it: plan the time for that"
    )


def _host_key(inventory: Inventory, view: CustomResource, text: str) -> str:
    if not _HOST_KEY.search(text):
        return ""
    return (
        "find out from who runs the server whether its SSH host key was changed on purpose; then put the new key into "
        f"known_hosts of {_secrets(inventory, view) or 'the Secret that holds it'}. Do not switch the check off"
    )


def _admission(inventory: Inventory, view: CustomResource, text: str) -> str:
    match = _DENIED.search(text)
    return (
        f"change what {view.ref} applies as the policy behind webhook {match[1]} asks in that message" if match else ""
    )


def _lacking(inventory: Inventory, view: CustomResource, text: str) -> str:
    match = _LACKING.search(text)
    if match is None:
        return ""
    kind = "ConfigMap" if match[1].lower() == "configmap" else "Secret"
    places = [place.where for place in named_in(view.spec, "spec") if place.name == match[2]]
    where = f", or correct {places[0]} of {view.ref}" if places else f", or correct the name in the spec of {view.ref}"
    space = f" in namespace {view.namespace}" if view.namespace else ""
    return f"bring {kind} {match[2]}{space} back from what made it (a backup, its own operator, the vault){where}"


def _absent(inventory: Inventory, view: CustomResource, text: str) -> str:
    for match in _NOT_FOUND.finditer(text):
        word, group, name = match[1].lower(), match[2] or "", match[3]
        names = [(one.spec.names, one.spec.group) for one in inventory.definitions]
        kinds = [one.kind for one, of in names if word in (one.plural, one.kind.lower()) and group in ("", of)]
        kinds = kinds or [kind for kind in _PLAIN if word.removesuffix("s") == kind.lower()]
        if kinds or group:
            there = near(inventory, name, kinds, view)
            what = f"{kinds[0] if kinds else match[1]} {name}"
            return (
                f"{what} does not exist{there}: correct that name in the spec of {_written_in(inventory, view, name)}, "
                "or create what it names"
            )
    return ""


def _written_in(inventory: Inventory, view: CustomResource, name: str) -> Ref:
    """The object whose spec a person writes that name in: the highest maker of this one that holds it, or itself."""
    above = [inventory.find(ref) for ref in reversed(inventory.owners(view))]
    for one in above:
        if isinstance(one, CustomResource) and any(place.name == name for place in named_in(one.spec, "spec")):
            return one.ref
    return view.ref


_PLAIN = ("Deployment", "StatefulSet", "Service", "ServiceAccount", "Job", "PersistentVolumeClaim", "Namespace")


def _trust(inventory: Inventory, view: CustomResource, text: str) -> str:
    return (
        "renew the certificate that the message speaks of, or let the caller trust who signed it"
        if _TRUST.search(text)
        else ""
    )


def _credentials(inventory: Inventory, view: CustomResource, text: str) -> str:
    if not _CREDENTIALS.search(text):
        return ""
    secrets = _secrets(inventory, view)
    held = f" in {secrets}" if secrets else " that it uses"
    action = _ACTION.search(text)
    if action is not None:
        return (
            f"give the account that it works as the right {action[1]} at the provider, or correct the credentials{held}"
        )
    return (
        f"renew or correct the credentials{held}, or the rights of that account on the other side: what answers there "
        "refuses them"
    )


def _secrets(inventory: Inventory, view: CustomResource) -> str:
    """The Secrets that an object, or what it names, takes credentials from, by the names in the specs."""
    found: dict[str, str] = {}
    for one in (view, *(there for there in referred(inventory, view) if isinstance(there, CustomResource))):
        for place in named_in(one.spec, "spec"):
            if "secret" in place.stem.lower() and not _NO_LOGIN.search(place.stem) and not place.kind:
                found[place.name] = f"Secret {place.name} ({place.where} of {one.kind} {one.name})"
    return listed(list(found.values()), 2)


def _written(inventory: Inventory, view: CustomResource, text: str) -> str:
    if not _WRITTEN.search(text):
        return ""
    return (
        f"correct what the message names where it is written (the spec of {view.ref}, or the values and manifests "
        "behind it), not on what it made: that is set back"
    )


def _away(inventory: Inventory, view: CustomResource, text: str) -> str:
    if not _AWAY.search(text):
        return ""
    return (
        "check that what the message names answers from inside the cluster: the address in the spec, DNS, network "
        "policies and firewalls between its operator and there"
    )


def _full(inventory: Inventory, view: CustomResource, text: str) -> str:
    if not _FULL.search(text):
        return ""
    return (
        "free what is used up, or raise the limit that the message names, on the side that refuses; then let it try "
        "again"
    )


_MENDS: tuple[Mend, ...] = (_grant, _immutable, _host_key, _admission, _lacking, _absent)
_BROAD: tuple[Mend, ...] = (_trust, _full, _credentials, _written, _away)
