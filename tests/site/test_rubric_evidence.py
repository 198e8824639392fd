"""The evidence and the data files of a `rubric` board: complete, and without one word of a private item."""

from __future__ import annotations

from typing import Any

import msgspec
from support.evidence import records, shown_answers, shown_items
from support.rubric_sites import BOARD, METRICS, PRIVATE
from support.sites import Site, each_of

from nullbench_site.protocols.rubric.pages import RubricEvidence, RubricView
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import Response

site = each_of("rubric", "mixed")


def test_a_public_item_shows_its_prompt_its_ideal_its_criteria_and_its_checks(site: Site) -> None:
    for placed in site.view(RubricView).items:
        shown = shown_items(site.folder, BOARD)[placed.id]
        assert (shown["category"], shown["difficulty"]) == (placed.category.title, placed.item.difficulty)
        if placed.id not in PRIVATE:
            assert shown["prompt"] == placed.item.prompt
            assert shown["ideal"] == placed.item.ideal
            assert tuple(shown["criteria"]) == placed.item.criteria
            assert len(shown["checks"]) == len(placed.item.checks or ())


def test_behind_every_score_stand_its_answer_its_checks_its_marks_and_g_eval(site: Site) -> None:
    view = site.view(RubricView)
    said = {record["key"]: record for kind in ("responses", "judgments") for record in records(site.entry.path, kind)}
    scores = {(row.model, row.item): row for row in view.results.items}
    for model in view.rows:
        answers = shown_answers(site.folder, BOARD, model)
        assert set(answers) == {placed.id for placed in view.items}
        for item, answer in answers.items():
            assert answer["score"]["overall"] == scores[model, item].overall
            (sample,) = answer["samples"]
            if item in PRIVATE or sample["state"] == "errored":
                continue
            assert sample["text"] == said[sample["key"]]["text"]
            assert [check["type"] for check in sample["checks"]] == [
                check["type"] for check in said[sample["key"]].get("checks", ())
            ]
            asked = {judge.id for judge in view.benchmark.judges_for(view.board, view.benchmark.models[model])}
            assert {verdict["judge"] for verdict in sample["verdicts"]} == asked
            for verdict in sample["verdicts"]:
                assert verdict["rationale"] == said[verdict["key"]]["rationale"]
                if verdict["scores"]:
                    assert verdict["scores"]["score"] == scores[model, item].marks[verdict["judge"]]
            assert [verdict["judge"] for verdict in sample["geval"]] == ["gina"] * len(METRICS)
            assert [next(iter(v["scores"]), None) for v in sample["geval"] if v["scores"]] == [
                metric for metric in METRICS if (model, item, metric) != ("hasty", "reasoning-02", "coherence")
            ]


def test_a_private_item_shows_that_it_is_there_its_hash_and_its_scores_and_nothing_else(site: Site) -> None:
    view = site.view(RubricView)
    for placed in view.items:
        if placed.id in PRIVATE:
            item = shown_items(site.folder, BOARD)[placed.id]
            assert set(item) == {"category", "difficulty", "visibility", "hash"}
            assert item["hash"] == placed.item.hash
            for model in view.rows:
                (sample,) = shown_answers(site.folder, BOARD, model)[placed.id]["samples"]
                assert set(sample) == {"sample", "state", "hidden", "verdicts", "geval"}
                for verdict in (*sample["verdicts"], *sample["geval"]):
                    assert set(verdict) == {"judge", "state", "scores"}


def _with(record: Any, **changes: Any) -> Any:
    return msgspec.structs.replace(record, **changes)


def test_an_answer_that_is_hidden_stays_hidden_though_its_item_is_public_now(rubric_site: Site) -> None:
    view = rubric_site.view(RubricView)
    run = RunFolder(rubric_site.entry.path, rubric_site.entry.manifest)
    private = next(record for record in run.records(Response, "wordy") if record.item == PRIVATE[0])
    moved = _with(private, item="coding-01")
    assert RubricEvidence(view).sample(moved, {}).hidden is True


def test_the_types_of_checks_of_private_items_stand_in_no_file_beside_their_ids(site: Site) -> None:
    rows = site.json(f"boards/{BOARD}.json")["items"]
    assert [row["failed"] for row in rows if row["item"] in PRIVATE] == [[]] * len(PRIVATE) * 4


def test_the_index_says_what_is_judged_and_how_many_samples_count(site: Site) -> None:
    index = site.json(f"evidence/{BOARD}/index.json")
    assert (index["samples"], index["protocol"]) == (1, "rubric")
    assert index["geval"] == {
        "judge": "Gina",
        "metrics": {"correctness": "Correctness", "coherence": "Coherence",
                    "instruction-following": "Instruction following"},
    }  # fmt: skip


# --- data files -----------------------------------------------------------------------------------------------------


def test_the_dictionary_of_the_data_has_the_metrics_of_the_protocols_on_the_site(
    rubric_site: Site, small_site: Site
) -> None:
    ids = {site: {metric["id"] for metric in site.json("index.json")["metrics"]} for site in (rubric_site, small_site)}
    assert {"composite", "geval_mean", "rank"} <= ids[rubric_site]
    assert "goal_alignment" not in ids[rubric_site]
    assert "composite" not in ids[small_site]
