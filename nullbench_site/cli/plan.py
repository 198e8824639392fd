"""`nullbench-site plan`, and `nullbench-site cache`, which says why of a call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click
import msgspec

from nullbench_site import api
from nullbench_site.cli.app import profile_option, selection_options, table_lines
from nullbench_site.evaluation.forecast import Range
from nullbench_site.evaluation.plan_report import Plan, PlanReport, PlanRow, report
from nullbench_site.evaluation.targets import Selection
from nullbench_site.text import escaped, plural, usd

if TYPE_CHECKING:
    from nullbench_site.evaluation.explain import KeyStanding, Standing
    from nullbench_site.evaluation.held import Held

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
def plan(
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
    chosen = Selection(boards, models)
    calls = api.plan(repository, chosen, profile=profile, fresh=fresh, retry_failed=retry_failed)
    show_plan(calls, as_json=as_json)


def show_plan(calls: Plan, *, as_json: bool) -> None:
    """Print a plan on stdout, for readers or for programs."""
    shown = report(calls)
    if as_json:
        click.echo(msgspec.json.encode(shown).decode())
        return
    rows = [_HEADINGS, *(_cells(row) for row in _lines(shown))]
    if not shown.endpoints:
        rows = [(name, *calls) for name, _, *calls in (row[:4] for row in rows)]
    for line in table_lines(rows, words=2 if shown.endpoints else 1):
        click.echo(line)
    click.echo(f"Smallest difference that can be detected, in points: {_detectable(shown)}")
    click.echo(f"Estimated cost: {_cost(shown)}")
    for gap in _gaps(shown):
        click.echo(gap)


def _lines(shown: PlanReport) -> tuple[PlanRow, ...]:
    return (*shown.calls, *shown.endpoints, *([] if shown.controls is None else [shown.controls]), shown.all)


def _cells(row: PlanRow) -> tuple[str, ...]:
    name = "controls, in these" if row.kind == "controls" else f"{row.kind} {row.id}".strip()
    calls = (name, row.endpoint or "", str(row.to_make), str(row.known))
    if row.input_tokens is None or row.output_tokens is None:
        return (*calls, "", "", "")
    cost = "no price" if row.cost_usd is None else _range(row.cost_usd, usd)
    return (*calls, _range(row.input_tokens, _count), _range(row.output_tokens, _count), cost)


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
        return "none; every call is answered by a program of this machine"
    if not any(row.to_make for row in shown.endpoints):
        return "none; no call to an endpoint is to be made"
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
    """Why an estimate is not all there, and what a build lacks."""
    if shown.withheld:
        yield f"{shown.withheld}; their calls are not in this plan"
    for judge, day in shown.retired.items():
        yield f"The judge {judge} retired on {day} and would be asked all the same"
    if shown.aliases:
        named = ", ".join(f"judge {judge} as {model}" for judge, model in shown.aliases.items())
        yield f"Asked by a name without a version, by which another model may come to answer: {named}"
    if shown.no_price:
        yield f"No price in the specs: {', '.join(shown.no_price)}"
    if shown.no_upper_bound:
        yield f"No upper bound, as no max_tokens limits what they write or read: {', '.join(shown.no_upper_bound)}"
    if shown.keyless:
        keys = ", ".join(f"{key} for {endpoint}" for endpoint, key in shown.keyless.items())
        yield f"Not set here, and without its key a build asks nobody at an endpoint: {keys}"


_DIGITS = 12


@click.group()
def cache() -> None:
    """Look at what earlier runs know.

    \b
    Examples:
      nullbench-site cache explain aspirin-trial
      nullbench-site cache explain 3f9a2c
    """


@cache.command()
@click.argument("name", metavar="KEY|ITEM")
@click.option("--board", help="Only calls of this board.")
@click.option("--model", help="Only calls of this contestant and of its judges.")
@click.option("--judge", help="Only calls of this judge.")
@profile_option
@click.pass_obj
def explain(
    repository: api.Repository,
    *,
    name: str,
    board: str | None,
    model: str | None,
    judge: str | None,
    profile: str | None,
) -> None:
    """Say why a call is known, or why it is not and the next build makes it.

    ITEM: every call on the item. KEY: one call, by its key or the first 6 hex digits of it, or more.

    \b
    Examples:
      nullbench-site cache explain aspirin-trial --model lead-3
      nullbench-site cache explain 3f9a2c
    """
    explained = api.explain(repository, name, board=board, model=model, judge=judge, profile=profile)
    for line in _table(explained) if isinstance(explained, list) else _of_key(explained):
        click.echo(escaped(line))  # records and specs are anybody's


def _table(standings: list[Standing]) -> Iterator[str]:
    several = max((each.call.target.sample for each in standings), default=0) > 0
    rows = []
    board = None
    for each in standings:
        call = each.call
        who = f"{call.who} on {call.target.model.id}" if call.seat else call.who
        if several:
            who += f", sample {call.target.sample}"
        key = call.request.key()[:_DIGITS] if call.request else ""
        rows.append((call.target.board.id, who, key, each.why))
    width = max((len(row[1]) for row in rows), default=0)
    for row in rows:
        if row[0] != board:
            board = row[0]
            yield f"Board {board}"
        yield f"  {row[1]:{width}}  {row[2]:{_DIGITS}}  {row[3]}"
    known = sum(each.known for each in standings)
    yield f"{plural(len(standings), 'call', thousands='')}: {known} known, {len(standings) - known} not"


def _of_key(known: KeyStanding) -> Iterator[str]:
    yield f"Key {known.key}"
    for held in known.held:
        yield f"  {held.where}: {_record(held)}"
    if not known.held:
        yield "  no run holds it"
    if known.standing is None:
        yield f"It is no call of these boards as they are now: {known.why}"
        return
    target = known.standing.call.target
    about = f"item {target.placed.id} of board {target.board.id}, sample {target.sample}"
    of = f" about contestant {target.model.id}" if known.standing.call.seat else ""
    yield f"It is the call of {known.standing.call.who}{of} on {about}: {known.standing.why}"


def _record(held: Held) -> str:
    record = held.record
    parts = [f"{record.state} {record.started_at}"]
    parts += [
        f"{count} {noun} tokens"
        for count, noun in ((record.input_tokens, "input"), (record.output_tokens, "output"))
        if count is not None
    ]
    if record.cost_usd is not None:
        parts.append(f"{record.cost_usd:.6f} US dollars")
    if record.error is not None:
        parts.append(f"error: {record.error}")
    return ", ".join(parts)
