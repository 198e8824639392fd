"""The same evidence gives the same bytes, in whatever order it comes and from whatever cache; and the arrays that
score a million judgments give what the formulas give one by one."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.boards import (
    AXES,
    JUDGES,
    benchmark,
    category,
    domain,
    item,
    item_row,
    judgment,
    model,
    response,
    scored,
    write_shards,
)

from nullbench_site.errors import RunError
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import Judgment, Record, Response
from nullbench_site.scoring.board import reduce_board, score_board
from nullbench_site.scoring.observations import Observations
from nullbench_site.scoring.scorer import scorer_of
from nullbench_site.scoring.shards import ShardReader, observe
from nullbench_site.scoring.tables import result_files
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import Panel
from nullbench_site.stats.scores import (
    axis_mean,
    gate_votes_needed,
    is_valid_axis_score,
    is_valid_percent,
)

MODELS = ("m", "n", "null-x")
ITEMS = ("a", "b", "c", "d")
BOARD = benchmark(
    domain("law", category("courts", item("a", "One."), item("b", "One."), axes=(*AXES, "scope"))),
    domain("art", category("dance", "c"), category("song", "d", axes=(*AXES, "tone", "scope"))),
    models=[model("m", memory_gb=2.0), model("n", memory_gb=1.0), model("null-x", "null", memory_gb=4.0)],
    samples=2,
)
# What a record may hold, also what no program of ours would write: floats, booleans, numbers far outside.
RATINGS = st.one_of(st.integers(1, 5), st.integers(1, 5), st.sampled_from([0, 6, 3.0, True, False, 10**20]))
PERCENTS = st.one_of(st.integers(0, 100), st.integers(0, 100), st.sampled_from([150, -20, 10**30, 70.5, True, None]))

TAME_RATINGS, TAME_PERCENTS = st.integers(1, 5), st.none() | st.integers(0, 100)


def verdicts(ratings: st.SearchStrategy[Any], percents: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    scores = st.fixed_dictionaries({}, optional=dict.fromkeys((*AXES, "scope", "tone"), ratings))
    return st.fixed_dictionaries(
        {
            "axes": scores,
            "alignment": percents,
            "quality": percents,
            "refused": st.none() | st.tuples(st.booleans(), st.booleans()),
            "state": st.sampled_from(["scored", "scored", "scored", "unparsed", "errored"]),
        }
    )


WILD, TAME = verdicts(RATINGS, PERCENTS), verdicts(TAME_RATINGS, TAME_PERCENTS)


@st.composite
def evidence(draw: st.DrawFn, models: tuple[str, ...] = MODELS) -> list[Record]:
    """Records of some contestants, items and samples, and of some judges on them; one record a place.

    Half of it is tame: nothing in it but what our own programs write, which is read by a faster way.
    """
    records: list[Record] = []
    said = draw(st.sampled_from([WILD, TAME]))
    for name in models:
        for place in draw(st.lists(st.tuples(st.sampled_from(ITEMS), st.integers(0, 1)), unique=True, max_size=5)):
            state = draw(st.sampled_from(["answered", "answered", "answered", "errored"]))
            seconds = draw(st.sampled_from([0.1, 0.2, 0.7, 3.0]))
            records.append(response(place[0], name, sample=place[1], state=state, seconds=seconds))
            for judge in draw(st.lists(st.sampled_from(JUDGES), unique=True)):
                records.append(judgment(judge, place[0], name, sample=place[1], **draw(said)))  # noqa: PERF401
    return records


def observed(run: RunFolder) -> list[Observations]:
    return list(observe(ShardReader(scorer_of(BOARD, BOARD.boards["main"])), run, "1", None))


@given(evidence(), st.randoms(use_true_random=False))
def test_the_order_of_records_in_their_shards_does_not_matter(records: list[Record], chance: random.Random) -> None:
    shuffled = chance.sample(records, len(records))
    assert result_files(scored(BOARD, shuffled)) == result_files(scored(BOARD, records))


@given(evidence(), st.permutations(MODELS))
def test_the_order_of_contestants_in_the_specs_does_not_matter(records: list[Record], order: list[str]) -> None:
    other = replace(BOARD, models={name: BOARD.models[name] for name in order})
    assert result_files(scored(other, records)) == result_files(scored(BOARD, records))


@given(evidence())
def test_the_order_of_observations_does_not_matter(records: list[Record]) -> None:
    board = BOARD.boards["main"]
    with TemporaryDirectory() as folder:
        of_all = observed(write_shards(Path(folder), records))
    one, other = (reduce_board(scorer_of(BOARD, board), "run", each) for each in (of_all, of_all[::-1]))
    assert one == other


def with_judges(order: list[str]) -> Benchmark:
    panel: Panel = msgspec.structs.replace(BOARD.panels["panel"], judges=tuple(order))
    return replace(BOARD, panels={"panel": panel}, judges={judge: BOARD.judges[judge] for judge in order})


@given(evidence(), st.permutations(JUDGES))
def test_the_order_of_judges_in_their_panel_moves_their_own_rows_and_no_score(
    records: list[Record], order: list[str]
) -> None:
    one, other = scored(BOARD, records), scored(with_judges(order), records)
    assert [row.judge for row in other.judges] == order
    assert sorted(other.judges, key=lambda row: row.judge) == sorted(one.judges, key=lambda row: row.judge)
    assert msgspec.structs.replace(other, judges=[], judge_models=[]) == msgspec.structs.replace(
        one, judges=[], judge_models=[]
    )


@given(evidence())
def test_every_contestant_scores_the_same_without_the_others(records: list[Record]) -> None:
    """All but what compares contestants: ranks, the floor, each judge's scale, relative quality per resource."""
    compared = {
        "rank",
        "rank_low",
        "rank_high",
        "tie_group",
        "above_null_floor",
        "normalised_axes",
        "qpr_pct",
        "absent",
    }
    together = scored(BOARD, records)
    for row in together.leaderboard:
        alone = scored(BOARD, [record for record in records if record.model == row.model]).row(row.model)
        for name in set(row.__struct_fields__) - compared:
            assert getattr(alone, name) == getattr(row, name), name


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
    means = [axis_mean(sum(given), len(given)) for given in ratings]
    return "unparsed" if alignment is None else "scored", alignment or 0.0, quality or 0.0, means


@given(evidence(models=("m",)))
def test_the_arrays_give_what_the_formulas_give_one_by_one(records: list[Record]) -> None:
    board = replace(BOARD, boards={"main": msgspec.structs.replace(BOARD.boards["main"], samples=1)})
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


def test_a_run_scored_twice_gives_the_same_bytes() -> None:
    records = some_evidence()
    assert result_files(scored(BOARD, records)) == result_files(scored(BOARD, records))


@dataclass(frozen=True)
class Cached:
    """A run, and the folder that keeps the observations of its shards."""

    run: RunFolder
    cache: Path

    def files(self) -> dict[str, bytes]:
        """The results, as a build makes them."""
        board = BOARD.boards["main"]
        return result_files(score_board(BOARD, board, self.run, self.cache))


@pytest.fixture
def cached(tmp_path: Path) -> Cached:
    return Cached(write_shards(tmp_path / "run", some_evidence()), tmp_path / "cache")


def test_observations_from_the_cache_give_the_same_bytes(cached: Cached) -> None:
    first = cached.files()
    assert len(list(cached.cache.iterdir())) == len(MODELS)
    assert cached.files() == first == result_files(scored(BOARD, some_evidence()))


def test_with_all_observations_in_the_cache_no_record_is_read(cached: Cached, monkeypatch: pytest.MonkeyPatch) -> None:
    first = cached.files()
    monkeypatch.setattr("nullbench_site.scoring.shards.ShardReader.observe", None)
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


@pytest.mark.parametrize("kind", [Response, Judgment])
@pytest.mark.parametrize(
    ("line", "why"), [(b'{"key": "a"\n', "truncated"), (b"{}\n", "missing required field"), (b"[]\n", "Expected")]
)
def test_a_line_that_is_no_record_is_named(tmp_path: Path, kind: type[Record], line: bytes, why: str) -> None:
    run = write_shards(tmp_path, some_evidence())
    shard = run.shard(kind, "m")
    shard.write_bytes(shard.read_bytes() + line)
    number = shard.read_bytes().count(b"\n")
    with pytest.raises(RunError, match=rf"m\.jsonl:{number}: this line is no {kind.__name__.lower()} record.*{why}"):
        observed(run)
