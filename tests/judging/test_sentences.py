"""The sentences of a response that judges are asked about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.judging.short_questions.sentences import MOST_SENTENCES, split, within_words

SPLIT: dict[str, tuple[str, list[str], list[tuple[str, str]]]] = {
    "prose": ("Beans grew. Snails came.", ["Beans grew.", "Snails came."], []),
    "nothing": ("", [], []),
    "punctuation": ("?! ...\n---\n***", [], []),
    "a heading": ("# Key Findings\nBeans grew.", ["Beans grew."], [("Key Findings", "heading")]),
    "a bold heading": ("**The result:**\nBeans grew.", ["Beans grew."], [("The result:", "heading")]),
    "a line with a colon": ("What came of it:\n- Beans grew.", ["Beans grew."], [("What came of it:", "heading")]),
    "a heading with a number": ("## 41 kg of beans\nSnails came.", ["41 kg of beans", "Snails came."], []),
    "a heading with a name": ("## The mayor Smith took bribes\nHm.", ["The mayor Smith took bribes", "Hm."], []),
    "a heading that is a sentence": ("**The mayor lied.**", ["The mayor lied."], []),
    "a long heading": (f"# {'very ' * 9}long", [f"{'very ' * 9}long"], []),
    "a greeting": ("Hello there! Beans grew.", ["Beans grew."], [("Hello there!", "greeting")]),
    "a greeting with more": ("Hello, the mayor lied. Beans grew.", ["Hello, the mayor lied.", "Beans grew."], []),
    "a lead-in": ("Sure! Here it is: beans grew.", ["Here it is: beans grew."], [("Sure!", "greeting")]),
    "an offer": ("Beans grew. I hope this helps!", ["Beans grew."], [("I hope this helps!", "greeting")]),
    "a question": ("Why did beans grow? Snails came.", ["Snails came."], [("Why did beans grow?", "question")]),
    "a question with a number": ("Did beans give 41 kg?", ["Did beans give 41 kg?"], []),
    "a question with a number word": ("Did twelve beds grow?", ["Did twelve beds grow?"], []),
    "a question with a name": ("Did the mayor Smith lie?", ["Did the mayor Smith lie?"], []),
    "bullets": ("- Beans grew\n- Snails came\n", ["Beans grew", "Snails came"], []),
    "a table": ("| beans | 41 kg |\n|---|---|\n| peas | 3 kg |", ["beans 41 kg", "peas 3 kg"], []),
    "without spaces": ("豆子长了。蜗牛来了。", ["豆子长了。", "蜗牛来了。"], []),
    "an abbreviation": ("Mr. Smith came at 5 p.m. and left.", ["Mr. Smith came at 5 p.m. and left."], []),
}  # fmt: skip


@pytest.mark.parametrize("name", SPLIT)
def test_a_response_is_split_and_what_says_nothing_is_left_out(name: str) -> None:
    text, asked, left = SPLIT[name]
    found = split(text, "A source.")
    assert [each.text for each in found.asked] == asked
    assert [(each.text, each.why) for each in found.left_out] == left


def test_each_sentence_has_the_one_before_it_as_context() -> None:
    found = split("# Results\nBeans grew. Snails came. Why? It rained.", "s")
    assert [(each.text, each.before) for each in found.asked] == [
        ("Beans grew.", "Results"),
        ("Snails came.", "Beans grew."),
        ("It rained.", "Why?"),
    ]


def test_a_long_sentence_is_asked_about_in_parts_of_at_most_60_words() -> None:
    text = " ".join(f"word{n}" for n in range(130)) + "."
    parts = split(text, "s").asked
    assert [len(each.text.split()) for each in parts] == [44, 44, 42]
    assert " ".join(each.text for each in parts) == text
    assert parts[1].before == parts[0].text
    assert {each.words for each in parts} == {30}
    assert max(len(each.text) for each in split("x" * 5000, "s").asked) <= 900


def test_at_most_12_are_drawn_by_source_and_response_in_their_order() -> None:
    text = " ".join(f"Bed {n} grew." for n in range(40))
    found, again, elsewhere = split(text, "s"), split(text, "s"), split(text, "another source")
    assert len(found.asked) == MOST_SENTENCES
    assert found.not_drawn == 40 - MOST_SENTENCES
    assert found == again
    assert found.asked != elsewhere.asked
    numbers = [int(each.text.split()[1]) for each in found.asked]
    assert numbers == sorted(numbers)


@given(st.text(max_size=300), st.text(max_size=20))
def test_any_text_is_split(text: str, source: str) -> None:
    found = split(text, source)
    assert len(found.asked) <= MOST_SENTENCES
    assert all(1 <= each.words <= 30 and any(map(str.isalnum, each.text)) for each in found.asked)


@pytest.mark.parametrize(
    ("most", "kept"), [(None, 3), (100, 3), (6, 3), (4, 2), (2, 1), (1, 1)], ids=str
)  # fmt: skip
def test_sentences_that_begin_after_the_limit_of_words_are_left_out(most: int | None, kept: int) -> None:
    sentences = ["Beans grew.", "Snails came.", "It rained."]
    assert within_words(" ".join(sentences), most).split() == " ".join(sentences[:kept]).split()
