"""What the page of attacks says of searches: the result first, then what a search against a defence got."""

from __future__ import annotations

import pytest

from nullbench_site.audit.random_search import Search
from nullbench_site.audit.search_walk import Filter, Verdict, Walk
from nullbench_site.site.trust.search_curves import Searched, adaptive, in_words


def searched(*wins: float, n_wordings: int = 0, kept: Filter | None = None) -> Searched:
    """A search of one instruction. wins: the probability of a win shown first at each step; second it is 0.9."""
    search = Search(attack="structured-pairwise-letter")
    walk = Walk(search)
    steps = [walk.tell([Verdict("one", "anna", 0, won), Verdict("one", "anna", 1, 0.9)]) for won in wins]
    return Searched(search, steps, "an-audit", n_wordings, kept)


@pytest.mark.parametrize(
    ("wins", "says"),
    [
        ((0.2, 0.4), "No text that 1 random search found won an instruction in both orders."),
        ((0.2, 0.6), "A prefix won 1 of 1 instructions in both orders, the best of 1 random search."),
    ],
)
def test_the_result_of_a_search_comes_first(wins: tuple[float, ...], says: str) -> None:
    first, second = in_words([searched(*wins)])
    assert first == says
    assert second.startswith("In 2 steps, −log p of the best text went 0.86 → ")
    assert second.endswith("where it is shown first, 0.11 second.")


def test_a_search_against_a_defence_stands_next_to_as_many_steps_without_it() -> None:
    kept = Filter(["the river rose above the old bridge"] * 40)
    plain = searched(0.2, 0.3, 0.4)
    lines = adaptive([plain, searched(0.1, 0.4, n_wordings=5), searched(0.1, 0.2, kept=kept)])
    assert lines[0] == ("Against 5 wordings of the question, −log p went 1.20 → 0.51 in 2 steps; without, 0.86 → 0.65.")
    assert lines[1] == "Against a bound on perplexity, −log p went 1.20 → 0.86 in 2 steps; without, 0.86 → 0.65."
    assert "0 of 3 candidates pass" in lines[2]
    assert lines[3] == "As no search won in both orders, none shows whether a defence would have kept it out."
    assert adaptive([searched(0.9)]) == [
        "A search against other wordings of the question: not measured.",
        "A search against a bound on perplexity: not measured.",
    ]
