"""Make the trust page of each board: the matrix of contestants and marks, and a section for each dimension.

A section is made of parts. To add one, write a template `_trust_<name>.md.j2` and a function that returns what it shows
of a board, and list both in `SECTIONS`, or in `FURTHER` if it belongs to no mark. The template has this as `part`, the
board as `board`, and the macros as `m`. Its headings begin at h3, in `FURTHER` at h2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from msgspec import UNSET

from nullbench_site.scoring.contamination_tables import ContaminationDateRow, OverlapRow
from nullbench_site.site import paths, words
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages import calibration
from nullbench_site.site.pages.construct import construct_facts, correlations
from nullbench_site.site.pages.page import Page, Section, section
from nullbench_site.site.pages.panel_words import judge_biases, rater_agreement
from nullbench_site.site.pages.sentences import silence, trust_word
from nullbench_site.site.pages.trust_marks import Dimension, TrustMark, trust
from nullbench_site.site.trust.contamination import canary_probe, dates_part, rotation, shown_overlap, shown_probes
from nullbench_site.site.views import AnyRow, BoardView, known
from nullbench_site.site.wording import wording_part
from nullbench_site.specs.types import PROGRAMS, ModelFile
from nullbench_site.stats.trust import AGREEMENT, plain_error

# What a score contains: S = theta + sampling + prompt + contamination + construct, a line for each contestant.
# Source: the mathematical treatment of LLM evaluation, section 2, Score Decomposition. theta is the true capability.

INAPPLICABLE = "does not apply"
_RATE = "A number takes a comparison of the items with text, or a test by their dates."
_AVERAGED = "The score is the mean over wordings, so the mean of this term is 0."


@dataclass(frozen=True)
class Term:
    """A term of a score in words: its number, `not measured` or `does not apply`. why: how it was made, or why not."""

    text: str
    why: str


@dataclass(frozen=True)
class Decomposition:
    """The score of a contestant and its terms, in points. theta: the score without what is known to inflate it."""

    model: str
    title: str
    score: str
    theta: Term
    sampling: Term
    prompt: Term
    contamination: Term
    construct: Term


def decompositions(view: BoardView) -> list[Decomposition]:
    """Return a line for each contestant with a score, in the order of the board."""
    overlap = {row.model: row for row in known(view.results.overlap)}
    dated = _dated(known(getattr(view.results, "contamination_dates", UNSET)))
    return [
        Decomposition(
            model=model,
            title=view.title(model),
            score=words.number(row.overall, 1),
            theta=_theta(view, row, overlap.get(model)),
            sampling=_sampling(row),
            prompt=_prompt(view, row),
            contamination=_contamination(view, row, overlap.get(model), dated.get(model)),
            construct=Term(words.ABSENT, "No statistic gives this number. See what the scores stand for."),
        )
        for model, row in view.rows.items()
        if row.overall is not None
    ]


def _dated(table: Sequence[ContaminationDateRow]) -> Mapping[str, ContaminationDateRow]:
    """Return the row of each contestant on all items, that of its own training cutoff if it was tested."""
    rows = [row for row in table if row.category is None and row.difference is not None]
    return {row.model: row for row in sorted(rows, key=lambda row: row.by == "cutoff")}


def _trained_on_the_board(view: BoardView, row: AnyRow) -> str:
    """Say that a contestant completes canaries, so that texts without its items do not clear it; empty if not."""
    found = canary_probe(view, row)
    return found.sentence if found is not None and found.finding == "flagged" else ""


def _theta(view: BoardView, row: AnyRow, overlap: OverlapRow | None) -> Term:
    if seen := _trained_on_the_board(view, row):
        return Term(words.ABSENT, seen)
    if overlap is None or overlap.clean is None:
        return Term(words.ABSENT, "It would take a number for each term.")
    clean = words.estimate(overlap.clean, overlap.clean_low, overlap.clean_high)
    return Term(clean, "The score on items that are in no corpus that was compared; other terms are still in it.")


def _why(view: BoardView, row: AnyRow, dimension: Dimension) -> str:
    """Return the reason of a contestant's mark."""
    return next(mark.why for mark in trust(view, row) if mark.dimension == dimension)


def _sampling(row: AnyRow) -> Term:
    if row.se is None:
        why = row.absent.get("se")
        return Term(words.ABSENT, f"There is no standard error ({why})." if why else "There is no standard error.")
    error = f"± {words.number(row.se, 2)} {words.interval(row.ci_low, row.ci_high)}".rstrip()
    return Term(error, f"The standard error of the score on {row.n_items} items, and its 95 % interval.")


def _prompt(view: BoardView, row: AnyRow) -> Term:
    if view.benchmark.models[row.model].backend == PROGRAMS:
        return Term(INAPPLICABLE, "A program does not read the wording of the prompt.")
    rows = [each for each in known(view.results.wording_effects) if each.model == row.model and each.sigma is not None]
    if not rows:
        return Term(words.ABSENT, _why(view, row, "prompts"))
    formats = [f"{words.estimate(each.sigma, each.low, each.high)} {each.format or ''}".rstrip() for each in rows]
    return Term(f"σ {words.listed(formats)}", f"The standard deviation over wordings. {_AVERAGED}")


def _contamination(
    view: BoardView, row: AnyRow, overlap: OverlapRow | None, dated: ContaminationDateRow | None
) -> Term:
    if seen := _trained_on_the_board(view, row):
        return Term(words.ABSENT, f"{seen} A number takes items that it has not seen.")
    if overlap is not None and overlap.delta_c is not None:
        delta = words.estimate(overlap.delta_c, overlap.delta_c_low, overlap.delta_c_high, signs=True)
        return Term(f"δ {delta}", "The rate of contaminated items times their gap in score.")
    if dated is not None:
        drop = words.estimate(dated.difference, dated.low, dated.high, signs=True)
        return Term(f"drop {drop}", f"How much more the score drops after {dated.date} than the scores of others.")
    return Term(words.ABSENT, f"{_why(view, row, 'contamination')} {_RATE}")


# The plain standard error, next to ours.


@dataclass(frozen=True)
class PlainRow:
    """The sampling error of a score by our formula and by the plain one, in points.

    plain: sqrt(S(1-S)/n). difference: to the next ranked contestant, with
    the verdict of two plain standard errors and ours in words; None without one.
    """

    model: str
    title: str
    n_items: int
    score: float
    se: float | None
    plain: float | None
    next: str
    difference: float | None
    exceeds: str
    ours: str


def plain_rows(view: BoardView) -> Sequence[PlainRow] | None:
    """Return the two standard errors of each contestant with a score; None if there is none.

    The document's rule: a difference must exceed two plain standard errors, here those of the higher score. A board
    that makes no comparative claim has no differences.
    """
    ranked = [model for model, row in view.rows.items() if row.rank is not None]
    following = {} if silence(view) else dict(pairwise(ranked))
    rows = [_plain(view, row, following.get(model)) for model, row in view.rows.items() if row.overall is not None]
    return rows or None


def _plain(view: BoardView, row: AnyRow, other: str | None) -> PlainRow:
    plain = plain_error(row.overall, row.n_items)
    pair = view.differences.get((row.model, other)) if other else None
    value = None if pair is None else pair.value
    exceeds = ours = ""
    if pair is not None and value is not None:
        exceeds = words.ABSENT if plain is None else "yes" if abs(value) > 2 * plain else "no"
        ours = words.ABSENT if pair.significant is None else "yes" if pair.significant else "no"
    return PlainRow(
        row.model, view.title(row.model), row.n_items, row.overall, row.se, plain,
        view.title(other) if other else "", value, exceeds, ours,
    )  # fmt: skip


# The page.

_NAMED = 3
"""How many contestants a reason names."""


@dataclass(frozen=True)
class Part:
    """A part of a section: the template `_trust_<name>.md.j2`, and a function that returns what it shows.

    shows: return None if there is nothing to show of the board.
    """

    name: str
    shows: Callable[[BoardView], Any]


@dataclass(frozen=True)
class TrustSection:
    """The section of one dimension. high, medium, low: what each class takes. diagnostic: how it is measured."""

    dimension: Dimension
    title: str
    high: str
    medium: str
    low: str
    diagnostic: str
    parts: Sequence[Part] = ()


_TENTATIVE, _RELIABLE = AGREEMENT["alpha"]
SECTIONS: Sequence[TrustSection] = (
    TrustSection(
        "sampling",
        "Number of items",
        high="more than 1000 items and a standard error below 1.5 points",
        medium="200 items or more and a standard error of at most 4 points",
        low="fewer than 200 items, or a standard error above 4 points",
        diagnostic="the standard error of the score; a difference within two of them may be chance",
        parts=(Part("sampling", plain_rows),),
    ),
    TrustSection(
        "prompts",
        "Wording of the prompt",
        high="scores vary by less than 1 point over five or more wordings",
        medium="they vary by 1 to 5 points",
        low="they vary by more than 5 points, or this is not reported",
        diagnostic="five or more wordings of every prompt; the mean and the standard deviation of the score",
        parts=(Part("wording", wording_part),),
    ),
    TrustSection(
        "contamination",
        "Contamination",
        high="the items are newer than the training data",
        medium="overlap with training text was tested, and fewer than 5 % of the items are in it",
        low="5 % or more of the items are in it, there is another sign, or no analysis of overlap",
        diagnostic="overlap of word sequences or token probabilities; a gap above 5 points indicates inflation",
        parts=(Part("dates", dates_part), Part("overlap", shown_overlap), Part("probes", shown_probes)),
    ),
    TrustSection(
        "agreement",
        "Marking",
        high=f"a key or a test decides, or agreement is {_RELIABLE:.2f} or more",
        medium=f"α from {_TENTATIVE:.3f} or κ from {AGREEMENT['kappa'][0]:.2f}",
        low="less agreement; that of a single judge is not measured, which counts as low",
        diagnostic="agreement of those who mark; for models that judge, also their correlation with people",
        parts=(Part("rater_agreement", rater_agreement), Part("bias", judge_biases)),
    ),
    TrustSection(
        "validity",
        "Validity",
        high="three or more benchmarks of the same construct agree",
        medium="one benchmark with documented limits",
        low=(
            "a capability score is cited as evidence of alignment, or (our own rule) a null model may score as "
            "much, or the panel does not put damaged answers in order"
        ),
        diagnostic="correlation over benchmarks",
        parts=(Part("construct", construct_facts), Part("construct_correlations", correlations)),
    ),
)
FURTHER: Sequence[Part] = (Part("calibration", calibration.shows),)
"""Parts that belong to no mark, after the sections."""


@dataclass(frozen=True)
class MatrixRow:
    """A contestant with its five marks."""

    model: ModelFile
    row: AnyRow
    marks: Sequence[TrustMark]


def pages(site: SiteData) -> Iterator[Page]:
    """Yield the trust page of each board."""
    for view in site.views:
        yield Page(
            url=paths.trust_url(view.board.id),
            title=f"Trust in {view.name}",
            template="board_trust.md.j2",
            context={"board": _section(site, view)},
            description=f"How far the scores of {view.name} can be trusted, and why: five marks for each contestant.",
        )


def _section(site: SiteData, view: BoardView) -> Section:
    rows = matrix(view)
    return section(
        view,
        {
            "rows": rows,
            "trust": trust_word(view),
            "silence": silence(view),
            "terms": decompositions(view),
            "sections": [(each, reasons(rows, each.dimension), _parts(view, each.parts)) for each in SECTIONS],
            "further": _parts(view, FURTHER),
            "rotation": rotation(site, view),
        },
    )


def matrix(view: BoardView) -> list[MatrixRow]:
    """Return the contestants with their marks, in the order of the board."""
    return [MatrixRow(view.benchmark.models[model], row, trust(view, row)) for model, row in view.rows.items()]


def reasons(rows: Sequence[MatrixRow], dimension: Dimension) -> list[tuple[TrustMark, str]]:
    """Return the different marks of one dimension, each with the contestants that have it in words."""
    having: dict[TrustMark, list[str]] = {}
    for row in rows:
        (mark,) = (mark for mark in row.marks if mark.dimension == dimension)
        having.setdefault(mark, []).append(row.model.title)
    return [(mark, words.listed(words.some_of(titles, _NAMED))) for mark, titles in having.items()]


def _parts(view: BoardView, parts: Sequence[Part]) -> Mapping[str, Any]:
    shown = {part.name: part.shows(view) for part in parts}
    return {name: part for name, part in shown.items() if part is not None}
