"""Logs of other tools: what `rank` and the imports read from real ones, and how damaged ones are refused."""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from nullbench_site.errors import UsageError
from nullbench_site.interop.answers import read_answers_file
from nullbench_site.interop.score_table import Chosen, read_table

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
        (lambda log: [each.update(scores={}) for each in log["samples"]], ": no sample has a score, so score it"),
    ],
)
def test_a_log_that_cannot_be_used_is_refused(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], message: str
) -> None:
    assert message in refusal(inspect_log(tmp_path, change))


def test_a_json_log_that_was_cut_off_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_bytes((LOGS / "inspect/alpha.json").read_bytes()[:20_000])
    assert "the log is damaged or incomplete, copy it again" in refusal(path)
    (problem,) = read_answers_file("log.json", (LOGS / "inspect/alpha.json").read_bytes()[:20_000]).problems
    assert str(problem).startswith("log.json:"), problem


def archive(tmp_path: Path, members: dict[str, bytes], name: str = "log.eval") -> Path:
    path = tmp_path / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        for member, content in members.items():
            opened.writestr(member, content)
    return path


def test_hostile_archives_are_refused(tmp_path: Path) -> None:
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
    path.write_bytes(_with_size(_with_size(raw, b"more.json", 2**32 - 2), b"samples/sky", 2**32 - 2))
    assert ": more than 4 GB unpacked; " in refusal(path)


def _with_size(raw: bytes, member: bytes, size: int) -> bytes:
    """An archive whose directory gives a member another size."""
    at = raw.rindex(member) - 46 + 24
    return raw[:at] + size.to_bytes(4, "little") + raw[at + 4 :]


def test_zstandard_needs_an_extra_and_the_message_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nullbench_site.interop.logs.archive.import_module", _no_module)
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
