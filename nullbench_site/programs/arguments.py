"""Reading the params of a spec and the fields of a call: what is missing or wrong is a ValueError that names it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

Params = Mapping[str, object]


def only(params: Params, names: Collection[str]) -> None:
    """Refuse params outside `names`."""
    unknown = sorted(set(params) - set(names))
    if unknown:
        known = ", ".join(sorted(names)) or "none"
        raise ValueError(f"unknown param {', '.join(map(repr, unknown))}; known: {known}")


def whole_number(params: Params, name: str, *, least: int | None = None) -> int:
    """The required whole number `name`, at least `least`."""
    value = params.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or (least is not None and value < least):
        bound = "" if least is None else f" >= {least}"
        raise ValueError(f"param {name!r} must be a whole number{bound}, not {value!r}")
    return value


def known(what: str, found: Iterable[str], allowed: Iterable[str]) -> None:
    """Raise ValueError if any of `found` is not allowed."""
    unknown = sorted(set(found) - set(allowed))
    if unknown:
        raise ValueError(f"unknown {what} {', '.join(map(repr, unknown))}; known: {', '.join(allowed)}")


def one_of(fields: Mapping[str, object], name: str, allowed: Sequence[str]) -> str:
    """The text `name`, one of `allowed`."""
    value = text(fields, name)
    known(name, [value], allowed)
    return value


def text(fields: Mapping[str, object], name: str) -> str:
    """The text `name`."""
    value = fields.get(name)
    if not isinstance(value, str):
        raise ValueError(f"field {name!r} must be text, not {value!r}")
    return value


def texts(fields: Mapping[str, object], name: str) -> tuple[str, ...]:
    """The list of texts `name`."""
    value = fields.get(name)
    if not isinstance(value, list | tuple) or not all(isinstance(entry, str) for entry in value):
        raise ValueError(f"field {name!r} must be a list of texts, not {value!r}")
    return tuple(value)


def count(fields: Mapping[str, object], name: str, least: int = 0) -> int:
    """The whole number `name`, at least `least`."""
    value = fields.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"field {name!r} must be a whole number >= {least}, not {value!r}")
    return value


def mapping(fields: Mapping[str, object], name: str) -> Mapping[str, object]:
    """The mapping `name`."""
    value = fields.get(name)
    if not isinstance(value, Mapping):
        raise ValueError(f"field {name!r} must be a mapping, not {value!r}")
    return value


def mappings(fields: Mapping[str, object], name: str) -> tuple[Mapping[str, object], ...]:
    """The list of mappings `name`."""
    value = fields.get(name)
    if not isinstance(value, list | tuple) or not all(isinstance(entry, Mapping) for entry in value):
        raise ValueError(f"field {name!r} must be a list of mappings, not {value!r}")
    return tuple(value)
