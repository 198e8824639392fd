"""What holds of every text and every document, and not only of the examples."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
import yaml
from hypothesis import event, example, given
from hypothesis import strategies as st
from msgspec import inspect
from support.benchmarks import BOARD, LEDGER, OVERLAP, OWN, QUESTIONS, write_benchmark
from support.questioned_axes import QUESTIONS as OF_AXES
from support.score_boards import BOARD_TEXT, DOMAIN_TEXT

from nullbench_site.extensions import registered
from nullbench_site.packaged import packaged
from nullbench_site.specs.document import read_document
from nullbench_site.specs.protocol import default_protocol
from nullbench_site.specs.schema import FILE_TYPES
from nullbench_site.specs.validate import schema_problems, typed, validator


def _documents() -> Iterator[tuple[str, Any]]:
    """Schema name and data of a file of each kind."""
    files = {"ledger": LEDGER, "overlap": OVERLAP, "scores-board": BOARD_TEXT, "scores-domain": DOMAIN_TEXT}
    files["questions"], files["axis-questions"] = QUESTIONS, OF_AXES
    with TemporaryDirectory() as made:
        specs = write_benchmark(Path(made) / "axes", live=True)
        for name, path in (
            ("benchmark", "benchmark"), ("board", "boards/small"), ("domain", "domains/rivers"),
            ("goals", "goals/rivers"), ("axes", "axes"), ("judges", "judges"), ("model", "models/talker"),
            ("endpoints", "endpoints"),
        ):  # fmt: skip
            files[name] = (specs / f"{path}.yaml").read_text("utf-8")
        for protocol, domain in (("rubric", "storage"), ("oracle", "naming"), ("pairwise", "rain")):
            specs = write_benchmark(Path(made) / protocol, protocol, live=protocol != "oracle")
            files[f"{protocol}-board"] = (specs / f"boards/{BOARD[protocol]}.yaml").read_text("utf-8")
            files[f"{protocol}-domain"] = (specs / f"domains/{domain}.yaml").read_text("utf-8")
    for protocol in {*registered("protocols")} - {default_protocol()}:
        for kind in ("board", "domain"):
            if f"{protocol}-{kind}" not in files:
                files[f"{protocol}-{kind}"] = _of_protocol(protocol, kind)
    for name, text in files.items():
        document, problems = read_document(name, text.encode())
        assert problems == []
        yield name, document.data
        if name.endswith("domain"):
            data: Any = document.data
            item = data["categories"][0]["items"][1]
            yield name.replace("domain", "item"), item
            text_fields = FILE_TYPES[name.replace("domain", "text")].__struct_fields__
            text_of = {field: value for field, value in item.items() if field in text_fields}
            yield name.replace("domain", "text"), {**text_of, "salt": "0" * 32}


def _of_protocol(protocol: str, kind: str) -> str:
    """A board or a domain of a protocol, of the small benchmarks or of the shipped one."""
    paths = [
        path for folder in (OWN["axes"].parent, packaged("specs")) for path in sorted(folder.rglob(f"{kind}s/*.yaml"))
    ]
    return next(text for path in paths if f"\nprotocol: {protocol}\n" in (text := path.read_text("utf-8")))


DOCUMENTS = dict(_documents())

# Texts as JSON's escapes can write them for YAML too: no lone surrogates, no pairs of them, nothing that specs refuse.
letters = {"max_codepoint": 0xFFFF, "exclude_categories": ["Cs", "Cc"], "include_characters": "\t\n\r"}
texts = st.text(st.characters(**letters), max_size=20)
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 8), st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False), st.integers(-2, 7).map(float), texts,
    st.sampled_from(["", "a", "../x", "a\n", "a b", "all", "1.0.0", "alignment", "é.jsonl"]),
    st.sampled_from(["x" * 81, "x" * 501, "x" * 20_001]),
)  # fmt: skip
wordy = st.text(st.characters(**letters, exclude_characters="0123456789"))
undisputed = (
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | wordy
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=7) | st.dictionaries(texts, inner, max_size=3), max_leaves=6
)


def paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths(inner, (*path, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value[:3]):
            yield from paths(inner, (*path, place))


@st.composite
def mutations(draw: st.DrawFn) -> tuple[str, Any]:
    """Schema name and the data of a file of that kind, with one or two random changes."""
    name = draw(st.sampled_from(sorted(DOCUMENTS)))
    data = copy.deepcopy(DOCUMENTS[name])
    for _ in range(draw(st.integers(1, 2))):
        path = draw(st.sampled_from(list(paths(data))[1:] or [()]))
        if not path:
            return name, draw(values)
        holder = data
        for step in path[:-1]:
            holder = holder[step]
        change = draw(st.sampled_from(["drop", "replace", "replace", "add", "repeat", "empty"]))
        if change == "drop":
            del holder[path[-1]]
        elif change == "replace":
            holder[path[-1]] = draw(values)
        elif change == "empty":
            holder[path[-1]] = type(holder[path[-1]])() if holder[path[-1]] is not None else {}
        elif isinstance(holder, list):
            holder.append(copy.deepcopy(holder[path[-1]]) if change == "repeat" else draw(values))
        else:
            holder[draw(texts | st.sampled_from(["goal", "items_file", "params", "homepage"]))] = draw(values)
    return name, data


@given(mutations())
@example(("board", {**DOCUMENTS["board"], "samples": 1.0}))
@example(("board", {**DOCUMENTS["board"], "samples": True}))
@example(("board", {**DOCUMENTS["board"], "aggregation": {"construct_weights": {"safety": 1}}}))
@example(("board", {**DOCUMENTS["board"], "contestants": []}))
@example(("board", {**DOCUMENTS["board"], "title": "é" * 500}))
@example(("model", {**DOCUMENTS["model"], "id": "lead-2\n"}))
@example(("model", {**DOCUMENTS["model"], "params": {"k": [1]}}))
@example(("model", {**DOCUMENTS["model"], "prices": {**DOCUMENTS["model"]["prices"], "input": -0.5}}))
@example(("model", {**DOCUMENTS["model"], "decoding": {"temperature": None}}))
@example(("endpoints", {**DOCUMENTS["endpoints"], "endpoints": [{"id": "a", "headers": {"x-a": "b\nc"}}]}))
@example(("endpoints", {**DOCUMENTS["endpoints"], "endpoints": [{"id": "a", "headers": {"x a": "b"}}]}))
def test_msgspec_and_the_json_schema_agree_on_every_document(mutation: tuple[str, Any]) -> None:
    """msgspec decides; the schema is what editors check with, and what names each mistake.

    But for what a type refuses by a rule of its own, which no schema can say: a check that looks at nothing, or a
    regular expression that is none.
    """
    name, data = mutation
    try:
        msgspec.convert(data, FILE_TYPES[name])
        verdict = "accepted"
    except msgspec.ValidationError as refused:
        verdict = "refused by a rule of its own" if isinstance(refused.__cause__, ValueError) else "refused"
    event(f"{name}: {verdict}")
    if verdict != "refused by a rule of its own":
        assert validator(name).is_valid(data) == (verdict == "accepted")


@given(mutations())
def test_every_mistake_has_a_place_inside_the_file_and_words_of_ours(mutation: tuple[str, Any]) -> None:
    name, data = mutation
    text = json.dumps(data, indent=2)
    document, problems = read_document("f.yaml", text.encode())
    assert problems == []
    assert document.data == data
    spec, problems = typed(document, FILE_TYPES[name])
    assert (spec is None) == bool(problems)
    assert problems == (schema_problems(document, name) or problems[:1])
    lines = text.split("\n")
    for problem in problems:
        assert 1 <= problem.column <= len(lines[problem.line - 1])
        assert "\n" not in problem.message
        assert "is not valid under any of the given schemas" not in problem.message
        assert "does not match" not in problem.message
        assert len(problem.message) < 600


@given(mutations())
def test_a_spec_written_out_is_the_spec(mutation: tuple[str, Any]) -> None:
    name, data = mutation
    try:
        spec = msgspec.convert(data, FILE_TYPES[name])
    except msgspec.ValidationError:
        spec = msgspec.convert(DOCUMENTS[name], FILE_TYPES[name])
    assert msgspec.convert(msgspec.json.decode(msgspec.json.encode(spec)), type(spec)) == spec


def places_are_inside(text: str, problems: list[Any]) -> bool:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return all(
        1 <= problem.line <= len(lines) and 1 <= problem.column <= len(lines[problem.line - 1]) + 1
        for problem in problems
    )


@given(st.text("[]{}:,-?!&*#|>'\"%@` \n\r\tab01.~é😀<=\\_/", max_size=60))
@example("a:\n\tb")
@example("? \n: &a !!x *a")
@example("\r\r'")
@example("0\r0:")
@example("0:\r0")
def test_whatever_is_written_is_read_or_refused_at_a_place_inside_it(text: str) -> None:
    document, problems = read_document("f.yaml", text.encode())
    assert document is not None or problems
    assert places_are_inside(text, problems)
    if document is not None and not problems:
        assert json.loads(json.dumps(document.data)) == document.data


@given(st.binary(max_size=60))
def test_whatever_bytes_stand_in_a_file_are_read_or_refused(raw: bytes) -> None:
    document, problems = read_document("f.yaml", raw)
    assert document is not None or problems


@given(st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=15))
def test_json_is_read_as_what_it_says(value: Any) -> None:
    """So an editor's JSON, and each line of a .jsonl file, is what any other program takes it for."""
    for indent in (None, 1):
        document, problems = read_document("f.yaml", json.dumps(value, indent=indent).encode())
        assert problems == []
        assert document.data == value


@given(st.recursive(undisputed, lambda inner: st.lists(inner) | st.dictionaries(wordy, inner), max_leaves=15))
def test_what_pyyaml_writes_is_read_as_what_it_was(value: Any) -> None:
    """PyYAML quotes what YAML 1.1 would take for something else. Texts of digits are left out: 1e3 is none to 1.2."""
    text = yaml.safe_dump(value, allow_unicode=False)
    document, problems = read_document("f.yaml", text.encode())
    assert problems == []
    assert document.data == value


def test_a_file_of_every_kind_is_mutated() -> None:
    assert set(DOCUMENTS) == set(FILE_TYPES)


def bare(type_: Any) -> Any:
    """A type without what is only said of it."""
    return bare(type_.type) if isinstance(type_, inspect.Metadata) else type_


def types_within(type_: Any) -> Iterator[Any]:
    """A type and every one inside it, as `msgspec.inspect` has them; of a Struct the types of its fields."""
    seen, left = set(), [type_]
    while left:
        one = bare(left.pop())
        yield one
        if isinstance(one, inspect.StructType):
            if one.cls in seen:
                continue
            seen.add(one.cls)
        for name in ("fields", "item_types", "types"):
            left += [each.type if name == "fields" else each for each in getattr(one, name, ())]
        left += [getattr(one, name) for name in ("item_type", "key_type", "value_type") if hasattr(one, name)]


@pytest.mark.parametrize("name", sorted(FILE_TYPES))
def test_no_value_is_a_text_of_a_form_or_a_list(name: str) -> None:
    """msgspec 0.22 frees a union of a text with a pattern and a list wrongly: the process dies at its end, now and
    then."""
    for each in types_within(inspect.type_info(FILE_TYPES[name])):
        if isinstance(each, inspect.UnionType):
            types = [bare(one) for one in each.types]
            formed = [one for one in types if isinstance(one, inspect.StrType) and one.pattern]
            listed = [one for one in types if hasattr(one, "item_type") or hasattr(one, "item_types")]
            assert not (formed and listed), each
