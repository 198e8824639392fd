"""The section of the trust page on calibration."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from support import oracle_boards
from support.boards import view as view_of
from support.oracle_boards import answer, marked
from support.pages import Element
from support.sites import Site

from nullbench_site.runs.records import Record
from nullbench_site.site.pages import calibration
from nullbench_site.site.views import BoardView
from nullbench_site.specs.types import RECORDED

ITEMS = [f"q{number:02}" for number in range(60)]


@pytest.fixture(scope="module")
def view() -> BoardView:
    """Sure of 0.9 and right on 20 of 60; the other has no confidence."""
    records: list[Record] = [
        msgspec.structs.replace(
            answer(item, "correct" if number % 3 == 0 else "invalid"), confidence=0.8505 + 0.001 * number
        )
        for number, item in enumerate(ITEMS)
    ]
    board = oracle_boards.of(*ITEMS, models=("m", "other"))
    made: BoardView = view_of(board, [*records, *marked(dict.fromkeys(ITEMS, "correct"), "other")])
    return made


def section(site: Site, view: BoardView) -> Element:
    source = '{% include "_trust_calibration.md.j2" %}'
    return site.fragment(source, board={"view": view, "board": view.board}, part=calibration.shows(view))


def test_the_scoring_rules_come_first_and_each_error_stands_beside_that_of_a_calibrated_model(
    oracle_site: Site, view: BoardView
) -> None:
    shown = section(oracle_site, view)
    table, scaling = shown.all("table", class_="nb-board")
    heads = [head.text for head in table.all("th", scope="col")]
    assert heads == ["Contestant", "Brier", "NLL", "ECE", "MCE", "Confidence minus accuracy", "Shape", "Answers"]
    (row,) = table.rows()
    assert row[0] == "m"
    assert row[1].startswith("0.5")
    assert "if calibrated [0." in row[3]
    assert "if calibrated [0." in row[4]
    assert row[5].startswith("+0.547 [+0.")
    assert row[6:] == ["overconfident", "60, 40 invalid"]
    assert scaling.rows()[0][1].startswith("no temperature fits: the NLL is lowest with a confidence of 50 %")


def test_the_diagram_names_its_shape_with_figures_and_has_its_numbers_as_a_table(
    oracle_site: Site, view: BoardView
) -> None:
    figure = section(oracle_site, view).one("figure")
    says = "Overconfident. Confidence is 88.0 % on average, and 33.3 % of 60 answers are right."
    assert figure.one("p", class_="nb-figure-says").text == says
    assert figure.one("div", role="img").attributes["aria-label"].replace("\N{NO-BREAK SPACE}", " ").endswith(says)
    assert len(figure.all("rect", class_="nb-accuracy")) == len(figure.all("rect", class_="nb-chance")) == 2
    rows = figure.one("table").rows()
    assert [row[0] for row in rows] == ["80–90 %", "90–100 %"]
    assert sum(int(row[1]) for row in rows) == 60


def test_who_has_no_confidence_is_named_with_the_reason(oracle_site: Site, view: BoardView) -> None:
    models = view.benchmark.models
    recorded = {**models, "other": msgspec.structs.replace(models["other"], backend=RECORDED)}
    imported = replace(view, benchmark=replace(view.benchmark, models=recorded))
    of_m = "Stated confidence of m: not measured; no answer states a confidence."
    for shown, why in (
        (view, "does not apply; programs have no token probabilities and state no confidence."),
        (imported, "not measured; it takes answers with a confidence, marked by a key."),
    ):
        sentences = [item.text for item in section(oracle_site, shown).all("li")]
        assert sentences == [of_m, f"other: {why}"]


def test_a_board_of_programs_says_that_calibration_does_not_apply(oracle_site: Site) -> None:
    page = oracle_site.content("boards/keys/trust/")
    (heading,) = (heading for heading in page.all("h2") if heading.attributes.get("id") == "calibration")
    assert heading.text == "Calibration"
    assert "does not apply; programs have no token probabilities and state no confidence." in page.text


def test_turning_the_answers_right_turns_the_shape(oracle_site: Site) -> None:
    """Confidence 0.55 and all right: underconfident; the interval of the ECE is absent, the reason in the data."""
    records: list[Record] = [msgspec.structs.replace(answer(item), confidence=0.55) for item in ITEMS]
    view = view_of(oracle_boards.of(*ITEMS), records)
    row = section(oracle_site, view).all("table", class_="nb-board")[0].rows()[0]
    assert row[6] == "underconfident"
    assert row[3].startswith("0.450 if calibrated")


def test_bars_stay_within_the_picture(view: BoardView) -> None:
    bars = calibration.shows(view)["kinds"][0]["diagrams"][0]["picture"]["chance"]
    assert all(box.y >= 0 and box.height > 0 and box.y + box.height <= calibration.HEIGHT for box in bars)


def test_titles_are_text(oracle_site: Site, view: BoardView) -> None:
    title = '<img src=x onerror=alert(1)>"{{ 7*7 }}'
    models = {**view.benchmark.models, "m": msgspec.structs.replace(view.benchmark.models["m"], title=title)}
    shown = section(oracle_site, replace(view, benchmark=replace(view.benchmark, models=models)))
    assert not shown.all("img")
    assert title in shown.text


def test_a_temperature_stands_with_its_interval_and_what_it_changes_on_the_other_half(oracle_site: Site) -> None:
    """Confidence 0.9 or 0.6, right on 3 of 4 or 2 of 4. With 30 answers any higher T is within the interval."""
    records: list[Record] = [
        msgspec.structs.replace(
            answer(item, "correct" if n % 8 in (0, 1, 2, 4, 5) else "wrong"), confidence=0.9 - 0.3 * (n % 8 > 3)
        )
        for n, item in enumerate(ITEMS)
    ]
    shown = section(oracle_site, view_of(oracle_boards.of(*ITEMS), records))
    (cells,) = shown.all("table", class_="nb-board")[1].rows()
    assert cells[1].startswith("3.43 from 1.")
    assert cells[1].endswith("the data allow any higher temperature")
    assert [len(cell.split(", ")) for cell in cells[2:5]] == [2, 2, 2]
    assert cells[5] == "30 answers, 30"
