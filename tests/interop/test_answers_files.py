"""Files of answers, ours and AlpacaEval's: what is read of them, and what is wrong with them at its place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.interop.answers.files import MAX_LINE, read_answers_file
from nullbench_site.interop.importer import BroughtFile

_TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
_ANSWERS = st.fixed_dictionaries(
    {"item": _TEXTS, "text": _TEXTS},
    optional={
        "sample": st.integers(0, 2**53),
        "seconds": st.floats(0, 1e9) | st.none(),
        "input_tokens": st.integers(0, 2**53) | st.none(),
        "output_tokens": st.integers(0, 2**53) | st.none(),
        "finish": st.sampled_from(["stop", "length", "content_filter", "refusal", "tool_calls"]) | st.none(),
    },
)


def read(raw: bytes) -> BroughtFile:
    return read_answers_file("a.jsonl", raw)


def wrong(raw: bytes) -> list[str]:
    return list(map(str, read(raw).problems))


@given(st.lists(_ANSWERS, min_size=1), st.booleans(), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_whatever_json_can_hold_is_read_back(
    answers: list[dict[str, Any]], mark: bool, end: str, escaped: bool
) -> None:
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
def test_any_bytes_are_answers_or_problems_and_never_an_exception(raw: bytes) -> None:
    found = read(raw)
    assert found.answers or found.problems
    assert all(problem.line >= 1 and problem.column >= 1 for problem in found.problems)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b'{"item": "a"}', "1:1: the key 'text' is missing; an answer has item and text"),
        (b'  {"text": "a"}', "1:3: the key 'item' is missing; an answer has item and text"),
        (b'{"item": "a", "text": null}', "1:23: found null; text is a text"),
        (b'{"item": "a", "text": 5}', "1:23: found 5; expected a text"),
        (b'{"item": ["a"], "text": "b"}', "1:10: found a list; expected a text"),
        (b'{"item": "a", "text": "b", "sample": true}', "1:38: found true; expected a whole number from 0 on"),
        (b'{"item": "a", "text": "b", "sample": -1}', "1:38: found -1; expected a whole number from 0 on"),
        (b'{"item": "a", "text": "b", "seconds": 1e999}', "1:39: found 1e999; expected a number of seconds from 0 on"),
        (b'{"item": "a", "text": "b", "seconds": NaN}', "1:39: NaN is no number of JSON; write null, or the number"),
        (b'{"item": "a", "text": "b", "output_tokens": 1.5}', "1:45: found 1.5; expected a whole number from 0 on"),
        (b'{"item": "a", "text": "b", "finish": "stopp"}', "1:38: found 'stopp'; did you mean 'stop'? known: "
         "content_filter, length, refusal, stop, tool_calls"),
        (b'{"item": "a", "text": "b", "txt": "c"}', "1:35: unknown key 'txt'; did you mean 'text'? known: "
         "finish, input_tokens, item, output_tokens, response_id, sample, seconds, text"),
        (b'{"item": "a", "text": "b", "\x1b[31m": 1}', "1:29: this is no JSON (invalid control character at)"),
        (b'{"item": "a", "text": "b", "\\u001b[31m": 1}', "1:42: unknown key '\\x1b[31m'; known: finish, "
         "input_tokens, item, output_tokens, response_id, sample, seconds, text"),
        (b'{"item": "a", "item": "b"}', "1:15: the key 'item' stands twice; keep one"),
        (b'{"item": "a", "text": "\x00"}', "1:24: this is no JSON (invalid control character at)"),
        (b'{"item": "a", "text": "\\udead"}', "1:23: half of a character, \\udead without its other half; "
         "write the character itself"),
        (b'{"item": "\xc3\xa9\xff"}', "1:12: byte 0xff is not UTF-8; save the file with the encoding UTF-8"),
        (b'{"item": "a", "text": "b"', "1:26: this is no JSON: a comma, or the } at the end of the object, is missing "
         "here"),
        (b'{"item": "a", "text": }', "1:23: this is no JSON (expecting value)"),
        (b'{"item": "a", }', "1:15: this is no JSON: a key belongs behind the comma"),
        (b"{item: 1}", "1:2: this is no JSON: a key in double quotes belongs here"),
        (b'{"item" "a"}', "1:9: this is no JSON: a colon belongs here"),
        (b'"text"', "1:1: this is no JSON object; an answer is one, with item and text"),
        (b'{"item": "a", "text": "b"} {}', "1:28: something follows the object; a line holds one"),
        (b"", "1:1: the file holds no answer; a line an answer belongs here, with item and text"),
        (b" \r\n", "1:1: the file holds no answer; a line an answer belongs here, with item and text"),
        (b'{"item": "a", "text": "' + b"x" * MAX_LINE, "1:1: the line has more than 4 MB; no answer is that long"),
        (b'{"item": ' + b"[" * 200_000, "1:10: values stand inside values without end; nobody's data do that"),
        (b'{"item": "a", "text": "b", "sample": ' + b"9" * 5000 + b"}",
         "1:38: found " + "9" * 57 + "...; expected a whole number from 0 on"),
    ],
)  # fmt: skip
def test_each_mistake_is_told_at_its_place(line: bytes, problem: str) -> None:
    assert wrong(line) == [f"a.jsonl:{problem}"]


def test_every_bad_line_is_told_at_once_and_the_good_ones_are_read() -> None:
    raw = b'{"item": "a", "text": "b"}\n\nnothing\r\n{"item": 1, "text": 2}\n{"item": "c", "text": "d"}\n'
    found = read(raw)
    assert [(problem.line, problem.column) for problem in found.problems] == [(3, 1), (4, 10), (4, 21)]
    assert [answer.item for answer in found.answers] == ["a", "c"]
    assert found.lines == 5


def test_alpaca_eval_s_list_is_read_with_its_places_and_whom_it_is_of() -> None:
    entries = [
        {"dataset": "x", "instruction": "Do\nthis.", "output": "Done.", "generator": "gpt4", "datasplit": 1},
        {"instruction": "And that.", "output": "", "generator": "gpt4", "avg_time_per_example": None},
    ]
    found = read(json.dumps(entries, indent=2).encode())
    assert not found.problems
    assert found.generator == "gpt4"
    assert [(each.item, each.prompt, each.text) for each in found.answers] == [
        (None, "Do\nthis.", "Done."),
        (None, "And that.", ""),
    ]
    assert [each.places[""] for each in found.answers] == [(4, 20), (10, 20)]


@pytest.mark.parametrize(
    ("raw", "problems"),
    [
        ("[]", ["1:1: the file holds no answer; a line an answer belongs here, with item and text"]),
        ("[1]", ["1:2: this is no JSON object; an answer is one, with item and text"]),
        ('[{"instruction": "a", "output": "b"}', ["1:37: a comma, or the ] at the end of the list, is missing here"]),
        ('[{"instruction": "a", "output": "b"}] x', ["1:39: something follows the list; the file holds one"]),
        (
            '[{"instruction": "a", "output": "b", "generator": "x"},\n {"instruction": "c", "output": "d", '
            '"generator": "y"},\n {"instruction": 5}]',
            [
                "2:51: the generator is 'y', and above it is 'x'; bring in the answers of one contestant at a time",
                "3:2: the key 'output' is missing; an answer has instruction and output",
                "3:18: found 5; expected a text",
            ],
        ),
    ],
)
def test_mistakes_of_a_list_are_told_at_their_places(raw: str, problems: list[str]) -> None:
    assert wrong(raw.encode()) == [f"a.jsonl:{problem}" for problem in problems]
