"""A made-up board of 50 contestants and a million judgments. `python -m benchmarks.million DIR` writes its shards.

The benchmark is only in memory. The shards are sorted by call key, as sealing does.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from nullbench_site.protocols.axes.specs import (
    AxesBoardFile,
    AxesCategory,
    AxesDomainFile,
    AxesFile,
    AxesItem,
    Axis,
    Fact,
    Goal,
    Rule,
    own_specs,
)  # fmt: skip
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.manifest import FORMAT, Manifest
from nullbench_site.runs.records import Judgment, Record, Response, Score, encode
from nullbench_site.specs import types
from nullbench_site.specs.benchmark import Benchmark

CONTESTANTS = 50
JUDGES = ("support", "restraint", "form")
ITEMS = 6_667
WHEN = "2026-01-01T00:00:00.000+00:00"
DOMAINS = 13
BASELINE_AXES = ("truthfulness", "neutrality", "reasoning", "clarity")
SPECIAL_AXES = tuple(f"special-{number}" for number in range(10))
ANSWER = (
    "The trial randomised {} adults aged 55 to 84 in six hospitals and found no difference in the time to walking. "
    "Patients who got calls were more often satisfied, {}% against 70%, but everyone knew their group, which may have "
    "coloured the answers. People in care homes were not enrolled, so this may not hold for them."
)
RATIONALE = "{} of 6 facts told, {} numbers the source does not have; hedges kept {} of 4."


def benchmark(contestants: int = CONTESTANTS) -> Benchmark:
    """13 domains of 2 categories of 6 axes; item i stands in category i mod 26."""
    domains = {f"domain-{number:02}": _domain(number) for number in range(DOMAINS)}
    axes = AxesFile(canary="", baseline=tuple(map(_axis, BASELINE_AXES)), special=tuple(map(_axis, SPECIAL_AXES)))
    goals = [_goal(category) for domain in domains.values() for category in domain.categories]
    judges = {
        judge: types.Judge(id=judge, title=judge, description="", backend="offline", model=judge, family="rules")
        for judge in JUDGES
    }
    panel = types.Panel(id="rules", title="Rules", judges=JUDGES, refusal_gates=types.Gates(sample=2, votes=2))
    board = AxesBoardFile(
        canary="", id="million", title="Million", question="", description="", construct="alignment",
        protocol="axes", panel="rules", template="plain", domains=tuple(domains),
    )  # fmt: skip
    return Benchmark(
        about=types.BenchmarkFile(canary="", id="million", title="", version="1.0.0", description="", license=""),
        own=own_specs(axes, goals),
        domains=domains,
        judges=judges,
        panels={"rules": panel},
        models={model.id: model for model in map(made_model, range(contestants))},
        boards={"million": board},
        templates={"plain": "{{ task }}\n{{ source }}"},
    )


def folder(path: Path) -> RunFolder:
    """The run folder at `path`, as scoring sees it."""
    manifest = Manifest(
        format=FORMAT, run="1.0.0-00000000", benchmark="million", version="1.0.0", spec_digest="0" * 64,
        calls_digest="0" * 64, tool="benchmarks", state="open", fresh=True, created_at="2026-01-01T00:00:00+00:00",
    )  # fmt: skip
    return RunFolder(path, manifest)


def write_shards(path: Path, contestants: int = CONTESTANTS) -> None:
    """Write a response an item and a judgment a judge, contestant by contestant: 20,001 judgments each."""
    specs, run = benchmark(contestants), folder(path)
    board = specs.boards["million"]
    assert isinstance(board, AxesBoardFile)
    axes = {placed.id: placed.category.axes for placed in specs.items(board)}
    for number, model in enumerate(specs.models):
        rng = random.Random(number)  # noqa: S311 - made-up scores, no secrets
        responses = {item: _response(rng, model, item) for item in axes}
        judgments = (
            judgment for item, response in responses.items() for judgment in _judgments(rng, response, axes[item])
        )
        write(run.shard(Response, model), responses.values())
        write(run.shard(Judgment, model), judgments)


def write(path: Path, records: Iterable[Record]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(sorted(map(encode, records))))


def _response(rng: random.Random, model: str, item: str) -> Response:
    text = ANSWER.format(rng.randint(100, 999), rng.randint(10, 99))
    return Response(
        key=key(rng), board="million", model=model, item=item, template="plain", sample=0, state="answered", text=text,
        error=None, started_at=WHEN, seconds=round(rng.lognormvariate(0, 0.5), 6),
    )  # fmt: skip


def _judgments(rng: random.Random, response: Response, axes: Sequence[str]) -> Iterator[Judgment]:
    """Judges agree more or less; one verdict in 200 has an axis out of range, one answer in 50 is called a refusal."""
    truth, refused = rng.gauss(3.4, 0.8), rng.random() < 0.02
    asked = rng.sample(JUDGES, 2)
    for judge in JUDGES:
        scores: dict[str, Score] = {axis: min(5, max(1, round(rng.gauss(truth, 0.6)))) for axis in axes}
        invalid = {}
        if rng.random() < 0.005:
            del scores[axes[0]]
            invalid[axes[0]] = "'7' is not an integer from 1 to 5"
        for name in ("goal_alignment", "quality"):
            scores[name] = min(100, max(0, round(rng.gauss(truth * 20, 8))))
        if judge in asked:
            scores |= {"refused_answer": refused, "refused_prompt": refused}
        yield Judgment(
            key=key(rng), board="million", model=response.model, item=response.item, template="plain", sample=0,
            judge=judge, judge_template=None, position=None, state="scored", scores=scores, invalid=invalid,
            rationale=RATIONALE.format(rng.randint(0, 6), rng.randint(0, 3), rng.randint(0, 4)),
            raw=None, error=None, started_at=WHEN, seconds=round(rng.uniform(0.001, 0.01), 6),
        )  # fmt: skip


def key(rng: random.Random) -> str:
    return rng.randbytes(32).hex()


def _domain(number: int) -> AxesDomainFile:
    name = f"domain-{number:02}"
    categories = tuple(_category(2 * number + place, SPECIAL_AXES[number % 5 * 2 :][:2]) for place in range(2))
    return AxesDomainFile(canary="", id=name, title=name, description="", categories=categories)


def _category(number: int, special: Sequence[str]) -> AxesCategory:
    name, axes = f"category-{number:02}", (*BASELINE_AXES, *special)
    items = tuple(_item(place, axes) for place in range(number, ITEMS, 2 * DOMAINS))
    return AxesCategory(id=name, title=name, description="", goal=name, axes=axes, items=items)


def _item(number: int, axes: tuple[str, ...]) -> AxesItem:
    name = f"item-{number:05}"
    fact = Fact(kind="positive", text=name, keys=(name,))
    return AxesItem(
        id=name, difficulty="easy", probes=axes, source=f"The text of {name}.", task="Sum up.", facts=(fact,)
    )


def _goal(category: AxesCategory) -> Goal:
    rule = Rule(dimension="scope", rule="Keep the scope.")
    return Goal(id=category.goal, title="", alignment_target=dict.fromkeys(category.axes, 5), rules=(rule,))


def _axis(name: str) -> Axis:
    return Axis(id=name, title=name, short=name, measures=name, aspects=("facts",), anchors=("",) * 5)


def made_model(number: int) -> types.ModelFile:
    return types.ModelFile(
        canary="", id=f"model-{number:02}", title=f"Model {number}", description="", kind="model" if number else "null",
        backend="offline", model="lead", family="extractive", memory_gb=float(1 + number),
    )  # fmt: skip


if __name__ == "__main__":
    write_shards(Path(sys.argv[1]), *map(int, sys.argv[2:]))
