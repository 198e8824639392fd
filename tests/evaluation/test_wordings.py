"""A model is asked in each wording and a program once; the calls are planned, recorded, reused and scored as such."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pytest
import yaml
from support.benchmarks import BOARD, edit, write_benchmark, write_board, write_model
from support.commands import nullbench
from support.evidence import records
from support.fault_server import FaultServer
from support.live import live_repository
from support.repositories import run_dir
from support.sites import Site

from nullbench_site import api
from nullbench_site.build_report import BuildReport
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.targets import Scope, Selection
from nullbench_site.repository import Repository
from nullbench_site.site import paths
from nullbench_site.site.evidence.explorer_files import evidence_files
from nullbench_site.site.pages import board_trust, methodology
from nullbench_site.specs.changes import changes
from nullbench_site.specs.load import load_benchmark

NAMES = ("a", "b", "c", "d", "e")
TEXTS = {
    "axes": "{{ task }}\n{{ source }}",
    "oracle": "{{ prompt }}",
    "pairwise": "{{ prompt }}",
    "rubric": "{{ prompt }}",
}
ITEMS = {"axes": 6, "oracle": 13, "pairwise": 3, "rubric": 4}
PROGRAM = {"axes": "lead-2", "oracle": "copy", "pairwise": "essay", "rubric": "copy"}
THEN = "And a file of one byte?"


def repository(folder: Path, protocol: str) -> Repository:
    """A board of a model at an endpoint and of programs, in five wordings; one item of `rubric` has two turns."""
    specs = write_benchmark(folder, protocol)
    write_model(specs, "talker")
    board = specs / f"boards/{BOARD[protocol]}.yaml"
    text = (
        board.read_text("utf-8")
        .replace("template: zero-context\n", "")
        .replace("contestants: [", "contestants: [talker, ")
    )
    board.write_text(f"{text}templates: [{', '.join(NAMES)}]\n", "utf-8")
    (specs / "templates").mkdir(exist_ok=True)
    for name in NAMES:
        (specs / f"templates/{name}.txt").write_text(f"Wording {name}.\n{TEXTS[protocol]}\n", "utf-8")
    if protocol == "rubric":
        asked = "Is a file of zero bytes stored in no blocks at all? Answer in at most 30 words."
        edit(specs, "domains/storage.yaml", f"prompt: {asked}", f"turns:\n          - {asked}\n          - {THEN}")
    return Repository(folder)


def build(repository: Repository, **order: object) -> BuildReport:
    return api.build(repository, BuildOptions(**order), render_site=False)  # type: ignore[arg-type]


@pytest.fixture
def endpoint(server: FaultServer, monkeypatch: pytest.MonkeyPatch) -> FaultServer:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    return server


@pytest.mark.parametrize("protocol", ITEMS)
def test_a_model_answers_each_wording_and_a_program_the_first(
    protocol: str, endpoint: FaultServer, tmp_path: Path
) -> None:
    made = repository(tmp_path, protocol)
    planned = api.plan(made, Selection())
    if protocol == "oracle":
        assert planned.further_wordings == {BOARD[protocol]: planned.to_make["contestant", "talker"] * 4 // 5}
        further = (
            f"Wordings of board {BOARD[protocol]} after the first: {4 * ITEMS[protocol]} of {planned.planned} calls"
        )
        assert further in nullbench(made.root, "plan").out
    report = build(made)
    calls = report.calls  # two equal answers are judged once
    assert (calls.planned, calls.made + calls.reused, calls.failed) == (planned.planned, planned.planned, 0)
    run = run_dir(made)
    asked = Counter((each["model"], each["template"]) for each in records(run, "responses") if each.get("turn", 1) == 1)
    assert {name: asked["talker", name] for name in NAMES} == dict.fromkeys(NAMES, ITEMS[protocol])
    assert {template for model, template in asked if model == PROGRAM[protocol]} == {"a"}
    prompts = [
        message["content"] for seen in endpoint.seen for message in seen.body["messages"] if message["role"] == "user"
    ]
    assert all(prompt.startswith("Wording ") for prompt in prompts)
    if protocol == "rubric":
        assert {prompt.split("\n")[0] for prompt in prompts if THEN in prompt} == {f"Wording {name}." for name in NAMES}
    with (run / f"results/{BOARD[protocol]}/templates.csv").open(encoding="utf-8") as file:
        rows = Counter(row["model"] for row in csv.DictReader(file) if row["overall"])
    assert (rows["talker"], rows[PROGRAM[protocol]]) == (5, 1)
    assert build(made).calls.made == 0
    assert api.verify(made, None).problems == []


def test_pages_and_evidence_show_the_wordings(endpoint: FaultServer, tmp_path: Path) -> None:
    made = repository(tmp_path, "oracle")
    build(made)
    site = Site(made)
    (page,) = (page for page in methodology.pages(site.data) if page.url == paths.method_url("keys"))
    shown = site.fragment('{% include "_wordings.md.j2" %}', **page.context)
    assert all(
        words in shown.text for words in ("Wordings of the prompt", "Wording c.", "How much the wording matters")
    )
    (page,) = (page for page in board_trust.pages(site.data) if page.url == paths.trust_url("keys"))
    trust = site.fragment('{% include "board_trust.md.j2" %}', **page.context)
    assert all(words in trust.text for words in ("5 wordings cost 5 times the calls of one", "Scores by wording"))
    files = dict(evidence_files(site.data))
    index = json.loads(files["data/v1/evidence/keys/index.json"])
    assert index["templates"] == [*NAMES]
    answers = json.loads(files["data/v1/evidence/keys/answers/talker/0.json"])
    assert {tuple(each["template"] for each in of_item["samples"]) for of_item in answers.values()} == {NAMES}
    (program,) = json.loads(files["data/v1/evidence/keys/answers/copy/0.json"])["counting-01"]["samples"]
    assert program["template"] == "a"


def test_a_changed_wording_asks_for_its_answers_alone(endpoint: FaultServer, tmp_path: Path) -> None:
    made = repository(tmp_path, "oracle")
    build(made)
    before = load_benchmark(made.specs)
    edit(made.specs, "templates/c.txt", "Wording c.", "Another wording.")
    assert [(each.kind, each.id) for each in changes(before, load_benchmark(made.specs))] == [("template", "c")]
    report = build(made)
    assert report.calls.made == ITEMS["oracle"]
    (board,) = (made.specs / "boards").iterdir()
    board.write_text(board.read_text("utf-8") + "first_template_only: [talker]\n", "utf-8")
    assert build(made).calls.made == 0
    results = (run_dir(made) / "results/keys/templates.csv").read_text("utf-8")
    assert results.count("talker") == 1


def judged_in_wordings(folder: Path, protocol: str, url: str) -> tuple[Repository, str | None, str]:
    """A board whose judges are models that are asked in five wordings; also its profile, and its id."""
    if protocol == "axes":
        made, profile, board = live_repository(folder, url, contestants=["alpha"], judges=["anna", "ben"]), None, "main"
    else:
        made, profile, board = Repository(folder), "live", BOARD.get(protocol, "talks")
        write_benchmark(folder, "pairwise" if protocol == "pairwise" else "rubric", live=True)
    if protocol == "graded":
        turns = {"id": "talk-1", "difficulty": "easy", "turns": ["Name a river.", "And its source?"]}
        one = {"id": "talk-2", "difficulty": "easy", "prompt": "Name a hill."}
        write_board(made.specs, "graded", [turns, one], id=board, domain="talks", contestants=["talker"], panel="live")
        (made.specs / f"boards/{BOARD['rubric']}.yaml").unlink()
        profile = None
    path = made.specs / f"boards/{board}.yaml"
    fields = yaml.safe_load(path.read_text("utf-8")) | {"judge_templates": NAMES}
    path.write_text(json.dumps(fields), "utf-8")
    (made.specs / "templates").mkdir(exist_ok=True)
    for name in NAMES:
        (made.specs / f"templates/{name}.txt").write_text(f"Wording {name}.\n{{{{ question }}}}\n", "utf-8")
    return made, profile, board


@pytest.mark.parametrize("protocol", ["axes", "graded", "pairwise", "rubric"])
def test_a_judge_that_is_a_model_is_a_member_of_the_panel_in_each_wording(
    protocol: str, endpoint: FaultServer, tmp_path: Path
) -> None:
    made, profile, board = judged_in_wordings(tmp_path, protocol, endpoint.url)
    planned = api.plan(made, Selection(), profile=profile)
    report = api.build(made, BuildOptions(), profile=profile, render_site=False)
    assert (report.calls.planned, report.calls.failed) == (planned.planned, 0)
    run = run_dir(made)
    asked = Counter(each["judge"] for each in records(run, "judgments"))
    of_anna = {judge: n for judge, n in asked.items() if judge.startswith("anna.")}
    assert of_anna == dict.fromkeys((f"anna.{name}" for name in NAMES), next(iter(of_anna.values())))
    seen = [each.body for each in endpoint.seen if each.body["model"] in ("anna-1", "model-anna")]
    told = [body["messages"][-1]["content"] for body in seen]
    worded = Counter(text.partition("\n")[0] for text in told if text.startswith("Wording "))
    assert worded == dict.fromkeys((f"Wording {name}." for name in NAMES), worded["Wording a."])
    results = json.loads((run / f"results/{board}/results.json").read_text("utf-8"))
    assert results["panel_kind"] == "mixed"
    assert {row["judge"] for row in results["judges"]} >= {f"anna.{name}" for name in NAMES}
    assert all(row["judge_missing"] == 0 for row in results["leaderboard"])
    assert api.build(made, BuildOptions(), profile=profile, render_site=False).calls.made == 0
    assert api.verify(made, None).problems == []
    if protocol == "axes":
        anew = BuildOptions(scope=Scope(contestants=False, judges=["anna"]), judges_anew=["anna"])
        assert api.build(made, anew, render_site=False).calls.made == sum(of_anna.values())
