"""Every type of answer key by its id."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from nullbench_site.keys.key import KeyType
from nullbench_site.keys.kinds import exact, json_schema, multiple_choice, numeric, regex

# What a spec may hold as an answer key: msgspec tells them apart by `type`.
AnyKey: TypeAlias = (
    multiple_choice.MultipleChoice | exact.Exact | numeric.Numeric | regex.Regex | json_schema.JsonSchema
)

_TYPES: tuple[KeyType[Any], ...] = (
    multiple_choice.TYPE,
    exact.TYPE,
    numeric.TYPE,
    regex.TYPE,
    json_schema.TYPE,
)

KEYS: Mapping[str, KeyType[Any]] = MappingProxyType({type_.id: type_ for type_ in _TYPES})
