"""A `graded` board on items with keys: judges see a random sample of answers, and the keys show how right they are."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from support import graded_boards, oracle_boards
from support.boards import model, scored_as, view, write_shards

from nullbench_site.judging.calls import JudgeTask
from nullbench_site.judging.drawing import draw_probability, drawn_items
from nullbench_site.protocols.graded.judging import JUDGING, GradeQuestion, RightQuestion
from nullbench_site.protocols.graded.metrics import GradedResults
from nullbench_site.runs.records import Record
from nullbench_site.scoring import labels
from nullbench_site.scoring.labels import label_tables
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import Decoding, Drawn, Label, Labels
from nullbench_site.stats.labels import FEW_LABELS

ITEMS = [f"i{number:03}" for number in range(200)]
RIGHT = {item: place % 4 != 0 for place, item in enumerate(ITEMS)}
DRAWN = Drawn(answers={"m": 150}, null_models=60, seed=3)


def specs() -> Benchmark:
    """Board "main", which judges answers of the board "keys", by models m and two null models."""
    models = ("m", model("guess", "null"), model("void", "null"))
    prompts = [oracle_boards.prompt(item, source=f"text-{int(item[1:]) // 2}") for item in ITEMS]
    texts = {f"text-{number}": f"Text {number}." for number in range(100)}
    domain = oracle_boards.domain("facts", oracle_boards.category("dates", *prompts), sources=texts)
    keys = oracle_boards.benchmark(domain, models=models)
    made = graded_boards.benchmark(*keys.models.values())
    board = msgspec.structs.replace(
        made.boards["main"], domains=("facts",), labels=Labels(board="keys", use=100), judged=DRAWN
    )  # fmt: skip
    other = msgspec.structs.replace(keys.boards["main"], id="keys")
    return replace(made, domains=keys.domains, boards={"main": board, "keys": other})


def records(benchmark: Benchmark) -> list[Record]:
    """Every answer on both boards, and grades of the drawn ones: a judge that errs on each tenth item."""
    made: list[Record] = []
    board: Any = benchmark.boards["main"]
    for name in benchmark.models:
        marks = oracle_boards.marked({item: "correct" if RIGHT[item] else "wrong" for item in ITEMS}, model=name)
        made += [msgspec.structs.replace(each, board="keys") for each in marks]
        made += [msgspec.structs.replace(each, template="verbatim") for each in marks]
        for item in sorted(drawn_items(benchmark, board, board.judged, name)):
            good = RIGHT[item] != (int(item[1:]) % 10 == 0)
            made += [graded_boards.graded(item, 1, judge, 10 if good else 1, name) for judge in graded_boards.JUDGES]
    return made


def test_as_many_answers_are_drawn_as_the_board_says_and_the_seed_decides_which() -> None:
    benchmark = specs()
    board: Any = benchmark.boards["main"]
    drawn = {name: drawn_items(benchmark, board, DRAWN, name) for name in benchmark.models}
    assert len(drawn["m"]) == 150
    assert len(drawn["guess"]) + len(drawn["void"]) == 60
    assert min(len(drawn["guess"]), len(drawn["void"])) > 15
    assert drawn["m"] != drawn_items(benchmark, board, msgspec.structs.replace(DRAWN, seed=4), "m")
    assert draw_probability(benchmark, board, DRAWN, "m") == 0.75
    assert draw_probability(benchmark, board, DRAWN, "void") == 0.15
    judged = JUDGING.judged_items(benchmark, board, benchmark.models["m"])
    assert set(map(frozenset, judged.values())) == {drawn["m"]}


def test_judges_are_compared_with_keys_and_corrected_scores_with_the_truth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(labels, "REDRAWS", 200)
    benchmark = specs()
    run = write_shards(tmp_path, records(benchmark))
    tables = label_tables(benchmark, benchmark.boards["main"], run, None)
    compared = {row.answers: row for row in tables["judge_labels"] if row.judge == "anna"}
    honest, null = compared["contestants"], compared["null models"]
    assert (honest.n_labels, null.n_labels) == (150, 60)
    drawn = drawn_items(benchmark, benchmark.boards["main"], DRAWN, "m")
    right = [item for item in drawn if RIGHT[item]]
    assert honest.sensitivity == pytest.approx(sum(int(item[1:]) % 10 != 0 for item in right) / len(right))
    rows = {row.model: row for row in tables["corrected_scores"] if row.judge == "anna"}
    assert (rows["m"].n_labels, rows["m"].n_answers, rows["m"].probability) == (100, 150, 0.75)
    assert rows["m"].n_true == 200
    assert (rows["m"].true_score, rows["m"].true_share) == pytest.approx((75, 0.75))
    assert rows["m"].corrected_score_low < 75 < rows["m"].corrected_score_high
    assert rows["void"].absent["corrected_score"] == FEW_LABELS
    redraws = {row.interval: row for row in tables["label_redraws"] if row.judge == "anna"}
    assert {row.model for row in tables["label_redraws"]} == {"m"}
    assert 0.9 < redraws["corrected_score"].covered <= 1
    assert [row.n_labels for row in tables["label_worth"] if row.judge == "ben"] == [100, 200, 400, 800]
    assert all(row.equal_to > row.n_labels for row in tables["label_worth"])


def test_nobody_has_a_rank_on_a_sample() -> None:
    benchmark = specs()
    found = scored_as(GradedResults, replace(benchmark, boards={"main": benchmark.boards["main"]}), [])
    assert found.leaderboard == []
    benchmark = replace(benchmark, boards={"main": benchmark.boards["main"]})
    main = [each for each in records(specs()) if each.board == "main"]
    rows = scored_as(GradedResults, benchmark, main).leaderboard
    assert {row.absent["rank"] for row in rows if row.model == "m"} == {"judges see a random sample of its answers"}
    shown = view(benchmark, main)
    assert shown.lacking(shown.results.row("m")) == "50 answers not drawn"
    full = msgspec.structs.replace(benchmark.boards["main"], judged=None)
    assert replace(shown, board=full).lacking(shown.results.row("m")) == "50 answers without any verdict"


def test_judges_read_the_text_the_question_and_a_right_answer() -> None:
    benchmark = specs()
    board: Any = benchmark.boards["main"]
    placed = next(iter(benchmark.items(board)))
    assert JUDGING.prompt(benchmark, board, placed).fields == {"prompt": "Is it i000?", "source": "Text 0."}
    judge = benchmark.judges["anna"]
    question = JUDGING.question(placed, JudgeTask(judge, "turn-1"), None)
    assert isinstance(question, GradeQuestion)
    assert question.fields()["prompt"] == "Is it i000?"
    assert question.fields()["ideal"] == "yes"
    one_token = msgspec.structs.replace(judge, backend="openai", decoding=Decoding(max_tokens=1))
    asked = JUDGING.question(placed, JudgeTask(one_token, "turn-1"), None)
    assert isinstance(asked, RightQuestion)
    text = asked.messages()[-1].content
    assert "Text 0.\n\nIs it i000?" in text
    assert text.endswith("Write only the word Yes or the word No.")
    reply = asked.weigh({"Yes": math.log(0.3), "No": math.log(0.1), "The": math.log(0.6)})
    assert reply.scores == {"score": 7.75, "missing_mass": 0.6}
    assert asked.weigh({"The": 0.0}).invalid == {"score": "neither Yes nor No is among the likeliest tokens"}
    assert (asked.read("Yes").scores, asked.read("No").scores) == ({"score": 10}, {"score": 1})
    assert "neither Yes nor No" in asked.read("Maybe").invalid["score"]


def test_labels_of_people_still_come_with_their_own_probability(tmp_path: Path) -> None:
    benchmark = specs()
    board = msgspec.structs.replace(benchmark.boards["main"], labels=Labels(file="main.csv"))
    given = tuple(
        Label(item=item, contestant="m", rater="ann", value=float(RIGHT[item]), probability=0.5) for item in ITEMS
    )
    benchmark = replace(benchmark, boards={**benchmark.boards, "main": board}, labels={"main": given})
    run = write_shards(tmp_path, records(benchmark))
    row = next(each for each in label_tables(benchmark, board, run, None)["corrected_scores"] if each.model == "m")
    assert (row.n_labels, row.true_score) == (150, None)
