"""The registry, what a spec may hold, and every key on texts that no honest model writes."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, get_args

import msgspec
import pytest
from answer_keys.examples import key
from checks.test_hostile import TEXTS
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.answer_keys import KEYS, AnyKey, Key, mark

SAMPLES = (
    key("multiple-choice", options={"A": "one thing", "B": "another thing"}, correct="B"),
    key("multiple-choice", options={"A": "one thing", "B": "another thing"}, correct=["A", "B"]),
    key("exact", accepted=["one thing"]),
    key("numeric", value=12, unit=["km"]),
    key("regex", pattern=r"(a+)+$|(\w+\s?)*b"),
    key("regex", pattern="(a|aa)+b", full=True),
    key("json-schema", schema={"type": "object", "required": ["a"], "patternProperties": {"(a+)+$": {}}}),
)
ATTACKS = {
    **TEXTS,
    "cues": "answer " * 50_000,
    "answers that differ": "Answer: A\nAnswer: B\n" * 25_000,
    "supposed answers": "if the answer is B " * 25_000,
    "answers to answers": "the answer to the answer of " * 20_000,
    "reversed answers": "A) is the answer " * 30_000,
    "thinking that never ends": "<think>" * 50_000,
    "thinking that only ends": "</think>" * 50_000,
    "letters": "A, " * 100_000,
    "fractions": "\\frac{1}{2}" * 30_000,
    "broken fractions": "\\frac{" * 50_000,
    "powers": "10^" * 50_000,
    "stars": "*" * 300_000,
    "quarters": "\u00bc" * 50_000,
    "circled letters": "\u24b7" * 50_000,
    "blocks of JSON": "```json\n{}\n```\n" * 10_000,
    "unclosed strings": '{"' * 50_000,
}
ASKED = "Which thing is the answer, or what is it, reversed?"
"""Words of this question are in the texts, so that claims in its words are looked for."""
IDS = [f"{sample.__struct_config__.tag}-{at}" for at, sample in enumerate(SAMPLES)]


@pytest.mark.parametrize("size", [20_000, pytest.param(2_000_000, marks=pytest.mark.sweep)])
@pytest.mark.parametrize("text", ATTACKS.values(), ids=ATTACKS.keys())
def test_every_key_marks_any_text(text: str, size: int) -> None:
    for sample in SAMPLES:
        marked = mark(text[:size], sample, asked=ASKED)
        assert marked.outcome in ("correct", "wrong", "invalid")
        assert (marked.answer is None) == (marked.outcome == "invalid")
        assert 0 < len(marked.why) < 300


_PIECES = st.sampled_from(
    [
        "Answer: ",
        "The answer is ",
        "A",
        "B",
        "12",
        "\\boxed{",
        "}",
        "\n",
        "**",
        "```json\n",
        "```\n",
        "{",
        "[1]",
        "<think>",
        "</think>",
        "is the answer",
        "or",
        "and",
        ",",
        ".",
        " ",
        "-",
        "/",
        "^",
        "%",
        "\u202e",
        "\0",
        "\ud800",
        '"',
        "if ",
    ]
)


@given(
    st.lists(_PIECES | st.text(max_size=10), max_size=30).map("".join),
    st.sampled_from(["", "What is the answer?", "Which option is not wrong: the answer in a line, or 4 of them?"]),
)
def test_any_text_is_marked_and_always_the_same(text: str, asked: str) -> None:
    for sample in SAMPLES:
        assert mark(text, sample, asked=asked) == mark(text, sample, asked=asked)


@given(st.text(max_size=60), st.text(max_size=30))
def test_thinking_in_tags_never_changes_the_mark(thought: str, said: str) -> None:
    hidden = thought.replace("<", "").replace(">", "")
    for sample in SAMPLES[:4]:
        assert mark(f"<think>{hidden}</think>\n{said}", sample) == mark(f"\n{said}", sample)


GROWING: dict[str, Callable[[int], str]] = {
    name: lambda size, text=text: text * (size // len(text))  # type: ignore[misc]
    for name, text in {
        "one word": "a",
        "blanks": " ",
        "cues": "answer to the ",
        "answers": "Answer: B or A\n",
        "boxes": "\\boxed{",
        "stars": "* ",
        "figures": "1,111",
        "thinking": "<think></think>",
        "reversed": "B is the ",
        "strings": '"a",',
        "claims": "The thing is not one thing, but it is another thing, so the answer is it; ",
    }.items()
}


@pytest.mark.parametrize("shape", GROWING.values(), ids=GROWING.keys())
@pytest.mark.parametrize("sample", SAMPLES, ids=IDS)
def test_ten_times_the_text_takes_about_ten_times_as_long(sample: Key, shape: Callable[[int], str]) -> None:
    def seconds(text: str) -> float:
        start = time.process_time()
        mark(text, sample, asked=ASKED)
        return time.process_time() - start

    mark("warm", sample)
    small, large = shape(20_000), shape(200_000)
    # Quadratic is 100; below a hundredth of a second the clock says nothing. Once may have been a bad moment.
    limit = 40 * max(min(seconds(small) for _ in range(2)), 0.01)
    assert any(seconds(large) < limit for _ in range(2))


def test_there_are_five_types_and_the_spec_knows_them_all() -> None:
    assert list(KEYS) == ["multiple-choice", "exact", "numeric", "regex", "json-schema"]
    assert set(KEYS.values()) == set(get_args(AnyKey))
    assert set(msgspec.json.schema(AnyKey)["discriminator"]["mapping"]) == set(KEYS)


def test_every_type_tells_what_it_sees_and_what_not() -> None:
    for type_ in KEYS.values():
        assert type_.title
        assert type_.looks_at.endswith(".")
        assert type_.cannot_see.endswith(".")


OPTIONS = {"A": "one", "B": "two"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"type": "multiple-choice", "options": OPTIONS}, "missing required field `correct`"),
        ({"type": "multiple-choice", "options": OPTIONS, "correct": "C"}, "correct names C, but the options are A, B"),
        ({"type": "multiple-choice", "options": OPTIONS, "correct": []}, "length >= 1"),
        ({"type": "multiple-choice", "options": OPTIONS, "correct": ["A", "A"]}, "names an option twice"),
        ({"type": "multiple-choice", "options": OPTIONS, "correct": "AB"}, "of length <= 1"),
        ({"type": "multiple-choice", "options": {"A": "one"}, "correct": "A"}, "length >= 2"),
        ({"type": "multiple-choice", "options": {"a": "one", "B": "two"}, "correct": "B"}, "matching regex"),
        ({"type": "multiple-choice", "options": {"A": "one", "B": "One."}, "correct": "B"}, "the same text"),
        ({"type": "exact", "accepted": []}, "length >= 1"),
        ({"type": "exact", "accepted": ["a\nb"]}, "has several lines"),
        ({"type": "exact", "accepted": [" . "]}, "nothing but punctuation"),
        ({"type": "numeric", "value": float("nan")}, "finite"),
        ({"type": "numeric", "value": 1, "tolerance": -1}, ">= 0"),
        ({"type": "numeric", "value": 1, "relative_tolerance": 1}, "< 1"),
        ({"type": "numeric", "value": 1, "unit": ["2m"]}, "not begin with a digit"),
        ({"type": "regex", "pattern": "(a"}, "'(a' is not a regular expression of RE2: missing )"),
        ({"type": "regex", "pattern": "ab)"}, "unexpected ): ab)"),
        ({"type": "regex", "pattern": "a**"}, "bad repetition operator: **"),
        ({"type": "regex", "pattern": "x(?=y)"}, "invalid perl operator: (?="),
        ({"type": "regex", "pattern": "(a)\\1"}, "invalid escape sequence: \\1"),
        ({"type": "regex", "pattern": "a\\"}, "trailing \\"),
        ({"type": "regex", "pattern": "(?:ab|cd|ef){900}"}, "is too large"),
        ({"type": "regex", "pattern": "\ud800"}, "half a character"),
        ({"type": "regex", "pattern": ""}, "length >= 1"),
        ({"type": "regexp", "pattern": "a"}, "Invalid value 'regexp'"),
        ({"type": "regex", "pattern": "a", "fully": True}, "unknown field `fully`"),
        ({"pattern": "a"}, "missing required field `type`"),
    ],
)
def test_a_wrong_key_is_refused_with_the_reason(given: dict[str, Any], message: str) -> None:
    with pytest.raises(msgspec.ValidationError) as refused:
        msgspec.convert(given, AnyKey)
    assert message in str(refused.value)


def test_a_key_survives_being_written_and_read() -> None:
    given = b'{"type":"multiple-choice","options":{"A":"one","B":"two"},"correct":["A","B"]}'
    assert msgspec.json.encode(msgspec.json.decode(given, type=AnyKey)) == given


def test_heavy_libraries_wait_until_a_key_needs_them() -> None:
    heavy = "{'jsonschema', 'referencing', 'numpy'}"
    code = f"import sys, nullbench_site.answer_keys; print({heavy} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert run.stdout.strip() == "set()"
