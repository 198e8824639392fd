"""The command `model`: llama.cpp's server in an environment of its own, and a model of the catalogue or a GGUF file."""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import click

from nullbench_site.cli.app import InputFile, say, table_lines
from nullbench_site.errors import UsageError
from nullbench_site.evaluation.endpoints.model_files import (
    DEFAULT,
    DIGITS,
    LocalModel,
    cached_file,
    catalogue,
    check_file,
    check_memory,
    find_file,
    join,
    run_tool,
)
from nullbench_site.evaluation.endpoints.served_models import served_models
from nullbench_site.packaged import PACKAGE
from nullbench_site.repository import Repository
from nullbench_site.specs.types import Endpoint
from nullbench_site.text import nearest

ENVIRONMENT = ".venv-model"
"""The folder of the server's environment, in the repository."""
_DATA = PACKAGE / "data" / "local-model"
_REQUIREMENTS = _DATA / "requirements.txt"
_DONE = "installed.txt"
_OVERHEAD = 2 * 10**8
"""Bytes of memory that the server takes beyond a file that is not in the catalogue."""
_THREADS = 2
_LOOPBACK = re.compile(r"http://(?:127\.0\.0\.1|localhost):([0-9]{1,5})")


def installed(root: Path) -> bool:
    """Return True if the server is installed as pinned."""
    done = root / ENVIRONMENT / _DONE
    return done.is_file() and done.read_bytes() == _REQUIREMENTS.read_bytes()


def install(root: Path) -> None:
    """Install the server in an environment of its own.

    Raises StorageError if Python cannot make the environment or pip cannot install.
    """
    environment = root / ENVIRONMENT
    run_tool("make the environment", sys.executable, "-m", "venv", "--clear", str(environment))
    options = ("--quiet", "--require-hashes", "--no-deps", "--only-binary", ":all:")
    run_tool("install the server", str(_python(root)), "-m", "pip", "install", *options, "-r", str(_REQUIREMENTS))
    (environment / _DONE).write_bytes(_REQUIREMENTS.read_bytes())


def _python(root: Path) -> Path:
    return root / ENVIRONMENT / "bin" / "python"


@click.command()
@click.argument("name", required=False)
@click.option("--port", type=click.IntRange(1, 65535), help="The port on 127.0.0.1; the default is in --list.")
@click.option(
    "--file", "path", type=InputFile(), metavar="PATH",
    help="Serve this GGUF file.",
)  # fmt: skip
@click.option(
    "--threads", type=click.IntRange(1), default=_THREADS, show_default=True, help="The threads that compute."
)
@click.option(
    "--cache-prompt", is_flag=True, help="Keep the last prompt, to judge faster. For judges only: answers may change."
)
@click.option("--list", "listing", is_flag=True, help="List the models, and which are served now.")
@click.pass_obj
def model(
    repository: Repository,
    name: str | None,
    port: int | None,
    path: Path | None,
    threads: int,
    *,
    cache_prompt: bool,
    listing: bool,
) -> None:
    """Serve a small language model on this machine until Ctrl-C.

    NAME is a model of the catalogue; the default is SmolLM2-135M-Instruct. The first call downloads llama.cpp's server
    (30 MB) into .venv-model, and the model into your cache folder. A model file is checked by its sha256 before it is
    served, and the name under which it is served ends in this digest.

    Several models can be served at once, each on its own port. The endpoint of a model in specs/endpoints.yaml names
    the port.

    By default nothing is shared between requests: the same request gets the same answer. With
    --cache-prompt the server skips the beginning that a prompt shares with the one before. Judging is faster, since all
    responses to an item share a beginning. Rounding then depends on earlier requests, so a verdict that is nearly even
    can change. Do not record contestants this way.

    \b
    Examples:
      nullbench-site model
      nullbench-site model --list
      nullbench-site model qwen2.5-coder-1.5b
      nullbench-site model qwen2.5-coder-1.5b --cache-prompt
      nullbench-site model --file my-model.gguf --port 8099
    """
    if listing:
        if name is not None or path is not None or port is not None:
            raise UsageError("--list lists all models; leave the other options out")
        for line in table_lines(list(_listed(repository))):
            click.echo(line)
        return
    chosen = _named(name or DEFAULT)
    port = port or chosen.port
    _check_port(port)
    if path is None:
        file, served, memory, what = find_file(chosen), chosen.name, chosen.memory, chosen.id
    else:
        digest = check_file(path, chosen if name else None)
        file, served, memory, what = path.resolve(), _name_of(path, digest), path.stat().st_size + _OVERHEAD, str(path)
    check_memory(memory, what)
    if not installed(repository.root):
        say(f"installing the server in {ENVIRONMENT} (once, about 30 MB)")
        install(repository.root)
    python = _python(repository.root)
    _serve(python, file or join(chosen, python, say), served, port, threads, cache=cache_prompt)


def _named(name: str) -> LocalModel:
    models = catalogue()
    if name not in models:
        close = nearest(name, models)
        meant = f"did you mean {close!r}?" if close else f"choose one of {', '.join(models)}"
        raise UsageError(f"unknown model {name!r}; {meant} (--list lists them, --file serves any GGUF file)")
    return models[name]


def _name_of(path: Path, digest: str) -> str:
    """Return the name under which a file is served: that of the catalogue if it has the file, else the file's own."""
    for known in catalogue().values():
        if known.sha256 == digest:
            return known.name
    stem = re.sub(r"[^a-z0-9._-]+", "-", path.stem.lower()).strip("-._") or "model"
    return f"{stem}@sha256-{digest[:DIGITS]}"


def _check_port(port: int) -> None:
    """Raise UsageError if the port is in use."""
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind(("127.0.0.1", port))
        except OSError as error:
            raise UsageError(
                f"cannot listen on 127.0.0.1:{port} ({error.strerror}); choose another port with --port"
            ) from error


def _listed(repository: Repository) -> Iterator[Sequence[str]]:
    """Yield the rows of --list."""
    served = dict[str, str]()
    for port in sorted({each.port for each in catalogue().values()} | _ports(repository)):
        url = f"http://127.0.0.1:{port}/v1"
        with suppress(UsageError):
            served |= dict.fromkeys(served_models(Endpoint(id="local", base_url=url), {}), url)
    yield "name", "port", "file", "memory", "licence", "state"
    for each in catalogue().values():
        here = "on this machine" if cached_file(each).is_file() else "not downloaded"
        state = f"served at {served[each.name]}" if each.name in served else here
        yield each.id, str(each.port), f"{each.size / 1e6:.0f} MB", f"{each.memory / 1e9:.1f} GB", each.license, state


def _ports(repository: Repository) -> set[int]:
    """Return the ports on loopback that the endpoints of the specs name."""
    path = repository.specs / "endpoints.yaml"
    text = path.read_text("utf-8", errors="replace") if path.is_file() else ""
    return {int(port) for port in _LOOPBACK.findall(text) if 0 < int(port) < 65536}


def _serve(python: Path, file: Path, name: str, port: int, threads: int, *, cache: bool) -> NoReturn:
    """Become the server: it answers on loopback until it is stopped."""
    command = [str(python), str(_DATA / "serve.py"), str(file), name, str(port), str(threads)]
    command.append("cache" if cache else "no-cache")
    os.execv(python, command)  # noqa: S606 - our own program
