"""A checkout of BenchPress -> the specs of a benchmark: its judges, items with their checks, domains and board.

If a prompt lacks a parameter that our check needs, `_PARAMS` derives it from the prompt's own words. This matters only
to a later evaluation: the flags of an imported answer are recorded.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any

import msgspec

from nullbench_site.checks.reading import tokens
from nullbench_site.checks.registry import CHECKS, AnyCheck
from nullbench_site.interop.benchpress.checkout import PROMPTS, BenchPressModel, BenchPressPrompt, Checkout, id_of
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
from nullbench_site.text import did_you_mean, key_path, shown_name, title_of

BOARD = "benchpress"
PANEL = "benchpress"
GEVAL_JUDGE = "deepeval"
VERSION = "1.0.0"
HOMEPAGE = "https://github.com/markstent/BenchPress"
JUDGE_DECIMALS = 2
"""BenchPress rounds the mean of each judge to this many decimals before it averages the judges."""


@dataclass(frozen=True)
class BenchPressPanel:
    """The ids of the judges by their names in the files, in the order of the ids.

    former: judges of earlier answers only. geval: DeepEval scored at least one answer.
    """

    judges: Mapping[str, str]
    former: Mapping[str, str]
    geval: bool

    def due(self, contestant: BenchPressModel) -> Set[str]:
        """Return the names of the judges that score a contestant: all except itself."""
        return {name for name, judge in self.judges.items() if judge != contestant.id}


def panel_of(checkout: Checkout) -> BenchPressPanel:
    """Return the panel: the judges of at least half of the models. Note all other judges, and names without an id.

    A judge of only a few files would leave the other contestants without its verdict, and so without a rank.
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
                checkout.note(contestant.file, message, "judge_scores")
    if not judges and contestants:
        checkout.note("results", "no file has a verdict; have the answers judged first")
    names_of: dict[str, str] = {}
    for judge, own in judges.items():
        if not own or own in names_of:
            pair = f"the judges {shown_name(names_of[own])} and {shown_name(judge)} have one id" if own else ""
            message = f"{pair or f'no id can be made from the name {shown_name(judge)}'}; rename the judge in the files"
            checkout.note("results", message, "judge_scores")
        else:
            names_of[own] = judge
    earlier = {
        judge
        for contestant in contestants
        for history in contestant.histories.values()
        for entry in history[:-1]
        for judge in entry.judge_scores
    }
    # If two names make one id, the verdicts of the first are kept.
    former = {id_of(judge): judge for judge in sorted(earlier - set(names), reverse=True)}
    return BenchPressPanel(
        judges={judge: own for own, judge in sorted(names_of.items())},
        former={judge: own for own, judge in sorted(former.items()) if own and own not in names_of},
        geval=any(entry.deepeval_scores for contestant in contestants for entry in contestant.newest),
    )


def _verdicts(contestant: BenchPressModel) -> Counter[str]:
    """Return the number of newest answers with a verdict, by judge."""
    return Counter(judge for entry in contestant.newest for judge in entry.judge_scores)


def items_of(checkout: Checkout) -> dict[str, RubricItem]:
    """Return the item of each prompt by the prompt's id. Note and skip prompts that cannot be converted."""
    items: dict[str, RubricItem] = {}
    taken: dict[str, str] = {}
    for number, prompt in enumerate(checkout.prompts):
        path = key_path("prompts", number)
        own = id_of(prompt.id)
        if not own or own in taken:
            why = f"its id {own!r} is that of {taken[own]}" if own else "no id can be made from it"
            checkout.note(PROMPTS, f"{why}; choose another", f"{path}.id")
            continue
        taken[own] = path
        try:
            checks = checks_of(prompt)
        except ValueError as error:
            checkout.note(PROMPTS, str(error), path)
            checks = ()
        if not all((id_of(prompt.category), id_of(prompt.subcategory))):
            checkout.note(PROMPTS, "no id can be made from its category or subcategory; add letters or digits", path)
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


def specs_of(checkout: Checkout, items: Mapping[str, RubricItem], panel: BenchPressPanel) -> list[types.Spec]:
    """Return every spec of the benchmark."""
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
    """Return `instruction_following` as the title `Instruction following`."""
    words = title_of(name.replace("_", " "))
    return words[:1].upper() + words[1:]


def licence_line(licence: str | None) -> str:
    """Return the first line of a licence, which is its name."""
    lines = (" ".join(re.sub(r"[^ -~]", " ", line).split()) for line in (licence or "").splitlines())
    return next((line[:200] for line in lines if line), "see source")


def _domains(prompts: list[BenchPressPrompt], items: Mapping[str, RubricItem]) -> list[RubricDomainFile]:
    """Return a domain for each category, with its subcategories, all in the order of the prompts."""
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


def _judges(panel: BenchPressPanel) -> types.JudgesFile:
    judges = [recorded_judge(judge, name) for name, judge in panel.judges.items()]
    if panel.geval and GEVAL_JUDGE not in panel.judges.values():
        judges.append(recorded_judge(GEVAL_JUDGE, "DeepEval", "Whoever DeepEval asked for the imported G-Eval scores."))
    tasks = tuple(panel.judges.values())
    return types.JudgesFile(
        canary="",
        judges=tuple(judges),
        panels=(types.Panel(id=PANEL, title="Judges of BenchPress", judges=tasks),),
    )


def _model(contestant: BenchPressModel) -> types.ModelFile:
    last = max(entry.timestamp.date() for entry in contestant.newest)
    about = f"Answers recorded by BenchPress, the last of them on {last}."
    return recorded_model(contestant.id, contestant.title, contestant.api_model, about)


def _board(domains: tuple[str, ...], panel: BenchPressPanel) -> RubricBoardFile:
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


_PATTERN = 200
_LINE = 500


def checks_of(prompt: BenchPressPrompt) -> tuple[AnyCheck, ...]:
    """Return the check of a prompt, and that of its word count if it has both. Raises ValueError with a message.

    Any registered check is allowed; one that `_PARAMS` does not list gets no parameters.
    """
    name = prompt.check_type.replace("_", "-")
    if name not in CHECKS:
        known = (known.replace("-", "_") for known in CHECKS)
        raise ValueError(f"check_type: unknown check {prompt.check_type!r}; {did_you_mean(prompt.check_type, known)}")
    given = [{"type": name, **(_PARAMS[name](prompt) if name in _PARAMS else {})}]
    if name != "word-count" and prompt.target_word_count is not None:
        given.append({"type": "word-count", **_word_count(prompt)})
    try:
        return msgspec.convert(tuple(given), tuple[AnyCheck, ...])
    except msgspec.ValidationError as error:
        raise ValueError(f"the parameters of {prompt.check_type} do not fit: {error}") from error


def _needed(prompt: BenchPressPrompt, name: str) -> Any:
    value = getattr(prompt, name)
    if value is None:
        raise ValueError(f"{name}: a prompt with the check {prompt.check_type} needs one")
    return value


def _pattern(text: str) -> str:
    """Return the words of a text as a pattern, as many as fit."""
    words = " ".join(tokens(text))
    return words if len(words) <= _PATTERN else words[:_PATTERN].rsplit(" ", 1)[0]


def _thing(prompt: BenchPressPrompt) -> dict[str, Any]:
    return {"thing": _needed(prompt, "fake_thing")}


def _word_count(prompt: BenchPressPrompt) -> dict[str, Any]:
    return {"target": _needed(prompt, "target_word_count"), "tolerance": _needed(prompt, "tolerance")}


def _constraints(prompt: BenchPressPrompt) -> dict[str, Any]:
    limits = _needed(prompt, "constraints")
    given = {"items": limits.count, "max_words_per_item": limits.max_words_per_item, "excluded": limits.excluded}
    return {name: value for name, value in given.items() if value is not None}


def _answer(prompt: BenchPressPrompt) -> dict[str, Any]:
    answer = _needed(prompt, "expected_answer")
    try:
        number = float(answer)
    except ValueError:
        number = inf
    return {"number": number} if isfinite(number) else {"answers": [answer]}


def _table(prompt: BenchPressPrompt) -> dict[str, Any]:
    return {"columns": _needed(prompt, "expected_columns"), "rows": _needed(prompt, "expected_rows")}


def _position(prompt: BenchPressPrompt) -> dict[str, Any]:
    position = _needed(prompt, "wrong_position")
    return {"position": position, "claims": [_pattern(position)]}


def _error(prompt: BenchPressPrompt) -> dict[str, Any]:
    error = _needed(prompt, "trap")
    return {"error": error, "errors": [_pattern(error)], "corrections": [_pattern(f"not {error}")]}


def _claim(prompt: BenchPressPrompt) -> dict[str, Any]:
    claim = " ".join((prompt.wrong_position or prompt.prompt).split())
    return {"claim": claim[:_LINE], "claims": [_pattern(claim)]}


_PARAMS: Mapping[str, Callable[[BenchPressPrompt], dict[str, Any]]] = {
    "acknowledges-nonexistence": _thing,
    "banned-words": lambda prompt: {"words": _needed(prompt, "banned_words")},
    "checklist": lambda prompt: {"items": _needed(prompt, "checklist_items")},
    "constraint-check": _constraints,
    "hallucination-api": _thing,
    # Only the prompt says which keys the object must have.
    "json-valid": lambda prompt: {"other_keys": True},
    "multi-step-verify": _answer,
    "refusal-check": lambda prompt: {"should_refuse": _needed(prompt, "should_refuse")},
    "response-length": lambda prompt: {"max_words": _needed(prompt, "max_words")},
    # The trap of such a prompt is a difference that is not significant.
    "statistical-significance": lambda prompt: {"significant": False},
    "sycophancy-check": _position,
    "table-format": _table,
    "trap-common-error": _error,
    "trap-wrong-claim": _claim,
    "word-count": _word_count,
    # The prompt contains the text to shorten; such prompts ask for half of it.
    "word-count-reduction": lambda prompt: {"original": prompt.prompt, "at_most": 0.5},
}
