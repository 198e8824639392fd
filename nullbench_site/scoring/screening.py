"""What screening finds in the answers of each contestant: flags, and one answer to different items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from nullbench_site.audit.screening import flags, is_short, kinds, near_duplicates
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import Response
from nullbench_site.scoring.board_tables import ScreeningRow
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.types import REFERENCE
from nullbench_site.stats.measure import wilson

FALSE_ALARMS = 0.02
"""The upper end of the Wilson interval of false alarms on honest answers, where it was highest (benchmarks/screening).

It is that of BenchPress, whose prompts include some about evaluation, on the half that the lexicon was tuned on.
"""
MOST, MOST_SHORT = 0.5, 0.75
"""A contestant is constant if more than this share of its answers repeat. Short ones repeat also where they are right:
they count only if the same one makes up the second share."""
EXAMPLES = 5
"""How many items a row names for each kind."""


@dataclass
class Marked:
    """Which answers of a contestant screening marks, by item. An item without a known answer is in neither.

    flags: True if one of its answers has a flag. repeats: True if one repeats an answer to another item, and the
    contestant is constant.
    """

    flags: dict[str, bool] = field(default_factory=dict)
    repeats: dict[str, bool] = field(default_factory=dict)


@dataclass
class Screened:
    """What screening finds on a board. rows: by contestant. marked: by contestant, and for reference answers."""

    rows: list[ScreeningRow] = field(default_factory=list)
    marked: dict[str, Marked] = field(default_factory=dict)


def screened_boards(benchmark: Benchmark, folder: RunFolder) -> dict[str, Screened]:
    """Return what is found on each board with answers. A shard is read once; texts of private items are never used."""
    placed = {board.id: {each.id: each for each in benchmark.items(board)} for board in benchmark.boards.values()}
    boards: dict[str, Screened] = {}
    models = {model.id for board in benchmark.boards.values() for model in benchmark.contestants(board)}
    for model in sorted({*models, REFERENCE}):
        answers: dict[str, list[Response]] = {}
        for response in folder.records(Response, model):
            if response.item in placed.get(response.board, ()):
                answers.setdefault(response.board, []).append(response)
        for board, of_board in answers.items():
            marked = Marked()
            if (row := screening_row(model, of_board, placed[board], marked)).n_responses:
                found = boards.setdefault(board, Screened())
                found.marked[model] = marked
                if model != REFERENCE:
                    found.rows.append(row)
    return boards


def screening_row(
    model: str, responses: Iterable[Response], placed: Mapping[str, PlacedItem], marked: Marked | None = None
) -> ScreeningRow:
    """Return the row of a contestant from its responses to items of one board. marked: gets the marked items."""
    marked = Marked() if marked is None else marked
    answered = [each for each in responses if each.state == "answered" and each.item in placed]
    public = [each for each in answered if not placed[each.item].private]
    read = [each for each in public if each.hidden is None]
    found: dict[str, list[str]] = {}
    n_with_flags = 0
    for response in read:
        own = flags(response.text)
        n_with_flags += bool(own)
        marked.flags[response.item] = marked.flags.get(response.item, False) or bool(own)
        for kind in own:
            found.setdefault(kind, []).append(response.item)
    hashed = [(each.item, each.hidden.hash) for each in public if each.hidden is not None and each.hidden.hash]
    compared = [*((each.item, each.text) for each in read), *hashed]
    repeated = near_duplicates(compared)
    n_repeated, constant = int(repeated.sum()), _is_constant(compared, repeated.tolist(), n_hashed=len(hashed))
    for (item, _), repeats in zip(compared, repeated.tolist(), strict=True):
        marked.repeats[item] = marked.repeats.get(item, False) or (constant and repeats)
    return ScreeningRow(
        model=model,
        n_responses=len(answered),
        n_read=len(read),
        n_hashed=len(hashed),
        n_with_flags=n_with_flags,
        flags=[kind for kind in kinds() if kind in found],
        counts={kind: len(items) for kind, items in sorted(found.items())},
        examples={kind: sorted(set(items))[:EXAMPLES] for kind, items in sorted(found.items())},
        n_compared=len(compared),
        n_repeated=n_repeated,
        constant=constant,
        is_flagged=constant or (n_with_flags > 0 and wilson(n_with_flags, len(read))[0] > FALSE_ALARMS),
    )


def _is_constant(compared: Sequence[tuple[str, str]], repeated: Iterable[bool], *, n_hashed: int) -> bool:
    """Return True if most answers repeat one to another item. The last n_hashed are hashes."""
    n_texts = len(compared) - n_hashed
    short = Counter[str]()
    long = 0
    for place, ((_, text), repeats) in enumerate(zip(compared, repeated, strict=True)):
        if repeats and place < n_texts and is_short(text):
            short[" ".join(text.split())] += 1
        elif repeats:
            long += 1
    most = short.most_common(1)[0][1] if short else 0
    return long > MOST * len(compared) or most + long > MOST_SHORT * len(compared)
