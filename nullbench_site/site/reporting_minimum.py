"""Check that a board reports what a comparative claim needs.

Source: the mathematical treatment of LLM evaluation, section 9, Reporting minimum: score and standard error, the
standard deviation over k >= 5 wordings, contamination rate, a measure of agreement, and the level of inference.
A contamination rate that cannot be measured is not asked for if the page of trust says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from nullbench_site.errors import SpecError, breaking
from nullbench_site.site import claims, words
from nullbench_site.site.pages.trust_marks import Dimension, TrustMark, trust
from nullbench_site.site.trust.contamination import states_rate
from nullbench_site.site.views import AnyRow, BoardView
from nullbench_site.specs.load import read_specs
from nullbench_site.specs.rules.boards import overreach

Lacking: TypeAlias = tuple[str, str]
"""The key of a board's file that a message is about, and the message."""

_REPORTED: Mapping[Dimension, tuple[str, str, str, str]] = {
    "sampling": ("domains", "the standard error of the score", "the standard error", "add items"),
    "prompts": (
        "templates",
        "sigma_prompt (the deviation over wordings)",
        "the deviation over five wordings",
        "ask in five or more wordings: `templates`",
    ),
    "contamination": (
        "domains",
        "the contamination rate c",
        "the contamination rate",
        "compare the items with training text (`nullbench-site overlap --training NAME`), or declare it",
    ),
    "agreement": ("panel", "a measure of agreement", "the agreement of judges", "add a judge, or declare it"),
}
"""For each mark that needs a figure: the key to change, the figure, the same in short, the advice."""


def missing(view: BoardView, row: AnyRow) -> tuple[str, ...]:
    """Return in short what the reporting minimum lacks for a contestant of a board.

    A sentence that names a winner needs all of it, for the winner and for those with which it is compared.
    """
    of = {mark.dimension: mark for mark in trust(view, row)}
    names = [short for dimension, (_, _, short, _) in _REPORTED.items() if not _reports(view, row, of[dimension])]
    return (*names, "the level of inference") if _without_inference(view) else tuple(names)


def unreported(view: BoardView, rows: Iterable[AnyRow]) -> str:
    """Say what the reporting minimum lacks for some contestants of a board; empty if it is complete for all."""
    names = dict.fromkeys(name for row in rows for name in missing(view, row))
    return f"the reporting minimum lacks {words.listed([*names])}" if names else ""


def _without_inference(view: BoardView) -> bool:
    return view.board.inference is None or bool(overreach(view.board, view.domains))


def lacking(view: BoardView) -> Iterator[Lacking]:
    """Yield what the reporting minimum lacks on a board, for its ranked contestants whose scores were measured."""
    ranked = [row for row in view.rows.values() if row.rank is not None and not view.by_definition(row)]
    if not ranked:
        yield "contestants", "no contestant is ranked, so there is no score to publish"
    for dimension, (key, figure, _short, advice) in _REPORTED.items():
        marks = [(row, mark) for row in ranked for mark in trust(view, row) if mark.dimension == dimension]
        without = [(view.title(row.model), mark.why) for row, mark in marks if not _reports(view, row, mark)]
        if without:
            named = claims.some([title for title, _ in without])
            count = words.of(len(without), len(ranked))
            yield key, f"{figure} is missing for {count} contestants ({named}): {without[0][1]} To report it, {advice}"
    if why := overreach(view.board, view.domains):
        yield "inference", f"{why}; cite it for a lower level"
    elif view.board.inference is None:
        yield "inference", "the inference level is missing; state it under `inference`"


def check(specs: Path, views: Sequence[BoardView]) -> None:
    """Raise SpecError with everything that the boards of these specs lack."""
    files = {source.spec.id: source.document for source in read_specs(specs, new=True).boards}
    problems = [files[view.board.id].problem([key], message) for view in views for key, message in lacking(view)]
    if problems:
        raise SpecError([*breaking("publication", problems)])


def _reports(view: BoardView, row: AnyRow, mark: TrustMark) -> bool:
    """Return whether the figure of a mark is there, declared or inapplicable.

    Dates and canaries may decide the mark of contamination, but give no rate c.
    """
    if mark.dimension == "sampling":
        return row.se is not None
    if mark.dimension == "contamination":
        return mark.declared or mark.level == "inapplicable" or states_rate(view, row.model)
    return mark.level != "absent"
