from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from nullbench_site.errors import StorageError
from nullbench_site.runs.storage import exclusive, is_refusal, made_once, storage_errors, write_atomically


def test_a_file_is_written_with_its_folders(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a" / "b" / "c.json", b"{}")
    assert (tmp_path / "a" / "b" / "c.json").read_bytes() == b"{}"
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["c.json"]


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "manifest.json"
    path.write_bytes(b"old")

    def refuse(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(StorageError, match=rf"^{path}: No space left on device; free some space"):
        write_atomically(path, b"new")
    assert {entry.name: entry.read_bytes() for entry in tmp_path.iterdir()} == {"manifest.json": b"old"}


@pytest.mark.parametrize("left", [b"", b"\xff{", b"drawn", b"null", b"[" * 10_000])
def test_what_is_made_once_is_made_again_where_the_file_is_not_what_was_written(tmp_path: Path, left: bytes) -> None:
    made = []

    def make() -> bytes:
        made.append("once more")
        return b"drawn"

    kept = tmp_path / "drawn" / "a.png"
    assert [made_once(kept, make), made_once(kept, make)] == [b"drawn", b"drawn"]
    assert len(made) == 1
    for damaged in (left, kept.read_bytes()[:-1], kept.read_bytes()[:-1] + b"m"):
        kept.write_bytes(damaged)
        assert [made_once(kept, make), made_once(kept, make)] == [b"drawn", b"drawn"]
    assert len(made) == 4


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.ENOSPC, "free some space"),
        (errno.EDQUOT, "free some space in your quota"),
        (errno.EFBIG, "raise the limit on file sizes"),
        (errno.EROFS, "make the file system writable"),
        (errno.EACCES, "make it readable and writable for you"),
        (errno.ENOTDIR, "move the file away to make room for a folder"),
        (errno.ENAMETOOLONG, "give it a shorter name"),
        (errno.ELOOP, "remove the symlink that points to itself"),
        (errno.EBUSY, "fix that"),
    ],
)
def test_what_the_disk_says_comes_with_what_to_do(number: int, advice: str) -> None:
    with pytest.raises(StorageError) as raised, storage_errors(Path("runs/x")):
        raise OSError(number, os.strerror(number))
    assert str(raised.value).startswith(f"runs/x: {os.strerror(number)}; {advice}")
    assert str(raised.value).endswith("and run the command again")
    assert raised.value.exit_code == 3


def test_the_file_that_the_disk_names_is_named() -> None:
    with pytest.raises(StorageError, match=r"^runs/y: Permission denied"), storage_errors(Path("runs/x")):
        raise PermissionError(errno.EACCES, "Permission denied", "runs/y")


@pytest.mark.parametrize(
    ("error", "expected"), [(PermissionError(13, "no"), True), (FileNotFoundError(2, "no"), False)]
)
def test_a_missing_file_is_a_bug_and_a_forbidden_one_is_not(error: OSError, expected: bool) -> None:
    assert is_refusal(error) is expected


def test_the_lock_is_held_by_one_and_free_again_afterwards(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    for _ in range(2):
        with exclusive(runs), pytest.raises(StorageError, match="another build is writing here; wait"), exclusive(runs):
            pytest.fail("two held it at once")


def test_the_lock_is_free_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(KeyError), exclusive(tmp_path):
        raise KeyError
    with exclusive(tmp_path):
        pass


def test_a_file_where_the_folder_belongs_is_named(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("not a folder", "utf-8")
    said = r"runs: File exists; move the file away to make room for a folder"
    with pytest.raises(StorageError, match=said), exclusive(tmp_path / "runs"):
        pass
