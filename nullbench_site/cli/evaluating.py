"""What the commands that make calls share: their options, their report and their exit codes."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click
import msgspec

from nullbench_site.api import BuildReport
from nullbench_site.cli.options import profile_option, say, selection_options
from nullbench_site.errors import StoppedEarly

Command = TypeVar("Command", bound=Callable[..., Any])
DONE_WITH_FAILURES = 1
_ADVICE = "give more, or see what a build would take with: nullbench-site plan"


def _dollars(context: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """An amount of US dollars above 0."""
    if value is None:
        return None
    try:
        amount = float(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is not an amount of US dollars, such as 2.50") from None
    if not (amount > 0 and math.isfinite(amount)):
        raise click.BadParameter(f"a budget of {value} USD allows no call; {_ADVICE}")
    return amount


def _calls(context: click.Context, param: click.Parameter, value: int | None) -> int | None:
    """A number of calls above 0."""
    if value is not None and value < 1:
        raise click.BadParameter(f"a budget of {value} calls allows none; {_ADVICE}")
    return value


def evaluating_options(command: Command) -> Command:
    """--board, --model and --profile; what may be spent; what is done after the calls; how it is reported."""
    options = (
        selection_options,
        profile_option,
        click.option(
            "--max-cost", "max_usd", metavar="USD", callback=_dollars,
            help="Stop before the calls would cost more US dollars.",
        ),
        click.option(
            "--max-calls", type=int, callback=_calls,
            help="Stop before endpoints get more requests; those that ask again count as well.",
        ),
        click.option("--no-render", is_flag=True, help="Stop after scoring; leave site/ as it is."),
        click.option("--strict", is_flag=True, help="Exit with 1 if a call failed, or if --fresh gave other scores."),
        click.option(
            "--json", "as_json", is_flag=True,
            help="Print the report as one JSON object on stdout, and events as JSON lines on stderr.",
        ),
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def say_report(report: BuildReport, *, as_json: bool) -> None:
    """What came of the calls: a JSON object on stdout, or lines for a reader."""
    if as_json:
        # ASCII, so that any terminal takes it and a path that is no UTF-8 can be in it.
        click.echo(json.dumps(msgspec.to_builtins(report)))
        return
    calls = report.calls
    left = f", {calls.left} left" if calls.left else ""
    say(f"Calls: {calls.planned} planned, {calls.made} made, {calls.reused} reused, {calls.failed} failed{left}")
    if report.cost_usd is not None:
        say(f"Cost:  {report.cost_usd:.4f} USD in this build")
    say(f"Run:   {report.run_dir}")
    if report.site_dir:
        say(f"Site:  {report.site_dir} (look at it with: nullbench-site serve)")


def exit_as(report: BuildReport, *, strict: bool, reproduced: bool = True) -> None:
    """End with the code the report calls for: 3 where calls were left, 1 where `strict` refuses how they ended."""
    if report.calls.failed:
        # A run that was stopped is open, and is gone on with; only a sealed one has to be asked for.
        again = (
            "The next build asks them again" if report.stopped else "The same build with --retry-failed asks them again"
        )
        why = "nullbench-site cache explain ITEM says why"
        n = report.calls.failed
        failed = "1 call failed; its item counts" if n == 1 else f"{n} calls failed; their items count"
        say(f"Warning: {failed} as 0. {again}; {why}")
    if report.stopped:
        for reason in report.stopped:
            say(f"Error: {reason}")
        sys.exit(StoppedEarly.exit_code)
    if strict and (report.calls.failed or not reproduced):
        sys.exit(DONE_WITH_FAILURES)
