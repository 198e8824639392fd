"""Compare the items of a board with corpora, and write what was found as specs/overlap/<board>.yaml.

Corpora are text, or the strings in JSON lines, also compressed with gzip. They are read in pieces, never as a whole.
Lines end with "\\n". Text must be UTF-8.
"""

from __future__ import annotations

import codecs
import gzip
import json
import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from statistics import median_low
from typing import IO, Any, Literal, NamedTuple, Protocol
from uuid import uuid4

import msgspec
import numpy as np

from nullbench_site.errors import UsageError
from nullbench_site.evaluation.endpoints.embeddings import Embedder
from nullbench_site.repository import Repository
from nullbench_site.runs.storage import write_atomically
from nullbench_site.specs.benchmark import OPENAI, Benchmark
from nullbench_site.specs.digest import NOT_JSON, canonical_json, file_sha256, sha256
from nullbench_site.specs.item_texts import ItemText, item_texts, texts_digest
from nullbench_site.specs.listing import readable
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.types import Corpus, OverlapFile, OverlapItem, Similarity
from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.overlap import Overlap, Shared, TfIdf, edit_similarity, words
from nullbench_site.text import did_you_mean, title_of

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


Method = Literal["tf-idf", "embeddings", "none"]
_NEAREST = 5
"""The passages most similar to an item that its edit distance is measured to."""
_BATCH = {"tf-idf": 2000, "embeddings": 64}
"""Passages compared at once."""
_DIGITS = 4
_LEAST_SHARED, _TAU = 1, 0.9
"""The thresholds of a new file."""


@dataclass(frozen=True)
class Comparison:
    """What to compare the items of a board with, and how.

    files: of the corpora. boards: also the text of the other boards. similarity: the method. model, endpoint: of the
    embeddings; the endpoint is one of endpoints.yaml. tau: the least similarity of a contaminated item; None keeps that
    of the existing file. lenient: skip what cannot be read. training: the training data that the files are from.
    """

    files: Sequence[Path] = ()
    boards: bool = False
    similarity: Method = "tf-idf"
    model: str | None = None
    endpoint: str = OPENAI.id
    tau: float | None = None
    lenient: bool = False
    training: str | None = None


class _Source(Protocol):
    """A corpus that can be read twice."""

    @property
    def sha256(self) -> str: ...

    @property
    def skipped(self) -> int: ...

    def pieces(self) -> Iterator[Piece]: ...


@dataclass(frozen=True)
class _BoardText:
    """The text of another board, as a corpus."""

    texts: Sequence[str]
    skipped: int = 0

    @property
    def sha256(self) -> str:
        return sha256(canonical_json(self.texts))

    def pieces(self) -> Iterator[Piece]:
        return (Piece(text, starts=True) for text in self.texts)


def find_overlap(repository: Repository, board: str, chosen: Comparison) -> tuple[Path, OverlapFile]:
    """Compare a board of a repository with corpora, and write its file of specs/overlap/; return both.

    Raise UsageError as `compare`, SpecError, StorageError.
    """
    for name, value in repository.variables.items():  # a key of an endpoint
        os.environ.setdefault(name, value)
    found = compare(load_benchmark(repository.specs), board, chosen)
    return write(repository.specs, found), found


def compare(benchmark: Benchmark, board: str, chosen: Comparison) -> OverlapFile:
    """Return the overlap of the public items of a board with the chosen corpora.

    The canary and the thresholds of an existing file stay. Raise UsageError for an unknown board or endpoint, a board
    without texts, and a corpus that cannot be read.
    """
    if board not in benchmark.boards:
        raise UsageError(f"there is no board {board!r}; {did_you_mean(board, benchmark.boards)}")
    texts = item_texts(benchmark.boards[board], benchmark.domains)
    if not texts:
        raise UsageError(f"board {board!r} has no public item with a text here; nothing can be compared")
    sources = _sources(benchmark, board, texts, chosen)
    asked = [words(text.asked) for text in texts]
    size = max(median_low([len(each) for each in asked]), 1)
    overlap = Overlap([*(text.asked for text in texts), *(text.source for text in texts)])
    with ExitStack() as stack:
        similar: TfIdf | _Embeddings | None = None
        if chosen.similarity == "tf-idf":
            similar = TfIdf(asked)
        elif chosen.similarity == "embeddings":
            similar = _Embeddings(stack.enter_context(_embedder(benchmark, chosen)), asked)
        corpora = [
            msgspec.structs.replace(
                _read(name, source, overlap, similar, size),
                training=chosen.training if isinstance(source, CorpusFile) else None,
            )
            for name, source in sources.items()
        ]
        nearest = None if similar is None else _Nearest(texts, similar)
        if nearest is not None:
            for source in sources.values():
                for batch in batches(passages(source.pieces(), size), _BATCH[chosen.similarity]):
                    nearest.compare(batch, size)
    before, similarity = benchmark.overlaps.get(board), None
    least_shared, tau = (_LEAST_SHARED, _TAU) if before is None else (before.least_shared, before.tau)
    if chosen.similarity != "none":
        similarity = Similarity(method=chosen.similarity, model=chosen.model, passage_words=size)
    return OverlapFile(
        canary=f"nullbench-canary:{uuid4()}" if before is None else before.canary,
        id=board,
        texts=texts_digest(texts),
        least_shared=least_shared,
        tau=tau if chosen.tau is None else chosen.tau,
        similarity=similarity,
        corpora=tuple(corpora),
        items=tuple(_items(texts, overlap.shared(), nearest)),
    )


def _sources(benchmark: Benchmark, board: str, texts: Sequence[ItemText], chosen: Comparison) -> Mapping[str, _Source]:
    """Return the corpora by name."""
    sources: dict[str, _Source] = {}
    if chosen.training is not None and not chosen.files:
        raise UsageError("--training says where FILES are from; name files of that training data")
    for path in chosen.files:
        name = title_of(path.name) or "corpus"
        if name in sources:
            raise UsageError(f"{path}: two corpora are called {name!r}; rename a file, as results show only its name")
        sources[name] = CorpusFile(path, chosen.lenient)
    own = {text.id for text in texts}
    for other in (each for each in benchmark.boards.values() if chosen.boards and each.id != board):
        found = [text for text in item_texts(other, benchmark.domains) if text.id not in own]
        if found:
            both = dict.fromkeys(part for text in found for part in (text.asked, text.source) if part)
            sources[f"board {other.id}"] = _BoardText(list(both))
    if not sources:
        advice = "no other board has a text; name files" if chosen.boards else "name files, or give --boards"
        raise UsageError(f"there is no corpus to compare board {board!r} with: {advice}")
    return sources


def _read(name: str, source: _Source, overlap: Overlap, similar: Any, size: int) -> Corpus:
    """Read a corpus for its sequences and, for TF-IDF, how many passages have each word."""
    n_words = 0

    def noted() -> Iterator[Piece]:
        nonlocal n_words
        for piece in source.pieces():
            read = words(piece.text)
            n_words += len(read)
            overlap.read(read, starts=piece.starts)
            yield piece

    if isinstance(similar, TfIdf):
        for batch in batches(passages(noted(), size), _BATCH["tf-idf"]):
            similar.count([passage[:size] for passage in batch])
    else:
        for _ in noted():
            pass
    if not n_words:
        raise UsageError(f"corpus {name!r} has no word; name a file with text")
    return Corpus(name=name, sha256=source.sha256, words=n_words, skipped=source.skipped)


def passages(pieces: Iterator[Piece], size: int) -> Iterator[list[str]]:
    """Yield the passages of documents: `size` words each, and up to `size` more that follow.

    One begins every size / 2 words, so that each run of `size` words of a document is in one of them as a whole.
    """
    half, rest = max(size // 2, 1), list[str]()
    for piece in pieces:
        if piece.starts:
            yield from _last(rest, size)
            rest = []
        rest += words(piece.text)
        start = 0
        while start + 2 * size <= len(rest):
            yield rest[start : start + 2 * size]
            start += half
        rest = rest[start:]
    yield from _last(rest, size)


def _last(rest: list[str], size: int) -> Iterator[list[str]]:
    """Yield the passages at the end of a document."""
    half = max(size // 2, 1)
    for start in range(0, max(len(rest) - half, min(len(rest), 1)), half):
        yield rest[start : start + 2 * size]


def batches(every: Iterator[list[str]], size: int) -> Iterator[list[list[str]]]:
    """Yield lists of up to `size` passages."""
    while batch := list(islice(every, size)):
        yield batch


class _Embeddings:
    """The cosine similarity of texts and passages by embeddings of their words."""

    def __init__(self, embedder: Embedder, texts: Sequence[Sequence[str]]) -> None:
        self._vectors = embedder.vectors
        step = _BATCH["embeddings"]
        parts = [texts[start : start + step] for start in range(0, len(texts), step)]
        self._texts = np.vstack([self._vectors([" ".join(text) for text in part]) for part in parts])

    def cosines(self, passages: Sequence[Sequence[str]]) -> Floats:
        return np.asarray(self._texts @ self._vectors([" ".join(passage) for passage in passages]).T)


class _Nearest:
    """The passages that are most similar to what each item asks, with their cosine similarities.

    Passages of its own source text are left out: a question resembles the sentence that it is about.
    """

    def __init__(self, texts: Sequence[ItemText], similar: TfIdf | _Embeddings) -> None:
        self._asked = [" ".join(words(text.asked)) for text in texts]
        self._sources = [" ".join(words(text.source)) for text in texts]
        self._similar = similar
        self._best: list[list[tuple[float, str]]] = [[] for _ in texts]

    def compare(self, batch: Sequence[Sequence[str]], size: int) -> None:
        """Compare passages with every text."""
        cores = [passage[:size] for passage in batch]
        for best, source, own in zip(self._best, self._sources, self._similar.cosines(cores), strict=True):
            if len(best) == _NEAREST and own.max() <= best[-1][0]:
                continue
            for place in np.argsort(-own, kind="stable"):
                if len(best) == _NEAREST and own[place] <= best[-1][0]:
                    break
                if " ".join(cores[place]) not in source:
                    best.append((float(own[place]), " ".join(batch[place])))
                    best.sort(key=lambda found: -found[0])
                    del best[_NEAREST:]

    def found(self, place: int) -> dict[str, float]:
        """Return the highest cosine and edit similarity of a text."""
        text, best = self._asked[place], self._best[place]
        if not text or not best:
            return {}
        edit = max(edit_similarity(text, passage) for _, passage in best)
        return {"cosine": round(best[0][0], _DIGITS), "edit": round(edit, _DIGITS)}


def _embedder(benchmark: Benchmark, chosen: Comparison) -> Embedder:
    if chosen.model is None:
        raise UsageError("--similarity embeddings needs a model; name it with --model")
    endpoint = benchmark.endpoints.get(chosen.endpoint, OPENAI)
    if endpoint.id != chosen.endpoint:
        known = did_you_mean(chosen.endpoint, [OPENAI.id, *benchmark.endpoints])
        raise UsageError(f"there is no endpoint {chosen.endpoint!r} in specs/endpoints.yaml; {known}")
    return Embedder(endpoint, chosen.model)


def _items(texts: Sequence[ItemText], shared: Sequence[Shared], nearest: _Nearest | None) -> Iterator[OverlapItem]:
    """Yield what was found of each text. shared: of what all texts ask, then of their source texts."""
    for place, text in enumerate(texts):
        asked, source = shared[place], shared[len(texts) + place]
        similar = {} if nearest is None else nearest.found(place)
        yield OverlapItem(
            id=text.id,
            words=asked.words,
            shared=asked.shared,
            source_words=source.words,
            source_shared=source.shared,
            **similar,
        )


def write(specs: Path, found: OverlapFile) -> Path:
    """Write specs/overlap/<board>.yaml; return its path."""
    lines = ["# yaml-language-server: $schema=../schema/overlap.json", f"canary: {_value(found.canary)}"]
    lines += [f"{name}: {_value(getattr(found, name))}" for name in ("id", "texts", "least_shared", "tau")]
    if found.similarity is not None:
        lines.append(f"similarity: {_mapping(found.similarity)}")
    for name in ("corpora", "items"):
        lines += [f"{name}:", *(f"  - {_mapping(each)}" for each in getattr(found, name))]
    path = specs / "overlap" / f"{found.id}.yaml"
    write_atomically(path, ("\n".join(lines) + "\n").encode())
    return path


def _mapping(spec: msgspec.Struct) -> str:
    """Return a spec as a mapping on one line."""
    given = {name: value for name, value in msgspec.to_builtins(spec).items() if value is not None}
    return f"{{{', '.join(f'{name}: {_value(value)}' for name, value in given.items())}}}"


_value: Callable[[object], str] = json.dumps
