"""The site's data for programs: where it stands, what shape it has, and that it says what the run says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend
from support.sites import Site, each_of, files

CONTRACT = (
    "rank", "rank_low", "rank_high", "model", "overall", "se", "ci_low", "ci_high", "n_items", "refusal_rate",
    "error_rate", "above_null_floor",
)  # fmt: skip
SCHEMAS = {
    "index.json": "index.schema.json",
    "runs.json": "runs.schema.json",
    "boards": "boards/board.schema.json",
    "models": "models/model.schema.json",
}
PARTS_OF_BOARDS = ("items", "scores", "groups")
"""Kinds of files in the folder of a board, each with its schema beside the boards."""


site = each_of("small", "shipped", "mixed", "axes_and_oracle", "pairwise")


def _data(site: Site) -> dict[str, bytes]:
    return files(site.folder / "data" / "v1")


def _schema_of(protocol: str) -> str:
    return "board.schema.json" if protocol == "axes" else f"{protocol}-board.schema.json"


def test_each_kind_of_file_stands_where_others_look_for_it(site: Site) -> None:
    found = set(_data(site))
    views = site.data.views
    expected = {"archive.zip", "answers.csv", "index.json", "runs.json", *SCHEMAS.values()} - {SCHEMAS["boards"]}
    expected |= {f"boards/{_schema_of(view.board.protocol)}" for view in views}
    expected |= {f"boards/{view.board.id}.{ending}" for view in views for ending in ("json", "csv", "svg")}
    expected |= {f"boards/{view.board.id}/differences.csv" for view in views if view.results.differences}
    expected |= {f"boards/{view.board.id}/items-worth-a-look.csv" for view in views}
    expected |= {f"boards/{view.board.id}/variants.csv" for view in views if getattr(view.results, "variants", None)}
    measured = [view.board.id for view in views if view.results.controls is not msgspec.UNSET]
    expected |= {f"boards/{board}/controls.csv" for board in measured}
    expected |= {f"boards/{view.board.id}/{name}.csv" for view in views for name in view.results.some}
    expected |= {f"models/{row.model}.json" for view in views for row in view.results.leaderboard}
    expected |= {f"boards/{kind}.schema.json" for kind in PARTS_OF_BOARDS}
    expected |= {f"boards/{view.board.id}/{kind}.json" for view in views for kind in ("items", "groups")}
    expected |= {f"boards/{view.board.id}/scores/{model}.json" for view in views for model in view.rows}
    expected |= {f"runs/{view.board.protocol}-results.schema.json" for view in views}
    expected |= {f"boards/{view.board.id}/badges/{model}.svg" for view in views for model in view.rows}
    expected |= {"runs/run.schema.json", *(f"runs/{entry.path.name}.json" for entry in site.data.runs)}
    older = {name for name in found if name.startswith("runs/2")} - expected
    assert {name for name in found if not name.startswith("evidence/")} - older == expected


def _any_of(validator: Any, kinds: list[Any], value: Any, schema: Any) -> Iterator[ValidationError]:
    """Asks of each kind only whether it fits: to list what is wrong with each that does not takes ten times as long."""
    if not any(validator.evolve(schema=kind).is_valid(value) for kind in kinds):
        yield ValidationError(f"{str(value)[:300]} is of no kind that the schema has")


def _items(validator: Any, kind: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    """Of a long list the first ten and every tenth, as its rows are written alike."""
    if validator.is_type(value, "array"):
        rows = value[len(schema.get("prefixItems", ())) :]
        for row in [*rows[:10], *rows[10::10]]:
            yield from validator.descend(row, kind)


_Validator = extend(Draft202012Validator, {"anyOf": _any_of, "items": _items})


@cache
def _validator(schema: bytes) -> Any:
    """Of a schema that is one; sites have the same."""
    Draft202012Validator.check_schema(json.loads(schema))
    return _Validator(json.loads(schema))


def test_every_file_validates_against_the_schema_beside_it(site: Site) -> None:
    checked = 0
    validators: dict[str, Any] = {}
    for name, content in _data(site).items():
        kind = name.split("/")[0]
        if kind not in SCHEMAS or not name.endswith(".json") or name.endswith(".schema.json"):
            continue
        schema = SCHEMAS[kind]
        part = next((part for part in PARTS_OF_BOARDS if f"/{part}" in name), None)
        if part:
            schema = f"boards/{part}.schema.json"
        elif kind == "boards":
            schema = f"boards/{_schema_of(json.loads(content)['protocol'])}"
        if schema not in validators:
            validators[schema] = _validator((site.folder / "data/v1" / schema).read_bytes())
        assert [error.message for error in validators[schema].iter_errors(json.loads(content))] == [], name
        checked += 1
    of_boards = sum(3 + len(view.rows) for view in site.data.views)
    assert checked == 2 + of_boards + len({row.model for v in site.data.views for row in v.results.leaderboard})


@pytest.mark.parametrize("kind", ["index.json", "runs.json", "boards", "models"])
def test_a_schema_refuses_a_file_that_lacks_a_field_or_holds_a_wrong_one(small_site: Site, kind: str) -> None:
    path = {"boards": "boards/small.json", "models": "models/lead-2.json"}.get(kind, kind)
    good, validator = small_site.json(path), _Validator(small_site.json(SCHEMAS[kind]))
    required = small_site.json(SCHEMAS[kind])
    required = required["$defs"][required["$ref"].rpartition("/")[2]]["required"]
    assert set(required) <= set(good)
    for name in required:
        assert not validator.is_valid({key: value for key, value in good.items() if key != name})
    assert not validator.is_valid({**good, required[0]: 7})


def test_the_index_leads_to_every_file_and_they_are_there(site: Site) -> None:
    index, found = site.json("index.json"), set(_data(site))
    named = {index["runs"]}
    named |= {board[kind] for board in index["boards"] for kind in ("json", "csv", "evidence")}
    named |= {model["json"] for model in index["models"]}
    assert named <= found
    assert {f"boards/{board['id']}.json" for board in index["boards"]} == {b["json"] for b in index["boards"]}
    assert index["run"] == site.entry.manifest.run
    assert {metric["id"] for metric in index["metrics"]} >= {"rank", "ci"}


def test_the_board_as_csv_begins_with_the_columns_others_rely_on(site: Site) -> None:
    for view in site.axes_views:
        rows = site.csv(f"boards/{view.board.id}.csv")
        columns = list(rows[0])
        assert tuple(columns[: len(CONTRACT)]) == CONTRACT
        assert {"goal_alignment", "quality", *view.results.axes} <= set(columns)
        assert len(rows) == len(view.results.leaderboard)
        for row in rows:
            assert 0 <= float(row["overall"]) <= 100
            assert row["above_null_floor"] in (("true", "false") if row["ci_low"] else ("",))


def test_the_board_is_published_as_the_run_has_it(site: Site) -> None:
    for view in site.data.views:
        results = site.entry.path / "results" / view.board.id
        published = site.folder / "data" / "v1" / "boards"
        assert (published / f"{view.board.id}.csv").read_bytes() == (results / "leaderboard.csv").read_bytes()
        stored = json.loads((results / "results.json").read_bytes())
        schema = site.json(f"runs/{view.board.protocol}-results.schema.json")
        assert [error.message for error in _Validator(schema).iter_errors(stored)] == []
        assert site.json(f"boards/{view.board.id}.json") == msgspec.to_builtins(site.results(view.board.id))


def test_a_contestants_file_holds_its_rows_of_every_board_it_is_on(site: Site) -> None:
    for view in site.data.views:
        for row in view.results.leaderboard:
            board = site.json(f"models/{row.model}.json")["boards"][view.board.id]
            assert board["board"]["overall"] == row.overall
            for kind in ("domains", "categories", "difficulties"):
                groups = getattr(view.results, kind)
                assert set(board[kind]) == {of.id for of in groups if row.model in {each.model for each in of.rows}}
                assert view.board.id == "facts-judged" or len(board[kind]) == len(groups)  # some answers are not judged
            cells = [*board["categories"].values(), *board["difficulties"].values()]
            assert all(cell["model"] == row.model for cell in cells)


def test_the_runs_are_listed_newest_first_with_their_digests(site: Site) -> None:
    runs = site.json("runs.json")
    assert runs["shown"] == site.entry.manifest.run
    shown = next(run for run in runs["runs"] if run["run"] == runs["shown"])
    assert shown["manifest_digest"] == site.entry.manifest.digest
    assert shown["spec_digest"] == site.entry.manifest.spec_digest
    begun = [run["created_at"] for run in runs["runs"]]
    assert begun == sorted(begun, reverse=True)


def test_no_path_of_the_build_machine_is_published(site: Site) -> None:
    root = str(site.repository.root).encode()
    assert [name for name, content in files(site.folder).items() if root in content] == []


def test_differences_of_contestants_are_published_as_the_run_has_them(small_site: Site) -> None:
    for view in small_site.data.views:
        rows = small_site.csv(f"boards/{view.board.id}/differences.csv")
        assert [(row["a"], row["b"]) for row in rows] == [(d.a, d.b) for d in view.results.differences]
