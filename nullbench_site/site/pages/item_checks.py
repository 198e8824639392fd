"""The page of items worth a look: likely faults of items and keys, each with its answers one click away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

import msgspec
import numpy as np

from nullbench_site.scoring.ranking import SCALE
from nullbench_site.scoring.tables import csv_table
from nullbench_site.site import paths, words
from nullbench_site.site.data_files import ROOT
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.page import Page, section
from nullbench_site.site.protocol import Contradicted, pages_of
from nullbench_site.site.views import BoardView
from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.item_checks import LEAST_FAMILIES, ItemRest, item_rest

_SHOWN = 20
"""The most items of a list on a page; the CSV file has all."""


class ItemLine(msgspec.Struct, frozen=True):
    """An item with a correlation: between the score on it and the mean on all others, over contestants.

    p: of a correlation so low by chance. marked: whether it is below 0 after correction for all items.
    """

    item: str
    correlation: float
    p: float
    marked: bool


@dataclass(frozen=True)
class ItemChecks:
    """What a board shows of its items. families: of ranked contestants; the best of each is compared.

    rest: None with fewer than 8 families, or if one lacks a score. lines: the items with a correlation, the lowest
    first. nobody, everybody: the items that no contestant, or every one, solves. contradicted: items whose key most
    good contestants contradict in the same way; None if a board has no keys.
    """

    families: int
    rest: ItemRest | None
    lines: Sequence[ItemLine]
    nobody: Sequence[str]
    everybody: Sequence[str]
    contradicted: Sequence[Contradicted] | None


def item_checks(view: BoardView, run: Path) -> ItemChecks:
    """Return the checks of the items of a board. run: the folder of the run."""
    best: dict[str, str] = {}
    for row in view.results.leaderboard:
        if row.rank is not None:
            best.setdefault(view.benchmark.models[row.model].family, row.model)
    items = [placed.id for placed in view.items]
    table = _scores(view, [*best.values()], items)
    whole = table[:, ~np.isnan(table).any(axis=0)] if table.size else table
    known = [item for item, column in zip(items, table.T, strict=True) if not np.isnan(column).any()]
    rest = item_rest(whole, view.board.bootstrap.seed) if len(best) >= LEAST_FAMILIES else None
    lines = [] if rest is None else _lines(rest, known)
    low, high = ([item for item, of in zip(known, whole.T, strict=True) if (of == end).all()] for end in SCALE)
    good = [*best.values()][: ceil(len(best) / 2)] if len(best) > 1 else []
    contradicted = pages_of(view.board.protocol).contradicted
    found = None if contradicted is None else [*contradicted(run, view, good)]
    return ItemChecks(len(best), rest, lines, low if best else [], high if best else [], found)


def _scores(view: BoardView, models: Sequence[str], items: Sequence[str]) -> Floats:
    """Return (contestants, items) scores, NaN for a missing one."""
    table = np.full((len(models), len(items)), np.nan)
    of_model, of_item = ({name: place for place, name in enumerate(names)} for names in (models, items))
    for row in view.results.items:
        if row.model in of_model and row.score is not None:
            table[of_model[row.model], of_item[row.item]] = row.score
    return table


def _lines(rest: ItemRest, items: Sequence[str]) -> list[ItemLine]:
    numbers = zip(items, rest.correlation.tolist(), rest.p.tolist(), rest.marked.tolist(), strict=True)
    lines = [ItemLine(*each) for each in numbers if not np.isnan(each[1])]
    return sorted(lines, key=lambda line: (line.correlation, line.item))


def says(checks: ItemChecks) -> str:
    """Return what was found, in a sentence for the page and for reviews."""
    found = []
    if checks.rest is not None:
        marked = int(checks.rest.marked.sum())
        found.append(f"{words.plural(marked, 'item')} that go against all others together")
    if checks.contradicted is not None:
        found.append(
            f"{words.plural(len(checks.contradicted), 'key')} that most contestants with high scores contradict alike"
        )
    found += [f"{len(checks.nobody)} that nobody solves", f"{len(checks.everybody)} that everybody solves"]
    return words.listed(found)


def pages(site: SiteData) -> Iterator[Page]:
    """Yield the page of items of each board."""
    for view in site.views:
        checks = item_checks(view, site.entry.path)
        yield Page(
            url=paths.items_url(view.board.id),
            title=f"Items of {view.name} worth a look",
            template="items.md.j2",
            context={
                "board": section(
                    view,
                    {
                        "checks": checks,
                        "says": says(checks),
                        "most": _SHOWN,
                        "least": LEAST_FAMILIES,
                        "csv": f"{ROOT}/boards/{view.board.id}/items-worth-a-look.csv",
                    },
                )
            },
            description=f"Items of {view.name} that may be wrong or say nothing about contestants.",
        )


def item_check_files(site: SiteData) -> Iterator[tuple[str, bytes]]:
    """Path below the site's root -> a CSV file of all lists of a board."""
    for view in site.views:
        checks = item_checks(view, site.entry.path)
        rows: list[Mapping[str, object]] = [
            {
                "list": "item-rest",
                "correlation": line.correlation,
                "p": line.p,
                "marked": line.marked,
                "item": line.item,
            }
            for line in checks.lines
        ]
        rows += [
            {"list": "contradicted", "item": each.item, "answer": each.answer} for each in checks.contradicted or ()
        ]
        rows += [{"list": "nobody", "item": item} for item in checks.nobody]
        rows += [{"list": "everybody", "item": item} for item in checks.everybody]
        columns = ("list", "item", "correlation", "p", "marked", "answer")
        table = csv_table({name: [row.get(name) for row in rows] for name in columns})
        yield f"{ROOT}/boards/{view.board.id}/items-worth-a-look.csv", table
