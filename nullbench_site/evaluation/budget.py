"""What a build may spend: each call is reserved at its worst and settled at what it was, each request is counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nullbench_site.evaluation.backends.base import UnavailableError

if TYPE_CHECKING:
    import asyncio


@dataclass
class Budget:
    """Limits on the cost of the calls of one build, in US dollars, and on its requests; None: no limit.

    A call takes a request, and one more for each retry, each other form it is asked in, and each request that is put to
    find out why it was refused. Spent and reserved together never pass the limit on cost: a call that would pass it
    waits while calls in flight may turn out cheaper than their worst, and is refused when none is left to wait for.
    """

    max_usd: float | None = None
    max_calls: int | None = None
    requests: int = 0
    spent_usd: float = 0.0
    refusal: str | None = None
    """Why calls were refused, in the words for the user; None while none was."""
    _reserved_usd: float = 0.0
    _in_flight: int = 0
    _waiting: list[asyncio.Future[None]] = field(default_factory=list)

    async def reserve(self, most_usd: float) -> None:
        """Room for one call of at most this cost. Raises UnavailableError where there is none."""
        import asyncio

        self._check_requests()
        while not self._has_room_for(most_usd):
            if not self._in_flight:
                raise self._refused(
                    f"stopped: {self.spent_usd:.4f} of the {self.max_usd:g} USD of --max-cost are spent, "
                    f"and the next call may cost up to {most_usd:.4f}; build again to go on from there"
                )
            settled = asyncio.get_running_loop().create_future()
            self._waiting.append(settled)
            await settled
            self._check_requests()
        self._in_flight += 1
        self._reserved_usd += most_usd

    def count(self) -> None:
        """Count a request that is about to be put. Raises UnavailableError where no more may be."""
        self._check_requests()
        self.requests += 1

    def settle(self, most_usd: float, cost_usd: float | None) -> None:
        """Put what a call cost in the place of its worst. cost_usd: None where it is unknown, so the worst counts."""
        self._in_flight -= 1
        self._reserved_usd -= most_usd
        self.spent_usd += most_usd if cost_usd is None else cost_usd
        for settled in self._waiting:
            if not settled.done():
                settled.set_result(None)
        self._waiting.clear()

    def _has_room_for(self, most_usd: float) -> bool:
        if self.max_usd is None:
            return True
        # Sums of floats: a billionth of a dollar is no overspending.
        return self.spent_usd + self._reserved_usd + most_usd <= self.max_usd + 1e-9

    def _check_requests(self) -> None:
        if self.max_calls is not None and self.requests >= self.max_calls:
            raise self._refused(
                f"stopped after {self.requests} requests, all that --max-calls allows; build again to go on from there"
            )

    def _refused(self, why: str) -> UnavailableError:
        """The words of the first refusal: every call that is left gives one reason."""
        self.refusal = self.refusal or why
        return UnavailableError(self.refusal)
