"""Reading the params of a spec: every wrong one is named, with what was expected."""

from collections.abc import Collection, Mapping

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
