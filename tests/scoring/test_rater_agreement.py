"""The agreement of judges by kappas and alphas, on all and on borderline items."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from types import FrameType
from typing import Any

import numpy as np
import pytest

from nullbench_site.scoring.agreement import Rated, Ratings, Scale, Votes, rater_agreement_rows
from nullbench_site.scoring.board_tables import RaterAgreementRow
from nullbench_site.stats.agreement import pair_tables
from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.judges import pair_agreement

RNG = np.random.default_rng(2)
# Items 0-11 get marks around 1, 12-23 around 3, 24-35 around 5; "c" marks every second answer.
ITEMS = np.arange(36).repeat(2)
MARKS = np.clip(1 + 2 * (ITEMS // 12)[:, np.newaxis] + RNG.integers(-1, 2, (72, 3)), 1, 5).astype(np.float64)
MARKS[::2, 2] = np.nan


def ratings(marks: Any = MARKS, judges: Sequence[str] = "abc", gates: Mapping[str, Votes] | None = None) -> Ratings:
    """Of two contestants and a null model. All marks of the first are the lowest, so the second adds values."""
    scale = Scale(what="mark", level="ordinal", low=1, high=5)
    found = Ratings(judges=list(judges), scale=scale, clusters=np.arange(36))
    low = np.nanmax(marks, axis=1) == np.nanmin(marks)
    found.add("low", Rated.of_answers(marks[low], ITEMS[low]), null=False)
    found.add("m", replace(Rated.of_answers(marks[~low], ITEMS[~low]), gates=gates or {}), null=False)
    found.add("null-x", replace(Rated.of_answers(np.full_like(marks, 1.0), ITEMS), gates=gates or {}), null=True)
    return found


def rows(of: Ratings) -> dict[tuple[str, ...], RaterAgreementRow]:
    return {
        (row.what, row.coefficient, row.items, *filter(None, (row.judge, row.other))): row
        for row in rater_agreement_rows(of, do=map)
    }


def test_a_panel_has_an_alpha_a_kappa_and_a_kappa_of_each_two_judges() -> None:
    found = rows(ratings())
    assert {key: row.n for key, row in found.items()} == {
        ("mark", "alpha", "all"): 72,
        ("mark", "fleiss", "all"): 36,
        ("mark", "cohen", "all", "a", "b"): 72,
        ("mark", "cohen", "all", "a", "c"): 36,
        ("mark", "cohen", "all", "b", "c"): 36,
        ("mark", "alpha", "borderline"): 24,
        ("mark", "fleiss", "borderline"): 12,
    }
    assert found["mark", "cohen", "all", "a", "b"].level == "quadratic"
    alpha = found["mark", "alpha", "all"]
    assert alpha.value is not None
    assert alpha.value > 0.8
    assert (alpha.landis_koch, alpha.krippendorff, alpha.absent) == ("almost perfect", "reliable", None)


def test_borderline_items_have_their_mean_in_the_middle_of_the_scale() -> None:
    """There the marks of judges share nothing but the item's middle, so agreement is about chance."""
    found = rows(ratings())["mark", "alpha", "borderline"]
    assert found.value is not None
    assert found.value < 0.4


def test_without_a_borderline_item_the_row_says_so() -> None:
    found = rows(ratings(np.where(np.isnan(MARKS), MARKS, 1.0)))["mark", "alpha", "borderline"]
    assert (found.value, found.n, found.absent) == (None, 0, "no item is borderline")


def test_judges_that_rate_different_answers_have_no_kappa() -> None:
    marks = MARKS[:, :2].copy()
    marks[::2, 0], marks[1::2, 1] = np.nan, np.nan
    found = rows(ratings(marks, "ab"))
    assert found["mark", "cohen", "all", "a", "b"].absent == "no unit was rated by both"
    assert found["mark", "fleiss", "all"].absent == "no answer was rated by every judge"
    assert found["mark", "alpha", "all"].absent == "fewer than 2 raters on every unit"


def test_votes_of_a_gate_are_nominal_and_a_gate_that_nobody_asked_about_has_no_row() -> None:
    votes = (RNG.random((72, 3)) < 0.4).astype(np.float64)
    gates = {
        "refused_answer": Votes(votes=votes, item=ITEMS),
        "refused_prompt": Votes(votes=np.full((72, 3), np.nan), item=ITEMS),
    }
    found = rows(ratings(gates=gates))
    assert found["refused_answer", "cohen", "all", "a", "b"].level == "nominal"
    assert found["refused_answer", "alpha", "all"].n == 72
    assert not any(what == "refused_prompt" for what, *_ in found)


def steps(marks: Floats) -> int:
    """Return how many bytecode steps the agreement of the judges of marks takes, (answers, judges)."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        count += event == "opcode"
        return trace

    names = [f"judge {number:03}" for number in range(marks.shape[1])]
    found = Ratings(judges=names, scale=Scale(what="mark", level="ordinal", low=1, high=5), clusters=np.arange(4))
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        found.add("m", Rated.of_answers(marks, np.arange(4)), null=False)
        list(rater_agreement_rows(found, do=map))
        for one, other in combinations(marks.T, 2):
            pair_agreement(one, other)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("missing", [0.0, 0.4], ids=["every judge rates every answer", "judges rate some answers"])
def test_the_steps_grow_with_the_number_of_pairs_of_judges(missing: float) -> None:
    rng = np.random.default_rng(1)
    marks = rng.integers(1, 6, (4, 48)).astype(np.float64)
    marks[rng.random(marks.shape) < missing] = np.nan
    pairs = (48 * 47) / (12 * 11)
    assert steps(marks) <= 1.3 * pairs * steps(marks[:, :12])


def test_pairs_of_many_raters_are_counted_one_by_one() -> None:
    """In parts and by number of raters, against a loop over the pairs of each unit."""
    rng = np.random.default_rng(5)
    given = rng.integers(-1, 3, (9, 40))
    part = rng.integers(0, 3, 40)
    expected: dict[int, Any] = {2: np.zeros((3, 3, 3), np.int64)}
    for unit, place in enumerate(part.tolist()):
        rated = [value for value in given[:, unit].tolist() if value >= 0]
        if len(rated) > 1:
            table = expected.setdefault(len(rated), np.zeros((3, 3, 3), np.int64))
            for one, other in combinations(rated, 2):
                table[place, one, other] += 1
    found = pair_tables(given, 3, part, 3)
    assert found.keys() == expected.keys()
    assert all((found[n] == expected[n]).all() for n in expected)
