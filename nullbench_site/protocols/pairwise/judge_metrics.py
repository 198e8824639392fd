"""The numbers of the judges of `pairwise` boards: the place they prefer, their letters, their agreement."""

from __future__ import annotations

from nullbench_site.scoring.columns import Metric

ZHENG = "Zheng et al. (2023), Judging LLM-as-a-judge with MT-Bench and Chatbot Arena"
_ORDERS = f"ours; {ZHENG}, on position bias"

JUDGE_METRICS = (
    Metric(
        id="half_pairs",
        title="Half pairs",
        short="Half pairs",
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
        direction="neither",
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
        direction="neither",
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
        short="Flips",
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
        direction="neither",
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
)
