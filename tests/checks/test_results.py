"""Checks of results: a number, a conclusion."""

import pytest
from checks.examples import does_not_apply, flags

from nullbench_site.checks import Check
from nullbench_site.checks.conclusions import MultiStepVerify, StatisticalSignificance

TOTAL = MultiStepVerify(number=1374)


def test_small_numbers_may_be_spelt_and_results_may_be_near() -> None:
    assert flags("It leaves six.", MultiStepVerify(number=6)) == []
    assert flags("About 3.14", MultiStepVerify(number=3.1416, tolerance=0.01)) == []
    assert flags("About 3", MultiStepVerify(number=3.1416, tolerance=0.01)) == ["wrong_answer"]
    assert flags("\u0666", MultiStepVerify(number=6)) == []  # an Arabic-Indic six


def test_results_on_the_way_are_looked_for_where_work_is_shown() -> None:
    params = MultiStepVerify(number=1374, steps=(458,))
    assert flags("1374", params) == []
    assert flags("847 - 389 = 458, times 3 is 1,374", params) == []
    assert flags("847 - 389, times 3, is 1,374", params) == ["missing_steps"]


def test_more_than_the_answer_is_seen_where_only_that_was_asked_for() -> None:
    params = MultiStepVerify(number=1374, only_answer=True)
    assert flags("Answer: 1374.", params) == []
    assert flags("The final answer that I get is 1374", params) == ["more_than_answer"]


def test_an_answer_in_words_has_several_forms() -> None:
    goat = MultiStepVerify(answers=("goat back", "back .. goat"), contradictions=("wolf and goat alone",))
    assert flags("He brings the **goat** back.", goat) == []
    assert flags("He comes back with the goat.", goat) == []
    assert flags("He leaves the goat.", goat) == ["wrong_answer"]
    assert flags("Goat back; now wolf and goat alone.", goat) == ["contradiction"]


NOISE = StatisticalSignificance(significant=False, p_values=(0.151, 0.075), conclusions=("nicht signifikant",))


def test_a_response_that_only_says_what_to_test_is_left_to_the_judges() -> None:
    assert does_not_apply("First determine whether the difference is statistically significant.", NOISE)
    assert does_not_apply("Is it significant? If the result is significant at 5%, ship it.", NOISE)


def test_a_difference_may_be_significant() -> None:
    params = StatisticalSignificance(significant=True)
    assert flags("The result is statistically significant.", params) == []
    assert flags("The result is not statistically significant.", params) == ["wrong_conclusion"]
    assert flags("We fail to reject the null.", params) == ["wrong_conclusion"]
    assert flags("We failed to find a significant difference.", params) == ["wrong_conclusion"]


@pytest.mark.parametrize(
    "level", ["p < 0.05", "p-value below 0.10", "p is greater than 0.1", "at p = 0.05", "p-value threshold of 0.05"]
)
def test_a_level_is_no_p_value_that_is_told(level: str) -> None:
    assert flags(f"The difference is not significant ({level}).", NOISE) == []


CASES: list[tuple[Check, str, list[str]]] = [
    # The right result passes.
    (TOTAL, "1374", []),
    (TOTAL, "**1,374**", []),
    (TOTAL, "458 \u00d7 3 = 1374", []),
    (TOTAL, "1\u202f374", []),
    (TOTAL, "The answer is $1,374.00. (The 10% discount is for Tuesdays.)", []),
    (TOTAL, "\\boxed{1{,}374}\n\nAs 2 + 2 = 4.", []),
    (TOTAL, "Step 1: 458. Step 2: 1374.", []),
    # A wrong result fails.
    (TOTAL, "13745", ["wrong_answer"]),
    (TOTAL, "1.374", ["wrong_answer"]),
    (TOTAL, "13, 74", ["wrong_answer"]),
    (TOTAL, "First 1374, then minus 4: 1370", ["wrong_answer"]),
    (TOTAL, "\\boxed{1370} and not 1374", ["wrong_answer"]),
    (TOTAL, "The final answer is 12.", ["wrong_answer"]),
    (TOTAL, "None.", ["wrong_answer"]),
    (TOTAL, "```\n1374\n```", ["wrong_answer"]),
    # The right conclusion passes.
    (NOISE, "The difference is **not statistically significant** (p \u2248 0.15).", []),
    (NOISE, "We can't rule out chance: the p-value is about 0.16.", []),
    (NOISE, "Not so fast: this could well be noise. The confidence interval includes zero.", []),
    (NOISE, "P-value: ~0.15 (two-tailed) or ~0.075 (one-tailed), above p < 0.05.", []),
    (NOISE, "Das ist nicht signifikant.", []),
    (NOISE, "| p-value | ~0.15 |\n|---|---|\n| z | 1.43 |\n\nThe test is inconclusive.", []),
    # A wrong conclusion fails.
    (NOISE, "B is significantly better. Ship it.", ["wrong_conclusion"]),
    (NOISE, "With p = 0.03 the lift is statistically significant.", ["wrong_p_value", "wrong_conclusion"]),
    (NOISE, "It is not significant, p = 0.64.", ["wrong_p_value"]),
    (NOISE, "We reject the null hypothesis.", ["wrong_conclusion"]),
    (NOISE, "It is not significant: p = 0.10.", ["wrong_p_value"]),
    (NOISE, "The p-value is about 0.01, so it is not conclusive.", ["wrong_p_value"]),
]


@pytest.mark.parametrize(("check", "text", "expected"), CASES)
def test_the_flags_of_a_response(check: Check, text: str, expected: list[str]) -> None:
    assert flags(text, check) == expected


NUMBERS = [
    # A minus is a sign, in any of its forms and in words.
    (-5, "The result is \u22125.", True),
    (-5, "The result is minus 5.", True),
    (-5, "x = - 5", True),
    (-5, "So \\boxed{-5}", True),
    (-5, "The final balance is -$5.", True),
    (-0.5, "The result is \u2212.5", True),
    (-40, "Finally, it is minus forty degrees.", True),
    (5, "The result is -5.", False),
    (-5, "The result is 5.", False),
    # A hyphen and a subtraction are none.
    (5, "Steps 3-5 give the total 5", True),
    (4, "So 7 minus 3 equals 4", True),
    (3, "The total is 8-5, which is 3", True),
    (12, "- 12 is the result", True),
    (7, "It is a well-known total: 7", True),
    # The result of an equation follows its last equals sign.
    (8, "Therefore 3 + 5 = 8.", True),
    (3, "Therefore 3 + 5 = 8.", False),
    (5, "Therefore 3 + 5 = 8.", False),
    (20, "The answer: 100/5 = 40/2 = 20 euros", True),
    (40, "The answer: 100/5 = 40/2 = 20 euros", False),
    # Numbers in letters.
    (42, "The answer is forty-two.", True),
    (2, "The answer is forty-two.", False),
    (205, "The total is two hundred and five.", True),
    (5, "The total is two hundred and five.", False),
    (300, "The total is three hundred.", True),
    (90, "Ninety minutes altogether.", True),
    # Other digits, widths and separators.
    (42, "The answer is \uff14\uff12\uff0e", True),
    (42, "\u7b54\u6848\uff1a\uff14\uff12", True),
    (6.5, "\u0666.\u0665", True),
    (3.5, "Die Summe betr\u00e4gt 3,5", True),
    (1234.5, "The total is 1.234,5 euros", True),
    (1234, "The total is 1,234 euros", True),
    # What is denied is no result.
    (6, "The answer is not 5 but 6.", True),
    (5, "The answer is not 5 but 6.", False),
]


@pytest.mark.parametrize(("right", "text", "passes"), NUMBERS)
def test_a_number_is_read_with_its_sign_its_equation_and_its_letters(right: float, text: str, passes: bool) -> None:
    assert (flags(text, MultiStepVerify(number=right)) == []) is passes


SMALL_P = StatisticalSignificance(significant=True, p_values=(0.00031,), p_tolerance=0.00001)


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("3.1e-4", True),
        ("3.1 \u00d7 10^-4", True),
        ("3.1 x 10^{-4}", True),
        ("3,1\u00b710\u207b\u2074", True),
        ("0,00031", True),
        ("\uff10.\uff10\uff10\uff10\uff13\uff11", True),
        ("3.1e-3", False),
        ("0,0031", False),
        ("3.1 \u00d7 10^-5", False),
    ],
)
def test_a_p_value_has_many_forms(written: str, right: bool) -> None:
    found = flags(f"With p = {written} the difference is statistically significant.", SMALL_P)
    assert (found == []) is right
