"""Specs of judges that are asked short questions: what is refused, and that other benchmarks keep their digests."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.benchmarks import edit, write_benchmark
from support.questioned import questioned

from nullbench_site.errors import SpecError
from nullbench_site.packaged import packaged
from nullbench_site.runs.manifest import read_manifest
from nullbench_site.specs.changes import changes
from nullbench_site.specs.digest import spec_digest
from nullbench_site.specs.load import load_benchmark

RUNS = sorted((packaged("specs").parent / "runs").glob("*-*"))
REFUSED = {
    "an unknown item": ({"storage-1": [1]}, "unknown item 'storage-1'; did you mean 'storage-01'?"),
    "an unknown criterion": ({"wording-02": [3]}, "item 'wording-02' has 2 criteria, so it has no criterion 3"),
    "a criterion twice": ({"wording-01": [3, 3]}, "criterion 3 is listed twice; remove one"),
    "nothing but prohibitions": ({"wording-02": [2, 1]}, "all criteria of 'wording-02' are prohibitions"),
    "number 0": ({"wording-02": [0]}, "found 0; expected at least 1"),
    "an empty list": ({"wording-02": []}, "expected at least 1"),
}


def problems(specs: Path) -> str:
    with pytest.raises(SpecError) as refused:
        load_benchmark(specs)
    assert len(refused.value.problems) == 1
    return str(refused.value.problems[0])


@pytest.mark.parametrize("case", REFUSED)
def test_a_list_of_prohibitions_that_does_not_fit_the_items_is_refused(tmp_path: Path, case: str) -> None:
    prohibitions, words = REFUSED[case]
    assert words in problems(questioned(tmp_path, prohibitions=prohibitions).specs)


def test_a_board_of_pairs_refuses_a_panel_that_asks_short_questions(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path, "pairwise", live=True)
    edit(specs, "judges.yaml", "family: annas}", "family: annas, method: questions}")
    edit(specs, "judges.yaml", "family: talkers}", "family: talkers, method: questions}")
    assert "panel 'live' asks short questions, and the protocol 'pairwise' has none yet" in problems(specs)


def test_a_private_item_is_refused_with_a_way_on(tmp_path: Path) -> None:
    specs = questioned(tmp_path).specs
    (specs / "domains/wording.yaml").write_text(
        (specs / "domains/wording.yaml")
        .read_text("utf-8")
        .partition("      - id: wording-01")[0]
        .replace("items:", "items:\n      - {id: wording-09, difficulty: easy, visibility: private, hash: 'sha256:")
        .rstrip()
        .removesuffix("'sha256:")
        + f"'sha256:{'0' * 64}'}}\n",
        "utf-8",
    )
    assert "private item 'wording-09' cannot be judged by short questions yet; move it" in problems(specs)


def test_published_runs_keep_the_digests_of_their_specs() -> None:
    assert RUNS
    for run in RUNS:
        profile = read_manifest(run).profile
        assert spec_digest(load_benchmark(run / "specs", profile=profile))[:8] == run.name.rpartition("-")[2]


def test_a_list_of_prohibitions_changes_the_digest_only_if_a_judge_is_asked_questions(tmp_path: Path) -> None:
    plain = load_benchmark(questioned(tmp_path / "plain").specs)
    listed = load_benchmark(questioned(tmp_path / "listed", prohibitions={"wording-02": [2]}).specs)
    assert spec_digest(plain) != spec_digest(listed)
    (change,) = changes(plain, listed)
    assert (change.kind, change.id, change.scored) == ("item", "wording-02", True)
    for folder in ("plain", "listed"):
        specs = tmp_path / folder / "specs"
        edit(specs, "judges.yaml", "judges: [asker]", "judges: [coverage]")
    unasked = [spec_digest(load_benchmark(tmp_path / folder / "specs")) for folder in ("plain", "listed")]
    assert unasked[0] == unasked[1]


def test_the_method_verdict_is_what_a_judge_without_a_method_has(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path, "rubric", live=True)
    before = spec_digest(load_benchmark(specs, profile="live"))
    edit(specs, "judges.yaml", "family: annas}", "family: annas, method: verdict}")
    assert spec_digest(load_benchmark(specs, profile="live")) == before
