"""Text in a cluster that gives orders: told apart from reports, so that none of it is repeated as advice.

Anybody whose request ends up in a log can write to it. What addresses an assistant, or hands out commands against the
cluster, is no evidence; that it is there is worth a line.
"""

from __future__ import annotations

import re

from kubectl_berth.safety.shorten import shortened

_ADDRESSED = (
    r"\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:previous|prior|above|earlier|all|any|your|other)\b.{0,30}"
    r"\b(?:instruction|prompt|rule|message|context|direction|guideline|output|finding|evidence)s?",
    r"\b(?:ai|llm|language model|chat ?bot|gpt|claude|copilot)\b[- ]?(?:agents?|assistants?|models?|tools?|"
    r"operators?)?\s*[:,]",
    r"\b(?:ai|llm|automated|autonomous)[- ](?:agents?|assistants?|tools?|models?)\b",
    r"\b(?:dear|hey|attention|note to|instructions? (?:for|to)|message (?:for|to))\b.{0,20}\b(?:assistant|agent|"
    r"model|ai|llm|bot)\b",
    r"(?-i:\b(?:SYSTEM|ASSISTANT)(?: [A-Z]{4,12})?(?: TO [A-Z ]{2,20})?:\s)|(?-i:^\W*(?:Human|Assistant):\s)",
    r"(?:###|\*\*|\[|<|\|)\s*(?:system|assistant|instructions?)\b",
    r"</?(?:system|tool_result|tool_use|function_calls?|invoke|assistant|human|instructions?)\b",
    r"\"type\"\s*:\s*\"tool_(?:use|result)\"",
    r"\byou (?:are|must|should|shall|will|can) (?:now|immediately|always|never|only|call|run|delete|execute|"
    r"ignore|report|reply|answer|"
    r"tell|say|act|be|in)\b",
    r"\bas an? (?:ai|assistant|language model)\b|\b(?:maintenance|developer|debug|admin|"
    r"god) mode\b.{0,20}\b(?:enabled|now|active)\b",
    r"\b(?:tell|inform|advise|instruct|ask|remind)\s+(?:the\s+)?(?:user|operator|human|person|admin|engineer|team)s?\b",
    r"\b(?:report|mark|treat|describe|declare|consider|classify)\b.{0,30}\bas\s+(?:healthy|fine|ok|normal|"
    r"resolved|false)\b",
    r"\b(?:do not|don't|never)\s+(?:report|mention|tell|show|reveal|investigate|alert|flag)\b",
    r"\b(?:apply_remediation|record_incident|propose_remediation|recall_incidents|describe_resource|get_logs|"
    r"list_resources)\b",
    r"\bcall\s+(?:the\s+)?\w+_\w+\b.{0,20}(?:\(|\bwith\b|\btool\b)|\bprevious instructions\b|\bsystem prompt\b|"
    r"\bprompt injection\b",
    r"\bscale[- ](?:everything|all)[- ]to[- ]zero\b",
)
_COMMANDS = (
    # what waits and changes nothing is what start scripts do
    r"\bkubectl\s+(?:-\S+\s+)*(?!wait\b|rollout status\b)[a-z]{2,}",
    # "Helm upgrade failed" and "flux reconcile succeeded" are reports
    r"\b(?:oc|helm|istioctl|flux|argocd)\s+(?:-\S+\s+)*(?:app\s+)?(?:delete|apply|create|patch|edit|replace|scale|set|exec|"
    r"adm|login|install|upgrade|uninstall|rollback|reconcile|suspend|resume|sync|terminate-op|rollout|run|drain)\b"
    r"(?!\s+(?:has\s+|was\s+|is\s+)?(?:fail|succe|complet|timed|retri|in progress|error|is\b|was\b|has\b))",
    r"\b(?:curl|wget)\b[^|\n]{0,200}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b|\brm\s+-rf\b|\bchmod\s+777\b",
    r"\b(?:fix|solution|remedy|workaround|resolution)\s*(?::|=|is to)\s*\S.{0,200}",
    r"\b(?:set|change|switch|update)\s+(?:the\s+)?image\s+to\b",
    r"\b(?:delete|drop|remove|wipe)\s+(?:the\s+)?(?:namespace|ns|cluster|pvc?s?|finalizers?|node|"
    r"deployment)\b.{0,60}\b(?:to|fix|resolve|now|immediately|first)\b",
)
_TO_AN_ASSISTANT = re.compile("|".join(f"(?:{pattern})" for pattern in _ADDRESSED), re.IGNORECASE | re.MULTILINE)
_ORDER = re.compile("|".join(f"(?:{pattern})" for pattern in (*_ADDRESSED, *_COMMANDS)), re.IGNORECASE | re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n|\s+(?=(?:###|<[/a-z])|(?:SYSTEM|NOTE|IMPORTANT|ATTENTION|INSTRUCTIONS?)\b)")

LIMIT = 4000
"""Characters of one text that are looked at; the rest is dropped with it."""


def gives_orders(text: str, *, script: bool = False) -> bool:
    """True where the text tells its reader what to do, or addresses an assistant.

    In a `script` (a container's own command) commands are addressed to the shell.
    """
    return (_TO_AN_ASSISTANT if script else _ORDER).search(text[:LIMIT]) is not None


def addresses_an_assistant(text: str) -> bool:
    """True where the text speaks to whoever reads it for the person; a command alone does not."""
    return _TO_AN_ASSISTANT.search(text[:LIMIT]) is not None


def without_orders(text: str, *, script: bool = False) -> tuple[str, bool]:
    """The text without its sentences that give orders, and whether there were any."""
    text = text[:LIMIT]
    if not gives_orders(text, script=script):
        return text, False
    kept = [part for part in _SENTENCE.split(text) if part and not gives_orders(part, script=script)]
    return " ".join(" ".join(kept).split()), True


def quoted(text: str, limit: int = 240) -> str:
    """One line of foreign text as a Markdown code span: no order, no fence of its own, at most `limit` characters."""
    line = shortened(text, limit).replace("`", "'")
    return f"`{line}`" if line else ""


_MARKS = re.compile(r"[*`~]|__")
# __init__ is a name, __two words__ are not
_LOUD_PHRASE = re.compile(r"(?<!\w)__(?=\S)([^\n_]{1,200}\s[^\n_]{0,200}[^\s_])__(?!\w)")
_LOUD = re.compile(r"(?<![/\w])\*{2,}(?=[^\s/*])|(?<=[^\s/*])\*{2,}(?![/\w])|~~(?=\S)|(?<=\S)~~")
_SLANTED = re.compile(r"(?<![\w*/])\*(?=[^\s*/])([^*\n]{0,300}?[^\s*/])\*(?![\w*/])")


def unmarked(text: str) -> str:
    """Foreign text that stands outside a code span, without marks that would make it look like a heading of ours."""
    if not _MARKS.search(text):
        return text
    text = _LOUD_PHRASE.sub(r"\1", text.replace("`", "'"))
    return _SLANTED.sub(r"\1", _LOUD.sub("", text))
