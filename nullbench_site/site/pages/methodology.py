"""Make the pages of method and the glossary, from the specs and the metric registry of the run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, get_args
from xml.etree.ElementTree import tostring

from nullbench_site.errors import UsageError
from nullbench_site.programs.marks import opposites_in_common
from nullbench_site.scoring.columns import Metric
from nullbench_site.scoring.metrics import package_of
from nullbench_site.site import claims, paths, words
from nullbench_site.site.gather import SiteData, shown_metrics
from nullbench_site.site.pages.page import Page, Section, section
from nullbench_site.site.pages.usage import decodings
from nullbench_site.site.protocol import Term, answered, pages_of
from nullbench_site.site.views import BoardView
from nullbench_site.site.wording import first_wording_only
from nullbench_site.specs import templates
from nullbench_site.specs.types import LADDERS, VERBATIM, WHAT, Damage, Difficulty, damage_words, dose_words


def pages(site: SiteData) -> Iterator[Page]:
    """Yield the page of what all boards share, a page for each board, and the glossary."""
    metrics = shown_metrics(site)
    yield Page(
        url=paths.METHOD,
        title="Methodology",
        template="methodology.md.j2",
        context={
            "boards": site.views,
            "null_models": [model for model in site.benchmark.models.values() if model.kind == "null"],
            "judged": any(view.panel for view in site.views),
            "answered": bool(answered(site.views)),
            "damages": [
                (damage_words(name).capitalize(), f"{WHAT[name]}; {_doses(name, doses)}.")
                for name, doses in LADDERS.items()
            ],
            "shared_words": shared_words(),
            "rule_based": any(view.rule_based for view in site.views),
            "trust": [metric for metric in metrics if metric.id.startswith("trust_")],
            "claims": claims.RULES,
            "manifest": site.entry.manifest,
        },
        description="What all boards share: null models, controls, trust, claims, and where answers come from.",
    )
    explained: set[str] = set()
    for view in site.views:
        protocol = view.board.protocol
        explanation = pages_of(protocol).explanation
        shown = explanation(site.benchmark) if explanation else None
        yield Page(
            url=paths.method_url(view.board.id),
            title=f"Methodology of {view.name}",
            template="board_methodology.md.j2",
            context={"board": _section(view), "explanation": shown, "profile": site.benchmark.profile},
            description=f"What {view.name} asks, who answers, and how answers become scores.",
            # The search finds what a protocol explains once, on its first board.
            terms=() if shown is None or protocol in explained else shown.terms,
        )
        explained.add(protocol)
    yield Page(
        url=paths.GLOSSARY,
        title="Glossary",
        template="glossary.md.j2",
        context={"numbers": metrics, "mathml": mathml},
        description="Every number (metric, statistic) of this run: what it means, its formula and its source.",
        terms=[Term(f"metric-{metric.id}", metric.title, metric.sentence) for metric in metrics],
    )


def shared_words() -> str:
    """Say how many opposites of the controls are also in the lists of the rule-based judges."""
    same, known, n = opposites_in_common()
    return (
        f"These programs exchange {n} pairs of opposites. {same} of them are word for word in the list of the "
        f"rule-based judges, and {known} are with the stems of words."
    )


def _doses(damage: Damage, doses: Sequence[float]) -> str:
    return ", then ".join(dose_words(damage, dose) for dose in doses)


def _section(view: BoardView) -> Section:
    shared = {
        "template": "_pipeline.md.j2",
        "decoding": decodings(view),
        "sizes": sizes(view, "prompt"),
        "contestants": words.entrants(len(view.contestants), len(view.rows) - len(view.contestants)),
        "difficulties": _difficulties(view),
        **_wordings(view),
    }
    return section(view, {**shared, **pages_of(view.board.protocol).method(view)})


def _wordings(view: BoardView) -> dict[str, Any]:
    """Return the templates of a board, empty without any, and how prompts are put."""
    board, texts = view.board, view.benchmark.templates
    judges = getattr(board, "judge_templates", ())
    wordings, to_judges = (
        [(name, templates.wording(texts[name])) for name in names if name != VERBATIM]
        for names in (board.wordings, judges)
    )
    put = {0: "as it stands", 1: "in the wording below"}.get(len(wordings), f"in {len(wordings)} wordings")
    return {
        "wordings": wordings,
        "judge_wordings": to_judges,
        "put": put,
        "first_only": first_wording_only(view),
    }


def sizes(view: BoardView, noun: str) -> str:
    """Count the items, domains and categories. noun: what an item is called."""
    categories = words.plural(len(view.in_categories), "category", "categories")
    return f"{words.plural(len(view.items), noun)} in {words.plural(len(view.domains), 'domain')} and {categories}"


def _difficulties(view: BoardView) -> list[tuple[str, int, int]]:
    """Return the difficulties from easy to hard, each with its items and private items."""
    counts = Counter(placed.item.difficulty for placed in view.items)
    private = Counter(placed.item.difficulty for placed in view.items if placed.private)
    return [(name, counts[name], private[name]) for name in get_args(Difficulty) if counts[name]]


_CHARACTER = re.compile(r"&amp;(?=#x[0-9A-F]+;)")
"""How a character begins that latex2mathml wrote by its number, where it is escaped. The library itself undoes all
escaping, of texts too."""


@cache
def mathml(metric: Metric) -> str:
    """Return the formula of a metric as MathML. Raises UsageError if it is not LaTeX."""
    from latex2mathml.converter import convert_to_element

    try:
        tree = tostring(convert_to_element(metric.formula, display="block"), encoding="unicode")
        return _CHARACTER.sub("&", tree)
    except Exception as error:
        message = f"the formula of the number {metric.id!r} is not LaTeX ({type(error).__name__}): {metric.formula}"
        raise UsageError(f"{message}; install a version of {package_of(metric)} that fits, or uninstall it") from error
