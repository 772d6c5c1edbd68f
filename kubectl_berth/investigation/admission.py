"""Whether a run may go on spending: its own limit of dollars, and the budgets that it shares with other runs.

The worker asks before each model call and waits; the main thread decides, so that Ctrl-C and the deadline are heeded
while another run keeps the ledger.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kubectl_berth.engines.engine import Engine
from kubectl_berth.environment import Environment
from kubectl_berth.errors import BerthError, Interrupted, OverBudget, UsageError
from kubectl_berth.knowledge.ledger import Budgets, Spending, admit, day_of, note
from kubectl_berth.knowledge.prices import cost
from kubectl_berth.knowledge.store import Store, StoreBusy, StoreError
from kubectl_berth.records import Cost, Usage
from kubectl_berth.settings import Settings

PAID = ("claude", "bedrock")
"""Engines that cost money; only these are held."""
FIRST_PROMPT = 6000
"""Tokens that a first request may have, before anyone has written it."""
TURN_SECONDS = 0.25
"""How long one try waits for the ledger; between tries the main thread looks at signals."""
PATIENCE = 10.0
SETTLING_SECONDS = 5.0


@dataclass
class Hold:
    """One wait of a worker for its next model call, of about `estimate` input tokens, to be admitted."""

    estimate: int
    refusal: BerthError | None = None
    decided: threading.Event = field(default_factory=threading.Event)

    def settle(self, refusal: BerthError | None) -> None:
        """From the main thread: admitted, or why not."""
        self.refusal = refusal
        self.decided.set()

    def wait(self, stopped: Callable[[], bool]) -> None:
        """From the worker: returns once the call may be made. Raises what it was refused with."""
        while not self.decided.wait(0.1):
            if stopped():
                raise Interrupted("the run was stopped")
        if self.refusal is not None:
            raise self.refusal


class Admission:
    """Holds one run. All but Hold.wait happens on the main thread."""

    def __init__(self, engine: Engine, settings: Settings, environment: Environment, store: Store | None) -> None:
        self.holds = engine.name in PAID
        self._engine = engine
        self._settings = settings
        self._environment = environment
        self._store = Store(store.path, wait=TURN_SECONDS) if store is not None and store.path else store
        self._budgets = Budgets(settings.budget_daily_tokens, settings.budget_monthly_tokens)
        self._run = secrets.token_hex(8)
        self._day = day_of(environment.wall())

    def before_run(self, stopped: Callable[[], bool]) -> None:
        """Raises OverBudget where not even a first call fits, UsageError where --max-cost cannot be held."""
        self.before_call(FIRST_PROMPT, stopped)

    def before_call(self, estimate: int, stopped: Callable[[], bool]) -> None:
        """Admits a call of `estimate` input tokens, or raises OverBudget."""
        if not self.holds:
            return
        self._within_cost(estimate)
        if self._store is not None:
            reserve = self._settings.reserve_tokens
            if reserve is None:
                reserve = estimate + self._settings.max_tokens
            self._admit(reserve, stopped)

    def settle(self, *, hurried: bool = False) -> str | None:
        """Notes what the run took, and that nothing stays reserved; the words where that cannot be done.

        `hurried` where a run was stopped: it waits no longer for other writers than one try does.
        """
        if self._store is None or not (self.holds or self._engine.calls):
            return None
        until = self._environment.monotonic() + (0.0 if hurried else SETTLING_SECONDS)
        while True:
            try:
                note(self._store, self._spending())
                return None
            except StoreError as error:
                if not isinstance(error, StoreBusy) or self._environment.monotonic() > until:
                    return str(error)

    def _within_cost(self, estimate: int) -> None:
        limit = self._settings.max_cost
        if limit is None:
            return
        # the dearest it can be: all of the prompt written to the cache, all of the reply used
        next_call = self._price(
            [Usage(model_calls=1, output_tokens=self._settings.max_tokens, cache_write_tokens=estimate)]
        )
        if next_call is None:
            raise UsageError(
                f"--max-cost cannot be held: no price is known for {self._engine.model}; "
                "set AI_PRICE_IN_PER_MTOK and AI_PRICE_OUT_PER_MTOK"
            )
        so_far = self._price(self._engine.calls)
        spent = so_far.usd if so_far else 0.0
        if spent + next_call.usd > limit:
            raise OverBudget(
                f"--max-cost is ${limit:g}: about ${spent:.4f} is spent and the next model call may cost up to "
                f"${next_call.usd:.4f}; raise it, or lower --max-tokens (now {self._settings.max_tokens})"
            )

    def _admit(self, reserve: int, stopped: Callable[[], bool]) -> None:
        assert self._store is not None  # noqa: S101  the caller has looked
        until = self._environment.monotonic() + PATIENCE
        while not stopped():
            try:
                admit(self._store, self._spending(), reserve, self._budgets)
                return
            except StoreBusy as error:
                if self._environment.monotonic() > until:
                    raise _unusable(error) from None
            except StoreError as error:
                raise _unusable(error) from None
        raise Interrupted("the run was stopped")

    def _spending(self) -> Spending:
        engine = self._engine
        price = self._price(engine.calls)
        usd = price.usd if price else None if engine.calls and engine.host else 0.0
        return Spending(self._run, self._day, engine.name, engine.model or "", self.holds, engine.usage, usd)

    def _price(self, calls: Sequence[Usage]) -> Cost | None:
        return estimated(self._engine, self._settings, calls)


def estimated(engine: Engine, settings: Settings, calls: Sequence[Usage]) -> Cost | None:
    """What these calls cost; None where no price is known, or nothing is paid, the model being on this machine."""
    if engine.model is None or not engine.host or not calls:
        return None
    return cost(calls, engine.model, own_input=settings.price_in, own_output=settings.price_out)


def _unusable(error: StoreError) -> OverBudget:
    return OverBudget(
        f"what model calls take cannot be written down ({error}): no paid engine is asked; set AI_DATA_DIR to a "
        "directory that can be written, or use --engine rules"
    )
