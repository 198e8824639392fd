"""`model` serves a model of the catalogue, or a GGUF file, on this machine."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import socket
import sys
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import httpx2
import msgspec
import pytest
import yaml
from click.testing import CliRunner
from support.commands import ROOT, model_served, nullbench

from nullbench_site.cli.model import ENVIRONMENT, installed
from nullbench_site.cli.model import model as command
from nullbench_site.errors import StorageError, UsageError
from nullbench_site.evaluation.endpoints import model_files
from nullbench_site.evaluation.endpoints.model_files import (
    LocalModel,
    Wheel,
    cached_file,
    catalogue,
    check_file,
    find_file,
    join,
)
from nullbench_site.packaged import PACKAGE, data_text
from nullbench_site.repository import Repository

SMALL = catalogue()["smollm2-135m"]
FILE = b"GGUF" + bytes(range(200))


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def wheel(folder: Path, name: str, files: dict[str, bytes]) -> Wheel:
    """Write a wheel that pip accepts."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{name.replace('-', '_')}-1.0-py3-none-any.whl"
    info = f"{name.replace('-', '_')}-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as packed:
        for member, content in files.items():
            packed.writestr(member, content)
        packed.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        packed.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        packed.writestr(f"{info}/RECORD", "")
    return Wheel(name, "1.0", hashlib.sha256(path.read_bytes()).hexdigest())


def model_of(packages: Sequence[Wheel], content: bytes = FILE) -> LocalModel:
    digest = hashlib.sha256(content).hexdigest()
    return msgspec.structs.replace(
        SMALL, id="tiny", sha256=digest, size=len(content), member="*.bin", packages=tuple(packages)
    )


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Let pip take wheels from a folder and from no index."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    yield folder
    left = [path.name for path in model_files.cache_folder().glob("*") if not path.name.endswith(".gguf")]
    assert left == []


def quiet(_: str) -> None:
    pass


def test_the_server_and_the_models_are_pinned_by_hashes_and_come_from_any_index() -> None:
    pinned = data_text("local-model/requirements.txt")
    packages = re.findall(r"^([a-z0-9-]+)==[0-9.]+ \\\n(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+", pinned, re.M)
    assert packages == ["xllamacpp"]
    assert "//" not in pinned + data_text("local-model/catalogue.yaml")
    for model in catalogue().values():
        for digest in (model.sha256, *(each.sha256 for each in model.packages)):
            assert re.fullmatch(r"[0-9a-f]{64}", digest)
        assert 0 < model.size < model.memory


def test_models_of_the_catalogue_have_their_own_names_ports_and_files() -> None:
    models = list(catalogue().values())
    for values in (
        [each.id for each in models],
        [each.name for each in models],
        [each.port for each in models],
        [each.sha256 for each in models],
    ):
        assert len(set(values)) == len(models)


def test_the_shipped_models_name_the_pinned_runtime_and_have_the_sizes_of_the_catalogue() -> None:
    version = re.search(r"^xllamacpp==(\S+)", data_text("local-model/requirements.txt"), re.M)
    assert version is not None
    shipped = {}
    for path in (ROOT / "specs/models").glob("*.yaml"):
        spec = yaml.safe_load(path.read_text("utf-8"))
        shipped[spec["id"]] = spec
    for model in catalogue().values():
        if model.id not in shipped:
            continue
        spec = shipped[model.id]
        assert spec["model"] == model.name
        assert spec["runtime"] == f"llama.cpp {version[1]}"
        assert spec["disk_gb"] == round(model.size / 1e9, 3)
        assert spec["memory_gb"] == round(model.memory / 1e9, 2)


def test_a_file_is_joined_from_its_wheels_in_order_and_found_again(wheels: Path) -> None:
    parts = [FILE[:50], FILE[50:]]
    model = model_of([wheel(wheels, f"part-{n}", {f"data/{n}.bin": part}) for n, part in enumerate(parts)])
    said: list[str] = []
    assert find_file(model) is None
    path = join(model, Path(sys.executable), said.append)
    assert path.read_bytes() == FILE
    assert path == cached_file(model) == find_file(model)
    assert said == [f"downloading tiny: {n} of 2 packages" for n in (1, 2)]


def test_a_joined_file_with_another_digest_is_refused_and_deleted(wheels: Path) -> None:
    model = model_of([wheel(wheels, "part-0", {"0.bin": FILE[:-1] + b"x"})])
    with pytest.raises(UsageError, match=r"do not hold the published file .*name it with --file"):
        join(model, Path(sys.executable), quiet)
    assert not cached_file(model).exists()


def test_a_wheel_without_exactly_one_part_is_refused(wheels: Path) -> None:
    members = {"a.bin": b"x", "b.bin": b"y"}
    with pytest.raises(UsageError, match=r"part_0-1.0-py3-none-any.whl: found 2 files \*.bin, expected one"):
        join(model_of([wheel(wheels, "part-0", members)]), Path(sys.executable), quiet)


def test_if_a_part_is_gone_or_changed_the_message_gives_the_published_file_and_its_digest(wheels: Path) -> None:
    first = wheel(wheels, "part-0", {"0.bin": FILE})
    for missing in (Wheel("part-1", "1.0", first.sha256), msgspec.structs.replace(first, sha256="0" * 64)):
        model = model_of([missing, first])
        with pytest.raises(StorageError) as raised:
            join(model, Path(sys.executable), quiet)
        assert str(raised.value).startswith(f"cannot download {missing.name}==1.0: ERROR: ")
        assert str(raised.value).endswith(
            f"get {model.file} of {model.publisher} (sha256 {model.sha256}), and name it with --file"
        )


def test_a_full_disk_is_said_before_anything_is_downloaded(wheels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_of([wheel(wheels, "part-0", {"0.bin": FILE})])
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=10**6))
    with pytest.raises(UsageError, match=r"tiny needs 0.1 GB on the disk, and 0.0 GB are free"):
        join(model, Path(sys.executable), quiet)


def test_a_damaged_file_of_the_cache_is_named_and_not_served() -> None:
    model = model_of([])
    cached_file(model).parent.mkdir(parents=True)
    cached_file(model).write_bytes(FILE[:-1] + b"x")
    with pytest.raises(UsageError, match="this is not the published file of tiny; delete it, and run this again"):
        find_file(model)


def test_a_given_file_must_be_gguf_and_that_of_the_named_model(tmp_path: Path) -> None:
    path = tmp_path / "Model.gguf"
    path.write_bytes(FILE)
    assert check_file(path, None) == check_file(path, model_of([])) == hashlib.sha256(FILE).hexdigest()
    with pytest.raises(UsageError, match=rf"its sha256 is .*, not that of smollm2-135m; get {SMALL.file} of "):
        check_file(path, SMALL)
    path.write_bytes(b"PK\3\4")
    with pytest.raises(UsageError, match="this is not a GGUF file; it does not begin with 'GGUF'"):
        check_file(path, None)


def test_too_little_memory_is_refused_with_both_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal:       24000000 kB\nMemAvailable:     500000 kB\n")
    monkeypatch.setattr(model_files, "_MEMINFO", meminfo)
    model_files.check_memory(5 * 10**8, "tiny")
    with pytest.raises(UsageError, match=r"tiny needs 2.0 GB of memory, and 0.5 GB are free; stop other programs"):
        model_files.check_memory(2 * 10**9, "tiny")
    monkeypatch.setattr(model_files, "_MEMINFO", tmp_path / "elsewhere")
    model_files.check_memory(10**15, "tiny")


def test_bad_arguments_are_one_message_and_install_nothing(tmp_path: Path) -> None:
    (tmp_path / "other.gguf").write_bytes(b"no model")
    repository = tmp_path / "repository"
    repository.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        for arguments, message in (
            (["qwen2.5-coder-1.5"], "unknown model 'qwen2.5-coder-1.5'; did you mean 'qwen2.5-coder-1.5b'? (--list"),
            (["gpt"], f"unknown model 'gpt'; choose one of {', '.join(catalogue())} (--list"),
            (["--file", str(tmp_path / "other.gguf"), "--port", "8097"], f"{tmp_path}/other.gguf: this is not a GGUF"),
            (["--list", "--port", "8097"], "--list lists all models; leave the other options out"),
            (["--port", port], f"cannot listen on 127.0.0.1:{port} (Address already in use); choose another port with"),
        ):
            done = nullbench(repository, "model", *arguments)
            assert done.code == 2
            assert done.message.startswith(f"Error: {message}")
    assert not (repository / ENVIRONMENT).exists()
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(("options", "last"), [((), "no-cache"), (("--cache-prompt",), "cache")])
def test_the_server_keeps_prompts_only_if_it_is_told_to(
    options: Sequence[str], last: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own.gguf").write_bytes(FILE)
    (tmp_path / ENVIRONMENT).mkdir()
    (tmp_path / ENVIRONMENT / "installed.txt").write_bytes((PACKAGE / "data/local-model/requirements.txt").read_bytes())
    started: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda _, command: started.append(command))
    done = CliRunner().invoke(command, ["--file", str(tmp_path / "own.gguf"), *options], obj=Repository(tmp_path))
    assert done.exit_code == 0
    assert started[0][-1] == last
    assert 'parameters.cache_prompt = cache == "cache"' in data_text("local-model/serve.py")


def test_the_list_says_which_models_there_are_and_where_they_are_served(tmp_path: Path) -> None:
    lines = nullbench(tmp_path, "model", "--list").out.splitlines()
    assert lines[0].split() == ["name", "port", "file", "memory", "licence", "state"]
    assert [line.split()[0] for line in lines[1:]] == list(catalogue())


@pytest.mark.sweep
def test_where_pip_finds_no_package_the_message_says_so_and_the_next_call_installs_again(tmp_path: Path) -> None:
    offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path), "PIP_CONFIG_FILE": "/dev/null"}
    done = nullbench(tmp_path, "model", "--port", "8097", **offline)
    assert done.code == 3
    assert done.message.startswith("Error: cannot install the server: ERROR: No matching distribution found for ")
    assert not installed(tmp_path)


@pytest.mark.nightly
def test_the_model_answers_under_a_name_that_ends_in_the_digest_of_its_file(tmp_path: Path) -> None:
    question = {"messages": [{"role": "user", "content": "Hello."}], "max_tokens": 4, "temperature": 0}
    with model_served(tmp_path) as (url, line):
        answers = [httpx2.post(f"{url}/chat/completions", json=question, timeout=120).json() for _ in range(2)]
    name = "smollm2-135m-instruct-q4_1@sha256-b179c9523d0e"
    assert f"serving {name} with llama.cpp " in line
    assert {answer["model"] for answer in answers} == {name}
    assert len({answer["choices"][0]["message"]["content"] for answer in answers}) == 1
