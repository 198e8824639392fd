"""What a build with private items looks after before it writes down a word of theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from nullbench_site.errors import RunError, UsageError
from nullbench_site.evaluation.plan import Caller
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.folder import PRIVATE
from nullbench_site.runs.verify import private_problems
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.private.ignored import left_to_git
from nullbench_site.specs.types import PrivateText


def check_private(caller: Caller, runs_dir: Path, entries: Sequence[CatalogEntry]) -> None:
    """Raises UsageError where git would take what is written of private items, RunError where the private part of an
    earlier run is not what was sealed: a copy of it would be sealed as if it were right."""
    if caller.benchmark.private and left_to_git(runs_dir.parent, [runs_dir / "any" / PRIVATE / "responses"]):
        advice = f"add the line /{runs_dir.name}/*/{PRIVATE}/ to .gitignore"
        raise UsageError(f"{runs_dir}: git would publish what a run keeps of private items; {advice}")
    sealed = (entry for entry in entries if entry.manifest.state == "sealed")
    problems = [problem for entry in sealed for problem in private_problems(entry.path)]
    if problems:
        raise RunError("\n".join([*problems, f"or take the folder {PRIVATE} of that run away, and build again"]))


def texts_by_domain(benchmark: Benchmark) -> Mapping[str, Sequence[PrivateText]]:
    """The private texts that are here, by the domain of their item, in the order of the specs."""
    found: dict[str, list[PrivateText]] = {}
    for domain, item in benchmark.hideable_items:
        if item.id in benchmark.private:
            found.setdefault(domain.id, []).append(benchmark.private[item.id])
    return found
