"""What a budget in dollars asks of the specs: a price and a limit of output for all who answer at an endpoint."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from nullbench_site.errors import UsageError
from nullbench_site.evaluation.plan import Caller, Selection
from nullbench_site.specs.places import place_of
from nullbench_site.specs.types import Decoding, Judge, ModelFile


def check_bounded(caller: Caller, selection: Selection, specs: Path) -> None:
    """Raises UsageError naming everybody at an endpoint whose calls could cost nobody knows how much."""
    problems = []
    for who, decoding in _asked_at_endpoints(caller, selection):
        if who.prices is None:
            problems.append(
                f"{place_of(specs, who)}: --max-cost needs to know the prices of {who.id!r}; add prices here"
            )
        elif decoding.max_tokens is None:
            problem = f"--max-cost needs a limit on the output of {who.id!r}; add max_tokens to its decoding"
            problems.append(f"{place_of(specs, who)}: {problem}")
    if problems:
        raise UsageError("\n".join(dict.fromkeys(problems)))


def _asked_at_endpoints(caller: Caller, selection: Selection) -> Iterator[tuple[ModelFile | Judge, Decoding]]:
    for board, model in caller.contestants(selection):
        if caller.backends[model.backend].chats:
            yield model, model.decoding or board.decoding
        for seat in caller.seats(board, model):
            if caller.backends[seat.judge.backend].chats:
                yield seat.judge, seat.judge.decoding
