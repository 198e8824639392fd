"""Grades of MT-Bench: what is imported, what is broken, and the published means."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from interop.imports import import_board, leaderboard, refused, write_rows
from support.commands import ROOT
from support.evidence import verdicts_of

from nullbench_site import api
from nullbench_site.evaluation.targets import Selection
from nullbench_site.interop.published import PublishedReport
from nullbench_site.repository import Repository
from nullbench_site.runs.catalog import list_runs
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import Judgment, Response
from nullbench_site.site.gather import gather
from nullbench_site.site.pages.groups import by_category, by_difficulty, tables
from nullbench_site.site.pages.judges import judge_kind
from nullbench_site.site.pages.sentences import incomplete
from nullbench_site.site.pages.usage import run_cost
from nullbench_site.site.protocol import pages_of
from nullbench_site.site.views import BoardView
from nullbench_site.specs.load import load_benchmark
from nullbench_site.text import number

PACK = ROOT.parent / "shared" / "data" / "mt-bench"
Data = dict[str, Any]


def row(model: str, question: int, turn: int, score: float, **more: Any) -> Data:
    return {
        "question_id": question, "category": "math" if question < 102 else "writing", "model": model, "turn": turn,
        "judge": "gpt-4", "judgment": f"Well. Rating: [[{score:g}]]" if score > 0 else "I give none.", "score": score,
        **more,
    }  # fmt: skip


def rows(model: str) -> list[Data]:
    return [row(model, question, turn, question - 97 + turn) for question in (101, 102, 103) for turn in (1, 2)]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    write_rows(folder / "one.jsonl", rows("One"))
    write_rows(folder / "two.jsonl", rows("Two"))
    return folder


def views(repository: Repository) -> Sequence[BoardView]:
    (entry,) = list_runs(repository.runs)
    return gather(load_benchmark(repository.specs), entry, [entry]).views


@pytest.mark.skipif(not PACK.is_dir(), reason="the published judgments are not part of the project")
def test_the_published_means_are_reproduced(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "board")
    api.import_results("mt-bench", PACK, repository.root)
    found = leaderboard(repository)
    for expected in json.loads((PACK / "expected.json").read_text())["models"]:
        own = found[expected["model"]]
        means = [float(own[name]) for name in ("score", "turn_1", "turn_2")]
        published = [expected[f"official_{name}"] for name in ("average", "turn1", "turn2")]
        assert means == pytest.approx(published, abs=1e-6)
        assert int(own["n_invalid"]) == expected["score_minus_1"]
        assert int(own["rank"]) > 0


def test_a_board_is_imported_whole_and_asks_nobody(source: Path) -> None:
    repository = import_board("mt-bench", source)
    benchmark = load_benchmark(repository.specs)
    items = list(benchmark.items(benchmark.boards["mt-bench"]))
    assert [(each.id, each.category.id, each.n_turns) for each in items] == [
        ("question-101", "mt-bench-math", 2), ("question-102", "mt-bench-writing", 2),
        ("question-103", "mt-bench-writing", 2),
    ]  # fmt: skip
    assert {
        model: (own["score"], own["turn_1"], own["turn_2"]) for model, own in leaderboard(repository).items()
    } == dict.fromkeys(("one", "two"), ("6.5", "6.0", "7.0"))
    assert api.build(repository, render_site=False).calls.made == 0
    assert api.verify(repository, None)[1] == []


def test_of_imported_verdicts_no_time_is_told_no_empty_answer_and_no_endpoint(source: Path) -> None:
    repository = import_board("mt-bench", source)
    (entry,), (view,) = list_runs(repository.runs), views(repository)
    folder = RunFolder(entry.path, entry.manifest)
    response, judgment = next(folder.records(Response, "one")), next(folder.records(Judgment, "one"))
    evidence = pages_of("graded").evidence(view)
    shown = msgspec.to_builtins(evidence.sample(response, verdicts_of(evidence, judgment)))
    by_group = by_category(view, *view.domains)
    assert by_group is not None
    assert [column["title"] for column in by_group["columns"]] == ["Math", "Writing"]
    assert by_difficulty(view) is None  # the data has none: every item is called medium
    assert [each["what"] for each in tables(view, "one")] == ["domain", "category"]
    assert [number(line["row"].score) for line in tables(view, "one")[1]["lines"]] == [
        "50.0",
        "66.7",
    ]  # grades of 5.5 and of 7 on average
    assert run_cost(entry.manifest) == "not measured: the run was imported"
    assert "text" not in shown
    assert shown["verdicts"][0][0]["seconds"] is None
    assert [judge_kind(judge, view) for judge in view.judges] == ["“gpt-4”, whose verdicts were imported"]


def test_questions_of_which_no_second_turn_is_judged_and_a_single_row_that_stands_twice_are_named(source: Path) -> None:
    given = [each for each in rows("One") if (each["question_id"], each["turn"]) != (103, 2)]
    write_rows(source / "one.jsonl", [*given, given[0]])
    (source / "two.jsonl").unlink()
    made = api.import_results("mt-bench", source, source.parent / "board")
    assert isinstance(made, PublishedReport)
    assert made.notes[2:4] == (
        "no second turn of 1 question is judged: these items have one turn",
        "1 row of One repeated: kept as further samples, which every mean counts",
    )


def test_a_model_that_lacks_a_turn_has_no_rank_and_the_answer_and_the_page_say_why(source: Path) -> None:
    write_rows(source / "one.jsonl", rows("One")[1:])
    made = api.import_results("mt-bench", source, source.parent / "board")
    assert isinstance(made, PublishedReport)
    assert made.notes[-1] == "One has no rank: verdicts are missing"
    (view,) = views(Repository(source.parent / "board"))
    (unranked,) = (row for row in view.results.leaderboard if row.rank is None)
    assert (unranked.model, view.lacking(unranked)) == ("one", "judged by 5 of 6 calls in the imported data")
    assert (
        "The imported data are not complete: 1 of 2 contestants have every answer and every grade; only they are"
        in " ".join(incomplete(view))
    )
    # One judge tells some components apart, and not all.
    assert {each.variance is None for each in view.results.components} == {False, True}


def test_rows_that_stand_twice_count_twice_and_those_without_a_grade_in_no_mean(source: Path) -> None:
    again = [row("One", 101, 1, 1), row("One", 101, 2, -1)]
    write_rows(source / "one.jsonl", rows("One") + again)
    repository = import_board("mt-bench", source)
    own = leaderboard(repository)["one"]
    # 5, 6, 7 and 1 at the first turn, 6, 7, 8 at the second.
    assert (own["turn_1"], own["turn_2"], own["n_invalid"], own["rank"]) == ("4.75", "7.0", "1", "2")
    assert float(own["score"]) == pytest.approx(40 / 7)
    (entry,), (board,) = list_runs(repository.runs), views(repository)
    assert own["median_response_length"] == ""  # the texts are not in the data, and are not empty
    assert [(board.wanted(each), board.lacking(each)) for each in board.results.leaderboard] == [(3, ""), (4, "")]
    planned = api.plan(repository, Selection())
    assert planned.to_make.total() == 0
    assert planned.known == {("contestant", "one"): 8, ("contestant", "two"): 6, ("judge", "gpt-4"): 14}
    folder = RunFolder(entry.path, entry.manifest)
    assert sum(1 for _ in folder.records(Response, "one")) == 8
    invalid = [each for each in folder.records(Judgment, "one") if each.state == "unparsed"]
    assert [(each.item, each.turn, each.sample, each.rationale) for each in invalid] == [
        ("question-101", 2, 1, "I give none.")
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"turn": 3}, "one.jsonl:2: turn: expected int <= 2"),
        ({"score": 5}, "score: found 5, but the judgment says 6; one of them was changed"),
        ({"score": -1}, "score: found -1, but the judgment says 6; one of them was changed"),
        ({"score": 0, "judgment": "Rating: [[0]]"}, "score: found 0; expected 1 to 10, or -1 where there is none"),
        ({"score": None}, "score: found null; expected float"),
        ({"question_id": "x"}, "question_id: found str; expected int"),
        ({"model": ""}, "model: the text has no visible character; write it"),
        ({"category": " "}, "category: the text has no visible character; write it"),
        ({"judge": "\u200b"}, "judge: the text has no visible character; write it"),
        (
            {"judge": "claude"},
            "the judge is 'claude', but 'gpt-4' in earlier rows; import the rows of one judge at a time",
        ),
        ({"category": "art"}, "category: question 101 is of 'art' here, but of 'math' in earlier rows"),
    ],
)
def test_a_broken_row_is_named_once_with_its_place(source: Path, changes: Data, message: str) -> None:
    given = rows("One")
    given[1] |= changes
    write_rows(source / "one.jsonl", given)
    (told,) = refused("mt-bench", source)
    assert told.startswith("one.jsonl:2: ")
    assert message in told


def test_a_line_that_is_no_row_a_second_file_of_a_model_and_an_empty_one_are_named(source: Path) -> None:
    write_rows(source / "three.jsonl", rows("One"))
    (source / "four.jsonl").write_text("")
    (source / "two.jsonl").write_bytes(b"[1]\n")
    told = refused("mt-bench", source)
    assert told[0] == "four.jsonl: the file has no judgment; remove it"
    assert [line.split(": ")[0] for line in told[1:]] == ["three.jsonl:1", "two.jsonl:1"]
    assert told[1].endswith(" (and in 5 more rows)")


def test_lenient_leaves_out_the_model_that_is_broken_and_says_so(source: Path) -> None:
    write_rows(source / "three.jsonl", [*rows("Three")[:5], row("Three", 103, 9, 4)])
    repository = import_board("mt-bench", source, lenient=True)
    assert [*leaderboard(repository)] == ["one", "two"]
