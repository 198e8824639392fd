"""The spec digest moves with whatever can change a score and with nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from support.benchmarks import edit, small_benchmark, write_benchmark

from nullbench_site.answer_keys import Key
from nullbench_site.checks import Check
from nullbench_site.protocols.axes.specs import goals_of
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import UNSCORED, canonical_json, sha256, spec_digest
from nullbench_site.specs.load import load_benchmark

FOR_READERS = {
    "BenchmarkFile": {
        "canary", "id", "title", "version", "description", "license", "homepage", "authors", "doi", "repository",
        "screening",
    },
    "AxesFile": {"canary"},
    "Axis": {"title", "short", "adjective"},
    "Goal": {"title"},
    "AxesDomainFile": {"canary", "title", "description"},
    "AxesCategory": {"title", "description", "items_file"},
    "Judge": {"title", "description", "endpoint", "prices", "retires"},
    "Panel": {"title"},
    "ModelFile": {
        "canary", "title", "description", "vendor", "license", "open_weights", "released", "homepage", "endpoint",
        "prices", "provenance", "provisional", "runtime",
    },
    "AxesBoardFile": {
        "canary", "title", "question", "description", "declared", "imported", "inference", "items_made",
        "published", "task_kind",
        "about", "one_mark_limit", "cut_limit", "contradiction_limit",
    },
}  # fmt: skip
"""Of every field of every type, those that no score depends on. A new field counts unless it is named here."""


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    return write_benchmark(tmp_path)


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return small_benchmark(tmp_path_factory.mktemp("digest"))


def otherwise(value: Any) -> Any:
    """Something of about the same kind that is not `value`."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return f"{value}-x"
        case tuple():
            return value[:-1] if value else ("x",)
        case msgspec.Struct():
            return None
        case MappingProxyType() | dict():
            return {**value, "x": 1}
        case _:
            return "x"


def variants(value: Any) -> Iterator[tuple[str, str, Any]]:
    """Type, field and `value` with that field otherwise, for each field of the first struct of a type at each place."""
    if isinstance(value, msgspec.Struct) and not isinstance(value, (Key, Check)):  # these check themselves
        for field in value.__struct_fields__:
            inner = getattr(value, field)
            yield type(value).__name__, field, msgspec.structs.replace(value, **{field: otherwise(inner)})
            for kind, name, changed in variants(inner):
                yield kind, name, msgspec.structs.replace(value, **{field: changed})
    elif isinstance(value, tuple) and value:
        for kind, name, changed in variants(value[0]):
            yield kind, name, (changed, *value[1:])
    elif isinstance(value, (dict, MappingProxyType)) and value:
        for key in {type(inner): key for key, inner in value.items()}.values():
            for kind, name, changed in variants(value[key]):
                yield kind, name, {**value, key: changed}


def fields_that_move(benchmark: Benchmark) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """By type, the fields that move the digest, and those that do not."""
    before = spec_digest(benchmark)
    still: dict[str, set[str]] = {}
    moved: dict[str, set[str]] = {}
    for part in benchmark.__dataclass_fields__:
        for kind, field, changed in variants(getattr(benchmark, part)):
            same = spec_digest(replace(benchmark, **{part: changed})) == before
            (still if same else moved).setdefault(kind, set()).add(field)
    return moved, still


@pytest.mark.parametrize(
    ("protocol", "item", "more"),
    [
        ("rubric", {"prompt", "ideal", "criteria", "checks", "visibility", "hash"}, {"GEval", "Composite"}),
        ("oracle", {"prompt", "key", "bundle", "visibility", "hash"}, set()),
    ],
)
def test_every_field_of_a_protocol_moves_the_digest_unless_only_readers_see_it(
    tmp_path: Path, protocol: str, item: set[str], more: set[str]
) -> None:
    live = protocol == "rubric"
    specs = write_benchmark(tmp_path, protocol, live=live)
    moved, still = fields_that_move(load_benchmark(specs, profile="live" if live else None))
    domain, category, items, board = (
        f"{protocol.capitalize()}{kind}" for kind in ("DomainFile", "Category", "Item", "BoardFile")
    )
    ours = {domain, category, items, board, *more}
    assert {kind: fields for kind, fields in still.items() if kind in ours} == {
        domain: {"canary", "title", "description"},
        category: {"title", "description", "items_file"},
        board: {
            "canary",
            "title",
            "question",
            "description",
            "declared",
            "imported",
            "inference",
            "items_made",
            "published",
            "task_kind",
            "about",
            *({"one_mark_limit", "cut_limit", "contradiction_limit"} if live else ()),
        },
    }
    assert ours < set(moved)
    assert item < moved[items]


@pytest.mark.parametrize(
    ("protocol", "file", "old", "new"),
    [
        ("oracle", "domains/counting.yaml", "value: 36", "value: 37"),
        ("oracle", "domains/counting.yaml", "tolerance: 0.1", "tolerance: 0.2"),
        ("oracle", "domains/counting.yaml", "unit: [m, metres]", "unit: [m]"),
        ("oracle", "domains/counting.yaml", 'B: "21"}, correct: [A]', 'B: "21"}, correct: [B]'),
        ("oracle", "domains/counting.yaml", 'A: "12", B: "21"', 'A: "12", B: "22"'),
        # Another check, though neither has parameters.
        ("rubric", "domains/wording.yaml", "type: reasoning", "type: analysis"),
        # A parameter counts, though a title does not.
        ("axes", "models/lead-2.yaml", "{k: 2}", "{k: 2, title: a}"),
        ("axes", "boards/small.yaml", "[gardens, rivers]", "[rivers, gardens]"),
    ],
)
def test_what_changes_a_score_moves_the_digest(tmp_path: Path, protocol: str, file: str, old: str, new: str) -> None:
    specs = write_benchmark(tmp_path, protocol)
    before = spec_digest(load_benchmark(specs))
    edit(specs, file, old, new)
    assert spec_digest(load_benchmark(specs)) != before


def test_every_field_moves_the_digest_unless_only_readers_see_it(benchmark: Benchmark) -> None:
    moved, still = fields_that_move(benchmark)
    assert still == FOR_READERS
    assert {
        kind: fields & still.get(kind, set()) for kind, fields in moved.items() if fields & still.get(kind, set())
    } == {}
    assert set(moved) == {
        "AxesFile", "Axis", "Goal", "Rule", "AxesDomainFile", "AxesCategory", "AxesItem", "Fact", "Constraints",
        "Judge", "Panel", "Gates", "ModelFile", "AxesBoardFile", "Decoding", "Aggregation", "Bootstrap",
    }  # fmt: skip


@pytest.mark.parametrize("part", ["domains", "judges", "panels", "models", "boards", "templates"])
def test_an_id_may_be_a_word_that_is_a_field_elsewhere(benchmark: Benchmark, part: str) -> None:
    """A template called `short` or a model called `title` counts like any other."""
    before = getattr(benchmark, part)
    added = {**before, "title": next(iter(before.values()))}
    assert spec_digest(replace(benchmark, **{part: added})) != spec_digest(benchmark)


def test_the_wording_of_a_template_moves_the_digest(benchmark: Benchmark) -> None:
    other = {"zero-context": benchmark.templates["zero-context"] + " "}
    assert spec_digest(replace(benchmark, templates=other)) != spec_digest(benchmark)


def test_comments_quotes_key_order_and_written_out_defaults_do_not_move_the_digest(specs: Path) -> None:
    before = spec_digest(load_benchmark(specs))
    for path in specs.rglob("*.yaml"):
        data = yaml.safe_load(path.read_text("utf-8"))
        path.write_text(json.dumps(dict(reversed(data.items())), indent=1) + "\n# a comment\n", "utf-8")
    assert spec_digest(load_benchmark(specs)) == before
    edit(specs, "models/null-empty.yaml", '"kind": "null"', '"kind": "null", "params": {}')
    edit(specs, "boards/small.yaml", '"temperature": 0', '"temperature": 0.0, "max_tokens": null')
    edit(specs, "judges.yaml", '"title": "Rule-based panel"', '"title": "Rule-based panel", "same_family": false')
    assert spec_digest(load_benchmark(specs)) == before


def test_new_canaries_do_not_move_the_digest(specs: Path) -> None:
    before = spec_digest(load_benchmark(specs))
    for number, path in enumerate(sorted(specs.rglob("*.yaml"))):
        path.write_text(
            re.sub(r"(canary: \"nullbench-canary:)[0-9a-f]{8}", rf"\g<1>{number:08x}", path.read_text("utf-8"))
        )
    assert load_benchmark(specs).about.canary.startswith("nullbench-canary:00000001")
    assert spec_digest(load_benchmark(specs)) == before


def test_how_goals_and_items_are_spread_over_files_does_not_move_the_digest(specs: Path) -> None:
    before = spec_digest(load_benchmark(specs))
    (specs / "goals/gardens.yaml").rename(specs / "goals/zz.yaml")
    rivers = specs / "goals/rivers.yaml"
    head, fish = rivers.read_text("utf-8").split("  - id: fish")
    rivers.write_text(head, "utf-8")
    canary = 'canary: "nullbench-canary:5a000000-0000-4000-8000-00000000000f"'
    (specs / "goals/aa.yaml").write_text(f"{canary}\ngoals:\n  - id: fish{fish}", "utf-8")

    domain = yaml.safe_load((specs / "domains/rivers.yaml").read_text("utf-8"))
    lines = [json.dumps(item) for item in domain["categories"][0].pop("items")]
    domain["categories"][0]["items_file"] = "levels.jsonl"
    (specs / "domains/rivers.yaml").write_text(yaml.safe_dump(domain, sort_keys=False), "utf-8")
    (specs / "domains/levels.jsonl").write_text("\n".join(lines), "utf-8")

    after = load_benchmark(specs)
    assert list(goals_of(after)) == ["fish", "levels", "growing"]
    assert spec_digest(after) == before


def test_a_digest_is_a_sha256_in_hex(benchmark: Benchmark) -> None:
    assert re.fullmatch("[0-9a-f]{64}", spec_digest(benchmark))
    # FIPS 180-2, appendix B.1
    assert sha256(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_canonical_json_worked_by_hand() -> None:
    assert canonical_json({"b": [1, 2.5, None], "a": {"é": True}}) == '{"a":{"é":true},"b":[1,2.5,null]}'.encode()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(st.dictionaries(st.text(), json_values))
def test_canonical_json_does_not_depend_on_the_order_of_keys(value: dict[str, Any]) -> None:
    assert canonical_json(dict(reversed(value.items()))) == canonical_json(value)
    assert json.loads(canonical_json(value)) == value


def test_the_digest_is_that_of_the_canonical_json_of_what_counts(tmp_path: Path) -> None:
    """It is written piece by piece; this is the same in one piece."""
    benchmark = small_benchmark(tmp_path)

    def counted(value: Any) -> Any:
        if isinstance(value, msgspec.Struct):
            given = msgspec.to_builtins(value)
            return {name: counted(getattr(value, name)) for name in given if name not in UNSCORED}
        if isinstance(value, Mapping):
            return {key: counted(inner) for key, inner in value.items()}
        return [counted(inner) for inner in value] if isinstance(value, tuple) else value

    parts = {
        **benchmark.own["axes"], "domains": benchmark.domains,
        "judges": benchmark.judges, "panels": benchmark.panels, "models": benchmark.models,
        "boards": benchmark.boards, "templates": benchmark.templates,
    }  # fmt: skip
    assert spec_digest(benchmark) == sha256(canonical_json(counted(parts)))
