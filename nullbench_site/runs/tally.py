"""How the records of a run ended and what their calls took: the counts and usage of its manifest."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import fsum

from nullbench_site.runs.manifest import Counts, Usage, Usages
from nullbench_site.runs.records import Record, Response


@dataclass
class RecordTally:
    """Adds records up, in any order. A call whose answer stands at several places was paid for once: it counts once."""

    _ended: Counter[str] = field(default_factory=Counter)
    _keys: set[str] = field(default_factory=set)
    _used: dict[tuple[str, str], _Sums] = field(default_factory=dict)

    def add(self, record: Record) -> None:
        of_response = isinstance(record, Response)
        self._ended["judge_errored" if not of_response and record.state == "errored" else record.state] += 1
        if record.state != "errored" and record.key not in self._keys:
            self._keys.add(record.key)
            who = ("contestants", record.model) if isinstance(record, Response) else ("judges", record.judge)
            if who not in self._used:
                self._used[who] = _Sums()
            self._used[who].add(record)

    @property
    def counts(self) -> Counts:
        return Counts(**self._ended)

    @property
    def usage(self) -> Usages:
        """Without those that neither counted a token nor have a price: programs."""
        used: dict[str, dict[str, Usage]] = {"contestants": {}, "judges": {}}
        for (kind, name), sums in sorted(self._used.items()):
            if sums.calls > min(sums.uncounted, sums.unpriced):
                used[kind][name] = sums.usage()
        return Usages(**used)


@dataclass
class _Sums:
    calls: int = 0
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    uncounted: int = 0
    unpriced: int = 0
    costs: list[float] = field(default_factory=list)

    def add(self, record: Record) -> None:
        self.calls += 1
        self.input_tokens += record.input_tokens or 0
        self.cached_input_tokens += record.cached_input_tokens or 0
        self.output_tokens += record.output_tokens or 0
        self.uncounted += record.input_tokens is None or record.output_tokens is None
        if record.cost_usd is None:
            self.unpriced += 1
        else:
            self.costs.append(record.cost_usd)

    def usage(self) -> Usage:
        # fsum, so that the order of the records does not move the last digit.
        cost = round(fsum(self.costs), 9)
        return Usage(
            calls=self.calls,
            input_tokens=self.input_tokens,
            cached_input_tokens=self.cached_input_tokens,
            output_tokens=self.output_tokens,
            cost_usd=cost,
            uncounted=self.uncounted,
            unpriced=self.unpriced,
        )
