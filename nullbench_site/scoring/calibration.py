"""The tables of calibration: how a contestant's confidences agree with whether its answers meet their keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from nullbench_site.scoring.board_tables import CalibrationRow, ReliabilityRow
from nullbench_site.stats import calibration as measures
from nullbench_site.stats import reliability
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.calibration import BINS, CLIP, logits, tempered
from nullbench_site.stats.measure import Bounded
from nullbench_site.stats.reliability import Bar

EVERY = "all"
"""The part of a board that has all of its items."""


@dataclass(frozen=True)
class MarkedAnswers:
    """The answers of a contestant that have a mark.

    confidences: (n,) of each kind, NaN for none. right: (n,) whether an answer meets its key. invalid: (n,) whether it
    has no valid answer. clusters: (n,) integers. parts: (n,) the answers of each format, if there are several.
    """

    model: str
    confidences: Mapping[str, Floats]
    right: Bools
    invalid: Bools
    clusters: Ints
    parts: Mapping[str, Bools]


def calibration_tables(
    contestants: Iterable[MarkedAnswers], reasons: Mapping[str, str], seed: int
) -> dict[str, list[CalibrationRow] | list[ReliabilityRow]]:
    """Return the tables `calibration` and `reliability`, without them if no answer has a confidence.

    reasons: for each kind of confidence, why a contestant has none. A contestant without any confidence has no rows.
    """
    rows: list[CalibrationRow] = []
    bars: list[ReliabilityRow] = []
    for each in contestants:
        known = {kind: ~np.isnan(values) for kind, values in each.confidences.items()}
        if not any(of.any() for of in known.values()):
            continue
        for kind, of_kind in known.items():
            if not of_kind.any():
                why = {"brier": reasons[kind]}
                rows.append(CalibrationRow(model=each.model, confidence_kind=kind, part=EVERY, n_answers=0, absent=why))
                continue
            for part, of_part in {EVERY: np.ones_like(of_kind), **each.parts}.items():
                chosen = of_kind & of_part
                if chosen.any():
                    row, own = _measured(each, kind, part, chosen, seed)
                    rows.append(row)
                    bars += own
    return {"calibration": rows, "reliability": bars} if rows else {}


def _measured(
    of: MarkedAnswers, kind: str, part: str, chosen: Bools, seed: int
) -> tuple[CalibrationRow, list[ReliabilityRow]]:
    """Return the row and the bars of some answers with a confidence of one kind."""
    p, y, clusters = of.confidences[kind][chosen], of.right[chosen].astype(np.float64), of.clusters[chosen]
    dependence = reliability.dependence(p, y, BINS, clusters)
    chance = reliability.calibrated(p, BINS, clusters, dependence=dependence, seed=seed)
    bars = reliability.reliability(p, y, BINS, clusters)
    gap, ece = measures.gap(p, y, clusters), measures.ece(p, y, BINS, clusters, seed=seed)
    fitted, compared = _tempering(p, y, clusters, seed)
    bounds = {
        "confidence_gap": gap,
        "brier": measures.brier(p, y, clusters),
        "nll": measures.nll(p, y, clusters),
        "ece": ece,
        "fitted_temperature": fitted,
    }
    numbers: dict[str, Any] = {name: bound.value for name, bound in bounds.items()}
    numbers |= {f"{name}_{end}": getattr(bound, end) for name, bound in bounds.items() for end in ("low", "high")}
    row = CalibrationRow(
        model=of.model,
        confidence_kind=kind,
        part=part,
        n_answers=p.size,
        n_invalid=int(of.invalid[chosen].sum()),
        n_clipped=int(((p < CLIP) | (p > 1 - CLIP)).sum()),
        mean_confidence=float(p.mean()),
        share_right=float(y.mean()),
        ece_chance_low=chance.ece[0],
        ece_chance_high=chance.ece[1],
        mce=measures.mce(p, y).value,
        mce_chance_low=chance.mce[0],
        mce_chance_high=chance.mce[1],
        shape=reliability.shape(ece, gap, bars, chance) if gap.reason is None else None,
        **numbers,
        **compared,
        absent={name: bound.reason for name, bound in bounds.items() if bound.reason is not None},
    )
    if gap.reason is not None:
        row.absent["shape"] = gap.reason
    return row, [_bar(row, bar, float(chance.gaps[bar.bin])) for bar in bars]


def _tempering(p: Floats, y: Floats, clusters: Ints, seed: int) -> tuple[Bounded, dict[str, Any]]:
    """Return the temperature of one half of the clusters, and the columns that compare the other half."""
    fitted = measures.halves(clusters, seed)
    found = measures.temperature(logits(p[fitted]), y[fitted], clusters[fitted])
    columns: dict[str, Any] = {"n_fitted": int(fitted.sum()), "n_held_out": int((~fitted).sum())}
    if found.value is not None and columns["n_held_out"]:
        before, right = p[~fitted], y[~fitted]
        for when, confidences in (("before", before), ("after", tempered(before, found.value))):
            columns[f"brier_{when}"] = measures.brier(confidences, right).value
            columns[f"nll_{when}"] = measures.nll(confidences, right).value
            columns[f"ece_{when}"] = measures.ece(confidences, right, BINS).value
    return found, columns


def _bar(row: CalibrationRow, bar: Bar, chance_gap: float) -> ReliabilityRow:
    return ReliabilityRow(
        model=row.model,
        confidence_kind=row.confidence_kind,
        part=row.part,
        bin_low=bar.low,
        bin_high=bar.high,
        n_answers=bar.n,
        mean_confidence=bar.confidence,
        share_right=bar.accuracy.value,
        share_right_low=bar.accuracy.low,
        share_right_high=bar.accuracy.high,
        chance_gap=chance_gap,
        absent=bar.accuracy.reason,
    )
