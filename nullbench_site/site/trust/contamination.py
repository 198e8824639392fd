"""The probes of contamination: what each found about a contestant, and what they add up to.

A probe is one test of whether a contestant saw the items in training. Each has a function that returns its `Probe` for
a contestant of a board, or None if it was not run there; `PROBES` of pages/trust_marks.py lists these functions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from nullbench_site.stats.trust import Level

Finding: TypeAlias = Literal["flagged", "newer", "clean", "no sign", "not testable", "not measurable"]
"""What a probe found.

flagged: a sign of contamination. newer: all items are newer than the training data. clean: the overlap of the items
with a corpus was tested, and the contamination rate is below 5 %. no sign: tested otherwise, without a sign. not
testable: the probe cannot be applied to this contestant or these items. not measurable: it takes what we do not have
here, such as log probabilities.
"""
State: TypeAlias = Level | Literal["not testable with these items", "not measurable here"]
_STATES: dict[Finding, State] = {
    "flagged": "low", "newer": "high", "clean": "medium", "no sign": "low",
    "not testable": "not testable with these items", "not measurable": "not measurable here",
}  # fmt: skip
"""The state of the mark for each finding, in the order in which a finding decides it.

More than low takes newer items or a tested overlap, so a test without a sign is low. Source: Exhibit 7, dimension 3.
"""


@dataclass(frozen=True)
class Probe:
    """What one probe found about a contestant.

    title: its name on the page. finding: see `Finding`. figure: the number with its interval, in words; empty without
    one. sentence: what was found, with the figure, or why it cannot be tested. section: the id of its heading on the
    page of trust. declared: whether the finding rests on a statement of others, such as a training cutoff.
    """

    title: str
    finding: Finding
    figure: str
    sentence: str
    section: str
    declared: bool = False

    @property
    def state(self) -> State:
        """The state of the mark of trust if this probe decides it."""
        return _STATES[self.finding]

    @property
    def decides(self) -> bool:
        """True if the finding outweighs what the board declares: it is more than a test without a sign."""
        return self.finding in ("flagged", "newer", "clean")


def strongest(probes: Iterable[Probe]) -> Probe | None:
    """Return the probe that decides the mark; None without a probe.

    A flag comes first. Without a flag, the best evidence counts: newer items, then a tested overlap.
    """
    order = list(_STATES)
    return min(probes, key=lambda probe: order.index(probe.finding), default=None)
