"""The numbers of `pairwise` boards."""

from __future__ import annotations

from nullbench_site.protocols.pairwise.results import NO_GAME
from nullbench_site.scoring.columns import EVIDENCE, SCORE, Column, Metric, ends_of, value_of

ZHENG = "Zheng et al. (2023), Judging LLM-as-a-judge with MT-Bench and Chatbot Arena"
_ORDERS = f"ours; {ZHENG}, on position bias"

METRICS = (
    Metric(
        id="pairwise_overall",
        title="Overall share of games",
        short="Overall",
        scale=(0, 100),
        direction="higher",
        formula=r"\text{overall}=\frac{100}{n}\sum_{i=1}^{n}\frac{1}{|B|}\sum_{b\in B}\bar{y}_{i,b},\quad 0\le y\le 1",
        source=(
            "Li et al. (2023), AlpacaEval; that a failed answer loses, and that several baselines count alike, is ours"
        ),
        sentence=(
            "The share of its games that a contestant wins, over all prompts; a tie is half a win. For graded "
            "verdicts, its share of their points. A failed answer loses its games. 50 means as good as the opponents. "
            "With several baselines, each baseline has 50 against itself by definition, as one equal part of its mean. "
            "On a board with a schedule, the column has the mean chance to win by Bradley-Terry instead."
        ),
        columns=("overall",),
    ),
    Metric(
        id="pairwise_chance",
        title="Mean chance to win, by Bradley-Terry",
        short="Chance",
        scale=(0, 100),
        direction="higher",
        formula=r"\frac{100}{k-1}\sum_{j\ne i}P(i\text{ beats }j)",
        source="Bradley & Terry (1952), Rank analysis of incomplete block designs; that the score is this mean is ours",
        sentence=(
            "For boards with a schedule, where contestants meet different opponents: the mean chance to win against "
            "each other contestant, from the strengths that make all games most likely. It is not a share of the games "
            "played. Its interval is clustered by prompt and widened if there are few games per strength. A contestant "
            "with the same result in all games with each opponent has the interval of a rate without any other outcome "
            "on the prompts it played; with fewer than six prompts it has none."
        ),
        columns=(),
    ),
    Metric(
        id="both_orders",
        title="Wins by both orders",
        short="Both orders",
        unit="share of a game",
        scale=(0, 1),
        source=f"{ZHENG}; FastChat, fastchat/llm_judge/show_result.py, pairwise",
        sentence=(
            "If a board requires that both orders agree, they count as one game: won or lost if both verdicts agree, "
            "otherwise tied. How decisive the verdicts are does not matter. If one of the two is missing, there is no "
            "game."
        ),
        columns=(),
    ),
    Metric(
        id="schedule",
        title="Schedule of pairs",
        short="Schedule",
        unit="pairs of contestants on a prompt",
        source="Chaloner & Verdinelli (1995), Bayesian experimental design; that it is laid out before is ours",
        sentence=(
            "Before any verdict, each game is given to the two contestants whose difference would be known least (the "
            "largest variance), on a prompt whose answers are in few games. Contestants then meet different opponents, "
            "so strengths are comparable and win rates are not. The interval does not cover how well strengths fit the "
            "games."
        ),
        columns=(),
    ),
    Metric(
        id="tied_games",
        title="Tied games",
        short="Tied",
        unit="share of games",
        scale=(0, 1),
        direction="lower",
        source="ours",
        sentence=(
            "The share of games without a winner. A tie counts as half a win, so an answer that ties every game scores "
            "50 without being better than any other."
        ),
        columns=(),
    ),
    Metric(
        id="adds",
        title="What an item adds to the score",
        short="Adds",
        scale=(0, 100),
        direction="higher",
        source=(
            "the linearised estimate, Efron & Tibshirani (1993), An introduction to the bootstrap, 21.3; of a ratio "
            "Cochran (1977), Sampling techniques, chapter 6"
        ),
        sentence=(
            "For boards with a schedule or with points for verdicts: numbers whose mean is the score and whose spread "
            "gives its error. They can lie outside 0 to 100."
        ),
    ),
    Metric(
        id="by_judge",
        title="Score by one judge",
        short="By judge",
        scale=(0, 100),
        direction="higher",
        source="Bradley & Terry (1952), Rank analysis of incomplete block designs",
        sentence=(
            "For boards with a schedule: the score from the games of one judge alone. Absent if these do not connect "
            "all contestants."
        ),
        columns=("by_judge.<judge>",),
    ),
    Metric(
        id="win_rate",
        title="Win rate",
        scale=(0, 100),
        direction="higher",
        formula=r"\frac{100}{n}\sum_{i=1}^{n}y_i,\quad y_i=\text{preference}_i-1",
        source="Li et al. (2023), AlpacaEval",
        sentence=(
            "The mean share of the game that an answer won, over answers with a verdict: how likely judges preferred "
            "it."
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
        sentence=(
            "The standard error that such leaderboards publish with the win rate. It assumes independent answers and "
            "ignores the judges. The intervals of this board do neither."
        ),
        value=lambda of: of.standard_error,
    ),
    Metric(
        id="discrete_win_rate",
        title="Discrete win rate",
        short="Discrete",
        scale=(0, 100),
        direction="higher",
        formula=r"100\,\frac{\text{wins}+\text{draws}/2}{n}",
        source="Li et al. (2023), AlpacaEval",
        sentence="The win rate with each answer counted as won, drawn or lost, however sure the judges were.",
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
        sentence="Answers with more than half of their games, with exactly half, and with less.",
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
        scale=(0, 100),
        direction="higher",
        formula=r"100\,\frac{\sum_g w_g y_g}{\sum_g w_g},\quad w_g\in\{1,3\}",
        source="Li et al. (2024), From crowdsourced data to high-quality benchmarks: Arena-Hard and BenchBuilder",
        sentence=(
            "Points of all games: a game counts 1, a decisive win or loss 3, and a tie is half. With one baseline, it "
            "is also the Bradley-Terry probability of winning against it."
        ),
        columns=("score",),
        shown_on=Column(group=SCORE, shown=lambda view: view.results.has_other_verdict_scores(view.board)),
    ),
    Metric(
        id="lc_win_rate",
        title="Length-controlled win rate",
        short="LC win rate",
        scale=(0, 100),
        direction="higher",
        formula=(
            r"\frac{100}{n}\sum_i\sigma(\hat\phi\,\gamma_i+\hat\theta),\quad "
            r"P(y_i=1)=\sigma\left(\theta+\phi\,\gamma_i+\psi\tanh\frac{\ell_i^{\text{baseline}}-\ell_i}{s}\right)"
        ),
        source="Dubois et al. (2024), Length-controlled AlpacaEval",
        sentence=(
            "The win rate that a contestant would have with answers as long as the baseline's, from a regression on "
            "the difference in length and the difficulty of prompts. Absent without a baseline or without known "
            "lengths. Also absent if all of the contestant's answers are shorter than the baseline's, or all longer, "
            "unless the board has games of gamed baselines: the data then say nothing about equal length. With few "
            "prompts, the lasso pulls it towards 50."
        ),
        value=lambda of: value_of(of.length_controlled),
        whole_board=True,
        shown_on=Column(group=SCORE, parts=False),
    ),
    Metric(
        id="lc_interval",
        title="Interval of the length-controlled win rate",
        short="LC interval",
        scale=(0, 100),
        source=(
            "the linearised regression, Efron & Tibshirani (1993), An introduction to the bootstrap, 21.3; clusters as "
            "for SE"
        ),
        sentence=(
            "Of 100 such intervals, about 95 contain the length-controlled win rate that prompts like these would "
            "give, with this panel. The strength of the lasso and the difficulty of prompts are taken as known."
        ),
        columns=("lc_low", "lc_high"),
        value=lambda of: ends_of("lc", of.length_controlled),
        whole_board=True,
    ),
    Metric(
        id="style_win_rate",
        title="Win rate with style taken out",
        short="Style control",
        scale=(0, 100),
        direction="higher",
        source="Li et al. (2024), Does style matter?, and the code of Arena-Hard-Auto",
        sentence=(
            "The win rate that a contestant would have with answers of the same length as its opponents', and as many "
            "headers, list items and bold passages. Games on private items are left out, as the style of their answers "
            "is not published."
        ),
        value=lambda of: value_of(of.style_controlled),
        whole_board=True,
        shown_on=Column(group=SCORE, parts=False),
    ),
    Metric(
        id="style_interval",
        title="Interval of the win rate with style taken out",
        short="Style interval",
        scale=(0, 100),
        source=(
            "the linearised regression, Efron & Tibshirani (1993), An introduction to the bootstrap, 21.3; clusters "
            "are prompts"
        ),
        sentence=(
            "Of 100 such intervals, about 95 contain the win rate at equal style that prompts like these would give, "
            "with this panel. The ridge of the regression is taken as known."
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
        sentence=(
            "The strength that makes all games most likely, on the Elo scale; the baselines, or all contestants, "
            "average 1000. Absent for a contestant that wins or loses every game, and if no chain of games connects "
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
        digits=0,
        source=(
            "Huber (1967), The behavior of maximum likelihood estimates under nonstandard conditions; clusters are "
            "prompts"
        ),
        sentence=(
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
        scale=(0, 100),
        direction="higher",
        source="ours; intervals as those of scores",
        sentence=(
            "The win rate against a single contestant, a baseline or any other. A baseline's has its 95 % interval in "
            "brackets: of 100 such, about 95 contain the rate that prompts like these would give."
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
        sentence=(
            "The highest minus the lowest win rate against a baseline: how much the choice of a baseline matters. With "
            "two baselines, its 95 % interval is that of their difference, paired by prompt. With more there is none, "
            "as chance enlarges the largest of several differences."
        ),
        columns=("apart_low", "apart_high"),
    ),
    Metric(
        id="place_win_rate",
        title="Win rate by place",
        short="By place",
        scale=(0, 100),
        source=ZHENG,
        sentence=(
            "The win rate in games that show a contestant's answer first, and in those that show it second. A judge "
            "without position bias gives both alike."
        ),
        columns=("first_win_rate", "second_win_rate"),
        value=lambda of: of.by_place,
        whole_board=True,
    ),
    Metric(
        id="debiased_win_rate",
        title="Win rate without the place",
        short="Without place",
        scale=(0, 100),
        direction="higher",
        formula=r"100\,\frac{\sqrt{p_1p_2}}{\sqrt{p_1p_2}+\sqrt{(1-p_1)(1-p_2)}}",
        source=(
            "Davidson & Beaver (1977), On extending the Bradley-Terry model to incorporate within-pair order effects"
        ),
        sentence="The win rate without position bias: the geometric mean of the odds in both orders.",
    ),
    Metric(
        id="place_interval",
        title="Intervals of win rates by place and without it",
        short="Place interval",
        scale=(0, 100),
        source="Cochran (1977), Sampling techniques, chapter 6, the linearised ratio; clusters are prompts",
        sentence=(
            "Of 100 such intervals, about 95 contain the rate that prompts like these would give, with this panel. The "
            "rate without position bias has none if all games of one order are won, or all lost."
        ),
        columns=("first_low", "first_high", "second_low", "second_high", "debiased_low", "debiased_high"),
    ),
    Metric(
        id="row_bootstrap",
        title="Interval by single rows",
        short="Row interval",
        scale=(0, 100),
        source="the code of Arena-Hard-Auto",
        sentence=(
            "The interval that such leaderboards publish. It treats both orders of a game, and the copies of a "
            "weighted one, as independent, so it is too narrow."
        ),
        columns=("score_row_bootstrap_low", "score_row_bootstrap_high"),
        value=lambda of: of.row_bootstrap,
        whole_board=True,
    ),
    Metric(
        id="n_games",
        title="Games",
        unit="verdicts",
        direction="higher",
        digits=0,
        source="ours",
        sentence="Verdicts that count, and how many of them are a single token without log probabilities.",
        columns=("n_games", "n_token_alone"),
        after="scored",
        value=lambda of: {"n_games": of.n_games, "n_token_alone": of.contestant.token_alone},
        whole_board=True,
        shown_on=Column(group=EVIDENCE, parts=False),
    ),
    Metric(
        id="half_pairs",
        title="Half pairs",
        unit="games",
        direction="lower",
        digits=0,
        source=_ORDERS,
        sentence=(
            "A judge's two games on the same answers count only if both orders have a valid verdict. In a half pair "
            "only one has, so it is left out of every number."
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
        digits=0,
        source=_ORDERS,
        sentence=(
            "Games that a judge decided, including valid half pairs, and how many it gave to the answer shown first. A "
            "board makes no comparative claim if a judge chose one position in more than 75 % of them, unless its spec "
            "sets `position_limit`. Fewer than 10 games are not assessed."
        ),
        columns=("decided", "decided_first"),
        after="alpha_scored",
    ),
    Metric(
        id="first_share",
        title="Share of the first place",
        short="To the first",
        scale=(0, 100),
        source=ZHENG,
        sentence=(
            "The share of all games that a judge gives to the answers shown first. For games played in both orders, 50 "
            "means no position bias."
        ),
        columns=("first_share", "n_placed"),
        after="alpha_scored",
    ),
    Metric(
        id="flips",
        title="Flips",
        unit="games",
        direction="lower",
        digits=0,
        source=ZHENG,
        sentence="Games judged in both orders that went to the answer shown first both times, or second both times.",
        columns=("flips", "pairs"),
        after="alpha_scored",
    ),
    Metric(
        id="missing_mass",
        title="Missing probability mass",
        short="Missing mass",
        scale=(0, 1),
        direction="lower",
        digits=3,
        formula=r"1-P(\mathrm{m})-P(\mathrm{M})",
        source="ours",
        sentence=(
            "The probability that a judge gives to other tokens than the two letters of a verdict: the mean and the "
            "highest value over valid verdicts. A verdict counts only the two letters, so with much missing mass it "
            "rests on a small part of what the judge would write."
        ),
        columns=("missing_mass", "missing_mass_most"),
        after="alpha_scored",
    ),
    Metric(
        id="game_alpha",
        title="Units of agreement on games",
        short="Alpha of games",
        unit="verdicts",
        source="ours",
        sentence=(
            "For alpha, a unit is two answers in one order, and a verdict is one of five steps with a tie in the "
            "middle. If judges give a share of the game instead, there are three steps: less than half, half, and "
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
        sentence="The highest minus the lowest share of its games that judges gave to one answer.",
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
        sentence=(
            "Three contestants, each of which beats the next, and the last the first. No single number for each "
            "contestant can agree with a ring."
        ),
        columns=(),
    ),
)
