"""What probes of contamination find of a program that has seen a known share of a board."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.benchmarks import write_benchmark, write_board, write_model
from support.repositories import run_dir

from nullbench_site import api
from nullbench_site.answer_keys import AnyKey, mark, right_answer
from nullbench_site.answer_keys.choices import MultipleChoice
from nullbench_site.answer_keys.exact import Exact
from nullbench_site.answer_keys.numeric import Numeric
from nullbench_site.answer_keys.regex import Regex
from nullbench_site.programs.seen import SeenShare
from nullbench_site.repository import Repository

ITEMS, FILES = 40, ("boards/facts.yaml", "domains/notes.yaml")
SHARE = {"share": 0.5, "seed": 1}


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Forty questions on notes, to which a program without the keys says something wrong."""
    folder = tmp_path_factory.mktemp("seen")
    specs = write_benchmark(folder, "oracle")
    items = [
        {
            "id": f"note-{n}", "difficulty": "easy",
            "prompt": f"At the harbour office of Ellick which word does clerk {n} write at the end of the day?",
            "key": {"type": "exact", "accepted": [f"word{n}x"]},
        }
        for n in range(ITEMS)
    ]  # fmt: skip
    write_board(specs, "oracle", items, id="facts", domain="notes", contestants=["half", "first"], ask_canaries=True)
    write_model(specs, "half", kind="seen", backend="offline", model="seen", params=SHARE)
    write_model(specs, "first", kind="baseline", backend="offline", model="first-option")
    api.build(Repository(folder), render_site=False)
    return Repository(folder)


def test_each_probe_finds_what_was_seen_and_its_false_alarms_are_counted(board: Repository) -> None:
    share = SeenShare(**SHARE)
    seen = sum(share.has_seen(f"note-{n}") for n in range(ITEMS))
    files = sum(map(share.has_seen, FILES))
    results = json.loads((run_dir(board) / "results/facts/results.json").read_text("utf-8"))
    found = {row["probe"]: [row[name] for name in ("n_seen", "found_seen", "n_rest", "found_rest")]
             for row in results["probe_checks"]}  # fmt: skip
    assert 10 < seen < 30
    assert found["canary"] == [files, files, 2 - files, 0]
    assert found["gap"] == found["significant gap"] == [1, 1, 20, 0]
    assert found["overlap"] == [seen, seen, ITEMS - seen, 0]
    (gap,) = (row["value"] for row in results["probe_checks"] if row["probe"] == "gap")
    assert gap == 100


def test_the_program_has_no_rank_and_no_other_contestant_is_moved(board: Repository) -> None:
    results = json.loads((run_dir(board) / "results/facts/results.json").read_text("utf-8"))
    rows = {row["model"]: row for row in results["leaderboard"]}
    assert (rows["half"]["rank"], rows["first"]["rank"]) == (None, 1)
    assert rows["half"]["absent"]["rank"] == "a share of the items was seen before"
    assert results["complete"]
    assert api.verify(board, None).problems == []


def test_only_a_program_can_have_seen_items(board: Repository, tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path, "oracle")
    write_model(specs, "far", kind="seen")
    with pytest.raises(Exception, match="kind 'seen' is only for programs, as what they have seen must be known"):
        api.validate(Repository(tmp_path))


@pytest.mark.parametrize(
    "key",
    [
        MultipleChoice(options={"A": "one", "B": "two"}, correct="B"),
        MultipleChoice(options={"A": "one", "B": "two", "C": "three"}, correct=("A", "C")),
        Exact(accepted=("Oster Bay", "the bay")),
        Numeric(value=240000),
        Numeric(value=2.3, unit=("%", "percent")),
        Regex(pattern=r"(?is)\W*no\b.*", full=True),
    ],
)
def test_the_right_answer_of_a_key_is_marked_as_correct(key: AnyKey) -> None:
    answer = right_answer(key)
    assert answer is not None
    assert mark(answer, key).outcome == "correct"


def test_a_pattern_that_no_short_answer_fits_names_none() -> None:
    assert right_answer(Regex(pattern=r"\d{8}", full=True)) is None


def test_the_share_is_a_function_of_seed_and_name() -> None:
    share = SeenShare(share=0.3, seed=7)
    drawn = [share.has_seen(f"item-{n}") for n in range(2000)]
    assert sum(drawn) / 2000 == pytest.approx(0.3, abs=0.04)
    assert drawn == [SeenShare(share=0.3, seed=7).has_seen(f"item-{n}") for n in range(2000)]
    assert not SeenShare(share=0.0, seed=7).has_seen("item-1")
