"""Benchmark repositories to test with: small ones of the shipped specs, and fixtures that hand out copies."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from nullbench_site import api
from nullbench_site.build_report import BuildReport
from nullbench_site.evaluation.backends import backend_names
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.plan_report import PlanReport
from nullbench_site.evaluation.targets import Selection
from nullbench_site.packaged import packaged
from nullbench_site.repository import Repository
from nullbench_site.runs.catalog import list_runs
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.load import load_benchmark
from nullbench_site.starter import make_repository

MODELS = ("lead-2", "null-constant", "paraphrase")
"""Three contestants whose answers differ on every item, so that no call of one answers a call of another."""
CATEGORIES = ("clinical-evidence", "observational-research")
ITEMS = 12
JUDGES = 3
CALLS = len(MODELS) * ITEMS * (1 + JUDGES)


def small_repository(folder: Path, models: Iterable[str] = MODELS) -> Repository:
    """A new repository with the contestants `models` alone and one domain: two categories with six items each."""
    write_starter(folder)
    board = folder / "specs" / "boards" / "main.yaml"
    edit(board, "domains: [science, summarization]", "domains: [science]")
    edit(board, "panel: rules\n", "panel: rules\ncontrols: none\n")
    edit(board, "ask_canaries: true\n", "")
    for kind in ("domains", "goals"):
        (folder / "specs" / kind / "summarization.yaml").unlink()
    for path in (folder / "specs" / "models").glob("*.yaml"):
        if path.stem not in models:
            path.unlink()
    return Repository(folder)


@cache
def shipped_benchmark(profile: str | None = None) -> Benchmark:
    """The specs of this repository, which take half a second to read."""
    return load_benchmark(packaged("specs"), backends=backend_names(), profile=profile)


def write_starter(folder: Path) -> None:
    """Write what `init` writes, with the same canaries each time."""
    for path, data in _starter().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)


@cache
def _starter() -> dict[Path, bytes]:
    with TemporaryDirectory() as made:
        folder = make_repository(Path(made) / "board", "Small board")
        return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def build(repository: Repository, *models: str, fresh: bool = False, retry_failed: bool = False) -> BuildReport:
    """Build without rendering, as `build --no-render` does."""
    order = BuildOptions(Selection(models=models), fresh=fresh, retry_failed=retry_failed)
    return api.build(repository, order, render_site=False)


def run_dir(repository: Repository) -> Path:
    """The folder of the newest run."""
    return list_runs(repository.runs)[-1].path


def state(repository: Repository) -> str | None:
    """Whether the newest run is open or sealed; None where there is none."""
    entries = list_runs(repository.runs)
    return entries[-1].manifest.state if entries else None


def copy_of(repository: Repository, target: Path) -> Repository:
    shutil.copytree(repository.root, target)
    return Repository(target)


def adds_up(plan: PlanReport) -> bool:
    """Whether the rows of a plan add up to its last row, calls to make and known calls."""
    rows = [(row.to_make, row.known) for row in plan.calls]
    return tuple(map(sum, zip(*rows, strict=True))) == (plan.all.to_make, plan.all.known)


def edit(path: Path, old: str, new: str) -> None:
    """Replace the first `old` of a file; fails where there is none."""
    text = path.read_text("utf-8")
    assert old in text, f"{path} has no {old!r}"
    path.write_text(text.replace(old, new, 1), "utf-8")


def add_model(repository: Repository, id: str, model: str, params: str = "") -> None:
    """A new contestant of the offline backend."""
    text = (repository.specs / "models" / "lead-2.yaml").read_text("utf-8")
    for line in text.splitlines():
        if line.startswith("canary:"):
            text = text.replace(line, f'canary: "nullbench-canary:{uuid.uuid4()}"')
        if line.startswith(("id:", "title:", "model:", "params:")):
            text = text.replace(f"{line}\n", "")
    text += f"id: {id}\ntitle: {id}\nmodel: {model}\n" + (f"params: {params}\n" if params else "")
    (repository.specs / "models" / f"{id}.yaml").write_text(text, "utf-8")


@pytest.fixture(scope="session")
def unbuilt_original(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return small_repository(tmp_path_factory.mktemp("unbuilt") / "board")


@pytest.fixture(scope="session")
def built_original(unbuilt_original: Repository, tmp_path_factory: pytest.TempPathFactory) -> Repository:
    repository = copy_of(unbuilt_original, tmp_path_factory.mktemp("built") / "board")
    build(repository)
    return repository


@pytest.fixture
def repository(unbuilt_original: Repository, tmp_path: Path) -> Repository:
    """A small repository that was never built."""
    return copy_of(unbuilt_original, tmp_path / "board")


@pytest.fixture
def built(built_original: Repository, tmp_path: Path) -> Repository:
    """A small repository with one sealed run; the specs are those of `repository`."""
    return copy_of(built_original, tmp_path / "built")
