"""A key for JSON that a schema (JSON Schema, Draft 2020-12) describes.

The `jsonschema` package does the work. Keywords that take more than linear time are replaced: those that use
backtracking (`pattern`) and those that compare all pairs (`uniqueItems`). Keywords that would fetch, that check
nothing, or that are misspelt are refused. `jsonschema` takes 0.1 s to import, so only keys of this type import it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from fractions import Fraction
from functools import cache
from typing import Annotated, Any

from msgspec import Meta

from nullbench_site.answer_keys.key import Cause, Key, Marked, Visible, about, correct, invalid, wrong
from nullbench_site.answer_keys.regex import expression
from nullbench_site.checks.reading import listed
from nullbench_site.text import nearest

_DEEPEST = 64


class JsonSchema(Key, frozen=True, tag="json-schema"):
    """The JSON Schema of a right answer."""

    title, looks_at, cannot_see = about("json-schema")

    schema: Annotated[
        dict[str, Any],
        Meta(
            min_length=1,
            description="A JSON Schema, Draft 2020-12, without references to other files; patterns are of RE2.",
        ),
    ]

    def __post_init__(self) -> None:
        check_schema(self.schema)

    def mark(self, visible: Visible) -> Marked:
        """Right if the JSON of the response fits the schema."""
        try:
            value, text = _only_json(visible)
            misfit = first_error(value, _size(value), self.schema)
        except _NoJsonError as error:
            return invalid(str(error), error.cause)
        except RecursionError:
            return invalid("the JSON is nested too deeply", "other form")
        except TooManySteps:
            return invalid("the schema takes too many steps on this JSON", "other form")
        if misfit is None:
            return correct(text, "the JSON fits the schema")
        return wrong(text, f"the JSON does not fit the schema at {misfit or 'its root'}")


class _NoJsonError(ValueError):
    """Its message is the reason, in words for a page."""

    def __init__(self, why: str, cause: Cause = "other form") -> None:
        super().__init__(why)
        self.cause = cause


def _only_json(visible: Visible) -> tuple[object, str]:
    """Return the value and its text. Raises _NoJsonError if there is none, or several that differ."""
    text = visible.json_text
    blocks = [fence.code.strip() for fence in visible.fences if fence.label in ("json", "jsonc", "json5", "")]
    candidates = [block for block in blocks if block.startswith(("{", "["))] or [_within(text)]
    values = [(_decoded(candidate), candidate) for candidate in candidates]
    if len({json.dumps(value, sort_keys=True) for value, _ in values}) > 1:
        raise _NoJsonError("holds several pieces of JSON that differ", "several answers")
    return values[0]


def _within(text: str) -> str:
    """Return the text from the first bracket to the last, or all of a text without brackets."""
    starts = [at for at in (text.find("{"), text.find("[")) if at >= 0]
    end = max(text.rfind("}"), text.rfind("]"))
    return text[min(starts) : end + 1] if starts and not text.startswith('"') else text


def _decoded(text: str) -> object:
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError:
        raise _NoJsonError("holds no valid JSON", "other form" if re.search(r"[{\[]", text) else "no answer") from None
    except ValueError as error:
        raise error if isinstance(error, _NoJsonError) else _NoJsonError("a number has too many digits") from None
    _size(value)
    return value


def _size(value: object) -> int:
    """Return the number of nested values. Raises RecursionError if they are nested too deeply."""
    count, level = 0, [value]
    for _ in range(_DEEPEST):
        count += len(level)
        level = [
            inner
            for each in level
            if isinstance(each, (dict, list))
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return count
    raise RecursionError


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise _NoJsonError("the JSON has a key twice")
    return value


def _number(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise _NoJsonError("the JSON holds a number that is too large")
    return value


def _constant(_: str) -> object:
    raise _NoJsonError("the JSON holds NaN or Infinity, which JSON does not have")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_float=_number, parse_constant=_constant)


_ONE = ("additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then")
_LIST = ("allOf", "anyOf", "oneOf", "prefixItems")
_NAMED = ("$defs", "dependentSchemas", "patternProperties", "properties")
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
"""References that may be followed for each value of an answer. A schema that needs more visits values repeatedly."""
_left: ContextVar[list[int]] = ContextVar("references that may still be followed")


class TooManySteps(RuntimeError):
    """The schema visits the values of an answer too often."""


def check_schema(schema: Mapping[str, Any]) -> None:
    """Raise ValueError, with the place, if it is not a JSON Schema that we can evaluate."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    if schema.get("$schema", _DRAFT) != _DRAFT:
        raise ValueError(f"the schema is of another draft; expected {_DRAFT}")
    plain = _without_draft(schema)
    try:
        _check_names(plain)
        # No format checker: it would expect patterns of another engine.
        Draft202012Validator.check_schema(plain, format_checker=None)  # type: ignore[arg-type]
        schemas = list(_schemas(plain, "schema"))
    except SchemaError as error:
        # If no part of a union fits, the problem with its names is the more useful one.
        cause = next((inner for inner in error.context or () if inner.validator == "enum"), error)
        raise ValueError(f"schema{cause.json_path.removeprefix('$')}: {cause.message}") from None
    except RecursionError:
        raise ValueError("the schema is nested too deeply") from None
    for place, each in schemas:
        _check_keywords(place, each, plain)
    definitions = plain.get("$defs", {})
    try:
        for each in (plain, *({"$ref": f"{_DEFS}{name}", "$defs": definitions} for name in definitions)):
            first_error({}, 1, each)
    except (TooManySteps, RecursionError):
        raise ValueError("the schema refers to itself without end") from None


def first_error(value: object, nodes: int, schema: Mapping[str, Any]) -> str | None:
    """Return the place in the schema that `value` does not fit, or None. nodes: the number of its nested values.

    Raises TooManySteps, and RecursionError if both are nested too deeply.
    """
    from referencing import Registry

    _left.set([1000 + _REFERENCES * nodes])
    # An empty registry: the default one fetches unknown references.
    validator = _validator()(_without_draft(schema), registry=Registry())
    error = next(validator.iter_errors(value), None)
    return None if error is None else "/".join(map(str, error.absolute_schema_path))


def _check_names(value: object) -> None:
    """Raise ValueError for a key that YAML did not read as text: `1:`, `true:`."""
    if isinstance(value, dict):
        for name, each in value.items():
            if not isinstance(name, str):
                raise ValueError(f"the schema has the key {name!r}, which is not text; quote it")
            _check_names(each)
    elif isinstance(value, list):
        for each in value:
            _check_names(each)


def _without_draft(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema without `$schema`, because jsonschema would use its own keywords for it instead of ours."""
    return {key: value for key, value in schema.items() if key != "$schema"}


def _schemas(schema: object, place: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield `schema` and every schema in it, with its place."""
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
        raise ValueError(f"{place}: $ref {reference!r} is neither '#' nor '{_DEFS}NAME' with a name that exists")
    if "/" in name or "~" in name or "%" in name:
        raise ValueError(f"{place}: a name in $defs must not contain / ~ or %")
    patterns = [schema["pattern"]] if "pattern" in schema else []
    for pattern in (*patterns, *schema.get("patternProperties", ())):
        try:
            expression(pattern)
        except ValueError as error:
            raise ValueError(f"{place}: {error}") from None


@cache
def _validator() -> Any:
    """Return the validator of Draft 2020-12 with the keywords below."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError
    from jsonschema.validators import extend

    follow = Draft202012Validator.VALIDATORS["$ref"]

    def reference(validator: Any, ref: str, value: object, schema: Any) -> Iterator[Any]:
        left = _left.get()
        left[0] -= 1
        if left[0] < 0:
            raise TooManySteps
        yield from follow(validator, ref, value, schema) or ()

    def pattern(validator: Any, limit: str, value: object, _: Any) -> Iterator[Any]:
        if isinstance(value, str) and not expression(limit).search(value):
            yield ValidationError("does not match")

    def pattern_properties(validator: Any, limit: Mapping[str, Any], value: object, _: Any) -> Iterator[Any]:
        for form, schema in limit.items() if isinstance(value, dict) else ():
            for name, each in value.items():  # type: ignore[attr-defined]
                if expression(form).search(name):
                    yield from validator.descend(each, schema, path=name, schema_path=form)

    def additional(validator: Any, limit: Any, value: object, schema: Any) -> Iterator[Any]:
        known, forms = schema.get("properties", {}), tuple(schema.get("patternProperties", ()))
        for name, each in value.items() if isinstance(value, dict) else ():
            if name not in known and not any(expression(form).search(name) for form in forms):
                yield from validator.descend(each, limit, path=name)

    def unique(validator: Any, limit: bool, value: object, _: Any) -> Iterator[Any]:
        # Compare texts: an answer can make the hashes of numbers collide.
        if limit and isinstance(value, list) and len({_written(each) for each in value}) < len(value):
            yield ValidationError("has equal entries")

    def multiple(validator: Any, limit: float, value: object, _: Any) -> Iterator[Any]:
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
    """Return the number as written: 0.3 is a multiple of 0.1."""
    return Fraction(value) if isinstance(value, int) else Fraction(repr(value))


def _written(value: object) -> str:
    """Return the same text for equal values: 1 equals 1.0, and the order of keys does not matter."""
    return json.dumps(_whole(value), sort_keys=True)


def _whole(value: object) -> object:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _whole(each) for key, each in value.items()}
    return [_whole(each) for each in value] if isinstance(value, Sequence) and not isinstance(value, str) else value
