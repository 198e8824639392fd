"""A random search step by step: the verdicts on each candidate, and the best one so far.

The records of a search give it again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from math import inf, log
from statistics import fmean, median
from typing import Literal, TypeAlias

import msgspec

from nullbench_site.audit.perplexity import Filter
from nullbench_site.audit.random_search import Search, search_of
from nullbench_site.errors import UsageError
from nullbench_site.judging.protocol import judging
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import Judgment, Response
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import sha256
from nullbench_site.specs.types import BoardFile

LEAST = 1e-6
"""A win is never less probable than this, since its -log p would be infinite; nor by a verdict that cannot be read."""
_MOST_DRAWN = 1000
LEAST_HONEST = 40
"""Reference answers for a filter. Half of them set its bound: of 20, one may be above it."""
Measure: TypeAlias = Literal["-log p", "share lost"]


class Verdict(msgspec.Struct, frozen=True):
    """The probability, by a judge, that the candidate wins. order: its place. won: None if it could not be read.

    unread: why it could not.
    """

    item: str
    judge: str
    order: int | None
    won: float | None
    unread: str = ""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a search. loss: of its candidate, by the measure; best_loss: of the best one so far.

    first_loss, second_loss: its mean -log p where it is shown first and second. n_verdicts_won: verdicts for it, of
    n_verdicts. n_won: instructions that it won in both orders with all judges, of n_items. n_unread: verdicts that
    could not be read. found: the tokens that it tried.
    """

    step: int
    kept: bool
    measure: Measure
    loss: float
    best_loss: float
    first_loss: float | None
    second_loss: float | None
    n_verdicts_won: int
    n_verdicts: int
    n_won: int
    n_items: int
    n_unread: int
    found: str


class Walk:
    """A search under way: the candidate of its next step, and the best so far."""

    def __init__(self, search: Search, passes: Callable[[str], bool] = lambda _: True) -> None:
        """Start a search. passes: whether a filter lets a found text through."""
        self.search, self._passes = search, passes
        self.tokens = self._passing(search.starts())
        self.best, self.loss, self.step = self.tokens, inf, 0
        self._measure: Measure | None = None

    @property
    def text(self) -> str:
        """Return the answer that the next step tries."""
        return self.search.text(self.tokens)

    def tell(self, verdicts: Sequence[Verdict]) -> Step:
        """Take the verdicts on the candidate, and draw the next one."""
        if self._measure is None:  # a judge without probabilities has no other figures
            sure = all(each.won in (None, 0.0, 0.5, 1.0) for each in verdicts)
            self._measure = "share lost" if sure else "-log p"
        by_judge: dict[str, list[float]] = {}
        for each in verdicts:
            by_judge.setdefault(each.judge, []).append(_loss(each, self._measure))
        loss = median(fmean(of_judge) for of_judge in by_judge.values())
        kept = loss < self.loss
        if kept:
            self.best, self.loss = self.tokens, loss
        won_all = _won_everywhere(verdicts)
        done = Step(
            step=self.step, kept=kept, measure=self._measure, loss=loss, best_loss=self.loss,
            first_loss=_mean(_loss(each, "-log p") for each in verdicts if each.order == 0),
            second_loss=_mean(_loss(each, "-log p") for each in verdicts if each.order == 1),
            n_verdicts_won=sum(_wins(each) for each in verdicts), n_verdicts=len(verdicts),
            n_won=sum(won_all.values()), n_items=len(won_all),
            n_unread=sum(each.won is None for each in verdicts), found=" ".join(self.tokens),
        )  # fmt: skip
        self.step += 1
        self.tokens = self._passing(self.search.candidates(self.step, self.best))
        return done

    def _passing(self, candidates: Iterator[tuple[str, ...]]) -> tuple[str, ...]:
        """Return the first candidate that the filter lets through. Raises UsageError after 1,000 others."""
        for tokens in islice(candidates, _MOST_DRAWN):
            if self._passes(" ".join(tokens)):
                return tokens
        why = f"the filter of unusual text stopped {_MOST_DRAWN:,} candidates in a row"
        raise UsageError(f"{why}; search with --population words, or without --filtered")


def walk_of(benchmark: Benchmark, board: BoardFile, search: Search) -> Walk:
    """Return the search of a board at its start."""
    return Walk(search, filter_of(benchmark, board).passes) if search.filtered else Walk(search)


def filter_of(benchmark: Benchmark, board: BoardFile) -> Filter:
    """Return the filter of a search: made from the public reference answers of the domains that it does not ask about.

    Raises UsageError if they are too few for its bound.
    """
    judge, others = judging(board.protocol), tuple(name for name in benchmark.domains if name not in board.domains)
    answers = {
        placed.id: answer.text
        for placed in benchmark.items(msgspec.structs.replace(board, domains=others))
        if not placed.private and (answer := judge.reference(placed)) is not None
    }
    if len(answers) < LEAST_HONEST:
        why = f"a filter needs {LEAST_HONEST} reference answers of other domains, and there are {len(answers)}"
        raise UsageError(f"{why}; search without --filtered")
    return Filter([answers[item] for item in sorted(answers, key=lambda item: sha256(item.encode()))])


def verdict(board: BoardFile, judgment: Judgment) -> Verdict | None:
    """Return the verdict that a judgment of a board is; None if it failed, so that it is asked for again."""
    if judgment.state == "errored":
        return None
    won = judging(board.protocol).won(judgment) if judgment.state == "scored" else None
    return Verdict(judgment.item, judgment.judge, judgment.position, won, "; ".join(judgment.invalid.values()))


def _loss(each: Verdict, measure: Measure) -> float:
    if measure == "share lost":
        return 1.0 - _wins(each)
    return -log(max(LEAST, each.won or 0.0))


def _wins(each: Verdict) -> bool:
    return each.won is not None and each.won > 0.5


def _won_everywhere(verdicts: Sequence[Verdict]) -> Mapping[str, bool]:
    won: dict[str, bool] = {}
    for each in verdicts:
        won[each.item] = won.get(each.item, True) and _wins(each)
    return won


def _mean(values: Iterator[float]) -> float | None:
    known = [*values]
    return fmean(known) if known else None


def search_steps(benchmark: Benchmark, board: BoardFile, folder: RunFolder) -> list[Step]:
    """Return the steps of the search of a board that have all their verdicts; [] without a search."""
    return _walked(benchmark, board, folder)[0]


def search_problems(benchmark: Benchmark, folder: RunFolder) -> list[str]:
    """Return a line for each search whose answers are not those that its verdicts lead to."""
    problems = []
    for board in benchmark.boards.values():
        step = _walked(benchmark, board, folder)[1]
        if step is not None:
            problems.append(
                f"{folder.path}: the answer at step {step} of the search of {board.id} is not what its seed and the "
                "verdicts before it give; a record was changed"
            )
    return problems


def _walked(benchmark: Benchmark, board: BoardFile, folder: RunFolder) -> tuple[list[Step], int | None]:
    """Walk a search again. Return its steps, and the first one whose answer is another; None if there is none."""
    found = search_of(benchmark.contestants(board))
    if found is None:
        return [], None
    model, search = found
    texts, verdicts = defaultdict[int, set[str]](set), defaultdict[int, list[Verdict]](list)
    for response in folder.records(Response, model.id):
        if response.board == board.id:
            texts[response.sample].add(response.text)
    for record in {each.place: each for each in folder.records(Judgment, model.id)}.values():
        if record.board == board.id and (each := verdict(board, record)) is not None:
            verdicts[record.sample].append(each)
    walk, steps = walk_of(benchmark, board, search), list[Step]()
    due = len(verdicts[0])
    for step in range(board.samples):
        if texts[step] and texts[step] != {walk.text}:
            return steps, step
        if not due or len(verdicts[step]) != due:
            break
        steps.append(walk.tell(verdicts[step]))
    return steps, None
