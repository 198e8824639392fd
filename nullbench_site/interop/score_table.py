"""Make a table of scores from rows: recognise columns by name, choose groups, clusters and families, note how."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Literal, TypeAlias
from unicodedata import normalize

import msgspec
import numpy as np
import re2

from nullbench_site.errors import UsageError
from nullbench_site.interop.file_kinds import check_suffix
from nullbench_site.interop.logs.reading import read_logs
from nullbench_site.interop.model_column import all_columns, is_transposed, transposed, transposing
from nullbench_site.interop.score_cells import Scores, content_of, texts_of
from nullbench_site.interop.score_columns import matching
from nullbench_site.interop.table_rows import Block, TableRows, open_table
from nullbench_site.interop.table_shapes import Asked, Shaped, read_long, read_wide
from nullbench_site.scoring.ranked_table import ScoreTable
from nullbench_site.specs.lookalikes import look_alikes, odd_letters
from nullbench_site.stats.arrays import Bools
from nullbench_site.text import did_you_mean, escaped, listed, plural, quoted, some_of

Role: TypeAlias = Literal["model", "item", "score", "group"]
NAMES: dict[Role, tuple[str, ...]] = {
    "model": ("model", "model_name", "model_id", "models", "system", "agent", "llm", "contestant", "submission"),
    "item": (
        "item", "item_id", "task", "task_id", "question", "question_id", "problem", "problem_id", "instance",
        "instance_id", "prompt_id", "example", "example_id", "sample_id", "doc_id", "test_case", "id",
    ),
    "score": (
        "score", "scores", "value", "correct", "is_correct", "accuracy", "acc", "pass", "passed", "pass@1",
        "pass_at_1", "resolved", "success", "result", "em", "exact_match", "f1",
    ),
    "group": ("group", "category", "domain"),
}  # fmt: skip
"""The names by which the column of a role is recognised, in any case, with spaces or hyphens for underscores."""
_CLUSTERS = frozenset((
    "cluster", "source", "source_id", "problem", "problem_id", "document", "document_id", "passage", "passage_id",
    "context", "context_id", "repository", "repo", "bundle", "author", "conversation", "conversation_id", "story",
))  # fmt: skip
NO_GROUPS = "none"
"""The value of --group with which all items count alike, even if a column has the name of a group."""
_NAMED = 6
_MAY_COUNT_MODELS = frozenset(("id",))
"""Names of items by which a table may also number its rows, one for each model."""
_MOST_TASKS = 40
"""A table with more items has questions, not tasks."""


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """The user's choices; None for a role whose column is recognised by name.

    score: a column, or several columns or patterns of a table with a row per model. groups: a JSON file with the items
    of each group, or these items. family: a column, or a pattern in the names of models. scale: the two ends between
    which every score lies. transpose: the table has a row per task. command: what the user typed, to complete in
    messages; "" for the library.
    """

    model: str | None = None
    item: str | None = None
    score: str | Sequence[str] | None = None
    group: str | None = None
    groups: Path | Mapping[str, Sequence[str]] | None = None
    cluster: str | None = None
    family: str | None = None
    scale: tuple[float, float] | None = None
    transpose: bool = False
    command: str = ""

    @property
    def scores(self) -> tuple[str, ...]:
        """The columns or patterns of scores."""
        return () if self.score is None else (self.score,) if isinstance(self.score, str) else tuple(self.score)


BY_NAME = Chosen()
"""Nothing is chosen: columns are recognised by name, and there are no clusters and families."""


def read_table(path: str, chosen: Chosen = BY_NAME) -> ScoreTable:
    """Read a table from a file, from logs, or from standard input for `-`. Raises UsageError with the place."""
    check_suffix(escaped(path))
    if (logs := read_logs(path, chosen.scores[0] if len(chosen.scores) == 1 else None)) is not None:
        if chosen.transpose or len(chosen.scores) > 1:
            raise UsageError(f"{logs.name}: a log has one --score, the name of a metric, and no --transpose")
        cluster = chosen.cluster or ("cluster" if logs.stated.clustered else None)
        named = msgspec.structs.replace(chosen, model="model", item="item", score=logs.stated.score, cluster=cluster)
        return table_of(logs, named)
    with open_table(path) as rows:
        return table_of(rows, chosen)


def table_of(rows: TableRows, chosen: Chosen = BY_NAME) -> ScoreTable:
    """Return the table that rows make. It is long if a column names items, else wide, with a row per model."""
    if chosen.scale is not None and not chosen.scale[0] < chosen.scale[1]:
        low, high = chosen.scale
        raise UsageError(f"the scale {low:g} to {high:g} is invalid: the first end must be lower than the second")
    if len(rows.header) == 1:
        what = "the header has one column; separate columns with commas, semicolons or tabs"
        raise rows.error(f"{what}: {quoted(rows.header[0])}")
    if chosen.group is not None and chosen.groups is not None:
        raise UsageError("--group and --groups both give the groups of items; use one")
    rows, scores, shaped = _shaped(rows, chosen)
    notes, named = [*rows.notes, *shaped.notes, *scores.notes], frozenset(shaped.items)
    shaped = _without_empty(rows, shaped, notes)
    groups = _groups_of(rows, shaped, named, chosen, notes)
    clusters = _clusters_of(rows, shaped, chosen, notes)
    families = _families_of(rows, shaped, chosen.family, notes)
    notes += _alike(shaped.models)
    if unused := [
        column for column in (*shaped.item_columns, *shaped.cell_columns) if quoted(column) not in " ".join(notes)
    ]:
        notes.append(f"Without effect on ranks: {listed(some_of([quoted(column) for column in unused], _NAMED))}.")
    return ScoreTable(
        name=rows.name,
        models=tuple(shaped.models),
        items=tuple(shaped.items),
        values=shaped.values,
        groups=groups,
        clusters=clusters,
        families=families,
        item_columns=shaped.item_columns,
        model_columns=shaped.model_columns,
        cell_columns=shaped.cell_columns,
        scale=(0.0, 100.0) if scores.percent else rows.stated.scale,
        lower_is_better=rows.stated.lower_is_better,
        means=rows.stated.means,
        notes=tuple(notes),
        columns=tuple(shaped.columns),
    )


def _shaped(rows: TableRows, chosen: Chosen) -> tuple[TableRows, Scores, Shaped]:
    """Return the rows as they were read, what was read of their scores, and the content of the table."""
    model: str | None = "model"
    item: str | None = None
    if chosen.transpose:
        rows = _transposed(rows, chosen)
    else:
        model, item = _column("model", rows, chosen.model), _column("item", rows, chosen.item)
    several = len(matching(chosen.scores, rows.header)[0]) > 1
    named = item is not None and not several
    score = _column("score", rows, _one(rows, chosen.scores)) if named else None
    if item is not None and chosen.item is None and (score is None or item.casefold() in _MAY_COUNT_MODELS):
        rows, is_wide = _is_wide(rows, model, item)
        item = None if is_wide else item
    if item is not None and several:
        _one(rows, chosen.scores)
    if item is not None and model is None and score is None:
        rows = _check_transposed(rows, item, chosen.command)
    scores = Scores(rows, chosen.scale or rows.stated.scale)
    if item is None:
        return rows, scores, _wide(rows, model, scores, chosen)
    for column, role in ((model, "model"), (item, "item"), (score, "score")):
        if column is None:
            known = listed(some_of([quoted(name) for name in rows.header], _NAMED))
            raise rows.error(f"no column is known as the {role}; name it with --{role}; there are {known}")
    shaped = read_long(rows, str(model), item, str(score), scores)
    if scores.scale is None:
        _check_one_scale(rows, shaped)
    return rows, scores, shaped


def _wide(rows: TableRows, model: str | None, scores: Scores, chosen: Chosen) -> Shaped:
    """Return the content of a table with a row per model."""
    items = None
    if chosen.groups is not None:
        source, items = _groups(chosen.groups)
        if missing := [item for item in items if item not in rows.header]:
            advice = did_you_mean(missing[0], rows.header)
            raise rows.error(f"{source} names item {quoted(missing[0])}, which has no column; {advice}")
    named = chosen.model is not None or chosen.transpose
    shaped = read_wide(rows, scores, Asked(model, chosen.scores, items, scores.scale, chosen.command, named))
    if chosen.group or chosen.cluster:
        raise rows.error("a wide table has no column about items; give their groups in a file, with --groups")
    return shaped


def _alike(models: Sequence[str]) -> Iterator[str]:
    """Yield models whose names look alike, with their letters from other scripts, or differ only in case."""
    of_case: dict[str, list[str]] = {}
    for name in models:
        of_case.setdefault(name.casefold(), []).append(quoted(name))
    for names in islice((names for names in of_case.values() if len(names) > 1), _NAMED):
        yield f"{listed(names)} differ only in case, and are {len(names)} models."
    for name, other in islice(look_alikes(models), _NAMED):
        odd = listed([each for each in (odd_letters(name), odd_letters(other)) if each])
        which = f" ({odd})" if odd else ""
        yield f"Warning: model {quoted(name)} looks like {quoted(other)}{which}; they are two models here."


def _one(rows: TableRows, scores: Sequence[str]) -> str | None:
    """Return the column of scores of a table with a row per score. Raises UsageError for several."""
    if not scores:
        return None
    found, missing = matching(scores, rows.header)
    if missing is not None:
        return missing
    if len(found) > 1:
        names = listed(some_of([quoted(name) for name in found], _NAMED))
        raise rows.error(
            f"a table with a row per score has one column of scores, but --score gives {names}; choose one"
        )
    return found[0]


def _transposed(rows: TableRows, chosen: Chosen) -> TableRows:
    if chosen.model is not None:
        raise rows.error(
            "--model and --transpose: in a transposed table each column is a model; use --item for the tasks"
        )
    if chosen.group or chosen.cluster:
        raise rows.error("a wide table has no column about items; give their groups in a file, with --groups")
    return transposed(rows, _column("item", rows, chosen.item))


def _is_wide(rows: TableRows, model: str | None, item: str) -> tuple[TableRows, bool]:
    """Return the rows again, and whether the table has a row per model although a column has the name of one of items.

    Then each model occurs once, and several columns have numbers. item: that column; it may count the rows.
    """
    columns, numbers = all_columns(rows)
    rows = dataclasses.replace(rows, blocks=iter([Block(numbers, list(zip(*columns.values(), strict=True)))]))
    if len(numbers) < 2:
        return rows, False
    if model is not None and item.casefold() in _MAY_COUNT_MODELS:
        return rows, all(len(set(texts_of(columns[name]))) == len(numbers) for name in (model, item))
    of_numbers = [name for name in columns if name not in (model, item) and content_of(columns[name]) == "number"]
    if len(of_numbers) < 2:
        return rows, False
    if model is None:
        return rows, content_of(columns[item]) == "number" and len(set(columns[item])) == len(numbers)
    return rows, len(set(texts_of(columns[model]))) == len(numbers)


def _check_transposed(rows: TableRows, item: str, command: str) -> TableRows:
    """Return the rows again. Raises UsageError if the table has a row per task and a column per model."""
    columns, numbers = all_columns(rows)
    others = [name for name in columns if name != item]
    of_numbers = all(content_of(columns[name]) in ("number", "percent", "truth", "empty") for name in others)
    if (of_numbers and len(others) > 1) or is_transposed(item, texts_of(columns[item]), others):
        what = f"the rows are tasks, named by {quoted(item)}, and no column names the model"
        raise rows.error(f"{what}; if each other column is a model, {transposing(command)}")
    return dataclasses.replace(rows, blocks=iter([Block(numbers, list(zip(*columns.values(), strict=True)))]))


def _check_one_scale(rows: TableRows, shaped: Shaped) -> None:
    """Raise UsageError if the items of a table with a row per score have unlike scales, as tasks and prices have."""
    if len(shaped.items) > _MOST_TASKS or len(shaped.items) < 2:
        return
    known = shaped.values[:, ~np.isnan(shaped.values).all(axis=0)]
    low, high = (each(known, axis=0) for each in (np.nanmin, np.nanmax))
    whole = ((known == np.rint(known)) | np.isnan(known)).all(axis=0)
    tops = np.maximum(np.abs(low), np.abs(high))
    fractions = (tops <= 1) & ~whole
    far = tops.max(initial=0) > 100 and tops[tops > 0].min() * 10 < tops.max()
    if not far and not (fractions.any() and (tops > 1.5).any()):
        return
    ranges = [f"{quoted(item)} {low[at]:g} to {high[at]:g}" for at, item in enumerate(shaped.items[: len(low)])]
    advice = "keep the rows of items on one scale, or state the ends of all scores with --scale LOW:HIGH"
    raise rows.error(f"the items do not share a scale: {listed(some_of(ranges, _NAMED))}; {advice}")


def _column(role: Role, rows: TableRows, chosen: str | None, among: Iterable[str] | None = None) -> str | None:
    """Return the column with a role; None if there is none. The role's own name goes before others.

    among: the columns that may have it; None for all.
    """
    header = rows.header if among is None else tuple(among)
    if chosen is not None:
        chosen = normalize("NFC", chosen)
        if chosen not in header:
            raise rows.error(f"no column {quoted(chosen)} for --{role}; {did_you_mean(chosen, header)}")
        return chosen
    plain = {column: re.sub(r"[\s-]+", "_", column.casefold()) for column in header}
    found = [column for column in plain if plain[column] == role] or [
        column for column in plain if plain[column] in NAMES[role]
    ]
    if len(found) > 1:
        columns = listed([quoted(column) for column in found])
        raise rows.error(f"columns {columns} could each be the {role}; choose one with --{role}")
    return found[0] if found else None


def _groups(groups: Path | Mapping[str, Sequence[str]]) -> tuple[str, dict[str, str]]:
    """Return the name of a file of groups, and the group of each item in it."""
    name = "groups"
    if isinstance(groups, Path):
        name = escaped(groups.name)
        try:
            groups = msgspec.json.decode(groups.read_bytes(), type=dict[str, list[str]])
        except OSError as error:
            raise UsageError(f"{name}: cannot be read ({error.strerror})") from error
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise UsageError(f"{name}: {error}; expected an object with a list of items for each group") from error
    of_item: dict[str, str] = {}
    for group, items in groups.items():
        for item in items:
            if of_item.setdefault(item, group) != group:
                both = listed([quoted(of_item[item]), quoted(group)])
                raise UsageError(f"{name}: item {quoted(item)} is in the groups {both}; keep it in one")
    return name, of_item


def _groups_of(
    rows: TableRows, shaped: Shaped, known: Collection[str], chosen: Chosen, notes: list[str]
) -> tuple[str, ...] | None:
    """Return the group of each item, from a file or a column; None if all items count alike.

    known: the items of the table, those without a score too.
    """
    if chosen.groups is not None:
        source, of_item = _groups(chosen.groups)
        if missing := [item for item in of_item if item not in known]:
            advice = did_you_mean(missing[0], known)
            raise rows.error(f"{source} names item {quoted(missing[0])}, which does not exist; {advice}")
        if missing := [item for item in shaped.items if item not in of_item]:
            raise rows.error(f"item {quoted(missing[0])} is in no group of {source}; add it to one")
        groups = tuple(of_item[item] for item in shaped.items)
    elif chosen.group == NO_GROUPS:
        return None
    else:
        column = chosen.group or _column("group", rows, None, shaped.item_columns)
        if column is None:
            return None
        groups, source = _filled(rows, shaped, column), f"column {quoted(column)}"
    names = sorted(set(groups))
    shown = listed(some_of(names, _NAMED))
    rule = "a score is the mean over groups of the mean in each; --group none for the mean over items"
    notes.append(f"{plural(len(names), 'group')} of items, from {source}: {shown}; {rule}.")
    return groups


def _clusters_of(rows: TableRows, shaped: Shaped, chosen: Chosen, notes: list[str]) -> tuple[str, ...] | None:
    """Return the cluster of each item if the user names their column. Otherwise note the possible columns."""
    if chosen.cluster is not None:
        clusters = _filled(rows, shaped, chosen.cluster)
        notes.append(f"{plural(len(set(clusters)), 'cluster')} of items, from column {quoted(chosen.cluster)}.")
        return clusters
    for column, of_items in shaped.item_columns.items():
        n = len(set(of_items))
        if column.casefold() in _CLUSTERS and 1 < n < len(of_items):
            about = f"Items share {quoted(column)}: {n} for {plural(len(of_items), 'item')}"
            notes.append(f"{about}. If such items are not independent, use --cluster {column}.")
    return None


def _filled(rows: TableRows, shaped: Shaped, column: str) -> tuple[str, ...]:
    """Return a column with a value for every item."""
    if column not in shaped.item_columns:
        if column in rows.header:
            why = "it needs one value for each item, and two or more in all"
            raise rows.error(f"column {quoted(column)} cannot divide the items: {why}; leave the option out")
        known = did_you_mean(column, shaped.item_columns)
        raise rows.error(f"no column {quoted(column)} with one value for each item; {known}")
    of_items = shaped.item_columns[column]
    if "" in of_items:
        item = shaped.items[of_items.index("")]
        raise rows.error(f"item {quoted(item)} has no {column}; fill in the column for every item")
    return of_items


def _families_of(rows: TableRows, shaped: Shaped, family: str | None, notes: list[str]) -> tuple[str, ...] | None:
    """Return the family of each model, from a column or a pattern: its first group, or all that it matches."""
    if family is None:
        return None
    if family in shaped.model_columns:
        of_models = shaped.model_columns[family]
        families = tuple(own or model for own, model in zip(of_models, shaped.models, strict=True))
        how = f"column {quoted(family)}"
    else:
        options = re2.Options()
        options.log_errors = False
        try:
            pattern = re2.compile(family, options)
        except re2.error as error:
            advice, reason = did_you_mean(family, shaped.model_columns), error.args[0].decode("utf-8", "replace")
            raise rows.error(
                f"--family {quoted(family)} is neither a column nor a valid pattern ({reason}); columns: {advice}"
            ) from None
        found = [pattern.search(model) for model in shaped.models]
        if not any(found):
            advice = did_you_mean(family, shaped.model_columns)
            raise rows.error(f"--family {quoted(family)} is not a column and matches no model; columns: {advice}")
        families = tuple(
            model if match is None else match[min(1, pattern.groups)] or model
            for model, match in zip(shaped.models, found, strict=True)
        )
        how = f"the pattern {quoted(family)}"
    several = len(families) - len(set(families))
    notes.append(f"{plural(len(set(families)), 'family', 'families')} of models, by {how}.")
    if not several:
        notes.append("No family has two models, so no score is corrected.")
    return families


def _without_empty(rows: TableRows, shaped: Shaped, notes: list[str]) -> Shaped:
    """Return the table without items and models that have no score."""
    known = ~np.isnan(shaped.values)
    items: Bools = np.asarray(known.any(axis=0))
    models: Bools = np.asarray(known.any(axis=1))
    if not items.any():
        raise rows.error("the table has no score")
    if items.all() and models.all():
        return shaped
    for what, names, kept in (("item", shaped.items, items), ("model", shaped.models, models)):
        if gone := list(_kept(names, ~kept)):
            shown = listed(some_of([quoted(name) for name in gone], _NAMED))
            notes.append(f"{plural(len(gone), what)} without a score left out: {shown}.")
    return Shaped(
        models=list(_kept(shaped.models, models)),
        items=list(_kept(shaped.items, items)),
        values=shaped.values[np.ix_(models, items)],
        item_columns={name: tuple(_kept(column, items)) for name, column in shaped.item_columns.items()},
        model_columns={name: tuple(_kept(column, models)) for name, column in shaped.model_columns.items()},
        cell_columns={name: table[np.ix_(models, items)] for name, table in shaped.cell_columns.items()},
    )


def _kept(names: Sequence[str], kept: Bools) -> Iterator[str]:
    return (name for name, keep in zip(names, kept.tolist(), strict=True) if keep)
