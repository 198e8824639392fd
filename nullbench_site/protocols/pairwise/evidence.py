"""The evidence of a `pairwise` board: prompts; answers, and every game of each with order, verdict and rationale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import msgspec
from msgspec import UNSET, UnsetType

from nullbench_site.protocols.pairwise.judging import ORDERS, STYLE
from nullbench_site.protocols.pairwise.results import PairwiseItemRow
from nullbench_site.protocols.pairwise.specs import PairwisePlacedItem
from nullbench_site.protocols.pairwise.view import PairwiseView
from nullbench_site.runs.records import Judgment, Response
from nullbench_site.site.evidence.shown import Apart, BoardEvidence, Sample, Verdict


class PairwiseItemShown(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A prompt with its reference answer, where it has one; of a private one its hash alone."""

    category: str
    difficulty: str
    visibility: str
    hash: str | None
    salt: str | UnsetType | None = UNSET
    tags: tuple[str, ...] | UnsetType = UNSET
    prompt: str | UnsetType | None = UNSET
    turns: tuple[str, ...] | UnsetType = UNSET
    reference: str | UnsetType | None = UNSET


class PairwiseScore(msgspec.Struct):
    """The share of its games that an answer won, 0-100. spread: how far judges are apart."""

    state: str
    overall: float | None
    spread: float | None


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

    def score(self, row: PairwiseItemRow) -> PairwiseScore:
        return PairwiseScore(row.state, row.overall, row.spread)

    def verdict(self, judgment: Judgment, *, hidden: bool) -> Game:
        own = msgspec.structs.asdict(super().verdict(judgment, hidden=hidden))
        opponent = str(judgment.judge_template).removesuffix(f"/{ORDERS[0]}").removesuffix(f"/{ORDERS[1]}")
        return Game(**own, opponent=opponent, position=judgment.position)

    def sample_fields(
        self, response: Response, verdicts: Mapping[str | None, Sequence[Verdict]], *, hidden: bool
    ) -> dict[str, Any]:
        # Verdicts come by judge; of one judge the game in which the answer was shown first stands first.
        games = sorted(
            (game for of_seat in verdicts.values() for game in of_seat),
            key=lambda game: (game.judge, getattr(game, "position", None) or 0),
        )
        own: dict[str, Any] = {"games": games}
        flags = [flag for check in response.checks if check.type == STYLE for flag in check.flags]
        length = next((flag.partition(" ")[2] for flag in flags if flag.startswith("length ")), "")
        if not hidden and not response.text and length.isdecimal() and int(length):
            own["length"] = int(length)
        return own
