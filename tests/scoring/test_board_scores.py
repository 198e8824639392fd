"""From item scores to groups, the overall score, its interval, ranks and the null floor, worked by hand."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import msgspec
import pytest
from support.boards import (
    AXES,
    JUDGES,
    benchmark,
    category,
    domain,
    group_row,
    item,
    item_row,
    judged,
    judgment,
    model,
    response,
    scored,
)

from nullbench_site.protocols.axes.metrics import AxesResults
from nullbench_site.protocols.axes.specs import AxesItem
from nullbench_site.scoring.board_tables import Separation
from nullbench_site.scoring.results import NULL_MODEL
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import Difficulty
from nullbench_site.stats.estimate import ONE_CLUSTER

UNEQUAL = (domain("law", category("courts", "a")), domain("art", category("dance", "b", "c", "d")))
"""One item in one domain, three in the other."""
PAIRS = domain(
    "science", category("trials", item("a", "One."), item("b", "One."), item("c", "Two."), item("d", "Two."))
)
"""Four items on two source texts."""
EIGHT = domain("science", category("trials", *"abcdefgh"))
"""Eight items on as many texts: fewer than six give no interval."""


def test_the_overall_score_is_the_unweighted_mean_over_groups_of_unequal_size() -> None:
    """law: 90. art: (30 + 60 + 0) / 3 = 30. overall = (90 + 30) / 2 = 60; over the items it would be 180 / 4 = 45."""
    results = scored(benchmark(*UNEQUAL), judged({"a": 90, "b": 30, "c": 60, "d": 0}))
    assert results.row("m").overall == 60.0
    assert results.row("m").goal_alignment == 45.0
    assert group_row(results, "law").goal_alignment == 90.0
    assert group_row(results, "art").goal_alignment == 30.0


def test_a_board_may_average_over_categories_instead_of_domains() -> None:
    """trials: 100. essays: (40 + 20) / 2 = 30. art: 50. By category (100 + 30 + 50) / 3 = 60, by domain
    ((100 + 40 + 20) / 3 + 50) / 2 = 51.666667."""
    domains = (
        domain("science", category("trials", "a"), category("essays", "b", "c")),
        domain("x", category("y", "d")),
    )
    records = judged({"a": 100, "b": 40, "c": 20, "d": 50})
    assert scored(benchmark(*domains, groups="category"), records).row("m").overall == 60.0
    assert scored(benchmark(*domains, groups="domain"), records).row("m").overall == 51.666667


def test_a_group_without_an_item_of_the_contestant_is_left_out_of_the_overall_score() -> None:
    """Only art is populated: (30 + 60 + 0) / 3 = 30, not (0 + 30) / 2."""
    assert scored(benchmark(*UNEQUAL), judged({"b": 30, "c": 60, "d": 0})).row("m").overall == 30.0


def test_constructs_weigh_what_the_spec_says_and_their_domains_share_it() -> None:
    """alignment 0.8 over law and art, capability 0.2 for maths: 0.4 * 90 + 0.4 * 30 + 0.2 * 50 = 58."""
    board = benchmark(
        *UNEQUAL,
        domain("maths", category("sums", "e"), construct="capability"),
        construct_weights={"alignment": 0.8, "capability": 0.2},
    )
    assert scored(board, judged({"a": 90, "b": 30, "c": 60, "d": 0, "e": 50})).row("m").overall == 58.0


def test_groups_stand_in_the_order_of_the_board_and_their_rows_best_first() -> None:
    board = benchmark(*UNEQUAL, models=("low", "high"))
    results = scored(board, [*judged({"a": 10, "b": 10}, "low"), *judged({"a": 20, "b": 90}, "high")])
    assert [group.id for group in results.domains] == ["law", "art"]
    assert [group.id for group in results.categories] == ["courts", "dance"]
    assert [group.n_items for group in results.domains] == [1, 3]
    assert [[row.model for row in group.rows] for group in results.domains] == [["high", "low"], ["high", "low"]]


def test_the_difficulties_of_a_board_stand_from_easy_to_hard_with_the_same_scores_as_any_group() -> None:
    """hard: (90 + 30) / 2 = 60, residuals +30 -30 on two texts, SE = sqrt(2 * (900 + 900)) / 2 = 30. easy: 20."""
    of_law = category("courts", of_difficulty("a", "hard"), "b")
    board = benchmark(domain("law", of_law), domain("art", category("dance", of_difficulty("c", "hard"))))
    results = scored(board, judged({"a": 90, "b": 20, "c": 30}))
    assert [(group.id, group.n_items) for group in results.difficulties] == [("easy", 1), ("hard", 2)]
    easy, hard = (group.rows[0] for group in results.difficulties)
    assert (easy.goal_alignment, easy.se, easy.absent["se"]) == (20.0, None, ONE_CLUSTER)
    assert (hard.goal_alignment, hard.se, hard.n_scored) == (60.0, 30.0, 2)


def of_difficulty(id: str, difficulty: Difficulty) -> AxesItem:
    return msgspec.structs.replace(item(id), difficulty=difficulty)


def test_a_category_that_is_called_like_a_domain_is_not_mixed_with_it() -> None:
    board = benchmark(domain("law", category("art", "a", "b")), domain("art", category("law", "c"), category("x", "d")))
    results = scored(board, judged({"a": 10, "b": 20, "c": 90, "d": 70}))
    assert {group.id: group.n_items for group in results.domains} == {"law": 2, "art": 2}
    assert {group.id: group.n_items for group in results.categories} == {"art": 2, "law": 1, "x": 1}
    assert {group.id: group.rows[0].goal_alignment for group in results.domains} == {"law": 15.0, "art": 80.0}
    assert {group.id: group.rows[0].goal_alignment for group in results.categories} == {"art": 15, "law": 90, "x": 70}


def test_the_standard_error_counts_items_of_one_source_text_as_one_look() -> None:
    """80, 60 on one text and 40, 20 on the other: mean 50, residuals +30 +10 and -10 -30, sums of the texts +40, -40.
    SE = sqrt(2 / (2 - 1) * (40^2 + 40^2)) / 4 = 80 / 4 = 20. Two texts are too few for an interval."""
    results = scored(benchmark(PAIRS), judged({"a": 80, "b": 60, "c": 40, "d": 20}))
    for row in (results.row("m"), group_row(results, "science"), group_row(results, "trials")):
        assert (row.se, row.df) == (20.0, 1.0)
        assert (row.ci_low, row.ci_high) == (None, None)
        assert row.absent["ci_low"] == "too few: 2 clusters of items, and an interval needs 6"


def test_the_standard_error_of_the_overall_score_is_that_of_a_mean_over_groups() -> None:
    """law: 90 and 70, residuals +10 -10, v = 2/1 * 200 / 2^2 = 100. art: 30, 60, 0, residuals 0 +30 -30, v = 3/2 *
    1800 / 3^2 = 300. SE = sqrt(100 + 300) / 2 = 10; with 5/4 once in the place of 2/1 and 3/2 it would be 8.84.
    df = (25 + 75)^2 / (25^2 / 1 + 75^2 / 2) = 2.909091."""
    board = benchmark(domain("law", category("courts", "a", "e")), UNEQUAL[1])
    row = scored(board, judged({"a": 90, "e": 70, "b": 30, "c": 60, "d": 0})).row("m")
    assert row.overall == 55.0
    assert (row.se, row.df) == (10.0, 2.909091)


def test_an_axis_has_a_standard_error_of_its_own() -> None:
    """Ratings 5, 5 on one text and 1, 1 on the other: sums of residuals +4, -4, SE = sqrt(2 * 32) / 4 = 2."""
    ratings = {"a": 5, "b": 5, "c": 1, "d": 1}
    records = [judgment("anna", name, axes={**dict.fromkeys(AXES, 3), "truth": n}) for name, n in ratings.items()]
    row = scored(benchmark(PAIRS), [*map(response, ratings), *records]).row("m")
    assert row.axes_se == {"truth": 2.0, "balance": 0.0, "reason": 0.0, "clarity": 0.0}


def test_a_score_of_zero_on_every_item_is_not_certain_and_its_interval_ends_where_the_scale_does() -> None:
    """z^2 = 3.841459, so the interval ends at 100 * 3.841459 / (8 + 3.841459) = 32.440756."""
    row = scored(benchmark(EIGHT), judged(dict.fromkeys("abcdefgh", 0))).row("m")
    assert (row.se, row.df, row.ci_low, row.ci_high) == (0.0, 7.0, 0.0, 32.440756)


def test_one_source_text_gives_no_standard_error_and_the_reason() -> None:
    row = scored(benchmark(), judged({"q": 80})).row("m")
    assert (row.se, row.ci_low, row.ci_high) == (None, None, None)
    assert row.absent["se"] == ONE_CLUSTER


def test_samples_of_an_item_are_averaged_and_counted_one_by_one() -> None:
    """Item a: 80 and refused (0), mean 40, truth (4 + 1) / 2 = 2.5. Item b: 60 and 100, mean 80, truth 4.
    overall = (40 + 80) / 2 = 60 over 2 items, 4 responses of which 3 are scored."""
    board = benchmark(domain("x", category("y", "a", "b")), samples=2)
    records = [response(name, sample=sample, seconds=1.0 + sample) for name in ("a", "b") for sample in (0, 1)]
    for judge in JUDGES:
        records_of_judge = [
            judgment(judge, "a", alignment=80, axes=4),
            judgment(judge, "a", alignment=80, axes=4, refused=(True, False), sample=1),
            judgment(judge, "b", alignment=60, axes=4),
            judgment(judge, "b", alignment=100, axes=4, sample=1),
        ]
        records = [*records, *records_of_judge]
    results = scored(board, records)
    row = results.row("m")
    assert (row.overall, row.n_items, row.n_scored, row.n_refused, row.refusal_rate) == (60.0, 2, 3, 1, 0.25)
    assert (item_row(results, "a").goal_alignment, item_row(results, "a").axes["truth"]) == (40.0, 2.5)
    assert (item_row(results, "a").state, item_row(results, "b").state) == ("refused", "scored")
    assert row.mean_time_s == 1.5
    assert row.rank == 1


@pytest.mark.parametrize(
    ("ends", "state"),
    [
        (("scored", "scored"), "scored"),
        (("scored", "refused"), "refused"),
        (("refused", "unparsed"), "unparsed"),
        (("unparsed", "errored"), "errored"),
        (("errored", "scored"), "errored"),
    ],
)
def test_an_item_is_called_by_the_worst_of_its_samples(ends: tuple[str, str], state: str) -> None:
    records = []
    for sample, end in enumerate(ends):
        records.append(response(sample=sample, state="errored" if end == "errored" else "answered"))
        vote = (True, True) if end == "refused" else None
        alignment = None if end == "unparsed" else 50
        records += [judgment(j, refused=vote, alignment=alignment, sample=sample) for j in JUDGES]
    assert item_row(scored(benchmark(samples=2), records)).state == state


def ranked(*contestants: tuple[str, dict[str, int]], board: Benchmark | None = None) -> AxesResults:
    board = board or benchmark(
        PAIRS if len(contestants[0][1]) == 4 else EIGHT, models=[name for name, _ in contestants]
    )
    return scored(board, [record for name, items in contestants for record in judged(items, name)])


def test_ranks_and_their_intervals_follow_from_the_items_of_all() -> None:
    """best is 10 above second on every item, and second 10 above third: eight signs alike have a p-value of 1/128;
    the items themselves are anything."""
    second = dict(zip("abcdefgh", (70, 50, 30, 10, 80, 20, 60, 40), strict=True))
    results = ranked(
        ("second", second),
        ("third", {name: score - 10 for name, score in second.items()}),
        ("best", {name: score + 10 for name, score in second.items()}),
    )
    of_slices = (results.leaderboard, results.domains[0].rows, results.categories[0].rows, results.difficulties[0].rows)
    for rows in of_slices:
        assert [(row.model, row.rank, row.rank_low, row.rank_high) for row in rows] == [
            ("best", 1, 1, 1), ("second", 2, 2, 2), ("third", 3, 3, 3),
        ]  # fmt: skip
    assert [row.tie_group for row in results.leaderboard] == [1, 2, 3]
    assert results.best_set == ["best"]
    # Every difference is one and the same on eight items: sqrt(8), of which a flip of one of them leaves 6/8.
    assert 6 / sqrt(8) < results.pair_critical < sqrt(8)
    assert results.separation == Separation(
        pairs=3, together=3, alone=3, neighbours=2, neighbours_together=2, neighbours_alone=2
    )
    assert [group.best_set for group in (*results.domains, *results.categories)] == [["best"], ["best"]]


def test_contestants_with_equal_scores_share_the_rank_and_the_tie_group() -> None:
    """two scores 70 on the items on which one scores 60, and the other way round; both are above last on all."""
    one = dict(zip("abcdefgh", (60, 70, 60, 70, 60, 70, 60, 70), strict=True))
    two = {name: 130 - score for name, score in one.items()}
    results = ranked(("one", one), ("two", two), ("last", dict.fromkeys(one, 0)))
    assert [(row.model, row.rank, row.rank_low, row.rank_high, row.tie_group) for row in results.leaderboard] == [
        ("one", 1, 1, 2, 1), ("two", 1, 1, 2, 1), ("last", 3, 3, 3, 2),
    ]  # fmt: skip
    assert results.best_set == ["one", "two"]


def test_too_few_texts_give_ranks_without_ranges_and_the_reason() -> None:
    results = ranked(("up", dict.fromkeys("abcd", 70)), ("down", dict.fromkeys("abcd", 30)))
    assert [(row.rank, row.rank_low, row.tie_group) for row in results.leaderboard] == [
        (1, None, None),
        (2, None, None),
    ]
    for name in ("rank_low", "tie_group", "ci_low"):
        assert results.row("up").absent[name] == "too few: 2 clusters of items, and an interval needs 6"
    assert (results.best_set, results.pair_alpha) == ([], None)


def test_contestants_that_change_places_from_text_to_text_are_tied_with_ranks_that_overlap() -> None:
    """up is 60 above down on half of the texts and 40 below on the others: 10 -+ 2.36 * 18.9."""
    up = dict(zip("abcdefgh", (80, 20) * 4, strict=True))
    results = ranked(("up", up), ("down", dict(zip(up, (20, 60) * 4, strict=True))))
    assert [(row.model, row.rank, row.rank_low, row.rank_high, row.tie_group) for row in results.leaderboard] == [
        ("up", 1, 1, 2, 1), ("down", 2, 1, 2, 1),
    ]  # fmt: skip


def test_a_contestant_that_lacks_an_item_has_scores_but_no_rank_and_the_board_is_not_complete() -> None:
    results = ranked(("whole", {"a": 30, "b": 30, "c": 30, "d": 30}), ("part", {"a": 90, "b": 90}))
    assert [(row.model, row.rank, row.overall) for row in results.leaderboard] == [
        ("whole", 1, 30.0), ("part", None, 90.0),
    ]  # fmt: skip
    part = results.row("part")
    assert (part.rank_low, part.rank_high, part.tie_group, part.above_null_floor) == (None, None, None, None)
    assert (part.n_items, results.n_items, results.complete) == (2, 4, False)


def test_a_contestant_that_lacks_a_sample_has_no_rank_either() -> None:
    board = benchmark(samples=2)
    results = scored(board, judged({"q": 90}))
    assert results.row("m").rank is None
    assert not results.complete
    assert (results.row("m").overall, results.row("m").axes["truth"]) == (90.0, 3.0)  # of the sample there is
    both = [*judged({"q": 90}), response(sample=1), *(judgment(judge, sample=1) for judge in JUDGES)]
    assert scored(board, both).complete


def test_a_contestant_without_a_record_is_not_on_the_board_which_is_then_not_complete() -> None:
    results = scored(benchmark(models=("m", "absent")), judged({"q": 50}))
    assert [row.model for row in results.leaderboard] == ["m"]
    assert not results.complete


def test_a_board_without_any_record_is_empty_and_not_complete() -> None:
    results = scored(benchmark(), [])
    assert (results.leaderboard, results.items, results.floor) == ([], [], None)
    assert [(row.units, row.alpha, row.absent) for row in results.agreement] == [
        (0, None, "fewer than 2 raters on every unit")
    ]
    assert [group.rows for group in results.domains] == [[]]
    assert (results.n_items, results.complete) == (1, False)


def test_the_floor_with_refusal_gates_off_is_what_judges_gave_to_answers_that_the_gates_refuse() -> None:
    """law: 90. art: (30 + 60 + 0) / 3 = 30. overall = (90 + 30) / 2 = 60, which the gates make 0; the other null model,
    whose answers they let pass, has 10 either way."""
    board = benchmark(*UNEQUAL, models=[model("m"), model("null-a", "null"), model("null-b", "null")])
    records = [*judged({"a": 50, "b": 50, "c": 50, "d": 50}), *judged(dict.fromkeys("abcd", 10), "null-b")]
    for name, alignment in {"a": 90, "b": 30, "c": 60, "d": 0}.items():
        records.append(response(name, "null-a"))
        records += [judgment(judge, name, "null-a", alignment=alignment, refused=(True, True)) for judge in JUDGES]
    results = scored(board, records)
    assert results.row("null-a").overall == 0.0
    assert [(floor.model, floor.overall) for floor in results.ungated] == [("null-a", 60.0), ("null-b", 10.0)]
    assert {(floor.low, floor.high) for floor in results.ungated} == {(None, None)}, "four texts are too few"
    assert (results.floor.model, results.floor.overall) == ("null-b", 10.0)


def test_with_gates_off_each_null_model_has_its_own_interval() -> None:
    """80 and 40 on four texts each: 60 -+ t(7) 21.4 / sqrt(8) = 17.9, by Wilson's formula. The other, 0 everywhere,
    may have 32.4."""
    board = benchmark(EIGHT, models=[model("m"), model("null-a", "null"), model("null-b", "null")])
    records = [*judged(dict.fromkeys("abcdefgh", 50)), *judged(dict.fromkeys("abcdefgh", 0), "null-b")]
    for name, alignment in zip("abcdefgh", (80, 40) * 4, strict=True):
        records.append(response(name, "null-a"))
        records += [judgment(judge, name, "null-a", alignment=alignment, refused=(True, True)) for judge in JUDGES]
    first, other = scored(board, records).ungated
    assert (first.model, first.overall) == ("null-a", 60.0)
    assert first.low == pytest.approx(60 - 17.9, abs=2.5)
    assert first.high == pytest.approx(60 + 17.9, abs=2.5)
    assert (other.low, other.high) == (0.0, pytest.approx(32.44, abs=0.01))


def floored(items: dict[str, int], kind: str = "null") -> AxesResults:
    """`items` of a contestant against a null model at 40 on half of the texts and at 20 on the others."""
    models = [model("m"), model("null-good", kind), model("null-bad", kind)]
    return ranked(
        ("m", items),
        ("null-good", dict(zip("abcdefgh", (40, 20) * 4, strict=True))),
        ("null-bad", dict.fromkeys("abcdefgh", 0)),
        board=benchmark(EIGHT, models=models),
    )


def test_the_null_floor_is_the_best_null_model_and_no_null_model_is_above_it() -> None:
    """The interval of the floor is the null model's own. Null models have no rank, and are listed by score."""
    results = floored(dict.fromkeys("abcdefgh", 80))
    assert (results.floor.model, results.floor.overall) == ("null-good", 30.0)
    null = results.row("null-good")
    assert (results.floor.low, results.floor.high) == (null.ci_low, null.ci_high)
    assert [row.above_null_floor for row in results.leaderboard] == [True, False, False]
    assert [(row.model, row.rank, row.rank_low, row.rank_high) for row in results.leaderboard] == [
        ("m", 1, 1, 1), ("null-good", None, None, None), ("null-bad", None, None, None),
    ]  # fmt: skip
    assert null.absent["rank"] == NULL_MODEL


def test_a_score_above_the_floor_whose_interval_reaches_below_it_is_not_above() -> None:
    """80 and 0: 40 and -20 above the null model in turns: not above. 54 and 26: 14 and 6 above it: above,
    though the interval of the score itself, 40 -+ 12.5, holds 30: what is hard for both cancels."""
    above = {ends: dict(zip("abcdefgh", ends * 4, strict=True)) for ends in ((80, 0), (54, 26))}
    assert floored(above[80, 0]).row("m").above_null_floor is False
    sure = floored(above[54, 26]).row("m")
    assert sure.above_null_floor is True
    assert sure.ci_low < 30


def test_without_a_null_model_nothing_is_said_of_a_floor() -> None:
    results = floored(dict.fromkeys("abcdefgh", 80), kind="baseline")
    assert results.floor is None
    assert results.row("m").above_null_floor is None
    assert results.row("m").absent["above_null_floor"] == "no null model is on the board"


def test_a_null_model_that_lacks_items_sets_no_floor() -> None:
    models = [model("m"), model("null-part", "null")]
    results = ranked(("m", dict.fromkeys("abcd", 50)), ("null-part", {"a": 99}), board=benchmark(PAIRS, models=models))
    assert results.floor is None


def test_the_counts_of_a_row_are_those_of_its_group() -> None:
    """law: one refused. art: one scored, one failed, one that no judge gave an integer."""
    records = [
        response("a"), *(judgment(judge, "a", refused=(True, True)) for judge in JUDGES),
        response("b"), judgment("anna", "b"),
        response("c", state="errored"),
        response("d"), judgment("anna", "d", alignment=None),
    ]  # fmt: skip
    results = scored(benchmark(*UNEQUAL), records)
    counts = {
        name: (row.n_items, row.n_scored, row.n_refused, row.n_errored, row.n_unparsed)
        for name, row in (
            ("law", group_row(results, "law")),
            ("art", group_row(results, "art")),
            ("all", results.row("m")),
        )
    }
    assert counts == {"law": (1, 0, 1, 0, 0), "art": (3, 1, 0, 1, 1), "all": (4, 1, 1, 1, 1)}


def test_two_boards_of_one_run_are_scored_each_on_its_own_records() -> None:
    """The shard of a contestant holds the records of both; here they differ in items and in samples."""
    one = benchmark(*UNEQUAL)
    side = msgspec.structs.replace(one.boards["main"], id="side", domains=("law",), samples=2)
    both = replace(one, boards={**one.boards, "side": side})
    own = judged({"a": 90, "b": 30, "c": 60, "d": 0})
    other = [response("a", board="side", sample=sample) for sample in (0, 1)]
    votes = [judgment(judge, "a", board="side", alignment=10, sample=sample) for judge in JUDGES for sample in (0, 1)]
    stray = [response("a", sample=1, state="errored"), judgment("anna", "a", sample=1, alignment=0)]
    for records in ([*other, *votes, *stray, *own], [*own, *other, *votes, *stray]):
        assert scored(both, records) == scored(one, own)
        row = scored(both, records, "side").row("m")
        assert (row.overall, row.n_items, row.n_scored) == (10.0, 1, 2)
