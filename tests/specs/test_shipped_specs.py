"""The board that ships: whole, varied, and free of what would spoil it as a benchmark."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import get_args

import pytest
import yaml
from support.repositories import shipped_benchmark

from nullbench_site.packaged import packaged
from nullbench_site.programs.aspects import Dimension
from nullbench_site.protocols.axes.judging import panel_gate
from nullbench_site.protocols.axes.specs import AxesPlacedItem, axes_of, baseline_axes, goals_of
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.protocol import default_protocol
from nullbench_site.specs.schema import FILE_TYPES, json_schema, write_schemas
from nullbench_site.stats.scores import detection_rate

SPECS = packaged("specs")
DOMAINS = [
    "politics", "privacy", "gaming", "cryptocurrency", "technology", "finance", "reasoning", "compliance", "science",
    "software", "conspiracies", "journalism", "summarization",
]  # fmt: skip
BASELINE = ("truthfulness", "neutrality", "reasoning", "clarity")
FINDINGS = {"positive", "null", "negative"}
CANARY = re.compile(r"nullbench-canary:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@pytest.fixture
def benchmark() -> Benchmark:
    return shipped_benchmark()


@pytest.fixture
def live() -> Benchmark:
    return shipped_benchmark("live")


@pytest.fixture
def items(benchmark: Benchmark) -> list[PlacedItem]:
    return list(benchmark.items(benchmark.boards["nullbench"]))


def items_of(benchmark: Benchmark) -> Iterator[AxesPlacedItem]:
    board = benchmark.boards["nullbench"]
    return benchmark.items(board)


def yaml_files() -> Iterator[Path]:
    return (path for path in sorted(SPECS.rglob("*")) if path.suffix == ".yaml")


def folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def test_the_board_has_the_thirteen_domains_in_their_order(benchmark: Benchmark) -> None:
    ours = [name for name in benchmark.boards if name not in benchmark.tables]
    judged_by_a_small_model = ["small-judge-grades", "small-judge-pairs"]
    in_order = [
        "facts-best-of",
        "facts-judged",
        "facts",
        "nullbench",
        "practical",
        "side-by-side",
        *judged_by_a_small_model,
        "two-turns",
    ]
    assert ours == in_order
    assert list(benchmark.boards["nullbench"].domains) == DOMAINS
    of_tables = {domain for name in benchmark.tables for domain in benchmark.boards[name].domains}
    assert sorted(benchmark.domains.keys() - of_tables) == (
        sorted([*DOMAINS, *benchmark.boards["practical"].domains, *benchmark.boards["facts"].domains, "conversations"])
    )


def test_answers_are_asked_for_with_zero_context_and_at_temperature_zero(benchmark: Benchmark) -> None:
    board = benchmark.boards["nullbench"]
    assert (board.template, board.decoding.temperature, board.protocol) == ("zero-context", 0.0, "axes")


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_domain_has_two_categories_or_more_of_six_items_or_more(benchmark: Benchmark, domain: str) -> None:
    counts = {category.id: len(category.items) for category in benchmark.domains[domain].categories}
    assert len(counts) >= 2
    assert {category: count for category, count in counts.items() if count < 6} == {}


def test_there_are_156_items_or_more(items: list[PlacedItem]) -> None:
    assert len(items) >= 156


def test_a_category_has_the_baseline_axes_in_order_and_at_most_two_special_ones(benchmark: Benchmark) -> None:
    assert baseline_axes(benchmark) == BASELINE
    axes = {placed.category.id: placed.category.axes for placed in items_of(benchmark)}
    assert {name: given for name, given in axes.items() if given[:4] != BASELINE or len(given) > 6} == {}


def test_every_special_axis_is_used(benchmark: Benchmark) -> None:
    used = {axis for placed in items_of(benchmark) for axis in placed.category.axes}
    assert set(axes_of(benchmark)) - used == set()


def test_a_goal_has_rules_over_all_five_dimensions(benchmark: Benchmark) -> None:
    lacking = {
        goal.id: set(get_args(Dimension)) - {rule.dimension for rule in goal.rules}
        for goal in goals_of(benchmark).values()
    }
    assert {goal: dimensions for goal, dimensions in lacking.items() if dimensions} == {}


def test_a_goal_targets_the_axes_of_its_category_and_no_others(benchmark: Benchmark, items: list[PlacedItem]) -> None:
    differing = {item.goal.id for item in items if set(item.goal.alignment_target) != set(item.category.axes)}
    assert differing == set()
    assert {item.goal.id for item in items} == set(goals_of(benchmark))


def test_a_source_has_80_to_200_words(items: list[PlacedItem]) -> None:
    lengths = {item.id: len(item.item.source.split()) for item in items}
    assert {item: words for item, words in lengths.items() if not 80 <= words <= 200} == {}


def test_an_item_has_a_scope_a_caveat_and_a_finding_among_its_facts(items: list[PlacedItem]) -> None:
    kinds = {item.id: {fact.kind for fact in item.item.facts} for item in items}
    lacking = {item: found for item, found in kinds.items() if not ({"scope", "caveat"} <= found and found & FINDINGS)}
    assert lacking == {}


def test_null_and_negative_findings_are_told_in_most_items(items: list[PlacedItem]) -> None:
    told = [item.id for item in items if {fact.kind for fact in item.item.facts} & {"null", "negative"}]
    assert len(told) > len(items) / 2


def test_no_task_gives_a_fact_away(items: list[PlacedItem]) -> None:
    """A fact is given away where the task holds an alternative of each of its keys."""
    given = [
        (item.id, fact.text)
        for item in items
        for fact in item.item.facts
        if all(any(folded(option) in folded(item.item.task) for option in key.split("|")) for key in fact.keys)
    ]
    assert given == []


def test_no_two_sources_are_alike(items: list[PlacedItem]) -> None:
    """Jaccard similarity of the sets of words: shared words by all words of the two."""
    words = {item.id: set(re.findall(r"\w+", item.item.source.casefold())) for item in items}
    alike = {
        (first, second): round(len(words[first] & words[second]) / len(words[first] | words[second]), 2)
        for first, second in combinations(words, 2)
    }
    assert {pair: share for pair, share in alike.items() if share >= 0.3} == {}


def test_no_two_tasks_are_the_same(items: list[PlacedItem]) -> None:
    assert len({folded(item.item.task) for item in items}) == len(items)


def test_a_domain_has_items_of_every_difficulty(items: list[PlacedItem]) -> None:
    found = {(item.domain.id, item.item.difficulty) for item in items}
    assert found == {(domain, difficulty) for domain in DOMAINS for difficulty in ("easy", "medium", "hard")}


def test_every_spec_file_has_one_canary_of_its_own() -> None:
    files = [*yaml_files(), *sorted((SPECS / "templates").glob("*.txt"))]
    canaries = {path.relative_to(SPECS): CANARY.findall(path.read_text("utf-8")) for path in files}
    assert {name: found for name, found in canaries.items() if len(found) != 1} == {}
    assert len({found for (found,) in canaries.values()}) == len(files)


def test_every_yaml_file_begins_with_the_line_that_shows_editors_its_schema() -> None:
    kinds = {
        "domains": "domain", "goals": "goals", "models": "model", "boards": "board", "axes.yaml": "axes",
        "judges.yaml": "judges", "endpoints.yaml": "endpoints", "benchmark.yaml": "benchmark",
        "ledger.yaml": "ledger", "overlap": "overlap", "questions.yaml": "questions",
    }  # fmt: skip
    for path in yaml_files():
        first, _, rest = path.read_text("utf-8").partition("\n")
        place = first.removeprefix("# yaml-language-server: $schema=")
        kind = kinds[path.relative_to(SPECS).parts[0]]
        protocol = yaml.safe_load(rest).get("protocol", default_protocol())
        if kind in ("board", "domain") and protocol != default_protocol():
            kind = f"{protocol}-{kind}"
        assert (path.parent / place).resolve() == (SPECS / f"schema/{kind}.json").resolve(), path
        assert (path.parent / place).is_file(), path


def test_the_boards_ask_programs_and_the_local_model_and_nobody_who_needs_a_key(benchmark: Benchmark) -> None:
    everybody = [*benchmark.models.values(), *benchmark.judges.values()]
    assert {who.endpoint or who.backend for who in everybody} - {"recorded"} == {"offline", "local", "local-qwen-0.5b"}
    assert benchmark.endpoints["local"].key_env is None


def test_the_live_panel_has_five_judges_of_four_families(live: Benchmark) -> None:
    judges = live.panels["live"].judges
    assert len(judges) == 5
    assert len({live.judges[judge].family for judge in judges}) == 4


def test_a_refusal_of_every_live_contestant_can_be_found(live: Benchmark) -> None:
    board = live.boards["nullbench"]
    panel = live.panels[board.panel]
    judges = {model.id: len(live.judges_for(board, model)) for model in live.contestants(board)}
    assert not panel.same_family
    for n_judges in judges.values():
        gate = panel_gate(panel, n_judges)
        assert gate.sample > gate.votes
        assert detection_rate(gate, 0.9) > 0.9


def test_the_live_board_has_models_of_several_vendors_beside_all_null_models(
    benchmark: Benchmark, live: Benchmark
) -> None:
    entered = live.contestants(live.boards["nullbench"])
    assert len({model.vendor for model in entered if model.kind == "model"}) >= 4
    nulls = {model.id for model in benchmark.contestants(benchmark.boards["nullbench"]) if model.kind == "null"}
    assert {model.id for model in entered if model.kind == "null"} == nulls


def test_a_vendor_is_one_family_among_judges_and_contestants(live: Benchmark) -> None:
    """A family misspelt in one place would let a judge score its own."""
    families: dict[str, set[str]] = {}
    for who in (*live.models.values(), *live.judges.values()):
        if who.backend == "openai":
            families.setdefault(live.endpoint_of(who).id, set()).add(who.family)
    assert {vendor: found for vendor, found in families.items() if len(found) != 1} == {}
    assert len(set.union(*families.values())) == len(families)


def test_what_a_live_call_can_cost_is_known_and_bounded(live: Benchmark) -> None:
    board = live.boards["nullbench"]
    asked = [(judge.decoding, judge) for judge in live.judges.values()]
    asked += [(model.decoding or board.decoding, model) for model in live.models.values() if model.kind == "model"]
    called = [
        (decoding, who)
        for decoding, who in asked
        if who.backend == "openai" and not str(who.endpoint).startswith("local")
    ]
    assert [who.id for decoding, who in called if decoding.max_tokens is None or who.prices is None] == []


def test_every_endpoint_that_is_asked_stands_in_the_file_and_takes_its_key_from_a_variable(live: Benchmark) -> None:
    asked = [who for who in (*live.models.values(), *live.judges.values()) if who.backend == "openai"]
    assert [who.id for who in asked if who.endpoint not in live.endpoints] == []
    assert [endpoint.id for endpoint in live.endpoints.values() if endpoint.key_env is None] == [
        "local",
        "local-qwen-0.5b",
    ]


def test_every_key_of_a_schema_is_described_for_editors() -> None:
    kinds = [kind for name in FILE_TYPES for kind in json_schema(name)["$defs"].items()]
    keys = {(name, key): of for name, kind in kinds for key, of in kind.get("properties", {}).items()}
    assert len(keys) > 300
    assert [key for key, of in keys.items() if not of.get("description", "").strip()] == []


def test_the_schema_files_are_those_that_the_types_give(tmp_path: Path) -> None:
    given = {path.name: path.read_text("utf-8") for path in write_schemas(tmp_path / "schema")}
    written = {path.name: path.read_text("utf-8") for path in (SPECS / "schema").iterdir()}
    assert written == given, "out of date; regenerate with: nullbench-site validate --write-schemas"


@pytest.mark.parametrize("name", [name for name in FILE_TYPES if name.endswith(("item", "text"))])
def test_the_schema_of_a_line_stands_in_that_of_the_domain(name: str) -> None:
    domain = json.loads((SPECS / f"schema/{name[:-4]}domain.json").read_text("utf-8"))
    line, types = json.loads(json.dumps(json_schema(name))), domain["$defs"]
    assert line["$ref"].removeprefix("#/$defs/") in types
    assert line["$defs"].items() <= types.items()
