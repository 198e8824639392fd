"""Corpora are read in pieces: text and JSON lines, also compressed. What cannot be read has one message."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from nullbench_site.errors import UsageError
from nullbench_site.interop import overlap
from nullbench_site.interop.overlap import CorpusFile

LINES = b'{"text": "one two", "meta": {"tags": ["three"], "n": 4}}\n\n"five"\n'


def read(path: Path, *, lenient: bool = False) -> list[tuple[str, bool]]:
    return [(piece.text, piece.starts) for piece in CorpusFile(path, lenient).pieces() if piece.text]


@pytest.mark.parametrize(
    ("name", "content", "texts"),
    [
        ("a.jsonl", LINES, ["one two", "three", "five"]),
        ("a.ndjson.gz", gzip.compress(LINES, mtime=0), ["one two", "three", "five"]),
        ("a.jsonl", b'\xef\xbb\xbf"one"', ["one"]),
        ("a.txt", b"one\ntwo three", ["one\ntwo ", "three"]),
        ("a.txt.gz", gzip.compress("\ufeffcafé".encode(), mtime=0), ["café"]),
        ("no-ending", b"one", ["one"]),
        ("empty.txt", b"", []),
    ],
)
def test_strings_of_json_lines_and_whole_texts_are_read(
    name: str, content: bytes, texts: list[str], tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    assert [text for text, _ in read(tmp_path / name)] == texts


def test_a_text_is_one_document_in_pieces_that_cut_no_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overlap, "_PIECE", 10)
    text = "étude après étude: quatorze mots\net " * 3
    (tmp_path / "a.txt").write_text(text, "utf-8")
    pieces = read(tmp_path / "a.txt")
    assert "".join(piece for piece, _ in pieces) == text
    assert [word for piece, _ in pieces for word in piece.split()] == text.split()
    assert [starts for _, starts in pieces] == [True, *[False] * (len(pieces) - 1)]


DEEP = b"[" * 100_000
TORN = gzip.compress(os.urandom(5000).hex().encode())[:-2000]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", b'"one"\n{"text": "two"\n', ":2: invalid JSON ("),
        ("a.jsonl", b'"one"\n"caf\xe9"\n', ":2: byte 0xe9 is not UTF-8; fix it, or skip such lines with --lenient"),
        ("a.jsonl", DEEP, ":1: invalid JSON (too deeply nested)"),
        ("a.jsonl", b'"' + b"a" * 100 + b'"', ":1: the line is longer than 0 MB; split it"),
        ("a.txt", b"one\ntwo\ncaf\xe9\n", ":3: byte 0xe9 is not UTF-8; fix it, or skip such lines with --lenient"),
        ("a.txt", "one\ncafé".encode()[:-1], ":2: the file ends inside a character of UTF-8"),
        ("a.txt.gz", TORN, ": the gzip data ends too early; copy the file again"),
        ("a.jsonl.gz", b"not gzip", ": invalid gzip data; copy the file again"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(
    name: str, content: bytes, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overlap, "MOST_LINE", 99 if content.startswith(b'"aa') else overlap.MOST_LINE)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UsageError) as refused:
        read(tmp_path / name)
    assert f"{tmp_path / name}{message}" in str(refused.value)


def test_lenient_skips_broken_lines_and_counts_them(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'"one"\n{broken\n"two \xff"\n"three"\n')
    file = CorpusFile(path, lenient=True)
    assert [[piece.text for piece in file.pieces()] for _ in range(2)] == [["one", "three"]] * 2
    assert file.skipped == 2


def test_lenient_reads_what_comes_before_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_bytes(b"one \xff two")
    assert [text for text, _ in read(tmp_path / "a.txt", lenient=True)] == ["one \ufffd ", "two"]
    lines = b"".join(json.dumps(f"{number} words").encode() + b"\n" for number in range(20_000))
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(lines)[:-5000])
    texts = [text for text, _ in read(tmp_path / "a.jsonl.gz", lenient=True)]
    assert texts[:2] == ["0 words", "1 words"]
    assert len(texts) < 20_000
    monkeypatch.setattr(overlap, "MOST_LINE", 10)
    (tmp_path / "b.jsonl").write_bytes(b'"' + b"a" * 50 + b'"\n"b"\n')
    assert [text for text, _ in read(tmp_path / "b.jsonl", lenient=True)] == ["b"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing.txt", "there is no such file"),
        ("folder", "this is a folder; name the files in it"),
        ("pipe", "not a regular file; save the text to one"),
        ("a.json", "JSON is read in lines only; write one value per line, in a .jsonl file"),
    ],
)
def test_what_is_no_corpus_is_refused_before_anything_is_read(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "a.json").write_text("[]")
    with pytest.raises(UsageError, match=message):
        CorpusFile(tmp_path / name)


def test_a_link_to_a_file_is_followed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one")
    (tmp_path / "b.txt").symlink_to("a.txt")
    assert read(tmp_path / "b.txt") == [("one", True)]


def test_a_small_file_that_unpacks_to_much_is_read_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "bomb.txt.gz"
    path.write_bytes(gzip.compress(b"a " * 10_000_000, 9))
    assert path.stat().st_size < 30_000
    assert max(len(text) for text, _ in read(path)) <= 2 * overlap._PIECE
