"""What may be worked on at once: a window of targets an endpoint, shared fairly by the contestants there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nullbench_site.evaluation.asking import Askers
from nullbench_site.evaluation.plan import Caller, Selection, Target
from nullbench_site.specs.types import Judge, ModelFile

_MOST_WORKERS = 2048
_MOST_UNCHECKED = 128
"""Answers that may wait for their checks before they keep others from being asked for."""


class Window:
    """The targets of the contestants at one endpoint, and how many are worked on at once.

    The next target is of the contestant with the fewest at work, the first of several: one whose calls hang or wait to
    be tried again holds its share of the workers and not those of the others.
    """

    def __init__(self, targets: Mapping[str, Iterator[Target]], workers: int) -> None:
        self.workers = workers
        self._targets = dict(targets)
        self._at_work = dict.fromkeys(targets, 0)

    def __iter__(self) -> Iterator[Target]:
        """For one worker: its next target, each time it is done with the one before."""
        while self._targets:
            name = min(self._targets, key=self._at_work.__getitem__)
            target = next(self._targets[name], None)
            if target is None:
                del self._targets[name]
                continue
            self._at_work[name] += 1
            yield target
            self._at_work[name] -= 1


def windows(caller: Caller, askers: Askers, selection: Selection) -> Iterator[Window]:
    """A window an endpoint, because a slow one must not hold up the others.

    Wide enough that the endpoints of the judges can be full too, and answers wait for their checks. Not a task a call,
    because memory must not grow with the plan.
    """
    boards = caller.benchmark.boards.values()
    have_checks = any(caller.has_checks(board, placed) for board in boards for placed in caller.benchmark.items(board))
    at_checks = _MOST_UNCHECKED if have_checks else 0
    models_at: dict[int, dict[str, ModelFile]] = {}
    judges_at: dict[int, Judge] = {}
    for board, model in caller.contestants(selection):
        models_at.setdefault(id(askers.of(model).meter), {})[model.id] = model
        for seat in caller.seats(board, model):
            judges_at[id(askers.of(seat.judge).meter)] = seat.judge
    at_judges = sum(askers.of(who).concurrency for who in judges_at.values())
    for models in models_at.values():
        at_contestants = askers.of(next(iter(models.values()))).concurrency
        targets = {name: caller.targets(Selection(selection.boards, [name])) for name in models}
        yield Window(targets, min(at_contestants + at_judges + at_checks, _MOST_WORKERS))
