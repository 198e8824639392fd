"""The parts of the trust page on agreement and on correlations: what they say, and where nothing is measured."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from support.boards import benchmark, category, domain, judged, model, scored
from support.controls import with_ladders

from nullbench_site.scoring.board_tables import CorrelationRow
from nullbench_site.site.convergence import OtherBoard
from nullbench_site.site.pages.construct import correlations
from nullbench_site.site.pages.panel_words import rater_agreement
from nullbench_site.site.pages.trust_marks import trust
from nullbench_site.site.views import BoardView, view_of
from nullbench_site.stats.measure import Bounded

ITEMS = [f"q{number:03}" for number in range(40)]


@pytest.fixture(scope="module")
def board() -> BoardView:
    made = benchmark(domain("law", category("courts", *ITEMS)), models=("m", model("null-x", "null")))
    halves = {item: 100 * (number % 2) for number, item in enumerate(ITEMS)}
    results = scored(made, [*judged(halves), *judged(dict.fromkeys(ITEMS, 1), "null-x")])
    (spec,) = made.boards.values()
    return view_of(made, spec, results)


def test_a_board_that_names_its_kind_of_task_shows_what_is_usual_for_it(board: BoardView) -> None:
    named = replace(board, board=msgspec.structs.replace(board.board, task_kind="helpfulness"))
    part = rater_agreement(named)
    assert part is not None
    assert part["usual"] == "For tasks of this kind (helpfulness), reports of agreement range from about 0.40 to 0.55."
    plain = rater_agreement(board)
    assert plain is not None
    assert plain["usual"] == ""
    assert plain["tables"][0][0] == "mark"


def row(kind: str, value: float, low: float, high: float) -> CorrelationRow:
    figures = {"value": value, "low": low, "high": high, "rest": value, "rest_low": low, "rest_high": high}
    return CorrelationRow(kind=kind, group=None, n_pairs=3, n_models=9, n_families=7, absent=None, **figures)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("low", "high", "sentence"),
    [
        (0.1, 0.3, "Correlations within a group are 0.20 [0.10-0.30] higher than across groups."),
        (-0.3, -0.1, "Correlations within a group are 0.20 [0.10-0.30] lower than across groups."),
        (-0.1, 0.3, "Correlations within a group are not distinguishable from those across groups."),
    ],
)
def test_a_sentence_claims_what_the_interval_shows(board: BoardView, low: float, high: float, sentence: str) -> None:
    rows = [row("within", 0.7, 0.6, 0.8), row("across", 0.5, 0.4, 0.6), row("within minus across", 0.2, low, high)]
    if high < 0:
        rows[-1] = row("within minus across", -0.2, low, high)
    found = correlations(replace(board, results=msgspec.structs.replace(board.results, correlations=rows)))
    assert found["says"][0].replace("\N{EN DASH}", "-") == sentence


def test_without_other_boards_agreement_of_boards_is_not_measurable(board: BoardView) -> None:
    found = correlations(board)
    assert found["absent"] == "the board has fewer than two tasks, or the run was scored before this was measured"
    assert found["boards_say"].startswith("Whether three boards of one construct agree is not measurable here")


@pytest.mark.parametrize(
    ("lows", "same", "level"),
    [
        ((0.8, 0.75), True, "high"),
        ((0.8, 0.6), True, "medium"),
        ((0.8, 0.9), False, "medium"),
        ((0.9,), True, "medium"),
    ],
)
def test_validity_is_high_where_three_boards_of_one_construct_agree(
    board: BoardView, lows: tuple[float, ...], same: bool, level: str
) -> None:
    others = [OtherBoard("Other", same, 12, Bounded(0.95, low, 0.99)) for low in lows]
    best = msgspec.structs.replace(board.rows["m"], above_null_floor=True)
    tested = with_ladders(replace(board, others=others), negation=True)
    (mark,) = (mark for mark in trust(tested, best) if mark.dimension == "validity")
    assert mark.state == level
    assert ("2 other boards of the same construct agree." in mark.why) == (level == "high")
