"""The searches of a text that fools the judges of a board: their curves, in words and drawn, and their transfer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from statistics import median

from nullbench_site.audit.derived import FOUND, SEARCHED, TRANSFER
from nullbench_site.audit.random_search import Search, search_of
from nullbench_site.audit.search_walk import Step
from nullbench_site.scoring.attack_tables import AttackRow
from nullbench_site.site import words
from nullbench_site.site.gather import SiteData
from nullbench_site.site.views import Audit, BoardView
from nullbench_site.site.wording import known

WIDTH, HEIGHT = 600, 180
"""Of the drawing of a curve."""


@dataclass(frozen=True)
class Curve:
    """A line of a curve in a drawing. dashes: of the line; empty for a solid one."""

    name: str
    points: str
    dashes: str = ""


@dataclass(frozen=True)
class Searched:
    """A search: what it is, what it found, its curve. n_wordings: of the question to judges; 0 for the usual one."""

    title: str
    search: Search
    steps: Sequence[Step]
    audit: str
    n_wordings: int

    @property
    def start(self) -> Step:
        return self.steps[0]

    @property
    def best(self) -> Step:
        return [step for step in self.steps if step.kept][-1]

    @property
    def measured(self) -> str:
        """Return the measure in words."""
        what = "mean −log p of its winning" if self.best.measure == "-log p" else "share of comparisons that it loses"
        return f"Median over the wordings of the {what}" if self.n_wordings > 1 else what[0].upper() + what[1:]

    @property
    def in_words(self) -> str:
        """Return the result as sentences."""
        best, start = self.best, self.start
        place = "before" if self.search.place == "prefix" else "after"
        asked = f"{words.plural(best.n_items, 'instruction')} that are not of this board"
        each = f" in each of {words.plural(self.n_wordings, 'wording')} of the question" if self.n_wordings > 1 else ""
        tried = f"In {words.plural(len(self.steps), 'step')} with {asked}, asked in both orders{each}"
        if not best.step:
            return f"{tried}, the search found nothing better than its start, which won {_won(start)}."
        kept = sum(step.kept for step in self.steps) - 1
        return (
            f"The search found a {self.search.place} that won {_won(best)}; its start won {_won(start)}. {tried}, "
            f"it kept {words.plural(kept, 'change')} of the {self.search.length} tokens {place} {self.search.attack}. "
            f"{self.measured} fell from {words.number(start.loss, 2)} to {words.number(best.loss, 2)}."
        )

    @property
    def end(self) -> int:
        """Return where the vertical axis ends."""
        return max(
            1,
            ceil(
                max(value for step in self.steps for value in (step.loss, step.first_loss, step.second_loss) if value)
            ),
        )

    @property
    def tried(self) -> list[tuple[float, float]]:
        """Return the place of each candidate in the drawing."""
        return [self._place(step.step, step.loss) for step in self.steps]

    @property
    def curves(self) -> list[Curve]:
        """Return the best candidate so far at each step: in the mean, shown first and shown second."""
        best = [[each for each in self.steps[: step.step + 1] if each.kept][-1] for step in self.steps]
        lines: list[tuple[str, list[float | None], str]] = [
            ("best so far", [*(step.best_loss for step in self.steps)], ""),
            ("shown first", [step.first_loss for step in best], "6 4"),
            ("shown second", [step.second_loss for step in best], "2 3"),
        ]
        return [Curve(name, self._line(values), dashes) for name, values, dashes in lines if None not in values]

    def _line(self, values: Sequence[float | None]) -> str:
        return " ".join(f"{x},{y}" for x, y in (self._place(at, value or 0.0) for at, value in enumerate(values)))

    def _place(self, step: int, value: float) -> tuple[float, float]:
        across = WIDTH * step / max(1, len(self.steps) - 1)
        return round(across, 1), round(HEIGHT * (1 - value / self.end), 1)


@dataclass(frozen=True)
class Transfer:
    """Where a found text was tried. row: what it got; None if it was not tried there."""

    where: str
    row: AttackRow | None = None

    @property
    def surprise(self) -> str:
        """Return the median -log p, shown first and second."""
        middle = [words.number(median(order), 2) for order in (self.row.surprise if self.row else []) if order]
        return ", ".join(middle) or words.ABSENT


def searches(site: SiteData, view: BoardView) -> list[Searched]:
    """Return the searches with the judges of a board in the run that the site shows, the plain one first."""
    found = [(name, audit) for name, audit in site.audits.items() if audit.current]
    own = sorted((name, audit) for name, audit in found if name.startswith(view.board.id + SEARCHED))
    return [searched for _, audit in own if (searched := _searched(audit)) is not None]


def _searched(audit: Audit) -> Searched | None:
    found, steps = search_of(audit.view.benchmark.models.values()), known(audit.view.results.search_steps)
    if found is None or not steps:
        return None
    search, n_wordings = found[1], len(getattr(audit.view.board, "judge_templates", ()))
    what = {"words": f"a {search.place} of words only", "characters": f"a {search.place} of single characters"}
    title = what.get(search.population, f"a {search.place} of any tokens")
    if n_wordings:
        title += f", by the median over {words.plural(n_wordings, 'wording')} of the question"
    return Searched(title, search, list(steps), audit.entry.path.name, n_wordings)


def transfers(site: SiteData, view: BoardView, found: str) -> list[Transfer]:
    """Return what a found text got elsewhere: on items of the board, in other wordings, from judges of other boards."""
    tried = [
        (name, audit, row)
        for name, audit in sorted(site.audits.items())
        if audit.current and TRANSFER in name
        for row in known(audit.view.results.attacks)
        if row.model == FOUND and audit.view.benchmark.models[FOUND].params.get("found") == found
    ]
    kinds: dict[str, list[Transfer]] = {
        "the items of this board": [],
        "another wording of the question": [],
        "the judge of another protocol": [],
    }
    held_out, wording, other = kinds
    for name, audit, row in tried:
        judge = next((each.title for each in audit.view.judges if each.id == row.judge), "all judges")
        if not name.startswith(view.board.id + TRANSFER):
            kinds[other].append(Transfer(f"{other}: {judge} on {audit.view.board.title}", row))
        elif name == view.board.id + TRANSFER:
            kinds[held_out].append(Transfer(held_out, row))
        else:
            kinds[wording].append(Transfer(f"{wording}: {judge}", row))
    return [each for name, rows in kinds.items() for each in rows or [Transfer(name)]]


def _won(step: Step) -> str:
    both = f", {words.of(step.n_won, step.n_items)} instructions in both orders"
    return f"{words.of(step.n_verdicts_won, step.n_verdicts)} comparisons{both}"
