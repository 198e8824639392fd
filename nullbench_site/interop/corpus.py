"""Read the text of corpus files in pieces: text, and the strings in JSON lines, also compressed with gzip.

A file is never in memory as a whole. Lines end with "\\n". Text must be UTF-8.
"""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec

from nullbench_site.errors import UsageError
from nullbench_site.specs.digest import NOT_JSON, file_sha256
from nullbench_site.specs.listing import readable

_JSON_LINES = (".jsonl", ".ndjson")
_PIECE = 2**20
"""Bytes of text read at once."""
MOST_LINE = 16 * 2**20
"""Bytes of a JSON line. A longer one would need too much memory."""
_SKIP = "fix it, or skip such lines with --lenient"
_SPLIT = "split it, or skip such lines with --lenient"


class Piece(NamedTuple):
    """Some text of a corpus. starts: True if a document begins with it. Only a word of a megabyte is cut."""

    text: str
    starts: bool


@dataclass
class CorpusFile:
    """A file of a corpus. lenient: skip what cannot be read. skipped: how many lines `pieces` skipped last."""

    path: Path
    lenient: bool = False
    skipped: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        """Raise UsageError if this is not a file that can be read as a corpus."""
        if not self.path.exists():
            raise UsageError(f"{self.path}: there is no such file")
        if self.path.is_dir():
            raise UsageError(f"{self.path}: this is a folder; name the files in it")
        if not self.path.is_file():
            raise UsageError(f"{self.path}: not a regular file; save the text to one, as it may be read twice")
        if self._ending == ".json":
            raise UsageError(f"{self.path}: JSON is read in lines only; write one value per line, in a .jsonl file")

    @property
    def sha256(self) -> str:
        """Return the SHA-256 of the file as it is on disk, in hex."""
        with readable(self.path):
            return file_sha256(self.path)

    def pieces(self) -> Iterator[Piece]:
        """Yield the text of the file. Raise UsageError, with the line, for a part that cannot be read."""
        self.skipped = 0
        with readable(self.path), self.path.open("rb") as raw:
            packed = self.path.suffix == ".gz"
            file: IO[bytes] = gzip.GzipFile(fileobj=raw) if packed else raw  # type: ignore[assignment]
            try:
                yield from self._strings(file) if self._ending in _JSON_LINES else self._text(file)
            except (EOFError, gzip.BadGzipFile, zlib.error) as error:
                ended = isinstance(error, EOFError)
                what = "the gzip data ends too early" if ended else "invalid gzip data"
                self._refuse(None, what, "copy the file again, or read what comes before with --lenient")

    @property
    def _ending(self) -> str:
        return (self.path.with_suffix("") if self.path.suffix == ".gz" else self.path).suffix

    def _text(self, file: IO[bytes]) -> Iterator[Piece]:
        """Yield a text file as one document."""
        decoder, line, rest, starts = codecs.getincrementaldecoder("utf-8-sig")(), 1, "", True
        while raw := file.read(_PIECE):
            try:
                text = decoder.decode(raw)
            except UnicodeDecodeError as error:
                self._refuse(line + error.object.count(b"\n", 0, error.start), _not_utf8(error))
                text = error.object.decode("utf-8", "replace")
                decoder.reset()
            line += raw.count(b"\n")
            text = rest + text
            cut = max(text.rfind(" "), text.rfind("\n")) + 1 or len(text)
            rest = text[cut:]
            yield Piece(text[:cut], starts)
            starts = False
        if decoder.getstate()[0]:
            self._refuse(line, "the file ends inside a character of UTF-8")
        yield Piece(rest, starts)

    def _strings(self, file: IO[bytes]) -> Iterator[Piece]:
        """Yield each string in JSON lines as a document. Keys of objects are no text."""
        number = 0
        while line := file.readline(MOST_LINE + 1):
            number += 1
            if len(line) > MOST_LINE:
                self._refuse(
                    number,
                    f"the line is longer than {MOST_LINE // 2**20} MB",
                    _SPLIT,
                )
                while line and not line.endswith(b"\n"):
                    line = file.readline(MOST_LINE)
                continue
            if not line.strip():
                continue
            try:
                value = msgspec.json.decode(line.removeprefix(codecs.BOM_UTF8))
            except NOT_JSON as error:
                self._refuse(number, _not_json(line, error))
                continue
            yield from (Piece(text, starts=True) for text in _texts(value))

    def _refuse(self, line: int | None, what: str, advice: str = _SKIP) -> None:
        """Count something that cannot be read, if the user wants that; else raise UsageError."""
        if not self.lenient:
            place = f"{self.path}" if line is None else f"{self.path}:{line}"
            raise UsageError(f"{place}: {what}; {advice}")
        self.skipped += 1


def _texts(value: Any) -> Iterator[str]:
    """Yield every string in a JSON value, without the keys of objects."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def _not_utf8(error: UnicodeDecodeError) -> str:
    return f"byte 0x{error.object[error.start]:02x} is not UTF-8"


def _not_json(line: bytes, error: Exception) -> str:
    """Return why a line is not JSON."""
    try:
        line.decode()
    except UnicodeDecodeError as broken:
        return _not_utf8(broken)
    return f"invalid JSON ({'too deeply nested' if isinstance(error, RecursionError) else error})"
