"""Correlations of the tasks of a board, and of boards, over language models and their families."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest
from support.boards import benchmark, category, domain, model
from support.repositories import shipped_benchmark

from nullbench_site.scoring.board_tables import CorrelationRow
from nullbench_site.scoring.correlations import correlation_rows
from nullbench_site.scoring.scorer import scorer_of
from nullbench_site.site.convergence import other_boards
from nullbench_site.specs.benchmark import Benchmark

MODELS = [f"m{number:02}" for number in range(16)]
RNG = np.random.default_rng(4)
ABILITY, MANNERS = RNG.normal(size=(2, 16))


def board() -> Benchmark:
    """Two domains of capability and two of alignment, of two items each. Two models are of one family."""
    models = [
        msgspec.structs.replace(model(name), backend="openai", endpoint="x", family=f"f{number // 2}")
        for number, name in enumerate(MODELS)
    ]
    domains = [
        domain(name, category(f"{name}-c", f"{name}1", f"{name}2"), construct=construct)
        for name, construct in (("a", "capability"), ("b", "capability"), ("c", "alignment"), ("d", "alignment"))
    ]
    return benchmark(*domains, models=[*models, model("program", "baseline")])  # type: ignore[arg-type]


def scores(number: int) -> Any:
    """Scores of items a1, a2, b1 ...: capability in the first four, alignment in the last four."""
    own = [ABILITY[number]] * 4 + [MANNERS[number]] * 4
    return 50 + 10 * np.array(own) + 2 * np.random.default_rng(number).normal(size=8)


def rows(of: dict[str, Any]) -> dict[tuple[str, str | None], CorrelationRow]:
    made = board()
    found = correlation_rows(scorer_of(made, made.boards["main"]), of)
    assert isinstance(found, list)
    return {(row.kind, row.group): row for row in found}


def test_domains_of_one_construct_are_compared_with_those_of_others_over_language_models() -> None:
    found = rows({name: scores(number) for number, name in enumerate(MODELS)} | {"program": np.zeros(8)})
    within, across = found["within", None], found["across", None]
    assert (within.n_models, within.n_families, within.n_pairs, across.n_pairs) == (16, 8, 2, 4)
    assert within.low is not None
    assert within.low > 0.9
    means = np.array([scores(number).reshape(4, 2).mean(axis=1) for number in range(16)])
    r = np.corrcoef(means, rowvar=False)
    assert within.value == pytest.approx((r[0, 1] + r[2, 3]) / 2)
    assert found["within", "capability"].value == pytest.approx(r[0, 1])
    assert found["within minus across", None].low > 0


def test_a_model_without_every_score_does_not_count_and_too_few_families_say_so() -> None:
    of = {name: scores(number) for number, name in enumerate(MODELS[:10])}
    of["m00"][3] = of["m01"][7] = np.nan
    found = rows(of)["within", None]
    assert (found.n_models, found.n_families, found.value) == (8, 4, None)
    assert found.absent == "too few: 4 families of models, and a correlation needs 6"


def test_where_cells_are_means_a_cell_is_a_task_in_the_group_of_its_domain() -> None:
    shipped = shipped_benchmark()
    tasks, groups = scorer_of(shipped, shipped.boards["livebench"]).measured_tasks()
    assert len(tasks) == len(set(tasks)) == len(groups) == 23
    assert len(set(groups.values())) == 7
    tasks, groups = scorer_of(shipped, shipped.boards["livecodebench"]).measured_tasks()
    assert set(tasks) == set(groups)
    assert set(groups.values()) == {"capability"}


def of_board(values: Any) -> Any:
    rows = [SimpleNamespace(model=name, overall=float(value)) for name, value in zip(MODELS, values, strict=True)]
    return SimpleNamespace(leaderboard=[*rows, SimpleNamespace(model="program", overall=0.0)])


def test_boards_with_common_language_models_are_correlated() -> None:
    made = board()
    main = made.boards["main"]
    other = msgspec.structs.replace(main, id="other", title="Other board", construct="capability")
    made = replace(made, boards={"main": main, "other": other})
    noise = RNG.normal(size=16)
    results = {"main": of_board(ABILITY), "other": of_board(ABILITY + 0.1 * noise)}
    (found,) = other_boards(made, "main", results)
    assert (found.title, found.same, found.n_models, found.agrees) == ("Other board", False, 16, False)
    assert found.found.value == pytest.approx(np.corrcoef(ABILITY, ABILITY + 0.1 * noise)[0, 1])
    alike = replace(made, boards={"main": main, "other": msgspec.structs.replace(other, construct=main.construct)})
    assert other_boards(alike, "main", results)[0].agrees
    results["other"].leaderboard = results["other"].leaderboard[-1:]
    assert other_boards(made, "main", results) == []
