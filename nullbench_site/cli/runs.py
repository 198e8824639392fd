"""The commands that work on runs and the site: `score`, `render`, `verify`, `runs` and `serve`."""

from __future__ import annotations

import contextlib
import re

import click
import msgspec

from nullbench_site import api
from nullbench_site.cli.app import run_argument, say, table_lines
from nullbench_site.errors import StorageError, UsageError
from nullbench_site.runs.catalog import RunSummary
from nullbench_site.runs.verify import not_sealed
from nullbench_site.site.words import NOT_ORIGINAL, PROVES, PROVES_KEYS, PROVES_NOT


@click.command()
@run_argument
@click.pass_obj
def score(repository: api.Repository, run: str | None) -> None:
    """Work the results of a run out again from its records; make no call.

    RUN is a run's name or folder. If it is left out: the newest sealed run, of the specs as they are where these have
    one; or the newest open run where none is sealed.

    \b
    Examples:
      nullbench-site score
      nullbench-site score 1.0.0-7c1bd32e
    """
    say(f"scored {api.score(repository, run)}")


@click.command()
@run_argument
@click.pass_obj
def render(repository: api.Repository, run: str | None) -> None:
    """Render the site of a run into site/; make no call.

    RUN is a run's name or folder. If it is left out: the newest sealed run, of the specs as they are where these have
    one; or the newest open run where none is sealed.

    \b
    Examples:
      nullbench-site render
      nullbench-site render 1.0.0-7c1bd32e
    """
    say(f"rendered {api.render(repository, run, say)}")


def _sha256(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    if value is not None and not re.fullmatch(r"(?:sha256:)?[0-9a-fA-F]{64}", value):
        raise click.BadParameter("a SHA-256 has 64 hex digits")
    return value and value[-64:]


@click.command()
@run_argument
@click.option("--expect", metavar="SHA256", callback=_sha256, help="The digest of the manifest, kept elsewhere.")
@click.pass_obj
def verify(repository: api.Repository, run: str | None, expect: str | None) -> None:
    """Check that a run agrees with its manifest, and that its results, counts and costs follow from its records.

    The keys of records are recomputed from the requests of the specs. Automatic checks and answer keys look at every
    public answer again; no code of an answer is executed. A local check cannot show that a model said what the records
    say, or that the manifest is the original. Compare its digest with one from the site, a review or a paper: --expect
    takes that digest, or the SHA-256 of manifest.json.

    RUN is a run's name or folder. If it is left out: the newest sealed run, of the specs as they are where these have
    one; or the newest open run where none is sealed.

    \b
    Examples:
      nullbench-site verify
      nullbench-site verify runs/1.0.0-7c1bd32e
    """
    from nullbench_site.evaluation.record_keys import KEYLESS

    entry, problems, notes = api.verify(repository, run, expect)
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
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object to stdout.")
@click.pass_obj
def list_(repository: api.Repository, *, as_json: bool) -> None:
    """List each run, newest first. Records of open runs are counted; else only manifests are read.

    "Shared" are files of records that another run has byte for byte: git keeps them once.

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


def _row(run: RunSummary) -> tuple[str, ...]:
    shared = "not measured" if run.shared is None else f"{run.shared} of {run.shards}"
    commit = "none" if run.commit is None else run.commit[:12] + (" (dirty)" if run.dirty else "")
    return run.run, run.date, run.state, f"{run.calls:,}", _size(run.bytes), shared, commit, run.digest[:16]


def _size(count: int | None) -> str:
    return "not measured" if count is None else f"{count / 1e6:,.1f} MB"


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes any free port.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.pass_obj
def serve(repository: api.Repository, port: int, host: str) -> None:
    """Serve site/ as it was rendered, until Ctrl-C.

    \b
    Example:
      nullbench-site serve --port 8080
    """
    from nullbench_site.cli.serving import SiteServer

    if not (repository.site / "index.html").is_file():
        raise UsageError(f"{repository.site}: there is no site yet; make one with: nullbench-site build")
    if not host:
        raise UsageError("--host is empty; name an address, such as 127.0.0.1, or 0.0.0.0 for every network")
    try:
        server = SiteServer(host, port, repository.site)
    except OSError as error:
        advice = "choose another with --port, or --port 0 for any free one"
        raise StorageError(f"cannot listen on {host}:{port} ({error.strerror}); {advice}") from error
    with server:
        say(f"serving {repository.site} at http://{host}:{server.server_port}/ (Ctrl-C stops)")
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
