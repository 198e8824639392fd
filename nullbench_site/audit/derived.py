"""The specs of an audit: a board whose contestants are attacks. An audit is a run of these specs.

So it is planned, resumed, sealed, verified and cached as a run, in audits/ instead of runs/.
"""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import yaml

from nullbench_site import programs
from nullbench_site.audit.attack_registry import Attack, attacks
from nullbench_site.errors import UsageError
from nullbench_site.judging.protocol import judging
from nullbench_site.repository import AUDITS, Repository
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.storage import write_atomically
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.listing import listing
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.protocol import protocol_files
from nullbench_site.specs.types import RECORDED, BoardFile, JudgedBoardFile
from nullbench_site.text import did_you_mean

PREFIX = "attack-"
"""Before the id of an attack, in the id of the contestant that gives it."""
PANEL = "audit"
"""The panel of an audit of one judge."""
_NOT_AUDITED = {"profiles", "labels", "ask_canaries", "samples", "schedule", "templates", "geval"}
"""Fields of a board that an audit drops: they ask for more calls, or compare answers that it does not have."""
_WRITTEN = {"boards", "models", "overlap", "labels", "ledger.yaml"}
"""Specs of a run that an audit has of its own, or has none of."""


class Audited(msgspec.Struct, frozen=True):
    """What to audit. boards: empty for all whose judges can be asked. judge: alone, instead of the panel.

    attacks: by id or kind; empty for all that apply. templates: the wordings of the judge's question, of the run's
    templates; empty for those of the board.
    """

    boards: tuple[str, ...] = ()
    judge: str | None = None
    attacks: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()


class AuditRepository(Repository, frozen=True):
    """The folders of an audit of a repository: specs of its own, runs in audits/."""

    of: Repository

    @property
    def runs(self) -> Path:
        return self.of.root / AUDITS

    @property
    def private(self) -> Path:
        return self.of.private

    @property
    def variables(self) -> Mapping[str, str]:
        return self.of.variables


def applying(benchmark: Benchmark, board: BoardFile, chosen: Collection[str] = ()) -> list[Attack]:
    """Return the attacks that apply to a board. chosen: ids or kinds, all if empty. Raises UsageError for others."""
    known = attacks()
    for name in chosen:
        if name not in known and all(attack.kind != name for attack in known.values()):
            raise UsageError(f"unknown attack {name!r}; {did_you_mean(name, known)}")
    readable = programs.contestants_reading(judging(board.protocol).asks)
    return [
        attack
        for attack in known.values()
        if (not attack.protocols or board.protocol in attack.protocols)
        and (not chosen or attack.id in chosen or attack.kind in chosen)
        and attack.program is None
        and "attack" in readable
    ]


def audit_repositories(repository: Repository, entry: CatalogEntry, audited: Audited) -> Iterator[AuditRepository]:
    """Write the specs of an audit of each board of a run, in the cache. Raises UsageError if none can be audited."""
    benchmark = load_benchmark(entry.path / "specs", profile=entry.manifest.profile)
    boards = audited.boards or [name for name, board in benchmark.boards.items() if _is_asked(benchmark, board)]
    for name in boards:
        if name not in benchmark.boards:
            raise UsageError(f"run {entry.manifest.run} has no board {name!r}; {did_you_mean(name, benchmark.boards)}")
        if not _is_asked(benchmark, benchmark.boards[name]):
            raise UsageError(f"no judge of board {name!r} can be asked; audit a board whose judges are called")
    if not boards:
        raise UsageError(f"no board of run {entry.manifest.run} has a judge that can be asked")
    if audited.judge is not None and audited.judge not in benchmark.judges:
        raise UsageError(f"no board asks a judge {audited.judge!r}; {did_you_mean(audited.judge, benchmark.judges)}")
    for name in boards:
        root = repository.cache / AUDITS / name
        shutil.rmtree(root, ignore_errors=True)
        for path, content in _specs(entry, benchmark, benchmark.boards[name], audited):
            (root / "specs" / path).parent.mkdir(parents=True, exist_ok=True)
            write_atomically(root / "specs" / path, content)
        yield AuditRepository(root, of=repository)


def _is_asked(benchmark: Benchmark, board: BoardFile) -> bool:
    """Return True if a board has judges, and all can be asked."""
    if not isinstance(board, JudgedBoardFile):
        return False
    return all(benchmark.judges[judge].backend != RECORDED for judge in benchmark.panels[board.panel].judges)


def _specs(
    entry: CatalogEntry, benchmark: Benchmark, board: BoardFile, audited: Audited
) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each spec file of an audit."""
    source = entry.path / "specs"
    domains = [benchmark.domains[name] for name in board.domains]
    own = {board.protocol, *(domain.protocol for domain in domains)}
    foreign = {path for protocol, paths in protocol_files().items() if protocol not in own for path in paths}
    read = {f"{domain.id}.yaml" for domain in domains}
    read |= {str(category.items_file) for domain in domains for category in domain.categories}
    files = listing(source)
    for path in files.specs:
        name = path.relative_to(source).as_posix()
        folder = name.partition("/")[0]
        if (
            (folder == "domains" and path.name not in read)
            or folder in _WRITTEN
            or files.is_table(path)
            or {name, f"{folder}/*.yaml"} & foreign
        ):
            continue
        if name == "benchmark.yaml":
            yield name, _dumped(_read(path) | {"version": entry.manifest.run})
        elif name == "judges.yaml" and audited.judge is not None:
            judges = _read(path)
            panel = {"id": PANEL, "title": "One judge, audited", "judges": [audited.judge], "same_family": True}
            yield name, _dumped(judges | {"panels": [*judges["panels"], panel]})
        else:
            yield name, path.read_bytes()
    used = applying(benchmark, board, audited.attacks)
    opponents = getattr(board, "baselines", ())
    kept = [model.id for model in benchmark.contestants(board) if model.kind == "null" or model.id in opponents]
    for name in kept:
        yield f"models/{name}.yaml", (source / "models" / f"{name}.yaml").read_bytes()
    for attack in used:
        yield f"models/{PREFIX}{attack.id}.yaml", _dumped(_contestant(attack))
    whole = _read(source / "boards" / f"{board.id}.yaml")
    whole |= whole.get("profiles", {}).get(entry.manifest.profile, {})
    spec = {key: value for key, value in whole.items() if key not in _NOT_AUDITED}
    spec["contestants"] = [*kept, *(PREFIX + attack.id for attack in used)]
    spec["controls"] = {"items": "all", "kinds": ["shuffled-sentences"]}
    if audited.judge is not None:
        spec["panel"] = PANEL
    if audited.templates:
        spec["judge_templates"] = list(audited.templates)
    yield f"boards/{board.id}.yaml", _dumped(spec)


def _contestant(attack: Attack) -> dict[str, Any]:
    """Return the spec of the contestant that gives an attack."""
    return {
        "canary": f"nullbench-canary:{uuid.uuid5(uuid.NAMESPACE_OID, attack.id)}",
        "id": PREFIX + attack.id,
        "title": f"Attack: {attack.id}",
        "description": attack.description,
        "kind": "null",
        "aware": bool(attack.inserts),
        "backend": "offline",
        "model": "attack",
        "params": {"attack": attack.id},
        "family": "null",
    }


def _read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(path.read_bytes())
    return content


def _dumped(spec: Any) -> bytes:
    return yaml.safe_dump(spec, sort_keys=False, allow_unicode=True, width=120).encode()
