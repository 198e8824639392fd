"""No check takes more than linear time: four times the text takes about four times the steps.

Steps are lines of Python that are executed, so that no clock decides. What regular expressions and other functions in C
do in between is kept linear by the texts of a megabyte in test_hostile, which would not end otherwise.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from checks.examples import run_check

from benchmarks.checks import PARAMS, SHAPES
from nullbench_site.checks import Check
from nullbench_site.checks.registry import AUTOMATIC

SMALL, LARGE = 1_500, 6_000
ALLOWED = 4.4
# Steps that do not depend on the length: choosing the check, making flags.
CONSTANT = 400


def steps(work: Callable[[], object]) -> int:
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
@pytest.mark.parametrize("params", PARAMS, ids=lambda params: params.__struct_config__.tag)
def test_the_steps_of_a_check_grow_no_faster_than_the_text(params: Check, shape: Any) -> None:
    run_check(shape(LARGE), params)  # compiles the patterns, and meets each character once
    small = steps(lambda: run_check(shape(SMALL), params))
    assert steps(lambda: run_check(shape(LARGE), params)) <= ALLOWED * small + CONSTANT


def test_every_check_is_measured() -> None:
    assert {params.type_id() for params in PARAMS} == set(AUTOMATIC)


def test_steps_that_grow_with_the_square_are_seen() -> None:
    def square(size: int) -> None:
        for one in range(size):
            for _ in range(one):
                pass

    assert steps(lambda: square(400)) > ALLOWED * steps(lambda: square(100)) + CONSTANT
