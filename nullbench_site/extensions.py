"""What packages add to the program by entry points. Ours are registered in the same way, in pyproject.toml.

A group is named `nullbench_site.<kind>`, an entry in it by the name that specs or commands use.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, Literal

import msgspec

from nullbench_site.errors import UsageError
from nullbench_site.text import short_line

Kind = Literal["protocols", "checks", "programs", "backends", "metrics", "importers"]
OURS = "nullbench-site"
"""The package whose version a run records anyway."""
_GROUP = "nullbench_site."
_MOST_WHY = 300
"""Characters of the message of an error that is not ours."""


class Extension(msgspec.Struct, frozen=True):
    """One entry point. value: where the object stands, as `module:name`, or a module."""

    kind: str
    name: str
    value: str
    package: str
    version: str

    def load(self) -> Any:
        """The object, or the module. Raises ImportError and AttributeError."""
        module, _, names = self.value.partition(":")
        return attrgetter(names)(import_module(module)) if names else import_module(module)


@cache
def registered(kind: Kind) -> Mapping[str, Extension]:
    """Every extension of a kind by its name, none of them loaded; ours first, then by name.

    Raises UsageError where two packages register one name, as which of them scores would be chance, and where none of
    ours is registered.
    """
    extensions: dict[str, Extension] = {}
    for extension in sorted(_installed(), key=lambda each: (each.package != OURS, each.name, each.package)):
        if extension.kind == kind:
            other = extensions.setdefault(extension.name, extension)
            if other.value != extension.value:
                packages = f"{other.package} and {extension.package}"
                raise UsageError(f"both {packages} register {extension.name!r} among {kind}; uninstall one of them")
    if kind != "metrics" and all(extension.package != OURS for extension in extensions.values()):
        raise UsageError(f"none of our {kind} is registered: {OURS} is newer than its installation; install it again")
    return MappingProxyType(extensions)


@cache
def load(kind: Kind, name: str) -> Any:
    """What stands behind an entry. Raises KeyError for a name nobody registered, UsageError where it cannot be had."""
    extension = registered(kind)[name]
    try:
        return extension.load()
    except (Exception, SystemExit) as error:  # whatever its module raises, as of a Python or a library it is not for
        raise does_not_fit(kind, name, error) from error


def load_all(kind: Kind) -> Mapping[str, Any]:
    """Everything of a kind by its name. Raises UsageError as `registered` and `load`."""
    return MappingProxyType({name: load(kind, name) for name in registered(kind)})


def origin(kind: Kind, name: str) -> str | None:
    """Package and version of an extension, `package 1.0`; None of what nobody registers, and of ours."""
    extension = registered(kind).get(name)
    return None if extension is None or extension.package == OURS else f"{extension.package} {extension.version}"


def others() -> list[str]:
    """Package and version of all that add something, ours aside."""
    return sorted({f"{each.package} {each.version}" for each in _installed() if each.package != OURS})


@cache
def protocol_part(name: str, part: Literal["specs", "judging", "scoring", "pages"]) -> Any:
    """What a floor of the program needs of a protocol, imported when that floor first asks.

    A protocol is a package with a module for each of its parts, and that module holds the part under its own name in
    capitals. Raises KeyError for a protocol that nobody registered, UsageError where the part cannot be had.
    """
    package = _protocol(name)
    try:
        return getattr(import_module(f"{package.__name__}.{part}"), part.upper())
    except (Exception, SystemExit) as error:
        raise does_not_fit("protocols", name, error) from error


def does_not_fit(kind: Kind, name: str, why: BaseException) -> UsageError:
    """What to say of an extension that cannot be used."""
    package, reason = registered(kind)[name].package, short_line(f"{type(why).__name__}: {why}".rstrip(": "), _MOST_WHY)
    advice = "install a version of it that fits, or uninstall it"
    return UsageError(f"{package} registers {name!r} among {kind}, but {reason}; {advice}")


def version_of(package: str) -> str | None:
    """The version of an installed package; None where there is none of that name."""
    return _packages().get(package, (None, ""))[0]


@cache
def _packages() -> Mapping[str, tuple[str, Path]]:
    """The version of each package on the path, and where pip wrote what it is; those that none before it hides.

    Read from the names of folders: importlib.metadata takes 20 ms of every command for the same.
    """
    packages: dict[str, tuple[str, Path]] = {}
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")  # noqa: PTH208 - half the time
        except OSError:
            continue
        for name in names:
            if name.endswith(".dist-info"):
                package, _, version = name.removesuffix(".dist-info").partition("-")
                packages.setdefault(re.sub(r"[-_.]+", "-", package).lower(), (version, Path(folder, name)))
    return MappingProxyType(packages)


def protocol_folder(name: str) -> Path:
    """Where a protocol stands, with the files of it that are no modules. Raises as `protocol_part`."""
    return Path(_protocol(name).__path__[0])


def _protocol(name: str) -> ModuleType:
    package: ModuleType = load("protocols", name)
    if not hasattr(package, "__path__"):
        raise does_not_fit("protocols", name, TypeError("it is no package of modules"))
    return package


@cache
def _installed() -> tuple[Extension, ...]:
    """The entry points of all packages that are for this program."""
    return tuple(
        extension
        for package, (version, folder) in _packages().items()
        for extension in _in_folder(folder, package, version)
    )


def _in_folder(folder: Path, package: str, version: str) -> Iterator[Extension]:
    try:
        text = (folder / "entry_points.txt").read_text("utf-8", "replace")
    except OSError:
        return
    yield from _parsed(text, package, version) if _GROUP in text else ()


def _parsed(text: str, package: str, version: str) -> Iterator[Extension]:
    group = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            group = line.strip("[]").strip()
        elif group.startswith(_GROUP) and "=" in line and not line.startswith(("#", ";")):
            name, _, value = line.partition("=")
            where = value.partition("[")[0].strip()  # without the extras it may ask for
            yield Extension(group.removeprefix(_GROUP), name.strip(), where, package, version)
