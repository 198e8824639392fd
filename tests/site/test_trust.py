"""The marks of trust: what stands for and against a score, in words."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from support import oracle_boards
from support.boards import JUDGES, benchmark, category, domain, judged, model, scored
from support.controls import with_ladders

from nullbench_site.scoring.label_tables import JudgeLabelRow
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.scoring.results import Results
from nullbench_site.site.pages.trust_marks import TrustMark, low_marks, trust
from nullbench_site.site.views import BoardView, view_of
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types.boards import Declaration

ITEMS = [f"q{number:03}" for number in range(200)]


def view(of: Benchmark, results: Results) -> BoardView:
    (board,) = of.boards.values()
    return view_of(of, board, results)


def marks(of: BoardView, name: str = "m") -> dict[str, TrustMark]:
    return {mark.dimension: mark for mark in trust(of, of.rows[name])}


@pytest.fixture(scope="module")
def two_hundred() -> BoardView:
    """200 items of which a contestant and a null model answer half well: 100 and 0 points, on a text each."""
    board = benchmark(domain("law", category("courts", *ITEMS)), models=("m", model("null-x", "null")))
    halves = {item: 100 * (number % 2) for number, item in enumerate(ITEMS)}
    return view(board, scored(board, [*judged(halves), *judged(dict.fromkeys(ITEMS, 1), "null-x")]))


def test_the_five_dimensions_stand_in_the_order_of_the_matrix_and_each_has_its_metric(two_hundred: BoardView) -> None:
    assert list(marks(two_hundred)) == ["sampling", "prompts", "contamination", "agreement", "validity"]
    assert all(f"trust_{dimension}" in METRICS for dimension in marks(two_hundred))
    assert all(mark.why.endswith(".") and mark.why[0].isupper() | mark.why[0].isdigit() for mark in _every(two_hundred))


def _every(of: BoardView) -> list[TrustMark]:
    return [mark for name in of.rows for mark in trust(of, of.rows[name])]


def test_the_mark_for_sampling_has_the_figures_it_stands_on(two_hundred: BoardView) -> None:
    """100 items at 100 and 100 at 0: the mean is 50 and its error sqrt(200/199) * 50 / sqrt(200) = 3.54."""
    found = marks(two_hundred)["sampling"]
    thousand = "1\N{NARROW NO-BREAK SPACE}000"
    assert (found.state, found.why) == (
        "medium",
        "200 items and a standard error of 3.54 points; "
        f"high trust takes more than {thousand} items and less than 1.5 points.",
    )


def test_what_is_not_measured_is_never_shown_as_trust(two_hundred: BoardView) -> None:
    found = marks(two_hundred)
    assert (found["prompts"].state, found["contamination"].state) == ("does not apply", "does not apply")
    assert (found["prompts"].is_low, found["contamination"].is_low) == (False, False)
    for backend, state in (("openai", "not measurable here"), ("recorded", "not reported")):
        found = marks(answered_by(two_hundred, backend))
        assert (found["prompts"].state, found["prompts"].is_low) == (state, True)
        assert (found["contamination"].state, found["contamination"].is_low) == ("not reported", True)


def test_a_declared_mark_of_an_imported_contestant_is_shown_as_declared_and_of_others_counts_for_nothing(
    two_hundred: BoardView,
) -> None:
    said = Declaration(level="medium", source="Doe (2026), items of 2026")
    board = msgspec.structs.replace(two_hundred.board, declared={"contamination": said})
    declared = view(replace(two_hundred.benchmark, boards={"main": board}), two_hundred.results)
    found = marks(answered_by(declared, "recorded"))["contamination"]
    assert (found.in_words, found.is_low, found.level) == ("medium (declared)", False, "medium")
    assert found.why == "Declared: Doe (2026), items of 2026."
    assert marks(answered_by(declared, "openai"))["contamination"].state == "not reported"


def answered_by(of: BoardView, backend: str) -> BoardView:
    """The same whose contestant "m" is reached otherwise."""
    models = {**of.benchmark.models, "m": msgspec.structs.replace(of.benchmark.models["m"], backend=backend)}
    return view(replace(of.benchmark, models=models), of.results)


def test_an_agreement_that_is_not_defined_is_absent_with_its_reason() -> None:
    """Axis ratings are 3 throughout, so alpha is not defined: one rating value only."""
    board = benchmark(models=("m",))
    assert marks(view(board, scored(board, judged({"q": 50}))))["agreement"] == TrustMark(
        "agreement",
        "Agreement of judges",
        "not testable with these items",
        "The agreement of the judges on scored answers is not measured: one rating value only.",
    )


@pytest.mark.parametrize(("alpha", "level"), [(0.83, "high"), (0.7, "medium"), (0.66, "low"), (0.21, "low")])
def test_the_agreement_is_that_on_scored_answers_of_real_contestants(
    two_hundred: BoardView, alpha: float, level: str
) -> None:
    results = two_hundred.results
    whole = msgspec.structs.replace(results.agreement[0], alpha=0.9, alpha_scored=alpha)
    changed = msgspec.structs.replace(results, agreement=[whole])
    found = marks(view(two_hundred.benchmark, changed))["agreement"]
    assert found.state == level
    assert f"Alpha of the panel is {alpha:.3f} on scored answers" in found.why


@pytest.mark.parametrize(
    ("n_items", "rho", "level", "why"),
    [
        (100, 0.05, "low", "The correlation with labels of 100 items is 0.05; medium trust takes 0.60, high 0.80."),
        (100, 0.7, "medium", "The correlation with labels of 100 items is 0.70"),
        (100, 0.85, "high", "The correlation with labels of 100 items is 0.85"),
        (99, 0.05, "high", "Labels are of 99 items; a class takes 100."),
    ],
)
def test_judges_that_agree_but_not_with_labels_have_less_trust(
    two_hundred: BoardView, n_items: int, rho: float, level: str, why: str
) -> None:
    """Alpha alone would give a high mark."""
    whole = msgspec.structs.replace(two_hundred.results.agreement[0], alpha_scored=0.9)
    labels = JudgeLabelRow(
        judge=None, answers="contestants", n_labels=n_items, n_items=n_items, n_right=50, n_wrong=n_items - 50,
        sensitivity=None, sensitivity_low=None, sensitivity_high=None,
        specificity=None, specificity_low=None, specificity_high=None,
        label_correlation=rho, label_correlation_low=None, label_correlation_high=None, absent={},
    )  # fmt: skip
    changed = msgspec.structs.replace(two_hundred.results, agreement=[whole], judge_labels=[labels])
    found = marks(view(two_hundred.benchmark, changed))["agreement"]
    assert found.state == level
    assert why in found.why
    assert found.figure == ("α 0.900" if n_items < 100 else f"α 0.900, ρ {rho:.2f}")


def test_the_agreement_on_a_contestant_that_a_single_judge_may_mark_is_not_measured() -> None:
    """One of the two judges is of the contestant's family, and none marks its own."""
    board = benchmark(models=(model("m", family="family-of-anna"),), judges=JUDGES[:2])
    found = marks(view(board, scored(board, judged({"q": 50}, judges=("ben",)))))["agreement"]
    assert (found.state, found.why) == ("not measurable here", "1 judge may mark its answers: agreement takes two.")


def test_a_key_is_the_best_of_judges() -> None:
    board = oracle_boards.benchmark()
    found = marks(view(board, oracle_boards.scored(board, oracle_boards.marked({"a": "correct"}))))["agreement"]
    assert (found.state, "by its key" in found.why) == ("high", True)


def test_a_score_at_the_floor_has_a_low_mark_for_validity_and_one_above_it_a_medium_one(two_hundred: BoardView) -> None:
    measured = with_ladders(two_hundred, negation=True, number=True)
    found = marks(measured)["validity"]
    assert (found.state, found.why) == (
        "medium",
        "Above the null floor: yes. The panel puts all 2 ladders of damaged answers in order.",
    )
    assert marks(measured, "null-x")["validity"].state == "low"


def test_a_panel_that_does_not_order_a_ladder_or_was_not_measured_is_not_fit_for_a_claim(
    two_hundred: BoardView,
) -> None:
    found = marks(with_ladders(two_hundred, negation=True, number=False, unit=None))["validity"]
    assert (found.state, found.why) == (
        "low",
        "Above the null floor: yes. The panel puts 1 of 2 ladders of damaged answers in order, but not number.",
    )
    none = marks(with_ladders(two_hundred, number=False))["validity"]
    assert none.why.endswith("The panel puts no ladder of damaged answers in order (number).")
    found = marks(two_hundred)["validity"]
    assert (found.state, found.why) == (
        "not measurable here",
        "Above the null floor: yes. We did not measure if the panel puts damaged answers in order. "
        "A mark takes controls of the panel.",
    )


def test_without_a_null_model_validity_is_absent_and_says_why() -> None:
    board = benchmark()
    found = marks(view(board, scored(board, judged({"q": 50}))))["validity"]
    assert (found.state, found.why) == (
        "not measurable here",
        "Above the null floor: not assessed (no null model is on the board). "
        "We did not measure if the panel puts damaged answers in order. "
        "A mark takes a rank and a null model on the board and controls of the panel.",
    )


def test_a_part_has_the_marks_of_the_board_but_for_the_number_of_its_items(two_hundred: BoardView) -> None:
    """Two hundred items are enough for a medium mark, 199 are not; two marks do not apply to a program."""
    row = two_hundred.rows["m"]
    assert low_marks(two_hundred, row, msgspec.structs.replace(row, n_items=199), row) == [2, 3, 2]
