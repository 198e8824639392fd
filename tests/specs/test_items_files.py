"""Items in a .jsonl file beside their domain: an item a line, with the places and the rules of those in YAML."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.benchmarks import BACKENDS, edit, write_benchmark

from nullbench_site.errors import SpecError
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.load import load_benchmark

EEL: dict[str, Any] = {
    "id": "fish-03",
    "difficulty": "hard",
    "probes": ["clarity"],
    "source": "Traps at Ferry Mill held 4 eels in October. Two traps were lost in a flood.",
    "task": "Say in one sentence what was caught.",
    "facts": [
        {"kind": "scope", "text": "Traps stood at Ferry Mill.", "keys": ["Ferry Mill"]},
        {"kind": "caveat", "text": "Two traps were lost.", "keys": ["lost"]},
    ],
}
PERCH = {**EEL, "id": "fish-04", "task": "Say in one sentence what the traps held."}


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    """The small benchmark, with a place for more items of the category fish."""
    specs = write_benchmark(tmp_path)
    edit(specs, "domains/rivers.yaml", "    goal: fish\n", "    goal: fish\n    items_file: fish.jsonl\n")
    return specs


def loaded(specs: Path, raw: str | bytes) -> Benchmark:
    (specs / "domains/fish.jsonl").write_bytes(raw.encode() if isinstance(raw, str) else raw)
    return load_benchmark(specs, backends=BACKENDS)


def said(specs: Path, raw: str | bytes) -> list[str]:
    with pytest.raises(SpecError) as refused:
        loaded(specs, raw)
    return [str(problem).removeprefix("specs/domains/") for problem in refused.value.problems]


def items(benchmark: Benchmark) -> list[str]:
    return [item.id for item in benchmark.domains["rivers"].categories[1].items]


def test_lines_come_after_the_items_of_the_yaml_file(specs: Path) -> None:
    benchmark = loaded(specs, f"{json.dumps(EEL)}\n{json.dumps(PERCH)}\n")
    assert items(benchmark) == ["fish-01", "fish-02", "fish-03", "fish-04"]
    assert benchmark.domains["rivers"].categories[1].items[2].facts[1].keys == ("lost",)


def test_an_item_that_asks_the_same_as_another_is_refused_wherever_both_stand(specs: Path) -> None:
    same = {**EEL, "id": "fish-05", "task": f" {EEL['task']}", "difficulty": "hard"}
    message = "'fish-05' has the same prompt as 'fish-03' at specs/domains/fish.jsonl:1"
    assert said(specs, f"{json.dumps(EEL)}\n{json.dumps(PERCH)}\n{json.dumps(same)}\n") == [
        f"fish.jsonl:3:1: id: {message}; change or remove one"
    ]


def test_a_category_may_have_all_its_items_in_lines(specs: Path) -> None:
    text = (specs / "domains/rivers.yaml").read_text()
    (specs / "domains/rivers.yaml").write_text(text[: text.index("    items:\n      - id: fish-01")])
    probing_all = {**EEL, "probes": ["truthfulness", "neutrality", "reasoning", "clarity"]}
    assert items(loaded(specs, json.dumps(probing_all))) == ["fish-03"]
    assert items(loaded(specs, "\n\n")) == [], "a new category waits for its items"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n", "\r\n \r\n"])
def test_line_ends_and_empty_lines_are_nothing(specs: Path, end: str) -> None:
    assert items(loaded(specs, end + json.dumps(EEL) + end + json.dumps(PERCH) + end))[2:] == ["fish-03", "fish-04"]


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": "), (" ,\t", " :\t")])
def test_json_may_be_written_tightly_or_loosely(specs: Path, separators: tuple[str, str]) -> None:
    assert items(loaded(specs, json.dumps(EEL, separators=separators)))[2:] == ["fish-03"]


def test_json_s_own_escapes_are_read(specs: Path) -> None:
    line = json.dumps({**EEL, "task": 'Say "was / ist" – über Fische.'}).replace("/", r"\/")
    assert r"\/" in line
    assert r"\u00fc" in line
    task = loaded(specs, line).domains["rivers"].categories[1].items[2].task
    assert task == 'Say "was / ist" – über Fische.'


UNKNOWN_KEY = (
    "unknown key 'ID'; did you mean 'id'? known: constraints, difficulty, facts, goal, hash, id, probes, salt, "
    "source, tags, task, visibility"
)
WRONG_ID = (
    "id: '../x' has the wrong form. Lower-case letters, digits, dots, underscores and hyphens; starts with a letter "
    "or digit"
)
TAKEN = "id: duplicate item id '{}', already used at specs/domains/{}"
NO_JSON = "invalid JSON: {}; write one JSON object a line"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"hard"', '"harder"', "difficulty: found the text 'harder'; did you mean 'hard'? known: easy, hard, medium"),
        ('"id":', '"ID": 1, "id":', UNKNOWN_KEY),
        ('{"id": "fish-03", ', "{", "missing key 'id'"),
        ('"fish-03"', '"../x"', WRONG_ID),
        (
            '["clarity"]', "[]",
            "probes: the list has 0 entries; expected at least 1. The axes of the category that this item tests hard",
        ),
        ('"id":', '"goal": "salmon", "id":', "goal: unknown goal 'salmon'; known: fish, growing, levels"),
        (
            '["clarity"]', '["clarity", "compression"]',
            "probes[1]: 'compression' is not an axis of category 'fish'; known: clarity, neutrality, reasoning, "
            "truthfulness",
        ),
        (
            '"Two traps were lost.", "keys": ["lost"]', '"Zwölf Aale 🐟", "keys": ["lost", "cod"]',
            "facts[1].keys[1]: the source does not contain 'cod'; copy keys from the source",
        ),
        (
            '"Say in one sentence what was caught."', '"Who lost what?"',
            "task: the task reveals fact 'Two traps were lost.'; rephrase it without the fact's keys",
        ),
        ('"fish-03"', '"fish-01"', TAKEN.format("fish-01", "rivers.yaml:48")),
        ('"fish-03"', '"fish-04"', TAKEN.format("fish-04", "fish.jsonl:1")),
        (
            '"fish-03"', '"fish-03", "constraints": {"min_words": 9, "max_words": 3}',
            "constraints: min_words 9 is greater than max_words 3",
        ),
        (
            '["lost"]}]', '["lost"], "a\\nb": {}}]',
            "facts[1]: unknown key 'a\\nb'; known: keys, kind, text",
        ),
        ('"fish-03"', '"fish-03", "id": "fish-05"', "duplicate key 'id'; keep one"),
        ('"hard"', "9007199254740993", "the number '9007199254740993' is too large; quote it if it is text"),
        ('"hard"', "1e999", "the number '1e999' is too large; quote it if it is text"),
        ('"hard"', "NaN", "NaN is not a number; quote it if it is text"),
        ('"hard"', "012", NO_JSON.format("Expecting ',' delimiter at character 34")),
        ('["lost"]}]}', '["lost"]}]', NO_JSON.format("Expecting ',' delimiter at character 361")),
        ('["lost"]}]}', '["lost', NO_JSON.format("Unterminated string starting at character 352")),
        ('"hard"', "[" * 900 + "]" * 900, "difficulty: values are nested more than 40 deep"),
        ('"hard"', r'"a\u0007"', "difficulty: control character U+0007; remove it"),
        ('"hard"', r'"\ud800"', "difficulty: control character U+D800; remove it"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_line_is_named_by_line_and_key(specs: Path, old: str, new: str, message: str) -> None:
    line = json.dumps(EEL)
    assert line.count(old) == 1
    assert said(specs, f"{json.dumps(PERCH)}\n{line.replace(old, new)}\n") == [f"fish.jsonl:2:1: {message}"]


def test_mistakes_in_several_lines_are_told_together(specs: Path) -> None:
    lines = [
        json.dumps(EEL),
        json.dumps({**EEL, "id": "../x"}),
        "[1, 2]",
        '"text"',
        "# comment",
        '{"id": "x',
        json.dumps({**EEL, "task": "a\u2028b"}, ensure_ascii=False),
        json.dumps({**EEL, "task": "sk-" + "a1" * 12}),
    ]
    kind = "expected a mapping of keys"
    found = said(specs, "\n".join(lines) + "\n")
    assert [problem.split(";")[0] for problem in found] == [
        "fish.jsonl:2:1: id: '../x' has the wrong form. Lower-case letters, digits, dots, underscores and hyphens",
        "fish.jsonl:3:1: found a list",
        "fish.jsonl:4:1: found the text 'text'",
        "fish.jsonl:5:1: invalid JSON: Expecting value at character 1",
        "fish.jsonl:6:1: invalid JSON: Unterminated string starting at character 8",
        f"fish.jsonl:7:{lines[6].index(chr(0x2028)) + 1}: invisible character U+2028",
        f"fish.jsonl:8:{lines[7].index('sk-') + 1}: this looks like an API key",
    ]
    assert found[1].endswith(kind)


def test_a_line_of_another_encoding_is_refused_at_its_byte(specs: Path) -> None:
    raw = (
        json.dumps(EEL).encode() + b"\n" + json.dumps({**PERCH, "id": "f\u00fc"}, ensure_ascii=False).encode("latin-1")
    )
    assert said(specs, raw) == ["fish.jsonl:2:10: byte 0xfc is not UTF-8; save the file with the encoding UTF-8"]


def test_a_line_of_ten_megabytes_is_refused_and_a_file_of_many_lines_is_not(specs: Path) -> None:
    long = json.dumps({**EEL, "task": "x" * 10_485_760})
    assert said(specs, f"{json.dumps(PERCH)}\n{long}\n") == [
        "fish.jsonl:2:1: the line has more than 4 MB; split it, or keep the items in a .jsonl file, one a line"
    ]
    source = EEL["source"] + " x" * 9_900
    many = [json.dumps({**EEL, "id": f"fish-1{n}", "source": f"{n} {source}"}) for n in range(250)]
    text = "\n".join(many)
    assert len(text) > 4 * 1_048_576
    assert len(items(loaded(specs, text))) == 252


def test_one_items_file_for_two_categories_says_so_of_each_item(specs: Path) -> None:
    edit(specs, "domains/rivers.yaml", "    goal: levels\n", "    goal: levels\n    items_file: fish.jsonl\n")
    assert said(specs, json.dumps(EEL)) == [
        "fish.jsonl:1:1: id: duplicate item id 'fish-03', already used at specs/domains/fish.jsonl:1"
    ]
