"""Count what judges replied about the answers of contestants, and name the judges that are unfit.

It reads the records of a run when a page is made: no result depends on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from nullbench_site.extensions import protocol_part
from nullbench_site.runs.folder import SHARDS
from nullbench_site.runs.records import Judgment, read_records
from nullbench_site.site import words
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import BoardFile, JudgedBoardFile

FEWEST = 10
"""The fewest replies, or marks, of which a share is assessed: with fewer, chance makes most of them alike."""


@dataclass
class Replies:
    """What a judge replied about real answers.

    read: replies, with a readable verdict or not; cut: those that ended at the token limit, but for verdicts of one
    token. marks: how often it gave each mark, a whole number. votes: replies that say whether the answer is a refusal;
    contradicting: those that say it is one and give it the highest marks.
    """

    read: int = 0
    cut: int = 0
    marks: Counter[int] = field(default_factory=Counter)
    votes: int = 0
    contradicting: int = 0


def count(found: dict[str, Replies], judgments: Iterable[Judgment], protocol: str) -> None:
    """Add judgments to the replies of each judge. The last record of a place counts."""
    pages: Any = protocol_part(protocol, "pages")
    marks, contradicts = pages.marks, pages.contradicts
    for judgment in {each.place: each for each in judgments}.values():
        if judgment.state == "errored":
            continue
        of_judge = found.setdefault(judgment.judge, Replies())
        of_judge.read += 1
        of_judge.cut += judgment.ended == "length" and not _is_one_token(judgment)
        if judgment.state != "scored":
            continue
        of_judge.marks.update(map(round, marks(judgment.scores)))
        said = contradicts(judgment.scores)
        of_judge.votes += said is not None
        of_judge.contradicting += bool(said)


def _is_one_token(judgment: Judgment) -> bool:
    """Return True for a verdict that was read from one token, after which the endpoint was told to stop."""
    return judgment.state == "scored" and judgment.output_tokens is not None and judgment.output_tokens <= 1


@dataclass(frozen=True)
class Fault:
    """What makes a judge unfit: it did something, with a place for the share, in `n` of `of` cases, which the limit
    does not allow."""

    judge: str
    did: str
    n: int
    of: int
    limit: float


def faults(board: JudgedBoardFile, replies: Mapping[str, Replies], one_mark: Callable[[int], str]) -> Iterator[Fault]:
    """Yield what makes judges unfit. one_mark: say that a judge gave a mark, with a place for the share; empty for a
    mark that is no fault."""
    for judge, of in replies.items():
        given = of.marks.total()
        mark, most = of.marks.most_common(1)[0] if of.marks else (0, 0)
        if given >= FEWEST and most > board.one_mark_limit * given and (did := one_mark(mark)):
            yield Fault(judge, did, most, given, board.one_mark_limit)
        if of.read >= FEWEST and of.cut > board.cut_limit * of.read:
            yield Fault(judge, "ended {} replies at the token limit", of.cut, of.read, board.cut_limit)
        if of.votes >= FEWEST and of.contradicting > board.contradiction_limit * of.votes:
            did = "called an answer refused and gave it the highest marks in {} replies"
            yield Fault(judge, did, of.contradicting, of.votes, board.contradiction_limit)


def fault_words(found: Iterable[Fault], titles: Mapping[str, str]) -> list[str]:
    """Return a phrase for each fault, with all judges that have it. titles: of judges by id, in order."""
    order = list(titles)
    alike: dict[tuple[str, float], list[Fault]] = {}
    for fault in sorted(found, key=lambda fault: order.index(fault.judge)):
        alike.setdefault((fault.did, fault.limit), []).append(fault)
    told = []
    for (did, limit), those in alike.items():
        shares = [words.of(fault.n, fault.of) for fault in those]
        each = "each " if len(shares) > len(set(shares)) == 1 else ""
        said = did.format(shares[0] if each else words.listed(shares))
        told.append(f"{named_judges([titles[fault.judge] for fault in those])} {each}{said} (limit {100 * limit:g} %)")
    return told


def named_judges(titles: Sequence[str]) -> str:
    """Return `the judge “Form”` or `the judges “Form” and “Support”`."""
    return (
        f"the judge{'s' if len(titles) > 1 else ''} {words.listed([f'“{words.isolated(title)}”' for title in titles])}"
    )


@dataclass
class RepliesOfRun:
    """What the judges of each board replied. It reads the records when it is first asked.

    boards: those that are looked at. judgments: return the judgments of the answers of a contestant.
    """

    benchmark: Benchmark
    boards: Iterable[BoardFile]
    judgments: Callable[[str], Iterable[Judgment]]

    @cached_property
    def by_board(self) -> Mapping[str, Mapping[str, Replies]]:
        """Return the replies by board and judge, of panels alone; answers of null models and controls are left out."""
        boards = {board.id: board for board in self.boards if isinstance(board, JudgedBoardFile)}
        entered = {name: _entered(self.benchmark, board) for name, board in boards.items()}
        found: dict[str, dict[str, Replies]] = {name: {} for name in boards}
        for model in sorted(set[str]().union(*entered.values())):
            of_board: dict[str, list[Judgment]] = {}
            for judgment in self.judgments(model):
                if model in entered.get(judgment.board, ()):
                    of_board.setdefault(judgment.board, []).append(judgment)
            for name, judgments in of_board.items():
                count(found[name], _asked(self.benchmark, boards[name], judgments), boards[name].protocol)
        return found

    def of(self, board: BoardFile) -> Mapping[str, Replies]:
        """Return the replies of a board by judge."""
        return self.by_board.get(board.id, {})


def recorded(benchmark: Benchmark, run: Path) -> RepliesOfRun:
    """Return the replies in a run's folder."""
    return RepliesOfRun(benchmark, benchmark.boards.values(), partial(_shard, run / SHARDS[Judgment]))


def _shard(folder: Path, model: str) -> Iterable[Judgment]:
    path = folder / f"{model}.jsonl"
    return read_records(path, Judgment) if path.is_file() else ()


def _entered(benchmark: Benchmark, board: BoardFile) -> set[str]:
    return {model.id for model in benchmark.contestants(board) if model.kind != "null"}


def _asked(benchmark: Benchmark, board: JudgedBoardFile, judgments: Iterable[Judgment]) -> Iterator[Judgment]:
    """Yield the judgments of the panel on items of the board."""
    items = {placed.id for placed in benchmark.items(board)}
    judges = set(benchmark.panels[board.panel].judges)
    return (each for each in judgments if each.item in items and each.judge in judges)
