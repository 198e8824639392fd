"""Whether the response is the JSON that was asked for."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, field

from nullbench_site.checks.check import Check
from nullbench_site.checks.params import Line, Params
from nullbench_site.checks.reading.markdown import Fence
from nullbench_site.checks.reading.nesting import end_of_json
from nullbench_site.checks.reading.response import Response
from nullbench_site.checks.result import Flag, Result, verdict

Kind = Literal["string", "number", "integer", "boolean", "array", "object", "null", "any"]
_BYTE_ORDER_MARK = "\ufeff"


class Between(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """The ends of a range, both inside."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError("low is more than high")


class JsonValid(Params, frozen=True, tag="json-valid"):
    """Parameters of json-valid."""

    code_block: Annotated[bool, Meta(description="Whether the JSON may stand in a code block.")] = False
    keys: Annotated[
        dict[Line, Kind], Meta(max_length=100, description="The keys the object must have, and the kind of each value.")
    ] = field(default_factory=dict)
    other_keys: Annotated[bool, Meta(description="Whether it may have further keys.")] = False
    ranges: Annotated[dict[Line, Between], Meta(description="The ranges that numbers must be in, by key.")] = field(
        default_factory=dict
    )

    def __post_init__(self) -> None:
        strangers = [key for key in self.ranges if self.keys.get(key) not in ("number", "integer")]
        if strangers:
            raise ValueError(f"ranges are for keys that are a number or an integer; not so: {', '.join(strangers)}")


def json_valid(response: Response, params: JsonValid) -> Result:
    """Fails where the whole response is no JSON, or not an object of the keys asked for."""
    text = response.text.removeprefix(_BYTE_ORDER_MARK).strip()
    wrapped = _wrapped(response)
    if wrapped is not None:
        if not params.code_block:
            return verdict(Flag("in_code_block", "the JSON stands in a code block; only the JSON itself was asked for"))
        text = wrapped.code
    try:
        if text.startswith(("{", "[")):
            end_of_json(text, 0)
        value = msgspec.json.decode(text.encode())
    except RecursionError:
        return verdict(Flag("too_deep", "nested deeper than can be read"))
    except UnicodeEncodeError:
        return verdict(Flag("not_json", "holds half of a character, which is no text"))
    except msgspec.DecodeError:
        return verdict(Flag("not_json", "the response as a whole is not valid JSON"))
    if not params.keys:
        return verdict()
    if not isinstance(value, dict):
        return verdict(Flag("not_an_object", f"is {_kind(value)}, expected an object"))
    return verdict(*_wrong_keys(value, params))


def _wrapped(response: Response) -> Fence | None:
    """The only code block of a response with nothing around it."""
    fences = response.fences
    return fences[0] if len(fences) == 1 and not any(map(str.strip, response.prose)) else None


def _wrong_keys(value: dict[str, object], params: JsonValid) -> list[Flag]:
    missing = [key for key in params.keys if key not in value]
    further = sum(key not in params.keys for key in value)
    flags = [Flag("missing_keys", f"has no {', '.join(missing)}")] if missing else []
    if further and not params.other_keys:
        flags.append(Flag("other_keys", f"{further} more than the keys {', '.join(params.keys)}"))
    for key, kind in params.keys.items():
        if key not in value:
            continue
        found = value[key]
        if not _fits(found, kind):
            flags.append(Flag("wrong_kind", f"{key} is {_kind(found)}, expected {kind}"))
        elif key in params.ranges and isinstance(found, (int, float)):
            within = params.ranges[key]
            if not within.low <= found <= within.high:
                flags.append(Flag("out_of_range", f"{key} is outside {within.low:g} to {within.high:g}"))
    return flags


def _fits(value: object, kind: Kind) -> bool:
    found = _kind(value)
    return kind in ("any", found) or (kind == "number" and found == "integer")


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


CHECK = Check(
    title="Valid JSON",
    looks_at="Whether the response as a whole is JSON by RFC 8259, without a word around it, and whether the object "
    "has the keys, kinds and ranges asked for.",
    cannot_see="Whether the values are true. Of a key that occurs twice, only the last is seen.",
    params=JsonValid,
    function=json_valid,
)
