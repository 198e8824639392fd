"""Boards whose games were played elsewhere: tables without texts, the records made from them, and their life."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from interop.imports import write_rows
from support.benchmarks import write_benchmark
from support.score_boards import import_small

from nullbench_site import api
from nullbench_site.errors import SpecError
from nullbench_site.evaluation.backends import backend_names, backends
from nullbench_site.evaluation.backends.base import BuildContext, UnavailableError
from nullbench_site.evaluation.cost import Budget
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.record_keys import key_problems
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.targets import Selection
from nullbench_site.interop.importer import ImportRefused
from nullbench_site.repository import Repository
from nullbench_site.review.calls import KnownAnswers
from nullbench_site.review.evidence import altered
from nullbench_site.scoring.tables import read_results
from nullbench_site.specs import types
from nullbench_site.specs.load import load_benchmark

ITEMS = 8
ASKED = "Instruction number"
OUTPUT = "An output of the model, number"


def row(item: int, preference: float, length: int) -> dict[str, Any]:
    about = {"annotator": "Judge 1", "logprob_m": None, "logprob_M": None, "switched": bool(item % 2)}
    return {"item": item, "len_model": length, "len_baseline": 200 + item, "preference": preference, **about}


def write_source(source: Path) -> Path:
    """Write annotations of two models on eight items, the outputs of one of them, and published figures."""
    items = [
        {"item": n, "dataset": "koala", "instruction": f"{ASKED} {n}.", "len_baseline": 200 + n} for n in range(ITEMS)
    ]
    write_rows(source / "items.jsonl", items)
    outputs = [f"{OUTPUT} {n}." for n in range(ITEMS)]
    rows = [row(n, 1.9, len(outputs[n])) for n in range(ITEMS)]
    write_rows(source / "annotations" / "NullModel.jsonl", rows)
    write_rows(source / "annotations" / "other.jsonl", [row(n, 1.1 + n / 20, 50) for n in range(ITEMS)])
    given = [{"item": n, "output": output} for n, output in enumerate(outputs)]
    write_rows(source.with_name(f"{source.name}-responses") / "NullModel.jsonl", given)
    (source / "expected_leaderboard.csv").write_text(
        "model,win_rate,length_controlled_winrate\nNullModel,90.0,91.0\nother,27.5,30\n", "utf-8"
    )
    return source


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a board of scores, to which the games were imported."""
    folder = tmp_path_factory.mktemp("games")
    import_small(folder, folder / "made")
    api.import_results("alpacaeval", write_source(folder / "alpaca"), folder / "made")
    return folder / "made"


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Repository:
    shutil.copytree(root, tmp_path / "copy")
    return Repository(tmp_path / "copy")


def test_no_text_of_the_data_is_anywhere_in_the_repository(root: Path) -> None:
    for path in root.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert ASKED.encode() not in content, path
            assert OUTPUT.encode() not in content, path


def test_items_and_answers_have_hashes_and_lengths(root: Path) -> None:
    benchmark = load_benchmark(root / "specs")
    placed = next(iter(benchmark.items(benchmark.boards["alpacaeval"])))
    assert placed.item.hash == f"sha256:{sha256(f'{ASKED} 0.'.encode()).hexdigest()}"
    run = api.find_run(Repository(root), None)
    shard = run.path / "responses" / "nullmodel.jsonl"
    first = min((json.loads(line) for line in shard.read_text().splitlines()), key=lambda each: each["item"])
    digest = f"sha256:{sha256(f'{OUTPUT} 0.'.encode()).hexdigest()}"
    assert (first["text"], first["hidden"]) == ("", {"hash": digest, "runes": len(f"{OUTPUT} 0.")})


def test_the_null_model_is_one_and_is_the_floor(root: Path) -> None:
    rows = {row.model: row for row in read_results(api.find_run(Repository(root), None).path, "alpacaeval").leaderboard}
    assert (rows["nullmodel"].rank, rows["nullmodel"].win_rate) == (None, pytest.approx(90))
    assert rows["other"].above_null_floor is False
    board = load_benchmark(root / "specs").boards["alpacaeval"]
    assert board.published == {
        "win_rate": {"nullmodel": 90.0, "other": 27.5}, "lc_win_rate": {"nullmodel": 91.0, "other": 30.0},
    }  # fmt: skip


def test_every_later_run_has_the_records_and_no_call_is_planned(copy: Repository) -> None:
    assert api.plan(copy, Selection()).to_make.total() == 0
    before = api.find_run(copy, None)
    models = copy.specs / "scores" / "small" / "scores.csv"
    models.write_text(models.read_text("utf-8").replace("alpha,60", "alpha,61", 1), "utf-8")
    for fresh in (False, True):
        report = api.build(copy, BuildOptions(fresh=fresh), render_site=False)
        assert (report.calls.made, report.calls.left) == (0, 0)
        after = api.find_run(copy, None)
        assert after.path != before.path
        for kind in ("responses", "judgments"):
            names = sorted(path.name for path in (before.path / kind).iterdir())
            assert [path.name for path in sorted((after.path / kind).iterdir())] == names
            assert all(
                (before.path / kind / name).read_bytes() == (after.path / kind / name).read_bytes() for name in names
            )
    assert api.verify(copy, None)[1] == []


def test_a_record_that_the_tables_do_not_contain_is_reported(copy: Repository) -> None:
    run = api.find_run(copy, None)
    shard = run.path / "judgments" / "other.jsonl"
    shard.write_text(shard.read_text("utf-8").replace('"position":0', '"position":1', 1), "utf-8")
    assert key_problems(run)[0] == [f"{shard}: 1 record that the tables in its specs do not contain"]


def test_the_review_of_a_run_with_the_board_finds_no_wrong_record(root: Path) -> None:
    builder = RequestBuilder(load_benchmark(root / "specs"), backends())
    found = altered(builder, [api.find_run(Repository(root), None)], (), KnownAnswers(), {})
    assert (found.misplaced, found.lacking) == (0, 0)


def test_the_board_is_removed_with_its_folder_and_its_file(copy: Repository) -> None:
    shutil.rmtree(copy.specs / "pairwise" / "alpacaeval")
    (copy.specs / "boards" / "alpacaeval.yaml").unlink()
    report = api.build(copy, render_site=False)
    assert (report.calls.made, report.calls.left) == (0, 0)
    benchmark = load_benchmark(copy.specs)
    assert ([*benchmark.boards], [*benchmark.judges], "nullmodel" in benchmark.models) == (["small"], [], False)


@pytest.mark.parametrize(
    ("file", "change", "problem"),
    [
        ("games.csv", (",50,", ",fifty,"), "length: found 'fifty'; write a number of characters"),
        (
            "games.csv",
            (",first,", ",third,"),
            "position: found 'third'; write first or second, or leave the cell empty",
        ),
        ("games.csv", (",1.1\n", ",0.5\n"), "preference: found '0.5'; write a number from 1 to 2, or 0 for a draw"),
        (
            "games.csv",
            ("other,alpacaeval-00001", "other,alpacaeval-00000"),
            "keep one row for each contestant and item",
        ),
        (
            "games.csv",
            ("other,alpacaeval-00001", "other,alpacaeval-1"),
            "items.csv has no item 'alpacaeval-1'; did you",
        ),
        ("items.csv", (",koala,", ",koala,x"), "items.csv:2:1: hash"),
        ("models.csv", ("other,", "others,"), "games.csv has no contestant 'others'; did you mean 'other'?"),
        ("judges.csv", ("id,title", "id,name"), "unknown column 'name'"),
    ],
)
def test_a_mistake_in_a_table_of_games_is_named_at_its_place(
    root: Path, tmp_path: Path, file: str, change: tuple[str, str], problem: str
) -> None:
    shutil.copytree(root / "specs", tmp_path / "specs")
    target = tmp_path / "specs" / "pairwise" / "alpacaeval" / file
    text = target.read_text("utf-8")
    assert change[0] in text
    target.write_text(text.replace(*change, 1), "utf-8")
    with pytest.raises(SpecError) as caught:
        load_benchmark(tmp_path / "specs")
    assert any(problem in str(each) for each in caught.value.problems), caught.value


def test_an_output_of_another_length_is_refused(tmp_path: Path) -> None:
    source = write_source(tmp_path / "alpaca")
    write_rows(tmp_path / "alpaca-responses" / "NullModel.jsonl", [{"item": 3, "output": "Short."}])
    with pytest.raises(ImportRefused, match="the output has 6 characters, but 33 in annotations: it is another output"):
        api.import_results("alpacaeval", source, tmp_path / "made")
    assert not (tmp_path / "made").exists()


def test_only_tables_may_have_items_whose_text_is_elsewhere(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path, "pairwise")
    (domain,) = (specs / "domains").glob("*.yaml")
    text = domain.read_text("utf-8")
    domain.write_text(
        re.sub(
            r"prompt: .*\n +reference: .*", f"visibility: elsewhere\n        hash: sha256:{'0' * 64}", text, count=1
        ),
        "utf-8",
    )
    with pytest.raises(SpecError, match="the text of this item is elsewhere, so no contestant can be asked"):
        load_benchmark(specs)


# The backend of imported answers has every name and answers nobody


def test_it_has_every_name_and_takes_no_param_but_the_file_of_answers() -> None:
    names = backend_names()
    assert names.contestants["recorded"] is names.judges["recorded"] is None
    assert names.params_problem("recorded", "anything", {}) is None
    assert names.params_problem("recorded", "anything", {"b": 1, "a": 2}) == (
        "unknown param 'a', 'b'; recorded answers accept only 'answers'"
    )
    assert names.params_problem("recorded", "anything", {"answers": "sha256:" + "0" * 64}) is None
    assert "import the answers again" in str(names.params_problem("recorded", "anything", {"answers": "0"}))


def test_whoever_is_asked_the_answer_is_what_to_do_instead() -> None:
    async def ask() -> None:
        nobody: Any = None
        async with backends()["recorded"].connect(nobody, BuildContext(Path("specs"), Budget())) as connection:
            judge = types.Judge(id="j", title="J", description="J", backend="recorded", model="j", family="j")
            await connection.asker(judge).ask(nobody)

    with pytest.raises(UnavailableError, match="the backend 'recorded' makes no calls; restore the imported specs"):
        asyncio.run(ask())


def test_a_null_model_may_be_recorded(tmp_path: Path) -> None:
    """As that of AlpacaEval, whose answers were published."""
    specs = write_benchmark(tmp_path)
    model = specs / "models" / "null-empty.yaml"
    offline = model.read_text("utf-8")
    model.write_text(offline.replace("backend: offline", "backend: recorded"), "utf-8")
    assert load_benchmark(specs, backends=backend_names()).models["null-empty"].kind == "null"
    model.write_text(offline.replace("backend: offline", "backend: openai"), "utf-8")
    with pytest.raises(SpecError, match="a model at an endpoint cannot be a null model"):
        load_benchmark(specs, backends=backend_names())
