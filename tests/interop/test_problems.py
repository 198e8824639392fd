"""What is broken is named, all of it at once, and nothing is written; --lenient imports the rest."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from interop.checkouts import PROMPTS, Checkout, entry, prompt, results
from interop.imports import imported, judgments, refusal, responses, results_of

from nullbench_site import api
from nullbench_site.errors import UsageError

A = "results/model-a.json"


def broken(source: Checkout, raw: bytes) -> list[str]:
    source.put(A, raw)
    return refusal(source)


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", ":1: the file is empty; expected one JSON object"),
        (
            b'{"model_name": "A",\n "runs": {]}',
            ":2: not JSON: expecting property name enclosed in double quotes at column 11",
        ),
        (b'{"model_name": "A"', ":1: not JSON: expecting ',' delimiter at column 19"),
        (b'{"model_name": "A",\n "runs": {"X01": NaN}}', ":1: not JSON: NaN, Infinity and half a character"),
        (b'{"model_name": "\xff", "runs": {}}', ":1: byte 0xff is not UTF-8; save the file with the encoding UTF-8"),
        (
            b'{"model_name": "A", "runs": {"X01": ' + b"[" * 10_000,
            ":1: values are nested too deeply; write them in fewer levels",
        ),
        (b'{"model_name": "\\ud800", "runs": {}}', ":1: not JSON: NaN, Infinity and half a character"),
        (
            b'{"model_name": "A", "runs": {}, "x": ' + b"1" * 5000 + b"}",
            ": runs: no answer to any prompt of evals/general",
        ),
        (
            b'{"model_name": "A", "runs": {"X01": [], "X01": []}}',
            ": runs: duplicate key 'X01'; keep one",
        ),
        (
            b'{"model_name": "A", "runs": {"X01": [{"content": "a", "content": "b"}]}}',
            ": runs.X01[0]: duplicate key 'content'; keep one",
        ),
        (b"[]", ": found array; expected object"),
        (b'{"runs": {}}', ": model_name: the key is missing; write it, with its value"),
        (b'{"model_name": "", "runs": {}}', ": model_name: the text has no visible character; write it"),
        (b'{"model_name": "A", "runs": {"X01": 1e999}}', ": runs.X01: found no list; expected the list of ent"),
    ],
)
def test_a_results_file_that_is_none_is_named_with_its_place(source: Checkout, raw: bytes, said: str) -> None:
    lines = broken(source, raw)
    assert any(line.startswith(f"{A}{said}") for line in lines), lines
    assert set(api.validate(imported(source, lenient=True)).models) == {"model-b"}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"content": 5}, "runs.X01[0].content: found int; expected str | null"),
        ({"latency_s": -1}, "runs.X01[0].latency_s: expected float >= 0.0"),
        ({"output_tokens": 10**30}, "runs.X01[0].output_tokens: expected int <= 1000000000000"),
        ({"timestamp": "yesterday\n"}, "runs.X01[0].timestamp: invalid RFC3339 encoded datetime"),
        ({"api_model": " "}, "runs.X01[0].api_model: the text has no visible character; write it"),
        ({"auto_checks": {}}, "runs.X01[0].auto_checks: object missing required field flags"),
        (
            {"judge_scores": {"ben": {"rationale": ""}}},
            "runs.X01[0].judge_scores[...]: object missing required field s",
        ),
        ({"judge_scores": {"b" * 81: {}}}, "runs.X01[0].judge_scores: expected str of length <= 80"),
    ],
)
def test_an_entry_of_another_form_is_named_with_its_place(source: Checkout, changes: dict[str, Any], said: str) -> None:
    source.newest(**changes)
    (line,) = refusal(source)
    assert line.startswith(f"{A}: {said}")
    assert responses(imported(source, lenient=True)) == []


def test_every_problem_of_every_file_is_in_one_report(source: Checkout) -> None:
    source.newest("model-a", "X01", content=5, latency_s="x")
    source.history(entry(), {"content": None}, prompt="X02")
    source.put("results/model-c.json", b"{")
    source.prompts(*PROMPTS, prompt("X01", "odd_jobs", "s", "reasoning"), {"id": "X09", "difficulty": "huge"})
    lines = refusal(source)
    assert [line.split(": ")[:2] for line in lines] == [
        ["evals/general.json", "prompts[3].id"],
        *(
            ["evals/general.json", f"prompts[4].{key}"]
            for key in ("category", "check_type", "criteria", "difficulty", "ideal", "prompt", "subcategory")
        ),
        [A, "runs.X01[0].content"],
        [A, "runs.X01[0].latency_s"],
        *(
            [A, f"runs.X02[1].{key}"]
            for key in ("api_model", "auto_checks", "judge_scores", "latency_s", "timestamp")
        ),
        ["results/model-c.json:1", "not JSON"],
    ]  # fmt: skip


def test_lenient_imports_the_rest_and_tells_what_was_skipped(source: Checkout) -> None:
    source.history(entry("good"), {"content": None}, prompt="X01")
    source.put("results/model-c.json", b"")
    said = refusal(source)
    report = api.import_results("benchpress", source.root, source.root.parent / "board", lenient=True)
    assert list(report.skipped) == said
    repository = api.Repository(source.root.parent / "board")
    assert [record.text for record in responses(repository)] == ["good"]
    assert api.verify(repository, None)[1] == []


@pytest.mark.parametrize(
    ("prompts", "said"),
    [
        ([], "prompts: expected array of length >= 1"),
        ([5], "prompts[0]: found int; expected object"),
        ([{**PROMPTS[0], "difficulty": "huge"}], "prompts[0].difficulty: found 'huge'; known: easy, hard, medium"),
        ([{**PROMPTS[0], "prompt": ""}], "prompts[0].prompt: the text has no visible character"),
        ([{**PROMPTS[0], "prompt": "\u200b "}], "prompts[0].prompt: the text has no visible character"),
        ([{**PROMPTS[0], "ideal": "a\x00"}], "prompts[0]: its prompt, ideal answer or a criterion has a control"),
        ([{**PROMPTS[0], "constraints": {"lines": 3}}], "prompts[0].constraints: object contains unknown field lines"),
        ([{**PROMPTS[0], "id": "\u65e5"}], "prompts[0].id: no id can be made from it; choose another"),
        ([{**PROMPTS[0], "category": "\u65e5"}], "prompts[0]: no id can be made from its category or subcategory"),
        (
            [PROMPTS[0], {**PROMPTS[1], "id": "x_01"}, {**PROMPTS[1], "id": "X-01"}],
            "prompts[2].id: its id 'x-01' is that of",
        ),
    ],
)
def test_a_prompt_that_is_none_is_named(source: Checkout, prompts: object, said: str) -> None:
    source.put("evals/general.json", {"prompts": prompts})
    lines = refusal(source)
    assert any(line.startswith(f"evals/general.json: {said}") for line in lines), lines


def test_without_prompts_nothing_is_left_to_import(source: Checkout) -> None:
    source.put("evals/general.json", b"{")
    lines = refusal(source, lenient=True)
    assert lines[0] == "evals/general.json:1: not JSON: expecting property name enclosed in double quotes at column 2"


def test_without_results_nothing_is_left_to_import(source: Checkout) -> None:
    for name in ("model-a", "model-b"):
        (source.root / "results" / f"{name}.json").unlink()
    assert refusal(source, lenient=True) == ["results: contains no *.json file; put one per model here"]


def test_a_judge_that_scored_few_is_unknown_and_skipped(source: Checkout) -> None:
    marks = {"Anna 1.0": 4, "ben": 4, "model-b": 4, "Mystery Judge": 1}
    source.history(entry(marks=marks))
    assert refusal(source) == [
        f"{A}: judge_scores: unknown judge 'Mystery Judge': it has scored 0 of the 2 models it may score; "
        "a judge of the panel has scored half of them or more"
    ]
    repository = imported(source, lenient=True)
    assert {judge for judge, _ in judgments(repository)} == {"anna-1.0", "ben", "model-b", "deepeval"}
    assert results_of(repository).row("model-a").rank is not None


def test_two_judges_of_one_id_are_named(source: Checkout) -> None:
    for model in ("model-a", "model-b"):
        for item in ("X01", "X02", "Y01"):
            source.newest(model, item, judge_scores={
                judge: {"score": 3, "rationale": ""} for judge in ("ben", "BEN", "\u65e5")
            })  # fmt: skip
    assert refusal(source) == [
        "results: judge_scores: no id can be made from the name '\u65e5'; rename the judge in the files",
        "results: judge_scores: the judges BEN and ben have one id; rename the judge in the files",
    ]


def test_without_verdicts_nothing_is_left_to_import(source: Checkout) -> None:
    for model in ("model-a", "model-b"):
        for item in ("X01", "X02", "Y01"):
            source.newest(model, item, judge_scores={})
    assert refusal(source, lenient=True) == ["results: no file has a verdict; have the answers judged first"]


def test_content_without_text_or_error_is_named(source: Checkout) -> None:
    source.newest("model-a", "X01", content=None)
    assert refusal(source) == [f"{A}: runs.X01[0].content: found null and no error; write the text, or the error"]
    (record,) = responses(imported(source, lenient=True))
    assert (record.state, record.error) == ("errored", "BenchPress recorded neither a text nor an error")


def test_prompts_without_an_answer_are_named(source: Checkout) -> None:
    source.history(prompt="X01")
    source.change(A, lambda data: data["runs"].pop("X02"))
    assert refusal(source) == [
        f"{A}: runs: no answer to 1 of 3 prompts: X02; add them, or remove the prompts",
        f"{A}: runs.X01: the history is empty; expected one entry or more",
    ]
    row = results_of(imported(source, lenient=True)).row("model-a")
    assert row.rank is None


def test_files_that_make_one_model_are_named(source: Checkout) -> None:
    source.put("results/Model A.json", results("Another"))
    source.put("results/model-c.json", results("model  b", but="model-b"))
    source.put("results/\u65e5\u672c.json", results("Nihon"))
    lines = refusal(source)
    assert f"{A}: its id 'model-a' is that of results/Model A.json; rename one of the files" in lines
    said = "is the name of results/model-b.json too; readers need different names"
    assert f"results/model-c.json: model_name: {said}" in lines
    assert "results/\u65e5\u672c.json: no id can be made from the file's name; add letters or digits" in lines


@pytest.mark.parametrize("title", ["\u202e", "\u200b\u200d", " \n"])
def test_a_name_that_nobody_sees_is_refused(source: Checkout, title: str) -> None:
    source.change(A, lambda data: data.update(model_name=title))
    assert refusal(source) == [f"{A}: model_name: the text has no visible character; write it"]


def test_a_hostile_file_name_moves_no_cursor_and_leaves_no_folder(source: Checkout) -> None:
    source.put("results/\x1b[2J..\n=cmd.json", b"")
    (line,) = refusal(source)
    assert line == "results/\\x1b[2J..\\n=cmd.json:1: the file is empty; expected one JSON object"
    (source.root / "results" / "\x1b[2J..\n=cmd.json").write_bytes(
        (source.root / A).read_bytes().replace(b"Model A", b"C")
    )
    assert set(api.validate(imported(source)).models) == {"2j..-cmd", "model-a", "model-b"}


def test_links_and_what_is_no_file_are_not_read(source: Checkout) -> None:
    (source.root.parent / "secret.json").write_text(json.dumps(results("Secret")), "utf-8")
    results_dir = source.root / "results"
    (results_dir / "link.json").symlink_to(source.root.parent / "secret.json")
    (results_dir / "gone.json").symlink_to("nowhere")
    (results_dir / "folder.json").mkdir()
    os.mkfifo(results_dir / "pipe.json")
    said = "not a regular file; put a regular file here"
    assert refusal(source) == [
        f"results/folder.json: {said}",
        "results/gone.json: a symbolic link; put the file itself here",
        "results/link.json: a symbolic link; put the file itself here",
        f"results/pipe.json: {said}",
    ]
    assert set(api.validate(imported(source, lenient=True)).models) == {"model-a", "model-b"}


@pytest.mark.parametrize("folder", ["evals", "results"])
def test_a_folder_that_is_a_link_is_not_followed(source: Checkout, folder: str) -> None:
    (source.root / folder).rename(source.root.parent / "elsewhere")
    (source.root / folder).symlink_to(source.root.parent / "elsewhere")
    with pytest.raises(UsageError, match=f"{folder}: a symbolic link; put the folder itself here"):
        imported(source)


def test_a_file_name_that_is_no_utf_8_is_named_in_ascii(source: Checkout) -> None:
    (source.root / "results" / os.fsdecode(b"\xff.json")).write_bytes(b"{}")
    (line, *_) = refusal(source)
    assert line == "results/\\udcff.json: model_name: the key is missing; write it, with its value"


def test_what_the_specs_refuse_is_said_with_what_it_would_be(source: Checkout) -> None:
    source.prompts({**PROMPTS[0], "prompt": f"Is sk-{'a' * 30} a key?"}, *PROMPTS[1:])
    (line,) = refusal(source)
    assert "specs/domains/odd-jobs.yaml" in line
    assert "this looks like an API key" in line
    assert "a" * 30 not in line


def test_a_panel_of_a_single_model_cannot_judge_it(source: Checkout) -> None:
    for model in ("model-a", "model-b"):
        for item in ("X01", "X02", "Y01"):
            marks = {"model-b": {"score": 3, "rationale": ""}} if model == "model-a" else {}
            source.newest(model, item, judge_scores=marks)
    (line,) = refusal(source)
    assert "no judge of panel 'benchpress' may score 'model-b'" in line
