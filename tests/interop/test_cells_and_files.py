"""How numbers are written in cells, and how files of tables are encoded: each form is read right, or named."""

from __future__ import annotations

import gzip
import json
from math import isnan, nan
from pathlib import Path

import pytest

from nullbench_site.errors import UsageError
from nullbench_site.interop.number_forms import NoNumberError, read_cell
from nullbench_site.interop.score_cells import content_of
from nullbench_site.interop.score_table import Chosen, read_table
from nullbench_site.scoring.ranked_table import ScoreTable


def read(tmp_path: Path, text: str | bytes, name: str = "t.csv") -> ScoreTable:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_table(str(path), Chosen())


# Cells


@pytest.mark.parametrize(
    ("cell", "value", "behind"),
    [
        ("71,2 ± 0,4", 71.2, 0.4),
        ("0.71±0.02", 0.71, 0.02),
        ("80 ± 0,5", 80, 0.5),
        ("71.2 +/- 1", 71.2, 1),
        ("85.3 (±0.4)", 85.3, 0.4),
        (r"64.1 $\pm$ 0.3", 64.1, 0.3),
        ("82.0 (7/8)", 82.0, (7, 8)),
        ("7/8", 0.875, (7, 8)),
        ("3 / 12", 0.25, (3, 12)),
        ("79.4 %", 79.4, None),
        ("1 234,5", 1234.5, None),
        ("1\u202f234.5", 1234.5, None),
        ("1.234,5", 1234.5, None),
        ("1,234.5", 1234.5, None),
        ("1,234,567", 1234567, None),
        ("1'234", 1234, None),
        ("12,5", 12.5, None),
        ("0,123", 0.123, None),
        ("45.2 (+1.3/-1.2)", 45.2, None),
        ("71.2 [69.8, 72.6]", 71.2, None),
        ("71.2 (69.8-72.6)", 71.2, None),
        ("**71.2**", 71.2, None),
        ("`71.2`", 71.2, None),
        ("\u22123.5", -3.5, None),
        (".5", 0.5, None),
        ("1e-3", 0.001, None),
        (7, 7, None),
        (True, 1, None),
    ],
)
def test_a_number_in_a_cell_is_read_as_it_is_written(cell: object, value: float, behind: object) -> None:
    found = read_cell(cell)
    assert found.value == value
    if isinstance(behind, tuple):
        assert (found.correct, found.of) == behind
    elif behind is not None:
        assert found.margin == behind
    else:
        assert isnan(found.margin)
        assert isnan(found.of)


@pytest.mark.parametrize("cell", [None, "", "NaN", "n/a", "-", "\u2013", "\u2014", "--", "#N/A", nan])
def test_a_cell_without_a_score_is_missing(cell: object) -> None:
    assert isnan(read_cell(cell).value)


@pytest.mark.parametrize(
    "cell",
    ["1,234", "71.2*", "~71", "<1", "3-4", "85-90", "71.2 (2nd)", "71.2 / 80.1", "9/8", "71.2->73", "1 23", "1_000",
     "seventy", "0x1F", "71.2 points", "½", "1.2.3", "1,2,3", "12,34.5", "12:30", " " * 200_000 + "1x"],
)  # fmt: skip
def test_a_cell_that_is_no_number_is_never_half_read(cell: str) -> None:
    with pytest.raises(NoNumberError, match=r"the score '.*(correct it|write a decimal point)"):
        read_cell(cell)


@pytest.mark.parametrize(
    ("cells", "content"),
    [
        (["71", "80.2", ""], "number"),
        (["71 ± 1", "80 ± 2"], "number"),
        (["71*", "80*", "66*"], "number"),
        (["71.2->73", "66.1->70"], "number"),
        (["71/80", "66/70"], "number"),
        (["71", "good", "bad"], "number"),
        (["71%", "80 %"], "percent"),
        (["True", "false"], "truth"),
        (["2026-01-02", "2025-11-30"], "date"),
        (["03/04/2026", "11/12/2025"], "date"),
        (["12 May 2026", "3 June 2025"], "date"),
        (["7B", "70B"], "quantity"),
        (["$0.30", "$12"], "quantity"),
        (["0.5s", "1.2 s"], "quantity"),
        (["5-shot", "0-shot"], "text"),
        (["863c7a1f", "0a4d2e11"], "text"),
        (["apache-2.0", "mit", "2"], "number"),
        (["apache-2.0", "mit", "gpl", "2"], "text"),
        (["", None, "-"], "empty"),
    ],
)
def test_the_content_of_a_column_is_seen_in_its_cells(cells: list[object], content: str) -> None:
    assert content_of(cells) == content


@pytest.mark.parametrize(
    ("rows", "values"),
    [
        ('a,"71,2","80,5"\nb,"66,1",79', [[71.2, 80.5], [66.1, 79]]),
        ('a,"71,2 ± 0,4",80\nb,"66,1 ± 0,3",79', [[71.2, 80], [66.1, 79]]),
        ("a,82.0 (7/8),80\nb,75.0 (6/8),79", [[82, 80], [75, 79]]),
        ("a,79.4 %,80%\nb,70 %,79.5%", [[79.4, 80], [70, 79.5]]),
        ("a,45.2 (+1.3/-1.2),44\nb,40.1 (+1.1/-1.0),39", [[45.2, 44], [40.1, 39]]),
        ("a,7/8,3/8\nb,6/8,1/8", [[0.875, 0.375], [0.75, 0.125]]),
        ("a,**81.2**,80.0\nb,79.9,**82.0**", [[81.2, 80], [79.9, 82]]),
    ],
)
def test_a_column_in_another_notation_is_read_whole(tmp_path: Path, rows: str, values: list[list[float]]) -> None:
    assert read(tmp_path, f"model,x,y\n{rows}\n").values.tolist() == values


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            'a,"71,2",80\nb,66.1,79\nc,"70,3",75',
            ":3: x: the score '66.1' has a point as its decimal mark, unlike others",
        ),
        ("a,71.2,80\nb,66.1†,79\nc,70.3,75", ":3: x: the score '66.1†' is not a number"),
        ('a,"1,234",80\nb,"1,310",79', ":2: x: the score '1,234' has a comma and may be 1234 or 1.234"),
        ("a,71.2 ± 0.4,80\nb,66.1 ± ?,79", ":3: x: the score '66.1 ± ?' is not a number"),
        ("a,79%,80\nb,70,79", ": some scores have a percent sign and others do not"),
        ("a,79.1,80\nb,pending,79", ":3: x: the score 'pending' is not a number"),
    ],
)
def test_the_first_cell_that_cannot_be_read_is_an_error_with_its_line(tmp_path: Path, rows: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(tmp_path, f"model,x,y\n{rows}\n")
    assert message in str(caught.value)


def test_numbers_behind_scores_are_kept_and_said_to_have_no_effect(tmp_path: Path) -> None:
    table = read(tmp_path, "model,item,score\na,p,71.2 ± 0.4\na,q,60\nb,p,55 (11/20)\nb,q,50 (10/20)\n")
    assert table.cell_columns["plus_minus"][0, 0] == 0.4
    assert table.cell_columns["n_of"][1].tolist() == [20, 20]
    assert "Numbers after ± are kept as 'plus_minus'; ranks and intervals do not use them." in table.notes


# Files

PLAIN = "model,x,y\nrobin,1,0\ncrane,0,1\n"
OBJECTS = [{"model": "robin", "x": 1, "y": 0}, {"model": "crane", "x": 0, "y": 1}]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("utf16.csv", PLAIN.encode("utf-16")),
        ("utf16-le.csv", PLAIN.encode("utf-16-le")),
        ("utf16-be.csv", b"\xfe\xff" + PLAIN.encode("utf-16-be")),
        ("no-mark.tsv", PLAIN.replace(",", "\t").encode("utf-16-be")),
        ("utf32.csv", PLAIN.encode("utf-32")),
        ("utf16.json", json.dumps(OBJECTS).encode("utf-16")),
        ("old-mac.csv", PLAIN.replace("\n", "\r")),
        ("excel.csv", PLAIN.replace("\n", "\r\r\n")),
        ("sep.csv", "sep=;\r\n" + PLAIN.replace(",", ";").replace("\n", "\r\n")),
        ("sep-quoted.csv", '"sep=,"\n' + PLAIN),
        ("sep-odd.csv", "sep=~\n" + PLAIN.replace(",", "~")),
        ("mark-sep.csv", b"\xef\xbb\xbfsep=;\n" + PLAIN.replace(",", ";").encode()),
        ("bars.txt", PLAIN.replace(",", "|")),
        ("commas-after.csv", PLAIN.replace("\n", ",,\n")),
        ("table.md", "| model | x | y |\n|:--|--:|---|\n| **robin** | 1 | 0 |\n| [crane](https://a.b/c) | `0` | 1 |\n"),
        ("readme.md", "# Results\n\nmodel | x | y\n--- | --- | ---\nrobin | 1 | 0\ncrane | 0 | 1\n\nThe end.\n"),
        ("table", "| model | x | y |\n| --- | --- | --- |\n| robin | 1 | 0 |\n| crane | 0 | 1 |\n"),
        ("by-model.json", json.dumps({row["model"]: {"x": row["x"], "y": row["y"]} for row in OBJECTS})),
    ],
)
def test_a_table_in_another_form_is_the_same_table(tmp_path: Path, name: str, text: str | bytes) -> None:
    table = read(tmp_path, text, name)
    assert (table.models, table.items) == (("robin", "crane"), ("x", "y"))
    assert table.values.tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "t.csv",
            "version https://git-lfs.github.com/spec/v1\noid sha256:0a\nsize 9\n",
            "a pointer of Git LFS, not the table; run git lfs pull",
        ),
        ("t.csv", "/annex/objects/SHA256E-s9--0a.csv\n", "a pointer of git-annex, not the table; run git annex get"),
        ("t.csv", gzip.compress(PLAIN.encode(), mtime=0), "compressed with gzip; unpack it with gunzip"),
        ("t.xlsx", b"PK\x03\x04", "a workbook; save the sheet as CSV"),
        ("t.csv", b"\xd0\xcf\x11\xe0\xa1\xb1", "an old Excel workbook; save the sheet as CSV"),
        ("t.csv", b"SQLite format 3\x00\x10", "an SQLite database; export the table as CSV"),
        ("t.csv", b"\x80\x04\x95\x10\x00", "a pickle of Python, which would run code; save the table as CSV"),
        ("t.csv", b"model\x00\x01,x\n", "binary, not a table; save it as CSV"),
        ("t.csv", "<!DOCTYPE html>\n<html>", "HTML or XML, not a table; download the raw file"),
        ("t.csv", "\\begin{tabular}{lrr}\n", "LaTeX; save the table as CSV"),
        ("t.csv", "Model & MMLU & GSM8K \\\\\nrobin & 1 & 2 \\\\\n", "LaTeX; save the table as CSV"),
        ("t.yml", "- model: robin\n  x: 1\n", "YAML; convert it to JSON or CSV"),
        ("t.yaml", "results:\n  robin: 1\n", "YAML; convert it to JSON or CSV"),
        ("t.txt", "+-------+---+\n| model | x |\n", "a table drawn with lines; save it as CSV or Markdown"),
        ("t.csv", "<<<<<<< HEAD\nmodel,x\n", "a file with conflicts of a merge; resolve them"),
        ("t.csv", "404: Not Found\n", "the message of a server, not a table; download it again"),
        ("t.md", "# Title\n\nNo table.\n", "no Markdown table; it has a header and a line such as | --- | --- |"),
        (
            "t.md",
            "|a|b|\n|-|-|\n|1|2|\n\n|a|b|\n|-|-|\n|1|2|\n",
            "the file has 2 tables, at lines 1 and 5; keep one in a file",
        ),
        (
            "t.json",
            '{"results": [{"model": "a", "x": 1}]}',
            "the rows are in 'results' of an object; save that list alone",
        ),
        (
            "t.json",
            '[{"model": "a", "s": {"x": 1}}]',
            "column 's' has objects or lists of numbers; write a column for each",
        ),
        (
            "t.csv",
            "model x y\nrobin 1 0\n",
            "the header has one column; separate columns with commas, semicolons or tabs",
        ),
        ("t.csv", PLAIN.encode("utf-16")[:-1], "the file looks like UTF-16, but is damaged; save it as UTF-8"),
    ],
)
def test_a_file_that_is_no_table_is_named_with_the_way_on(
    tmp_path: Path, name: str, text: str | bytes, message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        read(tmp_path, text, name)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_long_cell_and_a_symlink_are_read(tmp_path: Path) -> None:
    text = f'model,item,score,prompt\nrobin,p,1,"{"long " * 28_000}"\ncrane,p,0,"a\nb"\n'
    assert read(tmp_path, text).values.tolist() == [[1], [0]]
    (tmp_path / "link.csv").symlink_to(tmp_path / "t.csv")
    assert read_table(str(tmp_path / "link.csv")).models == ("robin", "crane")


@pytest.mark.parametrize("form", ["csv", "json"])
def test_too_many_columns_are_one_message(tmp_path: Path, form: str) -> None:
    names = [f"i{n}" for n in range(200_000)]
    if form == "csv":
        text = f"model,{','.join(names)}\na{',1' * len(names)}\n"
    else:
        text = json.dumps([{"model": "a", **dict.fromkeys(names, 1)}])
    with pytest.raises(
        UsageError, match="columns, more than 20,000; write a row per score, with the columns model, item"
    ):
        read(tmp_path, text, f"t.{form}")
