"""The pages of boards of the `pairwise` protocol: the view of a board, its evidence, and parts of pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import asdict

from nullbench_site.protocols.pairwise.judging import EVEN, ORDERS, PREFERENCE, STYLE, VERDICT, meetings, share_won
from nullbench_site.protocols.pairwise.results import PairwiseItemRow, PairwiseJudgeRow, PairwiseResults, PairwiseRow
from nullbench_site.protocols.pairwise.specs import PairwiseBoardFile, PairwisePlacedItem
from nullbench_site.runs.records import Response, Score
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.site import words
from nullbench_site.site.evidence import Apart, BoardEvidence, ItemShown, Sample, Verdict
from nullbench_site.site.pages.judges import SHOWN, JudgeColumn, judged
from nullbench_site.site.pages.page import InWords, in_words
from nullbench_site.site.protocol import (
    Context,
    Disagreement,
    Layout,
    ProtocolPages,
)
from nullbench_site.site.views import AnyRow, BoardView


@dataclass(frozen=True)
class PairwiseView(BoardView):
    """The view of a `pairwise` board."""

    board: PairwiseBoardFile
    results: PairwiseResults

    @property
    def weighs(self) -> bool:
        """Return True if judges give a preference from 1 to 2 instead of one of five verdicts."""
        return self.board.judging == PREFERENCE

    @property
    def must_agree(self) -> bool:
        """Return True if a game is won only if the verdicts in both orders agree."""
        return self.board.agree is not None

    @property
    def mirrored(self) -> bool:
        """Return True if every game is played in both orders."""
        return self.board.orders == "both"

    def by_definition(self, row: AnyRow) -> bool:
        """Return True for a single baseline, which has 50 against itself."""
        return (row.model,) == self.board.baselines

    @cached_property
    def scheduled(self) -> str:
        """Return the size of the schedule in words; empty without one."""
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
        """Return what answers are compared with, in words."""
        names = [self.title(name) for name in self.board.baselines]
        if self.scheduled:
            return "those of the opponents that the schedule names for the prompt"
        if not names:
            return "those of every other contestant"
        return f"those of {words.listed(names)}{', each counting alike' if len(names) > 1 else ''}"


class PairwiseItemShown(ItemShown, kw_only=True, omit_defaults=True):
    """A prompt with its reference answer, if it has one; for a private one only its hash."""

    reference: str | UnsetType | None = UNSET


class PairwiseScore(msgspec.Struct):
    """The share of its games that an answer won, 0-100. spread: how far the judges are apart."""

    state: str
    overall: float | None
    spread: float | None


class Seated(Verdict, kw_only=True, omit_defaults=True):
    """A judge's verdict on two answers. position: as in `Game`."""

    position: int | None = None


class Game(Verdict, kw_only=True, omit_defaults=True):
    """A judge's verdict on an answer against an opponent's.

    position: 0 if it was shown first, 1 if second; absent if unknown.
    """

    opponent: str
    position: int | None = None


class PairwiseSample(Sample, kw_only=True, omit_defaults=True):
    """An answer with its games. length, digest: of a text that is not in the data, if known."""

    games: list[Game]
    length: int | None = None
    digest: str | None = None


class PairwiseEvidence(BoardEvidence[PairwiseView, PairwisePlacedItem, PairwiseItemRow]):
    """The evidence of a `pairwise` board."""

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
    marked = "share of a game given"

    def marks(self, sample: PairwiseSample) -> Iterable[Score | None]:
        won = (share_won(game.scores, game.position) for game in sample.games)
        return (None if share is None else 100 * share for share in won)

    def item_fields(self, placed: PairwisePlacedItem) -> dict[str, Any]:
        return {"prompt": placed.prompt, "reference": placed.reference or None}

    def sample_fields(
        self, response: Response, verdicts: Mapping[str | None, Sequence[Verdict]], *, hidden: bool
    ) -> dict[str, Any]:
        # Verdicts are sorted by judge, then the game in which the answer was shown first.
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
        if not hidden and response.hidden is not None:
            own["length"], own["digest"] = response.hidden.runes, response.hidden.hash or None
        elif not hidden and not response.text and length.isdecimal() and int(length):
            own["length"] = int(length)
        return own


_RINGS_SHOWN = 20


LAYOUT: Layout[PairwiseView] = Layout(
    overall="pairwise_overall",
    in_part="pairwise_overall",
)

_SCHEDULED = replace(LAYOUT, overall="pairwise_chance", in_part="pairwise_chance")
"""The layout of boards whose contestants meet different opponents: the score is no share of games."""


def _board(view: PairwiseView) -> Context:
    results, several = view.results, len(view.results.baselines) > 1
    return {
        "template": "pairwise/board.md.j2",
        "further_facts": []
        if results.tied_games is UNSET
        else [(words.percent(results.tied_games), "of games tied; a tie counts half a win")],
        "single": view.title(results.baselines[0]) if len(results.baselines) == 1 else "",
        "as_they_come": view.results.has_other_win_rates(view.board),
        "half": sum(row.half for row in view.judge_rows),
        "baselines": {name: view.title(name) for name in results.baselines} if several else {},
        "by_baseline": [(view.title(row.model), row, _apart(row)) for row in results.leaderboard] if several else [],
        "rings": {
            "says": _rings(view),
            "first": _RINGS_SHOWN if len(results.rings) > _RINGS_SHOWN else 0,
            "listed": [", ".join(view.title(name) for name in ring) for ring in results.rings[:_RINGS_SHOWN]],
        },
    }


def _rings(view: PairwiseView) -> str:
    n_rings, of_all = len(view.results.rings), view.results.n_triples
    if not of_all:
        return "No three contestants have met each other so that each pair is decided."
    by_chance = " Where few games decide a pair, rings come by chance, too." if n_rings and view.scheduled else ""
    return f"{words.of(n_rings, of_all)} threes are rings.{by_chance}"


def _apart(row: PairwiseRow) -> float | None:
    """Return how far the win rates against the baselines are apart."""
    rates = row.against.values()
    return max(rates) - min(rates) if len(rates) > 1 else None


def _compared(view: PairwiseView) -> Context:
    """Return what the page of comparison needs.

    several: whether an answer may meet those of several opponents. met: the win rate with its interval, the number of
    answers and why there is no interval, by contestant and opponent.
    """
    met: dict[str, dict[str, tuple[str, int, str]]] = {}
    for row in view.results.pairs:
        rate = f"{words.number(row.win_rate)} {words.interval(row.low, row.high)}".rstrip()
        met.setdefault(row.model, {})[row.opponent] = (rate, row.n, row.absent.get("low", ""))
    return {"against": view.against, "several": len(view.results.baselines) != 1, "met": met}


def _judges(view: PairwiseView) -> Context:
    def first(row: PairwiseJudgeRow) -> InWords:
        return in_words(words.number(row.first_share), row, "first_share")

    def flips(row: PairwiseJudgeRow) -> InWords:
        return InWords(words.of(row.flips, row.pairs) if row.pairs else words.ABSENT, "" if row.pairs else "one order")

    def chosen(row: PairwiseJudgeRow) -> InWords:
        return InWords(words.of(row.decided_first, row.decided) if row.decided else words.ABSENT)

    def missing(row: PairwiseJudgeRow) -> InWords:
        if not isinstance(row.missing_mass, float) or not isinstance(row.missing_mass_most, float):
            return in_words(words.ABSENT, row, "missing_mass")
        return InWords(f"{words.number(row.missing_mass, 3)}, at most {words.number(row.missing_mass_most, 3)}")

    columns = [
        JudgeColumn("To the first", METRICS["first_share"], first),
        JudgeColumn("Chose the first", METRICS["first_chosen"], chosen, counts=True),
        JudgeColumn("Half pairs", METRICS["half_pairs"], lambda row: InWords(words.number(row.half, 0)), counts=True),
        JudgeColumn("Flips", METRICS["flips"], flips, counts=True),
    ]
    if any(row.missing_mass is not UNSET for row in view.judge_rows):
        columns.append(JudgeColumn("Missing mass", METRICS["missing_mass"], missing))
    rows: list[PairwiseRow] = list(view.rows.values())[:SHOWN]
    return {
        "template": "pairwise/judges.md.j2",
        "judged": judged(view, "Verdicts", columns),
        "severity": "",
        "weighed": columns[-1].metric.id == "missing_mass",
        "units": METRICS["game_alpha"].sentence,
        "contestants": [(view.title(row.model), row) for row in rows],
        "by_place": _by_place(view, rows),
    }


def _by_place(view: PairwiseView, rows: Sequence[PairwiseRow]) -> str:
    """Say what the place does to the first contestant that was shown in both places; empty if none was."""
    for row in rows:
        first, second, debiased = row.first_win_rate, row.second_win_rate, row.debiased_win_rate
        if isinstance(first, float) and isinstance(second, float) and isinstance(debiased, float):
            plain = words.number((first * second) ** 0.5)
            return (
                f"The win rate of {view.title(row.model)} is {words.number(first)}\N{NO-BREAK SPACE}% shown first and "
                f"{words.number(second)}\N{NO-BREAK SPACE}% shown second; without position bias, "
                f"{words.number(debiased)}\N{NO-BREAK SPACE}%. The geometric mean of the two rates is {plain}; unlike "
                "ours, such rates of two contestants do not add up to 100."
            )
    return ""


def _method(view: PairwiseView) -> Context:
    return {
        "template": "pairwise/methodology.md.j2",
        "references": any(placed.reference for placed in view.items),
        "fixed": any(placed.lc_difficulty is not None for placed in view.items),
    }


def _ties(scores: Mapping[str, Score]) -> Iterable[float]:
    """Yield 0 for a tie and 1 for a game that one answer won: which of the two is `position_limit`'s matter."""
    for name, even in ((PREFERENCE, EVEN), (VERDICT, 0)):
        if name in scores:
            yield float(scores[name] != even)


PAGES: ProtocolPages[PairwiseView] = ProtocolPages(
    marks=_ties,
    one_mark=lambda mark: "" if mark else "called {} games a tie",
    view=PairwiseView,
    layout=LAYOUT,
    compared=_compared,
    board=_board,
    fingerprint=lambda view, model: {"template": "pairwise/model.md.j2"},
    judges=_judges,
    method=_method,
    evidence=PairwiseEvidence,
    disagreement=Disagreement("share_spread", "points of 100", 1),
    layout_on=lambda board: LAYOUT if board.schedule is None else _SCHEDULED,
    holds="its domains, categories, difficulties, items, judges, their agreement, and who met whom",
)
