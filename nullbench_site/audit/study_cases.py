"""The responses of a study of judging prompts, by case: right and wrong ones, and those that must not win."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

from nullbench_site.audit.study_data import HALF, RIGHT, WORSE, WRONG, protocol_studies, study
from nullbench_site.judging.calls import Reference
from nullbench_site.judging.controls import BY_WEIGHT
from nullbench_site.judging.protocol import judging
from nullbench_site.programs.damage import damage
from nullbench_site.programs.english import sentences
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.types import CLAIM, FALSIFICATIONS, FLOOR, LADDERS, Damage, JudgedBoardFile

_CUT: Damage = "cut"
_SPOILS: tuple[Damage, ...] = (_CUT, "shuffled-words")

Text: TypeAlias = tuple[PlacedItem, str]
"""An item and a response."""
Cases: TypeAlias = Mapping[str, Mapping[str, Text]]
"""Contestant -> item -> its text."""


def cases_of(
    benchmark: Benchmark, board: Any, most: int, prohibitions: Mapping[str, Collection[int]] = MappingProxyType({})
) -> Cases | None:
    """Return the responses of each contestant of the study of a board; None with fewer than two items.

    prohibitions: item -> the criteria that an empty response meets. An item with no others is left out, because no
    judge can be asked short questions about it.
    """
    if not isinstance(board, JudgedBoardFile) or board.protocol not in protocol_studies():
        return None
    protocol = judging(board.protocol)
    placed = [
        each
        for each in benchmark.items(board)
        if not each.private and each.n_turns == 1 and not _has_only(each, prohibitions.get(each.id, ()))
    ]
    placed.sort(key=lambda each: study().order(each.id))
    references = {each.id: reference for each in placed if (reference := protocol.reference(each)) is not None}
    kinds: dict[str, Damage] = {}
    right, wrong = dict[str, Text](), dict[str, Text]()
    for each in placed:
        if len(right) == most or each.id not in references:
            continue
        text = _wrong(each, placed, references, kinds)
        if text is not None and text.strip() != references[each.id].text.strip():
            right[each.id], wrong[each.id] = (each, references[each.id].text), (each, text)
    if len(right) < 2:
        return None
    reported = [item for item in right if not study().selects(item)] or [*right]
    return {
        RIGHT: right,
        WRONG: wrong,
        **(_halves(reported, right, wrong, kinds) if not protocol_studies()[board.protocol].has_baseline else {}),
        **_floors(benchmark, board, reported, right),
        **_attacks(benchmark, board, reported[: study().attack_items], wrong),
    }


def _halves(
    reported: Sequence[str], right: Mapping[str, Text], wrong: Mapping[str, Text], kinds: Mapping[str, Damage]
) -> dict[str, dict[str, Text]]:
    """Return half of the right and half of the wrong response, where the wrong one is a damaged reference.

    A wrong response that is the reference without its end is the half of the right one already.
    """
    made: dict[str, dict[str, Text]] = {HALF: {}, WORSE: {}}
    for item in reported:
        for case, (placed, text) in ((HALF, right[item]), (WORSE, wrong[item])):
            cut = damage(text, _CUT, LADDERS[_CUT][-1]) if kinds.get(item, _CUT) != _CUT else None
            if cut is not None:
                made[case][item] = placed, cut.text
    return made


def _wrong(
    item: PlacedItem, placed: Sequence[PlacedItem], references: Mapping[str, Reference], kinds: dict[str, Damage]
) -> str | None:
    """Return the reference with the kind of damage that was used least, else the answer to another item."""
    reference = references[item.id]
    spoiled = {
        kind: damaged.text
        for kind in BY_WEIGHT
        if kind in (*FALSIFICATIONS, *_SPOILS)
        and (damaged := damage(reference.text, kind, LADDERS[kind][-1], source=reference.source))
    }
    if not spoiled:
        return _other(item, placed, {name: known.text for name, known in references.items()})
    given = Counter(kinds.values())
    kinds[item.id] = kind = min(spoiled, key=lambda kind: (given[kind], BY_WEIGHT.index(kind)))
    return spoiled[kind]


def _has_only(item: PlacedItem, prohibited: Collection[int]) -> bool:
    """Return True if an empty response meets all criteria of an item."""
    criteria = getattr(item, "criteria", ())
    return bool(criteria) and len({*prohibited}) >= len(criteria)


def _floors(
    benchmark: Benchmark, board: Any, reported: Sequence[str], right: Mapping[str, Text]
) -> dict[str, dict[str, Text]]:
    """Return the responses of FLOOR, as the controls of boards of short questions have them."""
    texts = {name: text for name, (_, text) in right.items()}
    floors: dict[str, dict[str, Text]] = {kind: {} for kind in FLOOR}
    for item in reported:
        placed = right[item][0]
        other = _other(placed, [one for one, _ in right.values()], texts, near=False)
        opposite = damage(texts[item], "negation")
        unlike = other if opposite is None else opposite.text
        made = {
            "empty": "",
            "other-item": other,
            "claim": CLAIM,
            "echo": _task(benchmark, board, placed),
            "everything": None if unlike is None else f"{texts[item]}\n\n{unlike}",
        }
        for kind, text in made.items():
            if text is not None:
                floors[kind][item] = placed, text
    return floors


def _attacks(
    benchmark: Benchmark, board: Any, attacked: Sequence[str], wrong: Mapping[str, Text]
) -> dict[str, dict[str, Text]]:
    """Return the attacks on judges of short questions, except those that are controls; none without questions."""
    if protocol_studies()[board.protocol].questions is None:
        return {}
    return {
        attack.id: {
            item: (
                wrong[item][0],
                attack.text(
                    _task(benchmark, board, wrong[item][0]),
                    getattr(wrong[item][0], "criteria", None) or study().claims,
                    sentences(wrong[item][1]),
                ),
            )
            for item in attacked
        }
        for attack in study().question_attacks
        if attack.control is None
    }


def _task(benchmark: Benchmark, board: Any, placed: PlacedItem) -> str:
    """Return the prompt of an item, as contestants of the board see it."""
    return judging(board.protocol).worded(benchmark, board, placed, board.wordings[0]).text


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
