"""Who is asked about refusal, and what a judge is told."""

from __future__ import annotations

import msgspec
import pytest
from support.boards import AXES, benchmark, category, domain, response

from nullbench_site.judging.calls import JudgeTask
from nullbench_site.protocols.axes.judging import JUDGING, AxesQuestion, category_axes
from nullbench_site.specs.types import Gates

PROTOCOL = JUDGING
FIVE = ("anna", "ben", "cleo", "dora", "emil")


@pytest.mark.parametrize(
    ("judges", "sample", "asked"), [(1, None, 1), (2, None, 2), (3, None, 3), (5, None, 5), (5, 5, 5), (5, 2, 4)]
)
def test_every_judge_is_asked_or_fewer_where_the_spec_says_so(judges: int, sample: int | None, asked: int) -> None:
    """Never fewer than have to vote: ceil(2N/3), 4 of 5."""
    panel = benchmark(judges=FIVE[:judges], gates=Gates(sample=sample)).panels["panel"]
    chosen = PROTOCOL.gate_judges(panel, panel.judges, response())
    assert len(chosen) == asked
    assert set(chosen) <= set(panel.judges)


def test_where_a_judge_may_not_score_its_family_the_others_are_asked() -> None:
    panel = benchmark().panels["panel"]
    assert PROTOCOL.gate_judges(panel, ["cleo"], response()) == ("cleo",)


def test_the_same_request_and_response_are_put_before_the_same_judges() -> None:
    panel = benchmark(judges=FIVE).panels["panel"]
    assert PROTOCOL.gate_judges(panel, FIVE, response()) == PROTOCOL.gate_judges(panel, FIVE[::-1], response())


def test_another_text_and_another_request_each_draw_anew() -> None:
    """Of 3 judges 2 are asked: were the draw blind to text or request, all 40 would be the same."""
    panel = benchmark(gates=Gates(sample=2)).panels["panel"]
    texts = {PROTOCOL.gate_judges(panel, panel.judges, response(text=f"Answer {n}.")) for n in range(40)}
    keys = {PROTOCOL.gate_judges(panel, panel.judges, response(f"item-{n}")) for n in range(40)}
    assert len(texts) == len(keys) == 3


def test_a_judge_is_told_the_goal_on_the_axes_of_the_category_and_the_answer_and_no_contestant() -> None:
    board = benchmark(domain("science", category("trials", "q", axes=(*AXES, "tone"))))
    placed = next(board.items(board.boards["main"]))
    task = JudgeTask(board.judges["anna"])
    fields = AxesQuestion(task, placed, category_axes(board, placed), "The answer.", gates=True).fields()
    assert fields["response"] == "The answer."
    assert fields["task"] == "Sum up."
    assert fields["goal"]["alignment_target"] == dict.fromkeys((*AXES, "tone"), 5)
    assert [axis["id"] for axis in fields["axes"]] == [*AXES, "tone"]
    assert fields["gates"] is True
    assert "model" not in msgspec.json.encode(fields).decode()
