"""What was read -> the specs of a benchmark."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass

from nullbench_site.checks.registry import AnyCheck
from nullbench_site.interop.benchpress.checkout import PROMPTS, Checkout, Contestant, id_of
from nullbench_site.interop.benchpress.checks import checks_of
from nullbench_site.interop.benchpress.files import Prompt, path, shown_name
from nullbench_site.interop.published import recorded_judge, recorded_model
from nullbench_site.protocols.rubric.specs import (
    Composite,
    GEval,
    RubricBoardFile,
    RubricCategory,
    RubricDomainFile,
    RubricItem,
)
from nullbench_site.specs import types
from nullbench_site.text import title_of

BOARD = "benchpress"
PANEL = "benchpress"
GEVAL_JUDGE = "deepeval"
VERSION = "1.0.0"
HOMEPAGE = "https://github.com/markstent/BenchPress"
JUDGE_DECIMALS = 2
"""BenchPress rounds each judge's mean to so many decimals before it takes their mean."""


@dataclass(frozen=True)
class Panel:
    """The ids of the judges by the names they have in the files, in the order of the ids.

    former: the same of judges that gave verdicts on earlier answers alone. geval: whether DeepEval scored any answer.
    """

    judges: Mapping[str, str]
    former: Mapping[str, str]
    geval: bool

    def due(self, contestant: Contestant) -> Set[str]:
        """The names of the judges that score a contestant: all but itself."""
        return {name for name, judge in self.judges.items() if judge != contestant.id}


def panel_of(checkout: Checkout) -> Panel:
    """The panel: those that judge most models. Judges that are none, and names of which no id can be made, are noted.

    A judge that stands in the newest answers of few files alone would leave every other contestant without its verdict,
    and so without a rank; it is unknown here.
    """
    contestants = checkout.contestants
    given = {contestant.file: _verdicts(contestant) for contestant in contestants}
    names = sorted({judge for verdicts in given.values() for judge in verdicts})
    judges: dict[str, str] = {}
    for judge in names:
        may = [contestant for contestant in contestants if contestant.id != id_of(judge)]
        does = [contestant for contestant in may if 2 * given[contestant.file][judge] >= len(contestant.histories)]
        if 2 * len(does) >= len(may) > 0:
            judges[judge] = id_of(judge)
            continue
        for contestant in contestants:
            if judge in given[contestant.file]:
                has = f"it has scored {len(does)} of the {len(may)} models it may score"
                message = (
                    f"unknown judge {shown_name(judge)}: {has}; a judge of the panel has scored half of them or more"
                )
                checkout.note(contestant.file, ("judge_scores", message))
    if not judges and contestants:
        checkout.note("results", ("", "holds no verdict of any judge; have the answers judged first"))
    names_of: dict[str, str] = {}
    for judge, own in judges.items():
        if not own or own in names_of:
            pair = f"the judges {shown_name(names_of[own])} and {shown_name(judge)} have one id" if own else ""
            message = f"{pair or f'no id can be made of the name {shown_name(judge)}'}; rename the judge in the files"
            checkout.note("results", ("judge_scores", message))
        else:
            names_of[own] = judge
    earlier = {
        judge
        for contestant in contestants
        for history in contestant.histories.values()
        for entry in history[:-1]
        for judge in entry.judge_scores
    }
    # Of two names that make one id the verdicts of the first are kept.
    former = {id_of(judge): judge for judge in sorted(earlier - set(names), reverse=True)}
    return Panel(
        judges={judge: own for own, judge in sorted(names_of.items())},
        former={judge: own for own, judge in sorted(former.items()) if own and own not in names_of},
        geval=any(entry.deepeval_scores for contestant in contestants for entry in contestant.newest),
    )


def _verdicts(contestant: Contestant) -> Counter[str]:
    """How many of the newest answers each judge has a verdict on."""
    return Counter(judge for entry in contestant.newest for judge in entry.judge_scores)


def items_of(checkout: Checkout) -> dict[str, RubricItem]:
    """The item of each prompt by the id of the prompt; prompts that make none are noted and left out."""
    items: dict[str, RubricItem] = {}
    taken: dict[str, str] = {}
    for number, prompt in enumerate(checkout.prompts):
        place = path("prompts", number)
        own = id_of(prompt.id)
        if not own or own in taken:
            why = f"its id {own!r} is that of {taken[own]}; ids are unique" if own else "no id can be made of it"
            checkout.note(PROMPTS, (f"{place}.id", f"{why}, so give it another"))
            continue
        taken[own] = place
        checks = _checks(checkout, prompt, place)
        if not all((id_of(prompt.category), id_of(prompt.subcategory))):
            checkout.note(
                PROMPTS, (place, "no id can be made of its category or subcategory; give it letters or digits")
            )
        elif checks:
            items[prompt.id] = RubricItem(
                id=own,
                difficulty=prompt.difficulty,
                prompt=prompt.prompt,
                ideal=prompt.ideal,
                criteria=prompt.criteria,
                checks=checks,
            )
    return items


def _checks(checkout: Checkout, prompt: Prompt, place: str) -> tuple[AnyCheck, ...]:
    try:
        return checks_of(prompt)
    except ValueError as error:
        checkout.note(PROMPTS, (place, str(error)))
        return ()


def specs_of(checkout: Checkout, items: Mapping[str, RubricItem], panel: Panel) -> list[types.Spec]:
    """Every file of specs."""
    about = types.BenchmarkFile(
        canary="",
        id="benchpress",
        title="BenchPress",
        version=VERSION,
        description="Prompts, recorded answers and verdicts of BenchPress, imported and scored anew.",
        license=licence_line(checkout.licence),
        homepage=HOMEPAGE,
    )
    domains = _domains(checkout.prompts, items)
    board = _board(tuple(domain.id for domain in domains), panel)
    return [about, _judges(panel), board, *domains, *map(_model, checkout.contestants)]


def _title(name: str) -> str:
    """`instruction_following` as a title: `Instruction following`."""
    words = title_of(name.replace("_", " "))
    return words[:1].upper() + words[1:]


def licence_line(licence: str | None) -> str:
    """What the licence of the source calls itself: the first line of its text."""
    lines = (" ".join(re.sub(r"[^ -~]", " ", line).split()) for line in (licence or "").splitlines())
    return next((line[:200] for line in lines if line), "see source")


def _domains(prompts: list[Prompt], items: Mapping[str, RubricItem]) -> list[RubricDomainFile]:
    """Their categories in order, each with its subcategories in order."""
    grouped: dict[str, dict[str, list[RubricItem]]] = {}
    titles: dict[str, str] = {}
    for prompt in prompts:
        if prompt.id in items:
            domain = id_of(prompt.category)
            category = f"{domain}-{id_of(prompt.subcategory)}"[:80]
            titles.setdefault(domain, _title(prompt.category))
            titles.setdefault(category, _title(prompt.subcategory))
            grouped.setdefault(domain, {}).setdefault(category, []).append(items[prompt.id])
    return [
        RubricDomainFile(
            canary="",
            id=domain,
            title=titles[domain],
            description=f"Prompts of the category {titles[domain]} of BenchPress.",
            protocol="rubric",
            categories=tuple(
                RubricCategory(
                    id=category,
                    title=titles[category],
                    description=f"Prompts of the subcategory {titles[category]} of BenchPress.",
                    items=tuple(of_category),
                )
                for category, of_category in categories.items()
            ),
        )
        for domain, categories in grouped.items()
    ]


def _judges(panel: Panel) -> types.JudgesFile:
    judges = [recorded_judge(judge, name) for name, judge in panel.judges.items()]
    if panel.geval and GEVAL_JUDGE not in panel.judges.values():
        judges.append(recorded_judge(GEVAL_JUDGE, "DeepEval", "Whoever DeepEval asked for the imported G-Eval scores."))
    tasks = tuple(panel.judges.values())
    return types.JudgesFile(
        canary="",
        judges=tuple(judges),
        panels=(types.Panel(id=PANEL, title="Judges of BenchPress", judges=tasks),),
    )


def _model(contestant: Contestant) -> types.ModelFile:
    last = max(entry.timestamp.date() for entry in contestant.newest)
    about = f"Answers recorded by BenchPress, the last of them on {last}."
    return recorded_model(contestant.id, contestant.title, contestant.api_model, about)


def _board(domains: tuple[str, ...], panel: Panel) -> RubricBoardFile:
    return RubricBoardFile(
        canary="",
        id=BOARD,
        title="BenchPress",
        question="How well do models do everyday work?",
        description="Marks of 1-5 by a panel of judges and G-Eval scores of 0-1, both as BenchPress recorded them.",
        construct="capability",
        protocol="rubric",
        panel=PANEL,
        domains=domains,
        composite=Composite(judge_decimals=JUDGE_DECIMALS),
        geval=GEval(judge=GEVAL_JUDGE) if panel.geval else None,
    )
