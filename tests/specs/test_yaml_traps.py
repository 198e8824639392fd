"""What YAML does behind one's back: each trap gives the value that stands there, or a message at the right place."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from support.benchmarks import BACKENDS, write_benchmark

from nullbench_site.errors import SpecError
from nullbench_site.specs.document import MAX_BYTES, Data, Document, read_document
from nullbench_site.specs.load import load_benchmark

TAGS = "tags (!...) are not allowed; remove the tag"
TAB = "a tab; indent YAML with spaces"
EMPTY = "the file is empty; expected a mapping of keys"
TOO_DEEP = "values are nested more than 40 deep"
SELF = "an alias that contains itself; write the value out"
TOO_MANY = "more than 500,000 values, with aliases expanded; split the file, or use no aliases"
MERGE = "merge keys (<<) are not supported; write the keys out"
NO_KEY = "a key must be plain text, not a list or a mapping; put a text with braces in quotes"


def read(raw: str | bytes) -> Document:
    document, problems = read_document("f.yaml", raw.encode() if isinstance(raw, str) else raw)
    assert problems == []
    assert document is not None
    return document


def said(raw: str | bytes) -> list[str]:
    """Every problem, without the file's name."""
    _, problems = read_document("f.yaml", raw.encode() if isinstance(raw, str) else raw)
    return [str(problem).removeprefix("f.yaml:") for problem in dict.fromkeys(problems)]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        # Words that YAML 1.1 takes for booleans
        ("no", "no"), ("No", "No"), ("NO", "NO"), ("yes", "yes"), ("on", "on"), ("off", "off"), ("y", "y"), ("n", "n"),
        ("true", True), ("True", True), ("TRUE", True), ("false", False), ("tRue", "tRue"), ("'true'", "true"),
        # Nothing
        ("", None), ("~", None), ("null", None), ("Null", None), ("NULL", None), ("nULL", "nULL"), ("None", "None"),
        ("'~'", "~"), ('"null"', "null"), ("''", ""),
        # Numbers, and what only looks like one
        ("0", 0), ("-0", 0), ("+5", 5), ("-12", -12), ("9007199254740992", 2**53),
        ("1.10", 1.1), ("'1.10'", "1.10"), ("1.10.0", "1.10.0"), ("1.", 1.0), (".5", 0.5), ("-1.5", -1.5),
        ("00.5", 0.5), ("1e3", 1000.0), ("1.e3", 1000.0), ("2.5E-3", 0.0025), ("1e", "1e"), ("e5", "e5"), (".", "."),
        ("1,000", "1,000"), ("1 000", "1 000"), ("--1", "--1"), ("+", "+"), ("10%", "10%"),
        # Times and dates
        ("2024-01-02", "2024-01-02"), ("2024-01-02T03:04:05Z", "2024-01-02T03:04:05Z"), ("12:30:45", "12:30:45"),
        ("1:30", "1:30"),
        # Numbers of other bases, as text
        ("'012'", "012"), ('"0x1F"', "0x1F"), ("v012", "v012"), ("012a", "012a"), ("nan", "nan"), ("inf", "inf"),
        ("'.nan'", ".nan"), ("_1", "_1"), ("1_", "1_"),
        # Other scalars of YAML 1.1
        ("=", "="), ("<", "<"), ("'<<'", "<<"),
    ],
)  # fmt: skip
def test_a_plain_value_is_what_it_looks_like(written: str, value: Data) -> None:
    data = read(f"key: {written}\n").data
    assert data == {"key": value}
    assert type(data["key"]) is type(value)


@pytest.mark.parametrize(
    "written",
    [
        "012",
        "0o12",
        "0O17",
        "0x1F",
        "0b11",
        "1_000",
        "-1_000",
        "08",
        "00",
        "+01",
        ".nan",
        ".NaN",
        ".inf",
        "-.inf",
        "+.INF",
    ],
)
def test_a_number_that_programs_read_differently_is_refused(written: str) -> None:
    assert said(f"a: 1\nkey: {written}\n") == [
        f"2:6: {written!r} is ambiguous: programs read it as different values; write a plain decimal number, or put "
        f"it in quotes if it is text"
    ]


@pytest.mark.parametrize(
    "written", ["9007199254740993", "-9007199254740993", "9" * 5000, "1e400", "-1e999", "9" * 400 + ".5"]
)
def test_a_number_that_no_spec_needs_is_refused(written: str) -> None:
    [problem] = said(f"a: 1\nkey: {written}\n")
    assert problem.startswith("2:6: the number '")
    assert problem.endswith(" is too large; quote it if it is text")
    assert len(problem) < 150


def twice(place: str, key: str) -> str:
    return f"{place}: duplicate key {key!r}; keep one"


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("a: 1\nb: 2\na: 3\n", [twice("3:1", "a")]),
        ("x: {a: 1, a: 1}", [twice("1:11", "a")]),
        ("'a': 1\na: 1", [twice("2:1", "a")]),
        ("~: 1\n~: 2", [twice("2:1", "~")]),
        ("base: &base {a: 1}\nd:\n  <<: *base\n  b: 2\n", [f"3:3: {MERGE}"]),
        ("d: {<<: [{a: 1}, {b: 1}]}", [f"1:5: {MERGE}"]),
        ("? [a, b]\n: 1\n", [f"1:3: {NO_KEY}"]),
        ("{a: 1}: 2", [f"1:1: {NO_KEY}"]),
    ],
)
def test_keys_that_would_win_merge_or_vanish_silently_are_refused(text: str, problems: list[str]) -> None:
    assert said(text) == problems


def test_keys_are_text_whatever_they_look_like() -> None:
    assert read("1: a\ntrue: b\nno: c\n2024-01-02: d\n'<<': e\n").data == {
        "1": "a", "true": "b", "no": "c", "2024-01-02": "d", "<<": "e",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: !!python/object/apply:os.system ['echo pwned']", "1:4"),
        ("a: !!python/name:os.system ''", "1:4"),
        ("!!python/object:os._wrap_close {}", "1:1"),
        ("a: !foo 1", "1:4"),
        ("a: ! 1", "1:4"),
        ("a: !foo {b: 1}", "1:4"),
        ("a: !!str 1", "1:4"),
        ("a: &x !!str 1", "1:4"),
        ("a: &x\n  !!int '1'", "1:4"),
        ("a: !!set {b, c}", "1:4"),
        ("a: !!binary aGk=", "1:4"),
        ("a: !<tag:yaml.org,2002:int> '1'", "1:4"),
        ("a:\n- !foo\n  b: 1", "2:3"),
        ("b: 1\n!foo k: 1", "2:1"),
        ("%TAG ! tag:example.org,2026:\n---\na: !b 1", "3:4"),
    ],
)
def test_tags_are_refused(text: str, place: str) -> None:
    assert said(text) == [f"{place}: {TAGS}"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: 1\na2: &a [1, *a]\n", f"2:5: {SELF}"),
        ("&a\nx: {y: [*a]}\n", f"1:1: {SELF}"),
        ("a: *b\n", "1:4: undefined alias; an alias (*name) needs its anchor (&name) before it"),
        ("a: &x 1\nb: &x 2\n", "2:4: duplicate anchor; define each anchor (&name) once"),
    ],
)
def test_aliases_that_lead_nowhere_are_refused(text: str, problem: str) -> None:
    assert said(text) == [problem]


def test_an_alias_is_its_value_and_its_place_that_of_the_anchor() -> None:
    document = read("a: &x {k: 2}\nb: *x\n")
    assert document.data == {"a": {"k": 2}, "b": {"k": 2}}
    assert str(document.problem(["b", "k"], "here")) == "f.yaml:1:11: here"


def test_a_billion_laughs_are_refused_in_little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nullbench_site.specs.document.MAX_VALUES", 50_000)
    lines = ["a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"{c}: &{c} [{', '.join([f'*{b}'] * 9)}]" for b, c in zip("abcdefgh", "bcdefghi", strict=True)]
    tracemalloc.start()
    problems = said("\n".join(lines))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert problems == [f"1:1: {TOO_MANY.replace('500', '50')}"]
    assert peak < 10_000_000


def test_many_values_without_any_alias_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nullbench_site.specs.document.MAX_VALUES", 1_000)
    assert said("\n[" + ",".join("1" * 999) + "]") == []
    assert said("\n[" + ",".join("1" * 1_000) + "]") == [f"1:1: {TOO_MANY.replace('500', '1')}"]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[" * 10_000 + "]" * 10_000, "1:40"),
        ("[" * 1_000_000, "1:40"),
        ("- " * 100_000 + "1", "1:79"),
        ("{a: " * 300 + "1" + "}" * 300, "1:157"),
        ("\n".join(" " * depth + "a:" for depth in range(900)), "40:40"),
        ("a0: &a0 [1]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 200)), "1:5"),
    ],
    ids=["brackets", "open brackets", "dashes", "braces", "lines", "aliases"],
)
def test_values_nested_without_end_are_refused_before_any_stack_overflows(text: str, place: str) -> None:
    assert said(text) == [f"{place}: {TOO_DEEP}"]


def test_values_may_nest_as_deeply_as_specs_do() -> None:
    read("[" * 20 + "]" * 20)


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b"", f"1:1: {EMPTY}"),
        (b"\n\n  \n", f"1:1: {EMPTY}"),
        (b"# nothing\n# here\n", f"1:1: {EMPTY}"),
        (b"\xef\xbb\xbf", f"1:1: {EMPTY}"),
        (b"a: 1\n---\nb: 2\n", "2:1: a second document begins here ('---'); a spec file has only one"),
        (b"---\na: 1\n...\n---\nb: 2\n", "4:1: a second document begins here ('---'); a spec file has only one"),
        (b"%YAML 3.0\n---\na: 1", "1:1: unsupported version of YAML; remove the %YAML line"),
    ],
)
def test_a_file_holds_one_document(raw: bytes, problem: str) -> None:
    assert said(raw) == [problem]


@pytest.mark.parametrize("text", ["---\na: 1\n", "---\na: 1\n...\n", "%YAML 1.2\n---\na: 1\n", "{a: 1}"])
def test_marks_of_one_document_change_nothing(text: str) -> None:
    assert read(text).data == {"a": 1}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a:\n\tb: 1\n", "2:1"),
        ("\ta: 1\n", "1:1"),
        ("- a\n-\tb\n", "2:2"),
        ("a:\n  b: 1\n\tc: 2\n", "3:1"),
        ("a: 1\n\tb: 2\n", "2:1"),
        ("a:\n - x\n \t- y\n", "3:2"),
        ("é: ü\n\tb: 2\n", "2:1"),
    ],
)
def test_a_tab_for_indentation_is_refused_where_it_stands(text: str, place: str) -> None:
    assert said(text) == [f"{place}: {TAB}"]


def test_a_tab_inside_a_line_is_a_space_like_any_other() -> None:
    assert read("a:\t1\nb: x\ty\nc: 'x\ty'\n").data == {"a": 1, "b": "x\ty", "c": "x\ty"}


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        ("a: 1\n".encode("utf-16"), "1:1: byte 0xff is not UTF-8; save the file with the encoding UTF-8"),
        (
            "a: 1\n".encode("utf-16-le"),
            "1:2: invisible character U+0000; remove it, or save the file as UTF-8",
        ),
        ("a: 1\n".encode("utf-32"), "1:1: byte 0xff is not UTF-8; save the file with the encoding UTF-8"),
        ("title: Café\n".encode("latin-1"), "1:11: byte 0xe9 is not UTF-8; save the file with the encoding UTF-8"),
        ("a: ja\nb: é ".encode() + b"\x80", "2:6: byte 0x80 is not UTF-8; save the file with the encoding UTF-8"),
        (b"a: \xed\xa0\x80", "1:4: byte 0xed is not UTF-8; save the file with the encoding UTF-8"),
        (b"a: \xc3", "1:4: byte 0xc3 is not UTF-8; save the file with the encoding UTF-8"),
        (b"\xef\xbb\xbfa: \xff", "1:4: byte 0xff is not UTF-8; save the file with the encoding UTF-8"),
    ],
)
def test_another_encoding_is_named_at_its_first_byte(raw: bytes, problem: str) -> None:
    assert said(raw) == [problem]


@pytest.mark.parametrize(
    "character",
    ["\0", "\x07", "\x0b", "\x0c", "\x1b", "\x7f", "\x85", "\x9b", "\u2028", "\u2029", "\ufeff", "\ufffe", "\uffff"],
    ids=lambda character: f"U+{ord(character):04X}",
)
def test_an_invisible_character_is_refused_where_it_stands(character: str) -> None:
    assert said(f"a: 1\nb: é{character}y\n") == [
        f"2:5: invisible character U+{ord(character):04X}; remove it, or save the file as UTF-8"
    ]


def test_an_invisible_character_may_be_written_as_an_escape() -> None:
    assert read(r'a: "x\u2028y\ty"').data == {"a": "x\u2028y\ty"}


def test_a_byte_order_mark_is_no_part_of_the_first_key() -> None:
    document = read(b"\xef\xbb\xbfkey: 1\n")
    assert document.data == {"key": 1}
    assert str(document.problem(["key"], "here")) == "f.yaml:1:6: here"


def test_columns_count_characters_and_not_bytes() -> None:
    document = read("a: {é😀: 'ü', k: 2}\nb: {日本: x}\n")
    assert str(document.problem(["a", "k"], "here")) == "f.yaml:1:17: here"
    assert str(document.problem(["a", "k"], "here", at_key=True)) == "f.yaml:1:14: here"
    assert str(document.problem(["b", "日本"], "here")) == "f.yaml:2:9: here"


def test_lines_end_as_they_do_on_windows() -> None:
    document = read("# c\r\na: 1\r\nb: |\r\n  x\r\n  y\r\nc: é # d\r\nd: [\r\n 1]\r\n")
    assert document.data == {"a": 1, "b": "x\ny\n", "c": "é", "d": [1]}
    assert str(document.problem(["c"], "here")) == "f.yaml:6:4: here"
    assert str(document.problem(["d", 0], "here")) == "f.yaml:8:2: here"
    assert said(b"a: 1\r\n\r\nb: 012\r\n")[0].startswith("3:4: '012'")


def test_a_problem_stands_at_the_nearest_place_that_exists() -> None:
    document = read("# c\na:\n  - b: 1\n")
    assert str(document.problem([], "here")) == "f.yaml:2:1: here"
    assert str(document.problem(["a", 0, "zz", 4], "here")) == "f.yaml:3:5: here"
    assert str(document.problem(["a", 7], "here")) == "f.yaml:3:3: here"


DASH = "a '- ' is missing here; each entry of a list begins with one, and its further keys are indented alike"
NO_KEY = "expected 'key: value'; put a space after the colon, and indent the lines of a longer text"
ENDED = "unexpected text after the value of '{}'; quote the whole value, or indent it as a block"
CONFLICT = "unresolved merge conflict; keep one side, and delete the lines <<<<<<<, ======= and >>>>>>>"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: [1, 2\nb: 3\n", "2:2: expected ',' or ']' here; the '[' of line 1 is still open"),
        ("a: 1\nb: [", "2:5: expected a value"),
        ("a: {b: 1\n", "1:9: expected ',' or '}' here; the '{' of line 1 is still open"),
        ("a: 'x\nb: 3\n", "1:4: this quote is never closed"),
        ('a: 1\nb:\n  - "x\n\n', "3:5: this quote is never closed"),
        ("a: b: c\n", "1:5: quote the value of 'a': it contains a colon"),
        ("a: 1\n  b: 2\n", "2:3: 'b' is indented more than 'a' above it; indent keys alike"),
        ("a:1\nb: 2\n", "1:1: a space is missing after 'a:'"),
        ("a:\n  one\n  two: three\n", "3:6: quote this text, or write it as a block after '|-': it contains a colon"),
        ("a:\n  - b\n  c\n", f"3:3: {DASH}"),
        (
            "a:\n  - b: 1\n    c: 2\n    b: 3\n    c: 4\n",
            "4:5: a '- ' is missing here, or the key 'b' is there twice; each entry of a list begins with '- '",
        ),
        (
            "a:\n    b: 1\n  - b: 2\n",
            "3:3: this entry of a list does not fit those above it; each is indented alike "
            "and begins with '- ', also the first",
        ),
        ("é: @home\n", "1:4: a value cannot begin with '@'; put it in quotes"),
        ("a: `x`\n", "1:4: a value cannot begin with '`'; put it in quotes"),
        ("a: %x\n", "1:4: a value cannot begin with '%'; put it in quotes"),
        ("a: **bold**\n", "1:4: a value cannot begin with '*'; put it in quotes"),
        (r'a: "\q"', "1:5: unknown escape after \\; write two, or put the text in single quotes"),
        (r'a: "\ud83d\ude00"', "1:7: invalid Unicode escape; write the character itself"),
        ("a: 1\nb\nc: 2\n", f"2:1: {NO_KEY}"),
        ("a: 1\nb:2\nc: 3\n", "2:1: a space is missing after 'b:'"),
        ("a: 'it's'\nb: 2\n", f"1:8: {ENDED.format('a')}"),
        ("a: {{b}} c\nd: 2\n", f"1:10: {ENDED.format('a')}"),
        ("a:\n  b: 1\n c: 2\n", f"3:2: {ENDED.format('b')}"),
        ("a:\n  - b: 1\n   c: 2\n", f"3:4: {DASH}"),
        ("<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> b\n", f"1:1: {CONFLICT}"),
        ("a:\n  - 1\n<<<<<<< HEAD\n  - 2\n=======\n>>>>>>> b\n", f"3:1: {CONFLICT}"),
    ],
)
def test_a_slip_of_the_pen_is_named_where_it_is(text: str, problem: str) -> None:
    assert said(text) == [problem]


def test_a_file_of_ten_megabytes_is_refused_unread() -> None:
    assert said(b"a: [" + b"x, " * 3_495_253 + b"x]") == [
        "1:1: the file has more than 4 MB; split it, or keep the items in a .jsonl file, one a line"
    ]
    assert said(b"#" * (MAX_BYTES - 5) + b"\na: 1") == []


def test_a_long_number_with_a_letter_at_its_end_is_read_at_once() -> None:
    """Matched with backtracking over every pair of places it would take minutes."""
    written = "1" * 1_000_000 + "x"
    assert read(f"a: {written}").data == {"a": written}


@pytest.mark.parametrize(
    ("prefix", "rest"),  # apart, so that no scanner of repositories takes them for real ones
    [
        ("sk-", "abcdefghijklmnopqrstuvwxyz"), ("sk-proj-", "AbCd_1234-5678efghIJKL"),
        ("sk-ant-", "api03-abcdefghijklm"), ("sk_live_", "abcdefghijklmnop"), ("AKIA", "IOSFODNN7EXAMPLE"),
        ("AIza", "SyA-0123456789_abcdefghijklmnopq"), ("ghp_", "a1" * 18), ("github_pat_", "a1" * 20),
        ("glpat-", "abcdefghijklmnopqrst"), ("hf_", "aB" * 17),
        ("gsk_", "aB" * 20), ("xoxb-", "1234567890-abcdefghij"), ("nvapi-", "a1" * 20), ("xai-", "a1" * 20),
        ("pplx-", "a1" * 20),
    ],
)  # fmt: skip
def test_a_literal_that_looks_like_an_api_key_is_refused(prefix: str, rest: str) -> None:
    """In a value, in a comment, and in a file that is not even YAML."""
    key = prefix + rest
    message = (
        "this looks like an API key; specs are public. Put it in an environment variable and name the variable, and "
        "revoke the key if the file was ever pushed"
    )
    assert said(f"a: é\nkey: {key}\n") == [f"2:6: {message}"]
    assert said(f"a: 1 # {key}\n") == [f"1:8: {message}"]
    assert said(f"a: [ {key}\n")[0] == f"1:6: {message}"


@pytest.mark.parametrize(
    "text", ["risk-adjusted-returns-on-long-term-bonds", "sk-learn", "hf_hub", "OPENAI_API_KEY", "ghp_x"]
)
def test_words_that_only_begin_like_a_key_are_none(text: str) -> None:
    assert read(f"a: {text}").data == {"a": text}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("- a\n", "1:1: found a list; expected a mapping of keys"),
        ("# c\nhello\n", "2:1: found the text 'hello'; expected a mapping of keys"),
        ("--- 5", "1:5: found the number 5; expected a mapping of keys"),
        (
            "---\n",
            "2:1: found no value (empty, ~ or a bare null; quote it if it is text); expected a mapping of keys",
        ),
        (
            "a: 012\n",
            "1:4: '012' is ambiguous: programs read it as different values; write a plain decimal number, or put it "
            "in quotes if it is text",
        ),
        ("\tid: x", f"1:1: {TAB}"),
        ("", f"1:1: {EMPTY}"),
        ("[" * 100_000, f"1:40: {TOO_DEEP}"),
    ],
)
def test_a_trap_in_a_spec_file_stops_the_benchmark_with_its_place(tmp_path: Path, text: str, problem: str) -> None:
    specs = write_benchmark(tmp_path)
    (specs / "models/lead-2.yaml").write_text(text)
    with pytest.raises(SpecError) as refused:
        load_benchmark(specs, backends=BACKENDS)
    assert str(refused.value) == f"specs/models/lead-2.yaml:{problem}\n1 problem in the specs"
