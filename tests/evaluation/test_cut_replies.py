"""When a judge is stopped because its token limit cuts most of its replies, and what the user is told."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace
from support.endpoints import judge

from nullbench_site.evaluation.backends.base import BuildContext
from nullbench_site.evaluation.cost import Budget
from nullbench_site.evaluation.cut_replies import CutReplies
from nullbench_site.evaluation.endpoints.asker import EndpointAsker
from nullbench_site.runs.records import Judgment
from nullbench_site.specs.types import Decoding

CUT = {"ended": "length", "invalid": {"reply": "no JSON: it is cut off"}, "raw": '{"a', "state": "unparsed"}
THOUGHT = {**CUT, "raw": "", "reasoning": "Let me see."}
WHOLE = {"output_tokens": 180}
UNREADABLE = {"invalid": {"reply": "no JSON object"}, "state": "unparsed"}
LONG = {"ended": "length", "output_tokens": 200}
"""At the limit, but with a valid score."""
FAILED = {"state": "errored", "error": "no answer"}


class _Asker(EndpointAsker):
    def __init__(self) -> None:
        self.stopped: list[str] = []

    def stop(self, why: str) -> None:
        self.stopped.append(why)


def judgment(**more: Any) -> Judgment:
    fields = {
        "key": "k", "board": "b", "model": "m", "item": "i", "template": "t", "sample": 0, "judge": "j",
        "judge_template": None, "position": None, "state": "scored", "scores": {}, "invalid": {}, "rationale": "",
        "raw": None, "error": None, "started_at": "", "seconds": 1.0,
    }  # fmt: skip
    return Judgment(**{**fields, **more})


def stops(
    folder: Path, *replies: dict[str, Any], most: int | None = 200, asker: object = None, **question: Any
) -> list[str]:
    """What the judge is told when these replies came."""
    who = replace(judge(), id="strict", decoding=Decoding(max_tokens=most))
    call: Any = SimpleNamespace(judge=who, question=SimpleNamespace(**question))
    chosen = asker or _Asker()
    counted = CutReplies(BuildContext(folder, Budget()))
    for reply in replies:
        counted.add(call, chosen, judgment(**reply))
    return chosen.stopped if isinstance(chosen, _Asker) else []


@pytest.mark.parametrize(
    ("replies", "most", "words"),
    [
        ([CUT] * 10, 200, "10 of its 10 replies were cut by max_tokens 200 and have no valid score; none was whole, so "
         "they need more than 200 tokens; raise max_tokens, for example to 800, and build again"),
        ([WHOLE] * 4 + [CUT] * 6, 200, "6 of its 10 replies were cut by max_tokens 200 and have no valid score; the "
         "longest whole reply had 180 tokens; raise max_tokens, for example to 800, and build again"),
        ([THOUGHT] * 10, 200, "raise max_tokens, for example to 800, or turn off its thinking in params, and build"),
        ([CUT] * 10, None, "cut by a limit of the server, since its decoding has no max_tokens; none was whole; set "
         "max_tokens, and build again"),
        ([CUT] * 10, 90_000, "raise max_tokens, for example to 100000, and build again"),
        ([WHOLE, CUT] * 5 + [CUT], 200, "6 of its 11 replies"),
    ],
)  # fmt: skip
def test_a_judge_whose_limit_cuts_more_than_half_of_ten_replies_is_stopped(
    tmp_path: Path, replies: list[dict[str, Any]], most: int | None, words: str
) -> None:
    (stop,) = stops(tmp_path, *replies, most=most)
    assert "judge 'strict' stopped: " in stop
    assert words in stop


@pytest.mark.parametrize(
    "replies",
    [
        [CUT] * 9,
        [WHOLE, CUT] * 10,
        [LONG] * 20,
        [UNREADABLE] * 20,
        [FAILED] * 20,
        [FAILED] * 10 + [CUT] * 9,
        [WHOLE] * 15 + [CUT] * 10,
    ],
)
def test_other_judges_go_on(tmp_path: Path, replies: list[dict[str, Any]]) -> None:
    assert stops(tmp_path, *replies) == []


def test_a_judge_whose_limit_is_one_token_by_design_goes_on(tmp_path: Path) -> None:
    assert stops(tmp_path, *[CUT] * 20, most=1, weigh=lambda: None) == []
