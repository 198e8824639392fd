"""What is wrong in the labels of a board is said at its place."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from support.benchmarks import write_benchmark

from nullbench_site.errors import SpecError
from nullbench_site.specs.load import load_benchmark

HEADER = "item,contestant,rater,value,probability\n"
GOOD = ("fish-01,lead-2,ann,1,0.5", "fish-01,textrank-2,ann,0|1,0.25")
FILE = "specs/labels/small.csv"


def write(folder: Path, rows: Sequence[str], field: str = "labels: {file: small.csv}", header: str = HEADER) -> Path:
    write_benchmark(folder)
    board = folder / "specs/boards/small.yaml"
    text = board.read_text("utf-8")
    if "samples" in field:
        text = text.replace("samples: 1\n", "")
    board.write_text(f"{text}{field}\n", "utf-8")
    (folder / "specs/labels").mkdir()
    (folder / FILE).write_text(header + "".join(f"{row}\n" for row in rows), "utf-8")
    return folder / "specs"


def problems(folder: Path, rows: Sequence[str], **more: str) -> list[str]:
    with pytest.raises(SpecError) as refused:
        load_benchmark(write(folder, rows, **more))
    return [str(problem) for problem in refused.value.problems]


def test_labels_are_read_with_their_draw_probabilities(tmp_path: Path) -> None:
    read = load_benchmark(write(tmp_path, GOOD)).labels["small"]
    assert [(each.item, each.contestant, each.rater, each.value, each.probability) for each in read] == [
        ("fish-01", "lead-2", "ann", 1.0, 0.5),
        ("fish-01", "textrank-2", "ann", 0.5, 0.25),
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("fish-99,lead-2,ann,1,1", "item: board 'small' has no item 'fish-99'; did you mean"),
        ("fish-02,lead-99,ann,1,1", "contestant: board 'small' has no contestant 'lead-99'; did you mean"),
        ("fish-02,lead-2,ann,3,1", "value: '3' is off the scale; the scale is 0 to 1"),
        ("fish-02,lead-2,ann,0|3,1", "value: '0|3' is off the scale"),
        ("fish-02,lead-2,ann,good,1", "value: found 'good'; write a number, or several with | between them"),
        ("fish-02,lead-2,bob,1,1", "rater: rater 'bob' has one label, which shows nothing about a judge"),
        ("fish-02,lead-2,ann,1,", "probability: no probability of being drawn, and without it rates are biased"),
        ("fish-02,lead-2,ann,1,1.5", "probability: found '1.5'; write a number above 0, up to 1"),
        ("fish-02,lead-2,,1,1", "rater: the cell is empty; write an id"),
        ("fish-01,lead-2,ann,0,0.5", "rater: 'ann' has a label of this answer on line 2 too; keep one"),
    ],
)
def test_a_bad_row_has_one_message_with_its_line(tmp_path: Path, row: str, message: str) -> None:
    (found,) = problems(tmp_path, [*GOOD, row])
    assert found.startswith(f"{FILE}:4:1: {message}")


def test_an_answer_has_one_draw_probability(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, [*GOOD, "fish-01,textrank-2,bob,1,0.3", "fish-01,lead-2,bob,1,0.5"])
    assert found.startswith(f"{FILE}:4:1: probability: this answer was drawn with probability 0.25 on an earlier line")


def test_a_file_without_the_column_of_probabilities_is_refused(tmp_path: Path) -> None:
    found = problems(tmp_path, ["fish-01,lead-2,ann,1"], header="item,contestant,rater,value\n")
    assert found[0].startswith(f"{FILE}:1:1: the header has no 'probability'; add the column")


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("labels: {}", "set one of `board` and `file`"),
        ("labels: {file: small.csv, board: small}", "set one of `board` and `file`"),
        ("labels: {file: other.csv}", "no file 'other.csv' in specs/labels/"),
        ("labels: {file: small.csv, low: 1, high: 1}", "low 1 is not below high 1"),
        ("labels: {file: small.csv, use: 5}", "only the labels of a board can be more than are used"),
        ("labels: {board: none}", "there is no other board 'none'"),
        ("samples: 2\nlabels: {file: small.csv}", "a label is about one answer to an item"),
    ],
)
def test_a_field_that_does_not_fit_is_refused_at_its_place(tmp_path: Path, field: str, message: str) -> None:
    found = problems(tmp_path, GOOD, field=field)
    assert any(message in each and each.startswith("specs/boards/small.yaml:") for each in found), found
