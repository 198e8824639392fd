"""The numbers about wordings, formats, seeds and temperatures."""

from __future__ import annotations

from nullbench_site.scoring.columns import Metric

WORDING_METRICS = (
    Metric(
        id="sigma_prompt",
        title="Standard deviation over wordings",
        short="Over wordings",
        unit="points of 100",
        direction="lower",
        formula=(
            r"\hat\sigma^2=\frac{MS_{\text{wording}}-MS_{\text{rest}}}{n},\quad "
            r"\frac{(k-1)MS_{\text{wording}}/\chi^2_{k-1}-MS_{\text{rest}}}{n}"
        ),
        source="Scheffé (1959), The analysis of variance, 7.4, two-way random effects; the clusters are ours",
        sentence=(
            "How far a contestant's score varies over wordings of the prompt, less the chance from the choice of "
            "items, on the items of one format. With few items its interval is wide: with 200 answers of right or "
            "wrong in five wordings that have no effect, the upper end is about 7 points."
        ),
        columns=("n_wordings", "sigma", "ms_wording", "ms_rest", "items_needed"),
    ),
    Metric(
        id="rank_stability",
        title="Kendall's tau of two wordings",
        short="Tau",
        scale=(-1, 1),
        direction="higher",
        formula=r"\tau_b=\frac{C-D}{\sqrt{(P-T)(P-U)}}",
        source="Kendall (1945), The treatment of ties in ranking problems",
        sentence=(
            "How alike the orders of contestants by score are in two wordings of the prompt: 1 for the same order, -1 "
            "for the reverse. Pairs of contestants that are tied count for neither. Part of each change is chance."
        ),
        columns=(),
    ),
    Metric(
        id="format_difference",
        title="Difference between formats",
        short="Formats",
        unit="points of 100",
        direction="neither",
        source="Miller (2024), Adding error bars to evals, paired differences",
        sentence=(
            "A contestant's score on the questions that a board asks in two formats, such as a free answer and a "
            "choice: the score in one minus that in the other, paired by question."
        ),
        columns=("n_questions", "overall_other"),
    ),
    Metric(
        id="decoding_effect",
        title="Stability over seeds and temperature",
        short="Decoding",
        unit="points of 100",
        direction="neither",
        formula=r"\bar S_T-S_0,\quad s_T=\sqrt{\frac{1}{m-1}\sum_j(S_{T,j}-\bar S_T)^2}",
        source="ours; the interval of the standard deviation from the chi-squared distribution with m-1 degrees",
        sentence=(
            "The scores of one model with several seeds at one temperature, in the first wording: their standard "
            "deviation, and their mean minus the score at the lowest temperature, paired by item."
        ),
        columns=(
            "overall_base",
            "base_temperature",
            "temperature",
            "least",
            "most",
            "seed_sd",
            "seed_low",
            "seed_high",
            "same",
        ),
    ),
)
