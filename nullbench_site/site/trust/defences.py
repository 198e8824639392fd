"""What defences do to the attacks on a board and to honest answers, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from nullbench_site.scoring.attack_tables import TOGETHER, AttackRow, DefenceRow, DefendedAttack, DefendedScore
from nullbench_site.site import words
from nullbench_site.site.trust import attacks
from nullbench_site.site.views import BoardView, known

TITLES: Mapping[str, str] = {
    "both-orders": "Both orders must agree; else a tie",
    "median-wording": "Median over the wordings of the question",
    "lexicon": "Lexicon: flagged answers are lost",
    "repeats": "Repeated answers are lost",
    TOGETHER: "The panel's defences together",
}
NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class Effect:
    """A defence with a judge, in words: the best attack without and with it, false alarms, drift."""

    defence: str
    judge: str
    without: str
    defended: str
    alarms: str
    drift: str


@dataclass(frozen=True)
class Cells:
    """An attack on a judge, in words for each defence."""

    attack: str
    judge: str
    cells: Sequence[str]


def effects(view: BoardView) -> list[Effect]:
    """Return what each defence does with each judge. Honest answers are those of the board, where it has any."""
    shown = attacks.attacked(view)
    titles = _titles(shown)
    own = {(row.defence, row.judge): row for row in known(view.results.defences)}
    rows = [row for row in known(shown.results.defences) if row.judge in titles]
    rows.sort(key=lambda row: [*titles].index(row.judge))
    return [_effect(view, shown, row, own.get((row.defence, row.judge)), titles[row.judge]) for row in rows]


def _effect(view: BoardView, shown: BoardView, row: DefenceRow, own: DefenceRow | None, judge: str) -> Effect:
    title = TITLES.get(row.defence, row.defence)
    if row.absent is not None and (own is None or own.absent is not None):
        why = f"{NOT_MEASURED}: {row.absent}"
        return Effect(title, judge, why, NOT_MEASURED, NOT_MEASURED, NOT_MEASURED)
    honest = row if own is None or own.n_honest is None else own
    tried = [
        each
        for each in known(shown.results.defended_attacks)
        if (each.defence, each.judge) == (row.defence, row.judge) and each.n_items and not _is_carrier(shown, each)
    ]
    return Effect(
        title,
        judge,
        _best(shown, tried, with_it=False),
        _best(shown, tried, with_it=True),
        *_honest(view if honest is own else shown, honest),
    )


def _is_carrier(shown: BoardView, row: DefendedAttack) -> bool:
    return any(each.model == row.model and attacks.is_honest(each) for each in known(shown.results.attacks))


def _best(shown: BoardView, rows: Sequence[DefendedAttack], *, with_it: bool) -> str:
    """Return the most successful attack, with how often it got through."""
    if not rows:
        return f"{NOT_MEASURED}: no attack has all that it needs"

    def won(row: DefendedAttack) -> int:
        return row.n_defended if with_it else row.n_undefended

    top = max(rows, key=lambda row: won(row) / row.n_items)
    name = f", {attacks.name_of(shown, top.model)}" if won(top) else f", none of {words.plural(len(rows), 'attack')}"
    return f"{words.of(won(top), top.n_items)}{_ends(top) if with_it else ''}{name}"


def _ends(row: DefendedAttack) -> str:
    if row.defended_share is None or row.defended_low is None or row.defended_high is None:
        return ""
    ends = words.interval(100 * row.defended_low, 100 * row.defended_high)
    return f", {words.percent(row.defended_share)} {ends}".rstrip()


def _honest(view: BoardView, row: DefenceRow) -> tuple[str, str]:
    """Return false alarms, and drift, in words."""
    if row.n_honest is None or row.drift is None or row.drift_most is None:
        return (f"{NOT_MEASURED}: {row.absent or 'no honest answer'}",) * 2
    alarms = f"acts on each of {words.number(row.n_honest, 0)}"
    if row.n_alarms is not None:
        alarms = f"{words.of(row.n_alarms, row.n_honest)} answers"
        if row.alarm_high is not None:
            alarms += f", at most {words.percent(row.alarm_high)}"
        if row.alarmed:
            alarms += f" ({words.listed([attacks.name_of(view, model) for model in row.alarmed])})"
    signed = words.estimate(row.drift, None, None, signs=True)
    most = words.estimate(row.drift_most, None, None, signs=True)
    return alarms, f"{signed} points on average, at most {most} ({attacks.name_of(view, row.drift_model or '')})"


def defended(view: BoardView) -> tuple[list[str], list[Cells]]:
    """Return the titles of the measured defences, and a row for each attack and judge with a cell for each."""
    shown = attacks.attacked(view)
    titles, rows = _titles(shown), known(shown.results.defended_attacks)
    measured = [name for name in TITLES if any(row.defence == name for row in rows)]
    by_attack: dict[tuple[str, str | None], dict[str, DefendedAttack]] = {}
    for row in rows:
        if row.judge in titles:
            by_attack.setdefault((row.model, row.judge), {})[row.defence] = row
    return [TITLES[name] for name in measured], [
        Cells(attacks.name_of(shown, model), titles[judge], [_cell(of.get(name)) for name in measured])
        for (model, judge), of in by_attack.items()
    ]


def _cell(row: DefendedAttack | None) -> str:
    if row is None or not row.n_items:
        return NOT_MEASURED
    rate = _ends(row) or ", too few for a rate"
    return f"{words.of(row.n_defended, row.n_items)}{rate}; {words.number(row.n_undefended, 0)} without"


def scores(view: BoardView) -> Sequence[tuple[str, DefendedScore]]:
    """Return the score of each honest contestant without and with the panel's defences; none if it states none."""
    return [(attacks.name_of(view, row.model), row) for row in known(view.results.defended_scores)]


def wordings(view: BoardView) -> Iterator[str]:
    """Say how far what an attack gets is spread over the wordings of a judge's question."""
    shown = attacks.attacked(view)
    of_base: dict[tuple[str, str], list[AttackRow]] = {}
    bases = {judge.id: getattr(judge, "base", "") for judge in shown.judges}
    for row in known(shown.results.attacks):
        if (base := bases.get(row.judge or "")) and row.n_items and not attacks.is_honest(row):
            of_base.setdefault((row.model, base), []).append(row)
    for (model, base), found in of_base.items():
        if len(found) > 1:
            few, many = (take(found, key=attacks.share) for take in (min, max))
            spread = f"{words.of(few.n_won, few.n_items)} to {words.of(many.n_won, many.n_items)}"
            by_mean = ""
            if few.orders > 1:
                few, many = (take(found, key=lambda each: each.n_won_mean / each.n_items) for take in (min, max))
                ends = f"{words.of(few.n_won_mean, few.n_items)} to {words.of(many.n_won_mean, many.n_items)}"
                by_mean = f"; by the mean of the orders, on {ends}"
            name, title = attacks.name_of(shown, model), shown.benchmark.judges[base].title
            yield f"{name}, {title}: got through on {spread} over {len(found)} wordings{by_mean}."


def _titles(shown: BoardView) -> dict[str | None, str]:
    """Return the title of each judge; a judge with several wordings also has one over all."""
    titles = dict(attacks.judges(shown))
    for judge in shown.judges:
        if base := getattr(judge, "base", ""):
            titles[base] = shown.benchmark.judges[base].title
    return titles
