"""Test contestants for contamination by the dates of items: against a date of the board and their training cutoffs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from nullbench_site.scoring.contamination_tables import ContaminationDateRow
from nullbench_site.scoring.layout import BoardLayout
from nullbench_site.specs.types import ModelFile
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.contamination import LEAST_OF_PART, DatedDifference, DatedTable, joint_differences
from nullbench_site.stats.measure import LEAST_CLUSTERS

By: TypeAlias = Literal["date", "cutoff"]
NO_CUTOFF = "no training cutoff is stated; fill in `training_cutoff`"


@dataclass(frozen=True)
class DatedScores:
    """The scores of contestants on items with dates.

    models: the contestants, without null models. scores: (contestants, items) 0-100, NaN for a missing score. layout:
    the items and their categories. dates: of the items, None if unknown. clusters: (items,) numbers. lacking: why
    contestants that lack scores are not tested.
    """

    models: Sequence[ModelFile]
    scores: Floats
    layout: BoardLayout
    dates: Sequence[str | None]
    clusters: Ints
    lacking: Mapping[str, str]

    def rows(self, date: str | None) -> Iterator[ContaminationDateRow]:
        """Yield a row for each test, part of the board and contestant. date: of the board; None without one.

        All tests share one critical value.
        """
        table = self.scores.copy()
        table[np.isnan(table).any(axis=1)] = np.nan
        starts, related = np.array([first_day(each) for each in self.dates]), related_contestants(self.models)
        cutoffs = [model.training_cutoff for model in self.models]
        tests: list[tuple[By, Sequence[str | None], Bools]] = []
        if date is not None:
            tests.append(("date", [date] * len(self.models), np.tile(starts >= date, (len(self.models), 1))))
        tests.append(("cutoff", cutoffs, np.array([starts > last_day(cutoff) for cutoff in cutoffs])))
        parts = [(*test, *part) for test in tests for part in self._parts()]
        tables = [
            DatedTable(after.reshape(table.shape), chosen, LEAST_CLUSTERS if category is None else LEAST_OF_PART)
            for _, _, after, category, chosen in parts
        ]
        found = joint_differences(table, tables, self.clusters, related)
        for (by, dates, _, category, _), results in zip(parts, found, strict=True):
            yield from self._rows(by, dates, category, results)

    def _rows(
        self, by: By, dates: Sequence[str | None], category: str | None, found: Sequence[DatedDifference]
    ) -> Iterator[ContaminationDateRow]:
        for model, date, result in zip(self.models, dates, found, strict=True):
            own = result if date is not None else DatedDifference(None)
            yield ContaminationDateRow(
                model=model.id, by=by, date=date, category=category,
                n_before=own.n_before, n_after=own.n_after, n_others=own.n_others,
                before=own.before, after=own.after, drop=own.drop, others_drop=own.others,
                difference=own.value, se=own.se, low=own.low, high=own.high, flagged=own.flagged,
                absent=self._absent(model, own, date, by),
            )  # fmt: skip

    def _absent(self, model: ModelFile, own: DatedDifference, date: str | None, by: By) -> str | None:
        if date is None:
            return NO_CUTOFF
        if not own.n_before or not own.n_after:
            return one_side(date, by, newer=own.n_after > 0)
        return self.lacking.get(model.id, own.reason)

    def _parts(self) -> Iterator[tuple[str | None, Bools]]:
        """Yield all items with a date, and those of each category if there are several."""
        dated, categories = np.array([date is not None for date in self.dates]), self.layout.categories
        yield None, dated
        for name in categories.in_order if len(categories.names) > 1 else ():
            chosen = dated & (categories.of_item == categories.names.index(name))
            if chosen.any():
                yield name, chosen


def one_side(date: str, by: By, *, newer: bool) -> str:
    """Say that all items are on one side of a date of the board, or of a training cutoff."""
    items = "every item is" if newer else "no item is"
    return f"{items} from {date} or later" if by == "date" else f"{items} newer than its training cutoff, {date}"


def first_day(date: str | None) -> str:
    """Return the first day of a year, a month or a day; empty without a date."""
    return "" if date is None else f"{date}-01-01"[:10]


def last_day(date: str | None) -> str:
    """Return a text that sorts as the last day of a year, a month or a day; after all days without a date."""
    return "9" if date is None else f"{date}-12-31"[:10] if len(date) == 4 else f"{date}-31"[:10]


def related_contestants(models: Sequence[ModelFile]) -> Bools:
    """Return (contestants, contestants) who is of one family, or derived from one base, directly or through others.

    A base is also that of models whose base continues its name, as CodeLlama-34b-Python continues CodeLlama-34b, and of
    the contestant that has this id, title or name of a model.
    """
    k = len(models)
    found = np.array([[_linked(a, b) or _linked(b, a) for b in models] for a in models]).reshape(k, k)
    while True:
        wider = found @ found
        if np.array_equal(wider, found):
            return found
        found = wider


def _linked(a: ModelFile, b: ModelFile) -> bool:
    if a.family == b.family:
        return True
    bases = {b.base, b.id, b.title, b.model} - {None}
    return a.base is not None and any(a.base == base or a.base.startswith(f"{base}-") for base in bases)
