"""Tables of scores: columns are recognised, assumptions printed, and every problem has its place and its remedy."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import nullbench_site as nb
from nullbench_site import api
from nullbench_site.errors import UsageError
from nullbench_site.interop.score_table import Chosen, read_table
from nullbench_site.scoring.ranked_table import ScoreTable, rank_table
from nullbench_site.specs.load import load_benchmark

LONG = "model,item,score,topic,cost\na,x,1,t,2\na,y,0,u,3\nb,x,0,t,4\nb,y,1,u,5\n"
WIDE = "model,x,y\na,1,0\nb,0,1\n"
OBJECTS = [{"model": model, "x": x, "y": 1 - x} for model, x in (("a", 1), ("b", 0))]


def read(tmp_path: Path, text: str | bytes, name: str = "scores.csv", **chosen: Any) -> ScoreTable:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_table(str(path), Chosen(**chosen))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("long.csv", LONG),
        ("wide.csv", WIDE),
        ("wide.tsv", WIDE.replace(",", "\t")),
        ("semicolons.csv", WIDE.replace(",", ";")),
        ("mark.csv", "\ufeff" + WIDE),
        ("blank.csv", "\n\n" + WIDE.replace("\n", "\r\n")),
        ("pandas.csv", ",x,y\na,1.0,0.0\nb,0.0,1.0\n"),
        ("truth.csv", WIDE.replace("1", "True").replace("0", "false")),
        ("list.json", json.dumps(OBJECTS, indent=1)),
        ("by-model.json", json.dumps({row["model"]: {"x": row["x"], "y": row["y"]} for row in OBJECTS})),
        ("lines.jsonl", "\n".join(json.dumps(row) for row in OBJECTS)),
        ("no-ending", json.dumps(OBJECTS)),
    ],
)
def test_every_format_and_shape_gives_the_same_table(tmp_path: Path, name: str, text: str) -> None:
    table = read(tmp_path, text, name)
    assert (table.models, table.items) == (("a", "b"), ("x", "y"))
    assert table.values.tolist() == [[1, 0], [0, 1]]


def test_parquet_is_read_too(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    columns = list(zip(*(line.split(",") for line in LONG.splitlines()[1:]), strict=True))
    parquet.write_table(pyarrow.table(dict(zip(LONG.splitlines()[0].split(","), columns, strict=True))), tmp_path / "p")
    assert read_table(str(tmp_path / "p")).values.tolist() == [[1, 0], [0, 1]]


def test_other_columns_belong_to_items_models_or_cells(tmp_path: Path) -> None:
    rows = "a,x,1,d,m,2,v\na,y,0,e,m,3,v\nb,x,0,d,n,4,v\nb,y,1,e,n,5,v\n"
    table = read(tmp_path, f"model,item,score,day,maker,cost,version\n{rows}")
    assert table.item_columns == {"day": ("d", "e")}
    assert table.model_columns == {"maker": ("m", "n")}
    assert {name: cells.tolist() for name, cells in table.cell_columns.items()} == {"cost": [[2, 3], [4, 5]]}
    assert "Not used: 'version'." in table.notes


def test_a_few_mistakes_in_a_column_about_items_keep_it_one(tmp_path: Path) -> None:
    """The dates of 5 of 349 problems of LiveCodeBench differ between models by a day."""
    rows = [f"{model},i{n},1,d{n}{'b' if (model, n) == ('b', 7) else ''}" for model in "ab" for n in range(40)]
    table = read(tmp_path, "\n".join(["model,item,score,date", *rows]))
    assert table.item_columns["date"][7] == "d7"
    assert "'date' differs between rows of 1 item; the first value counts." in table.notes


@pytest.mark.parametrize(
    ("text", "chosen", "message"),
    [
        # values
        (WIDE.replace("1,0", "1,1_000"), {}, ":2: y: the score '1_000' is not a number; correct it"),
        (WIDE.replace("1,0", "1,good"), {}, ":2: y: the score 'good' is not a number; correct it"),
        (LONG.replace("y,0", "y,inf"), {}, ":3: score: the score 'inf' is infinite; correct it"),
        (WIDE.replace("1,0", '1,"1,234"'), {}, ":2: y: the score '1,234' has a comma and may be 1234 or 1.234; write"),
        (WIDE.replace("1,0", "100%,3"), {}, ": some scores have a percent sign and others do not; write all alike"),
        (WIDE.replace("1,0", "1,7"), {"scale": (0, 1)}, ":2: y: the score 7 is outside the scale 0 to 1; correct it"),
        # shape
        (LONG + "a,x,0,t,1\n", {}, ":6: model 'a' has a second score for item 'x' (the first is in row 2)"),
        (WIDE + "a,1,1\n", {}, ":4: model 'a' already has a row, in line 2; delete one of the two"),
        ("model,item,score\na,x,1\nb,y,1\n", {}, ": no model has scores on 2 of 2 items"),
        ("model,item,score\n,x,1\n", {}, ":2: column 'model' is empty; write a name, or remove the row"),
        ("model,item,score\n", {}, ": the table has a header and no row"),
        ("model,x\na,\nb,\n", {}, ": no column has scores; a wide table has a row per model"),
        ("model,item,score\na,x,\nb,y,NaN\n", {}, ": the table has no score"),
        (WIDE.replace("1,0", "1,0,1"), {}, ":2: the row has 4 cells, the header 3; quote cells with separators"),
        (WIDE.replace("x,y", "x,x"), {}, ":1: two columns are called 'x'; rename or remove one"),
        (WIDE.replace("x,y", "x,"), {}, ":1: column 3 has no name; name it or remove it"),
        # roles
        ("model,task,question,score\na,x,q,1\n", {}, "'task' and 'question' could each be the item; choose"),
        ("system,agent,item,score\na,x,q,1\n", {}, "'system' and 'agent' could each be the model; choose"),
        ("model,item,em,f1\na,x,0,1\n", {}, "'em' and 'f1' could each be the score; choose"),
        ("model,item,points\na,x,0\n", {}, ": no column is known as the score; name it with --score"),
        ("x,y\n1,0\n0,1\n", {}, ": no column names the model, and the first, 'x', has numbers; use --model"),
        ("who,item,score\na,x,0\n", {}, ": no column is known as the model; name it with --model"),
        (LONG, {"score": "scor"}, ": no column 'scor' for --score; did you mean 'score'?"),
        (LONG, {"cluster": "cots"}, ": no column 'cots' with one value for each item; known: topic"),
        (LONG, {"cluster": "model"}, ": column 'model' cannot divide the items: it needs one value for each item, and"),
        ("model,item,topic,score\na,x,t,0\nb,x,t,1\n", {"group": "topic"}, ": column 'topic' cannot divide the items"),
        (WIDE, {"cluster": "x"}, ": a wide table has no column about items; give their groups in a file"),
        (LONG, {"family": "(gpt"}, ": --family '(gpt' is neither a column nor a valid pattern"),
        (LONG, {"family": "gpt"}, ": --family 'gpt' is not a column and matches no model"),
        (LONG, {"groups": {"g": ["x", "z"]}}, ": groups names item 'z', which does not exist"),
        (LONG, {"groups": {"g": ["x"]}, "group": "topic"}, "--group and --groups both give the groups"),
        (LONG, {"groups": {"g": ["x"]}}, ": item 'y' is in no group of groups; add it to one"),
        (LONG, {"groups": {"g": ["x"], "h": ["x"]}}, "groups: item 'x' is in the groups 'g' and 'h'; keep"),
        # files
        (WIDE.replace("a,", "é,").encode("latin-1"), {}, ":2: byte 0xe9 is not UTF-8; save the file"),
        ("", {}, ": the file is empty; expected a header and rows"),
        ("model\na\n", {}, ": the header has one column; separate columns with commas, semicolons or tabs"),
        ('model,x\n"a,1\n', {}, ":2: not CSV: unexpected end of data"),
        ("[1, 2]", {}, ": row 1: not an object"),
        ("[{", {}, ": not a table: Input data was truncated"),
        ('{"model": "a", "x": 1}\n{"model": "b", "x": NaN}\n', {}, ":2: not a JSON object; write one object a line"),
    ],
)  # fmt: skip
def test_a_problem_is_one_message_with_its_place_and_its_remedy(
    tmp_path: Path, text: str | bytes, chosen: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        rank_table(read(tmp_path, text, **chosen))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith((f"{tmp_path}/scores.csv", "groups: ", "--group "))


@pytest.mark.parametrize(
    ("text", "chosen", "note"),
    [
        (WIDE.replace("1,0", "1,NaN"), {}, "1 cell with NaN, NA, null or a dash count as missing."),
        (WIDE.replace("1", "100%").replace("0,", "0%,").replace(",0\n", ",0%\n"), {}, "Scores have percent signs"),
        (WIDE.replace("1", "true").replace("0", "false"), {}, "true and false count as 1 and 0."),
        (WIDE.replace(",", ";"), {}, "Semicolons separate the columns."),
        (WIDE.replace("1,0", "1"), {}, "Line 2 has 2 of 3 cells; those at the end count as missing."),
        (LONG.replace("topic", "category"), {}, "2 groups of items, from column 'category': t and u; a score is"),
        ("model,item,score,source\na,x,1,s\na,y,0,s\na,z,0,t\n", {}, "use --cluster source."),
        (LONG, {"cluster": "topic"}, "2 clusters of items, from column 'topic'."),
        (LONG, {"family": "[ab]"}, "2 families of models, by the pattern '[ab]'."),
        ("model,x,average\na,1,1\nb,0,0\n", {}, "Left out: 'average' is the mean of 'x'."),
        (",model,x,y\n0,a,1,0\n1,b,0,1\n", {}, "Facts by their names, not scores: 'column 1'."),
        ("model,maker,x\na,m,1\nb,n,0\n", {}, "About models, not scores: 'maker'."),
        ("model,x,y\na,1,\nb,0,\n", {}, "Not used: 'y'."),
        ("model,x,y\na,1,\nb,0,\n", {"groups": {"g": ["x"], "h": ["y"]}}, "1 group of items, from groups: g"),
        ("model,item,score\na,x,1\nb,x,0\nb,y,\na,y,\n", {}, "1 item without a score left out: 'y'."),
    ],
)  # fmt: skip
def test_an_assumption_is_printed(tmp_path: Path, text: str, chosen: dict[str, Any], note: str) -> None:
    assert any(note in line for line in read(tmp_path, text, **chosen).notes)


def test_a_pattern_of_families_takes_time_linear_in_the_names(tmp_path: Path) -> None:
    """Python's own engine backtracks here for hours."""
    table = read(tmp_path, f"model,x\n{'a' * 40}!,1\n{'a' * 40},0\n", family="(a+)+$")
    assert table.families == ("a" * 40 + "!", "a" * 40)


@pytest.mark.parametrize(
    ("scores", "chosen", "scale", "note"),
    [
        ("0.5,1", None, (0, 1), "Assumed: a scale of 0 to 1, since all scores lie from 0.5 to 1."),
        ("12,55", None, (0, 100), "Assumed: a scale of 0 to 100, since all scores lie from 12 to 55."),
        ("1,9.5", None, None, "Assumed: a scale without ends, since all scores lie from 1 to 9.5"),
        ("-3,4", None, None, "scores are in their own unit"),
        ("1,9.5", (1, 10), (1, 10), ""),
        ("5%,7%", None, (0, 100), "percent signs"),
    ],
)
def test_the_scale_is_chosen_or_assumed_and_printed(
    tmp_path: Path, scores: str, chosen: tuple[float, float] | None, scale: tuple[float, float] | None, note: str
) -> None:
    ranked = rank_table(read(tmp_path, f"model,x,y\na,{scores}\n"), scale=chosen)
    assert ranked.scale == scale
    assert any(note in line for line in ranked.notes)


def test_ten_thousand_columns_are_a_table_like_any_other(tmp_path: Path) -> None:
    header = ",".join(f"i{n}" for n in range(10_000))
    table = read(tmp_path, f"model,{header}\na{',1' * 10_000}\nb{',0' * 10_000}\n")
    assert table.values.shape == (2, 10_000)
    assert "and 9\N{NARROW NO-BREAK SPACE}994 more" in table.notes[0]


# The command, the protocol and the library give the same digits


DECLARED = """declared:
  contamination: {level: medium, source: "problems written after the cutoff"}
  agreement: {level: high, source: "tests decide"}
  prompts: {level: medium, source: "five templates"}
"""
INFERRED = """inference:
  level: task
  claim: a model solves problems like these
  evidence:
    task: "three groups of problems"
"""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six models on 30 items of three groups; one lacks an item."""
    draw = random.Random(7)  # noqa: S311 - scores for a test
    path = tmp_path_factory.mktemp("table") / "scores.csv"
    rows = [
        f"Model {m},i{n},g{n % 3},{round(draw.betavariate(1 + m, 3), 3)}\n"
        for m in range(6)
        for n in range(30)
        if (m, n) != (2, 4)
    ]
    path.write_text(f"model,item,group,score\n{''.join(rows)}", "utf-8")
    return path


@pytest.fixture(scope="module")
def repository(table: Path) -> Path:
    into = table.parent / "board"
    api.import_scores("scores", str(table), {"into": into, "scale": (0.0, 1.0)})
    return into


def test_rank_the_board_and_the_library_give_the_same_digits(table: Path, repository: Path) -> None:
    command = rank_table(read_table(str(table)), scale=(0, 1))
    frame = nb.rank(pd.read_csv(table), scale=(0, 1))
    board = nb.open_run(repository).frame("leaderboard").set_index("model")
    assert list(frame["model"]) == [row.model for row in (*command.leaderboard, *command.incomplete)]
    for row, own in zip(command.leaderboard, frame.to_dict("records"), strict=False):
        of_board = board.loc[row.model.lower().replace(" ", "-")]
        for name in ("rank", "rank_low", "rank_high", "tie_group", "se", "ci_low", "ci_high"):
            assert getattr(row, name) == own[name] == of_board[name], (row.model, name)
        assert row.score == own["score"] == of_board["overall"]


def test_a_contestant_without_all_items_is_compared_as_rank_compares_it(table: Path, repository: Path) -> None:
    command = rank_table(read_table(str(table)), scale=(0, 1))
    (incomplete,) = command.incomplete
    first = command.leaderboard[0].model
    pair = nb.open_run(repository).compare("model-2", first.lower().replace(" ", "-"))
    expected = (incomplete.difference, incomplete.se, incomplete.low, incomplete.high, incomplete.n_common)
    assert (pair.value, pair.se, pair.low, pair.high, pair.n_items) == expected
    assert "on 29 shared items" in pair.sentence


def test_trust_in_a_table_is_what_its_board_declares(table: Path, tmp_path: Path) -> None:
    api.import_scores("scores", str(table), {"into": tmp_path / "b", "scale": (0.0, 1.0)})
    plain = nb.open_run(tmp_path / "b").frame("trust").set_index(["model", "dimension"])
    assert plain.loc[("model-1", "prompts"), "why"].startswith("The table does not say")
    assert plain.loc["model-1"]["low"].all()
    spec = tmp_path / "b" / "specs" / "boards" / "scores.yaml"
    spec.write_text(spec.read_text("utf-8") + DECLARED, "utf-8")
    declared = nb.open_run(tmp_path / "b").frame("trust").set_index(["model", "dimension"])
    marks = declared.loc["model-1"]
    assert marks.loc[["prompts", "contamination", "agreement"], "state"].tolist() == ["medium", "medium", "high"]
    assert marks["declared"].sum() == 3
    assert marks.loc["agreement", "why"] == "Declared: tests decide."
    sentence = nb.open_run(tmp_path / "b").compare("model-5", "model-0").sentence
    assert sentence.endswith("We name no winner yet: the reporting minimum lacks the level of inference.")
    spec.write_text(spec.read_text("utf-8") + INFERRED, "utf-8")
    assert "We name no winner" not in nb.open_run(tmp_path / "b").compare("model-5", "model-0").sentence


@pytest.mark.parametrize("cost", ["0.04 USD", "1,5", "-1", "1e999", "nan"])
def test_a_cost_that_is_no_number_is_named_at_its_place(table: Path, tmp_path: Path, cost: str) -> None:
    api.import_scores("scores", str(table), {"into": tmp_path / "b", "scale": (0.0, 1.0)})
    models = tmp_path / "b" / "specs" / "scores" / "scores" / "models.csv"
    head, first, *others = models.read_text("utf-8").splitlines()
    rows = [f"{head},cost_usd", f'{first},"{cost}"', *(f"{other}," for other in others)]
    models.write_text("\n".join(rows) + "\n", "utf-8")
    with pytest.raises(nb.SpecError, match=r"models\.csv:2:1: cost_usd: found '.*'; write a number from 0"):
        load_benchmark(tmp_path / "b" / "specs")


@pytest.mark.parametrize("rows", ["GPT-4o,1,0\ngpt-4o,0,0\nother,0,1\n", "gpt-4o,0,0\nother,0,1\nGPT-4o,1,0\n"])
def test_names_that_differ_in_case_keep_their_titles_and_their_scores(tmp_path: Path, rows: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"model,x,y\n{rows}")
    made = api.import_scores("scores", str(path), {"into": tmp_path / "b"})
    folder = tmp_path / "b" / "specs" / "scores" / "t"
    titles = dict(csv.reader((folder / "models.csv").read_text("utf-8").splitlines()[1:]))
    assert titles == {"gpt-4o": "GPT-4o", "gpt-4o-2": "gpt-4o", "other": "other"}
    assert (folder / "scores.csv").read_text("utf-8").splitlines()[1:3] == ["gpt-4o,1,0", "gpt-4o-2,0,0"]
    assert "Note:     'GPT-4o' has the id 'gpt-4o' and 'gpt-4o' has the id 'gpt-4o-2'." in list(made.lines())
