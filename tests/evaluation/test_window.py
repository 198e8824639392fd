"""A window of targets: whose turn it is when workers are few and one contestant holds his."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nullbench_site.evaluation.askers import Window


def window(**counts: int) -> Window:
    """So many targets of each contestant, named by it and counted from 0."""
    targets: Any = {name: iter([f"{name}{number}" for number in range(count)]) for name, count in counts.items()}
    return Window(targets, 4)


def test_one_worker_goes_contestant_by_contestant() -> None:
    assert list(window(a=2, b=2)) == ["a0", "a1", "b0", "b1"]


def test_with_a_judge_on_this_machine_one_worker_goes_item_by_item() -> None:
    targets: Any = {name: iter([f"{name}{number}" for number in range(3)]) for name in "abc"}
    assert list(Window(targets, 4, by_item=True)) == ["a0", "b0", "c0", "a1", "b1", "c1", "a2", "b2", "c2"]


def test_item_by_item_a_contestant_whose_calls_hang_still_holds_its_share_alone() -> None:
    targets: Any = {name: iter([f"{name}{number}" for number in range(4)]) for name in "ab"}
    shared = Window(targets, 2, by_item=True)
    hanging, other = iter(shared), iter(shared)
    assert next(hanging) == "a0"
    assert [next(other) for _ in range(4)] == ["b0", "b1", "b2", "b3"]


def test_workers_are_shared_and_a_contestant_whose_calls_hang_holds_its_share_alone() -> None:
    shared = window(a=9, b=3)
    workers: list[Iterator[Any]] = [iter(shared) for _ in range(4)]
    held = [next(worker) for worker in workers]
    assert held == ["a0", "b0", "a1", "b1"]
    of_b = workers[1]
    assert next(of_b) == "b2"
    assert next(of_b) == "a2", "of b there are no more"


def test_each_target_is_worked_on_once() -> None:
    shared = window(a=5, b=0, c=7)
    workers = [iter(shared) for _ in range(4)]
    given: list[Any] = []
    while workers:
        for worker in list(workers):
            target = next(worker, None)
            workers.remove(worker) if target is None else given.append(target)
    assert sorted(given) == sorted([*(f"a{n}" for n in range(5)), *(f"c{n}" for n in range(7))])
