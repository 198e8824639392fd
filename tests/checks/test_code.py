"""Code in responses, read and not run."""

import pytest
from checks.examples import flags

from nullbench_site.checks import Check
from nullbench_site.checks.runnable_code import CodeRunnable, UnparsableError, parse

SYNTAX = CodeRunnable()


def block(code: str, label: str = "python") -> str:
    return f"Here:\n\n```{label}\n{code}\n```\n"


def test_names_must_be_defined_and_others_not_called() -> None:
    params = CodeRunnable(defines=("merge",), forbidden_calls=("sorted", "sort"))
    assert flags(block("def merge(a): return a  # no sort()"), params) == []
    assert flags(block("class A:\n    async def merge(self): ..."), params) == []
    assert flags(block("merge = sorted"), params) == ["not_defined"]
    assert flags(block("def merge(a): a.sort()"), params) == ["forbidden_calls"]
    assert flags(block("def sort(a): return sorted(a)"), params) == ["not_defined", "forbidden_calls"]


HOSTILE = {
    "brackets": "(" * 5000,
    "closed brackets": "(" * 5000 + "1" + ")" * 5000,
    "dictionaries": "{0:" * 4000,
    "lambdas": "lambda:" * 8000 + "1",
    "signs": "-" * 50_000 + "1",
    "negations": "not " * 14_000 + "1",
    "sums": "1+" * 29_000 + "1",
    "attributes": "a" + ".a" * 29_000,
    "calls": "a" + "()" * 29_000,
    "conditions": "1 if 1 else " * 4900 + "1",
    "branches": "if 1:\n pass\n" + "elif 1:\n pass\n" * 3500,
    "assignments": "a=" * 29_000 + "1",
    "patterns": "match x:\n case " + "[" * 9000 + "]" * 9000 + ":pass",
    "f-strings": "f'{" * 4000,
    "indents": "".join(" " * at + "if 1:\n" for at in range(300)),
    "finally": "".join(
        " " * at + "try:\n" + " " * (at + 1) + "pass\n" + " " * at + "finally:\n" for at in range(60)
    )
    + " " * 60
    + "pass",
    "names": "a" * 50_000,
    "tuple": "a," * 29_000,
}  # fmt: skip


@pytest.mark.parametrize("code", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_code_is_read_or_refused(code: str) -> None:
    try:
        found = type(parse(code)).__name__
    except UnparsableError as error:
        found = error.flag
    assert found in ("Module", "syntax_error", "code_too_complex")


CASES: list[tuple[Check, str, list[str]]] = [
    # Python that parses passes.
    (SYNTAX, block("x = 1"), []),
    (SYNTAX, block("x = 1", "Python3"), []),
    (SYNTAX, block("x = 1", ""), []),
    (SYNTAX, block("def broken(", "text") + block("x = 1"), []),
    (SYNTAX, block("pip install x", "bash") + block("import x"), []),
    (SYNTAX, "~~~py\nx = '```'\n~~~", []),
    (SYNTAX, "- A list\n\n  ```python\n  if x:\n      y()\n  ```", []),
    (SYNTAX, block(">>> x = 1\n>>> x\n1\n>>> if x:\n...     y()"), []),
    (SYNTAX, block("    return x"), []),
    (SYNTAX, block("await x"), []),
    (SYNTAX, block("'\\d'"), []),
    (SYNTAX, "def f():\n    return 1", []),
    (SYNTAX, "```python\nx = 1", []),
    (SYNTAX, "````python\nx = '''\n```\n'''\n````", []),
    # Python that does not parse fails.
    (SYNTAX, "Use a loop.", ["no_code"]),
    (SYNTAX, "Use `x = 1`.", ["no_code"]),
    (SYNTAX, block("int x = 1;", "c"), ["no_code"]),
    (SYNTAX, block("def f(:"), ["syntax_error"]),
    (SYNTAX, block("x = 1") + block("print 'hello'"), ["syntax_error"]),
    (SYNTAX, block("x = \u201cquoted\u201d"), ["syntax_error"]),
    (SYNTAX, block("x = 1\0"), ["syntax_error"]),
    (SYNTAX, block("x = '\ud800'"), ["syntax_error"]),
    (SYNTAX, block("x = " + "1" * 5000), ["syntax_error"]),
    (SYNTAX, block("def f():\nreturn 1"), ["syntax_error"]),
    (SYNTAX, "```python\nprint('cut off", ["syntax_error"]),
    (SYNTAX, block("x = 1\n" * 20_000), ["code_too_long"]),
    (SYNTAX, block("x = f'''" + "{a}\n" * 6_000 + "'''"), ["code_too_complex"]),
]


@pytest.mark.parametrize(("check", "text", "expected"), CASES)
def test_the_flags_of_a_response(check: Check, text: str, expected: list[str]) -> None:
    assert flags(text, check) == expected
