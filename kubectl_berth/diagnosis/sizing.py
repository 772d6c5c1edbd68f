"""Requests and limits against usage, container by container: what fits, what does not, and by which rule.

A figure that was not measured is absent, never 0, and nothing is proposed below the highest use that was seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_HALF_UP, Decimal
from typing import Literal

from kubectl_berth.cluster.views import Container, Identified, Pod, PodSpec, seconds_since
from kubectl_berth.diagnosis.checks.memory import killed_by_node
from kubectl_berth.diagnosis.fit import amount, requests, show
from kubectl_berth.diagnosis.objects import Inventory

RESOURCES = ("cpu", "memory")
FAR = Decimal("0.4")
"""A request of which less than this share was used, by the pod that uses most, counts as far above use."""
NEAR = Decimal("0.9")
"""A limit of which at least this share was used counts as near."""
HEADROOM = {"cpu": Decimal(2), "memory": Decimal("1.5")}
"""What the highest use seen is multiplied with for a provisional figure."""
STEP = {"cpu": Decimal("0.01"), "memory": Decimal(16 * 2**20)}
"""Provisional figures are rounded up to a multiple of this."""

Role = Literal["container", "sidecar", "init container"]
Code = Literal[
    "fits",
    "no-request",
    "request-below-use",
    "request-far-above-use",
    "no-limit",
    "near-limit",
    "oom-killed",
    "unknown",
]


@dataclass(frozen=True)
class Use:
    """One container of a workload, per pod. Amounts are cores and bytes.

    `requests` and `limits` are the largest among the pods (`differ` names the resources where pods differ); `used`
    holds what was measured, one amount for each pod with figures; `oom_killed` counts pods that it was killed in.
    """

    name: str
    role: Role
    requests: Mapping[str, Decimal]
    limits: Mapping[str, Decimal]
    used: Mapping[str, tuple[Decimal, ...]]
    differ: tuple[str, ...] = ()
    oom_killed: int = 0
    running_for: float | None = None
    """Seconds since the youngest of them started."""

    def highest(self, resource: str) -> Decimal | None:
        """The highest use among the pods, or None where nothing was measured."""
        return max(self.used.get(resource, ()), default=None)


@dataclass(frozen=True)
class Verdict:
    """What is to be said of one request or limit: `figure` as measured, `provisional` where a change is due."""

    container: str
    resource: str
    field: Literal["request", "limit"]
    code: Code
    figure: Decimal | None
    highest: Decimal | None
    provisional: Decimal | None = None


@dataclass(frozen=True)
class Sizing:
    """A workload's containers with their verdicts. `measured` are the pods with figures, `unmeasured` those without.

    `reserved` and `used` are sums over all pods that run; `used` covers the measured ones only.
    """

    pods: tuple[Pod, ...]
    measured: tuple[Pod, ...]
    unmeasured: tuple[Pod, ...]
    containers: tuple[Use, ...]
    verdicts: tuple[Verdict, ...]
    reserved: Mapping[str, Decimal]
    used: Mapping[str, Decimal]
    from_template: bool = False

    def of(self, container: str, resource: str) -> list[Verdict]:
        """The verdicts on one resource of one container: request, then limit."""
        return [one for one in self.verdicts if (one.container, one.resource) == (container, resource)]

    def proposed(self, resource: str) -> Decimal | None:
        """What all pods together would reserve with the provisional requests, or None where nothing is proposed."""
        changed = [one for one in self.verdicts if one.field == "request" and one.resource == resource]
        if any(use.differ for use in self.containers) or not any(one.provisional is not None for one in changed):
            return None
        each = sum((_change(one) for one in changed), Decimal(0))
        return self.reserved.get(resource, Decimal(0)) + each * len(self.pods)


def _change(verdict: Verdict) -> Decimal:
    if verdict.provisional is None:
        return Decimal(0)
    return verdict.provisional - (verdict.figure or Decimal(0))


def size(inventory: Inventory, view: Identified) -> Sizing:
    """The sizing of a workload or pod: of its pods that run, else of those that ended, else of its template."""
    every = inventory.pods_of(view.ref)
    running = [pod for pod in every if not pod.finished]
    shown = running or every
    template = getattr(getattr(view.spec, "template", None), "spec", None) if hasattr(view, "spec") else None
    specs = [pod.spec for pod in shown] or ([template] if isinstance(template, PodSpec) else [])
    measured = [pod for pod in running if inventory.pod_usage(pod)]
    containers = tuple(_use(inventory, name, role, specs, running) for name, role in _names(specs))
    reserved: dict[str, Decimal] = {}
    used: dict[str, Decimal] = {}
    for pod in running:
        for resource, needs in requests(pod.spec).items():
            reserved[resource] = reserved.get(resource, Decimal(0)) + needs
    for pod in measured:
        for figures in inventory.pod_usage(pod).values():
            for resource, much in figures.items():
                used[resource] = used.get(resource, Decimal(0)) + much
    return Sizing(
        tuple(running),
        tuple(measured),
        tuple(pod for pod in running if pod not in measured),
        containers,
        tuple(verdict for one in containers for verdict in judge(one)),
        reserved,
        used,
        from_template=not shown and bool(specs),
    )


def _names(specs: Sequence[PodSpec]) -> list[tuple[str, Role]]:
    """Containers, then sidecars, then init containers that ask for something, each once."""
    found: dict[str, Role] = {}
    for spec in specs:
        for container in spec.containers:
            found.setdefault(container.name, "container")
    for spec in specs:
        for container in spec.init_containers:
            if container.restart_policy == "Always":
                found.setdefault(container.name, "sidecar")
            elif container.resources.requests or container.resources.limits:
                found.setdefault(container.name, "init container")
    return list(found.items())


def _use(inventory: Inventory, name: str, role: Role, specs: Sequence[PodSpec], pods: Sequence[Pod]) -> Use:
    mine = [one for spec in specs for one in spec.all_containers if one.name == name]
    asked = [_figures(one, "requests") for one in mine]
    capped = [_figures(one, "limits") for one in mine]
    differ = [f"{resource} request" for resource in RESOURCES if len({one.get(resource) for one in asked}) > 1]
    differ += [f"{resource} limit" for resource in RESOURCES if len({one.get(resource) for one in capped}) > 1]
    used: dict[str, tuple[Decimal, ...]] = {}
    for pod in pods:
        for resource, much in inventory.pod_usage(pod).get(name, {}).items():
            used[resource] = (*used.get(resource, ()), much)
    owned = [
        (pod, status)
        for pod in pods
        for status in (*pod.status.container_statuses, *pod.status.init_container_statuses)
        if status.name == name
    ]
    killed = sum(
        any(end and end.reason == "OOMKilled" for end in (one.last_state.terminated, one.state.terminated))
        and not killed_by_node(inventory, pod, one)
        for pod, one in owned
    )
    statuses = [status for _, status in owned]
    ran = [seconds_since(inventory.now, one.state.running.started_at) for one in statuses if one.state.running]
    youngest = min((passed for passed in ran if passed is not None), default=None)
    return Use(name, role, _largest(asked), _largest(capped), used, tuple(differ), killed, youngest)


def _figures(container: Container, field: Literal["requests", "limits"]) -> dict[str, Decimal]:
    """A container's requests (a limit without one counts as one) or limits, those of 0 left out."""
    limits = {name: amount(text) for name, text in container.resources.limits.items()}
    if field == "limits":
        return {name: much for name, much in limits.items() if much}
    asked = {name: amount(text) for name, text in container.resources.requests.items()}
    return {name: much for name, much in {**limits, **asked}.items() if much}


def _largest(figures: Sequence[Mapping[str, Decimal]]) -> dict[str, Decimal]:
    names = dict.fromkeys(name for one in figures for name in one)
    return {name: max(one[name] for one in figures if name in one) for name in names}


# --- verdicts ---------------------------------------------------------------------------------------------------------


def judge(use: Use) -> list[Verdict]:
    """A verdict for each request and limit of a container."""
    verdicts: list[Verdict] = []
    for resource in RESOURCES:
        limit = _limit(use, resource)
        verdicts += [_request(use, resource, limit), limit]
    return verdicts


def _limit(use: Use, resource: str) -> Verdict:
    limit, highest = use.limits.get(resource), use.highest(resource)
    if limit is None:
        return Verdict(use.name, resource, "limit", "no-limit", None, highest)
    if resource == "memory" and use.oom_killed:
        # what it would have used is not known: the limit cut it off
        provisional = None if highest is None else rounded(resource, max(limit, highest) * HEADROOM[resource])
        return Verdict(use.name, resource, "limit", "oom-killed", limit, highest, provisional)
    if highest is None:
        return Verdict(use.name, resource, "limit", "unknown", limit, None)
    if highest >= NEAR * limit:
        provisional = rounded(resource, highest * HEADROOM[resource])
        return Verdict(use.name, resource, "limit", "near-limit", limit, highest, provisional)
    return Verdict(use.name, resource, "limit", "fits", limit, highest)


def _request(use: Use, resource: str, limit: Verdict) -> Verdict:
    request, highest = use.requests.get(resource), use.highest(resource)
    provisional: Decimal | None = None
    if highest is not None:
        provisional = rounded(resource, highest * HEADROOM[resource])
        ceiling = limit.provisional or limit.figure
        if ceiling is not None:
            provisional = max(min(provisional, ceiling), highest)
    code: Code = "fits"
    if request is None:
        code = "no-request"
    elif highest is None:
        code = "unknown"
    elif highest > request:
        code = "request-below-use"
    elif highest < FAR * request and provisional is not None and provisional < request:
        code = "request-far-above-use"
    if code in ("fits", "unknown"):
        provisional = None
    return Verdict(use.name, resource, "request", code, request, highest, provisional)


def rounded(resource: str, much: Decimal) -> Decimal:
    """The amount, rounded up to what one would write."""
    step = STEP[resource]
    return (much / step).to_integral_value(ROUND_CEILING) * step


def share(part: Decimal, whole: Decimal) -> int:
    """Whole per cent, rounded half up; 0 of nothing."""
    return int((part * 100 / whole).to_integral_value(ROUND_HALF_UP)) if whole else 0


def amounts(resource: str, many: Sequence[Decimal]) -> str:
    """ "140m" or "140m to 155m"."""
    low, high = show(resource, min(many)), show(resource, max(many))
    return low if low == high else f"{low} to {high}"
