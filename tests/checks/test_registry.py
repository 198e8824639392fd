"""The registry, and what a spec may and may not hold."""

from __future__ import annotations

import re
import sys
import tomllib
from typing import Any, get_args

import msgspec
import pytest
from checks.examples import run_check
from msgspec.structs import replace
from support.commands import ROOT

from nullbench_site.checks import Check
from nullbench_site.checks.check import JudgedCheck
from nullbench_site.checks.patterns import pattern
from nullbench_site.checks.registry import AUTOMATIC, CHECKS, JUDGED, AnyCheck
from nullbench_site.checks.runnable_code import CodeRunnable
from nullbench_site.checks.wording import ResponseLength
from nullbench_site.protocols.rubric.judging import checked
from nullbench_site.runs.records import Response
from nullbench_site.specs.digest import sha256


def test_every_entry_is_a_check_and_those_that_programs_decide_come_first() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(CHECKS) == set(project["entry-points"]["nullbench_site.checks"])
    assert list(CHECKS) == [*AUTOMATIC, *JUDGED]
    assert set(CHECKS.values()) == set(get_args(AnyCheck))


def test_every_check_tells_what_it_sees_and_what_not() -> None:
    for check in CHECKS.values():
        assert check.title
        assert check.looks_at.endswith(".")
        assert check.cannot_see.endswith(".")
        assert check.automatic != issubclass(check, JudgedCheck)
    assert len({check.title for check in CHECKS.values()}) == len(CHECKS)


def test_every_parameter_stands_in_the_schema_by_its_type() -> None:
    schema = msgspec.json.schema(AnyCheck)
    assert set(schema["discriminator"]["mapping"]) == set(CHECKS)


def test_the_types_for_judges_do_not_apply() -> None:
    assert run_check("text", msgspec.convert({"type": "reasoning"}, AnyCheck)).outcome == "not-applicable"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"type": "banned-words"}, "missing required field `words`"),
        ({"type": "banned-words", "words": []}, "length >= 1"),
        ({"type": "banned-words", "words": ["..."]}, "'...' is not a pattern"),
        ({"type": "banned-words", "words": ["a .. b .. c .. d .. e"]}, "more than 3 gaps"),
        ({"type": "banned-words", "words": ["a-b|c"]}, "'a-b' is not one word"),
        ({"type": "banned-words", "words": ["a"], "word": 1}, "unknown field `word`"),
        ({"type": "banned_words", "words": ["a"]}, "Invalid value 'banned_words'"),
        ({"words": ["a"]}, "missing required field `type`"),
        ({"type": "response-length"}, "needs at least one of min_words, max_words"),
        ({"type": "response-length", "min_words": 5, "max_words": 4}, "min_words is more than max_words"),
        ({"type": "response-length", "max_words": "many"}, "Expected `int | null`, got `str`"),
        ({"type": "multi-step-verify"}, "needs at least one of number, answers"),
        ({"type": "constraint-check"}, "needs at least one of items"),
        ({"type": "refusal-check"}, "missing required field `should_refuse`"),
        ({"type": "table-format", "either_way": True}, "either_way needs columns and rows"),
        ({"type": "word-count-reduction", "original": "a b", "at_most": 0.2, "at_least": 0.5}, "at_least is more"),
        ({"type": "json-valid", "ranges": {"a": {"low": 0, "high": 1}}}, "ranges are for keys that are a number"),
        ({"type": "json-valid", "keys": {"a": "number"}, "ranges": {"a": {"low": 2, "high": 1}}}, "low is more"),
        ({"type": "code-runnable", "tests": "assert True"}, "tests need run: true"),
        ({"type": "code-runnable", "defines": ["a b"]}, "matching regex"),
        ({"type": "checklist"}, "missing required field `items`"),
        ({"type": "analysis", "items": []}, "unknown field `items`"),
    ],
)
def test_wrong_parameters_are_refused_with_the_reason(given: dict[str, Any], message: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=re.escape(message)):
        msgspec.convert(given, AnyCheck)


def test_parameters_survive_being_written_and_read() -> None:
    given = {"type": "word-count", "target": 200, "tolerance": 40}
    params = msgspec.convert(given, AnyCheck)
    assert isinstance(params, Check)
    assert msgspec.to_builtins(params) == given


def test_every_word_list_of_the_checks_is_made_of_patterns() -> None:
    modules = {sys.modules[check.__module__] for name, check in AUTOMATIC.items() if name != "code-runnable"}
    values = [value for module in modules for value in vars(module).values() if isinstance(value, tuple) and value]
    lists = [value for value in values if all(isinstance(text, str) for text in value)]
    assert len(lists) > 5
    for text in (text for texts in lists for text in texts):
        pattern(text)


class NewerLength(ResponseLength, frozen=True, tag="response-length"):
    """One that decides otherwise than it did."""

    revision = 9


def test_a_result_is_kept_until_the_check_is_of_another_revision() -> None:
    """The digest of a revision stands in records of every run, and does not change."""
    answer = Response("", "board", "model", "item", "verbatim", 0, "answered", "One two.", None, "", 0.0)
    first = checked(answer, [ResponseLength(max_words=1)])
    assert first.checks[0].params == sha256(b'[2,{"max_words":1,"type":"response-length"}]')[:16]
    assert checked(first, [ResponseLength(max_words=1)]) is first
    again = checked(first, [NewerLength(max_words=1)])
    assert again.checks[0].params != first.checks[0].params
    assert (again.checks[0].type, again.checks[0].outcome) == ("response-length", "failed")


def test_a_new_revision_of_one_check_keeps_the_results_of_its_neighbours() -> None:
    """The code of a response is not run again, and its result is not lost where none may be run."""
    answer = Response("", "board", "model", "item", "verbatim", 0, "answered", "One two.", None, "", 0.0)
    first = checked(answer, [ResponseLength(max_words=1), CodeRunnable(run=True)])
    recorded = replace(first.checks[1], outcome="passed", flags=("recorded",))
    again = checked(
        replace(first, checks=(first.checks[0], recorded)), [NewerLength(max_words=1), CodeRunnable(run=True)]
    )
    assert again.checks[0].params != first.checks[0].params
    assert again.checks[1] == recorded
