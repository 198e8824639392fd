"""The values of responses by short questions in a study, by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.boards import verdict
from support.questioned import questioned as board_of_questions

from nullbench_site.audit.question_results import questioned
from nullbench_site.runs.records import Judgment
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.load import load_benchmark

ITEM = "wording-02"


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """The second criterion of the item is a prohibition."""
    folder: Path = tmp_path_factory.mktemp("questions")
    board_of_questions(folder, prohibitions={ITEM: [2]})
    return load_benchmark(folder / "specs")


def records(**given: dict[int | str, float | None]) -> list[Judgment]:
    """A judgment for each case and question: the number of a criterion, or the name of another question."""
    return [
        verdict(
            "asker", ITEM, case.replace("_", "-"), {} if yes is None else {"yes": yes}, board="questions",
            judge_template=f"question.{f'criterion-{question}' if isinstance(question, int) else question}",
            state="unparsed" if yes is None else "scored",
        )
        for case, answers in given.items()
        for question, yes in answers.items()
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("answers", "empty", "value"),
    [
        ({1: 0.7, 2: 1.0}, {1: 0.4, 2: 0.95}, (0.5, 0.7, 1.0)),
        ({1: 0.7, 2: 0.5}, {1: 0.4, 2: 0.95}, (0.25, 0.35, 1.0)),
        ({1: 0.3, 2: 1.0}, {1: 0.4, 2: 0.95}, (0.0, 0.3, 0.0)),
        ({1: 0.7, 2: 0.2}, {1: 0.4, 2: 0.95}, (0.1, 0.14, 0.0)),
        ({1: 0.7, 2: None}, {1: 0.4, 2: 0.95}, (None, None, None)),
        ({1: 0.99, 2: 1.0}, {1: 0.95, 2: 0.95}, (None, None, None)),
        ({1: 0.99, 2: 1.0}, {1: None, 2: 0.95}, (None, 0.99, 1.0)),
        ({1: 0.7, 2: 1.0, "contradiction": 0.9}, {1: 0.4, 2: 0.9, "contradiction": 0.1}, (0.5, 0.7, 1.0)),
    ],
)
def test_the_value_of_a_response_is_the_mean_of_requirements_times_that_of_prohibitions(
    benchmark: Benchmark, answers: Any, empty: Any, value: tuple[float | None, ...]
) -> None:
    given = questioned(benchmark, "rubric", records(right=answers, control_empty=empty))
    found = [given.values[kind]["right", ITEM] for kind in ("relative", "raw", "yes-no")]
    assert found == [each if each is None else pytest.approx(each) for each in value]


def test_questions_that_the_empty_response_passes_are_counted_without_prohibitions(benchmark: Benchmark) -> None:
    given = questioned(benchmark, "rubric", records(right={1: 0.9, 2: 0.9}, control_empty={1: 0.91, 2: 0.99}))
    assert (given.n_questions[ITEM], given.n_unanswerable[ITEM]) == (1, 1)
