"""Whether programs find in a run's public responses what its records say they found: everything but code is run again.

Looked at is what the same check or key found in the same revision; another one may decide otherwise, and is not wrong.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from nullbench_site.protocols.oracle.protocol import OracleProtocol
from nullbench_site.protocols.rubric.checked import checked
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import CheckResult, Response, read_records
from nullbench_site.specs.benchmark import Benchmark, OraclePlacedItem, PlacedItem, RubricPlacedItem


def recheck_problems(benchmark: Benchmark, folder: RunFolder) -> Iterator[str]:
    """A line for each response in which a check or key finds something else now. Raises RunError for a damaged line."""
    placed = {
        (board.id, item.id): item
        for board in benchmark.boards.values()
        for item in benchmark.items(board)
        if isinstance(item, RubricPlacedItem | OraclePlacedItem)
    }
    for model in folder.models() if placed else ():
        shard = folder.shard(Response, model)
        if shard.is_file():
            for response in read_records(shard, Response):
                item = placed.get((response.board, response.item))
                for one, other in _differences(item, response) if item is not None else ():
                    advice = "find out which was changed, the text or what was found in it"
                    yield (
                        f"{shard}: the answer to {response.item!r} is recorded as {_shown(one)}; "
                        f"by its text it is {_shown(other)}; {advice}"
                    )


def _differences(item: PlacedItem, response: Response) -> Iterator[tuple[CheckResult, CheckResult]]:
    recorded = {(found.type, found.params): found for found in response.checks}
    for found in _found(item, msgspec.structs.replace(response, checks=())):
        before = recorded.get((found.type, found.params), found)
        if before != found:
            yield before, found


def _found(item: PlacedItem, response: Response) -> tuple[CheckResult, ...]:
    """What is found without executing anything of the response; nothing in one that failed or is not here."""
    match item:
        case OraclePlacedItem():
            return OracleProtocol().checked(item, response).checks
        case RubricPlacedItem():
            harmless = [check for check in item.checks if not check.executes]
            return checked(response, harmless).checks
        case _:
            return ()


def _shown(found: CheckResult) -> str:
    return " ".join([found.type, found.outcome, *(f"({flag})" for flag in found.flags)])
