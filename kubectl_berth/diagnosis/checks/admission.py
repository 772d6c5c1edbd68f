"""Pods and Jobs that the API server refuses to create: quotas, bounds, security, accounts, webhooks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from kubectl_berth.cluster.views import CronJob, Identified, Job, Workload, age, condition
from kubectl_berth.diagnosis.checks.pod_security import security_remedy, violations
from kubectl_berth.diagnosis.checks.replicas import severity_of
from kubectl_berth.diagnosis.checks.schedules import create_failure
from kubectl_berth.diagnosis.objects import HOUR, Inventory
from kubectl_berth.diagnosis.say import clip, count, held, listed, said
from kubectl_berth.records import Finding, Ref, Severity

_QUOTA = re.compile(r"exceeded quota: ([^,]+), requested: (.+?), used: (.+?), limited: (.+?)(?:$|\s*\()", re.IGNORECASE)
_QUOTA_WANTS = re.compile(r"failed quota: ([^:]+): must specify ([^;]+)", re.IGNORECASE)
_BOUNDS = re.compile(
    r"(maximum|minimum) (\S+) usage per (\w+) is ([^,]+), but (limit|request) is ([^,.\s]+)", re.IGNORECASE
)
_ACCOUNT = re.compile(r"serviceaccount \"([^\"]+)\" not found", re.IGNORECASE)
_SECURITY = re.compile(r"violates PodSecurity \"([^\"]+)\":? ?(.*)", re.IGNORECASE)
_CALL = re.compile(r"failed calling webhook \"([^\"]+)\"", re.IGNORECASE)
_GONE = re.compile(r"service \\?\"[^\"]+\" not found")
_DENIED = re.compile(r"admission webhook \"([^\"]+)\" denied the request:?\s*(.*)", re.IGNORECASE | re.DOTALL)

Judge = Callable[[Inventory, Identified, str, str], Iterator[Finding]]


def check_admission(inventory: Inventory) -> Iterable[Finding]:
    """Workloads that lack pods, and schedules that lack Jobs, because creating them is refused."""
    for view in [*inventory.workloads, *inventory.replica_sets, *inventory.jobs, *inventory.cron_jobs]:
        refusal = _refusal(inventory, view)
        if refusal is None:
            continue
        text, evidence = refusal
        owner = inventory.find(inventory.workload(view)) or view
        judged = next((found for judge in _JUDGES if (found := list(judge(inventory, owner, text, evidence)))), None)
        yield from judged if judged is not None else _other(inventory, owner, text, evidence)


def _refusal(inventory: Inventory, view: Identified) -> tuple[str, str] | None:
    """The API server's words and where they stand, while they still keep pods from being made."""
    if isinstance(view, Workload):
        if view.kind == "Deployment":  # its ReplicaSets hold the same words
            return None
        if view.desired <= _made(view):
            return None
        failure = condition(view.status.conditions, "ReplicaFailure")
        if failure is not None and failure.status == "True":
            return failure.message, f"{view.ref}: {held(failure, inventory.now)}"
    if isinstance(view, CronJob):
        failed = create_failure(inventory, view)
        return (failed.text, f"{view.ref}: {said(failed, inventory.now)}") if failed is not None else None
    if isinstance(view, Job) and (view.outcome() is not None or view.spec.suspend):
        return None
    event = inventory.newest(view, "FailedCreate", within=HOUR)
    made = inventory.newest(view, "SuccessfulCreate", within=HOUR)
    if event is None or (made and made.last_seen and event.last_seen and made.last_seen > event.last_seen):
        return None
    return event.text, f"{view.ref}: {said(event, inventory.now)}"


def _made(workload: Workload) -> int:
    return workload.status.current_number_scheduled if workload.kind == "DaemonSet" else workload.status.replicas


def _severity(view: Identified) -> Severity:
    return severity_of(view) if isinstance(view, Workload) else "warning"


def _caused(inventory: Inventory, view: Identified, ref: Ref, words: str, evidence: str) -> Finding:
    """The workload as what the refusal stops."""
    if isinstance(view, CronJob) and view.status.last_schedule_time:
        words += f"; it last started one {age(inventory.now, view.status.last_schedule_time)} ago"
    reason = "JobsNotCreated" if view.kind == "CronJob" else "PodsNotCreated"
    return Finding(_severity(view), view.ref, reason, words, (evidence,), caused_by=ref)


def _made_of(view: Identified) -> str:
    """What the object makes: a schedule makes Jobs, everything else pods."""
    return "Jobs" if view.kind == "CronJob" else "pods"


def _whose(view: Identified) -> str:
    """What is not made, as part of a sentence on the object: where older pods serve, it is the new version's."""
    if isinstance(view, Workload) and view.kind == "Deployment" and view.updated < view.ready:
        return "the pods of its new version"
    return f"its {_made_of(view)}"


def _finished(inventory: Inventory, view: Identified, asked: str) -> list[str]:
    """How many of the objects that a quota counts have ended and only take up its room."""
    if "count/jobs" in asked:
        jobs = [one for one in inventory.jobs if one.namespace == view.namespace]
        ended = sum(1 for one in jobs if one.outcome() is not None)
        return [f"{count(len(jobs), 'Job')} in namespace {view.namespace}, {ended} of them ended"]
    if "count/pods" in asked:
        pods = [one for one in inventory.pods if one.namespace == view.namespace]
        ended = sum(1 for one in pods if one.finished)
        return [f"{count(len(pods), 'pod')} in namespace {view.namespace}, {ended} of them ended"]
    return []


def _in_use(used: str, hard: str) -> str:
    """ "cpu: 6 of 6 in use" for each resource of "cpu=6" and "cpu=6"."""
    limits = dict(part.strip().partition("=")[::2] for part in hard.split(","))
    pairs = [part.strip().partition("=")[::2] for part in used.split(",")]
    return ", ".join(f"{name}: {much} of {limits.get(name, 'unknown')} in use" for name, much in pairs)


def _room(view: Identified, asked: str) -> str:
    if "count/" in asked and view.kind in ("CronJob", "Job"):
        return (
            "clear away Jobs that have ended and are not needed any more, let the next ones go by themselves "
            "(ttlSecondsAfterFinished, successfulJobsHistoryLimit), or raise the quota"
        )
    surge = (
        ""
        if view.kind in ("CronJob", "Job")
        else ("; an update also needs room for its surge (maxSurge), so maxUnavailable 1 with maxSurge 0 may do")
    )
    return f"raise the quota, lower what the {_made_of(view)} ask for, or free what others hold{surge}"


def _quota(inventory: Inventory, view: Identified, text: str, evidence: str) -> Iterator[Finding]:
    full = _QUOTA.search(text)
    if full:
        ref = Ref("ResourceQuota", view.namespace, full[1].strip())
        yield Finding(
            _severity(view),
            ref,
            "QuotaExceeded",
            f"it is used up ({_in_use(full[3], full[4])}): {_made_of(view)} of {view.ref} ask for {full[2]}",
            (evidence, *_finished(inventory, view, full[2])),
            effects=(view.ref,),
            remedy=_room(view, full[2]),
            disproof=f"status.used of the quota below its hard limit by {full[2]}",
        )
        yield _caused(
            inventory, view, ref, f"{_whose(view)} are not created: quota {full[1].strip()} is used up", evidence
        )
        return
    wants = _QUOTA_WANTS.search(text)
    if wants:
        yield Finding(
            _severity(view),
            view.ref,
            "QuotaNeedsRequests",
            f"{_whose(view)} are not created: quota {wants[1].strip()} wants them to state {clip(wants[2], 120)}",
            (evidence,),
            remedy="set them in the pod template, or give the namespace defaults with a LimitRange",
            disproof="a pod template that states them",
        )


def _bounds(inventory: Inventory, view: Identified, text: str, evidence: str) -> Iterator[Finding]:
    match = _BOUNDS.search(text)
    if match is None:
        return
    side, resource = match[1].lower()[:3], match[2].lower()
    name = next(
        (
            one.name
            for one in inventory.limit_ranges
            if one.namespace == view.namespace
            and any(resource in (item.max if side == "max" else item.min) for item in one.spec.limits)
        ),
        "",
    )
    bound = f"LimitRange {name}" if name else "a LimitRange"
    yield Finding(
        _severity(view),
        view.ref,
        "LimitRangeViolated",
        f"{_whose(view)} are not created: {bound} allows a {match[1].lower()} {resource} of {match[4]} per {match[3]}, "
        f"the {match[5].lower()} is {match[6]}",
        (evidence,),
        remedy=f"set the {resource} {match[5].lower()}{_holder(view, resource, match[5].lower(), match[6])} in its pod "
        f"template to {match[4]} at {'most' if side == 'max' else 'least'}, or change {bound}",
        disproof="requests and limits within the bounds",
    )


def _holder(view: Identified, resource: str, field: str, figure: str) -> str:
    """The containers of a template that have just this figure, in words; "" where none is known."""
    if not isinstance(view, Workload):
        return ""
    parts = view.spec.template.spec.all_containers
    amounts = [(one.name, one.resources.limits if field == "limit" else one.resources.requests) for one in parts]
    names = [name for name, figures in amounts if str(figures.get(resource)) == figure]
    return f" of container {listed(names)}" if names else ""


def _security(inventory: Inventory, view: Identified, text: str, evidence: str) -> Iterator[Finding]:
    match = _SECURITY.search(text)
    if match:
        yield Finding(
            _severity(view),
            view.ref,
            "PodSecurityViolation",
            f"{_whose(view)} are not created: namespace {view.namespace} enforces PodSecurity {match[1]}, and they "
            f"violate it: {listed(violations(match[2]), 8)}",
            (evidence,),
            remedy=security_remedy(match[2], f"namespace {view.namespace}"),
            disproof="a namespace without that enforcement",
        )


def _account(inventory: Inventory, view: Identified, text: str, evidence: str) -> Iterator[Finding]:
    match = _ACCOUNT.search(text)
    if match is None:
        return
    ref = Ref("ServiceAccount", view.namespace, match[1].rsplit("/", 1)[-1])
    yield Finding(
        _severity(view),
        ref,
        "ServiceAccountMissing",
        f"it does not exist, and pods of {view.ref} run as it",
        (evidence,),
        effects=(view.ref,),
        remedy="create the service account, or correct serviceAccountName in the pod template",
        disproof="the account is there",
    )
    yield _caused(
        inventory,
        view,
        ref,
        f"{_whose(view)} are not created: service account {ref.name} does not exist",
        evidence,
    )


def _webhook(inventory: Inventory, view: Identified, text: str, evidence: str) -> Iterator[Finding]:
    match = _CALL.search(text)
    if match is None:
        return
    yield webhook_failure(inventory, view, text, evidence, f"{_made_of(view)} of {view.ref} are not created")
    ref = webhook_owner(inventory, match[1])
    yield _caused(
        inventory, view, ref, f"{_whose(view)} are not created: webhook {match[1]} {_trouble(text)[0]}", evidence
    )


def webhook_failure(inventory: Inventory, view: Identified, text: str, evidence: str, then: str) -> Finding:
    """The configuration of the webhook that an API error names, with how the call failed and what that stops."""
    name = (_CALL.search(text) or ["", "unknown"])[1]
    trouble, remedy = _trouble(text)
    lines = webhook_lines(inventory, name)
    if view.namespace and any(f"service {view.namespace}/" in line for line in lines):
        lines.append("it guards the pods of its own namespace, so they cannot start while it is down")
    return Finding(
        "critical",
        webhook_owner(inventory, name),
        "WebhookFails",
        f"its webhook {name} {trouble}, so {then}",
        (evidence, *lines),
        effects=(view.ref,),
        remedy=remedy,
        disproof="the same request passes now",
    )


def _trouble(text: str) -> tuple[str, str]:
    """How a call of a webhook failed, and what to do about that."""
    lowered = text.lower()
    if "x509" in lowered or "certificate" in lowered:
        return _certificate_trouble(lowered)
    if _GONE.search(lowered):
        return (
            "is left over: the Service that answered it does not exist",
            "install again what answered it, or, where that was removed for good, delete the configuration that it "
            "left behind",
        )
    if "deadline exceeded" in lowered or "timeout" in lowered.split("?timeout=")[-1]:
        return (
            "does not answer in time",
            "look at why the webhook's pods are slow or cut off; give it more time only then",
        )
    return (
        "does not answer",
        "bring the webhook's own service back; where it cannot start because it guards its own pods, let its selectors "
        "leave out its own namespace",
    )


def _certificate_trouble(lowered: str) -> tuple[str, str]:
    """What is wrong with a webhook's certificate, and what to do about that."""
    if "expired or is not yet valid" in lowered or "certificate has expired" in lowered:
        early = re.search(r"current time \S+ is before", lowered)
        return (
            f"cannot be called: its certificate {'is not valid yet' if early else 'has expired'}",
            "compare the clocks of the control plane and of what issued the certificate"
            if early
            else "renew the certificate that its Service presents, by what issues it (an issuer that fails comes "
            "first); a pod that holds the old one in memory has to be started again afterwards",
        )
    if "certificate is valid for" in lowered or "not valid for any names" in lowered:
        return (
            "cannot be called: its certificate is made out for other names than its Service's",
            "issue the certificate for the host SERVICE.NAMESPACE.svc of the webhook's Service",
        )
    return (
        "is not trusted: its certificate does not fit the configuration's caBundle",
        "renew the certificate or the caBundle so that they fit (what injects the CA may be down)",
    )


def _denied(inventory: Inventory, view: Identified, text: str, evidence: str) -> Iterator[Finding]:
    match = _DENIED.search(text)
    if match:
        yield Finding(
            _severity(view),
            view.ref,
            "AdmissionDenied",
            f"{_whose(view)} are not created: the policy behind webhook {match[1]} denies them: {clip(match[2], 240)}",
            (evidence,),
            remedy="change the pod template as the policy asks; the webhook itself works",
            disproof="the policy no longer matches",
        )


def _other(inventory: Inventory, view: Identified, text: str, evidence: str) -> Iterator[Finding]:
    yield Finding(
        _severity(view),
        view.ref,
        "JobCreationRefused" if view.kind == "CronJob" else "PodCreationRefused",
        f"{_whose(view)} are not created: {clip(text, 240)}",
        (evidence,),
        remedy="change what the API server's words name",
        disproof="a pod created since",
    )


_JUDGES: tuple[Judge, ...] = (_webhook, _denied, _quota, _bounds, _security, _account)


def webhook_owner(inventory: Inventory, name: str) -> Ref:
    """The configuration that holds a webhook of that name; the webhook itself where none was read."""
    for configuration in [*inventory.mutating_webhooks, *inventory.validating_webhooks]:
        if any(one.name == name for one in configuration.webhooks):
            return configuration.ref
    return Ref("Webhook", "", name)


def webhook_lines(inventory: Inventory, name: str) -> list[str]:
    """Where a webhook of that name is answered, and what happens when it is not."""
    for configuration in [*inventory.mutating_webhooks, *inventory.validating_webhooks]:
        for one in configuration.webhooks:
            if one.name == name:
                service = one.client_config.service
                where = f"service {service.namespace}/{service.name}" if service else "a URL outside"
                return [f"{configuration.ref}: webhook {name}, {where}, failurePolicy {one.failure_policy}"]
    return []
