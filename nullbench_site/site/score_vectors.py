"""The score of each contestant on each item of a board, for whoever compares contestants: data/v1/boards/<board>."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import msgspec

from nullbench_site.scoring.axes.results import ItemRow
from nullbench_site.scoring.axes.weights import group_of, group_weights
from nullbench_site.site.data_files import with_schema
from nullbench_site.site.gather import SiteData
from nullbench_site.site.views import AxesView, BoardView
from nullbench_site.specs.benchmark import AxesPlacedItem, OraclePlacedItem, PlacedItem


class ItemPlace(msgspec.Struct):
    """An item of a board and what it counts with.

    cluster: a number for what standard errors cluster by: the source text, the bundle, or the item itself. group: a
    place in `weights`.
    """

    id: str
    domain: str
    category: str
    difficulty: str
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

    overall: 0-100, in the order of items.json; on an `axes` board the goal alignment. null where it has none.
    """

    board: str
    model: str
    overall: list[float | None]


@dataclass(frozen=True)
class ScoreVectors:
    """The items of a board, and the scores of each contestant on them."""

    items: Items
    of_model: Mapping[str, list[float | None]]


def score_vectors(view: BoardView) -> ScoreVectors:
    """What the results say of a board's items, by contestant."""
    placed = list(view.benchmark.items(view.board))
    groups = [_group(view, item) for item in placed]
    clusters = _numbered(_cluster(item) for item in placed)
    items = [
        ItemPlace(item.id, item.domain.id, item.category.id, item.item.difficulty, cluster, group, item.private)
        for item, cluster, group in zip(placed, clusters, _numbered(groups), strict=True)
    ]
    place = {item.id: number for number, item in enumerate(placed)}
    of_model: dict[str, list[float | None]] = {model: [None] * len(placed) for model in view.rows}
    for row in view.results.items:
        if row.model in of_model:  # not so where no answer of it counts
            of_model[row.model][place[row.item]] = row.goal_alignment if isinstance(row, ItemRow) else row.overall
    return ScoreVectors(Items(view.board.id, _weights(view, groups), items), of_model)


def score_vector_files(site: SiteData) -> Iterator[tuple[str, bytes]]:
    """Path below the site's root -> content."""
    for view in site.views:
        vectors = score_vectors(view)
        folder = f"boards/{view.board.id}"
        yield from with_schema(f"{folder}/items.json", "boards/items.schema.json", vectors.items)
        for model, overall in vectors.of_model.items():
            scores = Scores(view.board.id, model, overall)
            yield from with_schema(f"{folder}/scores/{model}.json", "boards/scores.schema.json", scores)


def _cluster(placed: PlacedItem) -> Hashable:
    """What rises and falls together with an item."""
    match placed:
        case AxesPlacedItem():
            return "source", placed.item.source
        case OraclePlacedItem() if placed.item.bundle is not None:
            return "bundle", placed.item.bundle
    return "item", placed.id


def _group(view: BoardView, placed: PlacedItem) -> str:
    if isinstance(view, AxesView) and isinstance(placed, AxesPlacedItem):
        return group_of(view.board, placed)
    return view.board.id


def _weights(view: BoardView, groups: Iterable[str]) -> list[float]:
    """The weight of each group, in the order in which they come first."""
    names = list(dict.fromkeys(groups))
    weights = group_weights(view.board, view.benchmark.axes_items(view.board)) if isinstance(view, AxesView) else None
    of_names = [1.0 if weights is None else weights[name] for name in names]
    return [weight / sum(of_names) for weight in of_names]


def _numbered(keys: Iterable[Hashable]) -> list[int]:
    """Each key as a number, in the order in which they come first; a number tells nothing of its key."""
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]
