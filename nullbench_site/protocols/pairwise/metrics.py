"""The numbers of `pairwise` boards."""

from __future__ import annotations

from nullbench_site.protocols.pairwise.results import NO_GAME
from nullbench_site.scoring.columns import EVIDENCE, SCORE, Column, Metric, ends_of, value_of

_ZHENG = "Zheng et al. (2023), Judging LLM-as-a-judge with MT-Bench and Chatbot Arena"
_ORDERS = f"ours; {_ZHENG}, on position bias"

METRICS = (
    Metric(
        id="pairwise_overall",
        title="Overall share of games",
        short="Overall",
        unit="0-100",
        direction="higher",
        formula=r"\text{overall}=\frac{100}{n}\sum_{i=1}^{n}\frac{1}{|B|}\sum_{b\in B}\bar{y}_{i,b},\quad 0\le y\le 1",
        source=(
            "Li et al. (2023), AlpacaEval; that a failed answer loses, and that several baselines count alike, is ours"
        ),
        explanation=(
            "The share of its games that a contestant wins, over all prompts, a tie being half a win; of graded "
            "verdicts its share of their points. An answer that failed has lost its games. 50 is as good as whom it is "
            "held against; of several baselines one has that against itself by definition, as a part of its mean like "
            "the others. On a board with a schedule the column has the mean chance to win by Bradley-Terry instead."
        ),
        columns=("overall",),
    ),
    Metric(
        id="pairwise_chance",
        title="Mean chance to win, by Bradley-Terry",
        short="Chance",
        unit="0-100",
        direction="higher",
        formula=r"\frac{100}{k-1}\sum_{j\ne i}P(i\text{ beats }j)",
        source="Bradley & Terry (1952), Rank analysis of incomplete block designs; that the score is this mean is ours",
        explanation=(
            "On a board with a schedule, where contestants meet different opponents: how likely one wins against each "
            "of the others, on average, by the strengths that make all games most likely; no share of the games it "
            "played. Its interval is clustered by prompt and enlarged where games are few beside strengths. One that "
            "wins all its games, loses all, or all with each opponent one way, has the interval of a rate of which "
            "nothing else was seen on the prompts it played, and none where these are fewer than six."
        ),
        columns=(),
    ),
    Metric(
        id="both_orders",
        title="Wins by both orders",
        short="Both orders",
        unit="share of a game",
        direction="neither",
        source=(
            "Zheng et al. (2023), Judging LLM-as-a-judge with MT-Bench and Chatbot Arena; FastChat, "
            "fastchat/llm_judge/show_result.py, pairwise"
        ),
        explanation=(
            "Where a board asks that both orders agree, they are one game: it is won or lost where both verdicts say "
            "so, and else a tie. By how much they say so counts nothing, and where one of the two is lacking there is "
            "no game."
        ),
        columns=(),
    ),
    Metric(
        id="schedule",
        title="Schedule of pairs",
        short="Schedule",
        unit="pairs of contestants on a prompt",
        direction="neither",
        source="Chaloner & Verdinelli (1995), Bayesian experimental design; that it is laid out before is ours",
        explanation=(
            "Before any verdict, each pair goes to the two contestants of whose difference of strengths least would be "
            "known, that is of the largest variance, on a prompt whose answers are in few games. Contestants then meet "
            "different opponents, so that win rates do not compare, and strengths do. The interval knows nothing of "
            "how well these fit the games."
        ),
        columns=(),
    ),
    Metric(
        id="tied_games",
        title="Tied games",
        short="Tied",
        unit="share of games",
        direction="lower",
        source="ours",
        explanation=(
            "The share of games that no answer won. A tie counts half a win, so an answer that ties every game scores "
            "50 without being better than any other."
        ),
        columns=(),
    ),
    Metric(
        id="adds",
        title="What an item adds to the score",
        short="Adds",
        unit="0-100",
        direction="higher",
        source=(
            "the linearised estimate, Efron & Tibshirani (1993), An introduction to the bootstrap, 21.3; of a ratio "
            "Cochran (1977), Sampling techniques, chapter 6"
        ),
        explanation=(
            "On boards whose score is no mean of shares of games, with a schedule or with verdicts that have points: "
            "numbers whose mean is the score, and by whose spread its error is known. They may lie beyond 0 and 100."
        ),
        columns=("adds",),
    ),
    Metric(
        id="by_judge",
        title="Score by one judge",
        short="By judge",
        unit="0-100",
        direction="higher",
        source="Bradley & Terry (1952), Rank analysis of incomplete block designs",
        explanation=(
            "On a board with a schedule, the score by the games before one judge alone; absent where they do not join "
            "all contestants."
        ),
        columns=("by_judge.<judge>",),
    ),
    Metric(
        id="win_rate",
        title="Win rate",
        short="Win rate",
        unit="0-100",
        direction="higher",
        formula=r"\frac{100}{n}\sum_{i=1}^{n}y_i,\quad y_i=\text{preference}_i-1",
        source="Li et al. (2023), AlpacaEval",
        explanation=(
            "The mean over the answers with a verdict of the share of the game that the answer won: how likely judges "
            "said it was the better one."
        ),
        value=lambda of: NO_GAME if of.rate.value is None else of.rate.value,
        shown_on=Column(group=SCORE, shown=lambda view: view.results.has_other_win_rates(view.board)),
    ),
    Metric(
        id="standard_error",
        title="Standard error as published",
        short="Published SE",
        unit="points",
        direction="lower",
        formula=r"100\,\frac{s}{\sqrt{n}},\quad s^2=\frac{1}{n-1}\sum_i(y_i-\bar{y})^2",
        source="Li et al. (2023), AlpacaEval",
        explanation=(
            "The standard error that boards of the kind publish with the win rate. It takes answers for independent "
            "and knows nothing of judges; the intervals of this board are its own."
        ),
        value=lambda of: of.standard_error,
    ),
    Metric(
        id="discrete_win_rate",
        title="Discrete win rate",
        short="Discrete",
        unit="0-100",
        direction="higher",
        formula=r"100\,\frac{\text{wins}+\text{draws}/2}{n}",
        source="Li et al. (2023), AlpacaEval",
        explanation="The win rate with every answer counted as won, drawn or lost, however sure the judges were.",
        value=lambda of: NO_GAME if of.rate.discrete is None else of.rate.discrete,
    ),
    Metric(
        id="games_won",
        title="Answers won, drawn and lost",
        short="Won",
        unit="answers",
        direction="higher",
        digits=0,
        source="Li et al. (2023), AlpacaEval",
        explanation="Answers with more than half of their games, with exactly half, and with less.",
        columns=("n_wins", "n_draws", "n_losses"),
        value=lambda of: {"n_wins": of.rate.wins, "n_draws": of.rate.draws, "n_losses": of.rate.losses},
        shown_on=Column(
            kind="count",
            digits=1,
            value=lambda view, row: float(row.n_wins),
            whole=lambda view, row: row.n_wins + row.n_draws + row.n_losses,
        ),
    ),
    Metric(
        id="verdict_score",
        title="Score of verdicts",
        short="Score",
        unit="0-100",
        direction="higher",
        formula=r"100\,\frac{\sum_g w_g y_g}{\sum_g w_g},\quad w_g\in\{1,3\}",
        source="Li et al. (2024), From crowdsourced data to high-quality benchmarks: Arena-Hard and BenchBuilder",
        explanation=(
            "Points of all games: a game counts 1, one that is won or lost by far 3, and a tie is half. Against one "
            "baseline it is also the Bradley-Terry probability to win against it."
        ),
        columns=("score",),
        shown_on=Column(group=SCORE, shown=lambda view: view.results.has_other_verdict_scores(view.board)),
    ),
    Metric(
        id="lc_win_rate",
        title="Length-controlled win rate",
        short="LC win rate",
        unit="0-100",
        direction="higher",
        formula=(
            r"\frac{100}{n}\sum_i\sigma(\hat\phi\,\gamma_i+\hat\theta),\quad "
            r"P(y_i=1)=\sigma\left(\theta+\phi\,\gamma_i+\psi\tanh\frac{\ell_i^{\text{baseline}}-\ell_i}{s}\right)"
        ),
        source="Dubois et al. (2024), Length-controlled AlpacaEval",
        explanation=(
            "The win rate that a contestant would have with answers as long as the baseline's, by a regression on the "
            "difference of lengths and the difficulty of prompts. Absent on boards without a baseline, where lengths "
            "are not known, and for a contestant whose answers are all shorter than the baseline's, or all longer, "
            "unless the board has games of gamed baselines: nothing would tell what equal length does. The lasso draws "
            "it towards 50 where prompts are few."
        ),
        value=lambda of: value_of(of.length_controlled),
        whole_board=True,
        shown_on=Column(group=SCORE, parts=False),
    ),
    Metric(
        id="lc_interval",
        title="Interval of the length-controlled win rate",
        short="LC interval",
        unit="0-100",
        direction="neither",
        source=(
            "the linearised regression, Efron & Tibshirani (1993), An introduction to the bootstrap, 21.3; clusters as "
            "for SE"
        ),
        explanation=(
            "Of 100 such intervals, about 95 contain the length-controlled win rate that prompts like these would "
            "give, with this panel, the strength of the lasso and the difficulties of prompts being taken as known."
        ),
        columns=("lc_low", "lc_high"),
        value=lambda of: ends_of("lc", of.length_controlled),
        whole_board=True,
    ),
    Metric(
        id="style_win_rate",
        title="Win rate with style taken out",
        short="Style control",
        unit="0-100",
        direction="higher",
        source="Li et al. (2024), Does style matter?, and the code of Arena-Hard-Auto",
        explanation=(
            "The win rate that a contestant would have with answers set like those it is held against: as long, with "
            "as many headers, list items and passages in bold. Games on private items are not in it, as the style of "
            "their answers is published nowhere."
        ),
        value=lambda of: value_of(of.style_controlled),
        whole_board=True,
        shown_on=Column(group=SCORE, parts=False),
    ),
    Metric(
        id="style_interval",
        title="Interval of the win rate with style taken out",
        short="Style interval",
        unit="0-100",
        direction="neither",
        source=(
            "the linearised regression, Efron & Tibshirani (1993), An introduction to the bootstrap, 21.3; clusters "
            "are prompts"
        ),
        explanation=(
            "Of 100 such intervals, about 95 contain the win rate in equal style that prompts like these would give, "
            "with this panel, the ridge of the regression being taken as known."
        ),
        columns=("style_low", "style_high"),
        value=lambda of: ends_of("style", of.style_controlled),
        whole_board=True,
    ),
    Metric(
        id="elo",
        title="Bradley-Terry strength",
        short="Elo",
        unit="points, 400 for odds of ten to one",
        direction="higher",
        digits=0,
        formula=r"P(i\text{ beats }j)=\frac{1}{1+10^{(R_j-R_i)/400}}",
        source="Bradley & Terry (1952), Rank analysis of incomplete block designs; Elo (1978) for the scale",
        explanation=(
            "The strength that makes all games most likely, on the scale of Elo; the baselines, or all contestants, "
            "stand at 1000 on average. Absent for one that wins or loses everything, and where no chain of games joins "
            "two contestants."
        ),
        value=lambda of: value_of(of.elo),
        whole_board=True,
        shown_on=Column(group=SCORE, parts=False),
    ),
    Metric(
        id="elo_interval",
        title="Interval of the Bradley-Terry strength",
        short="Elo interval",
        unit="points",
        direction="neither",
        digits=0,
        source=(
            "Huber (1967), The behavior of maximum likelihood estimates under nonstandard conditions; clusters are "
            "prompts"
        ),
        explanation=(
            "Of 100 such intervals, about 95 contain the strength that prompts like these would give, with this panel."
        ),
        columns=("elo_low", "elo_high"),
        value=lambda of: ends_of("elo", of.elo),
        whole_board=True,
    ),
    Metric(
        id="against",
        title="Win rate against one",
        short="Against",
        unit="0-100",
        direction="higher",
        source="ours; intervals as those of scores",
        explanation=(
            "The win rate against a single contestant: a baseline, or any other. That against a baseline has its 95 % "
            "interval in brackets: of 100 such, about 95 contain the rate that prompts like these would give."
        ),
        columns=("against.<baseline>", "against_low.<baseline>", "against_high.<baseline>"),
    ),
    Metric(
        id="baselines_apart",
        title="Win rates by baseline apart",
        short="Apart",
        unit="points",
        direction="lower",
        source="Miller (2024), Adding error bars to evals, paired differences",
        explanation=(
            "The greatest win rate against a baseline less the least: how much the choice of a baseline matters. With "
            "two baselines its 95 % interval is that of their difference, prompt by prompt. With more there is none, "
            "for it is the greatest of several differences, which chance makes greater."
        ),
        columns=("apart_low", "apart_high"),
    ),
    Metric(
        id="place_win_rate",
        title="Win rate by place",
        short="By place",
        unit="0-100",
        direction="neither",
        source=_ZHENG,
        explanation=(
            "The win rate in the games that show a contestant's answer first, and in those that show it second. A "
            "judge that reads without regard to the place gives both alike."
        ),
        columns=("first_win_rate", "second_win_rate"),
        value=lambda of: of.by_place,
        whole_board=True,
    ),
    Metric(
        id="debiased_win_rate",
        title="Win rate without the place",
        short="Without place",
        unit="0-100",
        direction="higher",
        formula=r"100\,\frac{\sqrt{p_1p_2}}{\sqrt{p_1p_2}+\sqrt{(1-p_1)(1-p_2)}}",
        source=(
            "Davidson & Beaver (1977), On extending the Bradley-Terry model to incorporate within-pair order effects"
        ),
        explanation="The win rate without what the place adds: the geometric mean of the odds in both orders.",
    ),
    Metric(
        id="place_interval",
        title="Intervals of win rates by place and without it",
        short="Place interval",
        unit="0-100",
        direction="neither",
        source="Cochran (1977), Sampling techniques, chapter 6, the linearised ratio; clusters are prompts",
        explanation=(
            "Of 100 such intervals, about 95 contain the rate that prompts like these would give, with this panel. The "
            "rate without the place has none where one order is all won or all lost."
        ),
        columns=("first_low", "first_high", "second_low", "second_high", "debiased_low", "debiased_high"),
    ),
    Metric(
        id="row_bootstrap",
        title="Interval by single rows",
        short="Row interval",
        unit="0-100",
        direction="neither",
        source="the code of Arena-Hard-Auto",
        explanation=(
            "The interval that boards of the kind publish. It takes both orders of a game, and the copies of a "
            "weighted one, for independent, and so is too narrow."
        ),
        columns=("score_row_bootstrap_low", "score_row_bootstrap_high"),
        value=lambda of: of.row_bootstrap,
        whole_board=True,
    ),
    Metric(
        id="n_games",
        title="Games",
        short="Games",
        unit="verdicts",
        direction="higher",
        digits=0,
        source="ours",
        explanation="Verdicts that count, and how many of them are a single token without log probabilities.",
        columns=("n_games", "n_token_alone"),
        value=lambda of: {"n_games": of.n_games, "n_token_alone": of.contestant.token_alone},
        whole_board=True,
        shown_on=Column(group=EVIDENCE, parts=False),
    ),
    Metric(
        id="half_pairs",
        title="Half pairs",
        short="Half pairs",
        unit="games",
        direction="lower",
        digits=0,
        source=_ORDERS,
        explanation=(
            "A judge's two games on the same answers count only if both orders have a valid verdict. Of a half pair "
            "one order has one; it is left out of every figure."
        ),
        columns=("n_half", "half"),
        value=lambda of: {"n_half": int(of.contestant.lone.sum())},
        whole_board=True,
    ),
    Metric(
        id="first_chosen",
        title="Games decided for the first place",
        short="Chose the first",
        unit="games",
        direction="neither",
        digits=0,
        source=_ORDERS,
        explanation=(
            "Games that a judge decided, valid half pairs among them, and how many it gave to the answer shown first. "
            "A board makes no comparative claim if a judge chose one position in more than 75 % of them, unless its "
            "spec has another `position_limit`. Fewer than 10 are not assessed."
        ),
        columns=("decided", "decided_first"),
        after="alpha_scored",
    ),
    Metric(
        id="first_share",
        title="Share of the first place",
        short="To the first",
        unit="0-100",
        direction="neither",
        source=_ZHENG,
        explanation=(
            "How much of all games a judge gives to the answers that it is shown first. Of games that are played in "
            "both orders it is 50 for a judge that has no regard for the place."
        ),
        columns=("first_share", "n_placed"),
        after="alpha_scored",
    ),
    Metric(
        id="flips",
        title="Flips",
        short="Flips",
        unit="games",
        direction="lower",
        digits=0,
        source=_ZHENG,
        explanation="Games judged in both orders that went to the answer shown first both times, or second both times.",
        columns=("flips", "pairs"),
        after="alpha_scored",
    ),
    Metric(
        id="game_alpha",
        title="What judges agree on of games",
        short="Alpha of games",
        unit="verdicts",
        direction="neither",
        source="ours",
        explanation=(
            "A unit of alpha is two answers in one order, and a verdict one of five steps with a tie in the middle. "
            "Where judges give a share of the game instead, there are three steps: less than half of it, half, and "
            "more."
        ),
        columns=(),
        after="alpha_scored",
    ),
    Metric(
        id="share_spread",
        title="Disagreement of judges on games",
        short="Spread",
        unit="points",
        direction="lower",
        formula=r"100\,(\max_j\bar{y}_{j,i}-\min_j\bar{y}_{j,i})",
        source="ours",
        explanation="The distance between the highest and the lowest share of its games that judges gave one answer.",
        columns=("spread",),
        after="alpha_scored",
    ),
    Metric(
        id="rings",
        title="Rings of three",
        short="Rings",
        unit="of all threes",
        direction="lower",
        digits=0,
        source="Kendall & Babington Smith (1940), On the method of paired comparisons",
        explanation=(
            "Three contestants of which each beats the next and the last beats the first. No single number a "
            "contestant can agree with a ring."
        ),
        columns=(),
    ),
)
