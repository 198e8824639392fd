"""What pages and data files say of controls: every drop by judge, what nobody sees, the ceiling; and of none too."""

from __future__ import annotations

import csv
import re

import msgspec
import pytest
from msgspec import UNSET
from support.sites import Site

from nullbench_site.site import words
from nullbench_site.site.trust import controls
from nullbench_site.site.views import BoardView
from nullbench_site.specs.types import CONTROLS, LADDERS, REFERENCE, damage_words


@pytest.fixture(scope="module")
def measured(controls_site: Site) -> Site:
    return controls_site


@pytest.fixture(scope="module")
def view(measured: Site) -> BoardView:
    (found,) = measured.data.views
    return found


def test_the_page_of_judges_has_every_drop_of_every_judge(measured: Site, view: BoardView) -> None:
    page = measured.below("judges/")
    table = next(t for t in page.all("table") if t.one("caption").text.startswith("Drop of the score"))
    text = table.text
    rows = controls.rows_of(view)
    assert {row.judge for row in rows} == {None, "support", "restraint", "form"}
    lines = controls.table(view)
    assert [line.row for line in lines] == [row for row in rows if row.judge is None]
    assert [line.doses for line in lines] == [2, 0, 1, 1]
    for line in lines:
        assert line.damage in text
        for row in line.rows:
            assert words.estimate(row.drop, row.low, row.high) in text


def test_what_no_judge_sees_stands_beside_the_scores_and_with_the_judges(measured: Site, view: BoardView) -> None:
    sentence = controls.blind_spots(view)
    tops = [row for row in controls.rows_of(view) if row.judge is not None and row.dose == 1]
    seen = {row.damage for row in tops if row.seen is not False}
    assert set(controls.unseen(view)) == {row.damage for row in tops} - seen
    assert sentence in measured.content(measured.board).text
    assert sentence in measured.below("judges/").text


def test_a_ladder_with_a_dose_of_too_few_items_is_neither_caught_nor_missed(
    view: BoardView, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = controls.rows_of(view)
    damage = rows[0].damage
    for ordered, seen in ((True, True), (False, False)):
        few = [
            msgspec.structs.replace(row, n_items=5, ordered=ordered, seen=seen) if row.damage == damage else row
            for row in rows
        ]
        monkeypatch.setattr(controls, "rows_of", lambda _, few=few: few)
        assert controls.too_few(view) == [damage]
        assert controls.ladders(view)[damage] is None
        assert damage not in controls.unseen(view)
        assert str(len({row.damage for row in rows})) not in controls.blind_spots(view)
        assert any("too few" in said and damage_words(damage) in said for said in controls.panel_sentences(view))
        lines = [line for line in controls.table(view) if line.row.damage == damage]
        assert all(set(line.orders) == {"too few"} for line in lines)


def test_one_kind_of_damage_is_no_kinds(view: BoardView, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = [row for row in controls.rows_of(view) if row.damage not in controls.unseen(view)]
    one = [row for row in seen if row.damage == seen[0].damage]
    monkeypatch.setattr(controls, "rows_of", lambda _: one)
    assert controls.blind_spots(view).startswith(
        "Only one kind of damage was tried; at least one judge marked it down."
    )


def test_the_page_of_judges_names_a_damage_once_and_those_that_were_not_tried(measured: Site, view: BoardView) -> None:
    spots, order, untried = controls.panel_sentences(view)
    tried = {row.damage for row in controls.rows_of(view)}
    assert all((damage_words(damage) in untried) is (damage not in tried) for damage in LADDERS)
    assert not any(damage_words(damage) in order for damage in controls.unseen(view))
    assert " ".join((spots, order, untried)) in measured.below("judges/").text


def test_the_ceiling_stands_with_the_facts_and_in_the_chart_beside_the_floor(measured: Site, view: BoardView) -> None:
    ceiling = view.results.ceiling
    assert ceiling is not UNSET
    home = measured.content(measured.board)
    assert "ceiling (the reference answers)" in home.text
    (row,) = (row for row in home.one("tfoot").all("tr") if row.has("class", "nb-ceiling"))
    assert controls.ceiling_words(view) in row.text
    assert f"on {ceiling.n_items} of {len(view.items)} items" in row.text
    assert "whole board" not in row.text
    assert f"{ceiling.overall:.1f}" in home.text
    assert controls.ceiling_words(view) in measured.below("judges/").text


def test_no_control_stands_among_contestants(measured: Site) -> None:
    titles = {control.title for control in CONTROLS.values()}
    for address in ("", measured.board, "compare/", "models/"):
        assert not any(title in measured.content(address).text for title in titles), address
    assert not CONTROLS.keys() & {model["id"] for model in measured.json("index.json")["models"]}


def test_the_table_can_be_downloaded_as_the_run_has_it(measured: Site) -> None:
    rows = measured.csv("boards/main/controls.csv")
    with (measured.entry.path / "results/main/controls.csv").open(newline="") as file:
        assert rows == list(csv.DictReader(file))
    links = [link.attributes.get("href", "") for link in measured.content("data/").all("a")]
    assert any(link.endswith("v1/boards/main/controls.csv") for link in links)


def test_controls_can_be_browsed_as_a_board_of_their_own(measured: Site) -> None:
    index = measured.json("evidence/main/controls/index.json")
    assert index["board"] == "main/controls"
    assert next(model["id"] for model in index["models"]) == REFERENCE
    assert {model["kind"] for model in index["models"]} == {"control"}
    tile = measured.json("evidence/main/controls/scores/0-0.json")
    assert tile["contestants"][0]["id"] == REFERENCE
    assert all(score is not None for score in tile["contestants"][0]["scores"])
    answers = measured.json(f"evidence/main/controls/answers/{REFERENCE}/0.json")
    assert all(answer["samples"][0]["verdicts"] for answer in answers.values())
    options = [option.text for option in measured.pages["evidence/"].all("option")]
    assert any(re.fullmatch(r".*: controls", text) for text in options)
    assert REFERENCE not in {model["id"] for model in measured.json("evidence/main/index.json")["models"]}


def test_the_methodology_names_every_damage(measured: Site) -> None:
    text = measured.below("methodology/").text
    assert "A control measures the panel and no model." in text
    assert all(line in text for line in ("Negation", "Shuffled sentences", "Attribution"))


def test_a_run_without_controls_says_that_its_panel_was_not_measured(small_site: Site) -> None:
    site = small_site
    said = "We did not measure what these judges notice"
    assert said in site.content(site.board).text
    assert said in site.below("judges/").text
    assert "ceiling" not in site.content(site.board).text.lower()
    assert not (site.folder / "data/v1/evidence/small/controls").exists()
    assert not (site.folder / "data/v1/boards/small/controls.csv").exists()
