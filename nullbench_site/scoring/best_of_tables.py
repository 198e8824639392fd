"""The tables of what judges pick of several answers to an item.

Columns `_low` and `_high` are the ends of 95 % intervals. `absent` says why numbers or their intervals are absent.
"""

from __future__ import annotations

import msgspec


class BestOfRow(msgspec.Struct, kw_only=True):
    """What the answer that a judge scores highest of `n_picked_of` scores, 0-100.

    judge: None for the panel. kl_bound: the most that this choice moves the contestant, in nats. proxy: by the judge's
    own score. gold: by the key.
    """

    model: str
    judge: str | None
    n_picked_of: int
    kl_bound: float
    proxy: float | None
    proxy_low: float | None
    proxy_high: float | None
    gold: float | None
    gold_low: float | None
    gold_high: float | None


class BestOfFitRow(msgspec.Struct, kw_only=True):
    """The curves fitted to gold over n = 1 ... n_samples.

    judge: None for the panel. n_items: with a score and a mark of every answer, of n_clusters sources. no_choice: the
    share of them in which the judge gives all answers one score, 0-1. gain: how much more gold is at n_samples than at
    1, in points. fit_*: of d (alpha - beta d), log_*: of d (alpha - beta log d), in points. *_error: the root mean
    square distance of the curve. peak_n: where gold is highest. proxy_gold: the correlation of proxy and gold over n.
    """

    model: str
    judge: str | None
    n_samples: int
    n_items: int
    n_clusters: int
    no_choice: float
    gain: float | None = None
    gain_low: float | None = None
    gain_high: float | None = None
    fit_alpha: float | None = None
    fit_alpha_low: float | None = None
    fit_alpha_high: float | None = None
    fit_beta: float | None = None
    fit_beta_low: float | None = None
    fit_beta_high: float | None = None
    fit_error: float | None = None
    log_alpha: float | None = None
    log_alpha_low: float | None = None
    log_alpha_high: float | None = None
    log_beta: float | None = None
    log_beta_low: float | None = None
    log_beta_high: float | None = None
    log_error: float | None = None
    peak_n: float | None = None
    peak_n_low: float | None = None
    peak_n_high: float | None = None
    proxy_gold: float | None = None
    proxy_gold_low: float | None = None
    proxy_gold_high: float | None = None
    absent: dict[str, str]
