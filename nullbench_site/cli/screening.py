"""The command `screen-judges`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click
import msgspec
import yaml

from nullbench_site import api
from nullbench_site.cli.app import NamesBelow, say, table_lines
from nullbench_site.cli.build import budget_options, exit_as, say_report
from nullbench_site.cli.plan import show_plan
from nullbench_site.cli.progress import build_progress
from nullbench_site.errors import UsageError
from nullbench_site.evaluation.cost import Budget
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.targets import Selection
from nullbench_site.repository import Repository
from nullbench_site.runs.storage import write_atomically

if TYPE_CHECKING:
    from nullbench_site.audit.prompt_results import BoardResult


@click.command("screen-judges")
@click.argument("board", required=False, type=NamesBelow("board", "specs/boards/*.yaml"))
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON: one object per judge.")
@click.option(
    "--run", type=NamesBelow("run", "runs/*"), help="The run with the answers; by default the newest sealed one."
)
@click.option("--prompts", is_flag=True, help="Measure the judging prompts for a judge instead.")
@click.option("--judge", metavar="ID", help="With --prompts: the judge, by default the only one at an endpoint.")
@click.option("--items", type=click.IntRange(2), help="With --prompts: the items of a board; by default 40.")
@click.option("--yes", is_flag=True, help="With --prompts: make the calls.")
@budget_options
@click.pass_obj
def screen_judges(
    repository: Repository,
    board: str | None,
    *,
    as_json: bool,
    run: str | None,
    prompts: bool,
    judge: str | None,
    items: int | None,
    yes: bool,
    max_usd: float | None,
    max_calls: int | None,
) -> None:
    """Rank the judges of BOARD by how well they agree with its labels, before you choose a panel.

    Put every candidate on the panel of a small board with labels, and build it. Judges are ranked by the lower end of
    the interval of their correlation with the labels. A judge that accepts wrong answers as often as right ones comes
    last. Null models are left out.

    With --prompts, measure how often a judge puts right responses above wrong ones, with each judging prompt. The
    right ones are the reference answers of a board, the wrong ones are damaged. Short questions are compared with the
    chosen prompt, where the protocol has them. One half of the items chooses a prompt. The other half reports it, and
    decides whether the judge passes. By default, the first board of each protocol is used. Without --yes, the calls
    and their cost are printed and none is made. The records go into audits/, the result into
    specs/screening/JUDGE.yaml, which add judge reads. If it stops early, the same command goes on.

    \b
    Examples:
      nullbench-site screen-judges facts-judged
      nullbench-site screen-judges facts-judged --json
      nullbench-site screen-judges --prompts --judge gpt-large
      nullbench-site screen-judges practical --prompts --judge gpt-large --items 20 --yes --max-cost 2
    """
    if not prompts:
        for option, given in (("--judge", judge), ("--items", items), ("--yes", yes)):
            if given:
                raise UsageError(f"{option} needs --prompts")
        if board is None:
            raise UsageError("name the board whose judges to rank, or add --prompts")
        _ranked(repository, board, run, as_json=as_json)
        return
    if run is not None:
        raise UsageError("--prompts uses the current specs; leave out --run")
    _measured(
        repository,
        judge or _only_judge(repository),
        () if board is None else (board,),
        items,
        Budget(max_usd, max_calls),
        yes=yes,
        as_json=as_json,
    )


def _ranked(repository: Repository, board: str, run: str | None, *, as_json: bool) -> None:
    from nullbench_site.interop.screening_judges import screened, table

    judges = screened(api.find_run(repository, run), board)
    if as_json:
        for each in judges:
            click.echo(msgspec.json.encode(each))
        return
    for line in table_lines(table(judges)):
        click.echo(line)


def _only_judge(repository: Repository) -> str:
    path = repository.specs / "judges.yaml"
    judges = yaml.safe_load(path.read_bytes())["judges"] if path.is_file() else []
    models = [each["id"] for each in judges if each["backend"] not in ("offline", "recorded")]
    if len(models) != 1:
        raise UsageError(f"choose a judge with --judge: {', '.join(models) or 'the specs have none at an endpoint'}")
    return str(models[0])


def _measured(
    repository: Repository,
    judge: str,
    boards: Sequence[str],
    items: int | None,
    budget: Budget,
    *,
    yes: bool,
    as_json: bool,
) -> None:
    results: list[BoardResult] = []
    for studied in api.prompt_studies(repository, judge, boards, items):
        if not yes:
            if not as_json:
                click.echo(f"Judging prompts of the protocol {studied.protocol}, on board {studied.board}:")
            show_plan(api.plan(studied.repository, Selection()), as_json=as_json)
            continue
        with build_progress(as_json=as_json) as progress:
            report = api.build(studied.repository, BuildOptions(budget=budget), render_site=False, progress=progress)
        if report.stopped or not as_json:
            say_report(report, as_json=as_json, rest="The same command makes the remaining calls")
        exit_as(report, strict=False)
        results.append(api.prompt_results(studied, report.run_dir))
    if not yes:
        say("No call was made; add --yes to make them")
        return
    from nullbench_site.audit.prompt_tables import (
        attack_table,
        decision_fields,
        decisions,
        method_words,
        screening_file,
        table,
        written,
    )

    screened = [each for each in api.screened_judges(repository) if each.judge == judge]
    path = screening_file(repository.specs, judge)
    path.parent.mkdir(exist_ok=True)
    model = next(
        each["model"]
        for each in yaml.safe_load((repository.specs / "judges.yaml").read_bytes())["judges"]
        if each["id"] == judge
    )
    before = path.read_bytes() if path.is_file() else b""
    write_atomically(path, written(judge, model, results, screened, datetime.now(UTC).date(), before=before))
    if as_json:
        told = {"boards": msgspec.to_builtins(results), "screening": [decision_fields(each) for each in screened]}
        click.echo(json.dumps({"judge": judge, "file": str(path), **told}))
        return
    for line in table_lines(list(table(results))):
        click.echo(line)
    for line in method_words(results):
        click.echo(line)
    for line in decisions(screened):
        click.echo(line)
    for line in table_lines(list(attack_table(results))):
        click.echo(line)
    say(f"wrote {path}")
