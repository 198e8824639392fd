"""JSON by a schema: what fits, what does not, what is no JSON; and schemas that are refused or attack."""

from __future__ import annotations

import socket
from typing import Any

import msgspec
import pytest
from answer_keys.examples import key, outcome

from nullbench_site.answer_keys import Key, mark

PERSON = key(
    "json-schema",
    schema={
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "name": {"type": "string", "pattern": "^[a-z]+$"},
            "age": {"type": "integer", "minimum": 0},
            "share": {"multipleOf": 0.1},
            "tags": {"type": "array", "uniqueItems": True},
        },
        "patternProperties": {"^x-": {"type": "string"}},
        "required": ["name"],
        "additionalProperties": False,
    },
)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("{}", "required"),
        ("[]", "type"),
        ('"ann"', "type"),
        ('{"name": "Ann"}', "properties/name/pattern"),
        ('{"name": "ann", "age": -1}', "properties/age/minimum"),
        ('{"name": "ann", "age": true}', "properties/age/type"),
        ('{"name": "ann", "share": 0.35}', "properties/share/multipleOf"),
        ('{"name": "ann", "tags": [1, 1.0]}', "properties/tags/uniqueItems"),
        ('{"name": "ann", "tags": [{"a": 1, "b": 2}, {"b": 2, "a": 1}]}', "properties/tags/uniqueItems"),
        ('{"name": "ann", "x-y": 1}', "patternProperties/^x-/type"),
        ('{"name": "ann", "evil": 1}', "additionalProperties"),
    ],
)
def test_json_that_does_not_fit_is_wrong_with_the_place_in_the_schema(text: str, place: str) -> None:
    marked = mark(text, PERSON)
    assert marked.outcome == "wrong"
    assert marked.why.endswith(f" at {place}")


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "objekt"}, "schema.type: 'objekt' is not one of"),
        ({"minimum": "1"}, "schema.minimum"),
        ({"propertees": {}}, "did you mean 'properties'?"),
        ({"format": "date"}, "the keyword 'format' is not evaluated here"),
        ({"unevaluatedProperties": False}, "the keyword 'unevaluatedProperties' is not evaluated here"),
        ({"items": {"$id": "http://localhost/x"}}, "schema.items: the keyword '$id' is not evaluated here"),
        ({"items": {"$schema": "http://json-schema.org/draft-07/schema#"}}, "'$schema' is not evaluated here"),
        ({"$schema": "http://json-schema.org/draft-07/schema#"}, "another draft"),
        ({"$ref": "http://localhost/x"}, "$ref 'http://localhost/x' is neither"),
        ({"$ref": "#/$defs/a"}, "with a name that exists"),
        ({"$ref": "#/properties/a", "properties": {"a": {}}}, "is neither '#'"),
        ({"$ref": "#"}, "refers to itself without end"),
        ({"allOf": [{"not": {"$ref": "#"}}]}, "refers to itself without end"),
        ({"$defs": {"a": {"if": {"$ref": "#/$defs/b"}}, "b": {"$ref": "#/$defs/a"}}}, "refers to itself without end"),
        ({"properties": {"a": {"pattern": "(a"}}}, "schema.properties.a: '(a' is not a regular expression"),
        ({"patternProperties": {"(?=a)": {}}}, "invalid perl operator: (?="),
        ({"properties": {1: {}}}, "the key 1, which is not text; quote it"),
        ({}, "length >= 1"),
    ],
)
def test_a_schema_that_is_none_or_refers_elsewhere_is_refused(schema: dict[str, Any], message: str) -> None:
    with pytest.raises(msgspec.ValidationError) as refused:
        key("json-schema", schema=schema)
    assert message in str(refused.value)


def test_a_schema_may_describe_a_tree_and_names_that_look_like_keywords() -> None:
    tree = key(
        "json-schema",
        schema={
            "$defs": {"node": {"type": "object", "properties": {"kids": {"items": {"$ref": "#/$defs/node"}}}}},
            "$ref": "#/$defs/node",
            "properties": {"$ref": {"type": "string"}, "format": {"enum": [{"$ref": "http://localhost/x"}, 1]}},
        },
    )
    assert outcome('{"kids": [{"kids": []}, {}], "$ref": "a", "format": 1}', tree) == "correct"
    assert outcome('{"kids": [{"kids": [1]}]}', tree) == "wrong"


def test_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert outcome('{"name": "ann", "$schema": "http://localhost/x"}', PERSON) == "wrong"
    with pytest.raises(msgspec.ValidationError):
        key("json-schema", schema={"$ref": "http://localhost/x"})


def test_a_schema_that_visits_values_again_and_again_stops() -> None:
    again = {"$ref": "#"}
    doubling = key("json-schema", schema={"properties": {"n": again}, "patternProperties": {"n": again}})
    marked = mark('{"n":' * 60 + "1" + "}" * 60, doubling)
    assert (marked.outcome, marked.why) == ("invalid", "the schema takes too many steps on this JSON")


def test_expressions_in_a_schema_do_not_stall() -> None:
    by = key("json-schema", schema={"items": {"pattern": "^(a+)+$"}, "uniqueItems": True})
    assert outcome(f'["{"a" * 100_000}!"]', by) == "wrong"


def test_numbers_made_to_collide_do_not_stall() -> None:
    by = key("json-schema", schema={"uniqueItems": True})
    numbers = ",".join(str(at * (2**61 - 1)) for at in range(1, 30_000))
    assert outcome(f"[{numbers}]", by) == "correct"


def test_the_reason_holds_no_key_of_the_response() -> None:
    assert "xyzzy" not in mark('{"name": "ann", "xyzzy": 1}', PERSON).why


CASES: list[tuple[Key, str, str]] = [
    # JSON that fits is right.
    (PERSON, '{"name": "ann"}', "correct"),
    (PERSON, '\ufeff {"name": "ann", "age": 3}\n', "correct"),
    (PERSON, '```json\n{"name": "ann"}\n```', "correct"),
    (PERSON, '```\n{"name": "ann"}\n```', "correct"),
    (PERSON, 'Here you are:\n\n```json\n{"name": "ann"}\n```\n\nAnything else?', "correct"),
    (PERSON, 'The answer is {"name": "ann"}.', "correct"),
    (PERSON, '<think>{"name": 1}</think>{"name": "ann"}', "correct"),
    (PERSON, '```json\n{"name": "ann"}\n```\nAgain:\n```json\n{ "name":"ann" }\n```', "correct"),
    (PERSON, '{"name": "ann", "age": 3.0}', "correct"),
    (PERSON, '{"name": "ann", "share": 0.3}', "correct"),
    (PERSON, '{"name": "ann", "x-y": "z"}', "correct"),
    (PERSON, '{"name": "ann", "tags": [1, true, "1", [1], {"a": 1}]}', "correct"),
    # What is no single JSON is invalid.
    (PERSON, "", "invalid"),
    (PERSON, "no JSON", "invalid"),
    (PERSON, "{", "invalid"),
    (PERSON, '{"name": "ann"', "invalid"),
    (PERSON, "{'name': 'ann'}", "invalid"),
    (PERSON, '{"name": "ann",}', "invalid"),
    (PERSON, '{"name": "ann", "name": "bob"}', "invalid"),
    (PERSON, '{"name": "ann", "age": NaN}', "invalid"),
    (PERSON, '{"name": "ann", "age": 1e999}', "invalid"),
    (PERSON, '{"name": "ann", "age": ' + "9" * 5000 + "}", "invalid"),
    (PERSON, '```json\n{"name": "ann"}\n```\n```json\n{"name": "bob"}\n```', "invalid"),
    (PERSON, '{"name": "ann"} {"name": "bob"}', "invalid"),
    (PERSON, "[" * 10_000 + "]" * 10_000, "invalid"),
    (PERSON, '{"a":' * 10_000 + "1" + "}" * 10_000, "invalid"),
    (PERSON, "[" * 70 + "]" * 70, "invalid"),
    (PERSON, '<think>{"name": "ann"}', "invalid"),
    (PERSON, '{"name": "\ud800', "invalid"),
]


@pytest.mark.parametrize(("by", "text", "expected"), CASES)
def test_the_outcome_of_a_response(by: Key, text: str, expected: str) -> None:
    assert outcome(text, by) == expected
