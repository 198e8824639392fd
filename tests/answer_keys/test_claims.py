"""What sentences claim in the words of their question."""

from __future__ import annotations

import pytest

from nullbench_site.answer_keys import mark
from nullbench_site.answer_keys.choices import MultipleChoice
from nullbench_site.answer_keys.claims import Claim, Claims, clauses, nearest, stem
from nullbench_site.answer_keys.cues import cues
from nullbench_site.answer_keys.exact import Exact
from nullbench_site.answer_keys.units import units_of

RIVER = "Which river flows through Cairo?"


def best(text: str, *, others: bool = True) -> Claim | None:
    return Claims(RIVER, ["Nile"], cues(f"{text}\n{RIVER}")).best([text], others=others)


@pytest.mark.parametrize(
    ("text", "claimed"),
    [
        ("The river through Cairo is the Nile.", "Nile"),
        ("The Nile flows through Cairo, and it is long.", "Nile"),
        ("The Congo flows through Cairo.", "Congo"),
        ("Some say the Congo flows through Cairo, but it is the Nile.", "Nile"),
        ("Not the Congo, the Nile.", "Nile"),
        ("The river of Cairo is the Congo. Correction: the river is the Nile.", "Nile"),
        ("The Nile or the Congo flows through Cairo.", None),
        ("If the Nile flows through Cairo, it is wet there.", None),
        ("Does the Nile flow through Cairo?", None),
        ("Cairo is a river port.", None),
        ("The Nile is long.", None),
    ],
)
def test_a_sentence_in_the_words_of_its_question_claims_the_rest(text: str, claimed: str | None) -> None:
    claim = best(text)
    assert (claim.text if claim else None) == claimed


def test_texts_that_are_not_looked_for_are_claimed_only_if_asked_for() -> None:
    assert best("The Congo flows through Cairo.", others=False) is None


def test_the_part_of_a_sentence_with_most_words_of_the_question_is_the_nearest() -> None:
    parts = clauses("The ship was launched in 1911, completed in 1912 and sank in 1913.")
    assert parts == ["The ship was launched in 1911", "completed in 1912", "sank in 1913."]
    assert nearest(parts, "In which year did the liner sink?") == "sank in 1913."
    assert nearest(parts, "Who cooked?") is None


def test_forms_of_a_word_have_one_stem() -> None:
    assert stem("fell") == stem("falls") == stem("fallen")
    assert stem("ended") == stem("ends") == stem("End")
    assert stem("cause") == stem("caused") != stem("case")


def test_a_unit_with_a_power_is_known_in_each_way_to_write_it() -> None:
    assert {"cm\u00b2", "cm^2", "cm^{2}", "cm2", "m\u00b2"} <= units_of(("cm^2",)).names.keys()
    assert {"dollars", "USD"} <= units_of(("$",)).names.keys()


@pytest.mark.parametrize(("said", "outcome"), [("pH", "correct"), ("PH", "wrong"), ("ph", "wrong")])
def test_a_claim_has_the_capitals_of_the_response(said: str, outcome: str) -> None:
    key = Exact(accepted=("pH",), case_sensitive=True)
    marked = mark(f"The measure of acidity is {said}.", key, asked="What is the measure of acidity?")
    assert (marked.outcome, marked.answer) == (outcome, said)


@pytest.mark.parametrize("markup", ["`", "**", "<b></b>", "~~gone~~"])
def test_an_option_that_is_nothing_but_markup_is_never_found(markup: str) -> None:
    key = MultipleChoice(options={"A": markup, "B": "tin"}, correct="B")
    assert mark("The metal is tin.", key, asked="Which metal is it?").outcome == "correct"
    assert mark("I like it.", key, asked="Which metal is it?").outcome == "invalid"


def test_a_doubted_text_is_not_claimed() -> None:
    key = Exact(accepted=("Nile",))
    for text in ("I doubt that the river through Cairo is the Nile.", "The river through Cairo is allegedly the Nile."):
        assert mark(text, key, asked=RIVER).outcome == "invalid"
