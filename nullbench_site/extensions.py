"""Extensions: the parts that packages add to the program through entry points. Ours are registered the same way.

The group of a kind is `nullbench_site.<kind>`; an entry has the name that specs or commands use.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, PackageNotFoundError, distributions, version
from itertools import chain
from pathlib import Path
from traceback import walk_tb
from types import MappingProxyType, ModuleType
from typing import Any, Literal, get_args

import msgspec

from nullbench_site.errors import UsageError
from nullbench_site.text import short_line

Kind = Literal["protocols", "checks", "programs", "backends", "metrics", "importers"]
OURS = "nullbench-site"
"""Our package; a run records its version anyway."""
_GROUP = "nullbench_site."
_MOST_WHY = 300
"""The most characters of an extension's error."""


class Extension(msgspec.Struct, frozen=True):
    """One entry point, with the package that registers it and the version of that package."""

    entry: EntryPoint
    package: str
    version: str

    @property
    def kind(self) -> str:
        return self.entry.group.removeprefix(_GROUP)

    @property
    def name(self) -> str:
        return self.entry.name

    def load(self) -> Any:
        """Return the object or the module. Raises ImportError and AttributeError."""
        return self.entry.load()


@cache
def registered(kind: Kind) -> Mapping[str, Extension]:
    """Return every extension of a kind by name, not loaded; ours first.

    Raises UsageError if two packages register one name, or if none of ours is registered.
    """
    extensions: dict[str, Extension] = {}
    for extension in sorted(_installed(), key=lambda each: (each.package != OURS, each.name, each.package)):
        if extension.kind == kind:
            other = extensions.setdefault(extension.name, extension)
            if other.entry.value != extension.entry.value:
                packages = f"{other.package} and {extension.package}"
                raise UsageError(f"both {packages} register {extension.name!r} among {kind}; uninstall one of them")
    if kind != "metrics" and all(extension.package != OURS for extension in extensions.values()):
        raise UsageError(f"none of our {kind} is registered: {OURS} is newer than its installation; install it again")
    return MappingProxyType(extensions)


@cache
def load(kind: Kind, name: str) -> Any:
    """Return the object of an entry. Raises KeyError for an unknown name, UsageError if it cannot be loaded."""
    extension = registered(kind)[name]
    try:
        return extension.load()
    except (Exception, SystemExit) as error:  # a module may raise anything
        raise does_not_fit(kind, name, error) from error


def load_all(kind: Kind) -> Mapping[str, Any]:
    """Return all objects of a kind by name. Raises UsageError as `registered` and `load`."""
    return MappingProxyType({name: load(kind, name) for name in registered(kind)})


def origin(kind: Kind, name: str) -> str | None:
    """Return the package and version of an extension, `package 1.0`; None for ours and for unknown names."""
    extension = registered(kind).get(name)
    return None if extension is None or extension.package == OURS else f"{extension.package} {extension.version}"


def others() -> list[str]:
    """Return the package and version of all other packages with extensions."""
    return sorted({f"{each.package} {each.version}" for each in _installed() if each.package != OURS})


@cache
def protocol_part(name: str, part: Literal["specs", "judging", "metrics", "scoring", "pages"]) -> Any:
    """Return a part of a protocol: each part is a module of its package, with an object of that name in capitals.

    Raises KeyError for an unknown protocol, UsageError if the part cannot be loaded.
    """
    package = _protocol(name)
    try:
        return getattr(import_module(f"{package.__name__}.{part}"), part.upper())
    except (Exception, SystemExit) as error:
        raise does_not_fit("protocols", name, error) from error


def does_not_fit(kind: Kind, name: str, why: BaseException) -> UsageError:
    """Return the error for an extension that cannot be used."""
    package, reason = registered(kind)[name].package, short_line(f"{type(why).__name__}: {why}".rstrip(": "), _MOST_WHY)
    advice = "install a version of it that fits, or uninstall it"
    return UsageError(f"{package} registers {name!r} among {kind}, but {reason}; {advice}")


def raised_in(error: BaseException) -> Extension | None:
    """Return the extension of another package in whose code an error was raised, if any."""
    if isinstance(error, BaseExceptionGroup):
        return next(filter(None, map(raised_in, error.exceptions)), None)
    modules = [str(frame.f_globals.get("__name__")) for frame, _ in walk_tb(error.__traceback__)]
    for extension in _installed():
        if extension.package != OURS and any(
            module == extension.entry.module or module.startswith(f"{extension.entry.module}.") for module in modules
        ):
            return extension
    return None


def version_of(package: str) -> str | None:
    """Return the version of an installed package, or None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def protocol_folder(name: str) -> Path:
    """Return the folder of a protocol, with its templates and texts. Raises as `protocol_part`."""
    return Path(_protocol(name).__path__[0])


def _protocol(name: str) -> ModuleType:
    package: ModuleType = load("protocols", name)
    if not hasattr(package, "__path__"):
        raise does_not_fit("protocols", name, TypeError("it is not a package of modules"))
    return package


@cache
def _installed() -> tuple[Extension, ...]:
    """Return the entry points of all packages that are for this program; of two versions, those of the first."""
    groups = {f"{_GROUP}{kind}" for kind in get_args(Kind)}
    packages: dict[str, list[Extension]] = {}
    for package in distributions():
        if own := [entry for entry in package.entry_points if entry.group in groups]:
            name, its_version = package.name.lower().replace("_", "-"), package.version
            packages.setdefault(name, [Extension(entry, name, its_version) for entry in own])
    return tuple(chain.from_iterable(packages.values()))
