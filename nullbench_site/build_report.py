"""The report of a build: what `build --json` prints."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Self

import msgspec

if TYPE_CHECKING:
    from nullbench_site.evaluation.evaluate import Evaluation
    from nullbench_site.reproduction import RepeatedAnswers


class Calls(msgspec.Struct, frozen=True, omit_defaults=True):
    """The calls of a build: planned = made + reused + failed + left.

    planned is larger if responses failed, as these are not judged.
    left: neither known nor made, because the build stopped early or was not allowed to make them. failed_probes: of
    those failed, the ones that ask for a canary, which are in no score; absent if there are none.
    """

    planned: int
    made: int
    reused: int
    failed: int
    left: int = 0
    failed_probes: int = 0


class Early(msgspec.Struct, frozen=True):
    """Where a build stopped a board early: at which look, counted from 1, of how many, after how many items."""

    look: int
    looks: int
    items: int


class BuildReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """The object that `build --json` prints. cost_usd: the cost of this build; None if no call of it has a price.

    uncounted: priced attempts whose tokens the endpoint did not count; absent if there are none. uncounted_usd: the
    most they can have cost; absent if there is no bound. stopped: why calls were not made; absent if all were.
    partial: True if the run is open, so that its results do not cover every item; absent otherwise.
    repeated: of a fresh build, the answers of models that were requested again; absent without an earlier run. kept:
    as in Evaluation; absent if there are none. early: the boards that were stopped early, because every pair was
    decided; absent if there are none.
    """

    run: str
    run_dir: str
    site_dir: str | None
    calls: Calls
    cost_usd: float | None
    seconds: dict[str, float]
    stopped: tuple[str, ...] = ()
    uncounted: int = 0
    uncounted_usd: float | None = None
    partial: bool = False
    repeated: tuple[RepeatedAnswers, ...] = ()
    kept: tuple[str, ...] = ()
    early: dict[str, Early] = {}

    @classmethod
    def of(
        cls,
        evaluation: Evaluation,
        site_dir: Path | None,
        seconds: dict[str, float],
        repeated: tuple[RepeatedAnswers, ...],
    ) -> Self:
        """Return the report of an evaluation."""
        tally, run = evaluation.tally, evaluation.folder
        return cls(
            run=run.manifest.run,
            run_dir=str(run.path),
            site_dir=str(site_dir) if site_dir else None,
            calls=Calls(evaluation.planned, tally.made, tally.reused, tally.failed, tally.left, tally.failed_probes),
            cost_usd=evaluation.spent_usd,
            seconds=seconds,
            stopped=evaluation.stops,
            uncounted=evaluation.uncounted,
            uncounted_usd=evaluation.uncounted_usd if evaluation.uncounted else None,
            partial=not evaluation.sealed,
            repeated=repeated,
            kept=evaluation.kept,
            early={board: Early(stop.look, stop.looks, len(stop.items)) for board, stop in run.manifest.stops.items()},
        )
