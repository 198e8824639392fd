"""The numbers of the protocol."""

from __future__ import annotations

from nullbench_site.scoring.columns import SCORE, Column, Metric

METRICS = (
    Metric(
        id="echo_overall",
        title="Echo score",
        short="Echo",
        unit="0-100",
        direction="higher",
        sentence="The share of answers that have the word, by the mean over judges.",
        source="a test",
        columns=("overall",),
    ),
    Metric(
        id="echoes",
        title="Echoes",
        unit="answers",
        direction="higher",
        sentence="How many answers have the word.",
        source="a test",
        shown_on=Column(group=SCORE),
    ),
)
