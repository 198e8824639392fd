"""Damage of a named kind and dose: false but grammatical sentences, and what spoils order, length and form."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.packaged import PACKAGE, word_lines, word_pairs
from nullbench_site.programs.damage import FALSIFICATIONS, LADDERS, Kind, damage
from nullbench_site.programs.english import sentences
from nullbench_site.programs.falsehoods import Offered, places


def only(kind: Kind, text: str, source: str = "") -> str:
    damaged = damage(text, kind, source=source)
    assert damaged is not None, f"no place for {kind} in {text!r}"
    return damaged.text


SEVERAL_PLACES = (
    "Mara Olsen said on 3 May that the trial had 120 patients because Fellmere General was full. "
    "All of them walked 5 km daily."
)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("name", ("because Farrowby was full",)),
        ("attribution", ("A rumour said", "According to a competitor, all")),
        ("cause", ("although Fellmere", "because of a strike at the supplier")),
    ],
)
def test_the_draws_are_those_of_the_recorded_controls(kind: Kind, words: tuple[str, ...]) -> None:
    """A draw that moves changes the answers of controls under unchanged keys: raise the programs' REVISION then."""
    damaged = only(kind, SEVERAL_PLACES)
    assert [part for part in words if part not in damaged] == []


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("negation", "The calls did not shorten recovery.", "The calls did shorten recovery."),
        ("negation", "The cause is not yet known.", "The cause is already known."),
        ("negation", "It isn't safe.", "It is safe."),
        ("negation", "Percentiles cannot be averaged.", "Percentiles can be averaged."),
        ("negation", "There was no sign of it.", "There was some sign of it."),
        ("negation", "The figures were adjusted for age.", "The figures were not adjusted for age."),
        ("negation", "The trial randomised 536 adults.", "The trial did not randomise 536 adults."),
        ("negation", "Turnout rose to 40%.", "Turnout did not rise to 40%."),
        ("negation", "Says that the function has no bug.", "Says that the function has some bug."),
        ("negation", "Recommends a slow hash.", "Does not recommend a slow hash."),
        ("antonym", "Late arrivals fell.", ("Early arrivals fell.", "Late arrivals rose.")),
        ("antonym", "It has an advantage.", "It has a disadvantage."),
        ("number", "Fees come to 17.50 euros.", "Fees come to 26.25 euros."),
        ("number", "Of these, 81% agreed.", "Of these, 19% agreed."),
        ("number", "It handled 1,200 requests.", "It handled 1,800 requests."),
        ("number", "Three stores took part.", "Six stores took part."),
        ("name", "The head of Ostrey agreed.", "The head of Brandtoft agreed."),
        ("unit", "It took 24 days.", "It took 24 weeks."),
        ("unit", "It took two minutes.", "It took two hours."),
        ("unit", "It used 61% of the room.", "It used 61 per mille of the room."),
        ("quantifier", "At most 40 words.", "At least 40 words."),
        ("quantifier", "None of the children was ill.", "All of the children was ill."),
        ("date", "It began on 3 May 2023.", ("It began on 3 December 2023.", "It began on 3 May 2020.")),
        ("date", "It failed at 09:47.", "It failed at 14:47."),
        ("cause", "It fell because staff left.", "It fell although staff left."),
        ("cause", "Coffee was associated with sleep.", "Coffee was caused by sleep."),
    ],
)  # fmt: skip
def test_a_sentence_says_what_is_not_so_and_stays_a_sentence(
    kind: Kind, text: str, expected: str | tuple[str, ...]
) -> None:
    source = "Those in Brandtoft disagreed." if kind == "name" else ""
    assert only(kind, text, source) in ((expected,) if isinstance(expected, str) else expected)


def test_what_somebody_said_is_put_into_the_mouth_of_somebody_else() -> None:
    speakers = word_lines("speakers")
    damaged = only("attribution", "The authors say it may not apply elsewhere.")
    assert damaged.endswith(" says it may not apply elsewhere.")
    assert damaged.removesuffix(" says it may not apply elsewhere.").lower() in speakers
    assert (
        only("attribution", "It fell, according to the auditor.").removeprefix("It fell, according to ")[:-1]
        in speakers
    )
    assert only("attribution", "The share fell.").startswith("According to ")


def test_a_cause_is_given_where_none_was() -> None:
    damaged = only("cause", "The median was 24 days.")
    assert damaged.startswith("The median was 24 days, because of ")
    assert damaged.removeprefix("The median was 24 days, because of ").removesuffix(".") in word_lines(
        "invented-causes"
    )


def test_a_number_is_exchanged_with_one_that_the_source_has() -> None:
    assert only("number", "It took 24 days.", "It took 24 days or 25.") == "It took 25 days."


@pytest.mark.parametrize("kind", FALSIFICATIONS)
@pytest.mark.parametrize(
    "text", ["Is it 24 days or not?", "```\nreturn not 24\n```", "`not 24 days`", 'says "not 24 days because"', ""]
)
def test_questions_code_and_quotations_stay_true(kind: Kind, text: str) -> None:
    assert damage(text, kind) is None


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("number", "RFC-7519 and SHA-256 of 2023."),
        ("unit", "Six ones were left."),
        ("name", "The Whole Of This Is A Headline."),
        ("date", "They may leave."),
        ("quantifier", "After all, it works at all."),
        ("shuffled-words", "Too short."),
        ("shuffled-sentences", "One. Two."),
        ("cut", "Too short."),
        ("keywords", "It was that."),
    ],
)
def test_a_text_without_a_place_for_it_is_not_damaged(kind: Kind, text: str) -> None:
    assert damage(text, kind) is None


TEXT = (
    "The trial tested 536 adults in Fellmere for 24 days in 2023. It did not help because staff left. At most 70% of "
    "the larger group in Ostrey improved within 25 days by June 2022.\n\n- The authors say that none of the 61% rose.\n"
    "- A fall of 12 points was due to chance."
)


@pytest.mark.parametrize("kind", FALSIFICATIONS)
def test_a_smaller_dose_does_some_of_the_damage_of_a_larger_one_and_nothing_else(kind: Kind) -> None:
    whole, half = damage(TEXT, kind), damage(TEXT, kind, 0.5)
    before, after, between = sentences(TEXT), sentences(whole.text), sentences(half.text)
    assert len(before) == len(after) == len(between)
    changed = [at for at, (one, other) in enumerate(zip(before, after, strict=True)) if one != other]
    some = [at for at, (one, other) in enumerate(zip(before, between, strict=True)) if one != other]
    assert len(changed) == whole.made
    assert len(some) == half.made == whole.made // 2
    assert all(between[at] == after[at] for at in some)
    assert whole.text.count("\n- ") == 2, "the form stays"


def test_a_sentence_alone_has_no_half_dose() -> None:
    assert damage("It did not help.", "negation", 0.5) is None


texts = st.lists(st.sampled_from([*sentences(TEXT), "Why?", "```", "`x = 1`", "Yes.", "# Head"]), max_size=8).flatmap(
    lambda parts: st.sampled_from([" ", "\n", "\n\n"]).map(lambda between: between.join(parts))
)
kinds = st.sampled_from(list(LADDERS))


@given(text=texts | st.text(max_size=60), kind=kinds, seed=st.integers(0, 3))
def test_damage_is_a_function_of_its_arguments_and_changes_the_text(text: str, kind: Kind, seed: int) -> None:
    for dose in LADDERS[kind]:
        damaged = damage(text, kind, dose, seed=seed, source=TEXT)
        assert damaged == damage(text, kind, dose, seed=seed, source=TEXT)
        assert damaged is None or (damaged.made > 0 and damaged.text != text)


@given(text=texts, seed=st.integers(0, 9))
def test_shuffling_keeps_every_word(text: str, seed: int) -> None:
    for kind in ("shuffled-words", "shuffled-sentences"):
        damaged = damage(text, kind, seed=seed)
        marks = str.maketrans("", "", ".!?")
        assert damaged is None or sorted(damaged.text.translate(marks).split()) == sorted(text.translate(marks).split())


@given(text=texts, dose=st.sampled_from(LADDERS["cut"]))
def test_a_cut_is_an_opening_of_the_text(text: str, dose: float) -> None:
    damaged = damage(text, "cut", dose)
    assert damaged is None or text.startswith(damaged.text)
    assert damaged is None or len(damaged.text.split()) == len(text.split()) - damaged.made


@given(text=texts.filter(str.strip), dose=st.sampled_from(LADDERS["padded"]))
def test_padding_adds_as_much_as_was_asked_for_and_keeps_the_text_whole(text: str, dose: float) -> None:
    damaged = damage(text, "padded", dose)
    assert text in damaged.text
    assert dose * len(text.split()) <= damaged.made <= dose * len(text.split()) + 30
    assert len(damaged.text.split()) == len(text.split()) + damaged.made


def test_keywords_are_the_words_that_tell_something() -> None:
    assert only("keywords", "The median was 24.5 days, (3%) of it in Ostrey.") == "median, 24.5, days, 3%, Ostrey"


def test_each_word_put_into_a_list_counts_however_it_stood_in_the_text() -> None:
    damaged = damage('0\r0.<"0', "keywords")
    assert (damaged.text, damaged.made) == ("0, 0, <, 0", 4)
    assert damage("0, 0, <, 0", "keywords") is None, "it is a list already"


@pytest.mark.parametrize(("kind", "dose"), [("rhyme", 1.0), ("cut", 0.0), ("cut", 1.5)])
def test_an_unknown_kind_or_dose_is_a_mistake_of_the_caller(kind: Kind, dose: float) -> None:
    with pytest.raises(ValueError, match=r"kinds: negation, .*doses: above 0"):
        damage(TEXT, kind, dose)


@pytest.mark.parametrize("name", ["antonyms", "quantifiers", "units", "causes"])
def test_every_entry_of_a_list_of_pairs_names_what_takes_its_place(name: str) -> None:
    assert all(one.strip() and other.strip() and one == one.strip() for one, other in word_pairs(name).items())


def test_no_sentence_is_falsified_into_itself() -> None:
    for kind in FALSIFICATIONS:
        for sentence in sentences(TEXT):
            assert all(place.put(sentence) != sentence for place in places(kind, sentence, Offered(TEXT, "")))


def test_every_kind_has_a_place_in_most_facts_of_the_shipped_items() -> None:
    """Names and dates are in fewer; what is applicable nowhere would measure nothing."""
    found = dict.fromkeys(FALSIFICATIONS, 0)
    files = sorted((Path(PACKAGE).parent / "specs/domains").glob("*.yaml"))
    domains = [yaml.safe_load(file.read_text("utf-8")) for file in files]
    items = [item for domain in domains for category in domain["categories"] for item in category["items"]]
    texts = [" ".join(fact["text"] for fact in item["facts"]) for item in items if "facts" in item]
    for text in texts:
        for kind in FALSIFICATIONS:
            found[kind] += damage(text, kind) is not None
    shares = {kind: round(100 * count / len(texts)) for kind, count in found.items()}
    assert all(share >= 50 for share in shares.values()), shares
