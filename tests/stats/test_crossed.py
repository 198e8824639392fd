from __future__ import annotations

from math import nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.stats.panel import COMPONENTS, Study, crossed_study


def study(scores: Any, groups: Any = None, clusters: Any = None, weights: Any = None) -> Study:
    """Of (contestants, judges, items) or with samples behind; one group, and each item by itself, unless said."""
    array = np.asarray(scores, dtype=np.float64)
    array = array[..., np.newaxis] if array.ndim == 3 else array
    items = np.arange(array.shape[2])
    return crossed_study(array, np.zeros_like(items) if groups is None else groups,
                         items if clusters is None else clusters, weights)  # fmt: skip


def components(found: Study) -> dict[str, float]:
    return {name: measure.value for name, measure in found.components.items() if measure.value is not None}


BY_HAND = [[[4, 6], [6, 12]], [[2, 4], [0, 2]]]
"""Two contestants by two judges on two items. Means: all 4.5; contestants 7, 2; judges 4, 5; items 3, 6. On one degree
each, SS: contestant 50, judge 2, item 18, contestant x judge 18, contestant x item 2, item x judge 2; of all 94, so 2
are left. E[MS] of two levels each: contestant (50 - 18 - 2 + 2) / 4 = 8, item (18 - 2 - 2 + 2) / 4 = 4, judge
(2 - 18 - 2 + 2) / 4 < 0, contestant x judge (18 - 2) / 2 = 8, the other two 0, and 2 is left."""


def test_components_and_errors_worked_by_hand() -> None:
    """Other items: absolute 4/2 + 2/(2*2) = 2.5, relative 0.5. Other judges, too: 8/2 more in both, for the severity of
    judges is 0 and the contestant x judge stays in a comparison."""
    found = study(BY_HAND)
    assert components(found) == pytest.approx({
        "contestant": 8, "item": 4, "judge": 0, "contestant x item": 0, "contestant x judge": 8, "item x judge": 0,
        "contestant x item x judge": 2,
    })  # fmt: skip
    squares = [(measure.value or 0.0) ** 2 for measure in (*found.absolute, *found.relative)]
    assert squares == pytest.approx([2.5, 6.5, 0.5, 4.5])


def test_what_one_more_item_or_judge_would_make_of_the_errors() -> None:
    """Of three items: absolute 4/3 + 2/(3*2), relative 2/(3*2). Of three judges: absolute 4/2 + 2/(2*3), relative
    2/(2*3). For other judges 8/2 more, or 8/3."""
    found = study(BY_HAND)
    item, judge = (
        [(each.value or 0.0) ** 2 for pair in of for each in pair] for of in (found.one_more_item, found.one_more_judge)
    )
    assert item == pytest.approx([5 / 3, 5 / 3 + 4, 1 / 3, 1 / 3 + 4])
    assert judge == pytest.approx([7 / 3, 7 / 3 + 8 / 3, 1 / 3, 3])
    alone = study([[each[0]] for each in BY_HAND])
    assert alone.one_more_item[0][0].value is not None
    assert alone.one_more_judge[0][0].reason == "a panel of one judge says nothing of other judges"


def _mean_squares(y: Any) -> dict[str, float]:
    """Components of a complete table by its mean squares, as a textbook has them (Brennan 2001, table 4.2)."""
    (p, j, i), grand = y.shape, y.mean()
    at = {"p": (1, 2), "j": (0, 2), "i": (0, 1), "pj": (2,), "pi": (1,), "ji": (0,), "pji": ()}
    size, left = {"p": p, "j": j, "i": i}, {}
    means = {name: y.mean(axis=axes, keepdims=True) for name, axes in at.items()}
    ms = {}
    for name, mean in means.items():
        left[name] = mean - grand - sum(left[part] for part in left if set(part) < set(name))
        df = np.prod([size[facet] - 1 for facet in name])
        ms[name] = float(np.square(np.broadcast_to(left[name], y.shape)).sum() / df)
    return {
        "contestant": (ms["p"] - ms["pj"] - ms["pi"] + ms["pji"]) / (i * j),
        "item": (ms["i"] - ms["pi"] - ms["ji"] + ms["pji"]) / (p * j),
        "judge": (ms["j"] - ms["pj"] - ms["ji"] + ms["pji"]) / (p * i),
        "contestant x item": (ms["pi"] - ms["pji"]) / j,
        "contestant x judge": (ms["pj"] - ms["pji"]) / i,
        "item x judge": (ms["ji"] - ms["pji"]) / p,
        "contestant x item x judge": ms["pji"],
    }


@given(st.integers(2, 5), st.integers(2, 4), st.integers(2, 6), st.integers(0, 1000))
def test_of_a_complete_table_it_is_the_analysis_of_variance(
    contestants: int, judges: int, items: int, seed: int
) -> None:
    y = np.random.default_rng(seed).integers(0, 100, (contestants, judges, items)).astype(float)
    expected = {name: max(0.0, value) for name, value in _mean_squares(y).items()}
    assert components(study(y)) == pytest.approx(expected, abs=1e-6)


def test_the_severity_of_a_judge_is_in_the_absolute_error_alone() -> None:
    severe = np.array(BY_HAND) + np.array([0, 30])[:, np.newaxis]
    (_, absolute), (_, relative) = (study(severe).absolute, study(severe).relative)
    assert relative.value == pytest.approx(study(BY_HAND).relative[1].value)
    assert (absolute.value or 0.0) > 15


SDS = {
    "contestant": 12, "item": 20, "judge": 8, "contestant x item": 7, "contestant x judge": 5, "item x judge": 6,
    "contestant x item x judge": 4, "sample": 9, "sample x judge": 3,
}  # fmt: skip


def _drawn(rng: np.random.Generator, c: int, j: int, i: int, s: int) -> Any:
    shapes = ((c, 1, 1, 1), (1, 1, i, 1), (1, j, 1, 1), (c, 1, i, 1), (c, j, 1, 1), (1, j, i, 1), (c, j, i, 1),
              (c, 1, i, s), (c, j, i, s))  # fmt: skip
    return 50 + sum(rng.normal(0, sd, shape) for sd, shape in zip(SDS.values(), shapes, strict=True))


def test_components_are_recovered_on_average_with_cells_missing() -> None:
    """200 tables with a tenth of the cells missing, and a judge that may not judge every third contestant; each mean
    is within four of its standard errors of the variance that was drawn."""
    rng = np.random.default_rng(3)
    tables = []
    for _ in range(200):
        scores = _drawn(rng, 9, 4, 20, 2)
        scores[rng.random(scores.shape) < 0.1] = nan
        scores[::3, 0] = nan
        tables.append(components(study(scores)))
    for name, sd in SDS.items():
        drawn = np.array([table[name] for table in tables])
        assert abs(drawn.mean() - sd**2) < 4 * drawn.std() / len(drawn) ** 0.5, name


def test_groups_are_fixed_and_what_all_have_in_a_group_is_in_no_error() -> None:
    """As with the first interval: an item is told from others of its group, and groups weigh alike."""
    y, more = np.random.default_rng(2).normal(50, 10, (4, 3, 12)), np.repeat([0, 40, 90], 4)
    groups = more // 40
    assert components(study(y + more, groups)) == pytest.approx(components(study(y, groups)))
    apart = study(y + more).components["item"].value
    assert apart > 1000


@pytest.mark.parametrize(
    ("weights", "boards", "within"),
    [
        ([1.0, 3.0], 200, 0.1),
        pytest.param([1.0, 3.0], 1000, 0.05, marks=pytest.mark.sweep),
        pytest.param(None, 1000, 0.05, marks=pytest.mark.sweep),
    ],
)
def test_the_relative_error_is_that_of_differences_over_groups_and_clusters(
    weights: list[float] | None, boards: int, within: float
) -> None:
    """Over many boards of two groups and six items of three sources each the mean square of the error that contestants
    have against their mean is the relative error squared: 4, 5 and 6 squared, over what they are averaged over."""
    rng = np.random.default_rng(8)
    clusters, groups = np.repeat(np.arange(6), 2), np.repeat([0, 1], 6)
    share = np.array([0.5, 0.5]) if weights is None else np.array([0.25, 0.75])
    true = (25 / 3 + 16 / 6) * np.square(share).sum() + 36 / 3
    found = []
    for _ in range(boards):
        source, item, judge = rng.normal(0, 5, (3, 1, 6)), rng.normal(0, 4, (3, 1, 12)), rng.normal(0, 6, (3, 3, 1))
        value = study(source[:, :, clusters] + item + judge, groups, clusters, weights).relative[1].value
        found.append((value or 0.0) ** 2)
    assert np.mean(found) == pytest.approx(true, rel=within)


def test_what_the_scores_cannot_tell_apart_is_absent_with_the_reason() -> None:
    one_judge = study(np.array([[[10, 20, 60]], [[20, 30, 30]]]))
    assert one_judge.components["judge"].reason == "one judge"
    assert one_judge.components["contestant x item"].value is not None
    assert one_judge.relative[0].value is not None
    assert one_judge.relative[1].reason == "a panel of one judge says nothing of other judges"
    one_contestant = study(np.array([[[10, 20, 60], [30, 50, 20]]]))
    assert one_contestant.components["contestant"].reason == "one contestant"
    assert one_contestant.relative[0].reason == "one contestant"
    assert one_contestant.absolute[1].value is not None
    assert one_contestant.components["sample"].reason == "one sample an item"


@pytest.mark.parametrize("scores", [np.full((2, 2, 3), nan), [[[1, nan], [nan, 1]], [[nan, 1], [1, nan]]]])
def test_of_too_few_scores_nothing_is_told(scores: Any) -> None:
    found = study(scores)
    assert set(found.components) == set(COMPONENTS)
    assert {measure.reason for measure in (*found.components.values(), *found.absolute)} == {"too few scores"}
