"""The ledger, marks of contestants, and judges that come and go: what is refused, and what is only warned of."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from support.benchmarks import BACKENDS, edit, write_benchmark
from support.mistakes import Case, assert_refused, table

from nullbench_site.specs.digest import spec_digest
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.rules import lifecycle

LEDGER, JUDGES, LEAD = "ledger.yaml", "judges.yaml", "models/lead-2.yaml"
TWO_ENTRIES = """\
canary: "nullbench-canary:5a000000-0000-4000-8000-0000000000c1"
entries:
  - {date: "2026-10-01", kind: item, id: fish-09, what: withdrawn, reason: Its source was corrected., by: Ada}
  - {date: "2026-11-02", kind: contestant, id: lead-2, what: added, reason: A baseline., by: Ben}
"""
MARK = "kind: baseline\n"


def _specs(folder: Path) -> Path:
    specs = write_benchmark(folder)
    (specs / LEDGER).write_text(TWO_ENTRIES, "utf-8")
    return specs


@pytest.mark.parametrize("case", table(Path(__file__).parent / "bad/lifecycle.txt"), ids=lambda case: case.name)
def test_a_mistake_is_said_at_its_place(case: Case, tmp_path: Path) -> None:
    assert_refused(case, _specs(tmp_path), BACKENDS)


def test_a_ledger_and_words_on_marks_change_no_digest(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path)
    bare = load_benchmark(specs, backends=BACKENDS)
    assert bare.ledger == ()
    (specs / LEDGER).write_text(TWO_ENTRIES, "utf-8")
    edit(specs, LEAD, MARK, MARK + 'provisional: {since: "2026-11-01", reason: A preview.}\n')
    edit(specs, JUDGES, "model: form\n", 'model: form\n    retires: "2999-01-01"\n')
    told = load_benchmark(specs, backends=BACKENDS)
    assert [entry.id for entry in told.ledger] == ["fish-09", "lead-2"]
    assert told.models["lead-2"].status == "provisional"
    assert spec_digest(told) == spec_digest(bare)


def test_that_a_contestant_is_retired_is_in_the_digest_and_why_it_is_is_not(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path)
    active = spec_digest(load_benchmark(specs, backends=BACKENDS))
    edit(specs, LEAD, MARK, MARK + 'retired: {since: "2026-11-01", reason: Gone.}\n')
    retired = spec_digest(load_benchmark(specs, backends=BACKENDS))
    edit(specs, LEAD, "reason: Gone.", "reason: Switched off.")
    assert active != retired == spec_digest(load_benchmark(specs, backends=BACKENDS))


@pytest.mark.parametrize(
    "name",
    [
        "gpt-5.4-mini-2026-03-17", "claude-haiku-4-5-20251001", "gpt-4-0613", "mistral-large-2411",
        "gemini-1.5-pro-002", "nova-pro-v1:0", "qwen3@sha256:0123456789abcdef", "org/model@9f8e7d6c5b4a",
        "smollm2-135m-instruct@sha256-0123456789ab",
    ],
)  # fmt: skip
def test_a_judge_whose_model_names_its_version_is_not_warned_of(name: str, tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path, live=True)
    for judge in ("anna", "ben", "cleo"):
        edit(specs, JUDGES, f"model: {judge}-1", f'model: "{name}"')
    assert load_benchmark(specs, backends=BACKENDS, profile="live").warnings == ()


@pytest.mark.parametrize("name", ["gpt-5.4-mini", "claude-haiku-4-5", "gemini-flash-latest", "qwen3-235b", "gpt-2026"])
def test_a_judge_whose_model_is_an_alias_is_warned_of(name: str, tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path, live=True)
    for judge in ("ben", "cleo"):
        edit(specs, JUDGES, f"model: {judge}-1", "model: pinned-2026-03-17")
    edit(specs, JUDGES, "model: anna-1", f"model: {name}")
    assert load_benchmark(specs, backends=BACKENDS).warnings == (), "no board asks it but for a profile"
    (warning,) = load_benchmark(specs, backends=BACKENDS, profile="live").warnings
    assert str(warning) == (
        f"specs/judges.yaml:27:12: unversioned model name '{name}': it may later point to another model; use a name "
        f"with a date or a version"
    )


def test_a_judge_past_its_day_is_warned_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    specs = write_benchmark(tmp_path)
    edit(specs, JUDGES, "model: form\n", 'model: form\n    retires: "2026-11-20"\n')
    monkeypatch.setattr("nullbench_site.specs.rules.lifecycle.today", lambda: date(2026, 11, 20))
    assert load_benchmark(specs, backends=BACKENDS).warnings == ()
    monkeypatch.setattr("nullbench_site.specs.rules.lifecycle.today", lambda: date(2026, 11, 21))
    (warning,) = load_benchmark(specs, backends=BACKENDS).warnings
    assert str(warning) == (
        "specs/judges.yaml:21:14: judge 'form' retired on 2026-11-20 but is still on a panel; replace it with a "
        "successor that bridges from it"
    )
    assert load_benchmark(specs).warnings == ()  # of a run, which is what it is


def test_a_day_is_to_come_only_where_it_is_so_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifecycle, "today", lambda: date(2026, 11, 20))
    assert lifecycle.wrong_date("2026-11-21", "it", past=True) is None
    assert lifecycle.wrong_date("2026-11-22", "it", past=True) == "'2026-11-22' is in the future; write it"
    assert lifecycle.wrong_date("2999-01-01", "it", past=False) is None
