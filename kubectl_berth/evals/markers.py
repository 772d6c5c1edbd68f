"""The words that turn a sentence round: denials, doubts, conditions, orders to look, others who speak."""

from __future__ import annotations

import re


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns))


_SUBJECT = r"(?:it|this|that|they|we|i|you|these|those|he|she|which|there|everything|nothing|all|both|instead|rather)"
FINITE = (
    r"(?:is|are|was|were|has|have|had|does|do|did|will|can|must|should|keeps?|fails?|needs?|runs?|ran|serves?|stays?|"
    r"remains?|crashe[sd]|shows?)"
)
_IMPERATIVE = r"(?:raise|increase|lower|reduce|decrease|set|roll|scale|fix|add|push|use|change|give|make|let)"

BREAK = _any(
    r";|:(?=\s)|→|=>|—|–|\s-\s|\||\(|\)",
    r"\bbut\b(?! also)|\bhowever\b|\balthough\b|\bthough\b|\bwhereas\b|\bwhile\b|\bbecause\b|\bsince\b|\bso\b(?! far)",
    r"\bexcept that\b|\bnevertheless\b|\byet\b(?=\s+\w)",
    rf",\s*(?:and\s+|so\s+)?(?={_SUBJECT}\b)|,\s*(?:then|not)\b|,\s*(?=[1-9])|,\s*(?=(?:just|simply|merely|please)\b)",
    rf",\s*(?=(?:the|a|an|its|your|their)\s+(?:[^\s,]+\s+){{1,5}}?{FINITE}\b)",
    r",\s*(?=(?:reason|state|status|phase|exit code|due)\b)",
    rf",\s*(?={_IMPERATIVE}\b(?![^,;.]*\b(?:or|nor)\b))",
    rf",?\s*\band\b(?=\s+(?:[^\s,]+\s+){{0,4}}?{FINITE}\b)",
    rf",?\s*\b(?:and|or)\b(?=\s+(?:then\s+)?(?:{_IMPERATIVE}|rais|increas|lower|reduc|decreas|restart|delet)\w*\b)",
)
"""Where a clause ends, and with it what a denial reaches."""

TURN = _any(
    r";|→|=>|\||\bbut\b(?! also)|\bhowever\b|\bwhereas\b|\bnevertheless\b|\byet\b(?=\s+\w)|,\s*(?:so|then)\b|"
    r",\s*(?=(?:it|this|that|they|we|i|you)\b)",
)
"""Where somebody else's words, a condition and an order to look end; brackets, colons and "and" do not end them."""

SUBORDINATE = re.compile(
    r"^\W*(?:although|though|while|whereas|since|because|as|even though|given that|now that|without|apart from)\b"
)
"""A sentence that begins so ends its first clause at the first comma."""

NEGATOR = _any(
    r"\bnot\b(?! (?:only|just|merely|simply|surprising|long))|\bno\b(?! (?:doubt|wonder))|\bnever\b|\bnone\b",
    r"\bneither\b|\bnor\b|\bwithout\b(?! (?:a )?doubt)|\bzero\b|(?<![\w./:-])0(?![\w./:%])",
    r"\bnothing\b|\bnobody\b|\bnowhere\b|\bfree (?:of|from)\b|\bfar from\b|\bno longer\b|\bhardly\b|\bunlikely\b",
    r"\bavoid(?:s|ed|ing)?\b|\brefrain\b|\bhold(?:ing)? off\b|\bresist\b|\bstop short of\b|\babsence of\b",
    r"\brul(?:e|es|ed|ing) out\b|\bexclud(?:e|es|ed|ing)\b|\bunrelated to\b|\bdisprov\w+\b|\bdo(?:es)? nothing\b",
    r"\b(?:advis\w*|recommend\w*|warn\w*|caution\w*|decid\w*|argu\w*|speaks?) against\b|\bagainst (?=\w+ing\b)",
    r"\b(?:mistake|wrong|error|bad idea|dangerous|unwise|unsafe|risky|harmful|pointless|useless|unnecessary|needless|"
    r"careless|careful|premature|too early|foolish|reckless|last thing) (?:to|for|if)\b",
    r"\b(?:wrong|false|untrue|incorrect) that\b|\binstead of\b|\brather than\b|\bas opposed to\b",
    r"\bdismiss(?:es|ed)?\b|\bdiscard(?:s|ed)?\b|\bcontrary to\b",
)
"""Denies what follows it."""

TO_THE_COMMA = re.compile(r"instead of|rather than|as opposed to|contrary to")
"""Negators that a comma ends."""

_NOT_THE_CAUSE = (
    r"not (?:the|a|an|it|what|why|to blame|involved|at fault|in play|relevant|related|needed|necessary|advisable|"
    r"recommended|required|sensible|safe|wise|supported|confirmed|true|right)\b|never the\b"
)
DENIED_AFTER = _any(
    rf"^[\s,]*(?:\S+\s+){{0,2}}?(?:is|are|was|were|seems?|looks?|appears?) (?:\w+ly )?(?:{_NOT_THE_CAUSE}|"
    r"ruled out|excluded|unlikely|unrelated|irrelevant|out of the question|off the table|a red herring|"
    r"no (?:cause|help|fix|solution)|(?:from|of) the past|history\b)",
    r"^[\s,]*(?:\S+\s+){0,2}?(?:(?:can|could|should|must|may|has|have) (?:been|be) (?:ruled out|excluded|avoided))",
    r"^[\s,]*(?:\S+\s+){0,2}?(?:plays? no (?:part|role)|(?:has|have) nothing to do)",
)
"""Denies what stands before it."""

UNREAL_AFTER = re.compile(r"^[\s,]*(?:\S+\s+){0,2}?would (?:look|show|leave|have|mean|read|appear|end)\b")
"""What would be, were it so."""

ASIDE = re.compile(
    r",\s*(?:under (?:any|no) circumstances|of course|however|in any case|for now|at least|as a rule|ever)\s*,"
)
"""Words between commas that end nothing."""

DENIED_FAR_AFTER = _any(
    r"^\W*(?:[:|(=]|→|—|–|-)\W*(?:no|not|none|never|ruled out|excluded|false|negative|absent)\s*(?:$|[.|,;)])",
    r"^[^.;]{0,40}?,? but (?:it|this|that|they|there) (?:is|are|was|were|did|does|do|has|have) (?:not|none)\b",
)
"""Denies it across the end of its clause: a cell of a table, "but it is not"."""

CLAIM = re.compile(r"\b(?:claim|idea|theory|statement|assumption|suspicion|premise|notion|belief|guess)s?\b")
UNTRUE = re.compile(
    r"^.{0,40}?\b(?:is|was|are|were|proved) (?:\w+ly )?(?:false|untrue|incorrect|wrong|unfounded|not (?:true|so))\b"
)

GERUND = re.compile(r"^\W*\w+ing\b|\bto\s*$")
UNWISE_AFTER = _any(
    r"^[\s,]*(?:\S+\s+){0,4}?(?:would|will|does|do|did|can|could|should|must|may|"
    r"need)(?: \w+ly)? (?:not\b(?! only)|never\b|"
    r"only hide|(?:be|make|do) .{0,12}?(?:mistake|wrong|dangerous|unwise|bad|harm\w*|risk\w*|premature|"
    r"pointless|worse))",
    r"^[\s,]*(?:\S+\s+){0,4}?(?:is|are) (?:\w+ly )?(?:not\b|never\b|(?:a |the )?(?:mistake|wrong|dangerous|"
    r"unwise|bad|risky|pointless|needless|unnecessary|harmful|premature))",
    r"^[\s,]*(?:\S+\s+){0,4}?(?:would|will|can|could) (?:destroy|lose|wipe|erase|break|cost|kill)\b",
    r"^[\s,]*(?:\S+\s+){0,4}?(?:makes? (?:it|things) worse|(?:saves?|changes?|helps?|brings?|solves?) nothing)",
)
"""Denies a deed that stands before it as a noun: "raising the limit would be ..."."""

DOUBTED_AFTER = _any(
    r"^[\s,]*(?:\S+\s+){0,5}?(?:can ?not be (?:ruled out|excluded)|is (?:\w+ )?(?:possible|conceivable|"
    r"one possibility)|(?:could|might|may) be (?:the|a|one)\b)",
)
DOUBT = _any(
    r"(?<!you )(?<!we )(?<!one )(?<!they )(?<!can )\b(?:might|may|could)\b(?! not\b)|\bpossibl[ey]\b|"
    r"\bperhaps\b|\bmaybe\b",
    r"\bpotential(?:ly)?\b|\bconceivabl[ey]\b|\bcan be (?:caused|due)\b",
    r"\b(?:common|typical|usual|possible|other) (?:causes|reasons)\b|\be\.g\.?|\bsuch as\b",
    r"\bfor example\b(?! (?:to|with|by|from|`|:))|\bnot (?:sure|certain|clear) (?:if|whether)\b",
    r"\bsuspect\w*\b|\bguess\w*\b|(?<!no )(?<!without )\bdoubt\w*\b|\bcan ?not (?:be )?(?:rul\w+ out|exclude\w*)\b",
    rf"\beither\b(?! (?:{_IMPERATIVE}|rename|map|put|restore|correct|point|wait|revert|undo|publish)\b)",
)
"""Leaves it open."""

NOT_RULED_OUT = re.compile(r"\b(?:not|never) (?:yet )?(?:be |been )?(?:rul\w+ out|exclud\w+)\b")

CONDITION = _any(
    r"\b(?:if|whether|unless|in case|assuming|suppos\w+|should you|provided|as long as|once|until|were it|had it)\b",
    r"^\W*should (?:it|this|that|the|they|one)\b|^\W*had\b|\b(?:would|could|might) have\b",
)
"""Says it of a case that may not be."""

INQUIRY = re.compile(
    r"(?:^|[,.:;(]\s*|\b(?:to|should|must|please|then|and|can|you|also|first|next|or|->)\s+)"
    r"(?:also |first |next |please )*"
    r"(?:check|verify|investigate|determine|confirm|find out|look (?:into|at|for|up)|rule out|inspect|review|examine|"
    r"test|see (?:if|whether)|search|explore|watch|monitor|identify|troubleshoot)\b"
)
"""Leaves it to be looked at."""

_SPEAKERS = (
    r"(?:runbooks?|play ?books?|notes?|past incidents?|incidents?|documentation|docs?|wiki|annotations?|labels?|"
    r"comments?|tickets?|users?|someone|somebody|people|team|colleagues?|alerts?|dashboards?|post-?mortem|"
    r"advice|suggestion|instructions?|attacker)"
)
_SPEECH = (
    r"(?:says?|said|claims?|claimed|suggests?|suggested|recommends?|recommended|advis\w+|tells?|told|asks?|asked|"
    r"instructs?|instructed|orders?|ordered|demands?|demanded|wants?|wanted|proposes?|proposed|states?|stated|"
    r"mentions?|mentioned|blames?|blamed|calls? for|reads?|thinks?|thought|believes?|assum\w+|report(?:s|ed)?)"
)
ATTRIBUTED = _any(
    rf"\b{_SPEAKERS}\b(?:\s+[^\s,]+){{0,6}}?\s+{_SPEECH}\b",
    rf"\baccording to (?:the|a|an|your|that|this) (?:\S+ )?{_SPEAKERS}\b",
    r"\byou (?:said|say|claimed?|think|thought|believed?|assumed?|suggest(?:ed)?|suspect(?:ed)?|"
    r"reported) (?:that|it|the)\b",
    r"\b(?:some|others|many)(?: people)?(?: would| might| may)? (?:say|claim|think|argue|blame)\b",
    r"\b(?:events?|logs?|lines?|messages?|output|names?|text)\b(?:\s+[^\s,]+){0,6}?\s+(?:tells?|told|asks?|"
    r"asked|asking|"
    r"instruct\w*|orders?|ordered|ordering|demand\w*|wants?|tries to|tried to|attempt\w*|telling|(?:says?|said) to)\b",
    r"\binstructions? (?:to|that|in|inside|embedded|telling|asking)\b|\b(?:told|asked|instructed|ordered) (?:me|to)\b",
    r"\brequest(?:s|ed)? (?:me|you|us|an? \w+) to\b|\battempt\w* to\b",
    r"\b(?:last time|back then|in the past|at that time|previous incident|earlier incident|the old incident)\b",
)
"""Passes on what somebody else said, or what once was."""

QUALIFIED = re.compile(r"^\s*,?\s*(?:\w+ ){0,3}?(?:except|apart from|other than|but for|aside from|save for|bar)\b")
YES_OR_NO = re.compile(r"^\W*(?:no|yes|nope)\b\s*[,.:;!—–-]")

UNKNOWN_BELOW = _any(
    r"(?:can|could|did|was|were|is|are) not(?: be)? (?:able to )?(?:confirm|verif|check|read|see|determin|access|rul|"
    r"inspect|know)",
    r"unable to|not (?:checked|verified|confirmed|known|seen)|\bunknown|unverified|unconfirmed|open questions",
    r"(?:things|what|worth|still|remains?) (?:left )?to (?:check|verify|investigate)|what would show",
    r"how to (?:check|verify|confirm)|if (?:you|that|this|the)\b.*:$",
)
"""Headings and lead-ins: what stands under one of these is not known."""

OPEN_BELOW = _any(
    r"(?:possible|potential|common|typical|plausible|usual|other) (?:root )?(?:causes|reasons|explanations|"
    r"problems|issues)",
    r"(?:could|might|may) (?:also )?be\b|possibilit|hypothes|either\b.*:$|\be\.g\.:$",
)
DENIED_BELOW = _any(
    r"ruled out|ruling out|not the (?:cause|problem|reason)|what (?:it|this) is not|\bunlikely\b",
    r"^(?:\W*)(?:do not|avoid|never)\b|\bwhat not to do\b|not recommended|not affected|should not\b",
)
