"""The numbers of domains and items, of prices, of trust and of wordings that boards of several protocols have."""

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
        formula=r"\bar y_d-\frac{1}{G-1}\sum_{h\ne d}\bar y_h",
        source="Westfall and Young (1993), Resampling-based multiple testing: a permutation of items among the domains",
        sentence=(
            "How much more a contestant scores in a domain than in its other domains on average. Pages name a domain "
            "only if this difference is significant at 5 % after correction over all domains, and the board may make "
            "claims."
        ),
        columns=("domain_contrast", "domain_p"),
    ),
    Metric(
        id="contamination_rate",
        title="Contamination rate",
        short="Rate c",
        unit="%",
        direction="lower",
        formula=r"c=\frac{|\{i:\ i\text{ is in a corpus}\}|}{|\{i:\ i\text{ was tested}\}|}",
        source="Brown et al. (2020), Language models are few-shot learners, appendix C, for 13 words in a row",
        sentence=(
            "The share of the tested items that are in a corpus: they share 13 words in a row with it, or are similar "
            "to a passage. It says nothing about text that was not compared."
        ),
        columns=("rate", "n_tested", "n_contaminated"),
    ),
    Metric(
        id="completed_canaries",
        title="Completed canaries",
        short="Canaries",
        unit="canaries",
        scale=(0, None),
        direction="lower",
        digits=0,
        source="ours",
        sentence=(
            "How many canaries of the board's files a contestant completes with the digits that the question does not "
            "show, of those with an answer. Whoever can was trained on the file."
        ),
        columns=("n_completed", "n_canaries", "n_answered"),
    ),
    Metric(
        id="flagged_answers",
        title="Answers flagged by screening",
        short="Flagged",
        unit="answers",
        scale=(0, None),
        direction="lower",
        digits=0,
        source="ours; the lexicon has the source of each pattern",
        sentence=(
            "How many answers with a known text address the judge, have tokens of a template, a verdict, invisible "
            "characters or a similar mark of cheating. A flag changes no score: read the answer. A contestant is "
            "flagged if the lower end of the Wilson interval of its share is above the false alarms on honest answers, "
            "or if it is constant."
        ),
        columns=("n_with_flags", "n_read", "n_responses", "is_flagged"),
    ),
    Metric(
        id="repeated_answers",
        title="Answers that repeat another",
        short="Repeated",
        unit="answers",
        scale=(0, None),
        direction="lower",
        digits=0,
        source="Pomikalek (2011), Removing boilerplate and duplicate content from web corpora; the length of 5 is ours",
        sentence=(
            "How many answers are the same as one to another item, or share half of their sequences of 5 words with "
            "such answers. If only the sha256 of answers is known, exact repeats are counted. A contestant is constant "
            "if more than half of its answers repeat; answers of fewer than 5 words count only if one of them is the "
            "answer to 3 of 4 items."
        ),
        columns=("n_repeated", "n_compared", "n_hashed", "constant"),
    ),
    Metric(
        id="probe_findings",
        title="Findings of the probes of contamination",
        short="Found",
        scale=(0, None),
        digits=0,
        source="ours",
        sentence=(
            "How much a probe of contamination finds of what a program has seen, and of the rest, where each finding "
            "is a false alarm."
        ),
        columns=("n_seen", "found_seen", "n_rest", "found_rest"),
    ),
    Metric(
        id="clean_score",
        title="Clean score",
        scale=(0, 100),
        direction="higher",
        source="ours",
        sentence="The score of the board from the tested items that are in no corpus.",
        columns=("clean", "clean_low", "clean_high"),
    ),
    Metric(
        id="inflation",
        title="Inflation by contaminated items",
        short="Inflation",
        unit="points of 100",
        formula=r"\delta_c=c\,(p_{\text{mem}}-p_{\text{clean}})",
        source="Newcombe (1998), Interval estimation for the difference between independent proportions, method 10",
        sentence=(
            "How many points of a score come from contaminated items: their share c times the gap between the mean "
            "scores on contaminated and on clean items. A gap above 5 points is marked."
        ),
        columns=(
            "delta_c",
            "delta_c_low",
            "delta_c_high",
            "p_mem",
            "p_mem_low",
            "p_mem_high",
            "p_clean",
            "p_clean_low",
            "p_clean_high",
            "gap",
            "gap_bound",
            "gap_low",
            "gap_high",
            "wide",
        ),
    ),
    Metric(
        id="item_spread",
        title="Spread over items",
        short="Spread",
        scale=(0, 100),
        source="ours",
        sentence=(
            "How much the scores of single items differ: the median item, and the quarters and tenths of the items "
            "below and above it. The percentiles are defined as for response times."
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
            "The mean length of answers in tokens, over all boards of the run. Only answers whose tokens the "
            "endpoint counted are included."
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
            "What a thousand answers cost at the prices of the specs, over all boards of the run. Only answers with "
            "a known price are included; failed attempts are not."
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
            "What the provider charges for tokens read and tokens written, as the contestant's spec states it with "
            "its date and source. Sorted by tokens written."
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
        digits=0,
        source="Pareto (1906), Manuale di economia politica",
        sentence=(
            "The contestants that no other beats in both score and cost, be it time, tokens or money. If two are "
            "equal in one, the other decides."
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
            "How far apart two contestants' profiles are on average, over the axes or domains that both have; 0 if "
            "they are equal in all. It does not say whose score is higher."
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
        sentence=(
            "The mean score of contestants on the item, without null models. A low mean says that the item is hard "
            "for all."
        ),
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
            "How far apart the highest and the lowest judge of one answer to the item are, on average and without "
            "null models: in points of goal alignment, or in marks."
        ),
        columns=(),
        of="panels",
    ),
    Metric(
        id="task_correlation",
        title="Correlation of tasks",
        short="Correlation",
        scale=(-1, 1),
        digits=2,
        formula=r"r_{ij\cdot g}=\frac{r_{ij}-r_{ig}\,r_{jg}}{\sqrt{(1-r_{ig}^2)(1-r_{jg}^2)}}",
        source=(
            "Campbell and Fiske (1959), Convergent and discriminant validation; Thurstone (1931) for the first factor, "
            "from which we leave out the two tasks"
        ),
        sentence=(
            "How closely the scores of language models on two tasks rise and fall together, on average over pairs of "
            "tasks: of one group, which should be high, and of different groups, which should be lower. The first "
            "factor is the sum of the other tasks; without it, only what a pair shares beyond them is left. The "
            "interval leaves out one family of models at a time. Two boards agree if the whole interval of their "
            "correlation is above 0.71, so that they share half of their variance."
        ),
        columns=("rest", "rest_low", "rest_high", "n_pairs", "n_models", "n_families"),
    ),
    Metric(
        id="trust",
        title="Trust in a score",
        short="Trust",
        unit="high, medium, low or not measured",
        direction="higher",
        source="the mathematics of LLM evaluation, section 9, Exhibit 7",
        sentence=(
            "Five marks that say how far a score can be trusted. A mark is measured, declared with a source, does "
            "not apply, or is not measured, which counts as low. With three or more low marks, the site shows scores "
            "with their intervals and makes no comparative claim; the trust in such a board is low. It is high if all "
            "marks of its first two contestants that apply are high, and medium otherwise."
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
            "High with more than 1000 items and a standard error below 1.5 points; medium with 200 items or more and "
            "up to 4 points; otherwise low. If the two disagree, the lower class counts."
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
            "Whether scores would stay the same with prompts in other words. This takes five or more wordings of "
            "each prompt. It is graded by the upper end of the interval of the standard deviation over wordings: high "
            "below 1 point, medium up to 5, otherwise low. With one wording it cannot be measured, which counts as "
            "low. It does not apply to programs, which do not read the wording."
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
            "Whether items were in a contestant's training data, by the tests that the trust page of the board lists. "
            "High if all items are newer than its training cutoff; medium if their overlap with text was tested and is "
            "below 5 %; low if a test flags it, or if no test allows more. Without a test it is not measured, unless a "
            "board declares it for imported responses, with a source."
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
            "High if a key decides, or if the panel's alpha on scored answers is 0.80 or more; medium from 0.667; "
            "otherwise low. With a single judge it cannot be measured, which counts as low. If 100 items have labels, "
            "the panel's correlation with these must reach the class too: 0.80 for high, 0.60 for medium."
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
            "Medium if the score is shown to be above the null floor and, where judges score, the panel orders every "
            "ladder of damaged answers; low if one of the two fails. High takes three boards of the same construct "
            "that agree, over language models of six families or more."
        ),
        columns=(),
    ),
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
