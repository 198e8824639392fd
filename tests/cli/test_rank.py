"""`rank` on the command line: one table, five formats and the library, with the same figures in all of them."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shlex
from html.parser import HTMLParser
from pathlib import Path
from threading import Thread

import pandas as pd
import pytest
from click.testing import CliRunner, Result
from support.commands import nullbench

import nullbench_site as nb
from nullbench_site.cli.app import app
from nullbench_site.errors import UsageError
from nullbench_site.interop.score_table import ScoreTable, read_table
from nullbench_site.text import number

MODELS = ("=cmd()", "a|b", "<i>c</i>", "d")
ROWS = [(model, f"q{n}", (n * (2 * place + 3)) % 7 / 7) for place, model in enumerate(MODELS) for n in range(30)]
TABLE = "model,item,score\n" + "".join(f"{model},{item},{score:.3f}\n" for model, item, score in ROWS[:-4])


def rank(*arguments: str, given: str | None = None) -> Result:
    return CliRunner().invoke(
        app, ["rank", *arguments], input=given, prog_name="nullbench-site", catch_exceptions=False
    )


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rank") / "scores.csv"
    path.write_text(TABLE)
    return path


def output(table: Path, form: str) -> str:
    done = rank(str(table), "--format", form)
    assert done.exit_code == 0
    return done.stdout


def test_all_formats_and_the_library_have_the_same_figures(table: Path) -> None:
    figures = json.loads(output(table, "json"))
    frame = nb.rank(pd.read_csv(table))
    rows = list(csv.DictReader(io.StringIO(output(table, "csv"))))
    assert [row["model"].lstrip("'") for row in rows] == frame["model"].tolist()
    ranked = figures["leaderboard"] + figures["incomplete"]
    assert [row["model"] for row in ranked] == frame["model"].tolist()
    for name in (
        "rank",
        "rank_low",
        "rank_high",
        "tie_group",
        "score",
        "se",
        "ci_low",
        "ci_high",
        "n_items",
        "n_clusters",
    ):
        of_frame = [None if pd.isna(value) else value for value in frame[name]]
        assert of_frame[:3] == [row[name] for row in figures["leaderboard"]]
        assert of_frame == [float(row[name]) if row[name] else None for row in rows]
    for form in ("table", "markdown", "html"):
        shown = output(table, form)
        assert all(number(row["score"]) in shown for row in ranked)
        assert figures["sentence"].partition(" has ")[2][:20] in shown.replace("\\", "")
    assert frame.attrs["findings"][0] == figures["sentence"]
    assert figures["sentence"].endswith("Only these items were tested, and trust was not checked.")


def test_a_spreadsheet_a_page_and_a_terminal_show_names_as_text(table: Path) -> None:
    assert "'=cmd()" in output(table, "csv")
    assert "| a\\|b |" in output(table, "markdown")
    page = output(table, "html")
    assert "<i>c</i>" not in page
    assert "&lt;i&gt;c&lt;/i&gt;" in page
    seen: list[tuple[str, str]] = []

    class Parser(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            seen.extend((tag, name) for name, _ in attrs if name in ("src", "href", "srcset", "onclick"))

    Parser().feed(page)
    assert seen == []
    assert not re.search(r"url\(|@import|https?:", page)


def test_standard_input_is_a_table_too(table: Path) -> None:
    assert rank("-", "--format", "csv", given=TABLE).stdout == output(table, "csv")


def test_the_same_table_and_seed_give_the_same_bytes(table: Path) -> None:
    for form in ("table", "markdown", "csv", "json", "html"):
        assert output(table, form) == output(table, form)


def test_the_notes_of_a_csv_go_to_stderr(table: Path) -> None:
    done = rank(str(table), "--format", "csv")
    assert "Assumed: a scale of 0 to 1" in done.stderr
    assert "Assumed" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--scale", "1"), "'1' is not LOW:HIGH, as in 0:100"),
        (("--scale", "5:1"), "'5:1' is invalid: the first end must be lower than the second"),
        (("--coverage", "0"), "0.0 is not in the range 0<x<=1"),
        (("--format", "xml"), "'xml' is not one of 'table', 'markdown', 'csv', 'json', 'html'"),
    ],
)
def test_a_wrong_option_is_one_message(table: Path, arguments: tuple[str, ...], message: str) -> None:
    done = rank(str(table), *arguments)
    assert done.exit_code == 2
    assert message in done.stderr


TASKS = "name,task_a,task_b,Median wait\na,71.2,60.1,420\nb,66.0,71.9,380\n"


def test_columns_on_unlike_scales_are_refused_with_a_command_that_works(tmp_path: Path) -> None:
    path = tmp_path / "my tasks.csv"
    path.write_text(TASKS)
    with pytest.raises(UsageError) as refused:
        rank(str(path))
    assert refused.value.exit_code == 2
    assert "'task_a' 66 to 71.2, 'task_b' 60.1 to 71.9 and 'Median wait' 380 to 420" in str(refused.value)
    command = str(refused.value).rpartition("Choose: nullbench-site rank ")[2]
    assert "--score task_a --score task_b" in command
    again = rank(*shlex.split(command))
    assert again.exit_code == 0
    assert "2 columns of scores: 'task_a' and 'task_b' (chosen with --score)." in again.stdout


@pytest.mark.parametrize("arguments", [("--score", "task_a", "--score", "task_b"), ("--score", "task_*")])
def test_columns_can_be_named_one_by_one_or_by_a_pattern(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    path = tmp_path / "tasks.csv"
    path.write_text(TASKS)
    done = json.loads(rank(str(path), *arguments, "--format", "json").stdout)
    assert [row["model"] for row in done["leaderboard"]] == ["b", "a"]
    why = "chosen with --score"
    assert done["columns"] == [
        {"column": "task_a", "use": "score", "why": why},
        {"column": "task_b", "use": "score", "why": why},
        {"column": "Median wait", "use": "unused", "why": "others are chosen"},
    ]


def test_a_transposed_table_is_ranked_by_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "tasks.csv"
    path.write_text("task,a,b\nx,71.2,60.1\ny,66.0,71.9\n")
    with pytest.raises(UsageError, match=f"nullbench-site rank {path} --transpose$"):
        rank(str(path))
    assert "a has the highest score" in rank(str(path), "--transpose").stdout


def test_a_refused_import_names_its_own_command(tmp_path: Path) -> None:
    path = tmp_path / "tasks.csv"
    path.write_text(TASKS)
    command = ["import", "scores", str(path), "--into", str(tmp_path / "b")]
    with pytest.raises(UsageError, match=f"Choose: nullbench-site {' '.join(command)} --score task_a --score task_b$"):
        CliRunner().invoke(app, command, catch_exceptions=False)
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["rank", "/dev/zero"],
        ["rank", "/dev/urandom"],
        ["rank", "/dev/null"],
        ["rank", "TABLE", "--groups", "/dev/zero"],
        ["init", "b", "--protocol", "oracle", "--from", "/dev/zero"],
        ["import", "answers", "/dev/zero", "--board", "main", "--model", "m"],
        ["import", "scores", "/dev/zero", "--into", "b"],
    ],
)
def test_a_device_is_refused_before_it_is_read(table: Path, tmp_path: Path, arguments: list[str]) -> None:
    done = nullbench(tmp_path, *(str(table) if each == "TABLE" else each for each in arguments))
    assert done.code == 2
    assert " device" in done.err


def test_a_named_pipe_is_read_and_one_without_an_end_is_refused(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def read(content: bytes) -> ScoreTable:
        writer = Thread(target=pipe.write_bytes, args=[content])
        writer.start()
        try:
            return read_table(str(pipe))
        finally:
            writer.join()

    assert read(table.read_bytes()).models == read_table(str(table)).models
    monkeypatch.setattr("nullbench_site.interop.file_kinds.MOST_BYTES", 4000)
    for endless in (b"a,b\n" * 2000, bytes(8000), b"[" * 8000):
        with pytest.raises(UsageError, match="pipe: the input does not end after 0 MB; save it to a file"):
            read(endless)
