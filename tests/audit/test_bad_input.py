"""What an audit refuses, each with one message: where, what is wrong, what to do."""

from __future__ import annotations

import pytest
from support.benchmarks import edit
from support.commands import nullbench

from nullbench_site.repository import Repository
from nullbench_site.runs.catalog import list_runs

ASKED = ("audit", "--board", "main", "--attack", "key-empty")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--template", "zero-context"), "template 'zero-context' shows judges no answer; add '{{ question }}', or"),
        (("--template", "nothing"), "has no template 'nothing'; known: reworded, zero-context"),
        (("--template", "reworded"), "the judges of board 'main' are programs, which read no template; leave out"),
        (("--found", "nothing"), "there is no audit 'nothing'"),
        (("--items", "0"), "0 is not in the range x>=1"),
        (("--search", "structured-axes"), "board 'main' does not compare each answer with a baseline in both orders"),
    ],
)
def test_bad_options_get_one_message(built: Repository, options: tuple[str, ...], message: str) -> None:
    done = nullbench(built.root, *ASKED, *options)
    assert done.code == 2
    assert message in done.err
    assert done.err.count("Error: ") == 1
    assert not (built.root / "audits").exists()


def test_an_audit_with_a_changed_verdict_or_of_another_run_is_named_and_not_used(built: Repository) -> None:
    assert nullbench(built.root, *ASKED).code == 0
    (audit,) = list_runs(built.root / "audits")
    name, run = audit.path.name, audit.manifest.version
    edit(built.specs, "benchmark.yaml", 'version: "0.1.0"', 'version: "0.2.0"')
    assert nullbench(built.root, "build").code == 0
    other = nullbench(built.root, *ASKED, "--found", name)
    assert other.code == 2
    assert f"{name} is an audit of run {run}, not of 0.2.0-" in other.err

    shard = audit.path / "judgments" / "attack-key-empty.jsonl"
    shard.write_bytes(shard.read_bytes().replace(b'"quality":0', b'"quality":9', 1))
    for command in (("verify", f"audits/{name}"), ("render",)):
        done = nullbench(built.root, *command)
        assert done.code == 2
        assert "judgments/attack-key-empty.jsonl: the file was changed after the run was sealed" in done.err + done.out
