"""What an import makes of a checkout: specs, records, a sealed run that a build takes for its own."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from interop.checkouts import Checkout, entry, prompt, results
from interop.imports import imported, judgments, responses, results_of, run_of
from support.evidence import files
from support.private import git

from nullbench_site import api
from nullbench_site.errors import StoppedEarly, UsageError
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.protocols.rubric.specs import Composite, GEval
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import CheckResult
from nullbench_site.specs.document import CONTROL
from nullbench_site.specs.types import SEEN


def test_a_category_becomes_a_domain_and_a_subcategory_a_category(source: Checkout) -> None:
    benchmark = api.validate(imported(source))
    found = {
        domain.id: {category.id: [item.id for item in category.items] for category in domain.categories}
        for domain in benchmark.domains.values()
    }
    assert found == {
        "odd-jobs": {"odd-jobs-first-steps": ["x01", "x02"]},
        "meta": {"meta-first-steps": ["y01"]},
    }
    assert benchmark.domains["odd-jobs"].title == "Odd jobs"
    board = benchmark.boards["benchpress"]
    assert board.domains == ("odd-jobs", "meta")
    (item,) = (placed.item for placed in benchmark.items(board) if placed.id == "x02")
    assert (item.prompt, item.ideal) == ("What is X02?\nSay it briefly.", "It is X02.")
    assert (item.criteria, item.difficulty) == (("accuracy", "brevity"), "easy")


def test_models_are_their_own_family_and_judges_the_same(source: Checkout) -> None:
    benchmark = api.validate(imported(source))
    model = benchmark.models["model-b"]
    assert (model.title, model.model, model.backend, model.family) == (
        "Model B", "maker-model-1", "recorded", "model-b",
    )  # fmt: skip
    assert {judge.id: judge.family for judge in benchmark.judges.values()} == {
        "anna-1.0": "anna-1.0", "ben": "ben", "model-b": "model-b", "deepeval": "deepeval",
    }  # fmt: skip
    assert benchmark.panels["benchpress"].judges == ("anna-1.0", "ben", "model-b")


def test_the_board_weighs_as_benchpress_does(source: Checkout) -> None:
    board = api.validate(imported(source)).boards["benchpress"]
    assert board.composite == Composite(judge=1.0, geval=1.0, judge_decimals=2)
    assert board.geval == GEval(judge="deepeval")
    assert (board.samples, board.contestants) == (1, ("model-a", "model-b"))


def test_scores_are_worked_out_from_the_recorded_verdicts(source: Checkout) -> None:
    source.newest(judge_scores={judge: {"score": 1, "rationale": ""} for judge in ("Anna 1.0", "ben", "model-b")})
    row = results_of(imported(source)).row("model-a")
    assert row.judge_mean == pytest.approx(3.0)
    assert row.geval_mean == pytest.approx(0.9)
    assert row.composite == pytest.approx((0.5 + 0.9) / 2)
    assert results_of(imported(source, "again")).complete


def test_the_newest_entry_is_sample_0_and_earlier_ones_follow_and_count_nowhere(source: Checkout) -> None:
    before = results_of(imported(source, "before"))
    source.history(entry("first", {"Anna 1.0": 1}, timestamp="2026-01-01T00:00:00"), entry("second"), entry("third"))
    repository = imported(source)
    assert [(record.sample, record.text) for record in responses(repository)] == [
        (0, "third"), (1, "second"), (2, "first"),
    ]  # fmt: skip
    assert judgments(repository)["anna-1.0", 2].scores == {"score": 1}
    assert responses(repository)[2].started_at == "2026-01-01T00:00:00"
    assert results_of(repository).row("model-a").composite == before.row("model-a").composite


def test_a_judge_of_earlier_entries_alone_is_kept_and_is_not_in_the_panel(source: Checkout) -> None:
    source.history(entry("old", {"Former Judge": 2}), entry("new"))
    repository = imported(source)
    assert judgments(repository)["former-judge", 1].scores == {"score": 2}
    assert "former-judge" not in api.validate(repository).judges
    assert api.verify(repository, None)[1] == []


FAILED: dict[str, Any] = {"state": "errored", "text": "", "checks": ()}


@pytest.mark.parametrize(
    ("item", "changes", "fields"),
    [
        ("X01", {"error": "timed out\n\x1b[31mafter 30 s"}, {**FAILED, "error": "timed out [31mafter 30 s"}),
        ("X01", {"error": "timed out", "content": None}, {**FAILED, "error": "timed out"}),
        ("X01", {"error": "", "content": None}, {**FAILED, "error": "an error without words"}),
        ("X01", {"error": "x" * 5000}, {**FAILED, "error": "x" * 1000}),
        ("X01", {"content": ""}, {"state": "answered", "text": "", "error": None}),
        (
            "X01",
            {"latency_s": 7.25, "input_tokens": None, "output_tokens": 3},
            {"seconds": 7.25, "input_tokens": None, "output_tokens": 3, "cost_usd": None, "served_model": None},
        ),
        ("X01", {"timestamp": "2026-01-01T00:00:00"}, {"started_at": "2026-01-01T00:00:00"}),
        ("X01", {"api_model": "maker-model-2"}, {"served_model": "maker-model-2"}),
        ("X01", {}, {"checks": (CheckResult("reasoning", "", "not-applicable"),)}),
        ("X02", {}, {"checks": (CheckResult("response-length", "", "passed"),)}),
        (
            "X02",
            {"auto_checks": {"flags": ["TOO_LONG:\n49 words\u202e (max: 30)", "y" * 500, "\x00"]}},
            {
                "checks": (
                    CheckResult(
                        "response-length",
                        "",
                        "failed",
                        ("TOO_LONG: 49 words (max: 30)", "y" * 200, "flagged without words"),
                    ),
                )
            },
        ),
    ],
)
def test_an_entry_becomes_a_response(
    source: Checkout, item: str, changes: dict[str, Any], fields: dict[str, object]
) -> None:
    source.newest("model-a", item, **changes)
    repository = imported(source)
    (record,) = responses(repository, item=item.lower())
    assert {name: getattr(record, name) for name in fields} == fields
    assert api.validate(repository).models["model-a"].model == "maker-model-1"


def test_an_entry_with_an_error_is_judged_by_nobody_and_counts_as_an_error(source: Checkout) -> None:
    source.newest(error="timed out")
    repository = imported(source)
    assert judgments(repository) == {}
    assert results_of(repository).row("model-a").error_rate == pytest.approx(1 / 3)


def test_keys_in_recorded_errors_are_not_published(source: Checkout) -> None:
    key = "AIza" + "Sy0123456789abcdef"
    said = f"Server error for url 'https://x.example/v1/m:go?key={key}' Authorization: Bearer abc.def-123 sk-{'a' * 20}"
    source.newest("model-a", "X01", error=said)
    verdict = {"score": None, "rationale": f"Judge error: {said}"}
    source.newest("model-a", "X02", judge_scores=dict.fromkeys(("Anna 1.0", "ben", "model-b"), verdict))
    repository = imported(source)
    for data in files(repository.root).values():
        assert key.encode() not in data
        assert b"abc.def" not in data
        assert b"a" * 20 not in data
    (record,) = responses(repository)
    assert record.error == (
        "Server error for url 'https://x.example/v1/m:go?key=[key]' Authorization: Bearer [key] [key]"
    )
    assert judgments(repository, item="x02")["ben", 0].rationale == f"Judge error: {record.error}"


@pytest.mark.parametrize(
    ("score", "invalid"),
    [
        (None, "BenchPress recorded no score"),
        (0, "found 0; expected a whole number from 1 to 5"),
        (6, "found 6; expected a whole number from 1 to 5"),
        (4.5, "found 4.5; expected a whole number from 1 to 5"),
        (4.0, "found 4.0; expected a whole number from 1 to 5"),
        (True, "found true; expected a whole number from 1 to 5"),
        ("5", "found '5'; expected a whole number from 1 to 5"),
        ([5], "found a list; expected a whole number from 1 to 5"),
        (10**400, f"found 1{'0' * 56}...; expected a whole number from 1 to 5"),
    ],
)
def test_a_score_that_is_no_mark_is_kept_as_unparsed(source: Checkout, score: object, invalid: str) -> None:
    source.newest(judge_scores={
        "ben": {"score": score, "rationale": "Hm."}, "Anna 1.0": {"score": 5, "rationale": "Good."},
        "model-b": {"score": 5, "rationale": "Good."},
    })  # fmt: skip
    repository = imported(source)
    record = judgments(repository)["ben", 0]
    assert (record.state, record.scores, record.invalid) == ("unparsed", {}, {"score": invalid})
    assert record.rationale == "Hm."
    row = results_of(repository).row("model-a")
    assert row.incomplete_judges == {"ben": 2}
    assert set(row.judges) == {"anna-1.0", "model-b"}


def test_a_verdict_that_is_missing_is_kept_as_unparsed_and_its_judge_is_incomplete(source: Checkout) -> None:
    source.newest(judge_scores={judge: {"score": 2, "rationale": ""} for judge in ("Anna 1.0", "model-b")})
    report = api.import_results("benchpress", source.root, source.root.parent / "board")
    assert (report.missing, report.verdicts) == (1, 14)
    repository = api.Repository(source.root.parent / "board")
    record = judgments(repository)["ben", 0]
    assert (record.state, record.invalid) == ("unparsed", {"score": "BenchPress recorded no verdict"})
    row = results_of(repository).row("model-a")
    assert (row.incomplete_judges, row.rank is None) == ({"ben": 2}, False)


def test_two_former_judges_of_one_id_give_one_record(source: Checkout) -> None:
    source.history(entry("old", {"FORMER": 1, "former": 5}), entry("new"))
    assert judgments(imported(source))["former", 1].scores == {"score": 1}


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (None, "DeepEval gave no score"),
        (-0.1, "found -0.1; expected 0 to 1"),
        (1.5, "found 1.5; expected 0 to 1"),
        ("0.9", "found '0.9'; expected 0 to 1"),
        (True, "found true; expected 0 to 1"),
        ({}, "found a dict; expected 0 to 1"),
    ],
)
def test_scores_of_deepeval_are_one_judgment_with_reasons_for_the_missing(
    source: Checkout, value: object, why: str
) -> None:
    source.newest(deepeval_scores={"correctness": 1, "coherence": value})
    record = judgments(imported(source))["deepeval", 0]
    assert (record.state, record.judge_template, record.scores) == ("scored", "geval", {"correctness": 1.0})
    assert record.invalid == {"coherence": why, "instruction-following": "DeepEval gave no score"}


def test_without_scores_of_deepeval_the_board_has_no_geval(source: Checkout) -> None:
    for model in ("model-a", "model-b"):
        for item in ("X01", "X02", "Y01"):
            source.newest(model, item, deepeval_scores=None)
    repository = imported(source)
    board = api.validate(repository).boards["benchpress"]
    assert board.geval is None
    row = results_of(repository).row("model-a")
    assert (row.composite_of, row.composite, row.geval_mean) == ("judge", pytest.approx(0.75), None)


def test_a_verdict_of_a_model_on_itself_is_left_out(source: Checkout) -> None:
    source.newest("model-b", "X01", judge_scores={
        judge: {"score": 5, "rationale": "Mine."} for judge in ("Anna 1.0", "ben", "model-b")
    })  # fmt: skip
    repository = imported(source)
    assert {judge for judge, _ in judgments(repository, "model-b")} == {"anna-1.0", "ben", "deepeval"}
    assert api.verify(repository, None)[1] == []


def test_prompts_of_another_suite_are_counted_and_left_out(source: Checkout) -> None:
    source.history(entry(), prompt="Z99")
    source.history({"anything": "else"}, prompt="Z98")
    report = api.import_results("benchpress", source.root, source.root.parent / "board")
    assert (report.elsewhere, report.answers, report.prompts, report.skipped) == (2, 6, 3, ())


def test_a_build_makes_no_call_and_verification_passes(source: Checkout) -> None:
    source.history(entry("old", {"ben": 2}), entry("new"))
    source.newest("model-a", "X02", error="timed out")
    repository = imported(source)
    report = api.build(repository)
    assert (report.calls.made, report.calls.failed, report.calls.left) == (0, 0, 0)
    assert (repository.site / "index.html").is_file()
    entry_, problems, notes = api.verify(repository, None)
    assert len(notes) == 1
    assert "the records were imported" in notes[0]
    assert problems == []
    assert (entry_.manifest.state, report.run) == ("sealed", entry_.manifest.run)


def test_the_manifest_is_that_of_a_run_that_was_evaluated(source: Checkout) -> None:
    """Sorting, adding up and sealing the folder again changes nothing."""
    source.history(entry("old", {"ben": 2}, input_tokens=None), entry("new"))
    source.newest("model-a", "X02", error="timed out")
    folder = run_of(imported(source))
    before = files(folder.path)
    again = RunFolder(folder.path, folder.manifest)
    again.note(again.sort_shards())
    sealed = again.seal("2030-01-01T00:00:00+00:00")
    assert sealed == msgspec.structs.replace(folder.manifest, digest=sealed.digest)
    assert {**files(folder.path), "manifest.json": b""} == {**before, "manifest.json": b""}


def test_what_was_not_imported_cannot_be_asked_for(source: Checkout) -> None:
    source.newest(error="timed out")
    repository = imported(source)
    with pytest.raises(StoppedEarly, match="the specs need answers that were not imported"):
        api.build(repository, BuildOptions(retry_failed=True), render_site=False)
    assert len(list(repository.runs.glob("[!.]*"))) == 1


def test_importing_twice_gives_the_same_bytes_but_for_the_time(source: Checkout) -> None:
    source.history(entry("old"), entry("new"))
    one, other = (files(imported(source, name).root) for name in ("one", "other"))
    assert set(one) == set(other)
    assert [name.rsplit("/", 1)[-1] for name in one if one[name] != other[name]] == ["manifest.json"]
    assert len({name for name in one if b"nullbench-canary" in one[name]}) > 5


def test_keys_do_not_depend_on_what_else_is_in_the_checkout(source: Checkout) -> None:
    def keys(name: str) -> dict[tuple[str, str], str]:
        repository = imported(source, name)
        return {
            (judge, "x"): record.key for (judge, sample), record in judgments(repository).items() if sample == 0
        } | {("", "x"): responses(repository)[0].key}

    before = keys("before")
    source.put("results/model-c.json", results("Model C"))
    source.history(entry("anything"), prompt="X02")
    assert keys("after") == before
    assert len(set(before.values())) == 5


def test_the_readme_names_source_commit_and_licence(source: Checkout) -> None:
    repository = imported(source)
    text = (repository.root / "README.md").read_text("utf-8")
    assert "https://github.com/markstent/BenchPress), commit unknown" in text
    assert "Licence of the data: see source." in text
    assert api.validate(repository).about.license == "see source"

    source.put("LICENSE", b"\n MIT License\n\nCopyright (c) 2026 A. Nobody\n")
    git(source.root, "init", "-q")
    git(source.root, "add", "-A")
    git(source.root, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "All.")
    repository = imported(source, "licensed")
    text = (repository.root / "README.md").read_text("utf-8")
    assert re.search(r"commit [0-9a-f]{40}\.", text)
    assert "Licence of the data: MIT License." in text
    assert (repository.root / "LICENSE-benchpress").read_bytes() == (source.root / "LICENSE").read_bytes()


def test_a_licence_is_no_markup_in_the_readme(source: Checkout) -> None:
    source.put("LICENSE", b"<img src=x> ![a](https://evil.invalid/a.png) `b` &lt; \\")
    text = (imported(source).root / "README.md").read_text("utf-8")
    assert r"\<img src=x\> \!\[a\](https://evil.invalid/a.png) \`b\` \&lt; \\." in text


def test_a_checkout_inside_another_repository_has_no_commit_of_its_own(source: Checkout) -> None:
    git(source.root.parent, "init", "-q")
    source.put(".git/HEAD", b"ref: refs/heads/gone\n")
    assert api.import_results("benchpress", source.root, source.root.parent / "board").commit is None


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("a\x1b]0;x\x07b", "a ]0;x b"), ("\u202eevil\u2066", "evil"), ("1e3", "1e3"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"), ("'; DROP TABLE x; --", "'; DROP TABLE x; --"),
    ],
)  # fmt: skip
def test_a_hostile_title_is_text(source: Checkout, title: str, shown: str) -> None:
    source.change("results/model-a.json", lambda data: data.update(model_name=title))
    repository = imported(source)
    assert api.validate(repository).models["model-a"].title == shown


def test_hostile_texts_are_no_markup_on_the_site(source: Checkout) -> None:
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7 * 7 }}"
    source.prompts({**prompt("X01", evil, evil, "reasoning"), "prompt": evil, "ideal": evil, "criteria": [evil]})
    source.history(entry(evil, auto_checks={"flags": [evil]}, api_model=evil))
    source.change("results/model-a.json", lambda data: data.update(model_name=evil))
    repository = imported(source)
    api.build(repository)
    pages = b"".join(path.read_bytes() for path in repository.site.rglob("*.html"))
    assert b"<script>alert(1)" not in pages
    assert b"<img src=x" not in pages


@given(
    text=st.text(min_size=1, max_size=200).filter(lambda text: re.search(SEEN, text) and not CONTROL.search(text)),
    flag=st.text(max_size=50),
    name=st.text("ab <\u05d0\x07{}:#'\"", max_size=20),
)
def test_any_text_goes_through_unchanged(
    tmp_path_factory: pytest.TempPathFactory, text: str, flag: str, name: str
) -> None:
    folder = tmp_path_factory.mktemp("any")
    source = Checkout(folder / "BenchPress")
    source.prompts({**prompt("X01", "odd_jobs", "s", "reasoning"), "prompt": text, "ideal": text, "criteria": [text]})
    source.history(entry(text, auto_checks={"flags": [flag]}))
    source.change("results/model-a.json", lambda data: data.update(model_name=f"A {name}"))
    repository = imported(source)
    benchmark = api.validate(repository)
    board = benchmark.boards["benchpress"]
    (placed,) = benchmark.items(board)
    assert (placed.item.prompt, placed.item.ideal, placed.item.criteria) == (text, text, (text,))
    assert responses(repository)[0].text == text
    assert api.verify(repository, None)[1] == []
    shutil.rmtree(folder)


def test_a_link_and_the_current_folder_are_refused(source: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    (source.root.parent / "link").symlink_to(source.root)
    with pytest.raises(UsageError, match="link: this is not a folder; give the path of a new folder"):
        imported(source, "link")
    here = source.root.parent / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    with pytest.raises(UsageError, match="this is the folder you are in; give the path of a new folder"):
        api.import_results("benchpress", source.root, Path())


def test_an_empty_folder_will_do_and_one_in_folders_that_are_not_there_yet(source: Checkout) -> None:
    (source.root.parent / "empty").mkdir()
    assert (imported(source, "empty").specs / "benchmark.yaml").is_file()
    assert (imported(source, "new/deep/board").specs / "benchmark.yaml").is_file()
