"""Statements beside a reference: what contradicts it, what is only other words, and what is no prose at all."""

import itertools
import json
import math
from collections.abc import Mapping
from functools import cache
from statistics import mean, stdev
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from programs.cases import JUDGES, SOFTWARE, TRIAL, TRIAL_SENTENCES, Item, evidence
from programs.paraphrases import PARAPHRASES, TURNED
from support.commands import ROOT
from support.repositories import shipped_benchmark

from nullbench_site import programs as offline
from nullbench_site.judging.calls import JudgeTask
from nullbench_site.programs.contradictions import Contradiction, ReferenceText, soundness
from nullbench_site.programs.damage import FALSIFICATIONS, Kind, damage
from nullbench_site.programs.english import sentences
from nullbench_site.programs.marks import Statement, opposed, tokens
from nullbench_site.programs.source_case import sentencehood
from nullbench_site.protocols.axes.judging import AxesQuestion, category_axes

SCOPE, NULL, POSITIVE, SPEAKER, MAKER = TRIAL_SENTENCES


def found(response: str, item: Item = TRIAL) -> list[str]:
    return [finding.what for statement in evidence(response, item).findings for finding in statement]


def test_a_sentence_is_read_as_words_figures_names_and_marks() -> None:
    read = tokens("In 2.50 per cent of fourteen cases Vance's team didn't win.")
    assert [(token.stem, token.kind) for token in read] == [
        ("in", "function"), ("2.5%", "figure"), ("of", "function"), ("14", "figure"), ("case", "word"),
        ("vanc", "name"), ("team", "word"), ("did", "function"), ("not", "function"), ("win", "word"), (".", "mark"),
    ]  # fmt: skip


def test_what_is_denied_is_the_first_word_after_a_denial_in_its_clause() -> None:
    statement = Statement(tokens("Scores did not differ between groups, and no more than nine visits followed."))
    polarity = {statement.tokens[at].word: each for at, each in statement.polarity.items()}
    assert polarity["differ"] == "denied"
    assert polarity["scores"] == polarity["groups"] == "either"
    assert polarity["visits"] == polarity["followed"] == "affirmed", "no more than: a limit"


@pytest.mark.parametrize(
    ("one", "other", "are"),
    [
        ("rise", "fall", True),
        ("rise", "grow", False),
        ("all", "some", True),
        ("rise", "tulip", False),
        ("day", "week", True),
    ],
)
def test_opposites_stand_on_different_sides(one: str, other: str, are: bool) -> None:
    assert opposed(one, other) is are


@pytest.mark.parametrize(
    ("response", "what"),
    [
        (NULL.replace("did not differ", "did differ"), "no longer denied"),
        (MAKER.replace("paid", "never paid"), "denied"),
        (SPEAKER.replace("cannot", "can"), "no longer denied"),
        (POSITIVE.replace("fewer", "more"), "word exchanged"),
        (SCOPE.replace("mild", "severe"), "another word"),
        (POSITIVE.replace("15%", "43%"), "figure invented"),
        (SCOPE.replace("412", "14").replace("14 clinics", "412 clinics"), "figure exchanged"),
        (SCOPE.replace("Harrow", "Zanthor"), "name invented"),
        (SCOPE.replace("Harrow", "Vance"), "name exchanged"),
        (NULL.replace("months", "weeks"), "word exchanged"),
        (SCOPE.replace("March", "May"), "word exchanged"),
        (POSITIVE.replace("may", "must"), "word exchanged"),
        (MAKER.replace("paid for the", "paid for all the"), "limit put in"),
        (POSITIVE.replace("may reflect", "reflects"), "limit left out"),
        (MAKER.replace("for the", "against the"), "word exchanged"),
        (MAKER.replace("for the", "by the"), "another relation"),
        (SCOPE.replace("Between March and June", "Between June and March"), "places exchanged"),
        (SPEAKER.replace("trial", "app").replace("the app cannot", "the trial cannot"), "places exchanged"),
        (f"{NULL[:-1]}, because of a strike at the supplier.", "words put in"),
        (f"According to a lobby group, the {MAKER[4:]}", "words put in"),
    ],
)
def test_a_falsehood_in_the_words_of_the_source_is_found(response: str, what: str) -> None:
    assert what in found(response)


@pytest.mark.parametrize(
    "response",
    [
        *TRIAL_SENTENCES,
        "412 adults with mild asthma were randomised at 14 clinics in Harrow.",
        "Between the groups symptom scores did not differ.",
        "The devices were paid for by the maker of the app.",
        "Unplanned visits were 15% fewer among app users, and that may be chance.",
        "The app can't be recommended yet, said Dr. Vance.",
        "A lead of 14 clinics, 412 patients and six months.",
    ],
)
def test_the_same_in_another_order_or_in_part_is_sound(response: str) -> None:
    assert found(response) == []


def test_two_figures_that_changed_places_are_found() -> None:
    turned = "When people spoke at once, it rose to 8.1 percent for the software and 19.3 percent for the typists."
    assert found(turned, SOFTWARE) == ["places exchanged"]
    assert found(turned.replace("8.1", "x").replace("19.3", "8.1").replace("x", "19.3"), SOFTWARE) == []


def test_soundness_is_what_findings_leave() -> None:
    """(1 - 0.75) x (1 - 0.3) = 0.175; of an answer, the mean by content words."""
    assert soundness([]) == 1
    assert soundness([Contradiction("denied", 0.75, "a"), Contradiction("another word", 0.3, "b")]) == pytest.approx(
        0.175
    )
    both = evidence(f"{POSITIVE} {MAKER.replace('paid', 'never paid')}")
    sizes = [len(statement.content) for statement in both.statements]
    assert both.soundness == pytest.approx((sizes[0] + 0.1 * sizes[1]) / sum(sizes))


def test_what_is_said_in_words_of_its_own_is_not_held_to_those_of_the_source() -> None:
    """Which is what the judges cannot see: this is false, and in none of the source's words."""
    assert found("After half a year the adults in the app group had far better scores.") == []


def test_a_semicolon_parts_statements() -> None:
    """The second half is false, and the first alone is laid beside it no less."""
    joined = evidence(f"{POSITIVE[:-1]}; {MAKER.replace('paid', 'never paid')}")
    assert [[each.what for each in of] for of in joined.findings] == [[], ["denied"]]


def test_a_statement_in_disorder_is_found_among_others_that_are_in_order() -> None:
    assert found(f"{MAKER} {_shuffled(SCOPE)} {POSITIVE}") == ["words in disorder"]


def test_a_statement_of_which_the_source_has_hardly_a_word_is_not_of_it() -> None:
    """Of six stems none: 0.7 is taken off. Of three one: 0.7 x (1 - (1/3 - 0.1) / 0.25) = 0.05."""
    strange, half = evidence(
        "Tulips bloom in every garden along the old harbour wall. Tulips bloom near clinics."
    ).findings
    assert [(each.what, each.cost) for each in strange] == [("not of the source", 0.7)]
    assert [each.cost for each in half] == [pytest.approx(0.7 * (1 - (1 / 3 - 0.1) / 0.25))]


def test_a_list_of_words_is_no_sentence() -> None:
    assert sentencehood(POSITIVE) == 1
    assert sentencehood("412, mild asthma, six months, 15%, unplanned visits, chance, maker") == 0
    assert sentencehood("") == 0


def _shuffled(text: str) -> str:
    """Each sentence's words, every third one first: no order of anything."""
    return " ".join(
        " ".join(itertools.chain.from_iterable(line.rstrip(".").split()[start::3] for start in (2, 0, 1))) + "."
        for line in sentences(text)
    )


@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize("item", [TRIAL, SOFTWARE])
def test_shuffled_words_and_keywords_are_no_answer(judge: str, item: Item) -> None:
    keys = ", ".join(key.split("|")[0] for fact in item["facts"] for key in fact["keys"])
    for text in (_shuffled(item["source"]), keys):
        asked = {"axes": [], "goal": {"alignment_target": {}, "rules": []}, **item, "response": text, "gates": False}
        assert json.loads(offline.reply(judge, {}, asked))["quality"] <= 15


@given(st.text(alphabet=st.characters()), st.sampled_from([*TRIAL_SENTENCES, ""]))
def test_any_text_can_be_laid_beside_any_other(text: str, sentence: str) -> None:
    reference = ReferenceText.of(sentences(text))
    for line in (*sentences(text), sentence):
        assert 0 <= soundness(reference.findings(reference.read(line))) <= 1


@given(st.lists(st.sampled_from(TRIAL_SENTENCES), min_size=1, max_size=5))
def test_nothing_is_wrong_with_sentences_of_the_reference(lines: list[str]) -> None:
    assert found(" ".join(lines)) == []


@cache
def shipped() -> Mapping[str, Mapping[str, Any]]:
    """Item -> the fields of a judge's call on it, but for the response."""
    benchmark = shipped_benchmark()
    board = benchmark.boards["nullbench"]
    task = JudgeTask(benchmark.judges["support"])
    return {
        placed.id: AxesQuestion(task, placed, category_axes(benchmark, placed), "", gates=True).fields()
        for placed in benchmark.items(board)
    }


def alignment(item: str, response: str) -> float:
    asked = {**shipped()[item], "response": response}
    return mean(json.loads(offline.reply(judge, {}, asked))["goal_alignment"] for judge in JUDGES)


def test_a_right_paraphrase_scores_as_the_first_sentences_of_the_source_do() -> None:
    leads = {item: " ".join(sentences(shipped()[item]["source"])[:3]) for item in PARAPHRASES}
    told = mean(alignment(item, text) for item, text in PARAPHRASES.items())
    assert told >= mean(alignment(item, text) for item, text in leads.items()) - 5
    assert min(alignment(item, text) for item, text in PARAPHRASES.items()) >= 65


DAMAGED = sorted(shipped())[::4]
"""Items whose reference facts are damaged: every fourth."""


@cache
def drops(kind: Kind) -> tuple[float, ...]:
    """What one damage a sentence takes off the reference facts of each item that offers a place for it."""
    told = {item: " ".join(fact["text"] for fact in shipped()[item]["facts"]) for item in DAMAGED}
    damaged = {item: damage(text, kind, source=shipped()[item]["source"]) for item, text in told.items()}
    return tuple(
        alignment(item, told[item]) - alignment(item, each.text) for item, each in damaged.items() if each is not None
    )


@pytest.mark.parametrize("kind", FALSIFICATIONS)
def test_each_kind_of_falsification_costs_beyond_chance(kind: Kind) -> None:
    each = drops(kind)
    low = mean(each) - 2.1 * stdev(each) / math.sqrt(len(each))
    assert low > 0
    assert mean(each) >= (10 if kind in ("antonym", "negation", "number") else 0)


@pytest.mark.parametrize("kind", ["shuffled-words", "keywords"])
def test_shuffled_words_and_keywords_of_the_facts_stay_near_the_floor(kind: Kind) -> None:
    told = {item: " ".join(fact["text"] for fact in shipped()[item]["facts"]) for item in DAMAGED}
    damaged = {item: damage(text, kind) for item, text in told.items()}
    assert mean(alignment(item, each.text) for item, each in damaged.items() if each) <= 15


@pytest.mark.parametrize("judge", JUDGES)
def test_no_two_axes_of_a_judge_coincide_on_the_shipped_answers(judge: str) -> None:
    ratings: dict[tuple[str, str], list[bool]] = {}
    for item in sorted(shipped())[::4]:
        fields = shipped()[item]
        for contestant, params in (("lead", {"k": 3}), ("task-aware", {}), ("paraphrase", {})):
            text = offline.reply(contestant, params, {"task": fields["task"], "source": fields["source"]})
            axes = json.loads(offline.reply(judge, {}, {**fields, "response": text}))["axes"]
            for one, other in itertools.combinations(sorted(axes), 2):
                ratings.setdefault((one, other), []).append(axes[one] == axes[other])
    assert [pair for pair, alike in ratings.items() if all(alike)] == []


def test_a_falsehood_in_words_of_its_own_is_hardly_seen_as_the_judges_say() -> None:
    """What is turned round in a paraphrase costs less on the mean than one falsehood in the words of the source does in
    any kind; if it costs more some day, the descriptions of the judges say too little."""
    told = {item: text.replace(*TURNED[item]) for item, text in PARAPHRASES.items()}
    assert all(told[item] != text for item, text in PARAPHRASES.items())
    cost = mean(alignment(item, PARAPHRASES[item]) - alignment(item, told[item]) for item in told)
    assert 0 <= cost < 5
    assert all("Cannot see" in shipped_benchmark().judges[judge].description for judge in JUDGES)


@cache
def falsehoods() -> Mapping[str, tuple[tuple[str, float], ...]]:
    """Item -> kind of falsehood and what it takes off a true answer, in texts by one who had not read the rules."""
    lines = map(json.loads, (ROOT / "tests" / "programs" / "falsehoods.jsonl").read_text().splitlines())
    return {
        line["item"]: tuple(
            (kind, alignment(line["item"], line["true"]) - alignment(line["item"], text))
            for kind, text in line["false"].items()
        )
        for line in lines
    }


def test_most_falsehoods_of_a_writer_who_had_not_read_the_rules_cost() -> None:
    """Some of the cost is for what a false text leaves out; the 30 true answers are the independent units."""
    of_items = [mean(drop for _, drop in drops) for drops in falsehoods().values()]
    assert mean(of_items) - 2.1 * stdev(of_items) / math.sqrt(len(of_items)) > 5
    every = [drop for drops in falsehoods().values() for _, drop in drops]
    assert len(every) == 300
    assert mean(drop > 0 for drop in every) >= 0.8


UNSEEN = {"denominator-confused"}
"""Kinds of ten texts or more whose cost may be chance; Support says that it cannot see them."""


def test_what_the_rules_do_not_tell_from_chance_is_named() -> None:
    of_kind: dict[str, list[float]] = {}
    for drops in falsehoods().values():
        for kind, drop in drops:
            of_kind.setdefault(kind, []).append(drop)
    often = {kind: each for kind, each in of_kind.items() if len(each) >= 10}
    chance = {kind for kind, each in often.items() if mean(each) - 2.1 * stdev(each) / math.sqrt(len(each)) <= 0}
    assert chance <= UNSEEN
    assert "of which whole a figure is a part" in shipped_benchmark().judges["support"].description
