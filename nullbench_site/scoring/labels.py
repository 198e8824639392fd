"""Compare the judges of a board with the labels of its answers, and correct scores by them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import Response
from nullbench_site.scoring.label_tables import AltTestRow, CorrectedScoreRow, JudgeLabelRow
from nullbench_site.scoring.observations import ShardReader, observe
from nullbench_site.scoring.ranking import SCALE
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
    ppi_mean,
    weighted_mean,
    weighted_spearman,
)
from nullbench_site.stats.measure import Bounded

NO_SCORE = "the judge has no score of an answer with a label"
NO_OVERLAP = "no answer has a label"


@dataclass(frozen=True)
class _Answers:
    """The answers of some contestants on all items, one after another; every array is (answers,), NaN for none.

    scores: by judge, None for the panel, 0-100. label: 0-100. probability: with which it was drawn. cluster, group: of
    its item. item: its number. raters: (answers, raters) the labels of each rater, 0-100.
    """

    scores: Mapping[str | None, Floats]
    label: Floats
    probability: Floats
    cluster: Ints
    group: Ints
    item: Ints
    raters: Floats

    @classmethod
    def joined(cls, parts: Sequence[_Answers]) -> _Answers:
        """Return the answers of several contestants."""
        scores = {judge: np.concatenate([part.scores[judge] for part in parts]) for judge in parts[0].scores}
        names = ("label", "probability", "cluster", "group", "item", "raters")
        return cls(scores, **{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})

    def weights(self, chosen: Bools) -> Floats:
        """Return 1 over the draw probability of some answers with a label."""
        inverse: Floats = 1 / self.probability[chosen]
        return inverse


def label_tables(benchmark: Benchmark, board: BoardFile, folder: RunFolder, cache: Path | None) -> dict[str, list[Any]]:
    """Return the tables `judge_labels`, `corrected_scores` and `alt_tests` of a board; {} for one without labels."""
    if not isinstance(board, JudgedBoardFile) or board.labels is None:
        return {}
    scorer = scorer_of(benchmark, board)
    scores = _scores(scorer, folder, cache)
    if board.labels.board is None:
        given: Sequence[Label] = benchmark.labels.get(board.id, ())
    else:
        given = list(_keys(benchmark, board, benchmark.boards[board.labels.board], folder, cache))
    raters = sorted({label.rater for label in given})
    answers = {model: _answers(scorer, of, model, given, raters) for model, of in scores.items()}
    null = {model.id for model in benchmark.contestants(board) if model.kind == "null"}
    tables: dict[str, list[Any]] = {"judge_labels": [], "corrected_scores": [], "alt_tests": []}
    honest = [own for model, own in answers.items() if model not in null]
    for name, parts in (
        ("contestants", honest),
        ("null models", [answers[model] for model in answers if model in null]),
    ):
        labelled = parts and any((~np.isnan(part.label)).any() for part in parts)
        if labelled or (parts and name == "contestants"):
            joined = _Answers.joined(parts)
            tables["judge_labels"] += [_compared(joined, judge, name, board.labels) for judge in joined.scores]
    for model, own in answers.items():
        tables["corrected_scores"] += [_corrected(own, model, judge, board.labels) for judge in own.scores]
    if len(raters) > 2 and honest:
        joined = _Answers.joined(honest)
        tables["alt_tests"] = [_alt_test(joined, judge, board.labels) for judge in joined.scores]
    return tables


def _scores(
    scorer: Scorer[Any, Any, Any], folder: RunFolder, cache: Path | None
) -> dict[str, dict[str | None, Floats]]:
    """Return (items,) the scores of each contestant by the panel and by each judge alone, NaN for none."""
    revision = f"{scorer.board.protocol} {scorer.revision}"
    observed = list(observe(ShardReader(scorer), folder, revision, cache))
    contestants = [scorer.reduce(each) for each in observed]
    scorer.prepare(contestants)
    scores: dict[str, dict[str | None, Floats]] = {}
    for each, contestant in zip(observed, contestants, strict=True):
        if scorer.counts(contestant):
            own: dict[str | None, Floats] = {None: scorer.item_scores(contestant)} if len(scorer.judges) > 1 else {}
            for judge in scorer.judges:
                tasks = [place for place, (name, _) in enumerate(scorer.tasks) if name == judge]
                judged = ~np.isnan(each.values[:, tasks]).all(axis=(1, 2))
                own[judge] = np.where(judged, scorer.scores_by(each, contestant, [judge])[:, 0], np.nan)
            scores[each.model] = own
    return scores


def _keys(
    benchmark: Benchmark, board: BoardFile, other: BoardFile, folder: RunFolder, cache: Path | None
) -> Iterator[Label]:
    """Yield the marks by keys of the answers that a board shares with another: same item, contestant and text."""
    scorer = scorer_of(benchmark, other)
    contestants = {model.id for model in benchmark.contestants(board)}
    for each in observe(ShardReader(scorer), folder, f"{other.protocol} {scorer.revision}", cache):
        if each.model not in contestants:
            continue
        texts: dict[str, dict[str, str]] = {board.id: {}, other.id: {}}
        for response in folder.records(Response, each.model):
            if response.board in texts and response.state == "answered" and response.sample == 0:
                text = response.text if response.hidden is None else response.hidden.hash
                texts[response.board].setdefault(response.item, text)
        marks = scorer.item_scores(scorer.reduce(each))
        for placed, mark in zip(scorer.layout.placed, marks.tolist(), strict=True):
            own = texts[board.id].get(placed.id)
            if own is not None and own == texts[other.id].get(placed.id) and not np.isnan(mark):
                yield Label(item=placed.id, contestant=each.model, rater="key", value=mark / 100, probability=1.0)


def _answers(
    scorer: Scorer[Any, Any, Any],
    scores: Mapping[str | None, Floats],
    model: str,
    given: Sequence[Label],
    raters: Sequence[str],
) -> _Answers:
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
    strata = scorer.strata
    return _Answers(scores, mean, probability, strata.clusters, strata.groups, np.arange(size), table)


def _put(columns: dict[str, Any], name: str, found: Bounded) -> None:
    """Add a number, its interval and the reason for what is absent to the columns of a row."""
    columns |= {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}
    if found.reason is not None:
        columns["absent"][name] = found.reason


def _compared(of: _Answers, judge: str | None, name: Any, labels: Labels) -> JudgeLabelRow:
    score = of.scores[judge]
    both = ~np.isnan(score) & ~np.isnan(of.label)
    accepts, right = score >= labels.right_from, of.label >= labels.right_from
    columns: dict[str, Any] = {"absent": {}}
    for column, part, agrees in (("sensitivity", both & right, accepts), ("specificity", both & ~right, ~accepts)):
        found = weighted_mean(agrees[part].astype(float), of.weights(part), of.cluster[part])
        if found.value is None:
            kind = "right" if column == "sensitivity" else "wrong"
            found = Bounded.undefined(f"no {kind} answer has a label" if both.any() else NO_OVERLAP)
        _put(columns, column, found)
    _put(
        columns, "label_correlation",
        weighted_spearman(score[both], of.label[both], of.weights(both), of.cluster[both])
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


def _corrected(of: _Answers, model: str, judge: str | None, labels: Labels) -> CorrectedScoreRow:
    score = of.scores[judge]
    judged = ~np.isnan(score)
    both = judged & ~np.isnan(of.label)
    rest, n = judged & ~both, int(both.sum())
    columns: dict[str, Any] = {"absent": {}, "raw_score": None, "accepted": None}
    if judged.any():
        columns |= {
            "raw_score": float(score[judged].mean()),
            "accepted": float((score[judged] >= labels.right_from).mean()),
        }
    enough = n >= LEAST_LABELS
    few = Bounded.undefined(FEW_LABELS if judged.any() else NO_SCORE)
    truth = weighted_mean(of.label[both], of.weights(both), of.cluster[both], SCALE) if enough else few
    _put(columns, "label_mean", truth)
    _put(columns, "corrected_score", _by_ppi(of, score, both, rest) if enough else few)
    _put(columns, "corrected_share", _by_rates(of, score, both, judged, labels.right_from) if enough else few)
    return CorrectedScoreRow(model=model, judge=judge, n_answers=int(judged.sum()), n_labels=n, **columns)


def _by_ppi(of: _Answers, score: Floats, both: Bools, rest: Bools) -> Bounded:
    """Return the mean label of all answers by `ppi_mean`, within the scale.

    If answers were drawn with different probabilities, those without a label are no sample of all. The judge's scores
    of all answers take their place. An answer is then in both parts, and its cluster too, so that its two parts of the
    error are added.
    """
    if not rest.any():
        return Bounded.undefined("every answer has a label")
    others = rest if np.ptp(of.probability[both]) == 0 else both | rest
    places = np.concatenate([np.flatnonzero(both), np.flatnonzero(others)])
    weights = np.concatenate([of.weights(both), np.ones(int(others.sum()))])
    found = ppi_mean(of.label[both], score[both], score[others], weights=weights, clusters=of.cluster[places])
    if found.low is None or found.high is None:
        return found
    return Bounded(found.value, max(SCALE[0], found.low), min(SCALE[1], found.high), found.reason)


def _by_rates(of: _Answers, score: Floats, both: Bools, judged: Bools, right_from: float) -> Bounded:
    """Return the share of right answers by the specificity and the sensitivity of the judge on the same contestant."""
    accepts, right = score >= right_from, of.label >= right_from
    rates, sizes = [], []
    for part, agrees in ((both & ~right, ~accepts), (both & right, accepts)):
        if not part.any():
            return Bounded.undefined(ONE_KIND)
        known, weights, clusters = agrees[part].astype(float), of.weights(part), of.cluster[part]
        rates.append(weighted_mean(known, weights, clusters).value or 0.0)
        sizes.append(effective_size(known, weights, clusters))
    p = accepts[judged].astype(float)
    n = effective_size(p, None, of.cluster[judged])
    return corrected_rate(float(p.mean()), n, rates[0], sizes[0], rates[1], sizes[1])


def _alt_test(of: _Answers, judge: str | None, labels: Labels) -> AltTestRow:
    score = of.scores[judge]
    chosen = ~np.isnan(score) & ~np.isnan(of.label)
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
