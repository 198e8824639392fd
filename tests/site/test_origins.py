"""Where answers come from: a badge on the board, words on the page, a field in the data."""

from __future__ import annotations

import pytest
from support.sites import Site

from nullbench_site.site.words import BADGES, ORIGINS, PROVES, PROVES_NOT
from nullbench_site.specs.types import ModelFile, Origin, Provenance


@pytest.mark.parametrize(
    ("backend", "provenance", "origin"),
    [
        ("offline", None, "asked"),
        ("openai", None, "asked"),
        ("recorded", None, "imported"),
        ("recorded", "reproduced", "reproduced"),
        ("openai", "signed", "signed"),
    ],
)
def test_without_a_claim_the_run_says_where_answers_come_from(
    backend: str, provenance: Provenance | None, origin: Origin
) -> None:
    model = ModelFile(
        canary="", id="one", title="One", description="", kind="model", backend=backend, model="one", family="one",
        provenance=provenance,
    )  # fmt: skip
    assert model.origin == origin


def test_a_claim_stands_on_the_board_and_on_the_page_of_its_contestant_as_a_claim(mixed_site: Site) -> None:
    every = mixed_site.content("boards/tasks/").one("table", class_="nb-ranks").all("tr")
    rows = {row.attributes["data-m"]: row for row in every if "data-m" in row.attributes}
    row, other = rows["clear"], rows["wordy"]
    assert row.attributes["data-origin"] == "self-reported"
    (badge,) = [span for span in row.all("span") if span.text == "self-reported"]
    assert badge.attributes["title"] == ORIGINS["self-reported"]
    assert "data-origin" not in other.attributes
    assert f"Self-reported: {ORIGINS['self-reported']}" in mixed_site.content("models/clear/").text
    assert ORIGINS["self-reported"] not in mixed_site.content("models/wordy/").text


def test_what_would_speak_for_an_answer_is_called_a_claim_in_its_badge() -> None:
    assert [badge for badge in BADGES.values() if badge.endswith(" (claim)")] == [
        "reproduced (claim)",
        "signed (claim)",
    ]
    assert BADGES.keys() == ORIGINS.keys()


def test_data_files_have_the_claim_and_what_is_known(mixed_site: Site) -> None:
    facts = {name: mixed_site.json(f"models/{name}.json") for name in ("clear", "wordy")}
    assert [(each["origin"], each["provenance"]) for each in facts.values()] == [
        ("self-reported", "self-reported"),
        ("asked", None),
    ]


def test_pages_say_what_to_verify_a_run_shows_and_what_not(mixed_site: Site) -> None:
    for page in ("runs/", "methodology/"):
        shown = mixed_site.content(page).text
        assert PROVES in shown
        assert PROVES_NOT in shown
    assert all(meaning in mixed_site.below("methodology/").text for meaning in ORIGINS.values())
