"""What an answer claims of a cluster, as far as it can be looked up: names, figures, images, addresses, codes, quotes.

Advice is told from statements: a limit that the answer proposes stands nowhere yet, and need not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from kubectl_berth.investigation.amounts import Amount, amounts, without_moments

Kind = Literal["name", "namespace", "pair", "image", "address", "exit", "amount", "version", "variable", "quote"]


@dataclass(frozen=True)
class Claim:
    """One thing to look up. `text` is how the answer wrote it; an amount has its figure and those of its sentence."""

    kind: Kind
    text: str
    amount: Amount | None = None
    beside: tuple[Amount, ...] = ()
    about: bool = False
    derived: bool = False


@dataclass(frozen=True)
class Sentence:
    """A sentence, a table row or a line. `advice` where it says what to do, `code` where it is no prose."""

    text: str
    advice: bool = False
    code: Literal["", "commands", "quoted"] = ""


_KINDS = (
    r"(?:pods?|deployments?|statefulsets?|daemonsets?|replicasets?|jobs?|cronjobs?|nodes?|services?|svc|ingress(?:es)?|"
    r"pvcs?|persistentvolumeclaims?|volume claims?|pvs?|containers?|configmaps?|secrets?|clusters?|pdbs?|"
    r"poddisruptionbudgets?|budgets?|hpas?|horizontalpodautoscalers?|workloads?|storageclass(?:es)?|serviceaccounts?|"
    r"node ?pools?|poolers?|databases?|certificates?|roles?|rolebindings?)"
)
_ADVICE_HEAD = re.compile(
    r"\b(?:fix(?:es)?|recommend\w*|next steps?|actions?|remed\w+|what to do|how to|suggest\w*|propos\w+|options?|"
    r"solutions?|mitigat\w+|resol\w+|steps|workarounds?|prevent\w*|prevention|follow-?ups?|advice|plan|verify|verification)\b",
    re.IGNORECASE,
)
_ADVICE = re.compile(
    r"\b(?:should|recommend(?:ed|ation)?|suggest\w*|consider(?:ing)?|e\.g\.|for example|for instance|such as|propos\w+|"
    r"would|could|might|may need|need(?:s)? to be|you (?:can|need|want|must|may)|try|"
    r"if (?:you|it|this|the|that|usage)|at least|"
    r"(?:increas|rais|lower|reduc|bump|scal|chang|updat|set)(?:e|ing) "
    r"(?:it|the|its|to|this|your|memory|cpu|both|from)\b|"
    r"common causes|commonly|typically|usually|instead of|→|likely (?:due|because|cause))\b|→",
    re.IGNORECASE,
)
_VERBS = (
    r"(?:add|allow|adjust|apply|bump|change|check|clean|configure|confirm|consider|contact|cordon|create|decrease|define|delete|"
    r"deploy|describe|disable|drain|edit|enable|ensure|evict|expand|fix|free|grant|increase|inspect|install|investigate|keep|"
    r"launch|look|lower|make|migrate|modify|monitor|move|open|patch|plan|provision|push|raise|re-?create|re-?deploy|re-?run|"
    r"re-?size|re-?start|re-?store|re-?try|re-?view|re-?evaluate|reduce|remove|rename|replace|request|restore|review|right-?size|"
    r"roll|rollback|run|scale|schedule|set|skip|split|start|stop|switch|temporarily|test|tune|uncordon|update|upgrade|use|"
    r"validate|verify|wait|watch)"
)
_IMPERATIVE = re.compile(
    rf"^(?:(?:then|or|either|and|also|please|first|next|finally|once \w+,?|alternatively|optionally|immediate(?:ly)?|"
    rf"short[- ]term|long[- ]term)[:,]?\s+)*{_VERBS}\b",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^\s*(?:[-*+>]|\d{1,2}[.)]|#{1,6})\s+")
_FENCE = re.compile(r"^\s*(?:```|~~~)\s*([\w-]*)")
_COMMAND_TONGUES = {
    "bash",
    "sh",
    "shell",
    "zsh",
    "yaml",
    "yml",
    "json",
    "diff",
    "toml",
    "ini",
    "hcl",
    "sql",
    "dockerfile",
}
_COMMANDS = re.compile(
    r"^\s*(?:\$ )?(?:kubectl|helm|docker|git|curl|aws|gcloud|az)\s|^\s*(?:apiVersion|spec|metadata):", re.MULTILINE
)
_ENDS = re.compile(r"(?<=[.!?])(?:\*\*|[\"”)])?\s+(?=[A-Z*`\"“])")


def sentences(answer: str) -> Iterator[Sentence]:
    """The answer in pieces that stand for themselves, in order."""
    advising = False
    block: list[str] | None = None
    tongue = ""
    for line in answer.splitlines():
        fence = _FENCE.match(line)
        if fence and block is None:
            block, tongue = [], fence[1].lower()
            continue
        if fence and block is not None:
            yield from _block(block, tongue)
            block = None
            continue
        if block is not None:
            block.append(line)
            continue
        if _is_heading(line):
            advising = bool(_ADVICE_HEAD.search(line))
        elif re.search(r"\bfix\b|recommend|what to do|next step", line, re.IGNORECASE) and line.rstrip().endswith(
            (":", ":**")
        ):
            advising = True
        yield from _prose(line, advising)
    if block is not None:
        yield from _block(block, tongue)


def _is_heading(line: str) -> bool:
    bare = line.strip()
    return bare.startswith("#") or (
        bare.startswith("**") and re.search(r":?\*\*:?$", bare) is not None and len(bare) < 90
    )


def _block(lines: list[str], tongue: str) -> Iterator[Sentence]:
    text = "\n".join(lines)
    if tongue in _COMMAND_TONGUES or _COMMANDS.search(text):
        yield Sentence(text, advice=True, code="commands")
        return
    yield from (Sentence(line, code="quoted") for line in lines if line.strip())


def _prose(line: str, advising: bool) -> Iterator[Sentence]:
    bare = _BULLET.sub("", line).strip()
    for text in _ENDS.split(bare):
        plain = re.sub(r"^[*_~`]+(?=\w)|\*\*", "", text).strip()
        if plain:
            yield Sentence(text, advice=advising or bool(_IMPERATIVE.match(plain) or _ADVICE.search(plain)))


_SPAN = re.compile(r"(`+)(.+?)\1")
_QUOTE = re.compile(r"[\"“]([^\"“”]{3,400})[\"”]")
_URL = re.compile(r"\bhttps?://[^\s)>\]\"'`*]+[^\s)>\]\"'`*.,;:]")
_IP = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{2,5})?(?![\w.]*\d)")
_HOST = re.compile(
    r"(?<![\w./-])[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)*\.(?:svc|local|internal|com|io|net|org|dev|example)(?:\.[a-z0-9-]+)*(?::\d{2,5})?(?![\w/-])"
)
_IMAGE = re.compile(
    r"(?<![\w./-])[a-z0-9][a-z0-9.-]*(?::\d{2,5})?(?:/[a-z0-9][a-z0-9._-]*)+(?::[\w][\w.-]*[\w]|@sha256:[0-9a-f]{6,64})|"
    r"(?<![\w./-])[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:/[a-z0-9][a-z0-9._-]*)+|"
    r"(?<![\w./:-])[a-z][a-z0-9-]+:v?\d+(?:\.\d+)+[\w.-]*"
)
_EXIT = re.compile(
    r"\b(?:exit(?:ed|s|ing)?(?: |-)?(?:with )?(?:code|status)?|exitcode|return code|code)"
    r"(?: of| is| was)?[:=]?\s*[`*\"(]{0,4}(\d{1,3})(?![\d%\w]|\.\d)",
    re.IGNORECASE,
)
_VERSION = re.compile(r"(?<![\w.:/-])v\d+(?:\.\d+)+(?:[-+][\w.]+)?|(?<![\w.:/-])\d+\.\d+\.\d+(?:[-+][\w.]+)?(?![\w])")
_VARIABLE = re.compile(r"(?<![\w-])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![\w*])")
_PAIR = re.compile(r"(?<![\w./:-])([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)/([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?![\w/:-])")
_NAME = re.compile(r"(?<![\w./:-])[a-z][a-z0-9]*(?:[-.][a-z0-9]+)+(?![\w/-]|\.\w)")
_AFTER_KIND = re.compile(
    rf"\b{_KINDS}(?: named| called)?:?\s+[`*\"]{{0,4}}"
    r"(?P<name>[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)[`*\"]{0,4}(?![\w/-])",
    re.IGNORECASE,
)
_BEFORE_KIND = re.compile(
    rf"[`*]{{1,3}}(?P<name>[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)[`*]{{1,3}}\s+{_KINDS}\b", re.IGNORECASE
)
_LABEL = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
_NAMESPACE = re.compile(
    r"(?:\b(?:[Ii]n|[Ff]rom|of|to|[Ww]ithin|for|and) (?:the )?namespaces? |\bnamespaces?(?:: ?| (?=[`\"*])))"
    rf"[`*\"]{{0,4}}(?P<after>{_LABEL})[`*\"]{{0,4}}(?![\w-])|"
    r"(?:[`\"]|\*\*|\b(?:[Ii]n|[Ff]rom|of|[Ww]ithin|to) (?:the )?)"
    rf"(?P<before>{_LABEL})[`*\"]{{0,4}}\s+namespace\b|"
    rf"(?<!\S)(?:-n|--namespace)[ =](?P<flag>{_LABEL})(?![\w-])"
)
_NEW = re.compile(
    r"\b(?:create|creat\w+|new|install\w*|deploy|add|named|called|rename|define|e\.g\.|such as)\b", re.IGNORECASE
)
_NO_NAMESPACE = frozenset(
    "a an the that this these those its it is in of and or all any each every other another same own your their our my "
    "one whole entire target given correct right wrong different affected specific current new separate single "
    "where which with was are has have for to from by on at as but not per no only exists does do if when level "
    "scope scoped wide isolation quota quotas name names default kube system".split()
)
_ABOUT = re.compile(
    r"(?:~|≈|\babout|\baround|\broughly|\bapprox(?:imately|\.)?|\bnearly|\balmost|\bover|\bmore than|\bless than|"
    r"\bunder|\bup to|\bsome)\s?[*`]{0,3}$",
    re.IGNORECASE,
)
_DERIVED = re.compile(
    r"\b(?:headroom|free|left|leav\w+|remain\w*|spare|total|together|sum|combined|difference|available|in all|"
    r"more than|out of|utili[sz]ation|ratio|average|per|equals?|adds?|overall|across|slack|gap|excess|waste\w*|"
    r"of (?:its|the))\b|[=≈~]",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"^[*`\s]{0,4}(?:x\b|×|times\b|restarts?\b)|"
    r"(?:restart(?:s|ed|ing|count| count)?\W{0,6}(?:of |is |was |at |to )?|restarted (?:about )?)$",
    re.IGNORECASE,
)
_WORD = re.compile(r"[\w./:@-]+")


def claims(answer: str) -> Iterator[Claim]:
    """Everything in the answer that can be looked up, in order, repetitions included."""
    for sentence in sentences(answer):
        yield from _in_sentence(sentence)


def _in_sentence(sentence: Sentence) -> Iterator[Claim]:
    text = sentence.text
    if sentence.code == "quoted":
        yield from _quote(text)
    elif not sentence.advice:
        for match in _QUOTE.finditer(text):
            yield from _quote(match[1])
        for match in _SPAN.finditer(text):
            if " " in match[2].strip() and not re.match(r"\s*(?:kubectl|helm|--?\w|\$)", match[2]):
                yield from _quote(match[2])
    taken = _Taken(text)
    yield from taken.claims(_URL, "address")
    yield from taken.claims(_IP, "address")
    if sentence.code == "commands":
        yield from _namespaces(taken)
        yield from _names(taken, only_generated=True)
        return
    yield from taken.claims(_IMAGE, "image", keep=lambda found: not sentence.advice and not _is_api_version(found))
    yield from taken.claims(_HOST, "address", keep=lambda found: not found.endswith((".k8s.io",)))
    yield from taken.claims(_EXIT, "exit", group=1)
    yield from _namespaces(taken)
    yield from _names(taken, only_generated=sentence.advice)
    if not sentence.advice:
        yield from taken.claims(_VERSION, "version")
        yield from taken.claims(_VARIABLE, "variable")
        yield from _amounts(taken.text)


class _Taken:
    """A sentence of which the parts that were claimed already are blanked out."""

    def __init__(self, text: str) -> None:
        self.text = text

    def blank(self, start: int, end: int) -> None:
        self.text = self.text[:start] + " " * (end - start) + self.text[end:]

    def claims(self, pattern: re.Pattern[str], kind: Kind, *, group: int = 0, keep: object = None) -> Iterator[Claim]:
        for match in list(pattern.finditer(self.text)):
            self.blank(*match.span())
            if not callable(keep) or keep(match[group]):
                yield Claim(kind, match[group])


def _is_api_version(text: str) -> bool:
    return re.fullmatch(r"[a-z0-9.-]+/v\d+(?:(?:alpha|beta)\d+)?", text) is not None


def _quote(text: str) -> Iterator[Claim]:
    bare = text.strip()
    if len(_WORD.findall(bare)) >= 3:
        yield Claim("quote", bare)


def _namespaces(taken: _Taken) -> Iterator[Claim]:
    for match in list(_NAMESPACE.finditer(taken.text)):
        group = match.lastgroup or "after"
        name = match[group]
        if name in _NO_NAMESPACE or name.startswith("kube-"):
            continue
        marked = taken.text[match.start(group) - 1 : match.start(group)] in ("`", "*", '"')
        if group == "before" and not marked and name.endswith(("ed", "ing", "ly")):
            continue
        taken.blank(*match.span(group))
        yield Claim("namespace", name)


def _names(taken: _Taken, *, only_generated: bool) -> Iterator[Claim]:
    text = taken.text
    for match in list(_PAIR.finditer(text)):
        marked = text[match.start() - 1 : match.start()] in ("`", "*")
        whole = match.group()
        if _is_api_version(whole) or re.fullmatch(r"\d+/\d+", whole):
            continue
        taken.blank(*match.span())
        if is_generated(match[2]) or (not only_generated and (marked or "-" in whole)):
            yield Claim("pair", whole)
    for pattern in (_AFTER_KIND, _BEFORE_KIND):
        for match in list(pattern.finditer(taken.text)):
            name = match["name"]
            marked = taken.text[match.start("name") - 1 : match.start("name")] in ("`", '"')
            # advice may name what does not exist yet
            wanted = is_generated(name) or (marked and not (only_generated and _NEW.search(text)))
            if wanted and not name.isdigit():
                taken.blank(*match.span("name"))
                yield Claim("name", name)
    for match in list(_NAME.finditer(taken.text)):
        name = match.group()
        marked = "`" in (taken.text[match.start() - 1 : match.start()], taken.text[match.end() : match.end() + 1])
        if _is_host_like(name) or name.startswith("kube-"):
            continue
        if is_generated(name) or (marked and "-" in name and not only_generated):
            taken.blank(*match.span())
            yield Claim("name", name)


def _is_host_like(name: str) -> bool:
    return "." in name and "-" not in name


_SUFFIX = re.compile(
    r"-(?:[bcdfghjklmnpqrstvwxz2456789]{5}|[a-f0-9]{6,10}|\d{1,3}|\d{8,10})$|-[bcdfghjklmnpqrstvwxz0-9]{4,10}-"
)


def is_generated(name: str) -> bool:
    """True for what no word of a language looks like: a pod's hash, an ordinal."""
    found = _SUFFIX.search(name)
    return (
        found is not None
        and any(character.isdigit() for character in found.group())
        and not re.match(r"\d+-\d+$", name)
    )


def _amounts(text: str) -> Iterator[Claim]:
    text = without_moments(text)
    found = list(amounts(text))
    for amount in found:
        before, after = text[: amount.start], text[amount.end :]
        if not _is_telling(amount, before, after):
            continue
        about = bool(_ABOUT.search(before)) or after.startswith("+")
        yield Claim("amount", amount.text, amount, tuple(found), about, bool(_DERIVED.search(text)) or about)


def _is_telling(amount: Amount, before: str, after: str) -> bool:
    """False for figures that say nothing of the cluster: list numbers, small counts, multiples, 0 and 100 %."""
    if (
        re.match(r"x\b|×|-?fold", after)
        or re.search(r"[<>≤≥]\s*$", before)
        or before.endswith(("#", "step ", "Step ", "option ", "Option "))
    ):
        return False
    if amount.unit in ("%", "percent"):
        return amount.number not in (0, 100)
    if amount.unit:
        return True
    if _COUNTED.search(after) or _COUNTED.search(before):
        return True
    return amount.number >= 10
