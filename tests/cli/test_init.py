"""`init`: a repository that validates and builds at once, in any folder that is new or empty."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from support.commands import ROOT, nullbench
from support.evidence import files

from nullbench_site import __version__, api, starter
from nullbench_site.errors import UsageError
from nullbench_site.packaged import packaged
from nullbench_site.repository import Repository
from nullbench_site.specs.load import load_benchmark
from nullbench_site.starter import make_repository
from nullbench_site.text import title_of

CANARY = re.compile(rb"nullbench-canary:[0-9a-f-]{36}")


def canaries(folder: Path) -> list[bytes]:
    return [canary for data in files(folder).values() for canary in CANARY.findall(data)]


def test_a_new_repository_validates_and_builds(tmp_path: Path) -> None:
    """With what it tells to do next, typed as it stands there, for two contestants; test_wheel builds all of one."""
    done = nullbench(tmp_path, "init", "Ünï côde & co", "--title", 'How "we" summarise: 100% \\o/ – #1')
    assert (done.code, done.out) == (0, "")
    steps = [shlex.split(step) for step in done.err.split("Next: ")[1].split(" && ")]
    assert steps == [["cd", "Ünï côde & co"], ["nullbench-site", "build"], ["nullbench-site", "serve"]]
    folder = tmp_path / steps[0][1]
    checked = nullbench(folder, "validate")
    assert checked.err == "", "nothing to warn of"
    *_, counted = checked.out.splitlines()
    assert counted.startswith("uni-code-co 0.1.0: 1 board, 2 domains, 24 items, ")
    two = ("--model", "lead-2", "--model", "null-empty")
    assert nullbench(folder, "build", "--no-render", "--strict", *two).code == 0
    about = load_benchmark(folder / "specs").about
    assert (about.id, about.title) == ("uni-code-co", 'How "we" summarise: 100% \\o/ – #1')
    assert (folder / "README.md").read_text("utf-8").startswith('# How "we" summarise: 100% \\o/ – #1\n')


@pytest.mark.sweep
def test_the_whole_of_a_new_repository_builds_and_verifies(tmp_path: Path) -> None:
    make_repository(tmp_path / "board")
    assert nullbench(tmp_path / "board", "build", "--no-render", "--strict").code == 0
    assert nullbench(tmp_path / "board", "verify").code == 0


def test_its_canaries_are_fresh_and_each_stands_once(tmp_path: Path) -> None:
    one, other = (make_repository(tmp_path / name) for name in ("one", "other"))
    shipped = set(canaries(packaged("specs")))
    found = canaries(one / "specs")
    specs = [path for path in (one / "specs").rglob("*") if path.suffix in (".yaml", ".txt")]
    assert len(found) == len(set(found)) == len(specs) > 15
    assert shipped.isdisjoint(found)
    assert set(found).isdisjoint(canaries(other / "specs"))


def test_a_folder_that_is_not_empty_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "board").mkdir()
    (tmp_path / "board" / "README.md").write_text("", "utf-8")
    done = nullbench(tmp_path, "init", "board")
    assert (done.code, done.out) == (2, "")
    assert done.message == "Error: board: the folder is not empty; give the path of a new folder"
    assert files(tmp_path) == {"board/README.md": b""}


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "board").write_text("x", "utf-8")
    done = nullbench(tmp_path, "init", "board")
    assert done.code == 2
    assert "Directory 'board' is a file" in done.err


def test_init_accepts_an_empty_folder_or_clone(tmp_path: Path) -> None:
    here = tmp_path / "my-board"
    here.mkdir()
    (here / ".git").mkdir()  # as an empty clone has it
    done = nullbench(here, "init", ".")
    assert (done.code, done.err) == (0, "made my-board. Next: nullbench-site build && nullbench-site serve\n")
    assert load_benchmark(here / "specs").about.id == "my-board"
    with pytest.raises(UsageError):
        make_repository(here)


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("Ünï côde & co", "uni-code-co"), ("My Board", "my-board"), ("日本語", "my-board"), ("...", "my-board"),
        ("__x__", "x"), ("v1.2_final", "v1.2_final"), ("ﬁne", "fine"), ("a" * 200, "a" * 80), ("-rf", "rf"),
        ("b" * 79 + " c", "b" * 79),
    ],
)  # fmt: skip
def test_the_id_is_the_nearest_to_the_name_of_the_folder(name: str, id: str) -> None:
    assert starter.repository_id(name) == id


@given(name=st.text(min_size=1, max_size=60).filter(lambda name: "/" not in name and name not in (".", "..")))
def test_any_name_gives_a_valid_id(name: str) -> None:
    assert re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,79}", starter.repository_id(name))


@given(title=st.text(max_size=60))
def test_any_title_can_be_read_back_as_one_line(title: str) -> None:
    line = title_of(title)
    assert yaml.compose(f"title: {starter._quoted(line)}\n", Loader=yaml.CSafeLoader).value[0][1].value == line
    assert not set("\n\r\u2028\x85\x00") & set(line)
    if title.isprintable():
        assert line == " ".join(title.split())


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("\U0001f469\u200d\U0001f4bb at work", "\U0001f469\u200d\U0001f4bb at work"), ("two\nlines", "two lines"),
        ("\x07", "board"), ("", "board"), (None, "board"), ("no", "no"), ("{id}: [x] # y", "{id}: [x] # y"),
    ],
)  # fmt: skip
def test_the_title_is_the_one_given_or_else_the_name(tmp_path: Path, title: str | None, expected: str) -> None:
    assert load_benchmark(make_repository(tmp_path / "board", title) / "specs").about.title == expected


def test_git_ignores_what_need_not_be_kept_and_keeps_the_evidence(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "board")
    ignored = (folder / ".gitignore").read_text("utf-8").splitlines()
    assert ignored == [
        "/.env",
        "/.nullbench/",
        "/.venv-model/",
        "/site/",
        "/.site.*/",
        "/runs/.*",
        "/runs/*/private/",
        "/audits/.*",
        "/audits/*/private/",
        "/private/",
    ]


def test_its_workflows_install_only_locked_packages(tmp_path: Path) -> None:
    """Those that the repository of the program locks, and jobs with keys nothing that is named by a version alone."""
    folder = make_repository(tmp_path / "board")
    assert (folder / "requirements.txt").read_bytes() == (ROOT / "requirements.txt").read_bytes()
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["force-include"]["requirements.txt"] == "nullbench_site/_packaged/requirements.txt"
    own = (folder / "requirements-nullbench-site.txt").read_text("utf-8").splitlines()
    assert [line for line in own if not line.startswith("#")] == [f"nullbench-site=={__version__}"]
    workflows = {path.stem: path.read_text("utf-8") for path in (folder / ".github" / "workflows").iterdir()}
    assert {name: re.findall(r"\.ci/install.sh.*", text) for name, text in workflows.items()} == {
        "review": [".ci/install.sh"], "preview": [".ci/install.sh"],
        "comment": [".ci/install.sh --pinned"], "publish": [".ci/install.sh --pinned"],
    }  # fmt: skip
    jobs = yaml.safe_load((folder / ".gitlab-ci.yml").read_text("utf-8"))
    assert {name: job["before_script"] for name, job in jobs.items() if "before_script" in job} == {
        "default": ["sh .ci/install.sh"],
        "note": ["sh .ci/install.sh --pinned"], "pages": ["sh .ci/install.sh --pinned"],
    }  # fmt: skip
    assert "requirements-nullbench-site.txt" in (ROOT / "docs/how-to/review-pull-requests.md").read_text("utf-8")
    for text in (*workflows.values(), (folder / ".gitlab-ci.yml").read_text("utf-8")):
        assert "pip install" not in text


def _installed(folder: Path, *options: str) -> tuple[int, str, list[str]]:
    """What the script of the step does with a pip that only notes what it is asked for."""
    programs = folder.parent / "programs"
    programs.mkdir(exist_ok=True)
    (programs / "pip").write_text('#!/bin/sh\necho "$@" >> "$ASKED"\n', "utf-8")
    (programs / "pip").chmod(0o755)
    asked = folder.parent / "asked"
    asked.write_text("")
    done = subprocess.run(
        ["sh", ".ci/install.sh", *options], cwd=folder, capture_output=True, text=True, check=False,
        env={"PATH": f"{programs}:{os.environ['PATH']}", "ASKED": str(asked)},
    )  # fmt: skip
    return done.returncode, done.stderr, asked.read_text().splitlines()


LOCKED = "install --require-hashes -r requirements.txt"
OWN = "-r requirements-nullbench-site.txt"


HASH, COMMIT = f"--hash=sha256:{'a' * 64}", f"git+https://host.example/owner/nullbench-site@{'c' * 40}"


def test_jobs_without_keys_install_any_version(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "board")
    assert _installed(folder) == (0, "", [LOCKED, f"install --no-deps --no-build-isolation {OWN}"])
    code, said, asked = _installed(folder, "--pinned")
    assert (code, asked) == (1, [])
    assert "requirements-nullbench-site.txt" in said


def test_jobs_with_keys_install_only_a_hash_or_a_commit(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "board")
    for text, by in (
        (f"nullbench-site==1.0.0 {HASH}", "--require-hashes "),
        (f"nullbench-site==1.0.0 \\\n    {HASH} \\\n    {HASH}", "--require-hashes "),
        (f"# why\nnullbench-site @ {COMMIT}", ""),
        ("", None),
        ("nullbench-site", None),
        ("nullbench-site>=1", None),
        (f"nullbench-site @ {COMMIT.partition('@')[0]}@main", None),
        (f"nullbench-site==1.0.0 {HASH[:-1]}", None),
        (f"nullbench-site==1.0.0 --hash=md5:{'a' * 64}", None),
        (f"nullbench-site==1.0.0 {HASH}\nother-package==1", None),
        (f"--index-url https://host.example nullbench-site==1.0.0 {HASH}", None),
    ):
        (folder / "requirements-nullbench-site.txt").write_text(f"{text}\n", "utf-8")
        code, _, asked = _installed(folder, "--pinned")
        own = f"install --no-deps --no-build-isolation {by}{OWN}"
        assert (code, asked) == ((1, []) if by is None else (0, [LOCKED, own])), text


def test_every_spec_but_the_templates_names_a_schema_that_is_there(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "board")
    specs = sorted((folder / "specs").rglob("*.yaml"))
    assert len(specs) > 15
    for path in specs:
        first = path.read_text("utf-8").splitlines()[0]
        named = re.fullmatch(r"# yaml-language-server: \$schema=(\S+)", first)
        assert named, path
        assert (path.parent / named[1]).is_file(), path


def test_the_starter_is_a_benchmark_that_the_program_accepts(tmp_path: Path) -> None:
    benchmark = api.validate(Repository(make_repository(tmp_path / "board")))
    assert set(benchmark.domains) == {"science", "summarization"}
    assert {model.kind for model in benchmark.models.values()} >= {"baseline", "null"}
