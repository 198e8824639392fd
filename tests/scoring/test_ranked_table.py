"""Ranks of tables: the figures of three public leaderboards, a recomputation by hand, and laws that all tables obey."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.commands import ROOT

from nullbench_site.errors import UsageError
from nullbench_site.interop.score_table import Chosen, read_table
from nullbench_site.scoring.ranked_table import RankedTable, ScoreTable, rank_table
from nullbench_site.stats.arrays import Floats

DATA = ROOT.parent / "shared" / "data"
CODE = DATA / "livecodebench"
PACKS: dict[str, tuple[Path, Path, dict[str, Any]]] = {
    "codegeneration": (CODE / "codegeneration.csv", CODE / "codegeneration-expected.json", {}),
    "testgen": (CODE / "testgen.csv", CODE / "testgen-expected.json", {"cluster": "problem"}),
    "swe-bench": (DATA / "swe-bench" / "bash-only.csv", DATA / "swe-bench" / "expected.json", {}),
    "livebench": (
        DATA / "livebench" / "table_2026_01_08.csv",
        DATA / "livebench" / "expected.json",
        {"groups": DATA / "livebench" / "categories_2026_01_08.json"},
    ),
}


@pytest.mark.skipif(not DATA.is_dir(), reason="the packs of public leaderboards are not here")
@pytest.mark.parametrize("pack", PACKS)
def test_the_figures_of_public_leaderboards(pack: str) -> None:
    table, figures, chosen = PACKS[pack]
    expected = json.loads(figures.read_text("utf-8"))
    ranked = rank_table(read_table(str(table), Chosen(**chosen)))
    rows = {row.model: row for row in ranked.leaderboard}
    known = {
        model: (own.get("mean", own.get("overall")), own.get("se", own.get("se_over_tasks")))
        for model, own in expected["models"].items()
        if own.get("overall", 0) is not None
    }
    assert {model: row.score for model, row in rows.items()} == {model: mean for model, (mean, _) in known.items()}
    assert all(rows[model].se == pytest.approx(se, abs=1e-6) for model, (_, se) in known.items())
    alone = expected.get("pairs_separated_one_at_a_time", expected.get("pairs_separated_one_at_a_time_by_signflip"))
    assert ranked.separation is not None
    assert ranked.separation.pairs == expected["pairs"]
    assert 0.97 * expected["pairs_separated_signflip_stepdown"] <= ranked.separation.together <= alone
    together = ranked.separation.neighbours - ranked.separation.neighbours_together
    assert together == expected.get("adjacent_not_separated", ranked.separation.neighbours)
    best = expected["possibly_best_signflip"]
    assert ranked.best_set == best if isinstance(best, list) else len(ranked.best_set) == pytest.approx(best, abs=2)


def table_of(values: Floats, groups: list[str] | None = None, clusters: list[str] | None = None) -> ScoreTable:
    k, n = values.shape
    return ScoreTable(
        name="made up", models=tuple(f"m{row}" for row in range(k)), items=tuple(f"i{item:02}" for item in range(n)),
        values=values, groups=None if groups is None else tuple(groups),
        clusters=None if clusters is None else tuple(clusters),
    )  # fmt: skip


def test_means_errors_and_pairs_alone_by_plain_numpy() -> None:
    """Two groups, twelve clusters: every flip of signs is tried, 2^12 of them."""
    rng = np.random.default_rng(5)
    values = rng.normal(0, 4, (6, 20)) + np.arange(6)[:, np.newaxis] * 1.2
    groups, clusters = (
        ["g"] * 8 + ["h"] * 12,
        [f"c{min(item, 4)}" for item in range(8)] + [f"d{n // 2}" for n in range(12)],
    )
    ranked = rank_table(table_of(values, groups, clusters))
    group, cluster = np.array(groups), np.array(clusters)

    def by_hand(row: Floats) -> tuple[float, float]:
        means = [row[group == name].mean() for name in "gh"]
        variance = 0.0
        for name, mean in zip("gh", means, strict=True):
            mine = group == name
            sums = [(row[mine & (cluster == c)] - mean).sum() for c in sorted(set(cluster[mine]))]
            variance += len(sums) / (len(sums) - 1) * np.square(sums).sum() / mine.sum() ** 2 / 4
        return float(np.mean(means)), float(np.sqrt(variance))

    for row in ranked.leaderboard:
        assert (row.score, row.se) == pytest.approx(by_hand(values[int(row.model[1:])]), abs=1e-6)
    weights = np.where(group == "g", 1 / 8, 1 / 12) / 2
    signs = np.array(list(product((1, -1), repeat=11))).T
    alone = 0
    for a, b in combinations(values, 2):
        parts = np.array([(weights * (a - b))[cluster == c].sum() for c in sorted(set(clusters))])
        flipped = np.abs(parts @ signs)
        alone += np.mean(flipped >= abs(parts.sum()) * (1 - 1e-9)) <= 0.05
    assert ranked.separation is not None
    assert ranked.separation.alone == alone
    assert 0 < ranked.separation.together <= alone < 15


def figures(ranked: RankedTable) -> dict[str, Any]:
    return {name: getattr(ranked, name) for name in ranked.__struct_fields__ if name not in ("notes", "columns")}


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 6), st.integers(1, 20), st.randoms(use_true_random=False), st.booleans())
def test_the_order_of_rows_and_columns_changes_nothing(k: int, n: int, random: Any, lower: bool) -> None:
    values = np.array([[random.choice((0.0, 0.5, 1.0, np.nan)) for _ in range(n)] for _ in range(k)])
    values[0] = np.nan_to_num(values[0])
    table = replace(
        table_of(values, [f"g{item % 3}" for item in range(n)]), clusters=tuple(f"c{i // 2}" for i in range(n))
    )
    rows, columns = (random.sample(range(size), size) for size in (k, n))
    shuffled = ScoreTable(
        name=table.name,
        models=tuple(table.models[row] for row in rows),
        items=tuple(table.items[column] for column in columns),
        values=values[np.ix_(rows, columns)],
        groups=tuple((table.groups or ())[column] for column in columns),
        clusters=tuple((table.clusters or ())[column] for column in columns),
    )
    assert figures(rank_table(shuffled, lower_is_better=lower)) == figures(rank_table(table, lower_is_better=lower))


@settings(max_examples=15, deadline=None)
@given(st.lists(st.lists(st.sampled_from(("0", "1", "0.25", "")), min_size=3, max_size=3), min_size=2, max_size=5))
def test_a_long_and_a_wide_form_give_the_same_figures(tmp_path_factory: pytest.TempPathFactory, cells: Any) -> None:
    folder = tmp_path_factory.mktemp("forms")
    cells[0] = ["1", "0", "1"]
    wide = ["model,x,y,z", *(f"m{row},{','.join(own)}" for row, own in enumerate(cells))]
    long = [
        "model,item,score",
        *(f"m{r},{'xyz'[c]},{cell}" for r, own in enumerate(cells) for c, cell in enumerate(own)),
    ]
    (folder / "wide.csv").write_text("\n".join(wide))
    (folder / "long.csv").write_text("\n".join(long))
    both = [figures(rank_table(read_table(str(folder / name)))) for name in ("wide.csv", "long.csv")]
    assert both[0] | {"name": ""} == both[1] | {"name": ""}


@pytest.mark.parametrize(("scale", "top"), [((0.0, 1.0), 100), (None, 0)])
def test_lower_is_better_turns_the_order_around(scale: tuple[float, float] | None, top: float) -> None:
    values = np.random.default_rng(2).random((5, 30)) * np.linspace(0.2, 1, 5)[:, np.newaxis]
    if scale is None:
        values -= 0.5
    higher = rank_table(table_of(values), scale=scale)
    lower = rank_table(table_of(top / 100 - values), scale=scale, lower_is_better=True)
    assert [(row.model, row.rank_low, row.rank_high, row.tie_group) for row in higher.leaderboard] == [
        (row.model, row.rank_low, row.rank_high, row.tie_group) for row in lower.leaderboard
    ]
    for one, other in zip(higher.leaderboard, lower.leaderboard, strict=True):
        assert (top - other.score, other.se) == pytest.approx((one.score, one.se), abs=2e-6)
        assert other.ci_low is not None
        assert other.ci_high is not None
        assert (top - other.ci_high, top - other.ci_low) == pytest.approx((one.ci_low, one.ci_high), abs=2e-6)


def test_models_without_all_items_have_a_difference_and_no_rank() -> None:
    values = np.array([[1, 1, 1, 1, 1, 1, 0, 1], [0, 1, 0, 1, 0, 1, 0, np.nan], [0, 1, 1, 0, 0, 1, 1, 1]], float)
    ranked = rank_table(table_of(values))
    (row,) = ranked.incomplete
    assert (row.model, row.n_items, row.of_items, row.n_common) == ("m1", 7, 8, 7)
    assert row.difference == pytest.approx(100 * (3 - 6) / 7, abs=1e-6)
    assert [own.model for own in ranked.leaderboard] == ["m0", "m2"]
    all_three = rank_table(table_of(values), coverage=0.8)
    assert [(own.model, own.n_items) for own in all_three.leaderboard] == [("m0", 7), ("m2", 7), ("m1", 7)]
    assert "Compared on the 7 of 8 items that all ranked models have." in all_three.notes
    binary = rank_table(table_of(np.where(np.isnan(values), np.nan, values > 0)), coverage=0.07)
    assert not any("itself a mean" in note for note in binary.notes)
    with pytest.raises(UsageError, match="the 2 models to be ranked have no item in common; raise --coverage"):
        rank_table(table_of(np.array([[1, np.nan], [np.nan, 1]])), coverage=0.5)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (np.array([[0.0, 1.0] * 5]), "nobody to compare"),
        (np.array([[0.0], [1.0]]), "too few"),
        (np.array([[0.0] * 3, [1.0] * 3]), "too few: 3 clusters of items, and an interval needs 6"),
    ],
)
def test_too_little_to_compare_is_no_error_and_claims_nothing(values: Floats, reason: str) -> None:
    ranked = rank_table(table_of(values))
    assert len(ranked.leaderboard) == len(values)
    assert ranked.separation is None
    assert ranked.best_set == [] or len(values) == 1
    assert reason in " ".join(ranked.leaderboard[0].absent.values()) or len(values) == 1


def test_equal_models_and_constant_items_share_ranks() -> None:
    ranked = rank_table(table_of(np.tile(np.array([1.0, 0.0] * 6), (3, 1))))
    assert {(row.rank, row.rank_low, row.rank_high) for row in ranked.leaderboard} == {(1, 1, 3)}
    assert ranked.same_items == 12


def test_the_best_of_a_family_is_corrected_for_the_choice() -> None:
    values = (np.random.default_rng(3).random((5, 60)) < 0.5).astype(float)
    table = replace(table_of(values), families=("a", "a", "a", "a", "b"))
    (best,) = rank_table(table).variants
    assert (best.family, best.n_variants) == ("a", 4)
    assert best.corrected is not None
    assert best.corrected < best.overall
