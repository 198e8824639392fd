"""What a build may spend: every call is reserved at its worst before it is put, and settled at what it was."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nullbench_site.evaluation.backends.base import UnavailableError

if TYPE_CHECKING:
    import asyncio


@dataclass
class Budget:
    """Limits on the calls of one build and on their cost, in US dollars; None: no limit.

    Spent and reserved together never pass a limit. A call that would pass it waits while calls in flight may turn out
    cheaper than their worst, and is refused when none is left to wait for.
    """

    max_usd: float | None = None
    max_calls: int | None = None
    calls: int = 0
    spent_usd: float = 0.0
    refusal: str | None = None
    """Why calls were refused, in the words for the user; None while none was."""
    _reserved_usd: float = 0.0
    _in_flight: int = 0
    _waiting: list[asyncio.Future[None]] = field(default_factory=list)

    async def reserve(self, most_usd: float) -> None:
        """Room for one call of at most this cost. Raises UnavailableError where there is none."""
        import asyncio

        while not self._has_room_for(most_usd):
            if not self._in_flight or self._calls_are_used_up():
                self.refusal = self.refusal or self._refusal(most_usd)
                raise UnavailableError(self.refusal)
            settled = asyncio.get_running_loop().create_future()
            self._waiting.append(settled)
            await settled
        self.calls += 1
        self._in_flight += 1
        self._reserved_usd += most_usd

    def settle(self, most_usd: float, cost_usd: float | None) -> None:
        """Put what a call cost in the place of its worst. cost_usd: None where it is unknown, so the worst counts."""
        self._in_flight -= 1
        self._reserved_usd -= most_usd
        self.spent_usd += most_usd if cost_usd is None else cost_usd
        for settled in self._waiting:
            if not settled.done():
                settled.set_result(None)
        self._waiting.clear()

    def withdraw(self, most_usd: float) -> None:
        """Give back what was reserved for a call that was not put after all."""
        self.calls -= 1
        self.settle(most_usd, 0.0)

    def _has_room_for(self, most_usd: float) -> bool:
        if self._calls_are_used_up():
            return False
        if self.max_usd is None:
            return True
        # Sums of floats: a billionth of a dollar is no overspending.
        return self.spent_usd + self._reserved_usd + most_usd <= self.max_usd + 1e-9

    def _calls_are_used_up(self) -> bool:
        return self.max_calls is not None and self.calls >= self.max_calls

    def _refusal(self, most_usd: float) -> str:
        if self._calls_are_used_up():
            return f"stopped after {self.calls} calls, all that --max-calls allows; build again to go on from there"
        spent = f"{self.spent_usd:.4f} of the {self.max_usd:g} USD of --max-cost are spent"
        return f"stopped: {spent}, and the next call may cost up to {most_usd:.4f}; build again to go on from there"
