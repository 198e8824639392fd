"""Exports of a run: they follow the schemas of the other side, keep private texts, and give the same ranks back."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pytest
import yaml
from support.sites import Site

from nullbench_site import api
from nullbench_site.errors import UsageError
from nullbench_site.interop.answers import read_answers_file
from nullbench_site.interop.score_table import read_table
from nullbench_site.runs.records import Response, read_records
from nullbench_site.scoring.ranked_table import rank_table
from nullbench_site.scoring.ranking import Strata
from nullbench_site.specs.types import ModelFile

SCHEMAS = find_spec("every_eval_ever")


def schema(name: str) -> Any:
    if SCHEMAS is None or not SCHEMAS.submodule_search_locations:
        pytest.skip("needs requirements-schemas.txt")
    path = Path(SCHEMAS.submodule_search_locations[0]) / f"schemas/{name}.schema.json"
    return jsonschema.Draft7Validator(json.loads(path.read_bytes()))


@pytest.fixture(scope="module")
def records(small_site: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    into = tmp_path_factory.mktemp("export") / "records"
    report = api.export(small_site.repository, "eee", into, None, {})
    assert report.files == len([path for path in into.rglob("*") if path.is_file()]) > 0
    return into / "data"


def test_records_follow_the_schemas_of_every_eval_ever(records: Path) -> None:
    aggregates, instances = schema("eval"), schema("instance_level_eval")
    for path in records.rglob("*.json"):
        aggregates.validate(json.loads(path.read_bytes()))
    for path in records.rglob("*.jsonl"):
        for line in path.read_bytes().splitlines():
            instances.validate(json.loads(line))


@pytest.mark.nightly
def test_the_validator_of_every_eval_ever_accepts_the_records(records: Path) -> None:
    program = shutil.which(os.environ.get("EEE", "every_eval_ever"))
    if program is None:
        pytest.skip("needs Python 3.12 or later, see `make test-all`")
    files = sorted(str(path.relative_to(records.parent)) for path in records.rglob("*.json*"))
    done = subprocess.run(
        [program, "validate", *files], cwd=records.parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(files)} passed" in done.stdout


def test_records_give_the_same_ranks_and_scores(records: Path, small_site: Site) -> None:
    for view in small_site.data.views:
        ranked = [row for row in view.contestants if row.rank is not None]
        back = rank_table(read_table(str(records / view.board.id))).leaderboard
        assert [(row.model.split("/")[1], row.rank) for row in back] == [(row.model, row.rank) for row in ranked]
        for row, own in zip(back, ranked, strict=True):
            assert row.score == pytest.approx(own.score, abs=1e-5)
            assert row.se == pytest.approx(own.se, abs=1e-5)


def test_ranks_do_not_depend_on_the_order_of_the_items() -> None:
    """Random signs are drawn in the order of the items' names, so that records read back give the same ranges."""
    items, clusters = ["b", "a", "d", "c"], np.array([0, 1, 0, 2])
    strata = Strata(np.zeros(4, np.int64), clusters)
    assert strata.by_name(items).clusters.tolist() == [1, 0, 1, 2]
    turned = replace(strata, clusters=clusters[[1, 0, 3, 2]])
    assert turned.by_name(["a", "b", "c", "d"]).clusters.tolist() == [0, 1, 2, 1]


def test_records_have_stable_ids_and_the_texts_of_responses(records: Path, small_site: Site, tmp_path: Path) -> None:
    api.export(small_site.repository, "eee", tmp_path / "again", None, {})
    names = {path.relative_to(records): path.read_bytes() for path in records.rglob("*.json*")}
    again = tmp_path / "again/data"
    assert {path.relative_to(again): path.read_bytes() for path in again.rglob("*.json*")} == names
    view = small_site.data.views[0]
    model = next(row.model for row in view.contestants if row.rank is not None)
    (samples,) = (records / view.board.id).glob(f"*/{model}/*.jsonl")
    given = read_answers_file("x.jsonl", samples.read_bytes())
    shard = small_site.entry.path / f"responses/{model}.jsonl"
    texts = {each.item: each.text for each in read_records(shard, Response) if each.board == view.board.id}
    assert {each.item: each.text for each in given.answers} == texts


def test_every_table_of_a_run_is_exported(small_site: Site, tmp_path: Path) -> None:
    api.export(small_site.repository, "tables", tmp_path / "tables", None, {"form": "csv"})
    view = small_site.data.views[0]
    folder = tmp_path / "tables" / view.board.id
    board = pd.read_csv(folder / "leaderboard.csv")
    assert list(board["model"]) == list(view.rows)
    assert set(json.loads(next(text for text in board["absent"] if text != "{}")))
    shared = {path.name for path in (small_site.entry.path / "results" / view.board.id).glob("*.csv")}
    assert {path.name for path in folder.iterdir()} == shared | {
        "responses.csv", "judgments.csv", "trust.csv", "metrics.csv",
    }  # fmt: skip
    with pytest.raises(UsageError, match="the folder is not empty"):
        api.export(small_site.repository, "tables", tmp_path / "tables", None, {"form": "csv"})


def test_scores_for_the_hub_are_of_ranked_models_of_a_board(
    small_site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"dataset": "our/bench", "task": None, "board": None, "url": None}
    view, into = small_site.data.views[0], tmp_path / "hf"
    with pytest.raises(UsageError, match="the run has several boards; choose one with --board"):
        api.export(small_site.repository, "hf", into, None, options)
    options["board"] = view.board.id
    with pytest.raises(UsageError, match="has no ranked language model"):
        api.export(small_site.repository, "hf", into, None, options)
    monkeypatch.setattr(ModelFile, "is_language_model", True)
    api.export(small_site.repository, "hf", into, None, options)
    found = {path.parts[-3]: yaml.safe_load(path.read_text("utf-8")) for path in into.rglob("*.yaml")}
    assert {model: entry["value"] for model, (entry,) in found.items()} == {
        row.model: row.score for row in view.contestants if row.rank is not None
    }
    assert all(entry["dataset"] == {"id": "our/bench", "task_id": view.board.id} for (entry,) in found.values())
