"""What a mistake in a spec of the `oracle` protocol is called, and where."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.benchmarks import edit
from support.oracle_benchmark import write_small_oracle

from nullbench_site.errors import SpecError
from nullbench_site.evaluation.backends import backend_names
from nullbench_site.specs.load import load_benchmark

COUNTING, NAMING, BOARD = "domains/counting.yaml", "domains/naming.yaml", "boards/keys.yaml"
DOZENS = "prompt: How many are 3 dozen?"
MISTAKES = {
    "a prompt beside turns": (
        COUNTING, DOZENS, f"{DOZENS}\n        turns: [Name a number., Another.]",
        ("counting.yaml:52:17", "`turns` replaces `prompt`"),
    ),
    "a single turn": (
        COUNTING, DOZENS, "turns: [How many are 3 dozen?]",
        ("counting.yaml:52:16", "the list has 1 entry; expected at least 2"),
    ),
    "neither prompt nor turns": (
        COUNTING, DOZENS, "tags: [few]", ("counting.yaml:49:9", "missing key 'prompt'; only private items omit it"),
    ),
    "how many turns a public item has": (
        COUNTING, DOZENS, "turns: 2", ("counting.yaml:52:16", "found the number 2; a public item lists its turns"),
    ),
    "a key of no type": (
        COUNTING, "{type: numeric, value: 36}", "{value: 36}",
        ("counting.yaml:53:14", "missing key 'type'; it is one of: exact, json-schema"),
    ),
    "a key of an unknown type": (
        COUNTING, "{type: numeric, value: 36}", "{type: numerical, value: 36}",
        ("counting.yaml:53:21", "found the text 'numerical'; did you mean 'numeric'?"),
    ),
    "a key with a parameter of another": (
        NAMING, "accepted: [Z]", "accepted: [Z], tolerance: 1",
        ("naming.yaml:21:43", "unknown key 'tolerance'"),
    ),
    "a right option that is none": (
        COUNTING, 'B: "6"}, correct: [A]', 'B: "6"}, correct: [C]',
        ("counting.yaml:37:14", "correct names C, but the options are A, B"),
    ),
    "no right option": (
        COUNTING, 'B: "6"}, correct: [A]', 'B: "6"}, correct: []',
        ("counting.yaml:37:74", "the list has 0 entries; expected at least 1"),
    ),
    "a negative tolerance": (
        COUNTING, "tolerance: 0.1", "tolerance: -0.1", ("counting.yaml:62:53", "found -0.1; expected at least 0"),
    ),
    "an accepted answer of several lines": (
        NAMING, "accepted: [Z]", 'accepted: ["Z\\nZ"]', ("naming.yaml:21:14", "an accepted answer has several lines"),
    ),
    "a regular expression that is none": (
        NAMING, '"[A-Z]{2}"', '"[A-Z{2}"',
        ("naming.yaml:33:14", "'[A-Z{2}' is not a regular expression of RE2: missing ]: [A-Z{2}"),
    ),
    "a regular expression that goes back": (
        NAMING, '"[A-Z]{2}"', '"([A-Z])\\\\1"',
        ("naming.yaml:33:14", "is not a regular expression of RE2: invalid escape sequence: \\1"),
    ),
    "a schema with a keyword that checks nothing": (
        NAMING, "minItems: 2", "minItem: 2",
        ("naming.yaml:44:11", "the keyword 'minItem' is not evaluated here; did you mean 'minItems'?"),
    ),
    "a schema that is none": (
        NAMING, "n: {type: integer}", "n: {type: whole}",
        ("naming.yaml:38:11", "schema.properties.n.type: 'whole' is not one of"),
    ),
    "a schema that refers to another host": (
        NAMING, "n: {type: integer}", 'n: {$ref: "https://example.org/n.json"}',
        ("naming.yaml:38:11", "is neither '#' nor '#/$defs/NAME'"),
    ),
    "an item without a key": (
        COUNTING, "        key: {type: numeric, value: 36}\n", "",
        ("counting.yaml:49:9", "missing key 'key'; only private items omit it"),
    ),
    "an item without a prompt": (
        COUNTING, "        prompt: How many are 3 dozen?\n", "", ("counting.yaml:49:9", "missing key 'prompt'"),
    ),
    "a bundle of one item": (
        NAMING, "        bundle: letters\n        prompt: Which letter stands last",
        "        prompt: Which letter stands last",
        ("naming.yaml:14:17", "bundle 'letters' has only this item"),
    ),
    "a bundle in two categories": (
        NAMING, "      - id: naming-03\n", "      - id: naming-03\n        bundle: letters\n",
        ("naming.yaml:27:17", "already used in category 'naming-words' at specs/domains/naming.yaml:14"),
    ),
    "a bundle of another file": (
        NAMING, "      - id: naming-03\n", "      - id: naming-03\n        bundle: dozens\n",
        ("naming.yaml:27:17", "already used in category 'counting-given' at specs/domains/counting.yaml:51"),
    ),
    "a panel, where no judge has a part": (
        BOARD, "protocol: oracle\n", "protocol: oracle\npanel: rules\n", ("keys.yaml:9:1", "unknown key 'panel'"),
    ),
    "a panel in a profile": (
        BOARD, "protocol: oracle\n", "protocol: oracle\nprofiles: {live: {panel: rules}}\n",
        ("keys.yaml:9:19", "unknown key 'panel'"),
    ),
    "an ideal answer, which a key is not": (
        COUNTING, "        prompt: How many are 3 dozen?\n",
        '        prompt: How many are 3 dozen?\n        ideal: "36"\n',
        ("counting.yaml:53:9", "unknown key 'ideal'"),
    ),
    "a hash of a public item": (
        COUNTING, "        prompt: How many are 3 dozen?\n",
        f"        prompt: How many are 3 dozen?\n        hash: sha256:{'0' * 64}\n",
        ("counting.yaml:53:15", "a public item with a hash needs its salt"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("file", "old", "new", "said"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_named_once_at_its_place(
    tmp_path: Path, file: str, old: str, new: str, said: tuple[str, str]
) -> None:
    specs = write_small_oracle(tmp_path)
    edit(specs, file, old, new)
    with pytest.raises(SpecError) as refused:
        load_benchmark(specs)
    (problem,) = refused.value.problems
    assert said[0] in str(problem)
    assert said[1] in str(problem)


def test_a_conversation_is_asked_once(tmp_path: Path) -> None:
    specs = write_small_oracle(tmp_path)
    edit(specs, COUNTING, DOZENS, "turns: [How many?, Why?]")
    edit(specs, COUNTING, "prompt: How many dozen are 36?", 'turns: ["How many? ", Why?]')
    with pytest.raises(SpecError, match=r"counting\.yaml:54:13: 'counting-06' has the same prompt as 'counting-05'"):
        load_benchmark(specs, backends=backend_names())


def test_a_program_that_reads_sources_cannot_stand_on_a_board_of_keys(tmp_path: Path) -> None:
    specs = write_small_oracle(tmp_path)
    edit(specs, "models/copy.yaml", "model: copy", "model: task-aware")
    with pytest.raises(SpecError, match=r"keys\.yaml:10:15: program 'task-aware' of 'copy' does not support"):
        load_benchmark(specs, backends=backend_names())


def test_that_all_include_programs_of_other_protocols_is_said_once_with_what_to_do(tmp_path: Path) -> None:
    specs = write_small_oracle(tmp_path)
    edit(specs, "models/copy.yaml", "model: copy", "model: task-aware")
    edit(specs, BOARD, "contestants: [copy, first-option, null-constant, null-empty]\n", "")
    with pytest.raises(SpecError) as refused:
        load_benchmark(specs, backends=backend_names())
    assert [str(problem) for problem in refused.value.problems] == [
        "specs/boards/keys.yaml:2:1: all contestants, the default, include programs that do not support 'oracle': "
        "copy; list this board's contestants in `contestants`"
    ]


@pytest.mark.parametrize("stranger", ["axes.yaml", "judges.yaml", "goals/any.yaml"])
def test_a_file_that_no_board_of_keys_reads_is_named(tmp_path: Path, stranger: str) -> None:
    specs = write_small_oracle(tmp_path)
    (specs / stranger).parent.mkdir(exist_ok=True)
    (specs / stranger).write_text("canary: x\n", "utf-8")
    with pytest.raises(SpecError, match="nothing reads this file"):
        load_benchmark(specs)


def test_a_benchmark_of_keys_alone_has_no_axes_judges_goals_or_templates(tmp_path: Path) -> None:
    benchmark = load_benchmark(write_small_oracle(tmp_path), backends=backend_names())
    assert benchmark.own == {"axes": {"axes": None, "goals": {}}}
    assert (benchmark.judges, benchmark.panels, benchmark.templates) == ({}, {}, {})
    assert len(list(benchmark.items(benchmark.boards["keys"]))) == 13


@pytest.mark.parametrize(("old", "new"), [("canary: ", "xcanary: "), ("protocol: ", "[protocol: ")])
def test_files_of_other_protocols_are_not_asked_for_where_every_file_has_a_mistake(
    tmp_path: Path, old: str, new: str
) -> None:
    """A key that nobody knows, and no YAML."""
    specs = write_small_oracle(tmp_path)
    spoiled = [*(specs / "domains").glob("*.yaml"), *(specs / "boards").glob("*.yaml")]
    for path in spoiled:
        edit(specs, path.relative_to(specs).as_posix(), old, new)
    with pytest.raises(SpecError) as refused:
        load_benchmark(specs)
    assert {problem.file for problem in refused.value.problems} == {
        f"specs/{path.relative_to(specs)}" for path in spoiled
    }
