"""The registry of metrics against the results it names: neither has what the other lacks."""

from __future__ import annotations

import csv
import json
import re
import types
import typing
from collections.abc import Iterator
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import msgspec
import pytest
from latex2mathml.converter import convert
from msgspec import inspect
from support import oracle_boards, rubric_boards
from support.boards import AXES, benchmark, judged, scored
from support.commands import ROOT
from support.repositories import run_dir

from nullbench_site.extensions import registered
from nullbench_site.repository import Repository
from nullbench_site.scoring.columns import Scale
from nullbench_site.scoring.metrics import METRICS, SHARED, own_metrics
from nullbench_site.scoring.results import Results
from nullbench_site.scoring.scorer import results_type
from nullbench_site.scoring.tables import result_files


def structs_of(kind: Any) -> Iterator[type[msgspec.Struct]]:
    """The types of rows in the type of a table, as `msgspec.inspect` has it."""
    match kind:
        case inspect.StructType():
            yield kind.cls
        case inspect.UnionType():
            for each in kind.types:
                yield from structs_of(each)
        case inspect.ListType() | inspect.VarTupleType():
            yield from structs_of(kind.item_type)


def is_judged(protocol: str) -> bool:
    return "judges" in results_type(protocol).__struct_fields__


def rows_of(protocol: str) -> Iterator[type[msgspec.Struct]]:
    """The types of rows of the tables that boards of a protocol have; without judges nothing measures a panel."""
    results = results_type(protocol)
    info = inspect.type_info(results)
    assert isinstance(info, inspect.StructType)
    of_judges = {
        "components", "score_errors", "controls", "bridges", "bridge_ranks", "rater_agreement", "biases",
        "length_corrected", "judge_labels", "corrected_scores", "alt_tests",
        "label_redraws", "label_worth", "best_of", "best_of_fits", "attacks", "attacked_judges",
        "defences", "defended_attacks", "defended_scores", "search_steps",
    }  # fmt: skip
    tables = {"leaderboard", "items", "differences", *results.TABLES, *results.SOME, *of_judges}
    if not is_judged(protocol):
        tables -= of_judges
    for field in info.fields:
        if field.name in tables:
            yield from structs_of(field.type)


RUN = run_dir(Repository(ROOT))
ROWS = {protocol: tuple(rows_of(protocol)) for protocol in registered("protocols")}
SPREAD = {
    "axes": "<axis>", "axes_se": "se.<axis>", "normalised_axes": "normalised.<axis>", "judges": "judge.<judge>",
    "marks": "judge.<judge>", "geval": "geval.<metric>", "against": "against.<baseline>",
    "against_low": "against_low.<baseline>", "against_high": "against_high.<baseline>", "verdicts": "score",
    "grades": "score", "means": "score", "by_judge": "by_judge.<judge>",
}  # fmt: skip
"""Fields that are maps, and the columns they are spread into."""
OF_JUDGES = {
    "n_unjudged", "judge_calls", "judge_errored", "judge_unparsed", "judge_missing", "panel_se", "panel_low",
    "panel_high", "overall_adjusted",
}  # fmt: skip
"""Columns of boards that judges score."""
COLUMNS = {
    protocol: [column for metric in METRICS.values() if protocol in metric.protocols for column in metric.columns or ()]
    for protocol in ROWS
}
"""The columns that the registry knows, by the protocol of their boards."""


def numeric_columns(protocol: str, row: type[msgspec.Struct]) -> set[str]:
    """The columns of a kind of row that hold numbers, or true and false, on boards of a protocol."""
    columns = set()
    for name, kind in typing.get_type_hints(row).items():
        options = set(typing.get_args(kind)) if isinstance(kind, types.UnionType) else {kind}
        if options & {int, float, bool}:
            columns.add(name)
        elif name == "derived":
            columns |= set(registered("metrics"))
            own = (metric for metric in METRICS.values() if protocol in metric.protocols and metric.value)
            columns |= {metric.id for metric in own if metric.columns == (metric.id,)}
        elif name in SPREAD:
            columns.add(SPREAD[name])
    return columns - (set() if is_judged(protocol) else OF_JUDGES)


def test_a_metric_has_a_title_a_sentence_and_a_source() -> None:
    for metric in METRICS.values():
        assert all((metric.title, metric.short, metric.unit_and_scale, metric.source)), metric.id
        assert metric.title[0].isupper() or metric.title[0].isdigit(), metric.id
        assert metric.sentence.endswith("."), metric.id
        assert len(metric.sentence.split()) >= 3, metric.id
        assert metric.digits >= 0, metric.id


def test_a_formula_can_be_shown() -> None:
    shown = [metric for metric in METRICS.values() if metric.formula]
    assert [metric.id for metric in shown if not convert(metric.formula).startswith("<math")] == []


def test_protocols_name_shared_metrics_that_exist() -> None:
    own = [metric for name in ROWS for metric in own_metrics(name)]
    assert {metric.before or metric.after for metric in own} <= {"", *(metric.id for metric in SHARED)}
    assert len(SHARED) + len(own) == len(METRICS) - len(registered("metrics"))


def test_a_metric_of_a_protocol_stands_where_it_says() -> None:
    order = list(METRICS)
    assert order[0] == "overall"
    assert order.index("share_ci") == order.index("ci") + 1
    assert order.index("mean_time_s") == order.index("median_response_time_ms") - 1


@pytest.mark.parametrize("board", sorted((RUN / "results").iterdir()), ids=lambda board: board.name)
def test_the_scores_of_the_shipped_run_are_on_the_scale_of_their_metric(board: Path) -> None:
    protocol = json.loads((board / "results.json").read_text("utf-8"))["protocol"]
    with_scale = [metric for metric in METRICS.values() if metric.scale and protocol in metric.protocols]
    scales = {column: metric.scale for metric in with_scale for column in metric.columns or () if column != "n_items"}
    for table in ("leaderboard", "domains", "categories", "difficulties", "items"):
        for row in csv.DictReader((board / f"{table}.csv").read_text("utf-8").splitlines()):
            for column in scales.keys() & row.keys():
                low, high = scales[column] or (None, None)
                low, high = -inf if low is None else low, inf if high is None else high
                assert not row[column] or low <= float(row[column]) <= high, (table, column)


@pytest.mark.parametrize(
    ("unit", "scale", "words"),
    [
        ("points", None, "points"), ("", (0, 100), "0-100"), ("", (-1, 1), "-1 to 1"), ("", (None, 1), "at most 1"),
        ("", (0, None), "at least 0"), ("shown in %", (0, 1), "0-1, shown in %"), ("ms", (None, None), "ms"),
    ],
)  # fmt: skip
def test_a_unit_is_worded_with_its_scale(unit: str, scale: Scale | None, words: str) -> None:
    assert replace(METRICS["se"], unit=unit, scale=scale).unit_and_scale == words


def test_ids_and_titles_are_unique() -> None:
    assert all(metric.id == name for name, metric in METRICS.items())
    assert len({metric.title for metric in METRICS.values()}) == len(METRICS)


def test_no_column_of_a_board_has_two_metrics() -> None:
    for columns in COLUMNS.values():
        assert len(set(columns)) == len(columns) > 1


def test_every_column_of_numbers_belongs_to_a_metric() -> None:
    for protocol, rows in ROWS.items():
        for row in rows:
            assert numeric_columns(protocol, row), (protocol, row)
            assert numeric_columns(protocol, row) <= set(COLUMNS[protocol]), (protocol, row)


def test_a_metric_names_columns_that_results_of_its_protocols_have() -> None:
    """A column of one of several protocols is enough: an `axes` board alone counts refused answers. What pages alone
    show, as the marks of trust, is in no column."""
    columns = {protocol: set().union(*(numeric_columns(protocol, row) for row in ROWS[protocol])) for protocol in ROWS}
    for metric in METRICS.values():
        assert metric.protocols, metric.id
        names, of_protocols = set(metric.columns or ()), [columns[protocol] for protocol in metric.protocols]
        assert names <= set().union(*of_protocols), metric.id
        assert all(names & columns for columns in of_protocols) or not names, metric.id


def columns_of(results: Results) -> set[str]:
    return set(result_files(results)["leaderboard.csv"].decode().splitlines()[0].split(","))


def test_every_numeric_column_of_the_leaderboard_file_is_in_the_data_dictionary() -> None:
    columns = columns_of(scored(benchmark(), judged({"q": 50})))
    columns = {re.sub("|".join(AXES), "<axis>", column) for column in columns}
    assert columns - set(COLUMNS["axes"]) == {"model", "below_floor_alone"}


def test_every_numeric_column_of_the_leaderboard_file_of_a_rubric_board_is_in_the_data_dictionary() -> None:
    columns = columns_of(rubric_boards.scored(rubric_boards.benchmark(geval="gerd"), rubric_boards.marked({"a": 4})))
    columns = {re.sub(r"^geval\..*", "geval.<metric>", re.sub(r"^judge\..*", "judge.<judge>", c)) for c in columns}
    assert columns - set(COLUMNS["rubric"]) == {"model", "below_floor_alone", "composite_of"}


def test_every_numeric_column_of_the_leaderboard_file_of_an_oracle_board_is_in_the_data_dictionary() -> None:
    columns = columns_of(oracle_boards.scored(oracle_boards.benchmark(), oracle_boards.marked({"a": "correct"})))
    assert columns - set(COLUMNS["oracle"]) == {"model"}
