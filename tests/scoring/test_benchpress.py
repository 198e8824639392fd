"""The published figures of 25 contestants of the practical evaluation, from their own answers and verdicts.

The data are not part of the project: they stand beside the checkout of those who develop it, and the test is skipped
where they do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Any

import msgspec
import pytest
from support.boards import model
from support.rubric_boards import METRICS, answer, benchmark, category, domain, geval, mark, prompt, scored

from nullbench_site.protocols.rubric.metrics import RubricResults
from nullbench_site.protocols.rubric.specs import Composite, RubricItem
from nullbench_site.runs.records import Record

DATA = Path(__file__).parents[3] / "shared" / "data" / "benchpress"
JUDGES = ("gpt-4.1", "claude-sonnet-4.6", "gemini-2.5-flash", "qwen3-235b")
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the published figures are not there")


def read(path: str) -> Any:
    return msgspec.json.decode((DATA / path).read_bytes())


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    return dict(read("expected.json")["models"])


@pytest.fixture(scope="module")
def results(expected: dict[str, Any]) -> RubricResults:
    prompts = read("evals/general.json")["prompts"]
    groups: dict[str, dict[str, list[RubricItem]]] = {}
    for each in prompts:
        of_domain = groups.setdefault(each["category"], {})
        of_domain.setdefault(each["subcategory"], []).append(prompt(each["id"], each["difficulty"]))
    domains = [
        domain(name, *(category(f"{name}-{sub}", *items) for sub, items in of_domain.items()))
        for name, of_domain in groups.items()
    ]
    board = benchmark(
        *domains, models=[model(name, family=f"family-of-{name}") for name in expected], judges=JUDGES, geval="gpt-4o",
        composite=Composite(judge_decimals=2),
    )  # fmt: skip
    ids = [each["id"] for each in prompts]
    return scored(board, [record for name in expected for record in records(name, ids)])


def records(name: str, ids: list[str]) -> Iterator[Record]:
    runs = read(f"results/{name}.json")["runs"]
    for item in ids:
        newest = runs[item][-1]
        yield answer(item, name, text=newest["content"], seconds=newest["latency_s"], tokens=newest["output_tokens"])
        for judge, given in newest["judge_scores"].items():
            yield mark(judge, given["score"], item, name, state="unparsed" if given["score"] is None else "scored")
        named = {metric: newest["deepeval_scores"][metric.replace("-", "_")] for metric in METRICS}
        yield geval({metric: score for metric, score in named.items() if score is not None}, item, name, judge="gpt-4o")


@pytest.mark.parametrize(
    ("column", "published", "within"),
    [
        ("composite", "composite_0_1", 1e-4),
        ("judge_mean", "judge_mean_1_5", 1e-4),
        ("judges", "complete_judges", 0.0051),
        ("geval_mean", "geval_mean_0_1", 1e-4),
        ("mean_output_tokens", "mean_output_tokens", 0.06),
        ("efficiency", "efficiency", 0.01),
    ],
)
def test_every_figure_is_the_published_one(
    results: RubricResults, expected: dict[str, Any], column: str, published: str, within: float
) -> None:
    for name, figures in expected.items():
        row = results.row(name)
        assert getattr(row, column) == pytest.approx(figures[published], abs=within), name
        assert row.overall == pytest.approx(100 * figures["composite_0_1"], abs=1e-2), name
        assert row.composite_of == "judge+geval"


def test_the_ranking_is_the_published_one(results: RubricResults, expected: dict[str, Any]) -> None:
    """Published ranks are among 49 contestants; those of the 25 here stand in their order."""
    assert results.complete
    found = [row.model for row in results.leaderboard]
    assert found == sorted(expected, key=lambda name: expected[name]["published"]["rank"])


def test_the_judge_that_missed_an_answer_counts_for_that_contestant_alone_no_more(results: RubricResults) -> None:
    incomplete = {row.model: row.incomplete_judges for row in results.leaderboard if row.incomplete_judges}
    assert incomplete == {"claude-opus-4.7": {"gemini-2.5-flash": 79}}
    assert "qwen3-235b" not in results.row("qwen3-235b").judges


def test_the_groups_of_a_contestant_come_to_the_whole(results: RubricResults) -> None:
    sizes = [(group.n_items, group) for group in results.domains]
    assert sum(n for n, _ in sizes) == results.n_items == 80
    for row in results.leaderboard:
        for groups in (results.domains, results.difficulties, results.categories):
            rows = [(group.n_items, each) for group in groups for each in group.rows if each.model == row.model]
            mean = sum(n * (each.geval_mean or inf) for n, each in rows) / 80
            assert mean == pytest.approx(row.geval_mean, abs=1e-5)


def test_severe_judges_move_one_contestant_by_88_hundredths_and_swap_two_neighbours(results: RubricResults) -> None:
    """A judge never marks itself, and gives another mean than the others: worked out independently with least squares
    over all cells of contestant and judge."""
    moved = {row.model: (row.overall_adjusted or 0.0) - (row.overall or 0.0) for row in results.leaderboard}
    assert {name for name, by in moved.items() if abs(by) > 1e-6} <= {*JUDGES, "claude-opus-4.7"}
    assert moved["claude-sonnet-4.6"] == pytest.approx(-0.88, abs=0.005)
    eighth, ninth = results.leaderboard[7:9]
    assert (eighth.model, ninth.model) == ("gemini-3.1-pro", "qwen3-235b")
    assert (eighth.overall_adjusted or 0.0) < (ninth.overall_adjusted or 0.0)


def test_one_prompt_left_out_undoes_the_first_place_and_half_of_all_neighbours(results: RubricResults) -> None:
    assert (results.lead.leader, results.lead.other) == ("claude-opus-4.7", "claude-sonnet-4.6")
    assert results.lead.items == ["I05"]
    ranked = [row.model for row in results.leaderboard]
    neighbours = [row for row in results.differences if (row.a, row.b) in set(pairwise(ranked))]
    assert len(neighbours) == 24
    assert sum(row.n_fragile is not None and row.n_fragile <= 1 for row in neighbours) == 13
