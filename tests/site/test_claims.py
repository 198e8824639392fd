"""Which comparative sentences figures bear, and that no page says more."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from typing import Any
from xml.sax.saxutils import escape

import msgspec
import pytest
from support import oracle_boards
from support.boards import model
from support.oracle_boards import ITEMS, category, domain, keyed, marked, marked_as
from support.sites import Site

from nullbench_site.site import claims
from nullbench_site.site.cards.content import cards
from nullbench_site.site.claims import Lead, Scored, Significance, claim, leading, phrases, standing
from nullbench_site.site.pages import compare
from nullbench_site.site.pages.sentences import first_sentence, part_sentence, reading
from nullbench_site.site.pages.sentences import standing as standing_of
from nullbench_site.site.pages.tables import board_table
from nullbench_site.site.views import view_of

A, B, C = Scored("A", 60.04, 58.1, 62.0), Scored("B", 55.0, 53.0, 57.0), Scored("C", 54.0, 50.5, 57.5)


@pytest.mark.parametrize(
    ("difference", "robust", "low_marks", "said"),
    [
        ("significant", True, 2, "leads"),
        ("significant", True, 3, "none"),
        ("significant", False, 2, "ahead"),
        ("significant", None, 0, "ahead"),
        ("insignificant", True, 0, "highest"),
        ("unknown", True, 0, "highest"),
        ("equal", None, 0, "highest"),
        ("insignificant", None, 5, "none"),
    ],
)
def test_the_claim_is_the_one_of_the_table(
    difference: Significance, robust: bool | None, low_marks: int, said: str
) -> None:
    assert claim(difference, robust=robust, low_marks=low_marks) == said


@pytest.mark.parametrize(
    ("lead", "said"),
    [
        (Lead([A, B, C], "significant", True, 2), "A leads with 60.0 [58.1–62.0], 5.0 points above B."),
        (
            Lead([A, B, C], "significant", False, 2),
            "A is ahead with this panel, at 60.0 [58.1–62.0]; other judges could differ.",
        ),
        (
            Lead([A, B, C], "significant", None, 2),
            "A is ahead with this panel, at 60.0 [58.1–62.0]; how it is with other judges is not measured.",
        ),
        (
            Lead([A, B, C], "insignificant", True, 0, untold=("B", "C")),
            "A has the highest score, 60.0 [58.1–62.0]; it cannot be told from B and C.",
        ),
        (
            Lead([A, Scored("B", 60.04)], "insignificant", True, 0, untold=("B",)),
            "A shares the highest score, 60.0 [58.1–62.0], with B; it cannot be told from B.",
        ),
        (
            Lead([A, B], "insignificant", True, 0),
            "A has the highest score, 60.0 [58.1–62.0]; it cannot be told from some that score less.",
        ),
        (
            Lead([Scored("A", 50.0), B], "unknown", None, 1, unsure="one text"),
            "A has the highest score, 50.0; how sure that is cannot be said: one text.",
        ),
        (
            Lead([A, B, C, Scored("D", 1.0), Scored("E", 0.5)], "significant", True, 4),
            "A scores 60.0 [58.1–62.0], B 55.0 [53.0–57.0], C 54.0 [50.5–57.5] and 2 more. No comparative claim: "
            "4 of 5 trust marks are low or not measured.",
        ),
        (Lead([A], "insignificant", None, 0), "A scores 60.0 [58.1–62.0]; nobody else is ranked."),
    ],
)
def test_the_sentence_on_who_stands_first_follows_from_the_claim(lead: Lead, said: str) -> None:
    assert leading(lead) == said


def test_the_sentence_of_one_contestant_claims_no_more() -> None:
    place = "Rank 1–2 of 4"
    assert standing(place, first="leads", untold=(), low_marks=2) == f"{place}: it leads."
    assert standing(place, first="ahead", untold=(), low_marks=2).endswith(
        "with this panel, and other judges could differ."
    )
    told = standing(place, first=None, untold=("A", "B", "C", "D", "E"), low_marks=0)
    assert told == f"{place}; it cannot be told from A, B, C and 2 more."
    assert standing(place, first="highest", untold=(), low_marks=0) == f"{place}."
    assert "No comparative claim" in standing(place, first="leads", untold=("A",), low_marks=3)


WINNING = re.compile(
    r"\b(lead(?:s|er|ing)?|ahead|better|worse|best|beats?|wins?|winner|outperforms?|superior|measurably|strongest)\b",
    re.I,
)


def test_from_three_low_marks_on_no_phrase_has_a_verb_of_winning_and_only_robust_ones_say_better() -> None:
    for key, phrase in claims.table().items():
        difference, robust, silent = key.split()
        for text in (phrase.sentence, phrase.higher, phrase.lower, phrase.group):
            found = {word.casefold() for word in WINNING.findall(text)}
            if silent == "true" or difference != "significant":
                assert not found
            else:
                assert found <= ({"better", "worse"} if robust == "true" else {"ahead"})


def test_a_difference_of_nothing_is_called_so_whatever_the_marks() -> None:
    assert phrases("same", robust=None, low_marks=5) == phrases("same", robust=True, low_marks=0)
    assert "same score" in phrases("equal", robust=True, low_marks=0).sentence
    assert "how sure that is cannot be said" in phrases("unknown", robust=True, low_marks=0).sentence


# --- boards ---------------------------------------------------------------------------------------------------------


def test_a_board_of_many_items_without_judges_says_who_leads() -> None:
    view = keyed({"high": 180, "low": 60})
    assert reading(view)[0].startswith("high leads with 90.0 [")
    assert standing_of(view, view.rows["high"]).endswith("it leads.")
    assert WINNING.search(standing_of(view, view.rows["low"])) is None


def test_one_whose_place_may_not_stay_is_nowhere_said_to_lead_without_that() -> None:
    view = marked_as(keyed({"high": 180, "low": 60}), high="provisional")
    assert reading(view)[0].startswith("high (provisional) leads with 90.0 [")
    assert standing_of(view, view.rows["high"]) == "Rank 1 of 3, for now: it leads."
    assert compare._neighbours(view)["rows"][0]["title"] == "high (provisional)"
    shown = board_table(view).rows[0]
    assert (shown.facts["status"], shown.model.status) == ("provisional", "provisional")


def test_contestants_that_cannot_be_told_apart_are_named_and_nobody_leads() -> None:
    view = keyed({"one": 100, "two": 99})
    assert "has the highest score, 50.0 [" in reading(view)[0]
    assert "cannot be told from two." in reading(view)[0]
    assert WINNING.search(reading(view)[0]) is None


def test_neighbours_are_told_by_how_their_difference_came_out() -> None:
    rows = compare._neighbours(keyed({"most": 180, "many": 101, "some": 100, "alike": 100}))["rows"]
    said = [row["verdict"] for row in rows]
    assert said[0].startswith("better by 39.5 [")
    assert said[1].startswith("cannot be told apart +0.5")
    assert said[2] == "the same on every item"


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
    view = view_of(board, board.boards["main"], oracle_boards.scored(board, records), is_first=True)
    said = {group.id: part_sentence(view, group) for group in view.results.domains}
    assert said["facts"].startswith("one leads with 100.0")
    assert said["sums"].startswith("two leads with 100.0")
    assert "shares the highest score, 50.0" in first_sentence(view)
    (category_of_facts,) = (group for group in view.results.categories if group.id == "dates")
    assert part_sentence(view, category_of_facts) == said["facts"]


@pytest.fixture(params=["small", "shipped", "mixed", "axes_and_oracle"])
def site(request: pytest.FixtureRequest) -> Site:
    """Sites whose every board has three or more marks that are low or not measured."""
    found: Site = request.getfixturevalue(f"{request.param}_site")
    return found


def _texts(value: Any) -> Iterator[str]:
    """Every text in it."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, msgspec.Struct):
        yield from _texts(msgspec.structs.asdict(value))
    elif is_dataclass(value):
        yield from _texts(vars(value))
    elif isinstance(value, Mapping):
        yield from (text for inner in (*value, *value.values()) for text in _texts(inner))
    elif isinstance(value, Iterable):
        yield from (text for inner in value for text in _texts(inner))


def test_no_page_of_a_site_with_low_marks_has_a_verb_of_winning(site: Site) -> None:
    """Titles and descriptions of the specs are their authors' words; which way a number counts is no claim."""
    theirs = {" ".join(text.split()) for text in _texts(site.data.benchmark)}
    theirs |= {*claims.RULES, *claims.RULES.values()}
    theirs = {text for text in theirs if WINNING.search(text) and not text.isalpha()}
    # What a game is, and who beats whom in it, is said where numbers are defined.
    told = {url: page.text for url, page in site.pages.items() if url not in ("methodology/", "data/")}
    told |= {name: (site.folder / name).read_text("utf-8") for name in ("llms.txt", "feed.xml")}
    told |= {name: " ".join(_texts(card)) for name, card in cards(site.data)}
    named = "|".join(map(re.escape, sorted(theirs, key=len, reverse=True))) or "(?!)"
    floor = "best null model|best of (?:them|the null models)"
    games = r"win rates?|half a win|(?:a contestant|one that|who) wins|100 wins"
    other = re.compile(rf"{named}|(?:higher|lower) is better|{floor}|knows better|\bleads? to\b|{games}", re.I)
    found = set()
    for where, text in told.items():
        ours = other.sub("", " ".join(text.split()))
        found |= {(where, ours[max(0, hit.start() - 60) : hit.end() + 40]) for hit in WINNING.finditer(ours)}
    assert found == set()


def test_the_sentence_of_a_board_is_the_same_on_its_page_in_llms_txt_and_in_the_feed(site: Site) -> None:
    for view in site.data.views:
        said = first_sentence(view)
        assert said in site.content(view.url).text
        assert said in (site.folder / "llms.txt").read_text("utf-8").replace("\\", "")
        assert escape(f"{view.board.title}: {said}") in (site.folder / "feed.xml").read_text("utf-8")
