"""Whether programs find in a run's public responses what its records say they found: everything but code is run again.

Looked at is what the same check or key found in the same revision; another one may decide otherwise, and is not wrong.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from nullbench_site.protocols.base import judging
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import CheckResult, Response, read_records
from nullbench_site.specs.benchmark import Benchmark


def recheck_problems(benchmark: Benchmark, folder: RunFolder) -> Iterator[str]:
    """A line for each response in which a check or key finds something else now. Raises RunError for a damaged line."""
    placed = {
        (board.id, item.id): (judging(board.protocol), item)
        for board in benchmark.boards.values()
        for item in benchmark.items(board)
        if judging(board.protocol).has_checks(item)
    }
    for model in folder.models() if placed else ():
        shard = folder.shard(Response, model)
        if shard.is_file():
            for response in read_records(shard, Response):
                if (response.board, response.item) not in placed:
                    continue
                protocol, item = placed[response.board, response.item]
                bare = msgspec.structs.replace(response, checks=())
                for one, other in _differences(response, protocol.checked(item, bare, execute=False)):
                    advice = "find out which was changed, the text or what was found in it"
                    yield (
                        f"{shard}: the answer to {response.item!r} is recorded as {_shown(one)}; "
                        f"by its text it is {_shown(other)}; {advice}"
                    )


def _differences(recorded: Response, checked: Response) -> Iterator[tuple[CheckResult, CheckResult]]:
    before = {(result.type, result.params): result for result in recorded.checks}
    for result in checked.checks:
        one = before.get((result.type, result.params), result)
        if one != result:
            yield one, result


def _shown(result: CheckResult) -> str:
    return " ".join([result.type, result.outcome, *(f"({flag})" for flag in result.flags)])
