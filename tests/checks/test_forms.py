"""Checks of form: JSON, tables, lists."""

import pytest
from checks.examples import flags, run_check

from nullbench_site.checks.forms import Between, ConstraintCheck, JsonValid, TableFormat

ANSWER = JsonValid(
    keys={"answer": "string", "confidence": "number"}, ranges={"confidence": Between(low=0, high=1)}
)  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        '{"answer": "2017", "confidence": 0.9}',
        ' \n{"confidence": 1, "answer": "\\u05e9\\"}"}\n',
        '\ufeff{"answer": "", "confidence": 0}',
    ],
)
def test_the_json_asked_for_passes(text: str) -> None:
    assert flags(text, ANSWER) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('```json\n{"answer": "2017", "confidence": 0.9}\n```', ["in_code_block"]),
        ('Here: {"answer": "2017", "confidence": 0.9}', ["not_json"]),
        ('{"answer": "2017", "confidence": 0.9} That is it.', ["not_json"]),
        ('{"answer": "2017", "confidence": 0.9,}', ["not_json"]),
        ("{'answer': '2017', 'confidence': 0.9}", ["not_json"]),
        ('{"answer": "2017", "confidence": NaN}', ["not_json"]),
        ('{"answer": "\ud800", "confidence": 1}', ["not_json"]),
        ("[1, 2]", ["not_an_object"]),
        ('{"answer": "2017"}', ["missing_keys"]),
        ('{"answer": 2017, "confidence": "high"}', ["wrong_kind", "wrong_kind"]),
        ('{"answer": "2017", "confidence": true}', ["wrong_kind"]),
        ('{"answer": "2017", "confidence": 90}', ["out_of_range"]),
        ('{"answer": "2017", "confidence": 0.9, "year": 2017}', ["other_keys"]),
        ("[" * 600 + "]" * 600, ["not_an_object"]),
        ("[" * 601 + "]" * 601, ["too_deep"]),
        ('{"answer": ' * 10_000 + "1" + "}" * 10_000, ["too_deep"]),
        ("1" * 100_000, ["not_json"]),  # JSON, but no number that a program reads
    ],
)
def test_anything_else_fails(text: str, found: list[str]) -> None:
    assert flags(text, ANSWER) == found


def test_a_code_block_and_further_keys_may_be_allowed() -> None:
    params = JsonValid(code_block=True, keys={"a": "any"}, other_keys=True)
    assert flags('```json\n{"a": null, "b": 1}\n```', params) == []
    assert flags('Sure!\n```json\n{"a": null}\n```', params) == ["not_json"]
    assert flags("[]", JsonValid()) == []


TABLE = "| | typing | size |\n|---|:-:|---|\n| **Go** | static | 1 |\n| Python | dynamic | 2 |"
SHAPE = TableFormat(columns=3, rows=2, only_table=True, cells=("go", "python", "typing"))


@pytest.mark.parametrize(
    "text",
    [
        TABLE,
        TABLE.replace("static", "static \\| strong"),
        TABLE.replace("static", "`a|b`"),
        "a | typing | c\n--|--|--\nGo|2|3\nPython|5|6",
    ],
)
def test_the_table_asked_for_passes(text: str) -> None:
    assert flags(text, SHAPE) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Here is the table:\n\n" + TABLE, ["text_around"]),
        (TABLE + "\n\nGo is static.", ["text_around"]),
        (TABLE + "\n| C | static | 3 |", ["row_count"]),
        (TABLE.replace("| 1 |", "| 1 | extra |"), ["ragged"]),
        (f"```markdown\n{TABLE}\n```", ["in_code_block"]),
        (f"{TABLE}\n\n{TABLE}", ["more_tables"]),
        ("Go: static. Python: dynamic.", ["no_table"]),
        ("a | b | c without a rule below", ["no_table"]),
        (TABLE.replace("Python", "Ruby"), ["missing_cells"]),
    ],
)
def test_another_table_fails(text: str, found: list[str]) -> None:
    assert flags(text, SHAPE) == found


def test_rows_and_columns_may_be_exchanged_where_the_prompt_is_open() -> None:
    assert flags(TABLE, TableFormat(columns=3, rows=2)) == []
    turned = "| | Go | Python | C |\n|-|-|-|-|\n| typing | 1 | 2 | 3 |\n"
    assert flags(turned, TableFormat(columns=2, rows=3)) == ["column_count", "row_count"]
    assert flags(turned, TableFormat(columns=2, rows=3, either_way=True)) == []


FIVE = ConstraintCheck(items=3, max_words_per_item=6, one_sentence_per_item=True, only_list=True, excluded=("pandas",))
GOOD = "1. **Plotly** - It draws interactive charts.\n2. **Bokeh**: It serves browsers.\n3. Altair \u2014 It is brief."


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        GOOD.replace("\n", "\n\n"),
        "- One.\n- Two.\n- Three.",
        " - One.\n- Two.\n- Three.",
        "* One\n  - deeper\n* Two\n* Three",
        "1. **One**\nIt is short.\n2. **Two**\nIt is long.\n3. **Three**\nIt is.",
        "### 1. One\n### 2. Two\n### 3. Three",
        "One\nTwo\nThree",
    ],
)
def test_the_list_asked_for_passes(text: str) -> None:
    assert flags(text, FIVE) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Here are three:\n\n" + GOOD, ["text_around"]),
        (GOOD + "\n\nLet me know!", ["text_around"]),
        (GOOD + "\n4. Four", ["item_count"]),
        ("- One\n- Two", ["item_count"]),
        (GOOD.replace("brief", "brief and clear and small and good"), ["item_too_long"]),
        (GOOD.replace("It is brief.", "It is. So brief."), ["item_sentences"]),
        (GOOD.replace("Bokeh", "Pandas"), ["excluded_used"]),
        ("```\n- One\n- Two\n- Three\n```", ["item_count"]),
    ],
)
def test_a_list_made_otherwise_fails(text: str, found: list[str]) -> None:
    assert flags(text, FIVE) == found


def test_flags_show_patterns_as_people_read_them() -> None:
    params = ConstraintCheck(required=("price|cost|fee", "hand* .. over"), excluded=("free|gratis", "delv*"))
    said = [flag.sentence for flag in run_check("A free thing delves.", params).flags]
    assert said == [
        "tells what was excluded: free, delv",
        "does not tell, in words the check knows: price, hand \u2026 over",
    ]


def test_what_must_be_told_is_missed() -> None:
    assert flags(GOOD, ConstraintCheck(required=("bokeh", "seaborn"))) == ["required_missing"]
