"""Make the figures of a contestant on a board of any protocol: lines of name, value and note.

A name is an id of the metric registry.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import UNSET

from nullbench_site.site import words
from nullbench_site.site.pages.page import score_words
from nullbench_site.site.pages.panel_words import PANEL_METRICS, panel_ends
from nullbench_site.site.pages.sentences import silence
from nullbench_site.site.pages.tables import derived_columns, layout_of
from nullbench_site.site.protocol import column_words, pages_of
from nullbench_site.site.views import AnyRow, BoardView
from nullbench_site.specs.types import ModelFile
from nullbench_site.stats.trust import agreement_level

Line: TypeAlias = tuple[str, str, str]

_SERVERS = 5
"""How many models that answered for another are named."""


def overall(view: BoardView, row: AnyRow) -> Line:
    """Return the score with its interval, and its distance from the null floor if it is above it."""
    metric = layout_of(view).overall
    score = score_words(row)
    if view.floor is None or row.overall is None or row.rank is None:
        return metric, score, ""
    if silence(view):
        return metric, score, f"null floor {words.number(view.floor)}"
    if row.above_null_floor:
        return metric, score, f"{words.number(row.overall - view.floor)} above the null floor"
    return metric, score, "not above the null floor" if row.above_null_floor is False else ""


def with_other_judges(view: BoardView, row: AnyRow) -> Iterator[Line]:
    """Yield the panel's interval; nothing for a board without judges and for runs of earlier versions."""
    kind = view.results.panel_kind
    if kind == "none" or row.panel_low is UNSET:
        return
    ends = panel_ends(kind, row.panel_low, row.panel_high)
    why = "" if ends else row.absent.get("panel_low", "")
    yield PANEL_METRICS.get(kind, "panel_interval"), ends or words.ABSENT, why


def time(row: AnyRow) -> Line:
    """Return the median response time, with the 95th percentile and the stability."""
    if row.median_response_time_ms is None:
        return "median_response_time_ms", words.ABSENT, ""
    beside = f"p95 {words.milliseconds(row.p95_response_time_ms)}, stability {words.number(row.stability, 2)}"
    return "median_response_time_ms", words.milliseconds(row.median_response_time_ms), beside


def answers(
    view: BoardView,
    model: ModelFile,
    row: AnyRow,
    *,
    unread: str = "without a readable verdict",
    lost: Sequence[tuple[str, int]] = (),
    behaviour: Sequence[Line] = (),
    checks: Sequence[Line] = (),
) -> Iterator[Line]:
    """Yield the rows of the table "How answers ended" for one contestant.

    unread: how an answer is lost of which no judge can be read. lost: to what others are, and how many. behaviour,
    checks: lines of the protocol, behind how many were scored and before the verdicts.
    """
    if view.panel is not None:
        every = (*lost, ("failed", row.n_errored), (unread, row.n_unparsed))
        beside = ", ".join(f"{count} {name}" for name, count in every if count)
        yield "scored", words.of(row.n_scored, view.wanted(row)), beside
        yield from behaviour
        yield failures(view, row)
    yield from ends(model, row)
    if view.panel is not None:
        yield from checks
        yield verdicts(row)


def refusals(row: AnyRow) -> Line:
    """Return the share of answers that refuse."""
    return "refusal_rate", words.percent(row.refusal_rate), row.absent.get("refusal_rate", "")


def derived(view: BoardView, row: AnyRow) -> Iterator[Line]:
    """The metrics of packages, and of the protocol those that no other line names."""
    for metric in derived_columns(view):
        yield metric.id, column_words(metric, view, row), metric.unit_and_scale


def agreement(view: BoardView) -> Iterator[Line]:
    """Yield the judges' agreement on scored answers; nothing for a board without judges."""
    if view.panel is not None:
        panel = view.agreement()
        alpha = words.ABSENT if panel.alpha_scored is None else f"α {words.number(panel.alpha_scored, 2)}"
        level = agreement_level(panel.alpha_scored)
        label = f"{level}, of the whole panel" if level else panel.absent_scored or ""
        yield "alpha_scored", alpha, label


def of_items(view: BoardView) -> Mapping[str, Sequence[Line]]:
    """Return the lines about single items for each contestant."""
    rows: dict[str, list[AnyRow]] = {}
    for row in view.results.items:
        rows.setdefault(row.model, []).append(row)
    return {model: tuple(_of_items(view, own)) for model, own in rows.items()}


def _of_items(view: BoardView, rows: Sequence[AnyRow]) -> Iterator[Line]:
    """Yield the mean disagreement of the judges on an answer."""
    of = pages_of(view.board.protocol).disagreement
    apart = [row.disagreement for row in rows if row.disagreement is not None]
    if apart:
        yield of.metric, words.number(sum(apart) / len(apart), of.digits), f"{of.unit} between judges on an answer"


def failures(view: BoardView, row: AnyRow) -> Line:
    """Return the share of calls that failed, which count as 0."""
    return layout_of(view).failed, words.percent(row.error_rate), _failed(view, row)


def ends(model: ModelFile, row: AnyRow) -> Iterator[Line]:
    """Yield the answers that were cut off or blocked, and those that another model gave, if any."""
    yield _cut_short(row)
    yield from _served(model, row)


def verdicts(row: AnyRow) -> Line:
    """Return how many of the expected verdicts could be parsed."""
    read = row.judge_calls - row.judge_errored - row.judge_unparsed - row.judge_missing
    return "judge_calls", words.of(read, row.judge_calls), _lost_verdicts(row)


def telemetry(row: AnyRow) -> Iterator[Line]:
    """Yield times, stability, throughput and length."""
    yield "median_response_time_ms", words.milliseconds(row.median_response_time_ms), ""
    yield "p95_response_time_ms", words.milliseconds(row.p95_response_time_ms), ""
    yield "max_response_time_ms", words.milliseconds(row.max_response_time_ms), ""
    yield "stability", words.number(row.stability, 2), row.absent.get("stability") or _parts_of_stability(row)
    yield "throughput_rps", *_throughput(row)
    length = _runes(row.median_response_length, "runes")
    yield "median_response_length", length, row.absent.get("median_response_length", "")


def _parts_of_stability(row: AnyRow) -> str:
    if row.stability_tail is UNSET:
        return ""  # of a run scored before
    parts = ("tail", row.stability_tail), ("extremes", row.stability_extremes), ("jitter", row.stability_jitter)
    return ", ".join(f"{name} {words.number(value, 2)}" for name, value in parts)


def _throughput(row: AnyRow) -> tuple[str, str]:
    if row.throughput_rps is None:
        return words.ABSENT, row.absent.get("throughput_rps", "")
    tokens = "as the endpoint counted" if row.tokens_exact else "at 4 runes a token"
    return _runes(row.throughput_rps, "runes/s"), f"{words.number(row.throughput_tps, 0)} tokens/s, {tokens}"


def _runes(count: float | None, unit: str) -> str:
    return words.ABSENT if count is None else f"{words.number(count, 0)} {unit}"


def _failed(view: BoardView, row: AnyRow) -> str:
    if not row.n_errored:
        return ""
    counts = "counts" if row.n_errored == 1 else "count"
    return f"{words.of(row.n_errored, row.n_responses)} failed after all attempts and {counts} as 0"


def _cut_short(row: AnyRow) -> Line:
    how = (
        ("ended at the token limit", row.ended_length),
        ("withheld by a filter", row.ended_content_filter),
        ("marked as a refusal by the endpoint", row.ended_refusal),
        ("a call of a tool nobody offered", row.ended_tool_calls),
    )
    parts = [f"{count} {name}" for name, count in how if count]
    if not parts:
        return "ended", "none", ""
    return "ended", words.plural(sum(count for _, count in how), "answer"), ", ".join(parts)


def _served(model: ModelFile, row: AnyRow) -> Iterator[Line]:
    """Yield the models that answered in place of the requested one, the most frequent first."""
    if row.served_by:
        by = sorted(row.served_by.items(), key=lambda served: (-served[1], served[0]))
        named = words.some_of([f"{words.foreign(name)} ({count})" for name, count in by], _SERVERS, thousands="")
        beside = f"asked for {model.model}, answered by {words.listed(named)}"
        yield "served_by", words.plural(row.served_by_another, "answer"), beside


def _lost_verdicts(row: AnyRow) -> str:
    lost = (
        ("failed after all attempts", row.judge_errored),
        ("could not be read", row.judge_unparsed),
        ("not asked for yet", row.judge_missing),
    )
    parts = [f"{count} {how}" for how, count in lost if count]
    if row.n_unjudged:
        parts.append(f"{words.plural(row.n_unjudged, 'answer')} without any verdict and so without a score")
    return ", ".join(parts)
