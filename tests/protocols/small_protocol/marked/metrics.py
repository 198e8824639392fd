"""The numbers of the protocol."""

from __future__ import annotations

from nullbench_site.scoring.columns import Metric

GROUPS = ("scores",)

METRICS = (
    Metric(
        id="marked_overall",
        title="Marked score",
        short="Marked",
        unit="0-100",
        direction="higher",
        sentence="The share of answers that are marked as right.",
        source="a test",
        columns=("overall", "echoes"),
        after="rank",
    ),
)
