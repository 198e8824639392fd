"""Look up what pages need from a board's spec and results, for any protocol.

The view of a protocol overrides what differs on its boards.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median
from typing import Any, ClassVar, Literal, TypeAlias

import msgspec

from nullbench_site.extensions import protocol_part
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.scoring.board_tables import ScreeningRow
from nullbench_site.scoring.bridges import SCORE
from nullbench_site.scoring.contamination_tables import CanaryRow
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.scoring.results import WHOLE_BOARD, AgreementRow, ItemRow
from nullbench_site.site import paths, words
from nullbench_site.site.charts.radar import POINTS, Scale
from nullbench_site.site.charts.style import WHOLE, of_scores
from nullbench_site.site.claims import named
from nullbench_site.site.convergence import OtherBoard
from nullbench_site.site.host_load import HostLoad, Overlap
from nullbench_site.site.judge_replies import RepliesOfRun, fault_words, faults, named_judges
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.item_texts import item_texts
from nullbench_site.specs.types import RECORDED, BoardFile, Item, Judge, JudgedBoardFile, ModelFile, Panel
from nullbench_site.specs.types.answerers import PROGRAMS, UNRANKED
from nullbench_site.stats.measure import Robustness

AnyRow: TypeAlias = Any
"""A row of the results: a contestant on some of the items of a board, or on all, with the columns of its protocol."""

_NOT_JUDGED = "nothing is judged yet"
_NOT_MEASURED = "the protocol of the board does not measure it"
_UNJUDGED = AgreementRow(
    units=0, alpha=None, label=None, absent=_NOT_JUDGED,
    units_scored=0, alpha_scored=None, label_scored=None, absent_scored=_NOT_JUDGED,
)  # fmt: skip


@dataclass(frozen=True)
class RadarSpec:
    """The spokes of a board's radars.

    spokes: their titles by id. goals: the goal of each; None without goals, and the profile is then compared with the
    median. metric: of the values on the spokes; empty for the score. field: the field of a row of the whole board with
    the values by spoke; empty if they are those of the parts `parts` of the board. caption: of their table; spoke: the
    head of its first column. unit: of distances between profiles, and how many digits of it are shown.
    """

    spokes: Mapping[str, str]
    scale: Scale
    goals: Mapping[str, float] | None = None
    metric: str = ""
    field: str = ""
    parts: Literal["domains", "categories"] = "domains"
    caption: str = "Score by domain"
    spoke: str = "Domain"
    unit: str = "points of 100"
    digits: int = 1

    @property
    def against(self) -> Literal["goal", "median"]:
        """Return what a small radar compares the profile with."""
        return "median" if self.goals is None else "goal"

    @property
    def drawn(self) -> bool:
        """True if there are enough spokes for a radar: at least three."""
        return len(self.spokes) >= 3


@dataclass(frozen=True)
class BoardView:
    """A board's spec and results, with the look-ups that pages need.

    others: the other boards of the site. audit: the newest sealed audit of its judges. replies: what judges replied;
    load: of this machine while the run was recorded; both None if the records are not at hand.
    """

    benchmark: Benchmark
    board: BoardFile
    results: Any
    others: Sequence[OtherBoard] = ()
    audit: Audit | None = None
    replies: RepliesOfRun | None = field(default=None, repr=False, compare=False)
    load: HostLoad | None = field(default=None, repr=False, compare=False)

    @property
    def url(self) -> str:
        return paths.board_url(self.board.id)

    asked: ClassVar[bool] = True
    """Whether contestants were asked in this run; False if the specs have their scores."""

    # Who is on the board.

    @cached_property
    def rows(self) -> Mapping[str, AnyRow]:
        """Return the rows by contestant, in the order of the board."""
        return {row.model: row for row in self.results.leaderboard}

    @property
    def contestants(self) -> Sequence[AnyRow]:
        """Return the rows of contestants other than null models."""
        return [row for row in self.rows.values() if not self.is_null(row.model)]

    @cached_property
    def nulls(self) -> Sequence[str]:
        """Return the ids of the null models on the board."""
        return [model for model in self.rows if self.is_null(model)]

    @cached_property
    def canaries(self) -> Mapping[str, CanaryRow]:
        """Return by contestant what canaries found."""
        return {row.model: row for row in known(self.results.canaries)}

    @cached_property
    def tied(self) -> Mapping[int, Sequence[str]]:
        """Return the contestants of each tie group by id, in the order of the board."""
        groups: dict[int, list[str]] = {}
        for row in self.rows.values():
            if row.tie_group is not None:
                groups.setdefault(row.tie_group, []).append(row.model)
        return groups

    @cached_property
    def n_ranked(self) -> int:
        """Return the number of ranked contestants."""
        return sum(row.rank is not None for row in self.rows.values())

    @cached_property
    def has_texts(self) -> bool:
        """Return whether public items have a text that can be compared with a corpus."""
        return bool(item_texts(self.board, self.benchmark.domains))

    @cached_property
    def floors(self) -> dict[tuple[str, str], float | None]:
        """Return the null floors of parts computed so far, 0-100, by kind of part and part."""
        return {}

    @cached_property
    def to_next(self) -> dict[str, Mapping[str, Any]]:
        """Return the differences of neighbours in domains computed so far, by domain and the first of the two."""
        return {}

    @property
    def floor(self) -> float | None:
        """Return the score of the best null model, 0-100; None without one."""
        return self.results.floor.overall if self.results.floor else None

    @cached_property
    def differences(self) -> Mapping[tuple[str, str], Any]:
        """Return the differences that the results have, by two ranked contestants, the higher first."""
        return {(difference.a, difference.b): difference for difference in self.results.differences}

    def mark_title(self, mark: str) -> str:
        """Return the title of what a judge gives: the score, or a metric of the protocol."""
        if mark == SCORE:
            return "Score by this judge alone, 0 to 100"
        return METRICS[mark].title if mark in METRICS else mark.replace("_", " ").capitalize()

    def robustness(self, first: str, second: str) -> Robustness:
        """Return the robustness of a difference on the whole board to the panel."""
        difference = self.differences.get((first, second)) or self.differences.get((second, first))
        return self.robustness_of_parts if difference is None else difference.robustness

    @property
    def robustness_of_parts(self) -> Robustness:
        """Return the robustness of differences that were not studied by judge, as in parts of the board."""
        kinds: dict[int, Robustness] = {0: "no judge", 1: "one judge"}
        return kinds.get(len(self.judges), "unknown")

    @cached_property
    def screened(self) -> Mapping[str, ScreeningRow]:
        """What screening finds, by contestant; empty on a board without answers, and in older runs."""
        return {row.model: row for row in known(self.results.screening)}

    def title(self, model: str) -> str:
        """Return the title of a contestant, with its status if it has one."""
        return named(self.benchmark.models[model])

    @property
    def name(self) -> str:
        """Return the title of the board as a part of a sentence."""
        return words.isolated(self.board.title)

    def domain_name(self, domain: str) -> str:
        """Return the title of a domain as a part of a sentence."""
        return words.isolated(self.domains[domain].title)

    def is_null(self, model: str) -> bool:
        return self.benchmark.models[model].kind == "null"

    @cached_property
    def of_programs(self) -> bool:
        """Return True if all contestants are programs."""
        return all(model.backend == PROGRAMS for model in self.benchmark.contestants(self.board))

    @cached_property
    def language_models(self) -> Sequence[ModelFile]:
        """Return the contestants that are language models: called, or with published answers or scores."""
        entered = self.benchmark.contestants(self.board)
        return [model for model in entered if model.is_language_model]

    @property
    def n_programs(self) -> int:
        """Return the number of contestants that are no language models, without null models and controls."""
        entered = self.benchmark.contestants(self.board)
        return sum(model.kind not in UNRANKED for model in entered) - len(self.language_models)

    # What it asks.

    @cached_property
    def domains(self) -> Mapping[str, Any]:
        """Return the domains of the board by id, in its order."""
        return {name: self.benchmark.domains[name] for name in self.board.domains}

    @cached_property
    def items(self) -> tuple[Any, ...]:
        """Return the items as the protocol places them in groups, in the order of the specs."""
        return tuple(self.benchmark.items(self.board))

    @cached_property
    def domain_of(self) -> Mapping[str, str]:
        """Return the domain of each item."""
        return {placed.id: placed.domain.id for placed in self.items}

    @cached_property
    def n_private(self) -> int:
        """Return the number of private items."""
        return sum(is_private(placed.item) for placed in self.items)

    def n_wanted(self, model: str) -> int:
        """Return the number of answers that a contestant has to give."""
        wordings = self.board.wordings_for(self.benchmark.answerer(model))
        return int(self.results.n_items * len(wordings) * self.board.samples)

    def cluster(self, placed: Any) -> Hashable:
        """Return the cluster of an item for standard errors: the item itself."""
        return "item", placed.id

    def group(self, placed: Any) -> str:
        """Return the group of an item. The overall score is the mean over groups; here the board is one group."""
        return self.board.id

    def group_weights(self) -> Mapping[str, float] | None:
        """Return the weight of each group; None if all are equal."""
        return None

    # How fast they answered.

    @cached_property
    def under_load(self) -> Mapping[str, Overlap]:
        """Return the contestants on this machine whose calls overlapped others to it: their times are not compared."""
        return {} if self.load is None else self.load.of(self.board.id)

    # Who judges it.

    @property
    def panel(self) -> Panel | None:
        """Return the panel; None if no judge scores."""
        return self.benchmark.panels[self.board.panel] if isinstance(self.board, JudgedBoardFile) else None

    @cached_property
    def judges(self) -> tuple[Judge, ...]:
        """Return the judges in the order of the panel; none if no judge scores."""
        return () if self.panel is None else tuple(self.benchmark.judges[judge] for judge in self.panel.judges)

    @cached_property
    def null_first(self) -> AnyRow | None:
        """Return the null model that scores as much as every ranked contestant, or more; None if there is none."""
        return self.null_first_of(self.rows.values())

    def null_first_of(self, rows: Iterable[AnyRow]) -> AnyRow | None:
        """Return the same of the rows of a part of the board."""
        scored = [row for row in rows if row.score is not None]
        ranked = [row.score for row in scored if row.rank is not None and not self.is_null(row.model)]
        nulls = [row for row in scored if self.is_null(row.model) and self.rows[row.model].compared]
        best = max(nulls, key=lambda row: row.score, default=None)
        return best if best is not None and ranked and best.score >= max(ranked) else None

    @cached_property
    def makes_no_order(self) -> bool:
        """Return True if the panel gives no contestant significantly more or less than a null model."""
        found = [each for each in self.results.differences if self.is_null(each.a) != self.is_null(each.b)]
        return self.panel is not None and bool(found) and not any(each.significant for each in found)

    @cached_property
    def judge_faults(self) -> Sequence[str]:
        """Return what makes judges of the panel unfit, a phrase each; empty if none is unfit, or without records."""
        titles = {judge.id: judge.title for judge in self.judges}
        reasons = [*self.results.silenced]
        for judge, title in titles.items():
            reasons = [reason.replace(f"the judge {judge!r}", named_judges([title]), 1) for reason in reasons]
        if self.replies is None or not isinstance(self.board, JudgedBoardFile):
            return reasons
        one_mark = protocol_part(self.board.protocol, "pages").one_mark
        found = faults(self.board, self.replies.of(self.board), one_mark)
        return [*reasons, *fault_words(found, titles)]

    @property
    def thick_line(self) -> str:
        """Say what the interval of a score is, in brackets and drawn."""
        return "for items like these" if self.panel is None else "for items like these, with this panel"

    @cached_property
    def judge_rows(self) -> Sequence[Any]:
        """Return the row of each judge in the order of the panel; none if no judge scores."""
        by_judge = {row.judge: row for row in self.results.judges} if self.judges else {}
        return [by_judge[judge.id] for judge in self.judges if judge.id in by_judge]

    @property
    def rule_based(self) -> bool:
        """Return True if there are judges and each is a program. Pages with scores then say so."""
        return bool(self.judges) and all(judge.is_program for judge in self.judges)

    @property
    def judges_called(self) -> str:
        """Return the noun for the judges when they are counted."""
        judges = "judge" if len(self.judges) == 1 else "judges"
        return f"rule-based {judges}" if self.rule_based else judges

    @property
    def asked_beside(self) -> str:
        """Return a sentence on models that score in addition to the panel; empty without one."""
        return ""

    @property
    def agreements(self) -> Sequence[AgreementRow] | None:
        """Return the panel's agreement on the board and its parts; None if the protocol does not measure it."""
        return getattr(self.results, "agreement", None)

    def agreement(self, *, domain: str | None = None, category: str | None = None, axis: str | None = None) -> Any:
        """Return the panel's agreement on the board or a part of it."""
        part = (domain, category, axis)
        if self.agreements is None:
            return msgspec.structs.replace(_UNJUDGED, absent=_NOT_MEASURED, absent_scored=_NOT_MEASURED)
        rows = (row for row in self.agreements if (row.domain or None, row.category or None, row.axis or None) == part)
        return next(rows, _UNJUDGED)

    # What its rows say.

    def is_whole(self, row: AnyRow) -> bool:
        """Return True for a row of the whole board."""
        return row.tie_group is not WHOLE_BOARD

    def lacking(self, row: AnyRow) -> str:
        """Say what a contestant lacks to be ranked; empty if it lacks nothing."""
        if row.judge_missing:
            judged = words.of(row.judge_calls - row.judge_missing, row.judge_calls)
            return f"judged by {judged} calls {self._until_now(row)}"
        if row.n_unjudged:
            return self.unjudged(row)
        return self._unanswered(row)

    def unjudged(self, row: AnyRow) -> str:
        """Count the answers without any verdict. On a board that draws answers, judges see no others."""
        answers = words.plural(row.n_unjudged, "answer")
        if getattr(self.board, "judged", None) is None:
            return f"{answers} without any verdict"
        return f"{answers} not drawn{' or without any verdict' if row.judge_errored else ''}"

    def _unanswered(self, row: AnyRow) -> str:
        answered, wanted = row.n_responses, self.wanted(row)
        return "" if answered >= wanted else f"{words.of(answered, wanted)} answers {self._until_now(row)}"

    def _until_now(self, row: AnyRow) -> str:
        model = self.benchmark.answerer(row.model)
        if self.board.id in model.unanswered:
            return "here; the others were not imported"
        return "in the imported data" if self.is_imported(model) else "so far"

    @staticmethod
    def is_imported(model: ModelFile) -> bool:
        """Return True if there will be no more records of a model: it was imported with its board."""
        return model.backend == RECORDED and not model.params

    def by_definition(self, row: AnyRow) -> bool:
        """Return True if the score of a contestant is fixed by definition, so that it has no error."""
        return False

    def wanted(self, row: AnyRow) -> int:
        """Return how many answers a contestant should have."""
        return self.n_wanted(row.model) if self.is_whole(row) and row.awaited else int(row.n_responses)

    @cached_property
    def in_domains(self) -> Mapping[str, Mapping[str, AnyRow]]:
        """Return the rows by domain and contestant."""
        return by_group(self.results.domains)

    @cached_property
    def in_categories(self) -> Mapping[str, Mapping[str, AnyRow]]:
        """Return the rows by category and contestant."""
        return by_group(self.results.categories)

    @cached_property
    def in_difficulties(self) -> Mapping[str, Mapping[str, AnyRow]]:
        """Return the rows by difficulty and contestant."""
        return by_group(self.results.difficulties)

    @cached_property
    def rows_of_items(self) -> Mapping[str, Sequence[ItemRow]]:
        """Return the rows of all contestants by item."""
        of_item: dict[str, list[ItemRow]] = {}
        for row in self.results.items:
            of_item.setdefault(row.item, []).append(row)
        return of_item

    # What the profile of a contestant is.

    @cached_property
    def radar_spec(self) -> RadarSpec:
        """Return the spokes of radars: the domains, or the categories of a board with one domain."""
        if len(self.domains) > 1:
            titles = {domain: self.domains[domain].title for domain in self.in_domains}
            return RadarSpec(titles, self._scale(self.in_domains))
        titles = {category.id: category.title for spec in self.domains.values() for category in spec.categories}
        return RadarSpec(
            titles, self._scale(self.in_categories), parts="categories", caption="Score by category", spoke="Category"
        )

    def _scale(self, parts: Mapping[str, Mapping[str, AnyRow]]) -> Scale:
        """Return the scale of radars: to 100, or zoomed if all scores are low."""
        scores = [row.score for rows in parts.values() for row in rows.values() if row.score is not None]
        axis = of_scores(scores)
        return POINTS if axis.high == WHOLE else Scale(0, axis.high, tuple(axis.ticks[1:]))

    @cached_property
    def medians(self) -> Mapping[str, float | None]:
        """Return the median of each spoke over contestants other than null models, if any has a value."""
        return {
            spoke: median(known)
            for spoke in self.radar_spec.spokes
            if (known := [value for row in self.contestants if (value := self.on_spoke(row.model, spoke)) is not None])
        }

    def on_spoke(self, model: str, spoke: str) -> float | None:
        """Return a contestant's value on a spoke."""
        rows = self.in_domains if self.radar_spec.parts == "domains" else self.in_categories
        row = rows.get(spoke, {}).get(model)
        return None if row is None else row.score

    def fingerprint(self, model: str) -> list[float | None]:
        """Return the profile of a contestant: its scores on all spokes, in the same order for all."""
        return [self.on_spoke(model, spoke) for spoke in self.radar_spec.spokes]

    def judges_of(self, model: ModelFile) -> Sequence[Judge]:
        """Return the judges of the panel that may judge a contestant."""
        return self.benchmark.judges_for(self.board, model)

    def judges_of_family(self, model: ModelFile) -> Sequence[Judge]:
        """Return the judges that may score a contestant of their own family."""
        return [judge for judge in self.judges_of(model) if judge.family == model.family]


@dataclass(frozen=True)
class Audit:
    """The audits of the judges of a board. entry: the newest. view: its board of attacks, with those of the others.

    current: it is of the run that the site shows. parts: each audit with its own view, newest first.
    """

    entry: CatalogEntry
    view: BoardView
    current: bool
    parts: Sequence[tuple[CatalogEntry, BoardView]] = ()


def by_group(groups: Iterable[Any]) -> dict[str, dict[str, AnyRow]]:
    """Return the rows of each group by contestant."""
    return {group.id: {row.model: row for row in group.rows} for group in groups}


def is_private(item: Item) -> bool:
    """Return True if only the hash and the scores of an item are public."""
    return item.visibility == "private"


def difficulty_of(placed: Any) -> str:
    """Return the difficulty of an item in words."""
    return placed.item.difficulty or "difficulty not stated"


def view_of(benchmark: Benchmark, board: BoardFile, results: Any, others: Sequence[OtherBoard] = ()) -> BoardView:
    """Return the view of a board with its results."""
    view: BoardView = protocol_part(board.protocol, "pages").view(benchmark, board, results, others)
    return view


def known(table: Sequence[Any] | msgspec.UnsetType) -> Sequence[Any]:
    """Return a table of the results, empty if this run does not have it."""
    return () if isinstance(table, msgspec.UnsetType) else table
