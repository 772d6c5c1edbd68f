"""One proposed kubectl command: taken apart, held against an allow-list and the cluster, put together anew.

A command that a model writes may carry anything: another server, a token, a shell. So nothing of its text is kept.
What is shown is built from a verb of the list, an object that this run has read, and values of known shape.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from kubectl_berth.cluster.cluster import Kind
from kubectl_berth.cluster.names import kind_names
from kubectl_berth.cluster.quantities import quantity
from kubectl_berth.errors import ReadError
from kubectl_berth.records import Action, Object, Ref
from kubectl_berth.safety.refuse import refused_kind, refused_word
from kubectl_berth.tools.context import Context
from kubectl_berth.tools.fields import dig, mapping, mappings, text
from kubectl_berth.tools.target import find
from kubectl_berth.tools.tool import ToolError

MOST_REPLICAS = 1000


class NotOurs(Exception):
    """The step is not rendered. The words say why."""


@dataclass(frozen=True)
class Command:
    """A command of berth's own making. `rehearsal` is its variant that changes nothing, "" where there is none."""

    line: str
    changes: bool = False
    rehearsal: str = ""
    remark: str = ""
    actions: tuple[Action, ...] = ()


@dataclass(frozen=True)
class _Words:
    """A command taken apart: positional words and flags by their long names."""

    words: Sequence[str]
    flags: Mapping[str, str]

    def flag(self, name: str) -> str:
        return self.flags.get(name, "")


@dataclass(frozen=True)
class _Verb:
    """A verb of the list: its flags (long name to what its value looks like, "" for one without) and its renderer."""

    render: Callable[[Context, _Words], Command]
    flags: Mapping[str, str] = field(default_factory=dict)


_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,252}"
_NUMBER = r"[0-9]{1,6}"
_SPAN = r"[0-9]{1,6}[smh]"
_AMOUNT = r"(?:cpu|memory)=[0-9][0-9.]{0,15}(?:m|k|M|G|T|Ki|Mi|Gi|Ti)?"
_AMOUNTS = rf"{_AMOUNT}(?:,{_AMOUNT})?"
_SHORT = {"-n": "--namespace", "-c": "--container", "-p": "--previous", "-o": "--output"}
_PLAIN_TOKEN = re.compile(r"[A-Za-z0-9._/:@=,+%-]+")
_TWO_WORDS = ("rollout", "set")


def read(context: Context, line: str) -> Command:
    """The command as berth shows it. Raises NotOurs where it is none of those that berth vouches for."""
    try:
        tokens = shlex.split(line)
    except ValueError:
        raise NotOurs("it cannot be read as one command") from None
    if len(tokens) < 2 or tokens[0] != "kubectl":
        raise NotOurs("it is no kubectl command")
    if odd := next((token for token in tokens if not _PLAIN_TOKEN.fullmatch(token)), None):
        raise NotOurs(f"{odd[:40]!r} is more than a plain word")
    count = 2 if tokens[1] in _TWO_WORDS else 1
    name = " ".join(tokens[1 : 1 + count])
    verb = _VERBS.get(name)
    if verb is None:
        raise NotOurs(f"berth vouches for no kubectl {name}")
    return verb.render(context, _apart(tokens[1 + count :], {"--namespace": _NAME, **verb.flags}))


def _apart(tokens: Sequence[str], allowed: Mapping[str, str]) -> _Words:
    """Positional words and flags; NotOurs for a flag that is not allowed or whose value is odd."""
    words: list[str] = []
    flags: dict[str, str] = {}
    rest = list(tokens)
    while rest:
        token = rest.pop(0)
        if not token.startswith("-"):
            words.append(token)
            continue
        name, equals, value = token.partition("=")
        name = _SHORT.get(name, name)
        if name not in allowed:
            raise NotOurs(f"flag {token.partition('=')[0][:40]} is none that berth vouches for")
        shape = allowed[name]
        if shape and not equals:
            value = rest.pop(0) if rest else ""
        if name in flags or not re.fullmatch(shape or "(?:true)?", value):
            raise NotOurs(f"flag {name} is not clear")
        flags[name] = value
    return _Words(words, flags)


# --- objects --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Found:
    """An object that the run has read."""

    kind: Kind
    ref: Ref
    thing: Object

    def written(self) -> str:
        """kind/name as kubectl takes it."""
        word = self.kind.singular or self.kind.kind.lower()
        return f"{word if self.kind.builtin else f'{self.kind.plural}.{self.kind.group}'}/{self.ref.name}"


def _found(context: Context, words: Sequence[str], namespace: str, kinds: Sequence[str] = ()) -> _Found:
    """The object of `kind/name` or `kind name`; NotOurs where it is not there, was not read, or is of another kind."""
    if len(words) == 1 and "/" in words[0]:
        kind_word, _, name = words[0].partition("/")
    elif len(words) == 2:
        kind_word, name = words
    else:
        raise NotOurs("it does not name one object")
    kind = _kind(context, kind_word)
    try:
        target = find(context, kind, name, namespace or None)
    except (ToolError, ReadError) as error:
        raise NotOurs(f"{kind_word}/{name} was not found here ({_first_sentence(error)})") from None
    if target.ref.name != name:
        raise NotOurs(f"{kind_word}/{name} does not exist here")
    if kinds and kind.kind not in kinds:
        raise NotOurs(f"this verb does not go with {kind.kind}")
    if not context.was_told(name):
        raise NotOurs(f"{target.ref} was not read in this run")
    try:
        return _Found(kind, target.ref, context.cluster.get(kind, name, target.namespace))
    except ReadError as error:
        raise NotOurs(f"{target.ref} could not be read ({error.why})") from None


def _kind(context: Context, word: str) -> Kind:
    """The kind that kubectl would take the word for: a built-in one, or one that is named with its group."""
    if refused_word(word):
        raise NotOurs("berth never reads Secrets or ConfigMaps")
    kind = context.kind(word)
    if kind is None or not (kind.builtin or "." in word):
        raise NotOurs(f"{word[:60]} is no kind of this cluster by that name alone")
    if refused_kind(kind_names(kind)):
        raise NotOurs("berth never reads Secrets or ConfigMaps")
    return kind


def _first_sentence(error: Exception) -> str:
    return str(error).split(". ")[0].rstrip(".")[:120]


def _line(verb: str, found: _Found, *options: str, last: Sequence[str] = ()) -> str:
    space = ["-n", found.ref.namespace] if found.ref.namespace else []
    return " ".join(["kubectl", verb, *map(shlex.quote, (found.written(), *last, *space, *options))])


def _changing(verb: str, found: _Found, actions: Sequence[Action], *options: str, last: Sequence[str] = ()) -> Command:
    line = _line(verb, found, *options, last=last)
    rehearsal = _line(verb, found, *options, "--dry-run=server", last=last)
    return Command(line, True, rehearsal, actions=tuple(actions))


def _containers(thing: Object) -> list[Object]:
    template = mapping(thing, "spec", "jobTemplate") or thing
    return [
        each
        for part in ("containers", "initContainers")
        for each in mappings(template, "spec", "template", "spec", part)
    ]


# --- verbs that read ------------------------------------------------------------------------------------------------


def _get(context: Context, command: _Words) -> Command:
    output = [f"-o={command.flag('--output')}"] if command.flag("--output") else []
    if len(command.words) == 1 and "/" not in command.words[0]:
        kind = _kind(context, command.words[0])
        namespace = command.flag("--namespace") if kind.namespaced else ""
        space = ["-n", namespace] if namespace else ["-A"] if kind.namespaced else []
        plural = kind.plural if kind.builtin else f"{kind.plural}.{kind.group}"
        return Command(" ".join(["kubectl", "get", *map(shlex.quote, (plural, *space, *output))]))
    return Command(_line("get", _found(context, command.words, command.flag("--namespace")), *output))


def _describe(context: Context, command: _Words) -> Command:
    return Command(_line("describe", _found(context, command.words, command.flag("--namespace"))))


def _logs(context: Context, command: _Words) -> Command:
    words = command.words if any("/" in word for word in command.words) else ["pod", *command.words]
    found = _found(context, words, command.flag("--namespace"), (*_TEMPLATED, "Pod"))
    options = [f"-c={command.flag('--container')}"] if command.flag("--container") else []
    options += ["--previous"] if "--previous" in command.flags else []
    options += [f"{name}={command.flag(name)}" for name in ("--tail", "--since") if command.flag(name)]
    return Command(_line("logs", found, *options))


def _rollout_status(context: Context, command: _Words) -> Command:
    return Command(_line("rollout status", _rolled(context, command)))


def _rollout_history(context: Context, command: _Words) -> Command:
    return Command(_line("rollout history", _rolled(context, command)))


# --- verbs that change ----------------------------------------------------------------------------------------------

_ROLLED = ("Deployment", "StatefulSet", "DaemonSet")
_SCALED = ("Deployment", "StatefulSet", "ReplicaSet", "ReplicationController")
_TEMPLATED = (*_ROLLED, "ReplicaSet", "ReplicationController", "Job", "CronJob")


def _rolled(context: Context, command: _Words) -> _Found:
    return _found(context, command.words, command.flag("--namespace"), _ROLLED)


def _action(
    verb: str, ref: Ref, path: str | None = None, before: str | None = None, after: str | None = None
) -> Action:
    return Action(verb, ref.kind, ref.namespace, ref.name, path, before, after)


def _rollout_undo(context: Context, command: _Words) -> Command:
    found = _rolled(context, command)
    revision = command.flag("--to-revision")
    options = [f"--to-revision={revision}"] if revision else []
    return _changing("rollout undo", found, [_action("rollback", found.ref)], *options)


def _rollout_restart(context: Context, command: _Words) -> Command:
    found = _rolled(context, command)
    line = _line("rollout restart", found)
    # kubectl has no dry run for this one
    rehearsal = _line("rollout status", found)
    return Command(line, True, rehearsal, "a restart has no dry run", (_action("restart", found.ref),))


def _scale(context: Context, command: _Words) -> Command:
    found = _found(context, command.words, command.flag("--namespace"), _SCALED)
    wanted = command.flag("--replicas")
    if not wanted or int(wanted) > MOST_REPLICAS:
        raise NotOurs("it gives no number of replicas that berth vouches for")
    now = dig(found.thing, "spec", "replicas")
    before = str(now) if isinstance(now, int) else "1"
    action = _action("scale", found.ref, "spec.replicas", before, str(int(wanted)))
    command_made = _changing("scale", found, [action], f"--replicas={int(wanted)}")
    return command_made if int(wanted) else _with_remark(command_made, "0 replicas stop all of its pods")


def _set_image(context: Context, command: _Words) -> Command:
    objects = [word for word in command.words if "=" not in word]
    changes = [word.partition("=") for word in command.words if "=" in word]
    found = _found(context, objects, command.flag("--namespace"), _TEMPLATED)
    present = {text(each, "name"): text(each, "image") for each in _containers(found.thing)}
    seen = _images_of(context, found)
    actions = []
    for container, _, image in changes:
        if container not in present:
            raise NotOurs(f"{found.ref} has no container {container[:60]}")
        if image not in seen:
            raise NotOurs(f"image {image[:120]} was never one of {found.ref}'s")
        path = f"spec.template.spec.containers[{container}].image"
        actions.append(_action("set", found.ref, path, present[container], image))
    if not actions:
        raise NotOurs("it names no image")
    pairs = [f"{container}={image}" for container, _, image in changes]
    return _changing("set image", found, actions, last=pairs)


def _images_of(context: Context, found: _Found) -> set[str]:
    """Images that the workload's template has, or that an older revision of it had."""
    things = [found.thing]
    sets, _ = context.objects("ReplicaSet", found.ref.namespace)
    things += [
        each
        for each in sets
        if any(
            text(owner, "kind") == found.ref.kind and text(owner, "name") == found.ref.name
            for owner in mappings(each, "metadata", "ownerReferences")
        )
    ]
    return {text(container, "image") for thing in things for container in _containers(thing)}


def _set_resources(context: Context, command: _Words) -> Command:
    found = _found(context, command.words, command.flag("--namespace"), _TEMPLATED)
    containers = {text(each, "name"): each for each in _containers(found.thing)}
    name = command.flag("--container")
    if not name and len(containers) == 1:
        name = next(iter(containers))
    if name not in containers:
        raise NotOurs(f"it names none of the containers of {found.ref}: {', '.join(list(containers)[:6])}")
    actions, options = [], []
    for part in ("limits", "requests"):
        value = command.flag(f"--{part}")
        if not value:
            continue
        options.append(f"--{part}={value}")
        for resource, _, amount in (pair.partition("=") for pair in value.split(",")):
            quantity(amount)
            before = text(containers[name], "resources", part, resource) or None
            path = f"spec.template.spec.containers[{name}].resources.{part}.{resource}"
            actions.append(_action("set", found.ref, path, before, amount))
    if not actions:
        raise NotOurs("it sets neither limits nor requests")
    return _changing("set resources", found, actions, f"-c={name}", *options)


def _cordon(context: Context, command: _Words) -> Command:
    return _cordoning("cordon", context, command)


def _uncordon(context: Context, command: _Words) -> Command:
    return _cordoning("uncordon", context, command)


def _cordoning(verb: str, context: Context, command: _Words) -> Command:
    words = command.words if any("/" in word for word in command.words) else ["node", *command.words]
    found = _found(context, words, "", ("Node",))
    before, after = ("false", "true") if verb == "cordon" else ("true", "false")
    action = _action(verb, found.ref, "spec.unschedulable", before, after)
    name = shlex.quote(found.ref.name)
    return Command(f"kubectl {verb} {name}", True, f"kubectl {verb} {name} --dry-run=server", "", (action,))


def _with_remark(command: Command, remark: str) -> Command:
    return Command(command.line, command.changes, command.rehearsal, remark, command.actions)


_DRY = {"--dry-run": "server|client|none"}
_VERBS: Mapping[str, _Verb] = {
    "get": _Verb(_get, {"--output": "wide|yaml|json|name"}),
    "describe": _Verb(_describe),
    "logs": _Verb(_logs, {"--container": _NAME, "--previous": "", "--tail": _NUMBER, "--since": _SPAN}),
    "rollout status": _Verb(_rollout_status, {"--timeout": _SPAN}),
    "rollout history": _Verb(_rollout_history),
    "rollout undo": _Verb(_rollout_undo, {"--to-revision": _NUMBER, **_DRY}),
    "rollout restart": _Verb(_rollout_restart),
    "scale": _Verb(_scale, {"--replicas": _NUMBER, **_DRY}),
    "set image": _Verb(_set_image, _DRY),
    "set resources": _Verb(
        _set_resources, {"--container": _NAME, "--limits": _AMOUNTS, "--requests": _AMOUNTS, **_DRY}
    ),
    "cordon": _Verb(_cordon, _DRY),
    "uncordon": _Verb(_uncordon, _DRY),
}
