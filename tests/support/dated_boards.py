"""A board of scores on items with dates, where one family saw the older items of one platform in training."""

from __future__ import annotations

from pathlib import Path

from nullbench_site.interop.score_boards import BoardRequest, import_table
from nullbench_site.interop.score_table import Chosen, read_table

DATE = "2023-09-01"
MODELS = """model,family,base,training_cutoff
Seen,seen,seen-7b,2023-08
Tuned,tuned,seen-7b-python,
Early,early,,2022
Late,late,,2024-01
Other,other,,
Gappy,gappy,,2022-06-30
"""
"""The second is derived from the first, and one lacks a score."""
_EXTRA = {"Seen": 40, "Tuned": 30}


def write_dated(folder: Path, *, date: str | None = DATE, dates: bool = True) -> Path:
    """Write the specs of the board `dated` with its tables, and return the root of its repository.

    It has 24 items of each platform, 12 of August and 12 of October 2023. date: that of the board.
    """
    lines = ["model,item,score,platform" + ",date" * dates]
    for place, model in enumerate(("Seen", "Tuned", "Early", "Late", "Other", "Gappy")):
        for number in range(48):
            platform, old = ("leet", "at")[number // 24], number % 24 < 12
            score = 45 + (7 * number + 5 * place) % 11 + (_EXTRA.get(model, 0) if old and platform == "leet" else 0)
            if (model, number) != ("Gappy", 3):
                day = f",2023-{'08' if old else '10'}-01" if dates else ""
                lines.append(f"{model},q{number},{score},{platform}{day}")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "table.csv").write_text("\n".join(lines) + "\n", "utf-8")
    (folder / "models.csv").write_text(MODELS, "utf-8")
    root = folder / "made"
    table = read_table(str(folder / "table.csv"), Chosen())
    request = BoardRequest(into=root, board="dated", title="Dated", category="platform", models=folder / "models.csv")
    import_table(table, request)
    if date is not None:
        board = root / "specs" / "boards" / "dated.yaml"
        board.write_text(f'{board.read_text("utf-8")}contamination_date: "{date}"\n', "utf-8")
    return root
