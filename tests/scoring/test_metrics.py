"""The registry of metrics against the results it names: neither has what the other lacks."""

from __future__ import annotations

import re
import types
import typing

import msgspec
import pytest
from latex2mathml.converter import convert
from support.boards import AXES, benchmark, judged, scored

from nullbench_site.scoring.metrics import METRIC_OF_COLUMN, METRICS, Metric
from nullbench_site.scoring.results import AgreementRow, BoardRow, GroupRow, ItemRow
from nullbench_site.scoring.tables import result_files

ROWS = (GroupRow, BoardRow, ItemRow, AgreementRow)
OF_AXES = {"axes": "<axis>", "axes_se": "se.<axis>", "normalised_axes": "normalised.<axis>"}
"""Fields that are maps over axes, and the columns they are spread into."""
NO_FIGURES = {"tokens_exact", "units", "units_scored"}
"""Says how another column was come by, or on how much it stands."""
every_metric = pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)


def numeric_columns(row: type[msgspec.Struct]) -> set[str]:
    """The columns of a kind of row that hold numbers, or true and false."""
    columns = set()
    for name, kind in typing.get_type_hints(row).items():
        options = set(typing.get_args(kind)) if isinstance(kind, types.UnionType) else {kind}
        if options & {int, float, bool}:
            columns.add(name)
        elif name in OF_AXES:
            columns.add(OF_AXES[name])
    return columns - NO_FIGURES


@every_metric
def test_a_metric_has_a_title_an_explanation_and_a_source(metric: Metric) -> None:
    assert metric.title
    assert metric.short
    assert metric.unit
    assert metric.source
    assert metric.title[0].isupper() or metric.title[0].isdigit()
    assert metric.explanation.endswith(".")
    assert len(metric.explanation.split()) >= 3
    assert metric.digits >= 0


@every_metric
def test_a_formula_can_be_shown(metric: Metric) -> None:
    if metric.formula:
        assert convert(metric.formula).startswith("<math")


def test_ids_titles_and_columns_are_unique() -> None:
    assert all(metric.id == name for name, metric in METRICS.items())
    assert len({metric.title for metric in METRICS.values()}) == len(METRICS)
    columns = [column for metric in METRICS.values() for column in metric.columns]
    assert len(set(columns)) == len(columns) == len(METRIC_OF_COLUMN)


@pytest.mark.parametrize("row", ROWS)
def test_every_column_of_numbers_belongs_to_a_metric(row: type[msgspec.Struct]) -> None:
    assert len(numeric_columns(row)) > 1
    assert numeric_columns(row) <= set(METRIC_OF_COLUMN)


def test_every_metric_names_columns_that_results_have() -> None:
    assert set(METRIC_OF_COLUMN) == {column for row in ROWS for column in numeric_columns(row)}


def test_every_numeric_column_of_the_leaderboard_file_is_in_the_data_dictionary() -> None:
    header = result_files(scored(benchmark(), judged({"q": 50})))["leaderboard.csv"].decode().splitlines()[0]
    columns = {re.sub("|".join(AXES), "<axis>", column) for column in header.split(",")}
    assert columns - set(METRIC_OF_COLUMN) == {"model", "tokens_exact"}
