"""`add`: what it writes validates, everything else in the files stays, and at a terminal it asks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.replay import replaying

from nullbench_site import adding, api
from nullbench_site.adding import Asked
from nullbench_site.cli import adding as commands
from nullbench_site.cli.app import app
from nullbench_site.errors import SpecError, UsageError
from nullbench_site.evaluation.endpoints.model_files import catalogue
from nullbench_site.repository import Repository
from nullbench_site.specs.document import read_document
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.rewriting import with_entry
from nullbench_site.specs.types import Decoding


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A new one without examples."""
    api.init(tmp_path / "capitals", protocol="oracle", empty=True)
    return Repository(tmp_path / "capitals")


def test_an_empty_repository_grows_by_commands_alone(repository: Repository) -> None:
    question = 'What? # {x}\n"y"'
    adding.add_item(repository, "capitals", {"prompt": question, "answer": "Lima|Peru's Lima"})
    adding.add_domain(repository, "reviews", "rubric", "Reviews", [])
    adding.add_item(repository, "reviews", {"prompt": "Why?", "ideal": "So.", "criteria": "One|Two"})
    adding.add_board(repository, "reviews", "rubric")
    with replaying(["org/tiny@v1"]) as url:
        adding.add_model(repository, None, Asked(endpoint=url, max_tokens=40), [])
        adding.add_judge(repository, "strict", Asked(endpoint="local", family="other"), None)
    adding.add_model(
        repository, None, Asked(endpoint="anthropic", backend="anthropic", model="claude-x", max_tokens=40), []
    )
    made = api.validate(repository)
    (item,) = made.domains["capitals"].categories[0].items
    assert (item.id, item.prompt) == ("capitals-01", question)  # type: ignore[attr-defined]
    model = made.models["tiny"]
    assert (model.model, model.endpoint, model.decoding and model.decoding.max_tokens) == ("org/tiny@v1", "local", 40)
    claude = made.models["claude-x"]
    assert (claude.backend, claude.endpoint) == ("anthropic", "anthropic")
    assert claude.decoding == Decoding(temperature=None, max_tokens=40)
    assert made.panels["rules-rubric"].judges == ("coverage", "compliance", "substance", "strict")
    assert made.boards["reviews"].domains == ("reviews",)


SERVED = next(model for model in catalogue().values() if model.id == "qwen2.5-coder-1.5b").name


@pytest.mark.parametrize(
    ("model", "own", "limit"),
    [
        (SERVED, {}, 600),
        (SERVED, {"prompt": "short"}, 200),
        (SERVED, {"prompt": "short", "reply": "mark"}, 8),
        (SERVED, {"prompt": "steps"}, 8),
        (SERVED, {"prompt": "short", "max_tokens": 77}, 77),
        ("org/tiny@v1", {}, 4000),
        ("org/tiny@v1", {"prompt": "short", "reply": "reasons"}, 4000),
        ("org/tiny@v1", {"max_tokens": 50}, 50),
    ],
)
def test_a_judge_gets_the_output_that_its_reply_needs(
    repository: Repository, model: str, own: dict[str, Any], limit: int
) -> None:
    adding.add_domain(repository, "reviews", "rubric", "Reviews", [])
    adding.add_board(repository, "reviews", "rubric")
    with replaying([model]) as url:
        adding.add_judge(repository, "strict", Asked(endpoint=url, **own), None)
    judge = load_benchmark(repository.specs).judges["strict"]
    assert judge.decoding == Decoding(max_tokens=limit)
    assert (judge.prompt, judge.reply) == (own.get("prompt"), own.get("reply"))


def test_a_prompt_that_the_board_does_not_have_is_refused_and_nothing_is_written(repository: Repository) -> None:
    adding.add_domain(repository, "reviews", "rubric", "Reviews", [])
    adding.add_board(repository, "reviews", "rubric")
    before = (repository.specs / "judges.yaml").read_bytes()
    with (
        replaying(["org/tiny@v1"]) as url,
        pytest.raises(SpecError, match="has no prompt 'shrt'; did you mean 'short'"),
    ):
        adding.add_judge(repository, "strict", Asked(endpoint=url, prompt="shrt"), None)
    assert (repository.specs / "judges.yaml").read_bytes() == before


def test_what_cannot_be_added_is_refused_and_nothing_is_written(repository: Repository) -> None:
    adding.add_item(repository, "capitals", {"prompt": "Which?", "answer": "1"})
    before = {path: path.read_bytes() for path in repository.specs.rglob("*") if path.is_file()}
    with pytest.raises(SpecError, match="has the same prompt as 'capitals-01'"):
        adding.add_item(repository, "capitals", {"prompt": "Which?", "answer": "1"})
    with pytest.raises(UsageError, match=r"no ideal; it has id, category, .*, options and context"):
        adding.add_item(repository, "capitals", {"prompt": "Which?", "answer": "1", "ideal": "x"})
    with (
        pytest.raises(UsageError, match=r"choose one with --model: org/a, org/b"),
        replaying(["org/b", "org/a"]) as url,
    ):
        adding.add_model(repository, None, Asked(endpoint=url), [])
    with pytest.raises(UsageError, match="there is no endpoint 'loca'; known: anthropic, openai"):
        adding.add_model(repository, None, Asked(endpoint="loca"), [])
    with pytest.raises(UsageError, match="needs a limit on the output; add --max-tokens"):
        adding.add_model(repository, None, Asked(endpoint="anthropic", backend="anthropic", model="claude-x"), [])
    with pytest.raises(UsageError, match="no server is running there"):
        adding.add_model(repository, None, Asked(endpoint=url), [])
    assert {path: path.read_bytes() for path in repository.specs.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("# top\njudges:\n  - id: a  # one\n    x: >-\n      long\n      text\n\n# end\n",
         "# top\njudges:\n  - id: a  # one\n    x: >-\n      long\n      text\n\n  - id: bb\n    nn: 1\n# end\n"),
        ("judges: [{id: a}]  # flow\n", 'judges: [{id: a}, {"id": "bb", "nn": 1}]  # flow\n'),
        ("judges:\n- id: a # last", "judges:\n- id: a # last\n- id: bb\n  nn: 1\n"),
    ],
)  # fmt: skip
def test_an_entry_is_added_and_every_other_byte_stays(text: str, after: str) -> None:
    document, _ = read_document("x.yaml", text.encode())
    assert document is not None
    written = with_entry(document, ("judges",), {"id": "bb", "nn": 1})
    assert written is not None
    again: Any = read_document("x.yaml", written.encode())[0]
    assert [each["id"] for each in again.data["judges"]] == ["a", "bb"]
    assert written == after


def test_in_a_script_it_names_the_option_and_at_a_terminal_it_asks(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["-C", str(repository.root), "add", "item", "capitals", "--prompt", "Which?"]
    refused = CliRunner().invoke(app, command).exception
    assert str(refused).startswith("missing --answer: the right answers")
    monkeypatch.setattr(commands, "at_terminal", lambda: True)
    assert CliRunner().invoke(app, command, input="Lima\n").exit_code == 0
    assert '"accepted": ["Lima"]' in (repository.specs / "domains" / "capitals.jsonl").read_text("utf-8")
