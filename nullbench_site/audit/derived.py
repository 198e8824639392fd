"""The specs of an audit: a board whose contestants are attacks. An audit is a run of these specs.

So it is planned, resumed, sealed, verified and cached as a run, in audits/ instead of runs/.
"""

from __future__ import annotations

import re
import shutil
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import yaml

from nullbench_site import programs
from nullbench_site.audit.attack_registry import Attack, attacks
from nullbench_site.audit.random_search import PROGRAM
from nullbench_site.audit.search_specs import Found, SearchPlan, training, with_items
from nullbench_site.errors import UsageError
from nullbench_site.judging.protocol import judging
from nullbench_site.packaged import data_text
from nullbench_site.programs.program import NoParams
from nullbench_site.repository import AUDITS, Repository
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.storage import write_atomically
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import canonical_json, sha256
from nullbench_site.specs.listing import listing
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.protocol import protocol_files
from nullbench_site.specs.types import RECORDED, BoardFile, DomainFile, JudgedBoardFile
from nullbench_site.specs.types.answerers import UNRANKED
from nullbench_site.text import did_you_mean

PREFIX = "attack-"
"""Before the id of an attack, in the id of the contestant that gives it."""
SEARCHED, TRANSFER = "-search", "-transfer"
"""After the id of a board, in the id of the board of a search, and of one where its result is tried."""
FOUND = PREFIX + "searched"
"""The contestant that gives what a search found."""
REWORDED = "reworded"
"""Stands for all further wordings of the question to judges."""
_QUESTION = re.compile(r"\{\{\s*question\s*\}\}")
PANEL = "audit"
"""The panel of an audit of some judges."""
ITEMS = 24
"""How many items an audit draws: enough for a rate, also if a few verdicts cannot be read."""
_NOT_AUDITED = {"profiles", "labels", "ask_canaries"}
"""Fields of a board that an audit drops: it has no use for them."""
_MORE_CALLS = {"judged", "samples", "schedule", "templates", "geval"}
"""Fields of a board with judges that an audit drops too: they ask for more calls, or for verdicts on a few answers."""
_WRITTEN = {"boards", "models", "overlap", "labels", "ledger.yaml"}
"""Specs of a run that an audit has of its own, or has none of."""


class Audited(msgspec.Struct, frozen=True):
    """What to audit. boards: empty for all that can be audited. judges: these alone, instead of the panel.

    attacks: by id or kind; empty for all that apply. templates: the wordings of the judge's question, of the run's
    templates or `reworded` for ours; empty for those of the board. search: search a prefix, instead of trying attacks.
    found: try what a search found. items: how many items to draw.
    """

    boards: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    attacks: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()
    search: SearchPlan | None = None
    found: Found | None = None
    items: int = ITEMS


class AuditRepository(Repository, frozen=True):
    """The folders of an audit of a repository: specs of its own, runs in audits/."""

    of: Repository

    @property
    def runs(self) -> Path:
        return self.of.root / AUDITS

    @property
    def reused(self) -> tuple[Path, ...]:
        return (self.of.runs,)

    @property
    def private(self) -> Path:
        return self.of.private

    @property
    def variables(self) -> Mapping[str, str]:
        return self.of.variables


@cache
def wordings() -> Mapping[str, str]:
    """Return the further wordings of the question to judges that an audit may use, by id."""
    return msgspec.yaml.decode(data_text("judge_wordings.yaml"), type=dict[str, str])


def applying(board: BoardFile, chosen: Collection[str] = ()) -> list[Attack]:
    """Return the attacks that apply to a board. chosen: ids or kinds, all if empty. Raises UsageError for others.

    A program with params, such as the most frequent option, only the specs of a board can give.
    """
    known = attacks()
    for name in chosen:
        if name not in known and all(attack.kind != name for attack in known.values()):
            raise UsageError(f"unknown attack {name!r}; {did_you_mean(name, known)}")
    readable = programs.reading("contestant", judging(board.protocol).asks)
    known_programs = programs.all_programs()
    return [
        attack
        for attack in known.values()
        if (not attack.protocols or board.protocol in attack.protocols)
        and (not chosen or attack.id in chosen or attack.kind in chosen)
        and (attack.program or "attack") in readable
        and (attack.program is None or known_programs[attack.program].params is NoParams)
    ]


def audit_repositories(repository: Repository, entry: CatalogEntry, audited: Audited) -> Iterator[AuditRepository]:
    """Write the specs of an audit of each board of a run, in the cache. Raises UsageError if none can be audited."""
    benchmark = load_benchmark(entry.path / "specs", profile=entry.manifest.profile)
    reasons = {name: _why_not(benchmark, board, audited) for name, board in benchmark.boards.items()}
    for name in audited.boards:
        if name not in reasons:
            raise UsageError(f"run {entry.manifest.run} has no board {name!r}; {did_you_mean(name, reasons)}")
        if reasons[name]:
            raise UsageError(f"board {name!r} cannot be audited: {reasons[name]}")
    boards = audited.boards or [name for name, why in reasons.items() if not why]
    if not boards:
        raise UsageError(f"no board of run {entry.manifest.run} can be audited: {next(iter(reasons.values()))}")
    for judge in audited.judges:
        if judge not in benchmark.judges:
            raise UsageError(f"no board asks a judge {judge!r}; {did_you_mean(judge, benchmark.judges)}")
    _require_templates(entry, benchmark, boards, audited)
    for name in boards:
        root = repository.cache / AUDITS / name
        shutil.rmtree(root, ignore_errors=True)
        for path, content in _specs(entry, benchmark, benchmark.boards[name], audited):
            (root / "specs" / path).parent.mkdir(parents=True, exist_ok=True)
            write_atomically(root / "specs" / path, content)
        yield AuditRepository(root, of=repository)


def _require_templates(entry: CatalogEntry, benchmark: Benchmark, boards: Sequence[str], audited: Audited) -> None:
    """Raise UsageError for a wording that does not exist, shows no answer, or that no judge reads."""
    folder = entry.path / "specs" / "templates"
    for name in audited.templates:
        path = folder / f"{name}.txt"
        if name == REWORDED or name in wordings():
            continue
        if not path.is_file():
            raise UsageError(
                f"run {entry.manifest.run} has no template {name!r}; "
                f"{did_you_mean(name, [REWORDED, *(each.stem for each in folder.glob('*.txt'))])}"
            )
        if not _QUESTION.search(path.read_text("utf-8")):
            raise UsageError(f"template {name!r} shows judges no answer; add '{{{{ question }}}}', or choose another")
    for name in boards if audited.templates else ():
        judges = audited.judges or benchmark.panels[getattr(benchmark.boards[name], "panel", "")].judges
        if all(benchmark.judges[judge].is_program for judge in judges):
            raise UsageError(f"the judges of board {name!r} are programs, which read no template; leave out --template")


def _why_not(benchmark: Benchmark, board: BoardFile, audited: Audited) -> str:
    """Return why a board cannot be audited so; empty if it can. Raises UsageError for an unknown attack."""
    if isinstance(board, JudgedBoardFile):
        judges = (benchmark.judges[judge] for judge in benchmark.panels[board.panel].judges)
        if any(judge.backend == RECORDED for judge in judges):
            return "its verdicts were imported, so no judge can be asked"
    elif all(board.protocol not in attack.protocols for attack in attacks().values()):
        return "it has neither judges nor keys"
    elif audited.judges or audited.templates or audited.search or audited.found:
        return "it has keys and no judges; leave out --judge, --template, --search and --found"
    if not (audited.search or audited.found or applying(board, audited.attacks)):
        return "none of these attacks applies to it"
    return ""


def _specs(
    entry: CatalogEntry, benchmark: Benchmark, board: BoardFile, audited: Audited
) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each spec file of an audit."""
    source = entry.path / "specs"
    if audited.search is None:
        domains, chosen = _drawn(benchmark, board, audited.items)
    else:
        domain, chosen = training(benchmark, board, audited.search)
        domains = [domain]
    copied, rewritten = domains, set[str]() if chosen is None else {domain.id for domain in domains}
    if audited.search is not None and audited.search.search.filtered:  # the others are what the filter is made from
        copied = [each for each in benchmark.domains.values() if each.protocol == domains[0].protocol]
    own = {board.protocol, *(domain.protocol for domain in copied)}
    foreign = {path for protocol, paths in protocol_files().items() if protocol not in own for path in paths}
    read = {f"{domain.id}.yaml" for domain in copied}
    read |= {str(each.items_file) for domain in copied if domain.id not in rewritten for each in domain.categories}
    files = listing(source)
    for path in files.specs:
        name = path.relative_to(source).as_posix()
        folder = name.partition("/")[0]
        if (
            (folder == "domains" and path.name not in read)
            or folder in _WRITTEN
            or files.is_table(path)
            or (name == "judges.yaml" and not isinstance(board, JudgedBoardFile))
            or {name, f"{folder}/*.yaml"} & foreign
        ):
            continue
        if name == "benchmark.yaml":
            yield name, _dumped(_read(path) | {"version": entry.manifest.run})
        elif name == "judges.yaml" and audited.judges:
            judges = _read(path)
            panel = {"id": PANEL, "title": "Judges, audited", "judges": [*audited.judges], "same_family": True}
            yield name, _dumped(judges | {"panels": [*judges["panels"], panel]})
        elif name == "questions.yaml":
            items = {
                item.id
                for domain in copied
                for category in domain.categories
                for item in category.items
                if domain.id not in rewritten or item.id in (chosen or ())
            }
            content = _read(path)
            prohibitions = {item: of for item, of in content["prohibitions"].items() if item in items}
            yield name, _dumped(content | {"prohibitions": prohibitions})
        elif folder == "domains" and path.stem in rewritten:
            yield name, _dumped(with_items(_read(path), chosen or (), path.parent))
        else:
            yield name, path.read_bytes()
    yield from _board(entry, benchmark, board, audited, [domain.id for domain in domains])


def _drawn(benchmark: Benchmark, board: BoardFile, n: int) -> tuple[list[DomainFile], set[str] | None]:
    """Return the domains and the ids of n items or a few more; None for all items.

    Whole categories are drawn, as many of each domain as of the others: those with the lowest sha256 of their ids.
    """
    in_order = []
    for domain in (benchmark.domains[name] for name in board.domains):
        ranked = sorted(domain.categories, key=lambda category: sha256(category.id.encode()))
        in_order += [(place, sha256(each.id.encode()), each, domain.id) for place, each in enumerate(ranked)]
    chosen, names = set[str](), set[str]()
    for _, _, category, name in sorted(in_order, key=lambda each: each[:2]):
        if len(chosen) < n:
            chosen |= {item.id for item in category.items}
            names.add(name)
    every = len(chosen) == sum(1 for _ in benchmark.items(board))
    return [benchmark.domains[name] for name in board.domains if name in names], None if every else chosen


def _board(
    entry: CatalogEntry, benchmark: Benchmark, board: BoardFile, audited: Audited, domains: Sequence[str]
) -> Iterator[tuple[str, bytes]]:
    """Yield the spec files of the contestants and of the board of an audit."""
    source = entry.path / "specs"
    tried = audited.search is None and audited.found is None
    templates = [each for name in audited.templates for each in (wordings() if name == REWORDED else (name,))]
    for name in templates:
        if name in wordings():
            canary = uuid.uuid5(uuid.NAMESPACE_OID, name)
            yield f"templates/{name}.txt", f"# nullbench-canary:{canary}\n{wordings()[name]}\n".encode()
    opponents = getattr(board, "baselines", ())
    contestants = benchmark.contestants(board)
    whole = _read(source / "boards" / f"{board.id}.yaml")
    whole |= whole.get("profiles", {}).get(entry.manifest.profile, {})
    judged = isinstance(board, JudgedBoardFile)
    dropped = _NOT_AUDITED | _MORE_CALLS if judged else _NOT_AUDITED
    # Ranked contestants show which of them are above a floor of all attacks, if the run has their answers and verdicts.
    ranked = tried and not templates and not (judged and _MORE_CALLS & whole.keys())
    attackers = {attack.program for attack in attacks().values() if attack.program is not None}
    kept = [
        each.id
        for each in contestants
        if each.id in opponents or (ranked and (each.kind not in UNRANKED or each.model in attackers))
    ]
    for name in kept:
        yield f"models/{name}.yaml", (source / "models" / f"{name}.yaml").read_bytes()
    spec = {key: value for key, value in whole.items() if key not in dropped} | {"domains": [*domains]}
    if judged:
        spec["about"] = "judges"  # an audit measures what its judges do, also on a board about models
        spec["controls"] = {"items": "all", "kinds": ["shuffled-sentences"]} if tried else "none"
    if audited.judges:
        spec["panel"] = PANEL
    if audited.templates:
        spec["judge_templates"] = templates
    if audited.search is not None:
        kind = SEARCHED + audited.search.search.variant
        spec["samples"] = audited.search.steps
    else:
        kind = "" if audited.found is None else TRANSFER
    if kind:
        spec["id"] = "-".join([board.id + kind, *audited.templates])
    added = list(_added(benchmark, board, audited, spec))
    for model in added:
        yield f"models/{model['id']}.yaml", _dumped(model)
    spec["contestants"] = [*kept, *(model["id"] for model in added)]
    yield f"boards/{spec['id']}.yaml", _dumped(spec)


def _added(
    benchmark: Benchmark, board: BoardFile, audited: Audited, spec: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield the contestants that an audit adds to a board."""
    if audited.search is not None:
        search = audited.search.search
        asked = {
            **spec,
            "judge": [*audited.judges] or None,
            "items": audited.search.instructions,
            "steps": 0,
            "samples": 0,
        }
        params = msgspec.to_builtins(msgspec.structs.replace(search, board=sha256(canonical_json(asked))[:12]))
        if not search.filtered:
            del params["filtered"]  # older audits do not have it, and their answers are of the same search
        yield _contestant(attacks()[search.attack], id=SEARCHED[1:], model=PROGRAM, params=params)
    elif audited.found is not None:
        found = audited.found
        params = {"attack": found.attack, "found": found.text, "place": found.place}
        yield _contestant(attacks()[found.attack], id=FOUND, params=params)
    else:
        for attack in applying(board, audited.attacks):
            yield _contestant(attack, model=attack.program or "attack", params={} if attack.program else None)


def _contestant(
    attack: Attack, *, id: str = "", model: str = "attack", params: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the spec of the contestant that gives an attack."""
    name = id or PREFIX + attack.id
    return {
        "canary": f"nullbench-canary:{uuid.uuid5(uuid.NAMESPACE_OID, id or attack.id)}",
        "id": name,
        "title": f"Attack: {name.removeprefix(PREFIX)}",
        "description": attack.description,
        "kind": "null",
        "aware": bool(attack.inserts),
        "backend": "offline",
        "model": model,
        "params": {"attack": attack.id} if params is None else params,
        "family": "null",
    }


def _read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(path.read_bytes())
    return content


def _dumped(spec: Any) -> bytes:
    return yaml.safe_dump(spec, sort_keys=False, allow_unicode=True, width=120).encode()
