"""Write a benchmark repository whose contestants and judges use one endpoint, `local`:

`python -m benchmarks.live DIR BASE_URL CONTESTANTS ITEMS JUDGES CONCURRENCY`
"""

from __future__ import annotations

import sys
import uuid
from itertools import cycle, islice
from pathlib import Path

import msgspec

from nullbench_site.protocols.axes.specs import AxesDomainFile
from nullbench_site.specs import types
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.load import load_benchmark
from nullbench_site.starter import make_repository

_DOMAIN = "science"


def write_live(folder: Path, base_url: str, *, contestants: int, items: int, judges: int, concurrency: int) -> None:
    """Write contestants x items x (1 + judges) calls: the items those of the shipped domain, over and over, renumbered.

    No two calls are alike, and each contestant stands in a family of its own, so that every judge judges it.
    """
    specs = make_repository(folder, "Live") / "specs"
    made = load_benchmark(specs)
    for path in (*specs.glob("models/*"), *specs.glob("*/summarization.yaml")):
        path.unlink()
    models = [f"model-{number:02}" for number in range(contestants)]
    panel = [f"judge-{number}" for number in range(judges)]
    own = {"domains": (_DOMAIN,), "contestants": tuple(models), "controls": "none"}
    board = msgspec.structs.replace(made.boards["main"], **own)
    endpoint = types.Endpoint(id="local", base_url=base_url, limits=types.Limits(concurrency=concurrency))
    _write(specs / "boards" / "main.yaml", board)
    _write(specs / "endpoints.yaml", types.EndpointsFile(canary=_canary(), endpoints=(endpoint,)))
    _write(
        specs / "judges.yaml",
        types.JudgesFile(
            canary=_canary(),
            judges=tuple(map(_judge, panel)),
            panels=(types.Panel(id="rules", title="Panel", judges=tuple(panel)),),
        ),
    )
    for name in models:
        _write(specs / "models" / f"{name}.yaml", _model(name))
    _write_items(specs / "domains", made, items)


def _write_items(folder: Path, made: Benchmark, count: int) -> None:
    """The domain with its items in a file beside it; a prompt is told from others by a case number in its source."""
    domain = made.domains[_DOMAIN]
    assert isinstance(domain, AxesDomainFile)
    category = domain.categories[0]
    lines = (
        msgspec.json.encode(
            msgspec.structs.replace(item, id=f"item-{number:05}", source=f"{item.source} This is case {number}.")
        )
        for number, item in enumerate(islice(cycle(category.items), count))
    )
    (folder / "items.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    category = msgspec.structs.replace(category, items=(), items_file="items.jsonl")
    _write(folder / f"{_DOMAIN}.yaml", msgspec.structs.replace(domain, categories=(category,)))


def _model(name: str) -> types.ModelFile:
    return types.ModelFile(
        canary=_canary(), id=name, title=name, description="A model.", kind="model", backend="openai", model=name,
        family=name, endpoint="local",
    )  # fmt: skip


def _judge(name: str) -> types.Judge:
    return types.Judge(
        id=name, title=name, description="A judge.", backend="openai", model=name, family=name, endpoint="local"
    )


def _write(path: Path, spec: types.Spec) -> None:
    """A spec file; JSON is YAML."""
    path.write_bytes(msgspec.json.format(msgspec.json.encode(spec), indent=1))


def _canary() -> str:
    return f"nullbench-canary:{uuid.uuid4()}"


if __name__ == "__main__":
    _numbers = dict(zip(("contestants", "items", "judges", "concurrency"), map(int, sys.argv[3:]), strict=True))
    write_live(Path(sys.argv[1]), sys.argv[2], **_numbers)
