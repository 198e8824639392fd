"""Boards of games that cannot be played, each with its one message."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.benchmarks import edit
from support.pairwise_benchmark import write_live_pairwise, write_small_pairwise

from nullbench_site.errors import SpecError
from nullbench_site.specs.load import load_benchmark

BOARD = "boards/beside.yaml"


def problems(specs: Path) -> list[str]:
    with pytest.raises(SpecError) as found:
        load_benchmark(specs)
    return str(found.value).splitlines()[:-1]


@pytest.mark.parametrize(
    ("old", "new", "place", "says"),
    [
        ("baseline: essay", "baseline: refuse", "12:11", "baseline 'refuse' is not a contestant of the board; known:"),
        ("baseline: essay", "baseline: [essay, essay]", "12:19", "baseline 'essay' is listed twice; remove one"),
        ("baseline: essay", "baseline: []", "12:11", "expected"),
        ("[copy, essay, null-empty, paraphrase]", "[essay]", "11:14", "'essay' is the only contestant"),
        ("protocol: pairwise", "protocol: pairwise\njudging: marks", "8:10", "found the text 'marks'"),
        (
            "protocol: pairwise", "protocol: pairwise\nagree: both-orders", "8:8",
            "`agree: both-orders` needs `judging: verdicts`, found `judging: preference`; change it,",
        ),
        (
            "protocol: pairwise", "protocol: pairwise\njudging: verdicts\norders: drawn\nagree: both-orders", "10:8",
            "`agree: both-orders` needs `orders: both`, found `orders: drawn`; change it, or remove",
        ),
        (
            "baseline: essay", "baseline: essay\nschedule: {budget: 9}", "13:11",
            "a board with a baseline has no schedule; remove",
        ),
        (
            "baseline: essay", "schedule: {budget: 2}", "12:20",
            "a budget of 2 does not connect 4 contestants; expected 3 to 18;",
        ),
        (
            "baseline: essay", "schedule: {budget: 19}", "12:20",
            "4 contestants on 3 prompts have no more than 18 pairs, found 19; expected 3 to 18; without `schedule` "
            "every",
        ),
        ("baseline: essay", "schedule: {budget: 0}", "12:20", "found 0"),
        ("baseline: essay", "schedule: {budget: -3}", "12:20", "found -3"),
        ("baseline: essay", "schedule: {budget: 4.5}", "12:20", "found the number 4.5"),
        ("baseline: essay", "schedule: {}", "12:11", "budget"),
        ("protocol: pairwise", "protocol: pairwise\norders: one", "8:9", "found the text 'one'"),
        ("protocol: pairwise", "protocol: pairwise\nlength_control: {gamed_rows: [[1, 2]]}", "8:31", "expected"),
    ],
)  # fmt: skip
def test_a_board_that_cannot_be_played_is_refused_at_its_place(
    tmp_path: Path, old: str, new: str, place: str, says: str
) -> None:
    specs = write_small_pairwise(tmp_path)
    edit(specs, BOARD, old, new)
    (message,) = problems(specs)
    assert message.startswith(f"specs/{BOARD}:{place}: ")
    assert says in message


def test_two_contestants_need_a_judge_of_neither_family(tmp_path: Path) -> None:
    specs = write_live_pairwise(tmp_path)
    edit(specs, "judges.yaml", "judges: [anna, tom]", "judges: [tom]")
    (message,) = [line for line in problems(specs) if "compare" in line]
    assert "no judge of panel 'live' may compare 'talker' and 'essay': each is of the family of one" in message


def test_a_profile_brings_its_own_baseline(tmp_path: Path) -> None:
    specs = write_live_pairwise(tmp_path)
    edit(specs, BOARD, "[talker, essay, null-empty]", "[talker, null-empty], baseline: talker")
    assert load_benchmark(specs, profile="live").boards["beside"].baselines == ("talker",)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("profile", "place", "says"),
    [
        (
            "contestants: [talker, essay]",
            "12:20",
            "2 contestants of the profile 'live' on 3 prompts have no more than 3 pairs",
        ),
        (
            "schedule: {budget: 1}, contestants: [talker, essay, copy]",
            "15:29",
            "a budget of 1 does not connect 3 contestants",
        ),
        ("baseline: essay", "15:20", "a board with a baseline has no schedule"),
    ],
)
def test_the_schedule_of_a_profile_fits_its_contestants(tmp_path: Path, profile: str, place: str, says: str) -> None:
    specs = write_live_pairwise(tmp_path)
    edit(specs, BOARD, "baseline: essay", "schedule: {budget: 12}")
    edit(specs, BOARD, "{panel: live, contestants: [talker, essay, null-empty]}", f"{{{profile}}}")
    (message,) = problems(specs)
    assert message.startswith(f"specs/{BOARD}:{place}: ")
    assert says in message


def test_a_schedule_of_a_profile_does_not_go_with_the_baseline_of_its_board(tmp_path: Path) -> None:
    specs = write_live_pairwise(tmp_path)
    edit(specs, BOARD, "{panel: live, ", "{panel: live, schedule: {budget: 9}, ")
    (message,) = problems(specs)
    assert message.startswith(f"specs/{BOARD}:15:33: a board with a baseline has no schedule")


def test_all_contestants_may_meet_and_the_baseline_is_one_of_them(tmp_path: Path) -> None:
    specs = write_small_pairwise(tmp_path)
    edit(specs, BOARD, "[copy, essay, null-empty, paraphrase]", "all")
    benchmark = load_benchmark(specs)
    assert len(list(benchmark.contestants(benchmark.boards["beside"]))) == len(benchmark.models) > 1


def test_a_domain_of_another_protocol_that_asks_prompts_can_be_played_for(tmp_path: Path) -> None:
    from support.oracle_benchmark import OWN

    specs = write_small_pairwise(tmp_path)
    (specs / "domains/naming.yaml").write_bytes((OWN / "domains/naming.yaml").read_bytes())
    edit(specs, BOARD, "domains: [rain]", "domains: [rain, naming]")
    benchmark = load_benchmark(specs)
    placed = list(benchmark.items(benchmark.boards["beside"]))
    assert len(placed) > 3
    assert all(each.prompt for each in placed)
    assert placed[-1].reference == ""
