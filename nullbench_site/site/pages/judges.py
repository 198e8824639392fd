"""Make the pages of judges: agreement, replies and scales, controls, successors, and picks of several answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from msgspec import UNSET

from nullbench_site.judging.bridges import BoardBridge, bridges_of
from nullbench_site.packaged import word_pairs
from nullbench_site.programs import ProgramValidity, figures_of
from nullbench_site.scoring.best_of_tables import BestOfFitRow, BestOfRow
from nullbench_site.scoring.board_tables import BridgeRank, BridgeRow, ScoreError
from nullbench_site.scoring.bridges import SCORE
from nullbench_site.scoring.columns import Metric
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.site import paths, words
from nullbench_site.site.charts.style import ChartTable
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.page import InWords, Page, Section, score_words, section
from nullbench_site.site.pages.panel_words import (
    PANEL_METRICS,
    agreed,
    agreement,
    hangs_on,
    replied,
    severity,
    severity_on_same_answers,
    tally,
    with_other_judges,
)
from nullbench_site.site.pages.short_questions import question_tables
from nullbench_site.site.protocol import answered, pages_of
from nullbench_site.site.trust import controls
from nullbench_site.site.trust.attacks import judge_lines
from nullbench_site.site.trust.labels import shown_labels
from nullbench_site.site.views import BoardView, known
from nullbench_site.specs.types import PROGRAMS, RECORDED, Judge
from nullbench_site.stats.measure import LEAST_CLUSTERS

SHOWN = 50
"""How many contestants the tables of what each judge gave have; the best."""
_MOVED = 30
"""How many contestants whose rank would be another the page shows; the best of those of the panel as it is."""


def pages(site: SiteData) -> Iterator[Page]:
    """Yield the list of panels, and a page about the judges of each board."""
    views = answered(site.views)
    if not views:
        return
    sections = [_section(view, site.entry.manifest.backends) for view in views]
    yield Page(
        url=paths.JUDGES,
        title="Judges",
        template="judges.md.j2",
        context={
            "judged": any(view.panel for view in site.views),
            "unjudged": pages_of(views[0].board.protocol).unjudged,
            "imported": any(judge.backend == RECORDED for view in site.views for judge in view.judges),
            "boards": sections,
            "studies": site.studies,
            "usage": [
                (site.benchmark.judges[judge].title, used)
                for judge, used in site.entry.manifest.usage.judges.items()
                if judge in site.benchmark.judges
            ],
        },
        description="Who judges (rates, grades) each board, and how far the judges agree.",
    )
    for view, each in zip(views, sections, strict=True):
        yield Page(
            url=paths.judges_url(view.board.id),
            title=f"Judges of {view.name}",
            template="board_judges.md.j2",
            context={"board": each},
            description=f"Who judges (rates, grades) {view.name}: "
            f"{', '.join(judge.title for judge in view.judges) or 'nobody'}.",
        )


def _section(view: BoardView, revisions: Mapping[str, str]) -> Section:
    part = pages_of(view.board.protocol).judges(view)
    if view.panel is None:
        return section(
            view,
            {
                "template": "_no_judges.md.j2",
                "sentences": [],
                "crossed": None,
                "controls": None,
                "bridges": [],
                "labels": None,
                "best_of": [],
                "attacks": [],
                "questions": [],
                "against_models": None,
                "n_items": len(view.items),
                **part,
            },
        )
    titles = {judge.id: judge.title for judge in view.judges}
    rows = view.judge_rows
    parts = part.get("by_part") or by_domain(view)
    bounds = view.results.agreement_bounds
    shared = {
        "template": "_judges.md.j2",
        "sentences": [
            *agreed(view.agreement(), len(view.judges)),
            hangs_on(view),
            severity_on_same_answers(view)
            or (part["severity"] if "severity" in part else severity(titles, {row.judge: row.mean for row in rows})),
            part.get("own_scale", ""),
            replied(rows),
            retiring(view),
        ],
        "judged": judged(view),
        "missing": any(row.missing for row in rows),
        "overall": agreement(view.agreement()),
        "units": "",
        "alpha_interval": "" if bounds is UNSET else words.interval(bounds.low, bounds.high, 3),
        "by_part": parts,
        "tally": tally(parts),
        "matrix": None,
        "against_models": against_models(view.judges, revisions),
        "shown": words.of(SHOWN, len(view.rows)) if len(view.rows) > SHOWN else "",
        "crossed": crossed(view),
        "controls": damages(view),
        "bridges": bridges(view),
        "labels": shown_labels(view),
        "best_of": shown_best_of(view),
        "attacks": judge_lines(view),
        "questions": question_tables(view),
    }
    return section(view, {**shared, **part})


def damages(view: BoardView) -> dict[str, Any]:
    """Return what the controls of a board show about its panel."""
    return {
        "sentences": controls.panel_sentences(view),
        "ceiling": controls.ceiling_words(view),
        "judges": [judge.title for judge in view.judges],
        "lines": controls.table(view),
        "least": LEAST_CLUSTERS,
    }


def crossed(view: BoardView) -> dict[str, Any] | None:
    """Return the study of contestants, items and judges; None without one."""
    results = view.results
    if not results.components:
        return None
    columns = {"items": "Other items, these judges", "items and judges": "Other items and judges like these"}
    errors = {(row.error, row.over): row for row in results.score_errors}
    shown = [over for over in columns if any(_points(errors, error, over) is not None for error in _ERRORS)]
    lines = {
        f"{name}{more}": [_points(errors, error, over, field) for over in shown]
        for error, name in _ERRORS.items()
        for field, more in _PLANNED.items()
    }
    others = errors.get(("relative", "items and judges"))
    return {
        "says": other_judges(view),
        "panel": PANEL_METRICS.get(results.panel_kind),
        "names": word_pairs("components"),
        "components": results.components,
        "columns": [columns[over] for over in shown],
        "errors": {name: points for name, points in lines.items() if any(each is not None for each in points)},
        "unplanned": "" if others is None or others.absent is None else others.absent,
    }


def _points(
    errors: Mapping[tuple[str, str], ScoreError], error: str, over: str, field: str = "error_points"
) -> float | None:
    points = getattr(errors.get((error, over)), field, None)
    return points if isinstance(points, float) else None


_PLANNED = {"error_points": "", "one_more_item": ", with one more item", "one_more_judge": ", with one more judge"}
_ERRORS = {"absolute": "A score by itself: absolute error", "relative": "A score in a comparison: relative error"}


def other_judges(view: BoardView) -> str:
    """Say how far other judges could move the first score, if this kind of panel can tell."""
    row = next((row for row in view.results.leaderboard if row.rank is not None), None)
    if row is None or row.overall is None or row.panel_low is UNSET:
        return ""
    if row.panel_low is None:
        return (
            f"How far other judges could move the scores is not measured: {row.absent.get('panel_low', words.ABSENT)}."
        )
    kind = view.results.panel_kind
    said = with_other_judges(kind, row.panel_low, row.panel_high)
    more = "" if kind == "models" else " These judges are no sample, so this says nothing about other judges."
    return f"{view.title(row.model)} scores {score_words(row)} with this panel, and {said}.{more}"


@dataclass(frozen=True)
class JudgeColumn:
    """A column about judges that a protocol adds: its head, its metric, and its cell for a row.

    counts: whether it is a count; it then follows the counts of replies, otherwise the mean and the deviation.
    """

    title: str
    metric: Metric
    cell: Callable[[Any], InWords]
    counts: bool = False


def judged(view: BoardView, replies: str = "Replies", columns: Sequence[JudgeColumn] = ()) -> dict[str, Any]:
    """Return the table of judges. replies: the head over valid ones."""
    if any(row.forms is not UNSET for row in view.judge_rows):
        columns = [*columns, OTHER_FORMS]
    return {
        "replies": replies,
        "columns": columns,
        "scaled": any("mean" in row.__struct_fields__ for row in view.judge_rows),
        "rows": view.judge_rows,
    }


def _forms(row: Any) -> InWords:
    counts = {} if row.forms is UNSET else row.forms
    return InWords(", ".join(f"{words.number(n, 0)} {form}" for form, n in counts.items()) or words.number(0, 0))


OTHER_FORMS = JudgeColumn("Other forms", METRICS["verdict_counts"], _forms, counts=True)
"""How many replies of a judge were read in each form other than the one asked for."""


@dataclass(frozen=True)
class AgainstModels:
    """How far judges that are programs agree with models. measured: None for unknown programs.

    titles: of the judges, by program.
    """

    measured: ProgramValidity | None
    titles: Mapping[str, str]


def against_models(judges: Sequence[Judge], revisions: Mapping[str, str]) -> AgainstModels | None:
    """Return the comparison of a panel of programs with models; None for other panels.

    revisions: of what judged in the run. A figure holds for the revision that it was measured with.
    """
    if not judges or not all(judge.is_program for judge in judges):
        return None
    titles = {judge.model: judge.title for judge in judges}
    return AgainstModels(figures_of(frozenset(titles), revisions.get(PROGRAMS)), titles)


def by_domain(view: BoardView) -> list[dict[str, Any]]:
    """Return the agreement of the panel by domain; nothing if the protocol computes it for other parts."""
    rows = view.agreements or ()
    if any(row.category or row.axis for row in rows) or (rows and not any(row.domain for row in rows)):
        return []
    return [
        {"title": spec.title, "link": paths.domain_url(view.board.id, name), **agreement(view.agreement(domain=name))}
        for name, spec in view.domains.items()
    ]


def judge_kind(judge: Judge, view: BoardView) -> str:
    """Say what a judge is: a program, a model at an endpoint, or imported verdicts."""
    if judge.is_program:
        return f"the program “{judge.model}”"
    if judge.backend == RECORDED:
        return f"“{judge.model}”, whose verdicts were imported"
    return f"the model “{judge.model}” at the endpoint {view.benchmark.endpoint_of(judge).id}"


# A judge that is to succeed another: how it marks the same answers, and who would stand elsewhere.


def bridges(view: BoardView) -> list[dict[str, Any]]:
    """Return the bridges of a board, measured or not.

    moves: those whose rank, or its range, would be another; more: how many others.
    """
    return [_bridge(view, bridge) for bridge in bridges_of(view.benchmark, view.board)]


def retiring(view: BoardView) -> str:
    """Say which judges of the panel retire, and when."""
    days = [
        f"{words.isolated(judge.title)} retires on {judge.retires}"
        for judge in view.judges
        if judge.retires is not None
    ]
    return f"{words.listed(days)}." if days else ""


def _bridge(view: BoardView, bridge: BoardBridge) -> dict[str, Any]:
    judge, other = (words.isolated(each.title) for each in (bridge.judge, view.benchmark.judges[bridge.spec.judge]))
    pair = bridge.judge.id, bridge.spec.judge
    rows: list[BridgeRow] = [row for row in known(view.results.bridges) if (row.judge, row.other) == pair]
    ranks: list[BridgeRank] = [row for row in known(view.results.bridge_ranks) if (row.judge, row.other) == pair]
    moved = [row for row in ranks if row.model in view.rows and _before(row) != _after(row)]
    n_items = words.of(len(bridge.items), len(view.items))
    asked = f"{judge} will replace {other}; it marked the answers to {n_items} items"
    if not rows:
        sentences = [
            f"{judge} will replace {other}. Not measured: no answer to the {n_items} items has marks of both judges."
        ]
    else:
        apart = f"{asked}. Its marks count in no score yet."
        sentences = [apart, *_score(rows, judge, other), _moved(ranks, moved)]
    return {
        "id": bridge.judge.id,
        "judge": judge,
        "other": other,
        "sentences": sentences,
        "shifts": [(view.mark_title(row.mark), 1 if row.mark == SCORE else 2, row) for row in rows],
        "moves": moved[:_MOVED],
        "n_moved": len(moved),
    }


def _score(rows: list[BridgeRow], judge: str, other: str) -> Iterator[str]:
    row = next((row for row in rows if row.mark == SCORE and row.shift is not None), None)
    if row is None or row.shift is None:
        return
    ends = "" if row.absent else words.interval(row.low, row.high, signs=True)
    answers = words.plural(row.n_answers, "answer")
    if round(row.shift, 1):
        side = "higher" if row.shift > 0 else "lower"
        sentence = (
            f"Alone it scores the same {answers} {words.number(abs(row.shift))} points {side} than {other}, on average"
        )
    else:
        sentence = f"Alone {judge} scores the same {answers} as {other} does, on average"
    if row.absent and row.shift:
        yield f"{sentence}; its interval is not measured: {row.absent}."
        return
    same = ends and row.low is not None and row.high is not None and row.low <= 0 <= row.high
    yield f"{sentence} {ends}".rstrip() + ("; that is not distinguishable from no shift." if same else ".")


def _moved(ranks: list[BridgeRank], moved: list[BridgeRank]) -> str:
    if not ranks:
        return "Its effect on ranks is not measured: no contestant has every verdict of both judges."
    count = sum(row.rank != row.rank_after for row in ranks)
    on = "On these items"
    if not moved:
        return f"{on} no rank of {words.plural(len(ranks), 'contestant')} would change."
    ranges = f", and the rank ranges of {words.number(len(moved) - count, 0)} more" if len(moved) > count else ""
    return f"{on} the ranks of {words.of(count, len(ranks))} contestants would change{ranges}."


def _before(row: BridgeRank) -> tuple[int | None, int | None, int | None]:
    return row.rank, row.rank_low, row.rank_high


def _after(row: BridgeRank) -> tuple[int | None, int | None, int | None]:
    return row.rank_after, row.rank_low_after, row.rank_high_after


# What judges pick of several answers, and whether the picks are right. Positions are from the upper left of a picture.


WIDTH, HEIGHT = 340, 270
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 326, 26, 220
_TICKS = (0, 25, 50, 75, 100)


@dataclass(frozen=True)
class Picks:
    """What one judge picks of the answers of one contestant. title: the judge's."""

    title: str
    says: Sequence[str]
    picture: Mapping[str, Any]
    table: ChartTable
    fit: BestOfFitRow


def shown_best_of(view: BoardView) -> list[Picks]:
    """Return the picks of each judge, models first and the panel last; empty for a board without the tables."""
    by_kind = sorted(view.judges, key=lambda judge: judge.is_program)
    titles: dict[str | None, str] = {**{judge.id: judge.title for judge in by_kind}, None: "All judges"}
    fits, rows = known(view.results.best_of_fits), known(view.results.best_of)
    shown = []
    for fit in sorted(fits, key=lambda each: list(titles).index(each.judge)):
        own = [row for row in rows if (row.model, row.judge) == (fit.model, fit.judge)]
        name = titles[fit.judge]
        table = ChartTable(f"Picks of {name} by the number of answers", _HEAD, [_cells(row) for row in own])
        shown.append(Picks(name, list(_sentences(name, view.title(fit.model), own, fit)), _picture(own), table, fit))
    return shown


_HEAD = ["Picked of", "KL at most", "Judge's score of the pick", "Right by the key"]


def _cells(row: BestOfRow) -> list[str]:
    proxy, gold = ((row.proxy, row.proxy_low, row.proxy_high), (row.gold, row.gold_low, row.gold_high))
    return [
        words.plural(row.n_picked_of, "answer"),
        words.number(row.kl_bound, 2),
        words.estimate(*proxy),
        words.estimate(*gold),
    ]


def _sentences(title: str, model: str, rows: Sequence[BestOfRow], fit: BestOfFitRow) -> Iterator[str]:
    name = "all judges together" if fit.judge is None else words.foreign(title)
    verb = "score" if fit.judge is None else "scores"
    first, last = rows[0], rows[-1]
    yield (
        f"Of {fit.n_samples} answers of {model}, the one that {name} {verb} highest is right in "
        f"{_share(last)} of the items; one answer at random is right in {_share(first)}."
    )
    gain = words.estimate(fit.gain, fit.gain_low, fit.gain_high, signs=True)
    if fit.no_choice == 1:
        yield "It gives all answers to an item one score, so it cannot pick."
    elif fit.gain_low is not None and fit.gain_low > 0:
        yield f"Picks are right more often than an answer at random, by {gain} points."
    elif fit.gain_high is not None and fit.gain_high < 0:
        yield f"Picks are right less often than an answer at random, by {gain} points."
    else:
        yield f"Picks are not shown to be right more or less often than an answer at random: {gain} points."
    if 0 < fit.no_choice < 1:
        yield f"In {words.percent(fit.no_choice)} of the items, all answers have one score, and the pick is random."
    if fit.peak_n is None:
        why = fit.absent["peak_n"]
        yield f"{why[:1].upper()}{why[1:]}."
    else:
        place = words.estimate(fit.peak_n, fit.peak_n_low, fit.peak_n_high, 0)
        yield f"Picks are right most often at n = {place}. With more answers, they are right less often."


def _share(row: BestOfRow) -> str:
    return (
        f"{words.percent(None if row.gold is None else row.gold / 100)} {words.interval(row.gold_low, row.gold_high)}"
    )


def _picture(rows: Sequence[BestOfRow]) -> Mapping[str, Any]:
    """Return proxy and gold by the root of the KL bound. across, up: the ticks of n and of scores, with their texts."""
    most = sqrt(rows[-1].kl_bound)
    xs = [round(_LEFT + (_RIGHT - _LEFT) * sqrt(row.kl_bound) / most, 1) for row in rows]
    last = len(rows)
    return {
        "proxy": _curve(xs, [(row.proxy, row.proxy_low, row.proxy_high) for row in rows]),
        "gold": _curve(xs, [(row.gold, row.gold_low, row.gold_high) for row in rows]),
        "across": [(x, str(n)) for n, x in enumerate(xs, 1) if n == last or (n & (n - 1) == 0 and 2 * n <= last)],
        "up": [(_y(tick), str(tick)) for tick in _TICKS],
        "width": WIDTH, "height": HEIGHT, "left": _LEFT, "right": _RIGHT, "bottom": _BOTTOM,
    }  # fmt: skip


def _curve(xs: Sequence[float], ends: Sequence[tuple[float | None, float | None, float | None]]) -> Mapping[str, str]:
    """Return a curve with its 95 % band, as the points of SVG shapes; no band: empty."""
    values, lows, highs = zip(*ends, strict=True)
    band = "" if None in lows or None in highs else f"{_polyline(xs, highs)} {_polyline(xs[::-1], lows[::-1])}"
    return {"line": _polyline(xs, values), "band": band}


def _polyline(xs: Sequence[float], values: Sequence[float | None]) -> str:
    return " ".join(f"{x},{_y(value)}" for x, value in zip(xs, values, strict=True) if value is not None)


def _y(score: float) -> float:
    return round(_BOTTOM - (_BOTTOM - _TOP) * score / 100, 1)
