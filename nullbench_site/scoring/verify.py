"""Whether a run's results follow from its records: they are worked out again and compared byte for byte."""

from __future__ import annotations

from pathlib import Path

from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.manifest import Manifest
from nullbench_site.scoring.rechecked import recheck_problems
from nullbench_site.scoring.score import run_benchmark, score_run
from nullbench_site.scoring.tables import result_files
from nullbench_site.specs.digest import spec_digest


def recomputation_problems(run_dir: Path, manifest: Manifest) -> list[str]:
    """A line for each result that the records do not give, and for specs that are not those of the run.

    And for each response of which a check or key finds something else than was recorded.
    """
    problems = []
    benchmark = run_benchmark(run_dir)
    digest = spec_digest(benchmark)
    if digest != manifest.spec_digest:
        made_from = manifest.spec_digest[:8]
        problems.append(
            f"{run_dir / 'specs'}: the specs have the digest {digest[:8]}, the run was made from {made_from}"
        )
    folder = RunFolder(run_dir, manifest)
    tally = folder.tally()
    if (tally.counts, tally.usage) != (manifest.counts, manifest.usage):
        problems.append(f"{run_dir}: the records add up to other counts, tokens or costs than the manifest says")
    problems += recheck_problems(benchmark, folder)
    for results in score_run(folder):
        for name, content in result_files(results).items():
            path = run_dir / "results" / results.board / name
            if not path.is_file() or path.read_bytes() != content:
                problems.append(f"{path}: the records give other numbers; score the run again, or find what changed")
    return problems
