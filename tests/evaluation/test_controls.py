"""Controls in builds: asked like all others, of programs and of models, and no contestants anywhere."""

from __future__ import annotations

import csv
import json
import shutil
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.benchmarks import write_benchmark
from support.commands import nullbench
from support.evidence import records
from support.fault_server import FaultServer
from support.live import CALLS, CONTESTANTS, JUDGES, PRICES, live_repository
from support.moments import at_moment
from support.repositories import JUDGES as PROGRAMS
from support.repositories import MODELS, adds_up, build, copy_of, edit, run_dir, small_repository, state

from nullbench_site import api
from nullbench_site.errors import SpecError
from nullbench_site.evaluation.backends import backends
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.plan import plan_calls
from nullbench_site.evaluation.plan_report import report
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.targets import Scope, Selection
from nullbench_site.judging.controls import BY_WEIGHT, OF_MODELS, BoardControls, spread
from nullbench_site.repository import Repository
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.types import CONTROLS, LADDERS, REFERENCE, Damage
from nullbench_site.stats.measure import LEAST_CLUSTERS

BOARD = "boards/main.yaml"


def with_controls(repository: Repository, controls: str) -> Repository:
    edit(repository.specs / BOARD, "controls: none", f"controls: {controls}")
    return repository


def board_controls(repository: Repository) -> BoardControls:
    benchmark = load_benchmark(repository.specs)
    return BoardControls(benchmark, benchmark.boards["main"])


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A board of programs with the controls on four items."""
    repository = with_controls(small_repository(tmp_path_factory.mktemp("controls") / "board"), "{items: 4}")
    build(repository)
    return repository


def test_each_control_answers_the_drawn_items_that_offer_a_place_and_every_judge_marks_it(built: Repository) -> None:
    controls = board_controls(built)
    asked = Counter(record["model"] for record in records(run_dir(built), "responses"))
    assert len(controls.references) == 4
    assert {name: n for name, n in asked.items() if name in CONTROLS} == dict(controls.n_items)
    assert asked[REFERENCE] == 4
    assert any(0 < n < 4 for n in controls.n_items.values()), "some damage has no place in some answer"
    marked = Counter(record["model"] for record in records(run_dir(built), "judgments"))
    assert all(marked[name] == PROGRAMS * n for name, n in controls.n_items.items())


def test_a_damaged_answer_is_not_the_reference_answer(built: Repository) -> None:
    texts = {(record["model"], record["item"]): record["text"] for record in records(run_dir(built), "responses")}
    damaged = [(model, item) for model, item in texts if model in CONTROLS and model != REFERENCE]
    assert damaged
    assert all(texts[model, item] != texts[REFERENCE, item] for model, item in damaged)


def test_controls_are_no_contestants_and_have_a_table_of_their_own(built: Repository) -> None:
    results = run_dir(built) / "results" / "main"
    with (results / "leaderboard.csv").open(newline="") as file:
        assert {row["model"] for row in csv.DictReader(file)} == set(MODELS)
    with (results / "controls.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["judge"] for row in rows} == {"", "support", "restraint", "form"}
    assert {row["control"] for row in rows} <= CONTROLS.keys() - {REFERENCE}
    assert all(
        float(row["reference"]) - float(row["damaged"]) == pytest.approx(float(row["drop"]), abs=2e-6) for row in rows
    )
    told = json.loads((results / "results.json").read_bytes())
    assert told["ceiling"]["n_items"] == 4
    assert told["ceiling"]["low"] <= told["ceiling"]["overall"] <= told["ceiling"]["high"]


def test_the_next_build_asks_nobody_and_the_run_is_what_its_records_give(built: Repository) -> None:
    report = build(built)
    assert (report.calls.made, report.calls.left) == (0, 0)
    assert report.calls.planned == report.calls.reused
    assert api.verify(built, None)[1] == []


NAMES = ("judge", "controls answers", "all", "of these, controls")


def test_the_plan_has_a_row_for_answers_of_controls_and_a_subtotal_below_all(built: Repository) -> None:
    done = nullbench(built.root, "plan", "--fresh", "--json")
    plan = json.loads(done.out)
    n_controls = sum(board_controls(built).n_items.values())
    assert plan["controls"]["to_make"] + plan["controls"]["known"] == n_controls * (1 + PROGRAMS)
    answers = next(row for row in plan["calls"] if row["kind"] == "controls")
    assert answers["to_make"] + answers["known"] == n_controls
    assert not any(row["id"] in CONTROLS for row in plan["calls"])
    assert all(adds_up(report(api.plan(built, Selection(), fresh=fresh))) for fresh in (True, False))
    shown = [line.strip() for line in nullbench(built.root, "plan", "--fresh").out.splitlines()]
    first = {name: [line.startswith(name) for line in shown].index(True) for name in NAMES}
    assert list(first) == sorted(first, key=first.__getitem__)


def test_a_board_without_controls_has_none_and_no_trace_of_them(tmp_path: Path) -> None:
    repository = small_repository(tmp_path / "board")
    build(repository)
    results = run_dir(repository) / "results" / "main"
    assert not (results / "controls.csv").exists()
    assert not {"controls", "ceiling"} & json.loads((results / "results.json").read_bytes()).keys()
    assert json.loads(nullbench(repository.root, "plan", "--json").out)["controls"] is None


def test_without_a_word_programs_are_asked_on_all_items_and_models_on_a_few(tmp_path: Path) -> None:
    repository = small_repository(tmp_path / "board")
    edit(repository.specs / BOARD, "controls: none\n", "")
    assert len(board_controls(repository).references) == 12
    benchmark = load_benchmark(repository.specs, profile="live")
    assert len(BoardControls(benchmark, benchmark.boards["main"]).references) == min(12, OF_MODELS)


def kinds_of_items(repository: Repository, controls: str, profile: str | None) -> list[int]:
    """Of each item, how many kinds of damage its controls have."""
    edit(repository.specs / BOARD, "controls: none", f"controls: {controls}")
    benchmark = load_benchmark(repository.specs, profile=profile)
    edit(repository.specs / BOARD, f"controls: {controls}", "controls: none")
    board = benchmark.boards["main"]
    of_board = BoardControls(benchmark, board)
    return [
        len({each.damage for each in of_board.all if each.damage and of_board.answer(each, placed)})
        for placed in benchmark.items(board)
    ]


def test_kinds_are_spread_over_the_items_of_a_live_panel_unless_they_are_named(tmp_path: Path) -> None:
    repository = small_repository(tmp_path / "board")
    of_programs = kinds_of_items(repository, "{items: 12}", None)
    assert min(of_programs) > 8
    assert kinds_of_items(repository, "{items: 12}", "live") == [1] * 12
    assert kinds_of_items(repository, "{items: 12, kinds: [cut, padded]}", "live") == [2] * 12
    assert kinds_of_items(repository, "{items: 12, kinds: all}", "live") == of_programs


KINDS = st.frozensets(st.sampled_from(BY_WEIGHT))


@given(st.lists(st.tuples(KINDS, st.integers(0, 40)), max_size=60))
def test_a_kind_that_is_spread_has_as_many_sources_as_an_interval_needs_and_no_item_has_two(
    items: list[tuple[frozenset[Damage], int]],
) -> None:
    offered = {str(number): kinds for number, (kinds, _) in enumerate(items)}
    cluster = {str(number): str(source) for number, (_, source) in enumerate(items)}
    spread_ = spread(offered, cluster)
    assert all(kind in offered[item] for item, kind in spread_.items())
    for kind in {*spread_.values()}:
        sources = {cluster[item] for item, its in spread_.items() if its == kind}
        assert len(sources) >= min(LEAST_CLUSTERS, len({*cluster.values()}))
    left = set().union(*(offered[item] for item in offered if item not in spread_))
    assert not left & {*spread_.values()}, "an item is left without only where no kind in use has a place in it"
    assert spread_ == spread(offered, cluster)


def test_the_more_items_the_more_kinds_and_each_about_equally_often() -> None:
    assert {*BY_WEIGHT} == {*LADDERS}
    every = frozenset(BY_WEIGHT)
    for n_items, n_kinds in ((3, 1), (6, 1), (24, 4), (40, 6), (84, 14), (236, 14)):
        items = {str(number): every for number in range(n_items)}
        n_of = Counter(spread(items, {item: item for item in items}).values())
        assert [*n_of] == [*BY_WEIGHT[:n_kinds]]
        assert n_of.total() == n_items
        assert max(n_of.values()) - min(n_of.values()) <= 1


def test_fewer_items_are_some_of_more_and_the_same_each_time(tmp_path: Path) -> None:
    repository = with_controls(small_repository(tmp_path / "board"), "{items: 7}")
    more = set(board_controls(repository).references)
    edit(repository.specs / BOARD, "{items: 7}", "{items: 3}")
    fewer = set(board_controls(repository).references)
    assert (len(fewer), len(more)) == (3, 7)
    assert fewer < more
    assert fewer == set(board_controls(repository).references)


def test_a_live_panel_is_measured_for_the_price_of_its_judges_calls(tmp_path: Path) -> None:
    with FaultServer() as server:
        repository = live_repository(tmp_path / "board", server.url, prices=PRICES, decoding={"max_tokens": 500})
        with_controls(repository, "{items: 12}")
        builder = RequestBuilder(load_benchmark(repository.specs), backends())
        plan = plan_calls(builder, repository.runs, BuildOptions())
        asked = sum(board_controls(repository).n_items.values())
        assert asked == 12 * 3, "each item: the reference answer, and one kind of damage in two doses"
        assert plan.controls.planned == asked * (1 + len(JUDGES))
        assert {who for who, _ in plan.controls.estimates} == {"judge"}, "only judges are paid for"
        report = build(repository)
        verdicts = len(server.seen) - CALLS
        assert verdicts == plan.controls.to_make.total() - asked <= asked * len(JUDGES)
        assert report.calls.failed == 0
        assert build(repository).calls.made == 0
        assert api.verify(repository, None)[1] == []
    results = results_of(repository)
    assert {row["judge"] for row in results["controls"]} == {None, *JUDGES}
    assert {(row["damage"], row["n_items"]) for row in results["controls"]} == {("negation", 6), ("number", 6)}
    assert all(row["se"] is not None for row in results["controls"]), "though hardly two items are of one category"
    assert {row["model"] for row in results["leaderboard"]} == set(CONTESTANTS)


def results_of(repository: Repository, board: str = "main") -> dict[str, Any]:
    told: dict[str, Any] = json.loads((run_dir(repository) / "results" / board / "results.json").read_bytes())
    return told


def test_a_single_control_can_be_asked_for(tmp_path: Path) -> None:
    repository = with_controls(small_repository(tmp_path / "board"), "{items: 2, kinds: [cut]}")
    report = build(repository, REFERENCE)
    assert report.calls.made == 2 * (1 + PROGRAMS)
    assert {record["model"] for record in records(run_dir(repository), "responses")} == {REFERENCE}
    assert build(repository).calls.left == 0


@pytest.mark.parametrize(
    ("controls", "message"),
    [
        ("{items: 0}", "0"),
        ("{kinds: []}", "expected at least 1"),
        ("{kinds: [nagation]}", "negation"),
        ("some", "none"),
        ("{item: 3}", "items"),
    ],
)
def test_a_wrong_key_is_one_clear_message(tmp_path: Path, controls: str, message: str) -> None:
    repository = with_controls(small_repository(tmp_path / "board"), controls)
    with pytest.raises(SpecError) as refused:
        load_benchmark(repository.specs)
    assert len(refused.value.problems) == 1
    assert "controls" in (repository.specs / BOARD).read_text().splitlines()[refused.value.problems[0].line - 1]
    assert message in str(refused.value)


def test_no_model_has_the_id_of_a_control(tmp_path: Path) -> None:
    repository = small_repository(tmp_path / "board")
    model = repository.specs / "models" / "lead-2.yaml"
    edit(model, "id: lead-2", "id: control-lead")
    model.rename(model.with_name("control-lead.yaml"))
    with pytest.raises(SpecError, match="are reserved for controls"):
        api.validate(repository)


def test_a_killed_build_goes_on_with_its_controls_and_comes_to_the_same(built: Repository, tmp_path: Path) -> None:
    repository = copy_of(built, tmp_path / "board")
    shutil.rmtree(repository.runs)
    at = at_moment(tmp_path / "at", signal.SIGKILL, "open", "judgments/control-number-100.jsonl")
    assert nullbench(repository.root, "build", "--no-render", **at).code == -signal.SIGKILL
    assert state(repository) == "open"
    report = build(repository)
    assert report.calls.reused > 0
    assert report.calls.made > 0
    assert results_of(repository)["controls"] == results_of(built)["controls"]
    placed = Counter((record["model"], record["item"]) for record in records(run_dir(repository), "responses"))
    assert set(placed.values()) == {1}, "nobody was asked twice"


def test_an_ideal_answer_is_the_reference_answer_of_a_prompt_and_no_check_looks_at_it(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path, "rubric")
    edit(specs / "boards/questions.yaml", "controls: none", "controls: {kinds: [keywords, cut]}")
    repository = Repository(tmp_path)
    build(repository)
    answers = [each for each in records(run_dir(repository), "responses") if each["model"] == REFERENCE]
    ideals = {placed.id: placed.ideal for placed in _placed(repository, "questions")}
    assert {each["item"]: each["text"] for each in answers} == ideals
    assert not any(each.get("checks") for each in answers)
    assert {row["damage"] for row in results_of(repository, "questions")["controls"]} == {"keywords", "cut"}
    assert api.verify(repository, None)[1] == []


def _placed(repository: Repository, board: str) -> list[Any]:
    benchmark = load_benchmark(repository.specs)
    return list(benchmark.items(benchmark.boards[board]))


def test_a_panel_whose_verdicts_were_imported_has_no_controls(tmp_path: Path) -> None:
    repository = with_controls(small_repository(tmp_path / "board"), "{items: all}")
    assert board_controls(repository).all
    judges = repository.specs / "judges.yaml"
    judges.write_text(judges.read_text("utf-8").replace("backend: offline", "backend: recorded", 1), "utf-8")
    assert board_controls(repository).all == ()
    assert board_controls(repository).references == {}


def test_a_profile_may_have_controls_of_its_own(tmp_path: Path) -> None:
    repository = small_repository(tmp_path / "board")
    edit(repository.specs / BOARD, "live:\n    panel: live\n", "live:\n    panel: live\n    controls: {items: 2}\n")
    assert board_controls(repository).all == ()
    benchmark = load_benchmark(repository.specs, profile="live")
    assert len(BoardControls(benchmark, benchmark.boards["main"]).references) == 2


def test_controls_change_the_digest_of_calls_and_a_word_for_readers_does_not(tmp_path: Path) -> None:
    repository = small_repository(tmp_path / "board")

    def digest() -> str:
        return RequestBuilder(load_benchmark(repository.specs), backends()).calls_digest

    without = digest()
    edit(repository.specs / BOARD, "controls: none", "controls: {items: 3}")
    few = digest()
    edit(repository.specs / BOARD, "controls: {items: 3}", "controls: {items: 3, kinds: [cut]}")
    assert len({without, few, digest()}) == 3


def test_judging_anew_asks_about_controls_that_an_earlier_run_had_not(tmp_path: Path) -> None:
    repository = small_repository(tmp_path / "board")
    build(repository)
    edit(repository.specs / BOARD, "controls: none", "controls: {items: 2, kinds: [cut]}")
    report = api.build(repository, BuildOptions(scope=Scope(contestants=False)), render_site=False)
    assert (report.calls.left, report.calls.made) == (0, (2 + 2 * 2) * (1 + PROGRAMS))
    assert state(repository) == "sealed"
    assert {row["control"] for row in results_of(repository)["controls"]} == {"control-cut-25", "control-cut-50"}
