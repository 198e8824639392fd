"""A program of another package, and what its author is told of wrong fields and params."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pytest
from msgspec import Meta, Struct
from support.packages import install, run_with

from nullbench_site.programs.program import read

SHOUT = """
from typing import Annotated
from msgspec import Meta, Struct
from nullbench_site.programs import Prompt, contestant, judge


class Marks(Struct, forbid_unknown_fields=True):
    marks: Annotated[int, Meta(ge=1)] = 1


class Conversation(Struct):
    turns: tuple[str, ...]


@contestant(Prompt, Conversation, params=Marks)
def shout(asked, params):
    words = asked.prompt if isinstance(asked, Prompt) else asked.turns[-1]
    return words.upper() + "!" * params.marks


class Shown(Struct):
    response: str


@judge(Shown)
def loudness(case):
    return str(case.response.count("!"))
"""
ENTRIES = "[nullbench_site.programs]\nshout = stranger:shout\nloudness = stranger:loudness\n"
SCRIPT = """
import asyncio, json
from nullbench_site import programs
from nullbench_site.evaluation.backends.programs import ProgramsBackend

backend = ProgramsBackend()
print(json.dumps({
    "contestant": [name in backend.contestants for name in ("shout", "loudness", "lead")],
    "judge": [name in backend.judges for name in ("shout", "loudness", "form")],
    "of prompts": ["shout" in backend.contestants_for(protocol) for protocol in ("axes", "rubric", "oracle")],
    "of turns": sorted(programs.contestants_reading(["turns", "tools"])),
    "judges": "loudness" in programs.judges_reading(["prompt", "response"]),
    "reply": programs.reply("shout", {"marks": 2}, {"prompt": "Hello", "further": 1}),
    "turn": programs.reply("shout", {}, {"turns": ["Hello", "Bye"]}),
    "verdict": programs.reply("loudness", {}, {"response": "BYE!"}),
    "problem": backend.params_problem("shout", {"marks": 0}),
}))
"""
BROKEN = """
import json
from nullbench_site import programs
from nullbench_site.errors import UsageError
try:
    programs.all_programs()
except UsageError as error:
    print(json.dumps(str(error)))
"""


def test_a_program_of_another_package_is_used_like_ours(tmp_path: Path) -> None:
    install(tmp_path, "stranger", SHOUT, ENTRIES)
    assert run_with(tmp_path, SCRIPT) == {
        "contestant": [True, False, True],
        "judge": [False, True, True],
        "of prompts": [False, True, True],
        "of turns": ["shout"],
        "judges": True,
        "reply": "HELLO!!",
        "turn": "BYE!",
        "verdict": "1",
        "problem": "param 'marks' must be a whole number >= 1, not 0",
    }


def test_what_is_registered_as_a_program_must_be_one(tmp_path: Path) -> None:
    install(tmp_path, "stranger", SHOUT, ENTRIES.replace(":shout", ":Marks"))
    assert run_with(tmp_path, BROKEN) == "stranger 1.0 registers 'shout' among programs, but it is no Program"


class Turn(Struct, forbid_unknown_fields=True):
    role: str
    weight: Annotated[int, Meta(ge=0, le=9)] = 1


class Conversation(Struct, forbid_unknown_fields=True):
    turns: tuple[Turn, ...]
    scores: dict[str, int] = {}
    share: Annotated[float, Meta(le=1)] = 0.5
    name: Annotated[str, Meta(min_length=1)] = "a"

    def __post_init__(self) -> None:
        if len(self.turns) > 2:
            raise ValueError("at most two turns")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "field 'turns' is missing; it must be a list of mappings"),
        ({"turns": [{}]}, "field 'turns[0].role' is missing; it must be text"),
        ({"turns": [{"role": "a", "rol": 1}]}, "unknown field 'turns[0].rol'; known: role, weight"),
        ({"turns": [{"role": "a"}, {"role": 5}]}, "field 'turns[1].role' must be text, not 5"),
        ({"turns": [{"role": "a", "weight": 10}]}, "field 'turns[0].weight' cannot be 10: Expected `int` <= 9"),
        ({"turns": [], "share": 2.0}, "field 'share' cannot be 2.0: Expected `float` <= 1.0"),
        ({"turns": [], "share": "much"}, "field 'share' cannot be 'much': Expected `float`, got `str`"),
        ({"turns": [], "name": ""}, "field 'name' cannot be '': Expected `str` of length >= 1"),
        ({"turns": [], "scores": {"a": "b"}}, "field 'scores[...]' must be a whole number"),
        ({"turns": [{"role": "a"}] * 3}, "wrong fields: at most two turns"),
    ],
)
def test_a_mistake_is_told_with_its_place(given: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError) as mistake:
        read(Conversation, given, "field")
    assert str(mistake.value) == message
