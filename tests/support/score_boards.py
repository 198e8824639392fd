"""A small table of scores, as a person has it and as a board of the protocol `scores`."""

from __future__ import annotations

from pathlib import Path

from nullbench_site.interop.score_boards import BoardRequest, ScoresReport, import_table
from nullbench_site.interop.score_table import Chosen, read_table

N_ITEMS = 12
MODELS = {"Alpha": 0, "Beta": 2, "Gamma": 5, "Delta, the 4th": 9}
"""Title -> how much lower it scores than the first."""


def table_text(*, models: dict[str, int] | None = None, drop: tuple[str, int] = ("Gamma", 3), shift: int = 0) -> str:
    """Return a long table of scores of 0 to 100 with group, source, date and dollars. drop: a cell that is missing."""
    lines = ["model,item,score,topic,source,date,difficulty,cost_usd"]
    for model, lower in (models or MODELS).items():
        for number in range(N_ITEMS):
            if (model, number) != drop:
                score = (37 * number + 11 * lower) % 23 + 60 - 5 * lower + shift
                about = f"{'maths' if number % 2 else 'code'},s{number // 2},2026-0{1 + number % 9}-01"
                difficulty = ("easy", "medium", "hard")[number % 3]
                lines.append(f'"{model}",q{number},{score},{about},{difficulty},{0.01 * (1 + lower):.2f}')
    return "\n".join(lines) + "\n"


def write_table(path: Path, text: str | None = None) -> Path:
    path.write_text(table_text() if text is None else text, "utf-8")
    return path


def import_small(tmp_path: Path, into: Path, text: str | None = None, **about: object) -> ScoresReport:
    """Import the small table as the board `small`."""
    table = read_table(str(write_table(tmp_path / "table.csv", text)), Chosen(group="topic", cluster="source"))
    return import_table(table, BoardRequest(into=into, board="small", title="Small", **about))  # type: ignore[arg-type]


BOARD_TEXT = """canary: "nullbench-canary:11111111-1111-4111-8111-111111111111"
id: small
title: Small
question: Which model scores highest?
description: A table.
construct: capability
protocol: scores
scale: {low: 0, high: 100}
unit: points
"""
DOMAIN_TEXT = """canary: "nullbench-canary:11111111-1111-4111-8111-111111111112"
id: small
title: Small
description: Items.
protocol: scores
categories:
- id: small
  title: Small
  description: Items.
  items:
  - {id: q1, title: First}
  - {id: q2, title: Second, cluster: s1, date: "2026-01-01", difficulty: easy, tags: [a], link: "https://example.org"}
"""
