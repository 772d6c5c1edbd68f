"""A cause that the question names or suspects, held against the one that is seen: yes, no, or not to be told."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kubectl_berth.engines.rules.alike import VAGUE
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.material import LogSeen
from kubectl_berth.records import Finding


@dataclass(frozen=True)
class _Family:
    """A kind of cause: what it is called, the words that ask for it, those of a fault of it, and those near it."""

    label: str
    asked: str
    fault: str
    near: str


_FAMILIES = (
    _Family(
        "the image or its registry", r"images?|registr\w+|(?:image )?pulls?|tags?", r"image|registry", r"pull|manifest"
    ),
    _Family("the CPU", r"cpus?|processors?", r"\bcpu\b|throttl", r"insufficient|too busy|autoscaler"),
    _Family("memory", r"memory|ram|oom\w*|heap", r"memory|\boom|heap", r"\b137\b|evict|killed"),
    _Family(
        "a lack of room", r"capacity|room|resources?|(?:too few|not enough|no (?:more )?free) nodes?",
        r"insufficient|no room|too few", r"\bcpu\b|memory|capacity|preemption victims? found on",
    ),
    _Family("a probe", r"probes?|health ?-?checks?|liveness|readiness", r"probe|liveness|readiness", r"unhealthy"),
    _Family(
        "the network", r"network\w*|firewalls?|cni|connectivity|polic(?:y|ies)",
        r"network|\bcni\b|sandbox|no route", r"polic|connect|refused|time(?:d |-)?out|unreachable|address|no such host",
    ),
    _Family("DNS", r"dns|name resolution|resolv\w+|coredns", r"\bdns\b|coredns|no such host|resolv", r"lookup"),
    _Family(
        "storage", r"disks?|volumes?|storage|pvcs?|claims?|filesystem", r"volume|claim|\bdisk|storage|no space|attach",
        r"mount|read-only|\bi/o\b",
    ),
    _Family("a node", r"nodes?|machines?|hosts?", r"^Node ", r"\bnode\b"),
    _Family(
        "permissions", r"rbac|permissions?|forbidden|rights|roles?|service ?accounts?", r"forbidden|rbac|permission",
        r"denied|unauthori|\b40[13]\b",
    ),
    _Family("a certificate", r"certificates?|certs?|tls|ssl", r"certif|x509", r"\btls\b|expired|issuer"),
    _Family("a quota", r"quotas?|limit ?ranges?", r"quota|limitrange", r"exceed"),
    _Family(
        "the credentials", r"credentials?|passwords?|log-?ins?|authentication", r"credential|password|authenticat",
        r"auth|secret|denied|forbidden|\b40[13]\b",
    ),
    _Family("a Secret", r"secrets?", r"secret", r"credential|config|\benv"),
    _Family(
        "the configuration", r"config\w*|env\w*|settings?|values", r"config",
        r"secret|\benv|variable|setting|value|flag|argument",
    ),
    _Family("a taint", r"taints?|tolerations?", r"taint|tolera", r"selector"),
    _Family(
        "affinity or a node selector", r"(?:anti-?)?affinity|(?:node )?selectors?|topology",
        r"affinity|selector|topology", r"taint|label|match",
    ),
    _Family("a webhook", r"(?:admission )?webhooks?", r"webhook", r"admission"),
)  # fmt: skip

_POLAR = r"(?:is|are|was|were|does|do|did|has|have|could|can|might|may)\b"
_BECAUSE = re.compile(
    r"(?P<before>[^.?!]*?)\b(?:because of|because|due to|caused by|owing to|blamed? on)\s+(?P<cause>[^?.!,;]{2,80})",
    re.IGNORECASE,
)
_IS_IT = re.compile(
    r"(?:^|[.?!,;:]\s*|\b(?:and|or|so|but)\s+)(?:is|was|could|can|might) (?:it|this|that)\s+(?:be\s+)?"
    r"(?:(?:really|maybe|perhaps|just|still|only|about|because of|due to)\s+)*(?P<cause>[a-z][^?.!,;]{1,40})\?",
    re.IGNORECASE,
)
_TO_BLAME = re.compile(
    r"(?:^|[.?!,;:]\s*|\b(?:and|or|so|but)\s+)(?:is|are|was|were)\s+(?P<cause>[^?.!,;]{2,40}?)\s+(?:the (?:problem|"
    r"cause|culprit|reason)|to blame|at fault|behind (?:it|this|that))\b",
    re.IGNORECASE,
)
_SURMISE = re.compile(
    r"\b(?:i|we) (?:really |just |would |do )?(?:think|guess|suspect|believe|suppose)\b\s+(?:that\s+|it is\s+|it's\s+)?"
    r"(?P<cause>[a-z][^?.!,;]{2,40})",
    re.IGNORECASE,
)
_BEFORE = (
    r"(?:^|\bor )(?:(?:a|an|the|our|my|some|this|that|these|those|no|bad|wrong|missing|failing|broken|full|lack of|"
    r"out of|(?:problems?|issues?) (?:of|with|in)|something (?:with|in))\s+)*(?:[\w-]+\s+)?"
)
"""What may stand before the cause in "is it ...": "is it safe to remove a node" asks for none."""
_OPEN = re.compile(r"^\W*(?:(?:and|so|but|hi|hey)\s+)*(?:why|how|what|which|who|where|when)\b", re.IGNORECASE)


def suspected(case: Case, logs: Sequence[LogSeen]) -> str:
    """Yes or no to the cause that the question names; "" where it names none or what is seen does not tell."""
    named = _named(case)
    if not named or not case.causes:
        return ""
    root = case.causes[0]
    seen = "\n".join((_headline(root), *_best(root, logs)))
    found = [one for one in named if re.search(one.fault, seen, re.IGNORECASE | re.MULTILINE)]
    if found:
        return f"Yes, by what is seen it is {' or '.join(one.label for one in found[:2])}."
    between = [
        one
        for one in named
        if any(re.search(one.fault, _headline(symptom), re.IGNORECASE) for symptom in case.symptoms)
    ]
    if between:
        return f"In part: {' or '.join(one.label for one in between[:2])} is hit, but the cause lies deeper."
    trace = "\n".join((seen, *_traces(case, logs)))
    near = any(re.search(f"{one.fault}|{one.near}", trace, re.IGNORECASE | re.MULTILINE) for one in named)
    told = root.reason not in VAGUE or any(log.best is not None for log in logs)
    label = " or ".join(one.label for one in named[:2])
    if near or not told:
        return ""
    return (
        f"Nothing that is seen speaks for {label}."
        if case.wide
        else (f"No, it is not {label}: the cause that is seen is another.")
    )


def _named(case: Case) -> list[_Family]:
    text = case.understanding.text
    found, before = _IS_IT.search(text) or _TO_BLAME.search(text) or _SURMISE.search(text), _BEFORE
    if found is None and (why := _BECAUSE.search(text)) is not None and not _OPEN.match(why["before"]):
        asks = "?" in text[why.end() :] or re.match(rf"\W*{_POLAR}", why["before"], re.IGNORECASE)
        found, before = (why if asks else None), ""
    if found is None:
        return []
    cause = found["cause"]
    # "because of checkout-db": what is named is an object, not a kind of cause
    if any(re.search(rf"(?<![\w-]){re.escape(ref.name)}(?![\w-])", cause, re.IGNORECASE) for ref in case.subjects):
        return []
    return [one for one in _FAMILIES if re.search(rf"{before}(?<![\w-])(?:{one.asked})(?![\w-])", cause, re.IGNORECASE)]


def _headline(finding: Finding) -> str:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", finding.reason)
    return f"{finding.subject.kind} {words}: {finding.summary}"


def _best(root: Finding, logs: Sequence[LogSeen]) -> list[str]:
    family = {root.subject, *root.effects}
    return [log.best.line for log in logs if log.best is not None and log.wanted.pod in family]


def _traces(case: Case, logs: Sequence[LogSeen]) -> list[str]:
    """All that the case and its logs say, where something may speak for the cause named."""
    told = [text for one in case.findings for text in (_headline(one), *one.evidence)]
    return [
        *told,
        *(line for log in logs for line in log.tail),
        *(one.line for log in logs for one in log.reading.lines),
    ]


# --- memory ---------------------------------------------------------------------------------------------------------

_BLAMES_MEMORY = re.compile(
    r"\boom\w*|\bout of memory\b|\bleak\w*\b|\bmemory (?:problem|issue|shortage|pressure|hungry)|"
    r"\b(?:because of|due to|is it|was it|lack of|not enough|too little|insufficient|short of|low on|more|maybe|"
    r"perhaps|probably|guess|suspect|blame)\s+(?:of\s+|the\s+|a\s+|its\s+|that\s+)*(?:memory|ram)\b|"
    r"\bno (?:more |free )?(?:memory|ram)\b(?! (?:limit|request))|(?:^|,)\s*(?:the )?(?:memory|ram)(?: again)?\s*\?|"
    r"\b(?:rais\w+|increas\w+|bump\w*|more|higher)\b[^.?!]{0,25}\bmemory\b",
    re.IGNORECASE,
)
_OF_MEMORY = re.compile(r"memory|\boom|heap|evict|enomem|cannot allocate|malloc|killed process", re.IGNORECASE)


def not_memory(case: Case, logs: Sequence[LogSeen]) -> str:
    """That it is not memory, where the question says so and all that is seen speaks against it; else ""."""
    said = case.understanding
    negated = any(one.claim == "memory" and one.negated for one in said.premises)
    if negated or not case.causes or not _BLAMES_MEMORY.search(said.text):
        return ""
    if any(_OF_MEMORY.search(text) for text in _traces(case, logs)) or any(_killed(case)):
        return ""
    known = [one for one in case.causes if one.reason not in VAGUE or _best(one, logs)]
    return "It is not memory: nothing here was killed for lack of memory." if known == case.causes else ""


def _killed(case: Case) -> list[bool]:
    """For each end of a container of the case's pods, whether it may have been for lack of memory."""
    refs = {ref for one in (*case.causes, *case.symptoms) for ref in (one.subject, *one.effects)} | set(case.subjects)
    pods = {pod.ref: pod for ref in refs for pod in case.inventory.pods_of(ref)}
    ends = [
        end
        for pod in pods.values()
        for status in (*pod.status.init_container_statuses, *pod.status.container_statuses)
        for end in (status.state.terminated, status.last_state.terminated)
        if end is not None
    ]
    # a probe's kill ends with the same code
    told = all(one.reason not in VAGUE for one in case.causes)
    return [end.reason == "OOMKilled" or (end.exit_code == 137 and not told) for end in ends]
