"""What an audit needs to search: the instructions that a search asks about, and what one has found."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import msgspec

from nullbench_site.audit.random_search import INSTRUCTIONS, Place, Search, search_of
from nullbench_site.audit.search_walk import search_steps
from nullbench_site.errors import UsageError
from nullbench_site.repository import AUDITS, Repository
from nullbench_site.runs.catalog import list_runs
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.verify import integrity_problems
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import sha256
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.types import BoardFile, DomainFile
from nullbench_site.text import did_you_mean


class SearchPlan(msgspec.Struct, frozen=True):
    """A search, and how long it is. train: the domain of its instructions; None for the first one that fits."""

    search: Search
    steps: int = 64
    instructions: int = INSTRUCTIONS
    train: str | None = None


class Found(msgspec.Struct, frozen=True):
    """What a search found. audit: its folder."""

    audit: str
    attack: str
    text: str
    place: Place


def training(benchmark: Benchmark, board: BoardFile, plan: SearchPlan) -> tuple[DomainFile, set[str]]:
    """Return the domain and the ids of the instructions of a search. Raises UsageError without enough of them."""
    if not getattr(board, "baselines", ()) or getattr(board, "orders", "") != "both":
        why = "does not compare each answer with a baseline in both orders"
        raise UsageError(f"board {board.id!r} {why}; search with the judge of a board that does")
    protocols = {benchmark.domains[name].protocol for name in board.domains}
    fit = {
        name: [item.id for each in domain.categories for item in each.items if item.visibility == "public"]
        for name, domain in benchmark.domains.items()
        if name not in board.domains and domain.protocol in protocols
    }
    name = plan.train or next((name for name, items in fit.items() if len(items) >= plan.instructions), None)
    if name is None:
        raise UsageError(
            f"no domain outside of board {board.id!r} has {plan.instructions} public items; give fewer --instructions"
        )
    if name not in fit:
        why = "it is of the board" if name in board.domains else "no such domain has items as those of the board"
        raise UsageError(f"cannot train on domain {name!r}: {why}; {did_you_mean(name, fit)}")
    items = sorted(fit[name], key=lambda item: sha256(f"{plan.search.seed}\n{item}".encode()))
    if len(items) < plan.instructions:
        problem = f"domain {name!r} has {len(items)} public items, and the search needs {plan.instructions}"
        raise UsageError(f"{problem}; choose another with --train, or fewer --instructions")
    return benchmark.domains[name], set(items[: plan.instructions])


def with_items(domain: dict[str, Any], chosen: Collection[str], folder: Path) -> dict[str, Any]:
    """Return a domain with the chosen items only."""
    categories = []
    for category in domain["categories"]:
        items = category.get("items", [])
        if path := category.pop("items_file", None):
            items = [msgspec.json.decode(line) for line in (folder / path).read_bytes().splitlines()[1:]]
        if kept := [item for item in items if item["id"] in chosen]:
            categories.append(category | {"items": kept})
    return domain | {"categories": categories}


def found_by(repository: Repository, audit: str, run: str) -> Found:
    """Return what the search of a sealed audit of a run found. Raises UsageError if there is none."""
    path = repository.root / AUDITS / audit.rstrip("/").rpartition("/")[2]
    known = [entry.path.name for entry in list_runs(repository.root / AUDITS)]
    if path.name not in known:
        raise UsageError(f"there is no audit {audit!r}; {did_you_mean(path.name, known)}")
    manifest, problems = integrity_problems(path)
    if problems or not manifest.sealed:
        raise UsageError("\n".join(problems) or f"the search of {path.name} is not complete; run its command again")
    if manifest.version != run:
        raise UsageError(
            f"{path.name} is an audit of run {manifest.version}, not of {run}; search again, calls are kept"
        )
    benchmark = load_benchmark(path / "specs")
    for board in benchmark.boards.values():
        searched = search_of(benchmark.contestants(board))
        best = [step for step in search_steps(benchmark, board, RunFolder(path, manifest)) if step.kept]
        if searched is not None and best:
            return Found(path.name, searched[1].attack, best[-1].found, searched[1].place)
    raise UsageError(f"{path.name} is not the audit of a search; make one with: nullbench-site audit --search ATTACK")
