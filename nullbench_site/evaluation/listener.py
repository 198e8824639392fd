"""How somebody follows an evaluation while it runs."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Literal

from nullbench_site.evaluation.backends.base import Meter

Outcome = Literal["made", "reused", "failed"]


@dataclass
class Tally:
    """How the calls of this build ended.

    unparsed: of those made, verdicts that nobody can read. begun: judgments that took a second turn. left: neither
    known nor made, because they were out of scope or stopped.
    """

    made: int = 0
    unparsed: int = 0
    begun: int = 0
    reused: int = 0
    failed: int = 0
    left: int = 0


@dataclass(frozen=True)
class Listener:
    """What wants to follow an evaluation. on_meters gets the meters of all endpoints once, as they begin to count."""

    on_plan: Callable[[int], None] = lambda planned: None
    on_meters: Callable[[Collection[Meter]], None] = lambda meters: None
    on_call: Callable[[Outcome], None] = lambda outcome: None
    on_note: Callable[[str], None] = lambda note: None
