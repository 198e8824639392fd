"""`cache explain` as its readers see it."""

from __future__ import annotations

import pytest
from support.commands import nullbench
from support.repositories import ITEMS, JUDGES, MODELS, build, edit, run_dir

from nullbench_site.api import Repository

ITEM = "clinical-evidence-01"


def test_an_item_is_a_table_of_its_calls(built: Repository) -> None:
    done = nullbench(built.root, "cache", "explain", ITEM)
    assert (done.code, done.err) == (0, "")
    heading, *rows, last = done.out.splitlines()
    calls = len(MODELS) * (1 + JUDGES)
    assert (heading, last) == ("Board main", f"{calls} calls: {calls} known, 0 not")
    assert len(rows) == calls
    run = run_dir(built).name
    for row in rows:
        left, _, right = row.partition(f"  known: run {run}, ")
        assert right
        assert len(left.split()[-1]) == 12


def test_the_key_of_the_table_is_a_key_that_is_explained(built: Repository) -> None:
    table = nullbench(built.root, "cache", "explain", ITEM, "--model", "lead-2", "--judge", "form").out
    key = table.splitlines()[1].split()[4]
    done = nullbench(built.root, "cache", "explain", key)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].startswith(f"Key {key}")
    assert f"run {run_dir(built).name}, judgments/lead-2.jsonl:" in lines[1]
    assert "scored 20" in lines[1]
    about = f"It is the call of judge form about contestant lead-2 on item {ITEM} of board main, sample 0: known: "
    assert lines[2].startswith(about)


def test_a_changed_parameter_is_named(built: Repository) -> None:
    edit(built.specs / "models" / "lead-2.yaml", "k: 2", "k: 1")
    done = nullbench(built.root, "cache", "explain", ITEM, "--model", "lead-2", "--board", "main")
    assert done.out.splitlines()[1].endswith("params: k 2 -> 1")
    assert done.out.splitlines()[-1] == f"{1 + JUDGES} calls: 0 known, {1 + JUDGES} not"


def test_texts_of_records_do_not_reach_the_terminal_raw(repository: Repository) -> None:
    build(repository, "lead-2")
    shard = run_dir(repository) / "responses" / "lead-2.jsonl"
    text = shard.read_text("utf-8")
    hostile = '"state":"errored","text":"","error":"\\u001b[2J\\u202egone\\nError: all is lost"'
    lines = [
        line[: line.index('"state"')] + hostile + line[line.index(',"started_at"') :] for line in text.splitlines()
    ]
    assert len(lines) == ITEMS
    shard.write_text("\n".join(lines) + "\n", "utf-8")
    key = next(line for line in lines if f'"{ITEM}"' in line)[8:72]
    for name in (ITEM, key):
        done = nullbench(repository.root, "cache", "explain", name, "--model", "lead-2")
        assert (done.code, done.err) == (0, "")
        assert "asks again" in done.out
        assert "Error: all is lost" in done.out
        assert all(line.isprintable() for line in done.out.splitlines())
        assert not any(line.startswith("Error") for line in done.out.splitlines())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["clinical-evidence-1"], "there is no item 'clinical-evidence-1' on these boards; did you mean 'clinical-"),
        (["no\x1b[2Jthing"], "there is no item 'no\\x1b[2Jthing' on these boards"),
        (["00000000"], "no run holds a call with the key 00000000, and these boards make none with it"),
        ([ITEM, "--judge", "from"], "no panel of these boards has a judge 'from'; did you mean 'form'"),
        ([ITEM, "--board", "mian"], "there is no board 'mian' in the specs; did you mean 'main'"),
        ([ITEM, "--profile", "life"], "no board has a profile 'life'; did you mean 'live'"),
    ],
)
def test_a_name_that_is_nothing_is_one_line_with_the_nearest_one(
    built: Repository, arguments: list[str], said: str
) -> None:
    done = nullbench(built.root, "cache", "explain", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.message.startswith(f"Error: {said}")


def test_explaining_makes_no_lock(built: Repository) -> None:
    (built.runs / ".lock").unlink(missing_ok=True)
    assert nullbench(built.root, "cache", "explain", ITEM).code == 0
    assert not (built.runs / ".lock").exists()
