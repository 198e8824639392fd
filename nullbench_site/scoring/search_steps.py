"""The table `search_steps`: a search as its records give it again, step by step."""

from __future__ import annotations

from collections import defaultdict

from nullbench_site.audit.random_search import search_of
from nullbench_site.audit.search_walk import Step, Verdict, verdict, walk_of
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import Judgment, Response
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import BoardFile


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
