"""A whole benchmark that is small: one board, two domains, three categories, six items, three judges, four contestants.

Its own files stand in `small_benchmark/`; axes, judges, template and contestants are the shipped ones, so a build
of it runs the same programs as a build of the real board, on 6 items instead of 156.
"""

from __future__ import annotations

import re
import shutil
import uuid
from pathlib import Path

from nullbench_site.packaged import packaged
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.rules import BackendNames

OWN = Path(__file__).parent / "small_benchmark"
SHIPPED = (
    "axes.yaml", "judges.yaml", "templates/zero-context.j2",
    *(f"models/{name}.yaml" for name in ("lead-2", "textrank-2", "null-constant", "null-empty")),
)  # fmt: skip
BACKENDS = BackendNames(
    contestants={"offline": frozenset({"lead", "textrank", "null-constant", "null-empty"})},
    judges={"offline": frozenset({"support", "restraint", "form"})},
)
"""What its contestants and judges need: a check against names without the programs behind them."""
_CANARY = re.compile(r"nullbench-canary:[0-9a-f-]{36}")


def write_small_benchmark(folder: Path) -> Path:
    """Write the small benchmark into `folder`/specs, the same bytes each time; returns `folder`/specs."""
    specs = folder / "specs"
    shutil.copytree(OWN, specs)
    for name in SHIPPED:
        target = specs / name
        target.parent.mkdir(exist_ok=True)
        canary = f"nullbench-canary:{uuid.uuid5(uuid.NAMESPACE_URL, name)}"
        target.write_text(_CANARY.sub(canary, (packaged("specs") / name).read_text("utf-8")), "utf-8")
    return specs


def small_benchmark(folder: Path) -> Benchmark:
    """The small benchmark, written below `folder`, loaded and checked."""
    return load_benchmark(write_small_benchmark(folder), backends=BACKENDS)


def edit(specs: Path, file: str, old: str, new: str) -> None:
    """Replace `old`, which stands once in a spec file, by `new`."""
    path = specs / file
    text = path.read_text("utf-8")
    assert text.count(old) == 1, f"{file} has {text.count(old)} times {old!r}; an edit needs one place"
    path.write_text(text.replace(old, new), "utf-8")
