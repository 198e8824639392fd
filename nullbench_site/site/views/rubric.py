"""A board of the `rubric` protocol."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from nullbench_site.protocols.geval import METRICS as GEVAL_METRICS
from nullbench_site.protocols.rubric.results import (
    JudgeOnModel,
    RubricAgreement,
    RubricGroup,
    RubricResults,
    RubricRow,
    RubricScores,
)
from nullbench_site.protocols.rubric.specs import RubricBoardFile, RubricDomainFile, RubricItem, RubricPlacedItem
from nullbench_site.site.views.board import BoardView, is_private
from nullbench_site.specs.types import Judge


@dataclass(frozen=True)
class RubricView(BoardView):
    """The same of a `rubric` board, with its prompts and what each judge gave."""

    board: RubricBoardFile
    results: RubricResults

    @cached_property
    def rows(self) -> Mapping[str, RubricRow]:
        return {row.model: row for row in self.results.leaderboard}

    @property
    def contestants(self) -> Sequence[RubricRow]:
        return [row for row in self.rows.values() if not self.is_null(row.model)]

    @property
    def geval_judge(self) -> Judge | None:
        """Whom G-Eval asks; None on a board without G-Eval."""
        judge = self.results.geval_judge
        return None if judge is None else self.benchmark.judges[judge]

    @property
    def rule_based(self) -> bool:
        asked = [*self.judges, *([self.geval_judge] if self.geval_judge else [])]
        return all(judge.backend == "offline" for judge in asked)

    @cached_property
    def domains(self) -> Mapping[str, RubricDomainFile]:
        """The domains of the board by id, in its order."""
        specs = {name: self.benchmark.domains[name] for name in self.board.domains}
        return {name: spec for name, spec in specs.items() if isinstance(spec, RubricDomainFile)}

    @cached_property
    def items(self) -> tuple[RubricPlacedItem, ...]:
        """The prompts, in the order of the specs."""
        return tuple(self.benchmark.items(self.board))

    @cached_property
    def n_private(self) -> int:
        """How many of the prompts are published by their hashes alone."""
        return sum(is_private(placed.item) for placed in self.items)

    @cached_property
    def in_domains(self) -> Mapping[str, Mapping[str, RubricScores]]:
        """Domain -> contestant -> its scores there."""
        return _by_group(self.results.domains)

    @cached_property
    def in_categories(self) -> Mapping[str, Mapping[str, RubricScores]]:
        """Category -> contestant -> its scores there."""
        return _by_group(self.results.categories)

    @cached_property
    def in_difficulties(self) -> Mapping[str, Mapping[str, RubricScores]]:
        """Difficulty -> contestant -> its scores there."""
        return _by_group(self.results.difficulties)

    @cached_property
    def given(self) -> Mapping[tuple[str, str], JudgeOnModel]:
        """Judge and contestant -> what the one gave the other; without those that must not judge it."""
        return {(row.judge, row.model): row for row in self.results.judge_models}

    @cached_property
    def medians(self) -> Mapping[str, float]:
        """Domain -> the median overall of the contestants that are no null models; without domains nobody has."""
        found = {}
        for group in self.results.domains:
            known = [row.overall for row in group.rows if row.overall is not None and not self.is_null(row.model)]
            if known:
                found[group.id] = median(known)
        return found

    def agreement(self, domain: str | None = None) -> RubricAgreement:
        """Agreement of the panel on a domain (None: on all); absent where it judged nothing."""
        nothing = "nothing is judged yet"
        unjudged = RubricAgreement(
            domain=domain,
            units=0, alpha=None, label=None, absent=nothing,
            units_scored=0, alpha_scored=None, label_scored=None, absent_scored=nothing,
        )  # fmt: skip
        return next((row for row in self.results.agreement if row.domain == domain), unjudged)


def check_types(item: RubricItem) -> tuple[str, ...]:
    """The types of an item's checks, the item's own first; none are told of a private one."""
    return () if is_private(item) else tuple(str(type(check).__struct_config__.tag) for check in item.checks or ())


def geval_title(metric: str) -> str:
    """What a metric of G-Eval is called."""
    return GEVAL_METRICS[metric].title if metric in GEVAL_METRICS else metric


def _by_group(groups: Iterable[RubricGroup]) -> dict[str, dict[str, RubricScores]]:
    return {group.id: {row.model: row for row in group.rows} for group in groups}
