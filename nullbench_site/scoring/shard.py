"""One contestant's shard of records -> its summary: a row a response, and counts that merge over shards.

Nothing here holds a text longer than one line of the shard, and no summary knows of another contestant, so a board is
a reduction over summaries and one more contestant costs one more shard.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from nullbench_site.protocols import PROTOCOLS
from nullbench_site.runs.records import Judgment, Response
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.types import BoardFile
from nullbench_site.stats.normalisation import JudgeSums
from nullbench_site.stats.scores import AXIS_MAX, AXIS_MIN, is_valid_axis_score

REVISION = 1
"""Raised when the same records would be summarised differently."""


class UnitRow(msgspec.Struct, array_like=True, frozen=True):
    """One response scored: see protocols.base.UnitScore for the scores."""

    item: str
    sample: int
    state: str
    refused_by: tuple[str, ...]
    goal_alignment: float
    quality: float
    axes: tuple[float | None, ...]
    spread: float | None
    seconds: float
    runes: int
    output_tokens: int | None


class JudgeTally(msgspec.Struct):
    """How a judge's replies to one contestant ended, and the sums of its valid axis scores, by axis."""

    scored: int = 0
    unparsed: int = 0
    errored: int = 0
    invalid_fields: int = 0
    sums: dict[str, JudgeSums] = msgspec.field(default_factory=dict)


class ShardSummary(msgspec.Struct):
    """What a board needs to know of one contestant.

    agreement: category -> axis -> [n1, n2, n3, n4, n5, times]: how often the judges' votes fell that way.
    """

    model: str
    rows: list[UnitRow]
    judges: dict[str, JudgeTally]
    agreement: dict[str, dict[str, list[tuple[int, ...]]]]


def summarise(
    benchmark: Benchmark,
    board: BoardFile,
    model: str,
    responses: Iterable[Response],
    judgments: Iterable[Judgment],
) -> ShardSummary:
    """The summary of one contestant on one board. Records of other boards and of items no longer there are left out."""
    placed = {item.id: item for item in benchmark.items(board)}
    panel = benchmark.panels[board.panel]
    protocol = PROTOCOLS[board.protocol]
    verdicts: dict[tuple[str, int], list[Judgment]] = {}
    judges: dict[str, JudgeTally] = {judge: JudgeTally() for judge in panel.judges}
    for judgment in judgments:
        if judgment.board == board.id and judgment.judge in judges:
            verdicts.setdefault((judgment.item, judgment.sample), []).append(judgment)
    tables = {category: _VoteTable(axes) for category, axes in _axes_of_categories(placed).items()}
    rows = []
    for response in responses:
        if response.board != board.id or response.item not in placed:
            continue
        category = placed[response.item].category
        given = verdicts.pop((response.item, response.sample), [])
        score = protocol.unit_score(response, given, category.axes, panel)
        tables[category.id].add(given)
        rows.append(
            UnitRow(
                item=response.item,
                sample=response.sample,
                state=score.state,
                refused_by=score.refused_by,
                goal_alignment=score.goal_alignment,
                quality=score.quality,
                axes=score.axes,
                spread=_spread(given),
                seconds=response.seconds,
                runes=len(response.text),
                output_tokens=response.output_tokens,
            )
        )
    for table in tables.values():
        table.tally(judges)
    agreement = {category: table.agreement() for category, table in tables.items()}
    return ShardSummary(model, sorted(rows, key=lambda row: (row.item, row.sample)), judges, agreement)


def _axes_of_categories(placed: Mapping[str, PlacedItem]) -> dict[str, tuple[str, ...]]:
    return {item.category.id: item.category.axes for item in placed.values()}


def _spread(given: list[Judgment]) -> float | None:
    """How far the judges are apart on goal alignment, in points; None with fewer than two."""
    values = [value for judgment in given if (value := judgment.scores.get("goal_alignment")) is not None]
    return float(max(values) - min(values)) if len(values) > 1 else None


class _VoteTable:
    """The votes of a panel on the items of one category: counted by pattern, since patterns are few."""

    def __init__(self, axes: tuple[str, ...]) -> None:
        self.axes = axes
        self.patterns: list[Counter[tuple[Any, ...]]] = [Counter() for _ in axes]
        self.votes: dict[str, list[Counter[Any]]] = {}
        self.states: Counter[tuple[str, str]] = Counter()
        self.invalid: Counter[str] = Counter()

    def add(self, given: list[Judgment]) -> None:
        for judgment in given:
            self.states[judgment.judge, judgment.state] += 1
            if judgment.invalid:
                self.invalid[judgment.judge] += len(judgment.invalid)
            counters = self.votes.get(judgment.judge)
            if counters is None:
                counters = self.votes[judgment.judge] = [Counter() for _ in self.axes]
            for axis, counter in zip(self.axes, counters, strict=True):
                counter[judgment.scores.get(axis)] += 1
        for axis, patterns in zip(self.axes, self.patterns, strict=True):
            patterns[tuple([judgment.scores.get(axis) for judgment in given])] += 1

    def tally(self, judges: Mapping[str, JudgeTally]) -> None:
        """Add what was counted to the judges' tallies."""
        for (judge, state), times in self.states.items():
            setattr(judges[judge], state, getattr(judges[judge], state) + times)
        for judge, times in self.invalid.items():
            judges[judge].invalid_fields += times
        for judge, counters in self.votes.items():
            for axis, counter in zip(self.axes, counters, strict=True):
                valid = {score: times for score, times in counter.items() if is_valid_axis_score(score)}
                sums = JudgeSums(
                    n=sum(valid.values()),
                    total=sum(score * times for score, times in valid.items()),
                    total_sq=sum(score * score * times for score, times in valid.items()),
                )
                judges[judge].sums[axis] = judges[judge].sums.get(axis, JudgeSums()) + sums

    def agreement(self) -> dict[str, list[tuple[int, ...]]]:
        """Axis -> rows of [how many judges gave 1, 2, 3, 4, 5; how many units have these votes]."""
        counted: dict[str, list[tuple[int, ...]]] = {}
        for axis, patterns in zip(self.axes, self.patterns, strict=True):
            by_counts: Counter[tuple[int, ...]] = Counter()
            for votes, times in patterns.items():
                valid = [vote for vote in votes if is_valid_axis_score(vote)]
                by_counts[tuple(valid.count(value) for value in range(AXIS_MIN, AXIS_MAX + 1))] += times
            counted[axis] = [(*counts, times) for counts, times in sorted(by_counts.items())]
        return counted
