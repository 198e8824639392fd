"""Time all automatic checks over 2,000 responses, made-up and recorded, and each check on texts of up to 1 MB.

`python -m benchmarks.checks` prints, for each check, the time per character at 1 MB relative to 100 kB, on the worst
shape of text: 1 is linear, 10 quadratic.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence

import msgspec

from benchmarks.check_agreement import DATA
from benchmarks.measure import Outcome, report
from nullbench_site.checks import Check
from nullbench_site.checks.conclusions import MultiStepVerify, StatisticalSignificance
from nullbench_site.checks.forms import ConstraintCheck, JsonValid, TableFormat
from nullbench_site.checks.registry import run_checks
from nullbench_site.checks.runnable_code import CodeRunnable
from nullbench_site.checks.stances import (
    AcknowledgesNonexistence,
    AmbiguityCheck,
    HallucinationApi,
    RefusalCheck,
    SelfAwareness,
    SycophancyCheck,
    TrapCommonError,
    TrapNoBug,
    TrapWrongClaim,
)
from nullbench_site.checks.wording import BannedWords, ResponseLength, WordCount, WordCountReduction

RESPONSES, SECONDS, GROWTH = 2000, 5.0, 3.0
SIZES = (10_000, 100_000, 1_000_000)
# Beneath this many seconds a measurement says more about the machine than about the check.
NOISE = 0.005

PARAMS: tuple[Check, ...] = (
    AcknowledgesNonexistence(thing="the quiet harbour protocol"),
    AmbiguityCheck(),
    BannedWords(words=("delve", "tapestry", "cutting-edge", "it is important .. note"), quoted=True),
    CodeRunnable(defines=("total",), forbidden_calls=("eval",)),
    ConstraintCheck(items=5, max_words_per_item=15, one_sentence_per_item=True, only_list=True, excluded=("pandas",)),
    HallucinationApi(thing="quiet-harbour"),
    JsonValid(keys={"answer": "string", "confidence": "number"}),
    MultiStepVerify(number=1374, answers=("the .. second|third .. jar",), steps=(458, 12.5), only_answer=True),
    RefusalCheck(should_refuse=False),
    ResponseLength(min_words=20, max_words=400, max_sentences=30, max_characters=4000),
    SelfAwareness(overclaims=("can reliably|always count",)),
    StatisticalSignificance(significant=False, p_values=(0.15,)),
    SycophancyCheck(position="longer is better", claims=("longer .. is .. better",), corrections=("length .. bias",)),
    TableFormat(columns=5, rows=3, only_table=True, cells=("memory",)),
    TrapCommonError(error="sorting is linear", errors=("sort* .. linear",), corrections=("n log n",)),
    TrapNoBug(),
    TrapWrongClaim(claim="0.1 is right", claims=("0.1 is .. right|fine",), corrections=("far too high",)),
    WordCount(target=200, tolerance=40, skip=("Subject:",)),
    WordCountReduction(original="many words " * 100, at_most=0.5, keep=("harbour",)),
)

_SENTENCES = (
    "The result does not depend on the order in which the jars are opened, and that is not a bug.",
    "Yes, you can reliably count on 1,374 of them, but longer answers are not always better.",
    "There is no record of the quiet harbour protocol; could you tell me which one you mean?",
    "With p = 0.15 the difference is not statistically significant at the usual 5% level.",
    "It is important to note that the third jar weighs 12.5 kg, which is why it sinks.",
    "I can't say more without the data \u2014 please share what you have measured so far.",
)
# Most sentences of an answer hold no word that a check looks for.
_PLAIN = (
    "Each request goes through a queue, where a worker picks it up within two seconds on a busy day.",
    "Batch sizes between 32 and 256 give similar curves; beyond that, training slows down.",
    "Keep the interface small: a reader, a writer, and a function that joins both.",
    "Her second draft opens with the harbour at dawn, then moves on to the market.",
    "Larger tables benefit from an index on the columns that queries filter by.",
    "Average rainfall rose from 610 mm to 655 mm over the same period, mostly in spring.",
    "Write the migration first, run it against a copy, and compare row counts afterwards.",
    "**Storage:** about 40 GB a month, compressed, plus twice that for backups.",
)
_CODE = "```python\ndef total(values: list[int]) -> int:\n    return sum(value * 2 for value in values if value)\n```"
_TABLE = "| name | memory | speed |\n|---|---:|:--|\n| one | 4 | fast |\n| two | `a|b` | slow |"
_LIST = "1. **First**: it is short.\n2. **Second** - it is long.\n   - with a remark\n3. Third"

# Texts that grow by being repeated, some written against a reader that looks ahead or back.
SHAPES: Mapping[str, Callable[[int], str]] = {
    "prose": lambda size: _repeated(" ".join(_SENTENCES) + "\n\n", size),
    "markdown": lambda size: _repeated(f"# Head\n\n{_LIST}\n\n{_CODE}\n\n{_TABLE}\n\nText.\n\n", size),
    "one block of code": lambda size: "```python\n" + _repeated("x = f'{a}{b!r:>{c}}'\n", size),
    "one word": lambda size: "a" * size,
    "one sentence": lambda size: _repeated("not no there is i can the bug 1,000 ", size),
    "one table row": lambda size: "|a|b|\n|-|-|\n|" + _repeated("`\\|", size),
    "blanks": lambda size: "- " + " " * size,
    "quotes": lambda size: _repeated('"\'`.)*"', size),
    "figures": lambda size: "1" + _repeated(",111", size),
    "lines": lambda size: _repeated("- a\n", size),
    "deep JSON": lambda size: "[" * (size // 2) + "]" * (size // 2),
    "right to left": lambda size: _repeated(
        "\u202e\u05e9\u05dc\u05d5\u05dd \u0639\u0627\u0644\u0645\u061f \u200f", size
    ),
    "rare characters": lambda size: "".join(chr(0x4E00 + at * 7 % 40_000) for at in range(size)),
}


def outcomes() -> list[Outcome]:
    """Measure the seconds of all checks over all responses, and the growth of each check."""
    run_checks(_response(random.Random(0)), PARAMS)  # noqa: S311 - compiles the patterns
    generator = random.Random(1)  # noqa: S311
    found = [_all_checks("all checks", [_response(generator) for _ in range(RESPONSES)])]
    if DATA.is_dir():
        found.append(_all_checks("all checks, recorded", _recorded()))
    return [*found, *map(_growth, PARAMS)]


def _all_checks(name: str, responses: Sequence[str]) -> Outcome:
    seconds = min(_seconds(lambda: _all(responses)) for _ in range(3))
    mean = sum(map(len, responses)) / len(responses)
    detail = f"{len(PARAMS)} checks of each of {len(responses):,} responses of {mean:,.0f} characters"
    return Outcome(name, seconds, SECONDS, detail, noun="CPU seconds")


def _recorded() -> Sequence[str]:
    """Return the newest response of each model to each prompt of a published evaluation."""
    prompts = msgspec.json.decode((DATA / "evals" / "general.json").read_bytes())["prompts"]
    runs = [msgspec.json.decode(path.read_bytes())["runs"] for path in sorted((DATA / "results").glob("*.json"))]
    return [run[prompt["id"]][-1]["content"] or "" for run in runs for prompt in prompts]


def _growth(params: Check) -> Outcome:
    """Return the cost per character at the largest size relative to the middle size, on the worst shape."""
    worst, detail = 0.0, ""
    for name, shape in SHAPES.items():
        times = [_best(params, shape(size)) for size in SIZES]
        value = max(times[2], NOISE) / max(times[1], NOISE) / (SIZES[2] / SIZES[1])
        if value > worst:
            worst = value
            detail = f"{name}: " + ", ".join(f"{1000 * seconds:.1f} ms" for seconds in times)
    return Outcome(str(params.__struct_config__.tag), worst, GROWTH, detail, noun="growth")


def _best(params: Check, text: str) -> float:
    rounds = 3 if len(text) < SIZES[-1] else 1
    return min(_seconds(lambda: run_checks(text, [params])) for _ in range(rounds))


def _seconds(work: Callable[[], object]) -> float:
    """Return CPU seconds, which other programs hardly change."""
    start = time.process_time()
    work()
    return time.process_time() - start


def _all(responses: Sequence[str]) -> None:
    for response in responses:
        run_checks(response, PARAMS)


def _repeated(text: str, size: int) -> str:
    return text * (size // len(text) + 1)


def _response(generator: random.Random) -> str:
    """Return prose of the length of practical answers, often with a list, a table or code."""
    said = (*_SENTENCES, *_PLAIN)
    parts = [" ".join(generator.choices(said, k=generator.randint(1, 8))) for _ in range(generator.randint(1, 9))]
    parts += generator.choices((_CODE, _TABLE, _LIST, '{"answer": "7", "confidence": 0.5}'), k=generator.randint(0, 4))
    generator.shuffle(parts)
    return "\n\n".join(parts)


if __name__ == "__main__":
    sys.exit(report(outcomes()))
