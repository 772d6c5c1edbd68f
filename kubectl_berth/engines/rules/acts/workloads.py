"""What follows where a workload is deleted, scaled down, gone or changed by hand: who needs it, who sets it back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kubectl_berth.cluster.views import CronJob, Identified, Job, Pod, Service, Workload
from kubectl_berth.diagnosis.dependents import callers, emptied, keepers, over, released_by, scalers
from kubectl_berth.diagnosis.relations import resolves
from kubectl_berth.diagnosis.say import count, listed
from kubectl_berth.engines.rules.acts.ask import Asked, third
from kubectl_berth.engines.rules.acts.storage import claims_of
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.topic import Said, bullets
from kubectl_berth.records import Ref
from kubectl_berth.safety.shell import kubectl

OUTSIDE = (
    "Who comes from outside the cluster, or finds it by a setting in a ConfigMap, a Secret or code: not seen.",
    "What the processes hold in memory now, and whether anybody still needs the work.",
)
FROM_OUTSIDE = ("LoadBalancer", "NodePort")
SYSTEM = ("kube-system", "kube-public", "kube-node-lease")


@dataclass(frozen=True)
class Needed:
    """Services without a ready pod once it is gone, and who leads to them or names them, but the workload itself."""

    services: list[Service]
    callers: list[Ref]

    @property
    def who(self) -> str:
        """Who is cut off, in words; "" where nobody is known to be."""
        if any(resolves(one) for one in self.services):
            return "every pod that looks up names"
        return listed([str(caller) for caller in self.callers], 3)

    def lines(self) -> list[str]:
        """One line for each Service and caller."""
        told = [f"{one.ref} ({one.spec.type}) has no ready endpoint then" for one in self.services[:5]]
        return told + [leads_to(ref, self.services[0].ref) for ref in self.callers[:8]] if told else []


def leads_to(ref: Ref, what: Ref | str) -> str:
    """How an object needs a Service, in a sentence."""
    if ref.kind in ("Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "Pod", "ReplicaSet"):
        return f"{ref} names {what} in its settings"
    return f"{ref} leads to {what}"


def needed(case: Case, views: Sequence[Workload | Pod], gone: set[Ref]) -> Needed:
    """What is cut off where these pods go."""
    inventory = case.inventory
    services = list({one.ref: one for view in views for one in over(inventory, view)}.values())
    lost = emptied(inventory, services, gone)
    mine = {view.ref for view in views} | {inventory.workload(view) for view in views}
    found = dict.fromkeys(ref for one in lost for ref in callers(inventory, one.ref) if ref not in mine)
    return Needed(lost, list(found))


def say_gone(case: Case, asked: Asked, view: Identified) -> Said | None:
    """What follows where a workload, Job or CronJob is deleted, scaled to fewer, or down."""
    if isinstance(view, CronJob):
        return _cron(case, asked, view)
    if isinstance(view, Job):
        return _job(case, view)
    if not isinstance(view, Workload):
        return None
    if view.kind == "ReplicaSet":
        return _replica_set(case, view)
    if asked.act == "scale" and asked.number:
        return _fewer(case, view, asked.number)
    pods = [pod for pod in case.inventory.pods_of(view.ref) if not pod.finished]
    need = needed(case, [view], {pod.ref for pod in pods})
    claims = _claims_lost(case, asked, view)
    verdict = _verdict(case, asked, view, need, claims)
    lines = [*need.lines(), *_pods_end(asked, view, pods), *claims, *holds_data(view, pods), *back(case, view, asked)]
    return Said(verdict, [bullets("**What hangs on it**", lines)], _ways(case, asked, view, need), OUTSIDE, alone=True)


_STAY = "; its claims stay, and the data on them"


def _verdict(case: Case, asked: Asked, view: Workload, need: Needed, claims: Sequence[str]) -> str:
    ref = view.ref
    then = f"with {ref} at 0" if asked.act == "scale" else f"without {ref}"
    setter = _setter(case, view)
    back_again = f" And {setter}." if setter and asked.act != "loss" else ""
    if need.services:
        stay = f" {_STAY[2:].capitalize()}." if claims and "removes" not in claims[0] else ""
        return _cut_off(asked, ref, need, then) + stay + back_again
    if asked.act == "loss":
        return f"If {ref} goes down, no Service loses its endpoints and nothing that can be read names it."
    if view.namespace in SYSTEM or view.kind == "DaemonSet":
        nodes = f"it runs on {count(view.desired, 'node')}"
        whose = nodes if view.kind == "DaemonSet" else "it is a part of the cluster"
        return (
            f"No, not without knowing what it does for the nodes: {whose}, and {then} that ends everywhere.{back_again}"
        )
    lost = "" if not claims else "; its claims and their data go too" if "removes" in claims[0] else _STAY
    return (
        f"Only if its work is needed no more: {then} its {count(view.desired, 'pod')} end{third(view.desired)}"
        f"{lost}; no Service selects them alone and nothing that can be read names it.{back_again}"
    )


def _cut_off(asked: Asked, ref: Ref, need: Needed, then: str) -> str:
    """The verdict where Services are left without endpoints."""
    more = f" and {count(len(need.services) - 1, 'more')}" if len(need.services) > 1 else ""
    cut = f"{need.services[0].ref}{more} has no endpoint left"
    who = need.who
    if asked.act == "loss":
        hit = f", and {who} would be cut off from it" if who else "; nothing that can be read leads there"
        return f"If {ref} goes down, {cut}{hit}."
    if who:
        need_it = f"need{third(1 if who.startswith('every') else len(need.callers))} it"
        return f"No, not without breaking what needs it: {then}, {cut}, and {who} {need_it}."
    open_ = next((one for one in need.services if one.spec.type in FROM_OUTSIDE), None)
    if open_ is not None:
        return f"No, not without cutting off who comes from outside: {then}, {cut} (type {open_.spec.type})."
    return f"Only if nobody calls it: {then}, {cut}; nothing else that can be read leads there or names it."


def _pods_end(asked: Asked, view: Workload, pods: Sequence[Pod]) -> list[str]:
    if asked.act == "loss":
        return [f"{sum(pod.ready for pod in pods)} of {view.desired} of its pods are ready now"]
    lines = [f"{count(len(pods), 'pod')} of it end{third(len(pods))}"] if pods else ["no pod of it runs now"]
    if asked.act == "delete" and view.kind == "Deployment":
        lines.append("its ReplicaSets go with it, and so does the way back to an earlier revision")
    if asked.act == "delete":
        lines.append("it is made again only from where it came from (a manifest, a chart, a repository)")
    return lines


def _claims_lost(case: Case, asked: Asked, view: Workload) -> list[str]:
    """What becomes of the claims of its pods."""
    if asked.act == "loss":
        return []
    names = {Ref("PersistentVolumeClaim", view.namespace, name)
             for pod in case.inventory.pods_of(view.ref) for name in pod.claims}  # fmt: skip
    fronts = tuple(f"{one.metadata.name}-{view.name}-" for one in view.spec.volume_claim_templates)
    own = {
        one.ref
        for one in case.inventory.claims
        if fronts and one.namespace == view.namespace and one.name.startswith(fronts)
    }
    found = claims_of(case, names | own)
    if not found:
        return []
    told = listed([f"{claim.name}{f' (volume: {policy})' if policy else ''}" for claim, policy in found], 3)
    kept = view.spec.persistent_volume_claim_retention_policy
    rule = (kept.when_deleted if asked.act == "delete" else kept.when_scaled) if kept else ""
    if rule == "Delete" and own:
        field = "whenDeleted" if asked.act == "delete" else "whenScaled"
        return [f"persistentVolumeClaimRetentionPolicy.{field}: Delete removes its claims with the pods: {told}"]
    return [f"its claims stay, and the data on them: {told}"]


def holds_data(view: Workload, pods: Sequence[Pod]) -> list[str]:
    """What is lost where all its pods end: memory and emptyDir, where no claim keeps it."""
    spec = pods[0].spec if pods else view.spec.template.spec
    claimed = bool(view.spec.volume_claim_templates) or any(one.persistent_volume_claim for one in spec.volumes)
    scratch = [one.name for one in spec.volumes if one.empty_dir is not None]
    if claimed:
        return ["what its processes hold in memory only is lost" + (
            f", and its emptyDir volumes ({listed(scratch, 3)})" if scratch else "")]  # fmt: skip
    where = f"memory and in its emptyDir volumes ({listed(scratch, 3)})" if scratch else "memory or in its containers"
    return [f"it has no volume claim: what it keeps in {where} is lost"]


def back(case: Case, view: Identified, asked: Asked) -> list[str]:
    """Who makes it what it is and would set a change back."""
    inventory = case.inventory
    lines = []
    for one in scalers(inventory, view.ref):
        if asked.act == "scale" and not asked.number and one.kind == "HorizontalPodAutoscaler":
            lines.append(f"{one} does nothing while it is at 0; it goes on once it is scaled up by hand")
        elif asked.act == "scale":
            lines.append(f"{one} scales it too and may set another number")
        elif asked.act == "delete":
            lines.append(f"{one} is left without a target")
    lines += [f"{one} makes it what it is: changes belong there" for one in keepers(inventory, view)[:3]]
    if by := released_by(view):
        lines.append(f"managed by {by} (label): its next release sets by-hand changes back")
    return lines


def _setter(case: Case, view: Identified) -> str:
    """Who undoes it, as a clause; "" where nobody is known to."""
    found = keepers(case.inventory, view)
    if not found:
        return ""
    kind = "its operator" if any(ref in found for ref in case.inventory.owners(view)) else "what rolls it out"
    return f"it does not last: it comes from {found[0]}, and {kind} sets it back"


def _ways(case: Case, asked: Asked, view: Workload, need: Needed) -> list[str]:
    told = []
    if found := keepers(case.inventory, view):
        told.append(f"If it is to go or to change for good, change {found[0]} (or what that is made from).")
    if need.callers:
        told.append(f"Look after those that need it first: {listed([str(ref) for ref in need.callers], 4)}.")
    if asked.act == "delete" and view.kind in ("Deployment", "StatefulSet") and not found:
        told.append(
            f"Scaling it to 0 for a while shows who misses it and can be taken back; keep how it is made first: "
            f"`{kubectl('get', view.kind.lower(), view.name, '-n', view.namespace, '-o', 'yaml')}` prints it."
        )
    if asked.act == "scale":
        told.append(_taken_back(view))
    if asked.act == "loss" and view.desired == 1 and view.kind != "DaemonSet":
        told.append("Run a second replica, if the application can, so that one may go down.")
    for one in need.services[:1]:
        if case.inventory.has_endpoints(one.ref):
            words = ("get", "endpointslices", "-n", one.namespace, "-l", f"kubernetes.io/service-name={one.name}")
            told.append(f"What stands behind the Service now: `{kubectl(*words)}`.")
    return told[:4]


def _taken_back(view: Workload) -> str:
    where = (f"{view.kind.lower()}/{view.name}", "-n", view.namespace)
    return f"It is taken back with `{kubectl('scale', *where, f'--replicas={max(1, view.desired)}')}`."


# --- fewer replicas -------------------------------------------------------------------------------------------------


def _fewer(case: Case, view: Workload, number: int) -> Said:
    pods = [pod for pod in case.inventory.pods_of(view.ref) if not pod.finished]
    ready = sum(pod.ready for pod in pods)
    pair = f"from {view.desired} to {number}"
    single = " Then it runs once only, and each restart or lost node is an interruption." if number == 1 else ""
    verdict = (
        f"Only if {count(number, 'pod')} can carry the load: {view.ref} goes {pair} ({ready} are ready now).{single}"
    )
    if setter := _setter(case, view):
        verdict += f" And {setter}."
    bounds = [
        f"{one.ref} keeps it at {one.spec.min_replicas or 1} at least and scales it back"
        for one in case.inventory.autoscalers
        if one.target == view.ref
    ]
    tight = [
        f"{one.ref} asks for minAvailable {one.spec.min_available}: with {number} it lets no pod be evicted"
        for one in case.inventory.budgets
        if isinstance(one.spec.min_available, int)
        and one.spec.min_available >= number
        and {pod.ref for pod in case.inventory.pods_of(one.ref)} & {pod.ref for pod in pods}
    ]
    asked = Asked("scale", view.ref, number=number)
    lines = [*bounds, *tight, *_claims_lost(case, asked, view), *[one for one in back(case, view, asked) if not bounds]]
    ways = [_taken_back(view)]
    return Said(verdict, [bullets("**What hangs on it**", lines)], ways, OUTSIDE, alone=True)


# --- jobs and old revisions -----------------------------------------------------------------------------------------


def _cron(case: Case, asked: Asked, view: CronJob) -> Said:
    running = [one.name for one in view.status.active]
    ends = f", and {listed(running)} that runs now ends with it" if running and asked.act == "delete" else ""
    act = "it makes no more runs" if asked.act != "delete" else "its schedule, its Jobs and their logs are gone"
    verdict = f"Only if its runs ({view.spec.schedule}) are needed no more: without {view.ref} {act}{ends}."
    lines = [
        f"last run {view.status.last_schedule_time or 'never'}, "
        f"last success {view.status.last_successful_time or 'not on record'}"
    ]
    lines += back(case, view, asked)
    ways = ["spec.suspend: true stops its runs and keeps everything else; it can be taken back."]
    return Said(verdict, [bullets("**What hangs on it**", lines)], ways, OUTSIDE[1:], alone=True)


def _job(case: Case, view: Job) -> Said:
    over_now = view.outcome()
    owner = case.inventory.owner(view)
    if over_now is not None:
        verdict = f"Yes: {view.ref} has ended ({over_now.type}); its pods and their logs go with it, nothing that runs."
    else:
        verdict = (
            f"Only if its work may stop: {view.ref} is not finished ({view.status.active} active), its pods end with "
            "it, and what they have done so far is not taken back."
        )
    lines = [f"{owner} made it, and makes a new one when its time comes"] if owner is not None else [
        "nothing makes it again"]  # fmt: skip
    return Said(verdict, [bullets("**What hangs on it**", lines)],
                [f"Its log first, while it is there: `{kubectl('logs', f'job/{view.name}', '-n', view.namespace)}`."],
                alone=True)  # fmt: skip


def _replica_set(case: Case, view: Workload) -> Said:
    owner = case.inventory.owner(view)
    if view.desired == 0:
        verdict = (
            f"Yes, nothing runs from it: {view.ref} has 0 pods; what goes is the way back to revision {view.revision}."
        )
    elif owner is not None:
        verdict = f"No: {view.ref} runs {count(view.desired, 'pod')} of {owner}, which makes it again at once."
    else:
        verdict = f"Only if its {count(view.desired, 'pod')} are needed no more: nothing makes {view.ref} again."
    return Said(
        verdict, [], ["spec.revisionHistoryLimit of the Deployment says how many old ones are kept."], alone=True
    )


# --- by hand --------------------------------------------------------------------------------------------------------


def say_edit(case: Case, asked: Asked, view: Identified) -> Said:
    """Whether a change by hand lasts."""
    found = keepers(case.inventory, view)
    by = released_by(view)
    if found:
        verdict = (
            f"No, not for long: {view.ref} comes from {found[0]}, which sets back what is changed by hand. Change it "
            "there."
        )
    elif by:
        verdict = f"Only until the next release: {view.ref} is managed by {by} (label), which sets it back then."
    else:
        verdict = f"Yes, as far as can be read: no owner and no label names anything that would set {view.ref} back."
    lines = back(case, view, asked)
    ways = [f"What differs shows `{kubectl('get', view.kind.lower(), view.name, '-n', view.namespace, '-o', 'yaml')}`."]
    return Said(verdict, [bullets("**Who makes it what it is**", lines)] if lines else [], ways,
                ("Pipelines outside the cluster that roll it out: no object tells.",), alone=True)  # fmt: skip
