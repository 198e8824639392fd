"""The pages of boards of the `oracle` protocol: the view of a board, its evidence, and parts of pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import msgspec
from msgspec import UNSET, UnsetType

from nullbench_site.answer_keys import KEYS
from nullbench_site.protocols.oracle.contradicted import contradicted
from nullbench_site.protocols.oracle.judging import HIDDEN, key_type
from nullbench_site.protocols.oracle.metrics import OracleItemRow, OracleResults, OracleRow, has_confidence
from nullbench_site.protocols.oracle.specs import OracleBoardFile, OracleItem, OraclePlacedItem
from nullbench_site.protocols.oracle.unread import causes_in_words, said_of, unread, warning
from nullbench_site.runs.records import CheckResult, Response
from nullbench_site.site import words
from nullbench_site.site.charts.chart import OUTCOMES, ROW_HEIGHT, Chart, ChartFigure, outcomes_data, outcomes_table
from nullbench_site.site.charts.style import of_scores
from nullbench_site.site.evidence import BoardEvidence, ItemShown, Sample, Titles, Verdict
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages import groups
from nullbench_site.site.pages.charts import ROWS, alternatives, rest_of
from nullbench_site.site.protocol import Context, Layout, ProtocolPages
from nullbench_site.site.views import BoardView, by_group, is_private
from nullbench_site.specs.types import ModelFile


@dataclass(frozen=True)
class OracleView(BoardView):
    """The view of an `oracle` board."""

    board: OracleBoardFile
    results: OracleResults

    @cached_property
    def in_key_types(self) -> Mapping[str, Mapping[str, OracleRow]]:
        """Return the rows by type of key and contestant."""
        return by_group(self.results.key_types)

    def cluster(self, placed: OraclePlacedItem) -> Hashable:
        """Items of one source text, or the variants of a bundle, are a cluster."""
        return placed.cluster

    def lacking(self, row: OracleRow) -> str:
        if row.n_unmarked:
            return f"{words.plural(row.n_unmarked, 'answer')} without a mark"
        return self._unanswered(row)


def key_of(item: OracleItem) -> str:
    """Return the type of an item's key; that of a private one is hidden."""
    return HIDDEN if is_private(item) or item.key is None else key_type(item.key)


def key_title(kind: str) -> str:
    """Return the title of a type of key."""
    return KEYS[kind].title if kind in KEYS else HIDDEN


class OracleItemShown(ItemShown, kw_only=True, omit_defaults=True):
    """A prompt with its key; for a private one only its hash. bundle: shared by prompts that ask the same."""

    bundle: str | None
    source: str | UnsetType = UNSET
    key: dict[str, Any] | UnsetType | None = UNSET


class OracleScore(msgspec.Struct):
    """The mark of an answer: the worst of its samples. overall: 100 times the share of correct ones."""

    state: str
    overall: float | None


class KeyMark(msgspec.Struct, omit_defaults=True):
    """The mark of an answer by its key. why: absent for a private item. cause: of an invalid answer, if recorded."""

    outcome: str
    why: str | UnsetType = UNSET
    cause: str | None = None


class OracleSample(Sample, kw_only=True, omit_defaults=True):
    """An answer with its mark."""

    marks: list[KeyMark]


class OracleTitles(Titles, kw_only=True, omit_defaults=True):
    """The types of keys."""

    keys: dict[str, str] = msgspec.field(default_factory=dict)


class OracleEvidence(BoardEvidence[OracleView, OraclePlacedItem, OracleItemRow]):
    """The evidence of an `oracle` board."""

    item_type, score_type, sample_type, titles_type = OracleItemShown, OracleScore, OracleSample, OracleTitles
    states: ClassVar[Mapping[str, str]] = {
        "correct": "correct",
        "wrong": "wrong",
        "invalid": "invalid",
        "errored": "failed",
        "unmarked": "not marked yet",
    }

    def titles(self) -> Titles:
        return OracleTitles(keys={name: kind.title for name, kind in KEYS.items()})

    def bare_fields(self, placed: OraclePlacedItem) -> dict[str, Any]:
        return {"bundle": placed.item.bundle}

    def item_fields(self, placed: OraclePlacedItem) -> dict[str, Any]:
        source = {"source": placed.source} if placed.source else {}
        return {"prompt": placed.prompt, "key": msgspec.to_builtins(placed.item.key), **source}

    def sample_fields(
        self, response: Response, verdicts: Mapping[str | None, Sequence[Verdict]], *, hidden: bool
    ) -> dict[str, Any]:
        return {"marks": [_mark(result, hidden=hidden) for result in response.checks]}


def _mark(result: CheckResult, *, hidden: bool) -> KeyMark:
    why = UNSET if hidden else "; ".join(result.flags)
    return KeyMark(result.outcome, why, said_of(result.cause) if result.outcome == "invalid" else None)


LAYOUT: Layout[OracleView] = Layout(
    overall="oracle_overall",
    in_part="oracle_overall",
    interval="share_ci",
    failed="oracle_error_rate",
    remarks=lambda view, row, whole_board: [lacking] if (lacking := view.lacking(row)) else [],
)


# The page of a board.


def _board(view: OracleView) -> Context:
    n_bundles = view.results.n_bundles
    return {
        "template": "oracle/board.md.j2",
        "further_facts": [(str(n_bundles), f"bundle{'' if n_bundles == 1 else 's'} of variants")] if n_bundles else [],
        "lost": sum(row.n_invalid + row.n_errored for row in view.rows.values()),
        "further_reading": [*_by_accuracy(view), *warning(view)],
        "by_key": groups.heat_table(
            view, "type of key", [{"title": key_title(kind), "link": ""} for kind in view.in_key_types],
            view.in_key_types,
        ),
    }  # fmt: skip


def _by_accuracy(view: OracleView) -> Iterator[str]:
    """Yield who has the highest accuracy (correct of valid answers), if that is not the first."""
    ranked = [(row, row.accuracy) for row in view.contestants if row.rank is not None and row.accuracy is not None]
    if not ranked:
        return
    (leader, share), (most, highest) = ranked[0], max(ranked, key=lambda pair: pair[1])
    if highest > share:
        gave = words.of(most.n_valid, view.n_wanted(most.model))
        yield (
            f"Accuracy, which is of valid answers alone, has another order: {words.percent(highest)} of "
            f"{view.title(most.model)}, with {gave} answers valid, and {words.percent(share)} of "
            f"{view.title(leader.model)}."
        )


def _failures(view: OracleView) -> str:
    """Return how many answers failed, are invalid or have no mark, and how they count."""
    rows = view.rows.values()
    failed, invalid, without = (
        sum(getattr(row, name) for row in rows) for name in ("n_errored", "n_invalid", "n_unmarked")
    )
    answers = sum(row.n_responses for row in rows) + without
    parts = [
        f"{words.of(failed, answers)} answers failed after all attempts" if failed else "no answer failed",
        f"{words.of(invalid, answers)} are invalid ({causes_in_words(rows)})" if invalid else "none is invalid",
    ]
    counted = "; these count as not correct, and are in no accuracy" if failed + invalid else ""
    unmarked = f"; {words.of(without, answers)} have no mark and are in no figure" if without else ""
    return f"{', '.join(parts)}{counted}{unmarked}."


def _outcomes(site: SiteData, view: OracleView) -> ChartFigure | None:
    """Return the chart of outcomes, by contestant."""
    rows = list(view.rows.values())
    if not rows:
        return None
    lost = [row for row in rows[:ROWS] if not view.is_null(row.model)]
    charted = [
        (view.title(row.model), (row.n_correct, row.n_wrong, row.n_invalid, row.n_errored)) for row in rows[:ROWS]
    ]
    return ChartFigure(
        id="chart-items",
        title="What became of the answers.",
        reading="Each bar is all answers of a contestant, from left to right: right, wrong, invalid, failed.",
        says=most_lost(view, lost),
        alt=f"Answers on {view.board.title} by what became of them: "
        + alternatives(
            f"{title} {', '.join(f'{count} {name}' for name, count in zip(OUTCOMES, counts, strict=True))}"
            for title, counts in charted
        ),
        chart=Chart(
            "outcomes",
            outcomes_data(charted),
            outcomes_table,
            ROW_HEIGHT * len(charted),
            (of_scores([]), "answers in hundredths of all"),
            metric="marked",
        ),
        key=[{"mark": outcome, "text": outcome} for outcome in OUTCOMES],
        rest=rest_of(view, len(charted), len(rows)),
    )


def most_lost(view: OracleView, rows: Sequence[OracleRow]) -> str:
    """Return who of these loses the most answers to invalid and failed ones, and why."""
    if not rows:
        return ""
    row = max(rows, key=lambda row: (row.n_invalid + row.n_errored) / max(1, row.n_responses))
    lost = row.n_invalid + row.n_errored
    if not lost:
        return "Every answer is valid, so what is not right is wrong."
    failed = f"{row.n_errored} failed" if row.n_errored else ""
    invalid = f"{row.n_invalid} invalid ({causes_in_words([row])})" if row.n_invalid else ""
    why = words.listed([each for each in (invalid, failed) if each])
    return (
        f"{view.title(row.model)} loses most to answers that are invalid or failed: "
        f"{words.of(lost, row.n_responses)}, {why}."
    )


# The page of a contestant.


def _fingerprint(view: OracleView, model: ModelFile) -> Context:
    keys = {kind: key_title(kind) for kind in view.in_key_types}
    return {
        "template": "oracle/model.md.j2",
        "causes": causes_in_words([view.rows[model.id]]) if model.id in view.rows else "",
        "groups": [
            *groups.tables(view, model.id),
            groups.table(view, model.id, "type of key", view.in_key_types, keys),
        ],
    }


# The page of the method.


def _method(view: OracleView) -> Context:
    counts = Counter(key_of(placed.item) for placed in view.items)
    return {
        "template": "oracle/methodology.md.j2",
        "n_sources": len({placed.source for placed in view.items} - {""}),
        "keys": [{"type": kind, "n_items": counts[name]} for name, kind in KEYS.items() if counts[name]],
        "states_confidence": has_confidence(view.results, "stated_confidence"),
    }


def _bundle(item: OracleItem) -> str:
    return item.bundle or "–"


PAGES: ProtocolPages[OracleView] = ProtocolPages(
    view=OracleView,
    layout=LAYOUT,
    board=_board,
    from_records=unread,
    contradicted=contradicted,
    domain=lambda view, group: {"notes": {"Key": lambda item: key_title(key_of(item)), "Bundle": _bundle}},
    fingerprints=lambda view: {"score": "share of correct answers", "whole": "share on the whole board"},
    fingerprint=_fingerprint,
    judges=lambda view: {"template": "oracle/judges.md.j2"},
    method=_method,
    by_item=_outcomes,
    failures=_failures,
    verdict="mark",
    judged="marked",
    marks_by="by its key",
    unjudged="answers are right or wrong by a key",
    evidence=OracleEvidence,
    holds="its domains, categories, difficulties, types of keys, and items with their marks",
)
