"""The command `plan`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from nullbench_site import api
from nullbench_site.cli.app import profile_option, selection_options, table_lines
from nullbench_site.cli.pace import duration
from nullbench_site.errors import UsageError
from nullbench_site.evaluation.forecast import Range
from nullbench_site.evaluation.plan_report import UNREACHED, DetectRow, Plan, PlanReport, PlanRow, report
from nullbench_site.evaluation.targets import Selection
from nullbench_site.repository import Repository
from nullbench_site.stats.assumption import NO_RUN, Assumption
from nullbench_site.text import escaped, listed, plural, some_of, usd

if TYPE_CHECKING:
    from nullbench_site.batches import Exported

_MOST_REASONS = 3
_SCALE = 100
"""The points of the scale of a board."""
_ASSUMED = {"sd": 100.0, "icc": 1.0}
"""What --assume may state, and the largest value of each."""
_DETECT_HEADINGS = ("board", "now", "items, same sources", "calls", "items, more sources", "calls")
_HEADINGS = ("", "endpoint", "to make", "known", "input tokens", "output tokens", "US dollars", "time")


@click.command()
@selection_options
@profile_option
@click.option("--fresh", is_flag=True, help="Plan without earlier answers.")
@click.option("--retry-failed", is_flag=True, help="Include the failed and unreadable calls of the last run.")
@click.option("--why", is_flag=True, help="Give the reasons for the new calls in each row.")
@click.option(
    "--export-batch",
    "batch",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write the calls that can be made now as files for a batch service, in a new folder.",
)
@click.option("--audit", is_flag=True, help="Plan an audit of the judges of the newest run, with all attacks.")
@click.option(
    "--detect",
    type=float,
    metavar="POINTS",
    help="Print the items and calls that each board takes to detect a difference of so many points.",
)
@click.option(
    "--assume",
    multiple=True,
    metavar="NAME=VALUE",
    help="Assume the errors of boards without an earlier run. sd: the standard deviation of the difference of two "
    "contestants on an item, in points. icc: the part of its variance that items of a source share; the default is 0.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the plan as one JSON object.")
@click.pass_obj
def plan(
    repository: Repository,
    *,
    selection: Selection,
    profile: str | None,
    fresh: bool,
    retry_failed: bool,
    why: bool,
    batch: Path | None,
    audit: bool,
    detect: float | None,
    assume: Sequence[str],
    as_json: bool,
) -> None:
    """Print the calls that a build would make and reuse, with their cost. Make no call.

    Tokens and US dollars are estimates, from the prompts and the lengths of earlier answers. They exclude retries.
    Time is that of the calls to make, one after another, at the pace of earlier answers.

    --export-batch writes the calls to endpoints in OpenAI's batch format, and nothing is sent. Programs answer, and
    their answers are recorded. Read what comes back with nullbench-site ingest, then export the calls that follow.

    The smallest difference that can be detected is that of the planned items, from the errors of the last run. If two
    scores truly differ by so much, 80 of 100 runs with items like these find it.

    \b
    Examples:
      nullbench-site plan
      nullbench-site plan --model lead-3 --fresh
      nullbench-site plan --limit 5
      nullbench-site plan --detect 3 --board main
      nullbench-site plan --detect 3 --assume sd=40
      nullbench-site plan --why
      nullbench-site plan --profile live --json
      nullbench-site plan --export-batch batch-1
      nullbench-site plan --audit --board main
    """
    assumed = _assumption(assume)
    if detect is not None and not 0 < detect <= _SCALE:
        raise UsageError(f"--detect takes a difference above 0 and up to {_SCALE} points, not {detect:g}")
    if (detect is not None or assumed) and (batch is not None or audit):
        raise UsageError("--detect and --assume are for boards; leave out --export-batch and --audit")
    if batch is not None:
        if fresh or retry_failed or why:
            raise UsageError("--export-batch writes the missing calls; leave out --fresh, --retry-failed and --why")
        from nullbench_site import batches  # it reads answers of servers, which a plan does not

        show_batch(batches.export_batch(repository, selection, batch, profile=profile), batch, as_json=as_json)
        return
    if audit:
        from nullbench_site.audit.derived import Audited  # most plans are of no audit

        for each in api.audits(repository, Audited(tuple(selection.boards))):
            show_plan(api.plan(each, Selection()), as_json=as_json)
        return
    calls = api.plan(
        repository,
        selection,
        profile=profile,
        fresh=fresh,
        retry_failed=retry_failed,
        why=why,
        detect=detect,
        assumed=assumed,
    )
    show_plan(calls, as_json=as_json)


def _assumption(assume: Sequence[str]) -> Assumption | None:
    """Return what --assume states; None if it is not used. Raises UsageError for names and values that do not fit."""
    values: dict[str, float] = {}
    for each in assume:
        name, _, text = each.partition("=")
        most = _ASSUMED.get(name)
        if most is None:
            raise UsageError(f"--assume {escaped(each)}: there is no {escaped(name)!r}; give sd=VALUE or icc=VALUE")
        try:
            value = float(text)
        except ValueError:
            value = nan
        if not 0 <= value <= most or (name == "sd" and not value):
            above = "above 0 and" if name == "sd" else "from 0"
            raise UsageError(f"--assume {escaped(each)}: {name} is a number {above} up to {most:g}")
        if name in values:
            raise UsageError(f"--assume gives {name} twice")
        values[name] = value
    if not values:
        return None
    if "sd" not in values:
        raise UsageError("--assume icc=VALUE needs sd=VALUE as well")
    return Assumption(**values)


def show_batch(exported: Exported, folder: Path, *, as_json: bool) -> None:
    """Print the files of a batch on stdout."""
    if as_json:
        click.echo(msgspec.json.encode(exported).decode())
        return
    for name, requests in exported.files.items():
        click.echo(f"{folder / name}: {plural(requests, 'request')}")
    if not exported.files:
        click.echo("No call to an endpoint is missing; nothing was written")
    if exported.private:
        click.echo(f"{plural(exported.private, 'request')} show private texts; keep the files where only you read them")


def show_plan(calls: Plan, *, as_json: bool, assumed: bool = False) -> None:
    """Print a plan on stdout. assumed: whether --assume is given."""
    shown = report(calls)
    if as_json:
        click.echo(msgspec.json.encode(shown).decode())
        return
    rows = [_HEADINGS, *(_cells(row) for row in _lines(shown))]
    if not shown.endpoints:
        rows = [(name, *calls) for name, _, *calls in (row[:4] for row in rows)]
    whys = ["why" if shown.all.why else "", *(_why(row) for row in _lines(shown))]
    for line, why in zip(table_lines(rows, words=2 if shown.endpoints else 1), whys, strict=True):
        click.echo(f"{line}  {why}".rstrip())
    click.echo(f"Smallest difference that can be detected, in points: {_detectable(shown)}")
    for line in _why_not(shown, assumed=assumed):
        click.echo(line)
    rows = [_detect_cells(row) for row in shown.detect if row.planned]
    if rows:
        click.echo("To detect the difference:")
        for line in table_lines([_DETECT_HEADINGS, *rows], words=1):
            click.echo(f"  {line}".rstrip())
    for board, further in shown.further_wordings.items():
        click.echo(
            f"Wordings of board {board} after the first: {further:,} of {shown.all.to_make + shown.all.known:,} calls"
        )
    if shown.both_orders:
        click.echo(f"Judged in both orders, which takes twice the verdicts of one: {', '.join(shown.both_orders)}")
    if shown.at_most:
        click.echo(
            f"At most: {shown.at_most:,} of these calls are about sentences of answers that do not exist yet; a short "
            "answer needs fewer"
        )
    click.echo(f"Estimated cost: {_cost(shown)}")
    for gap in _gaps(shown):
        click.echo(gap)


def _lines(shown: PlanReport) -> tuple[PlanRow, ...]:
    """Return the rows that add up to `all`, then its subtotals."""
    return (*shown.calls, shown.all, *shown.endpoints, *([] if shown.controls is None else [shown.controls]))


def _cells(row: PlanRow) -> tuple[str, ...]:
    name = "of these, controls" if row.kind == "controls" and not row.id else f"{row.kind} {row.id}".strip()
    calls = (name, row.endpoint or "", str(row.to_make), str(row.known))
    if row.input_tokens is None or row.output_tokens is None:
        return (*calls, "", "", "", "")
    cost = "no price" if row.cost_usd is None else _range(row.cost_usd, usd)
    time = "not known" if row.seconds is None else duration(row.seconds)
    return (*calls, _range(row.input_tokens, _count), _range(row.output_tokens, _count), cost, time)


def _why(row: PlanRow) -> str:
    """Return the reasons of a row, the most frequent first."""
    return escaped(listed(some_of([f"{reason} ({n:,})" for reason, n in row.why.items()], _MOST_REASONS)))


def _range(value: Range, words: Callable[[float], str]) -> str:
    low = words(value.low)
    if value.high is None:
        return f"at least {low}"
    high = words(value.high)
    return low if low == high else f"{low} - {high}"


def _count(tokens: float) -> str:
    return f"{tokens:,.0f}"


def _cost(shown: PlanReport) -> str:
    if not shown.endpoints:
        return "none; programs on this machine answer every call"
    if not any(row.to_make for row in shown.endpoints):
        return "none; no endpoint is called"
    cost = shown.all.cost_usd
    return "unknown" if cost is None else f"{_range(cost, usd)} US dollars"


def _detectable(shown: PlanReport) -> str:
    if not shown.detectable or {*shown.undetectable.values()} == {NO_RUN}:
        return "not measured before a first run"
    return ", ".join(f"{board} {_points(points)}" for board, points in shown.detectable.items())


def _points(points: float | None) -> str:
    return "not measured" if points is None else f"more than {_SCALE}" if points > _SCALE else f"{points:.1f}"


def _why_not(shown: PlanReport, *, assumed: bool) -> Iterator[str]:
    """Yield why differences are not known, and which follow from assumptions."""
    boards: dict[str, list[str]] = {}
    for board, why in shown.undetectable.items():
        boards.setdefault(why, []).append(board)
    if {*boards} == {NO_RUN} and not shown.detect:
        boards = {}
    for why, of in boards.items():
        yield f"  not measured on {listed(some_of(of, _MOST_REASONS))}: {why}"
    if shown.assumed:
        yield f"  by assumption, not measured: {', '.join(shown.assumed)}"
    elif assumed:
        yield "  --assume changes nothing: every board has an earlier run"


def _detect_cells(row: DetectRow) -> tuple[str, ...]:
    same = _of(row.items, row.calls) if row.items is not None or row.absent else ("", "")
    items, calls = _of(row.more_items, row.more_calls)
    sources = "" if row.sources is None or row.sources == row.more_items else f" of {row.sources:,} sources"
    return (row.board, _points(row.now), *same, f"{items}{sources}", calls)


def _of(items: int | None, calls: int | None) -> tuple[str, str]:
    return (UNREACHED, "") if items is None else (f"{items:,}", f"{calls:,}" if calls else "")


def _gaps(shown: PlanReport) -> Iterator[str]:
    """Yield the gaps of an estimate, and the requirements that a build lacks."""
    if shown.withheld:
        yield f"{shown.withheld}; this plan leaves out their calls"
    for judge, day in shown.retired.items():
        yield f"The judge {judge} retired on {day} but is still called"
    if shown.aliases:
        named = ", ".join(f"judge {judge} as {model}" for judge, model in shown.aliases.items())
        yield f"Unversioned model names, which may later point to another model: {named}"
    if shown.no_price:
        yield f"No price in the specs: {', '.join(shown.no_price)}"
    if shown.no_upper_bound:
        yield f"No upper bound without max_tokens: {', '.join(shown.no_upper_bound)}"
    if shown.keyless:
        keys = ", ".join(f"{key} for {endpoint}" for endpoint, key in shown.keyless.items())
        yield f"Missing keys, without which a build skips the endpoint: {keys}"
