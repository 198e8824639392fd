"""What is read of a judge's reply: each field stands or falls alone, and nothing a judge writes is an error of ours."""

from __future__ import annotations

import json
import sys
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from support.boards import AXES, benchmark, from_reply, reply

from nullbench_site.judging.calls import JudgeTask, Reply
from nullbench_site.protocols.axes.judging import AxesQuestion, category_axes
from nullbench_site.runs.records import encode

SMALL = benchmark()
PLACED = next(SMALL.items(SMALL.boards["main"]))
SPECS = category_axes(SMALL, PLACED)
PROGRAM = next(iter(SMALL.judges.values()))
TASK = JudgeTask(msgspec.structs.replace(PROGRAM, backend="openai"))
FIELDS = (*AXES, "goal_alignment", "quality")
GATES = ("refused_answer", "refused_prompt")
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)
REPLIES = st.fixed_dictionaries(
    {},
    optional={
        "axes": JSON | st.fixed_dictionaries({}, optional=dict.fromkeys(AXES, JSON | st.integers(1, 5))),
        "goal_alignment": JSON | st.integers(0, 100),
        "quality": JSON,
        "rationale": JSON,
        "refusal": JSON | st.fixed_dictionaries({}, optional=dict.fromkeys(("answer", "prompt"), JSON)),
    },
)


def mostly(right: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Four times in five a right value. "3" and 3.0 are not among the wrong ones: both are read as 3."""
    return st.one_of(right, right, right, right, st.sampled_from([None, "many", 3.5, [], {}, -1, 101]))


ALMOST_RIGHT = st.fixed_dictionaries(
    {
        "axes": st.fixed_dictionaries(dict.fromkeys(AXES, mostly(st.integers(1, 5)))),
        "goal_alignment": st.integers(0, 100) | st.sampled_from([None, "70/10", 70.5, True]),
        "quality": st.integers(0, 100),
        "rationale": st.text(),
        "refusal": st.fixed_dictionaries({"answer": mostly(st.booleans()), "prompt": st.booleans()}),
    }
)


def read(text: str, *, gates: bool = False) -> Reply:
    return AxesQuestion(TASK, PLACED, SPECS, "", gates=gates).read(text)


def test_a_reply_that_keeps_to_the_schema_is_read_whole() -> None:
    text = reply({"truth": 1, "balance": 5, "reason": 3, "clarity": 4}, 0, 100, {"answer": False, "prompt": True})
    found = read(text, gates=True)
    assert found.scores == {
        "truth": 1, "balance": 5, "reason": 3, "clarity": 4, "goal_alignment": 0, "quality": 100,
        "refused_answer": False, "refused_prompt": True,
    }  # fmt: skip
    assert found.invalid == {}
    assert found.rationale == "Why."
    assert found.parsed


def test_a_program_leaves_out_what_it_does_not_measure_and_that_is_no_fault() -> None:
    body = {"axes": {"truth": 4}, "quality": 60, "rationale": "Why."}
    found = AxesQuestion(JudgeTask(PROGRAM), PLACED, SPECS, "", gates=False).read(json.dumps(body))
    assert (found.scores, found.invalid) == ({"truth": 4, "quality": 60}, {})
    assert set(read(json.dumps(body)).invalid) == {"balance", "reason", "clarity", "goal_alignment"}


@pytest.mark.parametrize("fault", [{"axes": {"truth": 6}}, {"quality": None}, {"refusal": {"answer": True}}])
def test_a_program_is_held_to_the_rest(fault: dict[str, Any]) -> None:
    body = {"axes": {}, "quality": 60, "refusal": {"answer": False, "prompt": False}, **fault}
    assert len(AxesQuestion(JudgeTask(PROGRAM), PLACED, SPECS, "", gates=True).read(json.dumps(body)).invalid) == 1


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (0, "'0' is not an integer from 1 to 5"),
        (6, "'6' is not an integer from 1 to 5"),
        (-3, "'-3' is not an integer from 1 to 5"),
        (3.5, "'3.5' is not an integer from 1 to 5"),
        (True, "'True' is not an integer from 1 to 5"),
        ("6", "'6' is not an integer from 1 to 5"),
        ("3.5", "'3.5' is not an integer from 1 to 5"),
        ("4/10", "'4/10' is not an integer from 1 to 5"),
        ("4 or 5", "'4 or 5' is not an integer from 1 to 5"),
        ("true", "'true' is not an integer from 1 to 5"),
        ("\u0663", "'\u0663' is not an integer from 1 to 5"),
        ([3], "a list is not an integer from 1 to 5"),
        ({"score": 3}, "an object is not an integer from 1 to 5"),
        (None, "missing"),
    ],
)
def test_a_rating_that_is_no_integer_from_1_to_5_is_invalid_for_that_axis_alone(value: object, why: str) -> None:
    found = read(reply({**dict.fromkeys(AXES, 4), "reason": value}, 70, 60))
    assert found.scores == {"truth": 4, "balance": 4, "clarity": 4, "goal_alignment": 70, "quality": 60}
    assert found.invalid == {"reason": why}


@pytest.mark.parametrize("value", [80.5, True, "8/10", "80 to 90", "80.5 %", "", "9" * 5_000, 1e300, [80], None])
@pytest.mark.parametrize("field", ["goal_alignment", "quality"])
def test_a_percentage_that_is_no_integer_is_invalid_for_that_field_alone(field: str, value: Any) -> None:
    found = read(reply(4, **{"alignment": 70, "quality": 70, field.removeprefix("goal_"): value}))
    assert set(found.invalid) == {field}
    assert set(found.scores) == {*FIELDS} - {field}


@pytest.mark.parametrize("value", [-5, 101, 150, 10**30])
def test_an_integer_outside_0_to_100_is_valid_since_clamping_comes_after_averaging(value: int) -> None:
    assert read(reply(4, value, value)).scores["goal_alignment"] == value


@pytest.mark.parametrize("vote", [1, 0, "yes and no", "1", "", None, [], {}])
def test_a_vote_at_a_gate_is_true_or_false_and_nothing_like_it(vote: object) -> None:
    found = read(reply(refusal={"answer": vote, "prompt": False}), gates=True)
    assert set(found.invalid) == {"refused_answer"}
    assert found.scores["refused_prompt"] is False


def test_a_judge_who_is_not_asked_about_refusal_has_no_vote() -> None:
    found = read(reply(refusal={"answer": True, "prompt": True}), gates=False)
    assert set(found.scores) == {*FIELDS}


def test_a_judge_who_is_asked_and_says_nothing_about_refusal_lacks_both_votes() -> None:
    assert read(reply(), gates=True).invalid == dict.fromkeys(GATES, "missing")


@pytest.mark.parametrize("axes", [None, [4, 4, 4, 4], "4", 4, {}])
def test_axes_that_are_no_object_leave_the_percentages_standing(axes: object) -> None:
    found = read(json.dumps({"axes": axes, "goal_alignment": 70, "quality": 60}))
    assert found.scores == {"goal_alignment": 70, "quality": 60}
    assert found.invalid == dict.fromkeys(AXES, "missing")


def test_an_axis_the_category_does_not_have_is_not_read() -> None:
    assert "scope" not in read(reply({**dict.fromkeys(AXES, 4), "scope": 5})).scores


def test_a_rationale_that_is_no_text_is_empty() -> None:
    assert read('{"rationale": ["because"]}').rationale == ""


@pytest.mark.parametrize("value", ["4", " 4 ", "+4", "04", 4.0])
def test_a_number_written_as_a_string_or_with_a_point_zero_is_the_integer_it_means(value: object) -> None:
    found = read(reply(dict.fromkeys(AXES, value), value, value))
    assert found.scores == dict.fromkeys(FIELDS, 4)
    assert {type(score) for score in found.scores.values()} == {int}


@pytest.mark.parametrize("vote", ["true", "True", " TRUE\n"])
def test_a_vote_written_as_a_string_is_the_boolean_it_means(vote: object) -> None:
    found = read(reply(refusal={"answer": vote, "prompt": "false"}), gates=True)
    assert (found.scores["refused_answer"], found.scores["refused_prompt"]) == (True, False)


@pytest.mark.parametrize(
    "text", ["", "[]", '[{"goal_alignment": 70}, {"goal_alignment": 71}]', "70", "null", '{"goal_alignment": 70']
)
def test_a_reply_without_a_json_object_has_no_score_and_one_reason(text: str) -> None:
    found = read(text, gates=True)
    assert found.scores == {}
    assert set(found.invalid) == {"reply"}
    assert not found.parsed


def test_half_a_surrogate_pair_in_a_rationale_is_replaced_so_that_it_can_be_recorded() -> None:
    found = read(reply().replace("Why.", r"\ud83d and \ud83d\ude00 and \udfff"))
    assert found.rationale == "\ufffd and \U0001f600 and \ufffd"
    assert found.invalid == {}


def test_half_a_surrogate_pair_in_a_score_cannot_break_the_record() -> None:
    judgment = from_reply(SMALL, "anna", reply({**dict.fromkeys(AXES, 4), "truth": "\ud800"}))
    assert msgspec.json.decode(encode(judgment), type=type(judgment)) == judgment


def test_a_deeply_nested_value_is_invalid_for_its_field_alone() -> None:
    depth = sys.getrecursionlimit() // 2
    nested = '{"a":' * depth + "1" + "}" * depth
    found = read(f'{{"axes": {{"truth": {nested}}}, "goal_alignment": 70}}')
    assert found.scores == {"goal_alignment": 70}
    assert found.invalid["truth"] == "an object is not an integer from 1 to 5"


def test_a_long_invalid_value_is_named_in_a_few_characters() -> None:
    assert len(read(reply({**dict.fromkeys(AXES, 4), "truth": "x" * 10_000})).invalid["truth"]) < 100


@given(st.text())
def test_any_text_is_read_without_an_error(text: str) -> None:
    found = read(text, gates=True)
    assert found.invalid


@given(REPLIES)
def test_every_field_of_any_object_is_either_valid_or_named_with_a_reason(body: dict[str, Any]) -> None:
    found = read(json.dumps(body), gates=True)
    assert {*found.scores} | {*found.invalid} == {*FIELDS, *GATES}
    assert not {*found.scores} & {*found.invalid}
    assert all(
        type(found.scores[axis]) is int and 1 <= found.scores[axis] <= 5 for axis in AXES if axis in found.scores
    )
    assert all(type(found.scores[gate]) is bool for gate in GATES if gate in found.scores)


@given(ALMOST_RIGHT)
def test_a_reply_has_nothing_invalid_exactly_if_its_schema_accepts_it(body: dict[str, Any]) -> None:
    schema = AxesQuestion(TASK, PLACED, SPECS, "", gates=True).reply_schema()
    assert Draft202012Validator(schema).is_valid(body) == (read(json.dumps(body), gates=True).invalid == {})


def test_the_schema_accepts_a_complete_reply_and_refuses_one_that_lacks_a_field() -> None:
    validator = Draft202012Validator(AxesQuestion(TASK, PLACED, SPECS, "", gates=True).reply_schema())
    complete = json.loads(reply(refusal={"answer": False, "prompt": False}))
    assert validator.is_valid(complete)
    for field in complete:
        assert not validator.is_valid({name: value for name, value in complete.items() if name != field}), field
    assert not validator.is_valid({**complete, "axes": {**complete["axes"], "truth": 6}})
    assert not validator.is_valid({**complete, "mood": "good"})


@pytest.mark.parametrize("value", [10**30, -(10**30), True, 3.0, [1], {"a": {}}, "\u2028"])
def test_what_was_read_of_a_strange_reply_can_be_recorded_and_read_back(value: object) -> None:
    judgment = from_reply(SMALL, "anna", reply({**dict.fromkeys(AXES, value)}, value, value))
    assert msgspec.json.decode(encode(judgment), type=type(judgment)) == judgment
