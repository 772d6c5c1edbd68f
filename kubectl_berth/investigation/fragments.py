"""Texts that are no answer: they only say what the model would do next, or are a tool call written out.

A right answer may begin with "Let me" or end with a next step. So a text is a fragment only where nothing in it says
anything else: every sentence announces a look at something, or speaks of the investigation and not of the cluster.
Where a sentence could be either, it is taken for an answer.
"""

from __future__ import annotations

import re

from kubectl_berth.engines.text_calls import calls_in, holds_a_call

MOST = 1200
"""Characters of a text that can be a fragment; whoever writes more has said something."""

MOST_SENTENCE = 300


def is_fragment(text: str) -> bool:
    """True where the text only announces a next step of the model; one sentence with a finding is enough against."""
    text = _FENCE.sub(lambda fence: " " if calls_in(fence.group()) else fence.group(), text)
    text = "" if calls_in(text) else _WRITTEN_CALL.sub(" ", text).strip()
    if not text:
        return True
    if len(text) > MOST:
        return False
    sentences = _sentences(text)
    if not sentences:
        return False
    a_plan_follows = _announces(sentences[0])
    return all(
        _announces(each) or _is_idle(each) or (a_plan_follows and number > 0 and _is_planned(each))
        for number, each in enumerate(sentences)
    )


def holds_a_written_call(text: str) -> bool:
    """True where the text is, or holds beside its words, a tool call written out: no answer, whatever else it says."""
    return bool(calls_in(text)) or holds_a_call(text)


def _sentences(text: str) -> list[str]:
    pieces = (piece.strip(_MARKS) for piece in _END.split(_NUMBER.sub("", text.replace("’", "'"))))
    return [piece for piece in pieces if re.search(r"\w", piece)]


def _announces(sentence: str) -> bool:
    """True for a sentence whose main clause is the model about to look at something."""
    if len(sentence) > MOST_SENTENCE:
        return False
    main = _LEAD.sub("", sentence)
    if any(_STEP.match(each) for each in (sentence, main)) or _OFFER.match(main) or _WANTS.match(main):
        return True
    if _GERUND.match(main):
        # "Looking at the events, the image cannot be pulled" says something, "Checking the logs showed" too
        return not _SAYS.search(main) and ", " not in main
    progress = _PROGRESS.match(main)
    if progress:
        return not _SAYS.search(main[progress.end() :])
    opener = _OPENER.match(main)
    return bool(opener and _LOOKS.match(main[opener.end() :]) and not _AND_SAYS.search(main[opener.end() :]))


def _is_idle(sentence: str) -> bool:
    """True for a sentence of the investigation and not of the cluster."""
    return any(_IDLE.match(each) for each in (sentence, _LEAD.sub("", sentence)))


def _is_planned(sentence: str) -> bool:
    """True for an entry of a list of things to look at."""
    return bool(_PLANNED.match(sentence)) and not _SAYS.search(sentence)


def _any(*words: str) -> str:
    return "(?:" + "|".join(words) + ")"


def _pattern(*alternatives: str) -> re.Pattern[str]:
    return re.compile("^" + _any(*alternatives), re.IGNORECASE)


_MARKS = " \t*_#>`-–—•·.:;…!?\"'()[]"
_NUMBER = re.compile(r"^\s*\d{1,2}[.)]\s+", re.MULTILINE)
_END = re.compile(r"(?<=[.!?:;…])\s+|(?<=:)(?=\*)|\s+[–—-]{1,2}\s+|\n+")
_WRITTEN_CALL = re.compile(
    r"<tool_call>.*?(?:</tool_call>|\Z)|<function_calls>.*?(?:</function_calls>|\Z)|"
    r"<function=[\w.-]+>.*?(?:</function>|\Z)|<invoke name=.*?(?:</invoke>|\Z)|"
    # what a broken template leaves behind: half a pair of marks, thoughts, a call as a line of code
    r"</(?:tool_call|function_calls|function|invoke|think)>|<think>.*?(?:</think>|\Z)|"
    r"(?m:^[ \t`]*[a-z]+(?:_[a-z]+)+\([^()\n]{0,300}\)[ \t`;]*$)",
    re.DOTALL,
)
_FENCE = re.compile(r"```[\w-]*[ \t]*\n.*?\n?[ \t]*```", re.DOTALL)

_LOOK = _any(
    r"(?:(?:double|cross)[- ]|re-?)?check",
    *"look peek get fetch pull grab see list describe inspect examine investigate gather collect query search".split(),
    *"find retrieve read dig drill review start begin continue proceed run call invoke use try retry verify".split(),
    *"confirm take explore analy[sz]e trace follow narrow determine figure understand learn know view scan".split(),
    *"ask request go move open pinpoint identify diagnose compare correlate probe obtain locate track wait".split(),
)
_LOOKING = _any(
    r"(?:(?:double|cross)[- ]|re-?)?checking",
    *"looking peeking getting fetching pulling grabbing listing describing inspecting examining investigating".split(),
    *"gathering collecting querying searching finding retrieving reading digging drilling reviewing starting".split(),
    *"beginning continuing proceeding running calling invoking using trying retrying verifying confirming".split(),
    *"taking exploring analy[sz]ing tracing following narrowing determining viewing scanning requesting".split(),
    *"moving going opening comparing waiting working".split(),
)
_ADVERB = _any(
    *"also now first next then just quickly briefly immediately instead simply again further still really".split(),
    *(
        "actually",
        "directly",
        "closely",
        "carefully",
        "go ahead and",
        "begin by",
        "start by",
        "try to",
        "try and",
        "be",
    ),
)
_WORD = _any(
    *"okay ok alright right sure great good perfect thanks hmm+ well so now next firstly first secondly".split(),
    *"second then and but also finally lastly instead interesting understood actually unfortunately still yes".split(),
    *(
        "sorry",
        "apologies",
        "oops",
        "my mistake",
        "all right",
        "got it",
        "i see",
        r"step \d+",
        "hold on",
        "after that",
        "from here",
        "at this point",
    ),
    *("let's see", "as a next step"),
)
_WORDS = rf"(?:{_WORD}\b[\s,.!:-]*)*"

_LEAD = re.compile(
    # words that only lead in, a clause that says why or when, or one that says what did not work and "so"
    rf"^{_WORDS}"
    r"(?:(?:to|in order to|before|since|as|because|given|with|without|for|once|now that|when|while|after|"
    r"although|if)\b[^,]{2,160},\s+)?"
    r"(?:[^,]{2,120}(?:n't|not|no|empty|error|failed|nothing|only|more|unclear|incomplete|truncated)\b[^,]{0,80},"
    r"\s+(?:so|therefore|hence|and so)\s+)?"
    rf"{_WORDS}(?:i think |i believe |i guess |i suppose |it (?:seems|looks|appears) (?:like |that )?|"
    r"perhaps |maybe )?",
    re.IGNORECASE,
)
_OPENER = re.compile(
    "^"
    + _any(
        r"(?:i|we)(?: still| will|'ll| would|'d)? (?:need|have|want|ought|plan|intend|like) to",
        *("let me", "lemme", "let's", "let us", "allow me to", "(?:i|we)'ll", "(?:i|we) will", "going to", "will"),
        r"(?:i'm|i am|we're|we are) (?:going|about) to",
        *("(?:i|we) (?:should|must)", "about to", "time to", "now to"),
        r"it (?:would be|is|'s) (?:worth|helpful to|useful to|best to|necessary to|good to)",
        r"(?:one|just a|a) (?:moment|second)(?: please)?(?: while|,)? (?:i|let me|i'll)",
        r"(?:hold on|bear with me|please (?:wait|hold)) while i",
        r"give me a (?:moment|second|minute) (?:to|while i)",
    )
    + rf"\s+(?:{_ADVERB}\s+)*",
    re.IGNORECASE,
)
_PROGRESS = re.compile(
    rf"^(?:i'm|i am|we're|we are)\s+(?:{_ADVERB}\s+)*{_LOOKING}\b(?! at an?\b)(?! to\b)", re.IGNORECASE
)
_NOT_A_LOOK = _any(
    *("confirm that", "determine that", "start by saying", "go through", "see why not", "use (?:this|that|plain)"),
    r"(?:start|begin|go first) with the (?:verdict|outcome|answer|good|bad|short)",
    *("find (?:that|no|nothing)", "see (?:that|no|nothing|two|three|one|only|a doctor)"),
    *(
        "list (?:what|the (?:problems|faults|findings))",
        "take (?:the|these|your|them)",
        "get (?:straight )?to the point",
    ),
    r"go (?:first )?with",
)
_LOOKS = re.compile(rf"(?!{_NOT_A_LOOK}){_any(_LOOK, _LOOKING)}\b", re.IGNORECASE)
_GERUND = re.compile(rf"^(?:{_ADVERB}\s+)*{_LOOKING}\b", re.IGNORECASE)
_SAYS = re.compile(
    r"\b(?:show(?:s|ed|n)?|found|reveal(?:s|ed)|confirm(?:s|ed)|indicate[sd]|suggest(?:s|ed)|return(?:s|ed)|turned|gave|"
    r"gives|means|explains|proves?|says|said|points|helps|fixes|fails|failed|takes|took|exits|exited|waits|needs|works|"
    r"would|will|did|does|was|were|because|is (?:the|not|what|an?))\b|(?<![\w.-])\d+(?![\w.-]*[a-z])",
    re.IGNORECASE,
)
_AND_SAYS = re.compile(
    r"\b(?:(?:and|but|which|it) (?:turns out|shows?|showed|found|reveals?|revealed)|the (?:cause|reason|answer) is|"
    r"(?:it|this|that) (?:is|was) (?:because|due)|is down|is healthy|are healthy|are ready|is ready)\b",
    re.IGNORECASE,
)
_STEP = _pattern(
    r"(?:(?:my|the|our) )?next (?:step|thing|action|move|check)s?(?: to do)?(?: for me)?"
    rf"(?: is| are| will be| would be)?(?: now)?(?: to)?\W+(?:to )?{_any(_LOOK, _LOOKING)}\b",
    rf"(?:my|the) plan (?:is|now is|from here is) to {_LOOK}\b",
    r"(?:here is|here's|this is) (?:what (?:i'll|i will|i plan to) do|my plan|the plan)\b",
    r"(?:my plan|plan|next steps?|what i'll do next|what comes next)$",
)
_OFFER = _pattern(
    r"(?:should i|shall i|shall we|do you want me to|would you like me to|want me to|may i|can i|could i)\b.*\b"
    rf"{_LOOK}\b",
    r"(?:i|we) (?:can|could) (?:also |now |next )*(?:check|look|get|fetch|describe|inspect|investigate|dig)\b",
)
_WANTS = _pattern(
    r"(?:i|we) (?:still |will |would |may |might )?(?:need|require|want|lack)\s+(?:some |a (?:bit|little) |much |a )?"
    r"(?:more|further|additional|better|other|fuller|closer|"
    r"the (?:logs?|events?|output|details?|description|status|spec|manifest|metrics))\b(?!.*\bthan\b)",
)
_NOTHING = r"(?:an error|nothing|no (?:results?|output|data))"
_IDLE = _pattern(
    rf"(?:{_any(_WORD, 'one moment', 'just a moment', 'please wait', 'please hold on', 'bear with me', 'please')}"
    r"[\s,.!]*)+$",
    rf"(?:{_any('but', 'and', 'so', 'okay', 'hmm', 'well', 'unfortunately')}[\s,]*)*"
    r"(?:that|this|the|my)(?: [\w.-]+){0,3} "
    r"(?:call|query|command|tool|request|attempt|search|lookup|approach)s?\s+"
    rf"(?:failed|did ?n[o']t (?:work|help)|(?:returned|gave) {_NOTHING}|was (?:rejected|wrong)|errored|timed out)$",
    rf"(?:hmm,? )?(?:that|this|it) (?:did ?n[o']t work|failed|(?:is|was) not enough|(?:gave|returned) {_NOTHING})$",
    r"(?:i|we) (?:do ?n[o']t|do not) (?:yet )?have (?:enough|sufficient|all the|the full) "
    r"(?:information|data|context|details?|evidence|picture)(?: (?:yet|so far|to answer(?: yet)?|at this point))?$",
    r"(?:this|that) (?:will|should|may|might|would) (?:tell|show|help|give|reveal|let|clarify)\b[^,:]*$",
    r"(?:now )?(?:i|we)(?: now)? (?:have|know|got) the (?:[\w-]+ ){0,2}(?:names?|namespace|kind|apiversion)$",
    r"(?:the|that) (?:output|result|response|reply) (?:was|is) (?:truncated|cut(?: off| short)?|too long|empty)$",
    r"(?:working|investigating) on (?:it|this|that)$",
)
_THINGS = _any(
    *"pods? nodes? containers? deployments? statefulsets? pvcs? services? workloads? operators? logs? events?".split(),
    *"conditions? status description spec manifest resources? metrics limits requests probes config endpoints?".split(),
    *("usage", "restarts?", "history", "custom resources?"),
)
_PLANNED = _pattern(
    rf"{_WORDS}{_any(_LOOK, _LOOKING)}\b",
    r"(?:the |its |their |any |recent |previous |current )*"
    rf"{_THINGS}(?:'s)?(?: (?:and|of|for|in|on|the|its|previous|recent|custom|{_THINGS}|\S*-\S+))*$",
)
