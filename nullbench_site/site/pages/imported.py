"""The figures that the source of an imported board published, next to those computed here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nullbench_site.scoring.metrics import METRICS
from nullbench_site.site.views import AnyRow, BoardView


@dataclass(frozen=True)
class PublishedFigure:
    """A figure of the source and the same figure computed here; None if there is none."""

    published: float | None
    ours: float | None

    @property
    def difference(self) -> float | None:
        return None if self.published is None or self.ours is None else self.ours - self.published


@dataclass(frozen=True)
class PublishedTable:
    """The published figures of a board. columns: their titles. rows: contestant and a figure per column.

    most: the largest difference of each column, in either direction.
    """

    columns: list[str]
    rows: list[tuple[str, list[PublishedFigure]]]

    @property
    def most(self) -> Iterator[tuple[str, float]]:
        for place, title in enumerate(self.columns):
            apart = [abs(difference) for _, row in self.rows if (difference := row[place].difference) is not None]
            yield title, max(apart, default=0.0)


def published_table(view: BoardView) -> PublishedTable | None:
    """Return the table of published figures, in the order of the board; None if its source has none."""
    published = view.board.published
    rows = [(model, row) for model, row in view.rows.items() if any(model in figures for figures in published.values())]
    if not rows:
        return None
    return PublishedTable(
        [METRICS[column].title if column in METRICS else "Overall score" for column in published],
        [
            (model, [_figure(figures.get(model), row, column) for column, figures in published.items()])
            for model, row in rows
        ],
    )


def _figure(published: float | None, row: AnyRow, column: str) -> PublishedFigure:
    return PublishedFigure(published, getattr(row, column))
