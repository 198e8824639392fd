"""The command `plan`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from nullbench_site import api
from nullbench_site.cli.app import profile_option, selection_options, table_lines
from nullbench_site.cli.pace import duration
from nullbench_site.errors import UsageError
from nullbench_site.evaluation.forecast import Range
from nullbench_site.evaluation.plan_report import Plan, PlanReport, PlanRow, report
from nullbench_site.evaluation.targets import Selection
from nullbench_site.repository import Repository
from nullbench_site.text import escaped, listed, plural, some_of, usd

if TYPE_CHECKING:
    from nullbench_site.batches import Exported

_MOST_REASONS = 3
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
    as_json: bool,
) -> None:
    """Print the calls that a build would make and reuse, with their cost. Make no call.

    Tokens and US dollars are estimates, from the prompts and the lengths of earlier answers. They exclude retries.
    Time is that of the calls to make, one after another, at the pace of earlier answers.

    --export-batch writes the calls to endpoints in OpenAI's batch format, and nothing is sent. Programs answer, and
    their answers are recorded. Read what comes back with nullbench-site ingest, then export the calls that follow.

    \b
    Examples:
      nullbench-site plan
      nullbench-site plan --model lead-3 --fresh
      nullbench-site plan --limit 5
      nullbench-site plan --why
      nullbench-site plan --profile live --json
      nullbench-site plan --export-batch batch-1
      nullbench-site plan --audit --board main
    """
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
    calls = api.plan(repository, selection, profile=profile, fresh=fresh, retry_failed=retry_failed, why=why)
    show_plan(calls, as_json=as_json)


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


def show_plan(calls: Plan, *, as_json: bool) -> None:
    """Print a plan on stdout."""
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
    for board, further in shown.further_wordings.items():
        click.echo(
            f"Wordings of board {board} after the first: {further:,} of {shown.all.to_make + shown.all.known:,} calls"
        )
    if shown.both_orders:
        click.echo(f"Judged in both orders, which takes twice the verdicts of one: {', '.join(shown.both_orders)}")
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
    if not shown.detectable:
        return "not measured before a first run"
    each = (
        (board, "not measured" if points is None else f"{points:.1f}") for board, points in shown.detectable.items()
    )
    return ", ".join(f"{board} {points}" for board, points in each)


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
