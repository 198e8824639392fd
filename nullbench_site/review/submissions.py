"""What a head submits: contestants that are new, and how far they are from the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

import msgspec

from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.review.reranking import MOST_SENTENCE, Place, Points, place_of
from nullbench_site.scoring.findings import Difference
from nullbench_site.site.pages.sentences import of_two, ranked_contestants
from nullbench_site.site.views import BoardView
from nullbench_site.specs.changes import Change
from nullbench_site.specs.types import Provenance
from nullbench_site.stats.robustness import smallest_difference
from nullbench_site.text import short_line

MOST_SUBMISSIONS = 50


class Gap(msgspec.Struct, frozen=True):
    """A submission against the first of the others of its board, in points of 0-100, paired by item.

    low, high: the 95 % interval of the difference on its own. smallest: the smallest difference that the items of the
    board tell apart in 80 of 100 runs, beside all its other differences; null: too few items to say.
    """

    other: str
    value: Points
    low: Points | None
    high: Points | None
    smallest: Points | None
    sentence: str


class Submission(msgspec.Struct, frozen=True):
    """A contestant that the head adds to a board. not_measured: why it has no place yet; null where it has.

    provenance: what its spec claims; null where it claims nothing.
    """

    board: str
    contestant: str
    provenance: Provenance | None
    place: Place | None
    gap: Gap | None
    not_measured: str | None


def submissions(
    changes: Sequence[Change], builder: RequestBuilder, views: Mapping[str, BoardView], waiting: str
) -> list[Submission]:
    """Each contestant that is new, null models aside, on each of its boards. views: of the boards that were scored.
    waiting: why somebody is not on a board that was.
    """
    benchmark = builder.benchmark
    added = {each.id for each in changes if each.kind == "contestant" and each.what in ("added", "joined")}
    entered = (
        (board.id, model)
        for board in benchmark.boards.values()
        for model in benchmark.contestants(board)
        if model.id in added and model.kind != "null"
    )
    return [
        _submission(board, model.id, model.provenance, views.get(board), waiting)
        for board, model in islice(entered, MOST_SUBMISSIONS)
    ]


def _submission(
    board: str, model: str, provenance: Provenance | None, view: BoardView | None, waiting: str
) -> Submission:
    if view is None or model not in view.rows:
        why = "the board was not scored" if view is None else waiting
        return Submission(board, model, provenance, None, None, why)
    row = view.rows[model]
    if row.rank is None:
        why = view.lacking(row) or row.absent.get("rank", "something of it is missing")
        return Submission(board, model, provenance, place_of(view, model), None, why)
    return Submission(board, model, provenance, place_of(view, model), _gap(view, model), None)


def _gap(view: BoardView, model: str) -> Gap | None:
    """To the first of the others; None where nobody else is ranked."""
    other = next((row.model for row in ranked_contestants(view) if row.model != model), None)
    pair = None if other is None else view.differences.get((other, model)) or view.differences.get((model, other))
    if pair is None or other is None or pair.value is None:
        return None
    difference: Difference = pair
    sign = 1 if difference.a == model else -1
    ends = [sign * end for end in (difference.low, difference.high) if end is not None]
    alpha, smallest = view.results.pair_alpha, None
    if alpha is not None and difference.se and difference.df is not None and "low" not in difference.absent:
        smallest = smallest_difference(difference.se, difference.df, level=1 - alpha)
    return Gap(
        other=other,
        value=sign * (difference.value or 0.0) or 0.0,
        low=min(ends) if len(ends) == 2 else None,
        high=max(ends) if len(ends) == 2 else None,
        smallest=smallest,
        sentence=short_line(of_two(view, difference), MOST_SENTENCE),
    )
