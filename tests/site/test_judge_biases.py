"""What pages say of the biases of judges."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from support import pairwise_boards
from support.boards import view

from nullbench_site.scoring.board_tables import BiasRow
from nullbench_site.site.protocol import pages_of
from nullbench_site.site.trust.biases import judge_biases
from nullbench_site.site.views import BoardView

ITEMS = tuple(f"i{number}" for number in range(30))


@pytest.fixture(scope="module")
def board() -> BoardView:
    """A judge that chooses the first answer on 20 of 30 items, whatever it is; on the others, the contestant."""
    games = [
        pairwise_boards.game(item, value, position=place)
        for number, item in enumerate(ITEMS)
        for place, value in ((0, 1.0), (1, 1.0 if number < 20 else 2.0))
    ]
    found: BoardView = view(
        pairwise_boards.benchmark(ITEMS, orders="both"), [*pairwise_boards.answers(ITEMS, "base", "m"), *games]
    )
    return found


def test_each_kind_of_bias_has_its_rows_and_counts_those_whose_interval_excludes_0(board: BoardView) -> None:
    shown = judge_biases(board)
    assert shown is not None
    assert [line.head[0] for line in shown["lines"] if line.head] == [
        "Position", "Flips", "Verbosity", "Headers", "Lists", "Bold", "Self-preference", "Severity",
    ]  # fmt: skip
    assert shown["says"].startswith("1 of 1 intervals exclude 0.")
    assert [line.row.kind for line in shown["lines"] if line.away] == ["position"]


def test_without_an_interval_the_page_says_so(board: BoardView) -> None:
    row = BiasRow(kind="lists", judge="anna", value=None, low=None, high=None, n_answers=0, absent="no text")
    shown = judge_biases(replace(board, results=msgspec.structs.replace(board.results, biases=[row])))
    assert shown is not None
    assert shown["says"] == "No bias of these judges has an interval: the table says why."


def test_results_without_biases_have_no_part(board: BoardView) -> None:
    assert judge_biases(replace(board, results=msgspec.structs.replace(board.results, biases=msgspec.UNSET))) is None


def test_the_page_of_judges_says_what_the_place_does_to_the_first_contestant(board: BoardView) -> None:
    """The rates of NullModel on AlpacaEval 2.0; the root of 68.245 * 85.747 is 76.497."""
    rates = {"first_win_rate": 68.244535, "second_win_rate": 85.747246, "debiased_win_rate": 78.240605}
    rows: list[Any] = [msgspec.structs.replace(row, **rates) for row in board.results.leaderboard if row.model == "m"]
    changed = replace(board, results=msgspec.structs.replace(board.results, leaderboard=rows))
    said = pages_of("pairwise").judges(changed)["by_place"].replace("\N{NO-BREAK SPACE}", " ")
    assert said.startswith(
        "The win rate of m is 68.2 % shown first and 85.7 % shown second; without position bias, 78.2 %."
    )
    assert "The geometric mean of the two rates is 76.5;" in said
