"""The registry of metrics: what each number on the site is called, means, is measured in, and comes from.

Table headers, tooltips, the methodology page and the data dictionary are all made from it, so none can disagree.
The entries that boards of several protocols have stand in data/metrics.yaml, those of one protocol in the file
metrics.yaml of its package. There `has` says which groups of the former its boards have, all where it does not, and an
entry may stand `before` or `after` one of the former; otherwise it stands before all of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol

import msgspec
import numpy as np
import yaml

from nullbench_site.errors import UsageError
from nullbench_site.extensions import load, protocol_folder, registered
from nullbench_site.packaged import PACKAGE

if TYPE_CHECKING:
    from nullbench_site.scoring.observations import Observations


class Metric(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One number. `formula` is LaTeX, or empty where the explanation says all.

    columns: what it is called in results and CSV files, its id where the file names none; empty for what pages alone
    show. `<axis>` stands for the id of each axis, `<judge>` and `<metric>` for those of each judge and each metric of
    G-Eval. protocols: of the boards that have it.
    """

    id: str
    title: str
    short: str
    unit: str
    direction: Literal["higher", "lower", "neither"]
    explanation: str
    formula: str = ""
    source: str
    columns: tuple[str, ...]
    protocols: tuple[str, ...]
    digits: Annotated[int, msgspec.Meta(ge=0, le=12)] = 1


class Derived(Protocol):
    """A number that a package adds to every board by an entry point in the group `nullbench_site.metrics`.

    The entry's name is its column and its id. about: the other fields of its Metric, without columns and protocols.
    """

    about: Mapping[str, Any]

    def value(self, observations: Observations) -> float | None:
        """Of a contestant on a whole board, from its observations; None where there is none."""
        ...


GROUPS = ("scores", "panels")
"""What a shared entry may be `of`: boards whose score is a mean, boards that judges score. Without, it is of all."""
_FIRST = ("before", "")


def _read() -> dict[str, Metric]:
    groups: dict[str, Sequence[str]] = {}
    beside: dict[tuple[str, str], list[Metric]] = {}
    for protocol in registered("protocols"):
        groups[protocol], own = _of_protocol(protocol)
        for place, metric in own:
            beside.setdefault(place, []).append(metric)
    metrics = beside.pop(_FIRST, [])
    for entry in _file(PACKAGE / "data" / "metrics.yaml")["metrics"]:
        group, this = entry.pop("of", None), entry["id"]
        having = [protocol for protocol, has in groups.items() if group is None or group in has]
        metrics += [*beside.pop(("before", this), ()), _metric(entry, *having), *beside.pop(("after", this), ())]
    metrics += chain(*beside.values())
    metrics += _added({metric.id for metric in metrics}, *groups)
    for metric, other in pairwise(sorted(metrics, key=lambda metric: metric.id)):
        if metric.id == other.id:
            protocols = " and ".join(sorted({*metric.protocols, *other.protocols}))
            raise UsageError(f"{protocols} have each a metric {metric.id!r}; uninstall a protocol that is not ours")
    return {metric.id: metric for metric in metrics}


def _added(taken: Collection[str], *protocols: str) -> Iterator[Metric]:
    """The numbers that packages add. Raises UsageError where one has the name of another number, or says too little."""
    for name, extension in registered("metrics").items():
        advice = "install a version of it that fits, or uninstall it"
        if name in taken:
            raise UsageError(f"{extension.package} adds a number {name!r}, and boards have one of that name; {advice}")
        try:
            yield _metric({"id": name, **load("metrics", name).about}, *protocols)
        except (AttributeError, TypeError, ValueError) as error:
            raise UsageError(f"{extension.package} adds a number {name!r}, but: {error}; {advice}") from error


def derived(observations: Observations) -> dict[str, float | None]:
    """The numbers that packages add, of a contestant, by name; None of what is no finite number.

    Raises UsageError where one cannot be worked out, or is none.
    """
    return {name: _derived(name, observations) for name in registered("metrics")}


def _derived(name: str, observations: Observations) -> float | None:
    try:
        value = load("metrics", name).value(observations)
        number = value.item() if isinstance(value, np.generic) else value
        if number is not None and (isinstance(number, bool) or not isinstance(number, int | float)):
            raise TypeError(f"{type(value).__name__} is no number")
        return number if number is not None and isfinite(number) else None
    except Exception as error:
        message = f"the number {name!r} of {observations.model} cannot be worked out ({type(error).__name__}: {error})"
        advice = f"install a version of {package_of(METRICS[name])} that fits, or uninstall it"
        raise UsageError(f"{message}; {advice}") from error


def package_of(metric: Metric) -> str:
    """The package that brings a number."""
    adding = registered("metrics").get(metric.id) or registered("protocols")[metric.protocols[0]]
    return adding.package


def _of_protocol(name: str) -> tuple[Sequence[str], list[tuple[tuple[str, str], Metric]]]:
    """The groups of shared metrics that a protocol has, and its own, each with its place.

    Raises UsageError where its file says nothing of the kind.
    """
    path = protocol_folder(name) / "metrics.yaml"
    if not path.is_file():
        return GROUPS, []
    try:
        file, own = _file(path), []
        for entry in file.get("metrics", ()):
            place = next(((side, entry.pop(side)) for side in ("before", "after") if side in entry), _FIRST)
            own.append((place, _metric(entry, name)))
    except (AttributeError, KeyError, TypeError, ValueError, yaml.YAMLError) as error:
        raise UsageError(f"the protocol {name!r} cannot be used: {path}: {error}; mend it, or uninstall it") from error
    return file.get("has", GROUPS), own


def _file(path: Path) -> Any:
    return yaml.load(path.read_bytes(), yaml.CSafeLoader)


def _metric(entry: Mapping[str, Any], *protocols: str) -> Metric:
    return msgspec.convert({"columns": [entry["id"]], "protocols": protocols, **entry}, Metric)


METRICS: Mapping[str, Metric] = _read()
"""Every metric by id, in the order of the methodology page."""
