"""What `diff` says of the ledger: nothing that stood there may go, and what changes is to be told there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.commands import nullbench
from support.repositories import copy_of, edit

from nullbench_site import api
from nullbench_site.api import Repository
from nullbench_site.review.comparison import Diff
from nullbench_site.review.rendering import first_line, markdown, text

LEDGER = """\
canary: "nullbench-canary:5a000000-0000-4000-8000-0000000000c3"
entries:
  - {date: "2026-10-01", kind: item, id: fish-09, what: withdrawn, reason: Its source was corrected., by: Ada}
  - date: "2026-11-02"
    kind: contestant
    id: lead-2
    what: added
    by: Ben
    reason: A baseline
"""
GONE = (
    '  - {date: "2026-11-03", kind: contestant, id: paraphrase, what: withdrawn, reason: Too like another., by: Ada}\n'
)


@pytest.fixture
def base(built: Repository, tmp_path: Path) -> Repository:
    """The side that others are held against; `built` is the head, the same until a test changes it."""
    (built.specs / "ledger.yaml").write_text(LEDGER, "utf-8")
    return copy_of(built, tmp_path / "base")


def _diff(base: Repository, head: Repository) -> Diff:
    return api.diff(head, str(base.root))


def test_an_entry_at_the_end_that_tells_of_the_change_is_all_it_takes(base: Repository, built: Repository) -> None:
    (built.specs / "models/paraphrase.yaml").unlink()
    (built.specs / "ledger.yaml").write_text(LEDGER + GONE, "utf-8")
    diff = _diff(base, built)
    assert (diff.problems, diff.evidence, diff.notices) == ((), (), ())


def test_an_edit_of_an_old_entry_is_a_problem_at_its_line(base: Repository, built: Repository) -> None:
    edit(built.specs / "ledger.yaml", "what: added", "what: changed")
    said = "specs/ledger.yaml differs from BASE at line 7; only add entries at the end"
    diff = _diff(base, built)
    assert (diff.problems, diff.evidence) == ((), (said,))
    assert first_line(diff).endswith("; 1 line below reports edits")
    assert f"`{said}`" in markdown(diff)
    done = nullbench(built.root, "diff", str(base.root), "--format", "github")
    assert done.code == 2
    assert f"::error title=diff%3A evidence::{said}" in done.out.splitlines()
    assert text(diff).splitlines()[-1] == "No spec changes."


def test_another_end_of_the_last_line_is_a_problem_at_that_line(base: Repository, built: Repository) -> None:
    (built.specs / "ledger.yaml").write_text(LEDGER.removesuffix("\n"), "utf-8")
    (line,) = _diff(base, built).evidence
    assert line.startswith(f"specs/ledger.yaml differs from BASE at line {LEDGER.count(chr(10))};")


def test_a_pipe_or_a_link_in_its_place_is_not_read(base: Repository, built: Repository) -> None:
    ledger = built.specs / "ledger.yaml"
    gone = "HEAD has no specs/ledger.yaml; restore it, entries are never removed"
    ledger.unlink()
    os.mkfifo(ledger)
    assert _diff(base, built).evidence[0] == gone
    ledger.unlink()
    ledger.symlink_to(base.specs / "ledger.yaml")
    assert _diff(base, built).evidence[0] == gone


def test_an_entry_or_the_file_that_is_gone_is_a_problem(base: Repository, built: Repository) -> None:
    (built.specs / "ledger.yaml").write_text("\n".join(LEDGER.splitlines()[:3]) + "\n", "utf-8")
    (line,) = _diff(base, built).evidence
    assert line.startswith("specs/ledger.yaml differs from BASE at line 4;")
    (built.specs / "ledger.yaml").unlink()
    (line,) = _diff(base, built).evidence
    assert line == "HEAD has no specs/ledger.yaml; restore it, entries are never removed"


def test_a_line_that_goes_on_with_an_old_entry_is_an_edit_of_it(base: Repository, built: Repository) -> None:
    (built.specs / "ledger.yaml").write_text(f"{LEDGER}      of no worth at all.\n", "utf-8")
    assert api.validate(built).ledger[-1].reason == "A baseline of no worth at all."
    (line,) = _diff(base, built).evidence
    assert line == "lines added to specs/ledger.yaml change the entry above them; start a new entry"


def test_a_change_that_no_entry_tells_of_is_noticed(base: Repository, built: Repository) -> None:
    (built.specs / "models/paraphrase.yaml").unlink()
    diff = _diff(base, built)
    assert diff.notices == ("specs/ledger.yaml has no new entry about contestant paraphrase",)
    assert diff.notices[0] in text(diff)


def test_an_entry_of_what_was_never_there_is_noticed(base: Repository, built: Repository) -> None:
    (built.specs / "ledger.yaml").write_text(LEDGER + GONE.replace("paraphrase", "paraphase"), "utf-8")
    assert _diff(base, built).notices == (
        "specs/ledger.yaml withdraws specs that no board of BASE has: contestant paraphase",
    )


def test_without_a_ledger_nothing_is_said_of_it(built: Repository, tmp_path: Path) -> None:
    base = copy_of(built, tmp_path / "base")
    (built.specs / "models/paraphrase.yaml").unlink()
    diff = _diff(base, built)
    assert (diff.problems, diff.evidence, diff.notices) == ((), (), ())
