"""When certificates end: read off whatever object says so in its status, since Secrets are never read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from kubectl_berth.cluster.views import CustomResource, Ingress, age, duration, parse_time
from kubectl_berth.engines.rules.case import Case, referenced
from kubectl_berth.engines.rules.facts.asked import ASKS, YES_NO, capped, half, in_place, only, place
from kubectl_berth.engines.rules.facts.lookups import Answer
from kubectl_berth.question.words import fits_concept
from kubectl_berth.records import Ref

MOST = 20
_CERTIFICATE = r"(?:(?:ssl|tls|x509|server|wildcard)[ -]?)?cert(?:ificate)?s?|tls|ssl"
_END = (
    r"expir\w*|runs? out|running out|valid\w*|renew\w*|good (?:until|till|for)|ends?|ending|up for renewal|due|"
    r"not ?after|last"
)
_SPAN = (
    r"(?:within|in|during|over)?\s*(?:the )?(?:next|coming|this|following|within)\s*(?P<number>\d{1,3})?\s*"
    r"(?P<unit>day|week|month|year)s?|in (?P<number2>\d{1,3}) (?P<unit2>day|week|month|year)s?|soon"
)
_DAYS = {"day": 1, "week": 7, "month": 31, "year": 366}
_SOON = 30
_HOST = r"(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)+"
_KEYS = re.compile(
    r"(?:certificates?)?(?:notAfter|validUntil|validTo|expir(?:y|es|ation|e)(?:At|On|Time|Date|Timestamp)?)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Validity:
    """When one certificate ends, what for, and when its renewal is due."""

    ref: Ref
    end: datetime
    written: str
    hosts: tuple[str, ...]
    secret: str
    renewal: datetime | None


def expiries(case: Case) -> Answer | None:
    """The answer to when certificates end; None for another question."""
    text = case.understanding.text
    if not (re.search(rf"\b(?:{_CERTIFICATE})\b", text, re.I) and re.search(rf"\b(?:{_END})\b", text, re.I)):
        return None
    if re.search(r"\b(?:more|longer) than\b|\bat least\b|\bwhen (?:was|were|did)\b[^?]*\brenew", text, re.IGNORECASE):
        return None
    if not ASKS.search(text) or not only(case, _HOST, _SPAN, _CERTIFICATE, _END, "still|already|soonest"):
        return None
    known = validities(case)
    hosts = [host for host in re.findall(_HOST, text.lower()) if not any(host == ref.name for ref in case.subjects)]
    if hosts or (case.subjects and not case.understanding.by_kind):
        mine = [one for one in known if _covers(one, hosts)]
        if not mine and not case.understanding.by_kind:
            mine = [one for one in known if _of(case, one)]
        return _these(case, mine, known, hosts)
    known = [one for one in known if in_place(case, one.ref.namespace)]
    if not known:
        return (
            f"When certificates end cannot be told: no object{place(case)} says so{half(case, 'custom')}. Those in "
            "Secrets are never read."
        ), []
    return _every(case, known)


def validities(case: Case) -> list[Validity]:
    """What objects say about the end of certificates, the earliest first."""
    found = [one for view in case.inventory.custom for one in _validity(view)]
    return sorted(found, key=lambda one: (one.end, one.ref))


def _validity(view: CustomResource) -> Iterator[Validity]:
    status = view.status if isinstance(view.status, Mapping) else {}
    called = fits_concept("certificate", f"{view.api_version} {view.kind}")
    nested = [inner for inner in status.values() if isinstance(inner, Mapping)]
    for part in (status, *nested):
        for key, value in part.items():
            end = parse_time(value) if isinstance(value, str) and _KEYS.fullmatch(str(key)) else None
            if end is None or not (called or re.search("notAfter|certificate", str(key), re.IGNORECASE)):
                continue
            spec = view.spec if isinstance(view.spec, Mapping) else {}
            names = [*_words(spec.get("dnsNames")), *_words(spec.get("domains")), *_words(spec.get("commonName"))]
            renewal = part.get("renewalTime")
            yield Validity(
                view.ref,
                end,
                str(value),
                tuple(dict.fromkeys(names)),
                str(spec.get("secretName") or ""),
                parse_time(renewal) if isinstance(renewal, str) else None,
            )
            return


def _words(value: object) -> list[str]:
    value = [value] if isinstance(value, str) else value
    if not isinstance(value, list):
        return []
    # what is no host name may be any text
    return [one for one in value if isinstance(one, str) and re.fullmatch(r"[\w.*:-]{1,253}", one)]


def _covers(one: Validity, hosts: list[str]) -> bool:
    wild = {name.removeprefix("*.") for name in one.hosts if name.startswith("*.")}
    return any(host in one.hosts or host.partition(".")[2] in wild for host in hosts)


def _of(case: Case, one: Validity) -> bool:
    """True where the certificate is a subject, or lies in a Secret that a subject takes."""
    for ref in case.subjects:
        view = case.inventory.find(ref)
        if ref == one.ref:
            return True
        if ref.namespace != one.ref.namespace or not one.secret:
            continue
        if isinstance(view, Ingress) and one.secret in {tls.secret_name for tls in view.spec.tls}:
            return True
        if any(one.secret in referenced(pod) for pod in case.inventory.pods_of(ref)):
            return True
    return False


def _these(case: Case, mine: list[Validity], known: list[Validity], hosts: list[str]) -> Answer | None:
    about = hosts[0] if hosts else str(case.subjects[0])
    if not mine:
        if case.subjects and not hosts and not known:
            return None
        return (
            f"When the certificate of {about} ends cannot be told: no object that can be read says so"
            f"{half(case, 'custom')}. The certificate itself lies in a Secret, which is never read."
        ), []
    now = case.inventory.now
    head = f"{mine[0].ref} {_when(mine[0], now)}."
    return head, [*_beside(mine[0], now), *capped([_line(one, now) for one in mine[1:]], MOST)]


def _every(case: Case, known: list[Validity]) -> Answer:
    now, text = case.inventory.now, case.understanding.text
    over = [one for one in known if one.end <= now]
    ahead = [one for one in known if one.end > now]
    limit = _limit(text)
    words = []
    if re.search(r"\bexpired\b", text, re.IGNORECASE) and not over:
        words.append(f"No: none of the {len(known)} certificates{place(case)} that say when they end has expired")
    if over:
        yes = "Yes. " if YES_NO.search(text) and re.search(r"\bexpired\b", text, re.IGNORECASE) else ""
        names = ", ".join(f"{one.ref} ({age(now, one.end)} ago, {one.written})" for one in over[:4])
        words.append(f"{yes}Expired already: {names}{f' and {len(over) - 4} more' if len(over) > 4 else ''}")
    if limit is not None:
        due = [one for one in ahead if (one.end - now).days < limit]
        names = ", ".join(f"{one.ref} ({one.written})" for one in due[:4])
        more = f" and {len(due) - 4} more" if len(due) > 4 else ""
        words.append(
            f"within {limit} days {len(due) or 'none'} of {len(known)} ends{f': {names}{more}' if due else ''}"
        )
    if ahead and (limit is None or not words):
        words.append(f"next to end: {ahead[0].ref}, on {ahead[0].written} (in {duration(_left(ahead[0], now))})")
    head = "; ".join(words)
    head = f"{head[:1].upper()}{head[1:]}{half(case, 'custom')}."
    return head, capped([_line(one, now) for one in known], MOST)


def _limit(text: str) -> int | None:
    found = re.search(rf"\b(?:{_SPAN})\b", text, re.IGNORECASE)
    if found is None:
        return None
    unit = found["unit"] or found["unit2"]
    if unit is None:
        return _SOON
    return int(found["number"] or found["number2"] or 1) * _DAYS[unit.lower()]


def _left(one: Validity, now: datetime) -> float:
    return (one.end - now) / timedelta(seconds=1)


def _when(one: Validity, now: datetime) -> str:
    if one.end <= now:
        return f"has expired: it was valid until {one.written} ({age(now, one.end)} ago)"
    return f"is valid until {one.written} (for {duration(_left(one, now))} from now)"


def _beside(one: Validity, now: datetime) -> list[str]:
    lines = [f"for {', '.join(one.hosts[:6])}"] if one.hosts else []
    lines += [f"kept in Secret {one.secret}"] if one.secret else []
    if one.renewal is not None:
        day = one.renewal.strftime("%Y-%m-%dT%H:%M:%SZ")
        past = one.renewal <= now
        lines.append(
            f"its renewal {'was' if past else 'is'} due on {day}" + (" and has not come about" if past else "")
        )
    return lines


def _line(one: Validity, now: datetime) -> str:
    beside = "; ".join(part for part in _beside(one, now) if not part.startswith("kept"))
    return f"{one.ref} {_when(one, now)}" + (f"; {beside}" if beside else "")
