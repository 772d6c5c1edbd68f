"""What a question wants, and what it takes for granted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from kubectl_berth.question.failovers import asks_of_a_failover
from kubectl_berth.question.secrets import asks_for_secret

Intent = Literal[
    "diagnose", "health", "logs", "secret", "cost", "capacity", "removal", "drain", "availability", "how-many",
    "operators", "runbook",
]  # fmt: skip

Answerable = Literal["good", "bad", "up", "down"]

Claim = Literal[
    "memory", "crash", "pending", "image", "network", "dns", "storage", "node", "rollout", "scaling", "permission",
    "quota", "certificate", "down", "failing", "healthy", "probe", "same-as-before", "cpu",
]  # fmt: skip


@dataclass(frozen=True)
class Premise:
    """Something the question takes for granted or suspects: `claim` its family, `words` as they were said.

    `negated` where the question says that it is not so ("it is not memory"); `asked` where it is only a suspicion
    ("is it the network?").
    """

    claim: Claim
    words: str
    negated: bool = False
    asked: bool = False


_AMOUNT = r"(?<![\w.])\d+(?:\.\d+)?\s?(?:[KMGT]iB?|[KMGT]B|millicores?|v?cpus?|cores?)\b"
_ADEQUATE = (
    r"(?:right|enough|sufficient|correct|adequate|sane|sensible|reasonable|plenty|appropriate|overkill|"
    r"too (?:low|high|small|big|much|little|large|tight)|ok|okay|fine)\b"
)

_INTENTS: tuple[tuple[Intent, re.Pattern[str]], ...] = (
    (
        "drain",
        re.compile(
            r"\b(?:drain\w*|evict(?:ing|ion api)?|cordon\w*|disruption budgets?|pdbs?)\b|\bmaintenance\b.*\bnodes?\b|"
            r"\bmaintenance\b[^.?!]{0,30}\b(?:hang\w*|hung|stuck|block\w*|waits?|waiting|progress\w*|finish\w*)\b|"
            r"\b(?:patch|reboot|upgrad)(?:e|ing)?\b[^.?!]{0,20}\bnode\b[^.?!]*\b(?:can|safe|may|ok)\b|"
            r"\b(?:can|safe|may)\b[^.?!]{0,30}\b(?:patch|reboot|upgrade)\b[^.?!]{0,30}\bnode|"
            r"\b(?:can|may|could) node (?:safely )?be (?:removed|deleted|retired|decommissioned|rebooted|patched|"
            r"taken (?:away|out|down|offline)|(?:shut|turned|switched) (?:down|off))\b",
            re.IGNORECASE,
        ),
    ),
    (
        "removal",
        re.compile(
            r"\b(?:remov(?:e|ing)|drop|retire|delet(?:e|ing)|decommission|get(?:ting)? rid of|"
            r"shut(?:ting)? (?:down|off)|switch(?:ing)? off|turn(?:ing)? off|do without|do with|giv(?:e|ing) up|"
            r"tak(?:e|ing) (?:away|out)|save|spare|scal(?:e|ing) (?:down|in)|run (?:on|with))\b[^.?!]{0,40}"
            r"\b(?:one|two|1|2|a|the|fewer|less)?\s?(?:of (?:the|our|my) )?(?:\w+ )?nodes?\b(?! pools? of)|"
            r"\btak(?:e|ing)\b[^.?!]{0,40}\bnodes?\b[^.?!]{0,20}\b(?:away|out|offline|down)\b|"
            r"\b(?:one|a) (?:node|machine|server)\s?(?:less|fewer)\b|\b(?:fewer|less) nodes?\b|\bone less node\b|"
            r"\bhow many (?:\w+ )?nodes?\b[^.?!]{0,15}\b(?:lose|spare|remove|drop|give up|do without)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "capacity",
        re.compile(
            r"\b(?:enough|spare|free|head)\s?(?:room|capacity|space)\b|\bheadroom\b|"
            r"\b(?:fits?|room|space)\b[^.?!]{0,40}\b(?:nodes?|cluster)\b|\bnodes?\b[^.?!]{0,30}\b(?:full\w*|fit|room|busiest|overloaded|overcommitted)\b|"
            r"\bcapacity\b|\b(?:fewer|smaller|bigger|more|another) nodes?\b|\bhow full\b|\boverprovisioned cluster\b|"
            r"\b(?:one more|another|more|\d+ more) (?:replicas?|pods?|instances?)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "cost",
        re.compile(
            r"\b(?:right-?\s?siz\w*|sized?|over-?\s?provision\w*|under-?\s?provision\w*|oversized|wast\w+|save|"
            r"saving\w*|cheap\w*|costs?|expensive|pay(?:ing)?|spend\w*|bill|money|requests? (?:too|and limits)|"
            r"how much (?:cpu|memory|ram)|utili[sz]ation|too (?:big|much (?:cpu|memory|ram)))\b|"
            r"\b(?:raise|increase|bump|lower|reduce|decrease|cut)\b[^.?!]{0,30}"
            r"\b(?:limits?|requests?|memory|cpu|it to|value|by how much)\b|"
            r"\b(?:what|which|how much|how high|how far|to what)\b[^.?!]{0,30}\b(?:raise|increase|bump|lower|set)\b|"
            rf"\b(?:give|assign|grant|needs?|gets?)\b[^.?!]{{0,30}}{_AMOUNT}|"
            r"^\W*(?:is|are)\b[^.?!]{0,30}\b(?:at|over|above|hitting|exceeding|reaching|touching)\b[^.?!]{0,10}"
            r"\b(?:its|the|their) (?:\w+ )?limits?\b|"
            r"\b(?:going to|will|about to|soon|close to|near(?:ly|ing)?)\b[^.?!]{0,30}"
            r"\b(?:oom\w*|out of memory|(?:its|the|their) (?:memory )?limits?)\b|"
            rf"{_AMOUNT}[^.?!]{{0,25}}\b{_ADEQUATE}|\b(?:cpu|memory|ram|resource)\s(?:limits?|requests?)\b[^.?!]{{0,40}}"
            rf"\b{_ADEQUATE}|"
            r"\b(?:what|which|right|good|new|proper)\b[^.?!]{0,20}\b(?:limits?|requests?)\b[^.?!]{0,30}"
            r"\b(?:set|give|use|be|need|should)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "availability",
        re.compile(
            r"\bhigh(?:ly)?[- ]availab\w+|\bHA\b|\bsingle points? of failure\b|\bSPOFs?\b|\bredundan\w+|"
            r"\bsurviv\w*\b|\bresilien\w+|\bfault[- ]tolera\w+|\bfail-?over\b[^.?!]*\?|"
            r"\b(?:only|just) one (?:replica|instance|pod)\b|\bsingle[- ](?:replica|instance)s?\b|"
            r"\bif (?:a|one|any|the|some|node)\b[^.?!]{0,30}\b(?:node|zone|machine|server|az)?s?\b[^.?!]{0,20}"
            r"\b(?:d(?:ies|ied|ie)|fails?|failed|goes|went|lost|down|crash\w*|reboots?)\b|"
            r"\b(?:what|which|who|how many)\b[^.?!]{0,60}\b(?:if|when|once|should)\b[^.?!]{0,20}"
            r"\b(?:nodes?|zones?|machines?|servers?|az)\b[^.?!]{0,20}"
            r"\b(?:dies|die|fails?|lost|gone|goes|vanish\w*|crash\w*|offline|loses power|down)\b|"
            r"\bnodes?\b[^.?!]{0,30}\b(?:replaced|removed|rebooted|shut down|taken \w+|lost)\b[^.?!]{0,30}"
            r"\b(?:who|what|which)\b[^.?!]{0,20}\b(?:affected|impacted|hit|suffers?|goes down|go down)\b|"
            r"\b(?:losing|lose|loss of)\b[^.?!]{0,20}\b(?:a|one|any)\b[^.?!]{0,10}\b(?:node|zone|az)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "runbook",
        re.compile(r"\b(?:run-?books?|play-?books?)\b", re.IGNORECASE),
    ),
    (
        "operators",
        re.compile(
            r"\b(?:which|what|list|any)\b[^.?!]{0,30}\boperators?\b[^.?!]{0,40}\b(?:run|runs|running|here|"
            r"installed|exist|are|unhealthy)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "logs",
        re.compile(
            r"\b(?:show|print|give|get|read|find|tail|fetch|what(?:'s| is| does| do))\b[^.?!]{0,60}"
            r"\b(?:logs?|error(?: message| line)?|exception|stack ?trace)\b|\bfrom (?:its|the|their) logs?\b|"
            r"\b(?:(?:can|could|may) (?:i|we)|let me|(?:want|need|like) to) (?:see|look at)\b[^.?!]{0,30}\blogs?\b|"
            r"\b(?:display|dump|paste)\b[^.?!]{0,30}\blogs?\b|"
            r"^\W*(?:(?:the|please|pls)\s+)*logs?\s+(?:of|from|for)\b|^\W*[\w./-]+\s+logs?(?:\s+(?:please|pls))?\W*$",
            re.IGNORECASE,
        ),
    ),
    ("how-many", re.compile(r"^\s*(?:how many|count|list|show(?: me| all)|(?:what|which)\b"
                            r"(?=[^.?!]*\b(?:are there|is there|do we|does|exist|are running|are in|run in|have we)\b))"
                            r"(?![^.?!]*\b(?:wrong|broken|fail\w*|"
                            r"unhealthy|happen\w*|block\w*|caus\w+|no|not|without|missing|stuck|pending|unready|"
                            r"problems?|down|errors?|restart\w*|crash\w*|n't|die|dies|go|wrong)\b)[^.?!]*"
                            r"\b(?:pods?|nodes?|namespaces?|deployments?|services?|workloads?|databases?|jobs?|"
                            r"cron ?jobs?|(?:stateful|daemon)sets?|ingresses|volumes?|pvcs?|claims?|hpas?|pdbs?|"
                            r"replicas)\b", re.IGNORECASE)),
)  # fmt: skip

_THEIRS = re.compile(
    r"\b(?:users?|customers?|clients?|people|buyers?|guests?|members?|they|everyone|everybody)\b[^.?!]{0,30}"
    r"(?:n't|\b(?:cannot|not|never|unable|fails?|no longer))\b|\b(?:nobody|no ?one)\b|"
    r"\b(?:pay(?:ing|ments?)?|sav(?:e|ing)|spend\w*)\b[^.?!]{0,20}"
    r"\b(?:fail\w*|broken|errors?|hangs?|(?:does|is|do)(?:n't| not))",
    re.IGNORECASE,
)
"""Says that others cannot pay, save or spend: no question about what the cluster costs."""
_OURS = re.compile(
    r"\b(?:cpu|memory|ram|requests?|limits?|nodes?|siz\w+|\w*provision\w*|costs?|cheap\w*|wast\w+)\b", re.I
)

_HEALTH = re.compile(
    r"\b(?:any|some|every)(?:thing|one)?\b[^.?!]{0,40}\b(?:broken|wrong|failing|unhealthy|down|issues?|problems?|"
    r"red|fire|"
    r"ok|okay|fine|healthy|alright|good|attention|worry|worrying|worried|concern\w*)\b|"
    r"\b(?:what|what's|whats)\b[^.?!]{0,20}\b(?:broken|wrong|failing|unhealthy|down|going on)\b|"
    r"\b(?:health|status|state|overview|summary)\b[^.?!]{0,20}\b(?:of )?(?:the |my |our |this )?cluster\b|"
    r"\bcluster\b[^.?!]{0,30}\b(?:healthy|health|ok|okay|fine|broken|status|alright|good)\b|"
    r"\ball (?:good|well|ok|fine|green)\b|\bproblems?\b",
    re.IGNORECASE,
)

_YES_NO = re.compile(
    r"(?:^|[.!?;:,]\s+|\band\s+|\bbut\s+|\bso\s+)(?:is|are|was|were)\s+(?!it\b|that\b|this\b|"
    r"there\s+a\s+reason)[^.?!]{0,80}?"
    r"\b(?P<word>healthy|ok|okay|fine|up|ready|running|working|good|well|alive|available|serving|stable|reachable|"
    r"broken|wrong|down|failing|unhealthy|dead|degraded|stuck|red|on fire|"
    r"the (?:problem|cause|culprit)|to blame|at fault)\b[^.?!]*\?",
    re.IGNORECASE,
)
_SHORT_YES_NO = re.compile(
    r"^\W*(?:and |so |but )?(?:is|are)\s+(?:it|this|that|they|things|we)\s+(?:all |still |really |now )*"
    r"(?P<word>healthy|ok|okay|fine|up|ready|running|working|good|well|alive|available|"
    r"broken|wrong|down|failing|unhealthy|dead|degraded|stuck)(?: now| again| today| yet)?\W*$",
    re.IGNORECASE,
)
"""A whole question of a few words."""
_PART_ASKED = re.compile(
    r"(?:is|are|was|were)\s+(?:the\s+|our\s+|my\s+)?(?:cluster\s+)?"
    r"(?:dns|name resolution|network\w*|storage|disks?|memory|registry|quotas?|firewall|api ?server|internet)\s+"
    r"(?:\w+\s+)?(?:healthy|ok|okay|fine|up|ready|running|working|good|"
    r"available|reachable|broken|wrong|down|failing|unhealthy|dead|degraded|stuck|red|full)\b",
    re.IGNORECASE,
)
_CAUSE_NAMED = re.compile(r"\b(?:because|due to|caused by|owing to)\b", re.IGNORECASE)
_BLAMING = frozenset({"the problem", "the cause", "the culprit", "to blame", "at fault"})
_BAD_WORDS = frozenset("broken wrong failing unhealthy degraded stuck red".split()) | {"on fire"} | _BLAMING
_UP_WORDS = frozenset("up running alive available serving reachable".split())
_DOWN_WORDS = frozenset({"down", "dead"})

_CLAIMS: tuple[tuple[Claim, str], ...] = (
    ("memory", r"memory|oom\w*|out of memory|memory leak|ram"),
    ("crash", r"crash\w*|crash-?loop\w*|restart\w*|dying|dies"),
    ("pending", r"pending|never schedules?|not scheduled|unschedul\w+|won't schedule"),
    ("image", r"image\w*|imagepull\w*|pull\w*|registry|tag"),
    ("dns", r"dns|coredns|resolv\w+|name resolution"),
    ("network", r"network\w*|firewall|connection|timeouts?|50[234]s?"),
    ("storage", r"storage|disks?|volumes?|pvcs?"),
    ("cpu", r"cpu|throttl\w+"),
    ("node", r"nodes?"),
    ("rollout", r"deploy(?:ed|ment of)?|new version|release\w*|rollout|upgrade\w*|updated?"),
    ("scaling", r"scal\w+|autoscal\w+|hpa"),
    ("permission", r"permission\w*|rbac|forbidden|403"),
    ("quota", r"quotas?"),
    ("certificate", r"certificates?|certs?|tls|expired"),
    ("probe", r"probes?|liveness|readiness|health ?checks?"),
    ("failing", r"fail(?!-?over)\w*|broken|errors?|error(?:ing)?"),
    ("down", r"down|outage|dead|gone|offline|unreachable|not responding|disappeared"),
    ("healthy", r"healthy|fine|working|ok"),
    ("same-as-before", r"same as (?:last|before)\w*|like last time|again,? same|as last time|happened before"),
)
_NEGATION = re.compile(r"\b(?:not|no|never|isn't|aren't|wasn't|n't|without|nothing to do with|"
                       r"rule[ds]? out)\s+(?:\w+\s+){0,2}$",
                       re.IGNORECASE)  # fmt: skip
_SUPPOSED = re.compile(
    r"\b(?:if|suppose|supposing|in case|unless|would|what happens|whenever|until|before)\b[^.?!,;]*$", re.IGNORECASE
)
_ASKED = re.compile(
    r"(?:(?:^|[.?!,;:]\s*|\b(?:and|or|but|so|then)\s+)(?:is|are|was|were)\b[^.?!,]{0,30}$)|"
    r"(?:\b(?:could|can|might|maybe|perhaps|because of|due to|is it|blame)\b[^.?!,]{0,30}$)|"
    r"(?:,\s*(?:the |a )?$)",
    re.IGNORECASE,
)


def intents_of(text: str) -> tuple[Intent, ...]:
    """What the question wants, the most specific first; ("diagnose",) where nothing says otherwise.

    "secret" comes with a second intent where the question also asks about a fault.
    """
    found: list[Intent] = []
    if asks_for_secret(text):
        found.append("secret")
    for intent, pattern in _INTENTS:
        if intent == "cost" and _THEIRS.search(text) and not _OURS.search(text):
            continue
        # "did a failover happen?" asks about the past, not whether the next one would go well
        if pattern.search(text) and not (intent == "availability" and asks_of_a_failover(text)):
            found.append(intent)
    if "removal" in found and "capacity" not in found:
        found.insert(found.index("removal"), "capacity")
    if _HEALTH.search(text):
        found.append("health")
    return tuple(found) or ("diagnose",)


def yes_no(text: str) -> Answerable | None:
    """What a yes would mean: health ("good"), a fault ("bad"), that it serves ("up") or does not ("down").

    None where yes and no do not answer the question.
    """
    found = _SHORT_YES_NO.search(text) or _YES_NO.search(text.strip() if "?" in text else text.strip() + "?")
    if found is None:
        return None
    if _CAUSE_NAMED.search(found.group(0)):
        return None  # "is it stuck because of the registry?": that it is stuck is no answer
    if _PART_ASKED.search(found.group(0)):
        return None  # "is DNS down?" beside a workload: its state is no answer
    word = found.group("word").lower()
    if word in _BLAMING and not re.search(
        r"\b(?:thing|node|it|that|this)\b", found.string[found.start() : found.start("word")], re.IGNORECASE
    ):
        return None  # "is the quota to blame?": that something is broken is no answer
    if word in _BAD_WORDS:
        return "bad"
    if word in _DOWN_WORDS:
        return "down"
    return "up" if word in _UP_WORDS else "good"


def premises_of(text: str) -> tuple[Premise, ...]:
    """What the question takes for granted, suspects or denies, each claim once, in the order of the words."""
    found: dict[Claim, tuple[int, Premise]] = {}
    for claim, pattern in _CLAIMS:
        hit = re.search(rf"(?<![-\w])(?:{pattern})(?![-\w])", text, re.IGNORECASE)
        if hit is None:
            continue
        before = text[: hit.start()]
        if _SUPPOSED.search(before[-80:]):
            continue
        after = text[hit.end() :]
        asked = bool(_ASKED.search(before[-60:])) and "?" in after[:80]
        found[claim] = (hit.start(), Premise(claim, hit.group(0), bool(_NEGATION.search(before[-40:])), asked))
    return tuple(premise for _, premise in sorted(found.values(), key=lambda pair: pair[0]))
