"""Check whether a run folder or a file of it was changed after sealing. Only this module compares digests of runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from nullbench_site.errors import RunError, SpecError
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.folder import IN_FLIGHT, LINK, PRIVATE, SHARDS, file_digests, links
from nullbench_site.runs.manifest import NAME, FileDigest, Manifest, read_manifest
from nullbench_site.runs.records import Judgment, RecordT, Response, published, read_records
from nullbench_site.runs.storage import storage_errors
from nullbench_site.specs.digest import NOT_JSON, line_ends_advice, line_ends_changed, sha256
from nullbench_site.specs.load import load_benchmark
from nullbench_site.text import one_line, plural

_PARTS = ("items", *SHARDS.values())
"""The folders of the private folder."""


def misnamed(entry: CatalogEntry, runs_dir: Path) -> list[str]:
    """Return a line if a run in `runs_dir` has another name than its folder. Elsewhere the folder may have any name."""
    folder, name = entry.path.resolve(), entry.manifest.run
    if folder.parent != runs_dir.resolve() or folder.name == name:
        return []
    advice = f"rename it to {name}, or delete it if it is a copy"
    return [f"{entry.path}: the folder {folder.name!r} contains the run {name!r}; {advice}"]


def private_text_problems(entry: CatalogEntry) -> list[str]:
    """Return `private_problems`, or the differences of a run's private texts from its published items."""
    items = entry.path / PRIVATE / "items"
    if items.is_dir():
        try:
            load_benchmark(entry.path / "specs", profile=entry.manifest.profile, private=items)
        except SpecError as error:
            return [f"{entry.path}/{problem}" for problem in error.problems]
    return private_problems(entry.path)


class _Salted(msgspec.Struct):
    id: str
    salt: str


def private_problems(run_dir: Path) -> list[str]:
    """Return a line for each private record that differs from its published hash, and for each other file.

    Without a private folder there is no problem. Raises RunError for an invalid line.
    """
    problems = list(_junk(run_dir / PRIVATE))
    lines = msgspec.json.Decoder(_Salted)
    salts: dict[str, str] = {}
    for path in sorted((run_dir / PRIVATE / "items").glob("*.jsonl")):
        try:
            salts |= {text.id: text.salt for text in lines.decode_lines(path.read_bytes())}
        except NOT_JSON:
            problems.append(f"{path}: not a file of private items; restore it, or remove {run_dir / PRIVATE}")
    for path in sorted((run_dir / PRIVATE / "responses").glob("*.jsonl")):
        problems += _unfit(run_dir, path, Response, salts)
    for path in sorted((run_dir / PRIVATE / "judgments").glob("*.jsonl")):
        problems += _unfit(run_dir, path, Judgment, salts)
    return problems


def _junk(private: Path) -> Iterator[str]:
    """Report files of the private folder with unknown names; the manifest does not list them."""
    for path in sorted(private.rglob("*")):
        known = path.parent.parent == private and path.parent.name in _PARTS and path.suffix == ".jsonl"
        known = known or path == private / IN_FLIGHT
        if path.is_file() and not known:
            yield f"{path}: a run has no file of this name; remove it"


def _unfit(run_dir: Path, path: Path, kind: type[RecordT], salts: Mapping[str, str]) -> Iterator[str]:
    shard = run_dir / path.parent.name / path.name
    records = read_records(shard, kind) if shard.is_file() else ()
    hashes = {record.place: record.hidden for record in records if record.hidden is not None}
    for number, record in enumerate(read_records(path, kind), start=1):
        salt = salts.get(record.item)
        if salt is None:
            yield f"{path}:{number}: the salt of {record.item!r} is missing in {run_dir / PRIVATE / 'items'}"
        # Only the hash, which covers every field: earlier versions published more fields.
        elif published(record, salt).hidden != hashes.get(record.place):
            yield f"{path}:{number}: this record does not match its hash in {shard}; restore it"


def is_sealed(manifest: Manifest, name: str, digest: str) -> bool:
    """Return True if the file `name` of a run was sealed with this sha256; always True for an open run."""
    file = manifest.files.get(name)
    return not manifest.sealed or (file is not None and file.sha256 == digest)


def sealed_content(run_dir: Path, manifest: Manifest, name: str) -> bytes:
    """Return the bytes of a file of a run. Raises OSError, and ValueError if they were changed after sealing."""
    content = (run_dir / name).read_bytes()
    if not is_sealed(manifest, name, sha256(content)):
        sealed = manifest.files.get(name)
        if sealed is not None and line_ends_changed(content, sealed.sha256):
            raise ValueError(f"{name}: {line_ends_advice(run_dir)}")
        raise ValueError(f"{name} was changed after the run was sealed")
    return content


def _change(path: Path, present: FileDigest, sealed: FileDigest) -> str:
    if advice := restored_by(path, sealed.sha256):
        return advice
    size = f"{present.bytes} bytes"
    if present.bytes != sealed.bytes:
        size += f", sealed {sealed.bytes}"
    return f"the file was changed after the run was sealed ({size}; its sha256 differs)"


def restored_by(path: Path, digest: str) -> str | None:
    """Return how to get back a file of a run of which only the line ends changed; None if more did."""
    with storage_errors(path):
        return line_ends_advice(path) if line_ends_changed(path.read_bytes(), digest) else None


def other_digest(run_dir: Path, manifest: Manifest, expected: str) -> list[str]:
    """Return a line if the manifest is not the expected one.

    expected: its digest as we show it, or the sha256 of manifest.json.
    """
    own = {manifest.digest, sha256((run_dir / NAME).read_bytes())}
    expects = f"its digest is {manifest.digest}, expected {expected.lower()}"
    return [] if expected.lower() in own else [f"{run_dir / NAME}: not the expected manifest; {expects}"]


def not_sealed(run_dir: Path, problems: Sequence[str]) -> RunError:
    """Return the error for a run with these problems."""
    return RunError(
        "\n".join([*problems, f"{plural(len(problems), 'problem')}: {run_dir} was changed after it was sealed"])
    )


class Verified(NamedTuple):
    """A run, a line for each problem of it, and a note for each check that could not be made."""

    entry: CatalogEntry
    problems: list[str]
    notes: list[str]


def check_sealed(run_dir: Path, manifest: Manifest) -> None:
    """Raise RunError unless a run is sealed and unchanged."""
    if not manifest.sealed:
        raise RunError(f"{run_dir}: the run is not sealed yet; complete it with: nullbench-site build")
    if problems := integrity_problems(run_dir)[1]:
        raise not_sealed(run_dir, problems)


def integrity_problems(run_dir: Path, *, but_for: str | None = None) -> tuple[Manifest, list[str]]:
    """Return the manifest, and a line for every file that differs from it.

    but_for: the prefix of paths that may differ. Raises RunError if the manifest is missing, damaged, changed or of a
    newer format.
    """
    manifest = read_manifest(run_dir)
    if not manifest.sealed:
        return manifest, [f"{run_dir}: the run is not sealed yet; build it to its end first"]
    present = file_digests(run_dir, but_for)
    expected = {name: of for name, of in manifest.files.items() if but_for is None or not name.startswith(but_for)}
    problems = [f"{one_line(str(link))}: {LINK}" for link in links(run_dir)]
    for name, sealed in sorted(expected.items()):
        shown = one_line(f"{run_dir}/{name}")  # a line break would begin a line that looks like ours
        if name not in present:
            problems.append(f"{shown}: the file is missing")
        elif not is_sealed(manifest, name, present[name].sha256):
            problems.append(f"{shown}: {_change(run_dir / name, present[name], sealed)}")
    added = sorted(present.keys() - expected.keys())
    problems += [f"{one_line(f'{run_dir}/{name}')}: the file was added after the run was sealed" for name in added]
    return manifest, problems
