"""The score of an item is the mean over wordings; a contestant that answers only the first has its score there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from support import boards, graded_boards, oracle_boards, pairwise_boards, rubric_boards
from support.boards import in_wordings, scored_as, worded

from nullbench_site.runs.records import Record
from nullbench_site.scoring.results import Results
from nullbench_site.specs.benchmark import Benchmark

NAMES = ("t1", "t2", "t3", "t4", "t5")
ITEMS = ("a", "b", "c", "d", "e", "f", "g")
MODELS = ("base", "m", "prog")
"""base and m answer every wording; prog is a program."""
Board = tuple[Benchmark, Callable[[str, float], list[Record]]]
"""A benchmark, and the records of a contestant of a quality from 0 to 1."""


def axes_board() -> Board:
    items = boards.category("trials", *ITEMS)
    specs = boards.benchmark(boards.domain("science", items), models=MODELS)
    return specs, lambda model, good: boards.judged(
        {item: int(100 * good) - 3 * place for place, item in enumerate(ITEMS)}, model
    )


def oracle_board() -> Board:
    specs = oracle_boards.of(*ITEMS, models=MODELS)
    return specs, lambda model, good: oracle_boards.marked(
        {item: "correct" if place < good * len(ITEMS) else "wrong" for place, item in enumerate(ITEMS)}, model
    )


def rubric_board() -> Board:
    specs = rubric_boards.benchmark(rubric_boards.domain("d", rubric_boards.category("c", *ITEMS)), models=MODELS)
    return specs, lambda model, good: rubric_boards.marked(
        {item: 1 + round(4 * good) - place % 2 * (good > 0.5) for place, item in enumerate(ITEMS)}, model
    )


def graded_board() -> Board:
    items = [graded_boards.one_turn(item) for item in ITEMS]
    domains = (graded_boards.domain("d", graded_boards.category("c", *items)),)
    specs = graded_boards.benchmark(*map(boards.model, MODELS), domains=domains)

    def records(model: str, good: float) -> list[Record]:
        made: list[Record] = [graded_boards.answer(item, model=model) for item in ITEMS]
        made += [
            graded_boards.graded(item, 1, judge, 1 + round(8 * good) + place % 2, model)
            for place, item in enumerate(ITEMS)
            for judge in graded_boards.JUDGES
        ]
        return made

    return specs, records


def arena_board() -> Board:
    """Each meets each, and both have a record of their game."""
    specs = pairwise_boards.benchmark(ITEMS, MODELS, baseline=None)

    def records(model: str, good: float) -> list[Record]:
        made: list[Record] = list(pairwise_boards.answers(ITEMS, model))
        for other in MODELS:
            for place, item in enumerate(ITEMS if other != model else ()):
                even = 0.5 + (good - GOOD[other]) / 2
                share = even - place % 2 * 0.1 * (1 if model < other else -1)
                for position, value in enumerate((2 - share, 1 + share)):
                    made.append(pairwise_boards.game(item, value, model, other, position=position))
        return made

    return specs, records


def pairwise_board() -> Board:
    specs = pairwise_boards.benchmark(ITEMS, MODELS)

    def records(model: str, good: float) -> list[Record]:
        made: list[Record] = list(pairwise_boards.answers(ITEMS, model))
        for place, item in enumerate(ITEMS if model != "base" else ()):
            for position in (0, 1):
                share = good - place % 2 * 0.1
                value = 1 + share if position else 2 - share  # the share of the answer shown second is 1 less
                made.append(pairwise_boards.game(item, value, model, position=position))
        return made

    return specs, records


BOARDS = {
    "axes": axes_board, "oracle": oracle_board, "rubric": rubric_board, "graded": graded_board,
    "pairwise": pairwise_board,
}  # fmt: skip
each_protocol = pytest.mark.parametrize("protocol", BOARDS)
GOOD = {"base": 0.5, "m": 0.8, "prog": 0.4}


def without_wordings(results: Results) -> Any:
    """What has nothing to do with counts of answers: the leaderboard's scores and ranks."""
    names = ("model", "rank", "rank_low", "rank_high", "overall", "se", "ci_low", "ci_high", "panel_low", "n_items")
    return [[getattr(row, name) for name in names] for row in results.leaderboard]


@pytest.mark.parametrize("protocol", [*BOARDS, "arena"])
def test_the_same_answers_in_each_wording_give_the_results_of_one_wording(protocol: str) -> None:
    specs, records = arena_board() if protocol == "arena" else BOARDS[protocol]()
    once = [record for name in MODELS for record in records(name, GOOD[name])]
    one = scored_as(Results, specs, once)
    several = in_wordings(specs, *NAMES, asked=["base", "m"], **({"template": None} if protocol == "axes" else {}))
    five = [record for name in NAMES for record in worded(once, name) if record.model != "prog" or name == "t1"]
    results = scored_as(Results, several, five)
    assert without_wordings(results) == without_wordings(one)
    assert results.complete
    rows = {(row.model, row.template): row.overall for row in results.templates}
    assert len(rows) == 5 + 5 + 1
    scores = {row.model: row.overall for row in results.leaderboard}
    assert rows == {(model, name): pytest.approx(scores[model]) for model, name in rows}
    assert one.templates is msgspec.UNSET


@each_protocol
def test_a_score_is_the_mean_over_wordings_and_each_wording_has_its_own(protocol: str) -> None:
    specs, records = BOARDS[protocol]()
    good = dict(zip(NAMES, (0.8, 0.8, 0.2, 0.2, 0.2), strict=True))
    one = {name: scored_as(Results, specs, [*records("base", 0.5), *records("m", good[name])]) for name in NAMES}
    alone = {name: one[name].row("m").overall for name in NAMES}
    several = in_wordings(specs, *NAMES, asked=["base", "m"], **({"template": None} if protocol == "axes" else {}))
    given = [record for name in NAMES for record in worded([*records("base", 0.5), *records("m", good[name])], name)]
    results = scored_as(Results, several, given)
    rows = {row.template: row for row in results.templates if row.model == "m"}
    assert {name: row.overall for name, row in rows.items()} == {name: pytest.approx(alone[name]) for name in NAMES}
    assert rows["t1"].overall != rows["t5"].overall
    mean = sum(row.overall or 0.0 for row in rows.values()) / 5
    assert results.row("m").overall == pytest.approx(mean)
    assert all(row.ci_low is not None and row.ci_low < row.overall < row.ci_high for row in rows.values())


@each_protocol
def test_a_model_that_has_not_answered_in_every_wording_has_no_rank(protocol: str) -> None:
    specs, records = BOARDS[protocol]()
    several = in_wordings(specs, *NAMES, asked=["base", "m"], **({"template": None} if protocol == "axes" else {}))
    given = [record for name in NAMES for record in worded([*records("base", 0.5), *records("m", 0.8)], name)]
    left = [record for record in given if (record.model, record.item, record.template) != ("m", "c", "t4")]
    row = scored_as(Results, several, left).row("m")
    assert (row.rank, row.absent["rank"]) == (None, "answers are missing")
    only_first = msgspec.structs.replace(several.boards["main"], first_template_only=("m",))
    few = in_wordings(several, *NAMES, asked=["base"], first_template_only=only_first.first_template_only)
    first = scored_as(Results, few, left).row("m")
    assert (first.rank, first.absent["rank"]) == (None, "only the first of 5 wordings was answered")
    assert scored_as(Results, several, [*given, *worded(records("prog", 0.9), "t1")]).row("prog").rank == 1


@each_protocol
def test_records_of_wordings_that_a_contestant_does_not_answer_are_left_out(protocol: str) -> None:
    specs, records = BOARDS[protocol]()
    several = in_wordings(specs, *NAMES, asked=["base", "m"], **({"template": None} if protocol == "axes" else {}))
    given = [record for name in NAMES for record in worded([*records("base", 0.5), *records("m", 0.8)], name)]
    more = worded(records("prog", 0.9), "t2") + worded(records("m", 0.1), "t6")
    ours = worded(records("prog", 0.4), "t1")
    assert (
        scored_as(Results, several, [*given, *more, *ours]).leaderboard
        == scored_as(Results, several, [*given, *ours]).leaderboard
    )
