"""`nullbench-site import answers`: a recorded contestant of boards that are there, whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from support.benchmarks import write_benchmark
from support.commands import nullbench
from support.evidence import files
from support.hostile import PAYLOADS
from support.packages import installed
from support.pages import content, page
from support.private import DOMAIN, HIDDEN, git, holding, tracked, vault_repository
from support.repositories import MODELS, build, copy_of, edit, run_dir, small_repository, state

from nullbench_site import api
from nullbench_site.errors import RunError, SpecError, UsageError
from nullbench_site.interop.answers.importing import AnswersReport, ImportRequest
from nullbench_site.interop.importer import ImportRefused
from nullbench_site.repository import Repository
from nullbench_site.runs.records import Response, read_records
from nullbench_site.runs.storage import exclusive
from nullbench_site.scoring.tables import read_results
from nullbench_site.specs.document import read_document
from nullbench_site.specs.rewriting import with_entry
from nullbench_site.visibility import hide, reveal

BOARD = "main"


def items_of(repository: Repository, board: str = BOARD) -> list[str]:
    benchmark = api.validate(repository)
    return [placed.id for placed in benchmark.items(benchmark.boards[board])]


def write(repository: Repository, answers: Iterable[dict[str, Any]], name: str = "a.jsonl") -> Path:
    """A file of answers beside the repository."""
    path = repository.root.parent / name
    path.write_text("".join(json.dumps(answer) + "\n" for answer in answers), "utf-8")
    return path


def answers_to(repository: Repository, board: str = BOARD, **more: Any) -> list[dict[str, Any]]:
    return [
        {"item": item, "text": f"An answer, number {number}, to what is asked.", **more}
        for number, item in enumerate(items_of(repository, board))
    ]


def bring(repository: Repository, file: Path, model: str = "sub", board: str = BOARD, **more: Any) -> AnswersReport:
    return api.import_answers(repository, "answers", ImportRequest(file, (board,), model, **more))


def refusal(repository: Repository, file: Path, board: str = BOARD) -> list[str]:
    """The problems of a file that is refused and leaves everything as it was; without the name of the file."""
    before = files(repository.root)
    with pytest.raises(ImportRefused) as refused:
        bring(repository, file, board=board)
    assert files(repository.root) == before
    return [str(problem).removeprefix(f"{file}:") for problem in refused.value.problems]


def responses(repository: Repository, model: str = "sub") -> dict[str, Response]:
    path = run_dir(repository) / f"responses/{model}.jsonl"
    return {record.item: record for record in read_records(path, Response)}


@pytest.fixture
def listed(repository: Repository) -> Repository:
    """A board that lists its contestants, with comments."""
    board = repository.specs / "boards/main.yaml"
    edit(board, "contestants: all\n", f"contestants:  # who answers\n  - {MODELS[0]}\n  # null models\n"
         f"  - {MODELS[1]}  # a sentence\n  - {MODELS[2]}  # padded\n# profiles below\n")  # fmt: skip
    return repository


def test_answers_are_brought_in_judged_verified_and_shown_with_where_they_come_from(repository: Repository) -> None:
    answers = answers_to(repository, seconds=1.5, output_tokens=9, input_tokens=30)
    answers[0]["text"] = "".join(PAYLOADS) + "\0"
    file = write(repository, answers, "out puts.jsonl")
    told = nullbench(
        repository.root, "import", "answers", "../out puts.jsonl", "--board", BOARD, "--model", "sub", "--title",
        "Our <b>model</b>", "--family", "ours", "--by", "Jane & <i>Doe</i>",
    )  # fmt: skip
    assert (told.code, told.out) == (0, ""), told.err
    kept = (repository.root / "answers/sub.jsonl").read_bytes()
    assert told.err.splitlines()[0] == "imported 12 answers of sub on main"
    assert told.err.splitlines()[-1] == "Next: nullbench-site build"
    spec = yaml.safe_load((repository.specs / "models/sub.yaml").read_text("utf-8"))
    assert (spec["kind"], spec["backend"], spec["family"]) == ("model", "recorded", "ours")
    built = nullbench(repository.root, "build", "--strict")
    assert built.code == 0, built.err
    assert nullbench(repository.root, "verify").code == 0
    assert state(repository) == "sealed"
    found = responses(repository)
    assert {item: each.text for item, each in found.items()} == {each["item"]: each["text"] for each in answers}
    assert {(each.seconds, each.input_tokens, each.output_tokens) for each in found.values()} == {(1.5, 30, 9)}
    (row,) = [row for row in read_results(run_dir(repository), BOARD).leaderboard if row.model == "sub"]
    assert row.rank is not None
    assert row.median_response_time_ms == 1500
    shown = page(repository.site / "models/sub/index.html")
    words = " ".join(content(shown).text.split())
    digest = spec["params"]["answers"]
    assert spec["description"].startswith("Responses submitted by Jane & <i>Doe</i>, imported on ")
    assert spec["description"] in words
    assert f"Its answers were imported from answers/sub.jsonl, {digest}" in words
    assert "How they were produced was not checked." in words
    assert nullbench(repository.root, "build", "--fresh", "--no-render", "--strict").code == 0
    assert {each.text for each in responses(repository).values()} == {each["text"] for each in answers}
    assert (repository.root / "answers/sub.jsonl").read_bytes() == kept
    file.unlink()


def test_answers_without_times_and_tokens_have_none_and_no_figure_is_made_up(repository: Repository) -> None:
    answers = answers_to(repository)
    answers[3]["seconds"] = 2
    bring(repository, write(repository, answers))
    build(repository)
    assert [each.seconds for each in responses(repository).values()].count(None) == 11
    (row,) = [row for row in read_results(run_dir(repository), BOARD).leaderboard if row.model == "sub"]
    timed = (row.median_response_time_ms, row.p95_response_time_ms, row.stability, row.throughput_rps)
    assert timed == (None, None, None, None)
    assert row.absent["stability"] == "answers came without the time they took"
    assert getattr(row, "mean_time_s") is None  # noqa: B009 - of this protocol's rows


def test_a_part_of_the_answers_has_scores_for_these_and_no_rank(repository: Repository) -> None:
    part, rest = answers_to(repository)[:2], answers_to(repository)[2:]
    made = bring(repository, write(repository, part), partial=True)
    assert made.unanswered == {BOARD: len(rest)}
    assert next(made.lines()).endswith("not answered here: no score for these, and no rank on the board")
    build(repository)
    row, manifest = row_of(repository), json.loads((run_dir(repository) / "manifest.json").read_text("utf-8"))
    assert manifest["state"] == "sealed"
    assert (row.rank, row.absent["rank"], row.n_responses) == (None, "some items are not answered here", len(part))
    shown = (api.render(repository) / f"boards/{BOARD}/index.html").read_text("utf-8")
    assert "some items are not answered here" in shown
    # The rest completes it: the stored answers stay.
    assert bring(repository, write(repository, rest), partial=True).unanswered == {}
    assert "unanswered" not in (repository.specs / "models/sub.yaml").read_text("utf-8")
    build(repository)
    assert row_of(repository).rank is not None


def row_of(repository: Repository, model: str = "sub") -> Any:
    return next(row for row in read_results(run_dir(repository), BOARD).leaderboard if row.model == model)


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_what_is_no_plain_file_is_not_read(repository: Repository, tmp_path: Path, kind: str) -> None:
    """A pipe would be waited for, a device read without an end."""
    os.mkfifo(tmp_path / "pipe")
    file = {"pipe": tmp_path / "pipe", "device": Path("/dev/zero"), "folder": tmp_path}[kind]
    with pytest.raises(UsageError, match=f"^{file}: not a regular file but a folder, a pipe or a device"):
        bring(repository, file)


def test_the_same_file_again_changes_nothing_and_another_one_replaces_what_differs(listed: Repository) -> None:
    answers = answers_to(listed)
    first = bring(listed, write(listed, answers), by="Jane")
    assert (first.changed, first.replaced, first.answers) == (True, 0, 12)
    edit(listed.specs / "models/sub.yaml", "kind: model", "kind: model  # a comment that stays\nvendor: Ours")
    build(listed)
    before = files(listed.root)
    again = bring(listed, write(listed, reversed(answers), "other.jsonl"))
    assert not again.changed
    assert list(again.lines()) == ["12 answers of sub on main: unchanged"]
    assert files(listed.root) == before

    answers[0]["text"] = "Another answer."
    changed = write(listed, answers)
    with pytest.raises(UsageError, match="1 of 12 answers differ from those of 'sub'; replace them with --replace"):
        bring(listed, changed)
    assert files(listed.root) == before
    second = bring(listed, changed, replace=True)
    assert (second.changed, second.replaced) == (True, 1)
    assert "imported 12 answers of sub on main, 1 changed" in second.lines()
    spec = (listed.specs / "models/sub.yaml").read_text("utf-8")
    assert "kind: model  # a comment that stays\nvendor: Ours\n" in spec
    assert f'answers: "{second.sha256}"' in spec
    assert "submitted by Jane, imported on" in spec
    made = build(listed).calls
    # Each answer is taken anew, since the file is another; of verdicts those on the changed answer, and those of judges
    # who are drawn by the call to be asked about a refusal.
    assert 12 + 3 <= made.made < 48
    assert made.made + made.reused == 4 * 48
    assert responses(listed)[answers[0]["item"]].text == "Another answer."


def test_a_board_that_lists_its_contestants_gets_one_more_and_keeps_its_comments(listed: Repository) -> None:
    board = listed.specs / "boards/main.yaml"
    before = board.read_text("utf-8")
    bring(listed, write(listed, answers_to(listed)))
    assert board.read_text("utf-8") == before.replace("  # padded\n", "  # padded\n  - sub\n")
    assert "sub" in api.validate(listed).models


@given(
    st.lists(st.from_regex(r"[a-z][a-z0-9.-]{0,6}", fullmatch=True), min_size=1, max_size=4),
    st.sampled_from(["[{}]", "[{},]", "[ {} ]  # all", "\n  [{}\n  ]"]),
    st.from_regex(r"[a-z0-9][a-z0-9._-]{0,6}", fullmatch=True),
    st.booleans(),
)
def test_an_entry_of_a_list_reads_back_and_every_other_byte_stays(
    entries: list[str], flow: str, new: str, block: bool
) -> None:
    written = [json.dumps(entry) for entry in entries]
    form = "".join(f"\n  - {entry}" for entry in written) if block else " " + flow.format(", ".join(written))
    text = f"a: 1  # one\nlist:{form}\n# after\nb: 2\n"
    document, _ = read_document("f", text.encode())
    assert document is not None
    longer = with_entry(document, ("list",), new)
    found, wrong = read_document("f", longer.encode())
    assert not wrong
    assert found.data == {"a": 1, "list": [*entries, new], "b": 2}
    assert longer.startswith("a: 1  # one\nlist:")
    assert longer.endswith("# after\nb: 2\n")


@pytest.mark.parametrize("raw", ["", "[{", "item,text\na,b\n", '{"item": 1}\n{"item": 2, "text"'])
def test_a_file_that_cannot_be_read_has_no_problem_of_an_item(listed: Repository, raw: str) -> None:
    file = write(listed, [])
    file.write_text(raw, "utf-8")
    assert not any("has no answer; add one" in line for line in refusal(listed, file))


def test_a_list_that_is_an_alias_is_refused_for_another_board_would_change_with_it(listed: Repository) -> None:
    board = listed.specs / "boards/main.yaml"
    text = board.read_text("utf-8").replace("contestants:  # who answers", "contestants: &all")
    board.write_text(text, "utf-8")
    edit(board, "panel: live\n", "panel: live\n    contestants: *all\n")
    file = write(listed, answers_to(listed))
    before = files(listed.root)
    with pytest.raises(UsageError, match=r"boards/main\.yaml: 'sub' cannot be added to its contestants without"):
        bring(listed, file)
    assert files(listed.root) == before


def test_everything_that_is_wrong_is_told_at_once_and_nothing_is_imported(repository: Repository) -> None:
    items = items_of(repository)
    answers = [{"item": item, "text": "x"} for item in items[3:]]
    answers += [
        {"item": items[3], "text": "y"},
        {"item": f"{items[0]}x", "text": "y"},
        {"item": items[1], "text": "y", "sample": 1},
        {"item": items[2], "txt": "y"},
    ]
    file = write(repository, answers)
    told = refusal(repository, file)
    assert told[0] == f"10: duplicate answer to item {items[3]!r}, first in line 1; keep one"
    assert told[1].startswith(f"11: item: 'main' has no item '{items[0]}x'; did you mean {items[0]!r}? known: ")
    assert told[2] == "12: sample: found 1; 'main' takes only sample 0"
    assert told[3].startswith("13: unknown key 'txt'; did you mean 'text'?")
    assert told[4] == "13: text: the key is missing; write it, with its value"
    assert told[5:] == [f"14: item {item!r} of 'main' has no answer; add one" for item in items[:3]]


def test_a_refusal_on_the_command_line_is_its_problems_and_what_to_do(repository: Repository) -> None:
    write(repository, [*answers_to(repository)[1:], {"item": "\x1b[31mred\x07", "text": "x"}], "a\x1b[2J.jsonl")
    before = files(repository.root)
    done = nullbench(repository.root, "import", "answers", "../a\x1b[2J.jsonl", "--board", BOARD, "--model", "sub")
    assert (done.code, done.out) == (2, "")
    lines = done.err.splitlines()
    assert lines[0].startswith("../a\\x1b[2J.jsonl:12: item: 'main' has no item '\\x1b[31mred\\x07'; known: ")
    assert lines[-1] == "2 problems; nothing was written. Fix them and import again"
    assert files(repository.root) == before


@pytest.mark.parametrize(
    ("board", "model", "said"),
    [
        ("mian", "sub", "unknown board 'mian'; did you mean 'main'?"),
        (BOARD, "../sub", "'../sub' is not an id; use lower-case letters"),
        (BOARD, "Sub", "'Sub' is not an id"),
        (BOARD, MODELS[0], f"specs/models/{MODELS[0]}.yaml: model '{MODELS[0]}' exists and was not imported"),
    ],
)
def test_names_that_will_not_do_are_one_message(repository: Repository, board: str, model: str, said: str) -> None:
    file = write(repository, answers_to(repository))
    before = files(repository.root)
    with pytest.raises(UsageError) as refused:
        bring(repository, file, model, board)
    assert str(refused.value).startswith(said)
    assert files(repository.root) == before


def test_specs_that_would_not_hold_any_more_are_refused_at_their_place(repository: Repository) -> None:
    file = write(repository, answers_to(repository))
    before = files(repository.root)
    with pytest.raises(SpecError, match=r"specs/models/sub\.yaml:4:8: duplicate title 'Lead-2'"):
        bring(repository, file, title="Lead-2")
    with pytest.raises(SpecError, match=r"specs/models/sub\.yaml:9:9: .* has the wrong form"):
        bring(repository, file, family="No Id")
    assert files(repository.root) == before


def test_another_board_that_has_everybody_must_be_answered_too(repository: Repository) -> None:
    main = (repository.specs / "boards/main.yaml").read_text("utf-8")
    other = main.replace("id: main", "id: other").replace("title: Small board", "title: Other")
    other = other.replace(main.split('"')[1], "nullbench-canary:5b000000-0000-4000-8000-0000000000ee")
    (repository.specs / "boards/other.yaml").write_text(other, "utf-8")
    file = write(repository, answers_to(repository))
    before = files(repository.root)
    with pytest.raises(UsageError, match=r"specs/boards/other\.yaml: the board 'other' has all contestants, but no"):
        bring(repository, file)
    assert files(repository.root) == before
    made = api.import_answers(repository, "answers", ImportRequest(file, (BOARD, "other"), "sub"))
    assert made.answers == 24
    build(repository, "sub")
    assert len(responses(repository)) == 12
    assert len((repository.root / "answers/sub.jsonl").read_bytes().splitlines()) == 24


def test_alpaca_eval_s_outputs_are_matched_by_their_instructions(tmp_path: Path) -> None:
    repository = vault_repository(tmp_path / "board")
    prompts = {item.id: item.prompt for _, item in api.validate(repository).every_item}
    entries = [
        {"instruction": prompt, "output": f"O{number}", "generator": "gpt-x", "dataset": "d"}
        for number, prompt in enumerate(prompts.values())
    ]
    file = tmp_path / "model_outputs.json"
    file.write_text(json.dumps(entries, indent=1), "utf-8")
    bring(repository, file, board="questions")
    spec = yaml.safe_load((repository.specs / "models/sub.yaml").read_text("utf-8"))
    assert (spec["title"], spec["model"]) == ("gpt-x", "gpt-x")
    build(repository, "sub")
    assert {item: each.text for item, each in responses(repository).items()} == {
        item: f"O{number}" for number, item in enumerate(prompts)
    }
    entries[0]["instruction"] = entries[0]["instruction"][:30] + " something else"
    file.write_text(json.dumps(entries, indent=1), "utf-8")
    first = next(iter(prompts))
    told = refusal(repository, file, "questions")
    behind = len(json.dumps(entries, indent=1).splitlines()) + 1
    assert told == [
        f"2: instruction: no item of 'questions' has this prompt; the nearest is that of item {first!r}",
        f"{behind}: item {first!r} of 'questions' has no answer; add one",
    ]


def test_answers_to_private_items_stay_private_and_count_in_a_clone(tmp_path: Path) -> None:
    repository = vault_repository(tmp_path / "board")
    hide(repository.specs, repository.private, DOMAIN, HIDDEN)
    answers = [
        {"item": item, "text": f"zqprivate {item}" if item in HIDDEN else f"open {item}"}
        for item in items_of(repository, "questions")
    ]
    file = write(repository, answers)
    made = bring(repository, file, board="questions")
    assert (made.answers, made.private) == (5, 2)
    assert not bring(repository, file, board="questions").changed
    build(repository)
    assert state(repository) == "sealed"
    assert api.verify(repository, None)[1] == []
    assert holding(iter(tracked(repository)), "zqprivate") == []
    assert holding((repository.private / "answers").rglob("*"), "zqprivate") != []
    git(repository.root, "add", "-A")
    git(repository.root, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "All.")
    git(tmp_path, "clone", "-q", str(repository.root), "clone")
    clone = Repository(tmp_path / "clone")
    assert build(clone).calls.made == 0
    with pytest.raises(ImportRefused, match="the text of the private item 'vault-01' is missing; set NULLBENCH_PRIV"):
        bring(clone, file, board="questions", replace=True)

    path = repository.private / "answers/sub.jsonl"
    path.write_text(path.read_text("utf-8").replace("zqprivate vault-01", "zqforged vault-01"), "utf-8")
    report = api.build(repository, api.BuildOptions(fresh=True), render_site=False)
    assert any("some prompts have changed since" in stop for stop in report.stopped)


def test_git_would_publish_private_answers_where_nothing_keeps_it_from_that(tmp_path: Path) -> None:
    repository = vault_repository(tmp_path / "board")
    hide(repository.specs, repository.private, DOMAIN, HIDDEN)
    file = write(repository, answers_to(repository, "questions"))
    (repository.root / ".gitignore").write_text("/private/*.jsonl\n", "utf-8")
    with pytest.raises(UsageError, match=r"answers/sub\.jsonl: git would publish this file; add the line /private/"):
        bring(repository, file, board="questions")
    assert not (repository.private / "answers").exists()


def test_answers_of_an_item_that_is_published_later_are_known_still(tmp_path: Path) -> None:
    repository = vault_repository(tmp_path / "board")
    hide(repository.specs, repository.private, DOMAIN, HIDDEN)
    file = write(repository, answers_to(repository, "questions"))
    bring(repository, file, board="questions")
    reveal(repository.specs, repository.private, DOMAIN, HIDDEN)
    build(repository)
    assert state(repository) == "sealed"
    told = bring(repository, file, board="questions")
    assert (told.changed, told.replaced, told.private) == (True, 0, 0)
    assert not (repository.private / "answers/sub.jsonl").exists()


def private_answers(repository: Repository, model: str = "sub") -> dict[str, str]:
    """What answers of a contestant stand in the private folder, by their items."""
    file = repository.private / f"answers/{model}.jsonl"
    return {answer["item"]: answer["text"] for answer in map(json.loads, file.read_text("utf-8").splitlines())}


@pytest.fixture
def answered(tmp_path: Path) -> Repository:
    """Answers to items that are public yet were brought; the board is of prompts."""
    repository = vault_repository(tmp_path / "board")
    bring(repository, write(repository, answers_to(repository, "questions")), board="questions")
    edit(repository.specs / "models/sub.yaml", "kind: model", "kind: model  # a comment that stays")
    return repository


def test_answers_brought_before_their_item_was_hidden_leave_the_published_file(answered: Repository) -> None:
    public = answered.root / "answers/sub.jsonl"
    told = {line["item"]: line["text"] for line in map(json.loads, public.read_text("utf-8").splitlines())}
    build(answered)
    before = run_dir(answered)
    assert hide(answered.specs, answered.private, DOMAIN, HIDDEN[:1]).answers == 1
    assert hide(answered.specs, answered.private, DOMAIN, HIDDEN[1:]).answers == 1
    assert private_answers(answered) == {item: told[item] for item in HIDDEN}
    kept = [json.loads(line) for line in public.read_text("utf-8").splitlines()]
    assert [sorted(line) for line in kept if line["item"] in HIDDEN] == [["board", "hidden", "item", "sample"]] * 2
    assert {line["item"]: line["text"] for line in kept if line["item"] not in HIDDEN} == {
        item: text for item, text in told.items() if item not in HIDDEN
    }
    assert "kind: model  # a comment that stays\n" in (answered.specs / "models/sub.yaml").read_text("utf-8")
    assert nullbench(answered.root, "validate").code == 0
    assert build(answered).stopped == ()
    assert run_dir(answered) != before
    assert state(answered) == "sealed"
    assert not bring(answered, answered.root.parent / "a.jsonl", board="questions").changed


def test_answers_of_a_contestant_that_is_gone_are_hidden_too(answered: Repository) -> None:
    (answered.specs / "models/sub.yaml").unlink()
    edit(answered.specs / "boards/questions.yaml", ", sub", "")
    assert hide(answered.specs, answered.private, DOMAIN, HIDDEN).answers == 2
    assert {*private_answers(answered)} == {*HIDDEN}
    assert nullbench(answered.root, "validate").code == 0


def test_an_answer_in_plain_words_to_an_item_that_became_private_is_warned_of_at_its_line(answered: Repository) -> None:
    """As in a repository whose items were hidden by hand, or by a version that left answers where they were."""
    public = answered.root / "answers/sub.jsonl"
    plain, spec = public.read_bytes(), (answered.specs / "models/sub.yaml").read_text("utf-8")
    hide(answered.specs, answered.private, DOMAIN, HIDDEN)
    assert "a published answer" not in nullbench(answered.root, "validate").err
    public.write_bytes(plain)
    (answered.specs / "models/sub.yaml").write_text(spec, "utf-8")
    done = nullbench(answered.root, "validate")
    lines = [number for number, line in enumerate(plain.splitlines(), 1) if json.loads(line)["item"] in HIDDEN]
    assert len(lines) == 2
    assert done.code == 0
    for number in lines:
        assert f"Warning: answers/sub.jsonl:{number}:1: a published answer to the private item" in done.err
    assert done.err.count("a published answer") == 2
    answered.root.joinpath("answers/gone.jsonl").write_bytes(plain)
    assert nullbench(answered.root, "validate").err.count("Warning: answers/gone.jsonl") == 2


def test_an_item_that_is_hidden_again_keeps_its_answers_under_another_hash(answered: Repository) -> None:
    public = answered.root / "answers/sub.jsonl"

    def hashes() -> set[str]:
        return {line["hidden"] for line in map(json.loads, public.read_text("utf-8").splitlines()) if "hidden" in line}

    hide(answered.specs, answered.private, DOMAIN, HIDDEN)
    first = hashes()
    reveal(answered.specs, answered.private, DOMAIN, HIDDEN)
    assert hide(answered.specs, answered.private, DOMAIN, HIDDEN).answers == 0
    assert len(first) == len(hashes()) == 2
    assert not first & hashes(), "the salt of the first is published"
    assert build(answered).stopped == ()


@pytest.mark.parametrize("stop", ["vault.jsonl", "sub.jsonl", "sub.yaml", "vault.yaml"])
def test_hiding_is_whole_or_not_at_all_and_goes_on_where_it_was_killed(
    answered: Repository, monkeypatch: pytest.MonkeyPatch, stop: str
) -> None:
    """Interrupted it takes everything back; killed it cannot, and the same command ends what it began."""
    from nullbench_site.runs import storage

    put, before = storage.write_atomically, files(answered.root)
    written: list[str] = []

    def failing(path: Path, data: bytes) -> None:
        if path.name == stop and stop not in written:
            written.append(stop)
            raise KeyboardInterrupt
        put(path, data)

    with monkeypatch.context() as patch:
        patch.setattr(storage, "write_atomically", failing)
        with pytest.raises(KeyboardInterrupt):
            hide(answered.specs, answered.private, DOMAIN, HIDDEN)
    assert files(answered.root) == before

    texts = {item.id: item.prompt for _, item in api.validate(answered).every_item}
    killed = copy_of(answered, answered.root.parent / "killed")
    hide(answered.specs, answered.private, DOMAIN, HIDDEN)
    done = [answered.private / "vault.jsonl", answered.private / "answers/sub.jsonl",
            answered.root / "answers/sub.jsonl", answered.specs / "models/sub.yaml"]  # fmt: skip
    # A kill between the file of answers and the spec that names it is told by `validate`, and needs git.
    for path in done[: {"vault.jsonl": 0, "sub.jsonl": 1, "sub.yaml": 2, "vault.yaml": 4}[stop]]:
        target = killed.root / path.relative_to(answered.root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    hide(killed.specs, killed.private, DOMAIN, HIDDEN)
    assert {item.id: killed_text(killed, item.id) for _, item in api.validate(killed).every_item} == texts
    assert {*private_answers(killed)} == {*HIDDEN}
    assert nullbench(killed.root, "validate").code == 0
    assert build(killed).stopped == ()


def killed_text(repository: Repository, item: str) -> str:
    benchmark = api.validate(repository)
    shown: Any = next(each for _, each in benchmark.every_item if each.id == item)
    private: Any = benchmark.private.get(item, shown)
    return str(private.prompt)


def test_hiding_changes_nothing_where_a_file_of_answers_is_not_the_one_of_its_contestant(answered: Repository) -> None:
    kept = answered.root / "answers/sub.jsonl"
    edit(kept, "number 3", "number 4")
    before = files(answered.root)
    with pytest.raises(UsageError, match=r"its digest differs from specs/models/sub\.yaml; restore"):
        hide(answered.specs, answered.private, DOMAIN, HIDDEN)
    kept.write_bytes(kept.read_bytes() + b"nothing\n")
    with pytest.raises(RunError, match=r"answers/sub\.jsonl:6: invalid recorded answer"):
        hide(answered.specs, answered.private, DOMAIN, HIDDEN)
    kept.write_bytes(before["answers/sub.jsonl"])
    assert files(answered.root) == before


def test_hiding_changes_nothing_where_git_would_take_the_private_answers(answered: Repository) -> None:
    (answered.root / ".gitignore").write_text("/private/*.jsonl\n", "utf-8")
    before = files(answered.root)
    with pytest.raises(UsageError, match=r"answers/sub\.jsonl: git would publish this file; add the line /private/"):
        hide(answered.specs, answered.private, DOMAIN, HIDDEN)
    assert files(answered.root) == before


def test_answers_an_earlier_version_left_published_are_moved_by_the_same_import(answered: Repository) -> None:
    was = {name: (answered.root / name).read_bytes() for name in ("answers/sub.jsonl", "specs/models/sub.yaml")}
    hide(answered.specs, answered.private, DOMAIN, HIDDEN)
    shutil.rmtree(answered.private / "answers")
    for name, whole in was.items():
        (answered.root / name).write_bytes(whole)
    told = bring(answered, answered.root.parent / "a.jsonl", board="questions")
    assert (told.changed, told.replaced, told.private) == (True, 0, 2)
    assert {*private_answers(answered)} == {*HIDDEN}
    assert holding((answered.root / "answers").rglob("*"), "number 0") == []


def test_a_build_that_runs_keeps_answers_from_being_moved_beneath_it(answered: Repository) -> None:
    with exclusive(answered.runs):
        done = nullbench(answered.root, "hide", DOMAIN, *HIDDEN)
    assert (done.code, done.out) == (3, "")
    assert "another build is writing here; wait until it has ended" in done.err
    assert not answered.private.exists()


def test_a_prompt_that_changed_since_is_not_answered_by_what_was_brought(repository: Repository) -> None:
    bring(repository, write(repository, answers_to(repository)))
    template = next(repository.specs.glob("templates/*.txt"))
    template.write_text(f"{template.read_text('utf-8')}\nBe brief.\n", "utf-8")
    stopped = build(repository).stopped
    assert stopped == (
        "some prompts have changed since the answers of 'sub' were imported; restore the specs, or import new answers: "
        "nullbench-site import answers FILE --board BOARD --model sub --replace",
    )
    assert state(repository) == "open"


def test_a_file_of_answers_that_was_changed_by_hand_is_not_read(repository: Repository) -> None:
    bring(repository, write(repository, answers_to(repository)))
    kept = repository.root / "answers/sub.jsonl"
    good = kept.read_bytes()
    kept.write_bytes(good.replace(b"number 3", b"number 4"))
    assert nullbench(repository.root, "validate").err.splitlines()[0] == (
        "specs/models/sub.yaml:11:12: answers/sub.jsonl does not have this digest; restore it from git, or import the "
        "answers again"
    )
    (stop,) = build(repository).stopped
    assert "not the file of answers that specs/models/sub.yaml names; restore it from git" in stop
    kept.write_bytes(good.replace(b"\n", b"\r\n"))
    advice = "only its line ends changed: put the line 'answers/** -text' into .gitattributes, delete the file"
    assert advice in nullbench(repository.root, "validate").err.splitlines()[0]
    (stop,) = build(repository).stopped
    assert advice in stop
    kept.write_bytes(b"nothing\n")
    with pytest.raises(RunError, match=r"answers/sub\.jsonl:1: invalid recorded answer"):
        bring(repository, write(repository, answers_to(repository)))
    kept.write_bytes(good)
    assert nullbench(repository.root, "validate").code == 0
    assert build(repository).stopped == ()


def test_a_disk_that_refuses_is_one_message_and_leaves_everything_as_it_was(repository: Repository) -> None:
    file = write(repository, answers_to(repository))
    (repository.root / "answers").write_text("a file where a folder belongs", "utf-8")
    before = files(repository.root)
    done = nullbench(repository.root, "import", "answers", str(file), "--board", BOARD, "--model", "sub")
    assert done.code == 3
    assert "move the file away to make room for a folder and run the command again" in done.message
    assert files(repository.root) == before


def test_a_write_that_fails_half_way_is_taken_back(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    from nullbench_site.runs import storage

    put, file = storage.write_atomically, write(repository, answers_to(repository))

    def failing(path: Path, data: bytes) -> None:
        if path.parent.name == "models":
            raise KeyboardInterrupt
        put(path, data)

    before = files(repository.root)
    monkeypatch.setattr(storage, "write_atomically", failing)
    with pytest.raises(KeyboardInterrupt):
        bring(repository, file)
    assert files(repository.root) == before
    assert not (repository.root / "answers").exists()


ANOTHER_FORMAT = """
from nullbench_site.interop.importer import AnswersFile, AnswersImporter, FileAnswer

def read(file, raw):
    lines = raw.decode().splitlines()
    answers = [FileAnswer(item=i, text=t, line=n) for n, (i, t) in
               enumerate((line.split("=", 1) for line in lines), start=1)]
    return AnswersFile(answers, [], None, len(lines))

IMPORTER = AnswersImporter("Lines of item=text.", read)
"""


def test_a_format_of_answers_of_another_package_is_a_subcommand_like_ours(tmp_path: Path) -> None:
    repository = small_repository(tmp_path / "board")
    (tmp_path / "a.txt").write_text("".join(f"{item}=T\n" for item in items_of(repository)), "utf-8")
    with installed(tmp_path / "packages", {"importers/lines": "somebody:IMPORTER"}, ANOTHER_FORMAT):
        done = nullbench(
            repository.root, "import", "lines", "../a.txt", "--board", BOARD, "--model", "sub", "--json",
            PYTHONPATH=os.pathsep.join([str(Path(api.__file__).parent.parent), str(tmp_path / "packages")]),
        )  # fmt: skip
    assert (done.code, done.err) == (0, "")
    told = json.loads(done.out)
    assert (told["model"], told["boards"], told["answers"], told["changed"]) == ("sub", [BOARD], 12, True)
    with pytest.raises(UsageError, match="'answers' is a format of answers; call import_answers"):
        api.import_results("answers", tmp_path, tmp_path / "new")
    with pytest.raises(UsageError, match="'benchpress' is a format of whole benchmarks"):
        api.import_answers(repository, "benchpress", ImportRequest(tmp_path / "a.txt", (BOARD,), "sub"))
    shutil.rmtree(repository.root)


def test_answers_in_a_file_are_to_one_turn_and_no_conversation(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "board")
    specs = write_benchmark(repository.root, "oracle")
    given = answers_to(repository, "keys")
    edit(specs / "domains/counting.yaml", "prompt: How many are 3 dozen?", "turns: [How many are 3 dozen?, And 4?]")
    (told,) = refusal(repository, write(repository, given), board="keys")
    assert told.startswith(" 'keys' has 1 item with several turns, the first 'counting-05': ")
