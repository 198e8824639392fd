"""Reading a repository starts no program that its settings or attributes name, and knows what differs without them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path

import pytest
from support.commits import git
from support.repositories import run_dir

from nullbench_site import api
from nullbench_site.errors import RunError
from nullbench_site.evaluation.targets import Selection
from nullbench_site.git import Source, source_of
from nullbench_site.repository import Repository
from nullbench_site.runs.catalog import list_runs
from nullbench_site.specs.private import left_to_git

SPEC = "specs/benchmark.yaml"


def commit(root: Path, *paths: str) -> str:
    git(root, "add", *(paths or ("--all",)))
    git(root, "commit", "-q", "-m", "a change")
    return git(root, "rev-parse", "HEAD")


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """A folder that looks like a board to git: what is tried here reads no spec."""
    root = tmp_path / "board"
    (root / "specs").mkdir(parents=True)
    (root / SPEC).write_text("id: a\ntitle: A\n", "utf-8")
    (root / "answers").mkdir()
    (root / "answers/m.jsonl").write_text('{"text":"a"}\n', "utf-8")
    (root / ".gitignore").write_text("/private/\n", "utf-8")
    git(root, "init", "-q", "-b", "main")
    commit(root)
    return root


class Trap:
    """A program outside of the repository that leaves a mark, and the attributes that would start it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.mark = folder / "it-ran"
        self.program = folder / "program.sh"
        # It ends at once: what waits for its answer would wait for ever.
        self.program.write_text(f"#!/bin/sh\necho ran >> '{self.mark}'\n", "utf-8")
        self.program.chmod(0o755)

    def sprung(self) -> bool:
        ran = self.mark.exists()
        self.mark.unlink(missing_ok=True)
        return ran


def _attributes(root: Path, line: str) -> None:
    (root / ".git/info").mkdir(exist_ok=True)
    (root / ".git/info/attributes").write_text(f"{line}\n", "utf-8")


def _touched(root: Path) -> None:
    """A file whose time differs from the index: git reads it, by its filters."""
    (root / SPEC).write_text("id: b\ntitle: B\n", "utf-8")


def _clean(root: Path, trap: Trap) -> None:
    _attributes(root, "*.yaml filter=x")
    git(root, "config", "filter.x.clean", str(trap.program))
    _touched(root)


def _process(root: Path, trap: Trap) -> None:
    _attributes(root, "*.yaml filter=x")
    git(root, "config", "filter.x.process", str(trap.program))
    _touched(root)


def _smudge(root: Path, trap: Trap) -> None:
    _attributes(root, "*.yaml filter=x")
    git(root, "config", "filter.x.smudge", str(trap.program))
    (root / SPEC).unlink()


def _committed_attributes(root: Path, trap: Trap) -> None:
    (root / "specs/.gitattributes").write_text("*.yaml filter=odd.na=me\n", "utf-8")
    commit(root)
    with (root / ".git/config").open("a") as settings:
        settings.write(f'[filter "odd.na=me"]\n\tclean = {trap.program}\n\trequired = true\n')
    _touched(root)


def _included(root: Path, trap: Trap) -> None:
    _attributes(root, "*.yaml filter=x")
    (root / ".git/more").write_text(f'[filter "x"]\n\tclean = {trap.program}\n[core]\n\tfsmonitor = {trap.program}\n')
    git(root, "config", "include.path", "more")
    _touched(root)


def _of_the_work_tree(root: Path, trap: Trap) -> None:
    git(root, "config", "extensions.worktreeConfig", "true")
    git(root, "config", "--worktree", "core.fsmonitor", str(trap.program))


def _hook(root: Path, trap: Trap) -> None:
    (root / ".git/hooks").mkdir(exist_ok=True)
    shutil.copy(trap.program, root / ".git/hooks/post-index-change")
    os.utime(root / SPEC, (1, 1))


def _hooks_path(root: Path, trap: Trap) -> None:
    hooks = root / "hooks"
    hooks.mkdir()
    shutil.copy(trap.program, hooks / "post-index-change")
    git(root, "config", "core.hooksPath", str(hooks))
    os.utime(root / SPEC, (1, 1))


def _textconv(root: Path, trap: Trap) -> None:
    _attributes(root, "*.yaml diff=x")
    git(root, "config", "diff.x.textconv", str(trap.program))
    _touched(root)


def _submodule(root: Path, trap: Trap) -> None:
    inner = root / "specs/inner"
    inner.mkdir()
    git(inner, "init", "-q")
    (inner / "a.yaml").write_text("a", "utf-8")
    commit(inner)
    commit(root)
    git(inner, "config", "core.fsmonitor", str(trap.program))


def _set(name: str) -> Callable[[Path, Trap], None]:
    def prepare(root: Path, trap: Trap) -> None:
        git(root, "config", name, str(trap.program))
        _touched(root)

    return prepare


TRAPS: dict[str, tuple[Callable[[Path, Trap], None], tuple[str, ...]]] = {
    "a clean filter": (_clean, ("status",)),
    "a filter process": (_process, ("status",)),
    "a smudge filter": (_smudge, ("checkout", "--", SPEC)),
    "a filter with an odd name in committed attributes": (_committed_attributes, ("status",)),
    "an included file of settings": (_included, ("status",)),
    "settings of the work tree": (_of_the_work_tree, ("status",)),
    "a watcher of files": (_set("core.fsmonitor"), ("status",)),
    "a hook": (_hook, ("status",)),
    "a folder of hooks": (_hooks_path, ("status",)),
    "a text conversion": (_textconv, ("diff",)),
    "an external diff": (_set("diff.external"), ("diff",)),
    "a submodule with settings": (_submodule, ("status",)),
}


@pytest.mark.parametrize(("prepare", "springs"), TRAPS.values(), ids=TRAPS.keys())
def test_no_program_of_a_repository_is_run(
    board: Path, tmp_path: Path, prepare: Callable[[Path, Trap], None], springs: tuple[str, ...]
) -> None:
    trap = Trap(tmp_path / "elsewhere")
    prepare(board, trap)
    trap.sprung()
    assert source_of(board / "specs").commit
    assert left_to_git(board, [board / "private/a", board / "open"]) == [board / "open"]
    assert not trap.sprung()
    subprocess.run(["git", "-C", str(board), *springs], capture_output=True, check=False)
    assert trap.sprung(), "git itself runs it"


@pytest.mark.parametrize("way", ["ext", "ssh", "file", "helper"])
def test_a_missing_object_is_not_fetched_by_a_program(board: Path, tmp_path: Path, way: str) -> None:
    """A partial clone would ask its remote, by commands that its settings name."""
    trap = Trap(tmp_path / "elsewhere")
    settings = {
        "ext": {"remote.origin.url": f"ext::{trap.program}", "protocol.ext.allow": "always"},
        "ssh": {"remote.origin.url": "ssh://h.example/x", "core.sshCommand": str(trap.program)},
        "file": {"remote.origin.url": str(board), "remote.origin.uploadpack": str(trap.program)},
        "helper": {"remote.origin.url": f"ext::{trap.program}", "remote.origin.vcs": "ext"},
    }[way] | {
        "remote.origin.promisor": "true",
        "extensions.partialClone": "origin",
        "core.repositoryFormatVersion": "1",
    }
    blob = git(board, "rev-parse", f"HEAD:{SPEC}")
    (board / ".git/objects" / blob[:2] / blob[2:]).unlink()
    for name, value in {**settings, "protocol.allow": "always"}.items():
        git(board, "config", name, value)
    source_of(board / "specs")
    with pytest.raises(Exception, match="missing in this clone"):
        api.diff(Repository(board), "HEAD", "HEAD")
    assert not trap.sprung()
    subprocess.run(["git", "-C", str(board), "cat-file", "-p", blob], capture_output=True, check=False)
    assert trap.sprung() or way == "helper"


@pytest.mark.parametrize(
    "variables",
    [
        {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": "{program}"},
        {"GIT_CONFIG_PARAMETERS": "'filter.x.clean'='{program}'"},
        {"GIT_EXTERNAL_DIFF": "{program}", "GIT_PAGER": "{program}", "GIT_SSH_COMMAND": "{program}"},
        {"GIT_DIR": "{other}/.git"},
        {"GIT_INDEX_FILE": "{other}/index", "GIT_WORK_TREE": "{other}"},
        {"GIT_OBJECT_DIRECTORY": "{other}/.git/objects"},
        {"GIT_TRACE": "{other}/trace", "GIT_TRACE2_EVENT": "{other}/trace"},
    ],
)
def test_variables_of_git_change_nothing(
    board: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variables: Mapping[str, str]
) -> None:
    """Hooks of git set some of them, for the repository that they belong to."""
    trap = Trap(tmp_path / "elsewhere")
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    git(other, "commit", "-q", "--allow-empty", "-m", "another")
    _attributes(board, "*.yaml filter=x")
    head = git(board, "rev-parse", "HEAD")
    for name, value in variables.items():
        monkeypatch.setenv(name, value.format(program=trap.program, other=other))
    assert source_of(board / "specs") == Source(head, dirty=False)
    assert not trap.sprung()
    assert not (other / "trace").exists()


def test_filters_of_the_user_are_not_run_either(board: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trap = Trap(tmp_path / "elsewhere")
    (tmp_path / "settings").write_text(f'[filter "lfs"]\n\tclean = {trap.program}\n\tprocess = {trap.program}\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "settings"))
    _attributes(board, "*.yaml filter=lfs")
    _touched(board)
    assert source_of(board / "specs").dirty is None
    assert not trap.sprung()


def test_no_command_runs_a_program_of_the_repository(built: Repository, tmp_path: Path) -> None:
    root, trap = built.root, Trap(tmp_path / "elsewhere")
    git(root, "init", "-q", "-b", "main")
    commit(root)
    _attributes(root, "* filter=x diff=x merge=x")
    for name in (
        "core.fsmonitor", "filter.x.clean", "filter.x.smudge", "filter.x.process", "diff.external", "diff.x.textconv",
        "diff.x.command", "merge.x.driver", "core.pager", "pager.status", "core.editor", "core.sshCommand",
        "gpg.program", "credential.helper", "core.askPass", "core.alternateRefsCommand", "uploadpack.packObjectsHook",
    ):  # fmt: skip
        git(root, "config", name, str(trap.program))
    for name in ("status", "rev-parse", "ls-files", "ls-tree", "check-ignore", "cat-file"):
        git(root, "config", f"alias.{name}", f"!{trap.program}")
    trap.sprung()
    with (built.specs / "benchmark.yaml").open("a", encoding="utf-8") as file:
        file.write("# a comment\n")
    api.validate(built)
    api.plan(built, Selection())
    api.diff(built, "HEAD")
    api.diff(built, "HEAD", "HEAD", verify=True)
    api.run_summaries(built)
    api.verify(built, None)
    api.build(built, render_site=False)
    source_of(built.specs)
    assert not trap.sprung()
    assert run_dir(built).is_dir()


@pytest.mark.parametrize("whole", [False, True])
def test_a_run_that_git_tracks_as_a_link_is_not_followed(built: Repository, tmp_path: Path, whole: bool) -> None:
    """A commit could make a build continue a run, and write, anywhere. A link of one's own is followed."""
    place = built.runs if whole else run_dir(built)
    elsewhere = tmp_path / "moved"
    place.rename(elsewhere)
    place.symlink_to(elsewhere)
    git(built.root, "init", "-q", "-b", "main")
    assert len(list_runs(built.runs)) == 1
    commit(built.root)
    for act in (lambda: api.plan(built, Selection()), lambda: api.verify(built, None)):
        with pytest.raises(RunError, match="git tracks this link, so it is not followed; replace it with the folder"):
            act()


# What differs from a commit.


def _lines(root: Path) -> None:
    (root / SPEC).write_bytes((root / SPEC).read_bytes().replace(b"\n", b"\r\n"))


def _stored_with_cr(root: Path) -> None:
    (root / SPEC).write_bytes(b"id: a\r\ntitle: A\r\n")
    commit(root)
    (root / SPEC).write_bytes(b"id: a\ntitle: A\n")


def _pointer_of(content: bytes, root: Path) -> None:
    """The commit has a pointer of Git LFS, the work tree the file."""
    (root / SPEC).write_text(
        f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256(b'id: a').hexdigest()}\nsize 5\n", "utf-8"
    )
    (root / ".gitattributes").write_text("*.yaml filter=lfs diff=lfs merge=lfs -text\n", "utf-8")
    commit(root)
    (root / SPEC).write_bytes(content)


def _other_filter(root: Path) -> None:
    _attributes(root, "*.yaml filter=crypt")
    _touched(root)


def _link(root: Path) -> None:
    (root / "specs/notes").symlink_to("benchmark.yaml")
    commit(root)


def _moved_link(root: Path) -> None:
    _link(root)
    (root / "specs/notes").unlink()
    (root / "specs/notes").symlink_to("elsewhere.yaml")


def _staged_only(root: Path) -> None:
    before = (root / SPEC).read_bytes()
    _touched(root)
    git(root, "add", SPEC)
    (root / SPEC).write_bytes(before)


def _assumed(root: Path) -> None:
    git(root, "update-index", "--assume-unchanged", SPEC)
    _touched(root)


def _ignored(root: Path) -> None:
    (root / ".gitignore").write_text("*.tmp\n", "utf-8")
    (root / "specs/a.tmp").write_text("x", "utf-8")


def _removed_from_index(root: Path) -> None:
    git(root, "rm", "-q", "--cached", SPEC.replace("benchmark", "more"))


def _extra(root: Path) -> None:
    (root / "specs/more.yaml").write_text("a: b\n", "utf-8")
    commit(root)


STATES: dict[str, tuple[Callable[[Path], object], bool | None]] = {
    "nothing": (lambda root: None, False),
    "an edit": (_touched, True),
    "only other line ends": (_lines, False),
    "line ends that were committed": (_stored_with_cr, False),
    "a new time": (lambda root: os.utime(root / SPEC, (1, 1)), False),
    "a deleted file": (lambda root: (root / "answers/m.jsonl").unlink(), True),
    "a new file": (lambda root: (root / "specs/ä b\n.yaml").write_text("x"), True),
    "an ignored file": (_ignored, False),
    "a change elsewhere": (lambda root: (root / "notes").write_text("x"), False),
    "an edit that was staged and taken back": (_staged_only, False),
    "an edit that git was told not to see": (_assumed, True),
    "a file that only the index lost": (lambda root: (_extra(root), _removed_from_index(root)), False),
    "a folder in the place of a file": (lambda root: ((root / SPEC).rename(root / "x"), (root / SPEC).mkdir()), True),
    "the file of an LFS pointer": (lambda root: _pointer_of(b"id: a", root), False),
    "another file than that of an LFS pointer": (lambda root: _pointer_of(b"id: b", root), True),
    "a file with another filter": (_other_filter, None),
    "a file with another filter, and one without": (
        lambda root: (_other_filter(root), (root / "answers/m.jsonl").write_text("x")),
        True,
    ),
    "a link": (_link, False),
    "a link to something else": (_moved_link, True),
}


@pytest.mark.parametrize(("change", "dirty"), STATES.values(), ids=STATES.keys())
def test_what_differs_from_a_commit_is_known_without_filters(
    board: Path, change: Callable[[Path], object], dirty: bool | None
) -> None:
    change(board)
    if not (board / SPEC).is_file():
        (board / "specs/other.yaml").touch()
    assert source_of(board / "specs") == Source(git(board, "rev-parse", "HEAD"), dirty)


def test_a_named_pipe_in_the_place_of_a_file_is_not_opened(board: Path) -> None:
    (board / "answers/m.jsonl").unlink()
    os.mkfifo(board / "answers/m.jsonl")
    assert source_of(board / "specs").dirty is True


def test_a_repository_with_ids_of_sha256_is_read(tmp_path: Path) -> None:
    root = tmp_path / "wide"
    (root / "specs").mkdir(parents=True)
    (root / SPEC).write_text("id: a\n", "utf-8")
    git(root, "init", "-q", "--object-format=sha256")
    head = commit(root)
    assert source_of(root / "specs") == Source(head, dirty=False)
    _touched(root)
    assert source_of(root / "specs") == Source(head, dirty=True)


def test_a_work_tree_elsewhere_and_damaged_settings_are_named(board: Path, tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    git(board, "config", "core.worktree", str(tmp_path / "far"))
    assert source_of(board / "specs") == Source(absent="the work tree of this git repository is elsewhere")
    (board / ".git/config").write_text("[core\n", "utf-8")
    assert source_of(board / "specs") == Source(absent="git refuses to read this repository; `git status` says why")


def test_a_folder_that_looks_like_a_repository_is_none(tmp_path: Path) -> None:
    """A commit may have such a folder, with settings that name programs."""
    root = tmp_path / "board"
    (root / "specs").mkdir(parents=True)
    git(tmp_path, "init", "-q", "--bare", str(root))
    git(root, "config", "core.bare", "false")
    git(root, "config", "core.worktree", str(root))
    (root / SPEC).write_text("id: a\n", "utf-8")
    assert source_of(root / "specs").commit is None


@pytest.mark.parametrize("count", ["1", "x", "-1", "99999999999", "\N{SUPERSCRIPT TWO}"])
def test_folders_that_the_environment_trusts_stay_trusted(
    board: Path, monkeypatch: pytest.MonkeyPatch, count: str
) -> None:
    monkeypatch.setenv("GIT_CONFIG_COUNT", count)
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "safe.directory")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(board))
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    assert source_of(board / "specs").commit
