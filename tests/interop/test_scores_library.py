"""A board made of a table: the command, the protocol and the library give the same digits; trust can be declared."""

from __future__ import annotations

import random
from pathlib import Path

import pandas as pd
import pytest

import nullbench_site as nb
from nullbench_site import api
from nullbench_site.interop.score_table import read_table
from nullbench_site.scoring.ranked_table import rank_table
from nullbench_site.specs.load import load_benchmark

DECLARED = """declared:
  contamination: {level: medium, source: "problems written after the cutoff"}
  agreement: {level: high, source: "tests decide"}
  prompts: {level: medium, source: "five templates"}
"""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six models on 30 items of three groups; one lacks an item."""
    draw = random.Random(7)  # noqa: S311 - scores for a test
    path = tmp_path_factory.mktemp("table") / "scores.csv"
    rows = [
        f"Model {m},i{n},g{n % 3},{round(draw.betavariate(1 + m, 3), 3)}\n"
        for m in range(6)
        for n in range(30)
        if (m, n) != (2, 4)
    ]
    path.write_text(f"model,item,group,score\n{''.join(rows)}", "utf-8")
    return path


@pytest.fixture(scope="module")
def repository(table: Path) -> Path:
    into = table.parent / "board"
    api.import_scores("scores", str(table), {"into": into, "scale": (0.0, 1.0)})
    return into


def test_rank_the_board_and_the_library_give_the_same_digits(table: Path, repository: Path) -> None:
    command = rank_table(read_table(str(table)), scale=(0, 1))
    frame = nb.rank(pd.read_csv(table), scale=(0, 1))
    board = nb.open_run(repository).frame("leaderboard").set_index("model")
    assert list(frame["model"]) == [row.model for row in (*command.leaderboard, *command.incomplete)]
    for row, own in zip(command.leaderboard, frame.to_dict("records"), strict=False):
        of_board = board.loc[row.model.lower().replace(" ", "-")]
        for name in ("rank", "rank_low", "rank_high", "tie_group", "se", "ci_low", "ci_high"):
            assert getattr(row, name) == own[name] == of_board[name], (row.model, name)
        assert row.score == own["score"] == of_board["overall"]


def test_a_contestant_without_all_items_is_compared_as_rank_compares_it(table: Path, repository: Path) -> None:
    command = rank_table(read_table(str(table)), scale=(0, 1))
    (incomplete,) = command.incomplete
    first = command.leaderboard[0].model
    pair = nb.open_run(repository).compare("model-2", first.lower().replace(" ", "-"))
    expected = (incomplete.difference, incomplete.se, incomplete.low, incomplete.high, incomplete.n_common)
    assert (pair.value, pair.se, pair.low, pair.high, pair.n_items) == expected
    assert "on 29 shared items" in pair.sentence


def test_trust_in_a_table_is_what_its_board_declares(table: Path, tmp_path: Path) -> None:
    api.import_scores("scores", str(table), {"into": tmp_path / "b", "scale": (0.0, 1.0)})
    plain = nb.open_run(tmp_path / "b").frame("trust").set_index(["model", "dimension"])
    assert plain.loc[("model-1", "prompts"), "why"].startswith("The table does not say")
    assert plain.loc["model-1"]["low"].all()
    spec = tmp_path / "b" / "specs" / "boards" / "scores.yaml"
    spec.write_text(spec.read_text("utf-8") + DECLARED, "utf-8")
    declared = nb.open_run(tmp_path / "b").frame("trust").set_index(["model", "dimension"])
    marks = declared.loc["model-1"]
    assert marks.loc[["prompts", "contamination", "agreement"], "state"].tolist() == ["medium", "medium", "high"]
    assert marks["declared"].sum() == 3
    assert marks.loc["agreement", "why"] == "Declared: tests decide."
    assert "We name no winner" not in nb.open_run(tmp_path / "b").compare("model-5", "model-0").sentence


@pytest.mark.parametrize("cost", ["0.04 USD", "1,5", "-1", "1e999", "nan"])
def test_a_cost_that_is_no_number_is_named_at_its_place(table: Path, tmp_path: Path, cost: str) -> None:
    api.import_scores("scores", str(table), {"into": tmp_path / "b", "scale": (0.0, 1.0)})
    models = tmp_path / "b" / "specs" / "scores" / "scores" / "models.csv"
    head, first, *others = models.read_text("utf-8").splitlines()
    rows = [f"{head},cost_usd", f'{first},"{cost}"', *(f"{other}," for other in others)]
    models.write_text("\n".join(rows) + "\n", "utf-8")
    with pytest.raises(nb.SpecError, match=r"models\.csv:2:1: cost_usd: found '.*'; write a number from 0"):
        load_benchmark(tmp_path / "b" / "specs")
