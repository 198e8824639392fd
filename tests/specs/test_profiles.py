"""Profiles: what `--profile` puts in the place of a board's own, and that what no board uses changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.benchmarks import BACKENDS, LIVE_PROFILE, edit, write_benchmark

from nullbench_site.errors import UsageError
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import spec_digest
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.types import Decoding

OFFLINE = ("lead-2", "null-constant", "null-empty", "textrank-2")


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    return write_benchmark(tmp_path, live=True)


def loaded(specs: Path, profile: str | None = None) -> Benchmark:
    return load_benchmark(specs, backends=BACKENDS, profile=profile)


def digest(specs: Path, profile: str | None = None) -> str:
    return spec_digest(loaded(specs, profile))


def test_a_profile_replaces_panel_contestants_samples_and_decoding(specs: Path) -> None:
    benchmark = loaded(specs, "live")
    board = benchmark.boards["small"]
    assert (board.panel, board.contestants, board.samples) == ("live", ("null-empty", "talker"), 2)
    assert board.decoding == Decoding(temperature=0.5, max_tokens=300)
    assert benchmark.profile == "live"


def test_without_a_profile_a_board_is_as_its_file_says(specs: Path) -> None:
    benchmark = loaded(specs)
    board = benchmark.boards["small"]
    assert (board.panel, board.contestants, board.samples, board.decoding) == ("rules", OFFLINE, 1, Decoding())
    assert benchmark.profile is None


@pytest.mark.parametrize("profile", [None, "live"])
def test_the_profiles_there_are_stand_on_the_benchmark_and_not_on_its_boards(specs: Path, profile: str | None) -> None:
    benchmark = loaded(specs, profile)
    assert benchmark.profiles == ("live",)
    assert benchmark.boards["small"].profiles == {}


def test_what_a_profile_leaves_out_stays_as_the_board_has_it(specs: Path) -> None:
    edit(specs, "boards/small.yaml", LIVE_PROFILE, "profiles:\n  live: {panel: live}\n")
    board = loaded(specs, "live").boards["small"]
    assert (board.panel, board.contestants, board.samples, board.decoding) == ("live", OFFLINE, 1, Decoding())


def test_only_what_the_boards_use_is_there(specs: Path) -> None:
    offline, live = loaded(specs), loaded(specs, "live")
    assert (tuple(offline.models), tuple(offline.judges), tuple(offline.panels)) == (
        OFFLINE, ("support", "restraint", "form"), ("rules",),
    )  # fmt: skip
    assert (tuple(live.models), tuple(live.judges), tuple(live.panels)) == (
        ("null-empty", "talker"), ("anna", "ben", "cleo"), ("live",),
    )  # fmt: skip


def test_a_board_without_the_profile_keeps_its_own(specs: Path) -> None:
    text = (specs / "boards/small.yaml").read_text("utf-8").replace(LIVE_PROFILE, "")
    text = text.replace("id: small", "id: other").replace("-000000000002", "-0000000000b2")
    (specs / "boards/other.yaml").write_text(text, "utf-8")
    benchmark = loaded(specs, "live")
    assert {board.id: board.panel for board in benchmark.boards.values()} == {"other": "rules", "small": "live"}
    assert tuple(benchmark.models) == (*OFFLINE[:-1], "talker", "textrank-2")
    assert tuple(benchmark.judges) == ("support", "restraint", "form", "anna", "ben", "cleo")


def test_an_unknown_profile_is_refused_with_those_there_are(specs: Path) -> None:
    with pytest.raises(UsageError) as refused:
        loaded(specs, "life")
    assert str(refused.value) == "no board has a profile 'life'; did you mean 'live'? known: live"


def test_a_profile_where_there_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        loaded(write_benchmark(tmp_path), "live")
    assert str(refused.value) == "no board has a profile 'live'; add one under `profiles` in specs/boards/"


def test_live_models_judges_endpoints_and_profiles_do_not_move_the_digest_of_the_offline_board(tmp_path: Path) -> None:
    assert digest(write_benchmark(tmp_path / "live", live=True)) == digest(write_benchmark(tmp_path / "small"))


def test_a_profile_moves_the_digest(specs: Path) -> None:
    assert digest(specs, "live") != digest(specs)


def test_a_profile_has_the_digest_of_a_board_that_says_the_same(specs: Path) -> None:
    before = digest(specs, "live")
    edit(specs, "boards/small.yaml", LIVE_PROFILE, "profiles: {rules: {panel: rules}}\n")
    edit(specs, "boards/small.yaml", "panel: rules\n", "panel: live\n")
    edit(specs, "boards/small.yaml", "[lead-2, textrank-2, null-constant, null-empty]", "[null-empty, talker]")
    edit(specs, "boards/small.yaml", "samples: 1", "samples: 2")
    edit(specs, "boards/small.yaml", "{temperature: 0}", "{temperature: 0.5, max_tokens: 300}")
    assert digest(specs) == before


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("endpoints.yaml", "https://jury.example/v1", "https://elsewhere.example/v1"),
        ("endpoints.yaml", "{concurrency: 4}", "{concurrency: 8, requests_per_minute: 60}"),
        ("models/talker.yaml", "endpoint: lab", "endpoint: jury"),
        ("models/talker.yaml", "output: 2.5", "output: 3"),
        ("judges.yaml", "cached_input: 0.25, ", ""),
        ("judges.yaml", "endpoint: jury, model: ben-1", "model: ben-1"),
    ],
)
def test_endpoints_and_prices_do_not_move_the_digest(specs: Path, file: str, old: str, new: str) -> None:
    before = digest(specs, "live")
    edit(specs, file, old, new)
    assert digest(specs, "live") == before


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("models/talker.yaml", "max_tokens: 100", "max_tokens: 101"),
        ("models/talker.yaml", "temperature: null", "temperature: 0"),
        ("models/talker.yaml", "model: talker-1", "model: talker-2"),
        ("judges.yaml", "max_tokens: 200", "max_tokens: 201"),
        ("judges.yaml", "[anna, ben, cleo]", "[ben, anna, cleo]"),
        ("boards/small.yaml", "    samples: 2", "    samples: 3"),
    ],
)
def test_how_a_live_model_or_judge_is_asked_moves_the_digest(specs: Path, file: str, old: str, new: str) -> None:
    offline, live = digest(specs), digest(specs, "live")
    edit(specs, file, old, new)
    assert digest(specs, "live") != live
    assert digest(specs) == offline


def test_all_contestants_and_a_list_of_them_all_in_any_order_have_the_same_digest(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path)
    listed = "[lead-2, textrank-2, null-constant, null-empty]"
    before = digest(specs)
    edit(specs, "boards/small.yaml", listed, "[null-empty, textrank-2, lead-2, null-constant]")
    assert digest(specs) == before
    edit(specs, "boards/small.yaml", "contestants: [null-empty, textrank-2, lead-2, null-constant]", "contestants: all")
    assert digest(specs) == before
    assert loaded(specs).boards["small"].contestants == OFFLINE


def test_all_contestants_of_a_profile_are_every_file_in_models(specs: Path) -> None:
    edit(specs, "boards/small.yaml", "[talker, null-empty]", "all")
    assert loaded(specs, "live").boards["small"].contestants == (*OFFLINE[:-1], "talker", "textrank-2")
