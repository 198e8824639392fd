"""Write the ranks of a table for a terminal, as Markdown, CSV, JSON or one HTML file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import floor, log10
from pathlib import Path
from statistics import median
from typing import Any

import msgspec

from nullbench_site.packaged import data_text
from nullbench_site.scoring.ranked_table import IncompleteRow, RankedRow, RankedTable
from nullbench_site.scoring.tables import csv_table
from nullbench_site.site import claims, words
from nullbench_site.site.claims import Lead, Scored
from nullbench_site.site.joint_words import joint_words
from nullbench_site.text import THIN, escaped, in_markdown, listed, number, one_line, plural, some_of

_NAMED = 8
_BAR = 24
COLUMNS = (
    "rank", "rank_low", "rank_high", "tie_group", "model", "score", "se", "ci_low", "ci_high", "n_items", "n_clusters",
    "difference", "difference_se", "difference_low", "difference_high",
    "lowest", "highest", "best_rank", "worst_rank",
)  # fmt: skip


def sentence(ranked: RankedTable) -> str:
    """Return the claim that the evidence supports about the first model."""
    first = ranked.leaderboard[0]
    digits = shown_digits(ranked)
    return claims.on_these_items(
        Lead(
            ranked=[Scored(row.model, row.score, row.ci_low, row.ci_high, digits) for row in ranked.leaderboard],
            difference="unknown"
            if first.rank_high is None
            else "significant"
            if first.rank_high == 1
            else "insignificant",
            robust="no judge",
            alike=[model for model in ranked.best_set if model != first.model],
            unsure=first.absent.get("rank_low", ""),
            unit="" if ranked.scale is None else " points",
            lower_is_better=ranked.lower_is_better,
        )
    )


def shown_digits(ranked: RankedTable) -> int:
    """Return the digits of scores that readers see: two of a usual standard error, but one for most of 0-100."""
    errors = [row.se for row in ranked.leaderboard if row.se]
    usual = median(errors) if errors else 1.0
    if ranked.scale is not None and usual >= 0.05:
        return 1
    return min(max(1 - floor(log10(usual)), 0), 6)


def heading(ranked: RankedTable) -> str:
    """Return the sizes of the table and the direction of its scores."""
    models = len(ranked.leaderboard) + len(ranked.incomplete)
    groups = "" if ranked.n_groups is None else f" in {plural(ranked.n_groups, 'group')}"
    clusters = f", {plural(ranked.n_clusters, 'cluster')}" if ranked.clustered else ""
    better = "lower" if ranked.lower_is_better else "higher"
    unit = "" if ranked.scale is None else ", scores shown as 0-100"
    return f"{plural(models, 'model')}, {plural(ranked.n_items, 'item')}{groups}{clusters}, {better} is better{unit}"


def findings(ranked: RankedTable) -> Iterator[str]:
    """Yield the findings about all models together, one sentence each."""
    digits, unit = shown_digits(ranked), "" if ranked.scale is None else " points"
    yield sentence(ranked)
    if len(ranked.leaderboard) < 2:
        return
    if len(ranked.best_set) > 1:
        yield f"{len(ranked.best_set)} models may be the best: {listed(some_of(ranked.best_set, _NAMED))}."
    yield from _separation(ranked)
    if line := joint_words(ranked.joint_checks, ranked.separation, fewer_draws=True):
        yield line
    yield _detectable(ranked, digits, unit)
    yield from _fragility(ranked)


def _separation(ranked: RankedTable) -> Iterator[str]:
    found = ranked.separation
    if found is None:
        return
    yield (
        f"{words.of(found.together, found.pairs)} pairs differ if all are tested together at 5 %, "
        f"{number(found.alone, 0)} if each is tested alone."
    )
    together, alone = found.neighbours - found.neighbours_together, found.neighbours - found.neighbours_alone
    if not together:
        yield f"All {number(found.neighbours, 0)} neighbours in the ranking differ, all pairs tested together."
        return
    neighbours = f"{words.of(together, found.neighbours)} neighbours in the ranking cannot be told apart"
    yield (
        f"{neighbours}, even one pair at a time." if together == alone else f"{neighbours}; {alone} one pair at a time."
    )


def _detectable(ranked: RankedTable, digits: int, unit: str) -> str:
    found = ranked.detectable
    if found.median is None:
        return f"The smallest difference that this table can detect is {words.ABSENT}: {found.absent}."
    low, middle, high = (
        "over 100" if value is not None and ranked.scale is not None and value > 100 else number(value, digits)
        for value in (found.low, found.median, found.high)
    )
    spread = "" if low == high else f" ({low} to {high} over all neighbours)"
    return f"The smallest difference that this table can detect is {middle}{unit} between typical neighbours{spread}."


def _fragility(ranked: RankedTable) -> Iterator[str]:
    lead = ranked.lead
    if lead is not None and lead.other is not None and lead.items:
        gone = f"{plural(len(lead.items), 'item')}: {listed(some_of(lead.items, _NAMED))}"
        yield f"The lead over {lead.other} vanishes without {gone}."
    elif lead is not None and lead.other is None and lead.beyond < ranked.n_items:
        any_items = "any one item is" if lead.beyond == 1 else f"any {number(lead.beyond, 0)} items are"
        yield f"The first model stays ahead if {any_items} removed."


def bar(ranked: RankedTable, row: RankedRow, width: int = _BAR) -> str:
    """Return the interval of a row as text, on the axis that all rows share."""
    low, high = axis(ranked)
    step = (high - low) / (width - 1) or 1.0
    at = [None if end is None else round((end - low) / step) for end in (row.ci_low, row.score, row.ci_high)]
    cells = [" "] * width
    if at[0] is not None and at[2] is not None:
        cells[at[0] : at[2] + 1] = "-" * (at[2] + 1 - at[0])
    cells[at[1] or 0] = "o"
    return f"|{''.join(cells)}|"


def axis(ranked: RankedTable) -> tuple[float, float]:
    """Return the ends of the axis on which intervals are drawn."""
    shown = [each for row in ranked.leaderboard for each in (row.ci_low, row.score, row.ci_high) if each is not None]
    return min(shown), max(shown)


def _cells(ranked: RankedTable, row: RankedRow) -> tuple[str, ...]:
    digits = shown_digits(ranked)
    return (
        words.rank_range(row.rank, row.rank_low, row.rank_high),
        "" if row.tie_group is None else str(row.tie_group),
        row.model,
        number(row.score, digits),
        "" if row.se is None else number(row.se, digits + 1),
        words.interval(row.ci_low, row.ci_high, digits),
    )


HEADS = ("rank", "band", "model", "score", "se", "95 % interval")


BOUNDS = ("lowest", "highest", "best_rank", "worst_rank")
"""What a model without a rank would have if all its missing scores were worst or best."""


def _bounds(row: IncompleteRow, digits: int) -> tuple[str, ...]:
    """Return the bounds of a model's score and rank in words; empty on a scale without ends."""
    if isinstance(row.lowest, msgspec.UnsetType) or isinstance(row.highest, msgspec.UnsetType):
        return ()
    ranks = f"{row.best_rank}" if row.best_rank == row.worst_rank else f"{row.best_rank} to {row.worst_rank}"
    return f"{number(row.lowest, digits)} to {number(row.highest, digits)}", ranks


def _other_tables(ranked: RankedTable) -> Iterator[Sequence[Sequence[str]]]:
    """Yield the models without a rank, and the best of each family, with a row of heads."""
    digits = shown_digits(ranked)
    if ranked.incomplete:
        heads: tuple[str, ...] = ("no rank", "items", "score", f"difference to {ranked.leaderboard[0].model}", "on")
        bounds = {row.model: _bounds(row, digits) for row in ranked.incomplete}
        if any(bounds.values()):
            heads += ("score can be", "rank can be")
        yield [heads] + [
            (
                row.model,
                words.of(row.n_items, row.of_items),
                number(row.score, digits),
                words.estimate(row.difference, row.low, row.high, digits, signs=True),
                plural(row.n_common, "item"),
                *bounds[row.model],
            )
            for row in ranked.incomplete
        ]
    if ranked.variants:
        yield [("family", "variants", "score", "best", "corrected for choosing the best")] + [
            (
                best.family,
                str(best.n_variants),
                number(best.overall, digits),
                best.best,
                words.estimate(best.corrected, best.low, best.high, digits) if best.absent is None else best.absent,
            )
            for best in ranked.variants
        ]


def as_text(ranked: RankedTable) -> str:
    """Return the ranks for a terminal."""
    low, high = (number(end, shown_digits(ranked)) for end in axis(ranked))
    scale = f"{low}{high.rjust(_BAR + 2 - len(low))}"
    rows = [(*HEADS, scale), *((*_cells(ranked, row), bar(ranked, row)) for row in ranked.leaderboard)]
    lines = [heading(ranked), *_aligned(rows, right=(3, 4))]
    for table in _other_tables(ranked):
        lines += ["", *_aligned(table, right=(2,))]
    lines += ["", *findings(ranked), "", *ranked.notes]
    return "".join(f"{_visible(line)}\n" for line in lines)


def _visible(text: str) -> str:
    """Return text with control, hidden and bidirectional characters escaped."""
    return THIN.join(map(escaped, text.split(THIN)))


def _aligned(rows: Sequence[Sequence[str]], right: Sequence[int]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.rjust(widths[at]) if at in right else cell.ljust(widths[at]) for at, cell in enumerate(row))
        yield "  ".join(cells).rstrip()


def as_markdown(ranked: RankedTable) -> str:
    """Return the ranks as a Markdown table with its sentences."""
    ranks = [HEADS, *(_cells(ranked, row) for row in ranked.leaderboard)]
    lines = [f"**{in_markdown(heading(ranked))}**", ""]
    for heads, *rows in (ranks, *_other_tables(ranked)):
        shown = (_row(in_markdown(_visible(cell)) for cell in row) for row in (heads, *rows))
        lines += [next(shown), _row("---" for _ in heads), *shown, ""]
    lines += [f"- {in_markdown(_visible(line))}" for line in (*findings(ranked), *ranked.notes)]
    return "".join(f"{line}\n" for line in lines)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def columns(ranked: RankedTable) -> dict[str, list[Any]]:
    """Return the columns of the ranked models, followed by those without a rank; None for a missing number."""
    rows = [msgspec.structs.asdict(row) for row in ranked.leaderboard]
    rows += [
        {
            "model": row.model, "score": row.score, "n_items": row.n_items, "difference": row.difference,
            "difference_se": row.se, "difference_low": row.low, "difference_high": row.high,
            **{name: value for name in BOUNDS if (value := getattr(row, name)) is not msgspec.UNSET},
        }
        for row in ranked.incomplete
    ]  # fmt: skip
    return {name: [row.get(name) for row in rows] for name in COLUMNS}


def as_csv(ranked: RankedTable) -> str:
    """Return the ranks as CSV; texts that a spreadsheet would run as formulas are escaped."""
    return csv_table(columns(ranked)).decode()


def as_json(ranked: RankedTable) -> str:
    """Return all figures, the sentence and the notes as one JSON object."""
    figures = {"sentence": sentence(ranked), **msgspec.structs.asdict(ranked)}
    return msgspec.json.format(msgspec.json.encode(figures), indent=1).decode() + "\n"


def as_html(ranked: RankedTable) -> str:
    """Return one HTML file that loads nothing from another host."""
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415 - of this format alone

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    low, high = axis(ranked)
    per_cent = 100 / ((high - low) or 1.0)

    def at(end: float | None) -> float | None:
        return None if end is None else round((end - low) * per_cent, 2)

    return environment.from_string(data_text("rank.html.j2")).render(
        title=one_line(Path(ranked.name).name),
        heading=heading(ranked),
        heads=HEADS,
        rows=[
            (map(_visible, _cells(ranked, row)), at(row.ci_low), at(row.score), at(row.ci_high))
            for row in ranked.leaderboard
        ],
        ends=[number(end, shown_digits(ranked)) for end in (low, high)],
        others=[[list(map(_visible, row)) for row in table] for table in _other_tables(ranked)],
        findings=list(map(_visible, findings(ranked))),
        notes=list(map(_visible, ranked.notes)),
    )


FORMATS: Mapping[str, Callable[[RankedTable], str]] = {
    "table": as_text,
    "markdown": as_markdown,
    "csv": as_csv,
    "json": as_json,
    "html": as_html,
}
"""The writer of each format."""
