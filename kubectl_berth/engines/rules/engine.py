"""The rules engine: answers from the tools and the checks alone. No model, no cost, no network but the cluster's."""

from __future__ import annotations

import threading
from collections.abc import Collection, Generator, Iterator, Sequence
from dataclasses import replace

from kubectl_berth.diagnosis.inventory import Inventory
from kubectl_berth.diagnosis.place import unproven
from kubectl_berth.engines.engine import Conversation, Toolbox, ToolCall
from kubectl_berth.engines.rules.alike import alike
from kubectl_berth.engines.rules.answer import STEPS, enriched, write
from kubectl_berth.engines.rules.case import Case, extend, make_case
from kubectl_berth.engines.rules.complaint import STATES, complained, told_by_log
from kubectl_berth.engines.rules.failover import failover
from kubectl_berth.engines.rules.logs.operator_log import lines_about, operator_wanted, tends
from kubectl_berth.engines.rules.logs.reading import Telling, read_log, start_time, waiting_for
from kubectl_berth.engines.rules.logs.shown import shown
from kubectl_berth.engines.rules.logs.targets import Target, target_of
from kubectl_berth.engines.rules.logs.waits import waited_for
from kubectl_berth.engines.rules.logs.wanted import HANGS, LogWanted, logs_wanted
from kubectl_berth.engines.rules.material import LogSeen, Material
from kubectl_berth.engines.rules.opening import Opening, opening
from kubectl_berth.engines.rules.orders import addresses_an_assistant
from kubectl_berth.engines.rules.past import past_calls, past_words
from kubectl_berth.engines.rules.plan import first_calls, log_calls
from kubectl_berth.engines.rules.release import release
from kubectl_berth.engines.rules.secret import secret_answer
from kubectl_berth.engines.rules.serving import operator_of, rolling, serving
from kubectl_berth.engines.rules.suspicion import not_memory, suspected
from kubectl_berth.engines.rules.topic import Said
from kubectl_berth.engines.rules.topics import topic_of
from kubectl_berth.engines.rules.words import (
    asks_whether_alike,
    counted,
    operator_sentence,
    preface,
    premise_lines,
)
from kubectl_berth.question.understand import Understanding, understand
from kubectl_berth.records import (
    Action,
    Event,
    Finding,
    Finished,
    Gap,
    GapFound,
    Ref,
    Text,
    ToolCalled,
    ToolResult,
    ToolReturned,
    Usage,
)
from kubectl_berth.safety.gate import CLOSING, OPENING, clean
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.toolbox import Toolbox as RunToolbox

WITHHELD = "withheld; AI_ALLOW_RAW_DIAGNOSTICS=true or --allow-raw-diagnostics lets it be read"
MOST_CALLS = 5
"""Tool calls after which no further log is looked for."""
TAIL = 40
"""Lines of a log that are kept as they are."""
LEAD = 400
"""Characters of an earlier answer that are looked at for its subject."""


class Rules:
    """An engine that makes no model call; the cap has no effect on it."""

    name = "rules"
    model: str | None = None
    host = ""
    usage = Usage()
    calls: Sequence[Usage] = ()

    def __init__(self) -> None:
        self._stopped = threading.Event()

    def run(self, conversation: Conversation, toolbox: Toolbox, cap: int) -> Iterator[Event]:
        """Events of one run: tool calls, then the answer. Read failures become gaps of the answer."""
        if not isinstance(toolbox, RunToolbox):
            raise TypeError("the rules engine needs the toolbox of a run")
        context = toolbox.context
        question = read_question(conversation, context)
        case = make_case(question, context.inventory(), context.findings())
        if question.intent == "secret":
            yield from _finish(
                secret_answer(
                    question, context.inventory(), () if case.wide and not question.namespaces else case.causes
                )
            )
            return
        offered = {definition["name"] for definition in toolbox.definitions()}
        said = yield from self._topic(toolbox, case, offered)
        if said is not None:
            material = replace(_material(case, [], toolbox), said=said)
            yield from _untold(toolbox, case)
            yield from _finish(write(material), said.findings, tuple(material.actions))
            return
        lean = [call for call in past_calls(case) if call.name in offered]
        yield from self._call(toolbox, [*first_calls(case, offered)[: 3 - len(lean)], *lean])
        wanted = logs_wanted(case, curious=_curious(case) or tends(case)) or operator_wanted(case)
        logs = yield from self._read(toolbox, case, wanted, offered)
        if (told := told_by_log(case, logs)) is not None:
            case.findings = [told, *case.findings]
        if _follow(case, logs) and len(toolbox.trace) < MOST_CALLS:
            beside = {log.wanted.pod for log in logs}
            deeper = logs_wanted(case, curious=False, beside=beside)[:1]
            logs += yield from self._read(toolbox, case, deeper, offered)
        if self._stopped.is_set():
            return
        material = _material(case, logs, toolbox)
        material.past = past_words(case, context, logs, material.orders)
        if conversation.earlier and STEPS.search(conversation.question) and not case.blind:
            material.steps, material.opening = True, None
        yield from _untold(toolbox, case)
        yield from _finish(write(material), enriched(material), tuple(material.actions))

    def cancel(self) -> None:
        """From another thread: no further tool is called."""
        self._stopped.set()

    def _topic(self, toolbox: RunToolbox, case: Case, offered: Collection[str]) -> Generator[Event, None, Said | None]:
        """The answer of the question's topic; None where it is one about faults."""
        topic = topic_of(case)
        calls = [call for call in topic.calls(case) if call.name in offered] if topic is not None else []
        if topic is None or not calls:
            return None
        results = yield from self._call(toolbox, calls)
        return None if self._stopped.is_set() else topic.say(case, results)

    def _read(
        self, toolbox: RunToolbox, case: Case, wanted: Sequence[LogWanted], offered: Collection[str]
    ) -> Generator[Event, None, list[LogSeen]]:
        results = yield from self._call(toolbox, log_calls(wanted, offered))
        return [_seen(log, result, case) for log, result in zip(wanted, results, strict=False)]

    def _call(self, toolbox: RunToolbox, calls: Sequence[ToolCall]) -> Generator[Event, None, list[ToolResult]]:
        if not calls or self._stopped.is_set():
            return []
        before = len(toolbox.trace)
        for number, call in enumerate(calls, before + 1):
            yield ToolCalled(number, 0, call.name, call.arguments)
        results = toolbox.call_all(calls, 0, None)
        for result in results:
            yield ToolReturned(toolbox.entry(result.number), result)
        return results


def make_rules() -> Rules:
    """The rules engine."""
    return Rules()


def read_question(conversation: Conversation, context: Context) -> Understanding:
    """What the question means; one that names nothing takes its subject from the turns before it."""
    found = _understood(conversation.question, context)
    if found.subjects and asks_whether_alike(found.text):
        return _with_the_one_before(found, conversation, context)
    if found.subjects or found.elsewhere or found.missing or found.namespaces or not conversation.earlier:
        return found
    for turn in reversed(conversation.earlier):
        before = _understood(turn.question, context)
        if not (before.subjects or before.elsewhere):
            # "and the second one?": what the answer spoke of first
            before = _understood(turn.answer[:LEAD], context)
        if before.subjects or before.elsewhere:
            return replace(
                found,
                subjects=before.subjects,
                elsewhere=before.elsewhere,
                namespaces=before.namespaces,
                apis=before.apis,
            )
    return found


def _with_the_one_before(found: Understanding, conversation: Conversation, context: Context) -> Understanding:
    """ "Down for the same reason?": what the last turn was about is the other side of the comparison."""
    for turn in reversed(conversation.earlier):
        before = _understood(turn.question, context).subjects
        if before:
            return replace(found, subjects=tuple(dict.fromkeys((*found.subjects, *before))))
    return found


def _understood(text: str, context: Context) -> Understanding:
    return understand(text, context.cluster, namespace=context.namespace, narrowed=context.narrowed)


def _curious(case: Case) -> bool:
    """True where a healthy pod's log may still tell: the question is about errors or logs, and nothing was found."""
    claims = {premise.claim for premise in case.understanding.premises} - {"healthy", "rollout", "node"}
    said = case.understanding
    asked = "logs" in said.intents
    complains = said.yes_no is None and said.intents == ("diagnose",) and complained(case)
    about = bool(case.subjects) or (complains and bool(said.namespaces) and not STATES & claims)
    return about and (asked or ((bool(claims) or complains) and not case.causes and not case.symptoms))


def _follow(case: Case, logs: Sequence[LogSeen]) -> bool:
    """Follows what the logs could not reach to what is wrong there; True where something was found."""
    found = False
    faulty = {one.subject for one in case.others if one.severity != "info"}
    for log in logs:
        for target in log.targets:
            if target.ref is not None and (target.down or target.ref in faulty):
                found = extend(case, log.wanted.pod, target.ref) or found
    return found


def _seen(wanted: LogWanted, result: ToolResult, case: Case) -> LogSeen:
    inventory = case.inventory
    pod = inventory.pod(wanted.pod.namespace, wanted.pod.name)
    workload = inventory.workload(pod) if pod is not None else wanted.pod
    if result.fate in ("error", "refused", "withheld", "repeated"):
        return LogSeen(wanted, workload, failure=_failure(result))
    # an empty log is answered with the container's other one: the head line says which it is
    wanted = replace(wanted, previous="previous instance" in result.text.partition("---")[0])
    lines = log_body(result.text)
    lines = lines_about(lines, wanted.about) if wanted.about is not None else lines
    reading = read_log(lines)
    waits = waiting_for(lines) if wanted.why in ("still initialising", "not ready", HANGS) else None
    named = dict.fromkeys(t for one in (*reading.lines, *([waits] if waits else [])) for t in one.targets)
    found = [target for host in named if (target := target_of(host, wanted.pod.namespace, inventory))]
    # a peer of the same workload suffers with it
    targets = [replace(one, down=one.down and not _peer(one, workload, inventory)) for one in found]
    known = {target.ref or target.words: target for target in (*_waited(wanted, waits, lines, case), *targets)}
    return LogSeen(wanted, workload, reading, waits, tuple(known.values()), slow=start_time(lines), tail=lines[-TAIL:])


def _peer(target: Target, workload: Ref, inventory: Inventory) -> bool:
    """True where a target is the workload itself or a pod of it."""
    pod = inventory.pod(target.ref.namespace, target.ref.name) if target.ref and target.ref.kind == "Pod" else None
    return target.ref == workload or (pod is not None and inventory.workload(pod) == workload)


def _waited(wanted: LogWanted, waits: Telling | None, lines: Sequence[str], case: Case) -> list[Target]:
    """What an init container, or one whose log says that it waits, names as what it waits for."""
    pod = case.inventory.pod(wanted.pod.namespace, wanted.pod.name)
    container = pod.container(wanted.container) if pod is not None else None
    if pod is None or container is None:
        return []
    first = any(one.name == wanted.container for one in pod.spec.init_containers)
    return waited_for(pod, container, lines, case.inventory) if first or waits is not None else []


def _failure(result: ToolResult) -> str:
    """Why a log could not be read, without the advice that the tool gives a model."""
    if result.fate == "withheld":
        return WITHHELD
    gap = next(iter(result.gaps), None)
    return gap.why if gap is not None else (result.error or result.fate).partition(". ")[0]


def log_body(text: str) -> list[str]:
    """The log's own lines in what get_logs gave back: what follows its "---", inside the frame."""
    inside = text.partition(f"{OPENING}\n")[2].rpartition(f"\n{CLOSING}")[0] if OPENING in text else text
    lines = inside.splitlines()
    return lines[lines.index("---") + 1 :] if "---" in lines else []


def still_working(case: Case) -> list[str]:
    """What still serves beside a fault; a Service that is itself at fault does not."""
    if case.healthy:
        return []
    faulty = {str(one.subject) for one in (*case.causes, *case.symptoms) if one.subject.kind == "Service"}
    told = serving(case.inventory, case.subjects)
    return [line for line in told if line.partition(" has ")[0] not in faulty]


def _material(case: Case, logs: list[LogSeen], toolbox: RunToolbox) -> Material:
    main = case.main
    api = case.understanding.apis.get(main) if main is not None else None
    operator = operator_of(api, case.inventory) if api else None
    failed = _failed(toolbox)
    missing = unproven(case.inventory, toolbox.context.scope)
    quoted_lines = [one for log in logs for one in log.reading.lines]
    gaps = dict.fromkeys([*missing, *case.inventory.gaps, *case.understanding.gaps, *toolbox.gaps])
    material = Material(
        case,
        logs,
        still_working(case),
        [*([case.reach.gap] if case.reach is not None else []), *_without_logs(gaps), *failed],
        operator_sentence(api, main, operator) if api and main is not None else "",
        counted(case.inventory),
        preface(case),
        [line for line in (not_memory(case, logs), *premise_lines(case, quoted_lines)) if line],
        rolling(case.inventory, case.subjects) if case.causes or case.symptoms else (),
    )
    judged = "" if case.lost or case.blind else release(case) or alike(case, logs)
    version = toolbox.context.cluster.name().version
    cause = "" if judged or case.lost or case.blind else suspected(case, logs)
    if cause:
        # the yes or no is to the cause, not to whether it is well
        case.understanding = replace(case.understanding, yes_no=None)
    material.opening = (
        Opening(judged or cause, joined=not judged)
        if judged or cause
        else shown(case, logs) or failover(case) or opening(case, version)
    )
    for source, text in _free_text(case):
        if addresses_an_assistant(text):
            material.orders.add(source)
    return material


def _failed(toolbox: RunToolbox) -> list[Gap]:
    """A gap for each call that failed, but for those of logs, which are told with the command that reads them."""
    return [
        Gap(f"{entry.tool} {entry.arguments.get('name') or ''}".strip(), entry.fate, entry.error or "")
        for entry in toolbox.trace
        if entry.fate == "error" and entry.tool != "get_logs"
    ]


def _untold(toolbox: RunToolbox, case: Case) -> Iterator[Event]:
    """The failed calls whose tool gave no gap of its own, and what lies beyond the namespace read."""
    for gap in (*_failed(toolbox), *([case.reach.gap] if case.reach is not None else [])):
        yield GapFound(gap)


def _without_logs(gaps: dict[Gap, None]) -> list[Gap]:
    """Gaps but those of logs, which are told with the command that reads them."""
    return [gap for gap in gaps if not gap.what.startswith(("pods/log", "get_logs", "log "))]


def _free_text(case: Case) -> Iterator[tuple[str, str]]:
    """Names, annotations and recent events around the subjects: where orders hide beside the evidence."""
    inventory = case.inventory
    for ref in sorted(case.family):
        view = inventory.find(ref)
        if view is None:
            continue
        spaced = view.name.replace("-", " ")
        yield f"the name of {ref}", spaced
        for what, texts in (("annotation", view.metadata.annotations), ("label", view.metadata.labels)):
            for key, value in texts.items():
                if not key.startswith("kubectl.kubernetes.io/"):
                    yield f"the {what} {key} of {ref}", f"{value} {value.replace('-', ' ')}"
        for event in inventory.events_of(view, None):
            yield f"an event about {ref}", event.message


def _finish(answer: str, findings: tuple[Finding, ...] = (), actions: tuple[Action, ...] = ()) -> Iterator[Event]:
    # the toolbox cleaned what it returned; findings are quoted from objects directly
    text = clean(answer)
    yield Text(text)
    yield Finished("end", text, Usage(), findings=findings, actions=actions)
