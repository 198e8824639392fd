"""`init --from`: a table of questions becomes items, or each problem is named with its line."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from support.commands import nullbench
from support.replay import replaying

from nullbench_site import api
from nullbench_site.answer_keys import mark
from nullbench_site.answer_keys.exact import Exact
from nullbench_site.answer_keys.regex import Regex
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


# Keys: how a whole column of answers is read. Inputs are rows of JSONL, or a CSV as text.

Table = str | list[dict[str, Any]]
FOUR = ["copper", "oak", "salt", "rain"]


def keys(folder: Path, given: Table, answers: str = "") -> tuple[list[Any], str]:
    """The right answers, in short, and the notes."""
    path = folder / ("k.csv" if isinstance(given, str) else "k.jsonl")
    text = given if isinstance(given, str) else "".join(f"{json.dumps(row)}\n" for row in given)
    path.write_text(text, "utf-8")
    questions = read_questions(path, "oracle", {}, "k", answers)
    return [short(item["key"]) for items in questions.items.values() for item in items], "\n".join(questions.notes)


def short(key: Mapping[str, Any]) -> Any:
    """The letter and text of a choice, a number, a number with its unit, the accepted texts, or the truth."""
    match key["type"]:
        case "multiple-choice":
            return " ".join(f"{letter}:{key['options'][letter]}" for letter in key["correct"])
        case "numeric":
            return (key["value"], "%") if "unit" in key else key["value"]
        case "exact":
            return list(key["accepted"])
    return mark("Yes, it is.", msgspec.convert(key, Regex)).outcome == "correct"


def asked(*rows: tuple[Any, Any], **more: Any) -> list[dict[str, Any]]:
    return [
        {"question": f"Q{at}?", **({} if options is None else {"choices": options}), "answer": answer, **more}
        for at, (options, answer) in enumerate(rows)
    ]


@pytest.mark.parametrize(
    ("given", "right"),
    [
        (asked((FOUR, 0), (FOUR, 3)), ["A:copper", "D:rain"]),
        (asked((FOUR, 4), (FOUR, 1)), ["D:rain", "A:copper"]),
        (asked((FOUR, "0"), (FOUR, "2")), ["A:copper", "C:salt"]),
        (asked((FOUR, "B"), (FOUR, "(c)")), ["B:oak", "C:salt"]),
        (asked((FOUR, "Salt."), (FOUR, "oak")), ["C:salt", "B:oak"]),
        (asked((FOUR, "B) oak"), (FOUR, "D. rain")), ["B:oak", "D:rain"]),
        (asked((FOUR, "B"), (FOUR, "rain")), ["B:oak", "D:rain"]),
        (asked((FOUR, "A, C"), (FOUR, ["B", "D"])), ["A:copper C:salt", "B:oak D:rain"]),
        (asked((["A) oak", "B) tin"], "B")), ["B:tin"]),
        (asked((["True", "False"], True)), ["A:True"]),
        (asked(({"A": "oak", "B": "tin"}, "B")), ["B:tin"]),
        (asked(({"text": ["oak", "tin"], "label": ["1", "2"]}, "2"), ({"text": FOUR, "label": list("ABCD")}, "D")),
         ["B:tin", "D:rain"]),
        (asked(([{"label": "A", "text": "oak"}, {"label": "B", "text": "tin"}], "B")), ["B:tin"]),
        (asked((["oak", "tin", None, None], "B")), ["B:tin"]),
        ("question,A,B,C,answer\nQ1?,oak,tin,wax,C\nQ2?,1,2,3,A\n", ["C:wax", "A:1"]),
        ("question,option_a,option_b,answer\nQ?,oak,tin,option_b\n", ["B:tin"]),
        ("question,option1,option2,answer\nQ1?,oak,tin,2\nQ2?,oak,tin,1\n", ["B:tin", "A:oak"]),
        ("question,opa,opb,opc,cop\nQ1?,oak,tin,wax,0\nQ2?,oak,tin,wax,2\n", ["A:oak", "C:wax"]),
        ("goal,sol1,sol2,label\nG1,oak,tin,1.0\nG2,oak,tin,0.0\n", ["B:tin", "A:oak"]),
        ("ctx,ending0,ending1,label\nC1,oak,tin,1\nC2,oak,tin,0\n", ["B:tin", "A:oak"]),
        ("How many?,4,7,9,1,B\nWhat?,oak,tin,wax,salt,D\n", ["B:7", "D:salt"]),
        ("Question,Correct Answer,Incorrect Answer 1,Incorrect Answer 2\nQ?,tin,wax,oak\n", ["B:tin"]),
        ("question,distractor1,distractor2,correct_answer\nQ?,wax,oak,tin\n", ["B:tin"]),
        ('question,choices,answer\nQ?,"[\'oak\', \'tin\']",B\n', ["B:tin"]),
        ("question,options,answer\nQ?,oak|tin,tin\n", ["B:tin"]),
        ('question,answer\n"Q?\nA) oak\nB) tin",B\n', ["B:tin"]),
        ([{"question": "Q?", "mc1_targets": {"choices": ["tin", "oak", "wax"], "labels": [1, 0, 0]}}], ["B:tin"]),
        ([{"id": "x", "question": {"stem": "S", "choices": [{"text": each, "label": label}
           for each, label in (("oak", "A"), ("tin", "B"))]}, "answerKey": "B"}], ["B:tin"]),
        ([{"context": "K.", "question": "Q?", "answerA": "oak", "answerB": "tin", "answerC": "wax", "label": "3"}],
         ["C:wax"]),
        ([{"input": [{"role": "user", "content": "Q?"}], "target": "B", "choices": ["oak", "tin"]}], ["B:tin"]),
    ],
)  # fmt: skip
def test_options_and_their_answers_make_a_choice(tmp_path: Path, given: Table, right: list[Any]) -> None:
    found, notes = keys(tmp_path, given)
    assert found == right
    assert f"Keys: {len(right)} multiple-choice, such as {right[0].split(' ')[0].replace(':', ') ')}" in notes


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (asked((FOUR, 1)), "'1' has 2 readings: as a number counted from 0 it is B) oak and as a number counted from 1 "
                           "it is A) copper; choose with --answers index-0 or --answers index-1"),
        (asked((FOUR, "2"), (FOUR, "3")), "choose with --answers index-0 or --answers index-1"),
        ("goal,sol1,sol2,label\nG1,oak,tin,1\n", "choose with --answers index-0 or --answers index-1"),
        (asked((["4", "3", "2", "1"], "3")), "as the text of an option it is B) 3"),
        (asked((["B", "A"], "A")), "as a letter it is A) B and as the text of an option it is B) A"),
        (asked((["oak", "tin"], 0), (["oak", "tin"], 2)), "'2' may be a number counted from 1, but other rows do"),
        (asked((FOUR, "E")), "'E' is none of the 4 options; write a letter from A to D, or the text of an option"),
        (asked((["oak"], "A")), "found 1 option; write a list, or put | between the options"),
        ('question,options,answer\nQ?,"oak\ntin",tin\n', "found 1 option; write a list, or put | between the options"),
        (asked((["oak", "", "tin"], "A")), "option B is empty; fill it in"),
        ('question,choices,answer\nQ?,"[\'oak\' \'tin\']",B\n', "look like a list, but cannot be read as one"),
    ],
)  # fmt: skip
def test_an_answer_with_two_readings_or_none_is_refused(tmp_path: Path, given: Table, message: str) -> None:
    with pytest.raises(ImportRefused) as refusal:
        keys(tmp_path, given)
    assert message in str(refusal.value)


def twice(second: str, *rows: tuple[Any, Any]) -> list[dict[str, Any]]:
    """Questions with four options, a column `answer`, and a second column that may have it too."""
    return [{"question": f"Q{at}?", "choices": FOUR, "answer": one, second: two} for at, (one, two) in enumerate(rows)]


CSV_TWICE = "question,A,B,C,Answer,{}\nQ1?,oak,tin,wax,B,{}\nQ2?,oak,tin,wax,A,{}\n"
TRUE_FALSE = "question,correct_answer,incorrect_answer_1,answer\nQ?,tin,wax,{}\n"


@pytest.mark.parametrize(
    ("given", "right"),
    [
        (twice("answer_index", ("B", 1), ("D", 3), ("A", 0)), "BDA"),
        (twice("answer_index", ("B", 2), ("D", 4)), "BD"),
        (twice("answer_idx", ("oak", "B"), ("rain", "(d)")), "BD"),
        (twice("correct_index", (1, "1.0"), (0, "0.0")), "BA"),
        (twice("correctAnswer", ("B", "oak"), ("D", "Rain.")), "BD"),
        (twice("label", ("oak", "sales"), ("rain", "weather")), "BD"),
        (twice("label", ("oak", 1), ("rain", None)), "BD"),
        (twice("labels", ("oak", [0, 1, 0, 0]), ("rain", [0, 0, 0, 1])), "BD"),
        (twice("solution", ("B", "Oak is a tree, so A is wrong."), ("D", "Rain is water.")), "BD"),
        (twice("answers", ("B", FOUR), ("D", FOUR)), "BD"),
        (twice("gold", ("A, C", [0, 2]), ("B", [1])), ["AC", "B"]),
        (twice("rating", ("B", 3), ("D", 0)), "BD"),
        (CSV_TWICE.format("Correct Option", "B", "A"), "BA"),
        (CSV_TWICE.format("answer_text", "tin", "oak"), "BA"),
        (TRUE_FALSE.format("tin"), "A"),
    ],
)  # fmt: skip
def test_a_second_column_that_has_the_same_option_changes_nothing(
    tmp_path: Path, given: Table, right: Sequence[str]
) -> None:
    found, _ = keys(tmp_path, given)
    assert ["".join(part.split(":")[0] for part in key.split(" ")) for key in found] == list(right)


BOTH = "correct the file, or choose one with --column answer=answer or --column answer={}"


@pytest.mark.parametrize(
    ("given", "line", "message"),
    [
        (twice("answer_index", ("B", 1), ("D", 2), ("A", 0)), 2,
         "'answer' has D) rain as right, but 'answer_index' has C) salt ('2' as a number counted from 0); "
         f"1 of 3 rows disagrees; {BOTH.format('answer_index')}"),
        (twice("answer_idx", ("oak", "C"), ("rain", "A")), 1,
         f"'answer_idx' has C) salt ('C' as a letter); 2 of 2 rows disagree; {BOTH.format('answer_idx')}"),
        (twice("correct_index", ("A", 0), ("B", 1), ("C", 7), ("D", 2)), 3,
         "'correct_index' has '7', which is none of the 4 options; 2 of 4 rows disagree"),
        (twice("correctIndex", ("oak", 2), ("rain", 1)), 2, BOTH.format("correctIndex")),
        (twice("label", ("oak", 1), ("salt", 0)), 2, "'label' has A) copper ('0' as a number counted from 0); 1 of 2"),
        (twice("right option", ("oak", "oak"), ("salt", "rain")), 2, BOTH.format("x").replace(
            "answer=x", "'answer=right option'")),
        (twice("gold_labels", ("oak", [0, 0, 1, 0])), 1, "'gold_labels' has C) salt ('0|0|1|0'); 1 of 1 row disagrees"),
        (twice("gold", ("A, C", [0, 3]), ("B", [1])), 1, "has A) copper and C) salt as right, but 'gold' has A) copper "
                                                        "and D) rain ('0|3' as a number counted from 0)"),
        (twice("target", ("B", "oak"), ("D", "tin"), ("A", "copper")), 2, "'target' has 'tin', which is none of the 4"),
        (CSV_TWICE.format("correct_option", "B", "C"), 3, "'Answer' has A) oak as right, but 'correct_option' has C)"),
        (TRUE_FALSE.format("wax"), 2, "the options mark A) tin as right, but 'answer' has B) wax ('wax' as the text of "
                                      "an option); 1 of 1 row disagrees; correct one of the two"),
        ([{"question": "Q?\nA) oak\nB) tin", "answer": "B", "answer_index": 0}], 1, "'answer_index' has A) oak"),
        ([{"question": "Q?", "mc1_targets": {"choices": ["tin", "oak"], "labels": [1, 0]}, "label": "oak"}], 1,
         "the options mark B) tin as right, but 'label' has A) oak"),
    ],
)  # fmt: skip
def test_two_columns_that_name_different_options_are_refused(
    tmp_path: Path, given: Table, line: int, message: str
) -> None:
    with pytest.raises(ImportRefused) as refusal:
        keys(tmp_path, given)
    first = str(refusal.value).splitlines()[0]
    assert message in first
    assert f":{line}: " in first


@pytest.mark.parametrize(("column", "right"), [("answer", ["C:salt", "A:copper"]), ("label", ["A:copper", "B:oak"])])
def test_the_user_chooses_one_of_two_columns(tmp_path: Path, column: str, right: list[str]) -> None:
    path = tmp_path / "k.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in twice("label", ("C", 0), ("A", 1))), "utf-8")
    (items,) = read_questions(path, "oracle", {"answer": column}, "k").items.values()
    assert [short(item["key"]) for item in items] == right


@pytest.mark.parametrize(
    ("answers", "right"), [("index-0", "B:3"), ("index-1", "A:9"), ("text", "C:1"), ("letter", None)]
)
def test_the_user_says_how_ambiguous_answers_are_read(tmp_path: Path, answers: str, right: str | None) -> None:
    given = asked((["9", "3", "1"], "1"))
    if right is None:
        with pytest.raises(ImportRefused, match="none of the 3 options as a letter"):
            keys(tmp_path, given, answers)
    else:
        assert keys(tmp_path, given, answers)[0] == [right]


@pytest.mark.parametrize(
    ("given", "right", "note"),
    [
        (asked((None, "Two and two.\n2 + 2 = <<2+2=4>>4\n#### 4")), [4], "the result of 1 answer is the key"),
        (asked((None, "Sum.\n#### 12,500"), (None, "Loss.\n#### -$3")), [12500, -3], "'12,500' as 12500 (line 1)"),
        (asked((None, "Half.\nSo \\boxed{\\frac{1}{2}}."), (None, "\\boxed{9}")), [["\\frac{1}{2}"], 9], "2 answers"),
        (asked((None, "x = 3\ny = 4\nThe answer is 7.")), [7], "1 answer"),
        (asked((None, "1,234")), [1234], "'1,234' as 1234 (line 1). If they are texts, add --answers text"),
        (asked((None, "5%"), (None, "12.5 percent")), [(5, "%"), (12.5, "%")], "'5%' as 5 % (line 1)"),
        (asked((None, "3,5"), (None, "2,75")), [3.5, 2.75], "'3,5' as 3.5 (line 1)"),
        (asked((None, "007"), (None, "x")), [["007"], ["x"]], "'007' (line 1). If they are numbers, add --answers n"),
        (asked((None, "3.10"), (None, "3.9")), [["3.10"], 3.9], "Read as texts: '3.10' (line 1)"),
        (asked((None, "2.50"), (None, "3.99")), [2.5, 3.99], "Keys: 2 numeric, such as 2.5"),
        (asked((None, "02139"), (None, "94105")), [["02139"], ["94105"]], "'02139' (line 1), '94105' (line 2)"),
        (asked((None, "\u22124"), (None, 8), (None, "1e5")), [-4, 8, 100000], "Keys: 3 numeric, such as -4"),
        (asked((None, "2024-05-01"), (None, "1/2")), [["2024-05-01"], ["1/2"]], "Keys: 2 exact"),
        (asked((None, "Nay Pyi Taw|Naypyidaw"), (None, ["4", "four"])),
         [["Nay Pyi Taw", "Naypyidaw"], ["4", "four"]], "such as 'Nay Pyi Taw' and 1 other"),
        (asked((None, "P(A|B)"), (None, "|x|")), [["P(A|B)"], ["|x|"]], "Keys: 2 exact"),
        (asked((None, {"text": ["Ann", "Ann", "the Ann"], "answer_start": [1]})), [["Ann", "the Ann"]], "Keys: 1"),
        (asked((None, {"value": "Ann", "aliases": ["Anna"]})), [["Ann", "Anna"]], "Keys: 1 exact"),
        (asked((None, {"number": "4", "date": {}, "spans": []})), [4], "Keys: 1 numeric"),
        ([{"vars": {"question": "Q?"}, "assert": [{"type": "icontains", "value": "Oslo"}]}], [["Oslo"]], "Keys: 1"),
        ("question,__expected\nQ?,equals: Oslo\n", [["Oslo"]], "Keys: 1 exact"),
        (asked((None, True), (None, False)), [True, False], "Keys: 2 regex, such as yes or true"),
        (asked((None, "Yes"), (None, "no")), [True, False], "Keys: 2 regex"),
    ],
)  # fmt: skip
def test_answers_without_options_keep_what_they_are(tmp_path: Path, given: Table, right: list[Any], note: str) -> None:
    found, notes = keys(tmp_path, given)
    assert found == right
    assert note in notes


@pytest.mark.parametrize(
    ("given", "answers", "message"),
    [
        (asked((None, "First line\nsecond line")), "", "the answer has several lines; write one short answer, end"),
        (asked((None, "1,234"), (None, "3,5")), "", "'1,234' may be 1234 or 1.234, as '3,5' has a decimal comma"),
        (asked((None, "1.234"), (None, "0,5")), "", "'1.234' may be 1234 or 1.234, as '0,5' has a decimal comma"),
        (asked((None, "Oslo")), "number", "'Oslo' is not a number; fix it, or leave out --answers number"),
        (asked((None, {"spans": ["a", "b"], "types": []})), "", "the answer has 2 spans; write one answer"),
        ("question,__expected\nQ?,llm-rubric: is kind\n", "", "the assertion 'llm-rubric' is no key"),
        (asked((None, {"left": 1})), "", "the answer is an object with 'left'; write a text or a list"),
    ],
)  # fmt: skip
def test_answers_that_fit_no_key_are_refused(tmp_path: Path, given: Table, answers: str, message: str) -> None:
    with pytest.raises(ImportRefused) as refusal:
        keys(tmp_path, given, answers)
    assert message in str(refusal.value)


@pytest.mark.parametrize(("answers", "right"), [("number", [7, 3.1]), ("text", [["007"], ["3.10"]])])
def test_the_user_says_what_digits_are(tmp_path: Path, answers: str, right: list[Any]) -> None:
    assert keys(tmp_path, asked((None, "007"), (None, "3.10")), answers)[0] == right


@pytest.mark.parametrize("letter", ["I", "a", "B", "x", "木"])
def test_a_single_letter_is_never_looked_for_inside_a_sentence(tmp_path: Path, letter: str) -> None:
    path = tmp_path / "k.jsonl"
    path.write_text(json.dumps({"question": "Who?", "answer": letter}), "utf-8")
    ((item,),) = read_questions(path, "oracle", {}, "k").items.values()
    key = msgspec.convert(item["key"], Exact)
    assert mark(letter, key).outcome == "correct"
    assert mark(f"Here is {letter} long answer, I believe.", key).outcome != "correct"


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 10_000 + "]" * 10_000], ids=["digits", "depth"])
@pytest.mark.parametrize("text", ['{{"question": "Q?", "answer": {}}}\n', '[{{"question": "Q?", "answer": {}}}]'])
def test_json_beyond_the_limits_of_a_reader_has_one_message(tmp_path: Path, text: str, value: str) -> None:
    path = tmp_path / "k.json"
    path.write_text(text.format(value), "utf-8")
    (message,) = refused(path)
    assert ("a number has more than 4300 digits" in message) or ("values are nested too deeply" in message)
