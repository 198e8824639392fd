"""Salience: favourable findings and null or negative ones get their due."""

from ..evidence import Evidence
from ..keys import attained, mean_support
from ..measure import Measure


def salience(evidence: Evidence) -> Measure:
    """Findings told, as far as the room could hold them; if there are both sorts, half depends on balance.

    Balance is 1 less the difference between the shares told of favourable findings and of null or negative
    ones. None without findings.
    """
    told = attained(
        evidence.facts("positive", "null", "negative"),
        evidence.answer,
        evidence.source,
        evidence.case.constraints,
    )
    if told is None:
        return Measure(None)
    favourable, other = evidence.facts("positive"), evidence.facts("null", "negative")
    if not favourable or not other:
        return Measure(told)
    shares = mean_support(favourable, evidence.answer.normal), mean_support(other, evidence.answer.normal)
    note = "" if all(shares) else f"no {'null or negative' if shares[0] else 'favourable'} finding told"
    return Measure(told * (1 - abs(shares[0] - shares[1]) / 2), note if any(shares) else "no finding told")
