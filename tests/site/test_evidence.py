"""The evidence behind each score: complete, the same as the records, and in files small enough to load one by one."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest
from jsonschema import Draft202012Validator
from msgspec.structs import replace
from support.benchmarks import write_benchmark
from support.evidence import records, shown_answers, shown_items, verdicts_of
from support.fakes import FakeBackend, is_judging, use
from support.sites import Site, each_of, files

from nullbench_site import api
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.plan import Selection
from nullbench_site.programs.passages import Passage
from nullbench_site.protocols.axes.metrics import AxesItemRow
from nullbench_site.protocols.oracle.metrics import OracleItemRow
from nullbench_site.repository import Repository
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import CheckResult, Judgment, Response
from nullbench_site.site.data_files import schema_of
from nullbench_site.site.evidence import BoardEvidence, ListedScore, Sample, explorer_files, mean_in_words
from nullbench_site.site.evidence.explorer_files import (
    ANSWER_BYTES,
    ITEM_BYTES,
    TILE_CELLS,
    TILE_CONTESTANTS,
    TILE_ITEMS,
    Parts,
    evidence_files,
    tile_shape,
)
from nullbench_site.site.protocol import answered, pages_of

site = each_of("small", "shipped")


def test_behind_every_score_stand_its_answers_and_every_verdict(site: Site) -> None:
    for view in site.axes_views:
        placed = {placed.id for placed in view.benchmark.items(view.board)}
        judges = {judge.id for judge in view.judges}
        for row in view.results.leaderboard:
            answers = shown_answers(site.folder, view.board.id, row.model)
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
            for item, answer in shown_answers(site.folder, view.board.id, row.model).items():
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
            for answer in shown_answers(site.folder, view.board.id, row.model).values():
                for sample in answer["samples"]:
                    assert sample["text"] == said[sample["key"]]["text"]
                    for verdict in sample["verdicts"]:
                        assert verdict["rationale"] == said[verdict["key"]]["rationale"]
                        assert verdict["scores"] == said[verdict["key"]]["scores"]


def test_an_item_shows_the_prompt_its_facts_and_its_goal(site: Site) -> None:
    for view in site.axes_views:
        items = shown_items(site.folder, view.board.id)
        assert list(items) == [placed.id for placed in view.benchmark.items(view.board)]
        for placed in view.benchmark.items(view.board):
            shown = items[placed.id]
            assert shown["source"] == placed.item.source
            assert placed.item.source.strip() in shown["prompt"]
            assert placed.item.task.strip() in shown["prompt"]
            assert [fact["text"] for fact in shown["facts"]] == [fact.text for fact in placed.item.facts]
            assert tuple(shown["axes"]) == placed.category.axes
            assert shown["goal"]["alignment_target"] == placed.goal.alignment_target


def test_the_index_names_every_choice_and_no_item(site: Site) -> None:
    for view in site.axes_views:
        index = site.json(f"evidence/{view.board.id}/index.json")
        placed = list(view.benchmark.items(view.board))
        assert [model["id"] for model in index["models"]] == [row.model for row in view.results.leaderboard]
        assert [domain["id"] for domain in index["domains"]] == list(view.board.domains)
        for domain in index["domains"]:
            there = placed[domain["first"] : domain["first"] + domain["n"]]
            assert {item.domain.id for item in there} == {domain["id"]}
        assert sum(domain["n"] for domain in index["domains"]) == index["items"] == len(placed)
        ended = Counter(row.state for row in view.results.items)
        assert {state["id"]: state["n"] for state in index["states"] if state["n"]} == ended
        assert index["answers"] == ended.total()
        assert index["rule_based"] is True
        text = (site.folder / f"data/v1/evidence/{view.board.id}/index.json").read_text("utf-8")
        assert [item.id for item in placed if f'"{item.id}"' in text] == []


def _tiles(site: Site, board: str) -> dict[str, Any]:
    folder = site.folder / "data" / "v1" / "evidence" / board / "scores"
    return {name: json.loads(content) for name, content in files(folder).items()}


def test_the_scores_of_a_list_are_those_of_the_board_and_lead_to_the_file_of_each_answer(site: Site) -> None:
    for view in answered(site.data.views):
        base = f"evidence/{view.board.id}"
        index = site.json(f"{base}/index.json")
        rows = {(row.model, row.item): row for row in view.results.items}
        read = cache(site.json)
        for tile in _tiles(site, view.board.id).values():
            items = tile["items"]
            for contestant in tile["contestants"]:
                for place, item in enumerate(items["id"]):
                    row = rows.pop((contestant["id"], item), None)
                    if row is None:
                        assert (contestant["states"][place], contestant["scores"][place]) == (".", None)
                        continue
                    score = row.goal_alignment if isinstance(row, AxesItemRow) else row.overall
                    assert contestant["scores"][place] == (None if score is None else pytest.approx(score, abs=0.0501))
                    state = row.outcome if isinstance(row, OracleItemRow) else row.state
                    assert index["states"][int(contestant["states"][place])]["id"] == state
                    if isinstance(row, OracleItemRow):
                        assert contestant["apart"] == []
                    else:
                        assert contestant["apart"][place] == pytest.approx(row.spread, abs=0.0501)
                    answers = read(f"{base}/answers/{contestant['id']}/{contestant['parts'][place]}.json")
                    assert answers[item]["score"]["state"] == state
                    assert item in read(f"{base}/items/{items['part'][place]}.json")
        assert rows == {}


def test_every_file_of_the_evidence_fits_its_schema(
    small_site: Site, mixed_site: Site, axes_and_oracle_site: Site, pairwise_site: Site
) -> None:
    checked = Counter[str]()
    for site in (small_site, mixed_site, axes_and_oracle_site, pairwise_site):
        schemas = {
            name.removesuffix(".schema.json"): Draft202012Validator(json.loads(content))
            for name, content in files(site.folder / "data" / "v1" / "evidence").items()
            if name.endswith(".schema.json")
        }
        for board in site.data.views:
            for name, content in files(site.folder / "data" / "v1" / "evidence" / board.board.id).items():
                kind = name.removeprefix("controls/").partition("/")[0].removesuffix(".json")
                schema = kind if kind in schemas else f"{board.board.protocol}-{kind}"
                errors = [error.message for error in schemas[schema].iter_errors(json.loads(content))]
                assert errors == [], name
                checked[schema] += 1
    kinds = {
        f"{protocol}-{kind}" for protocol in ("axes", "rubric", "oracle", "pairwise") for kind in ("items", "answers")
    }
    assert set(checked) == {"index", "scores", *kinds}


class _Blabbing(BoardEvidence[Any, Any, Any]):
    """A protocol that publishes all it is given of a sample."""

    class Blabbed(Sample, kw_only=True, omit_defaults=True):
        given: str

    sample_type = Blabbed
    states: ClassVar[dict[str, str]] = {"scored": "scored"}

    def cell(self, row: Any) -> ListedScore:
        return ListedScore("scored", failed=("word-count",))

    def sample_fields(self, response: Response, verdicts: Any, *, hidden: bool) -> dict[str, Any]:
        return {"given": f"{response} {verdicts}"}


def test_no_protocol_can_publish_a_text_of_a_private_item(small_site: Site) -> None:
    """The shared code takes it away first, of items of a protocol that has no private ones, too."""
    view = next(iter(small_site.axes_views))
    run = RunFolder(small_site.entry.path, small_site.entry.manifest)
    word = "zq-secret"
    response = next(iter(run.records(Response, "lead-2")))
    check = CheckResult("word-count", "p", "failed", (word,))
    response = replace(
        response, text=word, reasoning=word, error=word, served_model=word, checks=(check,), finish_reason=word
    )
    judgment = next(iter(run.records(Judgment, "lead-2")))
    judgment = replace(
        judgment, rationale=word, raw=word, invalid={"a": word}, reasoning=word, error=word, finish_reason=word
    )
    kinds: tuple[type[BoardEvidence[Any, Any, Any]], ...] = (_Blabbing, pages_of("axes").evidence)
    for kind in kinds:
        evidence = kind(view)
        assert word in str(evidence.sample(response, verdicts_of(evidence, judgment)))
        evidence.private.add(response.item)
        hidden = evidence.sample(response, verdicts_of(evidence, judgment))
        assert hidden.hidden is True
        assert word not in str(hidden)
        assert "word-count" not in str(hidden)
        assert list(evidence.listed("lead-2", response.item).failed) == []


def test_a_private_item_of_every_protocol_is_published_by_its_hash_alone(
    mixed_site: Site, axes_and_oracle_site: Site
) -> None:
    protocols = set()
    for view in (*mixed_site.data.views, *axes_and_oracle_site.data.views):
        evidence = pages_of(view.board.protocol).evidence(view)
        schema = Draft202012Validator(json.loads(schema_of(evidence.types()[0])))
        placed = view.items[0]
        private = dataclasses.replace(placed, item=replace(placed.item, visibility="private", hash="sha256:0"))
        shown = json.loads(msgspec.json.encode(evidence.item(private)))
        assert set(shown) - {"bundle"} == {"category", "difficulty", "visibility", "hash"}
        assert [error.message for error in schema.iter_errors(shown)] == []
        assert evidence.beginning(private) == ""
        protocols.add(view.board.protocol)
    assert protocols == {"axes", "rubric", "oracle"}


def test_no_file_grows_with_the_board(site: Site) -> None:
    """Beyond one entry; a tile has at most so many cells, and tells of an item no more than where it begins."""
    for view in site.data.views:
        base = site.folder / "data" / "v1" / "evidence" / view.board.id
        for name, content in files(base).items():
            if name.startswith("scores/"):
                assert len(content) < 12 * TILE_CELLS + 250 * TILE_ITEMS + 100 * TILE_CONTESTANTS
            elif len(content) > (ITEM_BYTES if name.startswith("items/") else ANSWER_BYTES) + 1_000:
                assert len(json.loads(content)) == 1, name


def test_a_large_board_is_cut_into_tiles_of_a_bounded_number_of_cells() -> None:
    for contestants, items, wanted in ((13, 156, 1), (1, 10_000, 40), (1_000, 200, 64), (3, 1, 1)):
        a_row, a_column = tile_shape(contestants)
        assert a_row * a_column <= TILE_CELLS
        assert -(-items // a_row) * -(-contestants // a_column) == wanted


def test_the_files_are_the_same_whichever_process_reads_a_contestant(
    small_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = list(evidence_files(small_site.data))
    monkeypatch.setattr(explorer_files, "MANY", 0)
    assert list(evidence_files(small_site.data)) == alone


def test_texts_are_cut_into_files_by_their_size_and_a_long_one_stands_alone() -> None:
    sizes = (10, 20, 1_000, 5, 600, 600)
    entries = [(f"e{number}", b'"%b"' % (b"x" * size)) for number, size in enumerate(sizes)]
    parts = Parts(entries, 1_000)
    assert parts.of == {"e0": 0, "e1": 0, "e2": 1, "e3": 2, "e4": 2, "e5": 3}
    merged = [json.loads(content) for _, content in parts.files]
    assert [list(part) for part in merged] == [["e0", "e1"], ["e2"], ["e3", "e4"], ["e5"]]
    assert all(json.loads(entry) == merged[parts.of[name]][name] for name, entry in entries)
    assert Parts([], 1_000).files == []


def test_samples_stand_in_their_order(small_site: Site) -> None:
    answers = shown_answers(small_site.folder, "waters", "textrank-2")
    assert {tuple(s["sample"] for s in answer["samples"]) for answer in answers.values()} == {(0, 1)}


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    """A site whose build went badly: one answer failed, one judge babbled, one contestant has nothing in a domain."""

    def fails(request: Any) -> bool:
        return not is_judging(request) and request.model == "textrank" and "trout" in str(request.messages)

    def reply(request: Any, text: str) -> str:
        return "I would rather not say." if is_judging(request) and request.model == "form" else text

    use(monkeypatch, FakeBackend(fails=fails, reply=reply))
    write_benchmark(tmp_path / "broken")
    repository = Repository(tmp_path / "broken")
    api.build(repository)
    return Site(repository)


def test_a_failed_answer_and_an_unreadable_verdict_stand_in_the_evidence_as_what_they_are(broken: Site) -> None:
    answers = shown_answers(broken.folder, "small", "textrank-2")
    (failed,) = answers["fish-01"]["samples"]
    assert (failed["state"], failed["verdicts"]) == ("errored", [])
    assert "the line is dead" in failed["error"]
    assert answers["fish-01"]["score"]["state"] == "errored"
    (good,) = answers["levels-01"]["samples"]
    babbled = next(verdict for verdict in good["verdicts"] if verdict["judge"] == "form")
    assert (babbled["state"], babbled["raw"]) == ("unparsed", "I would rather not say.")


def test_a_site_with_failures_says_so_on_its_pages(broken: Site) -> None:
    row = next(row for row in broken.content(broken.board).all("table")[0].rows() if row[1].startswith("TextRank-2"))
    assert "5 of 6" in row
    assert "1 of 6 failed after all attempts and counts as 0" in broken.content("models/textrank-2/").text
    judges = broken.below("judges/").all("table")[0].rows()
    assert [row[1:4] for row in judges if row[0].startswith("Form")] == [["0 of 23", "0", "23"]]
    said = broken.content(broken.board).text
    assert "1 of 24 answers failed after all attempts and count as 0" in said
    assert "of 69 verdicts 0 failed after all attempts and 23 could not be parsed; they count in no mean" in said


def test_an_open_run_has_a_site_in_which_every_choice_of_the_explorer_leads_to_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A contestant that failed on every item of a domain has no answer there, and the explorer can still ask."""
    write_benchmark(tmp_path / "open")
    repository = Repository(tmp_path / "open")
    api.build(repository, BuildOptions(Selection(models=["lead-2"])))
    run = api.find_run(repository, None).path
    shard = run / "responses" / "lead-2.jsonl"
    kept = [line for line in shard.read_text("utf-8").splitlines() if json.loads(line)["item"].startswith("growing")]
    shard.write_text("\n".join(kept) + "\n", "utf-8")
    assert api.find_run(repository, None).manifest.state == "open"
    api.score(repository, run.name)
    api.render(repository, run.name)
    site = Site(repository)
    (tile,) = _tiles(site, "small").values()
    assert tile["items"]["domain"] == [0, 0, 1, 1, 1, 1]
    (contestant,) = tile["contestants"]
    assert [state != "." for state in contestant["states"]] == [part is not None for part in contestant["parts"]]
    answers = shown_answers(site.folder, "small", "lead-2")
    assert len(answers) == contestant["parts"].count(0) == 2
    assert site.json("evidence/small/index.json")["answers"] == 2
    assert "Lead-2 is not ranked: 2 of 6 answers so far." in site.content("models/lead-2/").text
    assert "no ranking" in site.content(site.board).text


def test_a_sealed_run_with_a_changed_record_is_not_published(small_copy: Repository) -> None:
    run = api.find_run(small_copy, None).path
    shard = run / "judgments" / "lead-2.jsonl"
    lines = shard.read_bytes().splitlines(keepends=True)
    shard.write_bytes(b"".join([*lines[:3], b"{broken\n", *lines[4:]]))
    with pytest.raises(api.RunError, match=r"(?s)judgments/lead-2\.jsonl: the file was changed .*build again"):
        api.render(small_copy)


@pytest.mark.parametrize(
    ("score", "marks", "scale", "said"),
    [
        (94.333333, [100, 95, 88], (0, 100), "94.3 = (100 + 95 + 88) / 3"),
        (33.333333, [3, 1, 3], (1, 5), "33.3 = 100 × ((3 + 1 + 3) / 3 − 1) / 4"),
        (33.333333, [4], (1, 10), "33.3 = 100 × (4 − 1) / 9"),
        (50.0, [0, 100] * 7, (0, 100), "50.0 = 50"),
        (70.0, [70], (0, 100), ""),
        (0.0, [50, 60], (0, 100), ""),
        (None, [], (0, 100), ""),
    ],
)
def test_a_sum_leads_from_marks_to_the_score_or_is_left_out(
    score: float | None, marks: list[float], scale: tuple[int, int], said: str
) -> None:
    assert mean_in_words(score, marks, *scale) == said


def test_words_and_figures_that_the_source_lacks_are_added() -> None:
    source = Passage.of("Rain fell on 5 June: 1,200 mm, which is 12% more. Two towns were flooded.")
    answer = "Snow \N{GRINNING FACE} fell on 5 June, 12 per cent colder, in 2 towns; 1200 mm and 13%."
    assert [answer[start:end] for start, end in source.added(answer)] == ["Snow", "colder", "13%"]
