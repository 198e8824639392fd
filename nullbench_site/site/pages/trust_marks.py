"""Rate how far a contestant's score can be trusted: five marks in words, and when they are too few
for a comparative claim."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from msgspec import UNSET

from nullbench_site.site import words
from nullbench_site.site.claims import MARKS, SILENT_FROM
from nullbench_site.site.pages.page import marked
from nullbench_site.site.pages.panel_words import usual_agreement
from nullbench_site.site.protocol import pages_of
from nullbench_site.site.trust import controls
from nullbench_site.site.trust.contamination import (
    Probe,
    canary_probe,
    dates_probe,
    newer_items_probe,
    overlap_probe,
    strongest,
)
from nullbench_site.site.views import AnyRow, BoardView, known
from nullbench_site.site.wording import graded
from nullbench_site.specs.rules.boards import overreach
from nullbench_site.specs.types import PROGRAMS, RECORDED
from nullbench_site.stats.labels import LEAST_LABELS
from nullbench_site.stats.trust import (
    AGREEING_BOARDS,
    AGREEMENT,
    HIGH_ERROR,
    HIGH_ITEMS,
    MEDIUM_ERROR,
    MEDIUM_ITEMS,
    USUAL_CORRELATION,
    Level,
    agreement_level,
    label_level,
    sampling_level,
    validity_level,
)

Dimension: TypeAlias = Literal["sampling", "prompts", "contamination", "agreement", "validity"]
Unmeasured: TypeAlias = Literal["not reported", "not testable with these items", "not measurable here"]
"""Why a mark was not measured."""
State: TypeAlias = Level | Unmeasured | Literal["does not apply"]
_DRAWN: dict[State, str] = {
    "high": "high", "medium": "medium", "low": "low", "does not apply": "inapplicable",
    "not reported": "absent", "not testable with these items": "absent", "not measurable here": "absent",
}  # fmt: skip


@dataclass(frozen=True)
class TrustMark:
    """One dimension of trust in a score; `trust_<dimension>` is its entry in the metric registry.

    why: one sentence with the figure, its source, or what is missing. declared: whether a spec says so, with a source.
    figure: the figure in short, for the matrix, such as `n = 805`; empty without one.
    """

    dimension: Dimension
    title: str
    state: State
    why: str
    declared: bool = False
    figure: str = ""

    @property
    def is_low(self) -> bool:
        """True if the mark counts as low, as one that was not measured does."""
        return self.level in ("low", "absent")

    @property
    def level(self) -> str:
        """Return how the mark is drawn: high, medium, low, absent (not measured) or inapplicable."""
        return _DRAWN[self.state]

    @property
    def in_words(self) -> str:
        """`high`, `high (declared)`, `does not apply`, `not measured (not reported)`."""
        if self.level == "absent":
            return f"{words.ABSENT} ({self.state})"
        return f"{self.state} (declared)" if self.declared else self.state


_MANY = f"more than {words.number(HIGH_ITEMS, 0)} items"
_SAMPLING: dict[Level | None, str] = {
    "high": f"that is {_MANY} with less than {HIGH_ERROR} points",
    "medium": f"high trust takes {_MANY} and less than {HIGH_ERROR} points",
    "low": f"medium trust takes {MEDIUM_ITEMS} items and at most {MEDIUM_ERROR:.0f} points",
    None: "a class takes both",
}
"""What the class of a number of items and a standard error asks for, or the next one above."""


def trust(view: BoardView, row: AnyRow) -> tuple[TrustMark, ...]:
    """Return the five marks of a contestant on the whole board, in the order of `Dimension`."""
    return _sampling(row), _prompts(view, row), _contamination(view, row), _marking(view, row), _validity(view, row)


def low_marks(view: BoardView, row: AnyRow, *parts: AnyRow) -> list[int]:
    """Count the marks that are low or not measured, on the board and on each of `parts`."""
    own, *others = trust(view, row)
    rest = sum(mark.is_low for mark in others)
    return [rest + own.is_low, *(rest + _sampling(part).is_low for part in parts)]


def silence(view: BoardView, rows: Iterable[AnyRow]) -> str:
    """Say why a board makes no comparative claim about contestants; empty if it can.

    rows: theirs, all of the board or all of one part of it.
    """
    return "; ".join(silence_reasons(view, rows))


def silence_reasons(view: BoardView, rows: Iterable[AnyRow]) -> list[str]:
    """Return why a board makes no comparative claim about contestants; nothing if it can. rows: as for `silence`."""
    reasons = _of_panel(view)
    most = max((low_marks(view, view.rows[row.model], row)[1] for row in rows), default=0)
    if most >= SILENT_FROM:
        which = f"all {MARKS}" if most == MARKS else f"{most} of {MARKS}"
        reasons.append(f"{which} trust checks are low or unmeasured")
    return reasons


def in_one_word(view: BoardView, rows: Sequence[AnyRow]) -> Level | None:
    """Rate the trust in a board by the marks of `rows`; None without a row.

    low: the board makes no comparative claim. high: all marks that apply are high. medium: otherwise.
    """
    if not rows:
        return None
    if silence(view, rows):
        return "low"
    levels = {mark.level for row in rows for mark in trust(view, row)} - {"inapplicable"}
    return "high" if levels == {"high"} else "medium"


def silence_of_panel(view: BoardView) -> str:
    """Say why the judges of a board allow no comparative claim; empty if they do. Judges are named by their titles."""
    return "; ".join(_of_panel(view))


NULL_FIRST = "no contestant scores more than a null model"
"""Why a board names no winner: its highest score, or one that is as high, is of a null model."""


NO_ORDER = "the judges tell no contestant apart from a null model"
"""Why a panel makes no order."""


def _of_panel(view: BoardView) -> list[str]:
    reasons = [NULL_FIRST] if view.null_first is not None else []
    reasons += view.judge_faults
    if view.makes_no_order:
        reasons.append(NO_ORDER)
    if view.panel is not None and controls.in_order(ladders := controls.ladders(view)) is False:
        reasons.append(f"the panel fails its controls ({controls.out_of_order(ladders)})")
    return reasons


def _declared(view: BoardView, row: AnyRow, dimension: Dimension, title: str) -> TrustMark | None:
    """Return the mark that the board declares for imported responses or scores; None if it declares none."""
    declared = next((of for name, of in view.board.declared.items() if name == dimension), None)
    if declared is None or view.benchmark.models[row.model].backend != RECORDED:
        return None
    return TrustMark(dimension, title, declared.level, f"Declared: {declared.source}.", declared=True)


def _prompts(view: BoardView, row: AnyRow) -> TrustMark:
    title = "Wording of the prompt"
    if mark := _declared(view, row, "prompts", title):
        return mark
    backend, found = view.benchmark.models[row.model].backend, graded(view, row.model)
    if backend == PROGRAMS:
        why = "The contestant is a program, which does not read the wording of the prompt."
        return TrustMark("prompts", title, "does not apply", why)
    if found is not None:
        unmeasured: State = "not testable with these items" if found.possible else "not measurable here"
        figure = "" if found.upper is None else f"σ up to {words.number(found.upper)}"
        return TrustMark("prompts", title, found.level or unmeasured, found.why, figure=figure)
    why = "The model was asked with one wording; at least five are needed to measure how much the wording matters."
    if len(view.board.wordings_for(view.benchmark.models[row.model])) > 1:
        why = "The model was asked in several wordings, but this run was scored before their effect was measured. "
        why += "That takes `nullbench-site score`."
    if backend == RECORDED:
        why = "The imported answers are to one wording; at least five are needed."
        if pages_of(view.board.protocol).not_asked:
            why = "The table does not say how many wordings were used; at least five are needed."
        return TrustMark("prompts", title, "not reported", why)
    return TrustMark("prompts", title, "not measurable here", why)


PROBES: tuple[Callable[[BoardView, AnyRow], Probe | None], ...] = (
    dates_probe,
    newer_items_probe,
    overlap_probe,
    canary_probe,
)
"""The probes of contamination. Each returns what it found about a contestant, None if it was not run."""


def _contamination(view: BoardView, row: AnyRow) -> TrustMark:
    title = "Contamination"
    probe = strongest(found for each in PROBES if (found := each(view, row)) is not None)
    if view.benchmark.models[row.model].backend == PROGRAMS and (probe is None or probe.finding != "flagged"):
        return TrustMark("contamination", title, "does not apply", "The contestant is a program, which is not trained.")
    if (probe is None or not probe.decides) and (mark := _declared(view, row, "contamination", title)):
        return mark
    if probe is not None:
        return TrustMark("contamination", title, probe.state, probe.sentence, probe.declared, probe.figure)
    why = "Nobody tested whether the model saw these items in training; it takes training data to compare, dates or "
    return TrustMark("contamination", title, "not reported", f"{why}canaries.")


def _sampling(row: AnyRow) -> TrustMark:
    level = sampling_level(row.n_items, row.se)
    error = f"a standard error of {words.number(row.se, 2)} points"
    if row.se is None:
        error = f"no standard error ({row.absent.get('se', words.ABSENT)})"
    why = f"{words.plural(row.n_items, 'item')} and {error}; {_SAMPLING[level]}."
    figure = f"n = {words.number(row.n_items, 0)}" + ("" if row.se is None else f", SE {words.number(row.se, 2)}")
    return TrustMark("sampling", "Number of items", level or "not testable with these items", why, figure=figure)


def _marking(view: BoardView, row: AnyRow) -> TrustMark:
    """Return the mark for agreement. Judges that agree can all be wrong, so labels of enough items can lower it."""
    mark = _agreement(view, row)
    panel = view.judges[0].id if len(view.judges) == 1 else None
    rows = known(view.results.judge_labels)
    of = next((each for each in rows if (each.judge, each.answers) == (panel, "contestants")), None)
    if of is None:
        return mark
    if of.n_items < LEAST_LABELS or (level := label_level(of.label_correlation)) is None:
        items = words.plural(of.n_items, "item")
        return replace(mark, why=f"{mark.why} Labels are of {items}; a class takes {LEAST_LABELS}.")
    medium, high = USUAL_CORRELATION
    rho = words.number(of.label_correlation, 2)
    ends = words.estimate(of.label_correlation, of.label_correlation_low, of.label_correlation_high, 2)
    why = f"The correlation with labels of {words.plural(of.n_items, 'item')} is {ends}"
    why = f"{mark.why} {why}; medium trust takes {medium:.2f}, high {high:.2f}."
    order = ("absent", "high", "medium", "low")
    state: State = level if order.index(level) > order.index(mark.level) else mark.state
    return replace(mark, state=state, why=why, figure=", ".join(filter(None, [mark.figure, f"ρ {rho}"])))


def _agreement(view: BoardView, row: AnyRow) -> TrustMark:
    if pages_of(view.board.protocol).not_asked:
        unknown = TrustMark(
            "agreement",
            "Marking",
            "not reported",
            "The table does not say how answers were marked; a source is needed.",
        )
        return _declared(view, row, "agreement", "Marking") or unknown
    if view.panel is None:
        return TrustMark("agreement", "Marking", "high", f"A program marks every {marked(view)}, the same each time.")
    n_judges = len(view.judges_of(view.benchmark.models[row.model]))
    panel = view.agreement()
    state: State = agreement_level(panel.alpha_scored) or "not testable with these items"
    figure = ""
    if n_judges < 2:
        state = "not measurable here"
        why = f"{words.plural(n_judges, 'judge')} may mark its answers: agreement takes two."
    elif panel.alpha_scored is None:
        why = f"The agreement of the judges on scored answers is not measured: {panel.absent_scored}."
    else:
        alpha, (medium, high) = words.number(panel.alpha_scored, 3), AGREEMENT["alpha"]
        figure = f"α {alpha}"
        bounds = view.results.agreement_bounds
        ends = "" if bounds is UNSET else words.interval(bounds.low, bounds.high, 3)
        measured = f"{alpha} {ends}".rstrip()
        why = f"Alpha of the panel is {measured} on scored answers; medium trust takes {medium:.3f}, high {high:.2f}."
        why = f"{why} {usual_agreement(view)}".rstrip()
    return TrustMark("agreement", "Agreement of judges", state, why, figure=figure)


def _validity(view: BoardView, row: AnyRow) -> TrustMark:
    ladders = controls.ladders(view)
    in_order = True if view.panel is None else controls.in_order(ladders)
    missing = row.absent.get("above_null_floor", words.ABSENT)
    floor = {
        True: "Above the null floor: yes.",
        False: "Above the null floor: not shown.",
        None: f"Above the null floor: not assessed ({missing}).",
    }[row.above_null_floor]
    panel = "" if view.panel is None else f" {controls.order_sentence(ladders)}"
    agreeing = sum(other.agrees for other in view.others)
    too_far = overreach(view.board, view.domains)
    level = validity_level(row.above_null_floor, in_order, agreeing, too_far=bool(too_far))
    cited = f"{too_far[0].upper()}{too_far[1:]}. " if too_far else ""
    agree = f" {agreeing} other boards of the same construct agree." if agreeing >= AGREEING_BOARDS else ""
    needed = ["a rank and a null model on the board"] if row.above_null_floor is None else []
    needed += ["controls of the panel"] if in_order is None else []
    takes = "" if level else f" A mark takes {words.listed(needed)}."
    return TrustMark("validity", "Validity", level or "not measurable here", f"{cited}{floor}{panel}{agree}{takes}")
