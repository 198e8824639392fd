"""The faults that `python -m benchmarks.item_faults` puts in, and what chance shows of them."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.item_faults import FAULTS, falsified, limit, limit_of_first, turned, wrong_answers
from nullbench_site.answer_keys import AnyKey, mark, right_answer
from nullbench_site.answer_keys.choices import MultipleChoice
from nullbench_site.answer_keys.exact import Exact
from nullbench_site.answer_keys.numeric import Numeric
from nullbench_site.answer_keys.regex import Regex

OTHERS = ("Oslo", "Lima", "teal")
KEYS: list[AnyKey] = [
    MultipleChoice(options={"A": "4", "B": "5", "C": "7"}, correct=("B",)),
    Exact(accepted=("Oslo", "Christiania")),
    Numeric(value=36),
    Numeric(value=-0.5, tolerance=0.1),
    Numeric(value=0),
]


@pytest.mark.parametrize("key", KEYS)
def test_a_falsified_key_takes_a_wrong_answer_and_refuses_the_right_one(key: AnyKey) -> None:
    false, right = falsified(key, OTHERS), right_answer(key)
    assert false is not None
    assert right is not None
    assert (mark(right, key).outcome, mark(right, false).outcome) == ("correct", "wrong")
    wrong = wrong_answers(key, OTHERS)
    assert {mark(each, key).outcome for each in wrong} == {"wrong"}
    assert "correct" in {mark(each, false).outcome for each in (*wrong, right_answer(false) or "")}


def test_a_pattern_is_not_falsified() -> None:
    assert falsified(Regex(pattern="[A-Z]{2}"), OTHERS) is None


def test_the_limit_is_what_one_list_in_a_hundred_shows_by_chance() -> None:
    """Drawn: twenty of n items, of which ten have a fault."""
    rng = np.random.default_rng(3)
    for n in (60, 215, 338):
        counts = rng.hypergeometric(FAULTS, n - FAULTS, 20, size=200_000)
        assert (counts >= limit(n)).mean() <= 0.0105
        assert (counts >= limit(n) - 1).mean() > 0.0095
    firsts = rng.binomial(23, 1 / 23, size=200_000) / 23
    assert (firsts >= limit_of_first(23) - 1e-9).mean() <= 0.0105


def test_turned_scores_are_100_minus_the_score_on_these_items_alone() -> None:
    table = np.array([[0.0, 30.0, 100.0], [10.0, 20.0, 50.0]])
    assert turned(table, [0, 2]).tolist() == [[100.0, 30.0, 0.0], [90.0, 20.0, 50.0]]
    assert table[0, 0] == 0, "the table itself is unchanged"
