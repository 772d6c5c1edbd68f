"""Whether a condition's status is good or bad, judged by what its type says and by nothing else."""

from __future__ import annotations

import re
from typing import Literal

Polarity = Literal["good", "bad", "neutral"]

_NEGATED = re.compile(
    r"^(?:Not|not|Un|Non|No)(?=[A-Z])|^(?:un|non-?)(?=ready|healthy|available)|^Un(?=ready|healthy|avail)"
)

# Words in a type that make True bad ("Degraded", "DiskPressure").
_BAD = re.compile(
    r"unavailable|unhealthy|notready|unready|fail(?!over)|fallback|partial|error|degraded|(?<!in)stalled|invalid|conflict|expired|violat|blocked|denied|reject|corrupt|overlap"
    r"|pressure|deadlock|missing|exceeded|lost|timeout|timedout|misconfig|stuck|abnormal|problem|orphan|disconnect"
    r"|unschedulable|unreachable|unresponsive|broken|crash|outdated|drift|inconsistent|panic|readonlyfilesystem"
    r"|frequent|impaired|insufficient|hung\b|warning",
    re.IGNORECASE,
)
# Words that make False bad.
_GOOD = re.compile(
    r"ready|available|healthy|health|synced|sync$|established|accepted|programmed|resolvedrefs|reconciled|reconcile"
    r"success|success|succeeded|valid|initiali[sz]ed|connected|deployed|installed|scheduled|bound|issued|reachable"
    r"|configured|created|provisioned|serving|registered|loaded|applied|operational|online|archiving|approved"
    r"|converged|admitted|compliant|validated|started|attached|published|resolved|authenticated|enabled|exists|compatible|verified|ok$"
    r"|adopted|running|active$",
    re.IGNORECASE,
)
# Types that say what is going on: neither value is a fault.
_NEUTRAL = re.compile(
    r"^(progressing|reconciling|issuing|paused|suspended|upgradeable|updating|upgrading|scaling|resizing|pending|deleting"
    r"|terminating|finali[sz]ing|running|active|idle|complete|completed|finished|done|cancell?ed|stopped|hibernat\w*"
    r"|scheduling|queued|dormant|maintenance|etcdisvoter|nodes?draining|rollingupdate|enabled|passive|standby"
    r"|disruptionallowed|scalinglimited|superseded|stale|dryrun|observed|external|restarting|warning)$",
    re.IGNORECASE,
)


def polarity(kind: str) -> Polarity:
    """What True means for a condition type: "good", "bad", or "neutral" where nobody can tell."""
    if _NEUTRAL.search(kind):
        return "neutral"
    negated = _NEGATED.match(kind)
    if negated:
        rest = polarity(kind[negated.end() :])
        return {"good": "bad", "bad": "good"}.get(rest, "neutral")  # type: ignore[return-value]
    if _BAD.search(kind):
        return "bad"
    return "good" if _GOOD.search(kind) else "neutral"


def bad_condition(kind: str, status: str) -> bool:
    """True where the status is the bad one for this type. Unknown is never bad."""
    lowered = status.lower()
    if lowered == "true":
        return polarity(kind) == "bad"
    return lowered == "false" and polarity(kind) == "good"


def good_condition(kind: str, status: str) -> bool:
    """True where the status is the good one for this type."""
    lowered = status.lower()
    if lowered == "false":
        return polarity(kind) == "bad"
    return lowered == "true" and polarity(kind) == "good"
