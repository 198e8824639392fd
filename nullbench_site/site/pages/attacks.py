"""Make the page of each board about attacks on its judges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import log

from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.scoring.attack_tables import TOO_FEW, AttackRow
from nullbench_site.site import paths, words
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.page import Page, section
from nullbench_site.site.trust import attacks, search_curves
from nullbench_site.site.views import BoardView, known
from nullbench_site.specs.types import RECORDED


@dataclass(frozen=True)
class Headline:
    """What an attack got somewhere: on a public benchmark, or from a judge here. attack: its kind."""

    where: str
    items: int
    reference: str
    judge: str
    attack: str
    got: str


_GPT_4 = "GPT-4-1106-Preview"
_SEARCHED = "structured, with a searched prefix"
PUBLISHED = (
    Headline("AlpacaEval 2.0", 805, _GPT_4, _GPT_4, _SEARCHED, "86.5 % length-controlled win rate"),
    Headline("Arena-Hard-Auto", 500, "GPT-4-0314", _GPT_4, _SEARCHED, "83.0 score, a win rate in %"),
    Headline("MT-Bench", 80, "none", _GPT_4, _SEARCHED, "9.55 of 10"),
)
"""Zheng et al. (2024), arXiv:2410.07137. Numbers of items: of the benchmarks' own papers. Not measured by us."""
_COMPARED = ("constant", "structured")
"""Kinds of attack that the three benchmarks were tried with."""


def pages(site: SiteData) -> Iterator[Page]:
    """Yield the page of each judged board with answers that do not answer."""
    for view in site.views:
        if attacks.has_attacks(view):
            yield Page(
                url=paths.attacks_url(view.board.id),
                title=f"What would cheating score on {view.name}?",
                template="attacks.md.j2",
                context={"board": section(view, _context(site, view))},
                description=f"What answers that do not answer get from the judges of {view.name}.",
            )


def _context(site: SiteData, view: BoardView) -> dict[str, object]:
    shown = attacks.attacked(view)
    audits = view.audit.parts if view.audit and view.audit.current else ()
    end = attacks.axis_end(shown)
    return {
        "origin": origin(view),
        "command": command(site, view),
        "asked": all(judge.backend != RECORDED for judge in shown.judges),
        "fooled": attacks.fooled(shown),
        "lines": attacks.judge_lines(view),
        "judges": [title for _, title in attacks.judges(shown)],
        "matrix": attacks.matrix(shown),
        "lifts": any(row.lift is not None for row in known(shown.results.attacks)),
        "both_orders": any(row.orders > 1 for row in known(shown.results.attacks)),
        "least": TOO_FEW,
        "through": attacks.got_through(shown, [(entry.path, part) for entry, part in (*audits, (site.entry, view))]),
        "defences": attacks.effects(view),
        "defended": attacks.defended(view),
        "defended_scores": attacks.defended_scores(view),
        "wordings": [*attacks.over_wordings(view)],
        "strips": attacks.strips(shown),
        "axis_end": end,
        "even": 200 * log(2) / end,
        "published": PUBLISHED,
        "searches": (searched := search_curves.searches(site, view)),
        "searched_says": search_curves.in_words(searched) if searched else [],
        "adaptive": search_curves.adaptive(searched) if searched else [],
        "transfers": search_curves.transfers(site, view, searched[0].best.found) if searched else [],
        "own": [*_own(shown)],
    }


def origin(view: BoardView) -> list[str]:
    """Say which records the page is of."""
    audit = view.audit
    if audit is not None and audit.current:
        found = [_audit(view, entry, part) for entry, part in audit.parts]
        own = "Null models of the board itself were tried on all its items."
        return [*found, own] if known(view.results.attacks) else found
    sentences = ["These are the null models of the board itself."]
    if audit is not None:
        sentences.append(f"The newest audit of these judges is of another run, {audit.entry.manifest.version}.")
    return sentences


def _audit(view: BoardView, entry: CatalogEntry, part: BoardView) -> str:
    """Name an audit, and say on which items it is."""
    sealed = f"From the audit {entry.path.name} of this run, sealed {entry.manifest.date}"
    if part.board.id != view.board.id:
        where = f"the board {part.name}, where the same judges are asked the same"
        return f"{sealed}: {words.plural(len(part.items), 'item')} of {where}."
    return f"{sealed}: {words.of(len(part.items), len(view.items))} items."


def command(site: SiteData, view: BoardView) -> str:
    """Return the command that audits the judges in this run; empty if it was run, or if a judge cannot be asked."""
    done = view.audit is not None and view.audit.current
    if done or any(judge.backend == RECORDED for judge in view.judges):
        return ""
    return f"nullbench-site audit {site.entry.manifest.run} --board {view.board.id}"


def _own(view: BoardView) -> Iterator[Headline]:
    """Yield what the best attack of each compared kind got from each judge."""
    for judge, title in attacks.judges(view):
        for kind in _COMPARED:
            rows = [
                row for row in known(view.results.attacks) if (row.judge, row.kind) == (judge, kind) and row.n_items
            ]
            if rows:
                top = max(rows, key=attacks.share)
                name = f"{kind}: {attacks.title_of(view, top)}, the most successful of {len(rows)}"
                yield Headline(view.board.title, top.n_items, "", title, name, won_words(top))


def won_words(row: AttackRow) -> str:
    """Say how often an attack got through, with the rate and its interval."""
    orders = " in both orders" if row.orders > 1 else ""
    return f"got through on {words.of(row.n_won, row.n_items)}{orders}, {rate_words(row)}"


def rate_words(row: AttackRow) -> str:
    """Return the rate of an attack with its interval, or `too few`."""
    if row.won_share is None or row.won_low is None or row.won_high is None:
        return "too few for a rate"
    return f"{words.percent(row.won_share)} {words.interval(100 * row.won_low, 100 * row.won_high)}".rstrip()
