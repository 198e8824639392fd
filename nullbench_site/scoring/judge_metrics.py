"""The numbers that say what judges are worth: by labels of the answers, and by answers that attack them."""

from __future__ import annotations

from nullbench_site.scoring.columns import Metric

JUDGE_METRICS = (
    Metric(
        id="sensitivity",
        title="Sensitivity of a judge",
        short="Sensitivity",
        unit="shown in %",
        scale=(0, 1),
        direction="higher",
        formula=r"q_1=\frac{\sum_{i\text{ right, accepted}}1/\pi_i}{\sum_{i\text{ right}}1/\pi_i}",
        source="Yerushalmy (1947), Statistical problems in assessing methods of medical diagnosis",
        sentence=(
            "The share of right answers, by their labels, that a judge accepts. Answers count by the inverse of the "
            "probability with which they were drawn."
        ),
        columns=("sensitivity", "sensitivity_low", "sensitivity_high", "n_labels", "n_right"),
        of="panels",
    ),
    Metric(
        id="specificity",
        title="Specificity of a judge",
        short="Specificity",
        unit="shown in %",
        scale=(0, 1),
        direction="higher",
        formula=r"q_0=\frac{\sum_{i\text{ wrong, rejected}}1/\pi_i}{\sum_{i\text{ wrong}}1/\pi_i}",
        source="Yerushalmy (1947), Statistical problems in assessing methods of medical diagnosis",
        sentence=(
            "The share of wrong answers, by their labels, that a judge rejects. Answers count by the inverse of the "
            "probability with which they were drawn."
        ),
        columns=("specificity", "specificity_low", "specificity_high", "n_wrong"),
        of="panels",
    ),
    Metric(
        id="label_correlation",
        title="Correlation with labels",
        short="Correlation",
        scale=(-1, 1),
        direction="higher",
        digits=2,
        source="Spearman (1904), The proof and measurement of association between two things",
        sentence=(
            "How closely the order of answers by a judge's scores is that by their labels, as Spearman's correlation. "
            "The interval leaves out one source of items at a time."
        ),
        columns=("label_correlation", "label_correlation_low", "label_correlation_high"),
        of="panels",
    ),
    Metric(
        id="corrected_score",
        title="Score corrected by labels",
        short="Corrected score",
        scale=(0, 100),
        direction="higher",
        formula=r"\bar Y_n-\lambda(\bar f_n-\bar f_N),\ \lambda=\frac{\mathrm{Cov}(Y,f)}{(1+n/N)\,\mathrm{Var}f}",
        source="Angelopoulos, Duchi and Zrnic (2023), Efficient prediction-powered inference",
        sentence=(
            "The mean label that all answers would have, from the labels of some and a judge's scores of all. It needs "
            "100 labels of the contestant's own answers: a judge's errors on other answers do not carry over. Items "
            "weigh as in the score of the board."
        ),
        columns=(
            "raw_score",
            "label_mean",
            "label_mean_low",
            "label_mean_high",
            "corrected_score",
            "corrected_score_low",
            "corrected_score_high",
            "true_score",
            "n_true",
        ),
        of="panels",
    ),
    Metric(
        id="corrected_share",
        title="Share of right answers, corrected",
        short="Corrected share",
        unit="shown in %",
        scale=(0, 1),
        direction="higher",
        formula=r"\theta=\frac{p+q_0-1}{q_0+q_1-1}",
        source=(
            "Rogan and Gladen (1978), Estimating prevalence from the results of a screening test; Lang and Reiczigel "
            "(2014) for the interval"
        ),
        sentence=(
            "The share of right answers that follows from the share that a judge accepts, its specificity and its "
            "sensitivity. For a judge at chance, no correction is possible."
        ),
        columns=("accepted", "corrected_share", "corrected_share_low", "corrected_share_high", "true_share"),
        of="panels",
    ),
    Metric(
        id="alt_test",
        title="Alternative annotator test",
        short="Winning rate",
        unit="shown in %",
        scale=(0, 1),
        direction="higher",
        source="Calderon, Reichart and Dror (2025), The alternative annotator test for LLM-as-a-judge",
        sentence=(
            "The share of raters to whom a judge is shown to be equal, less what a rater may be better by. A judge can "
            "replace a rater if it is half or more. It needs three raters. Answers count as independent."
        ),
        columns=("winning_rate", "advantage", "epsilon", "n_raters", "replaces"),
        of="panels",
    ),
    Metric(
        id="judged_probability",
        title="Probability of being judged",
        short="Judged",
        unit="shown in %",
        scale=(0, 1),
        source="ours",
        sentence="With which probability the judges of a board see an answer. It is absent if they see all answers.",
        columns=("probability",),
        of="panels",
    ),
    Metric(
        id="label_redraws",
        title="Coverage of the corrected interval",
        short="Covered",
        unit="shown in %",
        scale=(0, 1),
        source="Efron and Tibshirani (1993), An introduction to the bootstrap, for draws of clusters with replacement",
        sentence=(
            "How often an interval covers a mean label that is known. Clusters of answers, and labels of these, are "
            "drawn again and again. The interval of each draw should cover the mean in 95 of 100."
        ),
        columns=("covered", "n_redraws", "n_intervals"),
        of="panels",
    ),
    Metric(
        id="label_worth",
        title="Labels that a judge replaces",
        short="Worth in labels",
        scale=(0, None),
        direction="higher",
        digits=0,
        formula=r"n\left(\frac{h_{\text{labels}}}{h_{\text{corrected}}}\right)^2",
        source="Angelopoulos, Duchi and Zrnic (2023), Efficient prediction-powered inference",
        sentence=(
            "How many labels alone would give an interval as narrow as that of the corrected score. If it is the "
            "number of labels itself, the judge adds nothing. Widths h are halves of intervals."
        ),
        columns=("equal_to", "half_width_alone", "half_width"),
        of="panels",
    ),
    Metric(
        id="best_of",
        title="Best of n answers",
        short="Picked",
        scale=(0, 100),
        direction="higher",
        formula=r"\sum_{i=1}^{N} \binom{i-1}{n-1} y_{(i)} \Big/ \binom{N}{n}",
        source=(
            "Nakano et al. (2021), WebGPT, arXiv:2112.09332, appendix I; the KL bound from Stiennon et al. (2020), "
            "Learning to summarize from human feedback, and Beirami et al. (2024), Theoretical guarantees on the "
            "best-of-n alignment policy"
        ),
        sentence=(
            "The mean score of the answer that a judge scores highest of n, over all choices of n of the N answers to "
            "an item: by the judge (proxy) and by the key (gold). y(i) is the score of the answer that the judge puts "
            "in place i from below; ties share. The KL divergence from an answer at random is at most ln n - (n-1)/n."
        ),
        columns=("n_picked_of", "kl_bound", "proxy", "proxy_low", "proxy_high", "gold", "gold_low", "gold_high"),
        of="panels",
    ),
    Metric(
        id="best_of_fits",
        title="Curves of overoptimisation",
        short="Curve",
        unit="points of 100; places as n; a correlation of -1 to 1",
        formula=r"d(\alpha - \beta d), \quad d(\alpha - \beta \log d)",
        source=(
            "Gao, Schulman and Hilton (2022), Scaling laws for reward model overoptimization, arXiv:2210.10760; the "
            "mathematics of LLM evaluation, section 7; the rule for a peak is ours"
        ),
        sentence=(
            "Least-squares fits of how gold changes from n = 1, with d the root of the KL bound, their errors in "
            "points, the n at which gold is highest, and the correlation of proxy and gold over n. There is a peak if "
            "the 95 % interval of its place contains neither 1 nor N."
        ),
        columns=(
            "fit_alpha",
            "fit_alpha_low",
            "fit_alpha_high",
            "fit_beta",
            "fit_beta_low",
            "fit_beta_high",
            "fit_error",
            "log_alpha",
            "log_alpha_low",
            "log_alpha_high",
            "log_beta",
            "log_beta_low",
            "log_beta_high",
            "log_error",
            "n_samples",
            "n_clusters",
            "gain",
            "gain_low",
            "gain_high",
            "peak_n",
            "peak_n_low",
            "peak_n_high",
            "proxy_gold",
            "proxy_gold_low",
            "proxy_gold_high",
            "no_choice",
        ),
        of="panels",
    ),
    Metric(
        id="attack_rate",
        title="Items that an attack wins",
        short="Attack wins",
        unit="items",
        scale=(0, None),
        digits=0,
        source=(
            "Zheng et al. (2024), Cheating automatic LLM benchmarks, arXiv:2410.07137; Wilson (1927), Probable "
            "inference, the law of succession, and statistical inference, for the interval"
        ),
        sentence=(
            "The number of items on which an attack gets through: it wins in both orders, or gets three quarters of "
            "the scale. Its share has a Wilson interval. Beside it are the items whose winner changes with the "
            "order, the wins by the mean of the orders, the verdicts that could not be parsed, and how many of these "
            "were only a copy of what was judged."
        ),
        columns=(
            "n_won",
            "won_share",
            "won_low",
            "won_high",
            "n_flips",
            "n_won_mean",
            "n_unread",
            "n_copied",
            "orders",
        ),
        of="panels",
    ),
    Metric(
        id="search_loss",
        title="Loss of a search",
        short="Loss",
        unit="nats, or a share",
        source="Zheng et al. (2024), Cheating automatic LLM benchmarks, arXiv:2410.07137, algorithm 1",
        sentence=(
            "A step of a random search for a text that fools the judges: the mean −log p that its candidate wins, "
            "or the share of comparisons that it loses where judges give no probability; that of the best one so "
            "far; and its verdicts."
        ),
        columns=(
            "loss",
            "best_loss",
            "first_loss",
            "second_loss",
            "kept",
            "step",
            "n_verdicts",
            "n_verdicts_won",
        ),
        of="panels",
    ),
    Metric(
        id="attack_lift",
        title="Lift of an attack",
        short="Lift",
        unit="points of 100",
        source="Zheng et al. (2024), Cheating automatic LLM benchmarks, arXiv:2410.07137; the comparison is ours",
        sentence=(
            "The mean score of an attack, and how much more it scores than the first sentence of an honest answer, and "
            "than an empty answer. Both differences are paired by item."
        ),
        columns=(
            "attack_score",
            "lift",
            "lift_low",
            "lift_high",
            "over_empty",
            "over_empty_low",
            "over_empty_high",
        ),
        of="panels",
    ),
    Metric(
        id="judge_separates",
        title="Reference answers against empty ones",
        short="Separates",
        scale=(0, 100),
        source="ours",
        sentence=(
            "The mean scores that a judge gives reference answers and empty answers. A judge separates them if the "
            "95 % interval of the paired difference is above 0. If the interval ends below 5 points, it does not judge."
        ),
        columns=("right", "empty", "separation", "separation_low", "separation_high", "separates"),
        of="panels",
    ),
    Metric(
        id="defended_rate",
        title="Items that an attack wins in spite of a defence",
        short="Wins with defence",
        unit="items",
        scale=(0, None),
        digits=0,
        source=(
            "Zheng et al. (2024), Cheating automatic LLM benchmarks, arXiv:2410.07137; Wilson (1927), Probable "
            "inference, the law of succession, and statistical inference, for the interval"
        ),
        sentence=(
            "The number of items on which an attack gets through without and with a defence. The share with it has a "
            "Wilson interval."
        ),
        columns=("n_undefended", "n_defended", "defended_share", "defended_low", "defended_high"),
        of="panels",
    ),
    Metric(
        id="false_alarms",
        title="False alarms of a defence",
        short="False alarms",
        unit="answers",
        scale=(0, None),
        digits=0,
        source=(
            "Wilson (1927), Probable inference, the law of succession, and statistical inference, for the interval; "
            "the measure is ours"
        ),
        sentence="The number of honest answers that a defence acts on, and their share with a Wilson interval.",
        columns=("n_honest", "n_alarms", "alarm_share", "alarm_low", "alarm_high", "n_marked"),
        of="panels",
    ),
    Metric(
        id="defence_drift",
        title="Drift of honest scores by a defence",
        short="Drift",
        unit="points of 100",
        source="ours",
        sentence=(
            "How far a defence moves the scores of honest contestants: the mean over contestants, and the largest. "
            "With the defences of a panel, each contestant's mean score over items without and with them is given."
        ),
        columns=("drift", "drift_most", "undefended_score", "defended_score"),
        of="panels",
    ),
    Metric(
        id="question_yes",
        title="Probability of yes",
        short="Yes",
        scale=(0, 1),
        direction="higher",
        digits=3,
        formula=r"p=\frac{P(\text{yes})}{P(\text{yes})+P(\text{no})}",
        of="all",
        source="Wei et al. (2025), RocketEval",
        sentence=(
            "How probable yes is as the answer of a judge to a short question, of yes and no only; the mean over the "
            "questions that count. `yes_to_empty` is that for the empty response."
        ),
        columns=("yes", "yes_to_empty"),
    ),
    Metric(
        id="question_relative",
        title="Relative value",
        short="Relative",
        scale=(0, 1),
        direction="higher",
        digits=3,
        formula=r"c=\max\left(0,\frac{p-e}{1-e}\right)",
        of="all",
        source="ours",
        sentence=(
            "How far the probability of yes is above e, that for the empty response, as a share of what is left above "
            "it. A question with e above 0.9 counts for no contestant: the judge cannot answer it."
        ),
        columns=("relative", "counts"),
    ),
    Metric(
        id="question_mark",
        title="Mark from short questions",
        short="Mark",
        scale=(1, 5),
        direction="higher",
        digits=2,
        formula=r"m=1+4\,\bar{v}_{\text{requirements}}\,\bar{v}_{\text{prohibitions}}",
        of="all",
        source="ours",
        sentence=(
            "1 + 4 times the value of an answer: the mean value of its requirements times the mean of its prohibitions,"
            " which an empty response meets. It is the expected share of requirements met."
        ),
        columns=("mark",),
    ),
    Metric(
        id="question_places",
        title="Whole marks in use",
        short="Places",
        unit="of 5",
        direction="higher",
        digits=0,
        of="all",
        source="ours",
        sentence=(
            "How many different whole marks a judge of short questions gives. Agreement counts its marks as the "
            "nearest whole ones."
        ),
        columns=("places",),
    ),
    Metric(
        id="question_reported",
        title="Probability that it contradicts itself",
        short="Contradicts",
        scale=(0, 1),
        direction="lower",
        digits=3,
        of="all",
        source="ours",
        sentence=(
            "The probability of yes to the question whether a response contradicts itself or gives several answers. It "
            "is in no mark."
        ),
        columns=("reported",),
    ),
)
