"""Records of older versions have the thinking in their text: checks, keys and judges see the answer alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.benchmarks import write_benchmark

from nullbench_site.evaluation.backends import backends
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.targets import Selection, Target
from nullbench_site.runs.records import Response
from nullbench_site.specs.load import load_benchmark

THOUGHT = "They want me to think aloud about zebras. "
SAID = "The loop ends one too early.\n\n1. Fix it."


def answered(target: Target, builder: RequestBuilder, text: str) -> Response:
    key = builder.response_request(target).key()
    made: dict[str, Any] = {"state": "answered", "error": None, "started_at": "", "seconds": 1.0}
    return builder.checked(target, Response(key=key, **target.dimensions, text=text, **made))


@pytest.mark.parametrize("protocol", ["rubric", "oracle", "axes"])
@pytest.mark.parametrize("text", [f"<think>{THOUGHT}</think>\n{SAID}", f"{THOUGHT}\n</think>\n\n{SAID}"])
def test_judges_and_checks_see_the_answer_alone(protocol: str, text: str, tmp_path: Path) -> None:
    builder = RequestBuilder(load_benchmark(write_benchmark(tmp_path / "b", protocol)), backends())
    targets = [each for each in builder.targets(Selection()) if each.placed.is_last_turn and not each.is_probe][:3]
    for target in targets:
        plain, thoughtful = (answered(target, builder, said) for said in (SAID, text))
        assert thoughtful.text == text, "the record stays as it is"
        assert thoughtful.checks == plain.checks
        seen = [
            [call.request.key() for call in builder.judge_calls(target, response, {})]
            for response in (plain, thoughtful)
        ]
        assert seen[0] == seen[1]
        assert protocol == "oracle" or seen[0]
