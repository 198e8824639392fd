"""Check that a board reports what a comparative claim needs at the least.

Source: the mathematical treatment of LLM evaluation, section 9, Reporting minimum: score and standard error, the
standard deviation over k >= 5 wordings, contamination rate, a measure of agreement, and the level of inference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from nullbench_site.site import claims, words
from nullbench_site.site.pages.trust import Dimension, trust
from nullbench_site.site.views import BoardView
from nullbench_site.specs.rules.inference import overreach

Lacking: TypeAlias = tuple[str, str]
"""The key of a board's file that a message is about, and the message."""

_REPORTED: Mapping[Dimension, tuple[str, str, str]] = {
    "sampling": ("domains", "the standard error of the score", "add items"),
    "prompts": ("templates", "sigma_prompt (the deviation over wordings)", "ask in five or more wordings: `templates`"),
    "contamination": ("domains", "the contamination rate c", "compare the items with a corpus, or declare it"),
    "agreement": ("panel", "a measure of agreement", "add a judge, or declare it"),
}
"""For each mark that must be measured, declared or inapplicable: the key to change, the figure, and the advice."""


def lacking(view: BoardView) -> Iterator[Lacking]:
    """Yield what the reporting minimum lacks on a board, for its ranked contestants."""
    ranked = [row for row in view.rows.values() if row.rank is not None]
    if not ranked:
        yield "contestants", "no contestant is ranked, so there is no score to publish"
    for place, (dimension, (key, figure, advice)) in enumerate(_REPORTED.items()):
        marks = [(row, mark) for row in ranked for mark in trust(view, row) if mark.dimension == dimension]
        without = [(view.title(row.model), mark.why) for row, mark in marks if mark.level == "absent"]
        if place == 0:
            without = [(view.title(row.model), mark.why) for row, mark in marks if row.se is None]
        if without:
            named = claims.some([title for title, _ in without])
            count = words.of(len(without), len(ranked))
            yield key, f"{figure} is missing for {count} contestants ({named}): {without[0][1]} To report it, {advice}"
    if why := overreach(view.board, view.domains):
        yield "inference", f"{why}; cite it for a lower level"
    elif view.board.inference is None:
        yield "inference", "the inference level is missing; state it under `inference`"
