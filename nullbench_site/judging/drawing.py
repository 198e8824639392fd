"""The random sample of answers that judges see, on boards that draw one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import lru_cache

from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import BoardFile, Drawn

_Answer = tuple[str, str]
"""A contestant and an item."""


def drawn_items(benchmark: Benchmark, board: BoardFile, drawn: Drawn, model: str) -> frozenset[str]:
    """Return the items whose answers by a contestant judges see."""
    items = _items(benchmark, board)
    if model in drawn.answers:
        return frozenset(item for _, item in _first(board.id, drawn.seed, ((model, items),), drawn.answers[model]))
    pool = tuple((other.id, items) for other in benchmark.contestants(board) if other.id not in drawn.answers)
    return frozenset(item for name, item in _first(board.id, drawn.seed, pool, drawn.null_models) if name == model)


def draw_probability(benchmark: Benchmark, board: BoardFile, drawn: Drawn, model: str) -> float:
    """Return the probability with which each answer of a contestant was drawn."""
    n_items = len(_items(benchmark, board))
    if model in drawn.answers:
        return drawn.answers[model] / n_items
    return drawn.null_models / (
        n_items * len({each.id for each in benchmark.contestants(board)} - drawn.answers.keys())
    )


def _items(benchmark: Benchmark, board: BoardFile) -> tuple[str, ...]:
    categories = (category for name in board.domains for category in benchmark.domains[name].categories)
    return tuple(item.id for category in categories for item in category.items)


@lru_cache(maxsize=64)
def _first(board: str, seed: int, pool: tuple[tuple[str, tuple[str, ...]], ...], n: int) -> tuple[_Answer, ...]:
    return tuple(in_random_order(((model, item) for model, items in pool for item in items), board, seed)[:n])


def in_random_order(answers: Iterable[_Answer], board: str, seed: int) -> list[_Answer]:
    """Return answers in an order that only their names, the board and the seed decide."""
    return sorted(answers, key=lambda each: hashlib.sha256("\n".join((board, str(seed), *each)).encode()).digest())
