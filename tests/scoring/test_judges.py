"""Agreement of the panel, each judge's own scale, and how its replies ended."""

from __future__ import annotations

from collections.abc import Mapping

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec import UNSET
from support.boards import AXES, JUDGES, benchmark, category, domain, judged, judgment, model, response, scored

from nullbench_site.protocols.axes.metrics import AgreementRow, AxesResults
from nullbench_site.runs.records import Judgment, Record

TWO = domain("science", category("trials", "a", "b", "c"), category("essays", "d", "e", axes=(*AXES, "tone")))
CATEGORY_OF = {"a": "trials", "b": "trials", "c": "trials", "d": "essays", "e": "essays"}
# Ratings of truth by item, of anna, ben and cleo; 0: none. The other axes are rated one higher, up to 5.
TRUTH = {"a": (1, 1, 2), "b": (2, 3, 2), "c": (4, 4, 0), "d": (5, 4, 4), "e": (1, 0, 0)}


def test_a_judge_with_more_than_a_fifth_of_its_verdicts_invalid_silences_a_board_of_any_judged_protocol() -> None:
    spoilt = [judgment("ben", item, axes=None, state="unparsed") for item in "ab"]
    judged = [judgment(judge, item) for judge in JUDGES for item in "abcde" if (judge, item) not in {("ben", "b")}]
    board = benchmark(domain("science", category("trials", *"abcde")))
    answered = [*map(response, "abcde"), *judged]
    assert scored(board, [*answered, *spoilt[1:]]).silenced == []
    assert scored(board, [*answered, *spoilt]).silenced == ["the judge 'ben' gave 2 invalid verdicts of 5 (limit 20 %)"]


def panel(truth: Mapping[str, tuple[int, ...]]) -> list[Record]:
    records: list[Record] = []
    for item, ratings in truth.items():
        records.append(response(item))
        for judge, rating in zip(JUDGES, ratings, strict=True):
            axes = {axis: min(5, rating + (axis != "truth")) for axis in (*AXES, "tone")} if rating else {}
            records.append(judgment(judge, item, axes=axes))
    return records


def agreement(results: AxesResults, category: str | None = None, axis: str | None = None) -> AgreementRow:
    return next(row for row in results.agreement if (row.category, row.axis) == (category, axis))


def by_package(truth: Mapping[str, tuple[int, ...]], category: str | None, axis: str | None) -> float:
    """Alpha of the same ratings by the `krippendorff` package: judges down, units (item, axis) across."""
    units = []
    for item, ratings in truth.items():
        if category in (None, CATEGORY_OF[item]):
            axes = (*AXES, "tone") if CATEGORY_OF[item] == "essays" else AXES
            for name in axes:
                if axis in (None, name):
                    units.append([min(5, r + (name != "truth")) if r else np.nan for r in ratings])  # noqa: PERF401
    table = np.array(units, dtype=float).T
    return float(krippendorff.alpha(table, level_of_measurement="ordinal", value_domain=[1, 2, 3, 4, 5]))


@pytest.mark.parametrize("axis", [None, "truth", "clarity"])
@pytest.mark.parametrize("category", [None, "trials"])
def test_alpha_is_that_of_the_krippendorff_package(category: str | None, axis: str | None) -> None:
    found = agreement(scored(benchmark(TWO), panel(TRUTH)), category, axis)
    assert found.alpha == pytest.approx(by_package(TRUTH, category, axis), abs=1e-6)
    assert found.absent is None


@given(st.fixed_dictionaries(dict.fromkeys(TRUTH, st.tuples(*[st.integers(0, 5)] * 3))))
def test_alpha_of_any_ratings_is_that_of_the_krippendorff_package(truth: dict[str, tuple[int, int, int]]) -> None:
    pairable = [{r for r in ratings if r} for ratings in truth.values() if sum(map(bool, ratings)) > 1]
    assume(len({rating for ratings in pairable for rating in ratings}) > 1)
    results = scored(benchmark(TWO), panel(truth))
    assert agreement(results, axis="truth").alpha == pytest.approx(by_package(truth, None, "truth"), abs=1e-6)


def test_alpha_of_one_category_worked_by_hand() -> None:
    """Two judges rate truth of three items (1, 1), (2, 2), (1, 2): alpha = 1 - 5 * 2 / (2 * 3 * 3) = 4/9."""
    truth = {"a": (1, 1, 0), "b": (2, 2, 0), "c": (1, 2, 0)}
    assert agreement(scored(benchmark(TWO), panel(truth)), "trials", "truth").alpha == 0.444444


@pytest.mark.parametrize(
    ("truth", "alpha", "label"),
    [
        ({"a": (1, 1, 0), "b": (5, 5, 0), "c": (3, 3, 0)}, 1.0, "high"),
        ({"a": (1, 1, 0), "b": (2, 2, 0), "c": (1, 2, 0)}, 0.444444, "low"),
    ],
)
def test_an_agreement_is_labelled(truth: Mapping[str, tuple[int, ...]], alpha: float, label: str) -> None:
    row = agreement(scored(benchmark(TWO), panel(truth)), "trials", "truth")
    assert (row.alpha, row.label) == (alpha, label)


def test_units_are_contestants_times_items_times_axes() -> None:
    """trials: 3 items of 4 axes, essays: 2 of 5. The second contestant doubles them. One judge alone rated the first's
    answer to e: that tells nothing of agreement on its 5 axes."""
    board = benchmark(TWO, models=("m", "n"))
    records = [*panel(TRUTH), *judged(dict.fromkeys(TRUTH, 50), "n")]
    results = scored(board, records)
    units = {(row.category, row.axis): row.units for row in results.agreement}
    assert units[None, None] == 2 * (3 * 4 + 2 * 5) - 5
    assert units["trials", None] == 2 * 3 * 4
    assert units[None, "tone"] == units["essays", "tone"] == 2 * 2 - 1
    assert ("trials", "tone") not in units


def test_alpha_of_one_judge_is_absent_with_its_reason() -> None:
    row = agreement(scored(benchmark(judges=("anna",)), judged({"q": 50}, judges=("anna",))))
    assert (row.alpha, row.label, row.absent) == (None, None, "fewer than 2 raters on every unit")


def test_alpha_of_ratings_that_are_all_the_same_is_absent_with_its_reason() -> None:
    row = agreement(scored(benchmark(), judged({"q": 50})))
    assert (row.alpha, row.label, row.absent) == (None, None, "one rating value only")


def test_alpha_on_scored_answers_leaves_out_refusals_and_null_models() -> None:
    """The judges disagree as in the hand-worked case on three answers (alpha 4/9); on a refusal and on a null model
    all give 1, which raises alpha on all answers."""
    board = benchmark(domain("science", category("trials", "a", "b", "c", "d")), models=("m", model("null-x", "null")))
    ratings = {"a": (1, 1), "b": (2, 2), "c": (1, 2)}
    records: list[Record] = [*map(response, "abcd"), *(response(item, "null-x") for item in "abcd")]
    for place, judge in enumerate(JUDGES[:2]):
        records += [judgment(judge, item, axes={"truth": given[place]}) for item, given in ratings.items()]
        records += [judgment(judge, "d", axes={"truth": 1}, refused=(True, True))]
        records += [judgment(judge, item, "null-x", axes={"truth": 1}) for item in "abcd"]
    row = agreement(scored(board, records), "trials", "truth")
    assert (row.units, row.units_scored) == (8, 3)
    assert (row.alpha_scored, row.label_scored) == (0.444444, "low")
    assert row.alpha > 0.444444


def test_the_alpha_of_the_board_has_an_interval_and_says_whom_it_hangs_on() -> None:
    """n, whom all judges mark low, makes most of the agreement: without n alpha is what it is on m and o alone. Null
    models, refusals and failed answers are in none of it."""
    items = "abcdefgh"
    board = benchmark(
        domain("science", category("trials", *items)),
        models=("m", "n", "o", model("null-x", "null")),
        judges=JUDGES[:2],
    )
    given = {"m": "53425345", "n": "11111211", "o": "45534254"}
    of_ben = {"m": "44525435", "n": "11112111", "o": "53455345"}
    records: list[Record] = [response(item, name) for item in items for name in (*given, "null-x")]
    for judge, ratings in (("anna", given), ("ben", of_ben)):
        for name, of_items in ratings.items():
            pairs = zip(items, map(int, of_items), strict=True)
            records += [judgment(judge, item, name, axes={"truth": rating}) for item, rating in pairs]
        records += [judgment(judge, item, "null-x", axes={"truth": 1}) for item in items]
    results = scored(board, records)
    bounds, alpha = results.agreement_bounds, agreement(results).alpha_scored
    assert bounds is not UNSET
    assert (bounds.least_without, bounds.absent) == ("n", {})
    assert None not in (bounds.low, alpha, bounds.high)
    assert bounds.low < alpha < bounds.high
    for without, told in ((bounds.least_without, bounds.least), (bounds.most_without, bounds.most)):
        rest = [name for name in given if name != without]
        table = [[int(rating) for name in rest for rating in of[name]] for of in (given, of_ben)]
        package = krippendorff.alpha(table, level_of_measurement="ordinal", value_domain=[1, 2, 3, 4, 5])
        assert told == pytest.approx(package, abs=1e-6)


def test_the_alpha_of_few_sources_and_one_contestant_has_no_bounds_and_says_why() -> None:
    bounds = scored(benchmark(TWO), panel(TRUTH)).agreement_bounds
    assert bounds is not UNSET
    assert (bounds.low, bounds.least) == (None, None)
    assert bounds.absent["low"].startswith("too few: 4 clusters")
    assert "without one of the contestants" in bounds.absent["least"]


def lenient_and_severe() -> list[Judgment]:
    """anna gives m 5 and n 3 (mean 4, sd 1), ben m 2 and n 1 (mean 1.5, sd 0.5), cleo 4 to both (no variance)."""
    given = {"anna": {"m": 5, "n": 3}, "ben": {"m": 2, "n": 1}, "cleo": {"m": 4, "n": 4}}
    return [judgment(judge, "q", name, axes=axes) for judge, of in given.items() for name, axes in of.items()]


def test_a_judge_has_the_mean_and_the_spread_of_all_its_ratings() -> None:
    results = scored(benchmark(models=("m", "n")), [response(), response(model="n"), *lenient_and_severe()])
    assert [(row.judge, row.n_scores, row.mean, row.sd) for row in results.judges] == [
        ("anna", 8, 4.0, 1.0), ("ben", 8, 1.5, 0.5), ("cleo", 8, 4.0, 0.0),
    ]  # fmt: skip


def test_averages_are_normalised_to_each_judges_own_scale() -> None:
    """m: anna 3 + (5 - 4) / 1 = 4, ben 3 + (2 - 1.5) / 0.5 = 4, cleo without variance 3: (4 + 4 + 3) / 3 = 3.67.
    n: 2, 2 and 3: 2.33. Plain means are 3.667 and 2.667."""
    results = scored(benchmark(models=("m", "n")), [response(), response(model="n"), *lenient_and_severe()])
    assert results.row("m").normalised_axes == dict.fromkeys(AXES, 3.67)
    assert results.row("n").normalised_axes == dict.fromkeys(AXES, 2.33)
    found = {(row.judge, row.model): (row.mean, row.normalised) for row in results.judge_models}
    assert found["anna", "m"] == (5.0, 4.0)
    assert found["ben", "n"] == (1.0, 2.0)
    assert found["cleo", "m"] == (4.0, 3.0)


def test_a_judge_who_rated_no_axis_has_no_mean_and_no_weight() -> None:
    silent = [judgment("cleo", "q", name, axes=None) for name in ("m", "n")]
    others = [record for record in lenient_and_severe() if record.judge != "cleo"]
    results = scored(benchmark(models=("m", "n")), [response(), response(model="n"), *others, *silent])
    assert [(row.n_scores, row.mean, row.sd) for row in results.judges if row.judge == "cleo"] == [(0, None, None)]
    assert results.row("m").normalised_axes == dict.fromkeys(AXES, 4.0)
    assert all(row.mean is row.normalised is None for row in results.judge_models if row.judge == "cleo")


def test_replies_are_counted_by_how_they_ended_and_by_what_was_invalid_in_them() -> None:
    invalid = {"truth": "missing", "quality": "missing"}
    records = [
        *map(response, "abc"),
        judgment("anna", "a", invalid=invalid), judgment("anna", "b"),
        judgment("anna", "c", invalid={"tone": "missing"}),
        judgment("ben", "a", state="unparsed", invalid={"reply": "no JSON"}), judgment("ben", "b", state="errored"),
    ]  # fmt: skip
    results = scored(benchmark(domain("x", category("y", "a", "b", "c"))), records)
    assert [(row.judge, row.scored, row.unparsed, row.errored, row.invalid_fields) for row in results.judges] == [
        ("anna", 3, 0, 0, 3), ("ben", 0, 1, 1, 1), ("cleo", 0, 0, 0, 0),
    ]  # fmt: skip
