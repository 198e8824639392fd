"""`diff`: what a change of specs means, with real commits of a real repository."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator
from support.benchmarks import TALKER, write_benchmark
from support.commands import nullbench
from support.commits import commit, git
from support.private import DOMAIN as DOMAIN_OF_VAULT
from support.private import HIDDEN, SECRET, SHOWN, vault_repository
from support.repositories import CALLS, ITEMS, JUDGES, MODELS, add_model, build, edit, run_dir

from nullbench_site import api
from nullbench_site.checks import registry
from nullbench_site.checks.check import Check, Result
from nullbench_site.errors import UsageError
from nullbench_site.evaluation.backends import programs
from nullbench_site.evaluation.plan_report import report
from nullbench_site.evaluation.targets import Selection
from nullbench_site.git import git as git_of_ours
from nullbench_site.interop.score_boards import BoardRequest, import_table
from nullbench_site.interop.score_table import Chosen, read_table
from nullbench_site.repository import Repository
from nullbench_site.review import revisions
from nullbench_site.review.evidence import MOST_ALTERED, Altered, AlteredRecord
from nullbench_site.review.rendering import first_line, markdown, text
from nullbench_site.review.report import (
    MOST_CONTESTANTS,
    Calls,
    Cost,
    Diff,
    RunFile,
    SpecChange,
    Trust,
    json_schema,
    within_bounds,
)
from nullbench_site.review.reranking import (
    MOST_SENTENCE,
    MOST_SUBMISSIONS,
    BoardRanks,
    Gap,
    Place,
    RankChange,
    Submission,
    TrustChange,
)
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.manifest import read_manifest
from nullbench_site.scoring.tables import read_results
from nullbench_site.site.pages.openings import opening
from nullbench_site.site.views import view_of
from nullbench_site.specs.changes import Change, FieldChange
from nullbench_site.specs.load import load_benchmark
from nullbench_site.text import plural, short_line

DOMAIN, GOALS, JUDGES_FILE = "domains/science.yaml", "goals/science.yaml", "judges.yaml"


def _specs(repository: Repository, file: str, old: str, new: str) -> None:
    edit(repository.specs / file, old, new)


def _ids(repository: Repository, turn: Callable[[list[str]], dict[str, str]]) -> None:
    """Give items of the domain other ids."""
    path = repository.specs / DOMAIN
    whole = path.read_text("utf-8")
    pattern = r"(?m)^      - id: (\S+)"
    ids = turn(re.findall(pattern, whole))
    path.write_text(re.sub(pattern, lambda match: f"      - id: {ids.get(match[1], match[1])}", whole), "utf-8")


def _alike(repository: Repository) -> None:
    """A contestant with the answers of another one, and a change that both meet."""
    add_model(repository, "lead-8", "lead", "{k: 2}")
    _specs(repository, GOALS, "weight: 3", "weight: 2")


def _edits(*edits: tuple[str, str, str]) -> Callable[[Repository], None]:
    def change(repository: Repository) -> None:
        for each in edits:
            _specs(repository, *each)

    return change


EACH = 1 + JUDGES
TASK, GOAL = (DOMAIN, "task: ", "task: Please "), (GOALS, "weight: 3", "weight: 2")
CHANGED: dict[str, tuple[Callable[[Repository], None], int | None, set[tuple[str, str]], str]] = {
    "nothing": (_edits(), 0, set(), f"^0 of {CALLS} calls are new; ranks unchanged; trust unchanged$"),
    "a task": (
        _edits(TASK),
        len(MODELS) * EACH,
        {("item", "changed")},
        rf"^12 of {CALLS} calls are new \(3 contestants, 3 judges\), no cost; ranks",
    ),
    "a task and a goal": (_edits(TASK, GOAL), None, {("item", "changed"), ("goal", "changed")}, ""),
    "a goal that two contestants with the same answers meet": (
        _alike,
        None,
        {("goal", "changed"), ("contestant", "added"), ("board", "changed")},
        "",
    ),
    "a title": (
        _edits((DOMAIN, "title: ", "title: The ")),
        0,
        {("domain", "changed")},
        r"^  1 cosmetic change \(domain science\): no effect on calls or scores$",
    ),
    "a contestant": (
        lambda board: add_model(board, "lead-9", "lead", "{k: 1}"),
        ITEMS * EACH,
        {("contestant", "added"), ("board", "changed")},
        rf"^  contestant lead-9 added; {ITEMS * EACH} calls$",
    ),
    "the parameter of a contestant": (
        _edits(("models/lead-2.yaml", "k: 2", "k: 1")),
        None,
        {("contestant", "changed")},
        f"^  {ITEMS} answers of lead-2 on main are pending; the ranks leave it out$",
    ),
    "an axis": (
        _edits(("axes.yaml", "aspects: [", "aspects: [readability, ")),
        len(MODELS) * ITEMS * JUDGES,
        {("axis", "changed")},
        "^  ranks on main: not measured, every item has a new call$",
    ),
    "a judge whose records are known": (
        _edits((JUDGES_FILE, "model: restraint", "model: support")),
        0,
        {("judge", "changed")},
        "^Ranks.* on main:$",
    ),
    "a judge that is taken off its panel": (
        _edits((JUDGES_FILE, "  - restraint\n  - form\n", "  - form\n")),
        0,
        {("judge", "dropped"), ("panel", "changed")},
        r"^  judge restraint \(.*\) dropped; no call$",
    ),
    "an id": (
        lambda board: _ids(board, lambda ids: {ids[0]: "another-name"}),
        0,
        {("item", "renamed")},
        r"^  item \S+ -> another-name renamed; no call$",
    ),
    "ids that rotate": (
        lambda board: _ids(board, lambda ids: dict(zip(ids[:3], [*ids[1:3], ids[0]], strict=True))),
        0,
        {("item", "renamed")},
        "; ranks unchanged; trust unchanged$",
    ),
}


@pytest.mark.parametrize("case", CHANGED)
def test_the_calls_of_a_change_are_those_that_plan_would_make(board: Repository, case: str) -> None:
    change, asked, kinds, line = CHANGED[case]
    change(board)
    diff = api.diff(board, "base")
    plan = api.plan(board, Selection())
    assert (diff.calls.asked, diff.calls.reused) == (plan.to_make.total(), plan.known.total())
    assert asked in (None, diff.calls.asked)
    assert sum(change.calls for change in diff.changes) + diff.unexplained == diff.calls.asked
    assert {(change.kind, change.what) for change in diff.changes} == kinds
    assert re.search(f"(?m){line}", text(diff)), text(diff)
    if case in {"a task", "an id", "ids that rotate", "a contestant", "the parameter of a contestant"}:
        assert diff.boards == () or (diff.boards[0].changed_rank, diff.boards[0].changed_range) == (0, 0)


def test_a_judge_that_is_put_back_on_its_panel_has_joined(board: Repository) -> None:
    _specs(board, JUDGES_FILE, "  - restraint\n  - form\n", "  - form\n")
    commit(board, branch="without")
    assert ("judge", "restraint", "joined") in {
        (change.kind, change.place, change.what) for change in api.diff(board, "without", "base").changes
    }


def test_what_older_runs_answered_is_known(board: Repository) -> None:
    _specs(board, DOMAIN, "task: ", "task: Please ")
    build(board)
    commit(board)
    _specs(board, DOMAIN, "task: Please ", "task: Pray ")
    anew = api.diff(board, "base")
    asked = len(MODELS) * (1 + JUDGES)
    assert (anew.calls.asked, anew.calls.reused) == (asked, CALLS - asked)
    _specs(board, DOMAIN, "task: Pray ", "task: ")
    (board.specs / "models" / "null-constant.yaml").unlink()
    back = api.diff(board, "base")
    assert (back.calls.asked, back.calls.reused) == (0, CALLS - CALLS // len(MODELS))


def test_a_changed_claim_of_a_contestant_is_a_notice(board: Repository) -> None:
    model = board.specs / "models/lead-2.yaml"
    model.write_text(model.read_text("utf-8") + "provenance: signed\n", "utf-8")
    (notice,) = api.diff(board, "base").notices
    assert notice == "contestant lead-2: provenance not claimed -> provenance signed; not verified"
    assert f"- `{notice}`" in markdown(api.diff(board, "base"))
    commit(board, branch="claimed")
    edit(model, "provenance: signed", 'provisional: {since: "2026-11-01", reason: A preview.}')
    assert api.diff(board, "claimed").notices == (
        "contestant lead-2: provenance signed -> provenance not claimed; not verified",
        "contestant lead-2: now marked provisional",
    )


def test_removing_the_leader_moves_the_others_up_without_a_call(board: Repository) -> None:
    before = (run_dir(board) / "results/main/leaderboard.csv").read_text("utf-8").splitlines()
    first = before[1].split(",")[before[0].split(",").index("model")]
    (board.specs / f"models/{first}.yaml").unlink()
    diff = api.diff(board, "base")
    assert diff.calls.asked == 0
    ranks = {change.contestant: change for change in diff.ranks}
    assert ranks[first].after is None
    assert ranks[first].before.rank == 1
    moved = [change for change in diff.ranks if change.contestant != first]
    assert moved
    for change in moved:
        assert (change.before.rank or 0) - (change.after.rank or 0) == 1
        assert change.before.overall == change.after.overall
    assert f"ranks: {plural(len(moved), 'contestant')} change" in first_line(diff)


def test_before_is_what_the_sealed_run_published(board: Repository) -> None:
    lines = (run_dir(board) / "results/main/leaderboard.csv").read_text("utf-8").splitlines()
    names = lines[0].split(",")
    published = {row["model"]: row for row in (dict(zip(names, line.split(","), strict=True)) for line in lines[1:])}
    (board.specs / "models/lead-2.yaml").unlink()
    for change in api.diff(board, "base").ranks:
        row = published[change.contestant]
        assert str(change.before.rank or "") == row["rank"]
        assert str(change.before.low or "") == row["rank_low"]
        assert change.before.overall == pytest.approx(float(row["overall"]))


def test_two_commits_are_compared_without_a_checkout(board: Repository) -> None:
    _specs(board, DOMAIN, "task: ", "task: Please ")
    here = api.diff(board, "base")
    commit(board, branch="feature")
    git(board, "checkout", "-q", "base")
    status = git(board, "status", "--porcelain")
    there = api.diff(board, "base", "feature")
    assert msgspec.structs.replace(there, head=here.head) == here
    assert git(board, "status", "--porcelain") == status
    assert api.diff(board, "feature~1", "feature").calls == here.calls


def test_a_commit_whose_run_is_not_in_the_working_tree_is_read_out_of_git(board: Repository) -> None:
    _specs(board, DOMAIN, "task: ", "task: Please ")
    expected = api.diff(board, "base")
    shutil.rmtree(board.runs)
    found = api.diff(board, "base")
    assert (found.calls, found.ranks) == (expected.calls, expected.ranks)


def test_a_board_in_a_folder_of_a_repository_is_compared_with_its_commits(built: Repository, tmp_path: Path) -> None:
    inner = Repository(tmp_path / "outer" / "boards" / "one")
    inner.root.parent.mkdir(parents=True)
    built.root.rename(inner.root)
    outer = Repository(tmp_path / "outer")
    git(outer, "init", "-q", "-b", "base")
    commit(outer)
    _specs(inner, DOMAIN, "task: ", "task: Please ")
    commit(outer, branch="feature")
    for diff in (api.diff(inner, "base", verify=True), api.diff(inner, "base", "feature")):
        assert diff.calls is not None, diff.problems
        assert (diff.calls.asked, diff.runs) == (len(MODELS) * (1 + JUDGES), ())


def test_a_folder_and_a_run_are_sides_too(board: Repository, tmp_path: Path) -> None:
    _specs(board, DOMAIN, "task: ", "task: Please ")
    expected = api.diff(board, "base").calls
    assert api.diff(board, run_dir(board).name).calls == expected
    assert api.diff(board, str(run_dir(board))).calls == expected, "the folder of a run, which has specs as well"
    clone = tmp_path / "clone"
    git(board, "clone", "-q", str(board.root), str(clone))
    assert api.diff(board, str(clone)).calls == expected


def test_calls_that_the_head_has_recorded_cost_nothing(board: Repository) -> None:
    _specs(board, DOMAIN, "task: ", "task: Please ")
    build(board)
    asked = len(MODELS) * (1 + JUDGES)
    diff = api.diff(board, "base")
    assert (diff.calls.asked, diff.calls.brought, diff.cost_usd) == (asked, asked, Cost(0.0, 0.0))
    assert diff.head_run == run_dir(board).name, "the ranks are those of this run"
    assert (diff.boards[0].items, diff.boards[0].of) == (ITEMS, ITEMS)
    assert f"{asked} of {CALLS} calls are new (3 contestants, 3 judges), all recorded with it; ranks" in first_line(
        diff
    )
    (board.specs / "models/talker.yaml").write_text(TALKER.replace("endpoint: lab", "endpoint: openai"), "utf-8")
    more = api.diff(board, "base")
    planned = report(api.plan(board, Selection())).all.cost_usd
    assert (more.calls.brought, more.cost_usd) == (asked, Cost(planned.low, planned.high))
    assert f"judges), {asked} of them recorded with it; the others, $0." in first_line(more)


def test_verify_checks_a_new_run(board: Repository) -> None:
    before = run_dir(board).name
    assert api.diff(board, "base", verify=True).runs == ()
    _specs(board, DOMAIN, "task: ", "task: Please ")
    build(board)
    run = run_dir(board).name
    n, digest = len(MODELS) * ITEMS * (1 + JUDGES), read_manifest(board.runs / run).digest
    assert api.diff(board, "base").runs == (RunFile(run, "added", n, sealed=True, digest=digest),)
    sound = api.diff(board, "base", verify=True)
    assert sound.runs == (RunFile(run, "added", n, sealed=True, problems=(), digest=digest),)
    assert f"adds the run {run} ({n} records); verified:" in text(sound)
    assert f"manifest digest {digest}" in text(sound)
    shard = run_dir(board) / "judgments" / "lead-2.jsonl"
    lines = shard.read_text("utf-8")
    flipped = re.sub(r'("scores":\{"\w+":)(\d)', lambda match: f"{match[1]}{6 - int(match[2])}", lines, count=1)
    assert flipped != lines
    shard.write_text(flipped, "utf-8")
    (forged,) = api.diff(board, "base", verify=True).runs
    assert "judgments/lead-2.jsonl: the file was changed after the run was sealed" in forged.problems[0]
    assert str(board.root) not in forged.problems[0]
    shutil.rmtree(board.runs / before)
    assert [(each.run, each.what) for each in api.diff(board, "base").runs] == [(run, "added"), (before, "removed")]


def test_a_merged_run_that_is_sealed_again_over_another_verdict_fails(board: Repository) -> None:
    run = run_dir(board)
    shard = run / "judgments" / "lead-2.jsonl"
    flip = re.compile(r'("scores":\{"\w+":)(\d)')
    lines = shard.read_text("utf-8")
    shard.write_text(flip.sub(lambda match: f"{match[1]}{5 if match[2] != '5' else 4}", lines, count=1), "utf-8")
    RunFolder(run, read_manifest(run)).seal("2026-11-22T12:00:00+00:00")
    api.score(board, run.name)
    assert nullbench(board.root, "verify", run.name).code == 0, "its bytes and its arithmetic are in order"
    (forged,) = api.diff(board, "base", verify=True).runs
    assert forged.problems == ("1 file other than BASE sealed: judgments/lead-2.jsonl",)


def test_diff_runs_no_program(board: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(self: object, request: object) -> None:
        raise AssertionError("a program was run")

    monkeypatch.setattr(programs.Programs, "ask", refuse)
    _specs(board, DOMAIN, "task: ", "task: Please ")
    assert api.diff(board, "base").calls is not None
    with pytest.raises((AssertionError, ExceptionGroup)):  # without this the assertion above could not fail
        build(board)


BASES = {
    "does not load": (lambda board: _specs(board, DOMAIN, "task: ", "tsak: "), "the specs of BASE have errors"),
    "has a damaged run": (
        lambda board: (run_dir(board) / "manifest.json").write_text("{}", "utf-8"),
        "cannot read the runs of BASE: runs/",
    ),
    "has a run of a newer version": (
        lambda board: (run_dir(board) / "manifest.json").write_text('{"format": 99}', "utf-8"),
        "cannot read the runs of BASE: runs/",
    ),
    "is of an older version": (
        lambda board: (
            _specs(board, DOMAIN, "protocol: ", "judged_by: ")
            if "protocol: " in (board.specs / DOMAIN).read_text("utf-8")
            else _specs(board, DOMAIN, "title: ", "name: ")
        ),
        "the specs of BASE have errors, or belong to a version that ",
    ),
    "has no run": (lambda board: git(board, "rm", "-rq", "--cached", "runs"), "BASE has no run, so every call is new"),
}


@pytest.mark.parametrize("case", BASES)
def test_a_base_with_a_problem_is_one_line_and_the_rest_is_reported(board: Repository, case: str) -> None:
    spoil, line = BASES[case]
    spoil(board)
    commit(board, branch="spoiled", staged=case == "has no run")
    git(board, "checkout", "-q", "-f", "base")
    diff = api.diff(board, "spoiled", "base")
    (problem,) = diff.problems
    assert problem.startswith(line)
    assert "\n" not in problem
    assert str(board.root.parent) not in problem
    unloaded = line.startswith("the specs of BASE have errors")
    assert text(diff).splitlines()[-1] == ("The changed specs are unknown." if unloaded else "No spec changes.")
    assert diff.calls.reused == (CALLS if unloaded else 0)
    assert diff.calls.open == (0 if unloaded else CALLS)
    assert ("; ranks not measured; trust not measured" in first_line(diff)) == unloaded
    assert diff.unexplained == 0, "nobody knows which spec a call is on account of"


HEADS: dict[str, tuple[Callable[[Repository], object], str]] = {
    "a damaged run": (
        lambda board: (run_dir(board) / "manifest.json").write_text("{", "utf-8"),
        "cannot read the runs of HEAD: runs/",
    ),
    "errors": (_edits((DOMAIN, "task: ", "tsak: ")), "the specs of HEAD have errors: specs/domains/science.yaml:"),
    "no specs": (lambda board: shutil.rmtree(board.specs), "cannot read HEAD: specs: no benchmark.yaml here; "),
}


@pytest.mark.parametrize("case", HEADS)
def test_a_head_that_cannot_be_compared_is_one_line_and_exits_with_2(board: Repository, case: str) -> None:
    spoil, line = HEADS[case]
    spoil(board)
    done = nullbench(board.root, "diff", "base", "--verify")
    assert (done.code, done.out.count("\n")) == (2, 1)
    assert done.out.startswith(f"cannot compare: {line}")
    diff = api.diff(board, "base")
    assert (diff.compared, diff.calls) == (False, None)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda text: text.replace("title: ", f"title: {'x' * 100_000} ", 1), "specs/domains/science.yaml:"),
        (lambda text: text.replace("title: ", 'title: "\\e[2J\\e[31m" #', 1), "control character U+001B; remove it"),
        (lambda text: text.replace("title: ", "title: \x1b[2J", 1), "character"),
        (lambda text: text.replace("title: ", "title: &a [*a] #", 1), "an alias that contains itself"),
        (lambda text: "[" * 200_000, "specs/domains/science.yaml:1:"),
        (lambda text: "\x00\ufeff" + text, "specs/domains/science.yaml:1:"),
    ],
    ids=["a title of 100 kB", "an escaped escape", "an escape", "an endless alias", "brackets", "a NUL"],
)
def test_a_hostile_head_is_one_bounded_line(board: Repository, spoil: Callable[[str], str], said: str) -> None:
    path = board.specs / DOMAIN
    path.write_text(spoil(path.read_text("utf-8")), "utf-8")
    diff = api.diff(board, "base")
    (problem,) = diff.problems
    assert problem.startswith("the specs of HEAD have errors")
    assert said in problem
    assert len(problem) <= 400
    assert problem.isprintable()
    assert text(diff) == f"cannot compare: {problem}"


def _link(board: Repository) -> str:
    (board.specs / "models/link.yaml").symlink_to("/etc/passwd")
    commit(board, branch="linked")
    return "linked"


def _path_out(board: Repository) -> str:
    """git takes no such path from a working tree, but a tree can be made by hand."""
    about = f"100644 blob {git(board, 'rev-parse', 'HEAD:specs/benchmark.yaml')}\tout.yaml"
    for about_next in ("040000 tree {}\t..", "040000 tree {}\tspecs", ""):
        tree = (git_of_ours(board.root, "mktree", given=f"{about}\n".encode()) or b"").decode().strip()
        about = about_next.format(tree)
    return git(board, "commit-tree", "-m", "out", tree)


def _damaged_object(board: Repository) -> str:
    oid = git(board, "rev-parse", f"base:specs/{DOMAIN}")
    stored = board.root / ".git/objects" / oid[:2] / oid[2:]
    content = stored.read_bytes()
    stored.chmod(0o600)
    stored.write_bytes(content[: len(content) // 2])
    return "base"


NO_SIDE = r"is not a folder with specs/, a run in .* or a commit of its repository"
REFUSED: dict[str, tuple[Callable[[Repository], str], str]] = {
    "no branch": (lambda board: "no-such-branch", NO_SIDE),
    "an option": (lambda board: "--upload-pack=touch x", NO_SIDE),
    "nothing": (lambda board: "", NO_SIDE),
    "a tree": (lambda board: "base:specs", NO_SIDE),
    "an escape": (lambda board: "no\x1b[2Jsuch", NO_SIDE),
    "a link": (_link, r"linked: 'specs/models/link.yaml' is not a plain file \(mode 120000\)"),
    "a path out of the folder": (_path_out, r"'specs/\.\./out.yaml' is not a plain file"),
    "a damaged object": (_damaged_object, rf"^'specs/{DOMAIN}': this file is missing in this clone; fetch the "),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_side_that_cannot_be_opened_is_one_line(board: Repository, case: str) -> None:
    spoil, message = REFUSED[case]
    with pytest.raises(UsageError, match=message) as refused:
        api.diff(board, spoil(board))
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("place", ["specs", "runs", "a run"])
def test_a_link_that_git_tracks_is_not_followed(board: Repository, tmp_path: Path, place: str) -> None:
    folder = run_dir(board) if place == "a run" else board.root / place
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    diff = api.diff(board, "base")
    assert (diff.changes, diff.problems, diff.runs) == ((), (), ()), "one that git does not know is the reader's own"
    commit(board, branch="linked")
    told = f"{folder.relative_to(board.root)}: git tracks this link, so it is not followed; replace it with the folder"
    for head in (None, str(board.root)):
        (problem,) = api.diff(board, "base", head).problems
        assert problem.startswith(f"cannot read HEAD: {told}")
    turned = api.diff(board, str(board.root), "base")
    assert turned.compared
    (problem,) = turned.problems
    assert told in problem


def test_runs_of_the_working_tree_do_not_count_for_the_size_limit(
    board: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or a repository of a hundred runs could not be compared at all."""
    sizes = (path.stat().st_size for path in board.specs.rglob("*") if path.is_file())
    monkeypatch.setattr(revisions, "MOST_BYTES", sum(sizes))
    assert api.diff(board, "base").compared
    shutil.rmtree(run_dir(board))
    with pytest.raises(UsageError, match=r"^base: specs/ and the runs that the working tree lacks have "):
        api.diff(board, "base")


def test_a_clone_without_all_files_says_so(board: Repository, tmp_path: Path) -> None:
    git(board, "config", "uploadpack.allowFilter", "true")
    git(board, "clone", "-q", "--filter=blob:none", f"file://{board.root}", str(tmp_path / "clone"))
    partial = Repository(tmp_path / "clone")
    edit(partial.specs / DOMAIN, "task: ", "task: Please ")
    git(partial, "commit", "-q", "-a", "-m", "a change")
    edit(board.specs / DOMAIN, "task: ", "task: Would you ")
    commit(board, branch="later")
    git(partial, "fetch", "-q", "origin", "later")
    with pytest.raises(UsageError, match=r"^FETCH_HEAD: files of this commit are missing in this clone; fetch the "):
        api.diff(partial, "FETCH_HEAD")


def test_a_missing_commit_of_a_shallow_clone_is_explained(board: Repository, tmp_path: Path) -> None:
    edit(board.specs / DOMAIN, "task: ", "task: Please ")
    commit(board, branch="later")
    oid = git(board, "rev-parse", "base")
    git(board, "clone", "-q", "--depth", "1", f"file://{board.root}", str(tmp_path / "clone"))
    shallow = Repository(tmp_path / "clone")
    for name in ("HEAD~1", oid, "base"):
        with pytest.raises(UsageError, match=r"a commit of this shallow clone; .*`git fetch --unshallow`"):
            api.diff(shallow, name)
    git(shallow, "fetch", "-q", "--unshallow")
    assert api.diff(shallow, "HEAD~1").compared
    with pytest.raises(UsageError, match="a commit of its repository"):
        api.diff(shallow, "nothing")


def test_attributes_of_a_commit_hide_nothing(board: Repository) -> None:
    (board.root / ".gitattributes").write_text("specs/domains/* export-ignore\nspecs/** export-subst filter=evil\n")
    commit(board, branch="attributes")
    assert api.diff(board, "base", "attributes").changes == ()


HOSTILE = "@everyone <img src=x onerror=alert(1)> [click](https://x.example) `code` | #1 ![x](y) **b**"


def test_hostile_titles_are_bounded_and_do_nothing(board: Repository) -> None:
    path = board.specs / GOALS
    title = json.dumps(HOSTILE)
    path.write_text(re.sub(r"(?m)^    title: .*$", lambda _: f"    title: {title}", path.read_text("utf-8")), "utf-8")
    _specs(board, GOALS, "weight: 3", "weight: 2")
    diff = api.diff(board, "base")
    assert diff.calls is not None, diff.problems
    shown = markdown(diff)
    outside = re.sub(r"`[^`]*`", "", shown)
    for piece in ("@everyone", "<img", "](", "https:", "#1", "**b"):
        assert piece not in outside
    assert "@everyone <img src=x" in shown
    for form in (shown, text(diff), msgspec.json.encode(diff).decode()):
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", form)


def _diff(*changes: SpecChange, more: int = 0) -> Diff:
    calls = Calls(asked=5000, reused=0, open=0, judges=(), contestants=("a",), controls=False)
    return Diff("a", "b", "tool", calls=calls, cost_usd=Cost(1.1, 1.9), changes=changes, more_changes=more)


def test_the_length_of_a_report_is_bounded() -> None:
    def long(letter: str) -> str:
        return letter * 119 + "…"

    fields = [tuple(f"{number}{long('f')}"[:120] for _ in range(12)) for number in range(1000)]
    diff = _diff(
        *(SpecChange("item", long("x"), "changed", 1, True, long("t"), "", each) for each in fields), more=4000
    )
    assert len(markdown(diff)) <= 65_536
    assert "4,960 more changes" in text(diff)
    assert (
        first_line(diff)
        == "5,000 of 5,000 calls are new (1 contestant), $1.10-1.90; ranks unchanged; trust not measured"
    )


def test_ranks_that_change_within_their_ranges_are_marked() -> None:
    ranks = [
        RankChange("main", name, Place(was, 1, 3, 50.0), Place(is_, 1, 3, 50.0))
        for name, was, is_ in (("a", 1, 2), ("b", 2, 1))
    ]
    same, other = (
        msgspec.structs.replace(
            _diff(), ranks=ranks, boards=[BoardRanks("main", 9, 9, changed_rank=2, changed_range=moved)]
        )
        for moved in (0, 1)
    )
    assert "ranks: 1 and 2 change places, within the earlier ranges; trust" in first_line(same)
    assert "ranks: 1 and 2 change places; trust" in first_line(other)


def test_equal_changes_share_a_line() -> None:
    items = [SpecChange("item", f"item-{n}", "changed", 4, True, fields=("task",)) for n in range(6)]
    lines = text(_diff(*items, SpecChange("item", "item-9", "removed", 0, True))).splitlines()
    assert lines[3:] == [
        "  6 items changed: task (item-0, item-1, item-2, item-3 and 2 more); 24 calls",
        "  item item-9 removed; no call",
    ]


def test_changes_that_are_not_listed_are_counted_with_their_calls() -> None:
    items = [SpecChange("item", f"item-{n}", "changed", 4, True, fields=("task",)) for n in range(1200)]
    assert text(_diff(*items, more=100)).splitlines()[3:] == [
        "  1,200 items changed: task (item-0, item-1, item-2, item-3 and 1,196 more); 4,800 calls",
        "  100 more changes; 200 calls",
    ]
    unexplained = msgspec.structs.replace(_diff(*items, more=100), unexplained=50)
    assert text(unexplained).splitlines()[4:] == [
        "  100 more changes; 150 calls",
        "  50 calls without a changed spec: earlier attempts failed, or this version asks differently",
    ]


def _validated(output: str) -> Any:
    found = json.loads(output)
    schema = json.loads(json_schema())
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(found)
    return found


def test_json_follows_its_schema(board: Repository) -> None:
    (board.specs / "models/lead-2.yaml").unlink()
    _specs(board, DOMAIN, "task: ", "task: Please ")
    found = _validated(nullbench(board.root, "diff", "base", "--format", "json").out)
    assert found["calls"]["asked"] == (len(MODELS) - 1) * (1 + JUDGES)
    assert found["cost_usd"] == {"low": 0.0, "high": 0.0}
    assert {"kind", "place", "calls"} <= found["changes"][0].keys()
    assert {"board", "contestant", "before", "after"} <= found["ranks"][0].keys()
    printed = nullbench(board.root, "diff", "base", "--format", "schema").out
    assert json.loads(printed) == json.loads(json_schema())


def test_the_cost_is_that_of_plan(board: Repository) -> None:
    (board.specs / "models/talker.yaml").write_text(TALKER.replace("endpoint: lab", "endpoint: openai"), "utf-8")
    diff = api.diff(board, "base")
    planned = report(api.plan(board, Selection())).all.cost_usd
    assert (diff.cost_usd.low, diff.cost_usd.high) == (planned.low, planned.high)
    assert 0 < planned.low < (planned.high or 0)
    assert re.search(r"\(1 contestant, 3 judges\), \$0\.\d\d-0\.\d\d; ranks", first_line(diff))


def test_a_private_item_appears_only_by_its_hash(tmp_path: Path) -> None:
    vault = vault_repository(tmp_path / "vault")
    api.hide(vault, DOMAIN_OF_VAULT, HIDDEN)
    commit(vault, branch="base")
    path = vault.specs / f"domains/{DOMAIN_OF_VAULT}.yaml"
    path.write_text(path.read_text("utf-8").replace("difficulty: hard", "difficulty: easy"), "utf-8")
    diff = api.diff(vault, "base")
    items = {change.place for change in diff.changes if change.kind == "item"}
    assert len([place for place in items if place.startswith("sha256:")]) == len(HIDDEN)
    for form in (text(diff), markdown(diff), msgspec.json.encode(diff).decode()):
        assert SECRET not in form
        assert not any(name in form for name in HIDDEN)
        assert SHOWN in form


def test_neither_diff_nor_plan_runs_the_code_of_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_benchmark(tmp_path, "rubric")
    board = Repository(tmp_path)
    build(board)
    git(board, "init", "-q", "-b", "base")
    commit(board)

    def run_checks(text: str, checks: Sequence[Check]) -> list[Result]:
        assert not any(check.executes for check in checks)
        return look(text, checks)

    look = registry.run_checks
    monkeypatch.setattr(registry, "run_checks", run_checks)
    path = board.specs / "domains/wording.yaml"
    found = path.read_text("utf-8").count("{type: reasoning}")
    edit(path, "{type: reasoning}", "{type: code-runnable, run: true, tests: assert False}")
    assert found == 1
    plan = api.plan(board, Selection())
    n_contestants = len(list((board.specs / "models").glob("*.yaml")))
    assert plan.to_make.total() == n_contestants * JUDGES, "the verdicts on the answers that nobody looked at yet"
    diff = api.diff(board, "base")
    assert diff.calls.asked == plan.to_make.total()
    assert [(change.kind, change.calls) for change in diff.changes] == [("item", diff.calls.asked)]


def test_ten_thousand_changed_items_fit_into_a_megabyte() -> None:
    field = FieldChange(("prompt",), scored=True)
    specs = [Change("item", f"item-{n:05}", f"item-{n:05}", "changed", True, (field,) * 40) for n in range(10_000)]
    told, more = within_bounds(specs, {}, {})
    assert len(told) + more == 10_000
    assert 500_000 < len(msgspec.json.encode(told)) < 1_000_000
    assert told[0].fields[-1] == "28 more"


def test_the_changes_with_most_calls_are_listed() -> None:
    field = FieldChange(("prompt",), scored=True)
    names = [f"item-{number:05}" for number in range(10_000)]
    specs = [Change("item", name, name, "changed", True, (field,) * 40) for name in names]
    told, more = within_bounds(specs, {("item", name): number for number, name in enumerate(names)}, {})
    assert [change.calls for change in told] == list(range(9_999, more - 1, -1))


@pytest.mark.parametrize(
    ("specs", "calls", "listed"),
    [
        (
            [Change("domain", "a", "A", "changed", False), Change("judge", "b", "B", "changed", True)],
            {},
            [("b", "B", "", 0), ("a", "A", "", 0)],
        ),
        ([Change("item", "hidden", "A title", "renamed", True, before="old")], {}, [("sha256:0", "", "", 0)]),
        (
            [Change("item", "b", "B", "removed", True), Change("item", "b", "A", "renamed", True, before="a")],
            {("item", "b"): 3},
            [("b", "A", "a", 3), ("b", "B", "", 0)],
        ),
    ],
    ids=["scored first", "a private item is its hash", "an id that another item took"],
)
def test_changes_are_listed(
    specs: list[Change], calls: dict[tuple[str, str], int], listed: list[tuple[str, str, str, int]]
) -> None:
    told, more = within_bounds(specs, calls, {"hidden": "sha256:0"})
    assert ([(change.place, change.title, change.before, change.calls) for change in told], more) == (listed, 0)


PLACED = {
    "item": (DOMAIN, "task: ", "task: Please ", "task: Please "),
    "goal": (GOALS, "weight: 3", "weight: 2", "rules:"),
    "judge": (JUDGES_FILE, "model: restraint", "model: support", "model: support"),
    "contestant": ("models/lead-2.yaml", "k: 2", "k: 3", "k: 3"),
}


@pytest.mark.parametrize("kind", PLACED)
def test_a_change_is_a_notice_at_the_line_that_changed(board: Repository, kind: str) -> None:
    file, old, new, found = PLACED[kind]
    _specs(board, file, old, new)
    lines = (board.specs / file).read_text("utf-8").splitlines()
    commands = nullbench(board.root, "diff", "base", "--format", "github").out.splitlines()
    (notice,) = [command for command in commands if ",title=diff%3A change::" in command]
    place = re.match(rf"::notice file=specs/{file},line=(\d+),col=(\d+),title=diff%3A change::{kind} ", notice)
    assert lines[int(place[1]) - 1][int(place[2]) - 1 :].startswith(found)
    assert re.match(rf"::notice title=diff%3A summary::\d+ of {CALLS} calls", commands[0])


def test_sarif_has_problems_as_errors_and_changes_as_notes(board: Repository) -> None:
    _specs(board, DOMAIN, "task: ", "task: Please ")
    (board.specs / "models/paraphrase.yaml").unlink()
    log = json.loads(nullbench(board.root, "diff", "base", "--format", "sarif").out)
    results = log["runs"][0]["results"]
    assert {(each["ruleId"], each["level"]) for each in results} == {("summary", "note"), ("change", "note")}
    placed = {each["message"]["text"].split(" ")[0]: len(each["locations"]) for each in results[1:]}
    assert placed == {"item": 1, "board": 1, "contestant": 0}, "a removed spec has no place"
    _specs(board, DOMAIN, "task: ", "tsak: ")
    done = nullbench(board.root, "diff", "base", "--format", "sarif")
    assert done.code == 2
    (result,) = json.loads(done.out)["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("compared", "error")
    assert "specs/domains/science.yaml:" in result["message"]["text"]


@pytest.fixture
def clone(board: Repository, tmp_path: Path) -> Repository:
    """A clone of the board with one private item, whose text and answers stay where they were made."""
    item = re.findall(r"(?m)^      - id: (\S+)", (board.specs / DOMAIN).read_text("utf-8"))[0]
    api.hide(board, "science", [item])
    build(board)
    commit(board)
    target = tmp_path / "clone"
    git(board, "clone", "-q", str(board.root), str(target))
    assert not (target / "private").exists()
    return Repository(target)


def test_unchanged_calls_on_a_private_item_are_known_by_its_hash(clone: Repository) -> None:
    _specs(clone, DOMAIN, "task: ", "task: Please ")
    add_model(clone, "lead-9", "lead", "{k: 1}")
    diff = api.diff(clone, "base")
    each = 1 + JUDGES
    assert diff.calls.asked == len(MODELS) * each + (ITEMS - 1) * each, "the changed item, and the new contestant"
    assert diff.calls.reused == CALLS - len(MODELS) * each
    assert diff.uncounted == each, "the new contestant on the private item"
    assert (diff.boards[0].items, diff.boards[0].of) == (ITEMS - 1, ITEMS)
    assert re.search(rf"{each} calls on private items are not counted: 1 private item has no text here", text(diff))


def test_verdicts_of_a_changed_judge_on_a_private_item_are_not_counted(clone: Repository) -> None:
    _specs(clone, JUDGES_FILE, "model: restraint", "model: support")
    diff = api.diff(clone, "base")
    assert diff.uncounted == len(MODELS)
    assert diff.calls.reused == CALLS - len(MODELS)
    assert (diff.boards[0].items, diff.boards[0].of) == (ITEMS - 1, ITEMS)


def test_agreement_of_equal_judges_moves_a_trust_mark_up_and_back(board: Repository) -> None:
    _specs(board, JUDGES_FILE, "model: restraint", "model: support")
    diff = api.diff(board, "base")
    up = {TrustChange("main", model, "agreement", "low", "high") for model in ("lead-2", "paraphrase")}
    assert up <= set(diff.trust_changes)
    others = {(change.before, change.after) for change in diff.trust_changes if change not in up}
    unmeasured = ("not reported", "not testable with these items", "not measurable here")
    assert all({"low"} < {*pair} <= {"low", *unmeasured} for pair in others), "trust is neither gained nor lost"
    assert diff.trust == Trust(2, 0)
    assert first_line(diff).endswith("; trust: +2")
    assert "trust on main, agreement: low -> high (lead-2, paraphrase)" in text(diff)
    commit(board, branch="alike")
    assert api.diff(board, "alike", "base").trust is None, "the branch has no sealed run of its specs"
    build(board)
    commit(board)
    assert api.diff(board, "alike", "base").trust == Trust(0, 2)


@pytest.mark.parametrize(
    ("against", "contradicted", "found"),
    [
        (0, 0, None),
        (1, 0, "1 item that goes against all others together"),
        (2, 0, "2 items that go against all others together"),
        (0, 1, "1 key that most contestants with high scores contradict alike"),
        (
            3,
            2,
            "3 items that go against all others together and "
            "2 keys that most contestants with high scores contradict alike",
        ),
    ],
)
def test_items_worth_a_look_have_one_line_a_board_and_none_if_nothing_is_marked(
    against: int, contradicted: int, found: str | None
) -> None:
    boards = [
        BoardRanks("main", 9, 9, items_against=against, keys_contradicted=contradicted),
        BoardRanks("other", 9, 9),
        BoardRanks("unread", 0, 9, not_measured="every item has a new call"),
    ]
    diff = msgspec.structs.replace(_diff(), boards=boards)
    lines = [line for line in text(diff).splitlines() if "worth a look" in line]
    page = "the page boards/main/items/ of the site lists them"
    assert lines == ([] if found is None else [f"  items worth a look on main: {found}; {page}"])
    assert ("the page `boards/main/items/` of the site" in markdown(diff)) is (found is not None)


def test_a_key_that_a_change_makes_wrong_is_counted_in_the_comment(tmp_path: Path) -> None:
    specs = write_benchmark(tmp_path / "keys", "oracle")
    spec = (specs / "models/first-option.yaml").read_text("utf-8")
    for number, name in ((2, "fixed-2"), (3, "fixed-3")):
        own = {"id: first-option": f"id: {name}", "family: fixed": f"family: {name}", "title: First": f"title: {name}"}
        other = spec.replace("-000000000005", f"-00000000009{number}")
        for old, new in own.items():
            other = other.replace(old, new)
        (specs / f"models/{name}.yaml").write_text(other, "utf-8")
    edit(specs / "boards/keys.yaml", "first-option, ", "first-option, fixed-2, fixed-3, ")
    board = Repository(tmp_path / "keys")
    build(board)
    git(board, "init", "-q", "-b", "base")
    commit(board)
    counts = []
    for old, new in (("resamples: 200", "resamples: 199"), ('C: "7"}, correct: [A]', 'C: "7"}, correct: [B]')):
        edit(specs / ("boards/keys.yaml" if "resamples" in old else "domains/counting.yaml"), old, new)
        (ranks,) = api.diff(board, "base").boards
        counts.append(ranks.keys_contradicted)
    assert counts[1] == counts[0] + 1


def test_an_item_whose_scores_a_change_turns_around_is_counted_in_the_comment(tmp_path: Path) -> None:
    rows = [(f"m{k}", f"q{n}", 5 * k + (7 * n + 3 * k) % 11) for k in range(10) for n in range(20)]
    (tmp_path / "table.csv").write_text("\n".join(["model,item,score", *(f"{m},{q},{s}" for m, q, s in rows), ""]))
    root = tmp_path / "repository"
    import_table(read_table(str(tmp_path / "table.csv"), Chosen()), BoardRequest(into=root, board="table", title="T"))
    git(Repository(root), "init", "-q", "-b", "base")
    commit(Repository(root))
    scores = root / "specs/scores/table/scores.csv"
    head, *lines = [line.split(",") for line in scores.read_text("utf-8").splitlines()]
    place = head.index("q7")
    for line in lines:
        line[place] = str(100 - int(line[place]))
    scores.write_text("".join(f"{','.join(line)}\n" for line in (head, *lines)), "utf-8")
    diff = api.diff(Repository(root), "base")
    assert [(each.items_against, each.keys_contradicted) for each in diff.boards] == [(1, 0)]
    assert "items worth a look on table: 1 item that goes against all others together; the page" in text(diff)


def test_the_claims_before_and_after_are_those_of_the_board(board: Repository) -> None:
    _specs(board, JUDGES_FILE, "model: restraint", "model: support")
    (ranks,) = api.diff(board, "base").boards
    assert ranks.sentence_before == _first_sentence(board, run_dir(board) / "specs")
    build(board)
    assert ranks.sentence_after == _first_sentence(board, board.specs)
    assert ranks.sentence_before != ranks.sentence_after


def _first_sentence(board: Repository, specs: Path) -> str:
    benchmark, results = load_benchmark(specs), read_results(run_dir(board), "main")
    return short_line(opening(view_of(benchmark, benchmark.boards["main"], results)).long, MOST_SENTENCE)


@pytest.fixture
def beside(tmp_path: Path) -> Repository:
    """A board of games, with two baselines that meet each other; one sealed run of it committed on `base`."""
    specs = write_benchmark(tmp_path / "beside", "pairwise")
    edit(specs / "boards/beside.yaml", "baseline: essay", "baseline: [essay, paraphrase]")
    board = Repository(tmp_path / "beside")
    build(board)
    git(board, "init", "-q", "-b", "base")
    commit(board)
    return board


def test_known_games_keep_their_scores_in_both_orders(beside: Repository) -> None:
    _specs(beside, "boards/beside.yaml", "resamples: 200", "resamples: 199")
    diff = api.diff(beside, "base")
    (ranks,) = diff.boards
    assert (ranks.not_measured, ranks.items, ranks.of) == (None, ranks.of, ranks.of)
    assert [
        (change.before and change.before.overall, change.after and change.after.overall)
        for change in diff.ranks
        if change.before is None or change.after is None or change.before.overall != change.after.overall
    ] == []
    assert diff.calls.asked == 0


def test_games_against_a_changed_opponent_count_for_that_change(beside: Repository) -> None:
    _specs(beside, "models/essay.yaml", "model: essay", "model: agree")
    diff = api.diff(beside, "base")
    (change,) = diff.changes
    assert (change.kind, change.place, change.calls, diff.unexplained) == ("contestant", "essay", diff.calls.asked, 0)
    assert change.calls > 0


def test_the_longest_report_fits_into_a_megabyte() -> None:
    name, sentence = "n" * 80, "s" * 500
    place = Place(1000, 1000, 1000, 99.123456789, 98.123456789, 99.987654321)
    field = FieldChange(("prompt",), scored=True)
    specs = [Change("item", f"{n:080}", f"{n:080}", "changed", True, (field,) * 40) for n in range(10_000)]
    told, more = within_bounds(specs, {}, {})
    gap = Gap(
        name,
        1.123456789,
        1.123456789,
        1.123456789,
        1.123456789,
        sentence,
        "+100.0 to +100.0 on items and judges like these",
    )
    scores = {f"axis-{n:02}": 5 for n in range(10)}
    diff = msgspec.structs.replace(
        _diff(*told, more=more),
        boards=(BoardRanks(name, 10_000, 10_000, 1, 1, sentence, sentence),) * 10,
        ranks=(RankChange(name, name, place, place),) * MOST_CONTESTANTS,
        trust_changes=(TrustChange(name, name, "contamination", "absent", "medium"),) * MOST_CONTESTANTS,
        submissions=(Submission(name, name, "self-reported", place, gap, None),) * MOST_SUBMISSIONS,
        altered=Altered(1, 1, 1, 1, (AlteredRecord(name, name, name, name, "program", scores, scores),) * MOST_ALTERED),
        problems=("p" * 400,) * 10,
    )
    assert len(msgspec.json.encode(diff)) < 1_000_000
