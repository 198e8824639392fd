"""A made-up pairwise board of 50 contestants and a million verdicts: `python -m benchmarks.million_games DIR`.

Of the size of benchmarks.million: one contestant is the baseline of all others, two judges give verdicts in both orders
on most of the answers, and what is written are the shards of a run.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.million import ANSWER, CONTESTANTS, WHEN, folder, key, made_model, write
from nullbench_site.protocols.pairwise.judging import STYLE, VERDICT, style, template
from nullbench_site.protocols.pairwise.specs import (
    PairwiseBoardFile,
    PairwiseCategory,
    PairwiseDomainFile,
    PairwiseItem,
)
from nullbench_site.runs.records import CheckResult, Judgment, Response
from nullbench_site.specs import types
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import VERBATIM

BOARD = "million"
JUDGES = ("coverage", "substance")
ITEMS = 5_103
"""With 49 contestants, two judges and two orders a million verdicts."""
RATIONALE = "{} of 6 facts told by the first and {} by the second."


def benchmark() -> Benchmark:
    """One domain of one category."""
    items = tuple(
        PairwiseItem(id=f"item-{number:05}", difficulty="easy", prompt=f"Do number {number}.")
        for number in range(ITEMS)
    )
    category = PairwiseCategory(id="games", title="Games", description="", items=items)
    domain = PairwiseDomainFile(
        canary="", id="games", title="Games", description="", protocol="pairwise", categories=(category,)
    )
    models = [made_model(number) for number in range(CONTESTANTS)]
    board = PairwiseBoardFile(
        canary="", id=BOARD, title="Million", question="", description="", construct="capability", protocol="pairwise",
        panel="pairs", domains=("games",), baseline=models[0].id, judging="verdicts",
    )  # fmt: skip
    return Benchmark(
        about=types.BenchmarkFile(canary="", id=BOARD, title="", version="1.0.0", description="", license=""),
        domains={"games": domain},
        judges={
            judge: types.Judge(id=judge, title=judge, description="", backend="offline", model=judge, family="rules")
            for judge in JUDGES
        },
        panels={"pairs": types.Panel(id="pairs", title="Pairs", judges=JUDGES)},
        models={each.id: each for each in models},
        boards={BOARD: board},
        templates={},
    )


def write_shards(path: Path) -> None:
    """Write a response an item and four verdicts on it, contestant by contestant; the baseline has none."""
    specs, run = benchmark(), folder(path)
    (baseline, *_) = specs.models
    for number, name in enumerate(specs.models):
        rng = random.Random(number)  # noqa: S311 - made-up scores, no secrets
        responses = [_response(rng, name, placed.id) for placed in specs.items(specs.boards[BOARD])]
        write(run.shard(Response, name), responses)
        if name != baseline:
            write(run.shard(Judgment, name), _verdicts(rng, responses, number / CONTESTANTS - 0.5, baseline))


def _response(rng: random.Random, name: str, item: str) -> Response:
    text = ANSWER.format(rng.randint(100, 999), rng.randint(10, 99)) + " Again." * rng.randint(0, 20)
    return Response(
        key=key(rng), board=BOARD, model=name, item=item, template=VERBATIM, sample=0, state="answered", text=text,
        error=None, started_at=WHEN, seconds=round(rng.lognormvariate(0, 0.5), 6),
        checks=(CheckResult(STYLE, "", "not-applicable", style(text)),),
    )  # fmt: skip


def _verdicts(rng: random.Random, responses: list[Response], skill: float, baseline: str) -> Iterator[Judgment]:
    for response in responses:
        for judge in JUDGES:
            for position in (0, 1):
                lead = round(rng.gauss(skill, 1))
                verdict = max(-2, min(2, lead if position else -lead))
                yield Judgment(
                    key=key(rng), board=BOARD, model=response.model, item=response.item, template=VERBATIM, sample=0,
                    judge=judge, judge_template=template(baseline, position), position=position, state="scored",
                    scores={VERDICT: verdict}, invalid={}, rationale=RATIONALE.format(rng.randint(0, 6), 3), raw=None,
                    error=None, started_at=WHEN, seconds=round(rng.uniform(0.001, 0.01), 6),
                )  # fmt: skip


if __name__ == "__main__":
    write_shards(Path(sys.argv[1]))
