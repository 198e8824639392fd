"""Titles that lie: characters that are invisible or turn the reading are refused, look-alikes are warned of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.benchmarks import BACKENDS, write_benchmark
from support.repositories import edit

from nullbench_site.errors import SpecError
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.lookalikes import skeleton
from nullbench_site.text import hidden_character, title_of

PLACES = {
    "title of a contestant": ("models/lead-2.yaml", 'title: "Lead-2"'),
    "title of a domain": ("domains/gardens.yaml", "title: Gardens"),
    "title of a category": ("domains/gardens.yaml", "title: "),
    "title of a board": ("boards/small.yaml", "title: "),
    "question of a board": ("boards/small.yaml", "question: "),
    "title of the benchmark": ("benchmark.yaml", "title: "),
    "title of a judge": ("judges.yaml", "title: "),
    "title of an axis": ("axes.yaml", "title: "),
    "title of a goal": ("goals/gardens.yaml", "title: "),
}


def _with_title(specs: Path, file: str, start: str, title: str) -> None:
    key = start.partition(":")[0]
    path = specs / file
    line = next(line for line in path.read_text("utf-8").splitlines() if start in line)
    edit(path, line, f"{line[: line.index(key)]}{key}: {json.dumps(title, ensure_ascii=False)}")


def test_a_character_that_hides_or_steers_is_refused_in_every_title(tmp_path: Path) -> None:
    for place, (file, start) in PLACES.items():
        specs = write_benchmark(tmp_path / place)
        _with_title(specs, file, start, "Lead\u202e-2")
        with pytest.raises(SpecError) as refused:
            load_benchmark(specs, backends=BACKENDS)
        (problem,) = refused.value.problems
        assert (problem.file, problem.rule) == (f"specs/{file}", "text"), place
        assert "U+202E" in problem.message, place
    for character in "\u200b\u2066\u00ad\ue000\u3164\U000e0041":
        assert f"U+{ord(character):04X}" in (hidden_character(f"Lead{character}-2") or "")


def test_the_specs_of_an_old_run_are_read_whatever_stands_in_them(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path)
    _with_title(specs, *PLACES["title of a contestant"], "Lead\u202e-2")
    assert load_benchmark(specs).models["lead-2"].title == "Lead\u202e-2"


@pytest.mark.parametrize(
    "title", ["نمی\u200cدانم", "क्\u200dष", "👩\u200d👩\u200d👧 team", "Model ❤\ufe0f\u200d🔥", "Müller 3", "文心"]
)
def test_joiners_between_letters_that_need_them_and_in_emoji_are_no_problem(title: str) -> None:
    assert hidden_character(title) is None


@pytest.mark.parametrize("title", ["Lead\u200d-2", "Lead-2\ufe0f", "\u200cLead", "نمی\u200c", "Lead\u200c\u200c2"])
def test_joiners_elsewhere_are_refused(title: str) -> None:
    assert hidden_character(title) is not None


@given(st.text(st.characters(categories=["Cf", "Cc", "Co"], exclude_characters="\n\t\r"), min_size=1, max_size=1))
def test_no_format_control_or_private_character_stands_between_latin_letters(character: str) -> None:
    visible = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
    drawn = character in visible or "\U00013430" <= character <= "\U0001343f" or character < " "
    assert drawn or hidden_character(f"a{character}b") is not None


ALIKE = [
    ("Lead-2", "Lead\u20102"), ("Lead-2", "Lead 2"), ("Lead-2", "Le\u0430d-2"), ("Lead-1", "Lead-l"),
    ("GPT-4O", "GPT-40"), ("Modern", "Modem"), ("\uff2cead-2", "lead-2"), ("Ορυs", "Opus"),
    ("\u041cistral", "Mistral"), ("Ꮇistral", "Mistral"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_names_that_look_alike_have_one_skeleton(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


@pytest.mark.parametrize(("one", "other"), [("Lead-2", "Lead-3"), ("GPT-4.1", "GPT-41"), ("Qwen+", "Qwen"), ("é", "e")])
def test_names_that_can_be_told_apart_have_two(one: str, other: str) -> None:
    assert skeleton(one) != skeleton(other)


def test_look_alikes_on_one_board_are_warned_of_once(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path)
    assert load_benchmark(specs, backends=BACKENDS).warnings == ()
    _with_title(specs, "models/textrank-2.yaml", "title: ", "Le\u0430d-2")
    (warning,) = load_benchmark(specs, backends=BACKENDS).warnings
    assert (warning.file, warning.rule) == ("specs/models/textrank-2.yaml", "names")
    assert "specs/models/lead-2.yaml ('\u0430' is U+0430 CYRILLIC SMALL LETTER A)" in warning.message
    edit(specs / "boards/small.yaml", "[lead-2, textrank-2, null-constant, null-empty]", "[lead-2, null-constant]")
    assert not any("looks like" in warning.message for warning in load_benchmark(specs, backends=BACKENDS).warnings)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_becomes_a_title_that_a_spec_may_hold(text: str) -> None:
    title = title_of(text)
    assert hidden_character(title) is None
    assert title == title_of(title)
    assert "\n" not in title
