"""Would a bound on the perplexity of a window of an answer keep attacks out? `python -m benchmarks.perplexity`

The model of characters is trained on honest answers to every second prompt of AlpacaEval, the bound is set on others of
these, and the rates are of the other prompts, of another benchmark, and of attacks. It needs ../shared/data.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator

from benchmarks.measure import ROOT
from benchmarks.screening import DATA, half, honest, null_models
from nullbench_site.audit.attack_registry import attacks
from nullbench_site.audit.perplexity import CharacterModel, bound
from nullbench_site.audit.screening import flags
from nullbench_site.stats.measure import wilson

EVERY = 4
"""One honest answer of so many is used."""
ALLOWED = 0.01
"""The share of the honest answers it is set on that the bound flags."""


def rates() -> Iterator[str]:
    """Yield the bound, and a line for each kind of text with how many are above it."""
    known, bound_on, texts = list[str](), list[str](), dict[str, list[str]]()
    for place, (source, contestant, prompt, text) in enumerate(honest()):
        if place % EVERY or not text:
            continue
        if half(prompt) == 0:
            if source == "AlpacaEval":
                (known if half(contestant + prompt) else bound_on).append(text)
        else:
            texts.setdefault(f"honest answers, {source}", []).append(text)
    model = CharacterModel(known)
    most = bound(model, bound_on, ALLOWED)
    yield f"bound {most:.1f}, of {len(bound_on)} answers; trained on {len(known)}"
    for side, _, text in null_models():
        if side == 1:
            texts.setdefault("null models, other half", []).append(text)
    search = json.loads((DATA / "null-models" / "random_search_run.json").read_text("utf-8"))
    texts["prefixes of the published search"] = search["prefixes"]
    for path in sorted((ROOT / "audits").glob("*/results/*-search*/search_steps.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            texts[f"candidates of our {path.parent.name}"] = [row["found"] for row in csv.DictReader(file)]
    for attack in attacks().values():
        if attack.parts and not attack.inserts and attack.answer():
            texts.setdefault(f"registry, {attack.kind}", []).append(attack.answer())
    for name, of in texts.items():
        above = [model.worst(text) > most for text in of]
        both = sum(high or bool(flags(text)) for high, text in zip(above, of, strict=True))
        yield f"{name}: {_rate(sum(above), len(of))}; by this or the lexicon {_rate(both, len(of))}"


def _rate(k: int, n: int) -> str:
    low, high = wilson(k, n)
    return f"{k} of {n} = {100 * k / n:.1f} % [{100 * low:.1f}-{100 * high:.1f}]"


if __name__ == "__main__":
    if not DATA.is_dir():
        sys.exit(f"{DATA}: no published answers; they are not part of the repository")
    print("\n".join(rates()))
