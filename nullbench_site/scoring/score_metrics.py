"""The numbers about scores that boards of several protocols have: errors, ranks, differences, floor and controls."""

from __future__ import annotations

from msgspec import UNSET

from nullbench_site.scoring.columns import SCORE, Column, Metric

SCORE_METRICS = (
    Metric(
        id="se",
        title="Standard error",
        short="SE",
        unit="points",
        direction="lower",
        formula=(
            r"\text{SE}=\sqrt{\sum_{g}w_g^2v_g},\quad v_g=\frac{C_g}{C_g-1}\sum_{c\in "
            r"g}\left(\frac{1}{n_g}\sum_{i\in c}(x_i-\bar{x}_g)\right)^2"
        ),
        source=(
            "Miller (2024), Adding error bars to evals; Cameron and Miller (2015); Cochran (1977), stratified samples"
        ),
        sentence=(
            "How much the score would typically vary if other items of the same kind had been drawn. Items with the "
            "same source text, or of the same bundle, are one cluster. Each group of the board is corrected for its "
            "small number of clusters."
        ),
        columns=("se", "se.<axis>"),
    ),
    Metric(
        id="df",
        title="Degrees of freedom",
        short="df",
        unit="number",
        direction="higher",
        formula=(
            r"\text{df}=\frac{\left(\sum_g w_g^2v_g\right)^2}{\sum_g (w_g^2v_g)^2/(C_g-1)},\quad "
            r"\nu=\min\left(\frac{\left(\sum_g w_g^2v_g\right)^2}{\sum_g (w_g^2v_g)^2/(C_g+1)},\;\sum_g "
            r"(C_g-1)\right)"
        ),
        source=(
            "Satterthwaite (1946), An approximate distribution of estimates of variance components; ν is "
            "corrected for the bias of a squared variance, as the second moment of chi-squared gives it"
        ),
        sentence=(
            "How precisely the standard error itself is known: with fewer degrees of freedom, an interval reaches "
            "further beyond 1.96 standard errors. Tests of differences use df. Intervals use ν, because df is too "
            "small if groups have few sources: 99 of 100 intervals would then contain the true score. ν is right on "
            "average, and at most the degrees of freedom of all groups together. Groups that share sources count as "
            "one."
        ),
    ),
    Metric(
        id="ci",
        title="95 % interval",
        scale=(0, 100),
        formula=(
            r"p-\sqrt{(p-L)^2+(u\,p)^2},\quad p=\frac{\text{score}}{100},\quad L=\min(W,B),\quad "
            r"u=1-0.6^{1/C};\quad W=\frac{p+\frac{D}{2}-\sqrt{D\,p(1-p)+\frac{D^2}{4}}}{1+D},\quad "
            r"D=\frac{t_{\nu}^2\,(\text{SE}/100)^2}{p(1-p)};\quad "
            r"B=p\left(1-\frac{1}{9k}-1.645\sqrt{\frac{1-p}{9k}}\right)^3,\quad "
            r"k=\frac{C}{C-1}\,\frac{p^2(1-p)}{(\text{SE}/100)^2};\quad "
            r"\text{SE}=0:\;p(1-q)\;\text{to}\;p+q(1-p),\quad q=\frac{z^2}{C+z^2},\;z=1.96"
        ),
        source=(
            "Wilson (1927), with the effective number of answers p(1-p)/SE² and Student's t for ν degrees of "
            "freedom; Byar's limit after Breslow and Day (1987); q is Wilson's for none of C; the combination "
            "is ours, chosen by simulation"
        ),
        sentence=(
            "Of 100 such intervals, about 95 contain the score that items like these would give with this panel. A "
            "score on fewer than six sources or bundles has no interval. The formula is for the lower end; the upper "
            "end is its mirror image. L is Wilson's limit W or, if it is lower, Byar's limit B. The share u allows "
            "for items unlike those of all C sources. If all items have the same score, SE is 0: a score of 0 on "
            "every item then has the interval from 0 to q. In simulations, at least 93 of 100 intervals contained "
            "the true score, for each kind of scores: spread over the scale, almost all at one end, and drawn from "
            "the items of the practical board. There is one exception. If 2 % of items score 100 and the others "
            "little or nothing, some boards contain none of those 2 %, and only 71 to 98 of 100 intervals contained "
            "the true score."
        ),
        columns=("ci_low", "ci_high"),
        of="panels",
    ),
    Metric(
        id="panel_interval",
        title="Interval on items and judges like these",
        short="With other judges",
        scale=(0, 100),
        formula=(
            r"\sqrt{\text{SE}^2+V_J}\;\frac{\text{SE}^2\,t_{\text{df}}+V_J\,t_{J-1}}{\text{SE}^2+V_J},\quad "
            r"V_J=\frac{J-1}{J}\sum_{j}\left(\theta_{-j}-\bar\theta\right)^2"
        ),
        source=(
            "Efron and Tibshirani (1993), jackknife; Cameron, Gelbach and Miller (2011); Cochran (1964); "
            "chosen by simulation"
        ),
        sentence=(
            "For a panel of models that are all asked with the same template. Of 100 such intervals, about 95 "
            "contain the score (or the difference) that items and judges like these would give. The variance over "
            "judges, from leaving out one judge at a time, is added to the variance over items. A panel of one judge "
            "has no such interval. For other panels, the columns panel_low and panel_high contain the lowest and the "
            "highest score with one judge left out."
        ),
        columns=("panel_se", "panel_low", "panel_high"),
        of="panels",
    ),
    Metric(
        id="leave_one_out",
        title="Range if one judge is left out",
        short="One judge left out",
        scale=(0, 100),
        formula=r"\min_j\theta_{-j}\;\text{to}\;\max_j\theta_{-j}",
        source="ours",
        sentence=(
            "For a panel that includes a program, or whose judges are not all asked with the same template. The "
            "lowest and the highest score (or difference) with one judge left out. Such judges are not a sample of "
            "any kind of judge, so the range says nothing about other judges."
        ),
        columns=(),
        of="panels",
    ),
    Metric(
        id="overall_adjusted",
        title="Score adjusted for severe judges",
        short="Adjusted",
        scale=(0, 100),
        direction="higher",
        formula=(
            r"\text{overall}+\frac{1}{J}\sum_{j}\beta_j-\frac{1}{|J_m|}\sum_{j\in J_m}\beta_j,\quad "
            r"s_{mj}=\alpha_m+\beta_j"
        ),
        source="Searle (1971), Linear models, two factors with missing cells; after Linacre (1989)",
        sentence=(
            "The score if every judge of the panel had judged every contestant. If judges may not judge their own "
            "family, contestants have different judges, and severe judges lower the scores of those they judge. This "
            "score removes that effect. It is absent on boards where all contestants have the same judges."
        ),
        of="panels",
        shown_on=Column(
            group=SCORE,
            parts=False,
            shown=lambda view: any(row.overall_adjusted is not UNSET for row in view.results.leaderboard),
        ),
    ),
    Metric(
        id="rank",
        title="Rank",
        unit="rank",
        direction="lower",
        digits=0,
        source=(
            "Mogstad et al. (2024), Inference for ranks; Westfall and Young (1993), Resampling-based multiple testing"
        ),
        sentence=(
            "The range of ranks that significant differences allow a contestant: from just behind all with a "
            "significantly higher score to just ahead of all with a significantly lower one. The level is 5 % for "
            "all pairs together. The test flips the signs of whole clusters, the same ones for all pairs. Null "
            "models and controls take part in the comparisons and have no rank. Contestants with equal scores share "
            "the widest of their ranges: one score is above another only if every contestant that has it is "
            "significantly above every one that has the other."
        ),
        columns=("rank", "rank_low", "rank_high"),
    ),
    Metric(
        id="tie_group",
        title="Tie group",
        short="Tie",
        unit="number",
        direction="lower",
        digits=0,
        source="as the rank; the grouping is ours",
        sentence=(
            "No contestant of a tie group differs significantly from the first of the group, with all pairs of the "
            "board tested together. Contestants with equal scores are in the same group."
        ),
    ),
    Metric(
        id="paired_difference",
        title="Paired difference",
        short="Difference",
        unit="points",
        formula=(
            r"\bar{d}=\sum_{g}w_g\frac{1}{n_g}\sum_{i\in "
            r"g}(x_i-y_i),\quad\bar{d}\pm\sqrt{(t_{\nu}\,\text{SE}_d+m)^2+(12\ln(1/0.6)\,e)^2}"
        ),
        source=(
            "Miller (2024), Adding error bars to evals, paired differences; Satterthwaite (1946); m after Hall "
            "(1992); the last term is ours, chosen by simulation"
        ),
        sentence=(
            "How much more one contestant scores than another on the same items, with its 95 % interval. If the "
            "interval contains 0, or if both score the same on every item, no difference was measured. Of 100 such "
            "intervals, about 95 contain the difference that items like these would give. Significant is stricter: "
            "all pairs of the board are tested together, so that on 95 of 100 boards no difference is found by "
            "chance, and the interval must exclude 0. The interval is wider by m on the side to which the "
            "differences are skewed. It also allows for items unlike any seen: they may lie 12 times as far from the "
            "mean as the farthest source, e, but not outside -100 to 100."
        ),
        columns=("value", "low", "high", "significant"),
    ),
    Metric(
        id="robust",
        title="Robust to the panel",
        short="Robust",
        unit="holds or differs",
        digits=0,
        source="ours; the second interval as above",
        sentence=(
            "Whether a difference holds with other judges. On a panel of models that are all asked with the same "
            "template, it is robust if its interval on items and judges like these excludes 0. On any other panel, "
            "it is robust if it has the same sign under each judge alone and with each single judge left out. With "
            "one judge, robustness is not assessed. The number of judges under whom, alone, the difference has its "
            "sign is a count, not significance."
        ),
        columns=("judges_alone", "judges"),
    ),
    Metric(
        id="fragility",
        title="Fewest items that undo a difference",
        short="Fragility",
        unit="items",
        direction="higher",
        digits=0,
        source="after Broderick, Giordano and Meager (2020), An automatic finite-sample robustness metric; exact here",
        sentence=(
            "The fewest items whose removal undoes a difference: without them, the higher score is no longer higher. "
            "No smaller set of items does this. Each group of the board keeps at least one item. The search covers "
            "sets of up to a tenth of the items, but of at least 10 and at most 50 items."
        ),
        columns=("n_fragile",),
    ),
    Metric(
        id="detectable",
        title="Smallest difference that can be detected",
        short="Detectable",
        unit="points",
        direction="lower",
        formula=r"\left(t_{1-\alpha/2}+t_{0.8}\right)\text{SE}_d",
        source="Bloom (1995), Minimum detectable effects; Miller (2024), Adding error bars to evals, section 5",
        sentence=(
            "A true difference of this size would be significant in 80 of 100 runs with items like these, with all "
            "pairs of the board tested together. It is computed from the standard errors of the differences between "
            "neighbours in the order of the board: their median, and the range over pairs. It does not depend on how "
            "large the differences were."
        ),
        columns=(),
    ),
    Metric(
        id="component",
        title="Components of variance",
        short="Components",
        unit="points squared; shown as points",
        formula=r"s_{cij}=\mu+a_c+b_i+d_j+(ab)_{ci}+(ad)_{cj}+(bd)_{ij}+e_{cij}",
        source=(
            "Henderson (1953), Estimation of variance and covariance components, method 1; Brennan (2001), "
            "Generalizability theory"
        ),
        sentence=(
            "How much the score that one judge gives to one answer varies between contestants, items and judges, and "
            "between their combinations. Null models are left out. The root of each component is in points. Items of "
            "one source, and the sources, count together as items. A component that is estimated below 0 is shown as "
            "0."
        ),
        columns=("variance",),
        of="panels",
    ),
    Metric(
        id="score_error",
        title="Absolute and relative error",
        short="Error",
        unit="points",
        direction="lower",
        formula=(
            r"\sigma_\text{rel}^2=\frac{\sigma_{ci}^2}{n}+\frac{\sigma_{cj}^2}{J}+\frac{\sigma_{cij}^2}{nJ},"
            r"\quad\sigma_\text{abs}^2=\sigma_\text{rel}^2+\frac{\sigma_i^2}{n}+\frac{\sigma_j^2}{J}+\frac{"
            r"\sigma_{ij}^2}{nJ}"
        ),
        source="Brennan (2001), Generalizability theory; Shavelson and Webb (1991)",
        sentence=(
            "How far a score of this board would typically move with other items, and with other judges if the "
            "judges are models that are all asked with the same template. The absolute error is that of a score by "
            "itself; it includes how hard the items and how severe the judges are. The relative error is that of a "
            "score in a comparison: what moves all contestants alike cancels out. The difference of two scores has "
            "1.41 times the relative error. With one more item or judge, the components stay and their divisors grow."
        ),
        columns=("error_points", "one_more_item", "one_more_judge"),
        of="panels",
    ),
    Metric(
        id="bias",
        title="Biases of judges",
        short="Bias",
        unit="points",
        formula=r"s_{ci}=\mu_c+\nu_i+\sum_f\beta_f x_{f,ci}+e_{ci}",
        source=(
            "Zheng et al. (2023), Judging LLM-as-a-judge with MT-Bench and Chatbot Arena, for the kinds; slopes after "
            "Dubois et al. (2024), Length-controlled AlpacaEval; errors after Bell and McCaffrey (2002) and Carter et "
            "al. (2017)"
        ),
        sentence=(
            "What a judge's scores owe to the place, length, form or family of an answer. Slopes compare answers of "
            "one contestant and to one item. The slope on length includes all that longer answers have more of; those "
            "on headers, lists and bold passages are at the same length. They are associations: a longer answer may "
            "also be a better one. Null models are left out of all but the place."
        ),
        columns=(),
        of="panels",
    ),
    Metric(
        id="length_corrected",
        title="Score corrected for length",
        short="Corrected",
        unit="points",
        direction="higher",
        formula=r"s_c-\beta\,\overline{(\log_2 l_{ci}-\overline{\log_2 l_i})}",
        source="after Dubois et al. (2024), Length-controlled AlpacaEval: score - beta * length, on a straight line",
        sentence=(
            "The score of a contestant if its answers were as long as those of the other contestants, by the slope of "
            "the panel's scores on length. It is a straight line in the logarithm of length, so it is rough for "
            "answers many times longer or shorter. Length: how many times as long the answers are."
        ),
        columns=("length",),
        of="panels",
    ),
    Metric(
        id="ungated",
        title="Floor with refusal gates off",
        short="Gates off",
        scale=(0, 100),
        source="ours; after Zheng et al. (2024), Cheating automatic LLM benchmarks",
        sentence=(
            "What the best null model would score if no answer counted as refused or evaded. A gate that fires on a "
            "null model's answers gives them 0. The floor of gated answers is then 0 by construction and says "
            "nothing about how judges mark them."
        ),
        columns=(),
    ),
    Metric(
        id="ceiling",
        title="Ceiling",
        scale=(0, 100),
        source="ours; controls as in the methodology",
        sentence=(
            "The score that the panel gives to the reference answers, which are known to be right: what a flawless "
            "answer can expect. A ceiling well below 100 means that the judges find fault with right answers."
        ),
        columns=(),
        of="panels",
    ),
    Metric(
        id="same_end",
        title="Items at the end of the scale",
        short="At one end",
        unit="share of items",
        scale=(0, 1),
        direction="lower",
        source="ours; floor and ceiling effects of tests",
        sentence=(
            "The share of items on which all contestants score 0, or all score 100. Such items do not distinguish "
            "between contestants."
        ),
        columns=(),
    ),
    Metric(
        id="control_drop",
        title="Drop by damage",
        short="Drop",
        unit="points",
        direction="higher",
        formula=r"\overline{s(\text{reference})-s(\text{damaged})}",
        source="ours; paired differences after Miller (2024), Adding error bars to evals",
        sentence=(
            "How much lower the reference answers score after they are damaged in one named way and dose, on the "
            "same items, by one judge alone or by the panel. A damage is seen if the 95 % interval of the drop is "
            "above 0."
        ),
        columns=("dose", "damaged", "reference", "drop", "seen"),
        of="panels",
    ),
    Metric(
        id="control_ladder",
        title="Ladder in order",
        short="In order",
        unit="yes or no",
        direction="higher",
        source="ours",
        sentence=(
            "Whether the mean score falls with every dose of a damage, from the reference answers down, and the "
            "highest dose is seen. Only items with all doses count. A panel that does not order a ladder cannot be "
            "trusted where answers differ in that way."
        ),
        columns=("ordered",),
        of="panels",
    ),
    Metric(
        id="bridge_shift",
        title="Shift from a judge to its successor",
        short="Shift",
        unit="of the mark",
        formula=r"\overline{\overline{m_{\text{new}}-m_{\text{old}}}}",
        source=(
            "ours; paired differences after Miller (2024), Adding error bars to evals; a common-item bridge as "
            "in Kolen and Brennan (2014), Test Equating, Scaling, and Linking"
        ),
        sentence=(
            "How much higher the new judge marks the same answers than the judge that it is to replace, without "
            "those of null models. It is the mean over contestants, paired by item, and over groups as in a score of "
            "the board, with its 95 % interval. The unit is that of the marks."
        ),
        columns=(
            "n_answers",
            "before",
            "after",
            "shift",
            "rank_after",
            "rank_low_after",
            "rank_high_after",
            "overall_after",
        ),
        of="panels",
    ),
    Metric(
        id="best_of_variants",
        title="Highest score of several variants, corrected",
        short="Corrected",
        scale=(0, 100),
        direction="higher",
        formula=(
            r"\max_j\hat{\theta}_j-\overline{\left(\theta^*_{j^*}-\hat{\theta}_{j^*}\right)},\quad "
            r"\theta^*\sim N(\hat{\theta},\Sigma),\ j^*=\arg\max_j\theta^*_j"
        ),
        source=(
            "after Faye et al. (2011), A flexible genome-wide bootstrap method that accounts for ranking; "
            "covariance by clusters of items"
        ),
        sentence=(
            "The highest score of several models of one family, minus what choosing the highest adds on average. "
            "Chance is part of the reason why one of many comes first. It is shown next to the score and never "
            "replaces it. Its interval ends where that of the score ends, and has a lower end of its own."
        ),
        columns=("n_variants", "corrected"),
    ),
    Metric(
        id="above_null_floor",
        title="Above the null floor",
        short="Above floor",
        unit="yes or no",
        direction="higher",
        source=(
            "after Zheng et al. (2024), Cheating automatic LLM benchmarks; Berger (1982), Multiparameter "
            "hypothesis testing and acceptance sampling, for all null models at once"
        ),
        sentence=(
            "Whether the contestant scores significantly more than every null model of the board, in the comparisons "
            "that make the ranks, and this is robust to the panel against each of them. A null model does not do the "
            "task; the best one is the floor. With one judge, robustness is not assessed, and the answer is not "
            "known. The board's data name the judges under whom, alone, some null model scores as much."
        ),
        columns=("above_null_floor", "above_floor_alone", "floor_judges"),
    ),
)
