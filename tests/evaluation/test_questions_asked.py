"""Builds of a board of prompts whose judge is asked short questions, at an endpoint that gives log probabilities."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support.benchmarks import edit
from support.evidence import records
from support.fault_server import FaultServer
from support.questioned import ITEMS, YesOrNo, answering, questioned
from support.repositories import run_dir
from support.sites import Site

from nullbench_site import api
from nullbench_site.audit.derived import Audited, audit_repositories
from nullbench_site.build_report import BuildReport
from nullbench_site.errors import SpecError
from nullbench_site.evaluation.cost import Budget
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.targets import Selection
from nullbench_site.repository import Repository
from nullbench_site.runs.catalog import list_runs
from nullbench_site.site import paths
from nullbench_site.site.evidence.explorer_files import evidence_files
from nullbench_site.site.pages import judges
from nullbench_site.specs.types import CLAIM, CONTROLS, EMPTY, FLOOR

CONTESTANTS = ("copy", "null-constant", "null-empty", "paraphrase")
FLOORS = [name for name, control in CONTROLS.items() if control.floor is not None]
QUESTIONS = sum(ITEMS.values()) + len(ITEMS)
"""The questions about a contestant: the criteria, and one more an item."""
NOTHING = "response begins]\n\n["


def chance(text: str) -> float:
    """What the judge thinks: 0.4 of the empty response, else by the criterion, and more of a response of the board."""
    if NOTHING in text:
        return 0.4
    return 0.7 if "three tools" in text.lower() else 0.55


def build(repository: Repository, **order: Any) -> BuildReport:
    return api.build(repository, BuildOptions(**order), render_site=False)


def judgments(repository: Repository) -> list[dict[str, Any]]:
    return list(records(run_dir(repository), "judgments"))


def results(repository: Repository) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((run_dir(repository) / "results/questions/results.json").read_text("utf-8"))
    return found


@pytest.fixture
def board(tmp_path: Path) -> Repository:
    return questioned(tmp_path)


def test_each_criterion_is_a_call_with_its_number_and_contestants_and_controls_are_asked_alike(
    board: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = answering(monkeypatch, chance)
    planned = api.plan(board, Selection())
    report = build(board)
    everybody = len(CONTESTANTS) + len(FLOORS)
    assert planned.planned == report.calls.planned == everybody * (len(ITEMS) + QUESTIONS)
    assert report.calls.made + report.calls.reused == report.calls.planned
    told = judgments(board)
    names = Counter(record["judge_template"] for record in told if record["model"] == "copy")
    assert names == {
        "question.criterion-1": 4,
        "question.criterion-2": 4,
        "question.criterion-3": sum(n == 3 for n in ITEMS.values()),
        "question.contradiction": 4,
    }
    assert {record["model"] for record in told} == {*CONTESTANTS, *FLOORS}
    for record in told:
        assert record["scores"].keys() == {"yes", "missing_mass"}
        assert record["state"] == "scored"
    assert {message.role for message in asked.asked[0].messages} == {"system", "user"}
    assert len({request.key() for request in asked.asked}) == len(asked.asked)
    assert build(board).calls.made == 0


def test_the_floor_controls_are_the_five_of_the_design_and_have_no_rank(
    board: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(monkeypatch, chance)
    build(board)
    said = {(each["model"], each["item"]): each["text"] for each in records(run_dir(board), "responses")}
    assert [FLOOR[CONTROLS[name].floor][0] for name in FLOORS] == [title for title, _ in FLOOR.values()]
    items = {placed.id: placed for placed in api.validate(board).items(api.validate(board).boards["questions"])}
    for item, placed in items.items():
        assert said["control-empty", item] == ""
        assert said["control-claim", item] == CLAIM
        assert said["control-echo", item] == placed.prompt
        assert said["control-other-item", item] in {each.ideal.strip() for each in items.values() if each is not placed}
        assert said["control-everything", item].startswith(placed.ideal.strip())
        assert len(said["control-everything", item]) > len(placed.ideal.strip()) + 2
    found = results(board)
    assert {row["model"] for row in found["leaderboard"]} == {*CONTESTANTS}
    values = {row["model"]: row for row in found["question_values"]}
    assert values.keys() == {*CONTESTANTS, *FLOORS}
    assert values["copy"]["reported"] == pytest.approx(0.5875)
    assert (values[EMPTY]["yes"], values[EMPTY]["relative"], values[EMPTY]["mark"]) == (0.4, 0, 1)


@pytest.mark.parametrize(("value", "mark"), [("relative", 1 + 4 * 0.5), ("raw", 1 + 4 * 0.7), ("yes-no", 5.0)], ids=str)
def test_the_value_of_a_judge_makes_its_mark(
    value: str, mark: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = questioned(tmp_path, fields=f", value: {value}")
    answering(monkeypatch, lambda text: 0.4 if NOTHING in text else 0.7)
    build(made)
    rows = {row["model"]: row for row in results(made)["leaderboard"]}
    assert rows["copy"]["judge_mean"] == pytest.approx(mark)
    assert rows["copy"]["overall"] == pytest.approx(25 * (mark - 1))
    assert rows["copy"]["rank"] is not None


def test_a_mark_keeps_its_fraction_and_alpha_takes_the_nearest_whole_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = questioned(tmp_path, fields=", value: raw")
    answering(monkeypatch, lambda text: 0.7425 if NOTHING not in text else 0.1)
    build(made)
    found = results(made)
    row = next(row for row in found["leaderboard"] if row["model"] == "copy")
    assert row["judge_mean"] == pytest.approx(3.97)
    (judge,) = found["judges"]
    assert (judge["scored"], judge["unparsed"]) == (4 * len(CONTESTANTS), 0)
    assert next(each for each in found["question_values"] if each["model"] == "copy")["places"] == 1


def test_prohibitions_take_raw_values_and_multiply_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = questioned(tmp_path, prohibitions={"wording-02": [2]})

    def obeys(text: str) -> float:
        return 0.95 if "Avoids both words" in text else 0.4 if NOTHING in text else 0.7

    answering(monkeypatch, obeys)
    build(made)
    found = results(made)
    assert next(row for row in found["questions"] if row["kind"] == "prohibition") == {
        "judge": "asker", "item": "wording-02", "question": "question.criterion-2", "kind": "prohibition",
        "yes_to_empty": 0.95, "counts": True,
    }  # fmt: skip
    marks = {(row["model"], row["item"]): row["judge_mean"] for row in item_rows(found)}
    assert marks["copy", "wording-02"] == pytest.approx(1 + 4 * 0.5 * 0.95)
    assert marks["null-empty", "wording-02"] == 1
    assert marks["copy", "wording-01"] == pytest.approx(3)


def item_rows(found: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of the items of results.json, whose columns of texts are packed."""
    columns = {
        name: [column["values"][place] for place in column["of"]] if isinstance(column, dict) else column
        for name, column in found["items"].items()
    }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def test_a_question_that_the_empty_response_passes_counts_for_nobody_and_is_listed(
    board: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def blind(text: str) -> float:
        if "One a line" in text:
            return 0.93
        return 0.4 if NOTHING in text else 0.7

    answering(monkeypatch, blind)
    build(board)
    found = results(board)
    listed = [row for row in found["questions"] if not row["counts"] and row["kind"] == "requirement"]
    assert [(row["item"], row["question"], row["yes_to_empty"]) for row in listed] == [
        ("wording-01", "question.criterion-2", 0.93)
    ]
    marks = {(row["model"], row["item"]): row["judge_mean"] for row in item_rows(found)}
    assert marks["copy", "wording-01"] == pytest.approx(3)


def test_an_item_of_which_a_judge_can_answer_nothing_is_in_no_score_and_the_board_says_so(
    board: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(monkeypatch, lambda text: 0.95 if "checksum" in text else 0.4 if NOTHING in text else 0.7)
    build(board)
    rows = {row["model"]: row for row in results(board)["leaderboard"]}
    assert (rows["copy"]["n_items"], rows["copy"]["judge_mean"]) == (3, pytest.approx(3))
    assert rows["copy"]["rank"] is None
    assert rows["copy"]["absent"]["rank"] == "no judge can answer a question of wording-02"


def test_a_response_has_a_mark_only_if_each_of_its_questions_has_a_valid_value(
    board: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(
        monkeypatch, lambda text: None if "One a line" in text and NOTHING not in text else chance(text), bare="x"
    )
    build(board)
    found = results(board)
    marks = {(row["model"], row["item"]): row["judge_mean"] for row in item_rows(found)}
    assert marks["null-empty", "wording-01"] == 1
    (judge,) = found["judges"]
    assert (judge["unparsed"], judge["scored"]) == (3, 4 * len(CONTESTANTS) - 3)


def test_a_server_without_log_probabilities_gives_0_or_1(board: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, lambda text: None, bare="No.")
    build(board)
    assert {json.dumps(record["scores"]) for record in judgments(board)} == {'{"yes": 0.0}'}
    assert all(row["judge_mean"] == 1 for row in results(board)["leaderboard"])


def test_criteria_that_change_places_cost_no_call_and_get_their_new_names(
    board: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(monkeypatch, lambda text: 0.8 if "Three tools" in text.partition("response ends")[2] else 0.5)
    build(board)

    def names() -> dict[str, float]:
        own = (each for each in judgments(board) if (each["model"], each["item"]) == ("copy", "wording-01"))
        return {each["judge_template"]: each["scores"]["yes"] for each in own}

    before = names()
    edit(board.specs, "domains/wording.yaml", "[Three tools, One a line,", "[One a line, Three tools,")
    report = build(board)
    assert report.calls.made == 0
    assert before["question.criterion-1"] == 0.8
    assert names() == {**before, "question.criterion-1": 0.5, "question.criterion-2": 0.8}


def test_a_build_that_stops_between_two_questions_goes_on_at_the_next(
    board: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = answering(monkeypatch, chance)
    planned = api.plan(board, Selection()).to_make["judge", "asker"]
    asked.most = 7
    assert build(board).calls.left > 0
    first = [request.key() for request in asked.asked]
    assert results(board)["leaderboard"][0]["rank"] is None
    asked.most = None
    assert build(board).calls.left == 0
    keys = [request.key() for request in asked.asked]
    assert (len(first), keys[:7]) == (7, first)
    assert len({*keys}) == len(keys) <= planned
    assert next(row for row in results(board)["leaderboard"] if row["model"] == "copy")["rank"] is not None


def test_the_most_calls_of_a_build_are_counted_in_questions(
    board: Repository, server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    report = build(board, budget=Budget(max_calls=5))
    assert report.calls.left > 0
    assert len(server.seen) == 5
    assert all(seen.body["top_logprobs"] == 5 and seen.body["max_tokens"] == 1 for seen in server.seen)


def test_a_shard_has_a_response_with_all_its_questions(board: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, chance)
    parts = []
    for number in (1, 2):
        counts = api.plan(board, Selection(shard=(number, 2)))
        parts.append(counts.to_make["judge", "asker"])
    whole = api.plan(board, Selection()).to_make["judge", "asker"]
    assert sum(parts) >= whole
    assert all(parts)


def test_a_judge_with_recorded_calls_never_gets_another_method(
    board: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(monkeypatch, chance)
    build(board)
    edit(board.specs, "judges.yaml", "method: questions", "method: verdict")
    with pytest.raises(SpecError, match=r"judge 'asker' has recorded calls by `method: questions` in run 0\.1\.0"):
        api.validate(board)
    edit(board.specs, "judges.yaml", "id: asker", "id: marker")
    edit(board.specs, "judges.yaml", "judges: [asker]", "judges: [marker]")
    api.validate(board)


def test_a_judge_without_recorded_calls_may_get_another_method(board: Repository) -> None:
    edit(board.specs, "judges.yaml", "method: questions", "method: verdict")
    api.validate(board)


def test_the_revision_of_questions_is_in_the_digest_of_calls_only_if_a_judge_is_asked(
    board: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def digest() -> str:
        backend = {name: YesOrNo() for name in ("offline", "openai")}
        return RequestBuilder(api.validate(board), backend).calls_digest

    before = digest()
    monkeypatch.setattr("nullbench_site.evaluation.requests.QUESTIONS", 99)
    assert digest() != before
    edit(board.specs, "judges.yaml", "judges: [asker]", "judges: [coverage]")
    unasked = digest()
    monkeypatch.setattr("nullbench_site.evaluation.requests.QUESTIONS", 1)
    assert digest() == unasked


def test_the_page_of_judges_shows_answers_and_controls_and_what_the_judge_cannot_answer(
    board: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(monkeypatch, lambda text: 0.93 if "One a line" in text else 0.4 if NOTHING in text else 0.7)
    build(board)
    site = Site(board)
    (page,) = (page for page in judges.pages(site.data) if page.url == paths.judges_url("questions"))
    shown = site.fragment('{% include "board_judges.md.j2" %}', **page.context).text
    for words in ("Short questions to Asker", "Empty response", "Claim of the highest mark", "Prompt repeated"):
        assert words in shown
    assert "Asker cannot answer 1 of 9 questions" in shown
    assert "wording-01: One a line (empty response: 0.930)" in " ".join(shown.split())


def test_the_explorer_shows_a_response_with_its_questions_their_values_and_the_mark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = questioned(tmp_path, prohibitions={"wording-02": [2]})
    answering(monkeypatch, lambda text: 0.95 if "Avoids both" in text else 0.4 if NOTHING in text else 0.7)
    build(made)
    files = dict(evidence_files(Site(made).data))
    answers = json.loads(files["data/v1/evidence/questions/answers/copy/0.json"])
    (shown,) = answers["wording-02"]["samples"][0]["answers"]
    assert shown["mark"] == pytest.approx(2.9)
    assert [(each["question"], each["kind"], each["yes"], each.get("value")) for each in shown["questions"]] == [
        ("criterion-1", "requirement", 0.7, pytest.approx(0.5)),
        ("criterion-2", "prohibition", 0.95, 0.95),
        ("contradiction", "reported", 0.7, None),
    ]
    assert answers["wording-02"]["samples"][0]["verdicts"] == []
    of_empty = json.loads(files["data/v1/evidence/questions/controls/answers/control-empty/0.json"])
    assert of_empty["wording-02"]["samples"][0]["answers"][0]["mark"] == 1


def test_an_audit_of_some_items_takes_the_prohibitions_of_these(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = questioned(tmp_path, prohibitions={item: [2] for item in ITEMS})
    answering(monkeypatch, chance)
    build(made)
    (entry,) = list_runs(made.runs)
    (audit,) = audit_repositories(made, entry, Audited(items=1, attacks=("key",)))
    specs = api.validate(audit)
    left = {placed.id for placed in specs.items(specs.boards["questions"])}
    assert 0 < len(left) < len(ITEMS)
    assert specs.prohibitions == dict.fromkeys(left, (2,))


def two_judges(specs: Path) -> None:
    second = "{id: second, title: Second, description: A model., backend: openai, model: second-1, family: seconds, "
    edit(specs, "judges.yaml", "panels:\n", f"  - {second}method: questions, value: yes-no}}\npanels:\n")
    edit(specs, "judges.yaml", "judges: [asker]", "judges: [asker, second]")


def test_a_judge_is_asked_nothing_about_its_own_family_and_agreement_sees_one_mark_a_judge(
    board: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    two_judges(board.specs)
    spec = board.specs / "models/copy.yaml"
    spec.write_text(re.sub("family: .*", "family: seconds", spec.read_text("utf-8")), "utf-8")
    answering(monkeypatch, lambda text: 0.4 if NOTHING in text else 0.7)
    build(board)
    asked = {record["judge"] for record in judgments(board) if record["model"] == "copy"}
    assert asked == {"asker"}
    found = results(board)
    rows = {row["model"]: row for row in found["leaderboard"]}
    assert (rows["copy"]["judge_mean"], rows["paraphrase"]["judge_mean"]) == (pytest.approx(3), pytest.approx(4))
    (pair,) = found["judge_pairs"]
    assert (pair["n"], pair["exact"], pair["difference"]) == (
        3 * len(ITEMS),
        pytest.approx(1 / 3),
        pytest.approx(-4 / 3),
    )


def test_geval_beside_short_questions_has_the_written_weight(
    board: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = "{id: graded, title: Graded, description: A model., backend: openai, model: g-1, family: gs}"
    edit(board.specs, "judges.yaml", "panels:\n", f"  - {judge}\npanels:\n")
    edit(board.specs, "boards/questions.yaml", "judge: 1, geval: 1}", "judge: 3, geval: 1}\ngeval: {judge: graded}")
    answering(monkeypatch, lambda text: 0.4 if NOTHING in text else 0.7)
    build(board)
    row = next(row for row in results(board)["leaderboard"] if row["model"] == "copy")
    assert (row["judge_mean"], row["geval_mean"]) == (pytest.approx(3), pytest.approx(0.6))
    assert row["composite"] == pytest.approx((3 * 0.5 + 0.6) / 4)


def test_a_response_that_breaks_a_prohibition_loses_what_its_requirements_earn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = questioned(tmp_path, prohibitions={"wording-02": [2]})
    answering(monkeypatch, lambda text: 0.05 if "Avoids both" in text else 0.4 if NOTHING in text else 1.0)
    build(made)
    marks = {(row["model"], row["item"]): row["judge_mean"] for row in item_rows(results(made))}
    assert marks["copy", "wording-02"] == pytest.approx(1.2)
    assert marks["copy", "wording-01"] == 5
