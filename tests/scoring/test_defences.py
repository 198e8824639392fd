"""What defences do to attacks and honest answers, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from nullbench_site.scoring.attack_tables import TOGETHER
from nullbench_site.scoring.defences import Given, Judged, defence_tables, marks_of
from nullbench_site.scoring.screening import Marked

N = 20
ITEMS = np.arange(N)


def given(*wordings: tuple[list[float], list[float]], flags: list[float] | None = None) -> Given:
    """Scores of wordings, each in two orders."""
    none = np.zeros(N)
    return Given(np.array(wordings, np.float64), True, none if flags is None else np.array(flags), none)


def test_both_orders_make_a_tie_of_a_comparison_whose_orders_disagree() -> None:
    """The attack wins 2 in both orders, and 6 of 20 by the mean. Orders of the honest answer disagree on one item."""
    attack = given(([90.0] * 6 + [20.0] * 14, [80.0] * 2 + [40.0] * 4 + [30.0] * 14))
    honest = given(([70.0] * N, [70.0] * 19 + [10.0]))
    tables = defence_tables([Judged("anna", {"null": attack}, {"m": honest})], (), ITEMS)
    rows = {row.defence: row for row in tables["defences"]}
    assert (rows["both-orders"].n_honest, rows["both-orders"].n_alarms, rows["both-orders"].alarmed) == (20, 1, ["m"])
    (twice,) = (
        row for row in defence_tables([Judged("anna", {}, {"m": honest, "n": honest})], (), ITEMS)["defences"][:1]
    )
    assert (twice.n_honest, twice.n_alarms) == (40, 2)
    assert twice.alarm_high == rows["both-orders"].alarm_high > 0.2361, "two answers to an item tell no more than one"
    assert rows["both-orders"].drift == pytest.approx((50 - 40) / 20)
    assert rows["median-wording"].absent == "the judge was not asked in at least 3 wordings"
    won = {row.defence: (row.n_undefended, row.n_defended, row.n_items) for row in tables["defended_attacks"]}
    assert won == {"both-orders": (6, 2, 20), "lexicon": (2, 2, 20), "repeats": (2, 2, 20)}
    assert "defended_scores" not in tables


def test_a_flagged_answer_is_lost_and_an_unread_one_is_not_counted() -> None:
    attack = given(([90.0] * N, [90.0] * N), flags=[1.0] * 15 + [0.0] * 4 + [np.nan])
    honest = given(([60.0] * N, [60.0] * N), flags=[1.0] + [0.0] * 19)
    tables = defence_tables([Judged(None, {"null": attack}, {"m": honest})], ("lexicon", "both-orders"), ITEMS)
    (row,) = (row for row in tables["defended_attacks"] if row.defence == "lexicon")
    assert (row.n_items, row.n_undefended, row.n_defended, row.defended_share) == (19, 19, 4, None)
    drift = {row.defence: row.drift for row in tables["defences"]}
    assert drift["lexicon"] == drift[TOGETHER] == pytest.approx(-60 / 20)
    (score,) = tables["defended_scores"]
    assert (score.undefended_score, score.defended_score, score.n_marked) == (60.0, 57.0, 1)


def test_the_median_over_wordings_ignores_one_that_is_fooled() -> None:
    fooled, others = ([100.0] * N, [100.0] * N), ([30.0] * N, [30.0] * N)
    tables = defence_tables([Judged("anna", {"null": given(fooled, others, others)}, {})], (), ITEMS)
    (row,) = (row for row in tables["defended_attacks"] if row.defence == "median-wording")
    assert (row.n_undefended, row.n_defended) == (20, 0)  # the mean is 53.3, the median 30


def test_marks_of_an_item_without_a_known_answer_are_unknown() -> None:
    flags, repeats = marks_of(Marked(flags={"a": True, "b": False}), ["a", "b", "c"])
    assert np.array_equal(flags, [1.0, 0.0, np.nan], equal_nan=True)
    assert np.isnan(repeats).all()
