"""Describe a panel: how far other judges could move a score, agreement (also as a matrix), severity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from nullbench_site.scoring.board_tables import BiasKind, BiasRow, RaterAgreementRow
from nullbench_site.site import words
from nullbench_site.site.views import BoardView, known
from nullbench_site.stats.measure import PanelKind
from nullbench_site.stats.trust import AGREEMENT, PEOPLE_AGREE, Level, agreement_level

_MEDIUM, _HIGH = AGREEMENT["alpha"]
_WORTH: Mapping[Level, str] = {
    "high": f"{_HIGH:.2f} or more",
    "medium": f"from {_MEDIUM} to {_HIGH:.2f}",
    "low": f"below {_MEDIUM}, too little for conclusions about single answers",
}
_FLATTERED = 0.1
"""By how much agreement on all answers has to exceed that on scored ones to be worth a warning."""


PANEL_METRICS = {"models": "panel_interval", "mixed": "leave_one_out"}
"""What the panel's interval is, by the kind of panel: an id of the metric registry. Other panels have none."""
MEANS = {"models": "on items and judges like these", "mixed": "if one judge is left out"}
"""What it says, by the kind of panel."""
THIN_LINE = {
    "models": "The thin line shows how far other judges could move the score.",
    "mixed": "The thin line shows how far the score moves if one judge is left out.",
}
"""What the thin line behind an interval shows, by the kind of panel."""


def panel_ends(kind: PanelKind, low: float | None, high: float | None, *, signs: bool = False) -> str:
    """Return the panel's interval of a score, or of a difference (signs); empty if there is none."""
    if low is None or high is None:
        return ""
    if kind == "models":
        return words.interval(low, high, signs=signs)
    least, most = ((words.signed if signs else words.number)(end, 1) for end in (low, high))
    return least if least == most else f"{least} to {most}"


def with_other_judges(kind: PanelKind, low: float | None, high: float | None, *, signs: bool = False) -> str:
    """Return the panel's interval with what it means."""
    ends = panel_ends(kind, low, high, signs=signs)
    return f"{ends} {MEANS[kind]}" if ends and kind in MEANS else ""


def difference_with_other_judges(view: BoardView, first: str, second: str) -> str:
    """Return the panel's interval of a difference with what it means; empty without one."""
    found, sign = view.differences.get((first, second)), 1
    if found is None:
        found, sign = view.differences.get((second, first)), -1
    if found is None or found.panel_low is None or found.value == found.se == 0:
        return ""
    low, high = sorted((sign * found.panel_low, sign * found.panel_high))
    return with_other_judges(view.results.panel_kind, low, high, signs=True)


@dataclass(frozen=True)
class Alpha:
    """The agreement of a panel on some answers. absent: why it is not measured."""

    value: float | None
    absent: str | None
    units: int

    @property
    def mark(self) -> str:
        """How its level is drawn: high, medium, low, or absent."""
        return agreement_level(self.value) or "absent"

    @property
    def label(self) -> str:
        return agreement_level(self.value) or f"not measured: {self.absent}"


def agreement(row: Any) -> dict[str, Alpha]:
    """Return the two figures of a row: on all answers, and on those that were scored, null models aside."""
    return {
        "all": Alpha(row.alpha, row.absent, row.units),
        "scored": Alpha(row.alpha_scored, row.absent_scored, row.units_scored),
    }


def agreed(row: Any, n_judges: int) -> Iterator[str]:
    """Say how far the panel agrees, and what that is worth."""
    if (level := agreement_level(row.alpha_scored)) is None:
        how = " A panel of two judges or more would tell." if n_judges < 2 else ""
        yield f"How far the judges agree on scored answers is not measured: {row.absent_scored}.{how}"
        return
    alpha = words.number(row.alpha_scored, 3)
    yield f"With α {alpha} on scored answers the agreement of the judges is {level}: {_WORTH[level]}."
    if row.alpha is not None and row.alpha - row.alpha_scored >= _FLATTERED:
        yield (
            f"On all answers, refusals and null models included, α is {words.number(row.alpha, 3)}. That they agree on "
            "who says nothing is no evidence that they agree on whose answers are good."
        )


def hangs_on(view: BoardView) -> str:
    """Say how far the alpha on scored answers depends on items and single contestants."""
    bounds, alpha = view.results.agreement_bounds, view.agreement().alpha_scored
    if alpha is None:
        return ""
    if bounds is UNSET:
        return "How sure that is, and what it owes to single contestants, is not measured."
    sure = (
        f"not measured ({bounds.absent['low']})"
        if bounds.low is None
        else f"{words.number(bounds.low, 3)} to {words.number(bounds.high, 3)}"
    )
    sentence = f"On items like these its 95\N{NO-BREAK SPACE}% interval is {sure}; "
    if bounds.least_without is None or bounds.most_without is None:
        return f"{sentence}what it owes to single contestants is not measured: {bounds.absent['least']}."
    return (
        f"{sentence}with one contestant left out α lies between {words.number(bounds.least, 3)} (without "
        f"{view.title(bounds.least_without)}) and {words.number(bounds.most, 3)} (without "
        f"{view.title(bounds.most_without)})."
    )


def tally(parts: Sequence[Mapping[str, Any]]) -> dict[str, Counter[str]]:
    """Count the levels of parts of a board, on all answers and on scored ones. parts: each an `agreement`."""
    return {
        "All answers": Counter(part["all"].mark for part in parts),
        "Scored answers": Counter(part["scored"].mark for part in parts),
    }


def replied(rows: Sequence[Any]) -> str:
    """Say how many replies could be parsed."""
    scored, failed, invalid, missing, again, repaired = (
        sum(getattr(row, name) or 0 for row in rows)
        for name in ("scored", "errored", "unparsed", "missing", "asked_again", "repaired")
    )
    replies = scored + failed + invalid
    if not replies:
        return "No judge has replied yet; the next build asks them."
    sentence = f"All {words.number(replies, 0)} verdicts could be read"
    if failed or invalid:
        sentence = (
            f"Of {words.number(replies, 0)} verdicts {words.number(failed, 0)} failed after all attempts and "
            f"{words.number(invalid, 0)} could not be read; they count in no mean"
        )
    if again:
        sentence += (
            f"; of {words.plural(again, 'reply', 'replies')} asked again {words.number(repaired, 0)}"
            f" {'is' if repaired == 1 else 'are'} valid now"
        )
    if missing:
        sentence += f"; {words.number(missing, 0)} more are still missing, which the next build asks for"
    return f"{sentence}."


def severity_on_same_answers(view: BoardView) -> str:
    """Say how much more or less each judge gives to the same answers than the others; empty if it was not measured."""
    found = [
        row for row in known(view.results.biases) if row.kind == "severity" and row.value is not None and row.judge
    ]
    if not found:
        return ""
    titles = {judge.id: words.isolated(judge.title) for judge in view.judges}
    told = [
        f"{titles.get(row.judge or '', row.judge)} {words.estimate(row.value, row.low, row.high, signs=True)}"
        for row in sorted(found, key=lambda row: row.value or 0.0)
    ]
    return f"To the same answers the judges give, in points more or less than the others: {words.listed(told)}."


def severity(titles: Mapping[str, str], means: Mapping[str, float | None]) -> str:
    """Name the most severe and the most lenient judge; empty for fewer than two.

    titles, means: of judges by id; the more lenient has the higher mean.
    """
    known = sorted((mean, judge) for judge, mean in means.items() if mean is not None)
    if len(known) < 2:
        return ""
    (low, severe), (high, lenient) = known[0], known[-1]
    apart = words.number(high - low, 2)
    if apart == words.number(0.0, 2):
        return "No judge is more severe than another."
    return (
        f"The most severe judge is {titles[severe]} (mean {words.number(low, 2)}), the most lenient {titles[lenient]} "
        f"(mean {words.number(high, 2)}): {apart} apart on a scale of 1 to 5."
    )


def spread(mean: float | None, sd: float | None) -> dict[str, float] | None:
    """Return where a judge's ratings lie, in percent from 1 to 5: the mean and one standard deviation around it."""
    if mean is None or sd is None:
        return None
    low, at, high = (min(100.0, max(0.0, 25 * (value - 1))) for value in (mean - sd, mean, mean + sd))
    return {"low": low, "at": at, "high": high}


# Where they agree and where not, as a matrix.


@dataclass(frozen=True)
class MatrixCell:
    """An alpha in words, its shade from 0 to 10, and the facts behind it or why it is absent."""

    alpha: str
    shade: int
    why: str


@dataclass(frozen=True)
class MatrixRow:
    """A row of a matrix. link: of its title; empty without one."""

    title: str
    link: str
    cells: Sequence[MatrixCell]


@dataclass(frozen=True)
class Matrix:
    """A table of agreements. says: the sentence on the highest and the lowest; empty for one cell."""

    caption: str
    first: str
    columns: Sequence[str]
    rows: Sequence[MatrixRow]
    says: str


NOTHING = MatrixCell("", 0, "")
"""Where there is nothing to agree on: a judge with itself, an axis that a category has not."""


def matrix_cell(alpha: float | None, absent: str | None, behind: str) -> MatrixCell:
    """Return the cell of an alpha. absent: why there is none. behind: its tooltip."""
    if alpha is None:
        return MatrixCell("–", 0, absent or "")
    # The shades are for what agreement is between half of it and all.
    return MatrixCell(words.number(alpha, 2), round(10 * max(0.0, 2 * alpha - 1)), behind)


def alpha_range(named: Sequence[tuple[float, str]]) -> str:
    """Say the range of agreements; empty for fewer than two. It names no one who agrees more, because these
    figures have no intervals."""
    if len(named) < 2:
        return ""
    (least, where_least), (most, where_most) = min(named), max(named)
    ends = [words.number(alpha, 2) for alpha in (least, most)]
    if ends[0] == ends[1]:
        return f"α is {ends[0]} throughout."
    return (
        f"α lies between {ends[0]} ({where_least}) and {ends[1]} ({where_most}); how much of that is chance is not "
        "measured."
    )


# The judges' agreement on the page of trust: alphas and kappas with their labels, and what is usual.


_COEFFICIENTS = {
    "alpha": ("Krippendorff's α", "alpha"),
    "fleiss": ("Fleiss' κ", "fleiss_kappa"),
    "cohen": ("Cohen's κ", "cohen_kappa"),
}
"""The title of each coefficient, and its entry in the registry."""


def usual_agreement(view: BoardView) -> str:
    """Say how well people usually agree on tasks of the board's kind; empty if the board names none."""
    kind = view.board.task_kind
    if kind is None:
        return ""
    low, high = (words.number(end, 2) for end in PEOPLE_AGREE[kind])
    return f"For tasks of this kind ({kind}), reports of agreement range from about {low} to {high}."


def rater_agreement(view: BoardView) -> Mapping[str, Any] | None:
    """Return the agreement of a board's judges; None for a board without judges and without a kind of task.

    usual: what is usual for its kind of task, in a sentence. tables: by what the judges say, rows with the entry in the
    registry, the title, and the two judges of a pair.
    """
    usual = usual_agreement(view)
    if view.panel is None:
        return {"usual": usual, "absent": "", "tables": (), "apart": ""} if usual else None
    absent = ""
    if view.results.rater_agreement is UNSET:
        one = len(view.judges) < 2
        absent = "one judge scores, and agreement takes two" if one else "the run was scored before it was measured"
    titles = {judge.id: judge.title for judge in view.judges}
    tables: dict[str, list[tuple[RaterAgreementRow, str, str, str]]] = {}
    for row in known(view.results.rater_agreement):
        title, metric = _COEFFICIENTS[row.coefficient]
        pair = "" if row.judge is None else f"{titles.get(row.judge, row.judge)} and {titles.get(row.other, row.other)}"
        entry = "agreement_borderline" if row.items == "borderline" else metric
        tables.setdefault(row.what.replace("_", " "), []).append((row, entry, f"{title}, {row.level}", pair))
    return {"usual": usual, "absent": absent, "tables": list(tables.items()), "apart": _two_alphas(view)}


def agreement_class(row: RaterAgreementRow) -> Level | None:
    """Return the class of a coefficient, as everywhere: alpha and kappa have limits of their own."""
    return agreement_level(row.value, "alpha" if row.coefficient == "alpha" else "kappa")


def _two_alphas(view: BoardView) -> str:
    """Say why the alpha of verdicts in the tables is not the panel's alpha of other pages; empty if it is."""
    gates = {"refused answer", "refused prompt"}
    own = next(
        (
            row
            for row in known(view.results.rater_agreement)
            if (row.coefficient, row.items) == ("alpha", "all") and row.what.replace("_", " ") not in gates
        ),
        None,
    )
    alpha = view.agreement().alpha_scored
    if own is None or own.value is None or alpha is None or own.level == "ordinal":
        return ""
    return (
        f"The α of this panel on other pages, {words.number(alpha, 2)}, takes verdicts in classes and by their order "
        f"(ordinal). The α here, {words.number(own.value, 2)}, takes them as {own.level}. So the two differ."
    )


# The biases of a board's judges: each kind with its intervals, and scores corrected for length.


_SHOWN = 50
"""How many contestants the table of corrected scores has; the best."""
_KINDS: Mapping[BiasKind, tuple[str, str]] = {
    "position": ("Position", "points for the answer shown first, less those for the one shown second"),
    "flips": ("Flips", "% of games in both orders that went to the same place twice"),
    "verbosity": ("Verbosity", "points for an answer twice as long"),
    "headers": ("Headers", "points for an answer with headers, at the same length"),
    "lists": ("Lists", "points for an answer with a list, at the same length"),
    "bold": ("Bold", "points for an answer with bold passages, at the same length"),
    "self-preference": ("Self-preference", "points more than other judges give to a family, less the same for others"),
    "severity": ("Severity", "points more than the other judges give to the same answers"),
}
_ALWAYS: tuple[BiasKind, ...] = ("flips",)
"""Kinds that cannot be below 0, so that their intervals never include less than it."""


@dataclass(frozen=True)
class BiasLine:
    """A row of the table.

    head: the title of its kind and its unit, in the first row of the kind; rows: how many rows the kind has. judge: in
    words. away: whether the interval excludes 0.
    """

    head: tuple[str, str] | None
    rows: int
    judge: str
    row: BiasRow
    away: bool


def judge_biases(view: BoardView) -> dict[str, Any] | None:
    """Return what the trust page shows of the biases of the judges; None without judges, or in older runs."""
    biases, corrected = known(view.results.biases), known(view.results.length_corrected)
    if not biases:
        return None
    scores = [(view.title(row.model), row) for row in corrected]
    if all(row.corrected is None for _, row in scores):
        scores = []
    return {
        "says": _summary(biases),
        "lines": list(_lines(view, biases)),
        "corrected": scores[:_SHOWN],
        "shown": words.of(_SHOWN, len(scores)) if len(scores) > _SHOWN else "",
        "uncorrected": "" if scores else next((row.absent for row in corrected if row.absent), ""),
    }


def _away(row: BiasRow) -> bool:
    """Return True if the interval of a bias excludes 0."""
    return row.kind not in _ALWAYS and row.low is not None and row.high is not None and not row.low <= 0 <= row.high


def _summary(rows: Sequence[BiasRow]) -> str:
    tested = [row for row in rows if row.low is not None and row.kind not in _ALWAYS]
    if not tested:
        return "No bias of these judges has an interval: the table says why."
    away = sum(_away(row) for row in tested)
    return (
        f"{words.of(away, len(tested))} intervals exclude 0. Each is a 95\N{NO-BREAK SPACE}% interval by itself: "
        "without any bias, about one in 20 would exclude 0 by chance."
    )


def _lines(view: BoardView, rows: Sequence[BiasRow]) -> Iterator[BiasLine]:
    titles = {judge.id: judge.title for judge in view.judges}
    for kind, head in _KINDS.items():
        own = [row for row in rows if row.kind == kind]
        for place, row in enumerate(own):
            who = titles.get(row.judge or "", row.judge or "")
            if row.judge is None:
                who = "the panel" if row.absent is None or row.value is not None or len(own) > 1 else "all judges"
            if row.family is not None and row.value is not None:
                who += f", family {row.family}"
            yield BiasLine(None if place else head, len(own), who, row, _away(row))
