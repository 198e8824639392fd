"""What a board measures, what its scores are cited for, and the evidence for each step."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from support.boards import benchmark, category, domain, judged, scored
from support.repositories import edit, small_repository

from nullbench_site import api
from nullbench_site.site.pages.construct import construct_facts
from nullbench_site.site.pages.page import panel_words
from nullbench_site.site.pages.trust_marks import trust
from nullbench_site.site.views import BoardView, view_of
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.rules.boards import overreach
from nullbench_site.specs.types import Construct, Inference, InferenceLevel


def with_board(of: Benchmark, **fields: Any) -> Benchmark:
    return replace(of, boards={"main": msgspec.structs.replace(of.boards["main"], **fields)})


def view(**fields: Any) -> BoardView:
    of = with_board(benchmark(), **fields)
    return view_of(of, of.boards["main"], scored(of, judged({"q": 50})))


@pytest.mark.parametrize(
    ("construct", "level", "why"),
    [
        ("capability", "task", ""),
        ("capability", "capability", ""),
        ("capability", "alignment", "a capability score is cited as evidence of alignment"),
        ("capability", "values", "a capability score is cited as evidence of values"),
        ("alignment", "alignment", ""),
        ("alignment", "values", "a fixed set of items is cited as evidence of values"),
    ],
)
def test_a_score_that_is_cited_for_more_than_it_shows_has_a_low_mark(
    construct: Construct, level: InferenceLevel, why: str
) -> None:
    shown = view(construct=construct, inference=Inference(level=level, claim="Answers are good"))
    assert construct_facts(shown).too_far == why
    mark = trust(shown, shown.rows["m"])[-1]
    assert (mark.state == "low", mark.why.lower().startswith(why or "above")) == (bool(why), True)


def test_a_domain_of_capability_on_a_board_of_alignment_is_no_evidence_of_alignment() -> None:
    of = benchmark(
        domain("a", category("a1", "q1")),
        domain("b", category("b1", "q2"), construct="capability"),
        construct_weights={"alignment": 0.4, "capability": 0.6},
    )
    board = with_board(of, inference=Inference(level="alignment", claim="x")).boards["main"]
    assert overreach(board, of.domains) == "a capability score is cited as evidence of alignment"


def test_each_step_up_to_the_level_asks_for_its_evidence() -> None:
    stated = Inference(level="capability", claim="Answers are good", evidence={"task": "five formats agree"})
    facts = construct_facts(view(inference=stated))
    assert [(step.level.title, step.claimed, step.evidence) for step in facts.steps] == [
        ("Behaviour", True, "the answers of this run"),
        ("Task", True, "five formats agree"),
        ("Capability", True, ""),
        ("Alignment", False, ""),
        ("Values", False, ""),
    ]
    assert (facts.level, facts.threat, facts.ground_truth) == (
        "Capability",
        "ambiguous labels: those who mark disagree on what is right",
        "Scored by 3 rule-based judges.",
    )
    assert construct_facts(view()).level == ""


def test_a_mean_over_constructs_says_everywhere_that_its_weights_are_a_value_judgment() -> None:
    made = benchmark(
        domain("a", category("a1", "q1")),
        domain("b", category("b1", "q2"), construct="capability"),
        construct_weights={"alignment": 0.4, "capability": 0.6},
    )
    shown = view_of(made, made.boards["main"], None)
    notice = "weights alignment 0.4 and capability 0.6. These weights are a value judgment."
    assert panel_words(shown).endswith(notice)
    assert "value judgment" not in panel_words(view())


def test_a_claim_that_goes_too_far_is_warned_of_at_its_place(tmp_path: Path) -> None:
    made = small_repository(tmp_path)
    edit(made.specs / "boards/main.yaml", "construct: alignment", "construct: capability\n" + _CITED)
    assert [str(warning).partition("specs/")[2] for warning in api.validate(made).warnings] == [
        "boards/main.yaml:8:20: a capability score is cited as evidence of alignment; cite it for a lower level"
    ]


_CITED = "inference: {level: alignment, claim: Answers are honest}"
