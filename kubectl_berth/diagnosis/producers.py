"""Which custom resource should write a Secret or a ConfigMap: told from its fields alone, neither is ever read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kubectl_berth.cluster.views import CustomResource
from kubectl_berth.diagnosis.naming import DEEPEST, WIDEST, is_field
from kubectl_berth.diagnosis.objects import Inventory
from kubectl_berth.records import Ref

_WRITES = re.compile(
    r"write|publish|generat|(?:secret|configMap)Template"
    r"|^(?:target|destination|output|result)\w*\.(?:name|\w*name|(?:secret|configMap)\w*\.name)$"
    r"|(?:target|destination|output|result)\w*(?:Secret|ConfigMap)\w*(?:\.name)?$",
    re.IGNORECASE,
)
_READS = re.compile(r"KeyRef|auth|credential|pull|valuesFrom|targetRef|provider|source", re.IGNORECASE)
_HOLDS = re.compile(r"secret|binding|credential|config", re.IGNORECASE)
_MAKES = re.compile(r"certificate|secret|credential|password|user|token|key|binding|claim|account", re.IGNORECASE)
_NAMESAKE = re.compile(r"secret|credential|password|user|token|keypair|certificate", re.IGNORECASE)


_LOGIN = re.compile(
    r"(?:[\w-]+-)?(?:app|users?|superuser|root|admin|auth|passwords?|credentials?|conn(?:ection)?|secrets?|tls|certs?|ca|"
    r"token|server|client|keys?)"
)
_RUN = frozenset({"Pod", "StatefulSet", "Deployment", "Job", "Service"})


@dataclass(frozen=True)
class Producer:
    """A custom resource that should write an object, and the field that says so."""

    resource: CustomResource
    where: str


def producers(inventory: Inventory, ref: Ref) -> list[Producer]:
    """The custom resources that should write this Secret or ConfigMap, those that name it before its namesakes."""
    known = inventory.once(_known)
    if ref not in known:
        known[ref] = _found(inventory, ref) if ref.kind in ("Secret", "ConfigMap") else []
    return known[ref]


def _known(inventory: Inventory) -> dict[Ref, list[Producer]]:
    """What was worked out before: many pods lack the same Secret."""
    return {}


def _found(inventory: Inventory, ref: Ref) -> list[Producer]:
    named: list[Producer] = []
    namesakes: list[Producer] = []
    called: list[Producer] = []
    for one in inventory.custom:
        if one.namespace not in ("", ref.namespace) or _needs(inventory, one, ref):
            continue
        where = next((where for where in _places(one, ref) if _written(one, where)), None)
        if where is not None:
            named.append(Producer(one, where))
        elif one.name == ref.name and one.namespace == ref.namespace and _is_namesake(one, ref):
            namesakes.append(Producer(one, "metadata.name"))
        elif _called_after(inventory, one, ref):
            called.append(Producer(one, "it is called after it"))
    return named or namesakes or called


def _needs(inventory: Inventory, one: CustomResource, ref: Ref) -> bool:
    """True where a pod of the custom resource itself waits for the object: it is no product of it then."""
    waits = (status.state.waiting for pod in inventory.pods_of(one.ref) for status in pod.status.container_statuses)
    return any(waiting is not None and ref.name in waiting.message for waiting in waits)


def _called_after(inventory: Inventory, one: CustomResource, ref: Ref) -> bool:
    """True for "main-app" beside a "main" that runs something itself: operators write the logins to what they run."""
    rest = ref.name.removeprefix(f"{one.name}-")
    if one.namespace != ref.namespace or rest == ref.name or not _LOGIN.fullmatch(rest):
        return False
    return any(below.kind in _RUN for below in inventory.children(one.ref))


def _is_namesake(one: CustomResource, ref: Ref) -> bool:
    fits = "configmap" in one.kind.lower() if ref.kind == "ConfigMap" else bool(_NAMESAKE.search(one.kind))
    return fits and not any(True for _ in _named(one.spec, ref, one.namespace, "spec"))


def _places(one: CustomResource, ref: Ref) -> Iterator[str]:
    yield from _named(one.spec, ref, one.namespace, "spec")
    yield from _named(one.status, ref, one.namespace, "status")


def _named(value: Any, ref: Ref, space: str, where: str, depth: int = 0) -> Iterator[str]:
    """The fields whose text is the object's name, where the namespace beside it is the object's."""
    if depth > DEEPEST:
        return
    if isinstance(value, dict):
        beside = value.get("namespace")
        here = beside if isinstance(beside, str) and beside else space
        for key, inner in value.items():
            if not is_field(key):
                continue
            if inner == ref.name and here == ref.namespace:
                yield f"{where}.{key}"
            yield from _named(inner, ref, space, f"{where}.{key}", depth + 1)
    elif isinstance(value, list):
        for index, inner in enumerate(value[:WIDEST]):
            yield from _named(inner, ref, space, f"{where}[{index}]", depth + 1)


def _written(one: CustomResource, where: str) -> bool:
    """True for a field that says where its object writes; one that says what it reads names no product of it."""
    field = where.partition(".")[2]
    if where.startswith("status."):
        return bool(_HOLDS.search(field)) and "condition" not in field.lower()
    if _READS.search(field):
        return False
    if _WRITES.search(field):
        return True
    return "." not in field.removesuffix(".name") and bool(_HOLDS.search(field)) and bool(_MAKES.search(one.kind))
