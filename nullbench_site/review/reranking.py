"""Rank boards from known records by the specs of both sides, and place the contestants that the head adds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Annotated, TypeAlias, TypeVar

import msgspec
from msgspec import Meta

from nullbench_site.judging.protocol import judging
from nullbench_site.review.calls import KnownAnswers, moving, specs_of_board
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import Judgment, Response
from nullbench_site.scoring.board import reduce_board
from nullbench_site.scoring.observations import Observations, ShardReader, observe
from nullbench_site.scoring.scorer import scorer_of
from nullbench_site.scoring.screening import screening_row
from nullbench_site.site.differences import paired
from nullbench_site.site.judge_replies import RepliesOfRun
from nullbench_site.site.pages.item_checks import item_checks
from nullbench_site.site.pages.openings import opening
from nullbench_site.site.pages.panel_words import difference_with_other_judges
from nullbench_site.site.pages.sentences import RankHead, of_two, rank_head, ranked_contestants
from nullbench_site.site.pages.trust_marks import Dimension, State, trust
from nullbench_site.site.trust.screening import in_words as screening_words
from nullbench_site.site.views import BoardView, view_of
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.changes import Change
from nullbench_site.specs.types import CONTROLS, BoardFile, Provenance
from nullbench_site.stats.robustness import smallest_difference
from nullbench_site.text import short_line

T = TypeVar("T")
# The comment is made from JSON from anyone, so each number and list has a bound.
Count: TypeAlias = Annotated[int, Meta(ge=0, le=10**12)]
Rank: TypeAlias = Annotated[int, Meta(ge=1, le=10**9)]
Points: TypeAlias = Annotated[float, Meta(ge=-1000, le=1000)]
"""Scores of 0-100, their differences, and the ends of their intervals."""
Some: TypeAlias = Annotated[tuple[T, ...], Meta(max_length=10_000)]
MOST_SENTENCE = 1000
"""The most characters of the claim for a board."""
_POINTS: Mapping[State, int] = {"medium": 1, "high": 2}
"""Other states are absent: claims treat low and not measured alike."""


class Place(msgspec.Struct, frozen=True):
    """The rank of a contestant, with its range and score.

    rank: null if it has none. low, high: the range of ranks. overall: the score, 0-100, with its 95 % interval; null if
    there is none.
    """

    rank: Rank | None
    low: Rank | None
    high: Rank | None
    overall: Points | None
    ci_low: Points | None = None
    ci_high: Points | None = None


class RankChange(msgspec.Struct, frozen=True):
    """A contestant whose place or score changes. before, after: null if it is not on the board."""

    board: str
    contestant: str
    before: Place | None
    after: Place | None


class TrustChange(msgspec.Struct, frozen=True):
    """A changed mark of the trust matrix, of a contestant on both sides."""

    board: str
    contestant: str
    dimension: Dimension
    before: State
    after: State

    @property
    def points(self) -> int:
        """Return a number above 0 for a higher mark and below 0 for a lower one.

        0 between low and not measured, and if the mark does not apply on one side.
        """
        if "does not apply" in (self.before, self.after):
            return 0
        return _POINTS.get(self.after, 0) - _POINTS.get(self.before, 0)


class Pending(msgspec.Struct, frozen=True):
    """A contestant on both sides with a new call on every item. answers: their number; a conversation counts once."""

    contestant: str
    answers: Count


class BoardRanks(msgspec.Struct, frozen=True):
    """The ranks of a board on both sides. items: the items with complete records, out of `of`.

    pending: contestants that the ranks of both sides leave out. changed_rank, changed_range: how many contestants
    change their rank or range of ranks. sentence_before, sentence_after: the claim for the board. rank_head: the
    meaning of the ranks after, if no comparative claim is allowed. not_measured: why nothing was compared; null if it
    was. items_against: how many items go against all others together, after correction for all items.
    keys_contradicted: how many keys most contestants with high scores contradict alike. Both are of the head.
    """

    board: str
    items: Count
    of: Count
    changed_rank: Count = 0
    changed_range: Count = 0
    sentence_before: str | None = None
    sentence_after: str | None = None
    rank_head: RankHead = ""
    not_measured: str | None = None
    pending: Some[Pending] = ()
    items_against: Count = 0
    keys_contradicted: Count = 0


@dataclass(frozen=True)
class Side:
    """A benchmark with its known records: those of a run, or answers from earlier runs."""

    benchmark: Benchmark
    run: CatalogEntry | None
    answers: KnownAnswers | None = None

    def has_answers(self, board: BoardFile) -> bool:
        """Return True if some contestant of a board has records, or needs none."""
        if self.answers is None or not judging(board.protocol).calls:
            return True
        return any(known == board.id for known, _ in self.answers.records)

    def unknown(self, board: str) -> set[str]:
        """Return the items without complete records of a contestant that has some records."""
        if self.run is not None or self.answers is None:
            return set()
        items = self.answers.unknown[board]
        return {item for model in items if (board, model) in self.answers.records for item in items[model]}

    def pending(self, board: str) -> dict[str, int]:
        """Return the contestants without any record, with the number of missing answers."""
        if self.run is not None or self.answers is None:
            return {}
        samples, unknown = self.benchmark.boards[board].samples, self.answers.unknown[board]
        nothing = [model for model in unknown if (board, model) not in self.answers.records]
        return {model: len(unknown[model]) * samples for model in nothing}

    def board(
        self, name: str, without: Collection[str], but_for: Collection[str] = (), *, with_items: bool = False
    ) -> BoardView:
        """Score a board without some of its items and contestants. with_items: also give the score on each item."""
        benchmark, board = self.benchmark.without_items(self.benchmark.boards[name], without)
        scorer = scorer_of(benchmark, board)
        reader = ShardReader(scorer)
        everybody, controls = (self._observed(reader, name, controls=each) for each in (False, True))
        observed = (each for each in everybody if each.model not in but_for)
        results = reduce_board(scorer, "", observed, controls, whole=False, with_items=with_items)
        return replace(view_of(benchmark, board, results), replies=RepliesOfRun(benchmark, (board,), self._judgments))

    def _judgments(self, model: str) -> Iterator[Judgment]:
        if self.run is not None:
            yield from RunFolder(self.run.path, self.run.manifest).records(Judgment, model)
        elif self.answers is not None:
            for (_, one), (_, judgments) in self.answers.records.items():
                yield from judgments if one == model else ()

    def screened(self, name: str, model: str) -> str:
        """Return what screening finds in the answers of a contestant, in words; empty if nothing."""
        placed = {each.id: each for each in self.benchmark.items(self.benchmark.boards[name])}
        row = screening_row(model, self.responses(name, model), placed)
        return short_line(screening_words(row), MOST_SENTENCE) if row.is_flagged else ""

    def responses(self, board: str, model: str) -> Iterable[Response]:
        """Return the known answers of a contestant on a board."""
        if self.run is not None:
            recorded = RunFolder(self.run.path, self.run.manifest).records(Response, model)
            return (each for each in recorded if each.board == board)
        if self.answers is not None and (board, model) in self.answers.records:
            return self.answers.records[board, model][0]
        return ()

    def _observed(self, reader: ShardReader, board: str, *, controls: bool) -> Iterator[Observations]:
        if self.run is not None:
            yield from observe(reader, RunFolder(self.run.path, self.run.manifest), controls=controls)
        elif (of_specs := reader.scorer.from_specs()) is not None:
            yield from () if controls else of_specs
        elif self.answers is not None:
            base, records = reader.scorer.base, self.answers.records
            if base is not None and (board, base) in records:
                reader.base = reader.as_recorded(base, *records[board, base])
            for model in CONTROLS.values() if controls else reader.benchmark.contestants(reader.board):
                if (board, model.id) in self.answers.records:
                    yield reader.observe_records(model.id, *self.answers.records[board, model.id])


@dataclass
class Reranked:
    """The changes of ranks and trust between two benchmarks. views: the boards of the newer one."""

    boards: list[BoardRanks]
    ranks: list[RankChange]
    trust: list[TrustChange]
    views: dict[str, BoardView]


def reranked(before: Side, after: Side, changes: Sequence[Change]) -> Reranked:
    """Score each board that a change can move, on the items with complete records, and compare ranks and trust.

    A renamed contestant counts as the same.
    """
    reranking = Reranked([], [], [], {})
    named_now = {
        change.before: change.id for change in changes if (change.kind, change.what) == ("contestant", "renamed")
    }
    items_were = {change.id: change.before for change in changes if (change.kind, change.what) == ("item", "renamed")}
    moved = moving(changes)
    for name, board in after.benchmark.boards.items():
        if name not in before.benchmark.boards or moved.isdisjoint(
            specs_of_board(before.benchmark, name) | specs_of_board(after.benchmark, name)
        ):
            continue
        placed = list(after.benchmark.items(board))
        unknown = after.unknown(name)
        n_items = len(placed) - len(unknown)
        if before.run is None:
            why = "BASE has no sealed run of its specs with records here"
            reranking.boards.append(BoardRanks(name, 0, len(placed), not_measured=why))
        elif not n_items or not after.has_answers(board):
            why = "every item has a new call"
            reranking.boards.append(BoardRanks(name, 0, len(placed), not_measured=why))
        else:
            names_were = {now: was for was, now in named_now.items()}
            pending = {Pending(*one): names_were.get(one[0], one[0]) for one in after.pending(name).items()}
            old = before.board(name, {items_were.get(item, item) for item in unknown}, pending.values())
            new = reranking.views[name] = after.board(name, unknown, with_items=True)
            was = {named_now.get(model, model): model for model in old.rows}
            known_before = {model.id for model in before.benchmark.contestants(before.benchmark.boards[name])}
            of_both = tuple(one for one, before_id in pending.items() if before_id in known_before)
            checks = item_checks(new, partial(after.responses, name))
            ranks = BoardRanks(
                name,
                n_items,
                len(placed),
                pending=of_both,
                items_against=checks.n_against,
                keys_contradicted=checks.n_contradicted,
            )
            _compare(reranking, old, new, was, ranks)
    return reranking


def _compare(reranking: Reranked, old: BoardView, new: BoardView, were: Mapping[str, str], ranks: BoardRanks) -> None:
    """Add the comparison of a board. were: the older ids of contestants, by their present ids."""
    places = {model: place_of(old, were[model]) for model in were}
    now = {model: place_of(new, model) for model in new.rows}
    board = new.board.id
    both = [(places[model], now[model]) for model in now if model in places]
    reranking.boards.append(
        msgspec.structs.replace(
            ranks,
            changed_rank=sum(was.rank != is_.rank for was, is_ in both),
            changed_range=sum((was.low, was.high) != (is_.low, is_.high) for was, is_ in both),
            sentence_before=_sentence(old),
            sentence_after=_sentence(new),
            rank_head=rank_head(new),
        )
    )
    pairs = ((model, places.get(model), now.get(model)) for model in dict.fromkeys([*now, *places]))
    reranking.ranks += [RankChange(board, model, was, is_) for model, was, is_ in pairs if was != is_]
    for model in now:
        if model in were and not new.is_null(model) and not old.is_null(were[model]):
            marks = zip(trust(old, old.rows[were[model]]), trust(new, new.rows[model]), strict=True)
            reranking.trust += [
                TrustChange(board, model, was.dimension, was.state, is_.state)
                for was, is_ in marks
                if was.state != is_.state
            ]


def _sentence(view: BoardView) -> str:
    return short_line(opening(view).long, MOST_SENTENCE)


def place_of(view: BoardView, model: str) -> Place:
    """Return the place of a contestant on a board."""
    row = view.rows[model]
    return Place(row.rank, row.rank_low, row.rank_high, row.overall, row.ci_low, row.ci_high)


MOST_SUBMISSIONS = 50


class Gap(msgspec.Struct, frozen=True):
    """The difference between a submission and the best other contestant, in points of 0-100, paired by item.

    low, high: its 95 % interval. other_judges: the interval for other judges, in words; empty if there is none.
    smallest: the smallest difference that the board's items detect in 80 of 100 runs, corrected for all differences of
    the board; null with too few items.
    """

    other: str
    value: Points
    low: Points | None
    high: Points | None
    smallest: Points | None
    sentence: str
    other_judges: str = ""


class Submission(msgspec.Struct, frozen=True):
    """A contestant that the head adds to a board. not_measured: why it has no place yet; null if it has one.

    provenance: the claim of its spec; null if there is none. screening: what screening finds in its answers, in words;
    empty if nothing, or without answers.
    """

    board: str
    contestant: str
    provenance: Provenance | None
    place: Place | None
    gap: Gap | None
    not_measured: str | None
    screening: str = ""


def submissions(
    changes: Sequence[Change], side: Side, views: Mapping[str, BoardView], waiting: str
) -> list[Submission]:
    """Return each new contestant on each of its boards, without null models.

    side: the head. views: its scored boards. waiting: why a contestant is missing on a scored board.
    """
    benchmark = side.benchmark
    added = {each.id for each in changes if each.kind == "contestant" and each.what in ("added", "joined")}
    entered = (
        (board.id, model)
        for board in benchmark.boards.values()
        for model in benchmark.contestants(board)
        if model.id in added and model.kind != "null"
    )
    return [
        msgspec.structs.replace(
            _submission(board, model.id, model.provenance, views.get(board), waiting),
            screening=side.screened(board, model.id),
        )
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
        why = view.lacking(row) or row.absent.get("rank", "its records are incomplete")
        return Submission(board, model, provenance, place_of(view, model), None, why)
    return Submission(board, model, provenance, place_of(view, model), _gap(view, model), None)


def _gap(view: BoardView, model: str) -> Gap | None:
    """Return the difference to the best other contestant; None if no other is ranked."""
    other = next((row.model for row in ranked_contestants(view) if row.model != model), None)
    if other is None:
        return None
    pair = paired(view, model, other)
    difference = pair.difference
    if difference.value is None:
        return None
    alpha, smallest = view.results.pair_alpha, None
    if alpha is not None and difference.se and difference.df is not None and "low" not in difference.absent:
        smallest = smallest_difference(difference.se, difference.df, level=1 - alpha)
    return Gap(
        other=other,
        value=difference.value,
        low=difference.low,
        high=difference.high,
        other_judges=difference_with_other_judges(view, model, other),
        smallest=smallest,
        sentence=short_line(of_two(view, pair), MOST_SENTENCE),
    )
