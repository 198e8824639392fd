"""Compare importing and scoring a checkout of BenchPress with only parsing its results. There is no limit.

`python -m benchmarks.importing [SRC]` measures the checkout SRC, or a made-up one of 25 models. `measure SRC` is the
process itself, for a profiler. Seconds are CPU time without imports.
"""

from __future__ import annotations

import json
import math
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.measure import Outcome, python, ratio, report

LIMIT = math.inf
ROUNDS = 7
MODELS, PROMPTS, OTHERS = 25, 80, 92
JUDGES = ("judge-1", "judge-2", "judge-3", "judge-4")
CHECKS: tuple[dict[str, Any], ...] = (
    {"check_type": "reasoning"},
    {"check_type": "response_length", "max_words": 50},
    {"check_type": "multi_step_verify", "expected_answer": "31"},
    {"check_type": "ambiguity_check"},
)


def outcomes(source: Path | None = None) -> list[Outcome]:
    """Measure the time of an import relative to parsing. source: a checkout; None for made-up data."""
    with TemporaryDirectory() as folder:
        if source is None:
            source = Path(folder) / "checkout"
            make(source)
        parsing, importing = json.loads(python("-m", __spec__.name, "measure", str(source)).output)
    return [ratio("importing 25 models", importing, parsing, LIMIT)]


def measure(source: Path) -> tuple[list[float], list[float]]:
    """Return the CPU seconds of parsing and of importing per round, after one warm-up round."""
    import msgspec

    from nullbench_site.interop.benchpress.importing import import_benchpress

    def parse() -> None:
        for path in sorted((source / "results").iterdir()):
            msgspec.json.decode(path.read_bytes())

    parsing, importing = [], []
    with TemporaryDirectory() as folder:
        for number in range(ROUNDS + 1):
            into = Path(folder) / str(number)
            parsing.append(_seconds(parse))
            importing.append(_seconds(lambda into=into: import_benchpress(source, into)))  # type: ignore[misc]
    return parsing[1:], importing[1:]


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def make(folder: Path) -> None:
    """A checkout of about the size of the published one: 25 files of 0.9 MB, with other suites and old answers."""
    generator = random.Random(1)  # noqa: S311
    prompts = [
        {
            "id": f"P{number:02}", "category": f"category_{number % 8}", "subcategory": f"part_{number % 40}",
            "difficulty": ("easy", "medium", "hard")[number % 3], "prompt": _text(generator, 40),
            "ideal": _text(generator, 40), "criteria": ["accuracy", "depth"], **CHECKS[number % len(CHECKS)],
        }
        for number in range(PROMPTS)
    ]  # fmt: skip
    _write(folder / "evals" / "general.json", {"meta": {}, "prompts": prompts})
    for number in range(MODELS):
        runs = {
            str(prompt["id"]): [_entry(generator, number, judged=age == 0) for age in (1, 0)[number % 3 == 0 :]]
            for prompt in prompts
        }
        runs |= {f"B{other:03}": [_entry(generator, number, judged=False)] for other in range(OTHERS)}
        _write(folder / "results" / f"model-{number}.json", {"model_name": f"Model {number}", "runs": runs})


def _entry(generator: random.Random, model: int, *, judged: bool) -> dict[str, Any]:
    scored = {
        judge: {"score": generator.randint(2, 5), "rationale": _text(generator, 40), "judged_at": "2026-03-01T10:00:00"}
        for judge in JUDGES[: None if judged else 1]
    }
    metrics = {name: generator.random() for name in ("correctness", "coherence", "instruction_following")}
    return {
        "timestamp": "2026-03-01T10:00:00.123456", "api_model": f"maker-{model}", "content": _text(generator, 420),
        "latency_s": generator.uniform(1, 60), "input_tokens": 50, "output_tokens": generator.randint(50, 2000),
        "auto_checks": {"flags": [], "auto_scores": {}, "passed": True}, "judge_scores": scored,
        **({"deepeval_scores": metrics} if judged else {}),
    }  # fmt: skip


def _text(generator: random.Random, words: int) -> str:
    return " ".join(generator.choices(("model", "the", "of", "\u2014", "*answer*", "x = 1\n", '"quoted"'), k=words))


def _write(path: Path, data: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, indent=2), "utf-8")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["measure", checkout]:
            print(json.dumps(measure(Path(checkout))))
        case [checkout]:
            sys.exit(report(outcomes(Path(checkout))))
        case _:
            sys.exit(report(outcomes()))
