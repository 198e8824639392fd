"""What `diff` reports about the ledger."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from support.commands import nullbench
from support.repositories import copy_of, edit

from nullbench_site import api
from nullbench_site.repository import Repository
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
    """The base; `built` is the head, the same until a test changes it."""
    (built.specs / "ledger.yaml").write_text(LEDGER, "utf-8")
    return copy_of(built, tmp_path / "base")


def _diff(base: Repository, head: Repository) -> Diff:
    return api.diff(head, str(base.root))


def _gone(head: Repository) -> None:
    (head.specs / "models/paraphrase.yaml").unlink()


def _ledger(text: str) -> Callable[[Repository], object]:
    return lambda head: (head.specs / "ledger.yaml").write_text(text, "utf-8")


def _replaced(head: Repository, make: Callable[[Path], object]) -> None:
    ledger = head.specs / "ledger.yaml"
    ledger.unlink()
    make(ledger)


BROKEN = "specs/ledger.yaml differs from BASE at line {}; only add entries at the end"
MISSING = "HEAD has no specs/ledger.yaml; restore it, entries are never removed"
LINES = LEDGER.count("\n")
CASES: dict[str, tuple[Sequence[Callable[[Repository], object]], Sequence[str], Sequence[str]]] = {
    "an entry about the change": ((_gone, _ledger(LEDGER + GONE)), (), ()),
    "a change without an entry": ((_gone,), (), ("specs/ledger.yaml has no new entry about contestant paraphrase",)),
    "an entry about an unknown contestant": (
        (_ledger(LEDGER + GONE.replace("paraphrase", "paraphase")),),
        (),
        ("specs/ledger.yaml withdraws specs that no board of BASE has: contestant paraphase",),
    ),
    "an edited entry": ((_ledger(LEDGER.replace("what: added", "what: changed")),), (BROKEN.format(7),), ()),
    "no newline at the end": ((_ledger(LEDGER.removesuffix("\n")),), (BROKEN.format(LINES),), ()),
    "a removed entry": ((_ledger("\n".join(LEDGER.splitlines()[:3]) + "\n"),), (BROKEN.format(4),), ()),
    "a removed ledger": ((lambda head: (head.specs / "ledger.yaml").unlink(),), (MISSING,), ()),
    "a pipe": ((lambda head: _replaced(head, os.mkfifo),), (MISSING,), ()),
    "a link": ((lambda head: _replaced(head, lambda path: path.symlink_to(head.specs / "axes.yaml")),), (MISSING,), ()),
    "more text of an old entry": (
        (_ledger(f"{LEDGER}      of no worth at all.\n"),),
        ("lines added to specs/ledger.yaml change the entry above them; start a new entry",),
        (),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_entries_are_only_added_and_changes_need_one(base: Repository, built: Repository, case: str) -> None:
    changes, evidence, notices = CASES[case]
    for change in changes:
        change(built)
    diff = _diff(base, built)
    # A pipe or a link in specs/ is also an error of the specs, so nothing else is compared.
    assert (diff.evidence, diff.notices) == (tuple(evidence), tuple(notices))
    assert diff.problems == () or case in {"a pipe", "a link"}


def test_an_edit_is_reported_in_every_format(base: Repository, built: Repository) -> None:
    edit(built.specs / "ledger.yaml", "what: added", "what: changed")
    said, diff = BROKEN.format(7), _diff(base, built)
    assert first_line(diff).endswith("; 1 line below reports edits")
    assert f"`{said}`" in markdown(diff)
    assert said in text(diff)
    done = nullbench(built.root, "diff", str(base.root), "--format", "github")
    assert done.code == 2
    assert f"::error title=diff%3A evidence::{said}" in done.out.splitlines()


def test_without_a_ledger_there_is_no_notice(built: Repository, tmp_path: Path) -> None:
    base = copy_of(built, tmp_path / "base")
    _gone(built)
    diff = _diff(base, built)
    assert (diff.problems, diff.evidence, diff.notices) == ((), (), ())
