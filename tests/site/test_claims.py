"""Which comparative sentences figures bear, and that no page says more."""

from __future__ import annotations

from xml.sax.saxutils import escape

import pytest
from support import boards, oracle_boards
from support.boards import model
from support.oracle_boards import ITEMS, category, domain, keyed, marked, marked_as
from support.sites import Site, each_of
from support.winning import WINNING, reading

from nullbench_site.site import claims
from nullbench_site.site.claims import Lead, Scored, Significance, claim, leading, phrases, standing
from nullbench_site.site.pages.openings import opening
from nullbench_site.site.pages.sentences import standing as standing_of
from nullbench_site.site.pages.tables import board_table
from nullbench_site.stats.measure import Robustness

A, B, C = Scored("A", 60.04, 58.1, 62.0), Scored("B", 55.0, 53.0, 57.0), Scored("C", 54.0, 50.5, 57.5)


MARKS = "4 of 5 trust checks are low or unmeasured"


@pytest.mark.parametrize(
    ("difference", "robust", "silence", "said"),
    [
        ("significant", "holds", "", "leads"),
        ("significant", "no judge", "", "leads"),
        ("significant", "differs", "", "ahead"),
        ("significant", "unknown", "", "ahead"),
        ("significant", "one judge", "", "ahead with one judge"),
        ("insignificant", "holds", "", "highest"),
        ("unknown", "holds", "", "highest"),
        ("equal", "unknown", "", "highest"),
        ("significant", "holds", MARKS, "none"),
        ("significant", "no judge", "the panel fails its controls", "none"),
        ("insignificant", "one judge", MARKS, "none"),
    ],
)
def test_the_claim_is_the_one_of_the_table(
    difference: Significance, robust: Robustness, silence: str, said: str
) -> None:
    assert claim(difference, robust=robust, silence=silence) == said
    lacking = claim(difference, robust=robust, silence=silence, lacks="the difference is too small")
    assert lacking == ("higher" if said == "leads" else said)


@pytest.mark.parametrize(
    ("difference", "scores", "why"),
    [
        # LiveCodeBench's first two of 400 items, and the same of 1,000: 2 sqrt(S(1 - S) / n).
        (
            5.01,
            [(40.1, 345), (35.1, 345)],
            "the difference of 5.01 points is not above 5.28, two plain errors of a score",
        ),
        (5.01, [(40.1, 1000), (35.1, 1000)], ""),
        (
            -5.01,
            [(35.1, 345), (40.1, 345)],
            "the difference of 5.01 points is not above 5.28, two plain errors of a score",
        ),
        (
            10.0,
            [(50.0, 100), (40.0, 100)],
            "the difference of 10.00 points is not above 10.00, two plain errors of a score",
        ),
        (10.1, [(50.0, 100), (39.9, 100)], ""),
        (3.0, [(None, 5), (None, 5)], ""),
    ],
)
def test_a_winner_is_more_than_two_plain_errors_above_the_other(
    difference: float, scores: list[tuple[float | None, int]], why: str
) -> None:
    assert claims.too_small(difference, *scores) == why


@pytest.mark.parametrize(
    ("lead", "said"),
    [
        (Lead([A, B, C], "significant", "holds"), "A leads with 60.0 [58.1–62.0], 5.0 points above B."),
        (
            Lead([A, B, C], "significant", "differs"),
            "A is ahead with this panel, at 60.0 [58.1–62.0]; other judges could differ.",
        ),
        (
            Lead([A, B, C], "significant", "one judge"),
            "A is ahead with this judge, at 60.0 [58.1–62.0]; no other judge was asked.",
        ),
        (
            Lead([A, B, C], "insignificant", "holds", alike=("B", "C")),
            "A has the highest score, 60.0 [58.1–62.0]; it cannot be distinguished from B and C.",
        ),
        (
            Lead([A, Scored("B", 60.04)], "insignificant", "holds", alike=("B",)),
            "A shares the highest score, 60.0 [58.1–62.0], with B; it cannot be distinguished from B.",
        ),
        (
            Lead([A, B], "insignificant", "holds"),
            "A has the highest score, 60.0 [58.1–62.0]; it cannot be distinguished from some that score less.",
        ),
        (
            Lead([Scored("A", 50.0), B], "unknown", "unknown", unsure="one text"),
            "A has the highest score, 50.0; the uncertainty of the difference is not measured: one text.",
        ),
        (
            Lead([A, B, C, Scored("D", 1.0), Scored("E", 0.5)], "significant", "holds", MARKS),
            f"A scores highest, 60.0 [58.1–62.0]. We name no winner yet: {MARKS}.",
        ),
        (Lead([A], "insignificant", "unknown"), "A scores 60.0 [58.1–62.0]; no other contestant is ranked."),
    ],
)
def test_the_sentence_on_who_stands_first_follows_from_the_claim(lead: Lead, said: str) -> None:
    assert leading(lead) == said


def test_the_sentence_of_one_contestant_claims_no_more() -> None:
    place = "Rank 1–2 of 4"
    assert standing(place, first="leads", alike=(), silence="") == f"{place}: it leads."
    assert "with this panel" in standing(place, first="ahead", alike=(), silence="")
    assert "no other judge" in standing(place, first="ahead with one judge", alike=(), silence="")
    told = standing(place, first=None, alike=("A", "B", "C", "D", "E"), silence="")
    assert told == f"{place}; it cannot be distinguished from A, B, C and 2 more."
    assert standing(place, first="highest", alike=(), silence="") == f"{place}."
    assert standing(place, first="leads", alike=("A",), silence=MARKS) == f"We name no winner yet: {MARKS}. {place}."


def test_no_phrase_of_a_silent_board_has_a_word_of_winning_and_only_robust_ones_say_better() -> None:
    table = claims.table()
    assert len(table) == 27
    for key, phrase in table.items():
        difference, _, robust = key.partition(" ")
        for text in (phrase.sentence, phrase.higher, phrase.lower, phrase.group):
            found = {word.casefold() for word in WINNING.findall(text)}
            if difference != "significant":
                assert not found
            else:
                assert found <= ({"better", "worse"} if robust in ("holds", "no judge") else {"ahead"})


def test_a_difference_of_nothing_is_called_so_unless_the_board_is_silent() -> None:
    assert phrases("same", robust="unknown", silence="") == phrases("same", robust="holds", silence="")
    assert "same score" in phrases("equal", robust="holds", silence="").sentence
    assert "not measured" in phrases("unknown", robust="holds", silence="").sentence
    assert phrases("same", robust="holds", silence=MARKS) == phrases("significant", robust="holds", silence=MARKS)


# --- boards ---------------------------------------------------------------------------------------------------------


def test_a_board_of_many_items_without_judges_says_who_leads() -> None:
    view = keyed({"high": 180, "low": 60})
    assert reading(view)[0].startswith("high leads with 90.0 [")
    assert standing_of(view, view.rows["high"]).endswith("it leads.")
    assert WINNING.search(standing_of(view, view.rows["low"])) is None


def test_one_whose_place_may_not_stay_is_nowhere_said_to_lead_without_that() -> None:
    view = marked_as(keyed({"high": 180, "low": 60}), high="provisional")
    assert reading(view)[0].startswith("high (provisional) leads with 90.0 [")
    assert standing_of(view, view.rows["high"]) == "Rank 1 of 2, for now: it leads."
    shown = board_table(view).rows[0]
    assert (shown.facts["status"], shown.model.status) == ("provisional", "provisional")


def test_contestants_that_cannot_be_told_apart_are_named_and_nobody_leads() -> None:
    view = keyed({"one": 100, "two": 99})
    assert "has the highest score, 50.0 [" in reading(view)[0]
    assert "cannot be distinguished from two." in reading(view)[0]
    assert WINNING.search(reading(view)[0]) is None


def test_a_cut_has_the_sentence_of_its_own_items() -> None:
    """In one domain the one is right on all, in the other the other; both have 200 items."""
    facts, sums = ITEMS, [f"s{number:03}" for number in range(200)]
    board = oracle_boards.benchmark(
        domain("facts", category("dates", *facts)), domain("sums", category("plus", *sums)),
        models=["one", "two", model("guess", "null")],
    )  # fmt: skip
    right = {"one": facts, "two": sums, "guess": []}
    records = [
        record
        for name, own in right.items()
        for record in marked({item: "correct" if item in set(own) else "wrong" for item in facts + sums}, name)
    ]
    view = boards.view(board, records)
    said = {group.id: opening(view, group).long for group in view.results.domains}
    assert said["facts"].startswith("one leads with 100.0")
    assert said["sums"].startswith("two leads with 100.0")
    assert "shares the highest score, 50.0" in opening(view).short
    (category_of_facts,) = (group for group in view.results.categories if group.id == "dates")
    assert opening(view, category_of_facts).long == said["facts"]


site = each_of("small", "shipped", "mixed", "axes_and_oracle")
"""Sites whose every board has three or more marks that are low or not measured."""


def test_the_sentence_of_a_board_is_the_same_on_its_page_in_llms_txt_and_in_the_feed(site: Site) -> None:
    for view in site.data.views:
        said = opening(view).long
        assert said in site.content(view.url).text
        assert said in (site.folder / "llms.txt").read_text("utf-8").replace("\\", "")
        assert escape(f"{view.board.title}: {said}") in (site.folder / "feed.xml").read_text("utf-8")
