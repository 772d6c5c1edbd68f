"""What each field of each document means; docs/generator/documents.py holds the names against real documents."""

from __future__ import annotations

CLUSTER = {
    "cluster": "which cluster was read; null where none was reached",
    "cluster.source": "`context`, `snapshot` or `scenario`",
    "cluster.name": "the context's name, the directory, the scenario",
    "cluster.version": "the API server's version",
    "cluster.namespace": "the namespace that a name without one is looked for in first",
}
FINDINGS = {
    "findings": "what is wrong, causes first",
    "findings[].kind": "the object's kind",
    "findings[].namespace": 'its namespace, "" for a kind that has none',
    "findings[].name": "its name",
    "findings[].reason": "a code in one word (`OOMKilled`), to branch on",
    "findings[].severity": "`critical`, `warning` or `info`",
    "findings[].summary": "one sentence",
    "findings[].cause": "true for a root cause, false for what follows from another finding",
    "findings[].source": "`rules`: a check of berth said so; `model`: the model did",
}
GAPS = {
    "gaps": "what could not be read; nothing there counts as healthy",
    "gaps[].what": "what it was (`pods/log in finance`)",
    "gaps[].why": "`forbidden`, `not served`, `unavailable`, `withheld`, ...",
    "gaps[].detail": "the API's own words",
}
ACTIONS = {
    "actions": "changes that the answer proposes; nobody carries them out",
    "actions[].verb": "`set`, `scale`, `restart`, `rollback`, `delete`, ...",
    "actions[].kind": "the object's kind",
    "actions[].namespace": "its namespace",
    "actions[].name": "its name",
    "actions[].field": "what is set (`limits.memory`), or null",
    "actions[].from": "the value in force, or null",
    "actions[].to": "the value proposed, or null",
}
TOKENS = {
    "model_calls": "requests to the model; one that was repeated counts once",
    "input_tokens": "tokens sent that were not in the cache",
    "output_tokens": "tokens received",
    "cache_read_tokens": "tokens read from the provider's cache",
    "cache_write_tokens": "tokens written to it",
    "retries": "requests that were repeated",
}
ENTRY = {
    "n": "the call's number, from 1",
    "model_call": "the model call that asked for it",
    "tool": "the tool",
    "arguments": "its arguments as the engine gave them",
    "fate": "`ok`; `empty`: nothing is there; `error`; `refused`: berth does not read that; "
    "`withheld`: may not be sent; `repeated`: asked before; `tripwire`: a call that only an order in the data explains",
    "bytes": "the size of the result",
    "seconds": "how long it took",
    "error": "the sentence where it was an error or refused, else null",
}

ANSWER = {
    "schema": "`berth.dev/v1/answer`",
    "question": "the question",
    **CLUSTER,
    "engine": "the engine that answered",
    "model": "its model, or null",
    "outcome": "`answered`, `cut-off`, `refused`, `still-calling-tools`, `empty`, `fragment`, `engine-unreachable`, "
    "`engine-error`, `timed-out`, `over-budget`, `interrupted` or `cluster-unreachable`",
    "complete": "true where the answer is whole",
    "forced": "true where the cap of model calls made this the last call",
    "answer": 'the answer in Markdown, "" where there is none',
    "error": "the sentence where there is no answer, else null",
    **FINDINGS,
    **ACTIONS,
    "trace": "the tool calls in order",
    **{f"trace[].{name}": words for name, words in ENTRY.items()},
    **GAPS,
    "not_in_evidence": "names, figures and quotations of the answer that no tool result holds; null where nothing was "
    "checked",
    "remarks": "what berth itself says about a model's answer: that it rests on no tool call, what berth's own checks "
    "found and it does not name, commands in it that may destroy something",
    "usage": "what the model calls took",
    **{f"usage.{name}": words for name, words in TOKENS.items()},
    "cost": "the estimate, or null where nothing was paid or no price is known",
    "cost.usd": "US dollars",
    "cost.estimate": "always true",
    "cost.prices_of": "the day of the price list",
    "seconds": "how long the run took",
}

CHECK = {
    "schema": "`berth.dev/v1/check`",
    "severity": "the least severity that is shown",
    "fail_on": "the least severity that fails, or `never`",
    **CLUSTER,
    "namespace": "the only namespace read, null for all",
    "targets": "the objects asked about; none: everything",
    "targets[].kind": "",
    "targets[].namespace": "",
    "targets[].name": "",
    "failed": "true where the exit status is 1 because of a finding",
    "complete": "true where there are no gaps",
    "counts": "how many findings there are, shown or not",
    "counts.critical": "",
    "counts.warning": "",
    "counts.info": "",
    "counts.causes": "how many of them are causes",
    **FINDINGS,
    "findings[].caused_by": "the object whose finding explains this one, or null",
    "findings[].effects": "the objects that suffer from this one",
    "findings[].evidence": "where it can be seen: fields, events, log lines",
    "findings[].remedy": "what to do",
    "findings[].disproof": "what would show that it is wrong",
    **GAPS,
    "looked_at": "how many objects of each kind were read",
    "remarks": "lines for the person",
    "error": "the sentence where the cluster could not be read, else null",
}

TOOL = {
    "schema": "`berth.dev/v1/tool-result`",
    **{name: words for name, words in ENTRY.items() if name not in ("n", "model_call")},
    "text": "exactly what a model would see",
    **GAPS,
    **FINDINGS,
    **ACTIONS,
}

TOOLS = {
    "tools": "the tools",
    "tools[].name": "its name",
    "tools[].bytes": "the bytes that its definition takes",
    "tools[].definition": "the definition, as the engine is sent it",
    "bytes": "all definitions",
    "system_prompt_bytes": "the system prompt",
}

SCENARIOS = {
    "scenarios": "the scenarios by name",
    "scenarios[].name": "what --scenario takes",
    "scenarios[].title": "what it is about",
    "scenarios[].category": "what `eval --set` takes",
    "scenarios[].question": "the question that it is made for",
}

USAGE = {
    "schema": "`berth.dev/v1/usage`",
    "since": "the first day",
    "usage": "a row for each day, engine and model",
    "usage[].day": "the day (UTC)",
    "usage[].engine": "",
    "usage[].model": "",
    "usage[].runs": "how many runs",
    **{f"usage[].{name}": words for name, words in TOKENS.items()},
    "usage[].reserved_tokens": "held for calls that still run, or that ended without a count",
    "usage[].usd": "the estimate in US dollars",
    "usage[].without_price": "runs that no price is known for",
    "usage[].estimate": "always true",
    "budgets": "the budgets in force, null where there is none",
    "budgets.daily_tokens": "",
    "budgets.monthly_tokens": "",
}

RUNS = {
    "schema": "`berth.dev/v1/runs`",
    "runs": "the kept runs, newest first",
    "runs[].id": "the run's id",
    "runs[].time": "when it began (UTC)",
    "runs[].cluster": "the cluster's name, or null",
    "runs[].engine": "",
    "runs[].model": "",
    "runs[].outcome": "as in the answer",
    "runs[].question": "",
    "runs[].tool_calls": "how many",
    "runs[].seconds": "",
    "runs[].usd": "the estimate, or null",
}

RUN = {
    "schema": "`berth.dev/v1/run`",
    "id": "the run's id",
    "time": "when it began (UTC)",
    "version": "berth's version",
    "namespace": "what -n said, or null",
    "cluster_key": "tells the cluster from every other",
    "host": 'where data went, "" for nowhere',
    "settings": "every setting and where it came from; never a key",
    "earlier": "questions and answers before this one (--continue)",
    "told": "what the engine was told of the cluster before its first call",
    "calls": "what each model call took",
    "events": "the events, each with the seconds since the start (`at`)",
    "result": "how it ended",
}

MEMORY = {
    "schema": "`berth.dev/v1/memory`",
    "notes": "the notes, newest first; `memory show` prints one by itself",
    "notes[].number": "its number",
    "notes[].cluster": "the cluster's name",
    "notes[].time": "when it was noted, by the cluster's clock (UTC): for a snapshot the moment that it shows",
    "notes[].title": "",
    "notes[].rootCause": "",
    "notes[].fix": "",
    "notes[].about": "what it was noted about",
}

CONFIG = {
    "schema": "`berth.dev/v1/config`",
    "file": "where the settings file is, or would be",
    "settings": "every setting",
    "settings[].name": "",
    "settings[].value": "its value, null where it is not set",
    "settings[].source": "where the value came from: `default`, the file, the variable",
    "keys": "the variables that hold a key",
    "keys[].name": "",
    "keys[].set": "whether it is set; its value is never shown",
}

DOCTOR = {
    "schema": "`berth.dev/v1/doctor`",
    "ok": "true where the exit status is 0",
    "exit_status": "the exit status",
    "points": "what was looked at, in order",
    "points[].name": "what it is",
    "points[].state": "`ok`, `note`, `missing` or `failed`",
    "points[].summary": "one sentence",
    "points[].lines": "more of it, a line each",
    "points[].details": "the same as data; differs from point to point",
}

EVAL = {
    "schema": "`berth.dev/v1/eval-summary`",
    "engine": "",
    "model": "",
    "set": "which scenarios",
    "planned": "how many runs",
    "repeats": "runs of each scenario",
    "passed": "runs that passed",
    "totals": "sums over all runs: calls, tokens, errors, seconds, cost",
    "scenarios": "each scenario",
    "scenarios[].name": "",
    "scenarios[].runs": "",
    "scenarios[].passed": "",
    "failed": "every failed run: `scenario`, `repeat`, `outcome`, `error`, and the `checks` that failed",
    "results": "the directory with every run",
}

REPORT = {
    "schema": "`berth.dev/v1/eval-report`",
    "plan": "what was asked: engine, model, settings, scenarios",
    "started": "",
    "ended": "",
    "missing": "runs that have not been made",
    "overall": "rates with intervals, calls, tokens, errors of all runs",
    "parts": "the same for clusters with a fault and for healthy twins",
    "categories": "the same by category",
    "scenarios": "the same by scenario",
    "failed": "every failed run",
    "failedChecks": "how often each check failed",
    "reported": "checks that fail no run",
    "revised": "runs that today's checks judge differently",
    "noIntervals": "what is missing for intervals, which are null then; null where there are some",
}

COMPARISON = {
    "schema": "`berth.dev/v1/eval-comparison`",
    "before": "the first evaluation",
    "after": "the second",
    "differ": "what was different between them beside the answers",
    "pairs": "runs that both have",
    "scenarios": "scenarios that both have",
    "leftOut": "what could not be compared, in words",
    "effect": "the mean difference by scenario",
    "interval": "its interval",
    "signFlip": "how likely chance alone makes such a difference",
    "fisher": "the same without the pairs",
    "mcnemar": "the same by scenario, better against worse",
    "gained": "runs that pass now and did not",
    "lost": "runs that passed and do not now",
    "byScenario": "the difference of each scenario that has one",
}

EVENTS = {
    "run": "first: who answers, where data goes (`host`), how many model calls there may be (`cap`)",
    "model_call": "before each request to a model; `estimate` is the input tokens that it may have",
    "text": "a piece of text; narration where a tool call of the same model call follows",
    "thinking": "a piece of a model's notes, never of the answer",
    "tool_call": "the engine asks for a tool",
    "tool_result": "the tool's answer",
    "retry": "a request is sent again; the text of this model call so far is withdrawn",
    "notice": "a line for the person",
}
"""What each type of line of -o jsonl is; the last line, `result`, is the answer's document."""
