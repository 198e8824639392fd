"""Recompute the alphas of a run with the package `krippendorff`, and report the largest difference.

The package comes with the extra `reference`. It is under the GPL, so the program does not depend on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import UNSET

from nullbench_site.errors import UsageError
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.manifest import Manifest
from nullbench_site.scoring.agreement import ALL, Rated, Ratings
from nullbench_site.scoring.observations import ShardReader, observe
from nullbench_site.scoring.recomputation import run_benchmark
from nullbench_site.scoring.results import Results
from nullbench_site.scoring.scorer import scorer_of
from nullbench_site.scoring.tables import read_results
from nullbench_site.stats.agreement import SCALE_POINTS
from nullbench_site.stats.arrays import Bools, Floats, Ints

NOT_INSTALLED = (
    "--reference needs the package krippendorff, which is not installed; run `make site`, or install it with: "
    "pip install 'nullbench-site[reference]'"
)
ROUNDED = 1e-6
"""Results have six decimals: a larger difference is one."""


@dataclass(frozen=True)
class Reference:
    """What the package found: how many values were compared, and the largest difference, with its place."""

    package: str
    compared: int
    largest: float
    where: str

    @property
    def problem(self) -> str | None:
        """Return what differs by more than rounding; None if nothing does."""
        if self.largest <= ROUNDED:
            return None
        return f"{self.where}: {self.package} gives a value that differs by {self.largest:.2g}; score the run again"

    def __str__(self) -> str:
        if not self.compared:
            return f"{self.package}: the run has no alpha to recompute"
        return (
            f"{self.package}: {self.compared} values of alpha and Fleiss' kappa recomputed; "
            f"the largest difference is {self.largest:.1e} ({self.where})"
        )


def recompute(run_dir: Path, manifest: Manifest) -> Reference:
    """Recompute every alpha and Fleiss' kappa of a run. Raises UsageError without the package, RunError."""
    try:
        package = import_module("krippendorff")
    except ImportError as error:
        raise UsageError(NOT_INSTALLED) from error
    benchmark, folder = run_benchmark(run_dir), RunFolder(run_dir, manifest)
    compared, largest, where = 0, 0.0, ""
    for board in benchmark.boards.values():
        scorer = scorer_of(benchmark, board)
        if not scorer.judges:
            continue
        if (ratings := scorer.ratings()) is None:
            continue
        observed = observe(ShardReader(scorer), folder)
        rated = {each.model: scorer.rated(each, scorer.reduce(each)) for each in observed}
        nulls = frozenset(model.id for model in benchmark.contestants(board) if model.kind == "null")
        for model, each in rated.items():
            ratings.add(model, each, null=model in nulls)
        for name, ours, theirs in _values(package, ratings, rated, read_results(run_dir, board.id)):
            compared += 1
            if not largest >= (apart := abs(ours - theirs)):
                largest, where = apart, f"board {board.id}, {name}"
    return Reference(f"krippendorff {version('krippendorff')}", compared, largest, where)


def _values(
    package: Any, ratings: Ratings, rated: Mapping[str, Rated], results: Results
) -> Iterator[tuple[str, float, float]]:
    """Yield the name of each value, the value of the results, and that of the package."""
    if not rated:
        return
    units = _units(ratings, rated)
    parts = {tuple(sorted(fields.items())): (group, axis) for fields, group, axis in ratings.parts}
    for row in getattr(results, "agreement", ()):
        given = ((name, getattr(row, name)) for name in ("axis", "category", "domain"))
        fields = {name: value for name, value in given if value is not UNSET}
        group, axis = parts[tuple(sorted(fields.items()))]
        own = (True if group is ALL else units.group == group) & (
            units.axis >= 0 if axis is ALL else units.axis == axis
        )
        of = " ".join(filter(None, fields.values())) or "the board"
        for name, value, chosen in (("alpha", row.alpha, own), ("alpha_scored", row.alpha_scored, own & units.scored)):
            if value is not None:
                counts, points = units.counts[chosen], list(range(1, SCALE_POINTS + 1))
                theirs = package.alpha(value_counts=counts, value_domain=points, level_of_measurement="ordinal")
                yield f"{name} of {of}", value, theirs
    for row in () if results.rater_agreement is UNSET else results.rater_agreement:
        if row.value is None or row.coefficient == "cohen":
            continue
        marks, item = _marks(ratings, rated, row.what)
        marks = marks[ratings.pairs[row.what].borderline[item]] if row.items == "borderline" else marks
        if row.coefficient == "fleiss":
            marks = marks[~np.isnan(marks).any(axis=1)]
        theirs = package.alpha(reliability_data=marks.T, level_of_measurement=row.level)
        if row.coefficient == "fleiss":
            # Nominal alpha takes chance from pairs of ratings without replacement, Fleiss' kappa from pairs with it.
            theirs = 1 - (1 - theirs) * marks.size / (marks.size - 1)
        yield f"{row.coefficient} of {row.what}, {row.items} items", row.value, theirs


@dataclass(frozen=True)
class _Units:
    """Ratings of all contestants: how many judges gave 1-5, the group, the axis, and whether it is a scored answer."""

    counts: Ints
    group: Ints
    axis: Ints
    scored: Bools


def _units(ratings: Ratings, rated: Mapping[str, Rated]) -> _Units:
    return _Units(
        counts=np.concatenate(
            [(each.places[:, :, np.newaxis] == np.arange(SCALE_POINTS)).sum(axis=1) for each in rated.values()]
        ),
        group=np.concatenate([ratings.groups[each.item] for each in rated.values()]),
        axis=np.concatenate([each.axis for each in rated.values()]),
        scored=np.concatenate([each.scored & (model in ratings.of_each) for model, each in rated.items()]),
    )


def _marks(ratings: Ratings, rated: Mapping[str, Rated], what: str) -> tuple[Floats, Ints]:
    """Return the marks of scored answers, or all votes of a gate, by contestants other than null models."""
    own = [each for model, each in rated.items() if model in ratings.of_each]
    if what == ratings.scale.what:
        given = [(each.marks[each.scored], each.item[each.scored]) for each in own]
    else:
        given = [(each.gates[what].votes, each.gates[what].item) for each in own]
    marks, item = zip(*given, strict=True)
    return np.concatenate(marks), np.concatenate(item)
