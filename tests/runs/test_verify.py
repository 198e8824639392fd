"""A sealed run that is not what it was: `verify` names the file, whichever byte of whichever file it is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from support.commands import nullbench
from support.evidence import files
from support.private import git
from support.repositories import CALLS, ITEMS, JUDGES, build, copy_of, edit, run_dir, small_repository

from nullbench_site import api
from nullbench_site.errors import RunError
from nullbench_site.evaluation.targets import Selection
from nullbench_site.repository import Repository
from nullbench_site.runs.folder import RunFolder, file_digests
from nullbench_site.runs.manifest import Counts, Usage, Usages, read_manifest, write_manifest
from nullbench_site.runs.verify import not_sealed
from nullbench_site.site.words import NOT_ORIGINAL, PROVES, PROVES_KEYS, PROVES_NOT
from nullbench_site.specs.digest import sha256

KINDS = (
    "manifest.json", "specs/benchmark.yaml", "specs/domains/science.yaml", "specs/goals/science.yaml",
    "specs/models/lead-2.yaml", "specs/boards/main.yaml", "specs/judges.yaml", "specs/axes.yaml",
    "specs/templates/zero-context.txt", "responses/lead-2.jsonl", "judgments/lead-2.jsonl",
    "results/main/results.json", "results/main/leaderboard.csv", "results/main/domains.csv",
    "results/main/categories.csv", "results/main/difficulties.csv", "results/main/items.csv", "results/main/judges.csv",
    "results/main/judge_models.csv", "results/main/agreement.csv", "results/main/differences.csv",
    "results/main/components.csv",
    "results/main/score_errors.csv", "results/main/rater_agreement.csv",
    "results/main/biases.csv",
    "results/main/length_corrected.csv", "results/main/screening.csv",
    "results/main/attacks.csv", "results/main/attacked_judges.csv", "results/main/defences.csv",
    "results/main/defended_attacks.csv",
)  # fmt: skip


def told(repository: Repository) -> str:
    """What `verify` says of the newest run: its problems, or the error about its manifest."""
    try:
        return "\n".join(api.verify(repository, only_run(repository).name)[1])
    except RunError as error:
        return str(error)


def only_run(repository: Repository) -> Path:
    (run,) = (path for path in repository.runs.iterdir() if path.is_dir())
    return run


def flip(path: Path, place: int, mask: int = 1) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= mask
    path.write_bytes(data)


def reseal(run: Path) -> None:
    """What someone does who wants an edited run to pass: digests of the files as they are now, and of the manifest."""
    write_manifest(run, replace(read_manifest(run), files=file_digests(run)))


def test_a_clone_where_git_turns_line_ends_has_the_run_as_it_was_sealed(built: Repository, tmp_path: Path) -> None:
    """And its specs, whose line ends did turn, are the ones it was made from."""
    git(built.root, "init", "-q")
    git(built.root, "add", "--all")
    git(built.root, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "A run")
    git(tmp_path, "-c", "core.autocrlf=true", "clone", "-q", str(built.root), "clone")
    clone = Repository(tmp_path / "clone")
    assert b"\r\n" in (clone.specs / "boards" / "main.yaml").read_bytes()
    assert told(clone) == ""
    assert api.plan(clone, Selection()).to_make.total() == 0


def test_a_run_as_it_was_sealed_has_no_problem(built: Repository) -> None:
    assert told(built) == ""
    done = nullbench(built.root, "verify")
    assert (done.code, done.err) == (0, "")
    manifest = read_manifest(only_run(built))
    assert done.out.startswith(f"{manifest.run}: {len(manifest.files)} files agree with the manifest; ")
    assert f"from {CALLS} records; manifest digest {manifest.digest}\n" in done.out
    for shown in (
        f"Shown: {PROVES}.",
        f"Shown: {PROVES_KEYS}.",
        f"Not shown: {PROVES_NOT}.",
        f"Not shown: {NOT_ORIGINAL} (--expect SHA256).",
    ):
        assert shown in done.out.splitlines()


def test_every_kind_of_file_of_a_run_is_tried_below(built: Repository) -> None:
    def kind(name: str) -> str:
        return name if name.startswith("results/") else Path(name).parts[0] + name[name.rfind(".") :]

    assert {kind(name) for name in files(only_run(built))} == {kind(name) for name in KINDS}
    assert set(KINDS) <= set(files(only_run(built)))


def test_a_flipped_bit_of_any_kind_of_file_is_named(built: Repository) -> None:
    """Each file by one line; a manifest that was changed says nothing of the others."""
    run = only_run(built)
    for name in KINDS[1:]:
        flip(run / name, (run / name).stat().st_size // 2)
    assert sorted(line.split(": ")[0] for line in told(built).splitlines()) == sorted(str(run / n) for n in KINDS[1:])
    flip(run / KINDS[0], (run / KINDS[0]).stat().st_size // 2)
    assert str(run / KINDS[0]) in told(built)
    assert "\n" not in told(built)


@pytest.mark.parametrize("name", ["manifest.json", "responses/lead-2.jsonl"])
def test_the_command_exits_with_2_and_names_the_file(built: Repository, name: str) -> None:
    path = only_run(built) / name
    flip(path, path.stat().st_size // 2)
    done = nullbench(built.root, "verify")
    assert (done.code, done.out) == (2, "")
    assert f"runs/{only_run(built).name}/{name}: the " in done.err
    assert "Traceback" not in done.err


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """One contestant: small files, so that a random byte falls on each of them often enough."""
    repository = small_repository(tmp_path_factory.mktemp("tiny") / "board", ["null-constant"])
    build(repository)
    return repository


@given(data=st.data())
def test_any_byte_changed_cut_off_or_put_in_is_named(tiny: Repository, data: st.DataObject) -> None:
    run = only_run(tiny)
    name = data.draw(st.sampled_from(sorted(files(run))))
    whole = (run / name).read_bytes()
    place = data.draw(st.integers(0, len(whole) - 1))
    other = bytes([whole[place] ^ data.draw(st.integers(1, 255))])
    put_in = data.draw(st.binary(min_size=1, max_size=2))
    changes = [whole[:place] + other + whole[place + 1 :], whole[:place], whole[:place] + put_in + whole[place:]]
    try:
        (run / name).write_bytes(data.draw(st.sampled_from(changes)))
        assert str(run / name) in told(tiny)
    finally:
        (run / name).write_bytes(whole)


def test_missing_files_are_named_one_by_one(built: Repository) -> None:
    shard = only_run(built) / "judgments" / "lead-2.jsonl"
    shard.unlink()
    assert told(built) == f"{shard}: the file is missing"
    shutil.rmtree(only_run(built) / "results")
    lines = told(built).splitlines()
    assert len(lines) == 1 + sum(name.startswith("results/") for name in KINDS) == 21
    assert all(line.endswith(": the file is missing") for line in lines)


@pytest.mark.parametrize("name", ["notes.txt", "responses/stranger.jsonl", "results/main/.hidden", "specs/extra.yaml"])
def test_an_added_file_is_named(built: Repository, name: str) -> None:
    path = only_run(built) / name
    path.write_bytes(b"")
    assert told(built) == f"{path}: the file was added after the run was sealed"


def test_two_files_that_traded_places_are_both_named(built: Repository) -> None:
    """Their bytes are all there, and the records say whose they are; the paths do not fit."""
    run = only_run(built)
    one, other = run / "responses" / "lead-2.jsonl", run / "responses" / "paraphrase.jsonl"
    kept = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(kept)
    assert [line.split(":")[0] for line in told(built).splitlines()] == [str(one), str(other)]


def test_a_manifest_of_a_newer_format_says_to_update(built: Repository) -> None:
    run = only_run(built)
    write_manifest(run, replace(read_manifest(run), format=2))
    done = nullbench(built.root, "verify", run.name)
    assert done.code == 2
    assert done.message == (
        f"Error: runs/{run.name}/manifest.json: the manifest has format 2, this program reads up to 1; "
        "update nullbench-site to read this run"
    )
    assert nullbench(built.root, "build", "--no-render").message == done.message


def test_a_missing_manifest_is_named(built: Repository) -> None:
    run = only_run(built)
    (run / "manifest.json").unlink()
    assert nullbench(built.root, "verify", run.name).message == (
        f"Error: runs/{run.name}: found no manifest.json, so this is not a run folder; runs are in runs/"
    )


@pytest.mark.parametrize(("problems", "counted"), [(["a"], "1 problem"), (["a", "b"], "2 problems")])
def test_what_is_wrong_with_a_run_is_counted_below_it(problems: list[str], counted: str) -> None:
    assert str(not_sealed(Path("runs/one"), problems)).splitlines() == [
        *problems, f"{counted}: runs/one was changed after it was sealed",
    ]  # fmt: skip


def test_an_open_run_is_not_verified(repository: Repository) -> None:
    build(repository, "lead-2")
    assert told(repository) == f"{run_dir(repository)}: the run is not sealed yet; build it to its end first"


OTHER_NUMBERS = ": the records give other numbers; score the run again, or find the change"
KEY_OF = f"{ITEMS} records whose key does not match the request"


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("results/main/leaderboard.csv", "\n2,", "\n1,", f"results/main/leaderboard.csv{OTHER_NUMBERS}"),
        ("results/main/results.json", '"rank": 2', '"rank": 1', f"results/main/results.json{OTHER_NUMBERS}"),
        ("results/main/items.csv", "scored", "refused", f"results/main/items.csv{OTHER_NUMBERS}"),
        ("judgments/paraphrase.jsonl", '"goal_alignment":', '"goal_alignment":1', f"results.json{OTHER_NUMBERS}"),
        # The keys of the verdicts cover the text of the answer.
        ("responses/lead-2.jsonl", '"text":"', '"text":"X ', f"judgments/lead-2.jsonl: {JUDGES} of {ITEMS * JUDGES}"),
        ("responses/lead-2.jsonl", '"key":"', '"key":"0', f"responses/lead-2.jsonl: 1 of {KEY_OF}"),
        ("specs/goals/science.yaml", "weight: 3", "weight: 1", "specs: the specs have the digest "),
    ],
)
def test_an_edit_with_digests_that_fit_is_found_out_by_the_records_or_their_keys(
    built: Repository, name: str, old: str, new: str, said: str
) -> None:
    run = only_run(built)
    edit(run / name, old, new)
    reseal(run)
    assert said in told(built)


def test_records_taken_away_with_digests_and_counts_that_fit_are_missed(built: Repository) -> None:
    run = only_run(built)
    shard = run / "judgments" / "lead-2.jsonl"
    shard.write_bytes(b"".join(shard.read_bytes().splitlines(keepends=True)[1:]))
    folder = RunFolder(run, read_manifest(run))
    folder.note(folder.tally())
    reseal(run)
    assert f"{run}: 1 call of its specs without a record" in told(built)


@pytest.mark.parametrize(
    "change",
    [{"cost_usd": 4.5}, {"counts": Counts(answered=CALLS)}, {"usage": Usages(contestants={"lead-2": Usage(3, 1)})}],
)
def test_costs_and_counts_edited_in_the_manifest_do_not_follow_from_the_records(
    built: Repository, change: dict[str, object]
) -> None:
    run = only_run(built)
    write_manifest(run, replace(read_manifest(run), **change))
    assert told(built) == f"{run}: the counts, tokens or costs in the manifest differ from those of the records"


@pytest.mark.parametrize("field", ["rationale", "started_at"])
def test_what_no_local_check_can_see_is_seen_by_a_digest_kept_elsewhere(built: Repository, field: str) -> None:
    run = only_run(built)
    kept = read_manifest(run).digest
    edit(run / "judgments" / "lead-2.jsonl", f'"{field}":"', f'"{field}":"2')
    reseal(run)
    done = nullbench(built.root, "verify")
    assert (done.code, f"Not shown: {NOT_ORIGINAL}" in done.out) == (0, True)
    done = nullbench(built.root, "verify", "--expect", kept)
    assert (done.code, done.out) == (2, "")
    assert f"its digest is {read_manifest(run).digest}, expected {kept}" in done.err


def test_a_digest_kept_elsewhere_may_be_in_either_case_or_that_of_the_file(built: Repository) -> None:
    run = only_run(built)
    digest, file = read_manifest(run).digest, sha256((run / "manifest.json").read_bytes())
    for expected in (digest, digest.upper(), f"sha256:{digest}", file):
        done = nullbench(built.root, "verify", "--expect", expected)
        assert done.code == 0
        assert "Shown: the manifest has the expected digest." in done.out
        assert NOT_ORIGINAL not in done.out


@pytest.mark.parametrize("digest", ["", "abc", "g" * 64, "a" * 63, "a" * 65, f"{'a' * 64}\n"])
def test_what_is_no_digest_is_refused(built: Repository, digest: str) -> None:
    done = nullbench(built.root, "verify", "--expect", digest)
    assert (done.code, "64 hex digits" in done.err) == (2, True)


def test_scoring_a_sealed_run_again_changes_no_byte(built: Repository) -> None:
    before = files(built.runs)
    assert api.score(built, None) == only_run(built)
    assert files(built.runs) == before


def test_scoring_puts_damaged_results_right(built: Repository) -> None:
    before = files(built.runs)
    (only_run(built) / "results" / "main" / "leaderboard.csv").write_text("rank\n1\n", "utf-8")
    (only_run(built) / "results" / "main" / "items.csv").unlink()
    assert told(built) != ""
    api.score(built, None)
    assert files(built.runs) == before
    assert told(built) == ""


@pytest.mark.parametrize("name", ["responses/lead-2.jsonl", "judgments/lead-2.jsonl", "specs/axes.yaml"])
def test_scoring_does_not_seal_changed_records_or_specs(built: Repository, name: str) -> None:
    """Or else `verify` would pass afterwards."""
    path = only_run(built) / name
    flip(path, path.stat().st_size // 2)
    before = files(built.runs)
    with pytest.raises(RunError, match=f"{path}: the file was changed after the run was sealed"):
        api.score(built, None)
    assert files(built.runs) == before


def test_a_build_does_not_copy_from_a_changed_run(built: Repository) -> None:
    """And goes on once the run is as it was, or gone."""
    run = only_run(built)
    shard = run / "responses" / "lead-2.jsonl"
    flip(shard, shard.stat().st_size // 2)
    edit(built.specs / "goals" / "science.yaml", "weight: 3", "weight: 1")
    done = nullbench(built.root, "build", "--no-render")
    assert done.code == 2
    assert done.message == (
        f"Error: runs/{run.name}/responses/lead-2.jsonl: the file was changed after the run was sealed; "
        "restore it from git, or delete the run folder and build again"
    )
    shutil.rmtree(run)
    assert build(built).calls.made == CALLS
    assert told(built) == ""


def test_a_run_is_verified_wherever_it_stands(built: Repository, tmp_path: Path) -> None:
    """Someone who has nothing but the folder checks it, from any folder."""
    moved = copy_of(Repository(only_run(built)), tmp_path / "downloaded").root
    (tmp_path / "elsewhere").mkdir()
    assert nullbench(tmp_path / "elsewhere", "verify", str(moved)).code == 0
    assert api.verify(Repository(tmp_path), str(moved))[1] == []
    assert not (tmp_path / "elsewhere" / "runs").exists()
