"""The command `audit`."""

from __future__ import annotations

import click

from nullbench_site import api
from nullbench_site.audit.derived import ITEMS, Audited
from nullbench_site.audit.random_search import INSTRUCTIONS, POPULATIONS, Population, Search
from nullbench_site.audit.search_specs import SearchPlan
from nullbench_site.cli.app import NamesBelow, run_argument
from nullbench_site.cli.build import budget_options, exit_as, say_report
from nullbench_site.cli.plan import show_plan
from nullbench_site.cli.progress import build_progress
from nullbench_site.evaluation.cost import Budget
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.targets import Selection
from nullbench_site.repository import Repository


@click.command()
@run_argument
@click.option(
    "--board", "boards", multiple=True, type=NamesBelow("board", "specs/boards/*.yaml"),
    help="Audit the judges of this board only; may be repeated.",
)  # fmt: skip
@click.option("--judge", "judges", multiple=True, metavar="ID", help="Audit only this judge; may be repeated.")
@click.option("--attack", "attacks", multiple=True, metavar="ID", help="Only this attack, or attacks of this kind.")
@click.option("--template", "templates", multiple=True, metavar="NAME", help="Ask judges in this wording.")
@click.option(
    "--items", type=click.IntRange(1), default=ITEMS, show_default=True,
    help="Draw whole categories of each board, evenly over its domains, until they have so many items.",
)  # fmt: skip
@click.option("--search", metavar="ATTACK", help="Search a text that makes this attack win, step by step.")
@click.option("--steps", type=click.IntRange(1, 100), default=64, show_default=True, help="Steps of the search.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Seed of the search.")
@click.option("--train", metavar="DOMAIN", help="Take the instructions of the search from this domain.")
@click.option(
    "--instructions", type=click.IntRange(1), default=INSTRUCTIONS, show_default=True,
    help="Instructions that a step asks about.",
)  # fmt: skip
@click.option(
    "--population", type=click.Choice(POPULATIONS), default="tokens", show_default=True, help="What to draw from."
)
@click.option("--suffix", is_flag=True, help="Search a text after the attack, not before it.")
@click.option("--filtered", is_flag=True, help="Try only texts that a filter of unusual text lets through.")
@click.option("--found", metavar="AUDIT", help="Try what the search of this audit found.")
@click.option("--dry-run", is_flag=True, help="Print the calls and their cost; make none.")
@budget_options
@click.option("--json", "as_json", is_flag=True, help="Print each report as one JSON object on stdout.")
@click.pass_obj
def audit(
    repository: Repository,
    run: str | None,
    *,
    boards: tuple[str, ...],
    judges: tuple[str, ...],
    attacks: tuple[str, ...],
    templates: tuple[str, ...],
    items: int,
    search: str | None,
    steps: int,
    seed: int,
    train: str | None,
    instructions: int,
    population: Population,
    suffix: bool,
    filtered: bool,
    found: str | None,
    dry_run: bool,
    max_usd: float | None,
    max_calls: int | None,
    as_json: bool,
) -> None:
    """Let answers that do not answer try to win the judges of a run, and record what they get.

    An audit is a run in audits/, whose contestants are attacks. Ranked contestants of the run take part where it has
    all verdicts on them, and boards of keys are audited without a judge. An audit is resumed, sealed and verified as a
    run: to check one, nullbench-site verify audits/NAME. Recorded verdicts are not asked for again. The site shows the
    newest audit of each board.

    \b
    Examples:
      nullbench-site audit --board small-judge-pairs --dry-run
      nullbench-site audit --board small-judge-pairs --attack constant --attack payload
      nullbench-site audit --judge gpt-large --max-cost 5
      nullbench-site audit --board small-judge-pairs --search structured-pairwise-letter --steps 64
    """
    plan = None
    if search is not None:
        place = "suffix" if suffix else "prefix"
        inputs = Search.of(attack=search, place=place, population=population, seed=seed, filtered=filtered)
        plan = SearchPlan(inputs, steps, instructions, train)
    result = None if found is None else api.search_result(repository, found, run)
    audited, budget = Audited(boards, judges, attacks, templates, plan, result, items), Budget(max_usd, max_calls)
    for each in api.audits(repository, audited, run):
        if dry_run:
            show_plan(api.plan(each, Selection()), as_json=as_json)
            continue
        with build_progress(as_json=as_json) as progress:
            report = api.build(each, BuildOptions(budget=budget), render_site=False, progress=progress)
        say_report(report, as_json=as_json, rest="The same command makes the remaining calls")
        exit_as(report, strict=False)
