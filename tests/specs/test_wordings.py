"""Several wordings of a prompt are files of their own; what is wrong with them is said once, at its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.benchmarks import BACKENDS, edit, write_benchmark

from nullbench_site.errors import SpecError
from nullbench_site.evaluation.backends import backend_names
from nullbench_site.specs.changes import changes
from nullbench_site.specs.load import load_benchmark

NAMES = ("a", "b", "c", "d", "e")
BOARDS = {
    "axes": ("small", "{{ task }}\n{{ source }}", "'{{ source }}' and '{{ task }}'"),
    "oracle": ("keys", "{{ prompt }}", "'{{ prompt }}'"),
    "rubric": ("questions", "{{ prompt }}", "'{{ prompt }}'"),
    "pairwise": ("beside", "{{ prompt }}", "'{{ prompt }}'"),
}
"""A board of each protocol: its file, the variables of a template, and those that it must contain, in words."""


def specs_with(folder: Path, protocol: str, texts: dict[str, str], **fields: Any) -> Path:
    """Specs whose board names these templates, and further fields."""
    specs = write_benchmark(folder, protocol)
    path = specs / f"boards/{BOARDS[protocol][0]}.yaml"
    made = "".join(f"{name}: {value}\n" for name, value in {"templates": f"[{', '.join(texts)}]", **fields}.items())
    path.write_text(path.read_text("utf-8").replace("template: zero-context\n", "") + made, "utf-8")
    (specs / "templates").mkdir(exist_ok=True)
    for name, text in texts.items():
        (specs / f"templates/{name}.txt").write_text(text, "utf-8")
    return specs


def problems(specs: Path) -> list[str]:
    with pytest.raises(SpecError) as refused:
        load_benchmark(specs, backends=backend_names())
    return [f"{problem.file.removeprefix('specs/')}: {problem.message}" for problem in refused.value.problems]


def texts_of(protocol: str) -> dict[str, str]:
    return {name: f"{name.upper()}. {BOARDS[protocol][1]}" for name in NAMES}


@pytest.mark.parametrize("protocol", BOARDS)
def test_a_board_of_any_protocol_has_five_wordings(protocol: str, tmp_path: Path) -> None:
    benchmark = load_benchmark(specs_with(tmp_path, protocol, texts_of(protocol)), backends=backend_names())
    assert benchmark.boards[BOARDS[protocol][0]].wordings == NAMES


@pytest.mark.parametrize("protocol", BOARDS)
def test_a_wording_without_its_placeholder_is_refused(protocol: str, tmp_path: Path) -> None:
    specs = specs_with(tmp_path, protocol, {**texts_of(protocol), "c": "Only words."})
    assert {each.split(";")[1] for each in problems(specs)} == {f" it must contain {BOARDS[protocol][2]}"}


@pytest.mark.parametrize(
    ("texts", "fields", "found"),
    [
        (
            {**dict.fromkeys("ab", "{{ prompt }}"), **dict.fromkeys("c", "C {{ prompt }}")},
            {},
            [
                "3 templates are too few to measure sensitivity to wording; add some up to 5, or leave one",
                "template 'b' has the same text as 'a'; change its text, or remove it",
            ],
        ),
        (
            texts_of("oracle"),
            {"first_template_only": "[first-optoin, copy, copy]"},
            [
                "'first-optoin' is not a contestant of this board; did you mean 'first-option'?...",
                "contestant 'copy' is listed twice; remove one",
            ],
        ),
        (
            {"verbatim": "{{ prompt }}"},
            {},
            ["'verbatim' names prompts without a template; give the template another name"],
        ),
    ],
    ids=["few and equal", "first only", "verbatim"],
)
def test_what_is_wrong_with_wordings_is_said(
    texts: dict[str, str], fields: dict[str, Any], found: list[str], tmp_path: Path
) -> None:
    told = problems(specs_with(tmp_path, "oracle", texts, **fields))
    assert len(told) == len(found)
    assert all(
        each.startswith("boards/keys.yaml: " + words.removesuffix("..."))
        for each, words in zip(told, found, strict=True)
    )


def test_a_template_shows_the_source_of_items_that_have_one(tmp_path: Path) -> None:
    specs = specs_with(tmp_path, "oracle", texts_of("oracle"))
    edit(specs, "domains/counting.yaml", "id: counting-01", "id: counting-01\n        source: text")
    edit(specs, "domains/counting.yaml", "categories:", "sources: {text: Three dozen stood there.}\ncategories:")
    assert problems(specs)[-5] == (
        "templates/a.txt: the template does not use 'source', which items of board 'keys' have; add '{{ source }}'"
    )


@pytest.mark.parametrize(
    ("texts", "live", "found"),
    [
        (
            {"a": "A. {{ question }}", "b": "B."},
            True,
            [
                "boards/beside.yaml: 2 templates are too few to measure sensitivity to wording; add some up to 5...",
                "templates/b.txt: the template does not use 'question'; it must contain '{{ question }}'",
            ],
        ),
        (
            {"a": "{{ question }}"},
            False,
            ["boards/beside.yaml: `judge_templates` has no effect: each judge of the panel is a program; remove it"],
        ),
    ],
    ids=["few, and without the question", "programs"],
)
def test_what_is_wrong_with_the_wordings_of_judges_is_said(
    texts: dict[str, str], live: bool, found: list[str], tmp_path: Path
) -> None:
    specs = write_benchmark(tmp_path, "pairwise", live=live)
    path = specs / "boards/beside.yaml"
    path.write_text(f"{path.read_text('utf-8')}judge_templates: [{', '.join(texts)}]\n", "utf-8")
    (specs / "templates").mkdir()
    for name, text in texts.items():
        (specs / f"templates/{name}.txt").write_text(text, "utf-8")
    told = problems(specs)
    assert len(told) == len(found)
    assert all(each.startswith(words.removesuffix("...")) for each, words in zip(told, found, strict=True))


def test_the_members_of_a_panel_are_its_judges_in_each_wording(tmp_path: Path) -> None:
    """A program is one member. Votes stay the same share: 2 of 2 judges are 6 of 6 members."""
    specs = write_benchmark(tmp_path, "axes", live=True)
    edit(specs, "judges.yaml", "judges: [anna, ben, cleo]", "judges: [anna, form]\n    refusal_gates: {votes: 2}")
    before = load_benchmark(specs, backends=BACKENDS, profile="live")
    path = specs / "boards/small.yaml"
    path.write_text(f"{path.read_text('utf-8')}judge_templates: [{', '.join(NAMES)}]\n", "utf-8")
    for name in NAMES:
        (specs / f"templates/{name}.txt").write_text(f"{name}: {{{{ question }}}}", "utf-8")
    benchmark = load_benchmark(specs, backends=BACKENDS, profile="live")
    panel = benchmark.panels[benchmark.boards["small"].panel]
    assert panel.judges == (*(f"anna.{name}" for name in NAMES), "form")
    assert panel.refusal_gates.votes == 6
    told = {(each.kind, each.id) for each in changes(before, benchmark)}
    assert told == {("board", "small"), *(("template", name) for name in NAMES)}
