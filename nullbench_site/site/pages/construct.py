"""Say what a board measures, what its scores are cited for, and the evidence for each step from an output to that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nullbench_site.scoring.board_tables import CorrelationRow
from nullbench_site.site import paths, words
from nullbench_site.site.pages.page import scored_by, weights_notice
from nullbench_site.site.trust.attacks import has_attacks
from nullbench_site.site.views import BoardView, known
from nullbench_site.specs.rules.boards import overreach
from nullbench_site.specs.types import INFERENCE_LEVELS, InferenceLevel
from nullbench_site.specs.types.common import Construct

THREATS: Mapping[Construct, str] = {
    "capability": "contamination: items in the training data",
    "alignment": "ambiguous labels: those who mark disagree on what is right",
    "deployment": "distribution shift: real use differs from the items",
}
"""The primary threat to each construct. Source: the mathematical treatment of LLM evaluation, section 1, Exhibit 1."""


@dataclass(frozen=True)
class Level:
    """A level of inference: what is inferred, and the evidence that the step to it asks for.

    Source: the mathematical treatment of LLM evaluation, section 8, Exhibit 6.
    """

    title: str
    inferred: str
    asks: str


LEVELS: Mapping[InferenceLevel, Level] = {
    "behaviour": Level("Behaviour", "the text of an answer", "nothing more: it is observed"),
    "task": Level("Task", "how well this task is done in this format", "the same result in other formats and wordings"),
    "capability": Level(
        "Capability", "the skill behind the task", "correlation with other benchmarks, and transfer to new items"
    ),
    "alignment": Level(
        "Alignment", "safety, helpfulness or honesty", "agreement of people on what is right, as this is a norm"
    ),
    "values": Level(
        "Values",
        "what a model does under pressure",
        "lasting attacks, monitoring in use and a look inside the model; no fixed set of items is enough",
    ),
}


@dataclass(frozen=True)
class Step:
    """A level with the evidence that the board has for it. claimed: whether scores are cited for this level.

    link: to the page of attacks on the judges, if the level asks for attacks.
    """

    level: Level
    evidence: str
    claimed: bool
    link: str = ""


@dataclass(frozen=True)
class ConstructFacts:
    """What a board measures. level: the title of the highest level that its scores are cited for; empty if not stated.

    too_far: why the scores cannot carry this; empty if they may. weights: the notice on constructs that are averaged.
    """

    construct: Construct
    claim: str
    ground_truth: str
    threat: str
    level: str
    steps: Sequence[Step]
    too_far: str
    weights: str


def construct_facts(view: BoardView) -> ConstructFacts:
    """Return what a board measures and what its scores are cited for."""
    stated = view.board.inference
    marked_by = next((of.source for name, of in view.board.declared.items() if str(name) == "agreement"), "")
    attacks = {"values": paths.attacks_url(view.board.id)} if has_attacks(view) else {}
    reached = -1 if stated is None else INFERENCE_LEVELS.index(stated.level)
    return ConstructFacts(
        construct=view.board.construct,
        claim=stated.claim if stated else "",
        ground_truth=(stated and stated.ground_truth) or marked_by or scored_by(view),
        threat=(stated and stated.threat) or THREATS[view.board.construct],
        level=LEVELS[stated.level].title if stated else "",
        steps=[
            Step(LEVELS[name], _evidence(view, name), place <= reached, attacks.get(name, ""))
            for place, name in enumerate(LEVELS)
        ],
        too_far=overreach(view.board, view.domains),
        weights=weights_notice(view),
    )


def _evidence(view: BoardView, level: InferenceLevel) -> str:
    """Return the evidence for a level: what the spec states, else what the run has; empty without any."""
    stated = view.board.inference
    if stated and level in stated.evidence:
        return stated.evidence[level]
    if level == "behaviour":
        return "the scores are imported, the answers are not here" if not view.asked else "the answers of this run"
    n = len(view.board.wordings)
    return f"each prompt was asked in {n} wordings" if level == "task" and n > 1 else ""


# Convergent and discriminant validity: correlations of tasks, and of boards.


def correlations(view: BoardView) -> Mapping[str, Any]:
    """Return what is known about a board.

    says: what the correlations of tasks show, in sentences. tasks: the rows over all tasks, then by group, each with a
    title; n_models and n_families: over which language models. boards: the others of the site with a common language
    model. boards_say: whether three boards of one construct agree.
    """
    rows: Sequence[CorrelationRow] = known(view.results.correlations)
    absent = "" if rows else "the board has fewer than two tasks, or the run was scored before this was measured"
    if rows and rows[0].n_families and all(row.value is None for row in rows):
        absent = rows[0].absent or ""
    elif rows and all(row.value is None for row in rows):
        absent = "no language model has a score on every task"
    titles: dict[str | None, str] = {None: "All tasks", **{name: domain.title for name, domain in view.domains.items()}}
    groups = [] if absent else dict.fromkeys(row.group for row in rows)
    tasks = [(titles.get(group, group), [row for row in rows if row.group == group]) for group in groups]
    return {
        "says": _says(rows) if tasks else [],
        "tasks": tasks,
        "n_models": rows[0].n_models if rows else 0,
        "n_families": rows[0].n_families if rows else 0,
        "absent": absent,
        "boards": view.others,
        "boards_say": _boards_say(view),
    }


def _says(rows: Sequence[Any]) -> list[str]:
    """Say whether tasks of one group are closer to each other than to others, with and without the first factor."""
    apart = next(row for row in rows if row.kind == "within minus across" and row.group is None)
    says = []
    for what, value, low, high in (
        ("Correlations", apart.value, apart.low, apart.high),
        ("Without what all tasks share, correlations", apart.rest, apart.rest_low, apart.rest_high),
    ):
        if value is None or low is None or high is None:
            continue
        if low > 0 or high < 0:
            more = "higher" if low > 0 else "lower"
            least, most = (low, high) if low > 0 else (-high, -low)
            figure = f"{words.number(abs(value), 2)} {words.interval(least, most, 2)}"
            says.append(f"{what} within a group are {figure} {more} than across groups.")
        else:
            says.append(f"{what} within a group are not distinguishable from those across groups.")
    return says


def _boards_say(view: BoardView) -> str:
    """Say whether three boards of one construct agree, which high trust takes."""
    same = [other for other in view.others if other.same]
    measured = [other for other in same if other.found.value is not None]
    if len(measured) < 2:
        n_common = max((other.n_models for other in same), default=0)
        return (
            "Whether three boards of one construct agree is not measurable here: it takes two other boards of this "
            f"construct with language models of six families in common, and the most in common is "
            f"{words.plural(n_common, 'model')}."
        )
    agreeing = sum(other.agrees for other in same)
    return f"{words.of(agreeing, len(measured))} other boards of this construct agree with it; high trust takes two."
