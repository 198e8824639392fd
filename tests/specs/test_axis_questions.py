"""specs/axis-questions.yaml: what is refused, with one message each, and when it is part of the spec digest."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.benchmarks import edit
from support.questioned_axes import QUESTIONS, questioned_axes

from nullbench_site.errors import SpecError
from nullbench_site.specs.changes import changes
from nullbench_site.specs.digest import spec_digest
from nullbench_site.specs.load import load_benchmark

FIRST = "  neutrality: [sentences, framing, salience]\n"
REFUSED = {
    "an unknown axis": ("  truthfulness:", "  truthfullness:", "unknown axis 'truthfullness'; did you mean 'truthful"),
    "an unknown question": ("[facts, hedging", "[fact, hedging", "found the text 'fact'; expected 'facts'"),
    "a question twice": ("[facts, hedging", "[facts, facts", "'facts' is listed twice; remove one"),
    "no question": ("[facts, hedging, causality]", "[]", "expected at least 1"),
    "an unknown goal": ("fish: [2, 5]", "fishes: [2, 5]", "unknown goal 'fishes'; did you mean 'fish'?"),
    "a rule that does not exist": ("fish: [2, 5]", "fish: [2, 6]", "goal 'fish' has 5 rules, so it has no rule 6"),
    "a rule twice": ("fish: [2, 5]", "fish: [5, 2, 5]", "rule 5 is listed twice; remove one"),
    "rule 0": ("fish: [2, 5]", "fish: [0]", "found 0; expected at least 1"),
    "nothing but prohibitions": (
        "fish: [2, 5]", "fish: [1, 2, 3, 4, 5]", "all rules of goal 'fish' are prohibitions, which an empty response"
    ),
    "an axis of prohibitions only": (
        "  causal-restraint: [sentences, causality]", "  causal-restraint: [causality]",
        "axis 'causal-restraint' is made of prohibitions only for goal 'growing'; add `sentences` or `facts`",
    ),
    "a threshold of 0": ("fish: [2, 5]}", "fish: [2, 5]}\ngate: 0", "found 0; expected more than 0"),
    "a threshold above 1": ("fish: [2, 5]}", "fish: [2, 5]}\ngate: 1.5", "found 1.5; expected at most 1"),
    "an unknown key": ("axes:\n", "gates: 1\naxes:\n", "unknown key 'gates'; did you mean 'gate'?"),
}  # fmt: skip


def problems(specs: Path) -> str:
    with pytest.raises(SpecError) as refused:
        load_benchmark(specs)
    assert len(refused.value.problems) == 1, refused.value.problems
    return str(refused.value.problems[0])


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_asked_is_refused(case: str, tmp_path: Path) -> None:
    before, after, words = REFUSED[case]
    assert before in QUESTIONS
    found = problems(questioned_axes(tmp_path, questions=QUESTIONS.replace(before, after)).specs)
    assert words in found
    assert found.startswith("specs/axis-questions.yaml:")


def test_a_board_without_the_file_is_refused_with_its_name(tmp_path: Path) -> None:
    found = problems(questioned_axes(tmp_path, questions=None).specs)
    assert "no file says which axis is made of which; add specs/axis-questions.yaml" in found
    assert found.startswith("specs/boards/small.yaml:")


def test_a_category_without_an_axis_with_questions_is_refused(tmp_path: Path) -> None:
    only = QUESTIONS.partition("axes:\n")[0] + "axes: {numerical-fidelity: [sentences]}\n"
    with pytest.raises(SpecError) as refused:
        load_benchmark(questioned_axes(tmp_path, questions=only).specs)
    assert all("has short questions, so its answers have no goal alignment" in str(x) for x in refused.value.problems)


def test_a_sample_of_judges_for_the_gates_is_refused(tmp_path: Path) -> None:
    specs = questioned_axes(tmp_path, gates="    refusal_gates: {sample: 1, votes: 1}\n").specs
    assert "every judge is asked about refusal; remove `sample` from its refusal_gates" in problems(specs)


def test_the_file_is_in_the_digest_only_if_a_judge_is_asked_questions(tmp_path: Path) -> None:
    one = load_benchmark(questioned_axes(tmp_path / "one").specs)
    turned = QUESTIONS.replace(FIRST, "  neutrality: [facts]\n").replace("fish: [2, 5]", "fish: [2]")
    other = load_benchmark(questioned_axes(tmp_path / "other", questions=turned).specs)
    assert spec_digest(one) != spec_digest(other)
    assert [(each.kind, each.id, each.scored) for each in changes(one, other)] == [
        ("axis", "neutrality", True), ("goal", "fish", True),
    ]  # fmt: skip
    questioned_axes(tmp_path / "without", questions=None)
    for folder in ("one", "other", "without"):
        edit(tmp_path / folder / "specs", "judges.yaml", "judges: [asker]", "judges: [support, restraint, form]")
    unasked = {spec_digest(load_benchmark(tmp_path / folder / "specs")) for folder in ("one", "other", "without")}
    assert len(unasked) == 1
