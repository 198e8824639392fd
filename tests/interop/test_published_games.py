"""Boards of recorded games: what is imported, what is broken, and the published figures."""

from __future__ import annotations

from collections.abc import Callable
from math import log
from pathlib import Path
from typing import Any

import pytest
from interop.imports import import_board, leaderboard, refused, run_of, write_rows
from support.commands import nullbench
from support.published import ALPACA, ARENA, expected_alpaca, expected_arena, needs_alpaca, needs_arena
from support.sites import figures

from nullbench_site import api
from nullbench_site.repository import Repository
from nullbench_site.runs.records import Hidden, Judgment, Response
from nullbench_site.site import words
from nullbench_site.site.gather import gather
from nullbench_site.site.pages.groups import by_category, by_difficulty
from nullbench_site.specs.load import load_benchmark

Data = dict[str, Any]
ITEMS = 6
QUESTIONS = ("q-b", "q-a", "q-c", "q-d", "q-e", "q-f")


def annotation(item: int, **more: Any) -> Data:
    """A row of which 0.8 of the probability is on the second answer, the model's."""
    return {
        "pos": item, "item": item, "dataset": "koala", "len_model": 100 + 7 * item, "len_baseline": 200 + item,
        "preference": 1.8, "annotator": "Judge 1", "logprob_m": log(0.18), "logprob_M": log(0.72), "switched": False,
        **more,
    }  # fmt: skip


def verdict(model: str, question: str, **more: Any) -> Data:
    return {
        "question_id": question, "model": model, "baseline": "Base", "judge": "ensemble", "g1": "B>A", "g2": "A=B",
        "style_model": [90, 1, 2, 3], "style_baseline": [80, 0, 1, 2], **more,
    }  # fmt: skip


@pytest.fixture
def alpaca(tmp_path: Path) -> Path:
    """Two models and the baseline on six items, with fixed difficulties and gamed rows."""
    source = tmp_path / "alpaca"
    items = [
        {"item": n, "dataset": "koala" if n % 2 else "odd set", "instruction": f"Do {n}.", "len_baseline": 200 + n}
        for n in range(ITEMS)
    ]
    write_rows(source / "items.jsonl", items)
    write_rows(source / "annotations" / "Model_A.jsonl", [annotation(n) for n in range(ITEMS)])
    write_rows(
        source / "annotations" / "model-b.jsonl", [annotation(n, preference=1.2, switched=True) for n in range(ITEMS)]
    )
    own = {"logprob_m": None, "logprob_M": None, "switched": None, "preference": 1.5}
    base = [annotation(n, len_model=200 + n, **own) for n in range(ITEMS)]
    write_rows(source / "annotations" / "gpt4_1106_preview.jsonl", base)
    difficulties = "".join(f"{n},{n / 10}\n" for n in range(ITEMS))
    (source / "instruction_difficulty.csv").write_text("item,instruction_difficulty\n" + difficulties)
    header = "gamed_model,item,preference_minus_1,std_delta_len,instruction_difficulty\n"
    (source / "gamed_baseline_rows.csv").write_text(f"{header}short,0,0.25,-1.5,0.1\n")
    return source


@pytest.fixture
def arena(tmp_path: Path) -> Path:
    """Two models on six questions, one of them the baseline."""
    source = tmp_path / "arena"
    for model in ("Model A", "Base"):
        write_rows(source / "judgments" / f"{model}.jsonl", [verdict(model, question) for question in QUESTIONS])
    return source


def test_the_baseline_has_50_by_definition_and_no_interval_that_nobody_measured(arena: Path) -> None:
    rows = leaderboard(import_board("arena-hard", arena))
    assert [rows["base"][name] for name in ("overall", "se", "ci_low", "ci_high")] == ["50.0", "", "", ""]
    assert rows["model-a"]["ci_low"]
    assert rows["model-a"]["ci_high"]


def test_the_published_interval_stands_on_the_page_of_a_contestant_and_one_category_makes_no_table(arena: Path) -> None:
    repository = import_board("arena-hard", arena)
    entry = api.find_run(repository, None)
    site = gather(load_benchmark(repository.specs), entry, [entry])
    (view,) = site.views
    row = leaderboard(repository)["model-a"]
    ends = (float(row[f"score_row_bootstrap_{end}"]) for end in ("low", "high"))
    facts, of_base = figures(site, "model-a"), figures(site, "base")
    assert facts["row_bootstrap"] == (words.interval(*ends), "")
    assert of_base["row_bootstrap"] == ("not measured", "it is the baseline: 50 by definition")
    assert of_base["elo"][1] == "it is the baseline: 1000 by definition"
    assert facts["elo"][1] == "the same value on every item"
    assert (by_category(view, *view.domains), by_difficulty(view)) == (None, None)


def test_annotations_become_games_in_the_order_they_were_shown(alpaca: Path) -> None:
    repository = import_board("alpacaeval", alpaca)
    run = run_of(repository)
    (second, *_), (first, *_) = (
        sorted(run.records(Judgment, model), key=lambda each: each.item) for model in ("model_a", "model-b")
    )
    assert (second.position, second.scores, second.judge) == (1, {"preference": 1.8}, "judge-1")
    assert (first.position, first.scores["preference"]) == (0, pytest.approx(1.8))
    assert list(run.records(Judgment, "gpt4_1106_preview")) == []
    answers = sorted(run.records(Response, "model_a"), key=lambda each: each.item)
    assert [each.hidden for each in answers] == [Hidden("", 100 + 7 * n) for n in range(ITEMS)]
    assert {each.text for each in answers} == {""}
    rows = leaderboard(repository)
    assert [float(rows[model]["win_rate"]) for model in ("model_a", "model-b", "gpt4_1106_preview")] == (
        pytest.approx([80, 20, 50])
    )
    board = load_benchmark(repository.specs).boards["alpacaeval"]
    assert (board.baseline, board.length_control.difficulty_by) == ("gpt4_1106_preview", "row")
    assert board.length_control.gamed_rows == ((-1.5, 0.1, 0.25),)


def test_verdicts_become_two_mirrored_games_and_a_missing_second_repeats_the_first(arena: Path) -> None:
    rows = [verdict("Model A", question) for question in QUESTIONS]
    rows[0] |= {"g1": "A>>B", "g2": None}
    write_rows(arena / "judgments" / "Model A.jsonl", rows)
    repository = import_board("arena-hard", arena)
    found = {
        (each.item, each.position): (each.judge_template, each.scores["verdict"], bool(each.rationale))
        for each in run_of(repository).records(Judgment, "model-a")
    }
    assert found["q-a", 1] == ("base/second", 1, False)
    assert found["q-a", 0] == ("base/first", 0, False)
    # A>>B again, and the model is A now: it loses 3 and wins 3.
    assert (found["q-b", 1], found["q-b", 0]) == (("base/second", -2, False), ("base/first", -2, True))
    # Five questions of a win and a tie, and 3 of 6: 10.5 of 16.
    assert float(leaderboard(repository)["model-a"]["score"]) == pytest.approx(100 * 10.5 / 16)
    assert "lacks the second game of 1 question" in (repository.root / "README.md").read_text("utf-8")


def test_what_the_command_says_and_that_the_run_is_what_was_sealed(alpaca: Path) -> None:
    (alpaca / "multi-judge").mkdir()
    done = nullbench(alpaca.parent, "import", "alpacaeval", alpaca.name, "--into", "board")
    assert done.code == 0, done.err
    assert done.err.splitlines()[:5] == [
        "imported 3 models and 6 items of AlpacaEval 2.0",
        "Verdicts: 12 of Judge 1",
        "Note:     the board has hashes and lengths of instructions and outputs, not their texts",
        "Note:     not read: multi-judge; annotations of other judges or baselines are other boards",
        "Note:     the difficulty of an item goes by the place of its row, as in the published scores",
    ]
    verified = nullbench(alpaca.parent / "board", "verify")
    assert verified.code == 0, verified.err


def test_null_preferences_are_failed_judgements_and_absent_rows_are_counted(alpaca: Path) -> None:
    rows = [annotation(n, preference=None, switched=None) if n == 2 else annotation(n) for n in range(ITEMS - 1)]
    write_rows(alpaca / "annotations" / "Model_A.jsonl", rows)
    made = api.import_results("alpacaeval", alpaca, alpaca.parent / "board")
    assert {
        "Model_A has 1 failed judgement, which no figure counts",
        "Model_A has no annotation of 1 item",
        "Model_A has no rank: answers are missing",
    } <= set(getattr(made, "notes", ()))
    row = leaderboard(Repository(alpaca.parent / "board"))["model_a"]
    assert (row["n_wins"], row["n_draws"], float(row["win_rate"])) == ("4", "0", pytest.approx(80))


Change = Callable[[list[Data]], object]
ROW = "annotations/Model_A.jsonl"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda rows: rows.insert(1, rows[0]),
            f"{ROW}:2: item: duplicate item 0, first in line 1; keep one row per item",
        ),
        (
            lambda rows: rows.insert(2, rows.pop(0)) or [row.pop("pos") for row in rows],
            f"{ROW}:3: item: item 0 comes after item 2; difficulties go by the place of a row",
        ),
        (
            lambda rows: rows.pop(0),
            f"{ROW}:1: pos: found 1, but this is row 0: rows were removed or moved; restore them",
        ),
        (lambda rows: rows[1].update(item=99), f"{ROW}:2: item: items.jsonl has no item 99; add it, or remove the row"),
        (
            lambda rows: rows[1].update(len_baseline=7),
            "has 7 characters, but 201 in items.jsonl: the row is against another baseline",
        ),
        (
            lambda rows: [row.update(len_baseline=7) for row in rows],
            "has 7 characters, but 200 in items.jsonl: the row is against another baseline",
        ),
        (
            lambda rows: rows[1].update(preference=float("nan")),
            f"{ROW}:2: not JSON: NaN, Infinity and half a character",
        ),
        (lambda rows: rows[1].update(preference=0.5), "preference: found 0.5; expected 1 to 2, or 0 for a draw"),
        (lambda rows: rows[1].update(preference="x"), "preference: found str; expected float | null"),
        (
            lambda rows: rows[1].update(switched=True),
            "found 1.8, but its log probabilities give 1.2; is `switched` inverted?",
        ),
        (
            lambda rows: rows[1].update(preference=1.4),
            "found 1.4, but its log probabilities give 1.8; one of them was changed",
        ),
        (
            lambda rows: rows[1].pop("logprob_M"),
            "logprob_m: one of logprob_m and logprob_M is missing; write both, null if not among",
        ),
        (lambda rows: rows[1].update(logprob_m=0.7), "logprob_m: expected float <= 1e-06"),
        (lambda rows: rows[1].update(logprob_M="-0.3"), "logprob_M: found str; expected float | null"),
        (lambda rows: rows[1].update(annotator=" "), "annotator: the text has no visible character; write it"),
        (lambda rows: rows[1].update(switched="no"), "switched: found str; expected bool | null"),
        (
            lambda rows: rows[1].update(annotator="B"),
            "the judge is 'B', but 'Judge 1' in earlier rows; import the rows of one judge",
        ),
        (lambda rows: rows[1].pop("len_model"), f"{ROW}:2: len_model: the key is missing; write it, with its value"),
        (lambda rows: rows.clear(), f"{ROW}: the file has no annotation; remove it"),
    ],
)
def test_a_broken_annotation_is_named_with_its_place(alpaca: Path, change: Change, said: str) -> None:
    rows = [annotation(n) for n in range(ITEMS)]
    change(rows)
    write_rows(alpaca / ROW, rows)
    lines = refused("alpacaeval", alpaca)
    assert said in lines[0]
    assert len(lines) == 1, lines


def test_a_repeated_key_and_a_repeated_row_of_a_table_are_refused(alpaca: Path, arena: Path) -> None:
    first = '"switched": false'
    assert first in (alpaca / ROW).read_text()
    (alpaca / ROW).write_text((alpaca / ROW).read_text().replace(first, f'{first}, "switched": true', 1))
    assert refused("alpacaeval", alpaca)[:1] == [f"{ROW}:1: duplicate key 'switched'; keep one"]
    game = arena / "judgments" / "Model A.jsonl"
    game.write_text(game.read_text().replace('"g1": ', '"g1": "A=B", "g1": ', 1))
    assert refused("arena-hard", arena)[:1] == ["judgments/Model A.jsonl:1: duplicate key 'g1'; keep one"]
    table = alpaca / "instruction_difficulty.csv"
    good = table.read_text()
    table.write_text(good + good.splitlines()[1] + "\n")
    line = len(good.splitlines()) + 1
    assert f"instruction_difficulty.csv:{line}: item: duplicate item 0; keep one row per item" in (
        refused("alpacaeval", alpaca)
    )
    table.write_text(good.replace("instruction_difficulty", "instruction_difficulty,item", 1))
    assert "instruction_difficulty.csv:1: the header has item twice; keep one column" in refused("alpacaeval", alpaca)


def test_the_rest_is_imported_without_a_broken_model(alpaca: Path) -> None:
    write_rows(alpaca / ROW, [annotation(0), annotation(0)])
    repository = import_board("alpacaeval", alpaca, lenient=True)
    assert set(leaderboard(repository)) == {"model-b", "gpt4_1106_preview"}


def test_the_baseline_cannot_have_won_against_itself(alpaca: Path) -> None:
    rows = [annotation(n, len_model=200 + n) for n in range(ITEMS)]
    write_rows(alpaca / "annotations" / "gpt4_1106_preview.jsonl", rows)
    assert "preference: gpt4_1106_preview is the baseline: expected 1.5" in refused("alpacaeval", alpaca)[0]


def test_a_file_whose_preferences_were_all_edited_is_one_line_with_the_numbers_of_its_first_row(alpaca: Path) -> None:
    write_rows(alpaca / "annotations" / "Model_A.jsonl", [annotation(n, preference=1 + n / 10) for n in range(ITEMS)])
    (said,) = refused("alpacaeval", alpaca)
    assert "preference: found 1, but its log probabilities give 1.8" in said
    assert said.endswith("(and in 5 more rows)")


def test_games_of_the_baseline_with_itself_alone_are_no_board(arena: Path) -> None:
    (arena / "judgments" / "Model A.jsonl").unlink()
    assert refused("arena-hard", arena) == [
        "judgments/Base.jsonl: the only games are those of the baseline 'Base' with itself; add those of a model"
    ]


def test_files_that_are_no_files_of_the_format_are_named(alpaca: Path, arena: Path) -> None:
    (alpaca / ROW).write_bytes(b'{"item": 1,\n\xff\n')
    lines = refused("alpacaeval", alpaca)
    assert lines == [
        f"{ROW}:1: not JSON: expecting property name enclosed in double quotes at column 12",
        f"{ROW}:2: byte 0xff is not UTF-8; save the file with the encoding UTF-8",
    ]
    (alpaca / "gamed_baseline_rows.csv").write_text("a,b\n1,2\n")
    assert any(
        "gamed_baseline_rows.csv:1: the header has no std_delta_len" in line for line in refused("alpacaeval", alpaca)
    )
    (arena / "judgments" / "Model A.jsonl").unlink()
    (arena / "judgments" / "Model A.jsonl").symlink_to(arena / "judgments" / "Base.jsonl")
    assert "judgments/Model A.jsonl: a symbolic link; put the file itself here" in refused("arena-hard", arena)
    assert "annotations: there is no such folder" in refused("alpacaeval", arena)[0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda rows: rows[1].update(g1="A>>>B"), "g1: found 'A>>>B'; known: A=B, A>>B"),
        (lambda rows: rows[1].update(g1=None), "g1: found null; expected str"),
        (lambda rows: rows[1].update(model=" "), "model: the text has no visible character; write it"),
        (
            lambda rows: rows[1].update(question_id="q-b"),
            "question_id: duplicate question 'q-b', first in line 1; keep one row",
        ),
        (
            lambda rows: rows[1].update(baseline="Other"),
            "the baseline is 'Other', but 'Base' in earlier rows; import the rows of one base",
        ),
        (
            lambda rows: [row.update(baseline="Other") for row in rows[1:]],
            f"import the rows of one baseline at a time (and in {len(QUESTIONS) - 2} more row",
        ),
        (
            lambda rows: rows[1].update(judge="Other"),
            "the judge is 'Other', but 'ensemble' in earlier rows; import the rows",
        ),
        (
            lambda rows: rows[1].update(model="Other"),
            "model: the model is 'Other', but 'Model A' in earlier rows; use one file per",
        ),
        (lambda rows: rows[1].update(style_model=[1, 2]), "style_model: expected array of length >= 4"),
        (
            lambda rows: rows[1].update(style_baseline=[9, 9, 9, 9]),
            "style_baseline: differs from another file: the row is against another answer",
        ),
    ],
)
def test_a_broken_verdict_is_named_with_its_place(arena: Path, change: Change, said: str) -> None:
    rows = [verdict("Model A", question) for question in QUESTIONS]
    change(rows)
    write_rows(arena / "judgments" / "Model A.jsonl", rows)
    lines = refused("arena-hard", arena)
    assert len(lines) == 1
    assert lines[0].startswith("judgments/Model A.jsonl:2:")
    assert said in lines[0]


def test_a_number_out_of_range_is_named_in_rows_and_tables(alpaca: Path) -> None:
    file, table = alpaca / ROW, alpaca / "instruction_difficulty.csv"
    file.write_text(file.read_text().replace('"len_model": 100', '"len_model": 1e999', 1))
    table.write_text(table.read_text().replace("0.1", "Infinity").replace("0.2", "1e999").replace("0.3", "nan"))
    assert refused("alpacaeval", alpaca)[:4] == [
        f"{ROW}:1: len_model: number out of range",
        "instruction_difficulty.csv: no difficulty for 3 items of items.jsonl: 1, 2 and 3",
        "instruction_difficulty.csv:3: instruction_difficulty: expected float <= 1000000.0",
        "instruction_difficulty.csv:4: instruction_difficulty: number out of range",
    ]


@needs_alpaca
def test_the_imported_board_shows_the_published_figures_of_alpacaeval(tmp_path: Path) -> None:
    api.import_results("alpacaeval", ALPACA, tmp_path / "board")
    rows = leaderboard(Repository(tmp_path / "board"))
    assert len(rows) == len(expected_alpaca()) == 12
    for model, published in expected_alpaca().items():
        row = rows[model.lower()]
        for name in ("win_rate", "standard_error", "discrete_win_rate"):
            assert float(row[name]) == pytest.approx(published[name], abs=0.01), (model, name)
        assert (int(row["n_wins"]), int(row["n_draws"])) == (published["n_wins"], published["n_draws"]), model
        near = 0.15 if model == "gpt4_gamed" else 0.1  # folds are not published, and of one model choose another C
        assert float(row["lc_win_rate"]) == pytest.approx(published["length_controlled_winrate"], abs=near), model


@needs_arena
def test_the_imported_board_shows_the_published_figures_of_arena_hard(tmp_path: Path) -> None:
    api.import_results("arena-hard", ARENA, tmp_path / "board")
    rows, styled = leaderboard(Repository(tmp_path / "board")), expected_arena()["style_control_on_this_pack_only"]
    assert len(rows) == len(expected_arena()["models"]) == 14
    for published in expected_arena()["models"]:
        row, of_all = rows[published["model"]], published["published_no_control"]
        assert float(row["score"]) == pytest.approx(of_all["score"], abs=0.01), published["model"]
        if published["model"] != "claude-3.7-sonnet":
            # Theirs are anchored elsewhere in each of 100 rounds: rough.
            ends = [float(row[f"score_row_bootstrap_{end}"]) for end in ("low", "high")]
            assert ends == pytest.approx([of_all["ci_low"], of_all["ci_high"]], abs=2), published["model"]
    for model, score in styled["style"]["scores"].items():
        assert float(rows[model]["style_win_rate"]) == pytest.approx(score, abs=0.01), model
