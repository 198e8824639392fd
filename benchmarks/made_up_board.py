"""Write a benchmark repository with any number of contestants, 13 domains and 200 items, and a sealed run.

`python -m benchmarks.made_up_board DIR CONTESTANTS` writes it. Specs are the shipped ones with more items and
contestants; answers and verdicts are made up, scored and sealed as those of a build are. Contestants beyond the shipped
programs look like models at an endpoint: a vendor, a size, prices, tokens and times each.
"""

from __future__ import annotations

import random
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from benchmarks.measure import ROOT
from benchmarks.million import ANSWER, RATIONALE, WHEN
from nullbench_site import api
from nullbench_site.protocols.axes.specs import AxesBoardFile, AxesPlacedItem
from nullbench_site.repository import Repository
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.manifest import FORMAT, Manifest
from nullbench_site.runs.records import Judgment, Record, Response, Score, encode
from nullbench_site.specs.digest import spec_digest
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.types import ModelFile

BOARD = "nullbench"
ITEMS = 200
_VENDORS = ("Aster Labs", "Nordwind", "Mica", "Hatchery", "Quarry", "Tern", "Osier")
_SIZES = (1.0, 3.0, 8.0, 12.0, 32.0, 70.0, 235.0)
_OWN_SPECS = ("axes.yaml", "judges.yaml", "benchmark.yaml", "endpoints.yaml", "templates", "goals")


def write_repository(root: Path, contestants: int) -> Repository:
    """Write the whole of it below `root`."""
    repository = Repository(root)
    repository.specs.mkdir(parents=True)
    shutil.copy(ROOT / "mkdocs.yml", root)
    for name in _OWN_SPECS:
        copy = shutil.copytree if (ROOT / "specs" / name).is_dir() else shutil.copy
        copy(ROOT / "specs" / name, repository.specs / name)
    board = yaml.safe_load((ROOT / "specs" / "boards" / f"{BOARD}.yaml").read_text("utf-8"))
    programs = board["contestants"]
    made_up = [f"model-{number:04}" for number in range(contestants - len(programs))]
    _write(repository.specs / "boards" / f"{BOARD}.yaml", _board(board, [*programs, *made_up]))
    _write_domains(repository.specs, board["domains"])
    (repository.specs / "models").mkdir()
    for program in programs:
        shutil.copy(ROOT / "specs" / "models" / f"{program}.yaml", repository.specs / "models")
    for number, name in enumerate(made_up):
        _write(repository.specs / "models" / f"{name}.yaml", _model(name, number))
    _write_run(repository)
    return repository


def _write(path: Path, spec: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.dump(spec, Dumper=yaml.CSafeDumper, sort_keys=False), "utf-8")


def _board(spec: dict[str, Any], contestants: list[str]) -> dict[str, Any]:
    """Without profiles, which name other contestants, and with fewer resamples, which no page shows."""
    without = {key: value for key, value in spec.items() if key != "profiles"}
    return {**without, "contestants": contestants, "bootstrap": {"resamples": 200, "seed": 1}}


def _write_domains(specs: Path, names: Sequence[str]) -> None:
    """The shipped domains; items come again, with another source, until there are enough."""
    domains = {name: yaml.safe_load((ROOT / "specs" / "domains" / f"{name}.yaml").read_text("utf-8")) for name in names}
    categories = [category for domain in domains.values() for category in domain["categories"]]
    missing = ITEMS - sum(len(category["items"]) for category in categories)
    for number in range(missing):
        items = categories[number % len(categories)]["items"]
        twin = items[number // len(categories)]
        items.append({**twin, "id": f"{twin['id']}-again", "source": f"{twin['source']} This is note {number}."})
    for name, domain in domains.items():
        _write(specs / "domains" / f"{name}.yaml", domain)


def _model(name: str, number: int) -> dict[str, Any]:
    size = _SIZES[number % len(_SIZES)]
    return {
        "canary": f"nullbench-canary:00000000-0000-4000-8000-{number:012}",
        "id": name, "title": f"{_VENDORS[number % len(_VENDORS)].split()[0]} {number}", "kind": "model",
        "description": "A model that does not exist, for measuring.",
        "backend": "openai", "model": f"made-up/{name}", "family": f"family-{number % len(_VENDORS)}",
        "vendor": _VENDORS[number % len(_VENDORS)], "license": "Apache-2.0", "open_weights": number % 2 == 0,
        "parameters_b": size, "memory_gb": 2 * size, "released": f"2026-{1 + number % 9:02}",
        "prices": {"input": 0.1 * size, "output": 0.4 * size, "date": "2026-11-01", "source": "made up"},
    }  # fmt: skip


def _write_run(repository: Repository) -> None:
    benchmark = load_benchmark(repository.specs)
    digest = spec_digest(benchmark)
    manifest = Manifest(
        format=FORMAT, run=f"{benchmark.about.version}-{digest[:8]}", benchmark=benchmark.about.id,
        version=benchmark.about.version, spec_digest=digest, calls_digest="0" * 64, tool="benchmarks", state="open",
        fresh=False, created_at=WHEN,
    )  # fmt: skip
    folder = RunFolder.create(repository.runs / manifest.run, manifest, repository.specs)
    board = benchmark.boards[BOARD]
    assert isinstance(board, AxesBoardFile)
    items = list(benchmark.items(board))
    panel = benchmark.panels[board.panel].judges
    for place, model in enumerate(board.contestants):
        _write_shards(folder, benchmark.models[model], items, panel, random.Random(place))  # noqa: S311 - no secrets
    folder.note(folder.tally())
    api.score(repository, None)
    RunFolder(folder.path, folder.manifest).seal(WHEN)


def _write_shards(
    folder: RunFolder, model: ModelFile, items: Sequence[AxesPlacedItem], panel: Sequence[str], rng: random.Random
) -> None:
    skill = 0.0 if model.kind == "null" else rng.gauss(3.4, 0.5)
    responses = [_response(rng, model, placed.id) for placed in items]
    judgments = [
        judgment
        for response, placed in zip(responses, items, strict=True)
        for judgment in _judgments(rng, response, placed.category.axes, panel, skill)
    ]
    for kind, records in ((Response, responses), (Judgment, judgments)):
        path = folder.shard(kind, model.id)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"".join(sorted(map(encode, list[Record](records)))))


def _response(rng: random.Random, model: ModelFile, item: str) -> Response:
    text = ANSWER.format(rng.randint(100, 999), rng.randint(10, 99))
    tokens = rng.randint(40, 400) if model.prices else None
    cost = tokens * model.prices.output / 1e6 if tokens and model.prices else None
    return Response(
        key=rng.randbytes(32).hex(), board=BOARD, model=model.id, item=item, template="zero-context", sample=0,
        state="answered", text=text, error=None, started_at=WHEN, seconds=round(rng.lognormvariate(0, 0.5), 6),
        output_tokens=tokens, input_tokens=tokens, cost_usd=cost,
    )  # fmt: skip


def _judgments(
    rng: random.Random, response: Response, axes: Sequence[str], panel: Sequence[str], skill: float
) -> Iterator[Judgment]:
    """Judges agree more or less; one answer in 50 is called a refusal."""
    truth, refused = rng.gauss(skill, 0.8), rng.random() < 0.02
    for place, judge in enumerate(panel):
        scores: dict[str, Score] = {axis: min(5, max(1, round(rng.gauss(truth, 0.6)))) for axis in axes}
        for name in ("goal_alignment", "quality"):
            scores[name] = min(100, max(0, round(rng.gauss(truth * 20, 8))))
        if place < 2:
            scores |= {"refused_answer": refused, "refused_prompt": refused}
        yield Judgment(
            key=rng.randbytes(32).hex(), board=BOARD, model=response.model, item=response.item,
            template="zero-context", sample=0, judge=judge, judge_template=None, position=None, state="scored",
            scores=scores, invalid={}, rationale=RATIONALE.format(rng.randint(0, 6), rng.randint(0, 3), 2),
            raw=None, error=None, started_at=WHEN, seconds=round(rng.uniform(0.001, 0.01), 6),
        )  # fmt: skip


if __name__ == "__main__":
    write_repository(Path(sys.argv[1]), int(sys.argv[2]))
