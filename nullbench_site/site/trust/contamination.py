"""The probes of contamination: what each found about a contestant, and what they add up to.

A probe is one test of whether a contestant saw the items in training. Each has a function that returns its `Probe` for
a contestant of a board, or None if it was not run there; `PROBES` of pages/trust_marks.py lists these functions.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median
from typing import Any, Literal, TypeAlias

import numpy as np
from msgspec import UNSET

from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.verify import sealed_content
from nullbench_site.scoring.contamination import DRAWS, IMPORTED, NOT_ASKED, NOT_TRAINED
from nullbench_site.scoring.contamination_tables import ContaminationDateRow, OverlapRow
from nullbench_site.scoring.dates import related_contestants
from nullbench_site.site import words
from nullbench_site.site.gather import SiteData
from nullbench_site.site.score_vectors import score_vectors
from nullbench_site.site.views import AnyRow, BoardView, known
from nullbench_site.specs.canaries import BITS
from nullbench_site.specs.types import PROGRAMS, RECORDED, ModelFile
from nullbench_site.stats.contamination import DatedDifference, difference_in_differences
from nullbench_site.stats.inflation import WIDE_GAP
from nullbench_site.stats.measure import LEAST_CLUSTERS
from nullbench_site.stats.trust import MOST_CONTAMINATED, SEQUENCE, Level

Finding: TypeAlias = Literal["flagged", "newer", "clean", "no sign", "not testable", "not measurable"]
"""What a probe found.

flagged: a sign of contamination. newer: all items are newer than the training data. clean: the overlap of the items
with training data was tested, and the contamination rate is below 5 %. no sign: tested otherwise, without a sign. not
testable: the probe cannot be applied to this contestant or these items. not measurable: it takes what we do not have
here, such as log probabilities.
"""
State: TypeAlias = Level | Literal["not testable with these items", "not measurable here"]
_STATES: dict[Finding, State] = {
    "flagged": "low", "newer": "high", "clean": "medium", "no sign": "low",
    "not testable": "not testable with these items", "not measurable": "not measurable here",
}  # fmt: skip
"""The state of the mark for each finding, in the order in which a finding decides it.

More than low takes newer items or a tested overlap, so a test without a sign is low. Source: Exhibit 7, dimension 3.
"""


@dataclass(frozen=True)
class Probe:
    """What one probe found about a contestant.

    finding: see `Finding`. figure: the number with its interval, in words; empty without one. sentence: what was found,
    with the figure, or why it cannot be tested. declared: whether the finding rests on a statement of others, such as a
    training cutoff.
    """

    finding: Finding
    figure: str
    sentence: str
    declared: bool = False

    @property
    def state(self) -> State:
        """The state of the mark of trust if this probe decides it."""
        return _STATES[self.finding]

    @property
    def decides(self) -> bool:
        """True if the finding outweighs what the board declares: it is more than a test without a sign."""
        return self.finding in ("flagged", "newer", "clean")


def strongest(probes: Iterable[Probe]) -> Probe | None:
    """Return the probe that decides the mark; None without a probe.

    A flag comes first. Without a flag, the best evidence counts: newer items, then a tested overlap.
    """
    order = list(_STATES)
    return min(probes, key=lambda probe: order.index(probe.finding), default=None)


# Canaries: which contestants complete them, and why others were not asked.


_NAMED = 6
"""How many contestants a reason names."""
_FEW = 3
"""How many of those that a part of the board cannot test are named, and how many corpora and items a sentence names."""
CHECKED = {
    "canary": "Completes the canary of a file",
    "overlap": "Item shares 13 words in a row with the text of seen items",
    "gap": "Scores more than 5 points higher on seen items",
    "significant gap": "Interval of that difference is above 0",
}
"""Each probe in words."""


def shown_probes(view: BoardView) -> Mapping[str, Any]:
    """Return what the page of trust shows about canaries.

    rows: of contestants with answers. others: why the others have none, and who they are. checks: what the probes find
    of programs that have seen a known share of the items. can_ask: True if the board does not ask, though a model could
    answer. bits: random, of the part that is asked for.
    """
    results = known(view.results.canaries)
    rows = [row for row in results if row.n_answered]
    asked, others = {row.model for row in rows}, dict[str, list[str]]()
    absent = {row.model: row.absent for row in results}
    for model in view.benchmark.contestants(view.board):
        if model.id not in asked:
            why = absent.get(model.id) or {PROGRAMS: NOT_TRAINED, RECORDED: IMPORTED}.get(model.backend, NOT_ASKED)
            others.setdefault(why, []).append(model.title)
    return {
        "rows": rows,
        "others": {why: words.listed(words.some_of(titles, _NAMED)) for why, titles in others.items()},
        "checks": [(check, CHECKED[check.probe]) for check in known(view.results.probe_checks)],
        "can_ask": view.results.canaries is UNSET and NOT_ASKED in others,
        "bits": BITS,
        "draws": DRAWS,
    }


def canary_probe(view: BoardView, row: AnyRow) -> Probe | None:
    """Return what canaries say about a contestant; None if it was not asked."""
    found = view.canaries.get(row.model)
    if found is not None and found.absent == IMPORTED:
        sentence = "Its answers were imported; to complete a canary takes a model that can be asked."
        return Probe("not measurable", "", sentence)
    if found is None or not found.n_answered:
        return None
    figure = words.of(found.n_completed, found.n_answered)
    if found.n_completed:
        what = "it has seen" if view.benchmark.models[row.model].backend == PROGRAMS else "it was trained on"
        sentence = f"It completes {figure} canaries of this board's files, so {what} those files."
        return Probe("flagged", figure, sentence)
    sentence = (
        f"It completes none of the {found.n_answered} canaries of this board's files; "
        "medium trust takes a test of overlap with training text."
    )
    return Probe("no sign", figure, sentence)


# Contamination by date.


@dataclass(frozen=True)
class DatesTable:
    """A test of all contestants on one part of the board.

    part: what the items are, in words. rows: of the tested contestants, in the order of the board. untested: why others
    are not tested, each reason with these contestants in words.
    """

    part: str
    rows: Sequence[ContaminationDateRow]
    untested: Sequence[tuple[str, str]]

    @property
    def flagged(self) -> Sequence[str]:
        """The flagged contestants by id."""
        return [row.model for row in self.rows if row.flagged]

    @property
    def reach(self) -> float | None:
        """The difference in points from which half of the contestants would be flagged; None if none was tested."""
        halves = [row.difference - row.low for row in self.rows if row.difference is not None and row.low is not None]
        return median(halves) if halves else None


def dates_part(view: BoardView) -> Mapping[str, Any] | None:
    """Return what the trust page shows: the tests against the date of the board and against training cutoffs.

    None on a board whose items have no dates. n_tests: how many of the tables have a tested contestant. newer: the
    contestants for which all items are newer than their cutoff, each with the cutoff.
    """
    rows = _dated(view)
    if not rows:
        return None
    newer = [row for row in rows if _is_newer(view, row)]
    without = {row.model for row in newer}
    of_date = [row for row in rows if row.by == "date"]
    by_date = list(_tables(view, of_date))
    by_cutoff = list(_tables(view, [row for row in rows if row.by == "cutoff" and row.model not in without]))
    return {
        "date": of_date[0].date if of_date else None,
        "by_date": by_date,
        "by_cutoff": by_cutoff,
        "n_tests": sum(bool(table.rows) for table in (*by_date, *by_cutoff)),
        "newer": [f"{view.title(row.model)} ({row.date})" for row in sorted(newer, key=_order(view))],
    }


def _order(view: BoardView) -> Callable[[ContaminationDateRow], int]:
    """Return the sort key that puts rows in the order of the board."""
    places = {model: place for place, model in enumerate(view.rows)}
    return lambda row: places[row.model]


def _is_newer(view: BoardView, row: ContaminationDateRow) -> bool:
    """Return True if all items of the board have a date and are newer than the contestant's training cutoff."""
    return row.by == "cutoff" and row.n_before == 0 and row.n_after == view.results.n_items


def _dated(view: BoardView) -> Sequence[ContaminationDateRow]:
    table = known(getattr(view.results, "contamination_dates", UNSET))
    return [row for row in table if row.model in view.rows]


def _tables(view: BoardView, rows: Sequence[ContaminationDateRow]) -> Iterator[DatesTable]:
    named: set[str] = set()
    for category, of_part in groupby(rows, key=lambda row: row.category):
        own = sorted(of_part, key=_order(view))
        untested: dict[str, list[str]] = {}
        for row in own:
            if row.absent is not None and row.model not in named:
                untested.setdefault(row.absent, []).append(view.title(row.model))
        if category is None:  # who is not tested on all items is not named again in its parts
            named = {row.model for row in own if row.absent is not None}
        most = len(own) if category is None else _FEW
        yield DatesTable(
            _part(view, category),
            [row for row in own if row.absent is None],
            [(why, words.listed(words.some_of(titles, most))) for why, titles in untested.items()],
        )


def _part(view: BoardView, category: str | None) -> str:
    """Return a part of the board in words: `items`, `LeetCode items`."""
    titles = {each.id: each.title for domain in view.domains.values() for each in domain.categories}
    return "items" if category is None else f"{words.isolated(titles[category])} items"


def dates_probe(view: BoardView, row: AnyRow) -> Probe | None:
    """Return what the dates of the items say of a contestant; None on a board whose items have no dates."""
    rows = [each for each in _dated(view) if each.model == row.model]
    if not rows:
        return None
    tested = [each for each in rows if each.low is not None]
    if flagged := [each for each in tested if each.flagged]:
        strongest = max(flagged, key=lambda each: (each.low or 0.0, each.by == "cutoff"))
        why = f"Flagged by date: {_found(view, strongest)}; it may have seen older ones in training."
        return Probe("flagged", _figure(strongest), why)
    for each in rows:
        if _is_newer(view, each):
            why = f"All {words.plural(each.n_after, 'item')} are newer than its training cutoff, {each.date}, as the "
            return Probe("newer", f"cutoff {each.date}", f"{why}specs state it.", declared=True)
    if tested:
        why = f"No sign by date: {_found(view, tested[0])}; medium trust takes a test of overlap with training text."
        return Probe("no sign", _figure(tested[0]), why)
    why = f"By date it is not testable: {rows[0].absent}. A test takes {LEAST_CLUSTERS} independent items on each side."
    return Probe("not testable", "", why)


def newer_items_probe(view: BoardView, row: AnyRow) -> Probe | None:
    """Return what the first commits of the items say of a model; None if they are not all newer than it."""
    own = next((each for each in known(view.results.item_dates) if each.model == row.model), None)
    if own is None or not own.newer:
        return None
    items = words.plural(own.n_items, "item")
    why = f"All {items} are newer than the model: it was released in {own.released}, and the first item is in "
    tested = "" if states_rate(view, row.model) else " Nobody tested overlap."
    return Probe("newer", f"items from {own.first}", f"{why}{own.source} of {own.first}.{tested}")


def _found(view: BoardView, row: ContaminationDateRow) -> str:
    """Say how much more a contestant drops than others."""
    since = f"newer than its training cutoff, {row.date}" if row.by == "cutoff" else f"from {row.date} on"
    bounds = f"bounds {words.number(row.low)} to {words.number(row.high)}"
    more = row.difference or 0.0
    points = f"{words.number(abs(more))} points {'less' if more < 0 else 'more'}"
    return f"its score drops {points} than that of others on {_part(view, row.category)} {since} ({bounds})"


def _figure(row: ContaminationDateRow) -> str:
    return f"drop {words.signed(row.difference, 1)}"


# The overlap of a board's items with corpora.


_REST = "Text that was not compared, such as other training data, may have more of them."
_NO_TRAINING = "That is no training data, so nobody tested whether the model saw these items in training."
_WITHOUT_TEXTS = "A comparison with a corpus takes the texts of the items, which are not in this benchmark."


def overlap_probe(view: BoardView, row: AnyRow) -> Probe | None:
    """Return what the overlap with corpora says about a contestant; None for a program, and if it was not measured."""
    if view.benchmark.models[row.model].backend == PROGRAMS:
        return None
    own = _overlaps(view).get(row.model)
    if own is None:
        if view.has_texts:
            return None
        return Probe("not testable", "", _WITHOUT_TEXTS)
    found, items = view.benchmark.overlaps[view.board.id], f"{words.number(own.n_tested, 0)} tested items"
    if own.rate is None:
        why = f"A test takes {SEQUENCE} words or a measured similarity, which no item has."
        return Probe("not testable", "", why)
    rate = words.percent(own.rate)
    corpora = words.listed(words.some_of([corpus.name for corpus in found.corpora], _FEW))
    sentence = f"Of {items}, {words.number(own.n_contaminated, 0)} ({rate}) are in the text of {corpora}."
    if not found.training:
        return Probe("no sign", "", f"{sentence} {_NO_TRAINING}")
    finding: Finding = "clean" if own.rate < MOST_CONTAMINATED else "flagged"
    if own.wide and is_sure(own):
        finding = "flagged"
        sentence += (
            f" It scores {words.estimate(own.gap, own.gap_low, own.gap_high)} points more on them than on others."
        )
    return Probe(finding, f"c = {rate}", f"{sentence} {_REST}")


def shown_overlap(view: BoardView) -> Mapping[str, Any]:
    """Return what the page of trust shows about overlap.

    found: None if nothing was measured; testable: whether it could be then. contaminated: the ids of contaminated
    items, or the first of them. sources: how many items have a source text that shares a sequence with a corpus. rows:
    the row of each contestant on the whole board, its scores on both kinds of items, and whether the interval of their
    gap is above 0.
    """
    found, rows = view.benchmark.overlaps.get(view.board.id), _overlaps(view)
    if found is None or not rows:
        return {"testable": view.has_texts, "found": None}
    states = {item.id: found.contaminated(item) for item in found.items}
    contaminated = [item for item, state in states.items() if state]
    return {
        "testable": True,
        "found": found,
        "n_contaminated": len(contaminated),
        "n_tested": sum(state is not None for state in states.values()),
        "n_private": view.n_private,
        "contaminated": words.some_of(contaminated, _FEW),
        "sources": sum(item.source_shared >= found.least_shared for item in found.items),
        "rows": [(row, rows[model], is_sure(rows[model])) for model, row in view.rows.items() if model in rows],
        "gap": WIDE_GAP,
        "sequence": SEQUENCE,
    }


def is_sure(own: OverlapRow) -> bool:
    """Return True if the gap between contaminated and clean items is above 0, by the joint bound of all models.

    Programs, and runs that were scored before there was a joint bound, have the interval of the gap alone.
    """
    low = own.gap_low if own.gap_bound is UNSET else own.gap_bound
    return low is not None and low > 0


def states_rate(view: BoardView, model: str) -> bool:
    """Return whether the page has the contamination rate of a contestant, or says why the items have none.

    A rate is one of items in training data.
    """
    found = view.benchmark.overlaps.get(view.board.id)
    return (found is not None and bool(found.training) and model in _overlaps(view)) or not view.has_texts


def _overlaps(view: BoardView) -> dict[str, OverlapRow]:
    """Return the rows of the results by contestant; empty if nothing was measured."""
    return {row.model: row for row in known(view.results.overlap)}


# Rotation: whether contestants score less on the items that were added since an earlier run than on the older ones.


@dataclass(frozen=True)
class Rotation:
    """The comparison with the newest earlier run that lacks some of the items. run: its name; None if none lacks one.

    n_earlier: how many earlier runs have the board. rows: the contestants with a score on every item.
    """

    n_earlier: int
    run: str | None = None
    n_old: int = 0
    n_fresh: int = 0
    rows: Sequence[tuple[ModelFile, DatedDifference]] = ()


def rotation(site: SiteData, view: BoardView) -> Rotation:
    """Return how scores on fresh items differ from those on old ones, by the scores of the shown run.

    The value of a row is how much more a contestant drops on fresh items than others do, as fresh items can be harder.
    Runs whose results of items are missing or were changed are passed over.
    """
    vectors, n_earlier = score_vectors(view), 0
    ids = [item.id for item in vectors.items.items]
    for entry in reversed(site.runs):
        if entry.path == site.entry.path or entry.manifest.date > site.entry.manifest.date:
            continue
        had = _items(entry, view.board.id)
        n_earlier += bool(had)
        fresh = np.array([item not in had for item in ids])
        if had and fresh.any() and not fresh.all():
            models = [view.benchmark.models[name] for name, row in view.rows.items() if row.rank is not None]
            scores = np.array([vectors.of_model[model.id] for model in models], np.float64).reshape(len(models), -1)
            clusters = np.array([item.cluster for item in vectors.items.items])
            found = difference_in_differences(scores, fresh, clusters, related_contestants(models))
            rows = list(zip(models, found, strict=True))
            return Rotation(n_earlier, entry.path.name, int((~fresh).sum()), int(fresh.sum()), rows)
    return Rotation(n_earlier)


def _items(entry: CatalogEntry, board: str) -> set[str]:
    """Return the ids of the items of a board in a sealed run; none if they cannot be read."""
    try:
        raw = sealed_content(entry.path, entry.manifest, f"results/{board}/items.csv")
        return {row["item"] for row in csv.DictReader(io.StringIO(raw.decode()), strict=True)}
    except (OSError, ValueError, KeyError, csv.Error):
        return set()
