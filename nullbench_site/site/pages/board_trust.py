"""Make the trust page of each board: the matrix of contestants and marks, and a section for each dimension.

A section is made of parts. To add one, write a template `_trust_<name>.md.j2` and a function that returns what it shows
of a board, and list both in `SECTIONS`, or in `FURTHER` if it belongs to no mark. The template has this as `part`, the
board as `board`, and the macros as `m`. Its headings begin at h3, in `FURTHER` at h2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nullbench_site.site import paths, words
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages import calibration
from nullbench_site.site.pages.construct import construct_facts, correlations
from nullbench_site.site.pages.decomposition import decompositions, plain_rows
from nullbench_site.site.pages.page import Page, Section, section
from nullbench_site.site.pages.panel_words import judge_biases, rater_agreement
from nullbench_site.site.pages.sentences import silence, trust_word
from nullbench_site.site.pages.trust_marks import Dimension, TrustMark, trust
from nullbench_site.site.trust.contamination import dates_part, rotation, shown_overlap, shown_probes
from nullbench_site.site.views import AnyRow, BoardView
from nullbench_site.site.wording import wording_part
from nullbench_site.specs.types import ModelFile
from nullbench_site.stats.trust import AGREEMENT

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
        high="the items are newer than the training data, or than the model",
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
