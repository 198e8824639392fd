"""What packages add to the program by entry points. Ours are registered in the same way, in pyproject.toml.

A group is named `nullbench_site.<kind>`, an entry in it by the name that specs or commands use.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import Any, Literal

from nullbench_site.errors import UsageError

Kind = Literal["protocols", "checks", "programs", "backends", "metrics", "importers"]
OURS = "nullbench-site"
"""The package whose version a run records anyway."""


@cache
def registered(kind: Kind) -> Mapping[str, EntryPoint]:
    """Every extension of a kind by its name, none of them loaded; ours first, then by name.

    Raises UsageError where two packages register one name: which of them scores would be chance.
    """
    found: dict[str, EntryPoint] = {}
    entries = entry_points(group=f"nullbench_site.{kind}")
    for entry in sorted(entries, key=lambda entry: (_package(entry) != OURS, entry.name)):
        other = found.setdefault(entry.name, entry)
        if other.value != entry.value:
            packages = f"{_package(other)} and {_package(entry)}"
            raise UsageError(f"both {packages} register {entry.name!r} among {kind}; uninstall one of them")
    return MappingProxyType(found)


@cache
def load(kind: Kind, name: str) -> Any:
    """What stands behind an entry. Raises KeyError for a name nobody registered, UsageError where it cannot be had."""
    entry = registered(kind)[name]
    try:
        return entry.load()
    except (ImportError, AttributeError) as error:
        advice = "install a version of it that fits, or uninstall it"
        raise UsageError(f"{_package(entry)} registers {name!r} among {kind}, but: {error}; {advice}") from error


def origin(kind: Kind, name: str) -> str | None:
    """Package and version of an extension, `package 1.0`; None of what nobody registers, and of ours."""
    entry = registered(kind).get(name)
    if entry is None or entry.dist is None or _package(entry) == OURS:
        return None
    return f"{entry.dist.name} {entry.dist.version}"


def _package(entry: EntryPoint) -> str:
    return OURS if entry.dist is None else entry.dist.name


@cache
def protocol_part(name: str, part: Literal["specs", "judging", "scoring", "pages"]) -> Any:
    """What a floor of the program needs of a protocol, imported when that floor first asks.

    A protocol is a package with a module for each of its parts, and that module holds the part under its own name in
    capitals. Raises KeyError for a protocol that nobody registered, UsageError where the part cannot be had.
    """
    package = load("protocols", name).__name__
    try:
        return getattr(import_module(f"{package}.{part}"), part.upper())
    except (ImportError, AttributeError) as error:
        raise UsageError(f"the protocol {name!r} cannot be used: {error}; install a version of it that fits") from error
