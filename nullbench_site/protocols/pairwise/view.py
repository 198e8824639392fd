"""A `pairwise` board as pages look at it, with whom answers are held against, and its evidence: prompts; answers, and
every game of each with order, verdict and rationale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import asdict

from nullbench_site.protocols.pairwise.judging import ORDERS, PREFERENCE, STYLE, meetings
from nullbench_site.protocols.pairwise.results import PairwiseItemRow, PairwiseResults
from nullbench_site.protocols.pairwise.specs import PairwiseBoardFile, PairwisePlacedItem
from nullbench_site.runs.records import Response
from nullbench_site.site import words
from nullbench_site.site.evidence.shown import Apart, BoardEvidence, ItemShown, Sample, Verdict
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
    def scheduled(self) -> str:
        """How many pairs a schedule has of how many, and in how many each contestant is, in words; empty without."""
        if self.results.budget is UNSET:
            return ""
        names = [model.id for model in self.benchmark.contestants(self.board)]
        games = [sum(map(len, meetings(self.benchmark, self.board, name).values())) for name in names]
        k, few, many = len(names), min(games), max(games)
        of_all = words.of(self.results.budget, len(self.items) * k * (k - 1) // 2)
        each = few if few == many else f"{few} to {many}"
        return f"{of_all} pairs of contestants on a prompt meet: each contestant is in {each} of them"

    @property
    def against(self) -> str:
        """Whom answers are held against, in words."""
        names = [self.title(name) for name in self.board.baselines]
        if self.scheduled:
            return "those of the opponents that the schedule names for the prompt"
        if not names:
            return "those of every other contestant"
        return f"those of {words.listed(names)}{', each counting alike' if len(names) > 1 else ''}"


class PairwiseItemShown(ItemShown, kw_only=True, omit_defaults=True):
    """A prompt with its reference answer, where it has one; of a private one its hash alone."""

    reference: str | UnsetType | None = UNSET


class PairwiseScore(msgspec.Struct):
    """The share of its games that an answer won, 0-100. spread: how far judges are apart."""

    state: str
    overall: float | None
    spread: float | None


class Seated(Verdict, kw_only=True, omit_defaults=True):
    """What a judge said of two answers. position: as in `Game`."""

    position: int | None = None


class Game(Verdict, kw_only=True, omit_defaults=True):
    """What a judge said of an answer beside an opponent's. position: 0: it was shown first; 1: second; absent: nobody
    knows."""

    opponent: str
    position: int | None = None


class PairwiseSample(Sample, kw_only=True, omit_defaults=True):
    """An answer with its games. length: of a text that is not in the data, where that is known."""

    games: list[Game]
    length: int | None = None


class PairwiseEvidence(BoardEvidence[PairwiseView, PairwisePlacedItem, PairwiseItemRow]):
    """What it adds to that of every board."""

    item_type, score_type, sample_type = PairwiseItemShown, PairwiseScore, PairwiseSample
    verdict_type = Seated
    states: ClassVar[Mapping[str, str]] = {
        "scored": "scored",
        "errored": "failed",
        "unparsed": "verdict not readable",
        "unopposed": "no opponent's answer",
        "unjudged": "not judged yet",
    }
    apart = Apart("point", 100)

    def item_fields(self, placed: PairwisePlacedItem) -> dict[str, Any]:
        return {"prompt": placed.prompt, "reference": placed.reference or None}

    def sample_fields(
        self, response: Response, verdicts: Mapping[str | None, Sequence[Verdict]], *, hidden: bool
    ) -> dict[str, Any]:
        # Verdicts come by judge; of one judge the game in which the answer was shown first stands first.
        games = sorted(
            (
                Game(
                    **asdict(verdict),
                    opponent=str(task).removesuffix(f"/{ORDERS[0]}").removesuffix(f"/{ORDERS[1]}"),
                )
                for task, of_task in verdicts.items()
                for verdict in of_task
            ),
            key=lambda game: (game.judge, game.position or 0),
        )
        own: dict[str, Any] = {"games": games}
        flags = [flag for check in response.checks if check.type == STYLE for flag in check.flags]
        length = next((flag.partition(" ")[2] for flag in flags if flag.startswith("length ")), "")
        if not hidden and not response.text and length.isdecimal() and int(length):
            own["length"] = int(length)
        return own
