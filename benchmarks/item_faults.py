"""Put faults into items and count how many the lists of items worth a look show among their first twenty.

`python -m benchmarks.item_faults` falsifies ten keys of Facts, and turns the scores of all contestants on ten items of
two imported tables around. It exits with 1 if a list shows no more of them than chance would.

Facts, as it ships, ranks two families: too few for either list of likely faults. So its recorded answers are tried, and
then those of made-up contestants, whose wrong answers are often the same. Their keys are falsified after they answered.
An item-rest correlation takes eight families, as many as some of the made-up boards and the imported tables have.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from math import comb, exp

import msgspec
import numpy as np

from benchmarks.measure import ROOT, Outcome, report
from nullbench_site.answer_keys import AnyKey, mark, right_answer
from nullbench_site.answer_keys.choices import MultipleChoice
from nullbench_site.answer_keys.exact import Exact
from nullbench_site.answer_keys.numeric import Numeric
from nullbench_site.protocols.oracle.judging import asked
from nullbench_site.protocols.oracle.specs import OracleDomainFile, OraclePlacedItem
from nullbench_site.review.calls import KnownAnswers
from nullbench_site.review.reranking import Side
from nullbench_site.runs.catalog import list_runs, newest_run
from nullbench_site.runs.records import CheckResult, Response
from nullbench_site.site.gather import gather
from nullbench_site.site.pages.item_checks import ItemChecks, ItemLine, answers_in, by_family, item_checks, lines_of
from nullbench_site.site.views import BoardView
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.types import ModelFile
from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.item_checks import item_rest

FACTS, TEMPLATE = "facts", "facts-plain"
TURNED = ("alpacaeval", "livecodebench")
"""The imported boards with eight families or more and enough items that ten are few."""
ALONE = "livebench"
"""Ten of its items are nearly half, so each is turned around alone."""
FAULTS, SHOWN = 10, 20
DRAWS = 10
LEVEL = 0.01
"""A list must show more on average than one list in a hundred shows by chance."""
FAMILIES = (3, 6, 12)
_SEED = 52
_LURE = 0.5
"""The share of wrong answers that are the same one of an item."""


def limit(n: int) -> int:
    """Return the fewest of ten faults among the first twenty items that chance shows in at most 1 % of lists.

    n: the items of a list in random order; the count is hypergeometric.
    """

    def at_least(least: int) -> float:
        shares = (comb(FAULTS, x) * comb(n - FAULTS, SHOWN - x) for x in range(least, FAULTS + 1))
        return sum(shares) / comb(n, SHOWN)

    return next(least for least in range(FAULTS + 2) if at_least(least) <= LEVEL)


def limit_of_first(n: int) -> float:
    """Return the least share of n lists whose fault is first that chance reaches in at most 1 %; binomial."""

    def at_least(least: int) -> float:
        return sum(comb(n, x) * (1 / n) ** x * (1 - 1 / n) ** (n - x) for x in range(least, n + 1))

    return next(least for least in range(n + 2) if at_least(least) <= LEVEL) / n


def wrong_answers(key: AnyKey, others: Sequence[str]) -> list[str]:
    """Return answers that a key marks as wrong. others: right answers of other items, for keys of words."""
    match key:
        case MultipleChoice():
            return [f"Answer: {letter}" for letter in key.options if letter not in key.correct]
        case Numeric():
            return [f"{key.value + step * max(1, abs(key.value)):.6g}" for step in (1, 2, 3, 5)]
        case _:
            return [other for other in others if mark(other, key).outcome == "wrong"][:4]


def falsified(key: AnyKey, others: Sequence[str]) -> AnyKey | None:
    """Return a key whose right answer is a wrong one of this key; None for keys that are not falsified here."""
    match key:
        case MultipleChoice():
            wrong = next((letter for letter in key.options if letter not in key.correct), None)
            return None if wrong is None else msgspec.structs.replace(key, correct=(wrong,))
        case Numeric():
            return msgspec.structs.replace(key, value=key.value + max(1, abs(key.value)))
        case Exact():
            wrong = next(iter(wrong_answers(key, others)), None)
            return None if wrong is None else msgspec.structs.replace(key, accepted=(wrong,))
    return None


@cache
def shipped() -> Benchmark:
    return load_benchmark(ROOT / "specs")


def _placed(benchmark: Benchmark) -> list[OraclePlacedItem]:
    return [placed for placed in benchmark.items(benchmark.boards[FACTS]) if isinstance(placed, OraclePlacedItem)]


def with_faults(benchmark: Benchmark, rng: np.random.Generator) -> tuple[Benchmark, set[str]]:
    """Return Facts with ten keys falsified, and the ids of their items."""
    placed = [each for each in _placed(benchmark) if each.key is not None]
    right = [answer for each in placed if isinstance(each.key, Exact) and (answer := right_answer(each.key))]
    chosen: dict[str, AnyKey] = {}
    for place in rng.permutation(len(placed)).tolist():
        key = placed[place].key
        others = [right[other] for other in rng.permutation(len(right))[:12].tolist()]
        false = None if key is None else falsified(key, others)
        if false is not None and len(chosen) < FAULTS:
            chosen[placed[place].id] = false
    domains = {
        name: _with_keys(domain, chosen) if isinstance(domain, OracleDomainFile) else domain
        for name, domain in benchmark.domains.items()
    }
    return replace(benchmark, domains=domains), set(chosen)


def _with_keys(domain: OracleDomainFile, keys: Mapping[str, AnyKey]) -> OracleDomainFile:
    categories = [
        msgspec.structs.replace(
            category,
            items=tuple(msgspec.structs.replace(item, key=keys.get(item.id, item.key)) for item in category.items),
        )
        for category in domain.categories
    ]
    return msgspec.structs.replace(domain, categories=tuple(categories))


def marked_anew(benchmark: Benchmark, answers: Sequence[Response], items: Collection[str]) -> Iterator[Response]:
    """Yield answers with the marks that the keys of these items give."""
    placed = {each.id: each for each in _placed(benchmark)}
    for answer in answers:
        of = placed[answer.item]
        if answer.item in items and answer.state == "answered" and of.key is not None:
            found = mark(answer.text, of.key, asked=asked(of), languages=of.languages)
            check = CheckResult("key", "", found.outcome, (found.why,), found.cause)
            yield msgspec.structs.replace(answer, checks=(check,))
        else:
            yield answer


def checks_of(benchmark: Benchmark, answers: Sequence[Response]) -> ItemChecks:
    """Return what the page of items says of Facts with these answers."""
    known = KnownAnswers()
    for answer in answers:
        known.keep(answer)
    side = Side(benchmark, None, known)
    return item_checks(side.board(FACTS, (), with_items=True), lambda model: side.responses(FACTS, model))


def recorded() -> list[Response]:
    """Return the recorded answers on Facts."""
    run = newest_run(list_runs(ROOT / "runs"))
    if run is None:
        raise SystemExit("there is no run")
    read = answers_in(run.path)
    names = [model.id for model in shipped().contestants(shipped().boards[FACTS])]
    return [each for name in names for each in read(name) if each.board == FACTS]


def made_up(benchmark: Benchmark, families: int, rng: np.random.Generator) -> tuple[Benchmark, list[Response]]:
    """Return Facts with that many contestants, each of its own family, and their answers by the keys as they ship.

    They are right on 35 to 90 % of the items, more often on easy ones. Half of the wrong answers to an item are one.
    """
    placed = [each for each in _placed(benchmark) if each.key is not None]
    spec = shipped().models["nearest-sentence"]
    models = {f"made-up-{number:02}": number for number in range(families)}
    right = [answer for each in placed if isinstance(each.key, Exact) and (answer := right_answer(each.key))]
    hard, answers = rng.normal(size=len(placed)), []
    for place, each in enumerate(placed):
        assert each.key is not None
        others = [right[other] for other in rng.permutation(len(right))[:12].tolist()]
        wrong, known = wrong_answers(each.key, others), right_answer(each.key)
        for name, number in models.items():
            skill = -0.8 + 3.6 * number / (families - 1)
            knows = known is not None and rng.random() < 1 / (1 + exp(hard[place] - skill))
            other = wrong[0 if rng.random() < _LURE else int(rng.integers(len(wrong)))] if wrong else "Nobody knows."
            answers.append(_answer(name, each, known if knows and known is not None else other))
    board = msgspec.structs.replace(
        benchmark.boards[FACTS], contestants=tuple(models), samples=1, templates=(TEMPLATE,), first_template_only=()
    )
    own: dict[str, ModelFile] = {
        name: msgspec.structs.replace(spec, id=name, title=name, family=name, kind="model") for name in models
    }
    made = replace(benchmark, boards={FACTS: board}, models=own)
    return made, [*marked_anew(made, answers, {each.id for each in placed})]


def _answer(model: str, placed: OraclePlacedItem, text: str) -> Response:
    return Response(
        key=f"{model} {placed.id}", board=FACTS, model=model, item=placed.id, template=TEMPLATE, sample=0,
        state="answered", text=text, error=None, started_at="2026-01-01T00:00:00.000+00:00", seconds=1.0,
    )  # fmt: skip


def of_facts() -> Iterator[Outcome]:
    """Yield how many falsified keys of Facts the lists show, with recorded answers and with made-up ones."""
    n = len(_placed(shipped()))
    changed, faults = with_faults(shipped(), np.random.default_rng(_SEED))
    found = checks_of(changed, [*marked_anew(changed, recorded(), faults)])
    shown = set((found.nobody or ())[:SHOWN])
    chance = SHOWN * FAULTS / n
    about = "correlations and contradicted keys not measured" if found.contradicted is None else "contradicted measured"
    nobody = len(found.nobody or ())
    print(
        f"Facts as it ships, {found.families} families: {about}; of {nobody} items that nobody solves, "
        f"{len(shown & faults)} of the first {SHOWN} are falsified, {len({*(found.nobody or ())} & faults)} of all; "
        f"by chance {chance:.1f} and {nobody * FAULTS / n:.1f}"
    )
    for families in FAMILIES:
        counts: dict[str, list[int]] = {"contradicted": [], "item-rest": [], "marked": [], "listed": [], "before": []}
        for draw in range(DRAWS):
            rng = np.random.default_rng([_SEED, families, draw])
            made, answers = made_up(shipped(), families, rng)
            changed, faults = with_faults(made, rng)
            before, found = checks_of(made, answers), checks_of(changed, [*marked_anew(changed, answers, faults)])
            counts["before"].append(before.n_contradicted + before.n_against)
            keys = [each.item for each in found.contradicted or ()]
            counts["contradicted"].append(len(faults.intersection(keys[:SHOWN])))
            counts["listed"].append(len(keys))
            if found.rest is not None:
                counts["item-rest"].append(len(faults.intersection(line.item for line in found.lines[:SHOWN])))
                counts["marked"].append(len(faults.intersection(line.item for line in found.lines if line.marked)))
        mean = {name: float(np.mean(each)) for name, each in counts.items() if each}
        more = f"{DRAWS} draws, {mean['listed']:.1f} keys listed, {mean['before']:.1f} without a fault"
        yield _found(
            f"Facts, {families} families: contradicted", mean["contradicted"], n, f"chance {chance:.2f}; {more}"
        )
        if "item-rest" in mean:
            more = f"chance {chance:.2f}; {mean['marked']:.1f} marked"
            yield _found(f"Facts, {families} families: item-rest", mean["item-rest"], n, more)


def _found(name: str, value: float, n: int, detail: str) -> Outcome:
    return Outcome(f"{name}, of ten in the first twenty", value, limit(n), detail, noun="mean", at_least=True)


def turned(table: Floats, places: Sequence[int]) -> Floats:
    """Return scores of 0-100, (contestants, items), with 100 minus the score of all contestants on these items."""
    changed = table.copy()
    changed[:, places] = 100 - changed[:, places]
    return changed


def of_tables() -> Iterator[Outcome]:
    """Yield how many turned items of imported tables are among the first of the list of item-rest correlations."""
    runs = list_runs(ROOT / "runs")
    run = newest_run(runs)
    if run is None:
        raise SystemExit("there is no run")
    views = {view.board.id: view for view in gather(shipped(), run, runs).views}
    for name in TURNED:
        lines, table, places = _table(views[name])
        found, marked = [], []
        for draw in range(DRAWS):
            chosen = np.random.default_rng([_SEED, draw]).choice(places, FAULTS, replace=False).tolist()
            faults = {str(place) for place in chosen}
            after = _listed(turned(table, chosen), draw)
            found.append(len(faults.intersection(line.item for line in after[:SHOWN])))
            marked.append(len(faults.intersection(line.item for line in after if line.marked)))
        about = f"chance {SHOWN * FAULTS / len(places):.2f} of {len(places)} items; {len(table)} families"
        about += f"; {np.mean(marked):.1f} marked, {sum(line.marked for line in lines)} without a fault"
        yield _found(name, float(np.mean(found)), len(places), about)
    _, table, places = _table(views[ALONE])
    lists = [_listed(turned(table, [place]), place) for place in places]
    first = [lines[0].item == str(place) for place, lines in zip(places, lists, strict=True)]
    marked = [lines[0].marked and here for lines, here in zip(lists, first, strict=True)]
    about = f"chance {1 / len(places):.2f}; {np.mean(marked):.2f} marked; {len(table)} families, {len(places)} items"
    yield Outcome(
        f"{ALONE}, one item turned: it is first",
        float(np.mean(first)),
        limit_of_first(len(places)),
        about,
        "share",
        at_least=True,
    )


def _table(view: BoardView) -> tuple[list[ItemLine], Floats, list[int]]:
    """Return the list of a board, its scores by family, and the places of the items with a correlation."""
    table = by_family(view)[2]
    lines = _listed(table, 0)
    return lines, table, sorted(int(line.item) for line in lines)


def _listed(table: Floats, seed: int) -> list[ItemLine]:
    """Return the list of item-rest correlations; an item is named by its place."""
    rest = item_rest(table, seed)
    return [] if rest is None else lines_of(rest, [str(place) for place in range(table.shape[1])])


def outcomes() -> list[Outcome]:
    """Return how many faults are among the first twenty items of each list."""
    return [*of_facts(), *of_tables()]


if __name__ == "__main__":
    sys.exit(report(outcomes()))
