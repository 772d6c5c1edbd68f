"""kubectl berth config: every setting with where it came from, the file they are kept in, one value set."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kubectl_berth.cli import candidates

if TYPE_CHECKING:
    from kubectl_berth.environment import Environment
    from kubectl_berth.settings import Settings

SCHEMA = "berth.dev/v1/config"


@click.group()
def config() -> None:
    """Show every setting with where it came from, and set one in the settings file.

    A flag wins over a scenario's setting, that over the environment, that over the file, that over the default.
    """


@config.command()
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", help="What stdout gets.")
@click.pass_obj
def show(environment: Environment, /, output: str) -> int:
    """Show every setting, its value and where the value came from. Of keys only whether they are set."""
    from kubectl_berth.settings import KEYS, SETTINGS, resolve, settings_path
    from kubectl_berth.settings_file import repeated

    settings = resolve({}, None, environment)
    there = _defaults(settings, environment)
    rows = [(name, there.get(name, getattr(settings, name)), settings.source(name)) for name in SETTINGS]
    file = settings_path(environment)
    for name in repeated(file):
        environment.stderr.write(f"note: {name} stands more than once in {file}; the last one counts\n")
    keys = {name: bool(environment.variable(name)) for name in KEYS}
    if output == "json":
        found = [{"name": name, "value": _cleaned(value), "source": _cleaned(source)} for name, value, source in rows]
        document = {
            "schema": SCHEMA,
            "file": str(file),
            "settings": found,
            "keys": [{"name": name, "set": is_set} for name, is_set in keys.items()],
        }
        environment.stdout.write(json.dumps(document, indent=2) + "\n")
        return 0
    width = max(len(name) for name in (*SETTINGS, *KEYS))
    for name, value, source in rows:
        variables = ", ".join(SETTINGS[name].variables)
        hint = f"  [{variables}]" if variables and source == "default" else ""
        environment.stdout.write(f"{name:<{width}}  {_shown(value):<28}  {_cleaned(source)}{hint}\n")
    for name, is_set in keys.items():
        shown, source = ("set, not shown", "environment") if is_set else ("-", "not set")
        environment.stdout.write(f"{name:<{width}}  {shown:<28}  {source}\n")
    return 0


@config.command()
@click.pass_obj
def path(environment: Environment, /) -> int:
    """Print where the settings file is, or would be."""
    from kubectl_berth.settings import settings_path

    environment.stdout.write(f"{settings_path(environment)}\n")
    return 0


# a negative number is a value, even if it is never a right one
@config.command(name="set", context_settings={"ignore_unknown_options": True})
@click.argument("name", shell_complete=candidates.setting_names)
@click.argument("values", metavar="VALUE...", nargs=-1, required=True, shell_complete=candidates.setting_values)
@click.pass_obj
def set_(environment: Environment, /, name: str, values: tuple[str, ...]) -> int:
    """Set NAME to VALUE in the settings file. The rest of the file stays as it is.

    runbooks takes several values, the others one.
    """
    from kubectl_berth.errors import UsageError
    from kubectl_berth.settings import SETTINGS, parse, texts

    _known(name)
    file = _file(environment, name)
    several = SETTINGS[name].parse is texts
    if len(values) > 1 and not several:
        raise UsageError(f"{name} takes one value, not {len(values)}; put quotes around one with spaces")
    parsed = parse(name, list(values) if several else values[0], name)
    if name == "data_dir" and not parsed.startswith("~"):
        parsed = str(Path(parsed).absolute())
    _usable(name, parsed)
    from kubectl_berth.settings_file import put

    put(file, name, parsed)
    environment.stderr.write(f"{name} is {_shown(parsed)} in {file}\n")
    _say_what_wins(environment, name)
    return 0


@config.command()
@click.argument("name", shell_complete=candidates.setting_names)
@click.pass_obj
def unset(environment: Environment, /, name: str) -> int:
    """Take NAME out of the settings file. The rest of the file stays as it is."""
    from kubectl_berth.settings import SETTINGS
    from kubectl_berth.settings_file import put

    file = _file(environment, name)
    # a name that no setting has may stand there by mistake: that is taken out too
    taken_out = put(file, name, None)
    if name not in SETTINGS and not taken_out:
        _known(name)
    environment.stderr.write(f"{name} does not stand in {file}{' any more' if taken_out else ''}\n")
    if name in SETTINGS:
        _say_what_wins(environment, name)
    return 0


def _usable(name: str, value: Any) -> None:
    """Raises UsageError for what a run would refuse, or what no line of the file can hold."""
    from kubectl_berth.engines.claude import checked_url
    from kubectl_berth.engines.ollama_host import address
    from kubectl_berth.errors import UsageError

    texts = value if isinstance(value, tuple) else (value,)
    if any(ord(each) < 32 or 126 < ord(each) < 160 for text in texts if isinstance(text, str) for each in text):
        raise UsageError(f"{name} must be text without line breaks and other control characters")
    if name == "ollama_host":
        address(value)
    elif name == "anthropic_base_url":
        checked_url(value)


def _defaults(settings: Settings, environment: Environment) -> dict[str, Any]:
    """What is in force where nothing is set, for settings whose default an engine or the platform brings."""
    from kubectl_berth.engines import bedrock_models, claude, ollama_host
    from kubectl_berth.knowledge.store import data_directory

    found = {
        "anthropic_model": claude.DEFAULT_MODEL,
        "anthropic_base_url": claude.DEFAULT_URL,
        "bedrock_model": bedrock_models.DEFAULT_MODEL,
        "ollama_host": ollama_host.DEFAULT_URL,
        "data_dir": str(data_directory(settings, environment)),
    }
    return {name: value for name, value in found.items() if getattr(settings, name) is None}


def _known(name: str) -> None:
    from kubectl_berth.errors import UsageError
    from kubectl_berth.settings import SETTINGS, nearest

    if name not in SETTINGS:
        raise UsageError(f"there is no setting {name!r}{nearest(name)}")


def _file(environment: Environment, name: str) -> Path:
    """The settings file that a line of `name` can be written into. Raises UsageError where none can."""
    from kubectl_berth.errors import UsageError
    from kubectl_berth.settings import settings_path

    file = settings_path(environment)
    if file.suffix != ".yaml":
        raise UsageError(f"{file} is TOML: change {name} there by hand")
    return file


def _say_what_wins(environment: Environment, name: str) -> None:
    from kubectl_berth.settings import SETTINGS

    for variable in SETTINGS[name].variables:
        if environment.variable(variable):
            environment.stderr.write(f"note: {variable} in the environment wins over the file\n")
            break


def _shown(value: Any) -> str:
    if value is None or value == ():
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    return str(_cleaned(", ".join(value) if isinstance(value, tuple) else str(value)))


def _cleaned(value: Any) -> Any:
    """Texts without what is secret in them (the password of a URL) and without control characters."""
    from kubectl_berth.safety.gate import shown_line

    if isinstance(value, tuple):
        return [_cleaned(each) for each in value]
    return shown_line(value, 2000) if isinstance(value, str) else value
