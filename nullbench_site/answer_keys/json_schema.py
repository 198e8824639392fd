"""Whether a response holds the JSON that a schema asks for."""

from __future__ import annotations

import json
import math
from typing import Annotated, Any

from msgspec import Meta

from nullbench_site.answer_keys.key import Key, Marked, Visible, about, correct, invalid, wrong

_DEEPEST = 64


class JsonSchema(Key, frozen=True, tag="json-schema"):
    """The JSON Schema that a right answer fits."""

    title, looks_at, cannot_see = about("json-schema")

    schema: Annotated[
        dict[str, Any],
        Meta(
            min_length=1,
            description="A JSON Schema, Draft 2020-12, that refers to nothing outside itself; expressions are of RE2.",
        ),
    ]

    def __post_init__(self) -> None:
        from nullbench_site.answer_keys.schemas import check_schema  # noqa: PLC0415 - jsonschema, for keys of this type alone

        check_schema(self.schema)

    def mark(self, visible: Visible) -> Marked:
        """Right where the JSON of the response fits the schema."""
        from nullbench_site.answer_keys.schemas import TooManySteps, first_error  # noqa: PLC0415 - as above

        try:
            value, text = _only_json(visible)
            misfit = first_error(value, _size(value), self.schema)
        except _NoJsonError as error:
            return invalid(str(error))
        except RecursionError:
            return invalid("the JSON is nested too deeply")
        except TooManySteps:
            return invalid("the schema takes too many steps on this JSON")
        if misfit is None:
            return correct(text, "the JSON fits the schema")
        return wrong(text, f"the JSON does not fit the schema at {misfit or 'its root'}")


class _NoJsonError(ValueError):
    """The message says why in words for a page."""


def _only_json(visible: Visible) -> tuple[object, str]:
    """The value, and how it is written. Raises _NoJsonError where there is none, or several that differ."""
    text = visible.json_text
    blocks = [fence.code.strip() for fence in visible.fences if fence.label in ("json", "jsonc", "json5", "")]
    candidates = [block for block in blocks if block.startswith(("{", "["))] or [_within(text)]
    values = [(_decoded(candidate), candidate) for candidate in candidates]
    if len({json.dumps(value, sort_keys=True) for value, _ in values}) > 1:
        raise _NoJsonError("holds several pieces of JSON that differ")
    return values[0]


def _within(text: str) -> str:
    """From the first bracket to the last in a text around them; a text without brackets may be JSON by itself."""
    starts = [at for at in (text.find("{"), text.find("[")) if at >= 0]
    end = max(text.rfind("}"), text.rfind("]"))
    return text[min(starts) : end + 1] if starts and not text.startswith('"') else text


def _decoded(text: str) -> object:
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError:
        raise _NoJsonError("holds no valid JSON") from None
    except ValueError as error:
        raise error if isinstance(error, _NoJsonError) else _NoJsonError("a number has too many digits") from None
    _size(value)
    return value


def _size(value: object) -> int:
    """How many values it consists of. Raises RecursionError where it is nested too deeply."""
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
