"""The tables of results about contamination: by date, by overlap with text, by canaries, and how well probes find it.

`absent` says why a number is absent.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec


class ContaminationDateRow(msgspec.Struct, kw_only=True):
    """How much more the score of a contestant drops after a date than the scores of others, in points.

    by: date, a date of the board; cutoff, the contestant's own training cutoff. date: which it is, None if it is
    unknown. category: None for all items. n_before, n_after: how many items with a date are on each side. before,
    after: the mean scores on them. others_drop: the mean drop of the n_others contestants that are not related.
    difference: drop - others_drop, with se. low, high: its simultaneous bounds. flagged: whether low > 0, with an error
    of 2.5 % for all tests by date of the board together. absent: why one of these is absent.
    """

    model: str
    by: Literal["date", "cutoff"]
    date: str | None
    category: str | None
    n_before: int
    n_after: int
    n_others: int
    before: float | None
    after: float | None
    drop: float | None
    others_drop: float | None
    difference: float | None
    se: float | None
    low: float | None
    high: float | None
    flagged: bool | None
    absent: str | None


class OverlapRow(msgspec.Struct, kw_only=True):
    """The score of a contestant on items that are in a corpus and on items that are not; numbers as in `Inflation`.

    n_tested: how many items with an answer that counts were testable. n_contaminated: how many of them are in a corpus.
    rate: c, 0-1. p_mem, p_clean: the mean scores on contaminated and on clean items. gap: p_mem - p_clean; wide:
    whether it is above 5 points. delta_c: c times the gap. clean: the score of the board from clean items alone. Each
    has a 95 % interval from _low to _high. gap_bound: the lower bound of the gap with an error of 2.5 % for all models
    together; absent for programs, which are not trained. absent: why a number or its interval is absent.
    """

    model: str
    n_tested: int
    n_contaminated: int
    rate: float | None
    p_mem: float | None
    p_mem_low: float | None
    p_mem_high: float | None
    p_clean: float | None
    p_clean_low: float | None
    p_clean_high: float | None
    gap: float | None
    gap_low: float | None
    gap_high: float | None
    wide: bool | None
    delta_c: float | None
    delta_c_low: float | None
    delta_c_high: float | None
    clean: float | None
    clean_low: float | None
    clean_high: float | None
    gap_bound: float | msgspec.UnsetType = msgspec.UNSET
    absent: dict[str, str]


class ItemDateRow(msgspec.Struct, kw_only=True):
    """Whether all items of a board are newer than a model.

    released: when the model was released, as its spec said at scoring. first: the day of the oldest item, in the commit
    or the sealed run that `source` names. newer: whether that is later than the day after the release. n_items: the
    items of the board. absent: why `newer` is not known.
    """

    model: str
    n_items: int
    released: str | None
    first: str | None
    source: str | None
    newer: bool | None
    absent: str | None = None


class CanaryRow(msgspec.Struct, kw_only=True):
    """How many canaries of the board's files a contestant completes. Whoever can was trained on the file.

    n_canaries: the canaries of the board's files. n_answered: the calls with an answer; n_errored: those that failed.
    n_completed: the answers with the 16 digits that the question does not show; completed: their files, below specs/.
    absent: why there is no answer.
    """

    model: str
    n_canaries: int
    n_answered: int
    n_errored: int
    n_completed: int
    completed: list[str] = []
    absent: str | None


ContaminationProbe: TypeAlias = Literal["canary", "overlap", "gap", "significant gap"]


class ProbeCheck(msgspec.Struct, kw_only=True):
    """What a probe of contamination finds of a program that has seen a known share of the items, and of the rest.

    probe: canary, completed canaries of seen and of other files; overlap, seen and other items that share 13 words in a
    row with the text of the seen ones; gap, a score on seen items more than 5 points above that on others; significant
    gap, an interval of that difference above 0. n_seen, found_seen: how much of what was seen was tested, and found.
    n_rest, found_rest: the same of the rest, where each finding is a false alarm; of gaps, the other contestants, each
    in 20 further draws of the share. value, low, high: the gap of the program with its 95 % interval, in points.
    """

    model: str
    probe: ContaminationProbe
    n_seen: int
    found_seen: int
    n_rest: int
    found_rest: int
    value: float | None = None
    low: float | None = None
    high: float | None = None
