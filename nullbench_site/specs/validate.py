"""Check a document against its type: return the typed value, or every violation with its position.

msgspec converts a valid file in one pass. If it fails, jsonschema finds all errors instead of the first. Both use the
same types; a test checks that they agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec
from msgspec import inspect

from nullbench_site.errors import Problem
from nullbench_site.specs.document import Data, Document, Path
from nullbench_site.specs.json_lines import JsonLine
from nullbench_site.specs.schema import FILE_TYPES, json_schema, schema_name
from nullbench_site.specs.types import FORMS, ID_FORM, SEEN, Spec
from nullbench_site.text import did_you_mean, hidden_character, nearest, plural, quoted, shortened

if TYPE_CHECKING:  # imported inside functions, because valid files do not need it
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

SpecT = TypeVar("SpecT", bound=Spec)

_KINDS = {
    "object": "a mapping of keys",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "nothing",
}


def typed(document: Document | JsonLine, kind: type[SpecT]) -> tuple[SpecT | None, list[Problem]]:
    """Return `document` as `kind`, or None and every problem in file order."""
    try:
        return msgspec.convert(document.data, kind), []
    except msgspec.ValidationError as refused:
        name = schema_name(kind)
        return None, schema_problems(document, name) or [_of_a_type(document, refused)]


_LINE = 500
"""The most characters of a title, a name or a description."""
_COMMENTED = "the text ends at ' #', where a comment begins"
_ADVICE = "quote the text, or put the comment on a line of its own"


def cut_texts(document: Document | JsonLine, kind: type[Spec]) -> Iterator[Problem]:
    """Yield a problem for each unquoted text with a comment after it, since the comment may be part of the text."""
    for path in document.commented:
        if any(_may_hold_a_hash(type_) for type_ in _types_at(kind, path)):
            yield document.problem(path, f"{_COMMENTED}; {_ADVICE}")


def hidden_texts(document: Document | JsonLine, kind: type[Spec]) -> Iterator[Problem]:
    """Yield a problem for each title, name or description with an invisible or direction-changing character.

    Longer texts and entries of lists are content and may have them.
    """
    for path, text in _texts(document.data):
        found = hidden_character(text)
        if found is not None and any(_is_a_line(type_) for type_ in _types_at(kind, path)):
            message = f"the text contains {found}, which is invisible or changes the reading direction; remove it"
            yield document.problem(path, message)


def _texts(data: Data) -> Iterator[tuple[Path, str]]:
    """Yield the path and the text of each value of a mapping that is a text of at most one line."""
    found: list[tuple[Path, Data]] = [((), data)]
    for path, value in found:  # which grows meanwhile
        if isinstance(value, dict):
            found += [((*path, key), inner) for key, inner in value.items()]
        elif isinstance(value, list):
            found += [((*path, place), inner) for place, inner in enumerate(value) if not isinstance(inner, str)]
        elif isinstance(value, str) and len(value) <= _LINE:
            yield path, value


def _is_a_line(type_: inspect.Type) -> bool:
    return isinstance(type_, inspect.StrType) and type_.pattern is not None and (type_.max_length or 0) <= _LINE


def _may_hold_a_hash(type_: inspect.Type) -> bool:
    return isinstance(type_, inspect.StrType) and (type_.pattern is None or bool(re.search(type_.pattern, "a # b")))


def _types_at(kind: type[Spec], path: Sequence[str | int]) -> list[inspect.Type]:
    """Return the types that a value at `path` may have."""
    types = _flat(_type_info(kind))
    for step in path:
        types = [inner for type_ in types for inner in _flat(_inside(type_, step))]
    return types


def _inside(type_: inspect.Type, step: str | int) -> inspect.Type | None:
    match type_:
        case inspect.StructType():
            return next((field.type for field in type_.fields if field.encode_name == step), None)
        case inspect.VarTupleType() | inspect.ListType():
            return type_.item_type
        case inspect.DictType():
            return type_.value_type
        case _:
            return None


def _flat(type_: inspect.Type | None) -> list[inspect.Type]:
    """Return the alternatives of a union, or the type itself."""
    match type_:
        case None:
            return []
        case inspect.Metadata():
            return _flat(type_.type)
        case inspect.UnionType():
            return [inner for each in type_.types for inner in _flat(each)]
        case _:
            return [type_]


_type_info = cache(inspect.type_info)

_AT = re.compile(r" - at `\$(?P<path>[^`]*)`\Z")
_LONGEST = 500
_STEP = re.compile(r"\.(?P<key>[^.\[\]]+)|\[(?P<number>[0-9]+|\.\.\.)\]")


def _of_a_type(document: Document | JsonLine, refused: msgspec.ValidationError) -> Problem:
    """Return the problem of a rule of the type that its schema cannot express. msgspec names the path."""
    message = str(refused)
    at = _AT.search(message)
    if at is None:
        return document.problem((), shortened(message, _LONGEST))
    steps: list[str | int] = []
    for step in _STEP.finditer(at["path"]):
        if step["number"] == "...":  # msgspec does not name the key of a mapping
            break
        steps.append(step["key"] if step["number"] is None else int(step["number"]))
    return document.problem(steps, shortened(message[: at.start()], _LONGEST))


def schema_problems(document: Document | JsonLine, name: str) -> list[Problem]:
    """Return every violation of the JSON Schema `name` in `document`."""
    errors, kind = validator(name).iter_errors(document.data), FILE_TYPES[name]
    return sorted({problem for error in errors for problem in _explain(document, kind, error)})


def validator(name: str) -> Validator:
    """Return a validator for the JSON Schema `name`. As in msgspec, 1.0 is not an integer."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    types = Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)
    kind: type[Validator] = extend(Draft202012Validator, type_checker=types)  # type: ignore[no-untyped-call]
    return kind(json_schema(name))


def _explain(document: Document | JsonLine, kind: type[Spec], error: ValidationError) -> Iterator[Problem]:
    path = list(error.absolute_path)
    instance: Any = error.instance
    limit: Any = error.validator_value
    match error.validator:
        case "additionalProperties" if isinstance(error.schema, Mapping) and "properties" in error.schema:
            known = error.schema["properties"]
            for key in instance:
                if key not in known:
                    advice = _where_it_belongs(kind, path, str(key), known)
                    yield document.problem([*path, key], f"unknown key {quoted(key)}; {advice}", at_key=True)
        case "required":
            # jsonschema reports the whole list for each missing key; schema_problems removes the duplicates.
            for key in limit:
                if key not in instance:
                    yield document.problem(path, f"missing key {key!r}{_purpose(error, key)}")
        case "anyOf":
            yield from _explain_union(document, kind, error)
        case _ if "propertyNames" in error.absolute_schema_path:  # the key is wrong, but jsonschema reports the mapping
            yield document.problem([*path, str(error.instance)], _sentence(error), at_key=True)
        case _:
            yield document.problem(path, _sentence(error))


def _where_it_belongs(kind: type[Spec], path: Sequence[str | int], key: str, known: Iterable[str]) -> str:
    """Return the advice for an unknown key: move it to a neighbouring mapping, correct it, or use `params`."""
    beside = [field for each in _types_at(kind, path) if isinstance(each, inspect.StructType) for field in each.fields]
    structs = ((field, each) for field in beside for each in _flat(field.type) if isinstance(each, inspect.StructType))
    if homes := [f"`{field.encode_name}`" for field, struct in structs if _inside(struct, key) is not None]:
        return f"it belongs in {' or '.join(homes)}"
    further = "params" in known and nearest(key, known) is None
    return ("put other fields of a request in `params`; " if further else "") + did_you_mean(key, known, 20)


def _explain_union(document: Document | JsonLine, kind: type[Spec], error: ValidationError) -> Iterator[Problem]:
    """Explain the alternative of a union whose type fits the value."""
    if isinstance(error.schema, Mapping) and "discriminator" in error.schema and isinstance(error.instance, dict):
        yield from _explain_tagged(document, kind, error, error.schema["discriminator"])
        return
    fitting = [sub for sub in error.context or () if sub.path or sub.validator not in ("type", "enum", "const")]
    if fitting:
        for sub in fitting:
            yield from _explain(document, kind, sub)
        return
    wanted = _alternatives(cast(Any, error.validator_value))
    yield document.problem(list(error.absolute_path), _mismatch(error.instance, wanted))


def _explain_tagged(
    document: Document | JsonLine, kind: type[Spec], error: ValidationError, discriminator: Mapping[str, Any]
) -> Iterator[Problem]:
    """Explain the alternative of a tagged union that its key names."""
    key, known = str(discriminator["propertyName"]), list(discriminator["mapping"])
    path, given = list(error.absolute_path), cast(dict[str, Any], error.instance)
    if key not in given:
        yield document.problem(path, f"missing key {key!r}; it is one of: {', '.join(sorted(known))}")
    elif (tag := given[key]) not in known:
        yield document.problem([*path, key], f"found {kind_and_value(tag)}; {did_you_mean(str(tag), known, limit=30)}")
    else:
        chosen = known.index(tag)
        for sub in error.context or ():
            if sub.schema_path[0] == chosen:
                yield from _explain(document, kind, sub)


def _alternatives(schemas: Sequence[Mapping[str, Any]]) -> list[str]:
    kinds = []
    for schema in schemas:
        if "enum" in schema:
            kinds.append(" or ".join(map(repr, schema["enum"])))
        elif schema.get("type") != "null":
            kind = "object" if "$ref" in schema else str(schema.get("type"))  # every reference is to a Struct
            kinds.append(_KINDS.get(kind, "a value"))
    return list(dict.fromkeys(kinds))


def _purpose(error: ValidationError, key: str) -> str:
    schema = error.schema if isinstance(error.schema, Mapping) else {}
    described = schema.get("properties", {}).get(key, {}).get("description")
    return f" ({described.rstrip('.')})" if described and described != ID_FORM else ""


def _sentence(error: ValidationError) -> str:
    value: Any = error.instance
    limit: Any = error.validator_value
    schema = error.schema if isinstance(error.schema, Mapping) else {}
    described = schema.get("description", "")
    match error.validator:
        case "type":
            kinds = [limit] if isinstance(limit, str) else limit
            return _mismatch(value, [_KINDS.get(kind, kind) for kind in kinds])
        case "enum":
            return f"found {kind_and_value(value)}; {did_you_mean(str(value), map(str, limit), limit=20)}"
        case "pattern" if SEEN in limit and not re.search(SEEN, value):
            empty = "the text is empty" if value == "" else "the text is invisible"
            return f"{empty}; write one, or remove the key if it is optional"
        case "pattern":
            what = "this" if schema.get("writeOnly") else quoted(value)
            return f"{what} has the wrong form. {FORMS.get(limit) or described or f'It must match {limit}'}".rstrip(".")
        case "minLength":
            return "the text is empty; write one, or remove the key if it is optional"
        case "maxLength":
            return f"the text has {len(value)} characters; at most {limit} are allowed"
        case "minItems" | "maxItems":
            bound = "at least" if error.validator == "minItems" else "at most"
            entries = plural(len(value), "entry", "entries")
            return f"the list has {entries}; expected {bound} {limit}. {described}".rstrip(". ")
        case "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum":
            bound = {
                "minimum": "at least",
                "maximum": "at most",
                "exclusiveMinimum": "more than",
                "exclusiveMaximum": "less than",
            }[str(error.validator)]
            return f"found {value}; expected {bound} {limit}"
        case _:
            return error.message


def _mismatch(value: object, wanted: Sequence[str]) -> str:
    quote = ""
    if _KINDS["string"] in wanted:
        numeric, mapping = isinstance(value, (int, float)), isinstance(value, dict)
        quote = "; put it in quotes" if numeric else "; a text with ': ' in it needs quotes" if mapping else ""
    return f"found {kind_and_value(value)}; expected {' or '.join(wanted)}{quote}"


def kind_and_value(value: object) -> str:
    """Return the type and the value for a message."""
    match value:
        case None:
            return "no value (empty, ~ or a bare null; quote it if it is text)"
        case bool():
            return f"the boolean {str(value).lower()}"
        case int() | float():
            return f"the number {value}"
        case str():
            return f"the text {quoted(value)}"
        case list():
            return "a list"
        case _:
            return "a mapping of keys"
