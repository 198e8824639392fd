"""The interface of a protocol to scoring: how the observations of contestants become rows and tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

import msgspec
import numpy as np

from nullbench_site.extensions import protocol_part
from nullbench_site.judging.protocol import judging
from nullbench_site.runs.records import Score
from nullbench_site.scoring.agreement import Rated, Ratings
from nullbench_site.scoring.board_tables import BiasRow
from nullbench_site.scoring.columns import Metric, Slice, measured
from nullbench_site.scoring.layout import BoardLayout, Groups
from nullbench_site.scoring.metrics import added_values, own_metrics
from nullbench_site.scoring.observations import SCORED_VERDICT, VERDICTS, Observations, telemetry
from nullbench_site.scoring.ranking import Strata
from nullbench_site.scoring.results import ItemRow, JudgeRow, Results, Row
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.types import BoardFile, JudgedBoardFile, ModelFile
from nullbench_site.stats.arrays import Bools, Floats, Ints


@dataclass(kw_only=True)
class Contestant:
    """A contestant reduced to the numbers that a board needs. A protocol adds fields.

    verdicts: how many verdicts on its answers ended in each of VERDICTS. unjudged: how many answers have no reply; they
    have no score, which is not 0. ended: `verdicts` per task. asked_again: per task, how many replies are to a second
    request; repaired: how many of these are valid. forms: form -> per task, how many replies have it. derived: the
    metrics of packages.
    """

    model: str
    telemetry: Mapping[str, Any]
    verdicts: Mapping[str, int]
    unjudged: int
    ended: Ints
    asked_again: Ints
    repaired: Ints
    forms: Mapping[str, Ints]
    derived: Mapping[str, float | None]

    @staticmethod
    def common(observations: Observations) -> dict[str, Any]:
        """Return the fields that are the same for every protocol."""
        by_task = observations.verdicts.T.copy()
        ended = np.stack([(by_task == number).sum(axis=1) for number in range(len(VERDICTS))], axis=1)
        return {
            "model": observations.model,
            "telemetry": telemetry(observations),
            "verdicts": dict(zip(VERDICTS, ended.sum(axis=0).tolist(), strict=True)),
            "unjudged": int(observations.silent.sum()),
            "ended": ended,
            "asked_again": observations.repaired.sum(axis=0),
            "repaired": (observations.repaired & (observations.verdicts == SCORED_VERDICT)).sum(axis=0),
            "forms": observations.forms,
            "derived": added_values(observations),
        }


BoardT = TypeVar("BoardT", bound=BoardFile)
ContestantT = TypeVar("ContestantT", bound=Contestant)
RowT = TypeVar("RowT", bound=Row)


class Scorer(ABC, Generic[BoardT, ContestantT, RowT]):
    """How a protocol scores a board. `score_board` does what all protocols share.

    revision: raise it when the same observations would be scored differently.
    """

    results: ClassVar[type[Results]]
    SLICE: ClassVar[type[Slice[Any, Any]]] = Slice
    """What the metrics of the protocol are computed from."""
    revision: ClassVar[int] = 1
    REFUSALS: ClassVar[str | None] = "this protocol asks no judge about refusals"
    SEVERITY: ClassVar[str | None] = None
    """Why no judge can be more severe than another; None if one can."""
    MARKS: ClassVar[bool] = True
    """Whether `form` needs the marks of Markdown in answers that judges score."""

    def __init__(self, benchmark: Benchmark, board: BoardT) -> None:
        self.benchmark, self.board = benchmark, board
        self.layout = BoardLayout(benchmark, board)
        self.placed: Sequence[Any] = self.layout.placed

    @property
    def tasks(self) -> Sequence[tuple[str, str | None]]:
        """Each judge with its template; empty if no judge scores."""
        return ()

    @property
    def recorded_tasks(self) -> Sequence[tuple[str, str | None]]:
        """The tasks as records have them: of a judge of short questions each question, where `tasks` has one."""
        return self.tasks

    @property
    def base(self) -> str | None:
        """The control whose record every other record of the board is compared with; None if there is none."""
        return None

    def parts(self, placed: Any, text: str) -> Sequence[float]:
        """Return the weights of the parts of an answer that judges are asked about one by one."""
        return ()

    def part_of(self, template: str | None) -> int | None:
        """Return the part of an answer, from 0, that a recorded task is about; None for the whole answer."""
        return None

    def settled(self, observations: Observations, base: Observations | None) -> Observations:
        """Return observations of `recorded_tasks` as observations of `tasks`. base: those of the control `base`."""
        return observations

    def of_judges(self, judges: Collection[str]) -> Bools:
        """Return (tasks,) which tasks are of these judges."""
        return np.array([judge in judges for judge, _ in self.tasks], dtype=np.bool_)

    def wording(self, template: str | None) -> str | None:
        """Return the template of the task that a record with this template belongs to."""
        return template

    def due(self, model: ModelFile) -> Sequence[bool]:
        """Return, for each task, whether it may judge a contestant."""
        may = {judge.id for judge in self.benchmark.judges_for(self.board, model)}
        return [judge in may for judge, _ in self.tasks]

    def due_as_recorded(self, model: ModelFile) -> Sequence[bool]:
        """Return the same for each recorded task."""
        return self.due(model)

    def asked(self, model: ModelFile) -> Bools:
        """Return whether a recorded task judges the answers of a contestant: (units, tasks), or (tasks,) if of all."""
        tasks = self.recorded_tasks
        may = np.array(self.due_as_recorded(model), dtype=np.bool_)
        few = judging(self.board.protocol).judged_items(self.benchmark, self.board, model)
        if not few:
            return may
        of_items = [[placed.id in few.get(task, (placed.id,)) for task in tasks] for placed in self.layout.placed]
        both: Bools = may & np.array(of_items).repeat(self.board.draws, axis=0)
        return both

    def n_draws(self, model: str) -> int:
        """Return how many answers to an item a contestant gives: its wordings times samples, the first of all draws."""
        return len(self.board.wordings_for(self.benchmark.answerer(model))) * self.board.samples

    def score_types(self, placed: PlacedItem) -> Mapping[str, Any]:
        """Return the names of the scores of a judgment on an item, each with the type of its valid values."""
        return {}

    def valid_scores(self, scores: Mapping[str, Score], placed: PlacedItem) -> dict[str, Score]:
        """Return the valid scores of a record."""
        valid = {}
        for name, kind in self.score_types(placed).items():
            try:
                valid[name] = msgspec.convert(scores[name], kind)
            except (KeyError, msgspec.ValidationError):
                continue
        return valid

    def from_specs(self) -> Iterator[Observations] | None:
        """Return the observations of all contestants if the specs have the scores; None if records have them."""
        return None

    @abstractmethod
    def reduce(self, observations: Observations) -> ContestantT:
        """Reduce the observations of one contestant."""

    def prepare(self, contestants: Sequence[ContestantT]) -> None:
        """Compute what rows need from all contestants together."""

    def counts(self, contestant: ContestantT) -> bool:
        """Return True if a contestant has an answer that counts, and therefore a row. Its `counted` says which."""
        counted: Bools = contestant.counted  # type: ignore[attr-defined]
        return bool(counted.any())

    @cached_property
    def declared(self) -> Sequence[Metric]:
        """The metrics that the protocol declares."""
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
        """Return a contestant's row on the items `chosen`, (items,); None if none of its answers counts."""

    def slice_of(self, contestant: ContestantT, chosen: Bools) -> Slice[Any, ContestantT]:
        return self.SLICE(self, contestant, chosen)

    def filled(self, row: type[RowT], of: Slice[Any, ContestantT], absent: Mapping[str, str], **fields: Any) -> RowT:
        """Return a row of these fields, with the metrics that parts of a board also have."""
        found = measured((metric for metric in self.declared if not metric.whole_board), of, row)
        fields |= found.fields
        if found.derived:
            fields["derived"] = dict(found.derived)
        return row(**fields, absent={**absent, **found.absent})

    def relate(self, rows: Sequence[RowT]) -> None:
        """Put into the rows of one group the numbers that depend on all of its rows."""

    def finish(self, row: RowT, contestant: ContestantT) -> None:
        """Put into the row of the whole board the protocol's columns that parts of a board do not have."""

    @abstractmethod
    def lacking(self, contestant: ContestantT, row: RowT) -> str | None:
        """Return why a contestant has no rank, such as a missing answer or verdict; None if it has one."""

    @abstractmethod
    def item_scores(self, contestant: ContestantT) -> Floats:
        """Return (items,) the scores whose mean is the score of a slice, 0-100; NaN if no answer counts."""

    @property
    def together(self) -> bool:
        """Whether a contestant's score depends on the others.

        If so, `item_scores` and `scores_by` are called after `prepare`, with the observations of all.
        """
        return False

    def length_controlled(self, model: str) -> Floats | None:
        """Return (items,) numbers whose mean is the score of a contestant controlled for length; None without one."""
        return None

    @property
    def dated(self) -> tuple[str, Bools, Bools] | None:
        """The date that splits the items of the board, and (items,) which are from before and after; None without."""
        return None

    @cached_property
    def panel_judges(self) -> tuple[str, ...]:
        """The judges of the board's panel, by id."""
        board = self.board
        return tuple(sorted(self.benchmark.panels[board.panel].judges)) if isinstance(board, JudgedBoardFile) else ()

    @cached_property
    def judges(self) -> tuple[str, ...]:
        """The judges that the score of an item depends on: by default, all that have a task."""
        return tuple(dict.fromkeys(judge for judge, _ in self.tasks))

    def scores_by(self, observations: Observations, contestant: ContestantT, judges: Collection[str]) -> Floats:
        """Return (items, draws) the score of each answer by these judges alone, 0-100.

        NaN for answers that they did not judge. A protocol may return the mean over draws as a single one. Called for
        contestants that have every answer.
        """
        return self.item_scores(self.reduce(observations.judged_by(self.of_judges(judges))))[:, np.newaxis]

    def form(self, observations: Observations, contestant: ContestantT) -> Floats:
        """Return (units, 4) the length and the numbers of headers, list items and bold passages of each answer.

        NaN where they are not known.
        """
        length = np.where(observations.answered, observations.runes, np.nan)
        return np.column_stack([length, observations.marks])

    @property
    def compared_with(self) -> Collection[str]:
        """The contestants whose answers are what others are compared with, and whose own scores follow from that."""
        return ()

    def order_biases(self, contestants: Sequence[ContestantT]) -> Iterable[BiasRow]:
        """Return what the order of answers does to the verdicts of each judge; nothing if judges see one answer."""
        return ()

    def in_orders(self, contestant: ContestantT, judges: Collection[str]) -> Sequence[Floats]:
        """Return (items,) the scores by what these judges gave, 0-100, for each order in which they see two answers.

        NaN for items without a readable verdict. One array if there is one order. Empty: `scores_by` says the same.
        """
        return ()

    def reach(self, contestant: ContestantT) -> float:
        """Return how many points a contestant's score may be off without its scores of items showing it."""
        return 0.0

    def ungated(self, contestant: ContestantT) -> Floats | None:
        """Return (items,) the scores of a null model without refusal gates; None if judges are not asked about any."""
        return None

    @property
    def strata(self) -> Strata:
        """The groups and clusters of items in the score of the board.

        In a part of the board, all items are one group.
        """
        items = np.arange(len(self.layout.placed))
        return Strata(np.zeros_like(items), items)

    @cached_property
    def formats(self) -> Groups:
        """How items ask for an answer. One format by default; sensitivity to wording is measured within each."""
        return self.layout.whole

    @property
    def questions(self) -> Sequence[str]:
        """The question of each item, (items,). Items that ask the same in several formats share it."""
        return [placed.id for placed in self.layout.placed]

    @abstractmethod
    def item_rows(self, contestants: Sequence[ContestantT]) -> Iterable[ItemRow]:
        """Return a rounded row for each item that has an answer, contestant by contestant."""

    def groupings(self) -> Mapping[str, Groups]:
        """Return the groups of items with tables of their own, by the name of the field in the results."""
        return {name: getattr(self.layout, name) for name in Results.GROUPS}

    def silenced(self, judges: Sequence[Any]) -> list[str]:
        """Return why the judges keep the board from comparative claims. judges: the rows of the table `judges`."""
        board = self.board
        if not isinstance(board, JudgedBoardFile):
            return []
        return [
            f"the judge {row.judge!r} gave {row.unparsed} invalid verdicts of {row.unparsed + row.scored}"
            f" (limit {100 * board.invalid_limit:g} %)"
            for row in judges
            if row.unparsed > board.invalid_limit * (row.unparsed + row.scored)
        ]

    def ratings(self) -> Ratings | None:
        """Return a count of what judges give, to measure their agreement; None if the protocol does not measure it."""
        return None

    def rated(self, observations: Observations, contestant: ContestantT) -> Rated:
        """Return what judges gave the answers of a contestant, for `ratings`."""
        raise NotImplementedError

    def measured_tasks(self) -> tuple[Sequence[str], Mapping[str, str]]:
        """Return the task of each item, (items,), and the group of each task: its construct, or a narrower one.

        Tasks of one group should measure the same. By default a domain is a task.
        """
        domains = {placed.domain.id: placed.domain.construct or self.board.construct for placed in self.layout.placed}
        return [placed.domain.id for placed in self.layout.placed], domains

    def tables(self, contestants: Sequence[ContestantT]) -> Mapping[str, Any]:
        """Return further fields of the results."""
        return {}


def scorer_of(benchmark: Benchmark, board: BoardFile) -> Scorer[Any, Any, Any]:
    """Return the scorer of a board, by its protocol."""
    scorer: Scorer[Any, Any, Any] = protocol_part(board.protocol, "scoring")(benchmark, board)
    return scorer


def results_type(protocol: str) -> type[Results]:
    """Return the type of results.json of a protocol."""
    scorer: type[Scorer[Any, Any, Any]] = protocol_part(protocol, "scoring")
    return scorer.results


def judge_rows(tasks: Sequence[tuple[str, str | None]], contestants: Sequence[Contestant]) -> list[JudgeRow]:
    """Return how the replies of each judge ended, in the order of the tasks."""
    ended = sum((each.ended for each in contestants), np.zeros((len(tasks), len(VERDICTS)), dtype=np.int64))
    again, repaired = (
        sum((getattr(each, name) for each in contestants), np.zeros(len(tasks), dtype=np.int64))
        for name in ("asked_again", "repaired")
    )
    rows = []
    for judge in dict.fromkeys(judge for judge, _ in tasks):
        own = [place for place, (other, _) in enumerate(tasks) if other == judge]
        counts = dict(zip(VERDICTS, ended[own].sum(axis=0).tolist(), strict=True))
        of_replies = {"asked_again": int(again[own].sum()), "repaired": int(repaired[own].sum())}
        rows.append(JudgeRow(judge=judge, **counts, **of_replies, forms=forms_of(contestants, own)))
    return rows


def forms_of(contestants: Sequence[Contestant], tasks: Sequence[int]) -> dict[str, int] | msgspec.UnsetType:
    """Return how many replies of these tasks have each form, without those in the form that was asked for."""
    counts = Counter[str]()
    for contestant in contestants:
        counts.update({form: int(of_task[tasks].sum()) for form, of_task in contestant.forms.items()})
    return {form: n for form, n in sorted(counts.items()) if n} or msgspec.UNSET
