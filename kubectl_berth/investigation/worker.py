"""The part of a run that may block: it opens the cluster, writes the brief, and lets the engine think.

It runs on a thread of its own and leaves everything in the Run, which the main thread reads also when the worker never
comes back.
"""

from __future__ import annotations

import json
import queue
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kubectl_berth.cluster.cluster import Cluster
from kubectl_berth.cluster.scope import scope_of
from kubectl_berth.diagnosis.place import require_namespace, unproven
from kubectl_berth.engines.engine import Conversation, Engine, Turn
from kubectl_berth.environment import Environment
from kubectl_berth.errors import BerthError, ClusterUnreachable, ReadError
from kubectl_berth.investigation import consent
from kubectl_berth.investigation.admission import Hold
from kubectl_berth.investigation.brief import brief, concerned
from kubectl_berth.investigation.consent import Wish
from kubectl_berth.investigation.prompt import SYSTEM_PROMPT
from kubectl_berth.knowledge.incidents import cluster_key
from kubectl_berth.knowledge.shelf import Shelf
from kubectl_berth.question.understand import understand
from kubectl_berth.records import ClusterName, Event, Finding, Finished, Gap, GapFound, ModelCallStarting, Sent
from kubectl_berth.safety.gate import shown
from kubectl_berth.safety.own_keys import own_keys, without_own_keys
from kubectl_berth.settings import Settings
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.toolbox import Toolbox


@dataclass(frozen=True)
class Question:
    """What is asked. `namespace` is -n's, `earlier` the turns before.

    `go_on` finds more of them once the cluster is known, by its key; it may raise UsageError.
    """

    text: str
    namespace: str | None = None
    earlier: Sequence[Turn] = ()
    go_on: Callable[[str], Sequence[Turn]] | None = None


@dataclass(frozen=True)
class Job:
    """What the worker goes by.

    `asks` where the person can be asked about raw diagnostics, `held` where each model call has to be admitted, `keyed`
    where the cluster's key is wanted.
    """

    question: Question
    open_cluster: Callable[[], Cluster]
    engine: Engine
    settings: Settings
    environment: Environment
    shelf: Shelf
    asks: bool
    held: bool
    keyed: bool


@dataclass
class Run:
    """What the worker got to. `told` is the brief, `key` tells the cluster from every other.

    `found` is what berth's own checks say about what was asked.
    """

    events: queue.SimpleQueue[Event | Wish | Hold | None] = field(default_factory=queue.SimpleQueue)
    stop: BerthError | None = None
    cluster: Cluster | None = None
    name: ClusterName | None = None
    key: str = ""
    toolbox: Toolbox | None = None
    earlier: tuple[Turn, ...] = ()
    told: str = ""
    gaps: tuple[Gap, ...] = ()
    found: tuple[Finding, ...] = ()
    finished: Finished | None = None
    failure: BaseException | None = None

    def halt(self, error: BerthError) -> None:
        """From anywhere, signal handlers too: the run ends with this error."""
        self.stop = self.stop or error
        self.events.put(None)

    def stopped(self) -> bool:
        """True where nobody waits for the worker any more."""
        return self.stop is not None


def work(run: Run, job: Job) -> None:
    """The whole of it. Leaves in `run` what came of it, errors too."""
    try:
        toolbox = _toolbox(run, job)
        conversation = _conversation(run, job, toolbox)
        if job.engine.model is not None:
            run.events.put(_sent(conversation, toolbox))
        for event in job.engine.run(conversation, toolbox, job.settings.max_iterations):
            if isinstance(event, Finished):
                run.finished = event
            elif isinstance(event, GapFound):
                run.gaps += (event.gap,)
            elif isinstance(event, ModelCallStarting) and job.held:
                # the engine sends its request only when it is asked for the next event
                hold = Hold(event.estimate)
                run.events.put(hold)
                hold.wait(run.stopped)
            run.events.put(event)
    except ReadError as error:
        # what one tool cannot read is a gap; here it is what every tool needs, such as discovery
        run.failure = ClusterUnreachable(f"the cluster cannot be read: {error}")
    except BaseException as error:  # whatever it is, the main thread has to hear of it
        run.failure = error
    finally:
        run.events.put(None)


def key_of(cluster: Cluster) -> str:
    """What tells this cluster from every other; scenarios share a healthy base and go by their name."""
    name = cluster.name()
    return f"scenario:{name.name}" if name.source == "scenario" else cluster_key(cluster)


def _toolbox(run: Run, job: Job) -> Toolbox:
    run.cluster = job.open_cluster()
    run.name = run.cluster.name()
    narrowed = scope_of(run.cluster, job.question.namespace)
    context = Context(
        cluster=run.cluster,
        namespace=narrowed or run.name.namespace,
        narrowed=narrowed is not None,
        raw_allowed=consent.raw_allowed(job.settings, job.engine.host, job.environment),
        ask_raw=(lambda: _wish(run)) if job.asks else None,
        memory=job.shelf.memory(run.cluster),
        library=job.shelf.library,
        keys=own_keys(job.environment.variables),
    )
    run.toolbox = Toolbox(context)
    return run.toolbox


def _conversation(run: Run, job: Job, toolbox: Toolbox) -> Conversation:
    question, context = job.question, toolbox.context
    if job.keyed or question.go_on is not None:
        run.key = key_of(context.cluster)
    require_namespace(context.inventory(), context.scope)
    earlier = (*question.earlier, *(question.go_on(run.key) if question.go_on else ()))
    run.earlier = tuple(Turn(_cleaned(turn.question, context), _cleaned(turn.answer, context)) for turn in earlier)
    understanding = understand(question.text, context.cluster, namespace=context.namespace, narrowed=context.narrowed)
    run.told = without_own_keys(brief(understanding, context), context.keys)
    run.found = tuple(concerned(understanding, context))
    run.gaps = (*understanding.gaps, *context.inventory().gaps, *unproven(context.inventory(), context.scope))
    toolbox.remember(run.told)
    return Conversation(
        system=SYSTEM_PROMPT,
        first=f"{run.told}\n\nQuestion: {question.text}",
        question=question.text,
        earlier=run.earlier,
    )


def _cleaned(said: str, context: Context) -> str:
    """What was said before, as it may be sent: a scenario of somebody's own has been through no gate."""
    return without_own_keys(shown(said), context.keys)


def _sent(conversation: Conversation, toolbox: Toolbox) -> Sent:
    tools = "\n".join(json.dumps(each, ensure_ascii=False) for each in toolbox.definitions())
    earlier = "\n".join(f"{turn.question}\n{turn.answer}" for turn in conversation.earlier)
    parts = (("system prompt", conversation.system), ("tools", tools), ("earlier turns", earlier))
    return Sent(tuple(part for part in (*parts, ("message", conversation.first)) if part[1]))


def _wish(run: Run) -> bool:
    """On a tool's thread: asks the person through the main thread."""
    wish = Wish()
    run.events.put(wish)
    return wish.wait(run.stopped)
