"""`nullbench-site submit check`: what somebody brings, looked at before anybody takes it."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from interop.test_answers import BOARD, answers_to, bring, items_of, write
from support.commands import nullbench
from support.evidence import files
from support.repositories import ITEMS, copy_of, edit, run_dir

from nullbench_site import api
from nullbench_site.errors import UsageError
from nullbench_site.interop.answers.checking import SubmissionReport
from nullbench_site.repository import Repository
from nullbench_site.runs.records import Response, read_records
from nullbench_site.specs.digest import sha256

MODEL, ANSWERS = "specs/models/sub.yaml", "answers/sub.jsonl"


@pytest.fixture
def submission(repository: Repository, tmp_path: Path) -> Path:
    """A folder with what `import answers` made elsewhere, and nothing else."""
    other = copy_of(repository, tmp_path / "other")
    more = [
        {**answer, "text": f"{answer['text']} It goes on.", "response_id": f"resp-{n}"}
        for n, answer in enumerate(answers_to(other))
    ]
    bring(other, write(other, more))
    folder = tmp_path / "theirs"
    for name in (MODEL, ANSWERS):
        (folder / name).parent.mkdir(parents=True)
        shutil.copyfile(other.root / name, folder / name)
    return folder


def check(repository: Repository, folder: Path, model: str | None = None) -> SubmissionReport:
    before = files(repository.root)
    found = api.check_submission(repository, folder, model)
    assert files(repository.root) == before
    return found


def errors(checked: SubmissionReport) -> list[str]:
    return [str(each) for each in checked.findings if each.level == "error"]


def warnings(checked: SubmissionReport) -> list[str]:
    return [str(each) for each in checked.findings if each.level == "warning"]


def change(folder: Path, edit: Callable[[list[dict[str, Any]]], None]) -> None:
    """Change the answers, and the digest that the contestant's file names."""
    path = folder / ANSWERS
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    edit(lines)
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines), "utf-8")
    model = folder / MODEL
    digest = f"sha256:{sha256(path.read_bytes())}"
    model.write_text(re.sub(r"sha256:[0-9a-f]{64}", digest, model.read_text("utf-8")), "utf-8")


def test_a_sound_submission_can_be_taken_and_says_what_it_covers(repository: Repository, submission: Path) -> None:
    found = check(repository, submission)
    assert (errors(found), warnings(found), found.taken) == ([], [], True)
    assert [(each.board, each.answered, each.of, each.private) for each in found.boards] == [(BOARD, ITEMS, ITEMS, 0)]
    assert (found.model, found.answers, found.response_ids, found.provenance) == ("sub", ITEMS, ITEMS, None)
    done = nullbench(repository.root, "submit", "check", str(submission))
    assert done.code == 0
    assert done.out.splitlines()[-3:] == [
        f"main: {ITEMS} of {ITEMS} items answered",
        f"sub: {ITEMS} of {ITEMS} answers with a response id; file {found.sha256[:19]}; claimed provenance: none",
        "can be accepted",
    ]
    printed = json.loads(nullbench(repository.root, "submit", "check", str(submission), "--json").out)
    assert (printed["taken"], printed["boards"][0]["answered"]) == (True, ITEMS)


@pytest.mark.parametrize("broken", ["id: sub\ntitle: [\n", "id: sub\n"])
def test_of_a_model_file_that_does_not_hold_nothing_is_said_about_answers(
    repository: Repository, submission: Path, broken: str
) -> None:
    (submission / MODEL).write_text(broken, "utf-8")
    found = check(repository, submission)
    assert (found.taken, found.sha256, found.answers, found.response_ids) == (False, None, None, None)
    assert list(found.lines())[-2] == "sub: its answers were not checked"


def _drop(lines: list[dict[str, Any]]) -> None:
    del lines[3:5]


def _twice(lines: list[dict[str, Any]]) -> None:
    lines.insert(1, lines[0])


def _rename(lines: list[dict[str, Any]]) -> None:
    lines[0]["item"] = lines[0]["item"][:-1] + "x"


def _reword(lines: list[dict[str, Any]]) -> None:
    lines[1]["asked"] = "0" * 64


def _resample(lines: list[dict[str, Any]]) -> None:
    lines[2]["sample"] = 7


def _hash(lines: list[dict[str, Any]]) -> None:
    lines[0] = {name: lines[0][name] for name in ("board", "item", "sample")} | {"hidden": "sha256:0"}


def _other_board(lines: list[dict[str, Any]]) -> None:
    lines[0]["board"] = "mian"


REFUSED: dict[str, tuple[Callable[[list[dict[str, Any]]], None], str]] = {
    "items without an answer": (_drop, "answers/sub.jsonl:11:1: error: no answer to 2 items of 'main': '"),
    "an item answered twice": (_twice, "answers/sub.jsonl:2:1: error: duplicate answer to item '"),
    "an item that is none": (_rename, "answers/sub.jsonl:1:1: error: 'main' has no item '"),
    "another wording": (_reword, "answers/sub.jsonl:2:1: error: answers an older wording of the prompt of '"),
    "a sample too many": (_resample, "answers/sub.jsonl:3:1: error: found sample 7; 'main' takes only sample 0"),
    "a hash of a public answer": (_hash, "answers/sub.jsonl:1:1: error: the item '"),
    "a board that is none": (
        _other_board,
        "answers/sub.jsonl:1:1: error: unknown board 'mian'; did you mean 'main'",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_keeps_a_submission_from_being_taken_is_a_line_at_its_place(
    repository: Repository, submission: Path, case: str
) -> None:
    spoil, line = REFUSED[case]
    change(submission, spoil)
    found = check(repository, submission)
    assert not found.taken
    assert any(each.startswith(line) for each in errors(found)), errors(found)
    assert nullbench(repository.root, "submit", "check", str(submission)).code == 2


def test_a_file_of_another_digest_and_lines_that_are_no_answers_are_named(
    repository: Repository, submission: Path
) -> None:
    with (submission / ANSWERS).open("a") as file:
        file.write('{"board": "main"}\nno json\n{"board": "a", "item": "b", "item": "c", "sample": 0}\n')
    found = errors(check(repository, submission))
    assert [each.split(": ", 2)[:2] for each in found] == [
        [f"answers/sub.jsonl:{ITEMS + 1}:1", "error"],
        [f"answers/sub.jsonl:{ITEMS + 2}:1", "error"],
        [f"answers/sub.jsonl:{ITEMS + 3}:1", "error"],
        [f"answers/sub.jsonl:{ITEMS + 3}:1", "error"],
        ["specs/models/sub.yaml:11:12", "error"],
    ]
    assert found[2].endswith("duplicate key 'item'; keep one")
    assert "has another digest" in found[4]


def test_answers_of_somebody_known_are_told_whether_they_are_in_a_run_or_were_brought(
    built: Repository, submission: Path
) -> None:
    known = {each.item: each.text for each in read_records(run_dir(built) / "responses/paraphrase.jsonl", Response)}

    def copy(lines: list[dict[str, Any]]) -> None:
        for line in lines[:5]:
            line["text"] = known[line["item"]]

    change(submission, copy)
    (line,) = warnings(check(built, submission))
    same = f"5 of {ITEMS} answers of 40 characters or more are identical to those of 'paraphrase'"
    assert line == f"answers/sub.jsonl:1:1: warning: {same}; the first is this one"
    theirs = [json.loads(line) for line in (submission / ANSWERS).read_text("utf-8").splitlines()]
    again = [{"item": line["item"], "text": line["text"]} for line in theirs]
    bring(built, write(built, again), model="earlier")
    (brought, _) = warnings(check(built, submission))
    assert f"{ITEMS} of {ITEMS} answers of 40 characters or more are identical to those of 'earlier'" in brought


def test_the_same_answer_twice_and_the_same_response_id_are_told(repository: Repository, submission: Path) -> None:
    def repeat(lines: list[dict[str, Any]]) -> None:
        lines[4]["text"] = lines[1]["text"]
        lines[6]["response_id"] = lines[2]["response_id"]
        del lines[8]["response_id"]

    change(submission, repeat)
    found = check(repository, submission)
    assert found.taken
    assert [each.split(": ", 2)[0] for each in warnings(found)] == ["answers/sub.jsonl:5:1", "answers/sub.jsonl:7:1"]
    assert "in line 2" in warnings(found)[0]
    assert "first in line 3" in warnings(found)[1]
    assert found.response_ids == ITEMS - 1


def test_an_id_that_is_taken_and_judges_of_its_family_are_told(repository: Repository, submission: Path) -> None:
    judges = repository.specs / "judges.yaml"
    one = re.search(r"(?ms)- id: support\n.*?\n *family: \S+", judges.read_text("utf-8"))
    edit(judges, one[0], re.sub(r"family: \S+", "family: sub", one[0]))
    (line,) = warnings(check(repository, submission))
    assert line.startswith("specs/models/sub.yaml:")
    assert "the family 'sub' excludes 'support' of 'main' from scoring it; 2 of 3 judges score it" in line
    edit(submission / MODEL, "family: sub", "family: rules")
    edit(judges, "family: sub", "family: rules")
    assert any("no judge of panel 'rules' may score 'sub'" in each for each in errors(check(repository, submission)))
    edit(submission / MODEL, "family: rules", "family: sub")
    shutil.copyfile(submission / MODEL, repository.specs / "models/sub.yaml")
    edit(repository.specs / "models/sub.yaml", "title: ", "title: Another ")
    assert any("the repository has another contestant 'sub'" in each for each in errors(check(repository, submission)))


def test_a_private_item_in_plain_words_is_refused_and_its_words_are_not_repeated(
    repository: Repository, submission: Path
) -> None:
    item = items_of(repository)[0]
    api.hide(repository, "science", [item])
    found = check(repository, submission)
    (line,) = errors(found)
    assert line.startswith(f"answers/sub.jsonl:1:1: error: the answer to the private item {item!r} is published here")
    assert "An answer, number 0" not in json.dumps([str(each) for each in found.findings])


def test_a_repository_that_has_it_already_can_check_it_by_name(repository: Repository) -> None:
    bring(repository, write(repository, answers_to(repository)))
    assert check(repository, repository.root, "sub").taken
    with pytest.raises(UsageError, match=r"expected one specs/models/<id>.yaml, found 4; choose one with --model"):
        check(repository, repository.root)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda folder: (folder / ANSWERS).unlink(), "found no answers/sub.jsonl"),
        (lambda folder: (folder / MODEL).unlink(), "expected one specs/models/<id>.yaml, found none"),
        (lambda folder: _linked(folder / ANSWERS), "answers/sub.jsonl is or is below a symbolic link"),
        (lambda folder: _linked(folder / "answers"), "answers/sub.jsonl is or is below a symbolic link"),
        (lambda folder: _piped(folder / ANSWERS), "answers/sub.jsonl: not a regular file; put a regular file here"),
    ],
)
def test_a_folder_that_is_no_submission_is_one_line(
    repository: Repository, submission: Path, spoil: Callable[[Path], object], said: str
) -> None:
    spoil(submission)
    with pytest.raises(UsageError, match=re.escape(said)) as refused:
        check(repository, submission)
    assert "\n" not in str(refused.value)


def _piped(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _linked(path: Path) -> None:
    target = path.with_name("elsewhere")
    path.rename(target)
    path.symlink_to(target)


def test_a_model_file_that_breaks_a_rule_is_told_at_its_line_and_one_that_brings_no_answers_too(
    repository: Repository, submission: Path
) -> None:
    model = submission / MODEL
    whole = model.read_text("utf-8")
    model.write_text(whole.replace("kind: model", "kind: modle"), "utf-8")
    (line,) = errors(check(repository, submission))
    assert line.startswith("specs/models/sub.yaml:")
    assert "modle" in line
    model.write_text(
        re.sub(r"(?s)backend: recorded.*", "backend: offline\nmodel: paraphrase\nfamily: sub\n", whole), "utf-8"
    )
    (line,) = errors(check(repository, submission))
    assert "a submission has recorded answers: expected backend: recorded" in line
