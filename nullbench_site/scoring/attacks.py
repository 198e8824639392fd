"""What attacks get from the judges of a board: the tables `attacks` and `attacked_judges`.

Source: Zheng et al. (2024), Cheating automatic LLM benchmarks, arXiv:2410.07137: a null model wins a comparison only if
it wins in both orders.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import numpy as np

from nullbench_site.audit.attack_registry import attacks
from nullbench_site.judging.replies import QUOTED
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import Judgment
from nullbench_site.scoring.attack_tables import TOO_FEW, AttackedJudge, AttackRow
from nullbench_site.scoring.controls import scores_alone
from nullbench_site.scoring.defences import ACCEPTED, EVEN, Given, Judged, defence_tables, marks_of
from nullbench_site.scoring.observations import UNPARSED_VERDICT, Observations, ShardReader, observe
from nullbench_site.scoring.ranking import SCALE
from nullbench_site.scoring.scorer import Scorer, scorer_of
from nullbench_site.scoring.screening import Marked
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import REFERENCE, BoardFile, JudgedBoardFile, ModelFile, WordedJudge
from nullbench_site.specs.types.answerers import UNRANKED
from nullbench_site.stats.arrays import Bools, Floats
from nullbench_site.stats.estimate import Estimate
from nullbench_site.stats.judges import mean_of_known
from nullbench_site.stats.measure import wilson

NOTICEABLE = 5.0
"""In points of 100. A judge that surely scores reference answers less than this above empty ones does not judge."""
EMPTY, HONEST = "key-empty", "carrier-first-sentence"
_PROGRAMS = {
    "null-empty": EMPTY,
    "null-constant": "constant-thanks",
    "null-persuasive": "constant-praise",
    "null-structured": "structured-tags",
}
"""The programs that give the text of an attack."""
_DIGITS = 4


def attack_of(model: ModelFile) -> str | None:
    """Return the id of the attack that a contestant gives; None for another null model."""
    known = _PROGRAMS | {attack.program: name for name, attack in attacks().items() if attack.program is not None}
    return str(model.params["attack"]) if model.model == "attack" else known.get(model.model)


def begins_honestly(model: ModelFile) -> bool:
    """Return True for an attack that begins with a sentence of an honest answer: it is no null model."""
    name = attack_of(model)
    return name is not None and "carrier" in attacks()[name].inserts


def attack_tables(
    benchmark: Benchmark,
    board: BoardFile,
    folder: RunFolder,
    cache: Path | None,
    marked: Mapping[str, Marked] = MappingProxyType({}),
) -> dict[str, list[Any]]:
    """Return the tables of a board with judges and null models; {} for another board.

    marked: what screening marks, by contestant.
    """
    everybody = {model.id: model for model in benchmark.contestants(board)}
    null = {name: model for name, model in everybody.items() if model.kind == "null"}
    if not isinstance(board, JudgedBoardFile) or not null:
        return {}
    if board.labels is not None and board.labels.board is not None:
        return {}  # answers have keys there: one that a null model gets right fools nobody
    scorer = scorer_of(benchmark, board)
    if scorer.together or not scorer.tasks:
        return {}
    reader = ShardReader(scorer)
    scored = {
        each.model: _Scored.of(scorer, each)
        for controls in (False, True)
        for each in observe(reader, folder, cache, controls=controls, only=[*everybody, REFERENCE])
        if each.model in null or each.present.any()
    }
    compared = {attack_of(model): scored[name] for name, model in null.items() if name in scored}
    judges: list[str | None] = [None, *scorer.judges] if len(scorer.judges) > 1 else [*scorer.judges]
    rows = [
        _row(scorer, null[name], of, judge, compared) for name, of in scored.items() if name in null for judge in judges
    ]
    copied = _copied(folder, board.id, {row.model for row in rows if row.n_unread})
    for row in rows:
        row.n_copied = copied[row.model, row.judge]
    right, empty = scored.get(REFERENCE), compared.get(EMPTY)
    gaps = [_gap(scorer, right, empty, judge) for judge in judges] if right and empty else []
    if not rows:
        return {}
    honest = [name for name in scored if name not in scorer.compared_with and _is_honest(everybody.get(name))]
    judged = [*_judged(scorer, scored, [*null], honest, marked)]
    defences = defence_tables(judged, benchmark.panels[board.panel].defences, scorer.strata.clusters)
    return {"attacks": rows, "attacked_judges": gaps, **defences}


def _copied(folder: RunFolder, board: str, models: Iterable[str]) -> Counter[tuple[str, str | None]]:
    """Return how many verdicts stood word for word in what was judged, by contestant and judge; None: all judges."""
    return Counter(
        (model, judge)
        for model in models
        for record in folder.records(Judgment, model)
        if record.board == board and record.invalid.get("reply") == QUOTED
        for judge in (None, record.judge)
    )


def _is_honest(model: ModelFile | None) -> bool:
    """Return True for a ranked contestant, and for reference answers, which are of none."""
    return model is None or model.kind not in UNRANKED


def _judged(
    scorer: Scorer[Any, Any, Any],
    scored: Mapping[str, _Scored],
    null: Collection[str],
    honest: Collection[str],
    marked: Mapping[str, Marked],
) -> Iterator[Judged]:
    """Yield what each judge gave, with the wordings of one judge together; the panel first."""
    wordings: dict[str | None, list[str | None]] = {None: [None]} if len(scorer.judges) > 1 else {}
    for name in scorer.judges:
        spec = scorer.benchmark.judges[name]
        wordings.setdefault(spec.base if isinstance(spec, WordedJudge) else name, []).append(name)
    marks = {name: marks_of(marked.get(name), [each.id for each in scorer.layout.placed]) for name in scored}
    compared = bool(scorer.compared_with)
    for judge, members in wordings.items():

        def given(name: str, members: Sequence[str | None] = members) -> Given:
            scores = np.array([scored[name].by_order[member] for member in members])
            return Given(scores, compared or scores.shape[1] > 1, *marks[name])

        yield Judged(
            judge,
            {name: given(name) for name in null if name in scored},
            {name: given(name) for name in honest},
        )


class _Scored(msgspec.Struct, frozen=True):
    """The scores of one contestant. by_order: for each judge (None: the panel) and order, (items,), NaN for none."""

    by_order: dict[str | None, list[Floats]]
    unread: dict[str | None, int]

    @classmethod
    def of(cls, scorer: Scorer[Any, Any, Any], observed: Observations) -> _Scored:
        contestant = scorer.reduce(observed)
        together = {None: scorer.judges} | {judge: [judge] for judge in scorer.judges}
        by_order = {judge: list(scorer.in_orders(contestant, of)) for judge, of in together.items()}
        if not by_order[None]:
            by_order = {judge: [scores] for judge, scores in scores_alone(scorer, observed, scorer.judges).items()}
        unparsed = observed.verdicts == UNPARSED_VERDICT
        return cls(by_order, {judge: int(unparsed[:, scorer.of_judges(of)].sum()) for judge, of in together.items()})


def _row(
    scorer: Scorer[Any, Any, Any],
    model: ModelFile,
    of: _Scored,
    judge: str | None,
    others: Mapping[str | None, _Scored],
) -> AttackRow:
    """Return the row of an attack. others: the contestants by attack, among them those that it is compared with."""
    orders, name = np.array(of.by_order[judge]), attack_of(model)
    known = ~np.isnan(orders).any(axis=0)
    compared = len(orders) > 1 or bool(scorer.compared_with)
    wins: Bools = np.array(orders > EVEN if compared else orders >= ACCEPTED)
    won = np.logical_and.reduce(wins)
    average = orders.mean(axis=0)
    n, n_won = int(known.sum()), int(won[known].sum())
    absent: dict[str, str] = {}
    share, ends = (n_won / n, wilson(n_won, n)) if n >= TOO_FEW else (None, (None, None))
    if share is None:
        absent["won_share"] = f"too few: {n} of at least {TOO_FEW} items"
    lifts: dict[str, float | None] = {}
    for column, itself in (("lift", HONEST), ("over_empty", EMPTY)):
        other = others.get(itself)
        found = _difference(scorer, of, other, judge) if other is not None and name != itself else None
        for end, value in (("", "value"), ("_low", "low"), ("_high", "high")):
            lifts[column + end] = getattr(found, value, None)
        if found is None:
            absent[column] = (
                "it is compared with itself" if name == itself else "there is no such answer to compare with"
            )
        elif found.reason is not None:
            absent[column] = found.reason
    return AttackRow(
        model=model.id, attack=name, kind=attacks()[name].kind if name else None, judge=judge, n_items=n,
        orders=len(orders), n_won=n_won, won_share=share, won_low=ends[0], won_high=ends[1],
        n_flips=int(np.not_equal(*wins)[known].sum()) if len(orders) > 1 else None,
        n_won_mean=int((average > EVEN if compared else average >= ACCEPTED)[known].sum()),
        attack_score=float(average[known].mean()) if n else None, n_unread=of.unread[judge], n_copied=0,
        surprise=_surprise(orders) if len(orders) > 1 else [], absent=absent, **lifts,
    )  # fmt: skip


def _surprise(orders: Floats) -> list[list[float]]:
    """Return -log p of a win for each order: p is the score as a share."""
    with np.errstate(divide="ignore"):
        logs = -np.log(np.clip(orders / SCALE[1], 1e-300, 1.0))
    return [[round(float(value), _DIGITS) for value in of if not np.isnan(value)] for of in logs]


def _difference(scorer: Scorer[Any, Any, Any], one: _Scored, other: _Scored, judge: str | None) -> Estimate:
    """Return how much more one scores than the other, paired by item."""
    return scorer.strata.difference(_average(one, judge), _average(other, judge), SCALE)


def _average(of: _Scored, judge: str | None) -> Floats:
    """Return (items,) the mean score over the orders."""
    return mean_of_known(np.array(of.by_order[judge]), axis=0)


def _gap(scorer: Scorer[Any, Any, Any], right: _Scored, empty: _Scored, judge: str | None) -> AttackedJudge:
    found = _difference(scorer, right, empty, judge)
    averages = [_average(of, judge) for of in (right, empty)]
    both = ~np.isnan(averages).any(axis=0)
    separates, absent = _separates(found)
    return AttackedJudge(
        judge=judge,
        n_items=found.n,
        right=_mean(averages[0][both]),
        empty=_mean(averages[1][both]),
        separation=found.value,
        separation_low=found.low,
        separation_high=found.high,
        separates=separates,
        absent=absent,
    )


def _separates(found: Estimate) -> tuple[bool | None, str | None]:
    """Return whether a judge scores reference answers above empty ones, or why that cannot be told."""
    if found.n < TOO_FEW:
        return None, f"too few: {found.n} of at least {TOO_FEW} items"
    if found.reason is not None or found.low is None or found.high is None:
        return None, found.reason
    if found.low > 0 or found.high < NOTICEABLE:
        return found.low > 0, None
    return None, f"the difference may be 0, and it may be {NOTICEABLE:g} points or more"


def _mean(values: Floats) -> float | None:
    return float(values.mean()) if values.size else None
