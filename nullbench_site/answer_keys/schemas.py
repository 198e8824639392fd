"""JSON Schema, Draft 2020-12, for answers of strangers: nothing is fetched, and no answer makes it take long.

The `jsonschema` package does the work. Replaced are the keywords in which it takes more than linear time, by
expressions that go back (`pattern`) or by comparing all with all (`uniqueItems`). Keywords that would do so, refer
elsewhere or check nothing are refused, and so is a misspelt one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from fractions import Fraction
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend
from referencing import Registry

from nullbench_site.answer_keys.regex import expression
from nullbench_site.checks.words import listed
from nullbench_site.text import nearest

_ONE = ("additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then")
_LIST = ("allOf", "anyOf", "oneOf", "prefixItems")
_NAMED = ("$defs", "dependentSchemas", "patternProperties", "properties")
# Those that look at the same value as the schema they stand in.
_IN_PLACE = ("allOf", "anyOf", "dependentSchemas", "else", "if", "not", "oneOf", "then")
_KNOWN = frozenset(
    listed(
        "$ref $comment title description default examples deprecated type enum const multipleOf maximum "
        "exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems "
        "maxContains minContains maxProperties minProperties required dependentRequired"
    )
).union(_ONE, _LIST, _NAMED)
_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_DEFS = "#/$defs/"
_REFERENCES = 20
"""Followed references for each value of an answer: a schema that needs more visits the same values again and again."""
_left: ContextVar[list[int]] = ContextVar("references that may still be followed")


class TooManySteps(RuntimeError):
    """The schema visits the values of an answer too often."""


def check_schema(schema: Mapping[str, Any]) -> None:
    """ValueError, with the place, for what is no JSON Schema that we evaluate."""
    if schema.get("$schema", _DRAFT) != _DRAFT:
        raise ValueError(f"the schema is of another draft; expected {_DRAFT}")
    plain = _without_draft(schema)
    try:
        _check_names(plain)
        # No format checker: it would hold patterns to the syntax of another engine.
        Draft202012Validator.check_schema(plain, format_checker=None)  # type: ignore[arg-type]
        schemas = list(_schemas(plain, "schema"))
    except SchemaError as error:
        # Of a union, what is wrong with its names says more than that none of its parts fits.
        cause = next((inner for inner in error.context or () if inner.validator == "enum"), error)
        raise ValueError(f"schema{cause.json_path.removeprefix('$')}: {cause.message}") from None
    except RecursionError:
        raise ValueError("the schema is nested too deeply") from None
    for place, each in schemas:
        _check_keywords(place, each, plain)
    _check_circles(plain)


def first_error(value: object, nodes: int, schema: Mapping[str, Any]) -> str | None:
    """The place in the schema that `value` does not fit, None where it fits. nodes: how many values it consists of.

    Raises TooManySteps, and RecursionError where both are nested too deeply.
    """
    _left.set([1000 + _REFERENCES * nodes])
    # A registry of our own, for the default one fetches what is not in it.
    validator = _validator()(_without_draft(schema), registry=Registry())
    error: ValidationError | None = next(validator.iter_errors(value), None)
    return None if error is None else "/".join(map(str, error.absolute_schema_path))


def _check_names(value: object) -> None:
    """ValueError for a key that YAML read as something else than text: `1:`, `true:`."""
    if isinstance(value, dict):
        for name, each in value.items():
            if not isinstance(name, str):
                raise ValueError(f"the schema has the key {name!r}, which is no text; put it in quotes")
            _check_names(each)
    elif isinstance(value, list):
        for each in value:
            _check_names(each)


def _without_draft(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Without `$schema`, at whose sight jsonschema goes on with its own keywords in place of ours."""
    return {key: value for key, value in schema.items() if key != "$schema"}


def _schemas(schema: object, place: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every schema within `schema`, itself first, with its place."""
    if not isinstance(schema, dict):
        return
    yield place, schema
    for keyword, value in schema.items():
        if keyword in _ONE:
            yield from _schemas(value, f"{place}.{keyword}")
        elif keyword in _LIST:
            for at, each in enumerate(value):
                yield from _schemas(each, f"{place}.{keyword}[{at}]")
        elif keyword in _NAMED:
            for name, each in value.items():
                yield from _schemas(each, f"{place}.{keyword}.{name}")


def _check_keywords(place: str, schema: Mapping[str, Any], root: Mapping[str, Any]) -> None:
    for keyword in schema:
        if keyword not in _KNOWN:
            close = nearest(keyword, _KNOWN)
            hint = f"; did you mean {close!r}?" if close else ""
            raise ValueError(f"{place}: the keyword {keyword!r} is not evaluated here{hint}")
    reference = schema.get("$ref", "#")
    name = reference.removeprefix(_DEFS)
    if reference != "#" and (name == reference or name not in root.get("$defs", {})):
        raise ValueError(f"{place}: $ref {reference!r} is neither '#' nor '{_DEFS}NAME' with a name that is there")
    if "/" in name or "~" in name or "%" in name:
        raise ValueError(f"{place}: a name in $defs is without / ~ and %")
    patterns = [schema["pattern"]] if "pattern" in schema else []
    for pattern in (*patterns, *schema.get("patternProperties", ())):
        try:
            expression(pattern)
        except ValueError as error:
            raise ValueError(f"{place}: {error}") from None


def _check_circles(root: Mapping[str, Any]) -> None:
    """ValueError where a schema comes back to itself without going to a smaller value: that has no end."""
    done: set[str] = set()

    def visit(reference: str, path: tuple[str, ...]) -> None:
        if reference in path:
            raise ValueError(f"schema: {' -> '.join((*path, reference))} refers to itself without end")
        if reference not in done:
            for following in _references(_target(root, reference)):
                visit(following, (*path, reference))
            done.add(reference)

    for reference in ("#", *(f"{_DEFS}{name}" for name in root.get("$defs", {}))):
        visit(reference, ())


def _target(root: Mapping[str, Any], reference: str) -> object:
    return root if reference == "#" else root["$defs"][reference.removeprefix(_DEFS)]


def _references(schema: object) -> Iterator[str]:
    """What is referred to for the same value."""
    if not isinstance(schema, dict):
        return
    if "$ref" in schema:
        yield schema["$ref"]
    for keyword in _IN_PLACE:
        value = schema.get(keyword, ())
        inner = value.values() if keyword == "dependentSchemas" and value else value
        for each in [inner] if isinstance(inner, dict) else inner if not isinstance(inner, bool) else ():
            yield from _references(each)


@cache
def _validator() -> Any:
    """The validator of Draft 2020-12 with the keywords below."""
    follow = Draft202012Validator.VALIDATORS["$ref"]

    def reference(validator: Any, ref: str, value: object, schema: Any) -> Iterator[ValidationError]:
        left = _left.get()
        left[0] -= 1
        if left[0] < 0:
            raise TooManySteps
        yield from follow(validator, ref, value, schema) or ()

    def pattern(validator: Any, limit: str, value: object, _: Any) -> Iterator[ValidationError]:
        if isinstance(value, str) and not expression(limit).search(value):
            yield ValidationError("does not match")

    def pattern_properties(
        validator: Any, limit: Mapping[str, Any], value: object, _: Any
    ) -> Iterator[ValidationError]:
        for form, schema in limit.items() if isinstance(value, dict) else ():
            for name, each in value.items():  # type: ignore[attr-defined]
                if expression(form).search(name):
                    yield from validator.descend(each, schema, path=name, schema_path=form)

    def additional(validator: Any, limit: Any, value: object, schema: Any) -> Iterator[ValidationError]:
        known, forms = schema.get("properties", {}), tuple(schema.get("patternProperties", ()))
        for name, each in value.items() if isinstance(value, dict) else ():
            if name not in known and not any(expression(form).search(name) for form in forms):
                yield from validator.descend(each, limit, path=name)

    def unique(validator: Any, limit: bool, value: object, _: Any) -> Iterator[ValidationError]:
        # As texts, whose hashes no answer can make collide as it can those of numbers.
        if limit and isinstance(value, list) and len({_written(each) for each in value}) < len(value):
            yield ValidationError("has equal entries")

    def multiple(validator: Any, limit: float, value: object, _: Any) -> Iterator[ValidationError]:
        if isinstance(value, (int, float)) and not isinstance(value, bool) and _fraction(value) % _fraction(limit):
            yield ValidationError("is no multiple")

    replaced = {
        "$ref": reference,
        "pattern": pattern,
        "patternProperties": pattern_properties,
        "additionalProperties": additional,
        "uniqueItems": unique,
        "multipleOf": multiple,
    }
    return extend(Draft202012Validator, replaced)  # type: ignore[no-untyped-call]


def _fraction(value: float) -> Fraction:
    """The number as it is written: 0.3 is a multiple of 0.1."""
    return Fraction(value) if isinstance(value, int) else Fraction(repr(value))


def _written(value: object) -> str:
    """One text for equal values: 1 is 1.0, and the order of keys does not matter."""
    return json.dumps(_whole(value), sort_keys=True)


def _whole(value: object) -> object:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _whole(each) for key, each in value.items()}
    return [_whole(each) for each in value] if isinstance(value, Sequence) and not isinstance(value, str) else value
