"""A `pairwise` board, with whom answers are held against, as pages look at it."""

from __future__ import annotations

from dataclasses import dataclass

from nullbench_site.protocols.pairwise.judging import PREFERENCE
from nullbench_site.protocols.pairwise.results import PairwiseResults
from nullbench_site.protocols.pairwise.specs import PairwiseBoardFile
from nullbench_site.site import words
from nullbench_site.site.views import BoardView


@dataclass(frozen=True)
class PairwiseView(BoardView):
    """What pages ask of a `pairwise` board."""

    board: PairwiseBoardFile
    results: PairwiseResults

    @property
    def weighs(self) -> bool:
        """Whether judges say how sure they are, and not which of five verdicts holds."""
        return self.board.judging == PREFERENCE

    @property
    def must_agree(self) -> bool:
        """Whether a game is won only where the verdicts in both orders agree."""
        return self.board.agree is not None

    @property
    def mirrored(self) -> bool:
        """Whether every game is played in both orders."""
        return self.board.orders == "both"

    @property
    def against(self) -> str:
        """Whom answers are held against, in words."""
        names = [self.title(name) for name in self.board.baselines]
        if not names:
            return "those of every other contestant"
        return f"those of {words.listed(names)}{', each counting alike' if len(names) > 1 else ''}"
