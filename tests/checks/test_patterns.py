"""The language of patterns, and reading words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.checks.check import Check, Pattern, Patterns
from nullbench_site.checks.patterns import GAP, Span, Steps, claimed, matches, occurs, pattern
from nullbench_site.checks.reading import read_words, word_count


@pytest.mark.parametrize(
    ("text", "wanted", "found"),
    [
        ("There is no such thing.", "no such thing", True),
        ("There is **no** such-thing", "NO such thing", True),
        ("no thing such", "no such thing", False),
        ("nothing such", "no such", False),
        ("It doesn't exist", "does not exist", True),
        ("It does not exist", "doesn\u2019t exist", True),
        ("It cannot", "can't", True),
        ("a b c d e f g", "a .. g", True),
        ("a b c d e f g h", "a .. h", False),
        ("a g", "a .. g", True),
        ("a. g", "a .. g", False),
        ("a\n\ng", "a g", False),
        ("a\ng", "a g", True),
        ("the cat sleeps", "cat|dog sleep*", True),
        ("the dog slept", "cat|dog sleep*", False),
        ("reduces the cost", "reduc* the", True),
        ("a b b c", "a .. b c", True),
        ("a x b y b c", "a .. b .. b c", True),
        ("1,374 notes", "1374 notes", True),
        ("rate 2e-5 is", "2e-5", True),
        ("version 1.2.3", "1.2", False),
        ("snake_case_name", "snake case", True),
        ("\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd", "\u05e9\u05dc\u05d5\u05dd", True),
        ("STRASSE", "stra\u00dfe", True),
    ],
)
def test_a_pattern_is_found_in_one_sentence(text: str, wanted: str, found: bool) -> None:
    assert occurs(read_words(text.split("\n")), (wanted,)) is found


@pytest.mark.parametrize("text", ["", "  ", "..", "a ..", ".. a", "?!", "a|b-c", "a .. b .. c .. d .. e"])
def test_what_is_no_pattern_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        pattern(text)


def test_a_gap_is_as_long_as_it_says() -> None:
    for between in range(GAP + 2):
        words = read_words(["a " + "x " * between + "b"])
        assert occurs(words, ("a .. b",)) is (between <= GAP)


def ends(words: list[str], steps: Steps, at: int) -> set[int]:
    """Where `steps` may end that go on at `at`: each way is tried."""
    if not steps:
        return {at}
    tried = range(at, at + (GAP if steps[0].gap else 0) + 1)
    return {
        end
        for one in tried
        if one < len(words) and steps[0].fits(words[one])
        for end in ends(words, steps[1:], one + 1)
    }


WORD = st.sampled_from(["a", "b", "ab", "abc", "2.5", "\u05e9"])
CHOICE = st.builds("{}{}".format, WORD, st.sampled_from(["", "*"]))
PATTERN = st.lists(st.lists(CHOICE, min_size=1, max_size=2).map("|".join), min_size=1, max_size=4).flatmap(
    lambda parts: st.sampled_from([" ".join(parts), " .. ".join(parts), " ".join(parts).replace(" ", " .. ", 1)])
)


@given(st.lists(WORD, max_size=30), st.lists(PATTERN, max_size=3).map(tuple))
def test_each_place_a_pattern_begins_at_is_found_with_its_nearest_end(
    words: list[str], wanted: tuple[str, ...]
) -> None:
    said = read_words([" ".join(words)])
    assert list(said.words) == words
    expected = [
        Span(start, min(found), pattern(one))
        for one in wanted
        for start in range(len(words))
        if (found := ends(words, pattern(one), start))
    ]
    assert list(matches(said, wanted)) == expected
    assert occurs(said, wanted) == bool(expected)


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("Tabs are better.", True),
        ("In short, tabs are better than anything.", True),
        ("Tabs are not better.", False),
        ("I doubt it. Tabs are better.", True),
        ("It is a myth that tabs are better.", False),
        ("That tabs are better is a myth.", False),
        ("Are tabs better? Tabs are better?", False),
        ("If tabs are better, use them.", False),
    ],
)
def test_a_claim_is_neither_denied_nor_asked_nor_supposed(text: str, claims: bool) -> None:
    assert claimed(read_words([text]), ("tabs are .. better",)) is claims


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), ("one", 1), ("a - b", 2), ("... !", 0), ("(one) two,three", 2), ("1,000.5 % x", 2), ("\u0663 \u05e9", 2)],
)
def test_words_are_counted_as_an_editor_does(text: str, count: int) -> None:
    assert word_count(text) == count


class Naming(Check, frozen=True, tag="naming"):
    """A check of another package, which says nothing of its patterns but their types."""

    name: Pattern
    others: Patterns = ()


@pytest.mark.parametrize(("name", "others"), [("..", ()), ("a", ("b", "?"))])
def test_a_parameter_that_is_no_pattern_is_refused_by_its_type_alone(name: str, others: tuple[str, ...]) -> None:
    Naming(name="a|b", others=("c .. d",))
    with pytest.raises(ValueError, match="is not a pattern"):
        Naming(name=name, others=others)
