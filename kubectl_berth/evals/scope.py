"""What a sentence does with the words in it: asserts them, denies them, doubts, asks, passes on what others said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from kubectl_berth.evals.text import Sentence

Stance = Literal["asserted", "hedged", "negated", "conditional", "inquiry", "attributed", "question", "quoted"]

_SUBJECT = r"(?:it|this|that|they|we|i|you|these|those|he|she|which|there|everything|nothing|all|both|instead|rather)"
_FINITE = r"(?:is|are|was|were|has|have|had|does|do|did|will|can|must|should|keeps?|fails?|needs?|runs?|serves?|stays?)"
_BREAK = re.compile(
    r";|:(?=\s)|→|=>|—|–|\s-\s|\||\(|\)|"
    r"\bbut\b(?! also)|\bhowever\b|\balthough\b|\bthough\b|\bwhereas\b|\bwhile\b|\bbecause\b|\bsince\b|\bso\b(?! far)|"
    r"\bexcept that\b|\bnevertheless\b|\byet\b|"
    rf",\s*(?:and\s+|so\s+)?(?={_SUBJECT}\b)|,\s*(?:then|not)\b|,\s*(?=[1-9])|"
    rf",?\s*\band\b(?=\s+(?:[^\s,]+\s+){{1,4}}?{_FINITE}\b)|"
    r",?\s*\b(?:and|or)\b(?=\s+(?:then\s+)?(?:rais|increas|lower|reduc|decreas|set|roll|scale|add|fix|restart|"
    r"delete|use)\w*\b)"
)
_NOT_YET = r"(?! (?:only|just|merely|simply|surprising|long))"
_NEGATOR = re.compile(
    rf"\bnot\b{_NOT_YET}|\bno\b(?! (?:doubt|wonder))|\bnever\b|\bnone\b|\bneither\b|\bnor\b|"
    rf"\bwithout\b(?! (?:a )?doubt)|"
    r"\bzero\b|(?<![\w./:-])0(?![\w./:%])|\bnothing\b|\bnobody\b|\bnowhere\b|\bfree (?:of|from)\b|\bfar from\b|"
    r"\bavoid(?:s|ed|ing)?\b|\brefrain\b|\bhold(?:ing)? off\b|\bresist\b|\bstop short of\b|\babsence of\b|"
    r"\brul(?:e|es|ed|ing) out\b|\bexclud(?:e|es|ed|ing)\b|\bunlikely\b|\bhardly\b|\bunrelated to\b|\bno longer\b|"
    r"\b(?:advis\w*|recommend\w*|warn\w*|caution\w*|decid\w*|argu\w*|speaks?) against\b|\bagainst (?=\w+ing\b)|"
    r"\b(?:mistake|wrong|error|bad idea|dangerous|unwise|unsafe|risky|harmful|pointless|useless|unnecessary|needless|"
    r"careless|careful|premature|too early|foolish|reckless) (?:to|for|if)\b|\binstead of\b|\brather than\b|"
    r"\bas opposed to\b|\bdismiss(?:es|ed)?\b|\bdiscard(?:s|ed)?\b|\bdisprov\w+\b|\bdo(?:es)? nothing\b"
)
_TO_THE_COMMA = re.compile(r"instead of|rather than|as opposed to|without")
_NEGATED_AFTER = re.compile(
    r"^[\s,]*(?:\S+\s+){0,5}?(?:"
    r"(?:is|are|was|were|be|been|looks?|seems?|appears?) (?:\w+ly )?(?:not\b(?! only)|never\b|ruled out|"
    r"excluded|unlikely|"
    r"unrelated|irrelevant|a mistake|wrong|dangerous|a bad idea|unwise|unnecessary|needless|out of the question|"
    r"pointless|"
    r"a red herring|harmless|no (?:cause|help|fix|solution|problem)|(?:from|of) the past|over\b|history\b)|"
    r"(?:would|will|does|do|did|can|could|should|must|may|need|shall)(?: \w+ly)? (?:not\b(?! only)|never\b|"
    r"be (?:a mistake|wrong|"
    r"dangerous|unwise|a bad idea|harmful|risky|premature|pointless|the wrong)|make (?:it|things|this) worse|"
    r"only hide)|"
    r"(?:can|could|should|must|may|has|have) (?:not\b|be (?:ruled out|excluded|avoided)|been (?:ruled out|excluded))|"
    r"plays? no (?:part|role)|has nothing to do|have nothing to do|makes? (?:it|things) worse)"
)
_HEDGED_AFTER = re.compile(
    r"^[\s,]*(?:\S+\s+){0,5}?(?:can ?not be (?:ruled out|excluded)|is (?:\w+ )?(?:possible|conceivable|"
    r"one possibility)|"
    r"(?:could|might|may) be (?:the|a|one)\b)"
)
_HEDGE = re.compile(
    r"(?<!you )(?<!we )(?<!one )(?<!they )(?<!can )\b(?:might|may|could)\b(?! not\b)|\bpossibl[ey]\b|\bperhaps\b|"
    r"\bmaybe\b|\bpotential(?:ly)?\b|"
    r"\bconceivabl[ey]\b|\bcan be (?:caused|due)\b|\b(?:common|typical|usual|possible|other) (?:causes|reasons)\b|"
    r"\be\.g\.?|\bfor example\b(?! (?:to|with|by|from|`|:))|\bsuch as\b|\bnot (?:sure|certain|clear) (?:if|whether)\b|\bsuspect\w*\b|\bguess\w*\b|"
    r"\bcan ?not (?:be )?(?:rul\w+ out|exclude\w*)\b|"
    r"\beither\b(?! (?:add|rename|set|fix|push|roll|rais|map|put|scale|restore|change|correct|use|point|wait|revert))"
)
_NOT_RULED_OUT = re.compile(r"\b(?:not|never) (?:yet )?(?:be |been )?(?:rul\w+ out|exclud\w+)\b")
_CONDITION = re.compile(
    r"\b(?:if|whether|unless|in case|assuming|suppos\w+|should you|provided|as long as|once|until|were it|had it)\b"
)
_INQUIRY = re.compile(
    r"(?:^|[,.:;(]\s*|\b(?:to|should|must|please|then|and|can|you|also|first|next|or|->)\s+)(?:also |first |"
    r"next |please )*"
    r"(?:check|verify|investigate|determine|confirm|find out|look (?:into|at|for|up)|rule out|inspect|review|examine|"
    r"test|see (?:if|whether)|search|explore|watch|monitor|identify|troubleshoot)\b(?!ed|s\b)"
)
_SPEAKERS = (
    r"(?:runbooks?|play ?books?|notes?|past incidents?|incidents?|memory|documentation|docs?|wiki|annotations?|labels?|"
    r"comments?|tickets?|users?|someone|somebody|people|team|colleagues?|alerts?|dashboards?|you|they|record|"
    r"post-?mortem|"
    r"advice|suggestion|text|instructions?|name|attacker)"
)
_SPEECH = (
    r"(?:says?|said|claims?|claimed|suggests?|suggested|recommends?|recommended|advis\w+|tells?|told|asks?|asked|"
    r"instructs?|instructed|orders?|ordered|demands?|demanded|wants?|wanted|proposes?|proposed|states?|stated|"
    r"mentions?|mentioned|blames?|blamed|calls? for|reads?|thinks?|thought|believes?|assum\w+|report(?:s|ed)?)"
)
_ATTRIBUTED = re.compile(
    rf"\b{_SPEAKERS}\b(?:\s+[^\s,]+){{0,6}}?\s+{_SPEECH}\b|\baccording to (?:the|a|an|your|that|"
    rf"this) (?:\S+ )?{_SPEAKERS}\b|"
    r"\b(?:events?|logs?|lines?|messages?|output|pod name)\b(?:\s+[^\s,]+){0,6}?\s+(?:tells?|told|asks?|asked|asking|"
    r"instruct\w*|orders?|ordered|ordering|demand\w*|wants?|tries to|tried to|attempt\w*|telling|(?:says?|said) to)\b|"
    r"\binstructions? (?:to|that|in|inside|embedded|telling|asking)\b|\b(?:told|asked|instructed|ordered) (?:me|to)\b|"
    r"\brequests? to\b|\battempt\w* to\b"
)
_QUALIFIED = re.compile(r"^\s*,?\s*(?:\w+ ){0,3}?(?:except|apart from|other than|but for|aside from|save for|bar)\b")
_YES_OR_NO = re.compile(r"^\W*(?:no|yes|nope)\b\s*[,.:;!—–-]")

_CONTEXTS: tuple[tuple[Stance, re.Pattern[str]], ...] = (
    (
        "inquiry",
        re.compile(
            r"(?:can|could|did|was|were|is|are) (?:not|n't)(?: be)? (?:able to )?(?:confirm|verif|check|read|"
            r"see|determin|"
            r"access|rul|inspect|know)|unable to|not (?:checked|verified|confirmed|known|seen)|\bunknown|unverified|"
            r"unconfirmed|(?:things|what|worth|still|remains?) (?:left )?to (?:check|verify|investigate)|"
            r"open questions|"
            r"what would show|how to (?:check|verify|confirm)|if (?:you|that|this|the)\b.*:$"
        ),
    ),
    (
        "hedged",
        re.compile(
            r"(?:possible|potential|common|typical|plausible|usual|other) (?:root )?(?:causes|reasons|"
            r"explanations|problems|"
            r"issues)|(?:could|might|may) (?:also )?be\b|possibilit|hypothes|either\b.*:$|\be\.g\.:$"
        ),
    ),
    (
        "negated",
        re.compile(
            r"ruled out|ruling out|not the (?:cause|problem|reason)|what (?:it|this) is not|\bunlikely\b|"
            r"^(?:\W*)(?:do not|don't|avoid|never)\b|\bwhat not to do\b|not recommended|not affected|should not\b"
        ),
    ),
    ("attributed", _ATTRIBUTED),
)


def stance(sentence: Sentence, spans: Sequence[tuple[int, int]], literal: str = "") -> Stance:
    """What `sentence` does with the words at `spans` of its plain text.

    `literal` are the words that were looked for: a negator that is one of them denies nothing.
    """
    if sentence.question:
        return "question"
    if sentence.kind in ("code", "quote"):
        return "quoted"
    found = [_stance(sentence.plain, start, end, literal) for start, end in spans]
    for weaker in ("negated", "attributed", "conditional", "inquiry", "hedged"):
        if weaker in found:
            return weaker
    return context(sentence)


def clause(text: str, start: int, end: int) -> str:
    """The clause of a sentence that `start`..`end` stand in."""
    before = [match.end() for match in _BREAK.finditer(text) if match.end() <= start]
    after = _BREAK.search(text, end)
    return text[before[-1] if before else 0 : after.start() if after else len(text)]


def context(sentence: Sentence) -> Stance:
    """What the headings and lead-ins above a sentence make of it."""
    for heading in reversed(sentence.headings):
        for kind, pattern in _CONTEXTS:
            if (heading.endswith(":") or heading == sentence.headings[0]) and pattern.search(heading):
                return kind
    return "asserted"


def _stance(text: str, start: int, end: int, literal: str) -> Stance:
    left, right = text[: max(start, 0)], text[end:]
    if particle := _YES_OR_NO.match(left):
        left = " " * particle.end() + left[particle.end() :]
    breaks = [match for match in _BREAK.finditer(text) if match.end() <= start]
    for negating in breaks[-1:]:
        # "not because of", "not: x": the negator reaches over the word that would end its scope
        if re.search(r"\bnot\s*$", text[: negating.start()]) and negating[0] in ("because", "since", "so"):
            breaks.pop()
    begin = breaks[-1].end() if breaks else 0
    if breaks and breaks[-1][0].strip(" ,") == "not":
        return "negated"
    left = left[begin:]
    after = _BREAK.search(text, end)
    right = text[end : after.start() if after else len(text)]
    return _judged(left, text[start:end], right, literal)


def _judged(left: str, inside: str, right: str, literal: str) -> Stance:
    if _NOT_RULED_OUT.search(left) or _HEDGED_AFTER.match(right):
        return "hedged"
    if _negated(left, inside, literal) or _NEGATED_AFTER.match(right):
        return "negated"
    if _ATTRIBUTED.search(left):
        return "attributed"
    if _reaches(_CONDITION, left):
        return "conditional"
    if _reaches(_INQUIRY, left):
        return "inquiry"
    if _QUALIFIED.match(right):
        return "conditional"
    if any(match.start() < len(left) for match in _HEDGE.finditer(left + inside)):
        return "hedged"
    if _HEDGE.search(inside) and not _HEDGE.search(literal):
        return "hedged"
    return "asserted"


def _negated(left: str, inside: str, literal: str) -> bool:
    for match in _NEGATOR.finditer(left + inside):
        if match.end() > len(left):
            break
        rest = left[match.end() :]
        if match[0] in ("0", "zero"):
            # it counts what follows: a noun, or a list of them
            reaches = len(rest.split()) <= 8 and not re.search(rf"\b{_FINITE}\b|\d", rest)
        elif _TO_THE_COMMA.match(match[0]):
            reaches = "," not in rest and len(rest.split()) <= 12
        else:
            reaches = len(rest.split()) <= 14
        if reaches:
            return True
    return bool(_NEGATOR.search(inside)) and not _NEGATOR.search(literal)


def _reaches(pattern: re.Pattern[str], left: str) -> bool:
    """True where the last match is not closed by a comma or a "then" before the words in question."""
    found = list(pattern.finditer(left))
    return bool(found) and not re.search(r",|\bthen\b", left[found[-1].end() :])
