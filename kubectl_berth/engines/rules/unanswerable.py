"""Questions about a cluster that no check and no listing of the rules answers: told apart from those about faults."""

from __future__ import annotations

import re

from kubectl_berth.question.understand import Understanding

_ASKS = re.compile(
    r"^\W*(?:(?:please|pls|hey|hi|ok|and|so|can you|could you|tell me)\b[\s,]*)*(?:"
    r"who|whose|when|since when|where|how (?:do|can|could|would|long|often|old|fast|many|big|large)|"
    r"show|list|print|dump|display|get|give|"
    r"is there (?:an?|any)|are there any|do we|do you|does|has|have we|did|can|could|may|should|which|what)\b",
    re.IGNORECASE,
)
"""How a question for a fact begins."""
_JUDGED = re.compile(
    r"\b(?:why|wrong|broke\w*|break\w*|fail\w*|crash\w*|restart\w*|pending|stuck|errors?|problems?|issues?|trouble|"
    r"unhealthy|healthy|health|ok|okay|fine|good|bad|status|state|happen\w*|going on|matter|caus\w+|reason|blame|fault|"
    r"culprit|down|up|alive|dead|fix\w*|solve|help|(?:do|should|can) (?:i|we) (?:do|proceed)|"
    r"do (?:about|first|now|next)|"
    r"check\w*|look\w*|start with|what (?:about|now|next|then)|would you|warnings?|alerts?|concern\w*|primary|leader|"
    r"slow\w*|latency|cannot|can'?t|not?|never|none|nothing|attention|worr\w+|kill\w*|oom\w*|ready|block\w*|safe\w*|"
    r"need\w*|miss\w*|unreachable|reach\w*|connect\w*|talk|resolve\w*|respond\w*|answer\w*|work\w*|serv(?:e|es|ing)|"
    r"run(?:s|ning)?|affect\w*|impact\w*|hit|behind|depend\w*|evict\w*|schedul\w*|unavailable|available|timeouts?|"
    r"refus\w*|reject\w*|den(?:y|ied)|forbidden|permission\w*|allow\w*|expir\w*|full|hang\w*|wait\w*|hold\w*|keep\w*|"
    r"wast\w*|use[sd]?|using|change[sd]?|changing|differ\w*|same|compar\w*|since|stop\w*|degraded|urgent|critical|"
    r"operators?|manag\w*|own\w*|control\w*|logs?|events?|version|runbooks?|incidents?|secrets?|fit\w*|room|cost\w*|"
    r"limits?|requests?|drain\w*|remov\w*|delet\w*|survive\w*|trust|sure|true|think|know|mean\w*|wrong|odd|strange|"
    r"start(?:s|ed|ing)?|beg[ai]n\w*|summary|overview|report|night|yesterday|earlier|today|overnight|"
    r"what is (?:a |the )?thing|suspicious|unusual|red|green|overload\w*|pressure|nodes? (?:is|are|has)|"
    r"most|worst|first)\b|n't\b",
    re.IGNORECASE,
)
"""Words of questions that findings, topics or lookups answer, or at least bear on."""


def unanswerable(said: Understanding) -> bool:
    """True for a question that asks for a fact of which neither findings nor lookups tell."""
    if said.yes_no is not None or said.premises or set(said.intents) - {"diagnose"}:
        return False
    return bool(_ASKS.search(said.text)) and not _JUDGED.search(_without_subjects(said))


def _without_subjects(said: Understanding) -> str:
    text = said.text
    for ref in said.subjects:
        text = re.sub(rf"(?<![\w-]){re.escape(ref.name)}(?![\w-])", "thing", text, flags=re.IGNORECASE)
    return text
