"""What the checks found, for a person: causes first, what follows from each under it, gaps at the end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kubectl_berth.output.check_groups import WEIGHT, Group, groups
from kubectl_berth.records import Checked, Finding, Gap, Ref, Severity
from kubectl_berth.safety.sanitise import one_line

LINE = 600
"""Characters of one line at most."""
MOST_EFFECTS = 12
MOST_ALSO = 6
MOST_GAPS = 20
_COLOURS: dict[Severity, str] = {"critical": "31;1", "warning": "33;1", "info": "36"}
_NAMES = {
    "cron_jobs": "cron job",
    "claims": "volume claim",
    "custom": "custom resource",
    "budgets": "disruption budget",
    "ingresses": "ingress",
}


def check_text(checked: Checked, severity: Severity, *, colour: bool = False) -> str:
    """The report, findings of at least that severity and what explains them. `colour` for terminals that obey it."""
    shown = groups(checked.findings, severity)
    hidden = [one for one in checked.findings if WEIGHT[one.severity] > WEIGHT[severity]]
    told = {id(one) for group in shown for one in (group.cause, *group.effects)}
    below = sum(id(one) not in told for one in hidden)
    # what is only worth knowing is no fault
    milder = any(one.severity != "info" for one in hidden)
    parts = [_headline(checked, shown, severity if milder else None)]
    parts += ["\n".join(_group(group, colour=colour)) for group in shown]
    if below:
        parts.append(f"{_count(below, 'finding')} below {severity} not shown: --severity info shows all.")
    if checked.remarks:
        parts.append("\n".join(f"note: {one_line(remark, LINE)}" for remark in checked.remarks))
    if checked.gaps:
        parts.append("\n".join(_gaps(checked.gaps)))
    parts.append(_footer(checked))
    return "\n\n".join(parts) + "\n"


def _headline(checked: Checked, shown: Sequence[Group], hides: Severity | None) -> str:
    """The first line. `hides` is the severity that was asked for where it leaves faults out."""
    where = _where(checked)
    if not shown:
        fault = f"{hides} fault" if hides else "fault"
        untold = [one_line(gap.what, 120) for gap in checked.gaps if gap.why == "unknown"]
        if untold:
            some = f"the state of some is unknown: {'; '.join(untold)}"
            return f"No {fault} found {where} in what could be read, but {some}."
        if checked.gaps:
            return f"No {fault} found {where} in what could be read; {_count(len(checked.gaps), 'thing')} could not be."
        return f"No {fault} found {where}."
    effects = sum(len(group.effects) + len(group.also) for group in shown)
    counted = [f"{number} {name}" for name in WEIGHT if (number := sum(group.worst == name for group in shown))]
    follows = f", {_count(effects, 'effect')}" if effects else ""
    return f"{_count(len(shown), 'cause')} {where} ({', '.join(counted)}){follows}:"


def _where(checked: Checked) -> str:
    if checked.targets:
        more = f" and {len(checked.targets) - 3} more" if len(checked.targets) > 3 else ""
        return f"for {', '.join(map(str, checked.targets[:3]))}{more}"
    return f"in namespace {checked.namespace}" if checked.namespace else "in the cluster"


def _group(group: Group, *, colour: bool) -> Iterable[str]:
    cause = group.cause
    yield f"{_label(cause.severity, colour=colour)}  {_bold(str(cause.subject), colour=colour)}  {cause.reason}"
    yield f"  {one_line(cause.summary, LINE)}"
    yield from (f"  - {one_line(line, LINE)}" for line in cause.evidence)
    if cause.caused_by is not None:
        yield f"  follows from: {cause.caused_by}"
    if group.effects or group.also:
        yield "  brings with it:"
        yield from (f"    {_effect(one)}" for one in group.effects[:MOST_EFFECTS])
        rest = len(group.effects) - MOST_EFFECTS
        if rest > 0:
            yield f"    and {_count(rest, 'more finding')}: -o json has all"
        if group.also:
            yield f"    also: {_listed(group.also)}"
    if cause.remedy:
        yield f"  what to do: {one_line(cause.remedy, LINE)}"
    if cause.disproof:
        yield f"  wrong if: {one_line(cause.disproof, LINE)}"


def _effect(finding: Finding) -> str:
    return f"{finding.severity} {finding.subject}: {one_line(finding.summary, LINE)}"


def _listed(refs: Sequence[Ref]) -> str:
    rest = f" and {len(refs) - MOST_ALSO} more" if len(refs) > MOST_ALSO else ""
    return ", ".join(map(str, refs[:MOST_ALSO])) + rest


def _gaps(gaps: Sequence[Gap]) -> Iterable[str]:
    yield "Not checked:"
    for gap in gaps[:MOST_GAPS]:
        detail = f" ({one_line(gap.detail, 200)})" if gap.detail else ""
        yield f"  - {one_line(gap.what, 120)}: {gap.why}{detail}"
    if len(gaps) > MOST_GAPS:
        yield f"  - and {len(gaps) - MOST_GAPS} more: -o json has all"


def _footer(checked: Checked) -> str:
    counted = ", ".join(
        _count(number, _NAMES.get(name, name.removesuffix("s"))) for name, number in checked.looked_at.items()
    )
    where = f"{checked.cluster.source} {one_line(checked.cluster.name)}"
    return (
        f"Looked at in {where}: {counted or 'nothing'}. Logs were not read, and what an application does with each "
        "request is not seen from here."
    )


def _label(severity: Severity, *, colour: bool) -> str:
    return f"\x1b[{_COLOURS[severity]}m{severity}\x1b[0m" if colour else severity


def _bold(text: str, *, colour: bool) -> str:
    return f"\x1b[1m{one_line(text, LINE)}\x1b[0m" if colour else one_line(text, LINE)


def _count(number: int, one: str) -> str:
    return f"{number} {one}{'' if number == 1 else 'es' if one.endswith('s') else 's'}"
