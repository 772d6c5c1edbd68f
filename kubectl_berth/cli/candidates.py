"""What a word of a command line can be: completers for `shell_complete=` of options and arguments.

Each takes click's context, the parameter and the word so far, and gives what may stand there. Nothing is imported but
what a word needs: they are attached to options that every start of the program builds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    import click
    from click.shell_completion import CompletionItem

    from kubectl_berth.environment import Environment
    from kubectl_berth.tools.tool import Parameter, Tool

_PLAIN = re.compile(r"[\w.:/@%+=,~-]+", re.ASCII)
"""What every shell takes as it is. A name with other characters is not offered: a shell may run it."""


def _items(words: Iterable[str] | Mapping[str, str], incomplete: str, before: str = "") -> list[CompletionItem[str]]:
    """Those of the words that go on from what stands there, with `before` in front; a mapping adds what each is."""
    from click.shell_completion import CompletionItem

    told = words if isinstance(words, Mapping) else dict.fromkeys(words, "")
    return [
        CompletionItem(before + word, help=about or None)
        for word, about in told.items()
        if _PLAIN.fullmatch(word) and (before + word).startswith(incomplete)
    ]


def _environment(context: click.Context) -> Environment:
    from kubectl_berth.environment import Environment

    return context.find_object(Environment) or Environment.actual()


# --- files -----------------------------------------------------------------------------------------------------------


def files(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """The shell's own files."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def directories(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """The shell's own directories."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="dir")]


# --- the kubeconfig --------------------------------------------------------------------------------------------------


def contexts(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """Contexts of the kubeconfig, with the cluster of each."""
    from kubectl_berth.cluster.kubeconfig import read_kubeconfig

    found = read_kubeconfig(context.params.get("kubeconfig"), _environment(context)).contexts
    return _items({name: entry.cluster for name, entry in found.items()}, incomplete)


def clusters(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """Clusters of the kubeconfig."""
    from kubectl_berth.cluster.kubeconfig import read_kubeconfig

    return _items(read_kubeconfig(context.params.get("kubeconfig"), _environment(context)).clusters.keys(), incomplete)


def users(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """Users of the kubeconfig."""
    from kubectl_berth.cluster.kubeconfig import read_kubeconfig

    return _items(read_kubeconfig(context.params.get("kubeconfig"), _environment(context)).users.keys(), incomplete)


# --- the cluster -----------------------------------------------------------------------------------------------------


def _known(context: click.Context, *topic: str) -> list[str]:
    from kubectl_berth.cli.known_names import known_names, source_in

    return known_names(source_in(context.params), topic, _environment(context))


def namespaces(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """Namespaces of the cluster that the line names."""
    return _items(_known(context, "namespaces"), incomplete)


def target(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """KIND/NAME or KIND NAME: kinds first, then names of that kind; names of workloads where no kind goes on so."""
    given = context.params.get("target") or ()
    namespace = context.params.get("namespace") or ""
    kind, slash, _ = incomplete.partition("/")
    if given:
        whole = len(given) > 1 or "/" in given[0]
        return [] if whole else _items(_known(context, "names", given[0], namespace), incomplete)
    if slash:
        return _items(_known(context, "names", kind, namespace), incomplete, f"{kind}/")
    kinds = _items([f"{word}/" for word in _kinds(context, incomplete)], incomplete)
    return kinds or _items(_known(context, "workloads", namespace), incomplete)


def _kinds(context: click.Context, incomplete: str) -> list[str]:
    """Kubernetes' own kinds at once; those of the cluster where none of them goes on from here, or all are wanted."""
    from kubectl_berth.cli.name_reader import kind_words
    from kubectl_berth.cluster.kinds import NEWEST, builtin_kinds

    own = kind_words(builtin_kinds(NEWEST))
    if incomplete and any(word.startswith(incomplete) for word in own):
        return own
    return list(dict.fromkeys([*own, *_known(context, "kinds")]))


# --- tools -----------------------------------------------------------------------------------------------------------


def tool_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """The tools, each with the first sentence about it."""
    from kubectl_berth.tools.registry import ALL

    return _items({tool.name: tool.description.partition(". ")[0] for tool in ALL}, incomplete)


def tool_arguments(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """key= for the tool's parameters that are not given yet, then values of the key."""
    from kubectl_berth.tools.registry import ALL

    tool = next((each for each in ALL if each.name == context.params.get("name")), None)
    if tool is None:
        return []
    given = dict(word.split("=", 1) for word in context.params.get("arguments") or () if "=" in word)
    key, equals, value = incomplete.partition("=")
    if not equals:
        left = {f"{each.name}=": each.description for each in tool.parameters if each.name not in given}
        return _items(left, incomplete)
    wanted = next((each for each in tool.parameters if each.name == key), None)
    return _items(_values(context, tool, wanted, given, value), incomplete, f"{key}=") if wanted else []


def _values(
    context: click.Context, tool: Tool, parameter: Parameter, given: Mapping[str, str], value: str
) -> Iterable[str]:
    namespace = given.get("namespace") or context.params.get("namespace") or ""
    if parameter.enum:
        return parameter.enum
    if parameter.type == "boolean":
        return ("true", "false")
    if parameter.name == "namespace":
        return _known(context, "namespaces")
    if parameter.name == "kind":
        return _kinds(context, value)
    if parameter.name == "name":
        needs_kind = any(each.name == "kind" and each.required for each in tool.parameters)
        kind = given.get("kind") or ("" if needs_kind else "pod")
        return _known(context, "names", kind, namespace) if kind else ()
    return ()


# --- berth's own names -----------------------------------------------------------------------------------------------


def scenarios(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """The shipped scenarios; directories where a path is typed."""
    if incomplete.startswith((".", "/", "~")):
        return directories(context, parameter, incomplete)
    from kubectl_berth.scenarios.reader import names

    return _items(names(), incomplete)


def engines(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """The engines."""
    from kubectl_berth.settings import ENGINES

    return _items(ENGINES, incomplete)


def models(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """Models of the engine on the line: Claude's known ids, those that Ollama has; both where none is named."""
    engine = context.params.get("engine") or "auto"
    found: list[str] = []
    if engine in ("claude", "bedrock", "auto"):
        from kubectl_berth.knowledge.prices import ROWS

        found += [f"global.anthropic.{name}" for name in ROWS] if engine == "bedrock" else list(ROWS)
    if engine in ("ollama", "auto"):
        from kubectl_berth.cli.known_names import known_models

        found = known_models(_environment(context)) + found
    return _items(found, incomplete)


def setting_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """The settings."""
    from kubectl_berth.settings import SETTINGS

    return _items(SETTINGS.keys(), incomplete)


def setting_values(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """What a setting can be, where that is a list of words."""
    from kubectl_berth.settings import EFFORTS, ENGINES, THINKING

    truths = ("true", "false")
    words: dict[Any, tuple[str, ...]] = {
        "engine": ENGINES,
        "effort": EFFORTS,
        "thinking": THINKING,
        "raw_diagnostics": truths,
        "record": truths,
    }
    name = context.params.get("name")
    if name in ("model", "anthropic_model", "ollama_model"):
        return models(context, parameter, incomplete)
    return _items(words.get(name, ()), incomplete)


# --- what is kept on this machine ------------------------------------------------------------------------------------


def _data(context: click.Context) -> Path:
    from kubectl_berth.knowledge.store import data_directory
    from kubectl_berth.settings import resolve

    environment = _environment(context)
    return data_directory(resolve({}, environment=environment), environment)


def run_ids(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """The kept runs, newest first, with what was asked."""
    from kubectl_berth.knowledge.run_files import DIRECTORY, RunFiles, question_in
    from kubectl_berth.safety.sanitise import one_line

    files = RunFiles(_data(context) / DIRECTORY)
    ids = [id for id in files.ids() if id.startswith(incomplete)]
    return _items({id: one_line(question_in(files.read(id))) for id in ids}, incomplete)


def recorded(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """The kept runs; files where none goes on so."""
    return run_ids(context, parameter, incomplete) or files(context, parameter, incomplete)


def note_numbers(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """The notes about incidents that are not named yet, newest first, with their titles."""
    from kubectl_berth.knowledge.incidents import notes
    from kubectl_berth.knowledge.store import FILE, Store
    from kubectl_berth.safety.sanitise import one_line

    given = context.params.get("numbers") or ()
    kept = [note for note in notes(Store(_data(context) / FILE)) if note.number not in given]
    return _items({str(note.number): one_line(note.title) for note in kept}, incomplete)


def evaluations(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """Results of evaluations, in the current directory and in the data directory; directories where none fits."""
    from pathlib import Path

    here = [path.parent.name for path in Path().glob("*/eval.json")]
    kept = [str(path.parent) for path in (_data(context) / "evals").glob("*/eval.json")]
    return _items([*sorted(here), *sorted(kept, reverse=True)], incomplete) or directories(
        context, parameter, incomplete
    )
