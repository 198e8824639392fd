"""What is wrong in a spec is said once, at its place, in words that help. One entry of a table a mistake."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.benchmarks import BACKENDS, OWN, edit, write_benchmark
from support.mistakes import Case, assert_refused, bad, bad_in_several, table

from nullbench_site.errors import SpecError
from nullbench_site.evaluation.backends import backend_names
from nullbench_site.specs.load import load_benchmark

BOARD, BENCHMARK, JUDGES = "boards/small.yaml", "benchmark.yaml", "judges.yaml"
GARDENS, RIVERS = "domains/gardens.yaml", "domains/rivers.yaml"
GARDEN_GOALS = "goals/gardens.yaml"
LEAD = "models/lead-2.yaml"

RIVERS_TEXT = (OWN["axes"] / RIVERS).read_text("utf-8")
RIVERS_CATEGORIES = RIVERS_TEXT[RIVERS_TEXT.index("categories:") :]
FISH = RIVERS_TEXT[RIVERS_TEXT.index("    items:\n      - id: fish-01") :]
API_KEY = (
    "this looks like an API key; specs are public. Put it in an environment variable and name the variable, and "
    "revoke the key if the file was ever pushed"
)
ID = "Lower-case letters, digits, dots, underscores and hyphens; starts with a letter or digit"
NAME = "One line, without spaces at its ends and without ' #'"
UNSEEN = "the text is invisible; write one, or remove the key if it is optional"
CUT = "the text ends at ' #', where a comment begins; quote the text, or put the comment on a line of its own"
NO_VALUE = "no value (empty, ~ or a bare null; quote it if it is text)"


WORDS = {
    "SECRET": "sk-" + "a1" * 12,
    "API_KEY": API_KEY,
    "ID": ID,
    "NAME": NAME,
    "CUT": CUT,
    "UNSEEN": UNSEEN,
    "NO_VALUE": NO_VALUE,
}
CASES = table(Path(__file__).parent / "bad/small.txt", **WORDS)
LONG = [
    bad(
        "a line that is too long",
        GARDENS,
        "title: Gardens",
        f"title: ▸{'g' * 501}",
        "the text has 501 characters; at most 500 are allowed",
    ),
    bad(
        "a source that is too long",
        BENCHMARK,
        "A benchmark of six short texts, for tests.",
        f"▸{'g' * 20_001}",
        "the text has 20001 characters; at most 20000 are allowed",
    ),
    bad(
        "a domain without categories",
        RIVERS,
        RIVERS_CATEGORIES,
        "categories: ▸[]",
        "the list has 0 entries; expected at least 1...",
    ),
    bad(
        "a param that is a book",
        LEAD,
        "{k: 2}",
        f"{{k: ▸{'k' * 501}}}",
        "the text has 501 characters; at most 500 are allowed",
    ),
    bad_in_several(
        "a category without items",
        [(RIVERS, FISH, ""), (RIVERS, "- id: fish", "- ▸id: fish")],
        "category 'fish' has no items; add items, or an items_file",
    ),
]


@pytest.mark.parametrize("case", CASES + LONG, ids=lambda case: case.name)
def test_a_mistake_is_named_once_at_its_place(case: Case, tmp_path: Path) -> None:
    assert_refused(case, write_benchmark(tmp_path), BACKENDS)


TOGETHER = (
    # A bracket left open in one file does not hide what is wrong in the others.
    bad_in_several(
        "files",
        [
            (RIVERS, "difficulty: hard", "difficulty: ▸harder"),
            (RIVERS, "title: Rivers", "title: ▸7"),
            (LEAD, "kind: baseline", "kind: ▸base"),
            (BOARD, "domains: [gardens, rivers]\ncontestants:", "domains: [gardens, rivers\ncontestants▸:"),
            (GARDEN_GOALS, "truthfulness: 5", "truthfulness: ▸9"),
            (BENCHMARK, "id: small", "id: ▸../small"),
        ],
        f"'../small' has the wrong form. {ID}",
        "expected ',' or ']' here; the '[' of line 12 is still open",
        "found the number 7; expected text; put it in quotes",
        "found the text 'harder'; did you mean 'hard'? known: easy, hard, medium",
        "found 9; expected at most 5",
        "found the text 'base'; did you mean 'baseline'? known: baseline, model, null, seen",
    ),
    bad_in_several(
        "rules",
        [
            (RIVERS, 'keys: ["63"]', 'keys: [▸"64"]'),
            (RIVERS, "goal: fish", "goal: ▸fisch"),
            (JUDGES, "{sample: 2, votes: 2}", "{sample: ▸4, votes: ▸1}"),
            (BOARD, "panel: rules", "panel: ▸jury"),
        ],
        "unknown panel 'jury'; known: rules",
        "unknown goal 'fisch'; did you mean 'fish'? known: fish, growing, levels",
        "the source does not contain '64'; copy keys from the source",
        "sample 4 is larger than the panel of 3 judges",
        "1 votes are less than two thirds of the panel of 3; at least 2 are needed",
    ),
)


@pytest.mark.parametrize("case", TOGETHER, ids=str)
def test_mistakes_are_told_together_in_file_order(case: Case, tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path)
    expected = case.expected(specs)
    with pytest.raises(SpecError) as refused:
        load_benchmark(specs, backends=BACKENDS)
    assert str(refused.value).splitlines() == [*expected, f"{len(expected)} problems in the specs"]


def test_one_mistake_is_counted_as_one(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path)
    edit(specs, BOARD, "panel: rules", "panel: jury")
    with pytest.raises(SpecError) as refused:
        load_benchmark(specs)
    assert str(refused.value) == (
        "specs/boards/small.yaml:9:8: unknown panel 'jury'; known: rules\n1 problem in the specs"
    )
    assert refused.value.exit_code == 2


def test_an_old_run_may_name_programs_that_no_backend_has_any_more(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path)
    edit(specs, LEAD, "backend: offline\nmodel: lead\n", "backend: gone\nmodel: too\n")
    assert load_benchmark(specs).models["lead-2"].backend == "gone"
    with pytest.raises(SpecError, match="unknown backend 'gone'"):
        load_benchmark(specs, backends=BACKENDS)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (BOARD, "samples: 1", "samples: 1  # one only"),
        (BOARD, "protocol: axes", "protocol: axes # the one there is"),
        (BOARD, "panel: rules", "panel: rules # of programs"),
        (BENCHMARK, "https://example.org/small", "https://example.org/small#top # where it is"),
        (LEAD, "model: lead", "model: lead # the first sentences"),
        (LEAD, "{k: 2}", "{k: 2} # two of them"),
        (LEAD, 'title: "Lead-2"', 'title: "Lead-2" # in quotes'),
        (RIVERS, "title: Rivers", "title: # what readers see\n  Rivers"),
        (RIVERS, "title: Rivers", "title: Rivers#1"),
        (RIVERS, "title: Rivers", "title: Rivers\n# and their fish"),
        (RIVERS, "  - id: fish\n", "  - id: fish # and eels\n"),
        (RIVERS, "no count from before.\n", "no count from before. # none\n"),
    ],
)
def test_a_comment_where_no_text_could_go_on_is_a_comment(tmp_path: Path, file: str, old: str, new: str) -> None:
    specs = write_benchmark(tmp_path)
    edit(specs, file, old, new)
    load_benchmark(specs, backends=BACKENDS)


def test_the_specs_of_an_old_run_may_hold_what_is_refused_of_new_ones(tmp_path: Path) -> None:
    """They were published; what was made of them can still be read."""
    specs = write_benchmark(tmp_path)
    edit(specs, GARDENS, "title: Gardens", "title: Garden #1")
    rule = "      - {dimension: framing, rule: Praises no method.}"
    edit(specs, GARDEN_GOALS, rule, f"{rule}\n{rule}")
    assert load_benchmark(specs).domains["gardens"].title == "Garden"
    with pytest.raises(SpecError):
        load_benchmark(specs, backends=BACKENDS)


def test_a_program_that_nobody_knows_is_named_in_its_own_file_alone(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path)
    edit(specs, LEAD, "model: lead", "model: leed")
    with pytest.raises(SpecError, match="has no model 'leed'") as refused:
        load_benchmark(specs, backends=backend_names())
    assert [problem.file for problem in refused.value.problems] == ["specs/models/lead-2.yaml"]


def test_domains_and_contestants_that_no_board_has_are_warned_of(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path)
    edit(specs, BOARD, "domains: [gardens, rivers]", "domains: [gardens]")
    edit(
        specs,
        BOARD,
        "contestants: [lead-2, textrank-2, null-constant, null-empty]",
        "contestants: [null-empty, lead-2]",
    )
    edit(specs, BOARD, "samples: 1\n", "samples: 1\nprofiles:\n  one: {contestants: [null-constant]}\n")
    assert [str(warning) for warning in load_benchmark(specs, backends=BACKENDS).warnings] == [
        f"specs/{RIVERS}:3:5: domain 'rivers' is not used by any board; name it in the `domains` of one, or delete it",
        "specs/models/textrank-2.yaml:3:5: contestant 'textrank-2' is not used by any board; name it in the "
        "`contestants` of one, or delete it",
    ]
    edit(specs, BOARD, "contestants: [null-constant]", "contestants: all")
    (warning,) = load_benchmark(specs, backends=BACKENDS).warnings
    assert warning.file == "specs/domains/rivers.yaml"


def test_many_domains_that_no_board_has_are_one_warning(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path)
    rivers = (specs / RIVERS).read_text("utf-8")
    for number in range(13):
        text = re.sub(r"\bid: (\S+)", rf"id: \1-{number}", rivers)
        text = re.sub("canary:[0-9a-f]{8}-", f"canary:{number:08}-", text)
        (specs / "domains" / f"rivers-{number}.yaml").write_text(text, "utf-8")
    (warning,) = load_benchmark(specs, backends=BACKENDS).warnings
    assert (warning.file, warning.rule) == ("specs/domains/rivers-0.yaml", "boards")
    assert "'rivers-0', 'rivers-1', 'rivers-10'" in warning.message
    assert "3 more" in warning.message
