"""Why a call is known or not, told from real runs and changed specs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.evidence import files
from support.fakes import FakeBackend, is_judging, use
from support.repositories import JUDGES, MODELS, add_model, build, edit, run_dir

from nullbench_site import api
from nullbench_site.api import Repository
from nullbench_site.errors import UsageError
from nullbench_site.evaluation.backends.programs import ProgramsBackend
from nullbench_site.evaluation.explain import KeyStanding, Standing
from nullbench_site.runs.catalog import list_runs
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import Response

ITEM = "clinical-evidence-01"


def of_item(repository: Repository, model: str | None = "lead-2", judge: str | None = None) -> list[Standing]:
    found = api.explain(repository, ITEM, model=model, judge=judge)
    assert isinstance(found, list)
    return found


def of_key(repository: Repository, key: str) -> KeyStanding:
    found = api.explain(repository, key)
    assert isinstance(found, KeyStanding)
    return found


def key_of(repository: Repository, model: str = "lead-2") -> str:
    """The key of the contestant's newest record on the item."""
    entry = list_runs(repository.runs)[-1]
    records = list(RunFolder(entry.path, entry.manifest).records(Response, model))
    return next(record.key for record in records if record.item == ITEM)


def test_a_call_that_was_never_asked_is_said_to_be_so_and_its_judges_have_nothing_to_judge(
    repository: Repository,
) -> None:
    contestant, *judges = of_item(repository)
    assert (contestant.known, contestant.why) == (False, "never asked")
    assert {judge.why for judge in judges} == {"there is no response to judge yet"}
    assert [judge.call.request for judge in judges] == [None] * JUDGES


def test_a_known_call_is_told_with_its_run_file_and_line(built: Repository) -> None:
    standings = of_item(built, model=None)
    assert len(standings) == len(MODELS) * (1 + JUDGES)
    assert all(standing.known for standing in standings)
    contestant = of_item(built)[0]
    assert contestant.call.request is not None
    lines = (run_dir(built) / "responses" / "lead-2.jsonl").read_bytes().splitlines()
    (number,) = (n for n, line in enumerate(lines, start=1) if contestant.call.request.key().encode() in line)
    assert contestant.why == f"known: run {run_dir(built).name}, responses/lead-2.jsonl:{number}"


def test_calls_can_be_filtered_by_contestant_and_judge(built: Repository) -> None:
    assert [s.call.who for s in of_item(built, judge="form")] == ["judge form"]
    assert [s.call.target.model.id for s in of_item(built, model=None, judge="form")] == list(MODELS)


def test_a_call_that_failed_is_told_with_what_asks_it_again(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        use(patched, FakeBackend(fails=lambda request: request.model in ("lead", "form")))
        build(repository)
    contestant, *judges = of_item(repository)
    assert not contestant.known
    assert contestant.why.endswith(
        "but failed; build --retry-failed asks again: 'no answer from lead: the line is dead'"
    )
    assert {judge.why for judge in judges} == {"there is no response to judge yet"}
    form = next(s for s in of_item(repository, model="paraphrase") if s.call.who == "judge form")
    assert "asks again: 'no answer from form: the line is dead'" in form.why


CHANGES: dict[str, tuple[Callable[[Path], object], int, str]] = {
    "a task": (
        lambda specs: edit(specs / "domains" / "science.yaml", "task: >-\n", "task: >-\n          Please.\n"),
        0, "the task changed: the messages differ",
    ),
    "a parameter": (lambda specs: edit(specs / "models" / "lead-2.yaml", "k: 2", "k: 1"), 0, "params: k 2 -> 1"),
    "a model": (
        lambda specs: edit(specs / "models" / "lead-2.yaml", "model: lead", "model: textrank"),
        0, "model: 'lead' -> 'textrank'",
    ),
    "decoding": (
        lambda specs: edit(specs / "boards" / "main.yaml", "id: main\n", "id: main\ndecoding: {temperature: 0.7}\n"),
        0, "decoding: temperature 0.0 -> 0.7",
    ),
    "a goal": (
        lambda specs: edit(specs / "goals" / "science.yaml", "weight: 3", "weight: 1"),
        1, "the goal changed: the fields differ",
    ),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_since_a_call_was_asked_is_named(built: Repository, change: str) -> None:
    edit_specs, row, expected = CHANGES[change]
    edit_specs(built.specs)
    standing = of_item(built)[row]
    assert not standing.known
    folder = ("responses", "judgments")[row]
    assert standing.why.startswith(f"asked otherwise in run {run_dir(built).name}, {folder}/lead-2.jsonl:")
    assert standing.why.split(": ", 1)[1] == expected


def test_a_judge_that_is_another_program_now_is_named(repository: Repository) -> None:
    """Of a panel without `form`, whose verdicts would be known."""
    edit(repository.specs / "judges.yaml", "[support, restraint, form]", "[support, restraint]")
    build(repository)
    edit(repository.specs / "judges.yaml", "model: support", "model: form")
    standing = of_item(repository)[1]
    assert not standing.known
    assert standing.why.split(": ", 1)[1] == "model: 'support' -> 'form'"


def test_a_changed_template_changes_the_messages(built: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs do not read messages, but they are a part of the request all the same."""
    template = next((built.specs / "templates").glob("*.j2"))
    template.write_text(template.read_text("utf-8") + "\nBe brief.\n", "utf-8")
    assert of_item(built)[0].why.endswith(": the template changed: the messages differ")


def test_another_response_is_why_a_judge_is_asked_again(built: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    edit(built.specs / "models" / "lead-2.yaml", "k: 2", "k: 1")
    use(monkeypatch, FakeBackend(fails=is_judging))
    build(built, "lead-2")
    failed = of_item(built)[1]
    assert "but failed" in failed.why
    for path in run_dir(built).glob("judgments/*.jsonl"):
        path.unlink()
    judge = of_item(built)[1]
    assert "asked otherwise" in judge.why
    assert judge.why.endswith(": the response changed: the fields differ")


def test_a_new_revision_of_a_program_is_why_it_is_asked_again(
    built: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, FakeBackend(identity="offline@99"))
    assert of_item(built)[0].why.endswith(f": backend: {ProgramsBackend.identity} -> offline@99")


def test_a_request_of_another_program_is_not_guessed_at(built: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, FakeBackend(identity="elsewhere@1"))
    assert "its request cannot be rebuilt; it was made by 'nullbench-site" in of_item(built)[0].why


def test_specs_of_a_run_that_cannot_be_read_are_no_error(built: Repository) -> None:
    edit(built.specs / "models" / "lead-2.yaml", "k: 2", "k: 1")
    (run_dir(built) / "specs" / "axes.yaml").write_text("axes: \x1b[2J", "utf-8")
    why = of_item(built)[0].why
    assert "its request cannot be rebuilt, as the specs of that run cannot be read" in why
    assert why.isprintable()


def test_a_fresh_run_takes_nothing_from_others(built: Repository) -> None:
    build(built, "paraphrase", fresh=True)
    # The sealed run still answers a plain build; without it the fresh one is gone on with.
    assert of_item(built)[0].known
    edit(built.specs / "goals" / "science.yaml", "weight: 3", "weight: 1")
    build(built, "paraphrase", fresh=True)
    standing = of_item(built)[0]
    assert not standing.known
    assert standing.why.endswith(f"but run {run_dir(built).name} is to take none from others")
    assert of_item(built, model="paraphrase")[0].known


def test_a_key_tells_who_holds_it_and_which_call_it_answers(built: Repository) -> None:
    key = key_of(built)
    for name in (key, key[:6], key[:20]):
        found = of_key(built, name)
        assert found.key == key
        assert [held.path.name for held in found.held] == ["lead-2.jsonl"]
        assert found.standing is not None
        assert found.standing.known
        assert (found.standing.call.who, found.standing.call.target.placed.id) == ("contestant lead-2", ITEM)


def test_a_key_of_a_call_that_changed_tells_what_changed(built: Repository) -> None:
    key = key_of(built)
    edit(built.specs / "models" / "lead-2.yaml", "k: 2", "k: 1")
    found = of_key(built, key)
    assert found.standing is None
    assert found.why == "contestant lead-2 is asked otherwise there: params: k 2 -> 1"


def test_a_key_of_a_contestant_that_left_is_no_call_of_the_board(built: Repository) -> None:
    key = key_of(built)
    (built.specs / "models" / "lead-2.yaml").unlink()
    assert of_key(built, key).why.startswith("these boards ask nothing of the kind")


def test_a_key_that_no_run_holds_may_still_be_a_call_to_make(built: Repository) -> None:
    add_model(built, "lead-1", "lead", "{k: 1}")
    request = of_item(built, model="lead-1")[0].call.request
    assert request is not None
    found = of_key(built, request.key()[:12])
    assert (found.key, found.held) == (request.key(), ())
    assert found.standing is not None
    assert found.standing.why == "never asked"


def test_a_name_that_is_nothing_is_refused_with_the_nearest_one(built: Repository) -> None:
    with pytest.raises(UsageError, match=r"there is no item 'clinical-evidence-1' on these boards; did you mean"):
        api.explain(built, "clinical-evidence-1")
    with pytest.raises(UsageError, match="no run holds a call with the key 000000, and these boards make none with it"):
        api.explain(built, "000000")
    with pytest.raises(UsageError, match="a judge 'from'; did you mean 'form'"):
        api.explain(built, ITEM, judge="from")
    with pytest.raises(UsageError, match="'leed-2' is no contestant of 'main'; did you mean 'lead-2'"):
        api.explain(built, ITEM, model="leed-2")


def test_a_prefix_of_several_keys_is_refused(built: Repository) -> None:
    shard = run_dir(built) / "responses" / "lead-2.jsonl"
    lines = [b'{"key":"abcdef' + line[14:] for line in shard.read_bytes().splitlines(keepends=True)]
    shard.write_bytes(b"".join(lines))
    with pytest.raises(
        UsageError, match="12 calls have a key that begins with abcdef; give more of it, such as abcdef"
    ):
        api.explain(built, "abcdef")


def test_explaining_writes_nothing_and_needs_no_lock(built: Repository) -> None:
    before = files(built.root)
    built.runs.chmod(0o500)
    try:
        of_item(built, model=None)
        of_key(built, key_of(built))
    finally:
        built.runs.chmod(0o700)
    assert files(built.root) == before


def test_a_line_that_a_running_build_is_writing_is_passed_over(repository: Repository) -> None:
    build(repository, "lead-2")
    with (run_dir(repository) / "responses" / "lead-2.jsonl").open("ab") as shard:
        shard.write(b'{"key":"abcdef","item":"' + ITEM.encode())
    assert of_item(repository)[0].known
