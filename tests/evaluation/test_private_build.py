"""Builds with private items: with their texts, in a clone without them, and after the words of a run were lost."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from support.benchmarks import write_benchmark
from support.evidence import files, scores_in
from support.fakes import FakeBackend, is_judging, use
from support.private import DOMAIN, HIDDEN, OPEN, SECRET, git, holding, tracked, vault_repository
from support.repositories import build, edit, run_dir, state
from support.runs import RESPONSE, entry, open_run

from nullbench_site import api
from nullbench_site.cli.app import app
from nullbench_site.errors import RunError, StoppedEarly, UsageError
from nullbench_site.evaluation.backends import backends
from nullbench_site.evaluation.forecast import Lengths, Range
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.plan_report import report
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.targets import Scope, Selection
from nullbench_site.repository import Repository
from nullbench_site.runs.catalog import list_runs
from nullbench_site.runs.manifest import read_manifest, write_manifest
from nullbench_site.runs.records import published
from nullbench_site.specs.load import load_benchmark
from nullbench_site.visibility import hide, reveal

CONTESTANTS, ITEMS, PRIVATE, TASKS = 4, 5, 2, 3
CALLS = CONTESTANTS * ITEMS * (1 + TASKS)
OF_PRIVATE = CONTESTANTS * PRIVATE * (1 + TASKS)
OF_CHECKS = {"failed", "n_checked", "n_flagged", "key", "why", "style_win_rate"}
"""Columns about what programs find in answers to public items alone."""
OF_TEXTS = ("screening.csv", "defences.csv", "defended_attacks.csv", "defended_scores.csv")
"""Tables about the texts of public answers alone."""
OF_FORM = {"headers", "lists", "bold"}
"""Biases that only texts can show."""
OF_GATES = {"refused_answer", "refused_prompt"}
"""Which judges are asked about them is drawn by the key of an answer, and that of a private answer is salted."""
WITHHELD = "2 private items have no text here; set NULLBENCH_PRIVATE to the folder with vault.jsonl"


@pytest.fixture(scope="module")
def built_once(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    repository = vault_repository(tmp_path_factory.mktemp("private") / "board")
    hide(repository.specs, repository.private, DOMAIN, HIDDEN)
    build(repository)
    return repository


@pytest.fixture
def vault(built_once: Repository, tmp_path: Path) -> Repository:
    """With the texts and one sealed run."""
    shutil.copytree(built_once.root, tmp_path / "board")
    return Repository(tmp_path / "board")


@pytest.fixture
def clone(vault: Repository, tmp_path: Path) -> Repository:
    """What a stranger has of it."""
    git(vault.root, "add", "-A")
    git(vault.root, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "All.")
    git(tmp_path, "clone", "-q", str(vault.root), "clone")
    return Repository(tmp_path / "clone")


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeBackend:
    return use(monkeypatch, FakeBackend())


def reopen(repository: Repository) -> Path:
    """The sealed run as it was before it was sealed."""
    run = run_dir(repository)
    write_manifest(run, msgspec.structs.replace(read_manifest(run), state="open", sealed_at=None, files={}))
    return run


def new_contestant(repository: Repository) -> None:
    """A fifth, `another`, of the shipped programs."""
    spec = {
        "canary": "nullbench-canary:5b000000-0000-4000-8000-0000000000cc", "id": "another", "title": "Another",
        "description": "One more.", "kind": "baseline", "backend": "offline", "model": "glossary", "family": "others",
    }  # fmt: skip
    (repository.specs / "models/another.yaml").write_text(json.dumps(spec), "utf-8")
    edit(repository.specs / "boards/questions.yaml", "contestants: [copy,", "contestants: [another, copy,")


def asked(fake: FakeBackend) -> tuple[int, int]:
    """How many contestants and judges were asked."""
    judged = sum(map(is_judging, fake.asked))
    return len(fake.asked) - judged, judged


def test_calls_of_private_items_are_salted_and_those_of_public_items_are_not(vault: Repository) -> None:
    builder = RequestBuilder(api.validate(vault), backends())
    salted = {target.placed.id: builder.response_request(target).private for target in builder.targets(Selection())}
    assert {item for item, private in salted.items() if private} == set(HIDDEN)


def test_exports_have_no_private_text(vault: Repository, tmp_path: Path) -> None:
    for form, options in (("eee", {}), ("tables", {"form": "csv"})):
        api.export(vault, form, tmp_path / form, None, options)
    assert holding((path for form in ("eee", "tables") for path in (tmp_path / form).rglob("*")), SECRET) == []
    samples = next((tmp_path / "eee").rglob("*.jsonl")).read_text("utf-8")
    assert samples.count("(private item: the text is withheld)") == 2 * PRIVATE
    assert holding((tmp_path / "eee").rglob("*.jsonl"), OPEN) != []


def test_the_specs_that_a_run_carries_have_no_private_text_and_its_private_folder_has(vault: Repository) -> None:
    run = run_dir(vault)
    assert holding((run / "specs").rglob("*"), SECRET) == []
    ours = [json.loads(line) for line in (vault.private / "vault.jsonl").read_text("utf-8").splitlines()]
    kept = [json.loads(line) for line in (run / "private/items/vault.jsonl").read_text("utf-8").splitlines()]
    assert kept == ours


def test_a_clone_is_valid_verifies_scores_and_builds_a_complete_run_without_a_call(
    clone: Repository, fake: FakeBackend
) -> None:
    before = files(run_dir(clone))
    assert api.verify(clone, None)[1] == []
    api.score(clone, None)
    assert files(run_dir(clone)) == before
    calls = build(clone).calls
    assert (calls.planned, calls.made, calls.reused, calls.left) == (CALLS, 0, CALLS, 0)
    assert not fake.asked
    api.render(clone)
    assert clone.site.is_dir()


def test_a_clone_with_a_new_contestant_asks_what_is_public_and_leaves_the_rest(
    clone: Repository, fake: FakeBackend
) -> None:
    new_contestant(clone)
    made = build(clone)
    public, all_private = (ITEMS - PRIVATE) * (1 + TASKS), (CONTESTANTS + 1) * PRIVATE * (1 + TASKS)
    assert (made.calls.made, made.calls.left) == (public, all_private)
    assert made.calls.reused == CALLS - OF_PRIVATE
    assert made.stopped == (f"{WITHHELD}, and build again",)
    assert state(clone) == "open"
    done = CliRunner().invoke(app, ["-C", str(clone.root), "build", "--no-render"])
    assert done.exit_code == 3
    assert WITHHELD in done.stderr


def test_what_a_clone_began_is_finished_by_whoever_has_the_texts(clone: Repository, vault: Repository) -> None:
    new_contestant(clone)
    build(clone)
    shutil.copytree(vault.private, clone.private)
    shutil.copytree(run_dir(vault) / "private", clone.runs / run_dir(vault).name / "private")
    calls = build(clone).calls
    assert (calls.made, calls.left) == (PRIVATE * (1 + TASKS), 0)
    assert state(clone) == "sealed"
    assert api.verify(clone, None)[1] == []
    assert holding(iter(tracked(clone)), SECRET) == []


def test_a_clone_that_is_to_build_private_items_alone_records_nothing_and_says_why(clone: Repository) -> None:
    board = clone.specs / "boards/questions.yaml"
    edit(board, "domains: [vault, wording]", "domains: [vault]")
    with pytest.raises(StoppedEarly, match=WITHHELD):
        api.build(clone, BuildOptions(fresh=True, scope=Scope(contestants=False)), render_site=False)
    assert len(list_runs(clone.runs)) == 1


def test_a_plan_says_which_calls_it_cannot_know(clone: Repository) -> None:
    told = report(api.plan(clone, Selection(), fresh=True))
    assert told.withheld == WITHHELD
    assert told.all.to_make == CALLS - OF_PRIVATE
    done = CliRunner().invoke(app, ["-C", str(clone.root), "plan", "--fresh"])
    assert f"{WITHHELD}; this plan leaves out their calls" in done.output


def test_a_build_that_goes_on_asks_nobody_again(vault: Repository, fake: FakeBackend) -> None:
    run = reopen(vault)
    path = run / "judgments/copy.jsonl"
    kept = [line for line in path.read_bytes().splitlines(keepends=True) if b'"item":"vault-01"' not in line]
    path.write_bytes(b"".join(kept))
    private = run / "private/judgments/copy.jsonl"
    private.write_bytes(b"".join(line for line in private.read_bytes().splitlines(True) if b"vault-01" not in line))
    assert build(vault).calls.made == TASKS
    assert asked(fake) == (0, TASKS)
    assert api.verify(vault, None)[1] == []


def test_where_the_words_of_a_run_are_lost_only_what_is_not_judged_is_asked_again(
    vault: Repository, fake: FakeBackend
) -> None:
    run = reopen(vault)
    shutil.rmtree(run / "private")
    calls = build(vault).calls
    assert (calls.made, calls.reused) == (0, CALLS)
    assert not fake.asked

    reopen(vault)
    path = run / "judgments/copy.jsonl"
    first = next(line for line in path.read_bytes().splitlines(keepends=True) if b'"item":"vault-01"' in line)
    path.write_bytes(path.read_bytes().replace(first, b""))
    calls = build(vault).calls
    assert (calls.made, calls.reused) == (1 + TASKS, CALLS - 1 - TASKS)
    assert state(vault) == "sealed"
    assert api.verify(vault, None)[1] == []


def test_a_new_run_asks_again_what_another_has_without_its_words(vault: Repository, fake: FakeBackend) -> None:
    shutil.rmtree(run_dir(vault) / "private")
    edit(vault.specs / "domains/wording.yaml", "A checksum is a short value", "A checksum is a small value")
    build(vault)
    contestants, judges = asked(fake)
    assert contestants == CONTESTANTS * PRIVATE
    assert judges == CONTESTANTS * (PRIVATE + 1) * TASKS


def test_known_answers_are_copied_into_a_new_run_with_their_words(vault: Repository, fake: FakeBackend) -> None:
    first = run_dir(vault)
    edit(vault.specs / "domains/wording.yaml", "A checksum is a short value", "A checksum is a small value")
    build(vault)
    assert asked(fake) == (0, CONTESTANTS * TASKS)
    second = run_dir(vault)
    assert second != first
    for name in ("private/responses/copy.jsonl", "private/judgments/copy.jsonl", "private/items/vault.jsonl"):
        assert (second / name).read_bytes() == (first / name).read_bytes()
    assert api.verify(vault, None)[1] == []


def test_a_private_record_that_was_changed_is_not_copied_but_named(vault: Repository) -> None:
    path = run_dir(vault) / "private/responses/copy.jsonl"
    path.write_text(path.read_text("utf-8").replace("which of the two", "which of them both"), "utf-8")
    edit(vault.specs / "domains/wording.yaml", "A checksum is a short value", "A checksum is a small value")
    with pytest.raises(RunError, match="this record does not match its hash in") as refused:
        build(vault)
    assert SECRET not in str(refused.value)
    assert "this record does not match its hash in" in api.verify(vault, None)[1][0]


def test_a_private_text_of_a_run_that_is_not_the_one_its_specs_name_is_found_by_verify(vault: Repository) -> None:
    path = run_dir(vault) / "private/items/vault.jsonl"
    path.write_text(path.read_text("utf-8").replace("which of the two", "which of them both", 1), "utf-8")
    problems = api.verify(vault, None)[1]
    assert "the hash of 'vault-01' is sha256:" in problems[0]
    assert not [line for line in problems if SECRET in line]


def test_judges_are_asked_anew_about_the_words_of_private_answers(vault: Repository, fake: FakeBackend) -> None:
    judge = next(iter(api.validate(vault).judges))
    options = BuildOptions(scope=Scope(contestants=False, judges=[judge]), judges_anew=[judge])
    calls = api.build(vault, options, render_site=False).calls
    assert (calls.made, calls.left) == (CONTESTANTS * ITEMS, 0)
    assert asked(fake) == (0, CONTESTANTS * ITEMS)
    words = [request.fields["response"] for request in fake.asked if request.private]
    assert any(SECRET in text for text in words)
    assert holding(iter(tracked(vault)), SECRET) == []


def test_a_revealed_item_is_published_with_its_answers_and_nobody_is_asked(
    vault: Repository, fake: FakeBackend
) -> None:
    reveal(vault.specs, vault.private, DOMAIN, HIDDEN)
    calls = build(vault).calls
    assert (calls.made, calls.reused) == (0, CALLS)
    assert not fake.asked
    assert holding((run_dir(vault) / "responses").rglob("*"), SECRET)
    assert not (run_dir(vault) / "private").exists()


def test_the_lengths_of_hidden_answers_count_in_estimates(tmp_path: Path) -> None:
    ranges = []
    for name, hidden in (("open", False), ("hidden", True)):
        folder = open_run(tmp_path / name)
        for number in range(12):
            answer = msgspec.structs.replace(RESPONSE, sample=number, text="word " * 4 * number)
            folder.append(published(answer, "5a" * 16) if hidden else answer)
        folder.close()
        ranges.append(Lengths.of_runs([entry(folder)], ()).of_program(("contestant", "lead")))
    assert ranges[0] == ranges[1] == Range(5, 50)


@pytest.mark.parametrize(
    ("protocol", "domain"), [("axes", "gardens"), ("rubric", "storage"), ("oracle", "counting"), ("pairwise", "rain")]
)
def test_the_scores_of_a_board_are_the_same_whether_its_items_are_public_or_private(
    tmp_path: Path, protocol: str, domain: str
) -> None:
    scores = []
    for name, hidden in (("public", False), ("private", True)):
        repository = Repository(write_benchmark(tmp_path / name, protocol).parent)
        items = [item.id for of, item in load_benchmark(repository.specs).every_item if of.id == domain]
        if hidden:
            hide(repository.specs, repository.private, domain, items)
        build(repository)
        assert api.verify(repository, None)[1] == []
        run = run_dir(repository)
        tables = {name: scores_in(name, data) for name, data in files(run).items() if name.endswith(".csv")}
        scores.append({
            name: [
                {column: value for column, value in row.items() if column not in OF_CHECKS}
                for row in rows
                if row.get("kind") not in OF_FORM and row.get("what") not in OF_GATES
            ]
            for name, rows in tables.items()
            if not name.endswith(("checks.csv", "keys.csv", "key_types.csv", *OF_TEXTS))
        })  # fmt: skip
        records = [
            line for path in (run / "responses").glob("*.jsonl") for line in path.read_text("utf-8").splitlines()
        ]
        assert sum('"hidden":{' in line for line in records) == (len(items) * CONTESTANTS if hidden else 0)
    assert scores[0] == scores[1]


def test_a_repository_whose_git_would_take_what_a_run_keeps_is_refused_before_anything_is_written(
    vault: Repository,
) -> None:
    ignored = vault.root / ".gitignore"
    ignored.write_text(ignored.read_text("utf-8").replace("/runs/*/private/\n", ""), "utf-8")
    with pytest.raises(UsageError, match=r"git would publish the private records of runs; add the line /runs/\*/"):
        build(vault, fresh=True)
    assert len(list_runs(vault.runs)) == 1
