"""Recognise what a file is before it is read as a table: turn other encodings and line ends, name other files.

A device is refused and a pipe is read up to a limit, so that a command ends.
"""

from __future__ import annotations

import io
import os
import re
import stat
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from nullbench_site.errors import UsageError
from nullbench_site.interop.source_files import MOST_BYTES
from nullbench_site.text import escaped, listed

_BLOCK = 1024 * 1024
_WIDE = {BOM_UTF32_LE: "utf-32", BOM_UTF32_BE: "utf-32", BOM_UTF16_LE: "utf-16", BOM_UTF16_BE: "utf-16"}
_BEGINNINGS: tuple[tuple[bytes, str], ...] = (
    (b"version https://git-lfs.github.com/spec/", "a pointer of Git LFS, not the table; run git lfs pull"),
    (b"/annex/objects/", "a pointer of git-annex, not the table; run git annex get"),
    (b"../.git/annex/objects/", "a pointer of git-annex, not the table; run git annex get"),
    (b"PK\x03\x04", "a workbook or a ZIP archive; save the sheet as CSV, or unpack the archive"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook; save the sheet as CSV"),
    (b"\x1f\x8b", "compressed with gzip; unpack it with gunzip"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd; unpack it with unzstd"),
    (b"BZh", "compressed with bzip2; unpack it with bunzip2"),
    (b"\xfd7zXZ\x00", "compressed with xz; unpack it with unxz"),
    (b"SQLite format 3\x00", "an SQLite database; export the table as CSV"),
    (b"ARROW1", "an Arrow file; save it as Parquet or CSV"),
    (b"\x80\x04\x95", "a pickle of Python, which would run code; save the table as CSV"),
    (b"\x80\x05\x95", "a pickle of Python, which would run code; save the table as CSV"),
    (b"%PDF-", "a PDF; save the table as CSV"),
    (b"{\\rtf", "a document in RTF; save the table as CSV"),
)
_TEXTS: tuple[tuple[re.Pattern[bytes], str], ...] = (
    (
        re.compile(rb"(?i)<(?:!doctype|html|head|body|\?xml|table|div|!--)"),
        "HTML or XML, not a table; download the raw file",
    ),
    (
        re.compile(rb"\\(?:begin|documentclass|toprule|hline)|[^&\n]{1,80}&[^&\n]{1,80}&.*\\\\\s*$"),
        "LaTeX; save the table as CSV",
    ),
    (
        re.compile(rb"---\s*$|%YAML|- [A-Za-z_][\w .-]{0,60}:(?: |\s*$)|[A-Za-z_][\w-]{0,60}:\s*$"),
        "YAML; convert it to JSON or CSV",
    ),
    (re.compile(rb"\+[-=]{3,}[-=+]*\s*$"), "a table drawn with lines; save it as CSV or Markdown"),
    (re.compile(rb"<{7} |={7}\s*$"), "a file with conflicts of a merge; resolve them"),
    (re.compile(rb"(?i)(?:40[0-9]: )?not found\s*$"), "the message of a server, not a table; download it again"),
)
_DELIMITER = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?")
_LINK = re.compile(r"\[([^\[\]]{1,200})\]\([^()\s]{1,500}\)")


def check_suffix(name: str) -> None:
    """Raise UsageError for a workbook, which is an archive as some logs are."""
    if name.casefold().endswith((".xlsx", ".xlsm", ".xls", ".ods", ".numbers")):
        raise UsageError(f"{name}: the file is a workbook; save the sheet as CSV")


@contextmanager
def opened(path: str) -> Iterator[IO[bytes]]:
    """Open a file or a named pipe. Raises UsageError for a device and for a pipe that does not end."""
    name = escaped(path)
    try:
        if Path(path).is_char_device() or Path(path).is_block_device():
            raise UsageError(f"{name}: this is a device, not a file; name a file, or use - for standard input")
        stream = Path(path).open("rb")  # noqa: SIM115 - it is closed below, and an error of a reader is no error of opening
    except OSError as error:
        raise UsageError(f"{name}: cannot be read ({error.strerror})") from error
    with stream:
        yield piped(name, stream)


def piped(name: str, stream: IO[bytes]) -> IO[bytes]:
    """Return a regular file as it is, and the content of a pipe. Raises UsageError if it has more than MOST_BYTES."""
    try:
        if stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            return stream
    except io.UnsupportedOperation:  # the stream is in memory
        return stream
    content = io.BytesIO()
    while block := stream.read(_BLOCK):
        content.write(block)
        if content.tell() > MOST_BYTES:
            size = MOST_BYTES // 1024**2
            raise UsageError(f"{name}: the input does not end after {size} MB; save it to a file and name that")
    content.seek(0)
    return content


def turned(name: str, first: bytes, stream: IO[bytes]) -> tuple[bytes, IO[bytes], list[str]]:
    """Return the first line, the rest and notes of a file, in UTF-8 and with line feeds. Raises UsageError."""
    notes: list[str] = []
    encoding = next((encoding for mark, encoding in _WIDE.items() if first.startswith(mark)), _without_mark(first))
    if encoding is not None:
        raw = first + stream.read()
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError as error:
            raise UsageError(
                f"{name}: the file looks like {encoding.upper()}, but is damaged; save it as UTF-8"
            ) from error
        notes.append(f"The file is {'-'.join(encoding.upper().split('-')[:2])}.")
        stream = io.BytesIO(text.removeprefix("\ufeff").encode("utf-8", "replace"))
        first = stream.readline()
    _refuse(name, first.removeprefix(BOM_UTF8))
    if b"\0" in first[:4096]:
        raise UsageError(f"{name}: the file is binary, not a table; save it as CSV")
    if b"\r" in (line := first.rstrip(b"\r\n")) and _outside_quotes(line, b"\r"):
        raw = first + stream.read()
        stream = io.BytesIO(raw.replace(b"\r\r\n", b"\n").replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
        return stream.readline(), stream, [*notes, "Carriage returns end the lines."]
    return first, stream, notes


def _without_mark(first: bytes) -> str | None:
    """Return the encoding of text in UTF-16 without a mark at its start."""
    head = first[:400]
    if len(head) < 4 or b"\0" not in head:
        return None
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if odd > 0.4 * len(head) and not even:
        return "utf-16-le"
    return "utf-16-be" if even > 0.4 * len(head) and not odd else None


def _refuse(name: str, first: bytes) -> None:
    for start, what in _BEGINNINGS:
        if first.startswith(start):
            raise UsageError(f"{name}: the file is {what}")
    head = first.lstrip()[:500]
    for pattern, what in _TEXTS:
        if pattern.match(head):
            raise UsageError(f"{name}: the file is {what}")


def _outside_quotes(line: bytes, wanted: bytes) -> int:
    """Return how often a byte is in a line outside of quotes."""
    return sum(part.count(wanted) for part in line.split(b'"')[::2])


def separator_of(lines: Sequence[bytes], separators: Sequence[str]) -> str:
    """Return what separates the cells: what the first lines have equally often, else what the header has most often."""
    counts = {each: [_outside_quotes(line, each.encode()) for line in lines if line.strip()] for each in separators}
    alike = [each for each, found in counts.items() if found and found[0] and len(set(found)) == 1]
    return max(alike or separators, key=lambda each: counts[each][0] if counts[each] else 0)


# Markdown.


def is_markdown(name: str, first: bytes, second: bytes) -> bool:
    """Return True if a file has a Markdown table, by its name or its first two lines."""
    named = name.casefold().endswith((".md", ".markdown", ".mdx"))
    return named or (
        b"|" in first and b"-" in second and _DELIMITER.fullmatch(second.decode("utf-8", "replace").strip()) is not None
    )


def markdown_rows(name: str, lines: Sequence[str]) -> list[tuple[int, list[str]]]:
    """Return the rows of the one table in a Markdown text, the header first, each with its line."""
    starts = [
        at
        for at in range(1, len(lines))
        if "-" in lines[at]
        and "|" in lines[at - 1]
        and len(lines[at]) < 100_000
        and _DELIMITER.fullmatch(lines[at].strip())
    ]
    if not starts:
        raise UsageError(f"{name}: no Markdown table; it has a header and a line such as | --- | --- |")
    if len(starts) > 1:
        places = listed([str(at) for at in starts[:6]])
        raise UsageError(f"{name}: the file has {len(starts)} tables, at lines {places}; keep one in a file")
    rows = [(starts[0], list(_cells(lines[starts[0] - 1])))]
    for number, line in enumerate(lines[starts[0] + 1 :], starts[0] + 2):
        if "|" not in line:
            break
        rows.append((number, list(_cells(line))))
    return rows


def _cells(line: str) -> Iterator[str]:
    """Yield the cells of a line, without bold marks, code marks and addresses of links."""
    text = line.strip().removeprefix("|")
    if text.endswith("|") and not text.endswith("\\|"):
        text = text[:-1]
    for cell in re.split(r"(?<!\\)\|", text):
        plain = _LINK.sub(r"\1", cell.strip()).replace("\\|", "|").replace("<br>", " ")
        for mark in ("**", "__", "`"):
            if len(plain) > 2 * len(mark) and plain.startswith(mark) and plain.endswith(mark):
                plain = plain[len(mark) : -len(mark)].strip()
        yield plain
