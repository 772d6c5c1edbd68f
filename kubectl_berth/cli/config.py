"""kubectl berth config: every setting with where it came from, the file they are kept in, one value set."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import click

from kubectl_berth.cli import candidates

if TYPE_CHECKING:
    from pathlib import Path

    from kubectl_berth.environment import Environment


@click.group()
def config() -> None:
    """Show every setting with where it came from, and set one in the settings file.

    A flag wins over a scenario's setting, that over the environment, that over the file, that over the default.
    """


@config.command()
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", help="What stdout gets.")
@click.pass_obj
def show(environment: Environment, /, output: str) -> int:
    """Show every setting, its value and where the value came from."""
    from kubectl_berth.settings import SETTINGS, resolve

    settings = resolve({}, None, environment)
    rows = [(name, getattr(settings, name), settings.source(name)) for name in SETTINGS]
    if output == "json":
        found = [{"name": name, "value": value, "source": source} for name, value, source in rows]
        environment.stdout.write(json.dumps({"settings": found}, indent=2) + "\n")
        return 0
    width = max(len(name) for name, _, _ in rows)
    for name, value, source in rows:
        variables = ", ".join(SETTINGS[name].variables)
        hint = f"  [{variables}]" if variables and source == "default" else ""
        environment.stdout.write(f"{name:<{width}}  {_shown(value):<28}  {source}{hint}\n")
    return 0


@config.command()
@click.pass_obj
def path(environment: Environment, /) -> int:
    """Print where the settings file is, or would be."""
    environment.stdout.write(f"{_file(environment)}\n")
    return 0


@config.command(name="set")
@click.argument("name", shell_complete=candidates.setting_names)
@click.argument("value", shell_complete=candidates.setting_values)
@click.pass_obj
def set_(environment: Environment, /, name: str, value: str) -> int:
    """Set NAME to VALUE in the settings file. The rest of the file stays as it is."""
    from kubectl_berth.errors import UsageError
    from kubectl_berth.settings import SETTINGS, nearest, resolve

    if name not in SETTINGS:
        raise UsageError(f"there is no setting {name!r}{nearest(name)}")
    parsed = getattr(resolve({name: value}, None, environment), name)
    file = _file(environment)
    if file.suffix != ".yaml":
        raise UsageError(f"{file} is TOML: set {name} there by hand")
    try:
        _write(file, name, parsed)
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror or error}") from None
    environment.stderr.write(f"{name} is {_shown(parsed)} in {file}\n")
    for variable in SETTINGS[name].variables:
        if environment.variable(variable):
            environment.stderr.write(f"note: {variable} in the environment wins over the file\n")
            break
    return 0


def _shown(value: Any) -> str:
    if value is None or value == ():
        return "-"
    return (
        ", ".join(value) if isinstance(value, tuple) else str(value).lower() if value in (True, False) else str(value)
    )


def _file(environment: Environment) -> Path:
    from kubectl_berth.settings import config_directory, settings_file

    return settings_file(environment)[0] or config_directory(environment) / "settings.yaml"


def _write(file: Path, name: str, value: Any) -> None:
    """Replaces the setting's own line, or adds one; comments and the other lines stay."""
    import yaml

    text = file.read_text(encoding="utf-8") if file.exists() else ""
    given = list(value) if isinstance(value, tuple) else value
    flow = yaml.safe_dump(given, default_flow_style=True, allow_unicode=True, width=10_000)
    line = f"{name}: {flow.removesuffix(chr(10)).removesuffix('...').strip()}"
    own = re.compile(rf"^{re.escape(name)}[ \t]*:.*(?:\n[ \t-].*)*", re.MULTILINE)
    text, replaced = own.subn(lambda _: line, text, count=1)
    if not replaced:
        text = f"{text.rstrip()}\n{line}\n".lstrip("\n")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text if text.endswith("\n") else f"{text}\n", encoding="utf-8")
