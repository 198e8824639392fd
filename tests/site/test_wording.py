"""The mark for the wording of the prompt, and what the trust page shows of wordings."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from support import oracle_boards
from support.boards import in_wordings, model, worded
from support.sites import Site

from nullbench_site.scoring.results import Results
from nullbench_site.scoring.wording_tables import WordingEffect
from nullbench_site.site import paths
from nullbench_site.site.pages.trust_marks import TrustMark, trust
from nullbench_site.site.views import BoardView, view_of
from nullbench_site.site.wording import cost, first_wording_only, wording_part
from nullbench_site.specs.benchmark import Benchmark

NAMES = ("t1", "t2", "t3", "t4", "t5")
ITEMS = "abcdefgh"


def view(of: Benchmark, results: Results) -> BoardView:
    return view_of(of, of.boards["main"], results)


@pytest.fixture(scope="module")
def asked() -> BoardView:
    """m answers eight items in five wordings, once in the first only; prog is a program."""
    specs = oracle_boards.of(*ITEMS, models=("m", "first", "prog", model("null-x", "null")))
    specs = in_wordings(specs, *NAMES, asked=["m", "first"], first_template_only=("first",))
    right = {"m": ("abcdef", "abcd", "abcdefgh", "ab", "cdef"), "first": ("abc",), "prog": ("abc",), "null-x": ("",)}
    records = [
        record
        for name, of in right.items()
        for template, these in zip(NAMES, of, strict=False)
        for record in worded(
            oracle_boards.marked({item: "correct" if item in these else "wrong" for item in ITEMS}, name), template
        )
    ]
    return view(specs, oracle_boards.scored(specs, records))


def mark(of: BoardView, name: str = "m") -> TrustMark:
    return next(each for each in trust(of, of.rows[name]) if each.dimension == "prompts")


def with_effects(of: BoardView, **numbers: Any) -> BoardView:
    """The same view whose contestant m has this effect of wordings."""
    effect = WordingEffect(model="m", format=None, n_items=8, n_wordings=5, **numbers)
    return view(of.benchmark, msgspec.structs.replace(of.results, wording_effects=[effect]))


@pytest.mark.parametrize(("high", "state"), [(0.94, "high"), (1.0, "medium"), (5.0, "medium"), (5.1, "low")])
def test_the_upper_end_of_the_interval_is_graded(asked: BoardView, high: float, state: str) -> None:
    found = mark(with_effects(asked, sigma=0.5, low=0.0, high=high))
    assert (found.state, found.figure) == (state, f"σ up to {high:.1f}")
    assert found.why.startswith("Over 5 wordings, the score has a standard deviation of 0.5 [0.0–")


def test_what_is_not_measured_says_why_and_counts_as_low(asked: BoardView) -> None:
    equal = mark(with_effects(asked, sigma=0.0, absent="the same scores"))
    assert (equal.state, equal.is_low) == ("not testable with these items", True)
    assert equal.why == (
        "The model was asked in 5 wordings, but how much they matter is not measured: the same scores."
    )
    assert mark(with_effects(asked, absent="2 items have no score in some wording")).state == "not measurable here"
    older = view(asked.benchmark, msgspec.structs.replace(asked.results, wording_effects=msgspec.UNSET))
    assert "scored before" in mark(older).why


def test_programs_do_not_read_wordings_and_a_model_asked_in_one_is_not_measured(asked: BoardView) -> None:
    assert mark(asked, "prog").state == "does not apply"
    assert (mark(asked, "first").state, mark(asked, "first").is_low) == ("not measurable here", True)
    assert mark(asked).state == "low"


def test_the_worst_format_decides(asked: BoardView) -> None:
    of = {"n_items": 8, "n_wordings": 5, "model": "m"}
    effects = [
        WordingEffect(format="free answer", sigma=1.0, low=0.0, high=4.0, **of),
        WordingEffect(format="choice", sigma=3.0, low=0.0, high=9.0, **of),
    ]
    found = mark(view(asked.benchmark, msgspec.structs.replace(asked.results, wording_effects=effects)))
    assert (found.state, found.figure) == ("low", "σ up to 9.0")
    assert "1.0 [0.0–4.0] (free answer) and 3.0 [0.0–9.0] (choice) points" in found.why


def test_the_page_says_what_the_wordings_cost_and_shows_the_models_that_answer_several(asked: BoardView) -> None:
    assert cost(asked) == "5 wordings cost 5 times the calls of one: 40 answers of a model instead of 8."
    part = wording_part(asked)
    assert part is not None
    assert [*part["by_wording"]] == ["m"]
    assert {*part["ranks"]} == {"m", "prog"}
    said = "first answers the first wording only, so its score is not comparable with a mean over 5 wordings."
    assert (first_wording_only(asked), part["first_only"]) == (said, said)
    one = oracle_boards.of(*ITEMS)
    alone = view(one, oracle_boards.scored(one, oracle_boards.marked(dict.fromkeys(ITEMS, "correct"))))
    assert (cost(alone), first_wording_only(alone), wording_part(alone)) == ("", "", None)


def test_pages_of_the_shipped_board_keep_seeds_and_means_over_wordings_apart(shipped_site: Site) -> None:
    apart = "so their scores are not comparable with a mean over 5 wordings"
    of_board = [paths.board_url("facts"), paths.trust_url("facts"), paths.method_url("facts"), paths.COMPARE]
    for url in (*of_board, paths.model_url("smollm2-135m"), paths.model_url("smollm2-135m-seed-1")):
        assert apart in shipped_site.content(url).text, url
    assert apart not in shipped_site.content(paths.model_url("nearest-sentence")).text
    assert "A seed fixes the random numbers of all answers alike" in shipped_site.content(paths.trust_url("facts")).text
