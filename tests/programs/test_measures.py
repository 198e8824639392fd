"""The measures of each aspect, with numbers worked by hand on the trial item."""

from collections.abc import Callable

import pytest
from programs.cases import AUDIT, SOFTWARE, TRIAL_SENTENCES, evidence

from nullbench_site.programs.passages import TaskConstraints, best_extract, contains, within
from nullbench_site.programs.program import mean, total
from nullbench_site.programs.source_case import AspectMeasure, Evidence
from nullbench_site.programs.source_measures import (
    causality,
    concision,
    facts,
    framing,
    hedging,
    names,
    numbers,
    readability,
    salience,
    scope,
    task,
)

SCOPE, NULL, POSITIVE, SPEAKER, MAKER = TRIAL_SENTENCES
Aspect = Callable[[Evidence], AspectMeasure]


@pytest.mark.parametrize(
    ("text", "key", "found"),
    [
        ("412 adults", "412", True),
        ("4120 adults", "412", False),
        ("1,412 adults", "412", False),
        ("412.5 adults", "412", False),
        ("in 412. then", "412", True),
        ("clinics", "clinic", True),
        ("polyclinics", "clinic", False),
        ("4120 or 412", "412", True),
    ],
)
def test_a_key_is_found_from_the_start_of_a_word(text: str, key: str, found: bool) -> None:
    assert contains(text, key) is found


def test_the_room_cuts_sentences_first_and_words_then() -> None:
    text = "One two three. Four five six. Seven."
    assert within(text, TaskConstraints(max_sentences=2)).sentences == ("One two three.", "Four five six.")
    assert within(text, TaskConstraints(max_sentences=2, max_words=4)).sentences == ("One two three.", "Four")
    assert within("- one\n- two\n- three", TaskConstraints(format="bullets", bullets=2)).sentences == ("one", "two")


def test_the_best_extract_counts_each_thing_once_and_keeps_to_the_room() -> None:
    """Sentence 2 offers b and c; after it, sentence 1 adds a, sentence 3 nothing. All would be too many words."""
    source = evidence("", source="One two. Three four. Five six.").source
    offers = ["a", "bc", "c"]
    assert best_extract(source, TaskConstraints(), offers) == [0, 1]
    assert best_extract(source, TaskConstraints(max_sentences=1), offers) == [1]
    assert best_extract(source, TaskConstraints(max_words=3), offers) == [1]
    assert best_extract(source, TaskConstraints(max_words=1), offers) == [1]  # the best stands for a rewording


@pytest.mark.parametrize(
    ("aspect", "response", "value"),
    [
        # The best two sentences, SCOPE and POSITIVE, tell three facts of five: 0.6.
        (facts, f"{NULL} {POSITIVE}", 1.0),  # null, positive, caveat: 0.6 / 0.6
        (facts, f"{SCOPE} {NULL}", 0.4 / 0.6),
        (facts, "In all 412 adults took part.", 0.25 / 5 / 0.6),  # one key of two of one fact: a quarter
        (facts, f"{SCOPE} {NULL} {POSITIVE}", 0.4 / 0.6),  # the third sentence is beyond the room
        (facts, "Symptom scores did differ between the groups at six months.", 0.0),
        (
            facts,
            f"{POSITIVE} Symptom scores did differ between the groups.",
            0.4 / 0.6 * 0.7,
        ),  # (8 + 4 x 0.1) / 12 are sound
        # Key figures 412 and 15% are in the best two sentences.
        (numbers, f"{SCOPE} {POSITIVE}", 1.0),
        (numbers, f"{NULL} {POSITIVE}", 0.75),  # one of two kept: (1 + 0.5) / 2
        (numbers, f"{POSITIVE} Of 43 users.", 0.375),  # half of that, for 43
        (numbers, "Of 43 users, 44 left.", 0.0),
        (numbers, "6 months later 412 adults and 15% remained.", 1.0),  # "six" in the source
        # Names in the source: March, June, Harrow, Vance; as many are expected as the answer has sentences.
        (names, SCOPE, 1.0),
        (names, f"{NULL} {SPEAKER}", 0.75),  # one of two
        (names, NULL, 0.5),
        # 0.5 x (1 - 0.4); three words of seven follow the source, so that little is taken off for the name.
        (names, "The groups in Zanthor did not differ.", 0.3 * (1 - 0.9 * (3 / 7 - 0.4) / 0.4)),
        (scope, SCOPE, 1.0),
        (scope, "There were 412 adults.", 0.25),
        (scope, NULL, 0.0),
        # The source ascribes a difference to chance: a quarter is for an answer that does too.
        (causality, POSITIVE, 1.0),
        (causality, NULL, 0.75),
        (causality, "The app reduced unplanned visits.", 0.375),  # 0.5 x 0.75
        (causality, "The app reduced visits. It prevented attacks.", 0.0),
        # The caveat fact, and whether POSITIVE, if used, still says "may".
        (hedging, POSITIVE, 1.0),
        (hedging, "App users made 15% fewer unplanned visits.", 0.0),
        (hedging, "App users may have made 15% fewer unplanned visits.", 0.5 * 0.7),  # a limit put in
        (hedging, f"{POSITIVE[:-1]}, definitely.", 0.75 * 0.7),  # and another word
        (hedging, NULL, 0.0),
        # One favourable finding, one null.
        (salience, f"{NULL} {POSITIVE}", 1.0),
        (salience, POSITIVE, 0.25),  # half told, wholly one-sided: 0.5 x 0.5
        (salience, SCOPE, 0.0),
        (framing, POSITIVE, 1.0),
        (framing, "An amazing app.", 0.65),
        (framing, "An amazing app!", 0.3),
        (framing, "Sadly, I think the app failed.", 0.5),
        (framing, "An AMAZING, miraculous app!", 0.0),
        # "trial" and "app" are in task and source; NULL has neither, POSITIVE one.
        (task, f"{POSITIVE} {SPEAKER}", 1.0),
        (task, f"{NULL} {POSITIVE}", 0.85),  # 1 - 0.3 x 0.5
        (task, f"{NULL} {POSITIVE} {MAKER}", 0.5 * 0.85),  # a third sentence is half too many: 0, and words are met
        (readability, NULL, 1.0),
        (readability, "it was so", 0.25),  # three words of four; neither capital nor stop; hanging: (0.75 + 0 + 0) / 3
        (readability, " ".join(["Word"] * 42) + ".", (0.5 + 1 + 1) / 3),  # 42 words: 2 - 42/28
        (readability, "The of trial was a.", 0.0),
        (readability, f"{NULL} It ended.", (0.75 + 1 + 1) / 3),  # a mean length of (1 + 0.5) / 2
    ],
)
def test_a_measure_is_what_was_worked_out_by_hand(aspect: Aspect, response: str, value: float) -> None:
    assert aspect(evidence(response)).value == pytest.approx(value)


@pytest.mark.parametrize(
    ("response", "value"),
    [
        ("Red apples fell yesterday.", 1.0),
        ("Green pears rose.", 1.0),  # all that three words can carry
        ("Red apples.", 0.0),  # half of what could be carried is no merit
        ("Red apples fell yesterday. Green", 0.5),  # all carried, but five words of four: 3 - 2 x 1.25
        ("Red apples fell yesterday. Green pears rose.", 0.0),
        ("", 0.0),
    ],
)
def test_concision_is_what_is_carried_in_as_many_words(response: str, value: float) -> None:
    """Source terms: red, apple, fall, yesterday; green, pear, rose. Room: four words."""
    seen = evidence(response, source="Red apples fell yesterday. Green pears rose.", constraints={"max_words": 4})
    assert concision(seen).value == pytest.approx(value)


@pytest.mark.parametrize(
    ("response", "value"),
    [
        ("The supplier calls its transcription software 'flawless'.", 1.0),
        ('They call the software "flawless".', 1.0),
        ("The software is flawless.", 0.9),
        ("The software is stunning.", 0.65),
    ],
)
def test_a_loaded_word_of_the_source_costs_less_and_nothing_in_quotation_marks(response: str, value: float) -> None:
    assert framing(evidence(response, SOFTWARE)).value == pytest.approx(value)


def test_a_forbidden_word_fails_its_constraint() -> None:
    """One of two constraints is met, and the answer takes up "software", the only word of task and source."""
    assert task(evidence("The software is flawless.", SOFTWARE)).value == pytest.approx(0.5)


def test_bullets_are_counted_as_lines() -> None:
    """Format, number and words: all met; then two bullets of three; then none at all. The audit is named."""
    three = "- The audit saw 60 contracts.\n- Of these, 51 were fine.\n- For 9, no reason was given."
    assert task(evidence(three, AUDIT)).value == pytest.approx(1)
    assert task(evidence(three[: three.rindex("\n")], AUDIT)).value == pytest.approx((1 + 2 / 3 + 1) / 3)
    assert task(evidence("The audit saw 60 contracts.", AUDIT)).value == pytest.approx(1 / 3)


def test_a_sentence_cut_from_the_one_it_leans_on_has_no_footing() -> None:
    source = "The council met on Monday in the hall. It chose the second plan for the park. The park will open in May."
    first, second, third = evidence("", source=source).source.sentences
    assert readability(evidence(f"{first} {second}", source=source)).value == pytest.approx(1)
    assert readability(evidence(f"{third} {second}", source=source)).value == pytest.approx((1 + 1 + 0.5) / 3)


def test_nothing_to_measure_is_absent_and_not_zero() -> None:
    bare = evidence("Apples fell.", source="Apples fell.", facts=[], constraints={}, task="Tell.")
    for aspect in (facts, numbers, names, scope, hedging, salience, task):
        assert aspect(bare).value is None, aspect.__name__
    assert readability(evidence("")).value is None


def test_topicality_is_a_ramp_over_the_share_of_terms() -> None:
    """Six terms of the source in 16 are 0.375: half way from 0.25 to 0.5."""
    shared = "clinics asthma symptom scores visits devices"
    others = "tulip violin glacier harbour candle saddle lantern meadow pepper walnut"
    assert evidence(shared).topicality == 1
    assert evidence(f"{shared} {others}").topicality == pytest.approx(0.5)
    assert evidence(f"{others} asthma").topicality == 0
    assert evidence("asthma clinics").topicality == 0, "two terms are no answer"
    assert evidence("asthma clinics scores").topicality == pytest.approx(1 / 3)
    assert evidence("").topicality == 0


def test_numbers_are_added_one_after_the_other_on_every_version_of_python() -> None:
    """From 3.12 on `sum([0.1] * 10)` is 1.0; ten additions of doubles come to 1 - 2**-53."""
    assert total([0.1] * 10) == 1 - 2**-53
    assert mean([0.1] * 10) == (1 - 2**-53) / 10
