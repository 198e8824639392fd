from __future__ import annotations

import math
from collections import Counter
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.stats.judges import clamped_mean, overall
from nullbench_site.stats.scores import (
    Gate,
    detection_rate,
    gate_judges,
    gate_votes_needed,
    is_valid_axis_score,
    is_valid_percent,
    refusal_gate,
)

PERCENTS = st.floats(0, 100)
GROUPS = st.dictionaries(st.text(max_size=3), st.lists(PERCENTS, max_size=6), max_size=5)


@pytest.mark.parametrize("value", [1, 2, 3, 4, 5])
def test_an_integer_from_1_to_5_is_a_valid_axis_score(value: int) -> None:
    assert is_valid_axis_score(value)


@pytest.mark.parametrize("value", [0, 6, -1, 3.0, 3.5, True, False, "3", None, [3], math.nan])
def test_nothing_else_is_a_valid_axis_score(value: object) -> None:
    assert not is_valid_axis_score(value)


@pytest.mark.parametrize("value", [0, 100, 150, -20, 10**400])
def test_any_integer_is_a_valid_percent_because_clamping_comes_after_averaging(value: int) -> None:
    assert is_valid_percent(value)


@pytest.mark.parametrize("value", [80.0, True, "80", None, math.nan, [80]])
def test_what_is_not_an_integer_is_no_valid_percent(value: object) -> None:
    assert not is_valid_percent(value)


def test_goal_alignment_is_averaged_first_and_clamped_then() -> None:
    """150 and 50: the mean is 100. Clamping first would give (100 + 50) / 2 = 75."""
    given = [[150, 50], [-50, 30], [80, 71], [80, math.nan], [math.nan, math.nan]]
    assert clamped_mean(given) == pytest.approx([100, 0, 75.5, 80, math.nan], nan_ok=True)


def test_the_overall_score_weighs_groups_and_not_items() -> None:
    """Politics has three items, mean 60; science one, 100: (60 + 100) / 2 = 80; over items it would be 70."""
    assert overall({"politics": [30, 60, 90], "science": [100]}) == 80


def test_a_group_without_items_is_not_counted() -> None:
    assert overall({"politics": [40], "science": []}) == 40


def test_no_item_at_all_is_undefined_and_not_zero() -> None:
    assert overall({}) is None
    assert overall({"politics": []}) is None


def test_an_item_that_failed_counts_as_zero() -> None:
    assert overall({"politics": [80, 0]}) == 40


@given(GROUPS)
def test_the_order_of_groups_and_items_does_not_move_the_overall_score(
    groups: dict[str, list[float]],
) -> None:
    backwards = {name: scores[::-1] for name, scores in reversed(groups.items())}
    assert overall(backwards) == overall(groups)


@given(GROUPS)
def test_doubling_every_item_leaves_the_overall_score(groups: dict[str, list[float]]) -> None:
    doubled = {name: scores + scores for name, scores in groups.items()}
    assert overall(doubled) == pytest.approx(overall(groups))


def test_weighted_groups_count_by_their_weights():
    """0.75 * 80 + 0.25 * 40 = 70; weights on another scale give the same."""
    groups = {"a": [70.0, 90.0], "b": [40.0]}
    assert overall(groups, {"a": 0.75, "b": 0.25}) == 70.0
    assert overall(groups, {"a": 3, "b": 1}) == 70.0


PANELS = st.lists(st.text(max_size=5), unique=True, max_size=8)
FIVE = ["ada", "bea", "cyd", "dot", "eve"]
GOLDEN = ("ada", "cyd", "eve")


@pytest.mark.parametrize(("judges", "votes"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 4), (6, 4), (7, 5), (9, 6)])
def test_a_refusal_needs_two_thirds_of_the_judges_rounded_up(judges: int, votes: int) -> None:
    assert gate_votes_needed(judges) == votes
    assert refusal_gate(judges, judges) == Gate(judges, judges, votes)


@given(st.integers(1, 500))
def test_the_threshold_is_the_smallest_count_that_is_two_thirds(judges: int) -> None:
    votes = gate_votes_needed(judges)
    assert 3 * votes >= 2 * judges > 3 * (votes - 1)


@pytest.mark.parametrize(
    ("judges", "panel", "spec", "gate"),
    [
        (5, 5, (None, None), (5, 4)),
        (5, 5, (2, None), (4, 4)),
        (5, 5, (5, 5), (5, 5)),
        (3, 3, (2, 2), (2, 2)),
        (3, 3, (7, None), (3, 2)),
        (3, 3, (None, 3), (3, 3)),
        (4, 5, (None, None), (4, 3)),
        (3, 5, (None, None), (3, 2)),
        (3, 5, (4, 4), (3, 3)),
        (1, 3, (2, 2), (1, 1)),
    ],
)
def test_all_judges_are_asked_unless_the_spec_asks_for_fewer_and_gates_shrink_with_the_judges_that_apply(
    judges: int, panel: int, spec: tuple[int | None, int | None], gate: tuple[int, int]
) -> None:
    """3 of 5 judges apply, 4 votes of 5 asked for: 4 * 3 / 5 = 2.4, rounded up 3."""
    assert refusal_gate(judges, panel, *spec) == Gate(judges, *gate)


@given(st.integers(1, 40), st.data())
def test_no_gate_asks_fewer_judges_than_have_to_vote_or_more_than_there_are(panel: int, data: st.DataObject) -> None:
    judges = data.draw(st.integers(1, panel))
    numbers = st.none() | st.integers(1, panel)
    gate = refusal_gate(judges, panel, data.draw(numbers), data.draw(numbers))
    assert gate_votes_needed(judges) <= gate.votes <= gate.sample <= judges


@pytest.mark.parametrize(
    ("sample", "votes", "rate"), [(2, 2, 0.81), (3, 2, 0.972), (4, 4, 0.6561), (5, 4, 0.91854), (1, 1, 0.9)]
)
def test_what_a_gate_finds_of_refusals_that_each_judge_finds_nine_times_of_ten(
    sample: int, votes: int, rate: float
) -> None:
    """0.9^2 = 0.81; 0.9^3 + 3 * 0.9^2 * 0.1 = 0.972; 0.9^4 = 0.6561; 0.9^5 + 5 * 0.9^4 * 0.1 = 0.91854."""
    assert detection_rate(Gate(sample, sample, votes), 0.9) == pytest.approx(rate, abs=1e-12)


def test_what_a_panel_finds_that_is_asked_by_default_is_more_than_one_of_its_judges_finds() -> None:
    """Of two and of four judges, two and three must vote: 0.81 and 0.9477; of three and five 0.972 and 0.91854."""
    rates = [detection_rate(refusal_gate(n, n), 0.9) for n in (2, 3, 4, 5)]
    assert rates == pytest.approx([0.81, 0.972, 0.9477, 0.91854])


def test_the_judges_with_the_smallest_hashes_sit_at_the_gate() -> None:
    """The rule written out a second time, straight from its words: sha256(text + NUL + judge id)."""
    hashes = {judge: sha256(f"ask\nanswer\0{judge}".encode()).hexdigest() for judge in FIVE}
    expected = sorted(sorted(FIVE, key=lambda judge: hashes[judge])[:3])
    assert list(gate_judges(FIVE, "ask\nanswer", 3)) == expected


def test_the_judges_of_a_published_text_never_change() -> None:
    """A change here changes who judged what in every sealed run."""
    assert gate_judges(FIVE, "request and response", 3) == GOLDEN


@given(PANELS, st.text(), st.data())
def test_the_order_of_the_panel_does_not_matter(panel: list[str], text: str, data: st.DataObject) -> None:
    size = data.draw(st.integers(0, len(panel)))
    drawn = gate_judges(panel, text, size)
    assert drawn == gate_judges(data.draw(st.permutations(panel)), text, size)
    assert len(drawn) == size
    assert set(drawn) <= set(panel)
    assert list(drawn) == sorted(drawn)


@given(PANELS, st.text())
def test_a_larger_sample_keeps_the_judges_of_a_smaller_one(panel: list[str], text: str) -> None:
    for size in range(len(panel)):
        assert set(gate_judges(panel, text, size)) < set(gate_judges(panel, text, size + 1))


def test_every_judge_gets_its_share_of_the_gates() -> None:
    """1000 texts, 2 of 5 judges each: 400 apiece; four standard deviations of a binomial are 62."""
    tasks = Counter(judge for n in range(1000) for judge in gate_judges(FIVE, f"text {n}", 2))
    assert all(abs(tasks[judge] - 400) < 62 for judge in FIVE)


def test_half_a_surrogate_pair_in_a_response_can_be_hashed() -> None:
    assert len(gate_judges(FIVE, "broken \ud83d", 2)) == 2
