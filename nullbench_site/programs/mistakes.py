"""What is wrong with the fields or params of a program: the place, what stands there, and what is expected."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, inspect

_STEP = re.compile(r"\.(\w+)|\[(\d+|\.\.\.)\]")
# It is of another kind, not just outside some bound of its own.
_KIND = re.compile(r", got `|Invalid enum value|Expected `int` >=")
_FIELD = re.compile(r"(missing required|contains unknown) field `([^`]*)`")


def explained(kind: type[Struct], given: object, what: str, error: str) -> str:
    """What is wrong with `given`, which is no `kind`. what: "field" or "param"; error: what msgspec says of it."""
    sentence, _, path = error.partition(" - at `$")
    type_: Any = inspect.type_info(kind)
    for name, index in _STEP.findall(path):
        if name:
            type_, given = _types(type_)[name], given[name]  # type: ignore[index]
        else:
            type_ = getattr(type_, "item_type", None) or type_.value_type
            given = given[int(index)] if index.isdigit() else ...  # type: ignore[index]
    place = path.strip(".`")
    if field := _FIELD.search(sentence):
        types, name = _types(type_), f"{place}.{field[2]}".lstrip(".")
        if field[2] not in types:
            return f"unknown {what} {name!r}; known: {', '.join(types) or 'none'}"
        expected = _expected(types[field[2]])
        return f"{what} {name!r} is missing" + (f"; it must be {expected}" if expected else "")
    expected = _expected(type_) if _KIND.search(sentence) else None
    if expected:
        # Of a mapping msgspec does not say which value it is.
        return f"{what} {place!r} must be {expected}" + ("" if given is ... else f", not {given!r}")
    return f"{what} {place!r} cannot be {given!r}: {sentence}" if place else f"wrong {what}s: {sentence}"


def _types(struct: Any) -> Mapping[str, Any]:
    return {field.name: field.type for field in _of_union(struct).fields}


def _of_union(type_: Any) -> Any:
    return type_.types[0] if isinstance(type_, inspect.UnionType) else type_


def _expected(type_: Any) -> str | None:
    """A type in words; None for one that programs of ours do not have."""
    match _of_union(type_):
        case inspect.IntType(ge=least, le=None):
            return "a whole number" + ("" if least is None else f" >= {least}")
        case inspect.StrType():
            return "text"
        case inspect.BoolType():
            return "true or false"
        case inspect.LiteralType(values=values):
            return f"one of {', '.join(map(str, values))}"
        case inspect.VarTupleType(item_type=inspect.StructType()):
            return "a list of mappings"
        case inspect.VarTupleType(item_type=inspect.StrType()):
            return "a list of texts"
        case inspect.VarTupleType():
            return "a list"
        case inspect.StructType() | inspect.DictType():
            return "a mapping"
        case _:
            return None
