"""The page of items worth a look: likely faults of items and keys, each with its answers one click away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

import msgspec
import numpy as np

from nullbench_site.runs.records import Response, read_records
from nullbench_site.scoring.ranking import SCALE
from nullbench_site.scoring.tables import csv_table
from nullbench_site.site import paths, words
from nullbench_site.site.data_files import ROOT
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.page import Page, section
from nullbench_site.site.protocol import Answers, Contradicted, pages_of
from nullbench_site.site.score_vectors import score_vectors
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

    rest: None with fewer than 8 families, or if too few items have a score of each. lines: the items with a
    correlation, the lowest first. nobody, everybody: the items that no contestant, or every one, solves; None with
    fewer than two families. has_keys: whether the board has keys. contradicted: items whose key most contestants of the
    upper half contradict in the same way; None without keys, or with fewer than two contestants in the upper half.
    """

    families: int
    rest: ItemRest | None
    lines: Sequence[ItemLine]
    nobody: Sequence[str] | None
    everybody: Sequence[str] | None
    has_keys: bool
    contradicted: Sequence[Contradicted] | None

    @property
    def n_against(self) -> int:
        """Return how many items go against all others after correction for all items."""
        return 0 if self.rest is None else int(self.rest.marked.sum())

    @property
    def n_contradicted(self) -> int:
        """Return how many keys most good contestants contradict in the same way."""
        return len(self.contradicted or ())


def answers_in(run: Path) -> Answers:
    """Return a function that reads the answers of a contestant in the folder of a run."""

    def answers(model: str) -> Iterable[Response]:
        shard = run / "responses" / f"{model}.jsonl"
        return read_records(shard, Response) if shard.is_file() else ()

    return answers


def by_family(view: BoardView) -> tuple[Sequence[str], Sequence[str], Floats]:
    """Return the best ranked contestant of each family, the items that all of them have a score on, and the scores.

    Scores are 0-100, (contestants, items).
    """
    best: dict[str, str] = {}
    for row in view.results.leaderboard:
        if row.rank is not None:
            best.setdefault(view.benchmark.models[row.model].family, row.model)
    items, vectors = [placed.id for placed in view.items], score_vectors(view)
    table = np.array([vectors.of_model[model] for model in best.values()], np.float64).reshape(len(best), len(items))
    complete = np.flatnonzero(~np.isnan(table).any(axis=0))
    return [*best.values()], [items[place] for place in complete.tolist()], table[:, complete]


def item_checks(view: BoardView, answers: Answers) -> ItemChecks:
    """Return the checks of the items of a board."""
    best, known, whole = by_family(view)
    rest = item_rest(whole, view.board.bootstrap.seed) if len(best) >= LEAST_FAMILIES else None
    several = len(best) > 1
    low, high = ([item for item, of in zip(known, whole.T, strict=True) if (of == end).all()] for end in SCALE)
    upper = best[: ceil(len(best) / 2)]
    contradicted = pages_of(view.board.protocol).contradicted
    return ItemChecks(
        families=len(best),
        rest=rest,
        lines=[] if rest is None else lines_of(rest, known),
        nobody=low if several else None,
        everybody=high if several else None,
        has_keys=contradicted is not None,
        contradicted=[*contradicted(view, answers, upper)] if contradicted is not None and len(upper) > 1 else None,
    )


def lines_of(rest: ItemRest, items: Sequence[str]) -> list[ItemLine]:
    """Return the items with a correlation, the lowest first."""
    numbers = zip(items, rest.correlation.tolist(), rest.p.tolist(), rest.marked.tolist(), strict=True)
    lines = [ItemLine(*each) for each in numbers if not np.isnan(each[1])]
    return sorted(lines, key=lambda line: (line.correlation, line.item))


def against_words(n: int) -> str:
    """Say how many items go against all others."""
    return f"{words.plural(n, 'item')} that {'goes' if n == 1 else 'go'} against all others together"


def contradicted_words(n: int) -> str:
    """Say how many keys are contradicted."""
    return f"{words.plural(n, 'key')} that most contestants with high scores contradict alike"


def says(checks: ItemChecks) -> str:
    """Return what was found, in a sentence for the page."""
    found = []
    if checks.rest is not None:
        found.append(against_words(checks.n_against))
    if checks.contradicted is not None:
        found.append(contradicted_words(checks.n_contradicted))
    if checks.nobody is not None and checks.everybody is not None:
        found.append(f"{words.plural(len(checks.nobody), 'item')} that nobody solves")
        found.append(f"{words.plural(len(checks.everybody), 'item')} that everybody solves")
    return words.listed(found) if found else "Not measured: fewer than two families of contestants are ranked"


def pages(site: SiteData) -> Iterator[Page]:
    """Yield the page of items of each board."""
    for view in site.views:
        checks = item_checks(view, answers_in(site.entry.path))
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
        checks = item_checks(view, answers_in(site.entry.path))
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
        rows += [{"list": "nobody", "item": item} for item in checks.nobody or ()]
        rows += [{"list": "everybody", "item": item} for item in checks.everybody or ()]
        columns = ("list", "item", "correlation", "p", "marked", "answer")
        table = csv_table({name: [row.get(name) for row in rows] for name in columns})
        yield f"{ROOT}/boards/{view.board.id}/items-worth-a-look.csv", table
