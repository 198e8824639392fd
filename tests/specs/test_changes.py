"""The difference of two benchmarks: all of it, by name, and in step with the digests."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
import yaml
from support.benchmarks import edit, write_benchmark, write_spec
from support.rubric_sites import judges, write_rubric_specs

from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.changes import Change, FieldChange, changes
from nullbench_site.specs.digest import spec_digest
from nullbench_site.specs.load import load_benchmark


def _small(folder: Path, *edits: tuple[str, str, str]) -> Benchmark:
    specs = write_benchmark(folder, live=True)
    for file, old, new in edits:
        edit(specs, file, old, new)
    return load_benchmark(specs)


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return _small(tmp_path_factory.mktemp("before"))


EDITS = {
    "a target of a goal": (
        ("goals/rivers.yaml", "reasoning: 5, clarity: 4}", "reasoning: 3, clarity: 4}"),
        ("goal", "changed", True, {"alignment_target.reasoning": (5, 3)}),
    ),
    "the title of a goal": (
        ("goals/rivers.yaml", "title: Tell the count without explaining", "title: Do not explain"),
        ("goal", "changed", False, {"title": (None, None)}),
    ),
    "a setting of a board": (
        ("boards/small.yaml", "samples: 1", "samples: 2"),
        ("board", "changed", True, {"samples": (None, 2)}),
    ),
    "a nested setting that stands there for the first time": (
        ("boards/small.yaml", "decoding: {temperature: 0}", "decoding: {temperature: 0, max_tokens: 90}"),
        ("board", "changed", True, {"decoding.max_tokens": (None, 90)}),
    ),
    "a default that is no longer written out": (
        ("boards/small.yaml", "aggregation: {groups: domain}\n", ""),
        ("board", "changed", True, {"aggregation": (None, None)}),
    ),
    "the size of a contestant": (
        ("models/lead-2.yaml", 'title: "Lead-2"', 'title: "Lead-2"\nparameters_b: 7'),
        ("contestant", "changed", True, {"parameters_b": (None, 7.0)}),
    ),
    "the vendor of a contestant": (
        ("models/lead-2.yaml", "vendor: built in", "vendor: Somebody"),
        ("contestant", "changed", False, {"vendor": (None, None)}),
    ),
    "what a judge is called": (
        ("judges.yaml", "title: Support", "title: Evidence"),
        ("judge", "changed", False, {"title": (None, None)}),
    ),
    "the gates of a panel": (
        ("judges.yaml", "refusal_gates: {sample: 2, votes: 2}", "refusal_gates: {sample: 3, votes: 2}"),
        ("panel", "changed", True, {"refusal_gates.sample": (2, 3)}),
    ),
    "where an endpoint is": (
        ("endpoints.yaml", "https://jury.example/v1", "https://jury.example/v2"),
        ("endpoint", "changed", False, {"base_url": (None, None)}),
    ),
    "the version": (
        ("benchmark.yaml", 'version: "0.1.0"', 'version: "0.2.0"'),
        ("benchmark", "changed", False, {"version": (None, None)}),
    ),
    "the wording of the task": (
        ("templates/zero-context.txt", "{{ task }}", "Please: {{ task }}"),
        ("template", "changed", True, {"wording": (None, None)}),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("made", "told"), EDITS.values(), ids=EDITS)
def test_an_edit_is_told_as_it_was_made(
    before: Benchmark, tmp_path: Path, made: tuple[str, str, str], told: tuple[object, ...]
) -> None:
    after = _small(tmp_path, made)
    (found,) = changes(before, after)
    fields = {".".join(field.path): (field.before, field.after) for field in found.fields}
    assert (found.kind, found.what, found.scored, fields) == told
    assert found.scored == (spec_digest(before) != spec_digest(after))


def test_the_same_specs_have_no_difference(before: Benchmark, tmp_path: Path) -> None:
    assert list(changes(before, _small(tmp_path))) == []


def test_a_new_item_is_no_other_order_and_two_that_change_places_are(before: Benchmark, tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path, live=True)
    path = specs / "domains/gardens.yaml"
    domain = yaml.safe_load(path.read_text("utf-8"))
    items = domain["categories"][0]["items"]
    items.insert(0, {**items[0], "id": "plots-99"})
    write_spec(path, domain)
    with_one_more = load_benchmark(specs)
    assert [(c.kind, c.id, c.what) for c in changes(before, with_one_more)] == [("item", "plots-99", "added")]
    assert [(c.kind, c.id, c.what) for c in changes(with_one_more, before)] == [("item", "plots-99", "removed")]

    items.append(items.pop(0))
    write_spec(path, domain)
    turned = load_benchmark(specs)
    (found,) = changes(with_one_more, turned)
    place = f"gardens/{domain['categories'][0]['id']}"
    assert found == Change(
        "category", place, domain["categories"][0]["title"], "changed", True, (FieldChange(("order",), True),)
    )
    assert spec_digest(with_one_more) != spec_digest(turned)


def test_an_item_that_moves_to_another_category_stays_the_same_item(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path, live=True)
    path = specs / "domains/rivers.yaml"
    kept = path.read_text("utf-8")

    def with_the_item_in(place: int) -> Benchmark:
        domain = yaml.safe_load(kept)
        item = domain["categories"][0]["items"][1]
        domain["categories"][place]["items"].append({**item, "id": "levels-99", "goal": "levels"})
        write_spec(path, domain)
        return load_benchmark(specs)

    (found,) = changes(with_the_item_in(0), with_the_item_in(1))
    assert (found.kind, found.id, found.scored) == ("item", "levels-99", True)
    assert [field.path for field in found.fields] == [("category",)]


def test_a_profile_that_changes_everything_is_told_by_what_it_changes(before: Benchmark, tmp_path: Path) -> None:
    live = load_benchmark(write_benchmark(tmp_path, live=True), profile="live")
    found = {(c.kind, c.id): c for c in changes(before, live)}
    assert {name for (kind, name) in found if kind == "judge"} == {
        "support",
        "restraint",
        "form",
        "anna",
        "ben",
        "cleo",
    }
    assert (found["judge", "anna"].what, found["judge", "form"].what) == ("joined", "dropped")
    assert {field.path[0] for field in found["board", "small"].fields} == {
        "contestants",
        "decoding",
        "panel",
        "samples",
    }


def test_of_a_private_item_only_its_hash_is_told_to_change(tmp_path: Path) -> None:
    def written(name: str, digit: str, prompt: str) -> Benchmark:
        specs = tmp_path / name
        write_rubric_specs(specs)
        asked, panel = judges()
        write_spec(specs / "judges.yaml", {"judges": asked, "panels": [panel]})
        about = {"id": "tasks", "title": "Tasks", "version": "0.1.0", "description": "Short.", "license": "CC0"}
        write_spec(specs / "benchmark.yaml", about)
        path = next((specs / "domains").glob("*reasoning.yaml"))
        domain = yaml.safe_load(path.read_text("utf-8"))
        items = [item for category in domain["categories"] for item in category["items"]]
        next(item for item in items if item.get("visibility") == "private")["hash"] = f"sha256:{digit * 64}"
        next(item for item in items if "prompt" in item)["prompt"] = prompt
        write_spec(path, domain)
        return load_benchmark(specs)

    old, new = written("old", "a", "The first secret wording."), written("new", "b", "The second secret wording.")
    found = list(changes(old, new))
    assert {c.id: [field.path for field in c.fields] for c in found} == {
        "reasoning-01": [("prompt",)], "reasoning-02": [("hash",)],
    }  # fmt: skip
    said = msgspec.json.encode(found)
    assert b"secret" not in said
    assert b"aaaa" not in said
    assert all(change.scored for change in found)


def _renamed(specs: Path, old: str, new: str) -> Benchmark:
    """Give a spec another id wherever it stands."""
    for path in sorted(specs.rglob("*.yaml")):
        text = path.read_text("utf-8")
        path.write_text(re.sub(rf"(?<![a-z0-9-]){re.escape(old)}(?![a-z0-9-])", new, text), "utf-8")
    return load_benchmark(specs)


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("item", "fish-01", "pike-01"),
        ("goal", "levels", "readings-of-levels"),
        ("axis", "numerical-fidelity", "figures"),
    ],
)
def test_a_rename_is_one_change_and_everybody_who_names_it_stays_the_same(
    before: Benchmark, tmp_path: Path, kind: str, old: str, new: str
) -> None:
    after = _renamed(write_benchmark(tmp_path, live=True), old, new)
    found = [change for change in changes(before, after) if change.scored]
    assert (kind, old, new) in {(c.kind, c.before, c.id) for c in found}
    assert {c.what for c in found} == {"renamed"}


def test_an_item_with_its_own_goal_stays_the_same_if_the_goal_gets_another_id(tmp_path: Path) -> None:
    def with_own_goal(folder: Path) -> Path:
        specs = write_benchmark(folder, live=True)
        edit(specs, "domains/gardens.yaml", "      - id: growing-01\n", "      - id: growing-01\n        goal: soil\n")
        file = specs / "goals/gardens.yaml"
        growing = file.read_text("utf-8").split("goals:\n")[1]
        soil = growing.replace("id: growing", "id: soil").replace("title: Say what grew", "title: Say what lies below")
        file.write_text(file.read_text("utf-8") + soil.replace("Praises no method.", "Praises no bed."), "utf-8")
        return specs

    before, after = (
        load_benchmark(with_own_goal(tmp_path / "old")),
        _renamed(with_own_goal(tmp_path / "new"), "soil", "earth"),
    )
    assert [(c.kind, c.before, c.id, c.what) for c in changes(before, after)] == [("goal", "soil", "earth", "renamed")]


def test_a_board_stays_the_same_if_its_baseline_gets_another_id(tmp_path: Path) -> None:
    before = load_benchmark(write_benchmark(tmp_path / "old", "pairwise"))
    specs = write_benchmark(tmp_path / "new", "pairwise")
    _model(specs, "long-essay", (specs / "models/essay.yaml").read_text("utf-8"))
    (specs / "models/essay.yaml").unlink()
    edit(specs, "boards/beside.yaml", "[copy, essay,", "[copy, long-essay,")
    edit(specs, "boards/beside.yaml", "baseline: essay", "baseline: long-essay")
    after = load_benchmark(specs)
    found = [(c.kind, c.before, c.id, c.what) for c in changes(before, after) if c.scored]
    assert found == [("contestant", "essay", "long-essay", "renamed")]


def _model(specs: Path, name: str, text: str) -> None:
    (specs / f"models/{name}.yaml").write_text(re.sub(r"(?m)^id: .*$", f"id: {name}", text), "utf-8")


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ({"lead-2": "textrank-2", "textrank-2": "lead-2"},
         {("lead-2", "renamed", "textrank-2"), ("textrank-2", "renamed", "lead-2")}),
        ({"lead-2": "textrank-2"}, {("lead-2", "removed", ""), ("lead-2", "renamed", "textrank-2")}),
    ],
    ids=["in a circle", "to another"],
)  # fmt: skip
def test_ids_that_go_round_are_renames_and_whose_id_goes_to_another_is_removed(
    before: Benchmark, tmp_path: Path, ids: dict[str, str], expected: set[tuple[str, str, str]]
) -> None:
    """ids: the new id -> the contestant that gets it."""
    specs = write_benchmark(tmp_path, live=True)
    texts = {new: (specs / f"models/{old}.yaml").read_text("utf-8") for new, old in ids.items()}
    for new, text in texts.items():
        _model(specs, new, text)
    for gone in {*ids.values()} - {*ids}:
        (specs / f"models/{gone}.yaml").unlink()
        edit(specs, "boards/small.yaml", f"contestants: [lead-2, {gone},", "contestants: [lead-2,")
    found = {(c.id, c.what, c.before) for c in changes(before, load_benchmark(specs)) if c.kind == "contestant"}
    assert found == expected
