"""The commands that work on a run and its site: `score`, `render`, `verify` and `serve`."""

from __future__ import annotations

import contextlib
from typing import Any

import click

from nullbench_site import api
from nullbench_site.cli.options import run_argument, say
from nullbench_site.errors import RunError, StorageError, UsageError


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
    say(f"rendered {api.render(repository, run)}")


@click.command()
@run_argument
@click.pass_obj
def verify(repository: api.Repository, run: str | None) -> None:
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
        raise RunError("\n".join([*problems, f"{len(problems)} problem(s): {entry.path} is not what was sealed"]))
    manifest = entry.manifest
    click.echo(
        f"{manifest.run}: {len(manifest.files)} files unchanged; "
        f"the results follow from {manifest.counts.calls} records; digest {manifest.digest[:16]}"
    )


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
    import http.server  # here, since the other commands would wait for it

    if not (repository.site / "index.html").is_file():
        raise UsageError(f"{repository.site}: there is no site yet; make one with: nullbench-site build")

    class Handler(http.server.SimpleHTTPRequestHandler):
        """Serves files without a log line a request."""

        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments, directory=str(repository.site))

        def log_message(self, format: str, *args: object) -> None:
            pass

    try:
        server = http.server.ThreadingHTTPServer((host, port), Handler)
    except OSError as error:
        advice = "choose another with --port, or --port 0 for any free one"
        raise StorageError(f"cannot listen on {host}:{port} ({error.strerror}); {advice}") from error
    with server:
        say(f"serving {repository.site} at http://{host}:{server.server_port}/ (Ctrl-C stops)")
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
