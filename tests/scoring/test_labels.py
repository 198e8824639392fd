"""The judges of a board compared with labels, in results and on the page of judges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from support import oracle_boards, rubric_boards
from support.boards import model, scored_as, write_shards

from nullbench_site.runs.records import Record
from nullbench_site.scoring.label_tables import CorrectedScoreRow, JudgeLabelRow
from nullbench_site.scoring.labels import (
    LabelledAnswers,
    corrected_share_of,
    item_weights,
    label_mean_of,
    label_tables,
    ppi_of,
)
from nullbench_site.scoring.ranking import Strata
from nullbench_site.scoring.results import Results, rounded
from nullbench_site.site.trust.labels import shown_labels
from nullbench_site.site.views import BoardView, view_of
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import spec_digest
from nullbench_site.specs.types import Label, Labels
from nullbench_site.stats.labels import AT_CHANCE, FEW_LABELS

ITEMS = [f"i{number:03}" for number in range(200)]
RIGHT = {item: place % 5 != 0 for place, item in enumerate(ITEMS)}
"""Four answers of five are right."""
JUDGE = "anna"


def label(item: str, value: float, contestant: str = "m", rater: str = "ann", probability: float = 0.6) -> Label:
    return Label(item=item, contestant=contestant, rater=rater, value=value, probability=probability)


def specs(given: Iterable[Label] = (), *, judges: Sequence[str] = (JUDGE,), **labels: Any) -> Benchmark:
    """A board of contestants m and n, and of a null model."""
    domain = rubric_boards.domain("coding", rubric_boards.category("bugs", *ITEMS))
    made = rubric_boards.benchmark(domain, models=("m", "n", model("guess", "null")), judges=judges)
    board = msgspec.structs.replace(made.boards["main"], labels=Labels(**({"file": "main.csv"} | labels)))
    return replace(made, boards={"main": board}, labels={"main": tuple(given)})


def marks(accepted: Mapping[str, bool], name: str = "m", judges: Sequence[str] = (JUDGE,)) -> list[Record]:
    return rubric_boards.marked({item: 5 if yes else 1 for item, yes in accepted.items()}, name, judges=judges)


def tables(benchmark: Benchmark, records: Iterable[Record], folder: Path) -> dict[str, list[Any]]:
    run = write_shards(folder, records)
    return label_tables(benchmark, benchmark.boards["main"], run, None)


def shown(benchmark: Benchmark, records: Sequence[Record], folder: Path) -> Mapping[str, Any]:
    results = scored_as(Results, benchmark, records)
    results = msgspec.structs.replace(results, **rounded(tables(benchmark, records, folder)))
    view: BoardView = view_of(benchmark, benchmark.boards["main"], results)
    part = shown_labels(view)
    assert part is not None
    return part


def accepted_by_a_judge_that_errs() -> dict[str, bool]:
    """It accepts 7 of 8 right answers and 1 of 4 wrong ones, in the first 160 items and in the rest alike."""
    rights = [item for item in ITEMS if RIGHT[item]]
    wrongs = [item for item in ITEMS if not RIGHT[item]]
    return {item: rights.index(item) % 8 != 0 for item in rights} | {
        item: wrongs.index(item) % 4 == 0 for item in wrongs
    }


GIVEN = [label(item, float(RIGHT[item]), probability=0.8) for item in ITEMS[:160]]
RECORDS = [
    *marks(accepted_by_a_judge_that_errs()),
    *marks(dict.fromkeys(ITEMS, True), "n"),
    *marks(dict.fromkeys(ITEMS, False), "guess"),
]


def test_a_judge_is_compared_and_the_score_corrected(tmp_path: Path) -> None:
    found = tables(specs(GIVEN), RECORDS, tmp_path)
    (compared,) = found["judge_labels"]
    assert isinstance(compared, JudgeLabelRow)
    assert (compared.judge, compared.answers, compared.n_labels) == (JUDGE, "contestants", 160)
    assert (compared.n_right, compared.n_wrong, compared.sensitivity, compared.specificity) == (128, 32, 0.875, 0.75)
    assert compared.sensitivity_low is not None
    assert compared.label_correlation is not None
    assert 0.5 < compared.label_correlation < 0.6
    own: CorrectedScoreRow = found["corrected_scores"][-1]
    rows = {row.model: row for row in found["corrected_scores"]}
    own = rows["m"]
    assert (own.n_answers, own.n_labels, own.accepted, own.raw_score) == (200, 160, 0.75, 75.0)
    # 0.75 + 0.75 - 1 over 0.875 + 0.75 - 1 is 0.8, the share of right answers; PPI++ has the labels' mean too.
    assert own.corrected_share == pytest.approx(0.8)
    assert own.corrected_score == pytest.approx(80)
    assert own.label_mean == 80
    assert own.corrected_score_low is not None
    assert own.corrected_score_low < 80
    assert rows["n"].corrected_score is None
    assert rows["n"].absent["corrected_score"] == rows["guess"].absent["corrected_share"] == FEW_LABELS
    assert found["alt_tests"] == []


def test_draw_probabilities_undo_a_draw_by_verdict(tmp_path: Path) -> None:
    """All wrong answers are labelled and a third of the right ones: unweighted, most answers would look wrong."""
    accepted = accepted_by_a_judge_that_errs()
    rights = [item for item in ITEMS if RIGHT[item]]
    chosen = [(item, 1.0) for item in ITEMS if not RIGHT[item]] + [(item, 0.5) for item in rights[:80]]
    given = [label(item, float(RIGHT[item]), probability=drawn) for item, drawn in chosen]
    (row,) = [each for each in tables(specs(given), marks(accepted), tmp_path)["corrected_scores"] if each.model == "m"]
    assert row.n_labels == 120
    assert row.label_mean == pytest.approx(80)
    assert row.corrected_score == pytest.approx(80, abs=0.5)


def test_raters_and_ticked_values_are_averaged_and_scales_moved(tmp_path: Path) -> None:
    given = [label(item, value, rater=rater) for item in ITEMS[:160] for rater, value in (("ann", 5), ("bob", 3.5))]
    found = tables(specs(given, low=1, high=5), marks(dict.fromkeys(ITEMS, True)), tmp_path)
    row = next(each for each in found["corrected_scores"] if each.model == "m")
    assert row.label_mean == pytest.approx((100 + 62.5) / 2)


def test_three_raters_are_compared_with_the_judge(tmp_path: Path) -> None:
    given = [
        label(item, float(RIGHT[item] != (place % 10 == own)), rater=rater)
        for own, rater in enumerate(("ann", "bob", "cy"))
        for place, item in enumerate(ITEMS)
    ]
    (row,) = tables(specs(given), marks(RIGHT), tmp_path)["alt_tests"]
    assert (row.judge, row.n_raters, row.winning_rate, row.advantage, row.replaces) == (JUDGE, 3, 1.0, 1.0, True)


def test_keys_of_another_board_are_labels_of_the_same_answers(tmp_path: Path) -> None:
    keys = oracle_boards.of(*ITEMS, models=("m",))
    other = msgspec.structs.replace(keys.boards["main"], id="keys")
    benchmark = specs(file=None, board="keys")
    benchmark = replace(
        benchmark,
        boards={**benchmark.boards, "keys": other},
        domains={**benchmark.domains, **keys.domains},
        labels={},
    )
    answers = oracle_boards.marked({item: "correct" if RIGHT[item] else "wrong" for item in ITEMS})
    texts = {record.item: record.text for record in answers}  # type: ignore[union-attr]
    there = [msgspec.structs.replace(record, board="keys") for record in answers]
    own = [
        msgspec.structs.replace(record, text=texts[record.item]) if hasattr(record, "text") else record
        for record in marks(RIGHT)
    ]
    other_text = ITEMS[1]
    own = [
        msgspec.structs.replace(record, text="Another answer.")
        if hasattr(record, "text") and record.item == other_text
        else record
        for record in own
    ]
    (row,) = tables(benchmark, [*own, *there], tmp_path)["judge_labels"]
    assert (row.n_labels, row.n_right, row.sensitivity, row.specificity) == (199, 159, 1.0, 1.0)


def test_groups_of_items_weigh_as_in_the_score_of_the_board() -> None:
    """Three items of a group of weight 1 and one of weight 3: that one counts three quarters."""
    weights = item_weights(Strata(np.array([0, 0, 0, 1]), np.arange(4), [1.0, 3.0]))
    assert weights.tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 3.0])
    size, score = 50, np.array([40.0, 40.0, 40.0, 80.0])
    label = np.array([0.0, 0.0, 0.0, 100.0])
    of = LabelledAnswers(
        {JUDGE: np.tile(score, size)}, np.tile(label, size), np.ones(4 * size), np.arange(4 * size),
        np.tile(weights, size), np.arange(4 * size), np.tile(label, size)[:, np.newaxis], np.arange(4 * size) < 120,
    )  # fmt: skip
    assert of.mean(of.scores[JUDGE]) == pytest.approx(70)
    assert label_mean_of(of, JUDGE).value == pytest.approx(75)
    assert ppi_of(of, JUDGE).value == pytest.approx(75)
    assert corrected_share_of(of, JUDGE, 50).value == pytest.approx(0.75)


def test_a_board_without_labels_has_no_table_and_its_digest_does_not_change(tmp_path: Path) -> None:
    made = rubric_boards.benchmark()
    assert tables(made, marks({"a": True}), tmp_path) == {}
    assert spec_digest(specs()) != spec_digest(specs(GIVEN))
    assert spec_digest(replace(made, labels={})) == spec_digest(made)


def test_the_page_says_what_cannot_be_corrected_and_why(tmp_path: Path) -> None:
    part = shown(specs(GIVEN), RECORDS, tmp_path)
    assert part["sentences"][0].startswith("The labels come from the file of labels: 160 answers of contestants to 160")
    assert [row.model for row in part["corrected"]] == ["m"]
    words = part["few"]
    assert words.startswith("n and guess: fewer than 100 labels.")
    assert not any(AT_CHANCE in sentence for sentence in part["sentences"])
    blind = [*marks({item: place % 2 == 0 for place, item in enumerate(ITEMS)})]
    given = [label(item, float(place % 4 < 2)) for place, item in enumerate(ITEMS)]
    part = shown(specs(given), blind, tmp_path / "other")
    assert f"{JUDGE}: {AT_CHANCE}." in part["sentences"]
    assert part["corrected"][0].absent["corrected_share"] == AT_CHANCE


def test_labels_of_few_items_or_of_no_answer_are_said(tmp_path: Path) -> None:
    part = shown(specs(GIVEN[:50]), RECORDS, tmp_path)
    assert "Trust in the judges takes labels of at least 100 items, and these are of 50." in part["sentences"]
    part = shown(specs([label(ITEMS[0], 1.0, "n")]), marks(RIGHT), tmp_path / "other")
    assert "No answer with a label has a score of a judge, so nothing is compared." in part["sentences"]
