"""The judges: their arithmetic, their gates, and the order they put contestants in."""

import json
from statistics import mean
from typing import Any

import pytest
from programs.cases import ITEMS, JUDGES, NULLS, TRIAL, TRIAL_SENTENCES, Item, answer, evidence, fields

from nullbench_site import programs as offline
from nullbench_site.programs.source_case import AspectMeasure
from nullbench_site.programs.source_judges import marked

SCOPE, NULL, POSITIVE, SPEAKER, MAKER = TRIAL_SENTENCES
EXTRACTS = ("lead", "textrank", "random-sentences", "task-aware")


def judged(judge: str, item: Item, response: str, **changes: object) -> dict[str, Any]:
    reply: dict[str, Any] = json.loads(offline.reply(judge, {}, fields(item, response, **changes)))
    return reply


def test_gates_are_answered_only_when_asked() -> None:
    assert "refusal" not in judged("form", TRIAL, NULL, gates=False)


def test_scores_follow_from_measures_as_documented() -> None:
    """Overall (1 + 0.6) / 2 = 0.8, worst 0.6.

    a: 1 -> 5, its target. b: 0.6 -> 1 + 2.4 -> 3 of a target of 5: 2.4 / 4 = 0.6. c: nothing is measured, so it
    is absent and in no mean. d: of it only names are, as of b, so the two cannot be told apart. Closeness (1 + 0.6) / 2
    = 0.8. Rules: 0.5, framing is not measured. Goal alignment (0.8 + 0.5) / 2 = 0.65. Quality 0.7 x 0.8 + 0.3 x 0.6.
    """
    axes = {"a": ["facts"], "b": ["names"], "c": ["scope"], "d": ["names", "scope"]}
    rules = [{"dimension": "scope", "weight": 3, "rule": ""}, {"dimension": "framing", "weight": 1, "rule": ""}]
    seen = evidence(
        TRIAL["source"],
        axes=[{"id": name, "aspects": aspects} for name, aspects in axes.items()],
        goal={"alignment_target": {"a": 5, "b": 5, "c": 4, "d": 3}, "rules": rules},
    )
    measures = {"facts": AspectMeasure(1.0, "all found"), "names": AspectMeasure(0.6), "numbers": AspectMeasure(None)}
    result = marked(seen, measures, {"scope": 0.5})
    assert result.axes == {"a": 5, "b": 3}
    assert result.goal_alignment == 65
    assert result.quality == 74
    assert result.rationale == "all found"


def test_scores_of_one_everywhere_are_no_alignment_at_all() -> None:
    assert judged("support", TRIAL, "")["goal_alignment"] == 0


def test_an_axis_nobody_targets_does_not_count_and_without_a_goal_nothing_is_aligned() -> None:
    plain = judged("support", TRIAL, NULL, goal={"alignment_target": {}, "rules": []})
    assert plain["axes"] == judged("support", TRIAL, NULL)["axes"]
    assert "goal_alignment" not in plain


@pytest.mark.parametrize("judge", JUDGES)
def test_a_judge_leaves_out_the_axes_of_which_it_measures_no_aspect(judge: str) -> None:
    measured = {
        "support": {"truthfulness", "neutrality", "reasoning"},
        "restraint": {"truthfulness", "neutrality", "reasoning", "clarity", "population-scope"},
        "form": {"clarity"},
    }
    assert set(judged(judge, TRIAL, f"{NULL} {POSITIVE}")["axes"]) == measured[judge]


@pytest.mark.parametrize(
    ("judge", "worse"),
    [
        ("support", POSITIVE.replace("15%", "43%")),
        ("support", NULL.replace("did not differ", "differed")),
        ("support", SCOPE.replace("Harrow", "Zanthor")),
        ("restraint", POSITIVE.replace("which may reflect chance", "because the app works")),
        ("restraint", POSITIVE.replace("fewer", "dramatically fewer")),
        ("form", POSITIVE.replace("15% fewer unplanned", "the of a fewer unplanned")),
    ],
)
def test_a_distortion_in_a_judges_field_costs_with_that_judge(judge: str, worse: str) -> None:
    original = max((line for line in TRIAL_SENTENCES), key=lambda line: len(set(line.split()) & set(worse.split())))
    assert judged(judge, TRIAL, worse)["quality"] < judged(judge, TRIAL, original)["quality"]


def test_the_rationale_names_the_evidence() -> None:
    reply = judged("support", TRIAL, f"{POSITIVE} Of 43 users in Zanthor.")
    assert reply["rationale"] == (
        "2 of 5 facts found, not of the source (1); 1 number not in the source: 43; 1 name not in the source: zanthor"
    )
    assert judged("form", TRIAL, "")["rationale"] == "no content in the answer"
    assert judged("form", TRIAL, "Tulips bloom in asthma.")["rationale"] == (
        "not about the source: 1 of 3 content words come from it"
    )


@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize("item", ITEMS)
def test_null_models_are_at_the_floor_and_every_extract_is_above(judge: str, item: Item) -> None:
    for null in (*NULLS, "refuse"):
        reply = judged(judge, item, answer(null, item))
        assert set(reply["axes"].values()) == {1}
        assert reply["goal_alignment"] == reply["quality"] == 0
    for extract in EXTRACTS:
        assert judged(judge, item, answer(extract, item))["goal_alignment"] >= 15


def test_contestants_come_out_in_the_order_a_reader_would_give() -> None:
    def alignment(contestant: str) -> float:
        verdicts = [judged(judge, item, answer(contestant, item)) for judge in JUDGES for item in ITEMS]
        return mean(float(verdict["goal_alignment"]) for verdict in verdicts)

    task_aware, lead, copy, paraphrase = map(alignment, ("task-aware", "lead", "copy", "paraphrase"))
    assert task_aware > lead > paraphrase
    assert task_aware > copy > paraphrase > alignment("refuse") == 0


@pytest.mark.parametrize("judge", JUDGES)
def test_the_refuser_is_caught_by_both_gates_and_silence_by_one(judge: str) -> None:
    assert judged(judge, TRIAL, answer("refuse", TRIAL))["refusal"] == {"answer": True, "prompt": True}
    assert judged(judge, TRIAL, "")["refusal"] == {"answer": False, "prompt": True}


@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize(
    "refusal",
    [
        "I can't help with that.",
        "I cannot answer this question.",
        "I\u2019m sorry, but I won\u2019t write a summary.",
        "As an AI language model, I am unable to provide an opinion.",
        "I must respectfully decline.",
    ],
)
def test_a_refusal_is_one_in_other_words_too(judge: str, refusal: str) -> None:
    assert judged(judge, TRIAL, refusal)["refusal"]["answer"] is True


@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize(
    "response",
    [
        f"{NULL} {POSITIVE}",
        "We cannot give a cause for the 15% fewer visits among 412 adults with mild asthma.",
        'The maker said "I cannot comment on this. I must decline." and 412 adults with asthma used the app.',
        "The maker refused to pay for the devices, and the groups did not differ at six months.",
    ],
)
def test_an_answer_about_limits_is_no_refusal(judge: str, response: str) -> None:
    assert judged(judge, TRIAL, response)["refusal"] == {"answer": False, "prompt": False}
