"""The commands that make and change specs: `init`, `validate`, `hide` and `reveal`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import click

from nullbench_site import api
from nullbench_site.cli.app import say
from nullbench_site.errors import NullbenchError, Problem
from nullbench_site.site.words import plural
from nullbench_site.specs.private import withheld_words
from nullbench_site.starter import make_repository


@click.command()
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@click.option("--title", help="The title of the benchmark; the folder's name if it is left out.")
def init(directory: Path, title: str | None) -> None:
    """Make a new benchmark repository in DIRECTORY, a new one or an empty clone, that builds at once.

    It has one board with two domains, the rule-based judges, baselines, null models, and what GitHub and GitLab take to
    review changes and publish the site: change what you like, `nullbench-site validate` says what no longer fits.

    \b
    Examples:
      nullbench-site init my-board
      nullbench-site init my-board --title "How our models summarise"
    """
    made = make_repository(directory, title)
    enter = "" if made.resolve() == Path.cwd() else f"cd {shlex.quote(str(made))} && "
    say(f"made {made.resolve().name}. Next: {enter}nullbench-site build && nullbench-site serve")


@click.command()
@click.option("--fix", is_flag=True, help="First give every spec without a canary a fresh one; edit nothing else.")
@click.option("--write-schemas", is_flag=True, help="Also write specs/schema/*.json, which editors read.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "github", "sarif"]),
    default="text",
    show_default=True,
    help="How problems are written: for readers, as GitHub's workflow commands, or as SARIF 2.1.0.",
)
@click.pass_context
def validate(context: click.Context, *, fix: bool, write_schemas: bool, form: str) -> None:
    """Check every spec, for every profile, and list all problems, each with its file, line and column.

    \b
    Examples:
      nullbench-site validate
      nullbench-site validate --fix
      nullbench-site validate --format sarif > problems.sarif
      nullbench-site validate --write-schemas
    """
    repository: api.Repository = context.obj
    for path in api.add_canaries(repository) if fix else ():
        say(f"added a canary to {path}")
    if form == "text":
        for warning in _validate(repository, write_schemas=write_schemas):
            say(f"Warning: {warning}")
        return
    from nullbench_site.cli import annotations

    error: NullbenchError | None = None
    warnings: Sequence[Problem] = ()
    try:
        warnings = _validate(repository, write_schemas=write_schemas, on_stderr=form == "sarif")
    except NullbenchError as problems:
        error = problems
    if form == "sarif":
        click.echo(annotations.sarif(annotations.of_error(error, warnings), repository.root).decode())
    elif commands := annotations.workflow_commands(annotations.of_error(error, warnings), repository.root):
        click.echo("\n".join(commands))
    context.exit(0 if error is None else error.exit_code)


def _validate(repository: api.Repository, *, write_schemas: bool, on_stderr: bool = False) -> Sequence[Problem]:
    """The warnings of specs without a problem. on_stderr: tell there what is well, as stdout is for a program."""
    if write_schemas:
        for path in api.write_schemas(repository):
            say(f"wrote {path}")
    benchmark = api.validate(repository)
    of_answers = api.check_answers(repository, benchmark)
    for name in benchmark.profiles:
        other = api.validate(repository, name)
        here = f"{plural(len(other.models), 'contestant')}, {plural(len(other.judges), 'judge')}"
        click.echo(f"profile {name}: {here}", err=on_stderr)
    items = sum(len(category.items) for domain in benchmark.domains.values() for category in domain.categories)
    counted = (
        plural(len(benchmark.boards), "board"),
        plural(len(benchmark.domains), "domain"),
        plural(items, "item"),
        plural(len(benchmark.models), "contestant"),
        plural(len(benchmark.judges), "judge"),
    )
    withheld = withheld_words(benchmark)
    if withheld is not None:
        say(f"Note: {withheld}")
    click.echo(f"{benchmark.about.id} {benchmark.about.version}: {', '.join(counted)}; no problem found", err=on_stderr)
    return [*benchmark.warnings, *of_answers]


@click.command()
@click.argument("domain")
@click.argument("items", nargs=-1, required=True, metavar="ITEM...")
@click.pass_obj
def hide(repository: api.Repository, domain: str, items: tuple[str, ...]) -> None:
    """Make public items of DOMAIN private: their text moves to the private folder, a salted hash stays in specs/.

    Answers to them that were brought (`import answers`) go with it, and a salted hash stays in answers/. The private
    folder is the one that NULLBENCH_PRIVATE names, else private/. Keep a copy of it: nothing else has the text.
    Comments on what is hidden are lost.

    \b
    Examples:
      nullbench-site hide practical-coding coding-03
      nullbench-site hide practical-coding coding-03 coding-07
    """
    hidden = api.hide(repository, domain, items)
    say(f"moved the text of {plural(len(set(items)), 'item')} to {hidden.file}; keep a copy of that file")
    if hidden.answers:
        brought = plural(hidden.answers, "brought answer")
        say(f"moved {brought} to {hidden.file.parent / 'answers'}; keep a copy of that folder")
    say("What git and runs/ have of them already stays there, and the next build asks them again")


@click.command()
@click.argument("domain")
@click.argument("items", nargs=-1, required=True, metavar="ITEM...")
@click.pass_obj
def reveal(repository: api.Repository, domain: str, items: tuple[str, ...]) -> None:
    """Publish private items of DOMAIN: their text moves back to specs/, with its hash and its salt.

    With both, `validate` checks for everybody that the text is the one that was private. The next build publishes the
    answers too and asks nobody for them again, as long as runs/*/private/ is here; controls of the items are new calls.

    \b
    Examples:
      nullbench-site reveal practical-coding coding-03
    """
    api.reveal(repository, domain, items)
    say(f"published the text of {plural(len(set(items)), 'item')} in specs/; the next build publishes the answers")
