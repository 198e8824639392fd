"""Checks of form: JSON, tables, lists."""

import pytest
from checks.examples import flags, run_check

from nullbench_site.checks import Check
from nullbench_site.checks.forms import Between, ConstraintCheck, JsonValid, TableFormat

ANSWER = JsonValid(
    keys={"answer": "string", "confidence": "number"}, ranges={"confidence": Between(low=0, high=1)}
)  # fmt: skip


def test_a_code_block_and_further_keys_may_be_allowed() -> None:
    params = JsonValid(code_block=True, keys={"a": "any"}, other_keys=True)
    assert flags('```json\n{"a": null, "b": 1}\n```', params) == []
    assert flags('Sure!\n```json\n{"a": null}\n```', params) == ["not_json"]
    assert flags("[]", JsonValid()) == []


TABLE = "| | typing | size |\n|---|:-:|---|\n| **Go** | static | 1 |\n| Python | dynamic | 2 |"
SHAPE = TableFormat(columns=3, rows=2, only_table=True, cells=("go", "python", "typing"))


def test_rows_and_columns_may_be_exchanged_where_the_prompt_is_open() -> None:
    assert flags(TABLE, TableFormat(columns=3, rows=2)) == []
    turned = "| | Go | Python | C |\n|-|-|-|-|\n| typing | 1 | 2 | 3 |\n"
    assert flags(turned, TableFormat(columns=2, rows=3)) == ["column_count", "row_count"]
    assert flags(turned, TableFormat(columns=2, rows=3, either_way=True)) == []


FIVE = ConstraintCheck(items=3, max_words_per_item=6, one_sentence_per_item=True, only_list=True, excluded=("pandas",))
GOOD = "1. **Plotly** - It draws interactive charts.\n2. **Bokeh**: It serves browsers.\n3. Altair \u2014 It is brief."


def test_flags_show_patterns_as_people_read_them() -> None:
    params = ConstraintCheck(required=("price|cost|fee", "hand* .. over"), excluded=("free|gratis", "delv*"))
    said = [flag.sentence for flag in run_check("A free thing delves.", params).flags]
    assert said == [
        "tells what was excluded: free, delv",
        "does not tell, in words the check knows: price, hand \u2026 over",
    ]


CASES: list[tuple[Check, str, list[str]]] = [
    # The JSON asked for passes.
    (ANSWER, '{"answer": "2017", "confidence": 0.9}', []),
    (ANSWER, ' \n{"confidence": 1, "answer": "\\u05e9\\"}"}\n', []),
    (ANSWER, '\ufeff{"answer": "", "confidence": 0}', []),
    # Anything else fails.
    (ANSWER, '```json\n{"answer": "2017", "confidence": 0.9}\n```', ["in_code_block"]),
    (ANSWER, 'Here: {"answer": "2017", "confidence": 0.9}', ["not_json"]),
    (ANSWER, '{"answer": "2017", "confidence": 0.9} That is it.', ["not_json"]),
    (ANSWER, '{"answer": "2017", "confidence": 0.9,}', ["not_json"]),
    (ANSWER, "{'answer': '2017', 'confidence': 0.9}", ["not_json"]),
    (ANSWER, '{"answer": "2017", "confidence": NaN}', ["not_json"]),
    (ANSWER, '{"answer": "\ud800", "confidence": 1}', ["not_json"]),
    (ANSWER, "[1, 2]", ["not_an_object"]),
    (ANSWER, '{"answer": "2017"}', ["missing_keys"]),
    (ANSWER, '{"answer": 2017, "confidence": "high"}', ["wrong_kind", "wrong_kind"]),
    (ANSWER, '{"answer": "2017", "confidence": true}', ["wrong_kind"]),
    (ANSWER, '{"answer": "2017", "confidence": 90}', ["out_of_range"]),
    (ANSWER, '{"answer": "2017", "confidence": 0.9, "year": 2017}', ["other_keys"]),
    (ANSWER, "[" * 600 + "]" * 600, ["not_an_object"]),
    (ANSWER, "[" * 601 + "]" * 601, ["too_deep"]),
    (ANSWER, '{"answer": ' * 10_000 + "1" + "}" * 10_000, ["too_deep"]),
    (ANSWER, "1" * 100_000, ["not_json"]),
    # The table asked for passes.
    (SHAPE, TABLE, []),
    (SHAPE, TABLE.replace("static", "static \\| strong"), []),
    (SHAPE, TABLE.replace("static", "`a|b`"), []),
    (SHAPE, "a | typing | c\n--|--|--\nGo|2|3\nPython|5|6", []),
    # Another table fails.
    (SHAPE, "Here is the table:\n\n" + TABLE, ["text_around"]),
    (SHAPE, TABLE + "\n\nGo is static.", ["text_around"]),
    (SHAPE, TABLE + "\n| C | static | 3 |", ["row_count"]),
    (SHAPE, TABLE.replace("| 1 |", "| 1 | extra |"), ["ragged"]),
    (SHAPE, f"```markdown\n{TABLE}\n```", ["in_code_block"]),
    (SHAPE, f"{TABLE}\n\n{TABLE}", ["more_tables"]),
    (SHAPE, "Go: static. Python: dynamic.", ["no_table"]),
    (SHAPE, "a | b | c without a rule below", ["no_table"]),
    (SHAPE, TABLE.replace("Python", "Ruby"), ["missing_cells"]),
    # The list asked for passes.
    (FIVE, GOOD, []),
    (FIVE, GOOD.replace("\n", "\n\n"), []),
    (FIVE, "- One.\n- Two.\n- Three.", []),
    (FIVE, " - One.\n- Two.\n- Three.", []),
    (FIVE, "* One\n  - deeper\n* Two\n* Three", []),
    (FIVE, "1. **One**\nIt is short.\n2. **Two**\nIt is long.\n3. **Three**\nIt is.", []),
    (FIVE, "### 1. One\n### 2. Two\n### 3. Three", []),
    (FIVE, "One\nTwo\nThree", []),
    # A list made otherwise fails.
    (FIVE, "Here are three:\n\n" + GOOD, ["text_around"]),
    (FIVE, GOOD + "\n\nLet me know!", ["text_around"]),
    (FIVE, GOOD + "\n4. Four", ["item_count"]),
    (FIVE, "- One\n- Two", ["item_count"]),
    (FIVE, GOOD.replace("brief", "brief and clear and small and good"), ["item_too_long"]),
    (FIVE, GOOD.replace("It is brief.", "It is. So brief."), ["item_sentences"]),
    (FIVE, GOOD.replace("Bokeh", "Pandas"), ["excluded_used"]),
    (FIVE, "```\n- One\n- Two\n- Three\n```", ["item_count"]),
    # What must be told is missed.
    (ConstraintCheck(required=("bokeh", "seaborn")), GOOD, ["required_missing"]),
]


@pytest.mark.parametrize(("check", "text", "expected"), CASES)
def test_the_flags_of_a_response(check: Check, text: str, expected: list[str]) -> None:
    assert flags(text, check) == expected
