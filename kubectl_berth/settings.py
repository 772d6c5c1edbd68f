"""Every setting once: flag over scenario over environment over settings file over default, with where it came from."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kubectl_berth.durations import seconds_of
from kubectl_berth.environment import Environment
from kubectl_berth.errors import UsageError

ENGINES = ("auto", "rules", "ollama", "claude", "bedrock")
EFFORTS = ("low", "medium", "high", "xhigh", "max")
THINKING = ("adaptive", "between_tools", "disabled")

Parse = Callable[[object], Any]
"""From what stands in a file, a variable or a flag to the typed value; ValueError carries what would be right."""


@dataclass(frozen=True)
class Settings:
    """What a run goes by. `sources` says for each name where its value came from, in words for a person."""

    engine: str = "auto"
    model: str | None = None
    anthropic_model: str | None = None
    anthropic_base_url: str | None = None
    bedrock_model: str | None = None
    bedrock_base_url: str | None = None
    aws_region: str | None = None
    ollama_model: str | None = None
    ollama_host: str | None = None
    num_ctx: int = 16384
    effort: str = "high"
    thinking: str = "adaptive"
    max_tokens: int = 8192
    ollama_max_tokens: int | None = None
    max_iterations: int = 8
    timeout: float = 180.0
    raw_diagnostics: bool | None = None
    budget_daily_tokens: int | None = None
    budget_monthly_tokens: int | None = None
    reserve_tokens: int | None = None
    max_cost: float | None = None
    price_in: float | None = None
    price_out: float | None = None
    data_dir: str | None = None
    record: bool = True
    runbooks: tuple[str, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)

    def source(self, name: str) -> str:
        """Where the value of `name` came from: "--model", "AI_PROVIDER in the environment", "default"."""
        return self.sources.get(name, "default")


def whole(least: int) -> Parse:
    """Whole numbers from `least` on."""

    def parse(value: object) -> int:
        words = f"a whole number, at least {least}"
        try:
            number = int(value) if isinstance(value, int | str) and not isinstance(value, bool) else least - 1
        except ValueError:
            number = least - 1
        if number < least:
            raise ValueError(words)
        return number

    return parse


def decimal(*, positive: bool) -> Parse:
    """Finite numbers, above zero or from zero on."""

    def parse(value: object) -> float:
        words = "a number above 0" if positive else "a number, at least 0"
        try:
            number = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else math.nan
        except ValueError:
            number = math.nan
        if not math.isfinite(number) or number < 0 or (positive and number == 0):
            raise ValueError(words)
        return number

    return parse


LONGEST = 366 * 86_400.0
"""Seconds that a run may take at most: more is a slip, and what waits for it cannot count so far."""


def duration(value: object) -> float:
    """Seconds as a number, or a time like 30s or 1m30s."""
    words = "seconds above 0, a year at most, or a time like 1m30s"
    spelled = seconds_of(value.strip()) if isinstance(value, str) else None
    try:
        seconds: float = decimal(positive=True)(value if spelled is None else spelled)
    except ValueError:
        raise ValueError(words) from None
    if seconds > LONGEST:
        raise ValueError(words)
    return seconds


def truth(value: object) -> bool:
    """true and false in the spellings people use."""
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word in ("true", "yes", "on", "1"):
        return True
    if word in ("false", "no", "off", "0"):
        return False
    raise ValueError("true or false")


def one_of(allowed: tuple[str, ...], aliases: Mapping[str, str] | None = None) -> Parse:
    """One word of a list, in any case; `aliases` are other spellings of the same."""

    def parse(value: object) -> str:
        # YAML reads a bare off and on as booleans
        spelled = {True: "on", False: "off"}.get(value, value) if isinstance(value, bool) else value
        word = str(spelled).strip().lower()
        word = (aliases or {}).get(word, word)
        if word not in allowed:
            raise ValueError("one of " + ", ".join(allowed))
        return word

    return parse


def text(value: object) -> str:
    """Any text that is not blank."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError("text")
    return value.strip()


def texts(value: object) -> tuple[str, ...]:
    """One text, or a list of them."""
    values = value if isinstance(value, list | tuple) else [value]
    try:
        return tuple(text(each) for each in values)
    except ValueError:
        raise ValueError("text, or a list of texts") from None


@dataclass(frozen=True)
class Setting:
    """One setting: how its value is read, the variables that carry it (the first that is set counts), its flag."""

    parse: Parse
    variables: tuple[str, ...] = ()
    flag: str = ""


SETTINGS: Mapping[str, Setting] = {
    "engine": Setting(one_of(ENGINES, {"anthropic": "claude"}), ("AI_PROVIDER",), "--engine"),
    "model": Setting(text, (), "--model"),
    "anthropic_model": Setting(text, ("ANTHROPIC_MODEL",)),
    "anthropic_base_url": Setting(text, ("ANTHROPIC_BASE_URL",)),
    "bedrock_model": Setting(text, ("MODEL",)),
    "bedrock_base_url": Setting(text, ("ANTHROPIC_BEDROCK_BASE_URL",)),
    "aws_region": Setting(text, ("AWS_REGION", "AWS_DEFAULT_REGION")),
    "ollama_model": Setting(text, ("OLLAMA_MODEL",)),
    "ollama_host": Setting(text, ("OLLAMA_HOST",)),
    "num_ctx": Setting(whole(1024), ("OLLAMA_NUM_CTX",)),
    "effort": Setting(one_of(EFFORTS), ("EFFORT",)),
    "thinking": Setting(one_of(THINKING, {"on": "adaptive", "off": "disabled"}), ("AI_THINKING",)),
    "max_tokens": Setting(whole(1), ("MAX_TOKENS",), "--max-tokens"),
    "ollama_max_tokens": Setting(whole(1), ("OLLAMA_MAX_TOKENS",)),
    "max_iterations": Setting(whole(1), ("AI_MAX_TOOL_ITERATIONS",), "--max-iter"),
    "timeout": Setting(duration, ("AI_RUN_TIMEOUT_SECONDS",), "--timeout"),
    "raw_diagnostics": Setting(truth, ("AI_ALLOW_RAW_DIAGNOSTICS",), "--allow-raw-diagnostics"),
    "budget_daily_tokens": Setting(whole(0), ("AI_BUDGET_DAILY_TOKENS",)),
    "budget_monthly_tokens": Setting(whole(0), ("AI_BUDGET_MONTHLY_TOKENS",)),
    "reserve_tokens": Setting(whole(0), ("AI_RESERVE_TOKENS",)),
    "max_cost": Setting(decimal(positive=False), (), "--max-cost"),
    "price_in": Setting(decimal(positive=False), ("AI_PRICE_IN_PER_MTOK",)),
    "price_out": Setting(decimal(positive=False), ("AI_PRICE_OUT_PER_MTOK",)),
    "data_dir": Setting(text, ("AI_DATA_DIR",)),
    "record": Setting(truth, (), "--no-record"),
    "runbooks": Setting(texts, (), "--runbooks"),
}


KEYS = ("ANTHROPIC_API_KEY", "AWS_BEARER_TOKEN_BEDROCK", "OLLAMA_API_KEY")
"""Variables that hold a key: no setting, never in the file, never shown."""


def resolve(
    flags: Mapping[str, Any],
    scenario: Mapping[str, Any] | None = None,
    environment: Environment | None = None,
    *,
    scenario_name: str = "",
) -> Settings:
    """The settings of a run. `flags` and `scenario` map setting names to values, None meaning not given.

    Raises UsageError for a value that cannot be used, a name that no setting has, or a broken settings file; the
    sentence says where it stands.
    """
    environment = environment or Environment.actual()
    path, from_file = settings_file(environment)
    layers: list[tuple[Callable[[str], str], Mapping[str, Any]]] = [
        (lambda name: str(path), from_file),
        (lambda name: f"{_variable(SETTINGS[name], environment)} in the environment", _from_variables(environment)),
        (lambda name: f"scenario {scenario_name}".strip(), scenario or {}),
        (lambda name: SETTINGS[name].flag or f"--{name}", flags),
    ]
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for where, layer in layers:
        for name, value in layer.items():
            if value is None:
                continue
            if name not in SETTINGS:
                raise UsageError(f"{where(next(iter(SETTINGS)))}: there is no setting {name!r}{nearest(name)}")
            source = where(name)
            values[name] = parse(name, value, source)
            if name == "data_dir":
                values[name] = _placed(values[name], source, path.parent if path and layer is from_file else None)
            sources[name] = source
    return Settings(**values, sources=sources)


def _placed(directory: str, source: str, beside: Path | None) -> str:
    """A directory that does not change with the current one: in the settings file it lies `beside` that file."""
    named = Path(directory).expanduser()
    if not named.is_absolute() and beside is None:
        raise UsageError(f"{source} must be an absolute path, or begin with ~/, not {directory!r}")
    return directory if named.is_absolute() else str((beside or named) / named)


def parse(name: str, value: object, source: str) -> Any:
    """The typed value of a setting. Raises UsageError that says what stands in `source`, and what would be right."""
    try:
        return SETTINGS[name].parse(value)
    except ValueError as error:
        shown = "" if name.endswith("_base_url") else f", not {value!r}"
        label = "" if source in (SETTINGS[name].flag, name) else f" ({name})"
        raise UsageError(f"{source}{label} must be {error}{shown}") from None


def nearest(name: str) -> str:
    """What to say behind the name of a setting that there is not."""
    near = difflib.get_close_matches(name, SETTINGS, n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; there are: {', '.join(SETTINGS)}"


def _variable(setting: Setting, environment: Environment) -> str:
    return next((name for name in setting.variables if environment.variable(name)), "")


def _from_variables(environment: Environment) -> dict[str, str]:
    found = {}
    for name, setting in SETTINGS.items():
        variable = _variable(setting, environment)
        if variable:
            found[name] = environment.variable(variable)
    return found


def config_directory(environment: Environment) -> Path:
    """Where the settings file lives; $XDG_CONFIG_HOME/kubectl-berth or the platform's own place."""
    chosen = environment.variable("XDG_CONFIG_HOME")
    if chosen:
        return Path(chosen) / "kubectl-berth"
    import platformdirs

    return Path(platformdirs.user_config_dir("kubectl-berth", appauthor=False))


def settings_path(environment: Environment) -> Path:
    """Where the settings file is, or would be: settings.yaml, or settings.toml where that is there.

    Raises UsageError where both are.
    """
    directory = config_directory(environment)
    present = [path for path in (directory / "settings.yaml", directory / "settings.toml") if _exists(path)]
    if len(present) == 2:
        raise UsageError(f"there are two settings files, {present[0]} and {present[1].name}; remove one of them")
    return present[0] if present else directory / "settings.yaml"


def settings_file(environment: Environment) -> tuple[Path | None, Mapping[str, Any]]:
    """The settings file and what stands in it; (None, {}) where there is none."""
    path = settings_path(environment)
    if not _exists(path):
        return None, {}
    try:
        content = _load(path, path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from None
    if not isinstance(content, Mapping):
        raise UsageError(f"{path} must hold settings as name: value, not a {type(content).__name__}")
    return path, {str(name): value for name, value in content.items()}


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


def _load(path: Path, content: str) -> Any:
    """The file's content as plain data; UsageError with the line where it is no YAML or TOML."""
    if path.suffix == ".toml":
        import tomllib

        try:
            return tomllib.loads(content)
        except tomllib.TOMLDecodeError as error:
            raise UsageError(f"{path} is not valid TOML: {error}") from None
    import yaml

    try:
        return yaml.safe_load(content) or {}
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "unreadable"
        raise UsageError(f"{path}{where}: not valid YAML: {problem}") from None
