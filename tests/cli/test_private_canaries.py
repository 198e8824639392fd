"""Private items through the real command line: no word of theirs in anything that is published or said."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.commands import Finished, nullbench, start
from support.evidence import records, shown_answers
from support.fault_server import Canned
from support.private import (
    DOMAIN,
    HIDDEN,
    IN_RECORDS,
    IN_SPECS,
    OPEN,
    SECRET,
    SHOWN,
    Echo,
    git,
    holding,
    name_endpoint,
    tracked,
    vault_repository,
)
from support.repositories import run_dir

from nullbench_site import api
from nullbench_site.errors import SpecError
from nullbench_site.repository import Repository

LIVE = ("--profile", "live")
DOMAIN_FILE = "specs/domains/vault.yaml"


@dataclass
class Built:
    """A repository with private items after a build, and what its commands said."""

    repository: Repository
    server: Echo
    said: list[Finished]

    def run(self, *arguments: str) -> Finished:
        done = nullbench(self.repository.root, *arguments)
        self.said.append(done)
        return done


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    repository = vault_repository(tmp_path_factory.mktemp("vault"), geval=True)
    with Echo() as server:
        name_endpoint(repository, server.url)
        built = Built(repository, server, [])
        assert built.run("hide", DOMAIN, *HIDDEN).code == 0
        assert built.run("build", *LIVE).code == 0
        yield built


@pytest.fixture
def built(original: Built, tmp_path: Path) -> Built:
    """A copy, whose server counts from nothing."""
    shutil.copytree(original.repository.root, tmp_path / "copy", symlinks=True)
    original.server.forget()
    return Built(Repository(tmp_path / "copy"), original.server, list(original.said))


def assert_unpublished(repository: Repository, said: list[Finished]) -> None:
    for done in said:
        assert "Traceback" not in done.err
        assert SECRET not in (done.out + done.err).lower()
    files = tracked(repository)
    assert holding(iter(files), SECRET) == []
    assert holding(repository.site.rglob("*"), SECRET) == []
    assert holding(repository.cache.rglob("*"), SECRET) == [], "what is rendered and cached is made of published files"
    names = [path.relative_to(repository.root).parts for path in files]
    assert not [parts for parts in names if "private" in parts]


def test_no_published_file_has_text_of_a_private_item(original: Built) -> None:
    repository = original.repository
    assert_unpublished(repository, original.said)
    told = "".join(done.err for done in original.said)
    assert "answered as another model (name withheld: the item is private)" in told
    assert f"answered as '{OPEN}served" in told
    kept = run_dir(repository) / "private"
    for word in (*IN_SPECS, *IN_RECORDS):
        assert holding(kept.rglob("*"), SECRET + word), f"the canary {word} was never planted"


def test_the_same_search_finds_the_words_of_a_public_item(original: Built) -> None:
    repository = original.repository
    published = tracked(repository)
    for word in IN_SPECS:
        assert holding(iter(published), OPEN + word), word
    for word in IN_RECORDS:
        assert holding((run_dir(repository) / "judgments").rglob("*"), OPEN + word) or holding(
            (run_dir(repository) / "responses").rglob("*"), OPEN + word
        ), word
    for word in ("prompt", "ideal", "criterion", "flag", "answer", "thought", "rationale", "error", "reason"):
        assert holding(repository.site.rglob("*"), OPEN + word), word


def test_the_scores_of_private_items_are_published(original: Built) -> None:
    (folder,) = original.repository.site.rglob("answers/parrot")
    answers = shown_answers(original.repository.site, folder.parts[-3], "parrot")
    for item in (*HIDDEN, SHOWN):
        assert answers[item]["score"]["judge_mean"] is not None


def test_no_later_command_prints_or_publishes_private_text(built: Built) -> None:
    for arguments in (
        ("validate",),
        ("plan", *LIVE, "--fresh"),
        ("plan", *LIVE, "--why"),
        ("verify",),
        ("score",),
        ("render",),
        ("rejudge", *LIVE, "--judge", "anna", "--fresh", "--no-render"),
        ("build", *LIVE, "--retry-failed", "--json"),
        ("verify",),
    ):
        assert built.run(*arguments).code == 0, built.said[-1]
    assert not [seen for seen in built.server.seen if seen.body["model"] == "parrot-1"], "its answers are known"
    assert_unpublished(built.repository, built.said)


@pytest.mark.parametrize(
    ("refusal", "options"),
    [
        pytest.param(Canned({"error": {"code": "invalid_request_error"}}, 422), [], id="a stopped model"),
        pytest.param(
            Canned({"error": {"code": "insufficient_quota"}}, 429),
            ["--json"],
            id="a stopped endpoint",
            marks=pytest.mark.sweep,
        ),
        pytest.param(
            Canned({"error": {"code": "server_error"}}, 500), [], id="one that is down", marks=pytest.mark.sweep
        ),
        pytest.param(Canned({"error": {"code": "model_not_found"}}, 404), ["--json"], id="an unknown model"),
    ],
)
def test_a_stop_does_not_repeat_private_text_of_a_server(tmp_path: Path, refusal: Canned, options: list[str]) -> None:
    repository = vault_repository(tmp_path)
    board = repository.specs / "boards/questions.yaml"
    board.write_text(board.read_text("utf-8").replace("[vault, wording]", "[vault]"), "utf-8")
    limits = "{attempts: 1, concurrency: 1}"
    (repository.specs / "endpoints.yaml").write_text(
        'canary: "nullbench-canary:5b000000-0000-4000-8000-0000000000bb"\nendpoints:\n'
        f"  - {{id: openai, base_url_env: OPENAI_BASE_URL, key_env: OPENAI_API_KEY, limits: {limits}}}\n", "utf-8"
    )  # fmt: skip
    with Echo() as server:
        name_endpoint(repository, server.url)
        server.breaks = refusal
        said = [nullbench(tmp_path, "hide", DOMAIN, *HIDDEN, SHOWN)]
        said.append(nullbench(tmp_path, "build", "--no-render", *LIVE, *options))
    assert said[-1].code == 3, said[-1].err
    assert "message withheld: the item is private" in said[-1].err
    for done in said:
        assert "Traceback" not in done.err
        assert not [word for word in (SECRET, OPEN) if word in done.out + done.err]
    assert holding(iter(tracked(repository)), SECRET) == []


def test_a_killed_build_publishes_nothing_and_the_next_resumes(tmp_path: Path) -> None:
    repository = vault_repository(tmp_path)
    with Echo() as server:
        name_endpoint(repository, server.url)
        said = [nullbench(tmp_path, "hide", DOMAIN, *HIDDEN)]
        server.hangs_after = 14
        process = start(tmp_path, "build", *LIVE, "--no-render")
        deadline = time.monotonic() + 60
        while server.in_flight or not server.hanging or not recorded(repository, server):
            assert time.monotonic() < deadline, "the build never came so far"
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        said.append(Finished(process.returncode, out, err))
        assert holding(iter(tracked(repository)), SECRET) == []
        assert holding((run_dir(repository) / "private").rglob("*"), SECRET)

        server.hangs_after, answered = None, asked(server)
        server.seen.clear()
        said.append(nullbench(tmp_path, "build", *LIVE))
        assert said[-1].code == 0, said[-1].err
        assert answered
        assert not answered & asked(server)
        said.append(nullbench(tmp_path, "verify"))
        assert said[-1].code == 0, said[-1].err
    assert_unpublished(repository, said)


def test_imported_answers_are_hidden_with_their_item(tmp_path: Path) -> None:
    repository = vault_repository(tmp_path / "board")
    benchmark = api.validate(repository)
    items = [placed.id for placed in benchmark.items(benchmark.boards["questions"])]
    words = {item: f"{SECRET if item in HIDDEN else OPEN}answer to {item}" for item in items}
    brought = tmp_path / "brought.jsonl"
    brought.write_text("".join(json.dumps({"item": item, "text": words[item]}) + "\n" for item in items), "utf-8")
    root = repository.root
    for model in ("sub", "other"):
        done = nullbench(root, "import", "answers", str(brought), "--board", "questions", "--model", model)
        assert done.code == 0, done.err
    assert len(holding(iter(tracked(repository)), f"{SECRET}answer")) == 2, "both are published while the item is"

    said = [nullbench(root, "hide", DOMAIN, *HIDDEN)]
    assert said[0].code == 0, said[0].err
    assert "moved 4 imported responses to private/answers; keep a copy of that folder" in said[0].err.splitlines()
    for arguments in (("validate",), ("build", "--strict"), ("verify",)):
        said.append(nullbench(root, *arguments))
        assert said[-1].code == 0, said[-1].err
    assert_unpublished(repository, said)
    assert holding((root / "answers").rglob("*"), f"{OPEN}answer"), "what is public stays where it was"
    for model in ("sub", "other"):
        records = (run_dir(repository) / f"private/responses/{model}.jsonl").read_text("utf-8").splitlines()
        assert {json.loads(line)["text"] for line in records} == {words[item] for item in HIDDEN}
        (folder,) = repository.site.rglob(f"answers/{model}")
        shown = shown_answers(repository.site, folder.parts[-3], model)
        assert {item for item in items if shown[item]["score"]["judge_mean"] is not None} == {*items}


ALWAYS_READ = {"parrot": "parrot-1", "anna": "anna-1"}
"""The contestant and the judge whose every answer is taken as it comes, and what the server knows them by."""


def recorded(repository: Repository, server: Echo) -> bool:
    """Whether all is on disk that it answered of those two."""
    run = run_dir(repository)
    kept = {record["key"]: record for kind in ("responses", "judgments") for record in records(run, kind)}
    of = Counter(record.get("judge", record["model"]) for record in kept.values())
    seen = Counter(each.body["model"] for each in server.seen)
    return all(of[name] == seen[model] for name, model in ALWAYS_READ.items())


def asked(server: Echo) -> set[str]:
    """What it was asked of them so far."""
    return {json.dumps(seen.body) for seen in server.seen if seen.body["model"] in ALWAYS_READ.values()}


def test_an_error_of_a_private_file_shows_only_its_place(built: Built) -> None:
    path = built.repository.root / "private/vault.jsonl"
    whole = path.read_text("utf-8")
    for old, new in (
        ('"criteria":[', f'"criteria":["{SECRET} {"x" * 600}",'),
        ('"prompt":"', '"prompt":7,"more":"'),
        (f'"words":["{SECRET}flag"', f'"words":["{SECRET} .. .. |"'),
        ('"type":"checklist"', f'"type":"{SECRET}"'),
        ('"ideal":"The', f'"ideal":"{SECRET}","ideal":"The'),
        ('"salt":"', f'"salt":"{SECRET}'),
        ("}\n", ""),
        ('{"checks"', f'{SECRET}: &{SECRET} *{SECRET}\n{{"checks"'),
    ):
        assert old in whole
        path.write_text(whole.replace(old, new, 1), "utf-8")
        with pytest.raises(SpecError) as refused:
            api.validate(built.repository)
        assert {problem.file for problem in refused.value.problems} <= {"private/vault.jsonl", DOMAIN_FILE}
        assert SECRET not in str(refused.value)


def test_a_revealed_item_publishes_its_answers(built: Built) -> None:
    assert built.run("reveal", DOMAIN, HIDDEN[0]).code == 0
    done = built.run("build", *LIVE)
    assert done.code == 0, done.err
    assert {seen.body["model"] for seen in built.server.seen} == {"failing-1"}, "only what failed is asked again"
    shown = (run_dir(built.repository) / "responses/parrot.jsonl").read_text("utf-8")
    assert f"{SECRET}answer" in shown
    assert holding(built.repository.site.rglob("*"), f"{SECRET}answer")
    records = [json.loads(line) for line in shown.splitlines()]
    assert [record["item"] for record in records if "hidden" in record] == [HIDDEN[1]]
    git(built.repository.root, "add", "-A")
    assert built.run("verify").code == 0
