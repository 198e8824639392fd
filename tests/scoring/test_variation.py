"""How far scores vary over wordings, formats, seeds and temperatures, on a board with keys."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pytest
from support import boards, oracle_boards
from support.boards import in_wordings, scored_as, worded

from nullbench_site.answer_keys.choices import MultipleChoice
from nullbench_site.protocols.oracle.metrics import OracleResults
from nullbench_site.runs.records import Record
from nullbench_site.scoring.results import Results
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import Decoding
from nullbench_site.stats.wording import items_needed, sigma_prompt

NAMES = ("t1", "t2", "t3", "t4", "t5")
QUESTIONS = tuple("abcdefghij")
OPTIONS = MultipleChoice(options={"A": "yes", "B": "no"}, correct="A")
RIGHT = {
    "m": {"t1": "abcdefgh", "t2": "abcdef", "t3": "abchij", "t4": "ab", "t5": "abcdefghij"},
    "n": {"t1": "abcd", "t2": "cdef", "t3": "abcdef", "t4": "cdefgh", "t5": "ab"},
    "prog": {"t1": "abcde"},
    "null-x": {"t1": ""},
}
"""The questions that each contestant answers right in each wording, when the answer is free."""


def two_formats() -> Benchmark:
    """Ten questions as free answers, the first six as a choice too, each on a source of its own."""
    free = [oracle_boards.prompt(q, f"b-{q}" if q in "abcdef" else None) for q in QUESTIONS]
    choice = [oracle_boards.prompt(f"{q}-choice", f"b-{q}", key=OPTIONS) for q in "abcdef"]
    models = ("m", "n", "prog", boards.model("null-x", "null"))
    return oracle_boards.of(*free, *choice, models=models)


def answers(specs: Benchmark, right: dict[str, dict[str, str]] = RIGHT) -> list[Record]:
    """Free answers as in `right`; of the choices, the first three are right in every wording."""
    items = [placed.id for placed in specs.items(specs.boards["main"])]
    found: list[Record] = []
    for model, by_wording in right.items():
        for name, of in by_wording.items():
            marks = {
                item: "correct" if item in of or item in ("a-choice", "b-choice", "c-choice") else "wrong"
                for item in items
            }
            found += worded(oracle_boards.marked(marks, model), name)  # type: ignore[arg-type]
    return found


@pytest.fixture(scope="module")
def results() -> Results:
    specs = in_wordings(two_formats(), *NAMES, asked=["m", "n"])
    return scored_as(OracleResults, specs, answers(specs))


def test_the_effect_of_wordings_is_measured_within_each_format(results: Results) -> None:
    rows = {(row.model, row.format): row for row in results.wording_effects}
    assert rows.keys() == {(model, form) for model in ("m", "n") for form in ("free answer", "choice")}
    table = np.array([[100.0 * (q in RIGHT["m"][name]) for name in NAMES] for q in QUESTIONS])
    row, expected = rows["m", "free answer"], sigma_prompt(table)
    assert (row.n_items, row.n_wordings) == (10, 5)
    assert (row.sigma, row.low, row.high) == pytest.approx((expected.value, expected.low, expected.high))
    assert row.items_needed == items_needed(row.ms_rest or 0.0, 5, 1.0)
    same = rows["m", "choice"]
    assert (same.n_items, same.sigma, same.high, same.items_needed) == (6, 0.0, None, None)
    assert same.absent == "the same scores in every wording, so nothing shows how much they can vary"


def test_a_board_with_one_format_has_one_effect_for_each_contestant() -> None:
    specs = in_wordings(oracle_boards.of(*QUESTIONS, models=("m", "n", "prog")), *NAMES, asked=["m", "n"])
    right = {model: RIGHT[model] for model in ("m", "n", "prog")}
    found = scored_as(OracleResults, specs, answers(specs, right))
    assert [(row.model, row.format) for row in found.wording_effects] == [("m", None), ("n", None)]


def test_ranks_in_each_wording_have_ranges_and_programs_keep_their_score(results: Results) -> None:
    ranks = {(row.template, row.model): row for row in results.wording_ranks}
    assert len(ranks) == 5 * 3  # null models have no rank
    assert [ranks[name, "prog"].overall for name in NAMES] == [50.0] * 5
    assert [ranks[name, "m"].rank for name in NAMES] == [1, 1, 1, 3, 1]
    assert all(row.rank_low is not None and row.rank_low <= (row.rank or 0) for row in ranks.values())
    stability = results.rank_stability
    assert not isinstance(stability, msgspec.UnsetType)
    # m is ahead of the others but in t4, and n is ahead of prog in t3 and t4 only.
    assert (stability.n_models, stability.pairs, stability.reversed) == (3, 3, 3)
    assert stability.tau_least is not None
    assert -1 <= stability.tau_least < (stability.tau_mean or 0) < 1


def test_formats_are_compared_on_the_questions_that_have_both(results: Results) -> None:
    """m answers a-f right as free answers in 6 + 6 + 3 + 2 + 6 of 30 cases, and as choices in 15 of 30."""
    row = next(row for row in results.format_differences if row.model == "m")
    assert (row.format, row.other, row.n_questions) == ("free answer", "choice", 6)
    assert (row.overall, row.overall_other) == (pytest.approx(100 * 23 / 30), pytest.approx(50))
    assert row.value == pytest.approx(100 * 8 / 30)
    assert row.low is not None
    assert row.high is not None
    assert row.low < row.value < row.high


def seeds() -> Benchmark:
    """m at temperature 0, and s1 and s2, the same model at 0.7 with other seeds."""
    specs = oracle_boards.of(*QUESTIONS, models=("m", "s1", "s2"))
    asked = {
        name: msgspec.structs.replace(
            specs.models[name],
            backend="openai",
            model="one",
            params={"seed": place},
            decoding=Decoding(temperature=0.7 if place else 0.0),
        )
        for place, name in enumerate(("m", "s1", "s2"))
    }
    return replace(specs, models=asked)


def of_seeds(specs: Benchmark) -> Results:
    return scored_as(
        OracleResults,
        specs,
        [
            record
            for model, right in (("m", "abcdefgh"), ("s1", "abcdef"), ("s2", "abcd"))
            for record in oracle_boards.marked({q: "correct" if q in right else "wrong" for q in QUESTIONS}, model)
        ],
    )


def test_seeds_of_one_model_are_compared_with_it_at_the_lowest_temperature() -> None:
    """80 points at temperature 0; 60 and 40 at 0.7, whose standard deviation is 10 sqrt(2). Six of ten items agree."""
    (row,) = of_seeds(seeds()).decoding_effects
    assert (row.base, row.base_temperature, row.temperature, row.models) == ("m", 0.0, 0.7, ["s1", "s2"])
    assert (row.overall_base, row.overall, row.least, row.most) == (80.0, 50.0, 40.0, 60.0)
    assert row.seed_sd == pytest.approx(14.142136)
    assert row.value == pytest.approx(-30)
    assert row.same == pytest.approx(0.6)


@pytest.mark.parametrize("other", [{"params": {"effort": "high"}}, {"model": "another"}], ids=str)
def test_models_that_differ_in_more_are_not_one_model(other: dict[str, Any]) -> None:
    specs = seeds()
    changed = {name: msgspec.structs.replace(of, **other if name != "m" else {}) for name, of in specs.models.items()}
    assert of_seeds(replace(specs, models=changed)).decoding_effects is msgspec.UNSET


def test_a_missing_answer_leaves_the_effect_unmeasured_with_the_number_of_items() -> None:
    specs = in_wordings(two_formats(), *NAMES, asked=["m", "n"])
    given = [each for each in answers(specs) if (each.model, each.item, each.template) != ("m", "c", "t4")]
    found = scored_as(OracleResults, specs, given)
    row = next(row for row in found.wording_effects if (row.model, row.format) == ("m", "free answer"))
    assert (row.sigma, row.absent) == (None, "1 item has no score in some wording")


def test_boards_with_one_wording_have_no_tables_of_wordings() -> None:
    found = of_seeds(seeds())
    tables = (
        found.templates,
        found.wording_effects,
        found.wording_ranks,
        found.rank_stability,
        found.format_differences,
    )
    assert {*tables} == {msgspec.UNSET}
