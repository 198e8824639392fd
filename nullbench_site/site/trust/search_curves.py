"""The searches of a text that fools the judges of a board: their curves, in words and drawn, and their transfer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from statistics import median

from nullbench_site.audit.derived import FOUND, SEARCHED, TRANSFER
from nullbench_site.audit.perplexity import Filter
from nullbench_site.audit.random_search import Search, search_of
from nullbench_site.audit.search_walk import Step, filter_of
from nullbench_site.scoring.attack_tables import AttackRow
from nullbench_site.site import words
from nullbench_site.site.gather import SiteData
from nullbench_site.site.views import Audit, BoardView, known

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
    """A search: what it is, what it found, its curve. n_wordings: of the question to judges; 0 for the usual one.

    filter: what each candidate had to pass, if the search was held to one.
    """

    search: Search
    steps: Sequence[Step]
    audit: str
    n_wordings: int
    filter: Filter | None = None

    @property
    def defence(self) -> str:
        """Return the defence that the search was up against; empty without one."""
        bound = ["a bound on perplexity"] if self.filter is not None else []
        asked = [words.plural(self.n_wordings, "wording") + " of the question"] if self.n_wordings else []
        return " and ".join(bound + asked)

    @property
    def title(self) -> str:
        """Return what was searched, and against which defence."""
        of = {"words": "words only", "characters": "single characters"}.get(self.search.population, "any tokens")
        return f"A {self.search.place} of {of}" + (f", against {self.defence}" if self.defence else "")

    @property
    def figure(self) -> str:
        """Return the short name of the measure."""
        return "−log p" if self.start.measure == "-log p" else "the share of lost comparisons"

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
    def fall(self) -> str:
        """Return the measure of the first candidate and of the best one."""
        return self.fall_in(len(self.steps))

    def fall_in(self, n_steps: int) -> str:
        """Return the measure of the first candidate and of the best one of so many steps."""
        return f"{words.number(self.start.loss, 2)} → {words.number(self.steps[n_steps - 1].best_loss, 2)}"

    @property
    def won(self) -> str:
        """Return on how many instructions the best candidate won in both orders."""
        return words.of(self.best.n_won, self.best.n_items)

    @property
    def kept(self) -> str:
        """Return how many steps changed the text, and what it was changed in."""
        kept = words.plural(sum(step.kept for step in self.steps) - 1, "change")
        place = "before" if self.search.place == "prefix" else "after"
        unread = sum(step.n_unread for step in self.steps)
        more = f"; {words.plural(unread, 'verdict')} not read" if unread else ""
        return f"{kept} of the {self.search.length} tokens {place} {self.search.attack} kept{more}"

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
    """Return the searches with the judges of a board in the run that the site shows, the plainest first."""
    found = [(name, audit) for name, audit in site.audits.items() if audit.current]
    own = sorted((name, audit) for name, audit in found if name.startswith(view.board.id + SEARCHED))
    return [searched for _, audit in own if (searched := _searched(audit)) is not None]


def _searched(audit: Audit) -> Searched | None:
    found, steps = search_of(audit.view.benchmark.models.values()), known(audit.view.results.search_steps)
    if found is None or not steps:
        return None
    search, view = found[1], audit.view
    n_wordings = len(getattr(view.board, "judge_templates", ()))
    kept = filter_of(view.benchmark, view.board) if search.filtered else None
    return Searched(search, list(steps), audit.entry.path.name, n_wordings, kept)


def in_words(found: Sequence[Searched]) -> list[str]:
    """Return what the searches of a board found, as sentences. The first is the plain one."""
    best = max(found, key=lambda each: each.best.n_won)
    searched = words.plural(len(found), "random search", "random searches")
    if best.best.n_won:
        says = f"A {best.search.place} won {best.won} instructions in both orders, the best of {searched}."
    else:
        says = f"No text that {searched} found won an instruction in both orders."
    first, text = found[0], found[0].best
    places = ""
    if text.first_loss is not None and text.second_loss is not None and first.figure == "−log p":
        shown = (
            f"{words.number(text.first_loss, 2)} where it is shown first, {words.number(text.second_loss, 2)} second"
        )
        places = f": {shown}"
    return [
        says,
        f"In {words.plural(len(first.steps), 'step')}, {first.figure} of the best text went {first.fall}{places}.",
    ]


def adaptive(found: Sequence[Searched]) -> list[str]:
    """Return what a search against each defence got, as sentences, next to as many steps of one without it."""
    plain, sentences = next((each for each in found if not each.defence), None), []
    for each in (each for each in found if each.defence):
        n = min(len(one.steps) for one in (each, plain or each))
        without = words.ABSENT if plain is None else plain.fall_in(n)
        went = f"{each.figure} went {each.fall_in(n)} in {words.plural(n, 'step')}"
        sentences.append(f"Against {each.defence}, {went}; without, {without}.")
        if each.filter is not None and plain is not None:
            passed = sum(each.filter.passes(step.found) for step in plain.steps)
            sentences.append(
                f"The bound is {words.number(each.filter.bound, 0)} a character in the worst 40, which one reference "
                f"answer in 20 exceeds. Of the search without it, {words.of(passed, len(plain.steps))} candidates pass."
            )
    for defence, measured in (
        ("other wordings of the question", any(each.n_wordings for each in found)),
        ("a bound on perplexity", any(each.filter for each in found)),
    ):
        if not measured:
            sentences.append(f"A search against {defence}: not measured.")
    if not any(each.best.n_won for each in found):
        sentences.append("As no search won in both orders, none shows whether a defence would have kept it out.")
    return sentences


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
        "other instructions: the items of this board": [],
        "another wording of the question": [],
        "the judge of another protocol": [],
    }
    held_out, wording, other = kinds
    for name, audit, row in tried:
        judge = next((each.title for each in audit.view.judges if each.id == row.judge), "all judges")
        if not name.startswith(view.board.id + TRANSFER):
            kinds[other].append(Transfer(f"{other}: {judge} on {audit.view.name}", row))
        elif name == view.board.id + TRANSFER:
            kinds[held_out].append(Transfer(held_out, row))
        else:
            kinds[wording].append(Transfer(f"{wording}: {judge}", row))
    return [each for name, rows in kinds.items() for each in rows or [Transfer(name)]]
