"""`nullbench-site plan`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click
import msgspec

from nullbench_site import api
from nullbench_site.cli.options import profile_option, selection, selection_options

if TYPE_CHECKING:
    from nullbench_site.evaluation.estimate import Range
    from nullbench_site.evaluation.plan import Plan, PlanReport, PlanRow

_HEADINGS = ("", "endpoint", "to make", "known", "input tokens", "output tokens", "US dollars")


@click.command()
@selection_options
@profile_option
@click.option("--fresh", is_flag=True, help="Plan as if nothing were known.")
@click.option(
    "--retry-failed", is_flag=True, help="Plan to ask again what failed or could not be read in the last run."
)
@click.option("--json", "as_json", is_flag=True, help="Print the plan as one JSON object.")
@click.pass_obj
def command(
    repository: api.Repository,
    *,
    boards: tuple[str, ...],
    models: tuple[str, ...],
    profile: str | None,
    fresh: bool,
    retry_failed: bool,
    as_json: bool,
) -> None:
    """Show which calls a build would make, what they may cost, and which it would reuse; make none.

    Tokens and US dollars are estimates, from the texts to be sent and the lengths of earlier answers; attempts after
    errors are not in them.

    \b
    Examples:
      nullbench-site plan
      nullbench-site plan --model lead-3 --fresh
      nullbench-site plan --profile live --json
    """
    chosen = selection(boards, models)
    plan = api.plan(repository, chosen, profile=profile, fresh=fresh, retry_failed=retry_failed)
    show_plan(plan, as_json=as_json)


def show_plan(plan: Plan, *, as_json: bool) -> None:
    """Print a plan on stdout, for readers or for programs."""
    from nullbench_site.evaluation.plan import report

    told = report(plan)
    if as_json:
        click.echo(msgspec.json.encode(told).decode())
        return
    rows = [_HEADINGS, *(_cells(row) for row in (*told.calls, *told.endpoints, told.all))]
    if not told.endpoints:
        rows = [(name, *calls) for name, _, *calls in (row[:4] for row in rows)]
    words = 2 if told.endpoints else 1
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = zip(row, "<" * words + ">" * (len(row) - words), widths, strict=True)
        click.echo("  ".join(f"{cell:{side}{width}}" for cell, side, width in cells).rstrip())
    click.echo(f"Estimated cost: {_cost(told)}")
    for gap in _gaps(told):
        click.echo(gap)


def _cells(row: PlanRow) -> tuple[str, ...]:
    calls = (f"{row.kind} {row.id}".strip(), row.endpoint or "", str(row.to_make), str(row.known))
    if row.input_tokens is None or row.output_tokens is None:
        return (*calls, "", "", "")
    cost = "no price" if row.cost_usd is None else _range(row.cost_usd, _dollars)
    return (*calls, _range(row.input_tokens, _count), _range(row.output_tokens, _count), cost)


def _range(value: Range, words: Callable[[float], str]) -> str:
    low = words(value.low)
    if value.high is None:
        return f"at least {low}"
    high = words(value.high)
    return low if low == high else f"{low} - {high}"


def _count(tokens: float) -> str:
    return f"{tokens:,.0f}"


def _dollars(cost: float) -> str:
    """To the cent, and for small sums to the hundredth of it; never a sum as nothing."""
    if 0 < cost < 0.00005:
        return "< 0.0001"
    return "0" if cost == 0 else f"{cost:,.4f}" if cost < 1 else f"{cost:,.2f}"


def _cost(told: PlanReport) -> str:
    if not told.endpoints:
        return "none; every call is answered by a program of this machine"
    if not any(row.to_make for row in told.endpoints):
        return "none; no call to an endpoint is to be made"
    cost = told.all.cost_usd
    return "unknown" if cost is None else f"{_range(cost, _dollars)} US dollars"


def _gaps(told: PlanReport) -> Iterator[str]:
    """Why an estimate is not all there."""
    if told.withheld:
        yield f"{told.withheld}; their calls are not in this plan"
    if told.no_price:
        yield f"No price in the specs: {', '.join(told.no_price)}"
    if told.no_upper_bound:
        yield f"No upper bound, as no max_tokens limits what they write or read: {', '.join(told.no_upper_bound)}"
