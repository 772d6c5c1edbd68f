"""kubectl berth usage: what model calls took, by day, engine and model."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from kubectl_berth.environment import Environment
    from kubectl_berth.settings import Settings

SCHEMA = "berth.dev/v1/usage"
DAYS = 30


@click.command()
@click.option("--since", metavar="DAY", help="From this day on (2026-11-30), or for so many days (7d); 30d.")
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", help="What stdout gets.")
@click.pass_obj
def usage(environment: Environment, /, since: str | None, output: str) -> int:
    """What model calls took on this machine, by day (UTC), engine and model. Costs are estimates."""
    from kubectl_berth.cli.sources import store_of
    from kubectl_berth.errors import BerthError
    from kubectl_berth.knowledge.ledger import spent, total
    from kubectl_berth.knowledge.store import StoreError
    from kubectl_berth.output.usage_table import spent_document, usage_table
    from kubectl_berth.settings import resolve

    settings = resolve({}, environment=environment)
    first = _first_day(since, environment)
    try:
        found = spent(store_of(settings, environment), first)
    except StoreError as error:
        raise BerthError(str(error)) from None
    if output == "json":
        document = {
            "schema": SCHEMA,
            "since": first,
            "usage": [spent_document(each) for each in found],
            **_budgets(settings),
        }
        environment.stdout.write(json.dumps(document, indent=2) + "\n")
        return 0
    if not found:
        environment.stderr.write(f"no model call is noted since {first}\n")
        return 0
    environment.stdout.write(usage_table(found, total(found)))
    for each in _left(settings, environment):
        environment.stderr.write(f"{each}\n")
    return 0


def _first_day(since: str | None, environment: Environment) -> str:
    from kubectl_berth.errors import UsageError
    from kubectl_berth.knowledge.ledger import day_of

    days = re.fullmatch(r"(\d{1,5})d?", since) if since else None
    if since is None or days:
        count = int(days[1]) if days else DAYS
        return day_of(environment.wall() - max(count - 1, 0) * 86400)
    from datetime import date

    try:
        return date.fromisoformat(since).isoformat()
    except ValueError:
        raise UsageError(f"--since must be a day like 2026-11-30 or a number of days like 7d, not {since!r}") from None


def _budgets(settings: Settings) -> dict[str, Any]:
    return {"budgets": {"daily_tokens": settings.budget_daily_tokens, "monthly_tokens": settings.budget_monthly_tokens}}


def _left(settings: Settings, environment: Environment) -> list[str]:
    """What is left of each budget that is set."""
    from kubectl_berth.cli.sources import store_of
    from kubectl_berth.knowledge.ledger import day_of, taken

    store, day = store_of(settings, environment), day_of(environment.wall())
    lines = []
    for limit, period, words in (
        (settings.budget_daily_tokens, day, "today's"),
        (settings.budget_monthly_tokens, day[:7], "this month's"),
    ):
        if limit is not None:
            lines.append(f"{words} budget: {max(limit - taken(store, period), 0):,} of {limit:,} tokens left")
    return lines
