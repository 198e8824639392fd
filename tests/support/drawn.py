"""Boards of every protocol, each with records that hypothesis draws: some of what the board asks for, one a place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from support import boards, graded_boards, oracle_boards, pairwise_boards, rubric_boards
from support.boards import AXES, JUDGES, model
from support.rubric_boards import METRICS

from nullbench_site.runs.records import CheckResult, Record
from nullbench_site.specs.benchmark import Benchmark

MODELS = ("m", "n", "null-x")
ITEMS = ("a", "b", "c", "d")
PLACES = st.lists(st.tuples(st.sampled_from(ITEMS), st.integers(0, 1)), unique=True, max_size=8)
"""Items and samples."""
STATES = st.sampled_from(["answered", "answered", "answered", "errored"])
VERDICTS = st.sampled_from(["scored", "scored", "scored", "unparsed", "errored"])

AXES_BOARD = boards.benchmark(
    boards.domain(
        "law", boards.category("courts", boards.item("a", "One."), boards.item("b", "One."), axes=(*AXES, "scope"))
    ),
    boards.domain("art", boards.category("dance", "c"), boards.category("song", "d", axes=(*AXES, "tone", "scope"))),
    models=[model("m", memory_gb=2.0), model("n", memory_gb=1.0), model("null-x", "null", memory_gb=4.0)],
    samples=2,
)
# What a record may hold, also what no program of ours would write: floats, booleans, numbers far outside.
RATINGS = st.one_of(st.integers(1, 5), st.integers(1, 5), st.sampled_from([0, 6, 3.0, True, False, 10**20]))
PERCENTS = st.one_of(st.integers(0, 100), st.integers(0, 100), st.sampled_from([150, -20, 10**30, 70.5, True, None]))
TAME_RATINGS, TAME_PERCENTS = st.integers(1, 5), st.none() | st.integers(0, 100)


def _on_axes(ratings: st.SearchStrategy[Any], percents: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    scores = st.fixed_dictionaries({}, optional=dict.fromkeys((*AXES, "scope", "tone"), ratings))
    return st.fixed_dictionaries(
        {
            "axes": scores,
            "alignment": percents,
            "quality": percents,
            "refused": st.none() | st.tuples(st.booleans(), st.booleans()),
            "state": VERDICTS,
        }
    )


WILD, TAME = _on_axes(RATINGS, PERCENTS), _on_axes(TAME_RATINGS, TAME_PERCENTS)


@st.composite
def axes_records(draw: st.DrawFn, models: tuple[str, ...] = MODELS) -> list[Record]:
    """Half of it is tame: nothing in it but what our own programs write, which is read by a faster way."""
    records: list[Record] = []
    verdicts = draw(st.sampled_from([WILD, TAME]))
    for name in models:
        for item, sample in draw(PLACES):
            seconds = draw(st.sampled_from([0.1, 0.2, 0.7, 3.0]))
            records.append(boards.response(item, name, sample=sample, state=draw(STATES), seconds=seconds))
            for judge in draw(st.lists(st.sampled_from(JUDGES), unique=True)):
                records.append(boards.judgment(judge, item, name, sample=sample, **draw(verdicts)))  # noqa: PERF401
    return records


RUBRIC_BOARD = rubric_boards.benchmark(
    rubric_boards.domain("law", rubric_boards.category("courts", rubric_boards.prompt("a", "hard"), "b")),
    rubric_boards.domain(
        "art", rubric_boards.category("dance", "c"), rubric_boards.category("song", rubric_boards.prompt("d", "medium"))
    ),
    models=[model("m"), model("n", family="family-of-ben"), model("null-x", "null")],
    geval="anna",
    samples=2,
)
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
def rubric_records(draw: st.DrawFn, models: tuple[str, ...] = MODELS) -> list[Record]:
    """Answers, marks, and what G-Eval gave. Half of it is tame: every judge marks every answer."""
    records: list[Record] = []
    tame = draw(st.booleans())
    judges = st.just(list(JUDGES)) if tame else st.lists(st.sampled_from(JUDGES), unique=True)
    metrics = st.just(list(METRICS)) if tame else st.lists(st.sampled_from(METRICS), unique=True)
    marks, units, states = (st.integers(1, 5), st.floats(0, 1), st.just("scored")) if tame else (MARKS, UNIT, VERDICTS)
    for name in models:
        for item, sample in draw(PLACES):
            tokens, checks = draw(st.sampled_from([None, 50, 70])), draw(CHECKS)
            records.append(
                rubric_boards.answer(item, name, sample=sample, state=draw(STATES), tokens=tokens, checks=checks)
            )
            for judge in draw(judges):
                given = rubric_boards.mark(judge, draw(marks), item, name, state=draw(states), sample=sample)
                records.append(given)
            for metric in draw(metrics):
                where: dict[str, Any] = {"judge": "anna", "template": f"geval.{metric}", "sample": sample}
                records.append(rubric_boards.geval({metric: draw(units)}, item, name, state=draw(states), **where))
            if not tame and draw(st.booleans()):
                every = draw(st.dictionaries(st.sampled_from(METRICS), UNIT))
                records.append(rubric_boards.geval(every, item, name, judge="anna", sample=sample))
    return records


ORACLE_BOARD = oracle_boards.benchmark(
    oracle_boards.domain("law", oracle_boards.category("courts", oracle_boards.prompt("a", "twice"), "b")),
    oracle_boards.domain(
        "art",
        oracle_boards.category("dance", oracle_boards.prompt("c", "twice", "hard")),
        oracle_boards.category("song", "d"),
    ),
    models=[model("m"), model("n"), model("null-x", "null")],
    samples=2,
)
OUTCOMES = st.sampled_from(["correct", "correct", "wrong", "invalid", "errored", "unmarked"])


@st.composite
def oracle_records(draw: st.DrawFn) -> list[Record]:
    """Answers with their marks."""
    return [
        oracle_boards.answer(item, draw(OUTCOMES), name, sample=sample, seconds=draw(st.sampled_from([0.1, 0.7])))
        for name in MODELS
        for item, sample in draw(PLACES)
    ]


PAIRWISE_BOARD = pairwise_boards.benchmark(ITEMS, ("base", *MODELS), ("anna", "ben"))
TASKS = st.lists(st.tuples(st.sampled_from(["anna", "ben"]), st.integers(0, 1)), unique=True)
"""Judges, and where the contestant's answer stands."""
PREFERENCES = st.none() | st.floats(1, 2) | st.sampled_from([0, 1, 2, 3.0, True])


@st.composite
def pairwise_records(draw: st.DrawFn) -> list[Record]:
    """Answers, and games against the baseline in some orders."""
    records: list[Record] = [pairwise_boards.answer(item, "base") for item in ITEMS]
    for name in MODELS:
        for item in draw(st.lists(st.sampled_from(ITEMS), unique=True)):
            state, length = draw(STATES), draw(st.sampled_from([5, 10, 80]))
            records.append(pairwise_boards.answer(item, name, length=length, state=state))
            for judge, place in draw(
                st.lists(st.sampled_from([(j, p) for j in ("anna", "ben") for p in (0, 1)]), unique=True)
            ):
                records.append(pairwise_boards.game(item, draw(PREFERENCES), name, judge=judge, position=place))
    return records


GRADED_BOARD = graded_boards.benchmark(
    model("m"),
    model("n", family="family-of-ben"),
    model("null-x", "null"),
    domains=(
        graded_boards.domain("law", graded_boards.category("courts", *map(graded_boards.two_turns, "ab"))),
        graded_boards.domain("art", graded_boards.category("dance", *map(graded_boards.one_turn, "cd"))),
    ),
    samples=2,
)
# What a record may hold, also what no program of ours would write.
GRADES = st.none() | st.integers(1, 10) | st.integers(1, 10) | st.sampled_from([0, 11, 8.5, True, 10**12])


@st.composite
def graded_records(draw: st.DrawFn) -> list[Record]:
    """The answers of conversations up to a turn, which may have failed, and grades of turns that were answered."""
    records: list[Record] = []
    for name in MODELS:
        for item, sample in draw(PLACES):
            for turn in range(1, draw(st.integers(1, 2 if item in "ab" else 1)) + 1):
                state = draw(STATES)
                records.append(graded_boards.answer(item, turn, state, name, sample=sample))
                if state == "errored":
                    break
                for judge in draw(st.lists(st.sampled_from(graded_boards.JUDGES), unique=True)):
                    where: dict[str, Any] = {"sample": sample, "state": draw(VERDICTS)}
                    records.append(graded_boards.graded(item, turn, judge, draw(GRADES), name, **where))
    return records


@dataclass(frozen=True)
class Drawn:
    """A board and its records. compared: the columns that compare a contestant with others; None: all may."""

    benchmark: Benchmark
    records: st.SearchStrategy[list[Record]]
    compared: frozenset[str] | None


_RANKS = frozenset(
    {
        "rank",
        "rank_low",
        "rank_high",
        "tie_group",
        "above_null_floor",
        "above_floor_alone",
        "below_floor_alone",
        "floor_judges",
        "absent",
    }
)
DRAWN = {
    "axes": Drawn(AXES_BOARD, axes_records(), _RANKS | {"normalised_axes", "qpr_pct"}),
    "rubric": Drawn(RUBRIC_BOARD, rubric_records(), _RANKS | {"overall_adjusted"}),
    "oracle": Drawn(ORACLE_BOARD, oracle_records(), _RANKS),
    "graded": Drawn(GRADED_BOARD, graded_records(), _RANKS | {"overall_adjusted"}),
    "pairwise": Drawn(PAIRWISE_BOARD, pairwise_records(), None),
}
