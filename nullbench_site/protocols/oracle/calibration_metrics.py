"""What the numbers of the tables `calibration` and `reliability` mean."""

from __future__ import annotations

from nullbench_site.scoring.columns import Metric

CALIBRATION_METRICS = (
    Metric(
        id="brier",
        title="Brier score",
        short="Brier",
        scale=(0, 1),
        direction="lower",
        digits=3,
        formula=r"\frac{1}{n}\sum_{i=1}^{n}(p_i-y_i)^2",
        source=(
            "Brier (1950), Verification of forecasts expressed in terms of probability; the mathematics of LLM "
            "evaluation, section 6"
        ),
        sentence=(
            "The mean squared difference between the confidence of an answer and whether it is right, 1 or 0. Always "
            "50 % gives 0.25. It rewards being right as well as being calibrated, and no other confidence than the "
            "true chance of being right lowers it."
        ),
        columns=("brier", "brier_low", "brier_high", "brier_before", "brier_after"),
        before="se",
    ),
    Metric(
        id="nll",
        title="Negative log-likelihood",
        short="NLL",
        unit="nats",
        scale=(0, None),
        direction="lower",
        digits=3,
        formula=r"-\frac{1}{n}\sum_{i=1}^{n}\bigl(y_i\ln p_i+(1-y_i)\ln(1-p_i)\bigr)",
        source="Good (1952), Rational decisions; the mathematics of LLM evaluation, section 6",
        sentence=(
            "How surprising it is, on average, that answers are right or wrong, given their confidences. Always 50 % "
            "gives 0.693. Confidences count as at least 0.0001 and at most 0.9999, as 0 or 1 could make it infinite."
        ),
        columns=("nll", "nll_low", "nll_high", "nll_before", "nll_after", "n_clipped"),
        before="se",
    ),
    Metric(
        id="ece",
        title="Expected calibration error",
        short="ECE",
        scale=(0, 1),
        direction="lower",
        digits=3,
        formula=r"\sum_{b=1}^{10}\frac{|B_b|}{n}\bigl|\text{acc}(B_b)-\text{conf}(B_b)\bigr|",
        source=(
            "Naeini, Cooper and Hauskrecht (2015), Obtaining well calibrated probabilities using Bayesian binning; the "
            "mathematics of LLM evaluation, section 6"
        ),
        sentence=(
            "How far accuracy is from confidence, averaged over ten bins of confidence. Chance makes it larger than 0, "
            "so it stands next to what 95 of 100 perfectly calibrated models with these confidences show. These are "
            "simulated; answers to items of one source agree as much as the contestant's do."
        ),
        columns=(
            "ece", "ece_low", "ece_high", "ece_chance_low", "ece_chance_high", "ece_before", "ece_after",
        ),
        before="se",
    ),
    Metric(
        id="mce",
        title="Maximum calibration error",
        short="MCE",
        scale=(0, 1),
        direction="lower",
        digits=3,
        formula=r"\max_b\bigl|\text{acc}(B_b)-\text{conf}(B_b)\bigr|",
        source=(
            "Naeini, Cooper and Hauskrecht (2015), Obtaining well calibrated probabilities using Bayesian binning; the "
            "mathematics of LLM evaluation, section 6"
        ),
        sentence=(
            "The largest difference between accuracy and confidence in a bin. Bins with few answers decide it, so "
            "compare it with what a perfectly calibrated model shows."
        ),
        columns=("mce", "mce_chance_low", "mce_chance_high"),
        before="se",
    ),
    Metric(
        id="confidence_gap",
        title="Confidence minus accuracy",
        short="Gap",
        unit="0 is calibrated",
        scale=(-1, 1),
        digits=3,
        source="calibration in the large, as in Steyerberg (2009), Clinical prediction models, 15",
        sentence=(
            "The mean confidence of answers minus the share of right ones; invalid answers are not right. Above 0, "
            "the contestant is more confident than right."
        ),
        columns=(
            "confidence_gap", "confidence_gap_low", "confidence_gap_high", "mean_confidence", "share_right",
            "share_right_low", "share_right_high", "n_answers",
        ),
        before="se",
    ),
    Metric(
        id="reliability",
        title="Reliability diagram",
        short="Shape",
        unit="a shape",
        source=(
            "DeGroot and Fienberg (1983), The comparison and evaluation of forecasters; the shapes are those of the "
            "mathematics of LLM evaluation, section 6, Exhibit 4, and the tests are ours"
        ),
        sentence=(
            "The share of right answers by confidence. Well calibrated: the interval of the ECE is below 0.05. "
            "Not distinguishable: the ECE is no larger than a calibrated model's may be. Otherwise overconfident or "
            "underconfident if the gap's interval says so and no bar contradicts it beyond chance. Mixed: bars "
            "contradict each other beyond chance. In any other case the direction is not shown."
        ),
        columns=("bin_low", "bin_high", "chance_gap"),
        before="se",
    ),
    Metric(
        id="fitted_temperature",
        title="Temperature of confidences",
        short="Temperature",
        unit="1 changes nothing",
        scale=(0, None),
        digits=2,
        formula=r"T^*=\arg\min_{T>0}\text{NLL}\bigl(\sigma(\text{logit}(p)/T),y\bigr)",
        source=(
            "Guo, Pleiss, Sun and Weinberger (2017), On calibration of modern neural networks; the mathematics of LLM "
            "evaluation, section 6"
        ),
        sentence=(
            "What the logits of the confidences, clipped as for the NLL, have to be divided by. It is fitted on the "
            "answers to a random half of the sources and compared on the other half. No answer changes, so accuracy "
            "stays the same."
        ),
        columns=("fitted_temperature", "fitted_temperature_low", "fitted_temperature_high", "n_fitted", "n_held_out"),
        before="se",
    ),
)  # fmt: skip
