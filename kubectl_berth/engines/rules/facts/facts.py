"""Questions for a fact: what something is set to, how many there are, which lack what. Looked up, not judged."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from kubectl_berth.cluster.views import CustomResource
from kubectl_berth.engines.engine import ToolCall
from kubectl_berth.engines.rules.allowed import reaching
from kubectl_berth.engines.rules.bounds import bounds
from kubectl_berth.engines.rules.case import Case
from kubectl_berth.engines.rules.dated import dated
from kubectl_berth.engines.rules.ended_pods import ended_pods
from kubectl_berth.engines.rules.facts import attributes, standing
from kubectl_berth.engines.rules.facts.asked import ASKS, NEUTRAL, bare, bearers, together
from kubectl_berth.engines.rules.facts.attributes import Tell
from kubectl_berth.engines.rules.facts.certificates import expiries
from kubectl_berth.engines.rules.facts.consumers import consumers, loads, past_bounds
from kubectl_berth.engines.rules.facts.differences import differences
from kubectl_berth.engines.rules.facts.events import events_shown
from kubectl_berth.engines.rules.facts.held_ports import held_ports
from kubectl_berth.engines.rules.facts.listings import counted, lacking
from kubectl_berth.engines.rules.facts.lookups import Answer, lookup
from kubectl_berth.engines.rules.facts.managed import managed, wanted_version
from kubectl_berth.engines.rules.facts.namespaces import by_label
from kubectl_berth.engines.rules.facts.node_lists import node_list
from kubectl_berth.engines.rules.facts.object_attributes import OF_KIND
from kubectl_berth.engines.rules.facts.placed import placed
from kubectl_berth.engines.rules.facts.rights import holders, rights
from kubectl_berth.engines.rules.facts.rolled import earlier, rolled, unfinished
from kubectl_berth.engines.rules.facts.runs import jobs_in_state, last_run, of_cron, schedules
from kubectl_berth.engines.rules.facts.tables import table
from kubectl_berth.engines.rules.held import issuer_of, of_software, runs_in, storage_of, used_by
from kubectl_berth.engines.rules.not_so import not_so
from kubectl_berth.engines.rules.plan import describe
from kubectl_berth.engines.rules.run_now import run_now
from kubectl_berth.engines.rules.topic import Said, Topic, bullets
from kubectl_berth.question.words import FUNCTION_WORDS, kinds_of
from kubectl_berth.records import Ref, ToolResult

_JUDGED = re.compile(
    r"\b(?:why|wrong|broken?|break\w*|fail\w*|crash\w*|stuck|errors?|problems?|issues?|trouble|happen\w*|if|should|"
    r"would|could|recommend\w*|suggest\w*|enough|right|correct\w*|proper\w*|ok|okay|fine|good|bad|sane|healthy|"
    r"unhealthy|too|rais\w+|increas\w+|lower\w*|reduc\w+|chang\w+|hit\w*|exceed\w*|reach\w*|close|near\w*|kill\w*|"
    r"oom\w*|throttl\w*|block\w*|prevent\w*|caus\w*|reason|slow\w*|cannot|can'?t|won'?t|drain\w*|need\w*|safe\w*|"
    r"help|fix\w*|mend|down|refus\w*|reject\w*|den(?:y|ied)|forbidden|pending|evict\w*|full|expir\w*|lost|missing|"
    r"gone|fit\w*|room|best|most|worst|wast\w*|actual\w*|usage|used|utili[sz]\w*|connect\w*|depend\w*|unreachable|"
    r"work\w*|respond\w*|not|never|no|rollback|roll back|finish\w*|complete\w*|success\w*|ready|available|serving|"
    r"logs?|events?|capacity|per (?:second|sec|minute|hour)|out of|short of|low on|how much|"
    r"another|more|less|next step\w*|do about|wait\w*|affect\w*)\b|n't\b",
    re.IGNORECASE,
)
"""Words of a question that asks for more than a fact."""
_PLAIN = re.compile(r"\b(?:readiness|not (?:set|have)|no longer)\b", re.IGNORECASE)
_ATTRIBUTES: tuple[tuple[str, Tell], ...] = (
    (r"(?:readiness|liveness|startup|health)[ -]?(?:probes?|checks?)|probes?", attributes.probes),
    (
        r"(?:(?:cpu|memory|mem|ram|resources?|(?:ephemeral[ -]|local )storage)[ -]?)?(?:limits?|requests?)",
        attributes.resources,
    ),
    (r"pdbs?|(?:pod )?disruption ?budgets?", standing.budget),
    (
        r"(?:(?:metrics?|targets?)\b[^.?!]{0,30}\b)?(?:hpas?|(?:horizontal )?(?:pod ?)?auto-?scal\w+)"
        r"(?:\b[^.?!]{0,12}\b(?:metrics?|targets?))?",
        standing.autoscaler,
    ),
    (r"qos(?: class)?|quality of service", attributes.quality),
    (r"service ?accounts?", attributes.account),
    (r"gpus?|accelerators?|tpus?|devices?|graphics? cards?", attributes.devices),
    (r"secrets?|config ?maps?", attributes.taken),
    (attributes.HOOKED, attributes.hooks),
    (r"commands?|arg(?:ument)?s|entry ?points?", attributes.command),
    (r"env(?:ironment)?(?: ?var(?:iable)?s?)?|environment", attributes.env),
    (r"node ?selectors?|tolerations?|(?:anti-?)?affinity|topology spread", attributes.placement),
    (r"(?:update |rollout |deployment |rolling )?strategy", attributes.strategy),
    (r"init ?containers?|sidecars?|containers?", attributes.containers),
    (r"labels?", attributes.labels),
    (r"volumes?|pvcs?|(?:volume |storage )?claims?|mounts?", attributes.volumes),
    (r"ports?", attributes.ports),
    (r"replicas?|pods?|instances?|copies", standing.replicas),
    (r"nodes?|machines?|hosts?", standing.where),
    (
        r"exposed?|ingress(?:es)?|(?:an?|any) services?|services? (?:for|in front|select\w*|lead\w*|expos\w*|point\w*)",
        standing.services,
    ),
)
"""Word for what is asked, and what tells it; the first that is said counts."""

_QUESTIONS: tuple[tuple[str, Tell], ...] = (
    (
        r"\b(?:who|what)\b[^.?!]{0,12}\b(?:owns?|owner|created?|makes?|manages?|controls?)\b|\bbelongs? to\b|\bwhose\b",
        standing.owner,
    ),
    (r"\bowner\b", standing.owner),
    (r"\bwhere (?:is|are|does|do)\b|\b(?:which|what) (?:nodes?|machines?|hosts?)\b", standing.where),
    (r"\b(?:which|what) namespaces?\b", standing.space),
    (
        r"\bwhen (?:was|were|did|has|have)\b[^.?!]{0,40}\b(?:deploy\w*|roll\w*|releas\w*|updat\w*|creat\w*|start\w*|"
        r"made|shipped|installed|come|came)\b|\buptime\b|"
        r"\bhow (?:old|long)\b[^.?!]{0,30}\b(?:thing|run\w*|exist\w*|up|old)\b|"
        r"\b(?:age|creation (?:time|date)) of\b|\bhow old\b|\blast (?:deployed|rolled out|released|updated)\b",
        standing.made,
    ),
    (r"\b(?:images?|versions?)\b[^.?!]{0,20}\b(?:new|recent|fresh)\b", standing.made),
)
"""Whole questions about an object, and what tells the answer."""
_WHOLE: tuple[Callable[[Case], Answer | None], ...] = (
    by_label,
    dated,
    ended_pods,
    bounds,
    runs_in,
    storage_of,
    issuer_of,
    used_by,
    of_software,
    not_so,
    expiries,
    held_ports,
    node_list,
    loads,
    past_bounds,
    consumers,
    table,
    jobs_in_state,
    run_now,
    of_cron,
    last_run,
    schedules,
    rolled,
    earlier,
    differences,
    placed,
    wanted_version,
    managed,
    holders,
    rights,
    reaching,
    events_shown,
)
"""Whole questions, each told by what is said in it; the first that answers counts."""


def fact(case: Case) -> Answer | None:
    """The answer to a question for a fact; None for any other."""
    said = case.understanding
    if case.blind or unfinished(case):
        return None
    whole = next((answer for ask in _WHOLE if (answer := ask(case)) is not None), None)
    if whole is not None or case.lost or case.instead or (said.unknown_namespaces and not said.namespaces):
        return whole
    return lookup(case) or lacking(case) or _attribute(case) or counted(case)


def _attribute(case: Case) -> Answer | None:
    main = case.main
    text = bare(case)
    main = _workload_of(case, main) if main is not None else None
    if main is None or _JUDGED.search(_PLAIN.sub("", text)):
        return None
    for ref in dict.fromkeys((*_said_kind(case, main), main)):
        table = OF_KIND.get(ref.kind, ())
        if ref.kind in OF_KIND and (told := _told(table, case, ref, text)) is not None:
            return told
    if main.kind in OF_KIND and main.kind != "CronJob":
        return None
    for table in (_QUESTIONS, _ATTRIBUTES):
        answers = [answer for ref in bearers(case, main) if (answer := _told(table, case, ref, text)) is not None]
        if answers:
            return together(answers)
    return None


def _told(table: Sequence[tuple[str, Tell]], case: Case, ref: Ref, text: str) -> Answer | None:
    """What the entries tell whose words are said; None where the sentence says anything else beside them."""
    said: dict[Tell, int] = {}
    for pattern, tell in table:
        found = re.search(rf"(?<![\w-])(?:{pattern})(?![\w-])", text, re.IGNORECASE)
        while found is not None:
            said.setdefault(tell, found.start())
            text = text[: found.start()] + " " * len(found[0]) + text[found.end() :]
            found = re.search(rf"(?<![\w-])(?:{pattern})(?![\w-])", text, re.IGNORECASE)
    left = re.findall(r"[a-z][a-z'-]*", ASKS.sub(" ", text).lower())
    asked = sorted(said, key=lambda tell: said[tell])
    if (
        not asked
        or re.search(r"\d|\bbut\b", text)
        or any(not (word in FUNCTION_WORDS or word in NEUTRAL or kinds_of(word)) for word in left)
    ):
        return None
    answers = [answer for tell in asked if (answer := tell(case, ref)) is not None]
    if not answers:
        return None
    head, lines = answers[0]
    return head, [*lines, *(line for more, rows in answers[1:] for line in (more, *rows))]


def _workload_of(case: Case, main: Ref) -> Ref:
    """The workload of that name where an operator's object bears it too: what is set is set there."""
    if not isinstance(case.inventory.find(main), CustomResource) or set(case.understanding.kinds) & {main.kind}:
        return main
    same = (one.ref for one in case.inventory.workloads if (one.namespace, one.name) == (main.namespace, main.name))
    return next(same, main)


def _said_kind(case: Case, main: Ref) -> list[Ref]:
    """Objects of the same name and of a kind that was said: "which port has service web" beside a Deployment web."""
    kinds = set(case.understanding.kinds) - {main.kind}
    return [
        Ref(kind, main.namespace, main.name)
        for kind in OF_KIND
        if kind in kinds and case.inventory.find(Ref(kind, main.namespace, main.name))
    ]


def fact_calls(case: Case) -> list[ToolCall]:
    """The object, or what the list is of."""
    main = case.main
    if main is not None:
        return [describe(main, case.understanding.apis.get(main))]
    spaces = case.understanding.namespaces
    return [ToolCall("list_pods", {"namespace": spaces[0]} if len(spaces) == 1 else {})]


def say_fact(case: Case, results: Sequence[ToolResult]) -> Said | None:
    """The fact, and the lines that belong to it."""
    found = fact(case)
    if found is None:
        return None
    return Said(found[0], [lines] if (lines := bullets("", found[1]).strip()) else [], alone=True)


FACTS = Topic(fact_calls, say_fact)
