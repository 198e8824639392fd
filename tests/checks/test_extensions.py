"""A check of another package is used like ours: in a spec, its schema, a run of checks, and records."""

from __future__ import annotations

from pathlib import Path

from support.packages import install, run_with

SHOUTING = '''
from nullbench_site.checks import Check, ResponseText, Result, failed, verdict


class Shouting(Check, frozen=True, tag="shouting"):
    """Parameters of shouting."""

    title = "Shouting"
    looks_at = "Exclamation marks."
    cannot_see = "Capital letters."

    most: int = 0

    def check(self, response: ResponseText) -> Result:
        """Fails where there are more marks than may be."""
        marks = response.text.count("!")
        return failed("shouts", f"{marks} exclamation marks, at most {self.most}") if marks > self.most else verdict()
'''
ENTRIES = "[nullbench_site.checks]\nshouting = stranger:Shouting\n"
SCRIPT = """
import json
import msgspec
import stranger
from nullbench_site.checks.registry import AUTOMATIC, CHECKS
from nullbench_site.extensions import origin
from nullbench_site.protocols.rubric.judging import checked
from nullbench_site.protocols.rubric.specs import RubricText
from nullbench_site.runs.records import Response
from nullbench_site.specs.schema import json_schema

TEXT = {"id": "one", "salt": "0" * 64, "prompt": "Greet.", "ideal": "Hello.", "criteria": ["greets"]}

def read(*checks):
    return msgspec.convert({**TEXT, "checks": checks}, RubricText).checks

def problem(*checks):
    try:
        read(*checks)
    except msgspec.ValidationError as error:
        return str(error)

checks = read({"type": "shouting", "most": 1}, {"type": "word-count", "target": 2, "tolerance": 1})
response = Response("", "board", "model", "one", "verbatim", 0, "answered", "Hello you!!", None, "", 0.0)
print(json.dumps({
    "type": type(checks[0]) is CHECKS["shouting"] is stranger.Shouting,
    "listed": list(AUTOMATIC)[-1],
    "origin": origin("checks", "shouting"),
    "schema": "Parameters of shouting." in json.dumps(json_schema("rubric-text")),
    "problem": problem({"type": "shouting", "least": 1}),
    "found": [[each.type, each.outcome, *each.flags] for each in checked(response, checks).checks],
}))
"""
BROKEN = """
import json
from nullbench_site.errors import UsageError
try:
    import nullbench_site.checks.registry
except UsageError as error:
    print(json.dumps(str(error)))
"""


def test_a_check_of_another_package_is_used_like_ours(tmp_path: Path) -> None:
    install(tmp_path, "stranger", SHOUTING, ENTRIES)
    assert run_with(tmp_path, SCRIPT) == {
        "type": True,
        "listed": "shouting",
        "origin": "stranger 1.0",
        "schema": True,
        "problem": "Object contains unknown field `least` - at `$.checks[0]`",
        "found": [
            ["shouting", "failed", "shouts: 2 exclamation marks, at most 1"],
            ["word-count", "passed"],
        ],
    }


def test_what_is_registered_as_a_check_must_be_one_of_that_name(tmp_path: Path) -> None:
    install(tmp_path, "stranger", SHOUTING, ENTRIES.replace("shouting =", "yelling ="))
    message = "stranger 1.0 registers 'yelling' among checks, but it is not a Check with that tag"
    assert run_with(tmp_path, BROKEN) == message
