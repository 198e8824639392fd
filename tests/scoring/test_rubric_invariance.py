"""The same evidence of a `rubric` board gives the same bytes, in whatever order it comes and from whatever cache."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import boards
from support.boards import model, write_shards
from support.rubric_boards import (
    JUDGES,
    METRICS,
    answer,
    benchmark,
    category,
    domain,
    geval,
    item_row,
    mark,
    marked,
    prompt,
    scored,
)

from nullbench_site.errors import RunError
from nullbench_site.protocols.rubric.results import RubricItemRow
from nullbench_site.runs.records import CheckResult, Judgment, Record, Response
from nullbench_site.scoring.board import reduce_board
from nullbench_site.scoring.board import score_board as score_any_board
from nullbench_site.scoring.scorer import scorer_of
from nullbench_site.scoring.shards import ShardReader, observe
from nullbench_site.scoring.tables import result_files
from nullbench_site.specs.benchmark import Benchmark

MODELS = ("m", "n", "null-x")
ITEMS = ("a", "b", "c", "d")
BOARD = benchmark(
    domain("law", category("courts", prompt("a", "hard"), "b")),
    domain("art", category("dance", "c"), category("song", prompt("d", "medium"))),
    models=[model("m"), model("n", family="family-of-ben"), model("null-x", "null")],
    geval="anna",
    samples=2,
)
STATES = st.sampled_from(["scored", "scored", "scored", "unparsed", "errored"])
# What a record may hold, also what no program of ours would write.
MARKS = st.none() | st.integers(1, 5) | st.integers(1, 5) | st.sampled_from([0, 6, 3.0, True, 10**12])
UNIT = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.7, 1.0, 1, 0, 1.5, True])
CHECKS = st.lists(
    st.builds(
        CheckResult, st.sampled_from(["reasoning", "word-count"]), st.just(""),
        st.sampled_from(["passed", "failed", "not-applicable"]),
    ),
    max_size=2,
)  # fmt: skip


@st.composite
def evidence(draw: st.DrawFn, models: tuple[str, ...] = MODELS) -> list[Record]:
    """Records of some contestants, items and samples, of some judges and of G-Eval; one record a place.

    Half of it is tame: every judge marks every answer.
    """
    records: list[Record] = []
    tame = draw(st.booleans())
    judges = st.just(list(JUDGES)) if tame else st.lists(st.sampled_from(JUDGES), unique=True)
    metrics = st.just(list(METRICS)) if tame else st.lists(st.sampled_from(METRICS), unique=True)
    marks, units, states = (st.integers(1, 5), st.floats(0, 1), st.just("scored")) if tame else (MARKS, UNIT, STATES)
    places = st.lists(st.tuples(st.sampled_from(ITEMS), st.integers(0, 1)), unique=True, max_size=8)
    for name in models:
        for item, sample in draw(places):
            state = draw(st.sampled_from(["answered", "answered", "answered", "errored"]))
            tokens, checks = draw(st.sampled_from([None, 50, 70])), draw(CHECKS)
            records.append(answer(item, name, sample=sample, state=state, tokens=tokens, checks=checks))
            for judge in draw(judges):
                given = mark(judge, draw(marks), item, name, state=draw(states), sample=sample)
                records.append(given)
            for metric in draw(metrics):
                where: dict[str, Any] = {"judge": "anna", "template": f"geval.{metric}", "sample": sample}
                records.append(geval({metric: draw(units)}, item, name, state=draw(states), **where))
            if not tame and draw(st.booleans()):
                every = draw(st.dictionaries(st.sampled_from(METRICS), UNIT))
                records.append(geval(every, item, name, judge="anna", sample=sample))
    return records


@given(evidence(), st.randoms(use_true_random=False))
def test_the_order_of_records_in_their_shards_does_not_matter(records: list[Record], chance: random.Random) -> None:
    shuffled = chance.sample(records, len(records))
    assert result_files(scored(BOARD, shuffled)) == result_files(scored(BOARD, records))


@given(evidence(), st.permutations(MODELS))
def test_the_order_of_contestants_does_not_matter(records: list[Record], order: list[str]) -> None:
    other = replace(BOARD, models={name: BOARD.models[name] for name in order})
    assert result_files(scored(other, records)) == result_files(scored(BOARD, records))


@given(evidence(), st.permutations(JUDGES))
def test_the_order_of_judges_in_their_panel_does_not_matter(records: list[Record], order: list[str]) -> None:
    panel = msgspec.structs.replace(BOARD.panels["panel"], judges=tuple(order))
    other = replace(BOARD, panels={"panel": panel}, judges={judge: BOARD.judges[judge] for judge in order})
    assert result_files(scored(other, records)) == result_files(scored(BOARD, records))


@given(evidence())
def test_observations_from_the_cache_and_in_another_order_give_the_same_bytes(records: list[Record]) -> None:
    scorer = scorer_of(BOARD, BOARD.boards["main"])
    with TemporaryDirectory() as folder:
        run, cache = write_shards(Path(folder) / "run", records), Path(folder) / "cache"
        made, kept = (list(observe(ShardReader(scorer), run, "1", cache)) for _ in range(2))
        assert len(list(cache.iterdir()) if cache.exists() else []) == len(made)
    fresh = result_files(reduce_board(scorer, "run", made))
    assert result_files(reduce_board(scorer, "run", kept[::-1])) == fresh


@given(evidence())
def test_records_at_hand_give_the_bytes_of_those_in_files(records: list[Record]) -> None:
    scorer = scorer_of(BOARD, BOARD.boards["main"])
    observed = [
        ShardReader(scorer).observe_records(
            name,
            [record for record in records if isinstance(record, Response) and record.model == name],
            [record for record in records if isinstance(record, Judgment) and record.model == name],
        )
        for name in sorted({record.model for record in records if isinstance(record, Response)})
    ]
    from_files = scored(BOARD, records)
    assert result_files(reduce_board(scorer, from_files.run, observed)) == result_files(from_files)


@given(evidence())
def test_every_contestant_scores_the_same_without_the_others(records: list[Record]) -> None:
    """All but what compares contestants: ranks, the floor, what severe judges took, and why any of it is absent."""
    compared = {"rank", "rank_low", "rank_high", "tie_group", "above_null_floor", "overall_adjusted", "absent"}
    together = scored(BOARD, records)
    for row in together.leaderboard:
        alone = scored(BOARD, [record for record in records if record.model == row.model]).row(row.model)
        for name in set(row.__struct_fields__) - compared:
            assert getattr(alone, name) == getattr(row, name), name


@given(evidence())
def test_what_is_absent_has_a_reason_and_what_has_a_reason_is_absent(records: list[Record]) -> None:
    found = scored(BOARD, records)
    tables = (*found.domains, *found.categories, *found.difficulties)
    for row in (*found.leaderboard, *(row for table in tables for row in table.rows)):
        for name in row.absent:
            assert getattr(row, name) is None, name
        for name in ("judge_mean", "geval_mean", "composite", "overall", "se"):
            assert (getattr(row, name) is None) == (name in row.absent), name
        assert (row.composite is None) == (row.composite_of is None)
        assert (row.judge_mean is None) == (not row.judges)
    for whole in found.leaderboard:
        for name in ("efficiency", "mean_output_tokens", "divergence", "refusal_rate", "above_null_floor"):
            assert (getattr(whole, name) is None) == (name in whole.absent), name


@given(evidence())
def test_groups_come_to_the_whole(records: list[Record]) -> None:
    """Items and answers of the domains, categories and difficulties of a contestant are those of its row."""
    found = scored(BOARD, records)
    for row in found.leaderboard:
        for tables in (found.domains, found.categories, found.difficulties):
            own = [each for table in tables for each in table.rows if each.model == row.model]
            for name in ("n_items", "n_scored", "n_errored", "n_unparsed"):
                assert sum(getattr(each, name) for each in own) == getattr(row, name), name
            if row.overall is not None:
                mean = sum((each.overall or 0.0) * each.n_items for each in own) / row.n_items
                assert mean == pytest.approx(row.overall, abs=1e-5)


def state_one_by_one(given: list[Judgment], response: Response) -> str:
    """How one answer ended, from the words of `RubricRow`."""
    if response.state == "errored":
        return "errored"
    panel = [record for record in given if record.judge_template is None]
    if any(type(record.scores.get("score")) is int and 1 <= record.scores["score"] <= 5 for record in panel):
        return "scored"
    return "unparsed" if any(record.state != "errored" for record in panel) else "unjudged"


@given(evidence(models=("m",)))
def test_the_arrays_give_what_the_formulas_give_one_by_one(records: list[Record]) -> None:
    board = replace(BOARD, boards={"main": msgspec.structs.replace(BOARD.boards["main"], samples=1)})
    records = [record for record in records if record.sample == 0]
    results = scored(board, records)
    rows: list[RubricItemRow] = []
    for response in (record for record in records if isinstance(record, Response)):
        of_item = [record for record in records if isinstance(record, Judgment) and record.item == response.item]
        rows.append(row := item_row(results, response.item))
        assert row.state == state_one_by_one(of_item, response)
    scorable = [row for row in rows if row.state in {"scored", "unparsed"}]
    complete = [judge for judge in JUDGES if scorable and all(judge in row.marks for row in scorable)]
    for row in results.leaderboard:
        means = [sum(item.marks[judge] for item in scorable) / len(scorable) for judge in complete]
        assert row.judge_mean == (pytest.approx(sum(means) / len(means), abs=1e-6) if means else None)
        if row.judge_mean is not None and row.geval_mean is not None and row.composite is not None:
            assert row.composite == pytest.approx(((row.judge_mean - 1) / 4 + row.geval_mean) / 2, abs=1e-6)


def some_evidence() -> list[Record]:
    chance = random.Random(7)  # noqa: S311 - made-up marks
    return [
        record
        for name in MODELS
        for record in marked({item: [chance.randint(1, 5) for _ in JUDGES] for item in ITEMS}, name)
    ]


def test_a_run_scored_twice_gives_the_same_bytes() -> None:
    assert result_files(scored(BOARD, some_evidence())) == result_files(scored(BOARD, some_evidence()))


def test_records_that_our_programs_would_not_write_are_read_with_care(tmp_path: Path) -> None:
    """A verdict on an item that the board does not have, and one of a board that the benchmark does not have."""
    strange = [
        msgspec.structs.replace(record, **change)
        for record in marked({"a": 1})
        for change in ({"item": "zz"}, {"board": "other"}, {"sample": 7})
    ]
    results = scored(BOARD, [*some_evidence(), *strange])
    assert result_files(results) == result_files(scored(BOARD, some_evidence()))


@pytest.mark.parametrize("kind", [Response, Judgment])
@pytest.mark.parametrize("line", [b'{"key": "a"\n', b"{}\n", b"[]\n"])
def test_a_line_that_is_no_record_is_named(tmp_path: Path, kind: type[Record], line: bytes) -> None:
    run = write_shards(tmp_path, some_evidence())
    shard = run.shard(kind, "m")
    shard.write_bytes(shard.read_bytes() + line)
    number = shard.read_bytes().count(b"\n")
    with pytest.raises(RunError, match=rf"m\.jsonl:{number}: this line is no {kind.__name__.lower()} record"):
        score_any_board(BOARD, BOARD.boards["main"], run, None)


def test_the_ids_of_judges_and_metrics_may_be_alike() -> None:
    """A judge that is called as a metric is, or as the field of a mark."""
    board = benchmark(judges=("score", "coherence"), geval="coherence")
    records: list[Record] = marked({"a": (4, 2), "b": (4, 2)}, judges=("score", "coherence"))
    records += [geval({m: 0.5}, item, judge="coherence", template=f"geval.{m}") for m in METRICS for item in "ab"]
    row = scored(board, records).row("m")
    assert (row.judges, row.geval["coherence"], row.judge_mean) == ({"coherence": 2.0, "score": 4.0}, 0.5, 3.0)


def reordered(board: Benchmark) -> Benchmark:
    return replace(board, domains=dict(reversed(board.domains.items())))


def test_the_order_of_spec_files_does_not_matter() -> None:
    assert result_files(scored(reordered(BOARD), some_evidence())) == result_files(scored(BOARD, some_evidence()))


def test_a_board_of_another_protocol_in_the_same_run_disturbs_nothing() -> None:
    """The shard of a contestant holds the records of both; items of one may be called as those of the other."""
    axes = boards.benchmark(boards.domain("science", boards.category("trials", "a", "zz")), judges=JUDGES, samples=3)
    other = msgspec.structs.replace(axes.boards["main"], id="other", panel="axes-panel")
    both = replace(
        axes,
        domains={**axes.domains, **BOARD.domains},
        judges=BOARD.judges,
        panels={"axes-panel": axes.panels["panel"], **BOARD.panels},
        models=BOARD.models,
        boards={"other": other, **BOARD.boards},
    )
    ours, theirs = some_evidence(), []
    for sample in range(3):
        theirs += [boards.response(item, sample=sample, board="other") for item in ("a", "zz")]
        theirs += [boards.judgment(j, item, sample=sample, board="other") for j in JUDGES for item in ("a", "zz")]
    assert result_files(scored(both, [*theirs, *ours])) == result_files(scored(BOARD, ours))
    assert boards.scored(both, [*theirs, *ours], "other").row("m").n_responses == 6
