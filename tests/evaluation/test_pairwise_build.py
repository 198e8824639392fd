"""Builds of a board of games: by programs, and at an endpoint that tells log probabilities, none, or no verdict."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from support.benchmarks import edit, write_benchmark
from support.evidence import records
from support.fakes import FakeBackend, use
from support.fault_server import Canned, FaultServer, completion
from support.repositories import run_dir
from support.sites import Site
from support.winning import found_in

from nullbench_site import api
from nullbench_site.build_report import BuildReport
from nullbench_site.evaluation.cost import Budget
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.targets import Selection
from nullbench_site.judging.calls import Request
from nullbench_site.repository import Repository
from nullbench_site.scoring.metrics import METRICS

ITEMS = 3


@pytest.fixture
def live(server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    write_benchmark(tmp_path, "pairwise", live=True)
    return Repository(tmp_path)


def build(repository: Repository, profile: str | None = "live", **order: Any) -> BuildReport:
    return api.build(repository, BuildOptions(**order), profile=profile, render_site=False)


def judgments(repository: Repository) -> list[dict[str, Any]]:
    return list(records(run_dir(repository), "judgments"))


def asked_of_judges(server: FaultServer) -> list[dict[str, Any]]:
    return [seen.body for seen in server.seen if seen.body["model"] != "talker-1"]


def leaderboard(repository: Repository) -> dict[str, Any]:
    results = json.loads((run_dir(repository) / "results/beside/results.json").read_text("utf-8"))
    return {row["model"]: row for row in results["leaderboard"]}


def scripted(monkeypatch: pytest.MonkeyPatch, *scripts: str) -> None:
    """Let the judge coverage always choose the second answer, or give no valid verdict on every other game."""

    def reply(request: Request, text: str) -> str:
        if request.model != "coverage-of-two":
            return text
        if "half invalid" in scripts and int(request.key(), 16) % 2:
            return "I cannot say."
        return json.dumps({"preference": 2}) if "always second" in scripts else text

    use(monkeypatch, FakeBackend(reply=reply))


def contestants(live: Repository, what: str) -> None:
    """Give the profile of the board these contestants, and what follows them."""
    edit(live.specs, "boards/beside.yaml", "contestants: [talker, essay, null-empty]", f"contestants: {what}")


@pytest.mark.parametrize(
    "scripts",
    [("always second",), ("always second", "half invalid"), pytest.param(("half invalid",), marks=pytest.mark.sweep)],
    ids=" and ".join,
)
def test_a_judge_without_regard_to_the_answers_silences_the_board(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scripts: tuple[str, ...]
) -> None:
    write_benchmark(tmp_path, "pairwise")
    repository = Repository(tmp_path)
    scripted(monkeypatch, *scripts)
    api.build(repository)
    results = json.loads((run_dir(repository) / "results/beside/results.json").read_text("utf-8"))
    silenced = " ".join(results["silenced"])
    assert "'coverage-of-two'" in silenced
    assert "'substance-of-two'" not in silenced
    assert ("invalid verdicts" in silenced) == ("half invalid" in scripts)
    assert ("half invalid" in scripts) or "chose the answer shown second in 18 of 18 decided games" in silenced
    site = Site(repository)
    (view,) = site.data.views
    shown = site.content(view.url).text
    found = [reason.partition("the judge 'coverage-of-two' ")[2] for reason in results["silenced"]]
    assert all(each and each in shown for each in found)
    assert found_in(site, [(view.url, shown)]) == set()


def test_each_answer_meets_that_of_the_baseline_in_both_orders_before_every_judge(tmp_path: Path) -> None:
    write_benchmark(tmp_path, "pairwise")
    repository = Repository(tmp_path)
    planned = api.plan(repository, Selection())
    report = build(repository, None)
    games = 3 * ITEMS * 2 * 2
    assert (planned.planned, report.calls.planned, report.calls.made) == (4 * ITEMS + games,) * 3
    assert len(planned.both_orders) == 1
    told = judgments(repository)
    tasks = Counter((record["model"], record["judge_template"], record["position"]) for record in told)
    assert tasks == {
        (model, f"essay/{order}", position): ITEMS * 2
        for model in ("copy", "null-empty", "paraphrase")
        for position, order in enumerate(("first", "second"))
    }
    row = leaderboard(repository)["essay"]
    assert (row["overall"], row["n_draws"], row["judge_calls"], row["rank"] is None) == (50.0, ITEMS, 0, False)
    assert build(repository, None).calls.made == 0


def test_a_judge_of_the_family_of_either_contestant_is_not_asked(live: Repository) -> None:
    contestants(live, "[talker, essay, null-empty], baseline: [essay, talker]")
    build(live)
    asked = Counter(
        (record["model"], record["judge_template"].partition("/")[0], record["judge"]) for record in judgments(live)
    )
    assert asked == {
        ("talker", "essay", "anna"): 2 * ITEMS,
        ("essay", "talker", "anna"): 2 * ITEMS,
        ("null-empty", "talker", "anna"): 2 * ITEMS,
        ("null-empty", "essay", "anna"): 2 * ITEMS,
        ("null-empty", "essay", "tom"): 2 * ITEMS,
    }


def test_a_game_of_two_baselines_is_asked_once_and_stands_in_the_records_of_both(
    server: FaultServer, live: Repository
) -> None:
    contestants(live, "[talker, essay, null-empty], baseline: [essay, talker]")
    report = build(live)
    bodies = [json.dumps(body, sort_keys=True) for body in asked_of_judges(server)]
    assert len(bodies) == len(set(bodies)) == 8 * ITEMS
    of_both = [
        record
        for record in judgments(live)
        if {record["model"], record["judge_template"].split("/")[0]} == {"essay", "talker"}
    ]
    by_key: dict[str, list[dict[str, Any]]] = {}
    for record in of_both:
        by_key.setdefault(record["key"], []).append(record)
    assert len(by_key) == 2 * ITEMS
    for one, other in by_key.values():
        assert one["scores"] == other["scores"]
        assert {one["position"], other["position"]} == {0, 1}
    rows = leaderboard(live)
    assert rows["essay"]["against"]["talker"] + rows["talker"]["against"]["essay"] == pytest.approx(100, abs=1e-5)
    assert report.calls.failed == 0


def test_preferences_come_of_log_probabilities_normalised_over_the_two_letters(
    server: FaultServer, live: Repository
) -> None:
    build(live)
    assert all(body["top_logprobs"] == 5 and "response_format" not in body for body in asked_of_judges(server))
    told = judgments(live)
    # The letter it says has 0.6, the other 0.15, and the letter behind a space 0.25, which counts for none.
    assert {record["scores"]["preference"] for record in told} == {1.2, 1.8}
    assert {record["scores"]["missing_mass"] for record in told} == {0.25}
    assert leaderboard(live)["talker"]["n_token_alone"] == 0


def test_a_judge_whose_letters_are_unlikely_asks_for_more_log_probabilities_and_its_other_calls_stay_known(
    server: FaultServer, live: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    likely = [{"token": f"word {place}", "logprob": math.log(0.02)} for place in range(30)]
    letters = [{"token": token, "logprob": math.log(share)} for token, share in (("M", 0.03), ("m", 0.01))]
    monkeypatch.setattr(
        "support.fault_server.first_token", lambda said: {**likely[0], "top_logprobs": likely + letters}
    )
    build(live)
    first = len(asked_of_judges(server))
    edit(live.specs, "judges.yaml", "model: anna-1, ", "model: anna-1, top_logprobs: 200, ")
    build(live)
    again = asked_of_judges(server)[first:]
    assert {(body["model"], body["top_logprobs"]) for body in again} == {("anna-1", 200)}
    told = [record["scores"] for record in judgments(live) if record["judge"] == "anna"]
    assert {(scores["preference"], scores["missing_mass"]) for scores in told} == {(1.75, 0.96)}
    results = json.loads((run_dir(live) / "results/beside/results.json").read_text("utf-8"))
    masses = {row["judge"]: (row["missing_mass"], row["missing_mass_most"]) for row in results["judges"]}
    assert masses == {"anna": (pytest.approx(0.96), 0.96), "tom": (pytest.approx(0.96), 0.96)}


def test_without_log_probabilities_the_letter_alone_counts_and_is_marked(server: FaultServer, live: Repository) -> None:
    server.refuses.add("logprobs")
    build(live)
    told = judgments(live)
    assert all(record["scores"]["token_alone"] is True for record in told)
    assert {record["scores"]["preference"] for record in told} == {1, 2}
    row = leaderboard(live)["talker"]
    assert row["n_token_alone"] == row["n_games"] == 2 * ITEMS


@pytest.mark.parametrize(
    ("letter", "tokens", "why"),
    [
        ("n", None, "'n' is neither m nor M, and no log probabilities came"),
        ("m", [" m", "M\n", "bytes:\\x6d"], "neither m nor M is among the likeliest tokens: ' m', 'M\\n', "),
    ],
    ids=["another letter", "log probabilities of neither"],
)
def test_what_is_no_letter_is_no_verdict_and_nobody_guesses(
    server: FaultServer,
    live: Repository,
    monkeypatch: pytest.MonkeyPatch,
    *,
    letter: str,
    tokens: list[str] | None,
    why: str,
) -> None:
    monkeypatch.setattr(
        "support.fault_server.answer_to", lambda body: letter if "letter" in json.dumps(body) else "Rain."
    )
    server.tells = tokens is not None
    likeliest = [{"token": token, "logprob": -1.0, "bytes": list(token.encode())} for token in tokens or ()]
    monkeypatch.setattr("support.fault_server.first_token", lambda said: {**likeliest[0], "top_logprobs": likeliest})
    report = build(live)
    told = judgments(live)
    assert {record["state"] for record in told} == {"unparsed"}
    assert all(record["invalid"]["preference"].startswith(why) for record in told)
    row = leaderboard(live)["talker"]
    assert (row["overall"], row["n_unparsed"], row["rank"]) == (None, ITEMS, None)
    assert row["absent"]["win_rate"] == "no game of it counts"
    assert report.calls.failed == 0


def test_five_verdicts_are_asked_for_as_json_and_count_by_how_much(server: FaultServer, live: Repository) -> None:
    edit(live.specs, "boards/beside.yaml", "baseline: essay", "baseline: essay\njudging: verdicts\norders: drawn")
    build(live)
    told = judgments(live)
    assert all(body["response_format"]["type"] == "json_schema" for body in asked_of_judges(server))
    assert all(record["scores"]["verdict"] in range(-2, 3) and record["rationale"] for record in told)
    assert {record["judge_template"] for record in told} == {"essay"}
    rows = leaderboard(live)
    of_talker = [record for record in told if record["model"] == "talker"]
    points = weights = 0.0
    for record in of_talker:
        verdict = record["scores"]["verdict"] * (1 if record["position"] else -1)
        weight = 3 if abs(verdict) == 2 else 1
        points, weights = points + weight * ((verdict > 0) + (verdict == 0) / 2), weights + weight
    assert rows["talker"]["verdicts"]["score"] == pytest.approx(100 * points / weights, abs=1e-5)
    assert rows["talker"]["overall"] == pytest.approx(100 * points / weights, abs=1e-5)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("[[A>B]], or rather [[B>A]]", "several verdicts that differ: A>B, B>A"),
        ('{"rationale": "So.", "verdict": "A>B"} [[B>A]]', "verdicts in both formats that differ: B>A"),
        ('{"rationale": "So.", "verdict": "A wins"}', "'A wins' is none of A>>B, A>B, A=B, B>A, B>>A"),
        ('{"rationale": "So.", "verdict": "A>', "no verdict in either format ("),
    ],
)
def test_a_malformed_verdict_is_asked_for_once_more_and_leaves_the_game_to_the_other_judges(
    server: FaultServer, live: Repository, said: str, why: str
) -> None:
    edit(live.specs, "boards/beside.yaml", "baseline: essay", "baseline: essay\njudging: verdicts")
    server.always["anna-1"] = Canned(completion({"model": "anna-1"}, said))
    report = build(live)
    of_anna = [record for record in judgments(live) if record["judge"] == "anna"]
    assert [record["state"] for record in of_anna] == ["unparsed"] * 2 * 2 * ITEMS
    assert all(record["invalid"]["verdict"].startswith(why) for record in of_anna)
    assert sum(body["model"] == "anna-1" for body in asked_of_judges(server)) == 2 * len(of_anna)
    rows = leaderboard(live)
    assert (rows["talker"]["overall"], rows["talker"]["n_unparsed"], rows["talker"]["n_games"]) == (None, ITEMS, 0)
    assert (rows["null-empty"]["n_games"], rows["null-empty"]["overall"] is None) == (2 * ITEMS, False)
    assert report.calls.failed == 0


def test_where_both_orders_have_to_agree_the_same_calls_serve_and_pages_say_how_they_count(tmp_path: Path) -> None:
    specs, repository = write_benchmark(tmp_path, "pairwise"), Repository(tmp_path)
    edit(specs, "boards/beside.yaml", "baseline: essay", "baseline: essay\njudging: verdicts")
    build(repository, None)
    assert "score" in leaderboard(repository)["copy"]["verdicts"]
    edit(specs, "boards/beside.yaml", "judging: verdicts", "judging: verdicts\nagree: both-orders")
    assert api.build(repository).calls.made == 0
    row, games = leaderboard(repository)["copy"], defaultdict(set)
    for record in judgments(repository):
        if record["model"] == "copy":
            won = record["scores"]["verdict"] * (1 if record["position"] else -1)
            games[record["item"], record["judge"]].add((won > 0) - (won < 0))
    shares = [(1 + won.pop()) / 2 if len(won) == 1 else 0.5 for won in games.values()]
    assert row["win_rate"] == pytest.approx(100 * sum(shares) / len(shares), abs=1e-5)
    assert len(shares) == ITEMS * 2
    assert (row["n_games"], "verdicts" in row) == (ITEMS * 4, False)
    for page in ("boards/beside/index.html", "methodology/beside/index.html"):
        text = (tmp_path / "site" / page).read_text("utf-8")
        assert METRICS["both_orders"].sentence in text
        assert "counts three times" not in text


def test_the_same_text_twice_is_a_draw_that_nobody_is_asked_about(
    server: FaultServer, live: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    contestants(live, "[talker, null-empty], baseline: null-empty")
    monkeypatch.setattr("support.fault_server.answer_to", lambda body: "")
    build(live)
    assert asked_of_judges(server) == []
    told = judgments(live)
    assert len(told) == 2 * ITEMS
    assert {record["scores"]["preference"] for record in told} == {1.5}
    assert leaderboard(live)["talker"]["win_rate"] == 50.0


def test_an_opponent_whose_call_failed_leaves_no_game_and_takes_nothing_from_the_others(
    server: FaultServer, live: Repository
) -> None:
    contestants(live, "[talker, essay, null-empty], baseline: talker")
    server.longest["talker-1"] = (60, "400")  # the longest prompts of the three
    report = build(live)
    failed = {record["item"] for record in records(run_dir(live), "responses") if record["state"] == "errored"}
    assert 0 < len(failed) < ITEMS
    assert report.calls.failed == len(failed)
    rows = leaderboard(live)
    assert rows["essay"]["n_items"] == ITEMS - len(failed)
    assert rows["essay"]["judge_missing"] == 0
    assert rows["essay"]["rank"] is not None
    assert {record["item"] for record in judgments(live)}.isdisjoint(failed)


def test_a_budget_is_kept_to_the_call_and_a_larger_one_asks_for_its_further_games_alone(tmp_path: Path) -> None:
    specs, repository = write_benchmark(tmp_path, "pairwise"), Repository(tmp_path)
    edit(specs, "boards/beside.yaml", "baseline: essay", "schedule: {budget: 7}")
    calls = api.plan(repository, Selection()).to_make
    games = {who: n for who, n in calls.items() if who[0] == "judge"}
    assert games == {("judge", name): 7 * 2 for name in ("coverage-of-two", "substance-of-two")}
    assert calls.total() == 4 * ITEMS + 7 * 2 * 2
    report = build(repository, None)
    # Both hold a record of their game, which is asked once.
    assert (report.calls.made, report.calls.reused, report.calls.left) == (calls.total(), 7 * 2 * 2, 0)
    assert report.calls.planned == api.plan(repository, Selection()).planned == calls.total() + 7 * 2 * 2
    met = {frozenset((record["item"], record["model"], record["judge_template"].split("/")[0])) for record in
           judgments(repository)}  # fmt: skip
    assert len(met) == 7
    assert api.verify(repository, None).problems == []
    assert build(repository, None).calls.made == 0
    edit(specs, "boards/beside.yaml", "schedule: {budget: 7}", "schedule: {budget: 12}")
    assert api.plan(repository, Selection()).to_make.total() == build(repository, None).calls.made == 5 * 2 * 2
    assert leaderboard(repository)["copy"]["overall"] is not None


def test_a_schedule_is_the_same_whoever_is_asked_first_and_a_control_meets_one_contestant_on_an_item(
    tmp_path: Path,
) -> None:
    made = {}
    for name, parts in (("whole", [()]), ("apart", [("paraphrase", "copy"), ()])):
        (tmp_path / name).mkdir()
        specs, repository = write_benchmark(tmp_path / name, "pairwise"), Repository(tmp_path / name)
        edit(specs, "boards/beside.yaml", "baseline: essay", "schedule: {budget: 8}")
        edit(specs, "boards/beside.yaml", "controls: none", "controls: {kinds: [negation]}")
        for models in parts:
            build(repository, None, selection=Selection(models=models))
        made[name] = {(each["model"], each["item"], each["judge_template"]) for each in judgments(repository)}
    assert made["whole"] == made["apart"]
    of_controls = defaultdict(set)
    for model, item, task in made["whole"]:
        if model.startswith("control-"):
            of_controls[model, item].add(task.split("/")[0])
    assert len(of_controls) > ITEMS
    assert {len(met) for met in of_controls.values()} == {1}
    assert len({name for met in of_controls.values() for name in met}) > 1


def test_a_schedule_at_an_endpoint_goes_on_where_it_was_stopped_and_asks_nobody_twice(
    server: FaultServer, live: Repository
) -> None:
    edit(live.specs, "boards/beside.yaml", "baseline: essay\n", "")
    edit(live.specs, "boards/beside.yaml", "null-empty]}", "null-empty], schedule: {budget: 5}}")
    planned = api.plan(live, Selection(), profile="live").to_make
    first = build(live, budget=Budget(max_calls=9))
    assert first.calls.left > 0
    assert build(live).calls.left == 0
    asked = Counter(body["model"] for body in asked_of_judges(server))
    # Tom is of the family of the talker, and not asked about it.
    with_talker = {(each["item"], each["judge_template"].split("/")[0]) for each in judgments(live)
                   if each["model"] == "talker"}  # fmt: skip
    assert asked == {"anna-1": 5 * 2, "tom-1": (5 - len(with_talker)) * 2}
    assert {who: n for (kind, who), n in planned.items() if kind == "judge"} == {
        name: asked[f"{name}-1"] for name in ("anna", "tom")
    }
    bodies = [json.dumps(body, sort_keys=True) for body in asked_of_judges(server)]
    assert len(bodies) == len(set(bodies))
    assert leaderboard(live)["talker"]["rank"] is not None


def test_a_contestant_alone_waits_for_the_answers_it_is_held_against(live: Repository) -> None:
    report = build(live, selection=Selection(models=["talker"]))
    assert report.stopped == ("essay has not answered all that others are compared on",)
    assert judgments(live) == []
    build(live)
    assert len([record for record in judgments(live) if record["model"] == "talker"]) == 2 * ITEMS
