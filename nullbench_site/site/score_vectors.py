"""Write the scores of contestants item by item, as compact files for comparison in the browser."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import msgspec
from msgspec import UNSET, UnsetType

from nullbench_site.scoring.tables import csv_table
from nullbench_site.site.data_files import ROOT, with_schema
from nullbench_site.site.gather import SiteData
from nullbench_site.site.views import BoardView


class ItemPlace(msgspec.Struct):
    """An item of a board and what it counts with.

    cluster: a number for what standard errors cluster by: the source text, the bundle, or the item itself. group: a
    place in `weights`.
    """

    id: str
    domain: str
    category: str
    difficulty: str | None
    cluster: int
    group: int
    private: bool


class Items(msgspec.Struct):
    """data/v1/boards/<board>/items.json: the items of a board, in the order of the score vectors.

    The overall score of a board is a mean over groups of the mean in each. weights: how much each group counts, summing
    to 1; scaled up where a contestant has no score in some group.
    """

    board: str
    weights: list[float]
    items: list[ItemPlace]


class Scores(msgspec.Struct):
    """data/v1/boards/<board>/scores/<model>.json: the score of a contestant on each item.

    overall: the score on each item, 0-100, in the order of items.json. null where it has none. parts: likewise what the
    score of the board is the mean of, where that is something else; not kept to 0-100.
    """

    board: str
    model: str
    overall: list[float | None]
    parts: list[float | None] | UnsetType = UNSET


@dataclass(frozen=True)
class ScoreVectors:
    """The items of a board, the scores of each contestant on them, and what the score of the board is the mean of."""

    items: Items
    of_model: Mapping[str, list[float | None]]
    parts: Mapping[str, list[float | None]]


def score_vectors(view: BoardView) -> ScoreVectors:
    """Return the scores of each contestant on a board's items."""
    placed = view.items
    groups = [view.group(item) for item in placed]
    clusters = _numbered(view.cluster(item) for item in placed)
    items = [
        ItemPlace(item.id, item.domain.id, item.category.id, item.item.difficulty, cluster, group, item.private)
        for item, cluster, group in zip(placed, clusters, _numbered(groups), strict=True)
    ]
    place = {item.id: number for number, item in enumerate(placed)}
    nothing: list[float | None] = [None] * len(placed)
    of_model, parts = ({model: [*nothing] for model in view.rows} for _ in range(2))
    for row in view.results.items:
        if row.model in of_model:  # not so where no answer of it counts
            number = place[row.item]
            of_model[row.model][number], parts[row.model][number] = row.score, row.part
    return ScoreVectors(Items(view.board.id, group_shares(view, groups), items), of_model, parts)


def answers_table(site: SiteData) -> bytes:
    """Return one table of all boards as CSV: a row for each contestant and item. score: of the item, 0-100."""
    rows = [(view.board.id, row) for view in site.views for row in view.results.items if row.model in view.rows]
    columns = {name: [getattr(row, name) for _, row in rows] for name in ("model", "item", "category", "domain")}
    ends = {"state": [row.ended for _, row in rows], "score": [row.score for _, row in rows]}
    return csv_table({"board": [board for board, _ in rows], **columns, **ends})


def score_vector_files(site: SiteData) -> Iterator[tuple[str, bytes]]:
    """Path below the site's root -> content."""
    yield f"{ROOT}/answers.csv", answers_table(site)
    for view in site.views:
        vectors = score_vectors(view)
        folder = f"boards/{view.board.id}"
        yield from with_schema(f"{folder}/items.json", "boards/items.schema.json", vectors.items)
        for model, overall in vectors.of_model.items():
            parts = vectors.parts[model]
            scores = Scores(view.board.id, model, overall, UNSET if parts == overall else parts)
            yield from with_schema(f"{folder}/scores/{model}.json", "boards/scores.schema.json", scores)


def group_shares(view: BoardView, groups: Iterable[str]) -> list[float]:
    """Return the weight of each group, in order of first appearance."""
    names = list(dict.fromkeys(groups))
    weights = view.group_weights()
    of_names = [1.0 if weights is None else weights[name] for name in names]
    return [weight / sum(of_names) for weight in of_names]


def _numbered(keys: Iterable[Hashable]) -> list[int]:
    """Return a number for each key, in order of first appearance. The number reveals nothing about the key."""
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]
