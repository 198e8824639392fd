"""`init --from`: a table of questions becomes items, or each problem is named with its line."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.commands import nullbench
from support.replay import replaying

from nullbench_site import api
from nullbench_site.errors import UsageError
from nullbench_site.extensions import registered
from nullbench_site.interop.importer import ImportRefused
from nullbench_site.interop.questions import read_questions
from nullbench_site.repository import Repository
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.protocol import specs_of

TRICKY = 'Line one\n\n# no comment: {{ task }} "quoted", café #1 - {x}'


def table(folder: Path, *rows: Sequence[str]) -> Path:
    path = folder / "q.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def refused(path: Path, protocol: str = "oracle", columns: Mapping[str, str] | None = None) -> list[str]:
    with pytest.raises((UsageError, ImportRefused)) as caught:
        read_questions(path, protocol, columns or {}, "q")
    return [line.replace(f"{path}", "q.csv") for line in str(caught.value).splitlines()]


def test_a_table_becomes_a_valid_board_and_the_columns_are_reported(tmp_path: Path) -> None:
    table(
        tmp_path,
        ("No", "Topic", "Question", "Answer", "Notes"),
        ("1", "Asia", TRICKY, "Astana|Nur-Sultan", "x"),
        ("2", "", "How many?", "4.5", ""),
    )
    done = nullbench(tmp_path, "init", "capitals", "--protocol", "oracle", "--from", "q.csv", "--column", "id=No")
    assert done.code == 0, done.err
    assert done.err.splitlines()[:3] == [
        "Columns: id from 'No', category from 'Topic', prompt from 'Question', answer from 'Answer'",
        "Not used: 'Notes'",
        "No column has the difficulty: every item is 'medium'",
    ]
    benchmark = api.validate(Repository(tmp_path / "capitals"))
    first, second = benchmark.domains["capitals"].categories
    assert (first.title, first.id, second.id) == ("Asia", "capitals-asia", "capitals-other")
    items: Any = (*first.items, *second.items)
    assert [(item.id, item.prompt) for item in items] == [("1", TRICKY), ("2", "How many?")]
    assert [type(item.key).__name__ for item in items] == ["Exact", "Numeric"]


ROWS: Mapping[str, Mapping[str, Any]] = {
    "axes": {"text": "It rained in Rome for ten days.", "task": "Retell it.", "facts": ["Rome", "ten days|10 days"]},
    "rubric": {"prompt": "Why?", "ideal": "Because.", "criteria": "Says why|Is short"},
    "oracle": {"question": "Which?", "choices": ["this", "that"], "answer": "that", "level": "Hard"},
    "pairwise": {"instruction": "Why?", "output": "Because."},
    "graded": {"input": "Why?", "expected": "Because."},
    "scores": {"model": "a", "x": 0.5, "y": 1},
}


@pytest.mark.parametrize("protocol", [name for name in registered("protocols") if specs_of(name).starter])
def test_a_new_repository_of_any_protocol_has_no_problem(tmp_path: Path, protocol: str) -> None:
    """With examples, with a file's items, and without either."""
    source = tmp_path / "q.jsonl"
    rows = [ROWS[protocol], {**ROWS[protocol], "model": "b"}][: 2 if protocol == "scores" else 1]
    source.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    for name, options in {"shown": {}, "own": {"source": source}, "bare": {"empty": True}}.items():
        api.init(tmp_path / name, protocol=protocol, **options)  # type: ignore[arg-type]
        benchmark = load_benchmark(tmp_path / name / "specs")
        assert benchmark.warnings == ()
        counts = [bool(benchmark.domains.values()), bool(benchmark.models)]
        assert counts == {"shown": [True, True], "own": [True, True], "bare": [protocol != "scores", False]}[name]
        assert {board.protocol for board in benchmark.boards.values()} <= {protocol}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("id", "Frage", "answer"), ("1", "Was?", "x")],
         "q.csv: no column for 'prompt' (the prompt); the columns are 'id', 'Frage', 'answer'. "
         "Name it with --column prompt=NAME"),
        ([("question", "input", "answer"), ("Was?", "Wer?", "x")],
         "q.csv: 'question' and 'input' may all be the column 'prompt'; choose one with --column prompt=question"),
        ([("prompt", "prompt", "answer"), ("Was?", "Wer?", "x")],
         "q.csv:1: two columns are called 'prompt'; rename or remove one"),
        ([("prompt", "answer")], "q.csv:1: the table has no row; write a row for each question"),
    ],
)  # fmt: skip
def test_columns_that_are_missing_or_twice(tmp_path: Path, rows: Sequence[Sequence[str]], message: str) -> None:
    assert refused(table(tmp_path, *rows))[0] == message


def test_every_row_with_a_problem_is_named(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        ("id", "prompt", "answer", "level"),
        ("a", "One?", "1", "easy"),
        ("a", "Two?", "2", "easy"),
        ("Human/0", "Three?", "3", "easy"),
        ("", "Four?", "4", "easy"),
        ("b", "", "5", "easy"),
        ("c", "One?", "6", "schwer"),
        ("d", "x" * 100_000, "7", "easy"),
        ("e", "a\x07b", "8", "easy"),
    )
    assert refused(path) == [
        "q.csv:3: id 'a' is that of line 2 too; change one",
        "q.csv:4: 'Human/0' is no id; write 'human-0', or number the items with --column id=",
        "q.csv:5: no id; fill in the cell, or delete the row",
        "q.csv:6: no prompt; fill in the cell, or delete the row",
        "q.csv:7: found the difficulty 'schwer'; write easy, medium or hard, or leave the column out with "
        "--column difficulty=",
        "q.csv:7: the same prompt as in line 2; change or remove one",
        "q.csv:8: prompt: the text has 100000 characters; at most 20000 are allowed",
        "q.csv:9: prompt: control character U+0007; remove it",
        "8 problems; nothing was written. Fix the file and run the command again",
    ]


PROMPTS: Mapping[str, str] = {
    "line-breaks": "First line\n\n  third line\n\tfourth line",
    "comment": " # not a comment: What follows #1 - {x}?".strip(),
    "braces": "{{ prompt }} {% raw %} ${HOME} {0} %(name)s",
    "yaml": "- key: [a, 'b', \"c\"] & *alias ! | > @ `d`",
    "markup": "<script>alert(1)</script> **bold** | cell | café \u202fé",
    "longest": "word " * 3_999 + "end?",
}


def test_any_prompt_reaches_the_model_and_the_page_unchanged(tmp_path: Path) -> None:
    """From a table and from `add item`: the model is right only about a prompt that it gets word for word."""
    first, *others = PROMPTS.items()
    table(tmp_path, ("id", "prompt", "answer"), *((*each, "yes") for each in others))
    with replaying(["m"], dict.fromkeys(PROMPTS.values(), "yes"), other="no") as url:
        for folder, command in (
            (".", ["init", "b", "--protocol", "oracle", "--from", "q.csv", "--empty"]),
            ("b", ["add", "item", "b", "--id", first[0], "--prompt", first[1], "--answer", "yes"]),
            ("b", ["add", "model", "m", "--endpoint", url]),
            ("b", ["build"]),
        ):
            done = nullbench(tmp_path / folder, *command)
            assert done.code == 0, done.err
    site = tmp_path / "b/site"
    (row,) = json.loads((site / "data/v1/boards/main.json").read_bytes())["leaderboard"]
    assert (row["overall"], row["n_items"]) == (100, len(PROMPTS))
    shown = json.loads((site / "data/v1/evidence/main/items/0.json").read_bytes())
    assert {name: item["prompt"] for name, item in shown.items()} == PROMPTS
    assert not [path for path in site.rglob("*.html") if "<script>alert" in path.read_text("utf-8")]


def test_init_from_a_file_needs_a_protocol_and_leaves_no_folder(tmp_path: Path) -> None:
    table(tmp_path, ("prompt", "answer"), ("Was?", "x"))
    done = nullbench(tmp_path, "init", "new", "--from", "q.csv")
    assert (done.code, (tmp_path / "new").exists()) == (2, False)
    assert "--from needs --protocol" in done.err
