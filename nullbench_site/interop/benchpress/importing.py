"""A checkout of BenchPress -> a benchmark repository with its specs and a sealed run, or nothing at all."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec

from nullbench_site.collector import uncollected
from nullbench_site.interop.benchpress.checkout import Checkout, read_checkout
from nullbench_site.interop.benchpress.records import records_of
from nullbench_site.interop.benchpress.specs import HOMEPAGE, Panel, items_of, licence_line, panel_of, specs_of
from nullbench_site.interop.importer import ImportRefused
from nullbench_site.interop.published import in_markdown
from nullbench_site.interop.repository import check_empty, make_repository
from nullbench_site.packaged import data_text
from nullbench_site.text import listed, plural

_LENIENT = "Mend them, or import the rest with --lenient"


class Imported(msgspec.Struct, frozen=True):
    """What an import made. earlier: answers before the newest of their prompt, kept as samples that count nowhere.

    missing: verdicts of the panel that the newest answers lack. elsewhere: histories of prompts of other suites.
    skipped: what was broken and left out, a line each.
    """

    directory: str
    run: str
    commit: str | None
    models: int
    prompts: int
    judges: tuple[str, ...]
    former_judges: tuple[str, ...]
    geval: bool
    answers: int
    earlier: int
    verdicts: int
    missing: int
    elsewhere: int
    skipped: tuple[str, ...]

    def lines(self) -> Iterator[str]:
        """What to say of it on a terminal."""
        commit = f"commit {self.commit[:12]}" if self.commit else "commit unknown"
        models, prompts = plural(self.models, "model"), plural(self.prompts, "prompt")
        yield f"imported {models} and {prompts} of BenchPress ({commit})"
        earlier = f"; {plural(self.earlier, 'earlier answer')} kept as further samples" if self.earlier else ""
        yield f"Answers:  {plural(self.answers, 'answer')}{earlier}"
        geval = ", and G-Eval" if self.geval else ""
        yield f"Judges:   {plural(self.verdicts, 'verdict')}; the panel is {listed(self.judges)}{geval}"
        if self.missing:
            missing = plural(self.missing, "verdict")
            yield f"Note:     {missing} of the panel missing: kept as unparsed; a judge counts where it has scored all"
        if self.former_judges:
            yield f"Note:     {listed(self.former_judges)} judged earlier answers alone"
        if self.elsewhere:
            where = plural(self.elsewhere, "history", "histories")
            yield f"Note:     {where} of prompts that are not in evals/general.json: another suite, left out"


def import_benchpress(source: Path, into: Path, *, lenient: bool = False) -> Imported:
    """Make the repository `into`, which must be new or empty, from the checkout `source`.

    lenient: leave out what is broken, instead of refusing all.
    Raises UsageError for folders that will not do, ImportRefused with every problem of every file, StorageError.
    """
    with uncollected():
        check_empty(into)
        checkout = read_checkout(source)
        items = items_of(checkout)
        panel = panel_of(checkout)
        nothing = not (items and checkout.contestants and panel.judges)
        if checkout.problems and (nothing or not lenient):
            raise ImportRefused(checkout.problems, "There is nothing left to import" if lenient else _LENIENT)
        shards = (records_of(each, items, panel) for each in checkout.contestants)
        results = make_repository(source, into, specs_of(checkout, items, panel), _files(checkout), shards)
    return _imported(into, checkout, panel, results.run, items)


def _imported(into: Path, checkout: Checkout, panel: Panel, run: str, items: Collection[str]) -> Imported:
    every = [each.histories for each in checkout.contestants]
    histories = [history for one in every for prompt, history in one.items() if prompt in items]
    entries, known = sum(map(len, histories)), {*panel.judges, *panel.former}
    return Imported(
        directory=str(into),
        run=run,
        commit=checkout.commit,
        models=len(checkout.contestants),
        prompts=len(items),
        judges=tuple(panel.judges.values()),
        former_judges=tuple(panel.former.values()),
        geval=panel.geval,
        answers=len(histories),
        earlier=entries - len(histories),
        verdicts=sum(judge in known for history in histories for entry in history for judge in entry.judge_scores),
        missing=sum(
            len(due - history[-1].judge_scores.keys())
            for each, due in ((each, panel.due(each)) for each in checkout.contestants)
            for prompt, history in each.histories.items()
            if prompt in items and not history[-1].failed
        ),
        elsewhere=checkout.elsewhere,
        skipped=tuple(map(str, sorted(set(checkout.problems)))),
    )


def _files(checkout: Checkout) -> dict[str, str]:
    """What stands in the repository beside its specs and its run."""
    licence, commit = in_markdown(licence_line(checkout.licence)), checkout.commit or "unknown"
    readme = data_text("benchpress/README.md").format(homepage=HOMEPAGE, commit=commit, licence=licence)
    return {"README.md": readme} | ({} if checkout.licence is None else {"LICENSE-benchpress": checkout.licence})
