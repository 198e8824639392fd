"""Logs of other tools: what `rank` and the imports read from real ones, and how damaged ones are refused."""

from __future__ import annotations

import json
import math
import tracemalloc
import zipfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from nullbench_site import api
from nullbench_site.errors import UsageError
from nullbench_site.interop.answers import read_answers_file
from nullbench_site.interop.answers.importing import ImportRequest, prompts_of
from nullbench_site.interop.score_table import Chosen, read_table
from nullbench_site.repository import Repository

LOGS = Path(__file__).parents[1] / "data/logs"
SHARED = Path(__file__).parents[3] / "shared/data/logs"
zstd = pytest.mark.skipif(
    not (hasattr(zipfile, "ZIP_ZSTANDARD") or find_spec("backports")), reason="needs backports.zstd, or Python 3.14"
)
shared = pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/data/logs")


def cells(path: Path, **chosen: Any) -> tuple[dict[tuple[str, str], float], str]:
    """The scores by model and item, without gaps, and all notes."""
    table = read_table(str(path), Chosen(**chosen))
    scores = {
        (model, item): score
        for model, row in zip(table.models, table.values.tolist(), strict=True)
        for item, score in zip(table.items, row, strict=True)
        if not math.isnan(score)
    }
    return scores, "\n".join(table.notes)


def refusal(path: Path, **chosen: Any) -> str:
    with pytest.raises(UsageError) as refused:
        read_table(str(path), Chosen(**chosen))
    text = str(refused.value)
    assert "\n" not in text
    return text.removeprefix(str(path))


# Inspect.


def inspect_log(tmp_path: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    log = json.loads((LOGS / "inspect/alpha.json").read_bytes())
    change(log)
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log), "utf-8")
    return path


@zstd
def test_archives_of_inspect_are_ranked_by_the_metric_that_they_name() -> None:
    folder = LOGS / "inspect"
    scores, notes = cells(folder / "beta.eval")
    assert scores == {("mockllm/beta", "tea"): 0, ("mockllm/beta", "two"): 1, ("mockllm/beta", "sky"): 0}
    assert "Other metrics, for --score: 'style.brief' and 'style.polite'." in notes
    assert "beta.eval: sample 'sky', epoch 2: the sample failed and has no score." in notes
    assert "means over up to 2 samples" in notes
    assert "'mockllm/alpha' on 'small_talk' is in" in refusal(folder)  # as JSON and as an archive


def test_a_score_of_nan_is_absent_and_named_with_its_place(tmp_path: Path) -> None:
    scores, notes = cells(LOGS / "inspect/alpha.json", score="style.brief")
    assert {item: round(score, 3) for (_, item), score in scores.items()} == {"tea": 0.333, "sky": 0.5}
    assert "alpha.json: sample 'two', epoch 1: no score for 'style.brief'." in notes


def test_the_answers_of_a_log_come_with_item_prompt_and_sample() -> None:
    path = LOGS / "inspect/alpha.json"
    given = read_answers_file("alpha.json", path.read_bytes())
    assert not given.problems
    assert given.generator == "mockllm/alpha"
    assert [(each.item, each.prompt, each.text, each.sample) for each in given.answers][:1] == [
        ("sky", "Name a star.", "The Sun", 0)
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda log: log.update(version=1), ": version: a log of version 1; only 2 can be read; "),
        (lambda log: log.update(status="error", error={"message": "no\nkey"}), ": the log has the status 'error' (no"),
        (lambda log: log["eval"].pop("model"), ": eval: object missing required field"),
        (lambda log: log["samples"][1].update(id=[]), ": samples[1].id: "),
        (lambda log: log["samples"][1].update(input="\ud800"), ": half a character"),
        (lambda log: [each.update(scores={}) for each in log["samples"]], ": no sample has a score, so score it"),
        (
            lambda log: [each.update(scores={"style": {"value": math.nan}}) for each in log["samples"]],
            ": no sample has a score, so score it with its tool first; sample 'sky', epoch 1: no score for",
        ),
    ],
)
def test_a_log_that_cannot_be_used_is_refused(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], message: str
) -> None:
    assert message in refusal(inspect_log(tmp_path, change))


def test_a_json_log_that_was_cut_off_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_bytes((LOGS / "inspect/alpha.json").read_bytes()[:20_000])
    assert "the file is damaged or incomplete, copy it again" in refusal(path)
    (problem,) = read_answers_file("log.json", (LOGS / "inspect/alpha.json").read_bytes()[:20_000]).problems
    assert str(problem).startswith("log.json:"), problem


def archive(tmp_path: Path, members: dict[str, bytes], name: str = "log.eval") -> Path:
    path = tmp_path / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        for member, content in members.items():
            opened.writestr(member, content)
    return path


def test_hostile_archives_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = json.loads((LOGS / "inspect/alpha.json").read_bytes())
    samples = {f"samples/{each['id']}_epoch_1.json": json.dumps(each).encode() for each in whole.pop("samples")}
    good = {"header.json": json.dumps(whole).encode(), **samples}
    path = archive(tmp_path, good)
    assert cells(path)[0] == cells(LOGS / "inspect/alpha.json")[0]
    raw = path.read_bytes()
    path.write_bytes(raw[: len(raw) // 2])
    assert refusal(path) == ": a damaged or incomplete archive; copy the log again"
    at = raw.index(b"samples/sky") + 60
    path.write_bytes(raw[:at] + bytes(8) + raw[at + 8 :])
    assert refusal(path) == ": 'samples/sky_epoch_1.json' is damaged; copy the log again"
    assert "leaves the archive" in refusal(archive(tmp_path, {**good, "samples/../../x.json": b"{}"}))
    assert "no header.json: the run did not finish" in refusal(archive(tmp_path, samples))
    raw = archive(tmp_path, {**good, "more.json": b"0" * 100_000}).read_bytes()
    path.write_bytes(_with_size(raw, b"samples/sky", 10))  # it expands to more than it says
    assert refusal(path) == ": 'samples/sky_epoch_1.json' is damaged; copy the log again"
    bomb = archive(tmp_path, {**good, "samples/bomb.json": b" " * 100_000_000, "more.json": b" " * 2_000_000})
    monkeypatch.setattr("nullbench_site.interop.logs.inspect_ai.MOST_BYTES", 1_000_000)
    tracemalloc.start()
    assert refusal(bomb).startswith(": 'samples/bomb.json' unpacks to too many bytes; write a smaller log")
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


def _with_size(raw: bytes, member: bytes, size: int) -> bytes:
    """An archive whose directory gives a member another size."""
    at = raw.rindex(member) - 46 + 24
    return raw[:at] + size.to_bytes(4, "little") + raw[at + 4 :]


def test_zstandard_needs_an_extra_and_the_message_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nullbench_site.interop.logs.inspect_ai.import_module", _no_module)
    if hasattr(zipfile, "ZIP_ZSTANDARD"):
        pytest.skip("this Python reads Zstandard")
    assert "pip install 'nullbench-site[zstd]'" in refusal(LOGS / "inspect/beta.eval")


def _no_module(name: str) -> Any:
    raise ImportError(name)


@shared
def test_public_logs_of_inspect() -> None:
    folder = SHARED / "inspect"
    assert list(cells(folder / "data_arc_qwen.json")[0].values()) == [1, 0, 0]
    scores, notes = cells(folder / "data_with_llm_scoring.json")
    assert scores == {("anthropic/claude-opus-4-6", "simpleqa_verified"): 0.431}
    assert "the items are tasks" in notes
    with pytest.raises(UsageError, match="no sample has a score"):
        read_table(str(folder / "data_cvebench_empty_choices.json"))


# lm-evaluation-harness.

LM_EVAL = LOGS / "lm_eval"
SAMPLES = "samples_small_talk_2026-11-27T07-06-27.527160.jsonl"


def test_each_filter_of_a_metric_is_a_metric_and_a_list_is_named() -> None:
    assert refusal(LM_EVAL).endswith("choose one with --score: 'exact_match,first' and 'exact_match,upper'")
    scores, notes = cells(LM_EVAL, score="exact_match,first")
    assert list(scores.values()) == [0, 0, 1]
    assert f"{SAMPLES}: line 1: 'bleu,first' is a list, not a number; left out (and 2 more places)." in notes
    assert refusal(LM_EVAL / SAMPLES).startswith(": the file has only the samples of a log;")


def test_results_without_samples_are_means_of_tasks_and_say_which_direction_is_better(tmp_path: Path) -> None:
    (results,) = LM_EVAL.glob("results_*.json")
    data = json.loads(results.read_bytes())
    data["higher_is_better"]["small_talk"]["bleu"] = False
    (tmp_path / results.name).write_text(json.dumps(data), "utf-8")
    table = read_table(str(tmp_path), Chosen(score="bleu,first"))
    assert (table.items, table.values.tolist(), table.means) == (("small_talk",), [[0.0]], True)
    assert table.lower_is_better
    assert not read_table(str(tmp_path), Chosen(score="exact_match,first")).lower_is_better
    (tmp_path / SAMPLES).write_bytes((LM_EVAL / SAMPLES).read_bytes()[:-400])
    assert "not one JSON object; the file is damaged or incomplete" in refusal(tmp_path)


def test_the_answers_of_samples_are_all_responses_of_an_item() -> None:
    given = read_answers_file(SAMPLES, (LM_EVAL / SAMPLES).read_bytes())
    assert [(each.item, each.text, each.sample) for each in given.answers][:3] == [
        ("0", "lol", 0), ("0", "lol", 1), ("1", "lol", 0),
    ]  # fmt: skip
    assert given.answers[0].prompt == "What colour is green tea?"


# promptfoo.


def test_results_of_promptfoo_have_a_model_for_each_provider() -> None:
    path = LOGS / "promptfoo/results.json"
    scores, notes = cells(path, score="right")
    assert scores == {
        ("alpha", "tea"): 1, ("alpha", "two"): 1, ("alpha", "sky"): 1, ("beta", "tea"): 0, ("beta", "two"): 1,
    }  # fmt: skip
    assert "beta, test 4: the test ended with an error and has no score (and 1 more place)." in notes
    assert cells(path)[0]["beta", "tea"] == pytest.approx(1 / 3)  # the headline, `score`


def test_results_of_promptfoo_in_another_version_are_refused(tmp_path: Path) -> None:
    data = json.loads((LOGS / "promptfoo/results.json").read_bytes())
    data["results"]["version"] = 2
    path = tmp_path / "results.json"
    path.write_text(json.dumps(data, indent=1), "utf-8")
    assert refusal(path).startswith(": results.version: results of version 2; only 3 can be read;")
    (problem,) = read_answers_file("results.json", path.read_bytes()).problems
    assert str(problem).startswith("results.json: results.version: ")


def test_a_log_is_imported_by_prompt_and_its_model_by_name(repository: Repository, tmp_path: Path) -> None:
    benchmark = api.validate(repository)
    prompts = [str(prompt) for prompt in prompts_of(benchmark, benchmark.boards["main"]).values()]
    data = json.loads((LOGS / "promptfoo/results.json").read_bytes())
    first = data["results"]["results"][0]
    data["results"]["results"] = [
        first | {
            "provider": {"id": "mock", "label": label}, "prompt": {"raw": prompt, "label": "p"}, "testIdx": at,
            "vars": {"q": prompt}, "testCase": {"vars": {"q": prompt}}, "response": {"output": f"{label} {at}"},
        }
        for at, prompt in enumerate(prompts)
        for label in ("Model A", "Model B")
    ]  # fmt: skip
    path = tmp_path / "results.json"
    path.write_text(json.dumps(data), "utf-8")
    with pytest.raises(UsageError, match="answers of 'Model A' and 'Model B'; choose one by its name, with --title"):
        api.import_answers(repository, "answers", ImportRequest(path, ("main",), "sub"))
    report = api.import_answers(repository, "answers", ImportRequest(path, ("main",), "sub", title="Model B"))
    assert report.answers == len(prompts)
    kept = (repository.root / "answers/sub.jsonl").read_text("utf-8")
    assert "Model B 0" in kept
    assert "Model A" not in kept


# HELM and Every Eval Ever: a log of HELM, and small files made by hand.


def test_a_log_of_helm_has_trials_and_a_request_that_failed() -> None:
    scores, notes = cells(LOGS / "helm", score="exact_match")
    assert scores == {("mock/alpha", "id2"): 0, ("mock/alpha", "id3"): 1, ("mock/alpha", "id4"): 0.5}
    assert "Other metrics, for --score: 'quasi_exact_match'." in notes
    given = read_answers_file("x.json", (LOGS / "helm/run/scenario_state.json").read_bytes())
    assert [(each.item, each.text, each.sample) for each in given.answers] == [
        ("id2", "Green", 0), ("id3", "2", 0), ("id4", "Sun", 0), ("id2", "Green", 1), ("id3", "2", 1),
    ]  # fmt: skip


def test_a_run_folder_of_helm(tmp_path: Path) -> None:
    spec = {"name": "quiz:topic=tea,model=a_b", "scenario_spec": {}, "adapter_spec": {"model": "a/b"}}
    (tmp_path / "run_spec.json").write_text(json.dumps(spec), "utf-8")
    assert "no per_instance_stats.json beside it" in refusal(tmp_path)
    right = {"name": {"name": "exact_match", "split": "test"}, "count": 2, "sum": 1}
    tokens = {"name": {"name": "num_prompt_tokens", "split": "test"}, "count": 1, "sum": 9}
    stats = [
        {"instance_id": "id1", "train_trial_index": 0, "stats": [right, tokens]},
        {"instance_id": "id1", "train_trial_index": 0, "perturbation": {"name": "typos"}, "stats": [tokens]},
    ]
    (tmp_path / "per_instance_stats.json").write_text(json.dumps(stats), "utf-8")
    scores, notes = cells(tmp_path)
    assert scores == {("a/b", "id1"): 0.5}
    assert "instance 'id1': a perturbed instance is left out." in notes


@pytest.mark.parametrize(
    ("sums", "sentence"),
    [
        ({"test": 3, "valid": 1}, "the log states 'exact_match' = 0.75 in 'test' and 0.25 in 'valid'."),
        ({"a": 0, "b": 2, "c": 4}, "the log states 'exact_match' = 0 in 'a', 0.5 in 'b' and 1 in 'c'."),
        ({"test": 2}, ""),
    ],
)
def test_the_figure_of_each_split_of_helm_is_named(tmp_path: Path, sums: dict[str, int], sentence: str) -> None:
    spec = {"name": "quiz", "scenario_spec": {}, "adapter_spec": {"model": "m"}}
    right = {"name": {"name": "exact_match"}, "count": 1, "sum": 0.5}
    instances = [{"instance_id": f"i{at}", "train_trial_index": 0, "stats": [right]} for at in range(4 * len(sums))]
    totals = [
        {"name": {"name": name, "split": split}, "count": 4 if name == "exact_match" else 1, "sum": value}
        for split, right_ones in sums.items()
        for name, value in (("exact_match", right_ones), ("num_instances", 4))
    ]
    for name, data in (("run_spec", spec), ("per_instance_stats", instances), ("stats", totals)):
        (tmp_path / f"{name}.json").write_text(json.dumps(data), "utf-8")
    notes = cells(tmp_path)[1]
    assert sentence in notes
    assert (" in 'test'" in notes) == ("valid" in sums)


def record(folder: Path, model: str, scores: list[float], **changes: Any) -> Path:
    """A record of Every Eval Ever with a sample for each score."""
    samples = folder / f"{model}_samples.jsonl"
    rows = [
        {
            "schema_version": "0.3.0", "evaluation_id": "e", "model_id": model, "evaluation_name": "quiz",
            "evaluation_result_id": "r", "sample_id": f"s{number}", "interaction_type": "single_turn",
            "input": {"raw": f"Question {number}?", "reference": []}, "output": {"raw": [f"Answer {number}"]},
            "answer_attribution": [], "evaluation": {"score": score, "is_correct": score > 1},
        }
        for number, score in enumerate(scores)
    ]  # fmt: skip
    samples.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    metric = {"metric_id": "errors", "lower_is_better": True, "min_score": 0, "max_score": 10}
    result = {
        "evaluation_result_id": "r", "evaluation_name": "quiz", "metric_config": metric, "score_details": {"score": 7},
    }  # fmt: skip
    data = {"schema_version": "0.3.0", "model_info": {"id": model}, "evaluation_results": [result], **changes}
    path = folder / f"{model}.json"
    path.write_text(json.dumps(data), "utf-8")
    return path


def test_records_of_every_eval_ever(tmp_path: Path) -> None:
    path = record(tmp_path, "a", [1, 2])
    record(tmp_path, "b", [3, math.nan])
    table = read_table(str(tmp_path))
    assert (table.scale, table.lower_is_better, table.means) == ((0, 10), True, False)
    scores, notes = cells(tmp_path)
    assert scores == {("a", "s0"): 1, ("a", "s1"): 2, ("b", "s0"): 3}
    assert "b_samples.jsonl: line 2: no score for 'errors'." in notes
    given = read_answers_file("x.jsonl", (tmp_path / "a_samples.jsonl").read_bytes())
    assert next((each.item, each.prompt, each.text) for each in given.answers) == ("s0", "Question 0?", "Answer 0")
    record(tmp_path, "a", [1], schema_version="0.1.0")
    assert refusal(path).startswith(": schema_version: '0.1.0'; only 0.2 and 0.3 can be read;")
    stated = {"file_path": "../../a_samples.jsonl", "checksum": "0" * 64, "hash_algorithm": "sha256"}
    record(tmp_path, "a", [1], detailed_evaluation_results=stated)
    assert "a_samples.jsonl: not the file that a.json describes" in refusal(path.with_name("a.json"))


def test_a_folder_without_a_log_says_what_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "notes.json").write_text("{}", "utf-8")
    tools = "Every Eval Ever, HELM, Inspect, lm-evaluation-harness and promptfoo"
    assert refusal(tmp_path) == f": no log in this folder; logs of {tools} can be read"


@shared
def test_public_logs_of_helm_and_of_lm_evaluation_harness() -> None:
    scores, notes = cells(SHARED / "helm", score="quasi_exact_match")
    assert len(scores) == 15
    assert "2 groups of items" in notes
    scores, notes = cells(SHARED / "lm_eval")
    assert len(scores) == 10
    assert "task 'math_rephrased_full': no samples_math_rephrased_full_" in notes
    for path in (*SHARED.glob("helm/*/scenario_state.json"), *SHARED.glob("lm_eval/samples*")):
        given = read_answers_file(path.name, path.read_bytes())
        assert given.answers, path
        assert not given.problems, path


# The figures of a log: applied where they are clear, else named.


def inspect_of(epochs: list[list[Any]], mean: float, **changes: Any) -> dict[str, Any]:
    """A log of Inspect with a list of values for each item, and the mean that it states."""
    samples = [
        {"id": f"i{item}", "epoch": epoch, "scores": {"right": {"value": value}}}
        for item, values in enumerate(epochs)
        for epoch, value in enumerate(values, 1)
    ]
    config, reducer = changes.pop("config", {}), changes.pop("reducer", None)
    counts = {"total_samples": len(samples), "completed_samples": len(samples)}
    score = {"name": "right", "scorer": "right", "reducer": reducer, "metrics": {"mean": {"value": mean}}}
    of_first = changes.pop("first", {})
    samples[0] |= of_first
    results = counts | {"scores": [score]} | changes.pop("results", {})
    return {
        "version": 2, "status": "success", "eval": {"task": "t", "model": "m", "config": config}, "results": results,
        "samples": samples, **changes,
    }  # fmt: skip


EPOCHS = [["C", "I", "C"], ["I", "I", "C"], ["I", "I", "I"]]


@pytest.mark.parametrize(
    ("log", "scores", "note"),
    [
        (inspect_of(EPOCHS, 2 / 3, reducer="max"), [1, 1, 0], "is the max of its samples, as the log states."),
        (inspect_of(EPOCHS, 1 / 3, reducer="mode"), [1, 0, 0], "is the mode of its samples"),
        (inspect_of(EPOCHS, 1 / 3, reducer="median"), [1, 0, 0], "is the median of its samples"),
        (inspect_of(EPOCHS, 5 / 9, reducer="pass_at_2"), [1, 2 / 3, 0], "is the pass_at_2 of its samples"),
        (inspect_of(EPOCHS, 1 / 3, reducer="at_least_2"), [1, 0, 0], "is the at_least_2 of its samples"),
        (inspect_of(EPOCHS, 2 / 3, config={"epochs_reducer": ["max"]}), [1, 1, 0], "is the max of its samples"),
        (inspect_of(EPOCHS, 1 / 3, reducer="mean"), [2 / 3, 1 / 3, 0], "means over up to 3 samples"),
        (inspect_of(EPOCHS, 0.9, reducer="of_ours"), [2 / 3, 1 / 3, 0], "states the reducer 'of_ours'; here the score"),
        (inspect_of([["C"], ["I"]], 0.9), [1, 0], "the log states 'right' = 0.9; its samples give 0.5 over 2 items"),
        (inspect_of([["C"], ["I"]], 0.5, results={"total_samples": 7}), [1, 0], "states 7 samples, but has 2."),
        (inspect_of([["C"], ["I"]], 0.5, first={"error": {"message": "x"}}, config={"score_on_error": True}), [1, 0],
         "the sample failed; its score counts, as the log states (score_on_error)."),
        (inspect_of([["C"], ["I"]], 0.5, first={"error": {"message": "x"}}), [0], "'right' = 0.5; its samples give 0 "),
        (inspect_of([["C"], ["I"]], 0.5, first={"invalidation": {"reason": "leaked"}}, invalidated=True), [0],
         "the sample is invalidated; its score is left out."),
        (inspect_of([["C"], ["I"]], 0.5, invalidated=True), [1, 0], "it has invalidated samples, but marks none"),
    ],
)  # fmt: skip
def test_the_reducer_of_a_log_is_applied_and_its_figures_are_compared(
    tmp_path: Path, log: dict[str, Any], scores: list[float], note: str
) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log), "utf-8")
    found, notes = cells(path)
    assert list(found.values()) == pytest.approx(scores)
    assert note in notes


@pytest.mark.parametrize(
    "path", [LOGS / "inspect/alpha.json", LOGS / "lm_eval", LOGS / "helm"], ids=["inspect", "lm_eval", "helm"]
)
def test_logs_of_the_tools_themselves_agree_with_their_samples(path: Path) -> None:
    metric = {"lm_eval": "exact_match,first", "helm": "exact_match"}.get(path.name)
    assert "the log states" not in cells(path, score=metric)[1]


def lm_eval_of(folder: Path, stated: dict[str, float], rows: list[dict[str, Any]], effective: int) -> Path:
    """Results of lm-evaluation-harness with the rows of their samples."""
    results = {
        "results": {"quiz": stated}, "configs": {}, "versions": {}, "model_name": "m",
        "n-samples": {"quiz": {"original": 9, "effective": effective}},
    }  # fmt: skip
    (folder / "results_x.json").write_text(json.dumps(results), "utf-8")
    lines = [{"doc_id": at, "arguments": [], "resps": [["x"]], **row} for at, row in enumerate(rows)]
    (folder / "samples_quiz_x.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return folder


def test_fewer_samples_than_the_results_state_are_named(tmp_path: Path) -> None:
    rows = [{"metrics": ["acc"], "acc": 1}, {"metrics": ["acc"], "acc": 0}]
    notes = cells(lm_eval_of(tmp_path, {"acc,none": 0.75}, rows, 8))[1]
    assert "the results state 8 items of 'quiz', but the samples have 2." in notes
    assert "the log states 'acc' = 0.75 over 8 items; its samples give 0.5 over 2 items." in notes
    assert "the run used 8 of 9 items of 'quiz', as its results state." in notes
    assert "the log states" not in cells(lm_eval_of(tmp_path, {"acc,none": 0.5}, rows, 2))[1]


def test_samples_without_metrics_have_those_that_the_results_name(tmp_path: Path) -> None:
    rows = [{"acc": 1, "acc_norm": 0, "tokens": 9}, {"acc": 0, "acc_norm": 0, "tokens": 7}]
    folder = lm_eval_of(tmp_path, {"acc,none": 0.5, "acc_norm,none": 0, "acc_stderr,none": 0.1}, rows, 2)
    assert refusal(folder).endswith("choose one with --score: 'acc' and 'acc_norm'")
    scores, notes = cells(folder, score="acc")
    assert list(scores.values()) == [1, 0]
    assert "the samples name no metrics; they have 'acc' and 'acc_norm', read by the names in the results" in notes
    assert "they have 'acc', 'acc_norm' and 'tokens', in no result" in refusal(lm_eval_of(tmp_path, {}, rows, 2))


def promptfoo_of(columns: list[tuple[str, str, str, list[float]]], **run: Any) -> dict[str, Any]:
    """Results of promptfoo. columns: the provider, the label and the id of the prompt, and the scores of the tests."""
    rows = [
        {
            "provider": {"id": provider}, "prompt": {"raw": f"Q{test}?", "label": label}, "promptId": prompt,
            "testIdx": test, "promptIdx": column, "success": score == 1, "score": score, "vars": {"q": test},
        }
        for column, (provider, label, prompt, scores) in enumerate(columns)
        for test, score in enumerate(scores)
    ]  # fmt: skip
    return {"config": {}, "results": {"version": 3, "results": rows, "prompts": [], "stats": {}, **run}}


@pytest.mark.parametrize(
    ("columns", "means"),
    [
        ([("x", "P", "p", [1, 0]), ("x", "P", "p", [1, 1])], {"x · column 1": 0.5, "x · column 2": 1}),
        ([("x", "P", "p", [1, 0]), ("y", "P", "p", [1, 1])], {"x": 0.5, "y": 1}),
        ([("x", "P", "p", [1, 0]), ("x", "S", "s", [1, 1])], {"x · P": 0.5, "x · S": 1}),
        ([("x", "P", "", [1, 0]), ("x", "S", "", [1, 1])], {"x · P": 0.5, "x · S": 1}),
        ([("x", "P", "p", [1, 0]), ("x", "P", "s", [1, 1])], {"x · P · column 1": 0.5, "x · P · column 2": 1}),
        ([("x", "P", "p", [1, 0]), ("y", "P", "p", [0, 0]), ("x", "P", "p", [1, 1])],
         {"x · column 1": 0.5, "y": 0, "x · column 3": 1}),
    ],
)  # fmt: skip
def test_each_column_of_promptfoo_is_a_contestant(
    tmp_path: Path, columns: list[tuple[str, str, str, list[float]]], means: dict[str, float]
) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps(promptfoo_of(columns)), "utf-8")
    table = read_table(str(path), Chosen(score="score"))
    assert dict(zip(table.models, table.values.mean(axis=1).tolist(), strict=True)) == means


def test_the_statistics_of_promptfoo_are_compared(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    stated = {"score": 2, "testPassCount": 2, "testFailCount": 2, "testErrorCount": 0}
    stats = {"successes": 2, "failures": 2, "errors": 0}
    given = promptfoo_of([("x", "P", "p", [1, 1])], prompts=[{"metrics": stated}], stats=stats)
    path.write_text(json.dumps(given), "utf-8")
    notes = cells(path, score="score")[1]
    assert "the statistics state 4 results, but the file has 2." in notes
    assert "the log states 'score' = 0.5; its samples give 1 over 2 items." in notes


@pytest.mark.parametrize(
    ("value", "message"),
    [("9" * 5000, "a number has more than 4300 digits"), ("[" * 10_000 + "]" * 10_000, "values are nested too deeply")],
    ids=["digits", "depth"],
)
def test_json_beyond_the_limits_of_a_reader_has_one_message(tmp_path: Path, value: str, message: str) -> None:
    log = json.dumps(inspect_of([["C"]], 1)).replace('"epoch"', f'"x": {value}, "epoch"')
    samples = f'{{"doc_id": 1, "resps": [["x"]], "arguments": [], "x": {value}}}\n'
    table = f'{{"model": "a", "item": "i", "score": {value}}}\n'
    for name, text in {
        "log.json": log,
        "indented.json": f"{{\n{log[1:]}",
        "samples.jsonl": samples,
        "t.jsonl": table,
    }.items():
        path = tmp_path / name
        path.write_text(text, "utf-8")
        assert message in refusal(path)
        assert message in str(read_answers_file(name, text.encode()).problems[0])
    lm_eval_of(tmp_path, {"acc,none": 1}, [], 1)
    (tmp_path / "samples_quiz_x.jsonl").write_text(samples, "utf-8")
    assert message in refusal(tmp_path / "results_x.json")
