"""Which judges pass the screening, on values by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from support.boards import verdict

from nullbench_site.audit.judge_decisions import Tried, decided, tried
from nullbench_site.audit.judged_cases import Judged, values_of_verdicts
from nullbench_site.audit.study_data import study
from nullbench_site.runs.records import Judgment
from nullbench_site.specs.types import FLOOR, ScreeningLimits

REPORTED = [item for number in range(99) if not study().selects(item := f"item-{number}")][:12]
CHOOSING = [item for number in range(99) if study().selects(item := f"item-{number}")][:12]
GOOD = {"right": 5, "half": 3, "wrong": 3, "worse": 1, **dict.fromkeys(FLOOR, 1)}
LIMITS = ScreeningLimits()


def marks(values: Mapping[str, float | None], items: list[str] = REPORTED) -> list[Judgment]:
    """The same marks on each item; None for a reply that cannot be read."""
    return [
        verdict(
            "ann",
            item,
            case,
            {} if value is None else {"score": value},
            state="unparsed" if value is None else "scored",
        )
        for item in items
        for case, value in values.items()
    ]


def of_marks(records: list[Judgment], name: str = "short.mark", protocol: str = "rubric") -> Tried:
    return tried(protocol, name, Judged(values_of_verdicts(protocol, records), records), LIMITS)


def test_a_judge_that_is_right_everywhere_passes() -> None:
    found = of_marks(marks(GOOD))
    assert (found.measured, found.skill.value, found.valid, found.position) == ("rank correlation", 1, 1, None)
    assert set(found.floors) == set(FLOOR)
    assert found.failures == ()
    (screened,) = decided({("ann", "rubric"): [found]})
    assert (screened.passed, screened.reasons, screened.tests) == (True, (), 1)


@pytest.mark.parametrize(
    ("change", "failures"),
    [
        ({"right": 3, "half": 3}, ["rank correlation 0.60 (0.53 to 0.67): the lower end is not above 0.6"]),
        ({"claim": 5}, ["with a lower end above 0.5: claim of the highest mark 0.00 (0.00 to 0.24)"]),
        ({"empty": 5}, ["controls on at least 80% of items, with a lower end above 0.5: empty response 0.00"]),
        ({"echo": 6, "everything": 5}, ["prompt repeated 0.00 (0.00 to 0.24), everything at once 0.00 (0.00 to 0.24)"]),
        ({"half": None, "worse": None, "wrong": None}, ["rank correlation", "valid replies for 67% of responses"]),
    ],
)
def test_each_limit_that_is_missed_is_named_with_its_figure(change: dict[str, Any], failures: list[str]) -> None:
    found = of_marks(marks({**GOOD, **change}))
    assert len(found.failures) == len(failures)
    for said, expected in zip(found.failures, failures, strict=True):
        assert expected in said


def test_only_the_half_that_reports_is_tested() -> None:
    worst = dict.fromkeys(GOOD, 1)
    assert of_marks([*marks(GOOD), *marks(worst, CHOOSING)]).failures == ()
    assert of_marks([*marks(worst), *marks(GOOD, CHOOSING)]).failures != ()


def test_yes_or_no_is_measured_by_its_accuracy() -> None:
    records = marks({"right": 9, "wrong": 2, **dict.fromkeys(FLOOR, 1)})
    found = of_marks(records, "short.yes-no", "graded")
    assert (found.measured, found.skill.value, found.failures) == ("accuracy", 1, ())
    yes_to_all = of_marks(marks({"right": 9, "wrong": 8, **dict.fromkeys(FLOOR, 1)}), "short.yes-no", "graded")
    assert yes_to_all.skill.value == 0.5
    assert "accuracy 0.50" in yes_to_all.failures[0]


def test_pairs_need_both_places_and_questions_have_none() -> None:
    def pairs(place: int | None) -> Judged:
        """The right answer wins, except where its place is not the one that always wins."""
        records = [
            verdict("ann", item, case, {"a": 1}, position=position)
            for item in REPORTED
            for case in ("wrong", *FLOOR)
            for position in (0, 1)
        ]
        first = {(each.model, each.item): 0.0 if place is None else 0.5 for each in records}
        return Judged(first, records)

    found = tried("pairwise", "short.letter", pairs(None), LIMITS)
    assert found.skill.value == 1
    assert [each for each in found.failures if "pair" in each] == ["no pair was decided"]
    even = tried("pairwise", "short.letter", pairs(0), LIMITS)
    assert even.skill.value == 0.5


def test_questions_are_tested_by_raw_values_against_the_controls_of_the_board() -> None:
    values = {(case, item): value / 5 for item in REPORTED for case, value in GOOD.items() if case not in FLOOR}
    raw = values | {(f"control-{kind}", item): 0.1 for kind in FLOOR for item in REPORTED}
    records = marks({"right": 5})
    found = tried(
        "rubric", "questions.relative", Judged(values, records), LIMITS, raw=Judged(raw, records), asked=(9, 1)
    )
    assert (found.failures, found.unanswerable) == ((), pytest.approx(1 / 9))
    blind = tried("rubric", "questions.raw", Judged(values, records), LIMITS, raw=Judged(raw, records), asked=(9, 2))
    assert blind.failures == ("says yes about the empty response to 22% of questions, more than 20%",)


def test_candidates_of_all_judges_are_corrected_together() -> None:
    def candidate(name: str, p: float) -> Tried:
        return msgspec.structs.replace(of_marks(marks(GOOD)), name=name, p=p)

    found = decided({
        ("ann", "rubric"): [candidate("short.mark", 0.001), candidate("plain.mark", 0.01)],
        ("ben", "graded"): [candidate("short.mark", 0.02)],
    })  # fmt: skip
    assert [each.adjusted for each in found] == [pytest.approx(0.003), pytest.approx(0.02), pytest.approx(0.02)]
    assert [each.passed for each in found] == [True, True, True]
    many = decided({("ann", "rubric"): [candidate(f"p{number}.mark", 0.01) for number in range(4)]})
    assert many[0].adjusted == pytest.approx(0.04)
    assert many[0].reasons == ("p is 0.040 after the correction for 4 candidates, above 0.025",)


def test_limits_of_the_specs_are_those_of_the_issue_by_default() -> None:
    assert msgspec.structs.asdict(LIMITS) == {
        "skill": 0.6, "valid": 0.8, "position": 0.75, "floor": 0.8, "floor_low": 0.5, "unanswerable": 0.2,
    }  # fmt: skip
