"""`plan` as its readers and programs see it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from support.benchmarks import write_benchmark
from support.commands import nullbench
from support.repositories import CALLS, ITEMS, JUDGES, MODELS, edit

from nullbench_site.repository import Repository

DETECTABLE = "Smallest difference that can be detected, in points: "
NONE_AT_ENDPOINTS = "Estimated cost: none; programs on this machine answer every call"


@pytest.fixture
def live(tmp_path: Path) -> Repository:
    write_benchmark(tmp_path, live=True)
    return Repository(tmp_path)


def test_an_offline_plan_is_free(built: Repository) -> None:
    done = nullbench(built.root, "plan")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].split() == ["to", "make", "known"]
    assert [line.split() for line in lines[1 : 1 + len(MODELS)]] == [["contestant", m, "0", str(ITEMS)] for m in MODELS]
    assert lines[-3].split() == ["all", "0", str(CALLS)]
    assert lines[-1] == NONE_AT_ENDPOINTS


def test_a_live_plan_shows_tokens_and_cost_by_who_answers_and_by_endpoint(live: Repository) -> None:
    done = nullbench(live.root, "plan", "--profile", "live")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert " ".join(lines[0].split()) == "endpoint to make known input tokens output tokens US dollars time"
    assert len({len(line) for line in [lines[0], *lines[2:10]]}) == 1, "aligned; a program's row ends early"
    rows = {tuple(line.split()[:2]): line.split()[2:] for line in lines[1:10]}
    assert list(rows)[:5] == [("contestant", "null-empty"), ("contestant", "talker"),
                              ("judge", "anna"), ("judge", "ben"), ("judge", "cleo")]  # fmt: skip
    assert rows["contestant", "null-empty"] == ["12", "0"], "a program: no tokens, no cost"
    assert rows["contestant", "talker"][:3] == ["lab", "12", "0"]
    assert rows["contestant", "talker"][6:9] == ["12", "-", "1,200"]
    assert rows["judge", "ben"][-4:] == ["no", "price", "not", "known"]
    assert rows["endpoint", "jury"][:3] == ["jury", "48", "0"]
    assert lines[10] == f"{DETECTABLE}not measured before a first run"
    assert lines[11].startswith("Estimated cost: at least 0.0")
    assert lines[12].startswith("Unversioned model names, ")
    assert lines[13] == "No price in the specs: judge ben, judge cleo"
    assert lines[14].startswith("No upper bound without max_tokens: judge ben, judge cleo")


@pytest.mark.parametrize("arguments", [(), ("--board", "main"), ("--fresh",)])
def test_a_plan_shows_the_smallest_detectable_difference_of_the_last_run(
    built: Repository, arguments: tuple[str, ...]
) -> None:
    """From results.json, whether the plan was noted by the build or is worked out; of other specs nothing is known."""
    (path,) = built.runs.glob("*/results/main/results.json")
    kept = path.read_bytes()
    results = json.loads(kept)
    measured = (results["detectable"] or {}).get("median")
    told = json.loads(nullbench(built.root, "plan", "--json", *arguments).out)
    assert told["detectable"] == {"main": measured}
    try:
        path.write_text(json.dumps(results | {"detectable": {"median": 4.25, "n_pairs": 3}}), "utf-8")
        shown = nullbench(built.root, "plan", *arguments).out.splitlines()
        assert f"{DETECTABLE}main 4.2" in shown
        path.write_text("{", "utf-8")
        assert f"{DETECTABLE}main not measured" in nullbench(built.root, "plan", *arguments).out.splitlines()
    finally:
        path.write_bytes(kept)


def test_a_plan_whose_calls_all_have_prices_and_limits_ends_with_a_range(live: Repository) -> None:
    edit(live.specs / "judges.yaml", "judges: [anna, ben, cleo]", "judges: [anna]")
    edit(live.specs / "judges.yaml", "model: anna-1", "model: anna-2026-03-17")
    (live.root / ".env").write_text("JURY_KEY=a-key-that-nobody-has\n", "utf-8")
    lines = nullbench(live.root, "plan", "--profile", "live").out.splitlines()
    words = lines[-1].split()
    assert words[:2] == ["Estimated", "cost:"]
    low, dash, high, *unit = words[2:]
    assert (dash, unit) == ("-", ["US", "dollars"])
    assert 0 < float(low) < float(high)


def test_a_plan_names_the_keys_that_a_build_would_lack(live: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of endpoints that it has calls for, set neither in the environment nor in .env."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)  # a build of another test may have taken it from its .env
    lacking = "Missing keys, without which a build skips the endpoint: "
    shown = nullbench(live.root, "plan", "--profile", "live").out.splitlines()
    assert shown[-1] == f"{lacking}JURY_KEY for jury, OPENAI_API_KEY for openai"
    told = nullbench(live.root, "plan", "--profile", "live", "--json")
    assert json.loads(told.out)["keyless"] == {"jury": "JURY_KEY", "openai": "OPENAI_API_KEY"}
    assert "JURY_KEY" not in nullbench(live.root, "plan").out
    (live.root / ".env").write_text("JURY_KEY=a-key-that-nobody-has\n", "utf-8")
    done = nullbench(live.root, "plan", "--profile", "live")
    assert "JURY_KEY" not in done.out
    assert "a-key-that" not in done.out + done.err


def test_a_plan_names_unversioned_judges(live: Repository) -> None:
    edit(live.specs / "judges.yaml", "model: ben-1", "model: ben-2026-03-17")
    told = json.loads(nullbench(live.root, "plan", "--profile", "live", "--json").out)
    assert told["aliases"] == {"anna": "anna-1", "cleo": "cleo-1"}
    named = "Unversioned model names, which may later point to another model: "
    shown = nullbench(live.root, "plan", "--profile", "live").out.splitlines()
    assert f"{named}judge anna as anna-1, judge cleo as cleo-1" in shown
    assert named not in nullbench(live.root, "plan").out, "the board asks programs, but for the profile"


def test_a_plan_is_one_json_object(live: Repository) -> None:
    done = nullbench(live.root, "plan", "--profile", "live", "--model", "talker", "--json")
    told = json.loads(done.out)
    assert done.out.count("\n") == 1
    talker, anna, *_ = told["calls"]
    assert (talker["kind"], talker["id"], talker["endpoint"]) == ("contestant", "talker", "lab")
    assert (talker["to_make"], talker["known"], talker["output_tokens"]) == (12, 0, [12, 1200])
    assert anna["cost_usd"][0] < anna["cost_usd"][1]
    assert told["all"]["to_make"] == 12 * (1 + 3)
    assert told["all"]["cost_usd"][1] is None
    assert told["no_price"] == ["judge ben", "judge cleo"]


def test_a_fresh_plan_makes_everything_again(built: Repository) -> None:
    done = nullbench(built.root, "plan", "--fresh", "--model", "lead-2", "--board", "main")
    assert done.out.splitlines()[-3].split() == ["all", str(ITEMS * (1 + JUDGES)), "0"]


def test_a_profile_that_does_not_exist_is_one_line(live: Repository) -> None:
    done = nullbench(live.root, "plan", "--profile", "life")
    assert (done.code, done.out) == (2, "")
    assert done.message == "Error: no board has a profile 'life'; did you mean 'live'? known: live"


def test_why_names_the_changes_that_make_calls_necessary(built: Repository) -> None:
    nothing = nullbench(built.root, "plan", "--why")
    assert (nothing.code, nothing.err, nothing.out) == (0, "", nullbench(built.root, "plan").out)
    domain = next((built.specs / "domains").glob("*.yaml"))
    item = yaml.safe_load(domain.read_text("utf-8"))["categories"][0]["items"][0]["id"]
    text = domain.read_text("utf-8")
    first_task = text.index("task: ", text.index(f"id: {item}\n")) + len("task: ")
    domain.write_text(f"{text[:first_task]}Please {text[first_task:]}", "utf-8")
    rows = {row["id"]: row for row in json.loads(nullbench(built.root, "plan", "--why", "--json").out)["calls"]}
    assert {row["to_make"] for row in rows.values()} != {0}
    for row in rows.values():
        assert row["why"] == ({f"item {item} changed": row["to_make"]} if row["to_make"] else {})
    table = nullbench(built.root, "plan", "--why").out
    assert f"item {item} changed (" in table
    fresh = json.loads(nullbench(built.root, "plan", "--why", "--fresh", "--json").out)["all"]
    assert set(fresh["why"]) == {f"item {item} changed", "nothing is reused"}
    assert sum(fresh["why"].values()) == fresh["to_make"]


def test_why_of_a_first_plan_is_that_there_is_no_run(live: Repository) -> None:
    row = json.loads(nullbench(live.root, "plan", "--profile", "live", "--why", "--json").out)["all"]
    assert row["why"] == {"there is no sealed run yet": row["to_make"]}


def test_a_plan_of_fewer_items_detects_less(built: Repository) -> None:
    """The errors of the last run are scaled to the planned items; with all items they are the recorded ones."""
    (path,) = built.runs.glob("*/results/main/results.json")
    recorded = json.loads(path.read_text("utf-8"))["detectable"]["median"]

    def detects(*arguments: str) -> float:
        found: float = json.loads(nullbench(built.root, "plan", "--json", *arguments).out)["detectable"]["main"]
        return found

    assert detects("--limit", str(ITEMS)) == pytest.approx(recorded)
    assert detects("--limit", str(ITEMS - 1)) > recorded


def test_a_plan_says_what_it_takes_to_detect_a_difference(built: Repository) -> None:
    (path,) = built.runs.glob("*/results/main/results.json")
    recorded = json.loads(path.read_text("utf-8"))["detectable"]["median"]
    (row,) = json.loads(nullbench(built.root, "plan", "--detect", "3", "--json").out)["detect"]
    assert (row["board"], row["planned"], row["now"]) == ("main", ITEMS, pytest.approx(recorded))
    assert row["more_calls"] == -(-CALLS * row["more_items"] // ITEMS)
    shown = nullbench(built.root, "plan", "--detect", "3").out.splitlines()
    line = next(line for line in shown if line.split()[:1] == ["main"])
    assert f"{row['more_items']:,}" in line
    assert f"{row['more_calls']:,}" in line


def test_before_a_first_run_a_plan_detects_what_is_assumed(live: Repository) -> None:
    done = nullbench(live.root, "plan", "--detect", "10")
    assert f"{DETECTABLE}not measured before a first run" in done.out.splitlines()
    assert "no earlier run; --assume sd=40 states" in done.out
    told = json.loads(nullbench(live.root, "plan", "--detect", "10", "--assume", "sd=40", "--json").out)
    (row,) = told["detect"]
    assert row["assumed"]
    assert told["assumed"] == [row["board"]]
    half = json.loads(nullbench(live.root, "plan", "--detect", "10", "--assume", "sd=20", "--json").out)["detect"][0]
    assert half["now"] == pytest.approx(row["now"] / 2)
    assert row["more_items"] / 5 < half["more_items"] < row["more_items"] / 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--detect", "0"), "--detect takes a difference above 0 and up to 100 points, not 0"),
        (("--detect", "-2"), "--detect takes a difference above 0 and up to 100 points, not -2"),
        (("--detect", "101"), "--detect takes a difference above 0 and up to 100 points, not 101"),
        (("--detect", "nan"), "--detect takes a difference above 0 and up to 100 points, not nan"),
        (("--assume", "40"), "--assume 40: there is no '40'; give sd=VALUE or icc=VALUE"),
        (("--assume", "sd=much"), "--assume sd=much: sd is a number above 0 and up to 100"),
        (("--assume", "sd=0"), "--assume sd=0: sd is a number above 0 and up to 100"),
        (("--assume", "icc=0.2"), "--assume icc=VALUE needs sd=VALUE as well"),
        (("--assume", "sd=4", "--assume", "sd=5"), "--assume gives sd twice"),
    ],
)
def test_a_difference_or_assumption_that_cannot_be_is_refused(
    built: Repository, arguments: tuple[str, ...], message: str
) -> None:
    done = nullbench(built.root, "plan", *arguments)
    assert (done.code, done.message) == (2, f"Error: {message}")
