"""Candidate judges, ranked by how they agree with labels."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.boards import MANIFEST

from nullbench_site.errors import UsageError
from nullbench_site.interop import screening_judges
from nullbench_site.interop.screening_judges import ranked, table
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.scoring.label_tables import JudgeLabelRow


def row(
    judge: str | None, sensitivity: float | None, low: float | None, n_items: int = 120, **more: Any
) -> JudgeLabelRow:
    figures: dict[str, Any] = {"answers": "contestants", "n_right": 60, "n_wrong": 60, "absent": {}} | {
        f"{name}{end}": None
        for name in ("sensitivity", "specificity", "label_correlation")
        for end in ("", "_low", "_high")
    }
    figures |= {
        "sensitivity": sensitivity,
        "specificity": 0.6,
        "label_correlation": 0.5,
        "label_correlation_low": low,
        "label_correlation_high": None if low is None else 0.9,
    }
    return JudgeLabelRow(judge=judge, n_labels=n_items, n_items=n_items, **(figures | more))


def test_judges_are_ranked_by_the_lower_end_and_those_at_chance_come_last() -> None:
    rows = [
        row("weak", 0.8, 0.1),
        row("chance", 0.4, 0.45),
        row(None, 0.9, 0.8),
        row("strong", 0.9, 0.4),
        row("few", 0.9, 0.3, n_items=20),
        row("unsure", 0.9, -0.1),
        row("nulls", 0.9, 0.9, answers="null models"),
        row("unknown", None, None),
    ]
    found = ranked(rows)
    assert [each.agreement.judge for each in found] == ["strong", "few", "weak", "unsure", "chance", "unknown"]
    assert [each.rank for each in found] == [1, 2, 3, 4, 5, 6]
    assert {each.agreement.judge: each.note for each in found if each.note} == {
        "few": "labels of fewer than 100 items",
        "unsure": "its correlation may be 0",
        "chance": "at chance: accepts wrong answers as often as right ones",
        "unknown": "its correlation may be 0",
    }
    assert table(found)[1][2:] == ["120", "120", "0.90", "0.60", "0.50 (0.40 to 0.90)", ""]
    assert table(found)[-1][4] == "not measured"


def test_labels_of_null_models_alone_rank_no_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    results = SimpleNamespace(judge_labels=[row("nulls", 0.9, 0.9, answers="null models")])
    monkeypatch.setattr(screening_judges, "run_benchmark", lambda path: SimpleNamespace(boards={"main": None}))
    monkeypatch.setattr(screening_judges, "read_results", lambda path, board: results)
    with pytest.raises(UsageError, match="the labels of board 'main' are of null models only"):
        screening_judges.screened(CatalogEntry(Path("run"), MANIFEST), "main")
