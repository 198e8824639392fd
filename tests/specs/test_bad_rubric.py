"""What a mistake in a spec of the `rubric` protocol is called, and where."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.benchmarks import edit
from support.rubric_benchmark import write_live_rubric

from nullbench_site.errors import SpecError
from nullbench_site.evaluation.backends import backend_names
from nullbench_site.specs.load import load_benchmark

STORAGE, WORDING, BOARD = "domains/storage.yaml", "domains/wording.yaml", "boards/questions.yaml"
MISTAKES = {
    "a check of no type": (
        STORAGE,
        "{type: response-length, max_words: 30}",
        "{max_words: 30}",
        ("storage.yaml:18:13", "missing key 'type'; it is one of: acknowledges-nonexistence, ambiguity-check"),
    ),
    "a check of an unknown type": (
        STORAGE,
        "type: response-length",
        "type: response-lenght",
        ("storage.yaml:18:20", "found the text 'response-lenght'; did you mean 'response-length'?"),
    ),
    "a check with a missing parameter": (
        STORAGE,
        "            position: A copy on the same disk is a backup.\n",
        "",
        ("storage.yaml:25:13", "missing key 'position'"),
    ),
    "a check with a parameter of another": (
        WORDING,
        "{type: reasoning}",
        "{type: reasoning, max_words: 3}",
        ("wording.yaml:19:31", "unknown key 'max_words'"),
    ),
    "a check that looks at nothing": (
        STORAGE,
        "{type: response-length, max_words: 30}",
        "{type: response-length}",
        ("storage.yaml:18:13", "needs at least one of"),
    ),
    "a pattern that is none": (
        STORAGE,
        '["copy .. is .. backup"]',
        '[".."]',
        ("storage.yaml:25:13", "'..' is no pattern"),
    ),
    "an item without an ideal answer": (
        STORAGE,
        "        ideal: No. A copy on the same disk is lost with the disk; a backup stands on other hardware.\n",
        "",
        ("storage.yaml:19:9", "missing key 'ideal'; only private items omit it"),
    ),
    "a hash of a public item": (
        WORDING,
        "        tags: [names]\n",
        f"        hash: sha256:{'0' * 64}\n",
        ("wording.yaml:14:15", "a public item with a hash needs its salt"),
    ),
    "weights that sum to zero": (
        BOARD,
        "{judge: 1, geval: 1}",
        "{judge: 0, geval: 0}",
        ("questions.yaml:13:12", "the weights of judge and geval are both 0"),
    ),
    "a composite of G-Eval alone on a board without it": (
        BOARD,
        "{judge: 1, geval: 1}",
        "{judge: 0, geval: 1}",
        ("questions.yaml:13:20", "only G-Eval has a weight, but the board has no `geval`"),
    ),
    "a negative weight": (
        BOARD,
        "{judge: 1, geval: 1}",
        "{judge: -1, geval: 2}",
        ("questions.yaml:13:20", "found -1; expected at least 0"),
    ),
    "an unknown judge of G-Eval": (
        BOARD,
        "geval: {judge: anna}",
        "geval: {judge: anne}",
        ("questions.yaml:19:20", "unknown judge 'anne'; did you mean 'anna'?"),
    ),
    "a metric twice": (
        BOARD,
        "geval: {judge: anna}",
        "geval: {judge: anna, metrics: [coherence, coherence]}",
        ("questions.yaml:19:47", "metric 'coherence' is listed twice"),
    ),
    "a domain of another protocol": (
        BOARD,
        "protocol: rubric",
        "protocol: rubrik",
        ("questions.yaml:8:11", "found the text 'rubrik'; did you mean 'rubric'?"),
    ),
    "a template, where prompts are asked as they stand": (
        BOARD,
        "panel: rules\n",
        "panel: rules\ntemplate: zero-context\n",
        ("questions.yaml:10:1", "unknown key 'template'"),
    ),
}


@pytest.mark.parametrize(("file", "old", "new", "said"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_named_once_at_its_place(
    tmp_path: Path, file: str, old: str, new: str, said: tuple[str, str]
) -> None:
    specs = write_live_rubric(tmp_path)
    edit(specs, file, old, new)
    with pytest.raises(SpecError) as refused:
        load_benchmark(specs)
    (problem,) = refused.value.problems
    assert said[0] in str(problem)
    assert said[1] in str(problem)


REPEATS = {
    "a criterion that stands twice": (
        STORAGE,
        "[Corrects the claim, Says what a backup needs]",
        "[Corrects the claim, Says what a backup needs, Corrects the claim]",
        ("storage.yaml:23:66", "duplicate criterion; change or remove it"),
    ),
    "a check that stands twice": (
        STORAGE,
        "          - {type: response-length, max_words: 30}\n",
        "          - {type: response-length, max_words: 30}\n          - {max_words: 30, type: response-length}\n",
        ("storage.yaml:19:13", "duplicate check; change or remove it"),
    ),
    "a prompt that is asked twice": (
        STORAGE,
        "prompt: A copy of a folder on the same disk is a backup, so I need no other one, right?",
        'prompt: "Is a file of zero bytes stored in no blocks at all? Answer in at most 30 words."',
        ("storage.yaml:19:13", "'storage-02' has the same prompt as 'storage-01' at specs/domains/storage.yaml:12"),
    ),
    "an ideal answer that ends at a #": (
        STORAGE,
        "lost with the disk; a backup stands on other hardware.",
        "lost with the disk # a backup is not.",
        ("storage.yaml:22:16", "the text ends at ' #', where a comment begins"),
    ),
    "a claim of a check that ends at a #": (
        STORAGE,
        "position: A copy on the same disk is a backup.",
        "position: A copy on disk #1 is a backup.",
        ("storage.yaml:26:23", "the text ends at ' #', where a comment begins"),
    ),
}


@pytest.mark.parametrize(("file", "old", "new", "said"), REPEATS.values(), ids=REPEATS)
def test_what_is_refused_of_new_specs_is_named_once_and_passes_in_an_old_run(
    tmp_path: Path, file: str, old: str, new: str, said: tuple[str, str]
) -> None:
    specs = write_live_rubric(tmp_path)
    edit(specs, file, old, new)
    load_benchmark(specs)
    with pytest.raises(SpecError) as refused:
        load_benchmark(specs, backends=backend_names())
    (problem,) = refused.value.problems
    assert said[0] in str(problem)
    assert said[1] in str(problem)


def test_an_axes_board_cannot_take_the_domains_of_a_rubric_board(tmp_path: Path) -> None:
    from support.benchmarks import write_small_benchmark

    specs, other = write_small_benchmark(tmp_path / "a"), write_live_rubric(tmp_path / "b")
    (specs / "domains/storage.yaml").write_text((other / "domains/storage.yaml").read_text())
    edit(specs, "boards/small.yaml", "[gardens, rivers]", "[gardens, rivers, storage]")
    with pytest.raises(SpecError, match="domain 'storage' has protocol 'rubric', but this board has 'axes'"):
        load_benchmark(specs)


def test_a_program_that_reads_sources_cannot_stand_on_a_board_of_prompts(tmp_path: Path) -> None:
    specs = write_live_rubric(tmp_path)
    edit(specs, "models/copy.yaml", "model: copy", "model: task-aware")
    with pytest.raises(SpecError, match=r"questions\.yaml:12:15: program 'task-aware' of 'copy' does not support"):
        load_benchmark(specs, backends=backend_names())


def test_a_judge_of_axes_cannot_sit_in_the_panel_of_a_board_of_prompts(tmp_path: Path) -> None:
    specs = write_live_rubric(tmp_path)
    edit(specs, "judges.yaml", "model: coverage", "model: support")
    with pytest.raises(SpecError, match="program 'support' of judge 'coverage' does not support"):
        load_benchmark(specs, backends=backend_names())


def test_geval_cannot_ask_a_program(tmp_path: Path) -> None:
    specs = write_live_rubric(tmp_path)
    edit(specs, "boards/questions.yaml", "geval: {judge: anna}", "geval: {judge: coverage}")
    with pytest.raises(SpecError, match="does not support G-Eval; choose a judge at an endpoint"):
        load_benchmark(specs, backends=backend_names())
