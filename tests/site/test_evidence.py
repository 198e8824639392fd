"""The evidence behind each score: complete, the same as the records, and in files small enough to load one by one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.benchmarks import write_small_benchmark
from support.evidence import records
from support.fakes import FakeBackend, is_judging, use
from support.sites import Site, files

from nullbench_site import api
from nullbench_site.api import Repository
from nullbench_site.evaluation.order import Order
from nullbench_site.evaluation.plan import Selection


@pytest.fixture(params=["small", "shipped"])
def site(request: pytest.FixtureRequest) -> Site:
    built: Site = request.getfixturevalue(f"{request.param}_site")
    return built


def _answers(site: Site, board: str, model: str, domains: tuple[str, ...]) -> Iterator[tuple[str, dict[str, Any]]]:
    for domain in domains:
        yield from site.json(f"evidence/{board}/answers/{model}/{domain}.json").items()


def test_behind_every_score_stand_its_answers_and_every_verdict(site: Site) -> None:
    for view in site.axes_views:
        placed = {placed.id for placed in view.benchmark.items(view.board)}
        judges = {judge.id for judge in view.judges}
        for row in view.results.leaderboard:
            answers = dict(_answers(site, view.board.id, row.model, view.board.domains))
            assert set(answers) == placed
            for item, answer in answers.items():
                assert [sample["sample"] for sample in answer["samples"]] == list(range(view.board.samples)), item
                for sample in answer["samples"]:
                    assert {verdict["judge"] for verdict in sample["verdicts"]} == judges, (row.model, item)


def test_the_score_of_an_item_is_that_of_the_board_and_follows_from_the_verdicts_beside_it(site: Site) -> None:
    checked = 0
    for view in site.axes_views:
        rows = {(row.model, row.item): row for row in view.results.items}
        for row in view.results.leaderboard:
            for item, answer in _answers(site, view.board.id, row.model, view.board.domains):
                own = rows[row.model, item]
                assert answer["score"]["goal_alignment"] == own.goal_alignment
                assert answer["score"]["state"] == own.state
                if own.state == "scored":
                    given = [v["scores"]["goal_alignment"] for s in answer["samples"] for v in s["verdicts"]]
                    assert sum(given) / len(given) == pytest.approx(own.goal_alignment, abs=1e-5)
                    checked += 1
    assert checked >= 12


def test_answers_and_rationales_are_those_of_the_records_to_the_letter(site: Site) -> None:
    run = site.entry.path
    said = {record["key"]: record for kind in ("responses", "judgments") for record in records(run, kind)}
    for view in site.axes_views:
        for row in view.results.leaderboard:
            for _, answer in _answers(site, view.board.id, row.model, view.board.domains):
                for sample in answer["samples"]:
                    assert sample["text"] == said[sample["key"]]["text"]
                    for verdict in sample["verdicts"]:
                        assert verdict["rationale"] == said[verdict["key"]]["rationale"]
                        assert verdict["scores"] == said[verdict["key"]]["scores"]


def test_an_item_shows_the_prompt_its_facts_and_its_goal(site: Site) -> None:
    for view in site.axes_views:
        for placed in view.benchmark.items(view.board):
            shown = site.json(f"evidence/{view.board.id}/items/{placed.domain.id}.json")[placed.id]
            assert shown["source"] == placed.item.source
            assert placed.item.source.strip() in shown["prompt"]
            assert placed.item.task.strip() in shown["prompt"]
            assert [fact["text"] for fact in shown["facts"]] == [fact.text for fact in placed.item.facts]
            assert tuple(shown["axes"]) == placed.category.axes
            assert shown["goal"]["alignment_target"] == placed.goal.alignment_target


def test_the_index_names_every_choice_and_holds_no_text(site: Site) -> None:
    for view in site.axes_views:
        index = site.json(f"evidence/{view.board.id}/index.json")
        assert [model["id"] for model in index["models"]] == [row.model for row in view.results.leaderboard]
        assert [domain["id"] for domain in index["domains"]] == list(view.board.domains)
        items = [item["id"] for domain in index["domains"] for item in domain["items"]]
        assert items == [placed.id for placed in view.benchmark.items(view.board)]
        assert index["rule_based"] is True
        size = (site.folder / f"data/v1/evidence/{view.board.id}/index.json").stat().st_size
        assert size < 1_000 + 150 * (len(items) + len(index["models"]) + len(index["judges"]) + len(index["axes"]))


def test_what_the_explorer_loads_for_one_answer_does_not_grow_with_the_board(site: Site) -> None:
    for view in site.axes_views:
        base = site.folder / "data" / "v1" / "evidence" / view.board.id
        everything = sum(len(content) for content in files(base).values())
        for row in view.results.leaderboard:
            for domain in view.board.domains:
                loaded = ("index.json", f"items/{domain}.json", f"answers/{row.model}/{domain}.json")
                size = sum((base / name).stat().st_size for name in loaded)
                items = len(site.json(f"evidence/{view.board.id}/items/{domain}.json"))
                assert size < 15_000 * items
                assert size < everything


def test_samples_stand_in_their_order(small_site: Site) -> None:
    answers = dict(_answers(small_site, "waters", "textrank-2", ("rivers",)))
    assert {tuple(s["sample"] for s in answer["samples"]) for answer in answers.values()} == {(0, 1)}


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    """A site whose build went badly: one answer failed, one judge babbled, one contestant has nothing in a domain."""

    def fails(request: Any) -> bool:
        return not is_judging(request) and request.model == "textrank" and "trout" in str(request.messages)

    def reply(request: Any, text: str) -> str:
        return "I would rather not say." if is_judging(request) and request.model == "form" else text

    use(monkeypatch, FakeBackend(fails=fails, reply=reply))
    write_small_benchmark(tmp_path / "broken")
    repository = Repository(tmp_path / "broken")
    api.build(repository)
    return Site(repository)


def test_a_failed_answer_and_an_unreadable_verdict_stand_in_the_evidence_as_what_they_are(broken: Site) -> None:
    answers = dict(_answers(broken, "small", "textrank-2", ("rivers",)))
    (failed,) = answers["fish-01"]["samples"]
    assert (failed["state"], failed["verdicts"]) == ("errored", [])
    assert "the line is dead" in failed["error"]
    assert answers["fish-01"]["score"]["state"] == "errored"
    (good,) = answers["levels-01"]["samples"]
    babbled = next(verdict for verdict in good["verdicts"] if verdict["judge"] == "form")
    assert (babbled["state"], babbled["raw"]) == ("unparsed", "I would rather not say.")


def test_a_site_with_failures_says_so_on_its_pages(broken: Site) -> None:
    row = next(row for row in broken.content("").all("table")[0].rows() if row[1].startswith("TextRank-2"))
    assert row[-1] == "5 of 6"
    assert "1 of 6 failed after all attempts and counts as 0" in broken.content("models/textrank-2/").text
    judges = broken.content("judges/").all("table")[0].rows()
    assert [row[1:4] for row in judges if row[0].startswith("Form")] == [["0 of 23", "0", "23"]]
    said = broken.content("").text
    assert "1 of 24 answers failed after all attempts and count as 0" in said
    assert "of 69 verdicts 0 failed after all attempts and 23 could not be read; these count in no mean" in said


def test_an_open_run_has_a_site_in_which_every_choice_of_the_explorer_leads_to_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A contestant that failed on every item of a domain has no answer there, and the explorer can still ask."""
    write_small_benchmark(tmp_path / "open")
    repository = Repository(tmp_path / "open")
    api.build(repository, Order(Selection(models=["lead-2"])))
    run = api.find_run(repository, None).path
    shard = run / "responses" / "lead-2.jsonl"
    kept = [line for line in shard.read_text("utf-8").splitlines() if json.loads(line)["item"].startswith("growing")]
    shard.write_text("\n".join(kept) + "\n", "utf-8")
    assert api.find_run(repository, None).manifest.state == "open"
    api.score(repository, run.name)
    api.render(repository, run.name)
    site = Site(repository)
    for model in site.json("evidence/small/index.json")["models"]:
        for domain in site.json("evidence/small/index.json")["domains"]:
            answers = site.json(f"evidence/small/answers/{model['id']}/{domain['id']}.json")
            assert len(answers) == (2 if domain["id"] == "gardens" else 0)
    assert "Lead-2 is not ranked: 2 of 6 answers so far." in site.content("models/lead-2/").text
    assert "no ranking" in site.content("").text


def test_a_sealed_run_with_a_changed_record_is_not_published(small_copy: Repository) -> None:
    run = api.find_run(small_copy, None).path
    shard = run / "judgments" / "lead-2.jsonl"
    lines = shard.read_bytes().splitlines(keepends=True)
    shard.write_bytes(b"".join([*lines[:3], b"{broken\n", *lines[4:]]))
    with pytest.raises(api.RunError, match=r"(?s)judgments/lead-2\.jsonl: the file was changed .*build again"):
        api.render(small_copy)
