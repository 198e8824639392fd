"""Measure how far the program judges of the rubric protocol agree with model judges.

`python -m benchmarks.program_judges [--write] [--data DIR]` reads ../shared/data/benchpress: answers of its models and
the marks of its judges, which are models. The programs mark the same answers with the same prompts, ideals and
criteria, and with the flags of our checks. The programs were developed on prompts with odd numbers and tried on 2, 6,
10 ... The published figures are those on the remaining prompts, whose answers nobody read. --write stores them in the
package.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

import msgspec
import numpy as np

from benchmarks.measure import ROOT
from benchmarks.validity import FIGURES, validity
from nullbench_site import api, programs
from nullbench_site.checks.registry import run_checks
from nullbench_site.evaluation.backends.programs import ProgramsBackend
from nullbench_site.programs import ProgramValidity, ValidityFigure
from nullbench_site.repository import Repository
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.manifest import read_manifest
from nullbench_site.runs.records import Judgment, Response
from nullbench_site.stats.arrays import Bools, Floats

DATA = ROOT.parent / "shared" / "data" / "benchpress"
STORED = ROOT / "nullbench_site" / "data" / "validity.yaml"
JUDGES = ("compliance", "coverage", "substance")
RESAMPLES, SEED = 2000, 20261122


def marked(
    source: Path, judging: Sequence[str] = JUDGES, *, all_prompts: bool = True
) -> tuple[list[str], tuple[str, ...], Floats, Floats]:
    """Prompts by id, the judges that are models, and (programs, prompts, models) and (prompts, models) marks of 1-5.

    The second are means over the judges; NaN where none gave a mark. judging: the programs. all_prompts: otherwise
    those that were held out alone.
    """
    with TemporaryDirectory() as into:
        api.import_results("benchpress", source, Path(into) / "board")
        repository = Repository(Path(into) / "board")
        benchmark = api.validate(repository)
        board = next(iter(benchmark.boards.values()))
        items = {placed.id: placed for placed in benchmark.items(board) if all_prompts or is_held_out(placed.id)}
        path = next(repository.runs.iterdir())
        folder = RunFolder(path, read_manifest(path))
        models = folder.models()
        ours = np.full((len(judging), len(items), len(models)), np.nan)
        theirs = np.full(ours.shape[1:], np.nan)
        at = {item: row for row, item in enumerate(items)}
        (judges,) = (panel.judges for panel in benchmark.panels.values())
        for column, model in enumerate(models):
            given: dict[str, list[float]] = {}
            for judgment in folder.records(Judgment, model):
                if judgment.sample == 0 and judgment.judge in judges and judgment.state == "scored":
                    given.setdefault(judgment.item, []).append(judgment.scores["score"])
            for response in folder.records(Response, model):
                if response.sample == 0 and response.item in given and response.item in items:
                    placed = items[response.item]
                    fields = {
                        "prompt": placed.prompt,
                        "ideal": placed.ideal,
                        "criteria": list(placed.criteria),
                        "flags": [str(f) for found in run_checks(response.text, placed.checks) for f in found.flags],
                        "response": response.text,
                    }
                    theirs[at[response.item], column] = fmean(given[response.item])
                    for number, judge in enumerate(judging):
                        reply = msgspec.json.decode(programs.reply(judge, {}, fields))
                        ours[number, at[response.item], column] = reply["score"]
    return list(items), judges, ours, theirs


def is_held_out(prompt: str) -> bool:
    """Whether the number of the prompt is a multiple of four."""
    return int(prompt[1:]) % 4 == 0


def held_out(prompts: list[str]) -> Bools:
    """(prompts,) which were held out."""
    return np.array([is_held_out(prompt) for prompt in prompts])


def figures(ours: Floats, theirs: Floats, judging: Sequence[str] = JUDGES) -> dict[str, ValidityFigure]:
    """By program, and of their mean."""
    tables = {**dict(zip(judging, ours, strict=True)), "mean": ours.mean(axis=0)}
    found = {name: validity(table, theirs, resamples=RESAMPLES, seed=SEED) for name, table in tables.items()}
    rounded = {
        name: {figure: [round(number, 3) for number in each[figure]] for figure in FIGURES}
        for name, each in found.items()
    }
    return msgspec.convert(rounded, dict[str, ValidityFigure])


def measured(source: Path) -> tuple[ProgramValidity, dict[str, dict[str, ValidityFigure]]]:
    """What is published, and the figures on the prompts developed on and on all, to compare with."""
    prompts, judges, ours, theirs = marked(source)
    held = held_out(prompts)
    published = ProgramValidity(
        programs=ProgramsBackend.identity,
        date=datetime.now(UTC).date().isoformat(),
        source=f"BenchPress (github markstent/BenchPress, MIT licence, commit {commit(source)[:12]})",
        judges=tuple(sorted(judges)),
        models=theirs.shape[1],
        prompts=int(held.sum()),
        developed_on=int((~held).sum()),
        answers=int((~np.isnan(theirs[held])).sum()),
        figures=figures(ours[:, held], theirs[held]),
    )
    return published, {"developed on": figures(ours[:, ~held], theirs[~held]), "all": figures(ours, theirs)}


def commit(source: Path) -> str:
    """Of the data, by the file beside them."""
    known: str = msgspec.json.decode((source / "expected.json").read_bytes())["commit"]
    return known


def main(source: Path, *, write: bool) -> int:
    """Print the table; 0 also where there is no data, after a sentence."""
    if not source.is_dir():
        print(f"no recorded responses in {source}: nothing to measure")
        return 0
    published, others = measured(source)
    for title, part in {"held out": published.figures, **others}.items():
        print(f"\n{title:14}" + "".join(f"{figure:>26}" for figure in FIGURES))
        for name, figure in part.items():
            each = (getattr(figure, which) for which in FIGURES)
            print(f"{name:14}" + "".join(f"{v:>10.3f} [{low:6.3f}, {high:5.3f}]" for v, low, high in each))
    if write:
        STORED.write_bytes(REMARK + msgspec.yaml.encode(published))
    return 0


REMARK = b"""\
# How far judges that are programs go with judges that are models: correlations and their 95 % intervals by prompt.
# Measured on prompts that the programs were not developed on; written by `python -m benchmarks.program_judges --write`.

"""

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.program_judges")
    parser.add_argument("--write", action="store_true", help="put the figures into the package")
    parser.add_argument("--data", type=Path, default=DATA, help="where the data are")
    chosen = parser.parse_args()
    sys.exit(main(chosen.data, write=chosen.write))
