"""A program of another package, and what its author is told of wrong fields and params."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from programs.cases import TRIAL, fields
from programs.rubric_cases import QUEUE, rubric_fields
from support.packages import install, run_with

from nullbench_site import programs as offline

SHOUT = """
from typing import Annotated
from msgspec import Meta, Struct
from nullbench_site.programs import BarePrompt, contestant, judge


class Marks(Struct, forbid_unknown_fields=True):
    marks: Annotated[int, Meta(ge=1)] = 1


class Conversation(Struct):
    turns: tuple[str, ...]


@contestant(BarePrompt, Conversation, params=Marks)
def shout(asked, params):
    words = asked.prompt if isinstance(asked, BarePrompt) else asked.turns[-1]
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
    "of turns": sorted(programs.reading("contestant", ["turns", "tools"])),
    "judges": "loudness" in programs.reading("judge", ["prompt", "response"]),
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
        "problem": "param 'marks': expected int >= 1",
    }


def test_what_is_registered_as_a_program_must_be_one(tmp_path: Path) -> None:
    install(tmp_path, "stranger", SHOUT, ENTRIES.replace(":shout", ":Marks"))
    assert run_with(tmp_path, BROKEN) == "stranger 1.0 registers 'shout' among programs, but it is not a Program"


@pytest.mark.parametrize(
    ("program", "params", "fields", "message"),
    [
        ("leed", {}, {}, "unknown offline program 'leed'; known: agree, all-options, ask-back, attack, calculator"),
        ("lead", {}, {"prompt": "x"}, "wrong params: object missing required field k"),
        ("lead", {"k": 0}, {"prompt": "x"}, "param 'k': expected int >= 1"),
        ("lead", {"k": 2, "n": 1}, {"prompt": "x"}, "unknown param 'n'; known: k"),
        ("form", {"k": 1}, fields(TRIAL, ""), "unknown param 'k'; known: none"),
        ("copy", {}, {"task": "x"}, "wrong fields: object missing required field source"),
        ("textrank", {"k": 1}, {"prompt": "x"}, "wrong fields: object missing required field task"),
        ("form", {}, rubric_fields(QUEUE, ""), "wrong fields: object missing required field axes"),
        ("coverage", {}, {**rubric_fields(QUEUE, ""), "flags": [5]}, "field 'flags[0]': found int; expected str"),
        ("form", {}, fields(TRIAL, "", facts=[{"kind": "x", "keys": []}]), "field 'facts[0].kind': invalid enum value"),
        ("form", {}, fields(TRIAL, "", constraints={"lines": 2}), "field 'constraints': object contains unknown field"),
    ],
)
def test_a_wrong_name_param_or_field_is_reported(
    program: str, params: dict[str, object], fields: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        offline.reply(program, params, fields)
