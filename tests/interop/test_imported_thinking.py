"""Imports split the thinking off the answers: of our own lines, AlpacaEval's outputs and the logs of other tools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.repositories import build, run_dir, small_repository

from nullbench_site import api
from nullbench_site.evaluation.backends.recorded import RecordedAnswer, encoded
from nullbench_site.interop.answers import read_answers_file
from nullbench_site.interop.answers.importing import ImportRequest, split_off
from nullbench_site.interop.importer import FileAnswer
from nullbench_site.runs.records import Response, read_records

THINKING, ANSWER = "Berlin? No.", "Rome"


def inspect(content: Any, stop: str = "stop") -> dict[str, Any]:
    output = {"choices": [{"message": {"role": "assistant", "content": content}, "stop_reason": stop}]}
    sample = {"id": "a", "epoch": 1, "input": "Which city?", "output": output, "scores": {"s": {"value": "C"}}}
    return {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}, "samples": [sample]}


def lm_eval(answer: str) -> dict[str, Any]:
    return {"doc_id": 0, "arguments": [["Which city?"]], "resps": [[answer]], "metrics": ["acc"], "acc": 1.0}


def promptfoo(output: Any) -> dict[str, Any]:
    row = {
        "provider": {"id": "m"}, "prompt": {"raw": "Which city?", "label": ""}, "testIdx": 0, "promptIdx": 0,
        "success": True, "score": 1, "response": {"output": output}, "vars": {"id": "a"},
    }  # fmt: skip
    return {"evalId": "e", "results": {"version": 3, "results": [row], "stats": {}}, "config": {}}


def helm(text: str, thinking: Any = None) -> dict[str, Any]:
    made = {"text": text, "logprob": 0, "tokens": [], **({"thinking": thinking} if thinking else {})}
    instance = {"id": "a", "input": {"text": "Which city?"}}
    state = {"instance": instance, "train_trial_index": 0, "result": {"success": True, "completions": [made]}}
    return {"adapter_spec": {"model": "m"}, "request_states": [state]}


def every_eval_ever(**said: Any) -> dict[str, Any]:
    return {
        "schema_version": "0.2.2", "evaluation_id": "e", "model_id": "m", "evaluation_name": "t", "sample_id": "a",
        "input": {"raw": "Which city?"}, "evaluation": {"score": 1.0}, **said,
    }  # fmt: skip


TAGGED = f"<think>{THINKING}</think>\n{ANSWER}"
CLOSED = f"{THINKING}\n</think>\n\n{ANSWER}"
FILES: dict[str, Any] = {
    "lines with a tag": {"item": "a", "text": TAGGED},
    "lines with a closing tag": {"item": "a", "text": CLOSED},
    "lines with a field": {"item": "a", "text": ANSWER, "reasoning": THINKING},
    "lines with the field of servers": {"item": "a", "text": ANSWER, "reasoning_content": THINKING},
    "lines with both": {"item": "a", "text": TAGGED, "reasoning": THINKING},
    "lines with parts": {"item": "a", "text": [{"type": "thinking", "thinking": THINKING}, {"text": ANSWER}]},
    "AlpacaEval": [{"instruction": "Which city?", "output": CLOSED, "generator": "m"}],
    "Inspect, text": inspect(TAGGED),
    "Inspect, parts": inspect([{"type": "reasoning", "reasoning": THINKING}, {"type": "text", "text": ANSWER}]),
    "Inspect, a tag in a part": inspect([{"type": "text", "text": f"[THINK]{THINKING}[/THINK]{ANSWER}"}]),
    "lm-evaluation-harness": lm_eval(CLOSED),
    "promptfoo": promptfoo(TAGGED),
    "promptfoo, signed": promptfoo(f"Thinking: {THINKING}\nSignature: Zm9v\n\n{ANSWER}"),
    "HELM": helm(TAGGED),
    "HELM, apart": helm(ANSWER, {"text": THINKING}),
    "Every Eval Ever": every_eval_ever(output={"raw": [CLOSED]}),
    "Every Eval Ever, apart": every_eval_ever(output={"raw": [ANSWER], "reasoning_trace": [THINKING]}),
    "Every Eval Ever, messages": every_eval_ever(
        messages=[{"role": "assistant", "content": ANSWER, "reasoning_trace": THINKING}]
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_answer_and_thinking_are_the_same_in_every_form(name: str) -> None:
    found = read_answers_file("answers.jsonl", json.dumps(FILES[name]).encode())
    assert not found.problems
    (answer,) = map(split_off, found.answers)
    assert (answer.text, answer.reasoning, answer.ended) == (ANSWER, THINKING, "stop")


@pytest.mark.parametrize(
    ("text", "ended", "expected"),
    [
        (f"<think>{THINKING}", "stop", ("", THINKING, "length")),
        (f"<think>{THINKING}", "length", ("", THINKING, "length")),
        (f"<think>{THINKING}</think>", "stop", ("", THINKING, "stop")),
        (f"analysisWe look. {THINKING}", "stop", ("", f"We look. {THINKING}", "length")),
        ("The tag `<think>` opens it.", "stop", ("The tag `<think>` opens it.", "", "stop")),
    ],
)
def test_an_answer_that_ends_in_its_thinking_is_cut(text: str, ended: Any, expected: tuple[str, str, str]) -> None:
    made = split_off(FileAnswer(item="a", text=text, line=1, ended=ended))
    assert (made.text, made.reasoning, made.ended) == expected


@pytest.mark.parametrize(
    ("finish", "ended"),
    [
        ("MAX_TOKENS", "length"),
        ("end_turn", "stop"),
        ("SAFETY", "content_filter"),
        ("Refusal", "refusal"),
        ("", "stop"),
    ],
)
def test_a_reason_may_be_the_word_of_a_server(finish: str, ended: str) -> None:
    (answer,) = read_answers_file("a", json.dumps({"item": "a", "text": "b", "finish": finish}).encode()).answers
    assert answer.ended == ended


def test_an_answer_that_a_server_broke_off_is_refused_with_the_way_on() -> None:
    line = json.dumps({"item": "a", "text": "b", "finish": "abort"}).encode()
    (problem,) = read_answers_file("a.jsonl", line).problems
    advice = "get it again, or leave the line out and import with --partial"
    assert str(problem) == f"a.jsonl:1: finish: found 'abort': the server broke the answer off; {advice}"
    log = read_answers_file("log.json", json.dumps(inspect("Ro", "error")).encode())
    assert "the answer was broken off and is left out" in str(log.problems[0])


def test_models_that_differ_only_in_the_form_of_their_thinking_have_one_score(tmp_path: Path) -> None:
    repository = small_repository(tmp_path / "b")
    benchmark = api.validate(repository)
    items = [placed.id for placed in benchmark.items(benchmark.boards["main"])]
    forms = {"plain": "{}", "tagged": "<think>A hundred and one.</think>\n{}", "closed": "One.\n</think>\n\n{}"}
    for name, form in forms.items():
        file = tmp_path / f"{name}.jsonl"
        lines = ({"item": item, "text": form.format(f"It says {item}.")} for item in items)
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        report = api.import_answers(repository, "answers", ImportRequest(file, ("main",), name))
        assert (report.thinking, report.cut) == (0 if name == "plain" else len(items), 0)
        said = f"{len(items)} answers split from the thinking before it, which is stored apart"
        assert (said in [*report.lines()]) == (name != "plain")
    build(repository)
    told = {
        name: sorted((each.text, str(each.checks), bool(each.reasoning)) for each in read_records(path, Response))
        for name in forms
        if (path := run_dir(repository) / f"responses/{name}.jsonl")
    }
    assert [record[:2] for record in told["plain"]] == [record[:2] for record in told["tagged"]]
    assert [record[:2] for record in told["plain"]] == [record[:2] for record in told["closed"]]
    assert all(has for name in ("tagged", "closed") for _, _, has in told[name])


def test_a_file_of_answers_without_thinking_has_the_bytes_of_older_versions() -> None:
    answer = RecordedAnswer(board="b", item="a", sample=0, asked="x", text="Rome")
    assert encoded([answer]) == b'{"board":"b","item":"a","sample":0,"asked":"x","text":"Rome"}\n'
