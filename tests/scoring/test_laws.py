"""What holds on a board of any protocol: the same evidence gives the same bytes, in whatever order it comes and from
whatever cache; and nobody's own numbers hang on who else is there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from support.boards import scored_as, write_shards
from support.drawn import DRAWN, Drawn

from nullbench_site.errors import RunError
from nullbench_site.runs.records import Judgment, Record, Response
from nullbench_site.scoring.board import reduce_board, score_board
from nullbench_site.scoring.observations import ShardReader, observe
from nullbench_site.scoring.results import Results
from nullbench_site.scoring.scorer import scorer_of
from nullbench_site.scoring.tables import result_files
from nullbench_site.specs.benchmark import Benchmark

of_every_protocol = pytest.mark.parametrize("drawn", DRAWN.values(), ids=DRAWN)


def scored(benchmark: Benchmark, records: list[Record]) -> Results:
    return scored_as(Results, benchmark, records)


@of_every_protocol
@given(st.data(), st.randoms(use_true_random=False))
def test_the_order_of_records_in_their_shards_does_not_matter(
    drawn: Drawn, data: st.DataObject, chance: Random
) -> None:
    records = data.draw(drawn.records)
    shuffled = chance.sample(records, len(records))
    assert result_files(scored(drawn.benchmark, shuffled)) == result_files(scored(drawn.benchmark, records))


@of_every_protocol
@given(st.data())
def test_the_order_of_contestants_and_of_spec_files_does_not_matter(drawn: Drawn, data: st.DataObject) -> None:
    board, records = drawn.benchmark, data.draw(drawn.records)
    order = data.draw(st.permutations([*board.models]))
    domains = dict(reversed(board.domains.items()))
    other = replace(board, models={name: board.models[name] for name in order}, domains=domains)
    assert result_files(scored(other, records)) == result_files(scored(board, records))


@of_every_protocol
@given(st.data())
def test_observations_from_the_cache_and_in_another_order_give_the_same_bytes(
    drawn: Drawn, data: st.DataObject
) -> None:
    scorer = scorer_of(drawn.benchmark, drawn.benchmark.boards["main"])
    with TemporaryDirectory() as folder:
        run, cache = write_shards(Path(folder) / "run", data.draw(drawn.records)), Path(folder) / "cache"
        made, kept = (list(observe(ShardReader(scorer), run, cache)) for _ in range(2))
        assert len(list(cache.iterdir()) if cache.exists() else []) == len(made)
    fresh = result_files(reduce_board(scorer, "run", made))
    again = scorer_of(drawn.benchmark, drawn.benchmark.boards["main"])
    assert result_files(reduce_board(again, "run", kept[::-1])) == fresh


@of_every_protocol
@given(st.data())
def test_records_at_hand_give_the_bytes_of_those_in_files(drawn: Drawn, data: st.DataObject) -> None:
    scorer, records = scorer_of(drawn.benchmark, drawn.benchmark.boards["main"]), data.draw(drawn.records)
    observed = [
        ShardReader(scorer).observe_records(
            name,
            [record for record in records if isinstance(record, Response) and record.model == name],
            [record for record in records if isinstance(record, Judgment) and record.model == name],
        )
        for name in sorted({record.model for record in records if isinstance(record, Response)})
    ]
    from_files = scored(drawn.benchmark, records)
    assert result_files(reduce_board(scorer, from_files.run, observed)) == result_files(from_files)


@pytest.mark.parametrize("name", [name for name, drawn in DRAWN.items() if drawn.compared is not None])
@given(st.data())
def test_every_contestant_scores_the_same_without_the_others(name: str, data: st.DataObject) -> None:
    """All but what compares contestants, and why any of it is absent."""
    drawn = DRAWN[name]
    records = data.draw(drawn.records)
    for row in scored(drawn.benchmark, records).leaderboard:
        alone = scored(drawn.benchmark, [record for record in records if record.model == row.model]).row(row.model)
        for column in set(row.__struct_fields__) - (drawn.compared or set()):
            # Causes are counted on boards where a record has one.
            if not column.startswith("n_invalid_") or UNSET not in (getattr(alone, column), getattr(row, column)):
                assert getattr(alone, column) == getattr(row, column), column


@pytest.mark.parametrize(
    ("line", "why"), [(b'{"key": "a"\n', "truncated"), (b"{}\n", "missing required field"), (b"[]\n", "Expected")]
)
@pytest.mark.parametrize(
    ("name", "kind"),
    [*((name, Response) for name in DRAWN), *((name, Judgment) for name in ("axes", "rubric", "graded"))],
)
def test_a_line_that_is_no_record_is_named(
    tmp_path: Path, name: str, kind: type[Record], line: bytes, why: str
) -> None:
    benchmark = DRAWN[name].benchmark
    run = write_shards(tmp_path, [])
    for each in (Response, Judgment):
        run.shard(each, "m").parent.mkdir(parents=True)
        run.shard(each, "m").write_bytes(line if each is kind else b"")
    with pytest.raises(RunError, match=rf"m\.jsonl:1: invalid {kind.__name__.lower()} record.*{why}"):
        score_board(benchmark, benchmark.boards["main"], run, None)
