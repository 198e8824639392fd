"""What a protocol makes of the observations of a contestant: the interface by which boards are reduced."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

import msgspec
import numpy as np

from nullbench_site.extensions import protocol_part
from nullbench_site.judging.protocol import judging
from nullbench_site.runs.records import Score
from nullbench_site.scoring.columns import Metric, Slice, measured
from nullbench_site.scoring.layout import BoardLayout, Groups
from nullbench_site.scoring.metrics import added_values, own_metrics
from nullbench_site.scoring.observations import SCORED, VERDICTS, Observations, telemetry
from nullbench_site.scoring.ranking import Strata
from nullbench_site.scoring.results import ItemRow, JudgeRow, Results, Row
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.types import BoardFile, JudgedBoardFile, ModelFile
from nullbench_site.stats.arrays import Bools, Floats, Ints


@dataclass(kw_only=True)
class Contestant:
    """What a board needs to know of one contestant. A protocol adds what it reduces observations to.

    verdicts: how many of those that its answers need ended in each of VERDICTS. unjudged: answers that nobody replied
    about; they have no score, which is not 0. ended: of each task, how many of its verdicts ended so. asked_again: of
    each task, how many replies are those to a second asking; repaired: how many of these are valid. derived: what other
    packages work out of observations.
    """

    model: str
    telemetry: Mapping[str, Any]
    verdicts: Mapping[str, int]
    unjudged: int
    ended: Ints
    asked_again: Ints
    repaired: Ints
    derived: Mapping[str, float | None]

    @staticmethod
    def common(observations: Observations) -> dict[str, Any]:
        """What every protocol makes of observations alike."""
        by_task = observations.verdicts.T.copy()
        ended = np.stack([(by_task == number).sum(axis=1) for number in range(len(VERDICTS))], axis=1)
        return {
            "model": observations.model,
            "telemetry": telemetry(observations),
            "verdicts": dict(zip(VERDICTS, ended.sum(axis=0).tolist(), strict=True)),
            "unjudged": int(observations.silent.sum()),
            "ended": ended,
            "asked_again": observations.repaired.sum(axis=0),
            "repaired": (observations.repaired & (observations.verdicts == SCORED)).sum(axis=0),
            "derived": added_values(observations),
        }


BoardT = TypeVar("BoardT", bound=BoardFile)
ContestantT = TypeVar("ContestantT", bound=Contestant)
RowT = TypeVar("RowT", bound=Row)


class Scorer(ABC, Generic[BoardT, ContestantT, RowT]):
    """What a protocol makes of observations. `score_board` does what is the same for all of them.

    revision: raised where the same observations would be read differently.
    """

    results: ClassVar[type[Results]]
    revision: ClassVar[int] = 1
    REFUSALS: ClassVar[str | None] = "this protocol asks no judge about refusals"

    def __init__(self, benchmark: Benchmark, board: BoardT) -> None:
        self.benchmark, self.board = benchmark, board
        self.layout = BoardLayout(benchmark, board)

    @property
    def tasks(self) -> Sequence[tuple[str, str | None]]:
        """Each judge with the wording it is asked in; nobody where no judge scores."""
        return ()

    def wording(self, template: str | None) -> str | None:
        """The wording of a task to which one that a record names belongs."""
        return template

    def due(self, model: ModelFile) -> Sequence[bool]:
        """Of each task, whether it may judge a contestant."""
        may = {judge.id for judge in self.benchmark.judges_for(self.board, model)}
        return [judge in may for judge, _ in self.tasks]

    def asked(self, model: ModelFile) -> Bools:
        """(units, tasks) whether a task judges the answers of a contestant; (tasks,) where the item does not matter."""
        may = np.array(self.due(model), dtype=np.bool_)
        few = judging(self.board.protocol).judged_items(self.benchmark, self.board, model)
        if not few:
            return may
        of_items = [[placed.id in few.get(task, (placed.id,)) for task in self.tasks] for placed in self.layout.placed]
        both: Bools = may & np.array(of_items).repeat(self.board.samples, axis=0)
        return both

    def score_types(self, placed: PlacedItem) -> Mapping[str, Any]:
        """The scores of a judgment on an item, each with a type of which every value is valid."""
        return {}

    def valid_scores(self, scores: Mapping[str, Score], placed: PlacedItem) -> dict[str, Score]:
        """What of a record's scores is valid."""
        valid = {}
        for name, kind in self.score_types(placed).items():
            try:
                valid[name] = msgspec.convert(scores[name], kind)
            except (KeyError, msgspec.ValidationError):
                continue
        return valid

    @abstractmethod
    def reduce(self, observations: Observations) -> ContestantT:
        """One contestant, without its records."""

    def prepare(self, contestants: Sequence[ContestantT]) -> None:
        """Take note of what rows have to know of all contestants together."""

    @abstractmethod
    def counts(self, contestant: ContestantT) -> bool:
        """Whether it has an answer that counts, and so a row."""

    @cached_property
    def declared(self) -> Sequence[Metric]:
        """The numbers that the protocol declares."""
        return own_metrics(self.board.protocol)

    def rows(self, contestants: Sequence[ContestantT], groups: Groups) -> Iterator[tuple[int, RowT]]:
        """Yield the place of a group and a row for each contestant that has an answer there that counts."""
        for place in range(len(groups.names)):
            chosen = groups.of_item == place
            rows = [row for each in contestants if (row := self.row(each, chosen)) is not None]
            self.relate(rows)
            yield from ((place, row) for row in rows)

    @abstractmethod
    def row(self, contestant: ContestantT, chosen: Bools) -> RowT | None:
        """Return a contestant's row on the items `chosen`, (items,); None where none of its answers counts."""

    def slice_of(self, contestant: ContestantT, chosen: Bools) -> Slice[Any, ContestantT]:
        """Return what the metrics of the protocol are computed from."""
        return Slice(self, contestant, chosen)

    def filled(self, row: type[RowT], of: Slice[Any, ContestantT], absent: Mapping[str, str], **fields: Any) -> RowT:
        """Return a row of these fields and of the metrics that parts of a board have, too."""
        found = measured((metric for metric in self.declared if not metric.whole_board), of, row)
        fields |= found.fields
        if found.derived:
            fields["derived"] = dict(found.derived)
        return row(**fields, absent={**absent, **found.absent})

    def relate(self, rows: Sequence[RowT]) -> None:
        """Put into the rows of one group what depends on all of them."""

    def finish(self, row: RowT, contestant: ContestantT) -> None:
        """Put into the row of the whole board what only that has, beside what every board's has."""

    @abstractmethod
    def lacking(self, contestant: ContestantT, row: RowT) -> str | None:
        """What keeps a contestant from a rank: an answer or a verdict. None where nothing does."""

    @abstractmethod
    def item_scores(self, contestant: ContestantT) -> Floats:
        """(items,) what the score of a slice is the mean of, 0-100; NaN where no answer counts."""

    @property
    def together(self) -> bool:
        """Whether a contestant's score depends on how others did, so that all observations are kept until all are
        known: `item_scores` and `scores_by` are then called after `prepare`."""
        return False

    @cached_property
    def judges(self) -> tuple[str, ...]:
        """The judges of whose choice the score of an item is a matter: all that have a task."""
        return tuple(dict.fromkeys(judge for judge, _ in self.tasks))

    def scores_by(self, observations: Observations, contestant: ContestantT, judges: Collection[str]) -> Floats:
        """(items, samples) what each answer would score, 0-100, by these judges of `judges` alone.

        NaN where they say nothing of it. A protocol may average over samples and give one in the place of all. Called
        for a contestant that has every answer.
        """
        tasks = np.array([judge in judges for judge, _ in self.tasks], dtype=np.bool_)
        return self.item_scores(self.reduce(observations.judged_by(tasks)))[:, np.newaxis]

    def reach(self, contestant: ContestantT) -> float:
        """By how much its score on the board may be off, in points, where its scores of items do not show it."""
        return 0.0

    def ungated(self, contestant: ContestantT) -> Floats | None:
        """(items,) the same of a null model were no refusal gate applied; None where judges are not asked for any."""
        return None

    @property
    def strata(self) -> Strata:
        """How the score of the board is made of those of items. On a part of it all are of one group."""
        items = np.arange(len(self.layout.placed))
        return Strata(np.zeros_like(items), items)

    @abstractmethod
    def item_rows(self, contestants: Sequence[ContestantT]) -> Iterable[ItemRow]:
        """A row an item that has an answer, contestant by contestant, rounded."""

    def groupings(self) -> Mapping[str, Groups]:
        """The tables of parts of the board, by the field of the results."""
        return {name: getattr(self.layout, name) for name in Results.GROUPS}

    def silenced(self, judges: Sequence[Any]) -> list[str]:
        """Why the board makes no comparative claim because of its judges. judges: the rows of the table `judges`."""
        board = self.board
        if not isinstance(board, JudgedBoardFile):
            return []
        return [
            f"the judge {row.judge!r} gave {row.unparsed} invalid verdicts of {row.unparsed + row.scored}"
            f" (limit {100 * board.invalid_limit:g} %)"
            for row in judges
            if row.unparsed > board.invalid_limit * (row.unparsed + row.scored)
        ]

    def tables(self, contestants: Sequence[ContestantT], null_models: frozenset[str]) -> Mapping[str, Any]:
        """The further fields of the results."""
        return {}


def scorer_of(benchmark: Benchmark, board: BoardFile) -> Scorer[Any, Any, Any]:
    """The scorer of a board, by its protocol."""
    scorer: Scorer[Any, Any, Any] = protocol_part(board.protocol, "scoring")(benchmark, board)
    return scorer


def results_type(protocol: str) -> type[Results]:
    """The type of results.json, by the protocol it names."""
    scorer: type[Scorer[Any, Any, Any]] = protocol_part(protocol, "scoring")
    return scorer.results


def judge_rows(tasks: Sequence[tuple[str, str | None]], contestants: Sequence[Contestant]) -> list[JudgeRow]:
    """How the replies of each judge ended, in the order of the tasks."""
    ended = sum((each.ended for each in contestants), np.zeros((len(tasks), len(VERDICTS)), dtype=np.int64))
    again, repaired = (
        sum((getattr(each, name) for each in contestants), np.zeros(len(tasks), dtype=np.int64))
        for name in ("asked_again", "repaired")
    )
    rows = []
    for judge in dict.fromkeys(judge for judge, _ in tasks):
        own = [place for place, (other, _) in enumerate(tasks) if other == judge]
        counts = dict(zip(VERDICTS, ended[own].sum(axis=0).tolist(), strict=True))
        rows.append(
            JudgeRow(judge=judge, **counts, asked_again=int(again[own].sum()), repaired=int(repaired[own].sum()))
        )
    return rows
