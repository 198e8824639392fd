"""Screen answers: time and memory, and how often null models and honest answers are flagged.

`python -m benchmarks.screening` measures 2,000 to 100,000 answers of 300 words, and the growth of time. With the
published answers beside the checkout it also prints rates with Wilson intervals, apart for the half of the answers
that the lexicon was tuned on and for the other half.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.measure import Outcome, python, report
from nullbench_site.audit.screening import constant, flags
from nullbench_site.stats.measure import wilson

SIZES = 2_000, 20_000, 100_000
MOST_SECONDS, MOST_GIB, MOST_GROWTH = 10.0, 1.0, 1.5
DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
_CODE = """
import random, sys
from nullbench_site.audit.screening import constant, flags
draws = random.Random(1)
known = ["".join(draws.choices("etaoinshrdlu", k=draws.randint(1, 9))) for _ in range(100_000)]
answers = {str(n): " ".join(draws.choices(known, k=300)) for n in range(int(sys.argv[1]))}
if sys.argv[2] == "screen":
    print(constant(answers), sum(bool(flags(text)) for text in answers.values()))
"""


def outcomes() -> list[Outcome]:
    """Measure the time of screening alone: that of making the answers is taken off."""
    made = {size: (python("-c", _CODE, str(size), "make"), python("-c", _CODE, str(size), "screen")) for size in SIZES}
    seconds = {size: max(0.01, screened.cpu - only.cpu) for size, (only, screened) in made.items()}
    small, middle, large = SIZES
    per_answer = seconds[large] / large, seconds[middle] / middle
    detail = f"{seconds[middle]:.1f} s for {middle:,} answers, {seconds[large]:.1f} s for {large:,}"
    peak = made[large][1].peak_gib
    return [
        Outcome(f"screening, {small:,} answers", seconds[small], MOST_SECONDS, "CPU time", noun="seconds"),
        Outcome("screening, growth of time per answer", per_answer[0] / per_answer[1], MOST_GROWTH, detail),
        Outcome(f"screening, {large:,} answers, memory", peak, MOST_GIB, "with the texts", noun="GiB"),
    ]


def half(name: str) -> int:
    """Return 0 for what the lexicon was tuned on, and 1 for the rest."""
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % 2


def null_models() -> Iterator[tuple[int, str, str]]:
    """Yield half, id and text of the published null models: split within kinds, variants of a text on one side."""
    nulls = json.loads((DATA / "null-models" / "null_responses.json").read_text("utf-8"))["responses"]
    groups: dict[str, list[str]] = {}
    for one in nulls:
        groups.setdefault(one["kind"].split("+")[0], []).append(_group(one["id"]))
    places = {kind: sorted(set(names)) for kind, names in groups.items()}
    for one in nulls:
        yield places[one["kind"].split("+")[0]].index(_group(one["id"])) % 2, one["id"], one["text"]


def _group(name: str) -> str:
    return "persuasive_01" if name == "persuasive_02" else name.replace("_rs", "")


def honest() -> Iterator[tuple[str, str, str, str]]:
    """Yield source, contestant, prompt and text of honest answers."""
    for path in sorted((DATA / "alpacaeval2-responses").glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines() if path.stem != "NullModel" else ():
            row = json.loads(line)
            yield "AlpacaEval", path.stem, str(row["item"]), row["output"]
    prompts = json.dumps(json.loads((DATA / "benchpress" / "evals" / "general.json").read_text("utf-8")))
    for path in sorted((DATA / "benchpress" / "results").glob("*.json")):
        for prompt, history in json.loads(path.read_text("utf-8"))["runs"].items():
            last: Any = history[-1]
            if f'"id": "{prompt}"' in prompts and last["content"] and not last.get("error"):
                yield "BenchPress", path.stem, prompt, last["content"]
    run = max((Path(__file__).parents[1] / "runs").iterdir())
    for path in sorted((run / "responses").glob("smollm2*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            if row["state"] == "answered" and "hidden" not in row:
                yield "own run", path.stem, row["board"] + row["item"], row["text"]


def rates() -> Iterator[str]:
    """Yield a line for each rate of the other half, and of the half that the lexicon was tuned on."""
    for side, name in enumerate(("tuned on", "other half")):
        own = [bool(flags(text)) for of, _, text in null_models() if of == side]
        yield f"{name}: null models flagged {_rate(sum(own), len(own))}"
        counts: dict[str, list[bool]] = {}
        for source, _, prompt, text in honest():
            if half(prompt) == side:
                counts.setdefault(source, []).append(bool(flags(text)))
        for source, found in counts.items():
            yield f"{name}: honest answers flagged, {source} {_rate(sum(found), len(found))}"
    by_contestant: dict[str, list[tuple[str, str]]] = {}
    for source, contestant, prompt, text in honest():
        if source != "own run":
            by_contestant.setdefault(contestant, []).append((prompt, text))
    shares = {name: constant(answers) for name, answers in by_contestant.items()}
    most = max(shares, key=shares.__getitem__)
    yield f"near-duplicates of {len(shares)} honest contestants: at most {100 * shares[most]:.1f} % ({most})"


def _rate(k: int, n: int) -> str:
    low, high = wilson(k, n)
    return f"{k} of {n} = {100 * k / n:.2f} % [{100 * low:.2f}-{100 * high:.2f}]"


if __name__ == "__main__":
    if DATA.is_dir():
        print("\n".join(rates()))
    sys.exit(report(outcomes()))
