"""Boards of games that cannot be played, each with its one message."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.benchmarks import OWN, edit, write_benchmark
from support.mistakes import Case, assert_refused, table

from nullbench_site.errors import SpecError
from nullbench_site.specs.load import load_benchmark

BOARD = "boards/beside.yaml"


def problems(specs: Path) -> list[str]:
    with pytest.raises(SpecError) as found:
        load_benchmark(specs)
    return str(found.value).splitlines()[:-1]


@pytest.mark.parametrize("case", table(Path(__file__).parent / "bad/pairwise.txt"), ids=lambda case: case.name)
def test_a_board_that_cannot_be_played_is_refused_at_its_place(tmp_path: Path, case: Case) -> None:
    assert_refused(case, write_benchmark(tmp_path, "pairwise"))


@pytest.mark.parametrize("case", table(Path(__file__).parent / "bad/pairwise-live.txt"), ids=lambda case: case.name)
def test_a_judge_whose_reply_does_not_fit_the_board_is_refused_at_its_place(tmp_path: Path, case: Case) -> None:
    assert_refused(case, write_benchmark(tmp_path, "pairwise", live=True))


def test_two_contestants_need_a_judge_of_neither_family(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path, "pairwise", live=True)
    edit(specs, "judges.yaml", "judges: [anna, tom]", "judges: [tom]")
    (message,) = [line for line in problems(specs) if "compare" in line]
    assert "no judge of panel 'live' may compare 'talker' and 'essay': each is of the family of one" in message


def test_a_profile_brings_its_own_baseline(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path, "pairwise", live=True)
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
    specs = write_benchmark(tmp_path, "pairwise", live=True)
    edit(specs, BOARD, "baseline: essay", "schedule: {budget: 12}")
    edit(specs, BOARD, "{panel: live, contestants: [talker, essay, null-empty]}", f"{{{profile}}}")
    (message,) = problems(specs)
    assert message.startswith(f"specs/{BOARD}:{place}: ")
    assert says in message


def test_a_schedule_of_a_profile_does_not_go_with_the_baseline_of_its_board(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path, "pairwise", live=True)
    edit(specs, BOARD, "{panel: live, ", "{panel: live, schedule: {budget: 9}, ")
    (message,) = problems(specs)
    assert message.startswith(f"specs/{BOARD}:15:33: a board with a baseline has no schedule")


def test_all_contestants_may_meet_and_the_baseline_is_one_of_them(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path, "pairwise")
    edit(specs, BOARD, "[copy, essay, null-empty, paraphrase]", "all")
    benchmark = load_benchmark(specs)
    assert len(list(benchmark.contestants(benchmark.boards["beside"]))) == len(benchmark.models) > 1


def test_a_domain_of_another_protocol_that_asks_prompts_can_be_played_for(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path, "pairwise")
    (specs / "domains/naming.yaml").write_bytes((OWN["oracle"] / "domains/naming.yaml").read_bytes())
    edit(specs, BOARD, "domains: [rain]", "domains: [rain, naming]")
    benchmark = load_benchmark(specs)
    placed = list(benchmark.items(benchmark.boards["beside"]))
    assert len(placed) > 3
    assert all(each.prompt for each in placed)
    assert placed[-1].reference == ""
