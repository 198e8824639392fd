"""`validate --publication`: a board of keys that reports what a comparative claim needs, and each thing it may lack."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
import yaml
from support import pairwise_boards as games
from support.benchmarks import write_benchmark
from support.commands import nullbench
from support.dated_boards import write_dated

from nullbench_site import api
from nullbench_site.errors import RunError, SpecError, UsageError
from nullbench_site.interop.overlap import Comparison, find_overlap
from nullbench_site.protocols.pairwise.pages import PairwiseView
from nullbench_site.repository import Repository
from nullbench_site.site.reporting_minimum import lacking

KEYS, DATED = "specs/boards/keys.yaml", "specs/boards/dated.yaml"
LEVEL = {"level": "task", "claim": "An answer is as its key says"}
SOURCE = {"level": "medium", "source": "a paper"}
DECLARED = {"declared": {"prompts": SOURCE, "agreement": SOURCE}, "inference": LEVEL}


def add(root: Path, board: str, **keys: object) -> None:
    """Set keys of a board's file; None takes one away."""
    spec = yaml.safe_load((root / board).read_text("utf-8")) | keys
    kept = {name: value for name, value in spec.items() if value is not None}
    (root / board).write_text(yaml.safe_dump(kept, sort_keys=False), "utf-8")


def build(root: Path) -> Repository:
    repository = Repository(root)
    api.build(repository, render_site=False)
    return repository


def missing(repository: Repository) -> list[str]:
    with pytest.raises(SpecError) as error:
        api.check_publication(repository)
    *lines, total = str(error.value).splitlines()
    assert total.startswith(str(len(lines)))
    return lines


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A board of keys, whose items were compared with a text, not built."""
    root = tmp_path_factory.mktemp("complete")
    write_benchmark(root, "oracle")
    add(root, KEYS, inference=LEVEL)
    (root / "other.txt").write_text("Something that no item asks.\n", "utf-8")
    find_overlap(Repository(root), "keys", Comparison((root / "other.txt",), similarity="none"))
    return root


@pytest.fixture
def root(complete: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(complete, tmp_path / "board"))


def test_a_board_that_reports_everything_may_be_published(root: Path) -> None:
    api.check_publication(build(root))
    done = nullbench(root, "validate", "--publication")
    assert (done.code, done.err) == (0, "every board reports what a comparative claim needs\n")


def test_a_board_without_a_level_of_inference_lacks_it(root: Path) -> None:
    add(root, KEYS, inference=None)
    (line,) = missing(build(root))
    assert line.partition(" ")[2] == "the inference level is missing; state it under `inference`"


def test_a_capability_score_cited_for_alignment_is_refused(root: Path) -> None:
    add(root, KEYS, inference={**LEVEL, "level": "alignment"})
    build(root)
    done = nullbench(root, "validate", "--publication")
    why = "a capability score is cited as evidence of alignment; cite it for a lower level"
    assert done.code == 2
    assert re.search(rf"^{KEYS}:\d+:\d+: {why}$", done.err, re.MULTILINE)
    assert nullbench(root, "validate").code == 0
    result = json.loads(nullbench(root, "validate", "--publication", "--format", "sarif").out)["runs"][0]["results"]
    assert ("publication", why) in [(each["ruleId"], each["message"]["text"]) for each in result]


def test_a_score_without_a_standard_error_lacks_it(root: Path) -> None:
    path = root / "specs/domains/naming.yaml"
    spec = yaml.safe_load(path.read_text("utf-8"))
    (item,) = spec["categories"][0]["items"][:1]
    spec["categories"] = [{**spec["categories"][0], "items": [{**item, "bundle": None}]}]
    path.write_text(yaml.safe_dump(spec, sort_keys=False), "utf-8")
    add(root, KEYS, domains=["naming"])
    (root / "specs/overlap/keys.yaml").unlink()
    find_overlap(Repository(root), "keys", Comparison((root / "other.txt",), similarity="none"))
    (line,) = missing(build(root))
    assert "the standard error of the score is missing for 2 of 2 contestants (" in line


@pytest.mark.parametrize(
    ("kept", "words"),
    [
        ("agreement", "sigma_prompt (the deviation over wordings) is missing for 5 of 5 contestants ("),
        ("prompts", "a measure of agreement is missing for 5 of 5 contestants ("),
    ],
)
def test_imported_scores_declare_wordings_and_agreement_or_lack_them(tmp_path: Path, kept: str, words: str) -> None:
    """Their items have no text here, which the page states in place of a contamination rate."""
    root = write_dated(tmp_path)
    add(root, DATED, **DECLARED)
    api.check_publication(build(root))
    add(root, DATED, declared={kept: SOURCE})
    (line,) = missing(build(root))
    assert words in line


def test_specs_that_were_not_built_are_not_published(root: Path) -> None:
    with pytest.raises(RunError, match="there is no run yet"):
        api.check_publication(Repository(root))
    build(root)
    add(root, KEYS, contestants=["copy", "null-empty"])
    with pytest.raises(UsageError, match="there is no sealed run of these specs to publish"):
        api.check_publication(Repository(root))


def test_a_baseline_needs_no_standard_error() -> None:
    """Its score is 50 by definition."""
    items = [f"q{number}" for number in range(8)]
    made = games.benchmark(items)
    played = [games.game(each, 1 + number % 2) for number, each in enumerate(items)]
    view = PairwiseView(made, made.boards["main"], games.scored(made, [*games.answers(items, "base", "m"), *played]))
    base = view.rows["base"]
    assert (base.rank is None, base.se, base.absent["se"]) == (False, None, "it is the baseline: 50 by definition")
    assert not [message for _, message in lacking(view) if message.startswith("the standard error")]
