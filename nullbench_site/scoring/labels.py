"""Compare the judges of a board with the labels of its answers, and correct scores by them.

Last: how often corrected intervals cover the truth, and what labels are worth.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from nullbench_site.judging.drawing import draw_probability, in_random_order
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import Response
from nullbench_site.scoring.label_tables import (
    AltTestRow,
    CorrectedScoreRow,
    JudgeLabelRow,
    LabelRedrawRow,
    LabelWorthRow,
)
from nullbench_site.scoring.observations import ShardReader, observe
from nullbench_site.scoring.ranking import SCALE, Strata
from nullbench_site.scoring.scorer import Scorer, scorer_of
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import BoardFile, JudgedBoardFile, Label, Labels
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.labels import (
    FEW_LABELS,
    LEAST_LABELS,
    ONE_KIND,
    alt_test,
    corrected_rate,
    effective_size,
    label_worth,
    ppi_mean,
    weighted_mean,
    weighted_spearman,
)
from nullbench_site.stats.measure import Bounded

_ARRAYS = ("label", "probability", "cluster", "weight", "item", "raters", "used")


@dataclass(frozen=True)
class LabelledAnswers:
    """The answers of some contestants on all items, one after another; every array is (answers,), NaN for none.

    scores: by judge, None for the panel, 0-100. label: 0-100. probability: with which it was drawn. cluster: of its
    item. weight: of its item in the score of the board, 1 on average. item: its number. raters: (answers, raters) the
    labels of each rater, 0-100. used: whether scores are corrected by its label.
    """

    scores: Mapping[str | None, Floats]
    label: Floats
    probability: Floats
    cluster: Ints
    weight: Floats
    item: Ints
    raters: Floats
    used: Bools

    @classmethod
    def joined(cls, parts: Sequence[LabelledAnswers]) -> LabelledAnswers:
        """Return the answers of several contestants."""
        scores = {judge: np.concatenate([part.scores[judge] for part in parts]) for judge in parts[0].scores}
        return cls(scores, **{name: np.concatenate([getattr(part, name) for part in parts]) for name in _ARRAYS})

    def at(self, places: Ints, cluster: Ints, used: Bools) -> LabelledAnswers:
        """Return some answers, repeated ones too, in other clusters and with other labels in use."""
        scores = {judge: score[places] for judge, score in self.scores.items()}
        arrays = {name: getattr(self, name)[places] for name in _ARRAYS}
        return LabelledAnswers(scores, **(arrays | {"cluster": cluster, "used": used}))

    def judged(self, judge: str | None) -> Bools:
        """Return which answers have a score of a judge."""
        judged: Bools = ~np.isnan(self.scores[judge])
        return judged

    def compared(self, judge: str | None) -> Bools:
        """Return which of these have a label."""
        compared: Bools = self.judged(judge) & ~np.isnan(self.label)
        return compared

    def inverse(self, chosen: Bools) -> Floats:
        """Return 1 over the draw probability of some answers with a label."""
        inverse: Floats = 1 / self.probability[chosen]
        return inverse

    def mean(self, values: Floats) -> float | None:
        """Return the mean of the values that are not NaN, with the weights of the board; None without any."""
        known = ~np.isnan(values)
        return float(np.average(values[known], weights=self.weight[known])) if known.any() else None


def item_weights(strata: Strata) -> Floats:
    """Return (items,) the weight of each item in the score of a board, 1 on average: that of its group, shared."""
    sizes = np.bincount(strata.groups)
    if sizes.size == 1:
        return np.ones(strata.groups.size)
    of_groups = np.ones(sizes.size) if strata.weights is None else np.asarray(strata.weights, np.float64)
    shares: Floats = of_groups[strata.groups] / sizes[strata.groups]
    shares *= shares.size / shares.sum()
    return shares


def label_mean_of(of: LabelledAnswers, judge: str | None) -> Bounded:
    """Return the mean of the labels that are used, without the judge's scores."""
    both = of.compared(judge) & of.used
    return weighted_mean(of.label[both], of.inverse(both) * of.weight[both], of.cluster[both], SCALE)


def ppi_of(of: LabelledAnswers, judge: str | None) -> Bounded:
    """Return the mean label of all answers by `ppi_mean`, within the scale.

    If answers were drawn with different probabilities, those without a label are no sample of all. The judge's scores
    of all answers take their place. An answer is then in both parts, and its cluster too, so that its two parts of the
    error are added.
    """
    score, both = of.scores[judge], of.compared(judge) & of.used
    rest = of.judged(judge) & ~both
    if not rest.any():
        return Bounded.undefined("every answer has a label")
    others = rest if np.ptp(of.probability[both]) == 0 else both | rest
    places = np.concatenate([np.flatnonzero(both), np.flatnonzero(others)])
    inverse = of.inverse(both)
    weights = np.concatenate([inverse / inverse.mean(), np.ones(int(others.sum()))]) * of.weight[places]
    clusters = of.cluster[places]
    return ppi_mean(of.label[both], score[both], score[others], weights=weights, clusters=clusters, scale=SCALE)


def corrected_share_of(of: LabelledAnswers, judge: str | None, right_from: float) -> Bounded:
    """Return the share of right answers by the specificity and the sensitivity of the judge on the same contestant."""
    both, judged = of.compared(judge) & of.used, of.judged(judge)
    accepts, right = of.scores[judge] >= right_from, of.label >= right_from
    rates, sizes = [], []
    for part, agrees in ((both & ~right, ~accepts), (both & right, accepts)):
        if not part.any():
            return Bounded.undefined(ONE_KIND)
        known, weights, clusters = agrees[part].astype(float), of.inverse(part) * of.weight[part], of.cluster[part]
        rates.append(float(np.average(known, weights=weights)))
        sizes.append(effective_size(known, weights, clusters))
    p, weights = accepts[judged].astype(float), of.weight[judged]
    n = effective_size(p, weights, of.cluster[judged])
    return corrected_rate(float(np.average(p, weights=weights)), n, rates[0], sizes[0], rates[1], sizes[1])


NO_SCORE = "the judge has no score of an answer with a label"
NO_OVERLAP = "no answer has a label"


def label_tables(benchmark: Benchmark, board: BoardFile, folder: RunFolder, cache: Path | None) -> dict[str, list[Any]]:
    """Return the tables of a board about its labels; {} for one without labels."""
    if not isinstance(board, JudgedBoardFile) or board.labels is None:
        return {}
    scorer = scorer_of(benchmark, board)
    scores = _scores(scorer, folder, cache)
    if board.labels.board is None:
        given: Sequence[Label] = benchmark.labels.get(board.id, ())
    else:
        given = list(_keys(benchmark, board, benchmark.boards[board.labels.board], folder))
    raters = sorted({label.rater for label in given})
    answers = {model: _answers(scorer, of, model, given, raters) for model, of in scores.items()}
    drawn = {model: _probability(benchmark, board, model) for model in answers}
    null = {model.id for model in benchmark.contestants(board) if model.kind == "null"}
    names = ("judge_labels", "corrected_scores", "label_redraws", "label_worth", "alt_tests")
    tables: dict[str, list[Any]] = {name: [] for name in names}
    honest = [own for model, own in answers.items() if model not in null]
    for name, parts in (
        ("contestants", honest),
        ("null models", [answers[model] for model in answers if model in null]),
    ):
        labelled = parts and any((~np.isnan(part.label)).any() for part in parts)
        if labelled or (parts and name == "contestants"):
            joined = LabelledAnswers.joined(parts)
            tables["judge_labels"] += [_compared(joined, judge, name, board.labels) for judge in joined.scores]
    for model, own in answers.items():
        for judge in own.scores:
            row = _corrected(own, model, judge, board.labels)
            row.probability = drawn[model]
            tables["corrected_scores"].append(row)
            tables["label_redraws"] += redraw_rows(own, model, judge, board.labels, board.bootstrap.seed)
            tables["label_worth"] += worth_rows(own, model, judge)
    if len(raters) > 2 and honest:
        joined = LabelledAnswers.joined(honest)
        tables["alt_tests"] = [_alt_test(joined, judge, board.labels) for judge in joined.scores]
    return tables


def _scores(
    scorer: Scorer[Any, Any, Any], folder: RunFolder, cache: Path | None
) -> dict[str, dict[str | None, Floats]]:
    """Return (items,) the scores of each contestant by the panel and by each judge alone, NaN for none."""
    observed = list(observe(ShardReader(scorer), folder, cache))
    contestants = [scorer.reduce(each) for each in observed]
    scorer.prepare(contestants)
    scores: dict[str, dict[str | None, Floats]] = {}
    for each, contestant in zip(observed, contestants, strict=True):
        if scorer.counts(contestant):
            own: dict[str | None, Floats] = {None: scorer.item_scores(contestant)} if len(scorer.judges) > 1 else {}
            for judge in scorer.judges:
                judged = ~np.isnan(each.values[:, scorer.of_judges([judge])]).all(axis=(1, 2))
                own[judge] = np.where(judged, scorer.scores_by(each, contestant, [judge])[:, 0], np.nan)
            scores[each.model] = own
    return scores


def _probability(benchmark: Benchmark, board: BoardFile, model: str) -> float | None:
    """Return the probability with which judges see an answer of a contestant; None if they see all."""
    drawn = getattr(board, "judged", None)
    return None if drawn is None else draw_probability(benchmark, board, drawn, model)


def _keys(benchmark: Benchmark, board: BoardFile, other: BoardFile, folder: RunFolder) -> Iterator[Label]:
    """Yield the marks by keys of the answers that a board shares with another: same item, contestant and text."""
    # A mark depends on the text alone, so the other board is read as if it had one wording.
    scorer = scorer_of(benchmark, msgspec.structs.replace(other, templates=(), first_template_only=(), samples=1))
    reader = ShardReader(scorer)
    shared = {model.id for model in benchmark.contestants(board)} & {m.id for m in benchmark.contestants(other)}
    for model in sorted(shared):
        texts: dict[str, str] = {}
        there: dict[tuple[str, str], Response] = {}
        for response in folder.records(Response, model):
            if response.state == "answered" and response.sample == 0:
                text = response.text if response.hidden is None else response.hidden.hash
                if response.board == board.id:
                    texts[response.item] = text
                elif response.board == other.id:
                    there[response.item, text] = response
        same = [there[answer] for answer in texts.items() if answer in there]
        marks = scorer.item_scores(scorer.reduce(reader.observe_records(model, same, ())))
        probability = _probability(benchmark, board, model) or 1.0
        for placed, mark in zip(scorer.layout.placed, marks.tolist(), strict=True):
            if not np.isnan(mark):
                yield Label(item=placed.id, contestant=model, rater="key", value=mark / 100, probability=probability)


def _answers(
    scorer: Scorer[Any, Any, Any],
    scores: Mapping[str | None, Floats],
    model: str,
    given: Sequence[Label],
    raters: Sequence[str],
) -> LabelledAnswers:
    board: Any = scorer.board
    low, high = (board.labels.low, board.labels.high) if board.labels.board is None else (0.0, 1.0)
    size = len(scorer.layout.placed)
    table, probability = np.full((size, len(raters)), np.nan), np.full(size, np.nan)
    for label in given:
        if label.contestant == model and (place := scorer.layout.number.get(label.item)) is not None:
            table[place, raters.index(label.rater)] = 100 * (label.value - low) / (high - low)
            probability[place] = label.probability
    n = (~np.isnan(table)).sum(axis=1)
    mean = np.divide(np.nansum(table, axis=1), n, out=np.full(size, np.nan), where=n > 0)
    strata, items = scorer.strata, np.arange(size)
    used = _used(scorer, scores, model, mean) if board.labels.use is not None else ~np.isnan(mean)
    return LabelledAnswers(scores, mean, probability, strata.clusters, item_weights(strata), items, table, used)


def _used(scorer: Scorer[Any, Any, Any], scores: Mapping[str | None, Floats], model: str, label: Floats) -> Bools:
    """Return (items,) the labels by which scores are corrected: drawn from those of answers with a score."""
    judged = ~np.isnan(np.array(list(scores.values()))).all(axis=0) & ~np.isnan(label)
    ids = {placed.id: place for place, placed in enumerate(scorer.layout.placed) if judged[place]}
    board, used = scorer.board, np.zeros(label.size, np.bool_)
    drawn = in_random_order(((model, item) for item in ids), board.id, board.bootstrap.seed)
    used[[ids[item] for _, item in drawn[: board.labels.use]]] = True
    return used


def _put(columns: dict[str, Any], name: str, found: Bounded) -> None:
    """Add a number, its interval and the reason for what is absent to the columns of a row."""
    columns |= {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}
    if found.reason is not None:
        columns["absent"][name] = found.reason


def _compared(of: LabelledAnswers, judge: str | None, name: Any, labels: Labels) -> JudgeLabelRow:
    score = of.scores[judge]
    both = of.compared(judge)
    accepts, right = score >= labels.right_from, of.label >= labels.right_from
    columns: dict[str, Any] = {"absent": {}}
    for column, part, agrees in (("sensitivity", both & right, accepts), ("specificity", both & ~right, ~accepts)):
        found = weighted_mean(agrees[part].astype(float), of.inverse(part), of.cluster[part])
        if found.value is None:
            kind = "right" if column == "sensitivity" else "wrong"
            found = Bounded.undefined(f"no {kind} answer has a label" if both.any() else NO_OVERLAP)
        _put(columns, column, found)
    _put(
        columns, "label_correlation",
        weighted_spearman(score[both], of.label[both], of.inverse(both), of.cluster[both])
        if both.any() else Bounded.undefined(NO_OVERLAP),
    )  # fmt: skip
    return JudgeLabelRow(
        judge=judge,
        answers=name,
        n_labels=int(both.sum()),
        n_items=np.unique(of.item[both]).size,
        n_right=int((both & right).sum()),
        n_wrong=int((both & ~right).sum()),
        **columns,
    )


def _corrected(of: LabelledAnswers, model: str, judge: str | None, labels: Labels) -> CorrectedScoreRow:
    score, judged = of.scores[judge], of.judged(judge)
    n = int((of.compared(judge) & of.used).sum())
    columns: dict[str, Any] = {
        "absent": {},
        "raw_score": of.mean(score),
        "accepted": of.mean(np.where(judged, score >= labels.right_from, np.nan)),
    }
    if labels.use is not None:
        known = ~np.isnan(of.label)
        columns |= {
            "n_true": int(known.sum()),
            "true_score": of.mean(of.label),
            "true_share": of.mean(np.where(known, of.label >= labels.right_from, np.nan)),
        }
    few = None if n >= LEAST_LABELS else Bounded.undefined(FEW_LABELS if judged.any() else NO_SCORE)
    _put(columns, "label_mean", few or label_mean_of(of, judge))
    _put(columns, "corrected_score", few or ppi_of(of, judge))
    _put(columns, "corrected_share", few or corrected_share_of(of, judge, labels.right_from))
    return CorrectedScoreRow(model=model, judge=judge, n_answers=int(judged.sum()), n_labels=n, **columns)


def _alt_test(of: LabelledAnswers, judge: str | None, labels: Labels) -> AltTestRow:
    score = of.scores[judge]
    chosen = of.compared(judge)
    found = alt_test(score[chosen], of.raters[chosen], labels.epsilon)
    return AltTestRow(
        judge=judge,
        epsilon=labels.epsilon,
        n_raters=found.humans,
        winning_rate=found.winning_rate,
        advantage=found.advantage,
        replaces=found.replaces,
        absent=found.reason,
    )


REDRAWS = 1000
NUMBERS = (100, 200, 400, 800)
"""The numbers of labels that the table of their worth has."""


def redraw_rows(
    of: LabelledAnswers, model: str, judge: str | None, labels: Labels, seed: int
) -> Iterator[LabelRedrawRow]:
    """Yield how often each interval covers the mean label of the judged answers, over redraws of these answers.

    Each redraw draws as many clusters as there are, with replacement, and then the labels that are used.
    """
    known = np.flatnonzero(of.compared(judge))
    n = min(int(of.used[known].sum()), labels.use or 0)
    if n < LEAST_LABELS or n == known.size:
        return
    members = [known[of.cluster[known] == each] for each in np.unique(of.cluster[known])]
    truths: dict[Any, float] = {
        name: float(np.average(of_all[known], weights=of.weight[known]))
        for name, of_all in (
            ("corrected_score", of.label),
            ("corrected_share", of.label >= labels.right_from),
        )
    }
    rng, found = np.random.default_rng(seed), {name: list[tuple[float, float]]() for name in truths}
    for _ in range(REDRAWS):
        chosen = rng.integers(len(members), size=len(members)).tolist()
        places = np.concatenate([members[each] for each in chosen])
        if places.size <= n:
            continue
        used = np.zeros(places.size, np.bool_)
        used[rng.permutation(places.size)[:n]] = True
        drawn = of.at(places, np.repeat(np.arange(len(chosen)), [members[each].size for each in chosen]), used)
        for name, interval in (
            ("corrected_score", ppi_of(drawn, judge)),
            ("corrected_share", corrected_share_of(drawn, judge, labels.right_from)),
        ):
            if interval.low is not None and interval.high is not None:
                found[name].append((interval.low, interval.high))
    for name, ends in found.items():
        covers = [low <= truths[name] <= high for low, high in ends]
        yield LabelRedrawRow(
            model=model,
            judge=judge,
            interval=name,
            n_redraws=REDRAWS,
            n_intervals=len(ends),
            covered=float(np.mean(covers)) if covers else None,
            half_width=float(np.mean([high - low for low, high in ends])) / 2 if ends else None,
        )


def worth_rows(of: LabelledAnswers, model: str, judge: str | None) -> Iterator[LabelWorthRow]:
    """Yield what numbers of labels of a contestant are worth next to all answers that a judge has scored."""
    known, others = of.compared(judge), int(of.judged(judge).sum())
    if known.sum() < LEAST_LABELS:
        return
    for n in NUMBERS:
        worth = label_worth(of.label[known], of.scores[judge][known], of.cluster[known], n, others)
        if worth is not None:
            yield LabelWorthRow(
                model=model,
                judge=judge,
                n_labels=n,
                n_answers=others,
                half_width_alone=worth.alone,
                half_width=worth.corrected,
                equal_to=worth.equal_to,
            )
