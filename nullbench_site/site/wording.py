"""What pages show of the sensitivity of scores to wording, and of formats, seeds and temperatures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from nullbench_site.scoring.wording_tables import WordingEffect, WordingRank, WordingRow
from nullbench_site.site import words
from nullbench_site.site.views import BoardView, known
from nullbench_site.stats.trust import HIGH_SIGMA, MEDIUM_SIGMA, Level, wording_level


@dataclass(frozen=True)
class WordingGrade:
    """The sensitivity of one contestant to wording. level: None if it is not measured, for the reason in `why`.

    possible: whether other items could measure it. upper: the highest end of its intervals, in points.
    """

    level: Level | None
    possible: bool
    why: str
    upper: float | None = None


def graded(view: BoardView, model: str) -> WordingGrade | None:
    """Grade the sensitivity of a contestant by its worst format; None if the results have no row for it."""
    rows = [row for row in known(view.results.wording_effects) if row.model == model]
    if not rows:
        return None
    n = rows[0].n_wordings
    lacking = [f"{row.absent}{_format(row)}" for row in rows if row.high is None]
    if lacking:
        why = f"The model was asked in {n} wordings, but how much they matter is not measured: {'; '.join(lacking)}."
        return WordingGrade(None, all(row.sigma is not None for row in rows), why)
    upper = max(row.high for row in rows if row.high is not None)
    each = [f"{words.estimate(row.sigma, row.low, row.high)}{_format(row)}" for row in rows]
    why = (
        f"Over {n} wordings, the score has a standard deviation of {words.listed(each)} points. The upper end counts: "
        f"medium trust takes at most {MEDIUM_SIGMA:g}, high less than {HIGH_SIGMA:g}."
    )
    return WordingGrade(wording_level(upper), True, why, upper)


def _format(row: WordingEffect) -> str:
    return "" if row.format is None else f" ({row.format})"


def cost(view: BoardView) -> str:
    """Say what the wordings of a board cost; empty if it has one or no contestant is asked in several."""
    k = len(view.board.wordings)
    if k == 1 or all(len(view.board.wordings_for(view.benchmark.answerer(model))) == 1 for model in view.rows):
        return ""
    one = view.results.n_items * view.board.samples
    judged = ", and as many times the judgments" if view.panel is not None else ""
    answers = f"{words.plural(k * one, 'answer')} of a model instead of {words.number(one, 0)}"
    return f"{k} wordings cost {k} times the calls of one: {answers}{judged}."


def first_wording_only(view: BoardView) -> str:
    """Name the contestants that answer the first of several wordings only; empty without any."""
    titles = [view.title(model) for model in view.rows if model in view.board.first_template_only]
    if not titles:
        return ""
    answer, their = ("answers", "its score is") if len(titles) == 1 else ("answer", "their scores are")
    what = f"{words.listed(titles)} {answer} the first wording only"
    return f"{what}, so {their} not comparable with a mean over {len(view.board.wordings)} wordings."


def wording_part(view: BoardView) -> Mapping[str, Any] | None:
    """Return what the trust page of a board shows of wordings, formats and decoding; None if there is nothing."""
    results = view.results
    by_wording: dict[str, dict[str, WordingRow]] = {}
    for row in known(results.templates):
        by_wording.setdefault(row.model, {})[row.template] = row
    ranks: dict[str, dict[str, WordingRank]] = {}
    for rank in known(results.wording_ranks):
        ranks.setdefault(rank.model, {})[rank.template] = rank
    part = {
        "effects": known(results.wording_effects),
        "by_wording": {model: rows for model, rows in by_wording.items() if len(rows) > 1},
        "ranks": dict(sorted(ranks.items(), key=lambda item: min(row.rank or 0 for row in item[1].values()))),
        "formats": known(results.format_differences),
        "decodings": known(results.decoding_effects),
    }
    if not any(part.values()):
        return None
    stability = None if results.rank_stability is UNSET else results.rank_stability
    asked = {"cost": cost(view), "wordings": view.board.wordings, "first_only": first_wording_only(view)}
    return {**part, "stability": stability, **asked}
