"""`--limit`, `--item` and `--domain`: some calls now, partial results, and the rest later without repeating one."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from support.repositories import CALLS, ITEMS, JUDGES, MODELS, small_repository

from nullbench_site import api
from nullbench_site.errors import UsageError
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.targets import Selection


def test_a_smoke_test_is_partial_and_the_next_build_completes_it(tmp_path: Path) -> None:
    repository = small_repository(tmp_path)
    for chosen, items in ((Selection(limit=2), 2), (Selection(domains=["science"]), ITEMS)):
        assert api.plan(repository, chosen).to_make.total() == items * len(MODELS) * (1 + JUDGES)
    report = api.build(repository, BuildOptions(Selection(limit=2)), render_site=False)
    few = 2 * len(MODELS) * (1 + JUDGES)
    assert (report.calls.planned, report.calls.made, report.partial) == (few, few, True)
    run = Path(report.run_dir)
    assert json.loads((run / "manifest.json").read_text("utf-8"))["state"] == "open"
    with (run / "results" / "main" / "leaderboard.csv").open(encoding="utf-8") as file:
        assert {row["n_items"] for row in csv.DictReader(file)} == {"2"}, "an item without an answer counts for nothing"
    (third,) = [item.id for _, item in api.validate(repository).every_item][2:3]
    one = api.build(repository, BuildOptions(Selection(items=[third])), render_site=False)
    assert (one.calls.made, one.calls.reused, one.partial) == (few // 2, few, True)
    whole = api.build(repository, BuildOptions(), render_site=False)
    assert (whole.calls.planned, whole.calls.reused, whole.partial) == (CALLS, few * 3 // 2, False)
    assert api.plan(repository, Selection(limit=2)).known.total() == few


def test_an_unknown_item_or_domain_is_named(tmp_path: Path) -> None:
    repository = small_repository(tmp_path)
    for chosen, message in (
        (Selection(items=["nope"]), "no selected board has the item 'nope'"),
        (Selection(domains=["sciense"]), "no selected board has the domain 'sciense'; did you mean 'science'"),
    ):
        with pytest.raises(UsageError, match=message):
            api.plan(repository, chosen)
