"""Which texts are read as one JSON object, and which are refused since they could mean another."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.judging.calls import Reply
from nullbench_site.judging.replies import (
    CUT_OFF,
    NO_OBJECT,
    SEVERAL,
    STILL_THINKING,
    TOO_DEEP,
    json_object,
    repair_message,
)

VERDICT = {"axes": {"truth": 4}, "rationale": 'It says {"quality": 100} and </think> and \\ and }.', "quality": 60}
TEXT = json.dumps(VERDICT)
OTHER = json.dumps({**VERDICT, "quality": 100})
LONG = 300_000
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.text('{}[]":\\ </think>ab'),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text('{}[]":\\ </think>ab'), inner, max_size=4),
    max_leaves=8,
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(TEXT, id="as it is"),
        pytest.param(f"\n\t {TEXT} \n", id="with white space around"),
        pytest.param(json.dumps(VERDICT, indent=4).replace("\n", "\r\n"), id="over several lines"),
        pytest.param(json.dumps(VERDICT, sort_keys=True), id="in another order"),
        pytest.param(f"\ufeff{TEXT}", id="after a byte order mark"),
        pytest.param(f"```json\n{TEXT}\n```", id="in a code block"),
        pytest.param(f"```\n{TEXT}\n", id="in a code block that does not end"),
        pytest.param(f"Here is my verdict [1]:\n\n{TEXT}\n\nI hope this helps {{really}}.", id="with prose around"),
        pytest.param(f'The "{{}}" and the "{{" are odd, it\'s a f{{orm}}.\n{TEXT}', id="after braces and quotes"),
        pytest.param(f"<think>\nPerhaps {OTHER}? No.\n</think>\n{TEXT}", id="after thinking of another verdict"),
        pytest.param(f'<think>Begin with {{"axes": </think>{TEXT}', id="after thinking of half a verdict"),
        pytest.param(f"Perhaps {OTHER}? No.\n</think>\n{TEXT}", id="after thinking whose beginning is not sent"),
        pytest.param(f"{TEXT}\n{TEXT}", id="twice the same"),
        pytest.param(f"Draft: {TEXT} Final: {json.dumps(VERDICT, sort_keys=True)}", id="the same in another order"),
        pytest.param(TEXT[:-1] + ', "quality": 60}', id="a name given twice with the same value"),
        pytest.param(f"{TEXT}\x00", id="before a null byte"),
    ],
)
def test_a_verdict_is_read(text: str) -> None:
    assert json_object(text) == VERDICT


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param("", NO_OBJECT, id="nothing"),
        pytest.param("Good: 4/5.", NO_OBJECT, id="prose"),
        pytest.param("70", NO_OBJECT, id="a number"),
        pytest.param(f"[{TEXT}]", NO_OBJECT, id="a list"),
        pytest.param(f"```json\n[\n{TEXT}\n]\n```", NO_OBJECT, id="a list in a code block"),
        pytest.param(json.dumps(TEXT), NO_OBJECT, id="an object within a string"),
        pytest.param(f"So: {json.dumps(TEXT)}", NO_OBJECT, id="an object within a string in prose"),
        pytest.param('<think>Perhaps {"quality": 100}.', STILL_THINKING, id="only thinking"),
        pytest.param(TEXT[:-1], CUT_OFF, id="cut off before the end"),
        pytest.param(TEXT[:40], CUT_OFF, id="cut off in a string that quotes an object"),
        pytest.param('{"rationale": "\\', CUT_OFF, id="cut off in an escape"),
        pytest.param(f"The response says {OTHER}, so: {TEXT[:-1]}", CUT_OFF, id="cut off after a quoted verdict"),
        pytest.param(f"The response says {OTHER}, so: {{", CUT_OFF, id="cut off at the first brace"),
        pytest.param(f"The response says {OTHER}, so: {TEXT[:4]}", CUT_OFF, id="cut off in the first name"),
        pytest.param(f"The response says {OTHER}, so: {TEXT[:7]}", CUT_OFF, id="cut off after the first name"),
        pytest.param(f"{OTHER} {TEXT}", SEVERAL, id="two verdicts"),
        pytest.param('{"quality": 1} {"quality": true}', SEVERAL, id="two verdicts that Python holds equal"),
        pytest.param(f"{TEXT} </think> ", NO_OBJECT, id="a verdict that was only thought"),
        pytest.param('{"axes":' * 5_000 + "1" + "}" * 5_000, TOO_DEEP, id="deep objects"),
        pytest.param('{"axes": ' + "[" * 600 + "]" * 600 + "}", TOO_DEEP, id="lists that Python reads"),
        pytest.param('{"axes": ' + "[" * 100_000 + "]" * 100_000 + "}", TOO_DEEP, id="deep lists"),
        pytest.param("[" * 100_000, NO_OBJECT, id="many brackets"),
    ],
)
def test_what_is_no_single_object_is_refused_with_its_reason(text: str, why: str) -> None:
    assert json_object(text) == why


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"quality": 60,}', id="a comma too many"),
        pytest.param("{'quality': 60} {\"quality\": 'high'}", id="single quotes"),
        pytest.param('{"quality": 60 // good\n}', id="a comment"),
        pytest.param('{"quality": NaN}', id="NaN"),
        pytest.param('{"quality": -Infinity}', id="infinity"),
        pytest.param('{"quality": 1e400}', id="a float out of range"),
        pytest.param('{"quality": ' + "9" * 5_000 + "}", id="an integer of 5,000 digits"),
        pytest.param('{"rationale": "one\ntwo"}', id="a line end in a string"),
        pytest.param(f'{{"quality": 60,}} {TEXT}', id="a broken object before a whole one"),
        pytest.param(f'{{"axes": oops {{}}, "response": {TEXT}}}', id="a whole object within a broken one"),
    ],
)
def test_json_that_is_not_well_formed_is_refused_and_nothing_in_it_is_read(text: str) -> None:
    found = json_object(text)
    assert isinstance(found, str)
    assert found.startswith("no JSON: ")


@pytest.mark.parametrize("text", ['{"quality": 10, "quality": 90}', '{"axes": {"quality" : 1, "quality": true}}'])
def test_a_name_given_twice_with_different_values_is_ambiguous(text: str) -> None:
    assert json_object(text) == "ambiguous: 'quality' is given twice, with different values"


def test_colons_and_escapes_in_strings_do_not_hide_a_repeated_name() -> None:
    """Names are counted by their colons first; every way to have more or fewer colons must lead to the same end."""
    for extra in ('"a": ":"', r'"a": "\u003a"', '"a": {}', '"a": [{"b": 1}]', r'"\u003a": ""'):
        assert str(json_object(f'{{"quality": 1, "quality" :2, {extra}}}')).startswith("ambiguous")
        assert isinstance(json_object(f'{{"quality": 1, {extra}}}'), dict)


@given(st.dictionaries(st.text(), JSON, min_size=1, max_size=5), st.sampled_from(["", "```json\n", "Here:\n"]))
def test_any_object_is_read_as_what_it_is_with_and_without_text_around(body: dict[str, Any], before: str) -> None:
    assert json_object(before + json.dumps(body)) == body


@given(st.text('{}[]":,\\ a1\n') | st.lists(st.sampled_from(['{"a":', "1", "}", "</think>", '"', "[{"])).map("".join))
def test_any_text_is_an_object_or_has_a_reason(text: str) -> None:
    assert isinstance(json_object(text), (dict, str))


@pytest.mark.parametrize(
    "piece", ["{", '{"', '{"a":', "[{", "{ ", '"', '\\"', "</think>", "<think>", "{}", '{"a":1}', "[ ", "```json\n"]
)
@pytest.mark.parametrize("start", ["", '{"', '{"a": "', "<think>", "[{"])
def test_a_long_reply_is_read_in_linear_time(start: str, piece: str) -> None:
    """Were any of these read in quadratic time, the suite would not come to its end."""
    assert json_object(start + piece * (LONG // len(piece)) + " ") is not None


def test_the_repair_turn_names_each_fault_and_asks_for_the_object_alone() -> None:
    said = repair_message(Reply({}, {"truth": "'9' is not an integer from 1 to 5", "quality": "missing"}, ""))
    assert "- truth: '9' is not an integer from 1 to 5\n- quality: missing\n" in said
    assert "only the JSON object" in said
