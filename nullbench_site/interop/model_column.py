"""Find the column that names the models of a wide table, or say what it has instead, and turn a transposed table."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from nullbench_site.interop.column_names import (
    is_benchmark,
    is_fact,
    is_model,
    is_of_tasks,
    is_prompt,
    is_score,
    is_setting,
    words_of,
)
from nullbench_site.interop.number_forms import looks_like_a_date
from nullbench_site.interop.score_cells import content_of, texts_of
from nullbench_site.interop.table_rows import Block, TableRows
from nullbench_site.text import listed, quoted, some_of

_NAMED = 3
_OF_MODELS = frozenset(("model", "models", "llm", "llms", "system", "agent", "contestant", "submission"))


def all_columns(rows: TableRows) -> tuple[dict[str, Sequence[Any]], Sequence[int]]:
    """Return all columns, and the numbers of the rows."""
    numbers: list[int] = []
    cells: list[Sequence[Any]] = []
    for block in rows.blocks:
        numbers += block.numbers
        cells += block.rows
    if not cells:
        raise rows.error("the table has a header and no row")
    return dict(zip(rows.header, zip(*cells, strict=True), strict=True)), numbers


def transposing(command: str) -> str:
    """Return what to type for a table with a row per task."""
    return f"{command} --transpose" if command else "transpose=True"


def command_with(option: str, values: Sequence[str], command: str) -> str:
    """Return what to type: a command with an option for each value, or an argument of the library's function."""
    if not command:
        return f"{option}={list(values) if option == 'score' else values[0]!r}"
    options = [
        f"--{option}={shlex.quote(name)}" if name.startswith("-") else f"--{option} {shlex.quote(name)}"
        for name in values
    ]
    return " ".join([command, *options])


def distinct_texts(columns: Mapping[str, Sequence[Any]]) -> list[str]:
    """Return the columns with another text in each row, the likely ones first."""
    found = []
    for name, cells in columns.items():
        texts = texts_of(cells)
        if "" not in texts and len(set(texts)) == len(texts) and content_of(cells) == "text":
            found.append(name)
    return sorted(found, key=lambda name: not (_names_models(name) or "name" in words_of(name)))


def _names_models(name: str) -> bool:
    words = words_of(name)
    return not _OF_MODELS.isdisjoint(words) and not is_fact(name)


def model_column(
    rows: TableRows, columns: Mapping[str, Sequence[Any]], chosen: str | None, command: str, *, named: bool
) -> str:
    """Return the column that names the models. Raises UsageError if it has something else.

    chosen: the column that the user or its name gives; None to look. named: whether the user named it.
    """
    if chosen is not None:
        texts = [text for text in texts_of(columns[chosen]) if text]
        others = [name for name in columns if name != chosen]
        if not named and len(texts) > 1 and is_transposed("model", texts, others):
            shown = listed([quoted(text, 30) for text in texts[:_NAMED]])
            way = f"if each other column is a model, {transposing(command)}"
            models = command_with("model", [chosen], command)
            raise rows.error(
                f"the rows look like data sets, not models: {shown}; {way}; if the rows are models, {models}"
            )
        return chosen
    first = rows.header[0]
    texts = distinct_texts(columns)
    likely = [name for name in texts if _names_models(name)]
    if len(likely) == 1:
        return likely[0]
    content = content_of(columns[first])
    others = [name for name in texts if name != first]
    if content in ("number", "percent", "truth"):
        what = f"no column names the model, and the first, {quoted(first)}, has numbers"
        raise rows.error(f"{what}; use {_way_on(others, command)}")
    cells = [text for text in texts_of(columns[first]) if text]
    shown = listed(some_of([quoted(text, 30) for text in dict.fromkeys(cells)], _NAMED))
    if content == "date" or _share(cells, looks_like_a_date) >= 0.5:
        raise rows.error(
            f"the first column, {quoted(first)}, has dates, not models: {shown}; use {_way_on(others, command)}"
        )
    if is_transposed(first, cells, rows.header[1:]):
        what = f"the rows are tasks, not models ({quoted(first)}: {shown})"
        way = f"if each other column is a model, {transposing(command)}"
        raise rows.error(f"{what}; {way}; if the rows are models, {command_with('model', [first], command)}")
    for share, what in (
        (_share(cells, is_setting), "settings"),
        (_share(cells, is_prompt), "prompts"),
        (_share(cells, lambda text: is_benchmark(text) and not is_model(text)), "data sets"),
    ):
        if share >= 0.5:
            found = f"the first column, {quoted(first)}, has {what}, not models: {shown}"
            raise rows.error(
                f"{found}; use {_way_on(others, command)}, or --model {shlex.quote(first)} if these are models"
            )
    return first


def _way_on(others: Sequence[str], command: str) -> str:
    return command_with("model", others[:1], command) if others else "--model with the column that names the models"


def _share(cells: Sequence[str], of: Callable[[str], bool]) -> float:
    return sum(map(of, cells)) / max(len(cells), 1)


def is_transposed(first: str, cells: Sequence[str], others: Sequence[str]) -> bool:
    """Return True for a table with a row per task and a column per model.

    first: the name of its first column. cells: its texts. others: the names of the other columns.
    """
    models = _share(cells, is_model)
    of_models = [name for name in others if is_model(name) and not is_benchmark(name)]
    if len(of_models) >= 2 and len(of_models) >= 0.5 * len(others) and models < 0.5:
        return True
    tasks = _share(cells, lambda text: is_benchmark(text) and not is_model(text))
    return models < 0.5 and (is_of_tasks(first) or (tasks >= 0.5 and not any(map(is_benchmark, others))))


def transposed(rows: TableRows, tasks: str | None) -> TableRows:
    """Return a table with a row per task as one with a row per model.

    tasks: the column of tasks; None for the first.
    """
    columns, numbers = all_columns(rows)
    tasks = tasks or rows.header[0]
    names, seen = texts_of(columns[tasks]), {"model"}
    for at, name in enumerate(names):
        if not name:
            raise rows.error(f"column {quoted(tasks)} is empty; write a name, or remove the row", numbers[at])
        if name in seen:
            raise rows.error(f"two rows are called {quoted(name)}; rename or remove one", numbers[at])
        seen.add(name)
    models, left = list[str](), list[str]()
    for column in rows.header:
        if column != tasks:
            of_scores = content_of(columns[column]) in ("number", "percent", "truth")
            of_scores = of_scores and not is_fact(column) and not is_score(column)
            (models if of_scores else left).append(column)
    if not models:
        raise rows.error("no column has scores; a table to transpose has a row per task and a column per model")
    places = [rows.header.index(model) + 1 for model in models]
    notes = [*rows.notes, f"Transposed: {quoted(tasks)} names the tasks, and each other column is a model."]
    if left:
        notes.append(f"No models, and not used: {listed(some_of([quoted(name) for name in left], 6))}.")

    def blocks() -> Iterator[Block]:
        yield Block(places, [[model, *columns[model]] for model in models])

    return replace(rows, header=("model", *names), blocks=blocks(), by_column=True, notes=notes)
