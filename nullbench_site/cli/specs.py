"""The commands `init`, `validate`, `hide` and `reveal`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from nullbench_site import api
from nullbench_site.cli.annotations import of_error, sarif, workflow_commands
from nullbench_site.cli.app import InputFile, NamesOf, say
from nullbench_site.errors import NullbenchError, Problem
from nullbench_site.repository import Repository
from nullbench_site.site.words import plural
from nullbench_site.specs.private import withheld_words


def _columns(context: click.Context, param: click.Parameter, value: tuple[str, ...]) -> dict[str, str]:
    """Return headers by column."""
    for each in value:
        if "=" not in each:
            raise click.BadParameter(f"{each!r} has no '='; write NAME=HEADER, such as prompt=Frage")
    return {name: header for name, _, header in (each.partition("=") for each in value)}


@click.command()
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@click.option("--title", help="The title of the benchmark; the folder's name by default.")
@click.option(
    "--protocol", type=NamesOf("protocols"), help="How the board scores answers; by default the first of these."
)
@click.option(
    "--from", "source", type=InputFile(), metavar="FILE",
    help="Make the board's items from the rows of this CSV or JSONL file.",
)  # fmt: skip
@click.option(
    "--column", "columns", multiple=True, metavar="NAME=HEADER", callback=_columns,
    help="The header of a column in FILE that has another name, such as prompt=Frage; NAME= leaves it out.",
)  # fmt: skip
@click.option(
    "--answers", type=click.Choice(["letter", "index-0", "index-1", "text", "number"]),
    help="How to read the answers in FILE: the letter of an option, its number from 0 or 1, a text, or a number. By "
    "default the whole column decides, and an answer with two readings is refused.",
)  # fmt: skip
@click.option("--empty", is_flag=True, help="Write no examples: no contestants and, without --from, no items.")
def init(directory: Path, **options: Any) -> None:
    """Make a benchmark repository in DIRECTORY, a new folder or an empty clone.

    It has one board, which builds at once, with examples for its protocol: items, contestants, rule-based judges. Its
    workflows for GitHub and GitLab review changes and publish the site.

    \b
    Examples:
      nullbench-site init my-board
      nullbench-site init my-board --title "How our models summarise"
      nullbench-site init capitals --protocol oracle --from questions.csv
      nullbench-site init hauptstadt --protocol oracle --from fragen.csv --column prompt=Frage --column answer=Antwort
    """
    for note in api.init(directory, **options):
        say(note)
    enter = "" if directory.resolve() == Path.cwd() else f"cd {shlex.quote(str(directory))} && "
    steps = "nullbench-site build && nullbench-site serve"
    if options["empty"]:
        tables = options["protocol"] == "scores" and options["source"] is None
        steps = "nullbench-site import scores FILE --into ." if tables else "nullbench-site add item, add model"
    say(f"made {directory.resolve().name}. Next: {enter}{steps}")


@click.command()
@click.option("--fix", is_flag=True, help="First add a canary to every spec without one; edit nothing else.")
@click.option(
    "--publication", is_flag=True, help="Also check that the sealed run reports what a comparative claim needs."
)
@click.option("--write-schemas", is_flag=True, help="Also write specs/schema/*.json for editors.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "github", "sarif"]),
    default="text",
    show_default=True,
    help="Text, workflow commands of GitHub, or SARIF 2.1.0.",
)
@click.pass_context
def validate(context: click.Context, *, fix: bool, publication: bool, write_schemas: bool, form: str) -> None:
    """Check every spec for every profile, and report all problems with file, line and column.

    \b
    Examples:
      nullbench-site validate
      nullbench-site validate --fix
      nullbench-site validate --publication
      nullbench-site validate --format sarif > problems.sarif
      nullbench-site validate --write-schemas
    """
    repository: Repository = context.obj
    for path in api.add_canaries(repository) if fix else ():
        say(f"added a canary to {path}")
    if form == "text":
        for warning in _validate(repository, write_schemas=write_schemas):
            say(f"Warning: {warning}")
        if publication:
            api.check_publication(repository)
            say("every board reports what a comparative claim needs")
        return
    error: NullbenchError | None = None
    warnings: Sequence[Problem] = ()
    try:
        warnings = _validate(repository, write_schemas=write_schemas, on_stderr=form == "sarif")
        if publication:
            api.check_publication(repository)
    except NullbenchError as problems:
        error = problems
    if form == "sarif":
        click.echo(sarif(of_error(error, warnings), repository.root).decode())
    elif commands := workflow_commands(of_error(error, warnings), repository.root):
        click.echo("\n".join(commands))
    context.exit(0 if error is None else error.exit_code)


def _validate(repository: Repository, *, write_schemas: bool, on_stderr: bool = False) -> Sequence[Problem]:
    """Return the warnings of valid specs. on_stderr: print the totals there, because stdout is for a program."""
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
def hide(repository: Repository, domain: str, items: tuple[str, ...]) -> None:
    """Make items of DOMAIN private: move their text to the private folder, and leave a salted hash in specs/.

    Imported responses to these items move too, and leave a salted hash in answers/. The private folder is private/, or
    the one in NULLBENCH_PRIVATE. Keep a copy of it: nothing else has the text. YAML comments in these items are lost.

    \b
    Examples:
      nullbench-site hide practical-coding coding-03
      nullbench-site hide practical-coding coding-03 coding-07
    """
    hidden = api.hide(repository, domain, items)
    say(f"moved the text of {plural(len(set(items)), 'item')} to {hidden.file}; keep a copy of that file")
    if hidden.answers:
        brought = plural(hidden.answers, "imported response")
        say(f"moved {brought} to {hidden.file.parent / 'answers'}; keep a copy of that folder")
    say("The git history and runs/ still have the text. The next build repeats the calls of these items")


@click.command()
@click.argument("domain")
@click.argument("items", nargs=-1, required=True, metavar="ITEM...")
@click.pass_obj
def reveal(repository: Repository, domain: str, items: tuple[str, ...]) -> None:
    """Publish private items of DOMAIN: move their text back to specs/, with its hash and salt.

    With these, `validate` proves that the text has not changed since. The next build publishes the answers too,
    and reuses them if runs/*/private/ is on this machine. Controls of the items are new calls.

    \b
    Examples:
      nullbench-site reveal practical-coding coding-03
    """
    api.reveal(repository, domain, items)
    say(f"published the text of {plural(len(set(items)), 'item')} in specs/; the next build publishes the answers")
