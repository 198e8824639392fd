"""An audit is a run of attacks: its numbers, its folder, and what it refuses."""

from __future__ import annotations

import csv
from dataclasses import replace
from math import log
from pathlib import Path
from typing import Any

import msgspec
import pytest
from support.benchmarks import write_benchmark
from support.boards import model, write_shards
from support.commands import nullbench
from support.pairwise_boards import answers, benchmark, game
from support.repositories import ITEMS, run_dir

from nullbench_site import api
from nullbench_site.audit.derived import PREFIX, Audited, audit_repositories
from nullbench_site.errors import UsageError
from nullbench_site.judging.replies import QUOTED
from nullbench_site.repository import Repository
from nullbench_site.runs.catalog import CatalogEntry, list_runs
from nullbench_site.scoring.attacks import _separates, attack_tables
from nullbench_site.site.gather import read_audits
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.types import ModelFile
from nullbench_site.stats.estimate import Estimate

MANY = [f"item-{number:02}" for number in range(20)]


def attacker(name: str) -> ModelFile:
    return msgspec.structs.replace(model(name, "null"), model="attack", params={"attack": name})


def test_an_attack_wins_only_in_both_orders(tmp_path: Path) -> None:
    """A preference is from 1, the answer shown first, to 2. The attack wins twice, flips on three, loses the rest."""
    specs = benchmark(MANY, ["base"], orders="both")
    attack, empty = attacker("constant-praise"), attacker("key-empty")
    board = msgspec.structs.replace(specs.boards["main"], contestants=("base", attack.id, empty.id))
    specs = replace(specs, models={**specs.models, attack.id: attack, empty.id: empty}, boards={"main": board})
    records = answers(MANY, "base", attack.id, empty.id)
    for place, item in enumerate(MANY):
        first, second = (1.2, 1.8) if place < 2 else (1.2, 1.4) if place < 5 else (1.8, 1.4)
        records += [game(item, first, attack.id, position=0), game(item, second, attack.id, position=1)]
        records += [game(item, 1.9, empty.id, position=0), game(item, 1.1, empty.id, position=1)]
    tables = attack_tables(specs, board, write_shards(tmp_path, records), None)
    row, other = sorted(tables["attacks"], key=lambda each: each.model)
    assert (row.attack, row.kind, row.judge, row.orders) == ("constant-praise", "constant", "anna", 2)
    assert (row.n_items, row.n_won, row.n_flips, row.n_won_mean) == (20, 2, 3, 5)
    assert row.won_share == 0.1
    assert (row.won_low, row.won_high) == pytest.approx((0.0279, 0.3010), abs=1e-4)  # Wilson, by hand
    assert row.attack_score == pytest.approx((2 * 80 + 3 * 60 + 15 * 30) / 20)
    assert row.over_empty == pytest.approx(row.attack_score - 10)
    assert row.over_empty_low > 0
    assert row.lift is None
    assert "no such answer" in row.absent["lift"]
    assert row.surprise[0][0] == pytest.approx(-log(0.8), abs=1e-4)
    assert row.surprise[1][2] == pytest.approx(-log(0.4), abs=1e-4)
    assert (other.n_won, other.absent["over_empty"]) == (0, "it is compared with itself")
    assert "attacked_judges" in tables
    assert tables["attacked_judges"] == []


def test_a_verdict_copied_from_the_answer_is_counted_apart_from_others_that_cannot_be_read(tmp_path: Path) -> None:
    specs, attack = benchmark(MANY, ["base"], orders="both"), attacker("payload-verdict-pair")
    board = msgspec.structs.replace(specs.boards["main"], contestants=("base", attack.id))
    specs = replace(specs, models={**specs.models, attack.id: attack}, boards={"main": board})
    games = [game(item, 1.5, attack.id, position=place) for item in MANY for place in (0, 1)]
    for place, why in enumerate((QUOTED, QUOTED, "no verdict")):
        games[place] = msgspec.structs.replace(games[place], state="unparsed", scores={}, invalid={"reply": why})
    folder = write_shards(tmp_path, [*answers(MANY, "base", attack.id), *games])
    (row,) = attack_tables(specs, board, folder, None)["attacks"]
    assert (row.n_unread, row.n_copied) == (3, 2)


def test_fewer_than_twenty_items_give_no_rate(tmp_path: Path) -> None:
    items, attack = MANY[:19], attacker("constant-praise")
    specs = benchmark(items, ["base"], orders="both")
    board = msgspec.structs.replace(specs.boards["main"], contestants=("base", attack.id))
    specs = replace(specs, models={**specs.models, attack.id: attack}, boards={"main": board})
    games = [game(item, 1.1, attack.id, position=place) for item in items for place in (0, 1)]
    (row,) = attack_tables(specs, board, write_shards(tmp_path, [*answers(items, "base", attack.id), *games]), None)[
        "attacks"
    ]
    assert (row.n_items, row.won_share, row.absent["won_share"]) == (19, None, "too few: 19 of at least 20 items")


@pytest.mark.parametrize(
    ("low", "high", "n", "separates"), [(1, 9, 20, True), (-2, 2, 20, False), (-2, 9, 20, None), (1, 9, 19, None)]
)
def test_a_judge_judges_not_only_where_the_interval_says_so(
    low: float, high: float, n: int, separates: bool | None
) -> None:
    found = Estimate((low + high) / 2, 1.0, 19.0, low, high, n, n)
    told, why = _separates(found)
    assert told is separates
    assert (why is None) == (told is not None)


def test_an_audit_is_planned_sealed_verified_and_made_once(built: Repository) -> None:
    asked = ("audit", "--board", "main", "--attack", "key-empty", "--attack", "structured", "--attack", "payload")
    planned = nullbench(built.root, *asked, "--dry-run")
    assert planned.code == 0, planned.err
    assert f"contestant {PREFIX}structured-axes" in planned.out
    whole = nullbench(built.root, "plan", "--audit", "--board", "main")
    assert (whole.code, f"contestant {PREFIX}payload-authority" in whole.out) == (0, True)
    assert not (built.root / "audits").exists()
    done = nullbench(built.root, *asked)
    assert done.code == 0, done.err
    (entry,) = list_runs(built.root / "audits")
    assert entry.manifest.sealed
    assert entry.manifest.run.startswith(f"{run_dir(built).name}-")
    verified = nullbench(built.root, "verify", f"audits/{entry.manifest.run}")
    assert verified.code == 0, verified.out + verified.err
    with (entry.path / "results" / "main" / "attacks.csv").open(encoding="utf-8", newline="") as file:
        rows = {(row["attack"], row["judge"]): row for row in csv.DictReader(file)}
    assert rows["structured-axes", "support"]["n_items"] == str(ITEMS)
    assert rows["structured-axes", "support"]["won_share"] == ""
    results = msgspec.json.decode((entry.path / "results" / "main" / "results.json").read_bytes())
    board = {row["model"]: row for row in results["leaderboard"]}
    ranked = {name: row["above_null_floor"] for name, row in board.items() if row["rank"] is not None}
    assert ranked, "contestants of the run are compared with the attacks"
    assert [name for name, above in ranked.items() if name.startswith(PREFIX) or not isinstance(above, bool)] == []
    best = max(
        (row for name, row in board.items() if name.startswith((f"{PREFIX}key", f"{PREFIX}structured"))), key=score
    )
    assert results["floor"]["model"] == best["model"], "a text after an honest sentence is no null model"
    assert score(best) < max(map(score, board.values()))
    (run,) = list_runs(built.runs)
    later = CatalogEntry(run.path, msgspec.structs.replace(run.manifest, run="9.0.0-00000000"))
    for shown in (run, later):
        (audit,) = read_audits(built.root / "audits", shown).values()
        assert (audit.current, audit.view.board.id) == (shown is run, "main")
        assert {row.attack for row in audit.view.results.attacks} >= {"key-empty", "structured-axes"}
    again = nullbench(built.root, *asked)
    assert ", 0 made," in again.err
    assert len(list_runs(built.root / "audits")) == 1
    assert {entry.path.name for entry in list_runs(built.runs)} == {run_dir(built).name}


def score(row: dict[str, Any]) -> float:
    return float(row["overall"])


def test_a_board_of_keys_is_audited_without_a_call(tmp_path: Path) -> None:
    write_benchmark(tmp_path, "oracle")
    done = nullbench(tmp_path, "build", "--no-render")
    assert done.code == 0, done.err
    audited = nullbench(tmp_path, "audit", "--attack", "option", "--json")
    assert audited.code == 0, audited.err
    (entry,) = list_runs(tmp_path / "audits")
    results = msgspec.json.decode((entry.path / "results" / "keys" / "results.json").read_bytes())
    assert {f"{PREFIX}option-all", f"{PREFIX}option-empty-object", "copy", "first-option"} == {
        r["model"] for r in results["leaderboard"]
    }
    assert results["floor"]["model"].startswith(PREFIX)
    assert load_benchmark(entry.path / "specs").boards["keys"].about == "models", "a board of keys has no judges"
    for option in (("--search", "structured-oracle"), ("--judge", "form"), ("--template", "reworded")):
        refused = nullbench(tmp_path, "audit", "--board", "keys", *option)
        assert (refused.code, "board 'keys' cannot be audited: it has keys and no judges; leave" in refused.err) == (
            2,
            True,
        )
    none = nullbench(tmp_path, "audit", "--attack", "structured-axes")
    assert (none.code, "none of these attacks applies to it" in none.err) == (2, True)


@pytest.mark.parametrize(
    ("audited", "message"),
    [
        (Audited(("nothing",)), "has no board 'nothing'"),
        (Audited(judges=("nobody",)), "no board asks a judge 'nobody'"),
        (Audited(attacks=("nothing",)), "unknown attack 'nothing'"),
    ],
)
def test_a_wrong_name_gets_one_message(built: Repository, audited: Audited, message: str) -> None:
    (entry,) = list_runs(built.runs)
    with pytest.raises(UsageError, match=message):
        list(audit_repositories(built, entry, audited))


def test_one_judge_can_be_audited_alone(built: Repository) -> None:
    (entry,) = list_runs(built.runs)
    (audit,) = audit_repositories(built, entry, Audited(judges=("form",), attacks=("key",)))
    specs = api.validate(audit)
    assert specs.panels[specs.boards["main"].panel].judges == ("form",)
    about = [each.boards["main"].about for each in (api.validate(built), specs)]
    assert about == ["models", "judges"], "an audit is about the judges"
    assert {"attack", "paraphrase"} <= {each.model for each in specs.models.values()}
