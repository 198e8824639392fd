"""How a board is correlated with the other boards of a site, over the language models that both have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.stats.constructs import AGREE, correlation
from nullbench_site.stats.measure import Bounded


@dataclass(frozen=True)
class OtherBoard:
    """Another board: how many language models both have, and the correlation of their scores.

    same: whether its construct is the same. Then the correlation should be high, else not.
    """

    title: str
    same: bool
    n_models: int
    found: Bounded

    @property
    def agrees(self) -> bool:
        """Whether it is a board of the same construct whose correlation is shown to be high."""
        return self.same and self.found.low is not None and self.found.low > AGREE


def other_boards(benchmark: Benchmark, own: str, results: Mapping[str, Any]) -> Sequence[OtherBoard]:
    """Return the other boards that have a language model of this one. results: of all boards, by id."""
    scores = {board: _scores(benchmark, each) for board, each in results.items()}
    others = []
    for name in (board for board in results if board != own):
        common = sorted(scores[own].keys() & scores[name].keys())
        if not common:
            continue
        families = sorted({benchmark.models[model].family for model in common})
        numbers = [families.index(benchmark.models[model].family) for model in common]
        ours, theirs = ([scores[board][model] for model in common] for board in (own, name))
        board = benchmark.boards[name]
        same = board.construct == benchmark.boards[own].construct
        others.append(OtherBoard(board.title, same, len(common), correlation(ours, theirs, numbers)))
    return others


def _scores(benchmark: Benchmark, results: Any) -> Mapping[str, float]:
    language = (row for row in results.leaderboard if benchmark.models[row.model].is_language_model)
    return {row.model: row.overall for row in language if isinstance(row.overall, float)}
