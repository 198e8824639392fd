"""Boards of grades whose judge is asked one short question a turn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.benchmarks import write_benchmark
from support.evidence import records
from support.questioned import answering
from support.repositories import run_dir
from support.sites import Site

from nullbench_site import api
from nullbench_site.errors import SpecError
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.judging.calls import JudgeTask
from nullbench_site.judging.protocol import judging
from nullbench_site.repository import Repository
from nullbench_site.site import paths
from nullbench_site.site.evidence.explorer_files import evidence_files
from nullbench_site.site.pages import judges

BOARD = """\
canary: "nullbench-canary:5c000000-0000-4000-8000-0000000000b1"
id: graded
title: Graded
question: Who answers as their keys say, by a judge?
description: Grades of answers whose keys are known, for tests.
construct: capability
protocol: graded
panel: asking
controls: none
domains: [talk]
contestants: [copy, null-empty]
bootstrap: {resamples: 200, seed: 1}
"""
DOMAIN = """\
canary: "nullbench-canary:5c000000-0000-4000-8000-0000000000b2"
id: talk
title: Talk
description: One turn or two.
protocol: graded
categories:
  - id: talk-all
    title: All
    description: Of every kind.
    items:
      - {id: talk-01, difficulty: easy, prompt: Name the capital of Norway., references: [Oslo]}
      - {id: talk-02, difficulty: easy, prompt: Write a line about rain.}
      - id: talk-03
        difficulty: easy
        turns: [Name a river of France., And one of Spain.]
        references: [The Loire, The Ebro]
"""
JUDGES = """\
canary: "nullbench-canary:5c000000-0000-4000-8000-0000000000b3"
judges:
  - {id: asker, title: Asker, description: A model., backend: openai, model: asker-1, family: askers, method: questions}
panels:
  - {id: asking, title: Asking, judges: [asker]}
"""
NOTHING = "response begins]\n\n["


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    specs = write_benchmark(tmp_path, "oracle")
    for path in (specs / "boards").glob("*.yaml"):
        path.unlink()
    for path in (specs / "domains").glob("*.yaml"):
        path.unlink()
    (specs / "boards/graded.yaml").write_text(BOARD, "utf-8")
    (specs / "domains/talk.yaml").write_text(DOMAIN, "utf-8")
    (specs / "judges.yaml").write_text(JUDGES, "utf-8")
    answering(monkeypatch, lambda text: 0.4 if NOTHING in text else 0.9 if "Oslo" in text else 0.7)
    api.build(Repository(tmp_path), BuildOptions(), render_site=False)
    return Repository(tmp_path)


def test_each_turn_is_one_question_and_its_grade_is_1_and_9_times_the_value(board: Repository) -> None:
    told = list(records(run_dir(board), "judgments"))
    assert {each["judge_template"] for each in told} == {"turn-1/question", "turn-2/question"}
    assert sum(each["model"] == "copy" for each in told) == 4
    found = json.loads((run_dir(board) / "results/graded/results.json").read_text("utf-8"))
    rows = {row["model"]: row for row in found["leaderboard"]}
    by_item = [1 + 9 * (0.5 / 0.6), 1 + 9 * 0.5, 1 + 9 * 0.5]
    assert rows["copy"]["overall"] == pytest.approx(100 * (sum(by_item) / 3 - 1) / 9, abs=1e-5)
    assert rows["copy"]["rank"] == 1
    assert rows["null-empty"]["overall"] == 0
    (values,) = (row for row in found["question_values"] if row["model"] == "control-empty")
    assert (values["yes"], values["mark"]) == (0.4, 1)


def test_the_right_answer_comes_only_after_the_response_and_earlier_turns_before_it(board: Repository) -> None:
    benchmark = api.validate(board)
    items = {placed.id: placed for placed in benchmark.items(benchmark.boards["graded"])}
    protocol, judge = judging("graded"), benchmark.judges["asker"]
    question = protocol.question(items["talk-01"], JudgeTask(judge, "turn-1/question"), None)
    before, _, after = question.messages()[-1].content.partition("response ends]")
    assert "Oslo" not in before
    assert "Oslo" in after
    assert "does the response say the same as this right answer?" in after
    second = items["talk-03"].at("The Seine.")
    question = protocol.question(second, JudgeTask(judge, "turn-2/question"), None)
    before, _, after = question.messages()[-1].content.partition("response ends]")
    assert "The Seine." in before
    assert "The Ebro" in after
    open_ended = protocol.question(items["talk-02"], JudgeTask(judge, "turn-1/question"), None)
    assert "is the response right, and does it do what the task asks for?" in open_ended.messages()[-1].content


def test_pages_show_the_controls_and_the_explorer_the_grade_of_an_answer(board: Repository) -> None:
    site = Site(board)
    (page,) = (page for page in judges.pages(site.data) if page.url == paths.judges_url("graded"))
    shown = site.fragment('{% include "board_judges.md.j2" %}', **page.context).text
    assert "Short questions to Asker" in shown
    assert "Claim of the highest mark" in shown
    files = dict(evidence_files(site.data))
    answers = json.loads(files["data/v1/evidence/graded/answers/copy/0.json"])
    ((verdict,),) = answers["talk-02"]["samples"][0]["verdicts"]
    assert verdict["scores"] == {"score": 5.5, "yes": 0.7, "missing_mass": 0.1}
    assert len(answers["talk-03"]["samples"][0]["verdicts"]) == 2


def test_a_build_of_known_answers_calls_nobody(board: Repository) -> None:
    assert api.build(board, BuildOptions(), render_site=False).calls.made == 0


RIGHT = {"0.8": (10, 1), "0.6": (10, 10), "0.95": (1, 1), "0.9": (10, 1)}
"""The threshold -> the grades of the answers with the probabilities 0.9 and 0.7."""


def with_threshold(folder: Path, threshold: str, *, method: str = "questions") -> Repository:
    specs = folder / "specs"
    (specs / "boards/graded.yaml").write_text(f"{BOARD}right_from: {threshold}\n", "utf-8")
    domain = DOMAIN.replace("Write a line about rain.", "Name rain in French., references: [Pluie]")
    (specs / "domains/talk.yaml").write_text(domain, "utf-8")
    (specs / "judges.yaml").write_text(JUDGES.replace("method: questions", f"method: {method}"), "utf-8")
    return Repository(folder)


@pytest.mark.parametrize("threshold", RIGHT)
def test_an_answer_is_right_from_a_threshold_on(
    board: Repository, threshold: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = with_threshold(board.root, threshold)
    answering(monkeypatch, lambda text: 0.4 if NOTHING in text else 0.9 if "Oslo" in text else 0.7)
    api.build(made, BuildOptions(), render_site=False)
    found = json.loads((run_dir(made) / "results/graded/results.json").read_text("utf-8"))
    rows = {row["model"]: row for row in found["leaderboard"]}
    first, second = (100 * (grade - 1) / 9 for grade in RIGHT[threshold])
    assert rows["copy"]["overall"] == pytest.approx((first + 2 * second) / 3, abs=1e-5)
    assert rows["null-empty"]["overall"] == 0
    answers = json.loads(dict(evidence_files(Site(made).data))["data/v1/evidence/graded/answers/copy/0.json"])
    ((verdict,),) = answers["talk-02"]["samples"][0]["verdicts"]
    assert verdict["scores"]["score"] == RIGHT[threshold][1]


REFUSED = {
    "0": ("questions", "found 0; expected more than 0"),
    "2": ("questions", "found 2; expected at most 1"),
    "0.5": ("verdict", "`right_from` has no effect: no panel of the board has judges with `method: questions`"),
}


@pytest.mark.parametrize("threshold", REFUSED)
def test_a_threshold_that_cannot_be_used_is_refused(board: Repository, threshold: str) -> None:
    method, words = REFUSED[threshold]
    with pytest.raises(SpecError) as refused:
        api.validate(with_threshold(board.root, threshold, method=method))
    assert len(refused.value.problems) == 1
    assert words in str(refused.value.problems[0])


def test_an_item_without_a_right_answer_is_refused_where_answers_are_right_or_wrong(board: Repository) -> None:
    made = with_threshold(board.root, "0.5")
    (made.specs / "domains/talk.yaml").write_text(DOMAIN, "utf-8")
    with pytest.raises(
        SpecError, match=r"item 'talk-02' has no right answer, and board 'graded' has `right_from`; add"
    ):
        api.validate(made)
