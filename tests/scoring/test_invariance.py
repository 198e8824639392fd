"""An `axes` board: judges in another order, observations that were kept, and arrays that give what the formulas do."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.boards import (
    JUDGES,
    item_row,
    judgment,
    response,
    scored,
    write_shards,
)
from support.drawn import AXES_BOARD, ITEMS, MODELS, axes_records

from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import Judgment, Record, Response
from nullbench_site.scoring.board import score_board
from nullbench_site.scoring.tables import result_files
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import Panel
from nullbench_site.stats.scores import gate_votes_needed, is_valid_axis_score, is_valid_percent


def with_judges(order: list[str]) -> Benchmark:
    panel: Panel = msgspec.structs.replace(AXES_BOARD.panels["panel"], judges=tuple(order))
    return replace(AXES_BOARD, panels={"panel": panel}, judges={judge: AXES_BOARD.judges[judge] for judge in order})


@given(axes_records(), st.permutations(JUDGES))
def test_the_order_of_judges_in_their_panel_moves_their_own_rows_and_no_score(
    records: list[Record], order: list[str]
) -> None:
    one, other = scored(AXES_BOARD, records), scored(with_judges(order), records)
    assert [row.judge for row in other.judges] == order
    assert sorted(other.judges, key=lambda row: row.judge) == sorted(one.judges, key=lambda row: row.judge)
    assert msgspec.structs.replace(other, judges=[], judge_models=[]) == msgspec.structs.replace(
        one, judges=[], judge_models=[]
    )


PERCENTS = ("goal_alignment", "quality")


def one_by_one(given: list[Judgment], answer: Response, axes: tuple[str, ...]) -> tuple[Any, ...]:
    """State, goal alignment, quality and axes of one response, from the formulas as they stand in `stats`."""
    if answer.state == "errored":
        return "errored", 0.0, 0.0, [0.0] * len(axes)
    scores = [record.scores for record in given]
    ratings = [[of[axis] for of in scores if is_valid_axis_score(of.get(axis))] for axis in axes]
    for gate in ("refused_answer", "refused_prompt"):
        if sum(of.get(gate) is True for of in scores) >= gate_votes_needed(len(JUDGES)):
            return "refused", 0.0, 0.0, [1.0 if rated or not any(ratings) else None for rated in ratings]
    percents = {name: [of[name] for of in scores if is_valid_percent(of.get(name))] for name in PERCENTS}
    alignment, quality = (min(max(fmean(given), 0), 100) if given else None for given in percents.values())
    means = [fmean(given) if given else None for given in ratings]
    return "unparsed" if alignment is None else "scored", alignment or 0.0, quality or 0.0, means


@given(axes_records(models=("m",)))
def test_the_arrays_give_what_the_formulas_give_one_by_one(records: list[Record]) -> None:
    board = replace(AXES_BOARD, boards={"main": msgspec.structs.replace(AXES_BOARD.boards["main"], samples=1)})
    records = [record for record in records if record.sample == 0]
    results = scored(board, records)
    for answer in (record for record in records if isinstance(record, Response)):
        of_item = [record for record in records if isinstance(record, Judgment) and record.item == answer.item]
        if answer.state == "answered" and all(record.state == "errored" for record in of_item):
            assert answer.item not in {row.item for row in results.items}
            continue
        row = item_row(results, answer.item)
        state, alignment, quality, means = one_by_one(of_item, answer, tuple(row.axes))
        assert row.state == state
        assert (row.goal_alignment, row.quality) == pytest.approx((alignment, quality), abs=1e-6)
        for found, mean in zip(row.axes.values(), means, strict=True):
            assert found == (mean if mean is None else pytest.approx(mean, abs=1e-6))


def some_evidence() -> list[Record]:
    chance = random.Random(7)  # noqa: S311 - made-up scores
    records: list[Record] = []
    for name in MODELS:
        for place in ITEMS:
            for sample in (0, 1):
                records.append(response(place, name, sample=sample, seconds=chance.random()))
                records += [
                    judgment(
                        judge, place, name, sample=sample, axes=chance.randint(1, 5), alignment=chance.randint(0, 100)
                    )
                    for judge in JUDGES
                ]
    return records


@dataclass(frozen=True)
class Cached:
    """A run, and the folder that keeps the observations of its shards."""

    run: RunFolder
    cache: Path

    def files(self) -> dict[str, bytes]:
        """The results, as a build makes them."""
        board = AXES_BOARD.boards["main"]
        return result_files(score_board(AXES_BOARD, board, self.run, self.cache))


@pytest.fixture
def cached(tmp_path: Path) -> Cached:
    return Cached(write_shards(tmp_path / "run", some_evidence()), tmp_path / "cache")


def test_with_all_observations_in_the_cache_no_record_is_read(cached: Cached, monkeypatch: pytest.MonkeyPatch) -> None:
    first = cached.files()
    assert len(list(cached.cache.iterdir())) == len(MODELS)
    monkeypatch.setattr("nullbench_site.scoring.observations.ShardReader.observe", None)
    assert cached.files() == first


@pytest.mark.parametrize("content", [b"", b'{"model": "m"', b'{"model": "m", "rows": []}', b"\xff\x00"])
def test_observations_that_cannot_be_read_are_made_again(cached: Cached, content: bytes) -> None:
    first = cached.files()
    for kept in cached.cache.iterdir():
        kept.write_bytes(content)
    assert cached.files() == first
    assert all(kept.read_bytes() != content for kept in cached.cache.iterdir())


def test_a_changed_shard_is_observed_anew(cached: Cached) -> None:
    first = cached.files()
    shard = cached.run.shard(Judgment, "m")
    shard.write_bytes(shard.read_bytes().replace(b'"goal_alignment":', b'"goal_alignment":1'))
    assert cached.files() != first
