"""Sequences of 13 words that texts share with a corpus, similarity to its passages, and what contamination adds."""

from __future__ import annotations

import math
import random
from functools import cache

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from nullbench_site.stats.inflation import NONE_CLEAN, NONE_CONTAMINATED, Inflation, inflation
from nullbench_site.stats.overlap import Overlap, TfIdf, edit_similarity, words

TWENTY = [f"w{number}" for number in range(20)]


def shared(text: str, *pieces: tuple[list[str], bool]) -> tuple[int, int, int]:
    overlap = Overlap([text])
    for piece, starts in pieces:
        overlap.read(piece, starts=starts)
    (found,) = overlap.shared()
    return found.words, found.n, found.shared


@pytest.mark.parametrize(
    ("text", "pieces", "found"),
    [
        (TWENTY, [(TWENTY, True)], (20, 8, 8)),
        (TWENTY, [(["else", *TWENTY[3:17], "else"], True)], (20, 8, 2)),
        (TWENTY, [(TWENTY[3:10], True), (TWENTY[10:17], False)], (20, 8, 2)),
        (TWENTY, [(TWENTY[3:10], True), (TWENTY[10:17], True)], (20, 8, 0)),
        (TWENTY, [([word], word == "w0") for word in TWENTY], (20, 8, 8)),
        (TWENTY, [([*TWENTY[:12], "else"], True)], (20, 8, 0)),
        (TWENTY[:13], [(TWENTY, True)], (13, 1, 1)),
        (TWENTY[:12], [(TWENTY, True)], (12, 0, 0)),
        ([], [(TWENTY, True)], (0, 0, 0)),
    ],
    ids=[
        "all",
        "14 words",
        "over two pieces",
        "not over two documents",
        "word by word",
        "12 words",
        "13",
        "12",
        "none",
    ],
)
def test_a_text_shares_each_run_of_13_words_that_a_document_has(
    text: list[str], pieces: list[tuple[list[str], bool]], found: tuple[int, int, int]
) -> None:
    assert shared(" ".join(text), *pieces) == found


def test_case_and_punctuation_do_not_matter() -> None:
    assert words("Don't STOP: 1,140 lifts — at once!") == ["don", "t", "stop", "1", "140", "lifts", "at", "once"]


def test_hashed_sequences_are_those_that_sets_of_words_share() -> None:
    draws = random.Random(4)  # noqa: S311
    texts = [[draws.choice("ab") for _ in range(40)] for _ in range(30)]
    documents = [[draws.choice("abc") for _ in range(30_000)] for _ in range(4)]
    overlap = Overlap([" ".join(text) for text in texts])
    for document in documents:
        for start in range(0, len(document), 997):
            overlap.read(document[start : start + 997], starts=start == 0)
    in_corpus = {sequence for document in documents for sequence in sequences(document)}
    counts = [sum(sequence in in_corpus for sequence in sequences(text)) for text in texts]
    assert [found.shared for found in overlap.shared()] == counts
    assert 0 < sum(counts) < 28 * len(texts)


def sequences(of: list[str]) -> list[tuple[str, ...]]:
    return [tuple(of[start : start + 13]) for start in range(len(of) - 12)]


@pytest.mark.parametrize(
    ("text", "passage", "similarity"),
    [
        ("kitten", "the sitting cat", 4 / 6),  # "sittin": two replacements
        ("the cat", "on the mat the cat sat", 1.0),
        ("abcd", "xxabdxx", 3 / 4),
        ("abcd", "", 0.0),
        ("abcd", "wxyz", 0.0),
        ("naïve", "a naive plan", 4 / 5),
    ],
)
def test_edit_similarity_is_to_the_closest_part_of_the_passage(text: str, passage: str, similarity: float) -> None:
    assert edit_similarity(text, passage) == pytest.approx(similarity)


def test_edit_similarity_needs_a_text() -> None:
    with pytest.raises(ValueError, match="the text must have a character"):
        edit_similarity("", "abc")


def test_edit_similarity_is_that_of_the_definition() -> None:
    draws = random.Random(5)  # noqa: S311
    for _ in range(25):
        text, passage = ("".join(draws.choices("abc", k=draws.randint(low, 9))) for low in (1, 0))
        parts = [passage[i:j] for i in range(len(passage) + 1) for j in range(i, len(passage) + 1)]
        nearest = min(distance(text, part) for part in parts)
        assert edit_similarity(text, passage) == pytest.approx(1 - nearest / len(text))


@cache
def distance(a: str, b: str) -> int:
    """Levenshtein's distance, by its definition."""
    if not a or not b:
        return len(a) + len(b)
    return min(distance(a[1:], b) + 1, distance(a, b[1:]) + 1, distance(a[1:], b[1:]) + (a[0] != b[0]))


def test_tf_idf_is_that_of_scikit_learn() -> None:
    texts = ["the dog sat", "a zebra and the cat", "dog dog cat", "!"]
    passages = ["the cat sat on the mat", "a dog sat on a log, a log", "cats and dogs", "-"]
    every = sorted({word for text in (*texts, *passages) for word in words(text)})
    peer = TfidfVectorizer(vocabulary=every, token_pattern=r"(?u)\w+").fit(passages)  # noqa: S106
    ours = TfIdf([words(text) for text in texts])
    for passage in passages:  # in batches of one
        ours.count([words(passage)])
    expected = (peer.transform(texts) @ peer.transform(passages).T).toarray()
    assert ours.cosines([words(passage) for passage in passages]) == pytest.approx(expected)


def scores(right: int, wrong: int) -> list[float]:
    return [100.0] * right + [0.0] * wrong


def of(memorised: list[float], clean: list[float]) -> Inflation:
    return inflation([*memorised, *clean], [True] * len(memorised) + [False] * len(clean))


def test_the_worked_example_inflates_a_score_by_seven_and_a_half_points() -> None:
    found = of(scores(57, 3), scores(98, 42))  # c = 0.30, p_mem = 0.95, p_clean = 0.70
    assert found.rate == pytest.approx(0.30)
    assert (found.memorised.value, found.clean.value, found.gap.value) == pytest.approx((95.0, 70.0, 25.0))
    assert found.inflation.value == pytest.approx(7.5)
    score = (57 + 98) / 200 * 100
    assert score - found.clean.value == pytest.approx(found.inflation.value)


def test_the_interval_of_the_gap_joins_those_of_both_means() -> None:
    found = of(scores(57, 3), scores(98, 42))
    m, k, gap = found.memorised, found.clean, found.gap
    assert None not in (m.low, m.high, k.low, k.high, m.value, k.value)
    low = 25 - math.sqrt((95 - m.low) ** 2 + (k.high - 70) ** 2)  # type: ignore[operator]
    high = 25 + math.sqrt((m.high - 95) ** 2 + (70 - k.low) ** 2)  # type: ignore[operator]
    assert (gap.low, gap.high) == pytest.approx((low, high))
    assert (found.inflation.low, found.inflation.high) == pytest.approx((0.3 * low, 0.3 * high))
    assert gap.reason is None


@pytest.mark.parametrize(
    ("memorised", "clean", "rate", "value", "reason"),
    [
        ([], scores(5, 5), 0.0, 0.0, NONE_CONTAMINATED),
        (scores(5, 5), [], 1.0, None, NONE_CLEAN),
        (scores(3, 0), scores(5, 5), 3 / 13, 3 / 13 * 50, "too few: 3 clusters of items, and an interval needs 6"),
        ([], [], None, None, "no item was tested"),
        ([math.nan], [math.nan], None, None, "no item was tested"),
    ],
    ids=["none contaminated", "all contaminated", "few contaminated", "no item", "no answer"],
)
def test_without_items_of_both_kinds_there_is_no_interval_and_a_reason(
    memorised: list[float], clean: list[float], rate: float | None, value: float | None, reason: str
) -> None:
    found = of(memorised, clean)
    assert found.rate == pytest.approx(rate)
    assert found.inflation.value == pytest.approx(value)
    assert (found.inflation.low, found.inflation.high, found.inflation.reason) == (None, None, reason)


def test_items_without_an_answer_do_not_count_and_clusters_widen_the_interval() -> None:
    values, contaminated = [*scores(20, 10), *scores(30, 30), math.nan], [True] * 30 + [False] * 60 + [True]
    alone, together = inflation(values, contaminated), inflation(values, contaminated, np.arange(91) // 5)
    assert alone.rate == pytest.approx(30 / 90)
    assert together.gap.value == pytest.approx(alone.gap.value)
    assert None not in (alone.gap.low, together.gap.low)
    assert together.gap.low < alone.gap.low  # type: ignore[operator]


def test_arrays_of_other_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="must have the same length"):
        inflation([100.0, 0.0], [True])
