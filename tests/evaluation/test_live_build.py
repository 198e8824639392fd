"""Builds whose contestants and judges answer at an endpoint: what is asked, recorded, paid and reported."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec
import pytest
from support.commands import nullbench
from support.evidence import files, records, without_clock
from support.fault_server import Canned, FaultServer, completion
from support.live import CALLS, CONTESTANTS, JUDGES, PRICES, live_repository
from support.repositories import ITEMS, build, copy_of, run_dir

from nullbench_site import api
from nullbench_site.build_report import BuildReport
from nullbench_site.errors import StoppedEarly, UsageError
from nullbench_site.evaluation.cost import Budget
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.targets import Scope, Selection
from nullbench_site.repository import Repository
from nullbench_site.runs.manifest import Usage, read_manifest, write_manifest

BOUNDED = {"prices": PRICES, "decoding": {"max_tokens": 500}}


@pytest.fixture
def board(server: FaultServer, tmp_path: Path) -> Repository:
    return live_repository(tmp_path / "board", server.url, **BOUNDED)


def ordered(repository: Repository, **order: Any) -> BuildReport:
    return api.build(repository, BuildOptions(**order), render_site=False)


def test_a_build_asks_every_contestant_and_judge_and_the_next_asks_nobody(
    server: FaultServer, board: Repository
) -> None:
    report = build(board)
    assert (report.calls.made, report.calls.failed, report.stopped) == (CALLS, 0, ())
    assert len(server.seen) == server.answers == CALLS
    assert build(board).calls.reused == CALLS
    assert len(server.seen) == CALLS
    assert api.verify(board, None)[1] == []


def test_tokens_and_cost_stand_in_the_records_the_manifest_and_the_report(board: Repository) -> None:
    report = build(board)
    run = run_dir(board)
    manifest = read_manifest(run)
    told = list(records(run, "responses")) + list(records(run, "judgments"))
    cost = sum((r["input_tokens"] * 1.0 + r["output_tokens"] * 2.0) / 1e6 for r in told)
    assert manifest.cost_usd == pytest.approx(cost)
    assert report.cost_usd == pytest.approx(cost)
    alpha = [r for r in told if r["model"] == "alpha" and "judge" not in r]
    assert manifest.usage.contestants["alpha"] == Usage(
        calls=ITEMS,
        input_tokens=sum(r["input_tokens"] for r in alpha),
        output_tokens=sum(r["output_tokens"] for r in alpha),
        cost_usd=pytest.approx(sum(r["cost_usd"] for r in alpha)),
    )
    assert set(manifest.usage.judges) == set(JUDGES)
    assert build(board).cost_usd is None, "the second build paid for nothing"


def test_a_manifest_whose_records_were_dearer_is_found_out(board: Repository) -> None:
    build(board)
    run = run_dir(board)
    manifest = read_manifest(run)
    cheaper = msgspec.structs.replace(manifest.usage.judges["judge-one"], cost_usd=0.0)
    judges = {**manifest.usage.judges, "judge-one": cheaper}
    write_manifest(run, msgspec.structs.replace(manifest, usage=msgspec.structs.replace(manifest.usage, judges=judges)))
    problems = api.verify(board, None)[1]
    assert problems == [f"{run}: the counts, tokens or costs in the manifest differ from those of the records"]


def test_a_response_that_two_contestants_give_is_judged_once(server: FaultServer, tmp_path: Path) -> None:
    """The judges' requests are the same byte for byte, also while the first of them is in flight."""
    for model in ("model-alpha", "model-beta"):
        server.always[model] = Canned(completion({"model": model}, "The very same answer."))
    board = live_repository(tmp_path / "board", server.url)
    report = build(board)
    bodies = [json.dumps(seen.body) for seen in server.seen]
    assert len(bodies) == len(set(bodies)) == report.calls.made
    assert report.calls.reused > 0
    assert report.calls.planned == report.calls.made + report.calls.reused == CALLS


def test_a_judge_that_says_nothing_valid_is_asked_once_more_and_then_recorded_with_what_it_said(
    server: FaultServer, tmp_path: Path
) -> None:
    server.always["model-judge-one"] = Canned(completion({"model": "model-judge-one"}, "Four out of five."))
    board = live_repository(tmp_path / "board", server.url)
    report = build(board)
    assert report.calls.failed == 0
    said = [record for record in records(run_dir(board), "judgments") if record["judge"] == "judge-one"]
    assert {record["state"] for record in said} == {"unparsed"}
    assert {record["raw"] for record in said} == {"Four out of five."}
    assert all("no JSON" in record["invalid"]["reply"] for record in said)
    turns = [seen.body["messages"] for seen in server.seen if seen.body["model"] == "model-judge-one"]
    assert sorted({len(messages) for messages in turns}) == [2, 4]
    assert len(turns) == 2 * len(said)


def test_a_reply_that_the_second_turn_mends_counts_and_says_so(server: FaultServer, tmp_path: Path) -> None:
    board = live_repository(tmp_path / "board", server.url, contestants=("alpha",), judges=("judge-one", "judge-two"))
    server.first["model-judge-one"] = [Canned(completion({"model": "model-judge-one"}, "Hm."))]
    build(board)
    mended = [record for record in records(run_dir(board), "judgments") if "repaired" in record]
    assert [record["state"] for record in mended] == ["scored"]
    assert "reply" in mended[0]["repaired"]


CUT_OFF = Canned(completion({"model": "model-judge-one"}, '{"rationale": "On and on', finish_reason="length"))
UNREADABLE = Canned(completion({"model": "model-judge-one"}, '{"rationale": "On and on'))
FILTERED = Canned(completion({"model": "model-judge-one"}, None, finish_reason="content_filter"))
REFUSED = Canned(completion({"model": "model-judge-one"}, None, refusal="I will not judge this."))


@pytest.mark.parametrize("ended", [FILTERED, REFUSED])
def test_a_reply_that_was_withheld_is_asked_for_once_more_without_being_quoted(
    server: FaultServer, tmp_path: Path, ended: Canned
) -> None:
    board = live_repository(tmp_path / "board", server.url, contestants=("alpha",), judges=("judge-one", "judge-two"))
    server.first["model-judge-one"] = [ended]
    build(board)
    (mended,) = (record for record in records(run_dir(board), "judgments") if "repaired" in record)
    assert (mended["state"], "ended" in mended) == ("scored", False)
    asked = [seen.body["messages"] for seen in server.seen if seen.body["model"] == f"model-{mended['judge']}"]
    ((first, second),) = (pair for pair in combinations(asked, 2) if _asks_again(pair[1], pair[0]))
    assert second == first


def _asks_again(messages: list[dict[str, Any]], first: list[dict[str, Any]]) -> bool:
    return bool(messages[-1]["content"].startswith(first[-1]["content"]))


def test_a_reply_that_the_token_limit_cut_is_not_asked_for_again_with_the_same_limit(
    server: FaultServer, tmp_path: Path
) -> None:
    board = live_repository(tmp_path / "board", server.url, contestants=("alpha",), judges=("judge-one", "judge-two"))
    server.first["model-judge-one"] = [CUT_OFF]
    assert build(board).stopped == ()
    (cut,) = unread(board)
    assert (cut["ended"], cut["invalid"], cut.get("repair_due")) == (
        "length",
        {"reply": "no JSON: it is cut off"},
        None,
    )
    assert len(server.seen) == 3 * ITEMS


def test_a_judge_whose_replies_are_mostly_cut_stops_early_and_names_its_limit(
    server: FaultServer, tmp_path: Path
) -> None:
    server.always["model-judge-one"] = CUT_OFF
    board = live_repository(
        tmp_path / "board", server.url, contestants=CONTESTANTS, judges=("judge-one", "judge-two"),
        limits={"concurrency": 1}, decoding={"max_tokens": 60},
    )  # fmt: skip
    report = build(board)
    (stop,) = report.stopped
    assert "specs/judges.yaml:" in stop
    assert "judge 'judge-one' stopped: 10 of its 10 replies were cut by max_tokens 60" in stop
    assert "raise max_tokens, for example to 240, and build again" in stop
    assert len([seen for seen in server.seen if seen.body["model"] == "model-judge-one"]) == 10
    assert len(unread(board)) == 10, "all that was paid for is recorded"
    others = [record for record in records(run_dir(board), "judgments") if record["judge"] == "judge-two"]
    assert len(others) == len(CONTESTANTS) * ITEMS
    assert report.calls.left > 0
    assert read_manifest(run_dir(board)).state == "open"


def unread(repository: Repository) -> list[dict[str, Any]]:
    return [record for record in records(run_dir(repository), "judgments") if record["state"] == "unparsed"]


@pytest.fixture
def unheard(server: FaultServer, tmp_path: Path) -> Repository:
    """A board of which a judge's replies were all unreadable, the second too, and the run is sealed."""
    server.always["model-judge-one"] = UNREADABLE
    board = live_repository(tmp_path / "board", server.url, contestants=("alpha",), judges=("judge-one", "judge-two"))
    assert build(board).calls.made == 3 * ITEMS
    assert len(unread(board)) == ITEMS
    server.forget()
    return board


def test_a_retry_asks_for_verdicts_that_could_not_be_read_as_plan_says(
    server: FaultServer, unheard: Repository
) -> None:
    assert build(unheard).calls.made == 0, "a sealed run is done"
    plan = api.plan(unheard, Selection(), retry_failed=True)
    assert (api.plan(unheard, Selection()).to_make.total(), plan.to_make) == (0, {("judge", "judge-one"): ITEMS})
    why = api.plan(unheard, Selection(), retry_failed=True, why=True).why
    assert why == {("judge", "judge-one"): {f"no usable answer in run {run_dir(unheard).name}": ITEMS}}
    assert server.seen == []

    first = run_dir(unheard)
    before = files(first)
    del server.always["model-judge-one"]
    report = build(unheard, retry_failed=True)
    assert [seen.body["model"] for seen in server.seen] == ["model-judge-one"] * ITEMS
    assert (report.run, report.calls.made, report.calls.failed) == (f"{first.name}.r2", ITEMS, 0)
    assert (unread(unheard), read_manifest(run_dir(unheard)).state) == ([], "sealed")
    assert files(first) == before
    assert build(unheard).run == build(unheard, retry_failed=True).run == report.run
    assert len(server.seen) == ITEMS
    assert api.verify(unheard, None)[1] == []


def test_a_retry_in_which_no_verdict_can_be_read_again_leaves_the_run_as_it_is(
    server: FaultServer, unheard: Repository
) -> None:
    before = files(unheard.runs)
    report = build(unheard, retry_failed=True)
    assert len(server.seen) == 2 * ITEMS
    assert (report.run, report.calls.made) == (run_dir(unheard).name, ITEMS)
    assert files(unheard.runs) == before


def test_a_retry_that_was_stopped_goes_on_and_asks_for_nothing_twice(server: FaultServer, unheard: Repository) -> None:
    stopped = ordered(unheard, retry_failed=True, budget=Budget(max_calls=3))
    assert stopped.stopped
    assert (len(server.seen), build(unheard).run) == (3, stopped.run.removesuffix(".r2"))
    report = ordered(unheard, retry_failed=True)
    assert (report.run, len(server.seen)) == (stopped.run, 2 * ITEMS)
    assert len({json.dumps(seen.body) for seen in server.seen}) == 2 * ITEMS
    assert read_manifest(unheard.runs / report.run).state == "sealed"


def test_an_open_run_is_retried_in_place(server: FaultServer, unheard: Repository, tmp_path: Path) -> None:
    (unheard.runs / run_dir(unheard).name).rename(tmp_path / "away")
    stopped = ordered(unheard, budget=Budget(max_calls=4 * ITEMS - 1))
    assert stopped.stopped
    n = len(unread(unheard))
    assert n
    del server.always["model-judge-one"]
    report = build(unheard, retry_failed=True)
    assert (report.run, unread(unheard)) == (stopped.run, [])


def test_a_verdict_to_which_a_retry_gets_no_reply_stays_as_it_was(server: FaultServer, unheard: Repository) -> None:
    server.longest["model-judge-one"] = (100, "too-long")
    server.next("ok")
    before = {record["key"]: record for record in unread(unheard)}
    report = build(unheard, retry_failed=True)
    assert (report.calls.made, report.calls.failed) == (1, ITEMS - 1)
    after = {record["key"]: record for record in unread(unheard)}
    assert len(after) == ITEMS - 1
    assert after.items() <= before.items()
    assert build(unheard).run == report.run
    server.longest.clear()
    server.always.clear()
    assert build(unheard, retry_failed=True).calls.made == ITEMS - 1
    assert unread(unheard) == []


def test_a_second_turn_that_the_budget_refuses_is_asked_by_the_next_build_and_the_first_is_not(
    server: FaultServer, tmp_path: Path
) -> None:
    server.always["model-judge-one"] = Canned(completion({"model": "model-judge-one"}, "Four out of five."))
    board = live_repository(tmp_path / "board", server.url, contestants=("alpha",), judges=("judge-one", "judge-two"))
    stopped = ordered(board, budget=Budget(max_calls=3 * ITEMS))
    assert len(server.seen) == 3 * ITEMS
    assert stopped.calls.left > 0
    assert read_manifest(run_dir(board)).state == "open"
    assert build(board).stopped == ()
    bodies = [json.dumps(seen.body) for seen in server.seen]
    assert len(bodies) == len(set(bodies)) == 4 * ITEMS
    judged = [record for record in records(run_dir(board), "judgments") if record["judge"] == "judge-one"]
    assert len(judged) == ITEMS
    assert not any("repair_due" in record for record in judged)
    assert read_manifest(run_dir(board)).state == "sealed"


def test_an_endpoint_without_a_key_stops_alone_and_the_message_names_its_place(
    server: FaultServer, tmp_path: Path
) -> None:
    board = live_repository(tmp_path / "board", server.url, endpoint={"key_env": "NULLBENCH_NO_SUCH_KEY"})
    done = nullbench(board.root, "build", "--no-render")
    assert done.code == 3
    assert "specs/endpoints.yaml:" in done.err
    assert "NULLBENCH_NO_SUCH_KEY" in done.err
    assert "Traceback" not in done.err
    assert not list(board.runs.glob("[!.]*/")), "an empty run is no run"
    assert server.seen == []


def test_one_refused_model_stops_and_the_others_go_on(server: FaultServer, tmp_path: Path) -> None:
    server.always["model-beta"] = "404"
    board = live_repository(tmp_path / "board", server.url)
    report = build(board)
    assert len(report.stopped) == 1
    assert "specs/models/beta.yaml:" in report.stopped[0]
    assert report.calls.made == CALLS - ITEMS * (1 + len(JUDGES))
    assert report.calls.left == ITEMS * (1 + len(JUDGES))
    assert read_manifest(run_dir(board)).state == "open"
    assert {record["model"] for record in records(run_dir(board), "responses")} == {"alpha", "gamma"}

    del server.always["model-beta"]
    before = server.answers
    again = build(board)
    assert (again.run, again.calls.made) == (report.run, ITEMS * (1 + len(JUDGES)))
    assert server.answers - before == again.calls.made
    assert read_manifest(run_dir(board)).state == "sealed"


def test_a_target_that_fails_for_good_is_an_errored_record_and_counts_as_0(server: FaultServer, tmp_path: Path) -> None:
    server.longest["model-beta"] = (100, "too-long")
    board = live_repository(tmp_path / "board", server.url, prices=PRICES)
    report = build(board)
    assert (report.calls.failed, report.stopped) == (ITEMS, ())
    failed = [record for record in records(run_dir(board), "responses") if record["model"] == "beta"]
    assert {(record["state"], record["text"]) for record in failed} == {("errored", "")}
    (probe,) = (record["failed_usd"] for record in failed if "failed_usd" in record)
    assert probe > 0, "a small request told a bad item from a bad spec"
    assert report.cost_usd == pytest.approx(read_manifest(run_dir(board)).cost_usd)
    assert read_manifest(run_dir(board)).state == "sealed"


@pytest.mark.parametrize("max_calls", [pytest.param(1, marks=pytest.mark.sweep), 7, CALLS - 1])
def test_no_more_requests_are_put_than_the_budget_allows_and_the_next_build_goes_on(
    server: FaultServer, board: Repository, max_calls: int
) -> None:
    report = ordered(board, budget=Budget(max_calls=max_calls))
    assert report.calls.made == len(server.seen) == max_calls
    assert report.stopped[0].startswith(f"stopped after {max_calls} requests, the limit of --max-calls")
    assert build(board).calls.made == CALLS - max_calls
    assert server.repeated == 0


def test_retries_repairs_and_other_forms_count_as_requests_and_nothing_paid_is_lost(tmp_path: Path) -> None:
    with FaultServer(faults=0.2, stall=0.05) as server:
        server.refuses |= {"json_schema", "max_tokens"}
        server.always["model-judge-one"] = Canned(completion({"model": "model-judge-one"}, "Four out of five."))
        limits = {"first_wait": 0.001, "concurrency": 4, "attempts": 12}
        board = live_repository(
            tmp_path / "board", server.url, contestants=("alpha",), judges=("judge-one", "judge-two"), limits=limits,
            **BOUNDED,
        )  # fmt: skip
        builds = 0
        while not (runs := list(board.runs.glob("[!.]*/"))) or read_manifest(runs[0]).state == "open":
            before, builds = len(server.seen), builds + 1
            report = ordered(board, budget=Budget(max_calls=37))
            assert len(server.seen) - before <= 37
            assert not report.stopped or len(server.seen) - before == 37
        assert 2 < builds < 10
        assert server.repeated == 0


def test_no_more_is_spent_than_the_budget_allows(server: FaultServer, board: Repository, tmp_path: Path) -> None:
    whole = build(copy_of(board, tmp_path / "whole")).cost_usd
    report = ordered(board, budget=Budget(max_usd=whole / 2))
    assert whole / 4 < report.cost_usd <= whole / 2
    assert "of --max-cost; build again to continue" in report.stopped[0]
    rest = build(board)
    assert rest.cost_usd == pytest.approx(whole - report.cost_usd)


@pytest.mark.parametrize(
    ("more", "told"),
    [({"decoding": {"max_tokens": 5}}, "needs to know the prices"), ({"prices": PRICES}, "add max_tokens")],
)
def test_a_budget_in_dollars_needs_prices_and_limits_and_names_whoever_has_none(
    server: FaultServer, tmp_path: Path, more: dict[str, Any], told: str
) -> None:
    board = live_repository(tmp_path / "board", server.url, **more)
    with pytest.raises(UsageError, match=told) as refused:
        ordered(board, budget=Budget(max_usd=1.0))
    assert str(refused.value).count(told) == len(CONTESTANTS) + len(JUDGES)
    assert "specs/judges.yaml:" in str(refused.value)
    assert server.seen == []


def test_a_new_judge_is_asked_about_stored_responses_and_no_contestant_is(
    server: FaultServer, board: Repository
) -> None:
    first = build(board).run
    judges = board.specs / "judges.yaml"
    told = json.loads(judges.read_text("utf-8"))
    new = {**told["judges"][0], "id": "judge-four", "title": "Four", "model": "model-judge-four", "family": "of-four"}
    told["judges"].append(new)
    told["panels"][0]["judges"].append("judge-four")
    judges.write_text(json.dumps(told), "utf-8")
    before = len(server.seen)
    report = ordered(board, scope=Scope(contestants=False, judges=("judge-four",)))
    asked = {seen.body["model"] for seen in server.seen[before:]}
    assert asked == {"model-judge-four"}
    assert report.run != first
    assert report.calls.made >= len(CONTESTANTS) * ITEMS
    assert build(board).run == report.run


def test_judging_anew_makes_a_run_with_new_verdicts_of_that_judge_alone(server: FaultServer, board: Repository) -> None:
    first = build(board).run
    before = len(server.seen)
    anew = BuildOptions(scope=Scope(contestants=False, judges=("judge-one",)), judges_anew=("judge-one",))
    report = api.build(board, anew, render_site=False)
    assert {seen.body["model"] for seen in server.seen[before:]} == {"model-judge-one"}
    assert (report.run, report.calls.made) == (f"{first}.r2", len(CONTESTANTS) * ITEMS)
    manifest = read_manifest(board.runs / report.run)
    assert (manifest.state, manifest.judged_anew) == ("sealed", ("judge-one",))


def test_judging_what_nobody_answered_asks_nobody(server: FaultServer, board: Repository) -> None:
    with pytest.raises(StoppedEarly, match="no earlier run has a response to judge"):
        ordered(board, scope=Scope(contestants=False, judges=("judge-one",)))
    assert server.seen == []


def test_a_judge_that_no_panel_has_is_named(board: Repository) -> None:
    with pytest.raises(UsageError, match="no panel of these boards has a judge 'judge-on'; did you mean 'judge-one'"):
        ordered(board, scope=Scope(contestants=False, judges=("judge-on",)))


def test_the_order_of_builds_and_models_does_not_matter(server: FaultServer, board: Repository, tmp_path: Path) -> None:
    at_once = copy_of(board, tmp_path / "at-once")
    build(at_once)
    server.forget()
    for model in ("gamma", "alpha", "beta"):
        build(board, model)
    build(board)
    assert server.repeated == 0
    assert server.answers == CALLS
    assert without_clock(run_dir(board)) == without_clock(run_dir(at_once))


def test_the_variables_of_an_env_file_beside_the_specs_are_read(server: FaultServer, tmp_path: Path) -> None:
    board = live_repository(tmp_path / "board", server.url, endpoint={"key_env": "NULLBENCH_TEST_KEY"})
    (board.root / ".env").write_text("NULLBENCH_TEST_KEY=sk-from-the-file\n", "utf-8")
    done = nullbench(board.root, "build", "--no-render")
    assert done.code == 0, done.err
    assert {seen.headers["Authorization"] for seen in server.seen} == {"Bearer sk-from-the-file"}
    assert "sk-from-the-file" not in done.err + done.out
    written = b"".join(path.read_bytes() for path in board.runs.rglob("*") if path.is_file())
    assert b"sk-from-the-file" not in written


def test_the_variables_of_an_env_file_are_taken_as_they_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("USER", "somebody")
    lines = ["A=sk-${USER}-$USER", 'B="${USER}"', "C='${USER:-x}'", "export D=${A}", "E=a#b # why", "F"]
    (tmp_path / ".env").write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode())
    assert Repository(tmp_path).variables == {
        "A": "sk-${USER}-$USER", "B": "${USER}", "C": "${USER:-x}", "D": "${A}", "E": "a#b",
    }  # fmt: skip


def test_an_env_file_that_is_not_utf8_is_named(board: Repository) -> None:
    (board.root / ".env").write_bytes(b"A=sk-\xff")
    with pytest.raises(UsageError, match=r"\.env: the file is not UTF-8; save it as UTF-8, one NAME=value per line"):
        build(board)
