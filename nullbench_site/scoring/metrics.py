"""The registry of metrics: every number of the site by id.

The metrics that boards of several protocols share are declared in this package. The module `metrics` of a protocol has
its own, and packages add some by the entry point `nullbench_site.metrics`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np

from nullbench_site.errors import UsageError
from nullbench_site.extensions import load, protocol_folder, protocol_part, registered
from nullbench_site.scoring.answer_metrics import ANSWER_METRICS
from nullbench_site.scoring.columns import Column, Metric, MetricEntry, SharedBy
from nullbench_site.scoring.judge_metrics import JUDGE_METRICS
from nullbench_site.scoring.observations import Observations
from nullbench_site.scoring.page_metrics import PAGE_METRICS
from nullbench_site.scoring.score_metrics import SCORE_METRICS

SHARED = (*SCORE_METRICS, *ANSWER_METRICS, *PAGE_METRICS, *JUDGE_METRICS)
GROUPS: tuple[SharedBy, ...] = ("scores", "panels")
"""The groups of shared metrics that a protocol has unless its module `metrics` has its own GROUPS."""
_ADVICE = "install a version of it that fits, or uninstall it"


def own_metrics(protocol: str) -> Sequence[Metric]:
    """Return the metrics that a protocol declares. Raises UsageError if its module cannot be used."""
    return [_complete(metric, protocol) for metric in protocol_part(protocol, "metrics")] if _has_own(protocol) else ()


def added_metrics() -> dict[str, Metric]:
    """Return the metrics that packages add to every board. Raises UsageError if one cannot be used."""
    added = {}
    for name, extension in registered("metrics").items():
        try:
            metric = replace(load("metrics", name), id=name, columns=(name,), protocols=tuple(registered("protocols")))
            MetricEntry.of(metric)
        except (TypeError, ValueError) as error:
            raise UsageError(f"{extension.package} adds a number {name!r}, but: {error}; {_ADVICE}") from error
        column = metric.shown_on or Column(parts=False)
        added[name] = replace(metric, shown_on=replace(column, shown=partial(_is_shown, name, column)))
    return added


def _is_shown(name: str, column: Column, view: Any) -> bool:
    """Return True if the results of a board have a package's metric, and its column is shown."""
    return name in view.results.derived and column.shown(view)


def added_values(observations: Observations) -> dict[str, float | None]:
    """Compute the metrics of packages for one contestant; None for those that are not finite.

    Raises UsageError if one cannot be computed.
    """
    return {name: _added_value(name, metric, observations) for name, metric in added_metrics().items()}


def _added_value(name: str, metric: Metric, observations: Observations) -> float | None:
    try:
        return None if metric.value is None else _finite(metric.value(observations))
    except Exception as error:
        message = f"the number {name!r} of {observations.model} cannot be computed ({type(error).__name__}: {error})"
        package = registered("metrics")[name].package
        raise UsageError(f"{message}; install a version of {package} that fits, or uninstall it") from error


def _finite(value: Any) -> float | None:
    """Return a number of a package as a plain float or int; None if it is not finite. Raises TypeError."""
    number = value.item() if isinstance(value, np.generic) else value
    if number is not None and (isinstance(number, bool) or not isinstance(number, int | float)):
        raise TypeError(f"{type(value).__name__} is not a number")
    return number if number is not None and isfinite(number) else None


def package_of(metric: Metric) -> str:
    """Return the package that brings a metric."""
    adding = registered("metrics").get(metric.id) or registered("protocols")[metric.protocols[0]]
    return adding.package


def _complete(metric: Metric, *protocols: str) -> Metric:
    columns = (metric.id,) if metric.columns is None else tuple(metric.columns)
    return replace(metric, columns=columns, protocols=protocols)


def _read() -> dict[str, Metric]:
    own = {protocol: own_metrics(protocol) for protocol in registered("protocols")}
    every = [metric for of_protocol in own.values() for metric in of_protocol]
    metrics = [metric for metric in every if not metric.before and not metric.after]
    for shared in SHARED:
        having = [protocol for protocol in own if shared.of == "all" or shared.of in _groups(protocol)]
        metrics += [metric for metric in every if metric.before == shared.id]
        metrics.append(_complete(shared, *having))
        metrics += [metric for metric in every if metric.after == shared.id]
    added = added_metrics()
    _refuse_twice(metrics, added)
    return {metric.id: metric for metric in (*metrics, *added.values())}


def _groups(protocol: str) -> Sequence[SharedBy]:
    """Return the groups of shared metrics that boards of a protocol have."""
    if not _has_own(protocol):
        return GROUPS
    module = import_module(f"{load('protocols', protocol).__name__}.metrics")
    groups: Sequence[SharedBy] = getattr(module, "GROUPS", GROUPS)
    return groups


def _has_own(protocol: str) -> bool:
    return (protocol_folder(protocol) / "metrics.py").is_file()


def _refuse_twice(metrics: Sequence[Metric], added: Mapping[str, Any]) -> None:
    """Raise UsageError if two metrics have the same id."""
    ids = {metric.id for metric in metrics}
    for name in added:
        if name in ids:
            package = registered("metrics")[name].package
            raise UsageError(f"{package} adds a number {name!r}, but boards have one with that name; {_ADVICE}")
    for metric, other in pairwise(sorted(metrics, key=lambda metric: metric.id)):
        if metric.id == other.id:
            protocols = " and ".join(sorted({*metric.protocols, *other.protocols}))
            raise UsageError(f"{protocols} each have a metric {metric.id!r}; uninstall a protocol of another package")


METRICS: Mapping[str, Metric] = _read()
"""Every metric by id, in the order of the methodology page."""
