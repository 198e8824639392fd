"""The biases of judges, from records to tables: each kind where it was put in, and why others are not measured."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from math import log2
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from support import pairwise_boards
from support.boards import benchmark, category, domain, judgment, model, response, scored

from nullbench_site.runs.records import Hidden, Record, Response
from nullbench_site.scoring.board_tables import BiasKind, BiasRow
from nullbench_site.scoring.results import Results
from nullbench_site.stats.preferences import position_effect, win_share

ITEMS = tuple(f"i{number}" for number in range(30))
GAMES = Path(__file__).parents[2] / "specs" / "pairwise" / "alpacaeval" / "games.csv"


def found(results: Results, kind: BiasKind) -> list[BiasRow]:
    assert not isinstance(results.biases, msgspec.UnsetType)
    return [row for row in results.biases if row.kind == kind]


def board(**changes: Any) -> Any:
    own = ("x", "y", model("of-anna", family="anna"))
    specs = benchmark(domain("science", category("trials", *ITEMS)), models=own, **changes)
    panels = {name: msgspec.structs.replace(panel, same_family=True) for name, panel in specs.panels.items()}
    judges = {name: msgspec.structs.replace(judge, family=name) for name, judge in specs.judges.items()}
    return replace(specs, panels=panels, judges=judges)


def answered() -> list[Record]:
    """Anna gives 6 for each doubling of the length, 9 to her family, and is severe; all give 3 for a list."""
    rng = np.random.default_rng(7)
    records: list[Record] = []
    for name, better in (("x", 40), ("y", 50), ("of-anna", 45)):
        for item in ITEMS:
            words, listed = int(rng.integers(1, 60)), rng.random() < 0.4
            text = ("- " if listed else "") + "word " * words
            records.append(response(item, name, text=text))
            for judge in ("anna", "ben", "cleo"):
                score = better + rng.normal(0, 1) + 3 * listed
                if judge == "anna":
                    score += 6 * log2(len(text)) - 50 + 9 * (name == "of-anna")
                records.append(judgment(judge, item, name, alignment=round(score)))
    return records


@pytest.fixture(scope="module")
def results() -> Results:
    return scored(board(), answered())


def by_judge(results: Results, kind: BiasKind) -> Mapping[str | None, BiasRow]:
    return {row.judge: row for row in found(results, kind) if row.family in (None, "anna")}


@pytest.mark.parametrize(
    ("kind", "judge", "true"),
    [
        ("verbosity", "anna", 6.0),
        ("verbosity", "ben", 0.0),
        ("lists", "anna", 3.0),
        ("lists", "cleo", 3.0),
        ("self-preference", "anna", 9.0),
    ],
)
def test_a_bias_that_was_put_in_is_in_its_interval(results: Results, kind: BiasKind, judge: str, true: float) -> None:
    row = by_judge(results, kind)[judge]
    assert row.absent is None
    assert row.low is not None
    assert row.high is not None
    assert row.low <= true <= row.high
    assert row.high - row.low < 12


def test_the_panel_has_the_mean_of_the_slopes_of_its_judges(results: Results) -> None:
    slopes = by_judge(results, "verbosity")
    means = [slopes[judge].value or 0.0 for judge in ("anna", "ben", "cleo")]
    assert slopes[None].value == pytest.approx(sum(means) / 3, abs=1e-3)


def test_a_severe_judge_is_below_the_others(results: Results) -> None:
    severe = by_judge(results, "severity")
    assert severe["anna"].high is not None
    assert severe["anna"].high < 0
    assert severe["anna"].n_answers == 3 * len(ITEMS)


def test_each_kind_has_a_row_and_those_without_a_value_say_why(results: Results) -> None:
    why = {row.kind: row.absent for row in results.biases if row.value is None} if results.biases else {}
    assert {row.kind for row in results.biases or ()} == {
        "position", "flips", "verbosity", "headers", "lists", "bold", "self-preference", "severity",
    }  # fmt: skip
    assert why["position"] == why["flips"] == "does not apply: judges see one answer at a time"
    assert why["headers"] == why["bold"] == "it does not vary within contestants and items"
    assert why["self-preference"] == "does not apply: no contestant on the board is of its family"


def test_a_score_is_corrected_by_the_slope_of_the_panel(results: Results) -> None:
    slope = by_judge(results, "verbosity")[None].value
    assert slope is not None
    assert not isinstance(results.length_corrected, msgspec.UnsetType)
    for row in results.length_corrected:
        assert row.overall is not None
        assert row.length is not None
        assert row.corrected == pytest.approx(row.overall - slope * log2(row.length), abs=1e-4)
        assert row.low is not None
        assert row.high is not None
        assert row.low < row.corrected < row.high


def test_a_score_is_not_corrected_far_outside_the_lengths_of_the_other_contestants() -> None:
    """The published case: an answer of some words, against answers of hundreds, would gain by a line to nowhere."""
    short = [
        msgspec.structs.replace(each, text="a b") if isinstance(each, Response) and each.model == "x" else each
        for each in answered()
    ]
    results = scored(board(), short)
    assert not isinstance(results.length_corrected, msgspec.UnsetType)
    rows = {row.model: row for row in results.length_corrected}
    assert (rows["x"].corrected, rows["x"].low) == (None, None)
    assert (
        rows["x"].absent
        == "its answers are less than half as long as any other contestant's, or more than twice as long"
    )
    assert rows["x"].overall is not None
    assert rows["y"].corrected is not None


def test_a_slope_steeper_than_the_scale_is_long_is_no_slope() -> None:
    """Lengths of 99 to 101 runes that go with 40 points or so: the slope for twice the length would be thousands."""
    rng = np.random.default_rng(11)
    records: list[Record] = []
    for name in ("x", "y", "of-anna"):
        for item in ITEMS:
            longer = int(rng.integers(-1, 2))
            records.append(response(item, name, text="w" * (100 + longer)))
            records += [judgment(judge, item, name, alignment=50 + 40 * longer) for judge in ("anna", "ben", "cleo")]
    results = scored(board(), records)
    reason = "the answers to an item differ too little in length: the slope would be more than the whole scale"
    assert {row.absent for row in found(results, "verbosity")} == {reason}
    assert not isinstance(results.length_corrected, msgspec.UnsetType)
    assert {(row.corrected, row.absent) for row in results.length_corrected} == {(None, reason)}


def test_a_judge_that_may_not_score_its_family_has_no_self_preference() -> None:
    specs = board()
    panels = {name: msgspec.structs.replace(panel, same_family=False) for name, panel in specs.panels.items()}
    row = by_judge(scored(replace(specs, panels=panels), answered()), "self-preference")["anna"]
    assert (row.value, row.absent) == (None, "does not apply: it judges no contestant of its family")


def test_an_imported_judge_without_a_family_is_not_said_to_have_none_of_its_family() -> None:
    specs = board()
    judges = {name: msgspec.structs.replace(judge, backend="recorded") for name, judge in specs.judges.items()}
    contestants = {name: msgspec.structs.replace(each, family="others") for name, each in specs.models.items()}
    rows = found(scored(replace(specs, judges=judges, models=contestants), answered()), "self-preference")
    assert {row.absent for row in rows} == {"the data do not say which contestants are of its family"}


def test_answers_without_a_text_have_a_length_and_no_form() -> None:
    hidden = [
        msgspec.structs.replace(each, text="", hidden=Hidden("", len(each.text)))
        if isinstance(each, Response)
        else each
        for each in answered()
    ]
    results = scored(board(), hidden)
    assert by_judge(results, "verbosity")["anna"].value is not None
    assert {row.absent for row in found(results, "lists")} == {"the texts are not in the data"}


def test_an_empty_answer_is_as_short_as_one_character_and_keeps_its_contestant_in_the_table() -> None:
    def corrected(short: str) -> dict[str, Any]:
        records = [
            msgspec.structs.replace(each, text=short)
            if isinstance(each, Response) and each.model == "x" and each.item in ITEMS[:2]
            else each
            for each in answered()
        ]
        found = scored(board(), records).length_corrected
        assert not isinstance(found, msgspec.UnsetType)
        return {row.model: (row.n_items, row.overall, row.corrected, row.length) for row in found}

    empty = corrected("")
    assert empty == corrected("a")
    assert empty["x"][0] == len(ITEMS)


def test_a_judge_that_prefers_the_first_place_is_found_with_its_flips() -> None:
    """A preference from 1, the first, to 2: 20 of 30 items go to the first answer in both orders, 10 to the contestant.

    The contestant is shown first in one game of each item and second in the other: it wins 30 first, and 10 second.
    """
    games = [
        pairwise_boards.game(item, value, position=place)
        for number, item in enumerate(ITEMS)
        for place, value in ((0, 1.0), (1, 1.0 if number < 20 else 2.0))
    ]
    specs = pairwise_boards.benchmark(ITEMS, orders="both")
    results = pairwise_boards.scored(specs, [*pairwise_boards.answers(ITEMS, "base", "m"), *games])
    (position,), (flips,) = found(results, "position"), found(results, "flips")
    assert position.value == pytest.approx(100 * 20 / 30)
    assert (position.n_answers, flips.n_answers) == (60, 30)
    assert flips.value == pytest.approx(100 * 20 / 30)
    assert position.low is not None
    assert position.low > 0
    assert [row.absent for row in found(results, "severity")] == [
        "does not apply: what a judge takes from one answer of a game it gives to the other"
    ]


def test_nullmodel_wins_68_percent_shown_first_and_86_shown_second() -> None:
    """The published verdicts of AlpacaEval on the answer that is the same to every instruction."""
    shares: dict[str, list[float]] = defaultdict(list)
    with GAMES.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["model"] == "nullmodel":
                second = float(win_share([float(row["preference"])])[0])
                shares[row["position"]].append(second if row["position"] == "second" else 1 - second)
    first, second = (np.array(shares[place]) for place in ("first", "second"))
    blank = np.full(second.size, np.nan), np.full(first.size, np.nan)
    effect = position_effect(np.concatenate([first, blank[0]]), np.concatenate([blank[1], second]))
    assert effect.first.value == pytest.approx(68.2, abs=0.05)
    assert effect.second.value == pytest.approx(85.7, abs=0.05)
    assert effect.debiased.value == pytest.approx(78.2, abs=0.05)
