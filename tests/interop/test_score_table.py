"""Tables of scores: columns are recognised, assumptions printed, and every problem has its place and its remedy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nullbench_site.interop.score_table import Chosen, read_table
from nullbench_site.scoring.ranked_table import ScoreTable

LONG = "model,item,score,topic,cost\na,x,1,t,2\na,y,0,u,3\nb,x,0,t,4\nb,y,1,u,5\n"
WIDE = "model,x,y\na,1,0\nb,0,1\n"
OBJECTS = [{"model": model, "x": x, "y": 1 - x} for model, x in (("a", 1), ("b", 0))]


def read(tmp_path: Path, text: str | bytes, name: str = "scores.csv", **chosen: object) -> ScoreTable:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_table(str(path), Chosen(**chosen))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("long.csv", LONG),
        ("wide.csv", WIDE),
        ("wide.tsv", WIDE.replace(",", "\t")),
        ("semicolons.csv", WIDE.replace(",", ";")),
        ("mark.csv", "\ufeff" + WIDE),
        ("blank.csv", "\n\n" + WIDE.replace("\n", "\r\n")),
        ("pandas.csv", ",x,y\na,1.0,0.0\nb,0.0,1.0\n"),
        ("truth.csv", WIDE.replace("1", "True").replace("0", "false")),
        ("list.json", json.dumps(OBJECTS, indent=1)),
        ("by-model.json", json.dumps({row["model"]: {"x": row["x"], "y": row["y"]} for row in OBJECTS})),
        ("lines.jsonl", "\n".join(json.dumps(row) for row in OBJECTS)),
        ("no-ending", json.dumps(OBJECTS)),
    ],
)
def test_every_format_and_shape_gives_the_same_table(tmp_path, name, text):
    table = read(tmp_path, text, name)
    assert (table.models, table.items) == (("a", "b"), ("x", "y"))
    assert table.values.tolist() == [[1, 0], [0, 1]]


def test_other_columns_belong_to_items_models_or_cells(tmp_path):
    table = read(tmp_path, "model,item,score,day,maker,cost\na,x,1,d,m,2\na,y,0,e,m,3\nb,x,0,d,n,4\nb,y,1,e,n,5\n")
    assert table.item_columns == {"day": ("d", "e")}
    assert table.model_columns == {"maker": ("m", "n")}
    assert {name: cells.tolist() for name, cells in table.cell_columns.items()} == {"cost": [[2, 3], [4, 5]]}
