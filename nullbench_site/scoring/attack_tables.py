"""The tables of attacks: what answers that do not answer get from each judge of a board."""

from __future__ import annotations

import msgspec

TOO_FEW = 20
"""A rate of fewer items is not given."""


class AttackedJudge(msgspec.Struct, kw_only=True):
    """Whether a judge scores reference answers higher than empty ones; if not, it does not judge.

    judge: None for the panel. right, empty: the mean score of reference answers and of empty answers, 0-100, on the
    n_items that have both. separation: how much higher reference answers score, paired by item, with its 95 % interval.
    separates: True if that interval is above 0, False if it is below 5 points; None if it cannot be told: absent says
    why.
    """

    judge: str | None
    n_items: int
    right: float | None
    empty: float | None
    separation: float | None
    separation_low: float | None
    separation_high: float | None
    separates: bool | None
    absent: str | None


class AttackRow(msgspec.Struct, kw_only=True):
    """What one attack got from one judge, or from the panel.

    model: the contestant that gives it. attack, kind: of the registry; None for another null model. judge: None for the
    panel. n_items: the answers with a verdict in every order. orders: 2 if judges see two answers in both orders, else
    1. n_won: on how many items it won in every order: it beat the other answer, or got three quarters of the scale.
    won_share, won_low, won_high: n_won of n_items with the Wilson interval, 0-1. n_flips: on how many items the winner
    changed with the order. n_won_mean: on how many it won by the mean of the orders. attack_score: the mean, 0-100.
    lift: how much more it scored than the first sentence of an honest answer, over_empty: than the empty answer; both
    paired by item, in points, with 95 % intervals. n_unread: verdicts that could not be parsed; n_copied: those of them
    that stood word for word in what was judged. surprise: -log p of its win, for each order and item; only where judges
    see two answers in both orders. absent: why a number is absent.
    """

    model: str
    attack: str | None
    kind: str | None
    judge: str | None
    n_items: int
    orders: int
    n_won: int
    won_share: float | None
    won_low: float | None
    won_high: float | None
    n_flips: int | None
    n_won_mean: int
    attack_score: float | None
    lift: float | None
    lift_low: float | None
    lift_high: float | None
    over_empty: float | None
    over_empty_low: float | None
    over_empty_high: float | None
    n_unread: int
    n_copied: int = 0
    surprise: list[list[float]] = []
    absent: dict[str, str]


TOGETHER = "together"
"""All defences of a panel at once, in the tables of defences."""


class DefenceRow(msgspec.Struct, kw_only=True):
    """What one defence does to honest answers: those of ranked contestants, and reference answers.

    defence: its name, or "together" for all of the panel. judge: None for the panel. n_honest: honest answers with all
    that the defence needs. n_alarms: how many of these it acts on, None if it acts on all; alarm_share, alarm_low,
    alarm_high: that share with its interval, clustered by item, 0-1. alarmed: the contestants with most of them. drift:
    the mean over contestants of how far it moves their scores, in points of 100; drift_most, drift_model: the largest,
    and whose it is. absent: why the defence is not measured.
    """

    defence: str
    judge: str | None
    n_honest: int | None = None
    n_alarms: int | None = None
    alarm_share: float | None = None
    alarm_low: float | None = None
    alarm_high: float | None = None
    alarmed: list[str] = []
    drift: float | None = None
    drift_most: float | None = None
    drift_model: str | None = None
    absent: str | None = None


class DefendedAttack(msgspec.Struct, kw_only=True):
    """What one attack gets from a judge without and with a defence.

    n_items: its answers with all that the defence needs. n_undefended: on how many it won in every order; for the
    defence by both orders, by the mean of the orders. n_defended: on how many it wins with the defence; its share has a
    Wilson interval, 0-1.
    """

    defence: str
    judge: str | None
    model: str
    n_items: int
    n_undefended: int
    n_defended: int
    defended_share: float | None
    defended_low: float | None
    defended_high: float | None


class DefendedScore(msgspec.Struct, kw_only=True):
    """The mean score of a contestant over n_items items without and with the panel's defences, 0-100.

    n_marked: the answers that the defences act on.
    """

    model: str
    n_items: int
    undefended_score: float | None
    defended_score: float | None
    n_marked: int
