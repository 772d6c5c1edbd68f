"""Which faults the words of a question fit, where it names none of the objects: by names alike, and by what is said."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kubectl_berth.question.words import FUNCTION_WORDS, says_little, stem
from kubectl_berth.records import Finding

_MATTERS: tuple[tuple[str, str], ...] = (
    (r"delet\w+|terminat\w+|recreat\w+|finali[sz]\w+|go(?:es|ing)? away", r"delet|terminat|finali[sz]er"),
    (
        r"merg\w+|commit\w*|push\w*|releas\w+|deploy\w*|roll-?outs?|git\w*|sync\w*|(?:old|new|previous) (?:\w+ )?"
        r"(?:version|bug|code|build)|still (?:\w+ )?old|(?:the|my|our) (?:fix|change)",
        r"git|helm|kustomiz|release|application|source|sync|rollout|revision|deadline",
    ),
    (r"back-?ups?|dumps?|snapshots?|restor\w+", r"backup|dump|snapshot|restor"),
    (r"nightly|daily|hourly|weekly|monthly|cron\w*|schedul\w+|every (?:night|day|hour|morning)", r"cron|job|schedule"),
    (r"cert\w*|tls|https|ssl|secure|padlock|expired?", r"certif|\btls\b|x509|expired|issuer"),
    (r"dns|resolv\w+|host ?names?|lookups?", r"\bdns\b|coredns|resolv|no such host"),
    (r"disks?|volumes?|storage|full|space", r"volume|claim|disk|storage|no space|attach|mount"),
    (r"deploy\w*|create\w*|start\w*|roll ?out|launch\w*", r"webhook|admission|quota|not created|forbidden"),
    (r"scal\w+|replicas?|autoscal\w+|load|busy|queue", r"scal|replica"),
    (
        r"50[234]s?|404s?|reach\w*|timeouts?|time(?:s|d)? out|connect\w*|web ?sites?|urls?|pages?|online",
        r"ingress|service|endpoint|networkpolicy|route|gateway",
    ),
    (r"nodes?|machines?|servers?|hosts?", r"\bnode\b"),
)
"""What a question speaks of, and how a finding of it is called."""


def fitting(text: str, findings: Sequence[Finding], *, by_name: bool = False) -> list[Finding]:
    """The faults that the question may be about, those that fit best first; with `by_name` only those called alike."""
    said = _stems(text)
    matters = [finding for asked, finding in _MATTERS if re.search(rf"(?<![\w-])(?:{asked})(?![\w-])", text, re.I)]
    scored = [(_score(one, said, matters), one) for one in findings if one.severity != "info"]
    kept = [(names, words, one) for (names, words), one in scored if names or (words and not by_name)]
    return [one for names, words, one in sorted(kept, key=lambda each: -(2 * each[0] + each[1]))]


def _score(finding: Finding, said: set[str], matters: Sequence[str]) -> tuple[int, int]:
    """How many words name what the finding is about, and how many matters spoken of are its own."""
    refs = (finding.subject, *finding.effects)
    names = set().union(*(_stems(f"{ref.name} {ref.namespace} {_spaced(ref.kind)}") for ref in refs))
    told = f"{_spaced(finding.subject.kind)} {finding.subject.name} {_spaced(finding.reason)} {finding.summary}"
    return len(said & names), sum(bool(re.search(matter, told, re.IGNORECASE)) for matter in matters)


def _stems(text: str) -> set[str]:
    """The words that say something, by what they share with others of the same verb."""
    words = re.findall(r"[a-z]{2,}", text.lower())
    return {stem(word) for word in words if word not in FUNCTION_WORDS and not says_little(word)}


def _spaced(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
