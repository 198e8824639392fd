"""`add`: what it writes validates, everything else in the files stays, and at a terminal it asks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
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
from nullbench_site.starter import Shipped


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


LOCAL = "org/tiny@v1"


def measured(specs: Path, model: str, *boards: tuple[str, str, str, str]) -> None:
    """Write the results of a study: of each protocol the chosen prompt, the kind of value and the method."""
    (specs / "screening").mkdir(parents=True, exist_ok=True)
    content = {
        "judge": "measured", "model": model, "study": 2, "date": "2026-11-29", "screening": [],
        "boards": [
            {
                "board": protocol, "protocol": protocol, "choice": {"name": name, "leader": name}, "value": value,
                "method": {"method": method, "difference": 0.1, "p": 0.2, "shown": False}, "prompts": [],
            }
            for protocol, name, value, method in boards
        ],
    }  # fmt: skip
    (specs / "screening" / "measured.yaml").write_text(json.dumps(content), "utf-8")


def reviews(repository: Repository) -> None:
    adding.add_domain(repository, "reviews", "rubric", "Reviews", [])
    adding.add_board(repository, "reviews", "rubric")
    adding.add_item(repository, "reviews", {"prompt": "Why?", "ideal": "So.", "criteria": "One|Two"})


def added(repository: Repository, model: str, panel: str | None = None, **own: Any) -> tuple[Any, list[str]]:
    """The judge as it is in the specs now, and what was said."""
    said: list[str] = []
    with replaying([model]) as url:
        adding.add_judge(repository, "strict", Asked(endpoint=url, **own), panel, said.append)
    return next(each for each in read_judges(repository) if each["id"] == "strict"), said


def read_judges(repository: Repository) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load((repository.specs / "judges.yaml").read_bytes())["judges"]
    return found


@pytest.mark.parametrize(
    ("model", "chosen", "fields", "limit"),
    [
        (SERVED, ("rubric", "short.reasons", "relative", "verdict"), {"prompt": "short", "reply": "reasons"}, 200),
        (SERVED, ("rubric", "plain.mark", "raw", "verdict"), {"prompt": "plain", "reply": "mark"}, 8),
        (SERVED, ("rubric", "full.reasons", "raw", "verdict"), {"prompt": "full"}, 600),
        (LOCAL, ("rubric", "steps.mark", "raw", "verdict"), {"prompt": "steps", "reply": "mark"}, 4000),
        (SERVED, ("rubric", "short.mark", "relative", "questions"), {"method": "questions"}, 1),
        (SERVED, ("rubric", "short.mark", "raw", "questions"), {"method": "questions", "value": "raw"}, 1),
        (LOCAL, ("rubric", "short.mark", "yes-no", "questions"), {"method": "questions", "value": "yes-no"}, 4000),
    ],
)
def test_a_measured_judge_is_asked_as_its_study_chose(
    repository: Repository, model: str, chosen: tuple[str, str, str, str], fields: dict[str, str], limit: int
) -> None:
    reviews(repository)
    measured(repository.specs, model, chosen)
    judge, said = added(repository, model)
    assert {key: judge[key] for key in ("method", "value", "prompt", "reply") if key in judge} == fields
    assert judge["decoding"]["max_tokens"] == limit
    assert said[0].startswith("specs/screening/measured.yaml chooses: ")
    made = api.validate(repository)
    panel = made.panels[made.boards["reviews"].panel]
    if "method" in fields:
        assert (panel.id, panel.judges) == ("questions", ("strict",))
        assert said[-1].startswith("board 'reviews' has the panel 'questions' now")
    else:
        assert panel.judges == ("coverage", "compliance", "substance", "strict")


def test_a_judge_without_a_study_of_its_own_is_asked_as_before(repository: Repository) -> None:
    reviews(repository)
    measured(repository.specs, "org/other@v1", ("rubric", "short.mark", "raw", "verdict"))
    judge, said = added(repository, SERVED)
    assert not {"method", "prompt", "reply"} & judge.keys()
    assert (judge["decoding"]["max_tokens"], said) == (600, [])


def test_a_prompt_or_reply_that_is_given_wins_over_the_study(repository: Repository) -> None:
    reviews(repository)
    measured(repository.specs, SERVED, ("rubric", "short.mark", "raw", "questions"))
    judge, said = added(repository, SERVED, prompt="plain")
    assert (judge["prompt"], "method" in judge, judge["decoding"]["max_tokens"], said) == ("plain", False, 200, [])


def test_a_study_of_another_protocol_chooses_nothing(repository: Repository) -> None:
    reviews(repository)
    measured(repository.specs, SERVED, ("graded", "short.mark", "raw", "questions"))
    judge, said = added(repository, SERVED)
    assert not {"method", "prompt", "reply"} & judge.keys()
    assert said == []


def test_a_panel_of_verdicts_that_is_named_gets_the_chosen_prompt_and_the_way_to_questions(
    repository: Repository,
) -> None:
    reviews(repository)
    measured(repository.specs, SERVED, ("rubric", "short.mark", "raw", "questions"))
    judge, said = added(repository, SERVED, "rules-rubric")
    assert (judge["prompt"], judge["reply"], judge["decoding"]["max_tokens"]) == ("short", "mark", 8)
    assert "add the judge with --panel NEW" in said[1]
    api.validate(repository)


def test_boards_with_runs_keep_their_panel(repository: Repository) -> None:
    reviews(repository)
    measured(repository.specs, SERVED, ("rubric", "short.mark", "raw", "questions"))
    (repository.runs / "1.0.0-00000000").mkdir(parents=True)
    (repository.runs / "1.0.0-00000000" / "manifest.json").write_text("{}", "utf-8")
    judge, _ = added(repository, SERVED)
    assert (judge["prompt"], judge["reply"]) == ("short", "mark")
    assert load_benchmark(repository.specs).boards["reviews"].panel == "rules-rubric"


@pytest.mark.parametrize("model", [SERVED, LOCAL])
def test_models_on_this_machine_are_asked_as_the_shipped_study_of_the_largest_model_chose(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    reviews(repository)
    shipped = tmp_path / "shipped"
    measured(shipped, SERVED, ("rubric", "plain.mark", "raw", "verdict"))
    (shipped / "screening" / "measured.yaml").rename(shipped / "screening" / "large.yaml")
    small = next(each for each in catalogue().values() if each.id == "qwen2.5-coder-0.5b").name
    measured(shipped, small, ("rubric", "steps.mark", "raw", "verdict"))
    monkeypatch.setattr(Shipped, "folder", shipped)
    judge, said = added(repository, model)
    assert (judge["prompt"], judge["reply"]) == ("plain", "mark")
    assert said == ["specs/screening/large.yaml chooses: prompt: plain, reply: mark"]


def test_a_model_elsewhere_keeps_the_full_prompt_though_a_study_is_shipped(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reviews(repository)
    measured(tmp_path / "shipped", SERVED, ("rubric", "plain.mark", "raw", "verdict"))
    monkeypatch.setattr(Shipped, "folder", tmp_path / "shipped")
    said: list[str] = []
    asked = Asked(endpoint="https://llm.example.org/v1", model="large-2026-11-01")
    adding.add_judge(repository, "strict", asked, None, said.append)
    judge = next(each for each in read_judges(repository) if each["id"] == "strict")
    assert not {"method", "prompt", "reply"} & judge.keys()
    assert (judge["decoding"]["max_tokens"], said) == (4000, [])


@pytest.mark.parametrize("content", ["", "boards: [", "judge: a\nmodel: b\nboards: {}\n", "[]\n", "judge: \xff"])
def test_a_file_of_a_study_that_cannot_be_read_is_one_message(repository: Repository, content: str) -> None:
    reviews(repository)
    (repository.specs / "screening").mkdir()
    (repository.specs / "screening" / "bad.yaml").write_bytes(content.encode("latin-1"))
    with pytest.raises(UsageError, match=r"specs/screening/bad.yaml: .*; write it again with"):
        added(repository, SERVED)


@pytest.mark.parametrize("name", ["sort.reasons", "short.letter", "short", ".", "plain.reasons.mark"])
def test_a_study_that_names_an_unknown_prompt_is_one_message(repository: Repository, name: str) -> None:
    reviews(repository)
    measured(repository.specs, SERVED, ("rubric", name, "raw", "verdict"))
    with pytest.raises(UsageError, match=r"specs/screening/measured.yaml: rubric has no prompt"):
        added(repository, SERVED)


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
