"""Files of answers, ours and AlpacaEval's: what is read from them, and every problem at its line."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.interop import answers
from nullbench_site.interop.answers import read_answers_file
from nullbench_site.interop.importer import AnswersFile

_TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
_ANSWERS = st.fixed_dictionaries(
    {"item": _TEXTS, "text": _TEXTS},
    optional={
        "sample": st.integers(0, 2**53 - 1),
        "seconds": st.floats(0, 1e9) | st.none(),
        "input_tokens": st.integers(0, 2**53 - 1) | st.none(),
        "output_tokens": st.integers(0, 2**53 - 1) | st.none(),
        "finish": st.sampled_from(["stop", "length", "content_filter", "refusal", "tool_calls"]) | st.none(),
    },
)


def read(raw: bytes) -> AnswersFile:
    return read_answers_file("a.jsonl", raw)


def problems(raw: bytes) -> list[str]:
    return list(map(str, read(raw).problems))


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\x1f\x8b\x08\x00\n\xff\n\xfe\n",
        b"item,text\na,b\nc,d\n",
        b'[{"item":\n"a",\n',
        b"# Answers\n\n- one\n- two\n",
        b"<html>\n<body>\n</body>\n",
    ],
)
def test_a_file_of_another_kind_has_one_problem(raw: bytes) -> None:
    assert len(problems(raw)) == 1


@given(st.lists(_ANSWERS, min_size=1), st.booleans(), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_any_json_is_read_back(answers: list[dict[str, Any]], mark: bool, end: str, escaped: bool) -> None:
    lines = (json.dumps(answer, ensure_ascii=escaped) + end for answer in answers)
    found = read(b"\xef\xbb\xbf" * mark + "".join(lines).encode())
    assert not found.problems
    assert [(each.item, each.text, each.sample) for each in found.answers] == [
        (answer["item"], answer["text"], answer.get("sample", 0)) for answer in answers
    ]
    assert [(each.seconds, each.input_tokens, each.output_tokens, each.ended) for each in found.answers] == [
        (answer.get("seconds"), answer.get("input_tokens"), answer.get("output_tokens"), answer.get("finish") or "stop")
        for answer in answers
    ]


@given(st.binary(max_size=200) | st.text(alphabet='{}[]":,\\u0dnitem\n 1').map(str.encode))
def test_any_bytes_are_answers_or_problems_but_never_an_exception(raw: bytes) -> None:
    found = read(raw)
    assert found.answers or found.problems


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b'{"item": "a"}', ":1: text: the key is missing; write it, with its value"),
        (b'{"item": "a", "text": null}', ":1: text: found null; expected str | array"),
        (b'{"item": ["a"], "text": "b"}', ":1: item: found array; expected str"),
        (b'{"item": "a", "text": "b", "sample": true}', ":1: sample: found bool; expected int | null"),
        (b'{"item": "a", "text": "b", "sample": -1}', ":1: sample: expected int >= 0"),
        (b'{"item": "a", "text": "b", "seconds": 1e999}', ":1: seconds: number out of range"),
        (b'{"item": "a", "text": "b", "seconds": NaN}', ":1: not JSON: NaN, Infinity and half a character (\\ud800 to "
         "\\udfff without its other half) are not allowed"),
        (b'{"item": "a", "text": "b", "output_tokens": 1.5}', ":1: output_tokens: found float; expected int | null"),
        (b'{"item": "a", "text": "b", "finish": "stopp"}', ":1: finish: found 'stopp'; did you mean 'stop'? known: "
         "content_filter, length, refusal, stop, tool_calls"),
        (b'{"item": "a", "text": "b", "response_id": "x\\u001b"}', ":1: response_id: the id has a control character"),
        (b'{"item": "a", "text": "b", "\\u001b[31m": 1}', ":1: unknown key '\\x1b[31m'; known: finish, input_tokens, "
         "item, output_tokens, reasoning, reasoning_content, response_id, sample, seconds, text"),
        (b'{"item": "a", "text": "\\udead"}', ":1: not JSON: NaN, Infinity and half a character (\\ud800 to "
         "\\udfff without its other half) are not allowed"),
        (b'{"item": "\xc3\xa9\xff"}', ":1: byte 0xff is not UTF-8; save the file with the encoding UTF-8"),
        (b'{"item": "a", "text": "b"', ":1: not JSON: expecting ',' delimiter at column 26"),
        (b'"text"', ":1: found str; expected object"),
        (b'{"item": "a", "text": "b", "text": "c"}', ":1: duplicate key 'text'; keep one"),
        (b'{"item": "a", "text": "b"} {}', ":1: not JSON: extra data at column 28"),
        (b" \r\n", ": the file has no answer; write one object per line, with item and text"),
        (b'{"item": ' + b"[" * 200_000, ":1: values are nested too deeply; write them in fewer levels"),
        (b'{"item": "a", "text": "b", "sample": ' + b"9" * 5000 + b"}", ":1: a number has more than 4300 digits; "
         "write a smaller number, or quote it if it is text"),
    ],
)  # fmt: skip
def test_each_mistake_is_reported_with_its_line_and_key(line: bytes, problem: str) -> None:
    assert problems(line) == [f"a.jsonl{problem}"]


def test_every_bad_line_is_reported_and_the_good_ones_are_read() -> None:
    raw = b'{"item": "a", "text": "b"}\n\nnothing\r\n{"item": 1, "text": 2}\n{"item": "instruction", "text": "d"}\n'
    found = read(raw)
    assert [(problem.line, problem.path) for problem in found.problems] == [(3, ""), (4, "item"), (4, "text")]
    assert [(answer.item, answer.line) for answer in found.answers] == [("a", 1), ("instruction", 5)]
    assert found.lines == 5


def test_a_huge_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "MAX_BYTES", 10)
    assert problems(b'{"item": "a", "text": "b"}')[0].startswith("a.jsonl: the file has more than 0 MB")


def test_alpaca_eval_s_list_is_read_with_its_lines_and_its_generator() -> None:
    entries = [
        {"dataset": "x", "instruction": "Do\nthis.", "output": "Done.", "generator": "gpt4", "datasplit": 1},
        {"instruction": "And that.", "output": "", "generator": "gpt4", "avg_time_per_example": None},
    ]
    found = read(json.dumps(entries, indent=2).encode())
    assert not found.problems
    assert found.generator == "gpt4"
    assert [(each.item, each.prompt, each.text, each.line) for each in found.answers] == [
        (None, "Do\nthis.", "Done.", 2),
        (None, "And that.", "", 9),
    ]


def test_equal_entries_of_a_list_have_their_own_lines() -> None:
    found = read(b'[{"instruction": "a",\n"output": "b"},\n{"instruction": "a",\n"output": "b"}]')
    assert [each.line for each in found.answers] == [1, 3]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("[]", [": the file has no answer; write one object per line, with item and text"]),
        ("[1]", [":1: found int; expected object"]),
        ('[\n{"instruction": "a", "output": "b", "output": "c"}]', [":2: duplicate key 'output'; keep one"]),
        ('[{"instruction": "a", "output": "b"}', [":1: not JSON: expecting ',' delimiter at column 37"]),
        (
            '[{"instruction": "a", "output": "b", "generator": "x"},\n {"instruction": "c", "output": "d", '
            '"generator": "y"},\n {"instruction": 5}]',
            [
                ":2: generator: found 'y', but 'x' in earlier answers; import the answers of one model at a time",
                ":3: instruction: found int; expected str",
                ":3: output: the key is missing; write it, with its value",
            ],
        ),
    ],
)
def test_mistakes_of_a_list_are_reported_with_their_lines(raw: str, expected: list[str]) -> None:
    assert problems(raw.encode()) == [f"a.jsonl{problem}" for problem in expected]
