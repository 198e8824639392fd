"""The files of results: what others may rely on, and what a spreadsheet must not run."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support import rubric_boards as rubric
from support.boards import AXES, JUDGES, benchmark, category, domain, judged, judgment, model, response, scored

from nullbench_site.protocols.axes.metrics import AxesResults
from nullbench_site.protocols.rubric.metrics import RubricResults
from nullbench_site.runs.records import CheckResult
from nullbench_site.scoring.recomputation import score_differences
from nullbench_site.scoring.results import Results, rounded
from nullbench_site.scoring.tables import csv_table, read_results, result_files, write_results

CONTRACT = (
    "rank", "rank_low", "rank_high", "model", "overall", "se", "ci_low", "ci_high", "n_items", "refusal_rate",
    "error_rate", "above_null_floor", "goal_alignment", "quality",
)  # fmt: skip
"""The columns that the architecture page promises, in its order."""
FILES = {
    "results.json", "leaderboard.csv", "domains.csv", "categories.csv", "difficulties.csv", "items.csv", "judges.csv",
    "judge_models.csv", "agreement.csv", "differences.csv", "components.csv", "score_errors.csv",
    "rater_agreement.csv", "correlations.csv", "biases.csv", "length_corrected.csv",
}  # fmt: skip


def results() -> AxesResults:
    """Two domains, three contestants: one whole, one null, one with items missing, a refusal and a failure."""
    board = benchmark(
        domain("law", category("courts", "a", "b")),
        domain("art", category("dance", "c", axes=(*AXES, "tone"))),
        models=[model("whole", memory_gb=3.0), model("null-x", "null"), "part"],
    )
    refused = [judgment(judge, "a", "part", refused=(True, False)) for judge in JUDGES]
    return scored(
        board,
        [
            *judged({"a": 91, "b": 70, "c": 33}, "whole"),
            *judged({"a": 1, "b": 2, "c": 3}, "null-x"),
            *(response("a", "part"), response("c", "part", state="errored"), *refused),
        ],
    )


RUBRIC_CONTRACT = (
    "rank", "rank_low", "rank_high", "model", "overall", "se", "ci_low", "ci_high", "n_items", "refusal_rate",
    "error_rate", "above_null_floor", "judge_mean", "geval_mean", "composite", "composite_of", "efficiency",
)  # fmt: skip
RUBRIC_FILES = {
    "results.json", "leaderboard.csv", "domains.csv", "categories.csv", "difficulties.csv", "items.csv", "judges.csv",
    "judge_models.csv", "judge_pairs.csv", "agreement.csv", "divergence.csv", "checks.csv",
    "differences.csv", "components.csv", "score_errors.csv", "variants.csv", "rater_agreement.csv", "biases.csv",
    "length_corrected.csv",
}  # fmt: skip


def rubric_results() -> RubricResults:
    """Two contestants: one whole, with G-Eval; one without it, on which a judge was incomplete, and with a failure."""
    failed = CheckResult("word-count", "", "failed"), CheckResult("reasoning", "", "failed")
    board = rubric.benchmark(models=("part", "whole"), geval=rubric.GEVAL)
    return rubric.scored(
        board,
        [
            *rubric.marked({"a": (5, 4, 4), "b": 2}, "whole"),
            *rubric.measured(0.5, "a", "whole"),
            *rubric.measured(0.7, "b", "whole"),
            *(rubric.answer("a", "part", checks=failed), rubric.answer("b", "part", state="errored")),
            *(rubric.mark("anna", 3, "a", "part"), rubric.mark("ben", 2, "a", "part")),
            rubric.mark("cleo", None, "a", "part", state="unparsed"),
        ],
    )


def rows(name: str, of: Callable[[], Results] = results) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(result_files(of())[name].decode())))


of_protocols = pytest.mark.parametrize("made", [results, rubric_results], ids=["axes", "rubric"])


@pytest.mark.parametrize(("made", "expected"), [(results, FILES), (rubric_results, RUBRIC_FILES)])
def test_every_table_is_there(made: Callable[[], Results], expected: set[str]) -> None:
    assert set(result_files(made())) == expected


@pytest.mark.parametrize(
    ("made", "contract", "more"),
    [
        (results, CONTRACT, {f"{kind}{axis}" for kind in ("", "se.", "normalised.") for axis in (*AXES, "tone")}),
        (rubric_results, RUBRIC_CONTRACT,
         {*(f"judge.{judge}" for judge in rubric.JUDGES), *(f"geval.{metric}" for metric in rubric.METRICS)}),
    ],
    ids=["axes", "rubric"],
)  # fmt: skip
def test_the_leaderboard_begins_with_the_columns_of_the_contract_and_has_those_of_its_protocol(
    made: Callable[[], Results], contract: tuple[str, ...], more: set[str]
) -> None:
    header = result_files(made())["leaderboard.csv"].decode().splitlines()[0].split(",")
    assert tuple(header[: len(contract)]) == contract
    assert more <= set(header)
    assert len(header) == len(set(header))


def test_a_row_of_the_leaderboard_says_what_the_results_say() -> None:
    """law: (91 + 70) / 2 = 80.5, art: 33, overall (80.5 + 33) / 2 = 56.75. What is unknown is an empty field."""
    whole, null, part = rows("leaderboard.csv")
    assert (whole["model"], whole["rank"], whole["overall"], whole["goal_alignment"]) == (
        "whole", "1", "56.75", "64.666667",
    )  # fmt: skip
    assert (whole["above_null_floor"], null["ci_low"], part["above_null_floor"]) == ("", "", "")  # of three items
    assert (part["rank"], part["refusal_rate"], part["error_rate"], part["n_items"]) == ("", "0.5", "0.5", "2")
    assert (whole["tone"], part["tone"]) == ("3.0", "0.0")


def test_group_and_item_tables_name_their_group_and_leave_empty_what_it_lacks() -> None:
    assert [(row["domain"], row["model"]) for row in rows("domains.csv")] == [
        ("law", "whole"), ("law", "null-x"), ("law", "part"), ("art", "whole"), ("art", "null-x"), ("art", "part"),
    ]  # fmt: skip
    assert [row["tone"] for row in rows("categories.csv") if row["category"] == "courts"] == ["", "", ""]
    items = {(row["model"], row["item"]): row for row in rows("items.csv")}
    assert len(items) == 8
    assert items["part", "a"]["state"] == "refused"
    assert (items["whole", "c"]["tone"], items["whole", "a"]["tone"]) == ("3.0", "")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", " =1", "\t=1", "\t1", "\r=1", "=cmd|' /C calc'!A0"])
def test_a_text_that_a_spreadsheet_would_run_is_defused(text: str) -> None:
    (row,) = csv.DictReader(io.StringIO(csv_table({"text": [text]}).decode(), newline=""))
    assert row["text"] == "'" + text.replace("\r", " ")


@pytest.mark.parametrize("text", ["a=1", "1+1", "", "plain", "'quoted", "é"])
def test_another_text_is_written_as_it_is(text: str) -> None:
    (row,) = csv.DictReader(io.StringIO(csv_table({"text": [text], "n": [1]}).decode()))
    assert row["text"] == text


@example([(" \t", None)])
@given(st.lists(st.tuples(st.text(), st.integers() | st.booleans() | st.none()), min_size=1))
def test_a_table_is_read_back_as_it_was_but_for_what_was_defused(table: list[tuple[str, Any]]) -> None:
    texts, values = zip(*table, strict=True)
    content = csv_table({"text": texts, "value": values})
    found = list(csv.DictReader(io.StringIO(content.decode(), newline="")))
    words = {None: "", True: "true", False: "false"}
    for row, (text, value) in zip(found, table, strict=True):
        assert row["text"].removeprefix("'") == text.replace("\r", " ").removeprefix("'")
        assert not row["text"].lstrip(" ").startswith(("=", "+", "-", "@", "\t"))
        assert row["value"] == (words[value] if value is None or isinstance(value, bool) else str(value))


def test_a_negative_number_is_a_number_and_not_defused() -> None:
    assert csv_table({"alpha": [-0.25]}) == b"alpha\n-0.25\n"


def test_a_table_without_rows_is_an_empty_line() -> None:
    assert csv_table({}) == b"\n"


@of_protocols
def test_results_are_read_back_as_they_were_written(tmp_path: Path, made: Callable[[], Results]) -> None:
    written = made()
    write_results(tmp_path, written)
    assert read_results(tmp_path, "main") == written


@of_protocols
def test_results_of_the_first_format_are_still_read(tmp_path: Path, made: Callable[[], Results]) -> None:
    (folder := tmp_path / "results" / "main").mkdir(parents=True)
    (folder / "results.json").write_bytes(msgspec.json.encode(made()))
    assert read_results(tmp_path, "main") == made()


def test_columns_of_items_take_less_than_half_of_rows() -> None:
    made = results()
    many = msgspec.structs.replace(made, items=[*made.items] * 200)
    rows, columns = (msgspec.json.format(msgspec.json.encode(many), indent=1), result_files(many)["results.json"])
    assert len(columns) < len(rows) / 2


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (('"of": [', '"of": [7000, '), "do not fit together"),
        (('"of": [', '"of": [-1, '), ">= 0"),
        (('"format": 2', '"format": 3'), "Invalid enum value 3"),
        (('"goal_alignment": [', '"goal_alignment": ["x", '), "Expected `float`"),
    ],
)
def test_damaged_columns_are_one_error(tmp_path: Path, change: tuple[str, str], why: str) -> None:
    write_results(tmp_path, results())
    path = tmp_path / "results" / "main" / "results.json"
    text = path.read_text("utf-8").replace('":[', '": [')
    assert change[0] in text
    path.write_text(text.replace(*change), "utf-8")
    with pytest.raises(msgspec.DecodeError, match=why):
        read_results(tmp_path, "main")


def test_the_files_of_a_board_stand_below_its_name(tmp_path: Path) -> None:
    written = results()
    write_results(tmp_path, written)
    folder = tmp_path / "results" / "main"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == result_files(written)


def test_a_table_that_the_results_no_longer_have_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "results" / "main"
    folder.mkdir(parents=True)
    (folder / "variants.csv").write_text("family\nold\n", "utf-8")
    write_results(tmp_path, results())
    assert not (folder / "variants.csv").exists()


def test_no_number_is_nan_or_infinite_and_none_has_more_than_six_digits_after_the_point() -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} in results.json")

    text = result_files(results())["results.json"].decode()
    json.loads(text, parse_constant=refuse)
    numbers = [float(number) for number in re.findall(r"-?\d+\.\d+(?:e-?\d+)?", text)]
    assert len(numbers) > 100
    assert all(math.isclose(number, round(number, 6), rel_tol=0, abs_tol=1e-12) for number in numbers)


def test_whatever_is_absent_of_a_row_has_its_reason_and_what_has_a_reason_is_absent() -> None:
    """But for ranks and intervals, which follow from others, and telemetry of contestants that never answered."""
    found = results()
    every = [
        *found.leaderboard,
        *(row for group in (*found.domains, *found.categories, *found.difficulties) for row in group.rows),
    ]
    assert any(row.absent for row in every)
    for row in every:
        figures = {name: getattr(row, name) for name in row.__struct_fields__} | row.axes
        for name in row.absent:
            assert figures[name] is None, name
        for name in (
            "se",
            "qpr",
            "qpr_pct",
            "stability",
            "throughput_rps",
            "throughput_tps",
            "above_null_floor",
            *row.axes,
        ):
            assert (figures.get(name, 0) is None) == (name in row.absent), name


def test_a_row_of_a_rubric_board_says_what_the_results_say() -> None:
    """whole: anna 3.5, ben and cleo 3: 3.166667, 0.541667 with G-Eval 0.6 is 0.570833. part: (3 - 1) / 4 and
    (2 - 1) / 4 on the answer that did not fail, mean 0.375, over two 18.75."""
    whole, part = rows("leaderboard.csv", rubric_results)
    assert [whole[name] for name in ("judge_mean", "geval_mean", "composite", "composite_of", "judge.anna")] == [
        "3.166667", "0.6", "0.570833", "judge+geval", "3.5",
    ]  # fmt: skip
    assert [part[name] for name in ("overall", "composite", "composite_of", "geval_mean", "judge.cleo")] == [
        "18.75", "0.375", "judge", "", "",
    ]  # fmt: skip


def test_an_item_of_a_rubric_board_names_the_checks_that_failed_and_each_mark() -> None:
    items = {(row["model"], row["item"]): row for row in rows("items.csv", rubric_results)}
    assert items["part", "a"]["failed"] == "reasoning word-count"
    assert (items["whole", "a"]["judge.anna"], items["part", "a"]["judge.cleo"]) == ("5.0", "")
    assert items["part", "b"]["state"] == "errored"


def test_a_rubric_board_that_was_made_again_shows_no_difference_but_in_times() -> None:
    one, other = rubric_results(), rubric_results()
    other.leaderboard[0].median_response_time_ms = 1.0
    assert score_differences(one, other) == []
    other.leaderboard[0].judge_mean = 1.0
    assert score_differences(one, other) == ["main.leaderboard[whole].judge_mean: 3.166667 and 1.0"]


def test_rounding_reaches_every_float_and_leaves_what_was_given_as_it_was() -> None:
    row = results().leaderboard[0]
    row.overall, row.axes, row.derived = 1 / 3, {"tone": 2 / 3}, {}
    (digits,) = rounded((row,))
    assert (digits.overall, digits.axes, digits.model) == (0.333333, {"tone": 0.666667}, row.model)
    assert rounded([[np.float64(1 / 7)], (None, True, 10**20)]) == [[0.142857], [None, True, 10**20]]
    assert (row.overall, row.axes) == (1 / 3, {"tone": 2 / 3})
