"""What a board shows about canaries: which contestants complete them, and why others were not asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from msgspec import UNSET

from nullbench_site.scoring.contamination import DRAWS, IMPORTED, NOT_ASKED, NOT_TRAINED
from nullbench_site.scoring.contamination_tables import CanaryRow, ProbeCheck
from nullbench_site.site import words
from nullbench_site.site.trust.contamination import Probe
from nullbench_site.site.views import AnyRow, BoardView
from nullbench_site.specs.canaries import BITS
from nullbench_site.specs.types import PROGRAMS, RECORDED

TITLE, SECTION = "Canary completion", "canaries"
_NAMED = 6
"""How many contestants a reason names."""
CHECKED = {
    "canary": "Completes the canary of a file",
    "overlap": "Item shares 13 words in a row with the text of seen items",
    "gap": "Scores more than 5 points higher on seen items",
    "significant gap": "Interval of that difference is above 0",
}
"""Each probe in words."""


@dataclass(frozen=True)
class ShownProbes:
    """The canaries of a board. rows: of contestants with answers. others: why the others have none, and who they are.

    checks: what the probes find of programs that have seen a known share of the items, in words.
    can_ask: whether the board does not ask, though a model could answer. bits: random, of the part that is asked for.
    """

    rows: Sequence[CanaryRow]
    others: Mapping[str, str]
    checks: Sequence[tuple[ProbeCheck, str]]
    can_ask: bool
    bits: int = BITS
    draws: int = DRAWS


def shown_probes(view: BoardView) -> ShownProbes:
    """Return what the page of trust shows about canaries."""
    results = view.results.canaries
    rows = [] if results is UNSET else [row for row in results if row.n_answered]
    asked, others = {row.model for row in rows}, dict[str, list[str]]()
    absent = {} if results is UNSET else {row.model: row.absent for row in results}
    for model in view.benchmark.contestants(view.board):
        if model.id not in asked:
            why = absent.get(model.id) or {PROGRAMS: NOT_TRAINED, RECORDED: IMPORTED}.get(model.backend, NOT_ASKED)
            others.setdefault(why, []).append(model.title)
    named = {why: words.listed(words.some_of(titles, _NAMED)) for why, titles in others.items()}
    checks = () if view.results.probe_checks is UNSET else view.results.probe_checks
    return ShownProbes(
        rows,
        named,
        [(check, CHECKED[check.probe]) for check in checks],
        can_ask=results is UNSET and NOT_ASKED in others,
    )


def canary_probe(view: BoardView, row: AnyRow) -> Probe | None:
    """Return what canaries say about a contestant; None if it was not asked."""
    results = () if view.results.canaries is UNSET else view.results.canaries
    found = next((each for each in results if each.model == row.model), None)
    if found is not None and found.absent == IMPORTED:
        sentence = "Its answers were imported; to complete a canary takes a model that can be asked."
        return Probe(TITLE, "not measurable", "", sentence, SECTION)
    if found is None or not found.n_answered:
        return None
    figure = words.of(found.n_completed, found.n_answered)
    if found.n_completed:
        sentence = f"It completes {figure} canaries of this board's files, so it was trained on those files."
        return Probe(TITLE, "flagged", figure, sentence, SECTION)
    sentence = (
        f"It completes none of the {found.n_answered} canaries of this board's files; "
        "medium trust takes a test of overlap with training text."
    )
    return Probe(TITLE, "no sign", figure, sentence, SECTION)
