"""docs/settings.md: every setting with its variables, flag, default and what it does."""

from __future__ import annotations

from generator import MADE
from kubectl_berth.engines import bedrock_models, claude, ollama_host
from kubectl_berth.settings import SETTINGS, Settings

WORDS = {
    "engine": "Who answers: `auto`, `rules`, `ollama`, `claude` or `bedrock`.",
    "model": "The model, whatever the engine; counts more than the engine's own setting.",
    "anthropic_model": "The model on the Anthropic API.",
    "anthropic_base_url": "A gateway in place of the Anthropic API.",
    "bedrock_model": "The inference profile on AWS Bedrock.",
    "bedrock_base_url": "An endpoint in place of the region's own.",
    "aws_region": "The AWS region; else that of the AWS profile.",
    "ollama_model": "The model on Ollama; else the first there that can call tools.",
    "ollama_host": "Where Ollama listens.",
    "num_ctx": "The context, in tokens, that Ollama is asked for.",
    "effort": "How hard a Claude model works: `low`, `medium`, `high`, `xhigh`, `max`.",
    "thinking": "Whether a model thinks before it answers: `adaptive`, `between_tools`, `disabled`.",
    "max_tokens": "Output tokens of one reply at most.",
    "ollama_max_tokens": "The same for Ollama alone.",
    "max_iterations": "Model calls of a run at most; the last of them must answer.",
    "timeout": "When a run ends: seconds, or a time like `1m30s`; a year at most.",
    "raw_diagnostics": "Whether logs and descriptions may be sent to an engine. Not set: only to one on this machine, "
    "and to hosts that you allowed for always. `false`: to none.",
    "budget_daily_tokens": "Tokens of paid engines a day (UTC); a call that could go beyond it is not made.",
    "budget_monthly_tokens": "The same for a month.",
    "reserve_tokens": "Tokens held back for each call while it runs, in place of what it may take at most.",
    "max_cost": "US dollars that one run may cost, by the estimate.",
    "price_in": "Your own price of a million input tokens, in US dollars.",
    "price_out": "The same for output tokens.",
    "data_dir": "Where runs, notes, evaluations and the ledger are kept. An absolute path, or one that begins with "
    "`~/`; in the settings file also one from that file's own directory.",
    "record": "Whether runs are kept on this machine (the last 50).",
    "runbooks": "Directories of your own runbooks in Markdown.",
}

DEFAULTS = {
    "anthropic_model": claude.DEFAULT_MODEL,
    "anthropic_base_url": claude.DEFAULT_URL,
    "bedrock_model": bedrock_models.DEFAULT_MODEL,
    "bedrock_base_url": "from the region",
    "ollama_host": ollama_host.DEFAULT_URL,
    "price_in": "the list price",
    "price_out": "the list price",
    "data_dir": "the platform's own place",
}
"""Defaults that are not a value of Settings: what stands there means "not set"."""

HEAD = """\
# Settings

Each has one place where its value is looked for first: a flag; then the scenario that is asked; then the environment;
then the settings file; then the default. `kubectl berth config show` prints every setting with its value here and where
that came from.

The settings file is `settings.yaml` or `settings.toml` in `~/.config/kubectl-berth` (`$XDG_CONFIG_HOME/kubectl-berth`;
on macOS and Windows the platform's own place; `kubectl berth config path` prints it). It holds `name: value` lines:

    engine: ollama
    ollama_model: qwen3.5:9b
    runbooks: [~/runbooks]

`kubectl berth config set NAME VALUE` writes a line of it and `kubectl berth config unset NAME` takes it out; the other
lines and the comments stay. Both change `settings.yaml` only: a `settings.toml` is changed by hand. Of a name that
stands twice the last line counts, and `config show` says so.

A name that no setting has, or a value that cannot be used, ends a command that goes by settings with status 2 and says
where it stands; `check` and others that need none go on. Keys
are no settings: they are taken from the environment alone.

| name | variable | flag | default | what it does |
| --- | --- | --- | --- | --- |
"""

TAIL = """
## Read from the environment, but no settings

| variable | for |
| --- | --- |
| `ANTHROPIC_API_KEY` | the key of the Anthropic API |
| `AWS_BEARER_TOKEN_BEDROCK`, `AWS_PROFILE` and AWS's other names | credentials for Bedrock |
| `OLLAMA_API_KEY` | a key for an Ollama host that you named |
| `KUBECONFIG` | kubeconfig files, as kubectl reads them |
| `KUBERNETES_MASTER` | the server where nothing else names one, as for kubectl |
| `KUBERNETES_SERVICE_HOST`, `KUBERNETES_SERVICE_PORT`, `POD_NAMESPACE` | in a pod: its own cluster and namespace |
| `HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY` | the way to the API server and to models |
| `NO_COLOR`, `TERM=dumb` | no colours and no redrawing |
| `BERTH_DEBUG=1` | a traceback after an unexpected error |

What each engine makes of its settings is on the page about [engines](engines.md); what leaves this machine, on the page
about [data](data.md).
"""


def page() -> str:
    """The text of the page; a setting without words ends the program."""
    if odd := set(SETTINGS) ^ set(WORDS):
        raise SystemExit(f"docs/generator/settings.py and the settings differ in {', '.join(sorted(odd))}")
    defaults = Settings()
    rows = []
    for name, setting in SETTINGS.items():
        variables = ", ".join(f"`{each}`" for each in setting.variables)
        flag = f"`{setting.flag}`" if setting.flag else ""
        default = DEFAULTS.get(name) or _shown(getattr(defaults, name))
        rows.append(f"| `{name}` | {variables} | {flag} | {default} | {WORDS[name]} |\n")
    return MADE + HEAD + "".join(rows) + TAIL


def _shown(value: object) -> str:
    if value is None or value == ():
        return "–"
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)
