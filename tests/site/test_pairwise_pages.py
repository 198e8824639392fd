"""What a site shows of a board of games: win rates, what the choice of a baseline moves, places, and every game."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Literal

import msgspec
import pytest
from support import boards, pairwise_boards
from support.evidence import shown_answers, shown_items
from support.pages import Element
from support.pairwise_boards import answer, answers, game
from support.pairwise_sites import BOARD, HOSTILE
from support.sites import Site, figures
from support.winning import reading

from nullbench_site.protocols.pairwise.pages import PAGES, PairwiseView
from nullbench_site.protocols.pairwise.specs import Schedule
from nullbench_site.runs.records import Record, Response
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.scoring.tables import result_files
from nullbench_site.site import words
from nullbench_site.site.pages.tables import board_table, columns_of, layout_of
from nullbench_site.site.score_vectors import score_vectors


def heads(shown: Element) -> list[str]:
    return [head.text for head in shown.all("th", scope="col")]


def test_the_board_shows_the_win_rate_against_each_baseline_and_how_far_they_are_apart(pairwise_site: Site) -> None:
    view = pairwise_site.view(PairwiseView)
    shown = pairwise_site.table(pairwise_site.board, "Win rate by baseline on Beside")
    assert heads(shown)[1:] == ["Balanced essay", "Verbose paraphrase", "Apart"]
    for line, row in zip(shown.rows(), view.results.leaderboard, strict=True):
        rates = [row.against[name] for name in ("essay", "paraphrase")]
        assert line[-3:-1] == [f"{rate:.1f}" for rate in rates]
        assert float(line[-1]) == pytest.approx(abs(rates[0] - rates[1]), abs=0.051)
    assert [row.against[row.model] for row in view.results.leaderboard if row.model in row.against] == [50.0, 50.0]
    said = pairwise_site.content(pairwise_site.board).text
    assert "50 against itself by definition, and that is 1 of the 2 equal parts of its score" in said
    assert METRICS["baselines_apart"].sentence in said
    essay, copy = (figures(pairwise_site.data, name, view.board.id)["win_rate"][1] for name in ("essay", "copy"))
    assert essay.endswith("lost; 1 of 2 equal parts is its 50 against itself")
    assert "itself" not in copy


def test_win_rates_by_baseline_and_what_they_are_apart_stand_with_their_intervals(shipped_site: Site) -> None:
    view = shipped_site.view(PairwiseView)
    shown = shipped_site.table(f"boards/{view.board.id}/", f"Win rate by baseline on {view.board.title}").rows()
    for line, row in zip(shown, view.results.leaderboard, strict=True):
        for cell, name in zip(line[-3:-1], view.results.baselines, strict=True):
            ends = (row.against_low.get(name), row.against_high.get(name))
            assert cell == f"{row.against[name]:.1f} {words.interval(*ends)}".rstrip()
            assert ("[" in cell) == (name != row.model)
        assert line[-1].endswith(words.interval(row.apart_low, row.apart_high))
        assert "[" in line[-1]


def test_who_met_whom_and_the_rate_with_style_taken_out_stand_with_their_intervals(shipped_site: Site) -> None:
    view = shipped_site.view(PairwiseView)
    met = PAGES.compared(view)["met"]
    for pair in view.results.pairs:
        rate = f"{words.number(pair.win_rate)} {words.interval(pair.low, pair.high)}"
        assert met[pair.model][pair.opponent] == (rate, pair.n, "")
        assert rate.endswith("]")
    for row in view.results.leaderboard:
        value, beside = figures(shipped_site.data, row.model, view.board.id)["style_win_rate"]
        assert (value, beside) == (
            words.number(row.style_win_rate),
            f"95 % interval {words.interval(row.style_low, row.style_high)}",
        )
        assert beside.endswith("]")


def test_the_page_of_judges_shows_the_place_first_against_second_and_flips(pairwise_site: Site) -> None:
    judges = pairwise_site.table("judges/beside/", "Judges of Beside")
    assert {"To the first", "Flips"} <= {*heads(judges)}
    for line, row in zip(judges.rows(), pairwise_site.view(PairwiseView).judge_rows, strict=True):
        assert "50.0" in line
        assert f"0 of {row.pairs}" in line
    assert METRICS["game_alpha"].sentence in pairwise_site.below("judges/").text
    places = pairwise_site.table("judges/beside/", "Win rate by place on Beside").rows()
    assert len(places) == 4
    for *_, first, second, without in places:
        assert first == second == without


def test_win_rates_by_place_stand_with_their_intervals(shipped_site: Site) -> None:
    view = shipped_site.view(PairwiseView)
    places = shipped_site.table(f"judges/{view.board.id}/", f"Win rate by place on {view.board.title}").rows()
    for line, row in zip(places, view.rows.values(), strict=True):
        for cell, name in zip(line[-3:], ("first", "second", "debiased"), strict=True):
            ends = words.interval(getattr(row, f"{name}_low"), getattr(row, f"{name}_high"))
            assert cell == f"{words.number(getattr(row, f'{name}_win_rate'))} {ends}"
            assert cell.endswith("]")


def test_the_page_of_a_contestant_tells_its_figures_with_reasons_for_what_is_absent(pairwise_site: Site) -> None:
    text = pairwise_site.content("models/copy/").text
    row = pairwise_site.view(PairwiseView).rows["copy"]
    assert f"{row.n_wins} won, {row.n_draws} drawn, {row.n_losses} lost" in text
    assert "Length-controlled win rate" in text
    assert "Bradley-Terry strength" in text


def test_the_method_says_whom_answers_are_held_against_and_in_which_order(pairwise_site: Site) -> None:
    text = pairwise_site.below("methodology/").text
    assert "held against those of Balanced essay and Verbose paraphrase, each counting alike" in text
    assert "once in each order" in text


def test_the_page_of_judges_says_how_much_probability_is_on_other_tokens_than_the_letters() -> None:
    board = pairwise_boards.benchmark("abc", ["base", "m"], judges=("anna", "ben"))
    masses = iter((0.5, 0.6, 0.7, 0.9, 0.95, 0.95))
    records: list[Record] = [*answers("abc", "base", "m")]
    for item, place in product("abc", (0, 1)):
        records.append(game(item, 1.9, position=place, missing_mass=next(masses)))
        records.append(game(item, 1.9, position=place, judge="ben", token_alone=True))
    shown = PAGES.judges(boards.view(board, records))
    column = shown["judged"]["columns"][-1]
    assert (column.title, shown["weighed"]) == ("Missing mass", True)
    anna, ben = (column.cell(row) for row in shown["judged"]["rows"])
    assert anna.text == "0.767, at most 0.950"
    assert (ben.text, ben.why) == (words.ABSENT, "no verdict with log probabilities")
    without = PAGES.judges(boards.view(board, [*answers("abc", "base", "m"), game("a", 1.9)]))
    assert (without["judged"]["columns"][-1].title, without["weighed"]) == ("Flips", False)


def test_a_board_with_a_schedule_says_who_meets_whom_and_what_its_score_is() -> None:
    names, models = [f"i{number:02}" for number in range(12)], "wxyz"
    board = pairwise_boards.benchmark(
        names, models, judges=("anna", "ben"), baseline=None, orders="drawn", schedule=Schedule(budget=31)
    )
    records: list[Record] = [*answers(names, *models)]
    for item, one, other in pairwise_boards.scheduled_games(board):
        for judge, share in (("anna", 0.7), ("ben", 0.6)):
            records.append(game(item, 1 + share, one, other, judge=judge, drawn=True))
            records.append(game(item, 2 - share, other, one, judge=judge, drawn=True))
    view = boards.view(board, records)
    results = view.results
    assert view.scheduled == "31 of 72 pairs of contestants on a prompt meet: each contestant is in 15 to 16 of them"
    assert view.against == "those of the opponents that the schedule names for the prompt"
    shown = PAGES.judges(view)
    (_, first), *_ = shown["contestants"]
    assert [row.judge for row in view.judge_rows] == ["anna", "ben"]
    assert first.by_judge["anna"] > first.overall > first.by_judge["ben"] > 50
    vectors = score_vectors(view)
    for row in results.leaderboard:
        adds = [value for value in vectors.parts[row.model] if value is not None]
        assert sum(adds) / len(names) == pytest.approx(row.overall, abs=1e-5)
        shares = [value for value in vectors.of_model[row.model] if value is not None]
        assert sum(shares) / len(shares) == pytest.approx(row.win_rate, abs=1e-5)
    assert METRICS[layout_of(view).overall].title == "Mean chance to win, by Bradley-Terry"
    assert METRICS[board_table(view).score].short == "Chance"
    header = result_files(results)["leaderboard.csv"].decode().splitlines()[0].split(",")
    assert {"by_judge.anna", "by_judge.ben", "win_rate", "elo"} <= {*header}
    assert "adds" in result_files(results)["items.csv"].decode().splitlines()[0]


def test_a_schedule_is_told_as_it_is_laid_out_whatever_failed_and_why_nobody_has_a_rank() -> None:
    names, models = [f"i{number:02}" for number in range(12)], "wxyz"
    board = pairwise_boards.benchmark(names, models, baseline=None, orders="drawn", schedule=Schedule(budget=3))
    records: list[Record] = [*answers(names, *"xyz"), *(answer(name, "w", state="errored") for name in names)]
    for item, one, other in pairwise_boards.scheduled_games(board):
        if "w" not in (one, other):
            records.append(game(item, 1.7, one, other, drawn=True))
            records.append(game(item, 1.3, other, one, drawn=True))
    view = boards.view(board, records)
    assert view.scheduled.startswith("3 of 72 pairs of contestants on a prompt meet: each contestant is in 1 to ")
    said = " ".join(reading(view))
    assert "No contestant is ranked: each of its games alone joins two parts" in said
    assert "every verdict" not in said
    assert {view.lacking(row) for row in view.rows.values()} == {""}


def test_a_board_without_ranks_names_the_judge_whose_verdicts_leave_none() -> None:
    names = [f"i{number:02}" for number in range(12)]
    board = pairwise_boards.benchmark(names, "xy", baseline=None)
    halves = [
        game(item, value, one, other, position=place)
        for item in names
        for value, pairs in ((2, (("x", "y", 1), ("y", "x", 0))), (None, (("x", "y", 0), ("y", "x", 1))))
        for one, other, place in pairs
    ]
    view = boards.view(board, [*answers(names, "x", "y"), *halves])
    short, said, *_ = reading(view)
    assert short.startswith("The judge “anna” chose the answer shown second in 12 of 12 decided games")
    assert said.endswith("No contestant is ranked: no game of it counts.")
    assert all(reason.replace("the judge 'anna'", "The judge “anna”") in said for reason in view.results.silenced)
    assert len(view.results.silenced) == 2


def test_a_ring_of_three_is_counted_and_the_list_of_rings_is_brought_in_by_a_sentence_of_its_own() -> None:
    """x beats y, y beats z, z beats x."""
    board = pairwise_boards.benchmark("ab", "xyz", baseline=None, orders="drawn")
    pairs = ("xy", "yz", "zx")
    won = [game(item, 2, one, other, drawn=True) for item in "ab" for one, other in pairs]
    lost = [game(item, 1, other, one, drawn=True) for item in "ab" for one, other in pairs]
    rings = PAGES.board(boards.view(board, [*answers("ab", *"xyz"), *won, *lost]))["rings"]
    assert rings == {"says": "1 of 1 threes are rings.", "first": 0, "listed": ["x, y, z"]}


def test_every_game_stands_in_the_evidence_with_its_opponent_place_verdict_and_rationale(pairwise_site: Site) -> None:
    shown = shown_answers(pairwise_site.folder, BOARD, "copy")
    assert len(shown) == 3
    for each_answer in shown.values():
        (sample,) = each_answer["samples"]
        games = sample["games"]
        assert len(games) == 2 * 2 * 2
        assert {game["opponent"] for game in games} == {"essay", "paraphrase"}
        for one, other in pairwise(games[:2]):
            assert (one["judge"], one["position"], other["position"]) == (other["judge"], 0, 0)
        for each in games:
            assert 1 <= each["scores"]["preference"] <= 2
            assert each["rationale"].startswith("First: ")


def test_no_text_of_a_prompt_becomes_a_part_of_a_page(pairwise_site: Site) -> None:
    assert HOSTILE in shown_items(pairwise_site.folder, BOARD)["rain-1"]["prompt"]
    for path in sorted(pairwise_site.folder.rglob("*.html")):
        assert HOSTILE not in path.read_text("utf-8"), path


def test_a_text_that_is_not_in_the_data_is_said_to_be_absent_with_its_length() -> None:
    benchmark = pairwise_boards.benchmark(orders="drawn")
    records = [*answers("ab", "base", "m"), game("a", 1.9, drawn=True), game("b", 1.7, drawn=True)]
    evidence = PAGES.evidence(boards.view(benchmark, records))
    response = next(record for record in records if isinstance(record, Response) and record.model == "m")
    whole = evidence.sample(response, {})
    bare = evidence.sample(msgspec.structs.replace(response, text=""), {})
    assert not hasattr(whole, "length") or whole.length is None
    assert getattr(bare, "length", None) == 10
    of_another_check = msgspec.structs.replace(response.checks[0], type="length", flags=("length 99",))
    response = msgspec.structs.replace(response, text="", checks=(of_another_check, *response.checks))
    assert getattr(evidence.sample(response, {}), "length", None) == 10


@pytest.mark.parametrize(
    ("name", "board", "weighs", "must_agree"),
    [
        ("preference", {}, True, False),
        ("verdict", {"judging": "verdicts"}, False, False),
        ("verdict", {"judging": "verdicts", "agree": "both-orders"}, False, True),
    ],
)
def test_a_board_says_what_its_judges_say_of_two_answers(
    name: str, board: dict[str, str], weighs: bool, must_agree: bool
) -> None:
    benchmark = pairwise_boards.benchmark(**board)
    records = [*answers("ab", "base", "m"), *(game(item, 1, name=name, position=at) for item in "ab" for at in (0, 1))]
    view = boards.view(benchmark, records)
    assert (view.weighs, view.must_agree) == (weighs, must_agree)


@pytest.mark.parametrize("state", ["answered", "errored"])
@pytest.mark.parametrize(
    ("judging", "name", "value", "column"),
    [("preference", "preference", 1.7, "Win rate"), ("verdicts", "verdict", 2, "Score of verdicts")],
)
def test_a_rate_has_a_column_of_its_own_where_a_failed_answer_sets_it_apart_from_the_score(
    state: Literal["answered", "errored"], judging: str, name: str, value: float, column: str
) -> None:
    board = pairwise_boards.benchmark(["a", "b", "c"], judging=judging)
    records: list[Record] = [*answers("abc", "base"), *answers("ab", "m"), answer("c", state=state)]
    games = [game(item, value, name=name) for item in ("abc" if state == "answered" else "ab")]
    view = boards.view(board, [*records, *games])
    titles = {metric.title for metric, _ in columns_of(view, whole_board=True)}
    assert titles & {"Win rate", "Score of verdicts"} == ({column} if state == "errored" else set())
    assert PAGES.board(view)["as_they_come"] == ("Win rate" in titles)
