"""A folder that is replaced as a whole, also by a process that is killed."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import environment
from support.moments import at_moment

from nullbench_site.errors import StorageError
from nullbench_site.runs.storage import replaced

FILES = ("index.html", "late.html")
_REPLACE = """
from pathlib import Path
from nullbench_site.runs.storage import replaced

with replaced(Path("site")) as new:
    new.mkdir()
    for name in ("index.html", "late.html"):
        (new / name).write_text("new")
"""


def put(folder: Path, content: str) -> None:
    with replaced(folder) as new:
        new.mkdir()
        for name in FILES:
            (new / name).write_text(content, "utf-8")


def fail_half_way(folder: Path) -> None:
    with replaced(folder) as new:
        new.mkdir()
        (new / "index.html").write_text("half", "utf-8")
        raise ZeroDivisionError


def contents(folder: Path) -> list[str]:
    return [(folder / name).read_text("utf-8") for name in FILES]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    put(folder, "old")
    return folder


def test_the_new_folder_takes_the_place_of_the_old_one_and_nothing_stays_beside_it(site: Path) -> None:
    put(site, "new")
    assert contents(site) == ["new", "new"]
    assert [path.name for path in site.parent.iterdir()] == ["site"]


def test_the_old_folder_stays_after_an_error(site: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        fail_half_way(site)
    assert contents(site) == ["old", "old"]
    assert [path.name for path in site.parent.iterdir()] == ["site"]


def test_a_link_to_a_folder_stays_one(site: Path) -> None:
    link = site.with_name("link")
    link.symlink_to("site")
    put(link, "new")
    assert link.is_symlink()
    assert contents(site) == ["new", "new"]


@pytest.mark.parametrize("mount", ["-t tmpfs none", "--bind elsewhere"])
def test_a_folder_where_a_disk_is_mounted_is_filled_in_its_place(tmp_path: Path, mount: str) -> None:
    """In a mount namespace of its own; a bind mount of the same disk cannot be renamed either."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "site").mkdir()
    inside = f"mount {mount} site && mkdir -p site/gone && echo old > site/index.html || exit 99; "
    inside += f"'{sys.executable}' -c '{_REPLACE}' && cd site && ls -A && cat index.html late.html"
    command = ["unshare", "--mount", "--map-root-user", "sh", "-c", inside]
    try:
        done = subprocess.run(
            command, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=60, check=False
        )
    except FileNotFoundError:
        pytest.skip("there is no unshare here")
    if done.returncode == 99 or "unshare:" in done.stderr:
        pytest.skip("mounts are not permitted here")
    assert (done.returncode, done.stdout, done.stderr) == (0, "index.html\nlate.html\nnewnew", "")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_file_in_its_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "site").write_text("mine", "utf-8")
    with pytest.raises(StorageError, match="site: Not a directory; move the file away to make room for a folder"):
        put(tmp_path / "site", "new")
    assert (tmp_path / "site").read_text("utf-8") == "mine"


def test_a_folder_that_lost_its_name_between_two_renames_is_put_back(site: Path) -> None:
    site.rename(site.with_name(".site.old"))
    with pytest.raises(ZeroDivisionError):
        fail_half_way(site)
    assert contents(site) == ["old", "old"]


@pytest.mark.parametrize(
    ("moment", "left"),
    [
        (("os.mkdir", ".site.new", 1), "old"),
        (("open", ".site.new/index.html", 1), "old"),
        (("open", ".site.new/late.html", 1), "old"),
        (("os.rename", ".site.new", 1), None),
        (("shutil.rmtree", ".site.new", 2), "new"),
    ],
)
def test_a_process_that_is_killed_leaves_the_old_folder_or_the_new_one_and_the_next_cleans_up(
    site: Path, tmp_path: Path, moment: tuple[str, str, int], left: str | None
) -> None:
    at = at_moment(tmp_path / "at", signal.SIGKILL, *moment)
    killed = subprocess.run(
        [sys.executable, "-c", _REPLACE], cwd=tmp_path, env=environment(**at), timeout=60, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    assert left is None or contents(site) == [left, left]
    put(site, "next")
    assert contents(site) == ["next", "next"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["at", "site"]
