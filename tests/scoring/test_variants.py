"""The best of the models of one family: in the results, on the board, on its own page."""

from __future__ import annotations

from statistics import NormalDist

import msgspec
import pytest
from msgspec import UNSET
from support import boards, rubric_boards
from support.oracle_boards import ITEMS, Outcome, benchmark, category, domain, marked, model

from nullbench_site.protocols.rubric.specs import Composite
from nullbench_site.scoring.tables import result_files, tables
from nullbench_site.site.pages.boards import best_of_variants, variants
from nullbench_site.site.views import BoardView
from nullbench_site.specs.types import Mark, ModelFile

RIGHTS = {"ada-1": 120, "ada-2": 118, "ada-3": 60, "bob": 150}


def _view(*models: ModelFile) -> BoardView:
    board = benchmark(domain("facts", category("dates", *ITEMS)), models=models)
    records = []
    for entry in models:
        right = RIGHTS[entry.id]
        # Each is right on items of its own, so that none is a copy of another.
        place = {item: (7 * n + 31 * len(records)) % len(ITEMS) for n, item in enumerate(ITEMS)}
        outcomes: dict[str, Outcome] = {item: "correct" if place[item] < right else "wrong" for item in ITEMS}
        records += marked(outcomes, entry.id)
    return boards.view(board, records)


def _ada(name: str, **fields: object) -> ModelFile:
    return msgspec.structs.replace(model(name, family="adas"), vendor="Ada", **fields)


def test_the_best_of_a_family_stands_beside_its_score_without_what_choosing_it_adds() -> None:
    view = _view(*map(_ada, ("ada-1", "ada-2", "ada-3")), model("bob", family="bobs"))
    (row,) = view.results.variants
    assert (row.family, row.n_variants, row.best, row.overall) == ("adas", 3, "ada-1", 60.0)
    assert row.variants == ["ada-1", "ada-2", "ada-3"]
    assert 57 < row.corrected < 60
    assert row.low < row.corrected
    assert row.high == view.rows["ada-1"].ci_high
    assert view.rows["ada-1"].overall == 60.0, "never in the place of the score"
    assert best_of_variants(view)["rows"] == [(row, "Ada", "ada-2 and ada-3")]
    assert (variants(view, "ada-1"), variants(view, "ada-2")) == ([(row, "Ada")], [])
    assert dict(tables(view.results))["variants"]["variants"] == ["ada-1 ada-2 ada-3"]
    assert "variants.csv" in result_files(view.results)


def test_a_model_alone_a_program_and_one_that_is_retired_are_no_variants() -> None:
    gone = Mark(since="2026-11-01", reason="Gone.")
    program = msgspec.structs.replace(_ada("ada-3"), kind="baseline")
    view = _view(_ada("ada-1"), _ada("ada-2", retired=gone), program, model("bob", family="bobs"))
    assert view.results.variants is UNSET
    assert best_of_variants(view)["rows"] == []
    assert b'"variants"' not in result_files(view.results)["results.json"]
    assert "variants.csv" not in result_files(view.results)


def _marked(decimals: int | None) -> BoardView:
    """Two models of a family on a rubric board, whose judges' means are rounded first where it says so."""
    items = [f"i-{n}" for n in range(12)]
    coding = rubric_boards.domain("coding", rubric_boards.category("bugs", *items))
    models = [msgspec.structs.replace(boards.model(name, family="adas"), vendor="Ada") for name in ("ada-1", "ada-2")]
    board = rubric_boards.benchmark(coding, models=models, composite=Composite(judge_decimals=decimals))
    marks = {model.id: {item: (1 + (2 * n + k * n * n) % 5, 3, 2 + n % 3) for n, item in enumerate(items)}
             for k, model in enumerate(models)}  # fmt: skip
    records = [record for model in models for record in rubric_boards.marked(marks[model.id], model.id)]
    return boards.view(board, records)


@pytest.mark.parametrize("protocol", ["oracle", "rubric", "rubric with rounded means"])
def test_of_two_it_is_what_the_published_difference_and_its_error_give(protocol: str) -> None:
    """Their score on the board less s phi(d / s); 20,000 draws are within 1/100 of s."""
    if protocol == "oracle":
        view = _view(_ada("ada-1"), _ada("ada-2"))
    else:
        view = _marked(0 if protocol.endswith("rounded means") else None)
    (row,) = view.results.variants
    (pair,) = view.results.differences
    overall = view.rows[row.best].overall
    assert row.overall == overall
    distance = abs(view.rows["ada-1"].overall - view.rows["ada-2"].overall) / pair.se
    assert row.corrected == pytest.approx(overall - pair.se * NormalDist().pdf(distance), abs=pair.se / 100)
    assert row.high == view.rows[row.best].ci_high
