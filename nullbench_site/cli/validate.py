"""`nullbench-site validate`."""

from __future__ import annotations

import click

from nullbench_site import api
from nullbench_site.cli.options import say
from nullbench_site.specs.private.hashing import withheld_words
from nullbench_site.text import plural


@click.command()
@click.option("--write-schemas", is_flag=True, help="Also write specs/schema/*.json, which editors read.")
@click.pass_obj
def command(repository: api.Repository, write_schemas: bool) -> None:
    """Check every spec, for every profile, and list all problems, each with its file, line and column.

    \b
    Examples:
      nullbench-site validate
      nullbench-site validate --write-schemas
    """
    if write_schemas:
        for path in api.write_schemas(repository):
            say(f"wrote {path}")
    benchmark = api.validate(repository)
    for name in benchmark.profiles:
        other = api.validate(repository, name)
        click.echo(f"profile {name}: {plural(len(other.models), 'contestant')}, {plural(len(other.judges), 'judge')}")
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
    click.echo(f"{benchmark.about.id} {benchmark.about.version}: {', '.join(counted)}; no problem found")
