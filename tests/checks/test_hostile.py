"""Every check on texts that no honest model writes: it answers, the same each time, and says nothing of theirs."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from checks.examples import run_check
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.checks import PARAMS
from nullbench_site.checks import Check
from nullbench_site.checks.registry import run_checks

MEGABYTE = 1_000_000
TEXTS = {
    "a megabyte of one word": "a" * MEGABYTE,
    "a megabyte of blanks and a bullet": "- " + " " * MEGABYTE + "x",
    "100,000 lines": "- one of many\n" * 100_000,
    "100,000 empty lines and a word": "\n" * 100_000 + "word",
    "100,000 fences": "```\n" * 100_000,
    "control characters": "".join(map(chr, range(32))) * 100 + "x",
    "right to left": "\u202e\u05e9\u05dc\u05d5\u05dd \u0639\u0627\u0644\u0645\u061f \u200f1\u0663 " * 1000,
    "JSON 10,000 deep": "[" * 10_000 + "]" * 10_000,
    "objects 10,000 deep": '{"a":' * 10_000 + "1" + "}" * 10_000,
    "quotes 10,000 deep": ">" * 10_000 + " text",
    "lists 1,000 deep": "\n".join("  " * at + "- item" for at in range(1000)),
    "halves of characters": "\ud800\udfff text \udc00",
    "null characters": "\0word\0" * 1000,
    "commas in figures": "1" + ",111" * 100_000,
    "100,000 parts of what is no number": "1.1," * 50_000 + "1x",
    "100,000 dots before a letter": "." * 100_000 + "x",
    "marks at ends": "a." + "\"')]*_" * 100_000,
    "unclosed boxes": "\\boxed{" * 100_000,
    "p-values": "p = p = p- p_value " * 50_000,
    "cells": "|a|b|\n|-|-|\n|" + "`\\|" * 200_000,
    "gaps": "there is not no can could i will " * 30_000,
    "a ligature that grows": "\ufdfa" * 50_000,
    "a megabyte from right to left": "\u202e\u05e9\u05dc\u05d5\u05dd \u0639\u0627\u0644\u0645\u061f \u200f" * 70_000,
    "a megabyte of control characters": "\x00\x01\x1b\x7f" * 250_000 + "x",
    "a megabyte of letters in fonts": "".join(chr(0x1D400 + at % 900) for at in range(MEGABYTE)),
    "a megabyte of quotes": "\"'`.)*" * 160_000 + "x",
    "a megabyte of claims": "it is not a bug if there is no such thing as p = 0.15 " * 18_000,
    "a megabyte of thousands": "1,000,000 " * 100_000,
    "a megabyte of code": "```python\n" + "x = f'{a}{b!r:>{c}}'\n" * 50_000,
}


@pytest.mark.parametrize("size", [200_000, pytest.param(2 * MEGABYTE, marks=pytest.mark.sweep)])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_every_check_answers(text: str, size: int) -> None:
    for result in run_checks(text[:size], PARAMS):
        assert (result.outcome == "passed") == (not result.flags)
        assert all(len(flag.sentence) < 300 for flag in result.flags)


@pytest.mark.parametrize("text", ["", " \n\t ", "\0\x01\x1b", "\u200b\u200f\ufeff", "\n" * 1000])
@pytest.mark.parametrize("params", PARAMS, ids=lambda params: params.__struct_config__.tag)
def test_a_response_without_text_fails_every_check(text: str, params: Check) -> None:
    result = run_check(text, params)
    assert (result.outcome, [flag.id for flag in result.flags]) == ("failed", ["empty"])


_MARKDOWN = ("```python\n", "```\n", "\n\n", "- ", "1. ", "| a | b |\n|---|---|\n", "> ", "**", "`")
_TEXT = (
    "def f(): pass\n",
    '{"a": 1}',
    "not ",
    "no. ",
    "I can't help",
    "p = 0.15",
    "\\boxed{6}",
    "? ",
    "there is no bug",
)
_PIECES = st.sampled_from((*_MARKDOWN, *_TEXT, "\u202e", "\0", "\ud800"))


@given(st.lists(_PIECES | st.text(max_size=20), max_size=30).map("".join))
def test_any_text_gets_a_result_and_always_the_same(text: str) -> None:
    first = run_checks(text, PARAMS)
    assert first == run_checks(text, PARAMS)
    assert first == [run_check(text, params) for params in PARAMS]


def test_no_flag_repeats_the_response() -> None:
    canary = "xyzzyplugh"
    text = f'# {canary}\n\n- {canary}?\n\n```python\n{canary}(:\n```\n\n| {canary} | b |\n|-|-|\n\n{{"{canary}": 1}}'
    shapes = [text, f"```json\n{text}\n```", f'{{"{canary}": "{canary}"}}', f"```python\nimport {canary}\n```"]
    said = [str(flag) for shape in shapes for result in run_checks(shape, PARAMS) for flag in result.flags]
    assert len(said) > len(PARAMS)
    assert not any(canary in sentence for sentence in said)


def test_results_do_not_depend_on_how_strings_are_hashed() -> None:
    code = (
        "from benchmarks.checks import PARAMS, SHAPES\n"
        "from nullbench_site.checks.registry import run_checks\n"
        "print([run_checks(shape(3000), PARAMS) for shape in SHAPES.values()])"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in "123"
    }
    assert len(seen) == 1
