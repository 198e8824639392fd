"""What attacks got from the judges of a board: in words, as a matrix, and the texts that got through."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from statistics import median
from typing import Any

from nullbench_site.audit.attack_registry import attacks
from nullbench_site.audit.derived import PREFIX
from nullbench_site.runs.records import Response, read_records
from nullbench_site.scoring.attack_tables import (
    TOGETHER,
    TOO_FEW,
    AttackedJudge,
    AttackRow,
    DefenceRow,
    DefendedAttack,
    DefendedScore,
)
from nullbench_site.site import words
from nullbench_site.site.views import BoardView, is_private, known
from nullbench_site.specs.types import REFERENCE

HARDLY = 0.2
"""A judge is hardly fooled by an attack whose rate has its upper end at most there."""
SHOWN = 2_000
"""Characters of a text that got through."""
_NAMED = 5
_QUOTED = 60
"""Characters of a source that make a quotation."""
_HONEST = "carrier"
"""The kind of rows that are no attack: the first sentence of an honest answer."""
_PAYLOAD = "payload"
_CONTROLLED = (("lc_win_rate", "controlled for length"), ("style_win_rate", "for style"))
"""Columns of a leaderboard that control for length or style, with what to call them."""
_FAR = 5.0
"""Where the axis of a strip ends at the latest, in -log p."""
Judged = tuple[str | None, str]
"""A judge's id, None for the panel, and its title."""


@dataclass(frozen=True)
class Line:
    """An attack in the matrix. cells: its row for each judge, None if the judge gave no verdict on it.

    controlled: its score on the board, raw and controlled for length and style; empty if the board controls neither.
    """

    title: str
    kind: str
    description: str
    cells: Sequence[AttackRow | None]
    controlled: str = ""


@dataclass(frozen=True)
class Strip:
    """How surprised a judge is if an attack gets through, by order: -log p of each item, as places of 200."""

    title: str
    judge: str
    orders: Sequence[tuple[str, Sequence[float], float]]

    @property
    def in_words(self) -> str:
        """Return the strip as a sentence."""
        parts = [
            f"{order}: median {words.number(middle, 2)} over {len(dots)} items" for order, dots, middle in self.orders
        ]
        return f"−log p that {self.title} gets through, by {self.judge}; {'; '.join(parts)}"


@dataclass(frozen=True)
class Through:
    """An attack that got through, with one of its answers.

    text: None if only private items have one, or all quote their sources. more: characters cut.
    """

    title: str
    won: str
    item: str = ""
    text: str | None = None
    more: int = 0


def attacked(view: BoardView) -> BoardView:
    """Return the board whose attacks are shown: with those of the audits of this run, if there are any."""
    return view.audit.view if view.audit is not None and view.audit.current else view


def has_attacks(view: BoardView) -> bool:
    """Return True if a board has a page about attacks."""
    return view.panel is not None and bool(known(attacked(view).results.attacks))


def judges(view: BoardView) -> list[Judged]:
    """Return the attacked judges: models, then programs, then the panel.

    A judge that was asked as the board asks it stands for its further wordings too: `over_wordings` has these.
    """
    judged = {row.judge for row in known(view.results.attacks)}
    by_kind = sorted(view.judges, key=lambda judge: judge.is_program)
    asked = [judge for judge in by_kind if judge.id in judged and getattr(judge, "base", "") not in judged]
    each: list[Judged] = [(judge.id, judge.title) for judge in asked]
    return [*each, (None, "All judges")] if None in judged and len(each) > 1 else each


def judge_lines(view: BoardView) -> list[tuple[str, str]]:
    """Return the title of each judge with what the best attack got from it; empty without attacks."""
    if not has_attacks(view):
        return []
    shown = attacked(view)
    tried = judges(shown)
    others = [judge.title for judge in view.judges if judge.id not in dict(tried)]
    lines = [(title, f"{separates(shown, judge)} {best(shown, judge)}") for judge, title in tried]
    return [*((title, "Not measured: no attack was tried on it.") for title in others), *lines]


def separates(view: BoardView, judge: str | None) -> str:
    """Say if a judge tells reference answers from empty ones: one that does not cannot be attacked."""
    row: AttackedJudge | None = next((row for row in known(view.results.attacked_judges) if row.judge == judge), None)
    if row is None:
        return "Whether it judges is not measured: it did not score both reference answers and empty ones."
    gap = words.estimate(row.separation, row.separation_low, row.separation_high, signs=True)
    scored = f"Reference answers score {words.number(row.right)} and empty ones {words.number(row.empty)}"
    figures = f"{scored}, a difference of {gap} points on {words.plural(row.n_items, 'item')}"
    if row.separates is None:
        return f"Whether it judges cannot be told ({row.absent}), so what attacks get from it says little."
    return f"{figures}, so {'it judges' if row.separates else 'it does not judge and cannot be attacked'}."


def best(view: BoardView, judge: str | None) -> str:
    """Say what the best attack got from a judge."""
    rows = [row for row in known(view.results.attacks) if row.judge == judge and not is_honest(row) and row.n_items]
    if not rows:
        return "No attack has a verdict yet."
    others = [row for row in rows if not adds_nothing(row)] or rows
    top = max(others, key=lambda row: (share(row), row.n_won_mean / row.n_items))
    both = top.orders > 1
    if not top.n_won:
        what = "in both orders of a comparison" if both else "on an item"
        own = ", beyond the honest first sentence of some" if any(row.n_won for row in rows) else ""
        return f"No attack got through {what}{own} ({words.plural(len(rows), 'attack')} tried)."
    what = "comparisons in both orders" if both else "items"
    return (
        f"The most successful attack got through on {words.of(top.n_won, top.n_items)} {what}: {title_of(view, top)}."
    )


def share(row: AttackRow) -> float:
    """Return the share of items that an attack won, 0 without any."""
    return row.n_won / row.n_items if row.n_items else 0.0


def title_of(view: BoardView, row: AttackRow) -> str:
    """Return the name of an attack: its id in an audit, else the title of the null model."""
    return name_of(view, row.model)


def name_of(view: BoardView, model: str) -> str:
    """Return the name of a contestant: the id of its attack in an audit, else its title."""
    if model.startswith(PREFIX):
        return model.removeprefix(PREFIX)
    if model == REFERENCE:
        return "reference answers"
    return view.title(model) if model in view.benchmark.models else model


def is_honest(row: AttackRow) -> bool:
    """Return True for a row that is no attack: the first sentence of an honest answer."""
    return row.kind == _HONEST


def adds_nothing(row: AttackRow) -> bool:
    """Return True for a text after an honest sentence that is not shown to score more than the sentence alone."""
    return row.kind == _PAYLOAD and row.lift is not None and (row.lift if row.lift_low is None else row.lift_low) <= 0


def fooled(view: BoardView) -> list[str]:
    """Say what a panel of programs cannot be fooled by, and what it can; empty if a model judges."""
    if not view.rule_based:
        return []
    worst, idle = dict[str, AttackRow](), dict[str, str]()
    for row in known(view.results.attacks):
        if row.judge is not None and not is_honest(row):
            if adds_nothing(row):
                idle.setdefault(row.model, title_of(view, row))
            elif row.won_share is not None or row.n_won:
                worst[row.model] = max(worst.get(row.model, row), row, key=share)
    safe = [row for row in worst.values() if row.won_high is not None and row.won_high <= HARDLY]
    wins = sorted((row for row in worst.values() if row not in safe and row.n_won), key=share, reverse=True)
    names = [title_of(view, row) for row in safe]
    won = [f"{title_of(view, row)} ({words.of(row.n_won, row.n_items)})" for row in wins]
    most = f"at most {words.number(100 * HARDLY, 0)} % of items, by the upper end of the interval"
    some = words.listed(words.some_of(names, _NAMED))
    return [
        f"Not fooled by {words.of(len(names), len({*worst, *idle}))} attacks: {some}. "
        f"These got through on {most}, with each judge of {TOO_FEW} or more answers."
        if names
        else f"No attack is shown to fail: none got through on {most}.",
        f"Fooled by: {words.listed(words.some_of(won, _NAMED))}, by the judge that each fooled most often."
        if won
        else f"No {'other ' if names else ''}attack got through.",
        *_idle([name for model, name in idle.items() if model not in worst]),
    ]


def _idle(names: Sequence[str]) -> Iterator[str]:
    if names:
        yield (
            f"Not shown to score more than the honest first sentence in front of them: "
            f"{words.listed(words.some_of(names, _NAMED))}."
        )


def matrix(view: BoardView) -> list[Line]:
    """Return the attacks, those of a kind together, each with its row for each judge."""
    by_model: dict[str, dict[str | None, AttackRow]] = {}
    for row in known(view.results.attacks):
        by_model.setdefault(row.model, {})[row.judge] = row
    columns = [judge for judge, _ in judges(view)]
    return [
        _line(view, next(iter(rows.values())), [rows.get(judge) for judge in columns]) for rows in by_model.values()
    ]


def _line(view: BoardView, row: AttackRow, cells: Sequence[AttackRow | None]) -> Line:
    listed = attacks().get(row.attack or "")
    description = listed.description if listed else view.benchmark.models[row.model].description
    return Line(title_of(view, row), row.kind or "null model", description, cells, controlled(view, row.model))


def controlled(view: BoardView, model: str) -> str:
    """Return the score of a contestant, raw and controlled for length and style, in words."""
    row = view.rows.get(model)
    if row is None or not hasattr(row, _CONTROLLED[0][0]):
        return ""
    figures = [f"{name} {words.number(getattr(row, field, None))}" for field, name in _CONTROLLED]
    return f"Score {words.number(row.overall)}, {', '.join(figures)}"


def strips(view: BoardView) -> list[Strip]:
    """Return a strip for each attack and model that judges in both orders, or the panel if only programs judge."""
    models: set[str | None] = {judge.id for judge in view.judges if not judge.is_program}
    titles = dict(judges(view))
    wanted = models or (set(titles) & {None}) or set(titles)
    rows = [row for row in known(view.results.attacks) if row.judge in wanted and any(row.surprise)]
    end = axis_end(view)
    return [Strip(title_of(view, row), titles[row.judge], [*_orders(row, end)]) for row in rows if row.judge in titles]


def axis_end(view: BoardView) -> float:
    """Return the -log p where the axes of the strips of a board end."""
    values = [value for row in known(view.results.attacks) for order in row.surprise for value in order]
    return min(_FAR, float(max(1, ceil(max(values, default=1.0)))))


def _orders(row: AttackRow, end: float) -> Iterator[tuple[str, Sequence[float], float]]:
    for name, values in zip(("shown first", "shown second"), row.surprise, strict=False):
        if values:
            yield name, [round(200 * min(value, end) / end, 1) for value in values], median(values)


def got_through(view: BoardView, parts: Sequence[tuple[Path, BoardView]]) -> list[Through]:
    """Return the attacks that won, the most successful first. parts: folders with answers, each with its own view."""
    titles, won = dict(judges(view)), dict[str, list[AttackRow]]()
    for row in known(view.results.attacks):
        if row.n_won and not is_honest(row) and row.judge in titles:
            won.setdefault(row.model, []).append(row)
    in_order = sorted(won.values(), key=lambda rows: -max(map(share, rows)))
    places = {row.model: part for part in reversed(parts) for row in known(part[1].results.attacks)}
    return [
        _through(*places[rows[0].model], rows, titles, title_of(view, rows[0]))
        for rows in in_order
        if rows[0].model in places
    ]


def _through(
    run: Path, view: BoardView, rows: Sequence[AttackRow], titles: Mapping[str | None, str], title: str
) -> Through:
    by_judge = {row.judge: row for row in rows}
    each = [
        f"{words.of(by_judge[judge].n_won, by_judge[judge].n_items)} by {title}"
        for judge, title in titles.items()
        if judge in by_judge
    ]
    idle = ", not shown to score more than its honest first sentence" if all(map(adds_nothing, rows)) else ""
    won, model = f"got through on {words.listed(each)}{idle}", rows[0].model
    public = {placed.id: placed.item for placed in view.items if not is_private(placed.item)}
    scores = {row.item: row.score or 0.0 for row in view.results.items if row.model == model}
    shard = run / "responses" / f"{model}.jsonl"
    answers = {
        answer.item: answer.text
        for answer in (read_records(shard, Response) if shard.is_file() else ())
        if answer.board == view.board.id and answer.item in public and answer.hidden is None and answer.text
    }
    by_score = sorted(answers, key=lambda item: (scores.get(item, 0.0), item), reverse=True)
    item = next((item for item in by_score if not _quotes(answers[item], public[item])), None)
    if item is None:
        return Through(title, won)
    text = visible(answers[item])
    return Through(title, won, item, text[:SHOWN], max(0, len(text) - SHOWN))


def _quotes(text: str, item: Any) -> bool:
    """Return True if a text quotes the source of its item, which no page shows."""
    source = getattr(item, "source", None) or ""
    return any(source[at : at + _QUOTED] in text for at in range(max(1, len(source) - _QUOTED + 1)) if source)


def visible(text: str) -> str:
    """Return a text with its invisible characters as code points, since they may be the attack."""
    return "".join(each if each in "\n\t" or each.isprintable() else f"⟨U+{ord(each):04X}⟩" for each in text)


# What defences do to the attacks on a board and to honest answers.


_DEFENCES: Mapping[str, str] = {
    "both-orders": "Both orders must agree; else a tie",
    "median-wording": "Median over the wordings of the question",
    "lexicon": "Lexicon: flagged answers are lost",
    "repeats": "Repeated answers are lost",
    TOGETHER: "The panel's defences together",
}


@dataclass(frozen=True)
class Effect:
    """A defence with a judge, in words: the best attack without and with it, false alarms, drift."""

    defence: str
    judge: str
    without: str
    defended: str
    alarms: str
    drift: str


def effects(view: BoardView) -> list[Effect]:
    """Return what each defence does with each judge. Honest answers are those of the board, where it has any."""
    shown = attacked(view)
    titles = _titles(shown)
    own = {(row.defence, row.judge): row for row in known(view.results.defences)}
    rows = [row for row in known(shown.results.defences) if row.judge in titles]
    rows.sort(key=lambda row: [*titles].index(row.judge))
    return [_effect(view, shown, row, own.get((row.defence, row.judge)), titles[row.judge]) for row in rows]


def _effect(view: BoardView, shown: BoardView, row: DefenceRow, own: DefenceRow | None, judge: str) -> Effect:
    title = _DEFENCES.get(row.defence, row.defence)
    if row.absent is not None and (own is None or own.absent is not None):
        why = f"{words.ABSENT}: {row.absent}"
        return Effect(title, judge, why, words.ABSENT, words.ABSENT, words.ABSENT)
    honest = row if own is None or own.n_honest is None else own
    honest_rows = {each.model for each in known(shown.results.attacks) if is_honest(each)}
    tried = [
        each
        for each in known(shown.results.defended_attacks)
        if (each.defence, each.judge) == (row.defence, row.judge) and each.n_items and each.model not in honest_rows
    ]
    return Effect(
        title,
        judge,
        _most_successful(shown, tried, with_it=False),
        _most_successful(shown, tried, with_it=True),
        *_on_honest(view if honest is own else shown, honest),
    )


def _most_successful(shown: BoardView, rows: Sequence[DefendedAttack], *, with_it: bool) -> str:
    """Return the most successful attack, with how often it got through."""
    if not rows:
        return f"{words.ABSENT}: no attack has all that it needs"

    def won(row: DefendedAttack) -> int:
        return row.n_defended if with_it else row.n_undefended

    top = max(rows, key=lambda row: won(row) / row.n_items)
    name = f", {name_of(shown, top.model)}" if won(top) else f", none of {words.plural(len(rows), 'attack')}"
    return f"{words.of(won(top), top.n_items)}{_ends(top) if with_it else ''}{name}"


def _ends(row: DefendedAttack) -> str:
    if row.defended_share is None or row.defended_low is None or row.defended_high is None:
        return ""
    ends = words.interval(100 * row.defended_low, 100 * row.defended_high)
    return f", {words.percent(row.defended_share)} {ends}".rstrip()


def _on_honest(view: BoardView, row: DefenceRow) -> tuple[str, str]:
    """Return false alarms, and drift, in words."""
    if row.n_honest is None or row.drift is None or row.drift_most is None:
        return (f"{words.ABSENT}: {row.absent or 'no honest answer'}",) * 2
    alarms = f"acts on each of {words.number(row.n_honest, 0)}"
    if row.n_alarms is not None:
        alarms = f"{words.of(row.n_alarms, row.n_honest)} answers"
        if row.alarm_high is not None:
            alarms += f", at most {words.percent(row.alarm_high)}"
        if row.alarmed:
            alarms += f" ({words.listed([name_of(view, model) for model in row.alarmed])})"
    signed = words.estimate(row.drift, None, None, signs=True)
    most = words.estimate(row.drift_most, None, None, signs=True)
    return alarms, f"{signed} points on average, at most {most} ({name_of(view, row.drift_model or '')})"


def defended(view: BoardView) -> Mapping[str, Any]:
    """Return the names of the measured defences, and rows of an attack, a judge and a cell for each of these."""
    shown = attacked(view)
    titles, rows = _titles(shown), known(shown.results.defended_attacks)
    measured = [name for name in _DEFENCES if any(row.defence == name for row in rows)]
    by_attack: dict[tuple[str, str | None], dict[str, DefendedAttack]] = {}
    for row in rows:
        if row.judge in titles:
            by_attack.setdefault((row.model, row.judge), {})[row.defence] = row
    cells = [
        (name_of(shown, model), titles[judge], [_cell(of.get(name)) for name in measured])
        for (model, judge), of in by_attack.items()
    ]
    return {"names": [_DEFENCES[name] for name in measured], "rows": cells}


def _cell(row: DefendedAttack | None) -> str:
    if row is None or not row.n_items:
        return words.ABSENT
    rate = _ends(row) or ", too few for a rate"
    return f"{words.of(row.n_defended, row.n_items)}{rate}; {words.number(row.n_undefended, 0)} without"


def defended_scores(view: BoardView) -> Sequence[tuple[str, DefendedScore]]:
    """Return the score of each honest contestant without and with the panel's defences; none if it states none."""
    return [(name_of(view, row.model), row) for row in known(view.results.defended_scores)]


def over_wordings(view: BoardView) -> Iterator[str]:
    """Say how far what an attack gets is spread over the wordings of a judge's question."""
    shown = attacked(view)
    of_base: dict[tuple[str, str], list[AttackRow]] = {}
    bases = {judge.id: getattr(judge, "base", "") for judge in shown.judges}
    for row in known(shown.results.attacks):
        if (base := bases.get(row.judge or "")) and row.n_items and not is_honest(row):
            of_base.setdefault((row.model, base), []).append(row)
    for (model, base), found in of_base.items():
        if len(found) > 1:
            few, many = (take(found, key=share) for take in (min, max))
            spread = f"{words.of(few.n_won, few.n_items)} to {words.of(many.n_won, many.n_items)}"
            by_mean = ""
            if few.orders > 1:
                few, many = (take(found, key=lambda each: each.n_won_mean / each.n_items) for take in (min, max))
                ends = f"{words.of(few.n_won_mean, few.n_items)} to {words.of(many.n_won_mean, many.n_items)}"
                by_mean = f"; by the mean of the orders, on {ends}"
            name, title = name_of(shown, model), shown.benchmark.judges[base].title
            yield f"{name}, {title}: got through on {spread} over {len(found)} wordings{by_mean}."


def _titles(shown: BoardView) -> dict[str | None, str]:
    """Return the title of each judge; a judge with several wordings also has one over all."""
    titles = dict(judges(shown))
    for judge in shown.judges:
        if base := getattr(judge, "base", ""):
            titles[base] = shown.benchmark.judges[base].title
    return titles
