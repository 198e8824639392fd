"""How a contestant answered and what each judge gave, as its records say, in arrays. No text is kept.

No observation knows of another contestant, so a board is a reduction over shards, and one more contestant costs one
more.
"""

from __future__ import annotations

from math import nan
from pathlib import Path
from typing import Any, get_args

import msgspec
import numpy as np

from nullbench_site.errors import StorageError
from nullbench_site.runs.records import CheckResult, Ended
from nullbench_site.runs.storage import read_cache, write_cache
from nullbench_site.scoring.rounding import significant
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.measure import Measure
from nullbench_site.stats.telemetry import percentile, stability, throughput_runes_per_s, tokens_per_s

VERDICTS = ("scored", "unparsed", "errored", "missing")
"""How a verdict that an answer needs ended, by number; missing: nobody was asked for it yet."""
SCORED, UNPARSED, ERRORED, MISSING = range(len(VERDICTS))
NOT_DUE = -1
"""The number where no verdict is needed: no answer to judge, or a judge that may not."""
ALONE = -1
"""The position of an answer that a judge was shown alone, or nobody knows where."""
ENDS: tuple[Ended, ...] = get_args(Ended)
"""Why an answer ended, by number; the first is that of an answer which ended by itself."""
UNTIMED = "answers came without the time they took"
NO_TEXTS = "the texts are not in the data"


class Observations(msgspec.Struct, kw_only=True):
    """What the records of one contestant on one board say.

    A unit is a sample of an item, all turns of it; its number is `item number * samples + sample`. A task is a judge
    with a wording.
    present: (units,) which have a response, at every turn or up to one that failed. answered: which have one that did
    not fail, at every turn. turns: how many were answered. seconds, runes, tokens: sums over turns, NaN where not
    measured. ended: numbers of ENDS, of several turns the highest. served: places in servers, the models that answered;
    the first, None, is the one asked.
    checks: unit -> what programs found in the answer, where there is anything.
    values: (units, tasks, scores) what each task gave, NaN for nothing valid; the scores of an item in the order in
    which its protocol names them. verdicts: (units, tasks) numbers of VERDICTS, or NOT_DUE. invalid: (units, tasks)
    fields refused. repaired: whether the judge was asked twice, and its second reply counts. positions: (units, tasks)
    where the answer stood of two: 0 first, 1 second, or ALONE. cost: (units,) US dollars
    of the answer and of all verdicts on it; NaN where one of them has no price.
    """

    model: str
    present: Bools
    answered: Bools
    turns: Ints
    seconds: Floats
    runes: Ints
    tokens: Floats
    ended: Ints
    served: Ints
    servers: tuple[str | None, ...]
    checks: dict[int, tuple[CheckResult, ...]]
    values: Floats
    verdicts: Ints
    invalid: Ints
    repaired: Bools
    positions: Ints
    cost: Floats

    def judged_by(self, tasks: Bools) -> Observations:
        """The same as if these tasks, (tasks,), had been asked alone; its cost is that of all."""
        return msgspec.structs.replace(
            self,
            values=np.where(tasks[:, np.newaxis], self.values, nan),
            verdicts=np.where(tasks, self.verdicts, NOT_DUE),
            invalid=np.where(tasks, self.invalid, 0),
            repaired=self.repaired & tasks,
        )

    @property
    def silent(self) -> Bools:
        """(units,) answers that no task replied about: none was asked yet, or all calls failed; none without tasks."""
        replied = (self.verdicts == SCORED) | (self.verdicts == UNPARSED)
        silent: Bools = self.answered & ~replied.any(axis=1) & (self.verdicts.shape[1] > 0)
        return silent


def read_kept(kept: Path | None) -> Observations | None:
    """Those that were kept at a place; None where there are none to be used."""
    content = None if kept is None else read_cache(kept)
    try:
        return None if content is None else msgspec.msgpack.decode(content, type=Observations, dec_hook=_array)
    except (msgspec.DecodeError, ValueError):
        return None  # those of another time are only to be made again


def keep(kept: Path, observations: Observations) -> None:
    """Keep them for `read_kept`, where that is possible."""
    try:
        write_cache(kept, msgspec.msgpack.encode(observations, enc_hook=_packed))
    except StorageError:
        return  # without the cache the next build is slower, not wrong


def _packed(array: Any) -> Any:
    return array.dtype.str, array.shape, array.tobytes()


def _array(kind: Any, packed: Any) -> Any:
    dtype, shape, content = packed
    return np.frombuffer(content, dtype=dtype).reshape(shape)


def telemetry(observations: Observations) -> dict[str, Any]:
    """The columns of a board's row that come from answered responses alone; `absent` says why some are None.

    Tokens are exact if the endpoint counted those of every answer. served_by: the models that answered in place of the
    one asked -> how many answers.
    """
    chosen = observations.answered
    seconds, runes, tokens = (of[chosen] for of in (observations.seconds, observations.runes, observations.tokens))
    exact = bool(chosen.any() and not np.isnan(tokens).any())
    timed = not np.isnan(seconds).any()  # a part of the times would be those of a part of the answers
    seconds = seconds if timed else seconds[:0]
    untimed = Measure.undefined(UNTIMED)
    measures: dict[str, Measure] = {
        "throughput_rps": throughput_runes_per_s(runes, seconds) if timed else untimed,
        "throughput_tps": tokens_per_s(runes, seconds, tokens if exact else None) if timed else untimed,
    }
    steady = stability(seconds) if timed else UNTIMED
    absent = {name: measure.reason for name, measure in measures.items() if measure.reason}
    if isinstance(steady, str):
        absent["stability"] = steady
    if not timed and runes.size and not runes.any():  # whoever brings verdicts alone has no texts to measure
        runes, absent["median_response_length"] = runes[:0], NO_TEXTS
    ends = np.bincount(observations.ended[chosen], minlength=len(ENDS)).tolist()
    served = np.bincount(observations.served[chosen], minlength=len(observations.servers)).tolist()
    return dict(
        stability=None if isinstance(steady, str) else round(steady.score, 2),
        stability_tail=None if isinstance(steady, str) else round(steady.tail, 2),
        stability_extremes=None if isinstance(steady, str) else round(steady.extremes, 2),
        stability_jitter=None if isinstance(steady, str) else round(steady.jitter, 2),
        **{name: significant(rate.value, 2) for name, rate in measures.items()},
        tokens_exact=exact,
        median_response_time_ms=significant(percentile(1000 * seconds, 50), 3),
        p95_response_time_ms=significant(percentile(1000 * seconds, 95), 3),
        max_response_time_ms=significant(percentile(1000 * seconds, 100), 3),
        median_response_length=percentile(runes, 50),
        **{f"ended_{end}": n for end, n in zip(ENDS, ends, strict=True) if end != "stop"},
        served_by={name: n for name, n in sorted(zip(observations.servers[1:], served[1:], strict=True)) if name and n},
        absent=absent,
    )
