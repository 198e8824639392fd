"""The responses of a study of judging prompts, by case: right and wrong ones, and those that must not win."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from nullbench_site.audit.study_data import RIGHT, UNRELATED, WRONG, protocol_studies, study
from nullbench_site.judging.controls import BY_WEIGHT
from nullbench_site.judging.protocol import judging
from nullbench_site.programs.damage import damage
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.types import FALSIFICATIONS, Damage, JudgedBoardFile

_SPOILS: tuple[Damage, ...] = ("cut", "shuffled-words")

Cases = Mapping[str, Mapping[str, tuple[PlacedItem, str]]]
"""Contestant -> item -> the item and the response."""


def cases_of(benchmark: Benchmark, board: Any, most: int) -> Cases | None:
    """Return the responses of each contestant of the study of a board; None with fewer than two items."""
    if not isinstance(board, JudgedBoardFile) or board.protocol not in protocol_studies():
        return None
    protocol = judging(board.protocol)
    placed = [each for each in benchmark.items(board) if not each.private and each.n_turns == 1]
    placed.sort(key=lambda each: study().order(each.id))
    references = {each.id: reference for each in placed if (reference := protocol.reference(each)) is not None}
    given: Counter[Damage] = Counter()
    right, wrong = dict[str, tuple[PlacedItem, str]](), dict[str, tuple[PlacedItem, str]]()
    for each in placed:
        if len(right) == most or each.id not in references:
            continue
        reference = references[each.id]
        spoiled = {
            kind: damaged.text
            for kind in BY_WEIGHT
            if kind in (*FALSIFICATIONS, *_SPOILS)
            and (damaged := damage(reference.text, kind, source=reference.source))
        }
        if spoiled:
            kind = min(spoiled, key=lambda kind: (given[kind], BY_WEIGHT.index(kind)))
            given[kind] += 1
            text: str | None = spoiled[kind]
        else:
            text = _other(each, placed, {name: known.text for name, known in references.items()})
        if text is not None and text.strip() != reference.text.strip():
            right[each.id], wrong[each.id] = (each, reference.text), (each, text)
    if len(right) < 2:
        return None
    texts = {name: text for name, (_, text) in right.items()}
    attacked = [each for each, _ in right.values()][: study().attack_items]
    attacks = {name: {each.id: (each, text) for each in attacked} for name, text in study().attacks.items()}
    unrelated = {
        each.id: (each, other)
        for each in attacked
        if (other := _other(each, [one for one, _ in right.values()], texts, near=False)) is not None
    }
    return {RIGHT: right, WRONG: wrong, **attacks, UNRELATED: unrelated}


def _other(
    item: PlacedItem, placed: Sequence[PlacedItem], texts: Mapping[str, str], *, near: bool = True
) -> str | None:
    """Return the text of the next other item that differs, one of the same category and kind first.

    near: an answer to a similar question, which is a number if the right one is. None if all texts are the same.
    """
    own = texts[item.id]
    start = next(place for place, each in enumerate(placed) if each.id == item.id)
    others = [
        each for each in (*placed[start + 1 :], *placed[:start]) if texts.get(each.id, own).strip() != own.strip()
    ]

    def likeness(other: PlacedItem) -> tuple[bool, bool]:
        text = texts[other.id]
        return text.strip()[:1].isdigit() != own.strip()[:1].isdigit(), other.category.id != item.category.id

    if not others:
        return None
    return texts[(min(others, key=likeness) if near else others[0]).id]
