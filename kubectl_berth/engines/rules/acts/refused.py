"""Whether new pods of a workload are refused now, so that a pod of it that ends does not come back: by the checks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from kubectl_berth.cluster.views import Pod
from kubectl_berth.cluster.views.control import Webhook, WebhookConfiguration
from kubectl_berth.diagnosis.capacity_more import room_for
from kubectl_berth.diagnosis.say import clip
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.orders import without_orders
from kubectl_berth.records import Finding, Ref

_OWN = frozenset(
    {
        "PodsNotCreated",
        "QuotaNeedsRequests",
        "LimitRangeViolated",
        "PodSecurityViolation",
        "AdmissionDenied",
        "PodCreationRefused",
    }
)
"""What the checks say of a workload whose pods the API server refuses."""
_HOOKS = frozenset({"WebhookFails", "WebhookBackendDown"})


@dataclass(frozen=True)
class Refused:
    """Why no new pod can be made, as a clause, and what mends it."""

    why: str
    remedy: str

    @property
    def first(self) -> str:
        """What to do before anything else."""
        told = f"Mend this first: {self.why}"
        return f"{told}. {self.remedy[:1].upper()}{self.remedy[1:]}." if self.remedy else f"{told}."


def refused(case: Case, ref: Ref, pod: Pod) -> Refused | None:
    """Why new pods of this workload, which are like `pod`, are refused now; None where nothing is known to do so."""
    every = [one for one in (*case.findings, *case.others) if one.severity != "info"]
    own = next((one for one in every if one.subject == ref and one.reason in _OWN), None)
    if own is not None:
        cause = next((one for one in every if own.caused_by is not None and one.subject == own.caused_by), own)
        return _told(own.summary.partition("not created: ")[2] or own.summary, cause)
    if (shared := refused_by_others(case, pod)) is not None:
        return shared
    if (full := _quota(case, every, ref, pod)) is not None:
        return _told(f"{full.subject} is used up, and others wait for room in it", full)
    return None


def refused_by_others(case: Case, pod: Pod) -> Refused | None:
    """Why a pod of these labels and this account is refused whatever its template says; None where nothing does so."""
    for one in (*case.findings, *case.others):
        if one.severity != "info" and (why := _shared(case, one, pod)):
            return _told(why, one)
    return None


def _told(why: str, cause: Finding) -> Refused:
    return Refused(without_orders(clip(why, 240))[0].rstrip("."), (cause.remedy or "").rstrip("."))


def _shared(case: Case, one: Finding, pod: Pod) -> str:
    """Why what was found elsewhere stops this pod too, or ""."""
    if one.reason == "ServiceAccountMissing":
        mine = Ref("ServiceAccount", pod.namespace, pod.spec.service_account_name or "default")
        return f"service account {mine.name} does not exist" if one.subject == mine else ""
    if one.reason not in _HOOKS:
        return ""
    view = case.inventory.find(one.subject)
    hooks = view.webhooks if isinstance(view, WebhookConfiguration) else ()
    for hook in hooks:
        if re.search(rf"(?<![\w.-]){re.escape(hook.name)}(?![\w-])", one.summary) and _meets(case, hook, pod):
            return f"{one.subject}: {one.summary.partition(', so ')[0].partition('; requests')[0]}"
    return ""


def _meets(case: Case, hook: Webhook, pod: Pod) -> bool:
    """True where the webhook is asked before such a pod is made, and its failure refuses it."""
    asked = any({"pods", "*", "*/*"} & set(rule.resources) for rule in hook.rules)
    if not asked or hook.failure_policy == "Ignore":
        return False
    space = next((one for one in case.inventory.namespaces if one.name == pod.namespace), None)
    labels = {"kubernetes.io/metadata.name": pod.namespace, **(space.metadata.labels if space is not None else {})}
    there = hook.namespace_selector is None or hook.namespace_selector.matches(labels)
    return there and (hook.object_selector is None or hook.object_selector.matches(pod.metadata.labels))


def _quota(case: Case, every: Iterable[Finding], ref: Ref, pod: Pod) -> Finding | None:
    """The quota that is used up and leaves no room for one more pod like this."""
    tight = room_for(case.inventory, ref, pod).quota
    if tight is None or tight[2] > 0:
        return None
    return next((one for one in every if one.reason == "QuotaExceeded" and one.subject == tight[0]), None)
