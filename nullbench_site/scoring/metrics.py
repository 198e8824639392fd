"""The registry of metrics: what each number on the site is called, means, is measured in, and comes from.

Table headers, tooltips, the methodology page and the data dictionary are all made from it, so none can disagree.
The entries stand in data/metrics.yaml.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
import yaml

from nullbench_site.packaged import PACKAGE


class Metric(msgspec.Struct, frozen=True, kw_only=True):
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
    digits: int = 1


def _read() -> dict[str, Metric]:
    registry: dict[str, Any] = yaml.load((PACKAGE / "data" / "metrics.yaml").read_bytes(), yaml.CSafeLoader)
    entries = ({"columns": [each["id"]], "protocols": registry["protocols"], **each} for each in registry["metrics"])
    return {each["id"]: msgspec.convert(each, Metric) for each in entries}


METRICS: Mapping[str, Metric] = _read()
"""Every metric by id, in the order of the methodology page."""
