"""`nullbench-site serve`."""

from __future__ import annotations

import contextlib
import functools
import http.server

import click

from nullbench_site import api
from nullbench_site.cli.options import say
from nullbench_site.errors import StorageError, UsageError


class _Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without a log line a request."""

    def log_message(self, format: str, *args: object) -> None:
        pass


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes any free port.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.pass_obj
def command(repository: api.Repository, port: int, host: str) -> None:
    """Serve site/ as it was rendered, until Ctrl-C.

    \b
    Example:
      nullbench-site serve --port 8080
    """
    if not (repository.site / "index.html").is_file():
        raise UsageError(f"{repository.site}: there is no site yet; make one with: nullbench-site build")
    handler = functools.partial(_Quiet, directory=str(repository.site))
    try:
        server = http.server.ThreadingHTTPServer((host, port), handler)
    except OSError as error:
        advice = "choose another with --port, or --port 0 for any free one"
        raise StorageError(f"cannot listen on {host}:{port} ({error.strerror}); {advice}") from error
    with server:
        say(f"serving {repository.site} at http://{host}:{server.server_port}/ (Ctrl-C stops)")
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
