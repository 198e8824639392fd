"""The commands that make calls: `build` and `rejudge`."""

from __future__ import annotations

import functools
import json
import math
import sys
from collections.abc import Callable
from typing import Any

import click
import msgspec

from nullbench_site import api
from nullbench_site.build_report import BuildReport
from nullbench_site.cli.app import profile_option, say, selection_options
from nullbench_site.cli.progress import build_progress
from nullbench_site.errors import StoppedEarly
from nullbench_site.evaluation.cost import Budget
from nullbench_site.evaluation.options import BuildOptions, StopWhen
from nullbench_site.evaluation.targets import Scope, Selection
from nullbench_site.repository import Repository
from nullbench_site.text import listed, plural

DONE_WITH_FAILURES = 1
_ADVICE = "raise it, or run nullbench-site plan to see what a build needs"
_SHOWN_DIFFERENCES = 10


def _dollars(context: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """Parse an amount of US dollars above 0."""
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
    """Check a number of calls."""
    if value is not None and value < 1:
        raise click.BadParameter(f"a budget of {value} calls allows none; {_ADVICE}")
    return value


def _shard(context: click.Context, param: click.Parameter, value: str | None) -> tuple[int, int] | None:
    """Parse K/N."""
    if value is None:
        return None
    number, slash, n = value.partition("/")
    if not (slash and number.isdecimal() and n.isdecimal() and 1 <= int(number) <= int(n)):
        raise click.BadParameter(f"{value!r} is not K/N, such as 1/4 for the first of four parts")
    return int(number), int(n)


def budget_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add --max-cost and --max-calls."""
    cost = click.option(
        "--max-cost", "max_usd", metavar="USD", callback=_dollars, help="Stop before the calls cost more than this."
    )
    calls = click.option(
        "--max-calls", type=int, callback=_calls,
        help="Stop before endpoints get more requests than this; retries count.",
    )  # fmt: skip
    return cost(calls(command))


class Settings(msgspec.Struct, frozen=True):
    """The options of both commands."""

    selection: Selection
    profile: str | None
    budget: Budget
    render_site: bool
    strict: bool
    as_json: bool

    def evaluate(self, repository: Repository, options: BuildOptions) -> BuildReport:
        """Build and print the report."""
        with build_progress(as_json=self.as_json) as progress:
            report = api.build(
                repository, options, profile=self.profile, render_site=self.render_site, progress=progress
            )
        say_report(report, as_json=self.as_json, rest=_rest(report, options.selection))
        return report


def _evaluating(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of both commands, and pass them on as `settings`."""

    @functools.wraps(command)
    def with_settings(
        *arguments: Any,
        selection: Selection,
        profile: str | None,
        max_usd: float | None,
        max_calls: int | None,
        no_render: bool,
        strict: bool,
        as_json: bool,
        **own: Any,
    ) -> None:
        budget = Budget(max_usd, max_calls)
        settings = Settings(selection, profile, budget, not no_render, strict, as_json)
        command(*arguments, settings, **own)

    options = (
        selection_options,
        profile_option,
        budget_options,
        click.option("--no-render", is_flag=True, help="Stop after scoring; do not touch site/."),
        click.option("--strict", is_flag=True, help="Exit with 1 if a call failed, or if --fresh changed a score."),
        click.option(
            "--json", "as_json", is_flag=True,
            help="Print the report as one JSON object on stdout and progress as JSON lines on stderr.",
        ),
    )  # fmt: skip
    for option in reversed(options):
        with_settings = option(with_settings)
    return with_settings


@click.command()
@_evaluating
@click.option(
    "--fresh", is_flag=True, help="Make every call again, in a new run, except calls to a stopped local server."
)
@click.option(
    "--retry-failed", is_flag=True, help="Repeat the failed and unreadable calls of the last run, in a new run."
)
@click.option("--dry-run", is_flag=True, help="Print the plan and its cost; make no call.")
@click.option(
    "--stop-when",
    type=click.Choice(["separated"]),
    help="Ask the items of a board look by look, and stop it once every pair of ranked contestants is decided.",
)
@click.option(
    "--shard",
    metavar="K/N",
    callback=_shard,
    help="Make the calls of the K-th of N parts, with an N-th of the limits and of the budget.",
)
@click.pass_obj
def build(
    repository: Repository,
    settings: Settings,
    *,
    fresh: bool,
    retry_failed: bool,
    dry_run: bool,
    stop_when: StopWhen | None,
    shard: tuple[int, int] | None,
) -> None:
    """Make the missing calls, score the answers, and render the site.

    Earlier runs are the cache: a build of unchanged specs makes no call. --model, --board, --domain, --item and --limit
    restrict the calls; recorded answers of the others stay on the site. Until a build makes the remaining calls, the
    run is open and the site says that its results are partial. An interrupted build resumes where it stopped. Ctrl-C
    once finishes the calls in flight; twice stops at once.

    With --stop-when separated, a board is asked up to the looks in its spec, and stops at the first at which all pairs
    are decided. That is no failure: the exit code is 0. A later build without the option asks the remaining items.

    With --shard several machines build one benchmark. Copy their run folders to one place, and put them together with
    nullbench-site merge.

    \b
    Examples:
      nullbench-site build
      nullbench-site build --model lead-3 --no-render
      nullbench-site build --limit 5
      nullbench-site build --profile live --max-cost 5
      nullbench-site build --fresh --strict --json
    """
    selection = msgspec.structs.replace(settings.selection, shard=shard)
    if dry_run:
        from nullbench_site.cli.plan import show_plan  # most builds print no plan

        calls = api.plan(
            repository, selection, profile=settings.profile, fresh=fresh, retry_failed=retry_failed, stop_when=stop_when
        )
        show_plan(calls, as_json=settings.as_json)
        return
    budget = settings.budget if shard is None else settings.budget.of_shard(*shard)
    options = BuildOptions(selection, budget=budget, fresh=fresh, retry_failed=retry_failed, stop_when=stop_when)
    report = settings.evaluate(repository, options)
    reproduced = _say_whether_reproduced(repository, report) if fresh else True
    exit_as(report, strict=settings.strict, reproduced=reproduced)


@click.command()
@_evaluating
@click.option("--judge", "judges", multiple=True, required=True, help="A judge of the panel; may be repeated.")
@click.option("--fresh", is_flag=True, help="Repeat their recorded verdicts too, in a new run.")
@click.pass_obj
def rejudge(repository: Repository, settings: Settings, *, judges: tuple[str, ...], fresh: bool) -> None:
    """Let judges score recorded responses, after a change of the panel. No contestant is called.

    The result is a run of the current specs. Recorded verdicts are reused. The named judges give their missing
    verdicts. The next build makes all other calls.

    \b
    Examples:
      nullbench-site rejudge --judge gpt-large
      nullbench-site rejudge --judge gpt-large --fresh --max-cost 2
    """
    options = BuildOptions(
        settings.selection,
        scope=Scope(contestants=False, judges=judges),
        budget=settings.budget,
        judges_anew=judges if fresh else (),
    )
    report = settings.evaluate(repository, options)
    if report.calls.left:
        say("The next build makes the remaining calls")
    exit_as(report, strict=settings.strict)


def _rest(report: BuildReport, selection: Selection) -> str:
    """Return who makes the remaining calls of a run that is open."""
    if report.calls.left:
        return "The same command makes the remaining calls"
    if selection.shard is not None:
        return "The other shards make the remaining calls; put their runs together with nullbench-site merge"
    return "nullbench-site build makes the remaining calls"


def say_report(report: BuildReport, *, as_json: bool, rest: str = "", **more: object) -> None:
    """Print the report: a JSON object on stdout, with `more`, or lines for a reader.

    rest: who makes the remaining calls of a run that is open.
    """
    if as_json:
        # ASCII, so any terminal accepts it, and paths may have bytes outside UTF-8.
        click.echo(json.dumps({**msgspec.to_builtins(report), **more}))
        return
    calls = report.calls
    left = f", {calls.left} left" if calls.left else ""
    say(f"Calls: {calls.planned} planned, {calls.made} made, {calls.reused} reused, {calls.failed} failed{left}")
    if report.cost_usd is not None:
        say(f"Cost:  {report.cost_usd:.4f} USD in this build")
    if report.uncounted:
        most = "no upper bound" if report.uncounted_usd is None else f"at most {report.uncounted_usd:.4f} USD"
        say(f"Cost:  {most} more: no count of tokens for {plural(report.uncounted, 'attempt')}")
    for each in report.repeated:
        say(f"{each.model}: {each.same} of {plural(each.answers, 'answer')} are the same as in run {each.run}")
    for board, early in report.early.items():
        say(
            f"Early: {board} stopped at look {early.look} of {early.looks}, after {plural(early.items, 'item')}: every "
            "pair is decided"
        )
    say(f"Run:   {report.run_dir}")
    if report.partial and rest:
        say(f"Note:  partial results, of the items answered so far. {rest}")
    if report.site_dir:
        say(f"Site:  {report.site_dir} (view it with: nullbench-site serve)")


def exit_as(report: BuildReport, *, strict: bool, reproduced: bool = True) -> None:
    """Exit with 3 if the build stopped early, or with 1 if `strict` refuses the failures."""
    if report.calls.failed:
        # The next build continues an open run. A sealed run needs --retry-failed.
        again = "The next build repeats them" if report.stopped else "Repeat them with --retry-failed"
        probes = report.calls.failed_probes
        if n := report.calls.failed - probes:
            failed = "1 call failed; its item counts" if n == 1 else f"{n} calls failed; their items count"
            say(f"Warning: {failed} as 0. {again}. The records have the errors")
        if probes:
            failed = "1 canary call failed; it is" if probes == 1 else f"{probes} canary calls failed; they are"
            say(f"Warning: {failed} in no score. {again}. The records have the errors")
    if report.stopped:
        for reason in report.stopped:
            say(f"Error: {reason}")
        sys.exit(StoppedEarly.exit_code)
    if strict and (report.calls.failed or not reproduced):
        sys.exit(DONE_WITH_FAILURES)


def _say_whether_reproduced(repository: Repository, report: BuildReport) -> bool:
    """Compare the scores of a fresh run with those of the run before it."""
    compared = api.reproduction(repository, report.run)
    if compared is None:
        return True
    other, differences = compared
    if not differences:
        kept = f"; the answers of {listed(report.kept)} were kept, not made again" if report.kept else ""
        say(f"Reproduced: every score except times equals run {other}{kept}")
        return True
    say(f"Not reproduced: {len(differences)} scores differ from run {other}:")
    for line in differences[:_SHOWN_DIFFERENCES]:
        say(f"  {line}")
    return False
