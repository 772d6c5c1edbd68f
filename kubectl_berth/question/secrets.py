"""Whether a question asks for the value of a secret, a configuration or a credential, or only speaks of one."""

from __future__ import annotations

import re

_NOUN = (
    r"(?:secrets?|passwords?|passwd|credentials?|tokens?|api[- ]?keys?|private keys?|configmaps?|connection strings?)"
)
_FATE = (
    r"(?:re-?sets?\b|resetting|e-?mails?\b|links?\b|pages?\b|forms?\b|prompts?\b|screens?\b|dialogs?\b|fields?\b|"
    r"polic\w+|rotat\w+|refresh\w*|renew\w*|expir\w*|managers?\b|services?\b|servers?\b|endpoints?\b|providers?\b|"
    r"stores?\b|operators?\b|controllers?\b|review\w*|validat\w+|verif\w+|hash\w*|changes?\b|login\w*|log-?ins?\b|"
    r"checks?\b|exchanges?\b|requests?\b|fail\w*|(?:does|do|did|is|are|was|were|has|have|can|could|will)(?:n't| not)\b|"
    r"won't|can't|cannot|not\b|no longer|never|errors?\b|problems?\b|issues?\b|bugs?\b|timeouts?\b|invalid|rejected|"
    r"(?:is|are|was|were|gets?|got|seems?|looks?|keeps?) (?:\w+ )?(?:broken|wrong|invalid|rejected|denied|refused|"
    r"expired|expiring|missing|gone|down|slow|failing|ignored|lost|stale|old|not)\b)"
)
"""What follows a word for a credential where that is only the first half of something else, or has a fault."""
_VALUE = rf"{_NOUN}(?![-\w/])(?!'s (?:gone|missing|wrong|broken))(?!\s+{_FATE})"
_DISCLOSE = (
    r"(?:print|show|read|reveal|dump|decode|display|give|tell|fetch|output|cat|echo|paste|extract|list|export|"
    r"what(?:'s| is| are|s)|need|want|see|get)"
)
_ASKED = re.compile(
    rf"(?<![-\w]){_DISCLOSE}(?:\s+(?!why\b|if\b|whether\b|how\b|when\b|wrong\b|error|fail)[^\s?!;]+){{0,7}}?\s+"
    rf"[\"'`(]*{_VALUE}|"
    rf"(?<![-\w])(?:contents?|values?|data|plain ?text)\s+(?:of|in|"
    rf"inside)\s+(?:[^\s?!;]+\s+){{0,5}}?{_VALUE}|"
    rf"\b(?:which|what(?:'s)?|whats)\s+(?:is\s+)?(?:the\s+)?(?:\w+\s+){{0,2}}?"
    rf"(?:passwords?|credentials?|tokens?|api[- ]?keys?)\b(?!\s+{_FATE})[^.?!]{{0,40}}"
    rf"\b(?:in|inside|of|for|from|uses?|using|with)\b(?![^.?!]*\b(?:wrong|error|fail))|"
    rf"{_VALUE}[^.?!]{{0,30}}\b(?:show|give|tell|print|send|paste) (?:it|them|me)\b|"
    rf"(?:kubectl\s+get|describe)\s+(?:secrets?|configmaps?|cm)\b",
    re.IGNORECASE,
)
_FAULT = re.compile(
    r"\b(?:why|not found|missing|doesn't exist|does not exist|mount(?:ed|ing)?|createcontainerconfigerror|expired?|"
    r"rotat\w+|couldn't find|can't find|wrong with|error)\b",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"\b(?:users?|customers?|clients?|people|they|everyone|everybody|nobody|no one|colleagues?|admins?|guests?|"
    r"members?|partners?|developers?|devs?|pods?|apps?|applications?|services?|jobs?|workers?|consumers?|nodes?|"
    r"browsers?|callers?|students?)\s+(?:(?:can|could|do|does|did|will|would|have|has|are|is)(?:n't| not)?\s+|"
    r"cannot\s+|won't\s+|can't\s+|never\s+|no longer\s+|still\s+|only\s+|to\s+|unable\s+)*"
    r"(?:get|gets|got|getting|see|sees|read|reads|fetch|list|need|want|display|show)\b(?:\s+to\s+(?:get|see|read)\b)?",
    re.IGNORECASE,
)
"""Others than who asks get or see it, or do not: a complaint about them."""


_RIGHTS = re.compile(
    r"^\W*(?:who|what|which (?:[\w-]+ ){1,3}?)\s*(?:may|can|could|is allowed to|are allowed to|has rights? to)\s+"
    r"(?:read|get|list|see|watch|access)\b|"
    r"^\W*(?:can|may|could|is|does|do)\s+"
    r"(?!you\b|u\b|i\b|we\b|it\b|berth\b|kubectl\b|some(?:one|body)\b|any(?:one|body)\b)"
    r"(?:the |our )?(?:[\w-]+ ){1,4}?(?:allowed to |able to |have (?:the )?rights? to )?"
    r"(?:read|get|list|see|watch|access)\b(?! (?:me|us)\b)",
    re.IGNORECASE,
)
"""Asks what somebody is allowed to, not for the thing itself."""


def asks_for_secret(text: str) -> bool:
    """True where the contents of a Secret or a ConfigMap, or a credential, are asked for.

    Not where the question is why one is missing, or complains of what has a credential in its name.
    """
    for sentence in re.split(r"(?<=[.!?;])\s+", text):
        rest = _OTHERS.sub(" ", sentence)
        other = _FAULT.search(sentence) or _RIGHTS.search(sentence) or _whether_to_go(sentence)
        if _ASKED.search(rest) and not other:
            return True
    return False


def _whether_to_go(sentence: str) -> bool:
    """True where the question is whether it may be deleted, and nothing of it is to be seen."""
    return bool(_GOES.search(sentence)) and not _SEEN.search(sentence)


_GOES = re.compile(
    r"\b(?:get(?:ting)? rid of|delet(?:e|ing)|remov(?:e|ing)|drop(?:ping)?|clean(?:ing)? up|"
    r"do (?:we|i|you) (?:still |really )*need)\b",
    re.IGNORECASE,
)
_SEEN = re.compile(
    r"\b(?:show|print|reveal|dump|decode|display|read|cat|echo|paste|contents?|values?|plain ?text|passwords?)\b",
    re.IGNORECASE,
)
