"""The tables of confidence against accuracy, from records to files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
import pytest
from msgspec import UNSET
from support.oracle_boards import Outcome, answer, marked, of, prompt, scored

from nullbench_site.answer_keys.choices import MultipleChoice
from nullbench_site.protocols.oracle.metrics import OracleResults
from nullbench_site.runs.records import Record
from nullbench_site.scoring.board_tables import CalibrationRow
from nullbench_site.scoring.tables import read_results, result_files, write_results
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.stats.calibration import brier, ece, nll

ITEMS = tuple(f"q{number:02}" for number in range(40))
CHOICE = MultipleChoice(options={"A": "yes", "B": "no"}, correct=("A",))


def recorded(
    outcomes: Mapping[str, Outcome],
    confidence: Sequence[float | None],
    stated: Sequence[float | None] | None = None,
    model: str = "m",
) -> list[Record]:
    """Answers with these marks and confidences, in the order of the items."""
    given = stated or [None] * len(confidence)
    return [
        msgspec.structs.replace(answer(item, outcome, model), confidence=one, stated_confidence=other)
        for (item, outcome), one, other in zip(outcomes.items(), confidence, given, strict=True)
    ]


def by_kind(results: OracleResults, kind: str = "confidence", part: str = "all", model: str = "m") -> CalibrationRow:
    assert results.calibration is not UNSET
    (row,) = (row for row in results.calibration if (row.confidence_kind, row.part, row.model) == (kind, part, model))
    return row


def forty() -> tuple[dict[str, Outcome], list[float]]:
    """30 right, 6 wrong, 4 invalid; confidence 0.9 for the first 20, else 0.6."""
    outcomes: list[Outcome] = ["correct"] * 30 + ["wrong"] * 6 + ["invalid"] * 4
    return dict(zip(ITEMS, outcomes, strict=True)), [0.9] * 20 + [0.6] * 20


def test_invalid_answers_are_not_right_and_every_figure_is_that_of_its_function() -> None:
    """ECE: 1/2 * |1 - 0.9| + 1/2 * |0.5 - 0.6| = 0.1."""
    outcomes, confidence = forty()
    row = by_kind(scored(of(*ITEMS), recorded(outcomes, confidence)))
    right = [outcome == "correct" for outcome in outcomes.values()]
    assert (row.n_answers, row.n_invalid, row.mean_confidence, row.share_right) == (40, 4, 0.75, 0.75)
    assert (row.confidence_gap, row.ece, row.mce) == (0.0, 0.1, 0.1)
    for found, wanted in ((row.brier, brier), (row.nll, nll), (row.ece, ece)):
        assert found == pytest.approx(wanted(confidence, right).value, abs=1e-6)
    assert row.brier_low is not None
    assert row.shape == "not distinguishable from well calibrated at this n"
    assert row.n_fitted + row.n_held_out == 40


def test_the_two_kinds_of_confidence_are_measured_apart() -> None:
    outcomes, confidence = forty()
    stated = [1.0] * 10 + [None] * 30
    results = scored(of(*ITEMS), recorded(outcomes, confidence, stated))
    assert by_kind(results).n_answers == 40
    row = by_kind(results, "stated_confidence")
    assert (row.n_answers, row.mean_confidence, row.share_right, row.n_clipped) == (10, 1.0, 1.0, 10)
    assert row.absent["fitted_temperature"].startswith("all answers are right")


def test_a_contestant_without_one_kind_says_why_and_one_without_any_has_no_row() -> None:
    outcomes, confidence = forty()
    records = [*recorded(outcomes, confidence), *marked(outcomes, "program")]
    results = scored(of(*ITEMS, models=("m", "program")), records)
    assert results.calibration is not UNSET
    assert {row.model for row in results.calibration} == {"m"}
    row = by_kind(results, "stated_confidence")
    assert (row.n_answers, row.brier, row.absent) == (0, None, {"brier": "no answer states a confidence"})


def test_a_board_whose_answers_have_no_confidence_has_no_such_tables() -> None:
    results = scored(of(*ITEMS), marked(dict.fromkeys(ITEMS, "correct")))
    assert (results.calibration, results.reliability) == (UNSET, UNSET)
    assert not {"calibration.csv", "reliability.csv"} & set(result_files(results))


def test_choices_and_free_answers_have_rows_of_their_own_where_a_board_has_both() -> None:
    outcomes, confidence = forty()
    both: Benchmark = of(*(prompt(item, key=CHOICE) if n < 25 else prompt(item) for n, item in enumerate(ITEMS)))
    results = scored(both, recorded(outcomes, confidence))
    assert [by_kind(results, part=part).n_answers for part in ("all", "choice", "free answer")] == [40, 25, 15]


def test_answers_to_one_source_are_one_cluster() -> None:
    """Six bundles are enough for an interval, five are not."""
    for bundles, few in ((5, True), (6, False)):
        items = [prompt(item, f"b{number % bundles}") for number, item in enumerate(ITEMS)]
        outcomes, confidence = forty()
        row = by_kind(scored(of(*items), recorded(outcomes, confidence)))
        assert (row.ece_low is None) == few
        assert (row.shape is None) == few
        assert ("too few: 5 clusters" in row.absent.get("shape", "")) == few


def test_a_temperature_is_compared_on_the_sources_that_it_was_not_fitted_on() -> None:
    rng = np.random.default_rng(5)
    names = [f"q{number:03}" for number in range(300)]
    confidence = rng.beta(8, 2, 300).round(4)
    outcomes: dict[str, Outcome] = {
        name: "correct" if luck < 0.5 + 0.25 * (one - 0.5) else "wrong"
        for name, one, luck in zip(names, confidence.tolist(), rng.random(300).tolist(), strict=True)
    }
    row = by_kind(scored(of(*names), recorded(outcomes, confidence.tolist())))
    assert row.shape == "overconfident"
    assert row.fitted_temperature is not None
    assert row.fitted_temperature > 2
    assert (row.n_fitted, row.n_held_out) == (150, 150)
    assert row.nll_before is not None
    assert row.nll_after is not None
    assert row.nll_after < row.nll_before


def test_the_bars_have_every_answer_and_the_tables_survive_their_file() -> None:
    outcomes, confidence = forty()
    results = scored(of(*ITEMS), recorded(outcomes, confidence))
    assert results.reliability is not UNSET
    assert [(bar.bin_low, bar.n_answers, bar.share_right) for bar in results.reliability] == [
        (0.5, 20, 0.5),
        (0.8, 20, 1.0),
    ]
    files = result_files(results)
    assert (
        files["calibration.csv"].decode().splitlines()[0].startswith("model,confidence_kind,part,n_answers,n_invalid")
    )
    assert len(files["reliability.csv"].decode().splitlines()) == 3


def test_results_are_read_as_they_were_written(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("run")
    outcomes, confidence = forty()
    results = scored(of(*ITEMS), recorded(outcomes, confidence))
    write_results(folder, results)
    assert read_results(folder, "main") == results
