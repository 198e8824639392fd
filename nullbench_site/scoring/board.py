"""Reduce the observations of all contestants to the results of one board."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from nullbench_site.runs.folder import RunFolder
from nullbench_site.scoring.agreement import Ratings, agreement_of_board, rater_agreement_rows
from nullbench_site.scoring.analyses import analyses, resampled_ranks
from nullbench_site.scoring.attacks import begins_honestly
from nullbench_site.scoring.biases import BiasStudy, item_form
from nullbench_site.scoring.board_tables import Floor, VariantRow
from nullbench_site.scoring.columns import measured
from nullbench_site.scoring.contamination import overlap_rows
from nullbench_site.scoring.contamination_tables import OverlapRow
from nullbench_site.scoring.controls import PANEL, control_scores, measured_panel, null_floor
from nullbench_site.scoring.correlations import correlation_rows
from nullbench_site.scoring.executors import Map, mapped, reading
from nullbench_site.scoring.layout import Groups
from nullbench_site.scoring.looks import looks_of_board, stopped_at
from nullbench_site.scoring.observations import Observations, ShardReader, observe
from nullbench_site.scoring.panel import ByJudge, PanelStudy
from nullbench_site.scoring.ranking import SCALE, Ranking, best_first, best_variants
from nullbench_site.scoring.results import Group, ItemRow, JudgeRow, Results, Row, rounded
from nullbench_site.scoring.scorer import Contestant, RowT, Scorer, judge_rows, scorer_of
from nullbench_site.scoring.sub_scores import added_by_sub_score
from nullbench_site.scoring.wordings import Wordings, variation
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import RECORDED, BoardFile, ModelFile
from nullbench_site.stats.arrays import Bools, Floats
from nullbench_site.stats.contrasts import group_contrasts
from nullbench_site.stats.estimate import estimate_of
from nullbench_site.stats.measure import LEAST_CLUSTERS

NOT_ANSWERED = "some items are not answered here"
_SUB_SCORES = ("domains", "categories")
"""The groups whose scores are sub-scores of the board."""
UNCONTRASTED = f"fewer than {LEAST_CLUSTERS} independent items, a missing score, or the same score on every item"


def score_board(
    benchmark: Benchmark, board: BoardFile, folder: RunFolder, cache: Path | None, executor: Executor | None = None
) -> Results:
    """Return the results of one board from the records of a run.

    cache: a folder for observations; None reads all records. executor: where to work, as in `executors.mapped`; None
    means in this process.
    """
    scorer = scorer_of(benchmark, board)
    reader = ShardReader(scorer)
    read = reading(reader, executor)
    observed, controls = (observe(reader, folder, cache, controls=each, read=read) for each in (False, True))
    return reduce_board(scorer, folder.manifest.run, observed, controls, do=mapped(executor))


def is_separated(benchmark: Benchmark, board: BoardFile, folder: RunFolder) -> bool:
    """Return True if every pair of ranked contestants is decided, with two or more of them."""
    scorer = scorer_of(benchmark, board)
    reader = ShardReader(scorer)
    observed, controls = (observe(reader, folder, controls=each) for each in (False, True))
    found = reduce_board(scorer, folder.manifest.run, observed, controls, whole=False, with_items=False).separation
    return found is not None and found.together == found.pairs


def control_items(benchmark: Benchmark, board: BoardFile, folder: RunFolder) -> Iterable[ItemRow]:
    """Return a row for each answer of each control."""
    scorer = scorer_of(benchmark, board)
    observed = observe(ShardReader(scorer), folder, controls=True)
    return scorer.item_rows([scorer.reduce(each) for each in observed if each.present.any()])


def reduce_board(
    scorer: Scorer[Any, Any, Any],
    run: str,
    observed: Iterable[Observations],
    controls: Iterable[Observations] = (),
    *,
    whole: bool = True,
    with_items: bool = True,
    do: Map = map,
) -> Results:
    """Return the results of a board. The order of contestants and judges does not matter. do: as in `executors.mapped`.

    whole: if False, leave out parts of the board, and compute only what claims about the leaderboard need: the ladders
    of the whole panel, and the first contestant against each of the others. with_items: if False, leave out items.
    """
    board, layout = scorer.board, scorer.layout
    contestants, parts, by_wording, forms = [], {}, dict[str, Floats](), dict[str, Floats]()
    wordings = Wordings(scorer) if whole and len(board.wordings) > 1 else None
    entered = scorer.benchmark.contestants(board)
    null_models = frozenset(model.id for model in entered if model.kind == "null")
    ratings = scorer.ratings()
    for observations in observed:
        if wordings is not None:
            by_wording[observations.model] = wordings.scores(observations)
        contestant = scorer.reduce(observations)
        if ratings is not None:
            rated = scorer.rated(observations, contestant)
            ratings.add(observations.model, rated, null=observations.model in null_models)
        if whole and scorer.tasks:
            forms[observations.model] = item_form(scorer, observations, contestant)
        contestants.append(contestant)
        by_parts = partial(ByJudge.of, scorer, observations, contestant)
        parts[contestant.model] = by_parts if scorer.together else by_parts()
    contestants.sort(key=lambda contestant: contestant.model)
    on_board, rows, lacking = _leaderboard(scorer, contestants)
    of_parts = ((model, each() if callable(each) else each) for model, each in parts.items())
    by_judge = {model: each for model, each in of_parts if each is not None}
    scores = {model: scorer.item_scores(contestant) for model, contestant in on_board.items()}
    unranked = without_rank(board, entered) | lacking
    reach = {model: scorer.reach(contestant) for model, contestant in on_board.items()}
    of_controls = control_scores(scorer, controls, alone=whole)
    ceiling, damages = measured_panel(scorer, of_controls)
    by_panel = {control: of_judges[PANEL] for control, of_judges in of_controls.items()}
    strata = scorer.strata.by_name([placed.id for placed in layout.placed])
    ranking = Ranking(
        strata, scores, unranked, board.bootstrap, reach, null_models, by_panel, looks=looks_of_board(scorer)
    ).checked(rows)
    # Workers begin with these and, later, the analyses. All else is computed before their results are needed.
    sent: dict[str, Iterable[Any]] = dict.fromkeys(scorer.groupings(), ())
    if whole:
        sent |= _unranked_parts(scorer, on_board, scores, ratings, ranking, do=do)
    tested = ranking.of_board(rows)
    study = PanelStudy(scorer, scores, by_judge, null_models, reach)
    floor = null_floor(rows, null_models - {each.id for each in entered if begins_honestly(each)}, tested, study)
    in_order = [row.model for row in best_first(rows.values()) if row.compared]
    ranked = [model for model in in_order if model not in null_models]
    if whole:
        sent["analyses"] = analyses(scorer, ranking, in_order, by_judge, by_wording, do=do)
        sent["resampled"] = do(partial(resampled_ranks, ranking), [ranked])
        study.put_intervals(rows.values())
        study.put_adjusted(rows.values())
        pairs = study.pairs(in_order)
    else:
        pairs = study.of_the_first(ranked)
    tables = _judges(scorer, contestants) | dict(scorer.tables(contestants))
    tables |= agreement_of_board(ratings) if ratings is not None else {}
    items = list(scorer.item_rows(contestants)) if with_items else []
    biases = BiasStudy(study, forms, items, ranked) if forms else None
    return scorer.results(
        run=run,
        board=board.id,
        protocol=board.protocol,
        complete=len(on_board) == len(entered) and not any(row.awaited for row in rows.values()),
        silenced=sorted(scorer.silenced(tables.get("judges", ()))),
        n_items=len(layout.placed),
        same_end=rounded(same_end(items)),
        panel_kind=study.kind,
        floor=rounded(floor),
        best_set=tested.best_set,
        pair_critical=tested.critical,
        pair_alpha=tested.alpha,
        pair_test=ranking.test,
        joint_checks=rounded(ranking.joint_checks) or msgspec.UNSET,
        separation=tested.separation(ranked),
        ceiling=rounded(ceiling),
        controls=rounded(damages),
        variants=rounded(_variants(scorer, [rows[model] for model in ranked], scores)) if whole else msgspec.UNSET,
        **(rounded(variation(ranking, scorer, wordings, by_wording, rows)) if whole else {}),
        overlap=_overlap(scorer, scores) if whole else msgspec.UNSET,
        correlations=rounded(correlation_rows(scorer, scores)) if whole else msgspec.UNSET,
        biases=rounded(biases.biases(scorer.order_biases(contestants))) if biases else msgspec.UNSET,
        length_corrected=(rounded(biases.corrected()) if biases else None) or msgspec.UNSET,
        ungated=rounded(_ungated(scorer, [on_board[model] for model in in_order if model in null_models])),
        leaderboard=rounded(best_first(rows.values())),
        items=items,
        differences=rounded(study.differences(pairs, tested, whole=whole, repeated=board.id in scorer.benchmark.asked)),
        stopped=stopped_at(scorer, ranking.looks),
        detectable=rounded(ranking.detectable(ranked, tested.alpha)) if whole else None,
        lead=rounded(ranking.lead(ranked, study.items)) if whole else None,
        **(rounded(study.crossed(ranked)) if whole else {}),
        **rounded(tables),
        **_by_workers(scorer, list(scores), sent),
    )


def _unranked_parts(
    scorer: Scorer[Any, Any, Any],
    on_board: Mapping[str, Contestant],
    scores: Mapping[str, Floats],
    ratings: Ratings | None,
    ranking: Ranking,
    *,
    do: Map,
) -> dict[str, Iterable[Any]]:
    """Send the parts that do not use the ranks of the board: groups, contrasts of domains, agreement of raters."""
    groupings, contestants = scorer.groupings(), list(on_board.values())
    sent: dict[str, Iterable[Any]] = {
        name: group_tables(scorer, contestants, groups, ranking, parts=name in _SUB_SCORES, do=do)
        for name, groups in groupings.items()
    }
    if scores and "domains" in groupings and len(groupings["domains"].in_order) > 1:
        sent["contrasts"] = _domain_contrasts(scorer, scores, do=do)
    if ratings and len(ratings.judges) > 1:
        sent["rater_agreement"] = rater_agreement_rows(ratings, do=do)
    return sent


def _by_workers(
    scorer: Scorer[Any, Any, Any], in_order: Sequence[str], sent: Mapping[str, Iterable[Any]]
) -> dict[str, Any]:
    """Return the parts of the results that workers compute, when all have come. in_order: contestants, of contrasts."""
    found = {name: list(each) for name, each in sent.items()}
    for contrasts in found.pop("contrasts", ()):
        _put_domain_contrasts(scorer, found["domains"], in_order, *contrasts)
    (resampled,) = found.pop("resampled", [msgspec.UNSET])
    others = {name: rounded(found.pop(name, None) or msgspec.UNSET) for name in ("rater_agreement", "analyses")}
    return {**found, **others, "resampled": rounded(resampled)}


def same_end(items: Iterable[ItemRow]) -> float | msgspec.UnsetType:
    """Return the share of items, 0-1, on which all contestants score 0, or all score 100; unset without a score.

    These items do not distinguish contestants.
    """
    same: dict[str, float | None] = {}
    for row in items:
        if (score := row.score) is not None and same.setdefault(row.item, score) != score:
            same[row.item] = None
    return sum(score in SCALE for score in same.values()) / len(same) if same else msgspec.UNSET


def _variants(
    scorer: Scorer[Any, Any, Any], ranked: Sequence[Row], scores: Mapping[str, Floats]
) -> list[VariantRow] | msgspec.UnsetType:
    of_models = [(scorer.benchmark.models[row.model], row) for row in ranked]
    return best_variants(of_models, scores, scorer.strata, scorer.board.bootstrap.seed)


def _overlap(scorer: Scorer[Any, Any, Any], scores: Mapping[str, Floats]) -> list[OverlapRow] | msgspec.UnsetType:
    found = scorer.benchmark.overlaps.get(scorer.board.id)
    return msgspec.UNSET if found is None else rounded(list(overlap_rows(scorer, scores, found)))


def _leaderboard(
    scorer: Scorer[Any, Any, Any], contestants: Sequence[Contestant]
) -> tuple[dict[str, Any], dict[str, Row], dict[str, str]]:
    """Return the contestants with an answer that counts, their rows without ranks, and why some get none."""
    scorer.prepare(contestants)
    on_board = {contestant.model: contestant for contestant in contestants if scorer.counts(contestant)}
    rows: dict[str, Row] = {row.model: row for _, row in scorer.rows(list(on_board.values()), scorer.layout.whole)}
    lacking: dict[str, str] = {}
    for model, row in rows.items():
        contestant = on_board[model]
        _finish(scorer, row, contestant)
        scorer.finish(row, contestant)
        _put_metrics(scorer, row, contestant)
        if (why := scorer.lacking(contestant, row)) is not None:
            lacking[model] = NOT_ANSWERED if scorer.board.id in scorer.benchmark.answerer(model).unanswered else why
    return on_board, rows, lacking


def _put_metrics(scorer: Scorer[Any, Any, Any], row: Row, contestant: Contestant) -> None:
    """Put into a row the metrics of the protocol that only a whole board has, and those of packages."""
    of = scorer.slice_of(contestant, np.ones(len(scorer.layout.placed), np.bool_))
    found = measured((metric for metric in scorer.declared if metric.whole_board), of, type(row))
    for name, value in found.fields.items():
        setattr(row, name, value)
    row.absent |= found.absent
    if derived := {**contestant.derived, **(row.derived or {}), **found.derived}:
        row.derived = derived


def without_rank(board: BoardFile, contestants: Iterable[ModelFile]) -> dict[str, str]:
    """Return the contestants that keep their rows but have no rank, each with the reason.

    A score in one wording is no mean over several, so who answers the first only is not compared with those who answer
    all. A program has the same answer in every wording.
    """
    reasons: dict[str, str] = {}
    k = len(board.wordings)
    for model in contestants:
        if model.retired is not None:
            reasons[model.id] = f"retired since {model.retired.since}"
        elif model.kind == "seen":
            reasons[model.id] = "a share of the items was seen before"
        elif k > 1 and (model.id in board.first_template_only or model.backend == RECORDED):
            reasons[model.id] = f"only the first of {k} wordings was answered"
    return reasons


def _ungated(scorer: Scorer[Any, Any, Any], null_models: Sequence[Contestant]) -> list[Floor]:
    """Return what null models would score without refusal gates, with intervals, best first."""
    ungated = ((each.model, scorer.ungated(each)) for each in null_models)
    scores = {model: of_items for model, of_items in ungated if of_items is not None}
    if not scores:
        return []
    estimates = estimate_of(scorer.strata.means(np.array(list(scores.values()))), SCALE)
    floors = [
        Floor(model=model, overall=own.value, low=low, high=high)
        for model, own in zip(scores, estimates, strict=True)
        for low, high in [(own.low, own.high) if own.reason is None else (None, None)]
        if own.value is not None
    ]
    return sorted(floors, key=lambda floor: (-floor.overall, floor.model))


def _judges(scorer: Scorer[Any, Any, Any], contestants: Sequence[Contestant]) -> dict[str, list[JudgeRow]]:
    """Return the table of judges, if the results have one; a protocol may replace it."""
    return {"judges": judge_rows(scorer.tasks, contestants)} if "judges" in scorer.results.__struct_fields__ else {}


def group_tables(
    scorer: Scorer[Any, Any, RowT],
    contestants: Sequence[Contestant],
    groups: Groups,
    ranking: Ranking,
    *,
    parts: bool = False,
    do: Map,
) -> Iterator[Group[RowT]]:
    """Yield the groups in the board's order, each with the contestants that have some of its items, best first.

    parts: whether the score of a group is a sub-score of the board's.
    """
    rows: dict[str, dict[str, RowT]] = {name: {} for name in groups.in_order}
    for place, row in scorer.rows(contestants, groups):
        rows[groups.names[place]][row.model] = row
    chosen = ((name, of_group, groups.of_item == groups.names.index(name)) for name, of_group in rows.items())
    return do(partial(_group, ranking, sub_scores=parts and len(rows) > 1), chosen)


def _group(ranking: Ranking, part: tuple[str, dict[str, RowT], Bools], *, sub_scores: bool) -> Group[RowT]:
    """Put errors and ranks into the rows of a part. part: its name, the rows and (items,) whether an item is in it."""
    name, rows, chosen = part
    tested = ranking.of_part(rows, chosen)
    listed = sorted(rows.values(), key=lambda row: (row.score is None, -(row.score or 0.0), row.model))
    return Group(
        id=name,
        n_items=int(chosen.sum()),
        best_set=tested.best_set,
        pair_critical=tested.critical,
        added=added_by_sub_score(ranking, chosen) if sub_scores else msgspec.UNSET,
        rows=[rounded(row) for row in listed],
    )


def _domain_contrasts(
    scorer: Scorer[Any, Any, Any], scores: Mapping[str, Floats], *, do: Map
) -> Iterator[tuple[Floats, Floats]]:
    """Yield how much more each contestant scores in each domain than in the others, and the p-values."""
    clusters, seed = scorer.strata.clusters, scorer.board.bootstrap.seed
    of_tables = partial(group_contrasts, groups=scorer.layout.domains.of_item, clusters=clusters, seed=seed)
    return do(of_tables, [np.array(list(scores.values()))])


def _put_domain_contrasts(
    scorer: Scorer[Any, Any, Any], domains: Sequence[Group[Any]], in_order: Sequence[str], contrasts: Floats, p: Floats
) -> None:
    """Put the contrasts, (contestants, domains), into the rows of domains. in_order: the contestants."""
    number = {model: place for place, model in enumerate(in_order)}
    for domain in domains:
        of_domain = scorer.layout.domains.names.index(domain.id)
        for row in domain.rows:
            at = number[row.model], of_domain
            if np.isnan(p[at]):
                row.domain_contrast = row.domain_p = None
                row.absent |= dict.fromkeys(("domain_contrast", "domain_p"), UNCONTRASTED)
            else:
                row.domain_contrast, row.domain_p = rounded((float(contrasts[at]), float(p[at])))


def _finish(scorer: Scorer[Any, Any, Any], row: Row, contestant: Contestant) -> None:
    """Put the columns that every board has into a row."""
    row.tie_group = row.above_null_floor = None
    for name, value in contestant.telemetry.items():
        setattr(row, name, row.absent | value if name == "absent" else value)
    row.served_by_another = sum(row.served_by.values())
    if scorer.tasks:
        row.below_floor_alone, row.above_floor_alone, row.floor_judges = [], None, None
        row.n_unjudged = contestant.unjudged
        row.judge_calls = sum(contestant.verdicts.values())
        row.judge_errored, row.judge_unparsed = contestant.verdicts["errored"], contestant.verdicts["unparsed"]
        row.judge_missing = contestant.verdicts["missing"]
    n = row.n_responses
    row.error_rate = row.n_errored / n if n else None
    row.refusal_rate = None
    if scorer.REFUSALS is not None:
        row.absent["refusal_rate"] = scorer.REFUSALS
    elif n:
        row.refusal_rate = row.n_refused / n
