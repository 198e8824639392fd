"""`nullbench-site verify`."""

from __future__ import annotations

import click

from nullbench_site import api
from nullbench_site.cli.options import run_argument
from nullbench_site.runs.verify import not_sealed


@click.command()
@run_argument
@click.pass_obj
def command(repository: api.Repository, run: str | None) -> None:
    """Check that a run is what was sealed, byte for byte, and that its results follow from its records.

    Automatic checks and answer keys look at every public answer again; no code of an answer is executed.

    RUN is a run's name or folder. If it is left out: the newest sealed run, of the specs as they are where these have
    one; or the newest open run where none is sealed.

    \b
    Examples:
      nullbench-site verify
      nullbench-site verify runs/1.0.0-7c1bd32e
    """
    entry, problems = api.verify(repository, run)
    if problems:
        raise not_sealed(entry.path, problems)
    manifest = entry.manifest
    click.echo(
        f"{manifest.run}: {len(manifest.files)} files unchanged; "
        f"the results follow from {manifest.counts.calls} records; digest {manifest.digest[:16]}"
    )
