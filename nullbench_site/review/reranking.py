"""What known records, scored by changed specs, already move on a board."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from nullbench_site.review.calls import KnownAnswers
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.folder import RunFolder
from nullbench_site.scoring.board import ranked_rows, scorer_of
from nullbench_site.scoring.observations import Observations, ShardReader, observe
from nullbench_site.scoring.results import Row
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.changes import Change
from nullbench_site.specs.types import BoardFile


class Place(msgspec.Struct, frozen=True):
    """Where a contestant stands; null: it has no rank. low, high: the range of its ranks. overall: 0-100."""

    rank: int | None
    low: int | None
    high: int | None
    overall: float | None


class RankChange(msgspec.Struct, frozen=True):
    """A contestant whose place or score is another. before, after: null where it is not on the board."""

    board: str
    contestant: str
    before: Place | None
    after: Place | None


class BoardRanks(msgspec.Struct, frozen=True):
    """How the ranks of a board were compared. items: on how many of its items, `of` in all; the others are asked anew.

    changed_rank, changed_range: how many contestants of both have another rank, or another range of ranks.
    not_measured: why there is nothing to compare; null where there is.
    """

    board: str
    items: int
    of: int
    changed_rank: int = 0
    changed_range: int = 0
    not_measured: str | None = None


@dataclass(frozen=True)
class Side:
    """A benchmark and what is known of it: the records of a run, or answers that earlier runs hold."""

    benchmark: Benchmark
    run: CatalogEntry | None
    answers: KnownAnswers | None = None

    def unknown(self, board: str) -> set[str]:
        """The items of which something is not known of a contestant of whom something is."""
        if self.run is not None or self.answers is None:
            return set()
        items = self.answers.unknown[board]
        return {item for model in items if (board, model) in self.answers.records for item in items[model]}

    def standings(self, name: str, without: Collection[str]) -> Mapping[str, Place]:
        """Where each contestant of a board stands, without some items."""
        scorer = scorer_of(*_without(self.benchmark, self.benchmark.boards[name], without))
        return {row.model: _place(row) for row in ranked_rows(scorer, self._observed(ShardReader(scorer), name))}

    def _observed(self, reader: ShardReader, board: str) -> Iterator[Observations]:
        if self.run is not None:
            yield from observe(reader, RunFolder(self.run.path, self.run.manifest), "", None)
        elif self.answers is not None:
            for model in reader.benchmark.contestants(reader.board):
                if (board, model.id) in self.answers.records:
                    answers, verdicts = self.answers.records[board, model.id]
                    kept = reader.first.keys()
                    yield reader.observe_records(
                        model.id,
                        (each for each in answers if each.item in kept),
                        (each for each in verdicts if each.item in kept),
                    )


def rank_changes(before: Side, after: Side, changes: Sequence[Change]) -> tuple[list[BoardRanks], list[RankChange]]:
    """Each board of both that a change can move, on the items of which everything is known; who moved there.

    A contestant that was renamed is one.
    """
    named_now = {
        change.before: change.id for change in changes if (change.kind, change.what) == ("contestant", "renamed")
    }
    items_were = {change.id: change.before for change in changes if (change.kind, change.what) == ("item", "renamed")}
    boards, moved = [], []
    for name, board in after.benchmark.boards.items():
        if name not in before.benchmark.boards or not any(_may_move(change, board) for change in changes):
            continue
        placed = list(after.benchmark.items(board))
        unknown = after.unknown(name) | ({each.id for each in placed if each.withheld} if after.run is None else set())
        n_items = len(placed) - len(unknown)
        if before.run is None:
            boards.append(BoardRanks(name, 0, len(placed), not_measured="the base has no sealed run of its specs"))
        elif not n_items or (after.answers is not None and not any(key[0] == name for key in after.answers.records)):
            boards.append(BoardRanks(name, 0, len(placed), not_measured="something is asked anew on every item"))
        else:
            were = before.standings(name, {items_were.get(item, item) for item in unknown})
            old = {named_now.get(model, model): place for model, place in were.items()}
            new = after.standings(name, unknown)
            both = [(old[model], new[model]) for model in new if model in old]
            changed_rank = sum(was.rank != now.rank for was, now in both)
            changed_range = sum((was.low, was.high) != (now.low, now.high) for was, now in both)
            boards.append(BoardRanks(name, n_items, len(placed), changed_rank, changed_range))
            pairs = ((model, old.get(model), new.get(model)) for model in dict.fromkeys([*new, *old]))
            moved += [RankChange(name, model, was, now) for model, was, now in pairs if was != now]
    return boards, moved


def _may_move(change: Change, board: BoardFile) -> bool:
    if not change.scored or (change.what == "renamed" and not any(field.scored for field in change.fields)):
        return False
    match change.kind:
        case "board":
            return change.id == board.id
        case "domain" | "category":
            return change.id.split("/")[0] in board.domains or change.what == "removed"
        case _:
            return True


def _without(benchmark: Benchmark, board: BoardFile, items: Collection[str]) -> tuple[Benchmark, BoardFile]:
    """The same board without some of its items, and without what then has none."""
    if not items:
        return benchmark, board
    domains = {}
    for name in board.domains:
        domain = benchmark.domains[name]
        categories = tuple(
            msgspec.structs.replace(category, items=kept)
            for category in domain.categories
            if (kept := tuple(item for item in category.items if item.id not in items))
        )
        if categories:
            domains[name] = msgspec.structs.replace(domain, categories=categories)
    board = msgspec.structs.replace(board, domains=tuple(name for name in board.domains if name in domains))
    return dataclasses.replace(benchmark, domains=domains, boards={board.id: board}), board


def _place(row: Row) -> Place:
    return Place(row.rank, row.rank_low, row.rank_high, row.overall)
