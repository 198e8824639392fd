"""The numbers of domains and items, of prices and of trust that boards of several protocols have."""

from __future__ import annotations

from typing import Any

from nullbench_site.scoring.columns import SPEED, Column, Metric


def _output_price(view: Any, row: Any) -> float | None:
    prices = view.benchmark.models[row.model].prices
    return None if prices is None else float(prices.output)


PAGE_METRICS = (
    Metric(
        id="domain_contrast",
        title="Difference from the other domains",
        short="Other domains",
        unit="points of 100",
        direction="neither",
        formula=r"\bar y_d-\frac{1}{G-1}\sum_{h\ne d}\bar y_h",
        source="Westfall and Young (1993), Resampling-based multiple testing: a permutation of items among the domains",
        sentence=(
            "How much more a contestant scores in a domain than in its other domains on average. A page "
            "names a domain only if this difference is significant at 5 % after correction over all domains, "
            "and the board may make claims."
        ),
        columns=("domain_contrast", "domain_p"),
    ),
    Metric(
        id="item_spread",
        title="Spread over items",
        short="Spread",
        scale=(0, 100),
        direction="neither",
        source="ours",
        sentence=(
            "How much the scores of single items differ: the median item, the quarters and tenths of the "
            "items below and above it, by the same percentiles as response times."
        ),
        columns=(),
        of="scores",
    ),
    Metric(
        id="tokens_per_answer",
        title="Tokens per answer",
        short="Tokens",
        unit="tokens",
        direction="lower",
        formula=r"\frac{\text{output tokens}}{\text{answers with a count}}",
        source="ours",
        sentence=(
            "Mean length of the answers in tokens, of those whose tokens the endpoint counted, over all "
            "boards of the run."
        ),
        columns=(),
    ),
    Metric(
        id="cost_per_answer",
        title="Cost of 1,000 answers",
        short="Cost",
        unit="US dollars",
        direction="lower",
        formula=r"1000\,\frac{\text{cost}}{\text{answers with a price}}",
        source="ours",
        sentence=(
            "What a thousand answers cost at the prices of the specs, of those whose price is known, over "
            "all boards of the run. Attempts that failed are not in it."
        ),
        columns=(),
    ),
    Metric(
        id="price",
        title="Price of a million tokens",
        short="Price",
        unit="US dollars per million tokens, in / out",
        direction="lower",
        source="ours",
        sentence=(
            "What the provider asks for tokens read and tokens written, as the contestant's spec says; the "
            "day and the place stand there. Sorted by tokens written."
        ),
        columns=(),
        shown_on=Column(
            group=SPEED,
            kind="price",
            parts=False,
            value=_output_price,
            shown=lambda view: any(view.benchmark.models[model].prices for model in view.rows),
        ),
    ),
    Metric(
        id="pareto",
        title="Pareto frontier",
        short="Frontier",
        unit="contestants",
        direction="neither",
        digits=0,
        source="Pareto (1906), Manuale di economia politica",
        sentence=(
            "The contestants than which no other has both a higher score and a lower cost in time, tokens or "
            "money; of two that are equal in one, the other decides."
        ),
        columns=(),
    ),
    Metric(
        id="fingerprint_distance",
        title="Distance of fingerprints",
        short="Distance",
        unit="unit of the profile",
        direction="lower",
        digits=2,
        formula=r"d(x,y)=\sqrt{\frac{1}{|C|}\sum_{c\in C}(x_c-y_c)^2}",
        source="ours; missing parts are left out as in Gower (1971), A general coefficient of similarity",
        sentence=(
            "How far two contestants' profiles are apart on average, over the axes or domains that both "
            "have: 0 where they are alike in all. It says nothing of whose score is higher."
        ),
        columns=(),
    ),
    Metric(
        id="item_mean",
        title="Mean score on an item",
        short="Mean score",
        scale=(0, 100),
        direction="higher",
        source="ours",
        sentence="What contestants score on the item on average, null models aside: low means that it is hard for all.",
        columns=(),
    ),
    Metric(
        id="item_disagreement",
        title="Disagreement on an item",
        short="Spread",
        unit="points, or marks",
        direction="lower",
        source="ours",
        sentence=(
            "How far the highest and the lowest judge of one answer to the item are apart on average, null "
            "models aside: in points of goal alignment, or in marks."
        ),
        columns=(),
        of="panels",
    ),
    Metric(
        id="trust",
        title="Trust in a score",
        short="Trust",
        unit="high, medium, low or not measured",
        direction="higher",
        source="the mathematics of LLM evaluation, section 9, Exhibit 7",
        sentence=(
            "Five marks that say how far a score can be trusted. A mark is measured, declared with a source, "
            "does not apply, or is not measured, which counts as low. From three low marks on the site gives "
            "scores with their intervals and makes no comparative claim."
        ),
        columns=(),
    ),
    Metric(
        id="trust_sampling",
        title="Trust: number of items",
        short="Items",
        unit="high, medium, low or not measured",
        direction="higher",
        source="the mathematics of LLM evaluation, section 9, Exhibit 7, Sampling variance",
        sentence=(
            "High with more than 1000 items and a standard error below 1.5 points, medium from 200 items and "
            "up to 4 points, else low. Between its classes the lower one counts."
        ),
        columns=(),
    ),
    Metric(
        id="trust_prompts",
        title="Trust: wording of the prompt",
        short="Wording",
        unit="high, medium, low or not measured",
        direction="higher",
        source="the mathematics of LLM evaluation, section 9, Exhibit 7, Prompt sensitivity",
        sentence=(
            "Whether scores would stay if the same were asked in other words. It takes five or more wordings "
            "of each prompt; runs have one, so it cannot be measured, which counts as low. It does not apply "
            "to programs, which do not read the wording."
        ),
        columns=(),
    ),
    Metric(
        id="trust_contamination",
        title="Trust: contamination",
        short="Contamination",
        unit="high, medium, low or not measured",
        direction="higher",
        source="the mathematics of LLM evaluation, section 9, Exhibit 7, Contamination",
        sentence=(
            "Whether items were in what a contestant was trained on. Nobody tested it here, which counts as "
            "low. A board may declare it for imported responses, with a source."
        ),
        columns=(),
    ),
    Metric(
        id="trust_agreement",
        title="Trust: agreement of judges",
        short="Agreement",
        unit="high, medium, low or not measured",
        direction="higher",
        source="the mathematics of LLM evaluation, section 9, Exhibit 7, Annotation reliability",
        sentence=(
            "High where a key decides or the panel's alpha on scored answers is 0.80 or more, medium from "
            "0.667, else low. With a single judge it cannot be measured, which counts as low. People were "
            "not asked."
        ),
        columns=(),
    ),
    Metric(
        id="trust_validity",
        title="Trust: validity",
        short="Validity",
        unit="high, medium, low or not measured",
        direction="higher",
        source=(
            "the mathematics of LLM evaluation, section 9, Exhibit 7, Construct validity; the null floor and "
            "the ladders are ours"
        ),
        sentence=(
            "Medium where the score is shown to be above the null floor and, where judges score, the panel "
            "puts every ladder of damaged answers in order; low where one of the two is not so. High would "
            "take three benchmarks of the same construct that agree."
        ),
        columns=(),
    ),
)
