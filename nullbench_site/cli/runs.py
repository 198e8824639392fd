"""The commands `score`, `render`, `verify` and `runs`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click
import msgspec

from nullbench_site import api
from nullbench_site.cli.app import run_argument, say, table_lines
from nullbench_site.errors import UsageError
from nullbench_site.repository import Repository
from nullbench_site.runs.catalog import RunSummary
from nullbench_site.runs.verify import not_sealed
from nullbench_site.site.words import NOT_ORIGINAL, PROVES, PROVES_KEYS, PROVES_NOT

if TYPE_CHECKING:
    from nullbench_site.scoring.executors import Kind


@click.command()
@run_argument
@click.option("--executor", type=click.Choice(["processes", "dask"]), help="Score in processes, or on Dask workers.")
@click.option("--scheduler", metavar="ADDRESS", help="The Dask scheduler. The default starts one on this machine.")
@click.pass_obj
def score(repository: Repository, run: str | None, executor: Kind | None, scheduler: str | None) -> None:
    """Recompute the results of a run from its records. Make no call.

    RUN is a run's name or folder. The default is the newest sealed run of the current specs, else the newest sealed
    run, else the newest open run.

    \b
    Examples:
      nullbench-site score
      nullbench-site score 1.0.0-7c1bd32e
      nullbench-site score --executor processes
      nullbench-site score --executor dask --scheduler tcp://10.0.0.7:8786
    """
    if scheduler is not None and executor != "dask":
        raise UsageError("--scheduler needs --executor dask")
    if executor is None:
        say(f"scored {api.score(repository, run)}")
        return
    from nullbench_site.scoring.executors import executor_of

    with executor_of(executor, scheduler) as workers:
        say(f"scored {api.score(repository, run, workers)}")


@click.command()
@run_argument
@click.pass_obj
def render(repository: Repository, run: str | None) -> None:
    """Render the site of a run into site/. Make no call.

    RUN is a run's name or folder. The default is the newest sealed run of the current specs, else the newest sealed
    run, else the newest open run.

    \b
    Examples:
      nullbench-site render
      nullbench-site render 1.0.0-7c1bd32e
    """
    say(f"rendered {api.render(repository, run, say)}")


def _sha256(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    if value is not None and not re.fullmatch(r"(?:sha256:)?[0-9a-fA-F]{64}", value):
        raise click.BadParameter("a SHA-256 digest has 64 hex digits")
    return value and value[-64:]


@click.command()
@run_argument
@click.option("--expect", metavar="SHA256", callback=_sha256, help="The expected digest of the manifest.")
@click.option("--reference", is_flag=True, help="Recompute agreement with the package krippendorff.")
@click.pass_obj
def verify(repository: Repository, run: str | None, expect: str | None, *, reference: bool) -> None:
    """Check that a run matches its manifest, and that results, counts and costs follow from its records.

    The command recomputes the keys of records, and repeats automatic checks and answer keys on every public answer. It
    runs no code of an answer. It cannot show that a model gave the recorded answers, or that the manifest is the
    original. For the manifest, pass a digest from the site, a review or a paper to --expect; the SHA-256 of
    manifest.json works too.

    --reference recomputes every alpha and Fleiss' kappa of the run with another implementation, and prints the largest
    difference. It needs the extra `reference`.

    RUN is a run's name or folder. The default is the newest sealed run of the current specs, else the newest sealed
    run, else the newest open run.

    \b
    Examples:
      nullbench-site verify
      nullbench-site verify runs/1.0.0-7c1bd32e
      nullbench-site verify --reference
    """
    from nullbench_site.evaluation.record_keys import KEYLESS

    entry, problems, notes = api.verify(repository, run, expect)
    compared = api.recompute_agreement(repository, run) if reference and not problems else None
    if compared is not None and compared.problem is not None:
        problems = [compared.problem]
    if problems:
        raise not_sealed(entry.path, problems)
    manifest = entry.manifest
    follow = not set(notes) - KEYLESS
    agree = f"{manifest.run}: {len(manifest.files)} files agree with the manifest"
    if follow:
        agree += f"; the results follow from {manifest.counts.calls} records"
    click.echo(f"{agree}; manifest digest {manifest.digest}")
    for note in notes:
        click.echo(note)
    if follow:
        click.echo(f"Shown: {PROVES}.")
    if not notes:
        click.echo(f"Shown: {PROVES_KEYS}.")
    if expect is not None:
        click.echo("Shown: the manifest has the expected digest.")
    if compared is not None:
        click.echo(f"Shown: {compared}.")
    click.echo(f"Not shown: {PROVES_NOT}.")
    if expect is None:
        click.echo(f"Not shown: {NOT_ORIGINAL} (--expect SHA256).")


@click.group()
def runs() -> None:
    """List the runs.

    \b
    Examples:
      nullbench-site runs list
    """


@runs.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
@click.pass_obj
def list_(repository: Repository, *, as_json: bool) -> None:
    """List the runs, newest first.

    "shared files" counts the record files that another run has byte for byte; git stores them once.

    \b
    Examples:
      nullbench-site runs list
      nullbench-site runs list --json
    """
    summaries, damaged = api.run_summaries(repository)
    if as_json:
        click.echo(msgspec.json.encode({"runs": summaries, "damaged": damaged}))
        return
    rows = [("run", "date", "state", "calls", "size", "shared files", "commit", "digest"), *map(_row, summaries)]
    for line in table_lines(rows):
        click.echo(line)
    for problem in damaged.values():
        say(f"Warning: not listed: {problem}")
    if not summaries and not damaged:
        say(f"{repository.runs}: there is no run yet; make one with: nullbench-site build")


_DIRTY = {True: " (dirty)", False: "", None: " (dirty: unknown)"}


def _row(run: RunSummary) -> tuple[str, ...]:
    shared = "not measured" if run.shared is None else f"{run.shared} of {run.shards}"
    commit = "none" if run.commit is None else run.commit[:12] + _DIRTY[run.dirty]
    return run.run, run.date, run.state, f"{run.calls:,}", _size(run.bytes), shared, commit, run.digest[:16]


def _size(count: int | None) -> str:
    return "not measured" if count is None else f"{count / 1e6:,.1f} MB"
