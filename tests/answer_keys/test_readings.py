"""How answers are read out of what models write: tables of a question, a response and its mark.

The mark is "correct", "wrong", or the cause of an invalid one.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from answer_keys.examples import key

from nullbench_site.answer_keys import AnyKey, Key, mark

Row = tuple[str, str]
TEN = key("multiple-choice", options={letter: f"text {letter.lower()}x" for letter in "ABCDEFGHIJ"}, correct="D")
B = key(
    "multiple-choice",
    options={"A": "helium", "B": "argon", "C": "neon", "D": "xenon"},
    correct=["B"],
)


def number(value: float, *unit: str) -> Key:
    return key("numeric", value=value, unit=list(unit))


def exact(*accepted: str, in_sentence: bool = False) -> Key:
    return key("exact", accepted=list(accepted), in_sentence=in_sentence)


def reading(text: str, by: Key, asked: str = "", **how: object) -> str:
    marked = mark(text, by, asked=asked, **how)  # type: ignore[arg-type]
    assert (marked.cause is None) == (marked.outcome != "invalid")
    return marked.cause or marked.outcome


WORDS_THAT_ARE_LETTERS: list[Row] = [
    ("Answer: I believe the current halves, so D.", "correct"),
    ("Answer: I would say that it is D.", "correct"),
    ("Answer: I", "wrong"),
    ("I", "wrong"),
    ("**I**", "wrong"),
    ("The answer is I.", "wrong"),
    ("The answer is I because the pressure falls.", "wrong"),
    ("I am not sure about this one.", "no answer"),
    ("I think a heavier body falls as fast. It must be D.", "correct"),
    ("A heavier body falls as fast, therefore (D).", "correct"),
    ("Answer: A body in motion stays in motion, hence D.", "correct"),
    ("I'd go with D", "correct"),
    ("I choose a middle way, D.", "correct"),
    ("The answer is a matter of definition.", "no answer"),
    ("A", "wrong"),
    ("a", "wrong"),
    ("J is my answer", "wrong"),
]
NAMED_BUT_NOT_CLAIMED: list[Row] = [
    ("The answer is B. A common wrong answer is C.", "correct"),
    ("The right answer is B. The most tempting incorrect answer is A.", "correct"),
    ("Correct option: B\nIncorrect options: A, C, D", "correct"),
    ("Correct answer: B\nWrong answer: D", "correct"),
    ("Incorrect answer: C", "no answer"),
    ("Wrong answer: B", "no answer"),
    ("A wrong answer is B.", "no answer"),
    ("The false option is B.", "no answer"),
    ("Not C.", "no answer"),
    ("Not B.", "no answer"),
    ("B is wrong.", "no answer"),
    ("B is incorrect.", "no answer"),
    ("Option B is eliminated.", "no answer"),
    ("**B** is wrong.", "no answer"),
    ("B) argon is wrong.", "no answer"),
    ("B isn't right.", "no answer"),
    ("Answer: not B", "no answer"),
    ("The answer is definitely not B.", "no answer"),
    ("The answer cannot be B.", "no answer"),
    ("C is wrong; it is B.", "correct"),
    ("C is incorrect, so the answer must be B.", "correct"),
    ("C is wrong. It's B.", "correct"),
    ("A and D are eliminated, C is wrong, which leaves B.", "correct"),
    ("Answer: B (C is wrong)", "correct"),
    ("Answer: B, C is incorrect", "correct"),
    ("The answer is B, not C.", "correct"),
    ("Answer: not C but B", "correct"),
    ("The correct answer is not A but B.", "correct"),
    ("The correct answer is not B but A.", "wrong"),
    ("The answer isn't A; it's B.", "correct"),
    ("It isn't B; it's D.", "wrong"),
    ("Die richtige Antwort ist nicht A, sondern B.", "correct"),
    ("La respuesta correcta no es A sino B.", "correct"),
    ("La r\u00e9ponse n'est pas A mais B.", "correct"),
    ("\u7b54\u6848\u4e0d\u662fA\uff0c\u800c\u662fB\u3002", "correct"),
    ("B, not A.", "correct"),
    ("Not A, not B.", "no answer"),
    ("Answer: C? No, B.", "correct"),
    ("Answer: B? No, C.", "wrong"),
    ("Antwort: A? Nein, B.", "correct"),
    ("Some people say the answer is C.", "no answer"),
    ("If the reaction were endothermic, the answer would be C.", "no answer"),
    ("Could the answer be B?", "no answer"),
    ("Is B the correct answer?", "no answer"),
    ("Suppose the answer is B.", "no answer"),
    ("~~B~~ C", "wrong"),
    ("~~C~~ B", "correct"),
    ("~~B~~", "no answer"),
]
LAST_CLAIM: list[Row] = [
    ("The answer is A. Wait, actually it is B.", "correct"),
    ("The answer is B. Wait, actually it is A.", "wrong"),
    ("The answer is A.\n\nHmm, no. It's B.", "correct"),
    ("Answer: C\nLet me check the noble gases again.\nSo the final answer is B", "correct"),
    ("Answer: B. It has eighteen protons. So the final answer is C.", "wrong"),
    ("My first guess was C, but it is B.", "correct"),
    ("The answer is C. Correction: it should be B.", "correct"),
    ("The answer is C. On second thought, it's B.", "correct"),
    ("The answer is B. Wait, that's not right.", "no answer"),
    ("The answer is A, or rather: the answer is B.", "correct"),
    ("The answer is B. If it had ten protons, the answer would be C.", "correct"),
    ("The answer is B. Or is the answer C?", "correct"),
    ("A or B", "several answers"),
    ("Answer: either A or B", "several answers"),
    ("Answer: A\nAnswer: B", "several answers"),
    ("Answer: A and B", "several answers"),
    ("Answer: K", "other form"),
]
LANGUAGES: list[Row] = [
    ("Die richtige Antwort ist B.", "correct"),
    ("Antwort: B) argon", "correct"),
    ("Die Antwort lautet C.", "wrong"),
    ("Die Antwort ist nicht B.", "no answer"),
    ("Falsche Antwort: B", "no answer"),
    ("C ist falsch; es ist B.", "correct"),
    ("B ist richtig.", "correct"),
    ("La r\u00e9ponse est B.", "correct"),
    ("La bonne r\u00e9ponse est la B.", "correct"),
    ("La r\u00e9ponse correcte est C.", "wrong"),
    ("R\u00e9ponse : B", "correct"),
    ("La r\u00e9ponse incorrecte est B.", "no answer"),
    ("La r\u00e9ponse n'est pas B.", "no answer"),
    ("La respuesta correcta es B.", "correct"),
    ("Respuesta: B", "correct"),
    ("La respuesta incorrecta es B.", "no answer"),
    ("La respuesta no es B.", "no answer"),
    ("La opci\u00f3n correcta es la B.", "correct"),
    ("La risposta corretta \u00e8 B.", "correct"),
    ("Risposta: C", "wrong"),
    ("La risposta sbagliata \u00e8 B.", "no answer"),
    ("A resposta correta \u00e9 B.", "correct"),
    ("A resposta certa \u00e9 a letra B.", "correct"),
    ("Resposta: C", "wrong"),
    ("A resposta errada \u00e9 B.", "no answer"),
    ("\u7b54\u6848\u662fB\u3002", "correct"),
    ("\u6b63\u786e\u7b54\u6848\uff1a\uff22", "correct"),
    ("\u56e0\u6b64\uff0c\u6b63\u786e\u9009\u9879\u4e3aC\u3002", "wrong"),
    ("\u6545\u9009B\u3002", "correct"),
    ("\u7b54\u6848\u4e0d\u662fB\u3002", "no answer"),
    ("\u9519\u8bef\u7b54\u6848\u662fB\u3002", "no answer"),
    ("\u7b54\u3048\u306fB\u3067\u3059\u3002", "correct"),
    ("\u6b63\u89e3\u306f\uff22\u3067\u3059\u3002", "correct"),
    ("\u7b54\u3048\uff1aC", "wrong"),
    ("B\u304c\u6b63\u89e3\u3067\u3059\u3002", "correct"),
    ("\u7b54\u3048\u306fB\u3067\u306f\u3042\u308a\u307e\u305b\u3093\u3002", "no answer"),
    ("\uc815\ub2f5\uc740 B\uc785\ub2c8\ub2e4.", "correct"),
    ("\uc815\ub2f5: C", "wrong"),
    ("\ub2f5\uc740 B\uc774 \uc544\ub2d9\ub2c8\ub2e4.", "no answer"),
    ("\u041e\u0442\u0432\u0435\u0442: B", "correct"),
    (
        "\u041f\u0440\u0430\u0432\u0438\u043b\u044c\u043d\u044b\u0439 \u043e\u0442\u0432\u0435\u0442 \u2014 B.",
        "correct",
    ),
    (
        "\u041d\u0435\u043f\u0440\u0430\u0432\u0438\u043b\u044c\u043d\u044b\u0439 \u043e\u0442\u0432\u0435\u0442: B",
        "no answer",
    ),
    ("\u0627\u0644\u0625\u062c\u0627\u0628\u0629 \u0647\u064a B", "correct"),
    (
        "\u0627\u0644\u0625\u062c\u0627\u0628\u0629 \u0627\u0644\u0635\u062d\u064a\u062d\u0629 \u0647\u064a \u200fC"
        "\u200f.",
        "wrong",
    ),
    (
        "\u0627\u0644\u0625\u062c\u0627\u0628\u0629 \u0627\u0644\u062e\u0627\u0637\u0626\u0629 \u0647\u064a B",
        "no answer",
    ),
]
DECLINED: list[Row] = [
    ("I don't know.", "no answer"),
    ("Ich wei\u00df es nicht.", "no answer"),
    ("Je ne sais pas.", "no answer"),
    ("No lo s\u00e9.", "no answer"),
    ("\u6211\u4e0d\u77e5\u9053\u3002", "no answer"),
    ("\u308f\u304b\u308a\u307e\u305b\u3093\u3002", "no answer"),
    ("\u041d\u0435 \u0437\u043d\u0430\u044e.", "no answer"),
    ("", "no answer"),
]


@pytest.mark.parametrize(("text", "expected"), WORDS_THAT_ARE_LETTERS)
def test_the_pronoun_i_and_an_article_are_no_letters(text: str, expected: str) -> None:
    assert reading(text, TEN) == expected


@pytest.mark.parametrize(("text", "expected"), NAMED_BUT_NOT_CLAIMED + LAST_CLAIM)
def test_the_last_option_that_is_claimed_counts(text: str, expected: str) -> None:
    assert reading(text, B) == expected


@pytest.mark.parametrize(("text", "expected"), LANGUAGES + DECLINED)
def test_a_choice_is_read_in_eleven_languages(text: str, expected: str) -> None:
    assert reading(text, B) == expected


EQUATIONS: list[tuple[float, str, str]] = [
    (7, "The answer is 15 - 8 = 7.", "correct"),
    (70000, "The profit is $200,000 - $130,000 = $70,000.", "correct"),
    (12, "Answer: 20 \u2013 5 \u2013 3 = 12", "correct"),
    (9, "Answer: 3 * 3 = 9", "correct"),
    (7, "x = 3 + 4 = 7", "correct"),
    (7, "x = 3 + 4\n= 7", "correct"),
    (7, "15 - 8 = 6", "wrong"),
    (-3, "5 \u2212 8 = \u22123", "correct"),
    (-3, "5 \uff0d 8 \uff1d \uff0d3", "correct"),
    (-3, "The answer is \ufe633.", "correct"),
    (-3, "The answer is \u20143.", "correct"),
    (3, "Answer: -3", "wrong"),
    (3.33, "10 / 3 \u2248 3.33", "correct"),
    (9, "3 * 3 == 9", "correct"),
    (18, "She sells 16 - 3 - 4 = <<16-3-4=9>>9 eggs.\nShe earns 9 * 2 = $<<9*2=18>>18.\n#### 18", "correct"),
    (18, "She makes 9 * 2 = $18 every day at the market.", "correct"),
    (42, "\\[ 6 \\times 7 = 42 \\]", "correct"),
    (42, "\\begin{align*}\nx &= 6 \\times 7 \\\\\n&= 42\n\\end{align*}", "correct"),
    (5, "2x + 1 = 11 \u2192 x = 5", "correct"),
    (5, "2x = 10 \\Rightarrow x = 5", "correct"),
    (5, "x = 4, y = 5", "several answers"),
    (5, "x = 4 or x = 5", "several answers"),
    (5, "a = 2, b = 3, so a + b = 5", "correct"),
    (12, "x >= 12", "other form"),
    (1234, "The total is \u20ac1,234.", "correct"),
    (3.5, "It costs \u20ac3,50.", "correct"),
    (12, "12 USD", "correct"),
    (12, "USD12", "correct"),
    (12, "US$12", "correct"),
    (12, "R$ 12,00", "correct"),
    (12, "\u00a312.00", "correct"),
    (1200, "\u00a51,200", "correct"),
    (100000, "\u20b91,00,000", "correct"),
    (-5, "-\u20ac5", "correct"),
    (5, "-$5", "wrong"),
    (1234567, "1\u00a0234\u00a0567", "correct"),
    (1234567, "1\u2009234\u2009567", "correct"),
    (1234567, "Answer: 1\u2007234\u2007567", "correct"),
    (1234.5, "1 234,5 \u20ac", "correct"),
    (1234567.89, "1 234 567,89 EUR", "correct"),
    (1234.5, "Le prix est de 1 234,50 \u20ac.", "correct"),
    (5, "5!", "correct"),
    (120, "5!", "correct"),
    (6, "5!", "wrong"),
    (42, "Forty-two", "correct"),
    (105, "one hundred and five", "correct"),
    (2342, "two thousand three hundred and forty-two", "correct"),
    (12, "\uff11\uff12", "correct"),
    (12, "\u0661\u0662", "correct"),
    (12.5, "\u0661\u0662\u066b\u0665", "correct"),
    (6, "`6`", "correct"),
    (4, "**4**", "correct"),
    (4, "*4*", "correct"),
    (4, "_4_", "correct"),
    (4, "<b>4</b>", "correct"),
    (4, "~~5~~ 4", "correct"),
    (5, "~~5~~", "no answer"),
]


@pytest.mark.parametrize(("value", "text", "expected"), EQUATIONS)
def test_the_result_of_an_equation_is_behind_its_last_sign(value: float, text: str, expected: str) -> None:
    assert reading(text, number(value)) == expected


LARGER = "Which is larger, 9.11 or 9.9?"
QUESTIONS: list[tuple[float, str, str, str]] = [
    (9.9, LARGER, "9.9 is larger than 9.11", "correct"),
    (9.9, LARGER, "9.9 is larger", "correct"),
    (9.9, LARGER, "The larger number is 9.9.", "correct"),
    (9.9, LARGER, "9.11 < 9.9, so 9.9", "correct"),
    (9.9, LARGER, "Between 9.11 and 9.9, 9.9 is larger.", "correct"),
    (9.9, LARGER, "9.9 > 9.11", "correct"),
    (9.9, LARGER, "9.11 is smaller than 9.9.", "correct"),
    (9.9, LARGER, "9.9 is the larger of the two.", "correct"),
    (9.9, LARGER, "The number larger than 9.11 is 9.9.", "correct"),
    (9.9, LARGER, "9.9 is the greater number.", "correct"),
    (9.9, LARGER, "9.11 is greater than 9.9", "wrong"),
    (9.9, LARGER, "9.11 is larger", "wrong"),
    (9.9, LARGER, "The larger number is 9.11.", "wrong"),
    (9.9, LARGER, "9.9 < 9.11, so 9.11", "wrong"),
    (9.9, LARGER, "Between 9.11 and 9.9, 9.11 is larger.", "wrong"),
    (9.9, LARGER, "9.11 > 9.9", "wrong"),
    (9.9, LARGER, "9.11 is not larger than 9.9; 9.9 is.", "correct"),
    (9.9, LARGER, "9.11 is not larger than 9.9.", "correct"),
    (9.9, LARGER, "9.9 is not larger than 9.11; 9.11 is.", "wrong"),
    (9.9, LARGER, "9.9 isn't greater than 9.11.", "wrong"),
    (9.9, LARGER, "9.9 and 9.11", "several answers"),
    (9.9, "", "9.9 > 9.11", "several answers"),
    (9.9, "", "9.9 is larger than 9.11", "correct"),
    (9.9, "Was ist gr\u00f6\u00dfer, 9,11 oder 9,9?", "9,9 ist gr\u00f6\u00dfer als 9,11.", "correct"),
    (9.9, "9.11\u548c9.9\u54ea\u4e2a\u5927\uff1f", "9.9\u6bd49.11\u5927\u3002", "correct"),
    (9.9, "9.11\u548c9.9\u54ea\u4e2a\u5927\uff1f", "9.11\u6bd49.9\u5927\u3002", "wrong"),
    (4, "Is 3.9 closer to 4 or to 3?", "3.9 is closer to 4.", "correct"),
    (9, "Which is closer to 10, 9 or 12?", "9 is closer to 10.", "correct"),
    (9, "Which is closer to 10, 9 or 12?", "12 is closer to 10 than 9.", "wrong"),
    (
        23,
        "What is the smallest prime number greater than 20?",
        "The smallest prime number greater than 20 is 23.",
        "correct",
    ),
    (23, "", "The smallest prime number greater than 20 is 23.", "correct"),
    (23, "", "The smallest prime number greater than 20 is 21.", "wrong"),
    (31, "What is 0x1F in decimal?", "The hexadecimal number 0x1F in decimal is 31.", "correct"),
    (20, "What is 68 \u00b0F in \u00b0C?", "68 degrees Fahrenheit is 20 degrees Celsius.", "correct"),
    (20, "", "68 degrees Fahrenheit is 20 degrees Celsius.", "correct"),
    (12, "What is 15% of 80?", "15% of 80 is 120.", "wrong"),
    (12, "What is 15% of 80?", "15% of 80 is 12.", "correct"),
    (12, "What is 15% of 80?", "The answer is 15% of 80, which is 12.", "correct"),
    (12, "What is 15% of 80?", "80", "wrong"),
    (12, "What is 15% of 80?", "I start with 80.", "no answer"),
    (
        3,
        "He has 5 apples and gives 2 away. How many are left?",
        "He has 3 apples left after giving away 2 of the 5.",
        "correct",
    ),
    (3, "He has 5 apples and gives 2 away. How many are left?", "Of the 5 apples, 3 are left.", "correct"),
    (3, "He has 5 apples and gives 2 away. How many are left?", "After giving away 2 of the 5, he has 3.", "correct"),
    (3, "He has 5 apples and gives 2 away. How many are left?", "He had 5 apples.", "no answer"),
    (3, "He has 5 apples and gives 2 away. How many are left?", "There are 5 - 2 = 3 apples left.", "correct"),
    (
        3,
        "He has 5 apples and gives 2 away. How many are left?",
        "He has 4 apples left after giving away 2 of the 5.",
        "wrong",
    ),
    (
        30,
        "A train goes 60 km in 2 hours. How fast is it?",
        "The train goes 60 km in 2 hours, so its speed is 30 km/h.",
        "correct",
    ),
    (30, "A train goes 60 km in 2 hours. How fast is it?", "The train goes 60 km in 2 hours.", "no answer"),
    (2, "What does print(1 + 1) print?", "It prints 2.", "correct"),
    (8, "What does f(3) return?", "The function returns 8 for the input 3.", "correct"),
    (7, "How many days has a week?", "It is not 5, it is 7.", "correct"),
    (7, "How many days has a week?", "It is 7, not 5.", "correct"),
    (7, "How many days has a week?", "It isn't 7.", "no answer"),
    (7, "How many days has a week?", "The answer is 5. Wait, actually it's 7.", "correct"),
    (7, "How many days has a week?", "Step 1: count. Step 2: 7", "correct"),
    (7, "How many days has a week?", "Die Woche hat 7 Tage.", "correct"),
    (7, "How many days has a week?", "Die Antwort ist 7.", "correct"),
    (7, "How many days has a week?", "La r\u00e9ponse est 7.", "correct"),
    (7, "How many days has a week?", "La respuesta es 7 d\u00edas.", "correct"),
    (7, "How many days has a week?", "\u7b54\u6848\u662f\uff17\u3002", "correct"),
    (7, "How many days has a week?", "\u4e00\u5468\u67097\u5929\u3002", "correct"),
    (7, "How many days has a week?", "\u7b54\u3048\u306f7\u3067\u3059\u3002", "correct"),
    (7, "How many days has a week?", "\uc815\ub2f5\uc740 7\uc785\ub2c8\ub2e4.", "correct"),
    (7, "How many days has a week?", "\u041e\u0442\u0432\u0435\u0442: 7 \u0434\u043d\u0435\u0439.", "correct"),
    (7, "How many days has a week?", "\u0627\u0644\u0625\u062c\u0627\u0628\u0629 \u0647\u064a \u0667", "correct"),
    (7, "How many days has a week?", "Is it 7 or is it 8?", "no answer"),
    (7, "How many days has a week?", "It cannot be determined.", "no answer"),
    (7, "How many days has a week?", "Answer: unknown", "no answer"),
    (7, "How many days has a week?", "7 or 8", "several answers"),
    (7, "How many days has a week?", "more than 7", "other form"),
    (7, "How many days has a week?", "7:30", "other form"),
    (7, "How many days has a week?", "There are seven of them, which everyone learns at school.", "correct"),
]


@pytest.mark.parametrize(("value", "asked", "text", "expected"), QUESTIONS)
def test_a_number_is_read_out_of_a_sentence(value: float, asked: str, text: str, expected: str) -> None:
    assert reading(text, number(value), asked) == expected


ML, MINUTES, KM = number(480, "ml"), number(150, "minutes", "min"), number(12, "km", "kilometres")
UNITS: list[tuple[Key, str, str]] = [
    (ML, "480 ml, or 0.48 litres", "correct"),
    (ML, "480 ml (0.48 L)", "correct"),
    (ML, "0.48 litres", "correct"),
    (ML, "48 cl", "correct"),
    (ML, "480", "correct"),
    (ML, "0.48", "wrong"),
    (ML, "480 ml or 500 ml", "several answers"),
    (ML, "480 g", "other form"),
    (MINUTES, "2.5 hours", "correct"),
    (MINUTES, "2.5", "wrong"),
    (MINUTES, "2 hours and 30 minutes", "correct"),
    (MINUTES, "2 h 30 min", "correct"),
    (MINUTES, "It takes 9000 seconds.", "correct"),
    (MINUTES, "2 hours", "wrong"),
    (MINUTES, "150 km", "other form"),
    (KM, "12,000 m", "correct"),
    (KM, "12 km, or about 7.5 miles", "correct"),
    (KM, "7.5 miles", "wrong"),
    (KM, "12 in total", "correct"),
    (number(20, "\u00b0C"), "68 \u00b0F", "correct"),
    (number(20, "\u00b0C"), "68 degrees Fahrenheit is 20 degrees Celsius.", "correct"),
    (number(20, "\u00b0C"), "68 degrees", "other form"),
    (number(2, "GB"), "2,000 MB", "correct"),
    (number(2, "kg"), "2000 g", "correct"),
    (number(3, "apples"), "3 apples", "correct"),
    (number(3, "apples"), "3 pears", "other form"),
]


@pytest.mark.parametrize(("by", "text", "expected"), UNITS)
def test_a_unit_of_the_same_kind_is_converted(by: Key, text: str, expected: str) -> None:
    assert reading(text, by) == expected


ZURICH = exact("Z\u00fcrich")
TEXTS: list[tuple[Key, str, str]] = [
    (ZURICH, "Zu\u0308rich", "correct"),
    (ZURICH, "\u201eZ\u00fcrich\u201c", "correct"),
    (ZURICH, "\u00abZ\u00fcrich\u00bb.", "correct"),
    (ZURICH, "\u2039 Z\u00fcrich \u203a", "correct"),
    (ZURICH, "\u300cZ\u00fcrich\u300d\u3002", "correct"),
    (ZURICH, "Z\u00fcrich!", "correct"),
    (ZURICH, "_Z\u00fcrich_", "correct"),
    (ZURICH, "*Z\u00fcrich*", "correct"),
    (ZURICH, "`Z\u00fcrich`", "correct"),
    (ZURICH, "~~Z\u00fcrich~~ Bern", "wrong"),
    (ZURICH, "Die Antwort ist Z\u00fcrich.", "correct"),
    (ZURICH, "Zurich", "wrong"),
    (exact("S\u00e3o Paulo"), "Sa\u0303o Paulo", "correct"),
    (exact("Sa\u0303o Paulo"), "S\u00e3o Paulo", "correct"),
    (exact("\uc11c\uc6b8"), "\u1109\u1165\u110b\u116e\u11af", "correct"),
    (exact("\u6771\u4eac"), "\u7b54\u3048\u306f\u6771\u4eac\u3067\u3059\u3002", "correct"),
    (exact("\u6771\u4eac"), "\u300c\u6771\u4eac\u300d", "correct"),
    (exact("\u5df4\u9ece"), "\u7b54\u6848\u662f\u5df4\u9ece\u3002", "correct"),
    (exact("\u30ac\u30e9\u30b9"), "\uff76\uff9e\uff97\uff7d", "correct"),
    (exact("ABC"), "\uff21\uff22\uff23", "correct"),
    (
        exact("\u0627\u0644\u0642\u0627\u0647\u0631\u0629"),
        "\u0627\u0644\u0642\u0627\u0647\u0631\u0629\u061f",
        "correct",
    ),
    (exact("\u0926\u093f\u0932\u094d\u0932\u0940"), "\u0926\u093f\u0932\u094d\u0932\u0940\u0964", "correct"),
    (
        exact("\u041c\u043e\u0441\u043a\u0432\u0430"),
        "\u041e\u0442\u0432\u0435\u0442: \u041c\u043e\u0441\u043a\u0432\u0430.",
        "correct",
    ),
    (exact("C++"), "C++", "correct"),
    (exact("no"), "Answer: No.", "correct"),
    (exact("Bern"), "Bern is wrong.", "wrong"),
    (exact("Bern"), "The answer is not Bern.", "wrong"),
    (exact("Bern", in_sentence=True), "It is certainly Bern, in the canton of Bern.", "correct"),
    (exact("Bern", in_sentence=True), "It is not Bern.", "wrong"),
    (exact("Bern", in_sentence=True), "Es ist nicht Bern.", "wrong"),
    (exact("e", in_sentence=True), "The vowel e is common.", "other form"),
    (exact("a", in_sentence=True), "It is a vowel.", "other form"),
    (exact("a", in_sentence=True), "a", "correct"),
    (exact("a", in_sentence=True), "Answer: a", "correct"),
    (exact("7", in_sentence=True), "It has 7 days.", "correct"),
    (exact("\u5df4\u9ece", in_sentence=True), "\u6cd5\u56fd\u7684\u9996\u90fd\u662f\u5df4\u9ece\u3002", "correct"),
]


@pytest.mark.parametrize(("by", "text", "expected"), TEXTS)
def test_texts_are_compared_in_one_form(by: Key, text: str, expected: str) -> None:
    assert reading(text, by) == expected


def test_the_subject_or_the_object_is_the_answer_by_the_words_of_the_question() -> None:
    paris = exact("Paris")
    asked = "What is the capital of France?"
    assert reading("The capital of France is Paris.", paris, asked) == "correct"
    assert reading("Paris is the capital of France.", paris, asked) == "correct"
    assert reading("The largest harbour of Normandy is Paris.", paris, asked) == "other form"
    assert reading("The capital of France is not Paris.", paris, asked) == "other form"
    assert reading("Lyon is the capital of France.", paris, asked) == "wrong"


GAS = "By how many percent did the gas use of the neighbours fall?"
CLAIMED_BEFORE_THE_CUT: list[tuple[float, str, str, str]] = [
    (6.4, GAS, "The share of the neighbours was 6.4. The gas use of the 31 households was", "correct"),
    (6.4, GAS, "The share of the neighbours was 7.4. The gas use of the 31 households was", "wrong"),
    (11, "How many findings were recorded?", "The reviewer found 11 findings. These findings include", "correct"),
    (11, "How many findings were recorded?", "The reviewer found 12 findings. These findings include", "wrong"),
    (20, "How many staff did the study cover?", "The study covered 20 staff. Only 19% of the staff had 3", "correct"),
    (20, "How many staff did the study cover?", "To find the staff, add the decks.\nThe first is 20.\nThe", "cut"),
    (20, "How many staff did the study cover?", "The study covered 20", "cut"),
    (20, "How many staff did the study cover?", "A harbour has many ships, and 20 of them", "cut"),
]


@pytest.mark.parametrize(("value", "asked", "text", "expected"), CLAIMED_BEFORE_THE_CUT)
def test_a_sentence_that_was_complete_before_the_cut_counts(value: float, asked: str, text: str, expected: str) -> None:
    assert reading(text, number(value), asked, stopped=True) == expected


STOPPED: list[tuple[Key, str, str]] = [
    (number(12), "Step 1: 3 * 3 = 9.\nStep 2: 9 + ", "cut"),
    (number(9), "Step 1: 3 * 3 = 9.\nStep 2: 9 + ", "cut"),
    (number(12), "First we find that each box holds 12. Then we multiply by", "cut"),
    (number(12), "The answer is 12. This follows from", "correct"),
    (number(12), "12\n\nExplanation: each of the", "correct"),
    (number(1), "The answer is 1", "cut"),
    (number(1), "The answer is 1.", "correct"),
    (B, "B\n\nExplanation: argon has", "correct"),
    (B, "B", "correct"),
    (B, "Let us look at the options.\nA) helium is light\nB) argon is", "cut"),
    (B, "", "cut"),
    (B, "<think>The answer is B.", "cut"),
    (exact("argon"), "Noble gases do not react, and so the", "cut"),
]


@pytest.mark.parametrize(("by", "text", "expected"), STOPPED)
def test_a_solution_that_the_token_limit_ended_before_its_result_is_cut(by: Key, text: str, expected: str) -> None:
    assert reading(text, by, stopped=True) == expected


def test_named_languages_and_english_are_tried() -> None:
    assert reading("Die Antwort ist B, sagt er.", B, languages=("de",)) == "correct"
    assert reading("The answer is B, he says.", B, languages=("de",)) == "correct"
    assert reading("La respuesta es B, dice.", B, languages=("de",)) == "no answer"
    assert reading("A resposta correta \u00e9 B, diz.", B, languages=("pt-BR",)) == "correct"


class Example(msgspec.Struct):
    """A line of responses.jsonl: a response in the style of a chatty model or a worked solution, and its mark."""

    key: AnyKey
    asked: str
    text: str
    mark: str


def test_responses_in_the_styles_of_models_are_read_right() -> None:
    lines = (Path(__file__).parent / "responses.jsonl").read_bytes().splitlines()
    examples = [msgspec.json.decode(line, type=Example) for line in lines]
    assert len(examples) > 250
    misread = [(each.text, each.mark) for each in examples if reading(each.text, each.key, each.asked) != each.mark]
    assert misread == []
