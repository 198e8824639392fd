"""What a site shows of a board of games: win rates, what the choice of a baseline moves, places, and every game."""

from __future__ import annotations

import json
from itertools import pairwise

import msgspec
import pytest
from jsonschema import Draft202012Validator
from support import pairwise_boards
from support.evidence import shown_answers, shown_items
from support.pages import Element
from support.pairwise_boards import answers, game
from support.pairwise_sites import BOARD, HOSTILE
from support.sites import Site

from nullbench_site.protocols.pairwise.evidence import PairwiseEvidence
from nullbench_site.protocols.pairwise.pages import PAGES
from nullbench_site.protocols.pairwise.specs import PairwiseBoardFile
from nullbench_site.protocols.pairwise.view import PairwiseView
from nullbench_site.runs.records import Response
from nullbench_site.site.data_files import schema_of


def view_in(site: Site) -> PairwiseView:
    (view,) = (view for view in site.data.views if isinstance(view, PairwiseView))
    return view


def table(site: Site, url: str, caption: str) -> Element:
    (found,) = (each for each in site.content(url).all("table") if each.one("caption").text == caption)
    return found


def heads(shown: Element) -> list[str]:
    return [head.text for head in shown.all("th", scope="col")]


def test_the_board_shows_the_win_rate_against_each_baseline_and_how_far_they_are_apart(pairwise_site: Site) -> None:
    view = view_in(pairwise_site)
    shown = table(pairwise_site, "", "Win rate by baseline on Beside")
    assert heads(shown)[1:] == ["Balanced essay", "Verbose paraphrase", "Apart"]
    for line, row in zip(shown.rows(), view.results.leaderboard, strict=True):
        rates = [row.against[name] for name in ("essay", "paraphrase")]
        assert line[-3:-1] == [f"{rate:.1f}" for rate in rates]
        assert float(line[-1]) == pytest.approx(abs(rates[0] - rates[1]), abs=0.051)
    assert [row.against[row.model] for row in view.results.leaderboard if row.model in row.against] == [50.0, 50.0]


def test_the_page_of_judges_shows_the_place_first_against_second_and_flips(pairwise_site: Site) -> None:
    judges = table(pairwise_site, "judges/", "Judges of Beside")
    assert {"To the first", "Flips"} <= {*heads(judges)}
    for line, row in zip(judges.rows(), view_in(pairwise_site).judge_rows, strict=True):
        assert "50.0" in line
        assert f"0 of {row.pairs}" in line
    places = table(pairwise_site, "judges/", "Win rate by place on Beside").rows()
    assert len(places) == 4
    for *_, first, second, without in places:
        assert first == second == without


def test_the_page_of_a_contestant_tells_its_figures_with_reasons_for_what_is_absent(pairwise_site: Site) -> None:
    text = pairwise_site.content("models/copy/").text
    row = view_in(pairwise_site).rows["copy"]
    assert f"{row.n_wins} won, {row.n_draws} drawn, {row.n_losses} lost" in text
    assert "Length-controlled win rate" in text
    assert "Bradley-Terry strength" in text


def test_the_method_says_whom_answers_are_held_against_and_in_which_order(pairwise_site: Site) -> None:
    text = pairwise_site.content("methodology/").text
    assert "held against those of Balanced essay and Verbose paraphrase, each counting alike" in text
    assert "once in each order" in text


def test_every_game_stands_in_the_evidence_with_its_opponent_place_verdict_and_rationale(pairwise_site: Site) -> None:
    shown = shown_answers(pairwise_site.folder, BOARD, "copy")
    item_schema, answer_schema = (
        Draft202012Validator(json.loads(schema_of(kind))) for kind in PairwiseEvidence.types()
    )
    assert len(shown) == 3
    for answer in shown.values():
        assert [error.message for error in answer_schema.iter_errors(answer)] == []
        (sample,) = answer["samples"]
        games = sample["games"]
        assert len(games) == 2 * 2 * 2
        assert {game["opponent"] for game in games} == {"essay", "paraphrase"}
        for one, other in pairwise(games[:2]):
            assert (one["judge"], one["position"], other["position"]) == (other["judge"], 0, 0)
        for each in games:
            assert 1 <= each["scores"]["preference"] <= 2
            assert each["rationale"].startswith("First: ")
    for item in shown_items(pairwise_site.folder, BOARD).values():
        assert [error.message for error in item_schema.iter_errors(item)] == []


def test_no_text_of_a_prompt_becomes_a_part_of_a_page(pairwise_site: Site) -> None:
    assert HOSTILE in shown_items(pairwise_site.folder, BOARD)["rain-1"]["prompt"]
    for path in sorted(pairwise_site.folder.rglob("*.html")):
        assert HOSTILE not in path.read_text("utf-8"), path


def test_a_text_that_is_not_in_the_data_is_said_to_be_absent_with_its_length() -> None:
    benchmark = pairwise_boards.benchmark(orders="drawn")
    records = [*answers("ab", "base", "m"), game("a", 1.9, drawn=True), game("b", 1.7, drawn=True)]
    board = benchmark.boards["main"]
    assert isinstance(board, PairwiseBoardFile)
    evidence = PAGES.evidence(PairwiseView(benchmark, board, pairwise_boards.scored(benchmark, records), is_first=True))
    response = next(record for record in records if isinstance(record, Response) and record.model == "m")
    whole = evidence.sample(response, [])
    bare = evidence.sample(msgspec.structs.replace(response, text=""), [])
    assert not hasattr(whole, "length") or whole.length is None
    assert getattr(bare, "length", None) == 10
