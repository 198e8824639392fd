"""The overlap of a board's items with corpora: a probe of contamination, and its part of the page of trust."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from nullbench_site.scoring.contamination_tables import OverlapRow
from nullbench_site.site import words
from nullbench_site.site.trust.contamination import Finding, Probe
from nullbench_site.site.views import AnyRow, BoardView
from nullbench_site.specs.types import PROGRAMS, OverlapFile
from nullbench_site.stats.inflation import WIDE_GAP
from nullbench_site.stats.trust import MOST_CONTAMINATED, SEQUENCE

_TITLE = "Overlap with text"
_NAMED = 3
"""How many corpora or items a sentence names."""
_REST = "Text that was not compared, such as other training data, may have more of them."
_WITHOUT_TEXTS = "A comparison with a corpus takes the texts of the items, which are not in this benchmark."


def overlap_probe(view: BoardView, row: AnyRow) -> Probe | None:
    """Return what the overlap with corpora says about a contestant; None for a program, and if it was not measured."""
    if view.benchmark.models[row.model].backend == PROGRAMS:
        return None
    own = _rows(view).get(row.model)
    if own is None:
        if view.has_texts:
            return None
        return Probe(_TITLE, "not testable", "", _WITHOUT_TEXTS, "overlap")
    found, items = view.benchmark.overlaps[view.board.id], f"{words.number(own.n_tested, 0)} tested items"
    if own.rate is None:
        return Probe(
            _TITLE,
            "not testable",
            "",
            f"A test takes {SEQUENCE} words or a measured similarity, which no item has.",
            "overlap",
        )
    rate = words.percent(own.rate)
    sentence = f"Of {items}, {words.number(own.n_contaminated, 0)} ({rate}) are in the text of {_corpora(found)}."
    finding: Finding = "clean" if own.rate < MOST_CONTAMINATED else "flagged"
    if own.wide and is_sure(own):
        finding = "flagged"
        sentence += (
            f" It scores {words.estimate(own.gap, own.gap_low, own.gap_high)} points more on them than on others."
        )
    return Probe(_TITLE, finding, f"c = {rate}", f"{sentence} {_REST}", "overlap")


@dataclass(frozen=True)
class OverlapShown:
    """The part of the page of trust. found: None if nothing was measured; testable: whether it could be then.

    contaminated: the ids of contaminated items, or the first of them. sources: how many items have a source text that
    shares a sequence with a corpus. rows: the row of each contestant on the whole board, its scores on
    both kinds of items, and whether the interval of their gap is above 0.
    """

    testable: bool = True
    found: OverlapFile | None = None
    n_contaminated: int = 0
    n_tested: int = 0
    n_private: int = 0
    contaminated: Sequence[str] = ()
    sources: int = 0
    rows: Sequence[tuple[AnyRow, OverlapRow, bool]] = ()
    gap: float = WIDE_GAP
    sequence: int = SEQUENCE


def shown_overlap(view: BoardView) -> OverlapShown:
    """Return the part of a board."""
    found, rows = view.benchmark.overlaps.get(view.board.id), _rows(view)
    if found is None or not rows:
        return OverlapShown(testable=view.has_texts)
    states = {item.id: found.contaminated(item) for item in found.items}
    contaminated = [item for item, state in states.items() if state]
    return OverlapShown(
        found=found,
        n_contaminated=len(contaminated),
        n_tested=sum(state is not None for state in states.values()),
        n_private=view.n_private,
        contaminated=words.some_of(contaminated, _NAMED),
        sources=sum(item.source_shared >= found.least_shared for item in found.items),
        rows=[(row, rows[model], is_sure(rows[model])) for model, row in view.rows.items() if model in rows],
    )


def is_sure(own: OverlapRow) -> bool:
    """Return True if the interval of the gap between contaminated and clean items is above 0."""
    return own.gap_low is not None and own.gap_low > 0


def states_rate(view: BoardView, model: str) -> bool:
    """Return whether the page has the contamination rate of a contestant, or says why the items have none."""
    return model in _rows(view) or not view.has_texts


def _rows(view: BoardView) -> dict[str, OverlapRow]:
    """Return the rows of the results by contestant; empty if nothing was measured."""
    rows: Any = view.results.overlap
    return {} if rows is UNSET else {row.model: row for row in rows}


def _corpora(found: OverlapFile) -> str:
    return words.listed(words.some_of([corpus.name for corpus in found.corpora], _NAMED))
