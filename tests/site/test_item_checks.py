"""The items of a board that are worth a look: contradicted keys, and items that tell nobody apart."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from support import boards, oracle_boards
from support.oracle_boards import answer, prompt
from support.sites import Site

from nullbench_site.runs.records import encode_lines
from nullbench_site.site.pages.item_checks import ItemChecks, answers_in, item_checks, says
from nullbench_site.site.protocol import Contradicted

UPPER = ("a", "b", "c")
"""The contestants with the highest scores of five."""


def checks_of(folder: Path, answers: Mapping[str, Mapping[str, str]], *, private: str = "") -> ItemChecks:
    """The checks of a board whose key is "yes". answers: contestant -> item -> its answer."""
    items = list(next(iter(answers.values())))
    models = [boards.model(name, family=name) for name in answers]
    made = oracle_boards.of(
        *(prompt(item, visibility="private" if item == private else "public") for item in items), models=models
    )
    records = [
        answer(item, "correct" if text == "yes" else "wrong", model, text=text)
        for model, of in answers.items()
        for item, text in of.items()
    ]
    (folder / "responses").mkdir()
    for model in answers:
        lines = encode_lines([each for each in records if each.model == model])
        (folder / "responses" / f"{model}.jsonl").write_bytes(lines)
    return item_checks(boards.view(made, records), answers_in(folder))


def five(**given: str) -> dict[str, dict[str, str]]:
    """Answers of five contestants to 5 items; given: what those of the upper half answer to an item."""
    right = {f"q{n}": "yes" for n in range(5)}
    found = {name: {**right, **given} for name in UPPER}
    return found | {name: dict.fromkeys(right, "perhaps") | {"q0": "yes"} for name in ("d", "e")}


def test_a_key_that_the_upper_half_contradicts_alike_is_listed_with_their_answer(tmp_path: Path) -> None:
    found = checks_of(tmp_path, five(q3="Answer: no"))
    assert found.contradicted == [Contradicted("q3", "no", 3, 3)]
    assert says(found).startswith("1 key that most contestants with high scores contradict alike")


def test_answers_that_differ_or_of_one_contestant_contradict_no_key(tmp_path: Path) -> None:
    answers = five()
    answers["a"] |= {"q3": "no", "q4": "no"}
    answers["b"] |= {"q3": "never"}
    assert checks_of(tmp_path, answers).contradicted == []


def test_two_of_five_are_no_majority(tmp_path: Path) -> None:
    """Of ten contestants, the upper half has five; a and b give one wrong answer."""
    right = {f"q{n}": "yes" for n in range(5)}
    answers = {name: dict(right) for name in "abcde"} | {name: dict.fromkeys(right, "perhaps") for name in "fghij"}
    for name in ("a", "b"):
        answers[name]["q3"] = "no"
    assert checks_of(tmp_path, answers).contradicted == []


def test_a_private_item_is_not_named_as_contradicted(tmp_path: Path) -> None:
    assert checks_of(tmp_path, five(q3="no"), private="q3").contradicted == []


def test_items_that_nobody_or_everybody_solves_are_listed(tmp_path: Path) -> None:
    found = checks_of(tmp_path, five(q3="no"))
    assert (found.nobody, found.everybody) == (["q3"], ["q0"])
    assert (found.rest, found.lines) == (None, []), "five families are too few for correlations"


@pytest.mark.parametrize(("n", "measured"), [(1, False), (2, False), (3, True)])
def test_with_few_families_nothing_is_said_of_keys(tmp_path: Path, n: int, *, measured: bool) -> None:
    found = checks_of(tmp_path, dict(list(five(q3="no").items())[:n]))
    assert (found.contradicted is not None) is measured
    assert (found.nobody is not None) is (n > 1)
    if n == 1:
        assert says(found) == "Not measured: fewer than two families of contestants are ranked"


def test_the_page_and_the_file_have_the_same_items(oracle_site: Site) -> None:
    (view,) = oracle_site.data.views
    found = item_checks(view, answers_in(oracle_site.data.entry.path))
    rows = oracle_site.csv(f"boards/{view.board.id}/items-worth-a-look.csv")
    of_list = {name: [row["item"] for row in rows if row["list"] == name] for name in ("nobody", "everybody")}
    assert of_list == {"nobody": [*(found.nobody or ())], "everybody": [*(found.everybody or ())]}
    text = oracle_site.pages[f"boards/{view.board.id}/items/"].text
    assert says(found) in text
    assert all(item in text for items in of_list.values() for item in items[:20])


def test_without_a_ranked_contestant_nothing_is_measured(tmp_path: Path) -> None:
    """Judges see a sample of the answers there, so nobody is ranked."""
    (tmp_path / "responses").mkdir()
    found = item_checks(boards.view(oracle_boards.of("q0", "q1"), []), answers_in(tmp_path))
    assert (found.families, found.rest, found.nobody, found.contradicted) == (0, None, None, None)
