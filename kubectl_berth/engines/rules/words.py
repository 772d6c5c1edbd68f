"""Sentences of the rules engine's answers that come before and beside the findings."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kubectl_berth.cluster.views import Pod, age
from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.diagnosis.place import wider
from kubectl_berth.diagnosis.say import count
from kubectl_berth.engines.rules.case import Case, referenced
from kubectl_berth.engines.rules.fit import fitting
from kubectl_berth.engines.rules.logs.reading import Telling
from kubectl_berth.engines.rules.orders import quoted
from kubectl_berth.engines.rules.serving import Operator, figure
from kubectl_berth.engines.rules.special import own_note
from kubectl_berth.question.words import FUNCTION_WORDS, says_little
from kubectl_berth.records import Ref

MOST_NAMES = 4
"""Names that are not there which are told one by one."""


def counted(inventory: Inventory) -> str:
    """What was looked at, in figures: "3 nodes (3 ready), 41 pods, …"."""
    ready = sum(
        any(c.type == "Ready" and c.status == "True" for c in node.status.conditions) for node in inventory.nodes
    )
    running = [pod for pod in inventory.pods if not pod.finished]
    over = len(inventory.pods) - len(running)
    finished = f", {over} finished" if over else ""
    parts = [
        f"{_number(len(things), label)} ({up} ready{more})"
        for label, things, up, more in (
            ("nodes", inventory.nodes, ready, ""),
            ("pods", inventory.pods, sum(pod.ready for pod in running), finished),
        )
        if things
    ]
    parts += [
        _number(len(things), label)
        for label, things in (
            ("workloads", inventory.workloads),
            ("jobs", inventory.jobs),
            ("cron jobs", inventory.cron_jobs),
            ("Services", inventory.services),
            ("volume claims", inventory.claims),
            ("custom resources", inventory.custom),
            ("events", inventory.events),
        )
        if things
    ]
    return ", ".join(parts)


def _number(number: int, plural: str) -> str:
    return f"{number} {plural.removesuffix('s') if number == 1 else plural}"


def operator_sentence(api_version: str, main: Ref, operator: Operator | None) -> str:
    """Who manages the main subject, as far as the cluster itself says."""
    group = api_version.partition("/")[0]
    head = f"**Managed by.** {main.kind} {main.name} is of API group `{group}`"
    if operator is None:
        return f"{head}; no workload was found that bears the group's name, so its operator is not known from here."
    called = f"{operator.called} (operator " if operator.called else "(operator "
    state = "running" if operator.up else "**not running: the status above may be stale**"
    return f"{head} and managed by {called}{operator.ref}, {state})."


_ALIKE = re.compile(
    r"\b(?:same|common|one|shared|single)\s+(?:root\s+)?(?:reasons?|causes?|problems?|faults?|issues?|thing|error)\b|"
    r"\b(?:related|connected|linked|unrelated)\b[^.?!]*\?|\bsame\b[^.?!]{0,12}\?|\bthe same as\b",
    re.IGNORECASE,
)


def asks_whether_alike(text: str) -> bool:
    """True where the question is whether two faults are one."""
    return bool(_ALIKE.search(text))


def not_found(case: Case) -> str:
    """That what was named exists nowhere, with the nearest names."""
    said = case.understanding
    if not said.missing:
        gone = ", ".join(said.unknown_namespaces)
        return f"There is no namespace {gone} that can be seen, so nothing was checked in it."
    names = _names(said.missing)
    place = f" in namespace {', '.join(said.namespaces)}" if said.namespaces else " in this cluster"
    nearest = ", ".join(str(ref) for ref in said.near[:4])
    hint = f" The nearest names are {nearest}." if nearest else " No name comes near it."
    own = case.inventory.namespace
    hint += f" Only namespace {own} was read: {wider(case.inventory)}." if own and not case.reach else ""
    return f"Nothing that can be read is called {names}{place}.{hint}"


def _names(missing: Sequence[str]) -> str:
    """The first few names, and how many more."""
    more = f" or {len(missing) - MOST_NAMES} others" if len(missing) > MOST_NAMES else ""
    return ", ".join(quoted(name, 80) for name in missing[:MOST_NAMES]) + more


_TALK = re.compile(
    r"^\W*(?:(?:hi|hello|hey|please|pls|ok|so|and|well|thanks?|thank you)\b[\s,!.]*)*(?:what(?:'s)?|who|when|where|"
    r"which|how|tell|write|sing|say|give|explain|make|are you|(?:do|can|could|would|will) you|is it|$)",
    re.IGNORECASE,
)
"""How a question begins that is no complaint."""


def complains(text: str) -> bool:
    """True where the sentence tells of something that goes wrong, whatever its words are."""
    return bool(BAD_NEWS.search(text)) or not _TALK.match(text)


def names_nothing(case: Case) -> bool:
    """True where no word of the question means anything in this cluster, nor speaks of clusters at all."""
    said = case.understanding
    known = {*said.namespaces, *said.unknown_namespaces}
    words = re.findall(r"[a-z]+", said.text.lower().replace("'s", ""))
    trade = any(says_little(word) and word not in FUNCTION_WORDS and len(word) > 2 for word in words)
    if case.subjects or trade or said.premises or said.kinds or said.concepts or said.namespaces:
        return False
    if set(said.intents) - {"diagnose"} or (said.yes_no is not None and not re.search(r"\byou\b", said.text, re.I)):
        return False
    return any(word not in known for word in said.unrecognised)


def spoken_of(word: str, text: str) -> bool:
    """True where the sentence speaks of the word as of a thing that runs: "why is checkout ..."."""
    if word.endswith("ing"):
        return False
    of = r"(?:^\W*|\b(?:why|how)\s+)(?:is|are|was|were|does|do|did|has|can(?:no|')?t)\s+(?:the\s+|my\s+|our\s+)?"
    return bool(re.search(of + re.escape(word) + r"\b", text, re.IGNORECASE))


def strange_name(case: Case) -> str | None:
    """The first word that the question speaks of as of a thing that runs, and that nothing bears; None without one."""
    said = case.understanding
    known = {*said.namespaces, *said.unknown_namespaces}
    if case.subjects:
        return None
    return next((word for word in said.unrecognised if word not in known and spoken_of(word, said.text)), None)


def preface(case: Case) -> list[str]:
    """What the question named that is not there, is elsewhere, or is there several times."""
    said = case.understanding
    lines = [f"{thing}, which the question mentions, looks healthy." for thing in case.passing[:2]]
    strange = strange_name(case)
    unsure = said.doubtful or ((strange,) if strange and fitting(said.text, case.causes) else ())
    if unsure and not (case.subjects or said.absent or said.missing):
        now = "" if case.healthy else "; this is what is wrong now"
        lines.append(f"Nothing that can be read is called {_names(unsure)}{now}.")
    if names_nothing(case) and complains(said.text) and not fitting(said.text, case.findings):
        now = "this is what is wrong now" if case.causes else "what was checked is the whole cluster"
        lines.append(f"No word of the question names anything here: {now}.")
    places = ", ".join(said.namespaces)
    misplaced = bool(said.elsewhere and said.unknown_namespaces)  # the opening says so
    for space in said.unknown_namespaces if not (case.lost or misplaced) else ():
        lines.append(f"There is no namespace {space} that can be seen.")
    if said.elsewhere and not misplaced:
        names = ", ".join(dict.fromkeys(ref.name for ref in said.elsewhere))
        found = ", ".join(dict.fromkeys(ref.namespace for ref in said.elsewhere))
        lines.append(
            f"**There is no {names} in namespace {places}. It exists in {found}: this answer is about that one.**"
        )
    missing = []
    for name in said.missing if case.subjects and not case.instead else ():
        if any(name in referenced(pod) for ref in case.subjects for pod in case.inventory.pods_of(ref)):
            users = ", ".join(str(ref) for ref in case.subjects[:4])
            lines.append(
                f"{quoted(name, 80)} is a Secret or ConfigMap that {users} uses. berth never reads those: whether it "
                "is there is judged from events and from the states of the pods."
            )
        else:
            missing.append(name)
    if missing:
        nearest = ", ".join(str(ref) for ref in said.near[:4])
        hint = f" The nearest names are {nearest}." if nearest else ""
        taken = " This answer takes the nearest for meant." if said.likely and case.subjects == said.likely else ""
        where = f" in namespace {places}" if places else ""
        lines.append(f"Nothing that can be read is called {_names(missing)}{where}.{hint}{taken}")
    lines.extend(_several(case))
    return lines


def _several(case: Case) -> list[str]:
    main = case.main
    if main is None:
        return []
    same = [ref for ref in case.subjects if ref.name == main.name and ref.kind == main.kind]
    if len(same) < 2:
        return []
    states = ", ".join(f"{ref}" + (f" ({known})" if (known := figure(case.inventory, ref)) else "") for ref in same)
    return [f"{len(same)} objects go by this name: {states}."]


_HARM = ("failing", "crash", "down", "pending", "memory", "image", "scaling", "certificate", "storage")


BAD_NEWS = re.compile(
    r"\b(?:fail\w*|broken?|breaks?|stuck|wrong|not|no|never|cannot|[a-z]+n't|expired?|pending|errors?|"
    r"problems?|issues?|hang\w*|lost|missing|bad|slow|full|why|nothing|nobody|empty|stale|strange|odd|weird|wrong|"
    r"(?:ca|wo|do|does|did|is|are)nt|[45]xx|[45]\d\ds|"
    r"(?:giv(?:es?|ing)|gave|return\w*|throw\w*|answer\w*|respond\w*|says?|gets?|sends?|http|status|code|with|many|all)"
    r" (?:an? |us |me |back |only |http |status |code )*[45]\d\d(?:'s|er)?)\b",
    re.IGNORECASE,
)


_THING = re.compile(
    r"images?|tags?|registry|storage|disks?|volumes?|pvcs?|certificates?|certs?|tls|hpa|autoscalers?|memory|ram",
    re.IGNORECASE,
)
"""Names a thing, and no symptom of it."""
_KILLED = re.compile(r"oom|out of|leak", re.IGNORECASE)
"""Says that memory ran out, not only that there is such a thing."""


def premise_lines(case: Case, told: Sequence[Telling] = ()) -> list[str]:
    """Where what the question takes for granted is not what was found. `told` are the lines of logs that are quoted."""
    faults = [*case.causes, *case.symptoms]
    premises = [one for one in case.understanding.premises if not one.negated]
    lines: list[str] = []
    lines.extend(_old_events(case))
    harmed = BAD_NEWS.search(case.understanding.text) is not None
    premises = [one for one in premises if one.claim != "memory" or harmed or _KILLED.search(one.words)]
    premises = [one for one in premises if not _THING.fullmatch(one.words)]
    taken = next((p for p in premises if not p.asked and (p.claim in _HARM[:5] or (harmed and p.claim in _HARM))), None)
    place = case.subjects or (case.understanding.namespaces and taken is not None and taken.claim == "crash")
    borne_out = taken is not None and any(one.severe or taken.words.lower() in one.line.lower() for one in told)
    if taken is not None and not faults and not own_note(case) and place and not borne_out:
        lines.append(
            f"Nothing like the {quoted(taken.words, 40)} that the question takes for granted is seen now{_calm(case)}."
        )
    return lines


def _old_events(case: Case) -> list[str]:
    """Reason codes in the question whose events are about something else, or about what is over."""
    inventory = case.inventory
    told = []
    spaces = set(case.understanding.namespaces)
    hit = {ref for one in (*case.causes, *case.symptoms) for ref in (one.subject, *one.effects)}
    for word in dict.fromkeys(re.findall(r"\b[A-Z][a-z]+(?:[A-Z][a-zA-Z]*)+\b", case.understanding.text)):
        events = [
            event
            for event in inventory.events
            if event.reason == word and (not spaces or event.about_ref.namespace in spaces)
        ]
        if not events or any(event.about_ref in hit and inventory.recent(event) for event in events):
            continue
        newest = max(events, key=lambda event: event.last_seen or inventory.now)
        about = newest.about_ref
        passed = age(inventory.now, newest.last_seen)
        if not inventory.recent(newest):
            told.append(f"The {word} events are old: the last one is {passed} old and about {about}. They do not "
                        "speak of today.")  # fmt: skip
        elif state := _over(about, inventory):
            told.append(f"The {word} events are not the cause: the last one, {passed} ago, is about {about}, which "
                        f"{state}.")  # fmt: skip
    return told


def _over(ref: Ref, inventory: Inventory) -> str:
    """Why events about an object are over: "has finished", "is ready now"; "" where they are not."""
    view = inventory.find(ref)
    if view is None:
        return "is not there any more"
    if not isinstance(view, Pod):
        return ""
    return "has finished" if view.finished else "is ready now" if view.ready else ""


def _calm(case: Case) -> str:
    """Restarts of the pods asked about, where there are pods."""
    spaces = () if case.subjects else case.understanding.namespaces
    meant = [pod for ref in case.subjects for pod in case.inventory.pods_of(ref)]
    meant += [pod for pod in case.inventory.pods if pod.namespace in spaces]
    pods = {pod.ref: pod for pod in meant if not pod.finished}
    if not pods:
        return ""
    restarts = sum(status.restart_count for pod in pods.values() for status in pod.status.container_statuses)
    ends = [
        one
        for pod in pods.values()
        for status in pod.status.container_statuses
        if (one := status.last_state.terminated) is not None and one.finished_at
    ]
    last = max(ends, key=lambda one: one.finished_at or "", default=None)
    ago = f", the last {age(case.inventory.now, last.finished_at)} ago ({last.reason})" if last is not None else ""
    ready = sum(pod.ready for pod in pods.values())
    return f": {ready} of {len(pods)} pods ready, {count(restarts, 'restart')} in all{ago}"
