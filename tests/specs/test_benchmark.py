"""What a loaded benchmark answers: who stands on a board, with which items, before which judges."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from support.benchmarks import edit, small_benchmark, write_benchmark

from nullbench_site.protocols.axes.specs import axes_of, baseline_axes
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.load import load_benchmark


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return small_benchmark(tmp_path_factory.mktemp("benchmark"))


def test_all_contestants_are_every_model_by_id(benchmark: Benchmark) -> None:
    board = msgspec.structs.replace(benchmark.boards["small"], contestants="all")
    names = ["lead-2", "null-constant", "null-empty", "textrank-2"]
    assert [model.id for model in benchmark.contestants(board)] == names


def test_named_contestants_stand_by_id_whatever_the_order_in_the_spec(benchmark: Benchmark) -> None:
    board = msgspec.structs.replace(benchmark.boards["small"], contestants=("textrank-2", "lead-2"))
    assert [model.id for model in benchmark.contestants(board)] == ["lead-2", "textrank-2"]


def test_items_come_in_the_order_of_domains_categories_and_files(benchmark: Benchmark) -> None:
    board = msgspec.structs.replace(benchmark.boards["small"], domains=("rivers", "gardens"))
    placed = list(benchmark.items(board))
    assert [item.id for item in placed] == ["levels-01", "levels-02", "fish-01", "fish-02", "growing-01", "growing-02"]
    assert [(item.domain.id, item.category.id, item.goal.id) for item in placed[1:3]] == [
        ("rivers", "levels", "levels"),
        ("rivers", "fish", "fish"),
    ]


def test_an_item_s_own_goal_stands_instead_of_the_category_s(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path)
    edit(specs, "domains/rivers.yaml", "id: fish-02", "id: fish-02\n        goal: levels")
    benchmark = load_benchmark(specs)
    goals = {placed.id: placed.goal.id for placed in benchmark.items(benchmark.boards["small"])}
    assert (goals["fish-01"], goals["fish-02"]) == ("fish", "levels")


def test_axes_are_the_baseline_in_its_order_and_then_the_special_ones(benchmark: Benchmark) -> None:
    assert baseline_axes(benchmark) == ("truthfulness", "neutrality", "reasoning", "clarity")
    assert list(axes_of(benchmark))[:5] == [*baseline_axes(benchmark), benchmark.own["axes"]["axes"].special[0].id]
    assert len(axes_of(benchmark)) == 4 + len(benchmark.own["axes"]["axes"].special)


def test_a_judge_never_scores_its_own_family_unless_the_panel_says_so(benchmark: Benchmark) -> None:
    board, panel = benchmark.boards["small"], benchmark.panels["rules"]
    cousin = msgspec.structs.replace(benchmark.judges["restraint"], family="extractive")
    related = replace(benchmark, judges={**benchmark.judges, "restraint": cousin})
    lead, null = benchmark.models["lead-2"], benchmark.models["null-empty"]

    assert [judge.id for judge in related.judges_for(board, lead)] == ["support", "form"]
    assert [judge.id for judge in related.judges_for(board, null)] == ["support", "restraint", "form"]

    lenient = replace(related, panels={"rules": msgspec.structs.replace(panel, same_family=True)})
    assert [judge.id for judge in lenient.judges_for(board, lead)] == ["support", "restraint", "form"]


def test_judges_stand_in_the_order_of_their_panel(benchmark: Benchmark) -> None:
    panel = msgspec.structs.replace(benchmark.panels["rules"], judges=("form", "support"))
    other = replace(benchmark, panels={"rules": panel})
    judges = other.judges_for(other.boards["small"], other.models["lead-2"])
    assert [judge.id for judge in judges] == ["form", "support"]
