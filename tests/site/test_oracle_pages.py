"""What a site shows of an `oracle` board: figures of the results, reasons of marks, keys that are public."""

from __future__ import annotations

import json

import msgspec
import pytest
from support import boards, oracle_boards
from support.evidence import shown_answers, shown_items
from support.oracle_boards import answer, marked, prompt
from support.oracle_sites import BOARD
from support.sites import Site, each_of, shown_cells
from support.winning import reading

from nullbench_site.answer_keys import KEYS
from nullbench_site.protocols.oracle.pages import PAGES, OracleEvidence, OracleView
from nullbench_site.runs.records import Hidden, Record
from nullbench_site.site.pages.domains import item_table
from nullbench_site.site.pages.sentences import failures, not_ranked
from nullbench_site.site.pages.tables import board_table

NOBODY = "No judge: a program marks each answer by its key."


site = each_of("oracle", "axes_and_oracle")


def percent(share: str) -> str:
    """A field of a table as pages show it."""
    return f"{100 * float(share):.1f} %" if share else "not measured"


# --- built pages ----------------------------------------------------------------------------------------------------


def test_the_board_shows_each_row_of_the_leaderboard_in_its_order(site: Site) -> None:
    view = site.view(OracleView)
    rows = site.cells(view.url, "Keys, highest first")
    for cells, row in zip(rows, site.csv(f"boards/{BOARD}.csv"), strict=True):
        score = cells["oracle_overall"]
        assert cells["rank"].startswith(row["rank_low"] or row["rank"] or "–")
        assert cells["Contestant"].startswith(view.title(row["model"]))
        assert score.startswith(f"{float(row['overall']):.1f}")
        if row["ci_low"]:
            assert f"[{float(row['ci_low']):.1f}–{float(row['ci_high']):.1f}]" in score
        ends = [f"{100 * float(row[name]):.1f}" for name in ("accuracy_low", "accuracy_high") if row[name]]
        assert cells["accuracy"] == " ".join(
            [percent(row["accuracy"]), *(["[" + "–".join(ends) + "]"] if ends else [])]
        )
        assert cells["valid_share"] == f"{int(row['n_correct']) + int(row['n_wrong'])} of 13"
        assert cells["contrast_consistency"] == " of ".join(
            [percent(row["contrast_consistency"]), *([row["n_bundles"]] if row["contrast_consistency"] else [])]
        )
        assert (cells["invalid_rate"], cells["oracle_error_rate"]) == (
            percent(row["invalid_rate"]),
            percent(row["error_rate"]),
        )


def test_who_has_the_highest_accuracy_is_said_where_it_is_not_the_first_of_the_board(site: Site) -> None:
    """First option has 4 of 13 right, 11 of them valid; Echo 2, and 3."""
    page = site.content(site.view(OracleView).url)
    said = [paragraph.text for paragraph in page.all("p", class_="nb-says")]
    assert "First option has the highest score, 30.8 [" in said[0]
    assert (
        "Accuracy, which is of valid answers alone, has another order: 66.7 % of Echo, with 3 of 13 answers valid, and "
        "36.4 % of First option."
    ) in said


def test_a_contestant_without_a_valid_answer_says_so_on_its_page(site: Site) -> None:
    page = site.content("models/null-empty/").text
    assert "no valid answer" in page
    assert "no bundle of two or more variants, all with valid answers" in page


def test_no_judge_is_spoken_of_as_if_there_were_one(oracle_site: Site) -> None:
    for url in (oracle_site.board, "domains/", "models/", "judges/", "judges/keys/", "evidence/", "methodology/keys/"):
        assert NOBODY in oracle_site.content(url).text, url
        assert "panel" not in oracle_site.content(url).text.lower(), url
    assert "A program marks each answer by its key." in oracle_site.content("").text
    assert "panel" not in oracle_site.content("").text.lower()
    page = oracle_site.below("judges/")
    assert {heading.text for heading in page.all("h1")} == {"Who judges?"}
    assert not list(page.all("table"))


def test_beside_a_judged_board_the_page_of_judges_says_which_has_none(axes_and_oracle_site: Site) -> None:
    page = axes_and_oracle_site.content("judges/")
    assert page.one("h1").text == "Can the judges be trusted?"
    assert NOBODY in page.text
    assert "Nobody judges here." in axes_and_oracle_site.content("judges/keys/").text


def test_the_method_tells_of_each_type_of_key_that_items_have(site: Site) -> None:
    found = site.table("methodology/keys/", "Types of keys of Keys")
    assert [(row[0], row[1]) for row in found.rows()] == [
        ("Multiple choice", "4"), ("Exact answer", "2"), ("Number", "3"), ("Regular expression", "2"),
        ("JSON Schema", "2"),
    ]  # fmt: skip
    for key in KEYS.values():
        assert key.looks_at in found.text
        assert key.cannot_see in found.text


def test_every_metric_of_the_board_is_explained_and_no_other_of_judges(oracle_site: Site) -> None:
    anchors = {
        section.attributes["id"] for section in oracle_site.content("glossary/").all("section", class_="nb-metric")
    }
    assert {"metric-oracle_overall", "metric-accuracy", "metric-contrast_consistency", "metric-share_ci"} <= anchors
    assert not anchors & {"metric-alpha", "metric-judge_calls", "metric-quality", "metric-judge_mean"}


def test_behind_every_mark_stand_the_prompt_the_key_the_answer_and_the_reason(site: Site) -> None:
    items = shown_items(site.folder, BOARD)
    assert items["counting-02"]["key"] == {
        "type": "multiple-choice", "options": {"A": "7", "B": "4", "C": "5"}, "correct": ["B"],
    }  # fmt: skip
    assert items["counting-02"]["prompt"].startswith("How many months have exactly 30 days?")
    assert items["counting-02"]["bundle"] == "months"
    answers = shown_answers(site.folder, BOARD, "first-option")
    (sample,) = answers["counting-02"]["samples"]
    assert sample["text"] == "Answer: A"
    assert sample["marks"] == [{"outcome": "wrong", "why": "chooses A; B is right"}]
    assert answers["counting-02"]["score"] == {"state": "wrong", "overall": 0.0}


# --- boards in memory -----------------------------------------------------------------------------------------------


def told_of(view: OracleView) -> list[str]:
    """What the page of the board says in sentences."""
    return [*reading(view), *PAGES.board(view)["further_reading"]]


def private_view() -> OracleView:
    board = oracle_boards.of("a", prompt("secret", visibility="private"))
    hidden = Hidden("sha256:0", 3)
    return boards.view(board, [answer("a"), answer("secret", "wrong", why="B is right", hidden=hidden)])


def test_of_a_private_item_nothing_is_shown_but_its_mark() -> None:
    view = private_view()
    evidence = OracleEvidence(view)
    shown = json.dumps([msgspec.to_builtins(evidence.item(placed)) for placed in view.items])
    shown += "".join(evidence.beginning(placed) for placed in view.items)
    assert "Is it secret?" not in shown
    assert "Is it a?" in shown
    response = answer("secret", "wrong", why="B is right", hidden=Hidden("sha256:0", 3))
    assert msgspec.to_builtins(evidence.sample(response, {})) == {
        "sample": 0, "state": "answered", "hidden": True, "marks": [{"outcome": "wrong"}],
    }  # fmt: skip
    ((domain,), (group,)) = (view.domains.values(), view.results.domains)
    (_, item) = item_table(view, domain, PAGES.domain(view, group)["notes"])["lines"]
    assert (item.notes, item.mean, item.private) == (["hidden", "–"], 0, True)
    method = PAGES.method(view)
    assert view.n_private == 1
    assert sum(row["n_items"] for row in method["keys"]) == 1
    assert [column["title"] for column in PAGES.board(view)["by_key"]["columns"]] == ["Exact answer", "hidden"]


def test_failed_invalid_and_unmarked_answers_are_told_apart() -> None:
    board = oracle_boards.of("a", "b", "c", "d")
    view = boards.view(board, marked({"a": "correct", "b": "invalid", "c": "errored", "d": "unmarked"}))
    assert failures(view) == (
        "1 of 4 answers failed after all attempts, 1 of 4 are invalid (causes not recorded); these count as not "
        "correct, and are in no accuracy; 1 of 4 have no mark and are in no figure."
    )
    (row,) = board_table(view).rows
    assert (row.rank, list(row.remarks)) == ("–", ["1 answer without a mark", "mean over 3 of 4 items"])
    assert not_ranked(view, view.rows["m"]) == "m is not ranked: 1 answer without a mark."


def test_a_board_whose_answers_are_all_valid_says_so_and_names_no_other_leader() -> None:
    board = oracle_boards.of("a", "b", models=["m", "n"])
    view = boards.view(
        board, [*marked({"a": "correct", "b": "wrong"}, "m"), *marked({"a": "wrong", "b": "wrong"}, "n")]
    )
    assert failures(view) == "no answer failed, none is invalid."
    assert not any("by accuracy" in sentence for sentence in told_of(view))


def test_a_contestant_that_gave_no_valid_answer_is_ranked_with_0_and_has_no_accuracy() -> None:
    board = oracle_boards.of("a", "b", models=["m", "mute"])
    records = [*marked({"a": "correct", "b": "wrong"}), *marked(dict.fromkeys("ab", "invalid"), "mute")]
    view = boards.view(board, records)
    (_, mute) = board_table(view).rows
    shown = shown_cells(board_table(view), "mute")
    assert (mute.rank, mute.row.score, shown["valid_share"]) == ("2?", 0.0, "0 of 2")
    assert (shown["accuracy"], mute.row.absent["accuracy"]) == ("not measured", "no valid answer")
    assert not any("not complete" in sentence or "by accuracy" in sentence for sentence in told_of(view))


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ([], "No answer on this board is marked yet."),
        (marked({"a": "correct"}), "No contestant has every answer and every mark yet, so there is no ranking."),
    ],
)
def test_a_board_without_a_ranking_says_why(records: list[Record], said: str) -> None:
    view = boards.view(oracle_boards.of("a", "b"), records)
    assert said in told_of(view)


def test_the_columns_of_a_confidence_and_its_reading_are_shown_if_an_answer_has_one() -> None:
    def shown(confidence: float | None) -> tuple[set[str], bool]:
        record = msgspec.structs.replace(answer(), stated_confidence=confidence)
        view = boards.view(oracle_boards.of("a"), [record])
        columns = {metric.id for metric, _ in board_table(view).columns}
        return columns & {"confidence", "stated_confidence"}, PAGES.method(view)["states_confidence"]

    assert shown(None) == (set(), False)
    assert shown(0.7) == ({"stated_confidence"}, True)
