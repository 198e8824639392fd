"""Items of an `oracle` board about texts that their domain lists."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.benchmarks import edit, write_benchmark
from support.oracle_boards import benchmark, category, domain, marked, prompt, scored

from nullbench_site.errors import SpecError, UsageError
from nullbench_site.evaluation.backends import backend_names
from nullbench_site.judging.calls import Prompt
from nullbench_site.protocols.oracle.judging import JUDGING, asked
from nullbench_site.specs.load import load_benchmark
from nullbench_site.visibility import hide

TEXT = "Two dozen eggs are in the box."
COUNTING = "domains/counting.yaml"
SALT = "0" * 32
BOARD = benchmark(
    domain(
        "facts",
        category(
            "eggs", prompt("a", source="box"), prompt("b", "pair", source="box"), prompt("c", "pair", source="box")
        ),
        category("others", "d", "e"),
        sources={"box": TEXT},
    )
)


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    specs = write_benchmark(tmp_path, "oracle")
    edit(specs, COUNTING, "protocol: oracle\n", f"protocol: oracle\nsources: {{box: {TEXT}}}\n")
    for item in ("counting-04", "counting-07"):
        edit(specs, COUNTING, f"id: {item}\n", f"id: {item}\n        source: box\n")
    return specs


def test_models_get_the_source_before_the_prompt_and_programs_get_both_fields() -> None:
    (board,) = BOARD.boards.values()
    prompts = {placed.id: JUDGING.prompt(BOARD, board, placed) for placed in BOARD.items(board)}
    assert prompts["a"] == Prompt(f"{TEXT}\n\nIs it a?", {"prompt": "Is it a?", "source": TEXT})
    assert prompts["d"] == Prompt("Is it d?", {"prompt": "Is it d?"})


def test_numbers_of_the_source_are_not_set_aside_from_an_answer() -> None:
    (board,) = BOARD.boards.values()
    questions = {placed.id: asked(placed) for placed in BOARD.items(board)}
    assert (questions["a"], questions["d"]) == ("Is it a?", "Is it d?")


def test_items_about_one_text_are_one_cluster_with_their_bundles_inside_it() -> None:
    """Clusters box: 3 - 3 * 3/5 = 1.2, d and e: -0.6; sqrt(3/2 * 2.16) / 5 = 0.36."""
    marks = {**dict.fromkeys("abc", "correct"), "d": "wrong", "e": "wrong"}
    results = scored(BOARD, marked(marks))  # type: ignore[arg-type]
    (row,) = results.leaderboard
    assert (row.overall, row.se, row.df) == (60.0, pytest.approx(36.0), 2.0)
    assert (results.n_bundles, row.contrast_consistency) == (1, 1.0)


def test_one_question_may_be_asked_about_two_texts(specs: Path) -> None:
    edit(specs, COUNTING, f"{{box: {TEXT}}}", f"{{box: {TEXT}, bag: One egg is in the bag.}}")
    edit(specs, COUNTING, "id: counting-06\n", "id: counting-08\n        source: bag\n")
    edit(specs, COUNTING, "bundle: dozens\n        prompt: How many dozen are 36?", "prompt: How many?")
    edit(
        specs,
        COUNTING,
        "bundle: dozens\n        prompt: How many are 3 dozen?",
        "source: box\n        prompt: How many?",
    )
    assert load_benchmark(specs, backends=backend_names()).about.id == "small-oracle"


def test_a_source_is_published_so_private_items_have_none(specs: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'counting-04' has a 'source', which names a published text"):
        hide(specs, tmp_path / "private", "counting", ["counting-04"])
    prompt_and_key = """prompt: |-
          Which number is the smallest?
          A) 12
          B) 21
        key: {type: multiple-choice, options: {A: "12", B: "21"}, correct: [A]}"""
    edit(specs, COUNTING, prompt_and_key, f"visibility: private\n        hash: 'sha256:{64 * '0'}'")
    with pytest.raises(
        SpecError, match=r"counting\.yaml:\d+:17: a private item has no 'source', which names a published"
    ):
        load_benchmark(specs, backends=backend_names())
