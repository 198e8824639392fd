"""The site of a run with endpoints in it: what it took, what failed, what is still missing, each in plain words.

The run is the small one, left open, with what endpoints tell written into its records.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from support.benchmarks import write_benchmark
from support.evidence import shown_answers
from support.sites import Site

from nullbench_site import api
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.targets import Selection
from nullbench_site.repository import Repository
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.manifest import Counts, Manifest, Usage, Usages, write_manifest
from nullbench_site.runs.records import Judgment, RecordT, Response, encode
from nullbench_site.site.evidence import MOST_REASONING
from nullbench_site.site.pages.usage import cost_words, run_cost

JUDGES = 3
HOSTILE = "<img src=x onerror=alert(1)> \u202e\x1b[31m \x02wzxhzdk:0\x03 {{ 7*7 }}\n\n# heading"


def rewrite(run: RunFolder, kind: type[RecordT], model: str, change: Callable[[int, RecordT], RecordT | None]) -> None:
    """Put changed records in place of those of a shard; None leaves one out. The number is that by item and judge."""
    records = sorted(run.records(kind, model), key=lambda record: record.place)
    changed = [change(number, record) for number, record in enumerate(records)]
    run.shard(kind, model).write_bytes(b"".join(encode(record) for record in changed if record is not None))


def lead(number: int, response: Response) -> Response:
    """Six answers of 1,000 tokens in, 400 cached, 50 out for a cent each; the last has no price and no count."""
    told: dict[str, Any] = {"input_tokens": 1000, "cached_input_tokens": 400, "output_tokens": 50, "cost_usd": 0.01}
    if number == 5:
        told = {}
    if number == 0:
        told |= {"ended": "length", "reasoning": "t" * (MOST_REASONING + 1)}
    if number == 1:
        told |= {"finish_reason": "moonrise"}
    if number in (1, 2):
        told |= {"served_model": HOSTILE if number == 1 else "lead-2-of-may"}
    return msgspec.structs.replace(response, **told)


def form(number: int, judgment: Judgment) -> Judgment | None:
    """Of the 18 verdicts on TextRank-2 form's first is missing, its second failed, its third was repaired."""
    own = judgment.judge == "form"
    if own:
        judgment = msgspec.structs.replace(judgment, input_tokens=2000, output_tokens=100, cost_usd=0.00125)
    if own and number < 3:
        return None
    if own and number < 6:
        return msgspec.structs.replace(judgment, state="errored", scores={}, rationale="", error=HOSTILE)
    return msgspec.structs.replace(judgment, repaired="clarity: missing") if own and number < 9 else judgment


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    folder = tmp_path_factory.mktemp("live")
    write_benchmark(folder)
    repository = Repository(folder)
    api.build(repository, BuildOptions(Selection(models=["lead-2", "textrank-2", "null-constant"])), render_site=False)
    entry = api.find_run(repository, None)
    run = RunFolder(entry.path, entry.manifest)
    rewrite(run, Response, "lead-2", lead)
    rewrite(run, Judgment, "textrank-2", form)
    rewrite(run, Response, "null-constant", lambda number, record: failed(record) if number == 0 else record)
    rewrite(run, Judgment, "null-constant", lambda number, record: None if number < JUDGES else record)
    run.note(run.tally())
    api.score(repository, entry.path.name)
    api.render(repository, entry.path.name)
    return Site(repository)


def failed(response: Response) -> Response:
    return msgspec.structs.replace(response, state="errored", text="", error=HOSTILE)


def figures(site: Site, model: str) -> dict[str, str]:
    """The figures of a contestant's page by their names."""
    return {cells[0]: cells[1] for table in site.content(f"models/{model}/").all("table", class_="nb-figures")
            for cells in table.rows()}  # fmt: skip


def test_the_manifest_has_what_the_answers_took(site: Site) -> None:
    assert site.entry.manifest.usage == Usages(
        contestants={"lead-2": Usage(6, 5000, 2000, 250, 0.05, uncounted=1, unpriced=1)},
        judges={
            "form": Usage(calls=13, input_tokens=4000, output_tokens=200, cost_usd=0.0025, uncounted=11, unpriced=11)
        },
    )


def test_a_contestants_page_says_what_its_answers_took_and_what_is_not_in_it(site: Site) -> None:
    found = figures(site, "lead-2")
    assert found["Answers"] == "6 on all boards of the run"
    assert found["Tokens in"].startswith("at least 5 000 of these at least 2 000")
    assert found["Tokens out"] == "at least 250 1 of 6 answers have no token count"
    assert found["Cost"].startswith("at least $0.0500; 1 answer without a known price")


def test_a_program_has_no_usage(site: Site) -> None:
    assert "Cost" not in figures(site, "textrank-2")
    assert site.json("models/textrank-2.json")["usage"] is None


def test_the_data_files_carry_the_usage_of_the_manifest(site: Site) -> None:
    usage = {
        "calls": 6, "input_tokens": 5000, "cached_input_tokens": 2000, "output_tokens": 250, "cost_usd": 0.05,
        "uncounted": 1, "unpriced": 1,
    }  # fmt: skip
    assert site.json("models/lead-2.json")["usage"] == usage
    (run,) = site.json("runs.json")["runs"]
    assert run["usage"]["contestants"] == {"lead-2": usage}
    assert run["usage"]["judges"]["form"]["cost_usd"] == 0.0025
    assert run["cost_usd"] == pytest.approx(0.0525)
    assert (run["profile"], site.json("index.json")["profile"]) == (None, None)


def test_the_runs_page_says_the_cost_at_least(site: Site) -> None:
    assert "Cost at least $0.0525; 12 answers without a known price" in site.content("runs/").text


def test_the_judges_page_tells_failed_invalid_missing_and_repaired_replies_apart(site: Site) -> None:
    """Form has records of 6 + 5 + 5 answers: one is missing, and the null model failed once. One of them failed.

    Two answers of TextRank-2 are those of Lead-2, so one call each judged both.
    """
    tables = {table.one("caption").text: table for table in site.below("judges/").all("table")}
    head = [cell.text for cell in tables["Judges"].one("thead").all("th")]
    (row,) = [dict(zip(head, row, strict=True)) for row in tables["Judges"].rows() if row[0].startswith("Form")]
    assert {name: row[name] for name in ("Valid replies", "Failed", "Invalid", "Missing", "Asked again")} == {
        "Valid replies": "15 of 16", "Failed": "1", "Invalid": "0", "Missing": "1",
        "Asked again": "1: 1 valid now, 0 still invalid",
    }  # fmt: skip
    assert [cells[:2] for cells in tables["Calls, tokens and cost by judge"].rows()] == [["Form", "13"]]


def test_a_contestant_with_a_missing_verdict_is_marked_and_has_no_rank(site: Site) -> None:
    rows = {cells[1]: cells for cells in site.content(site.board).all("table")[0].rows()}
    (name,) = [name for name in rows if name.startswith("TextRank-2")]
    assert name == "TextRank-2 baseline judged by 17 of 18 calls so far"
    assert rows[name][0] == "–"
    assert "TextRank-2 is not ranked: judged by 17 of 18 calls so far." in site.content("models/textrank-2/").text
    assert figures(site, "textrank-2")["Verdicts"] == "16 of 18 1 failed after all attempts, 1 not asked for yet"


def test_the_board_says_whose_verdicts_and_which_contestants_are_missing(site: Site) -> None:
    said = site.content(site.board).text
    assert "This run is not complete: 1 of 2 contestants have every answer and every verdict" in said
    assert "Verdicts still missing: Form on 1 answer." in said
    assert "Not on the board yet, because no answer is judged: Null: empty." in said


def test_the_board_says_how_many_answers_and_verdicts_failed(site: Site) -> None:
    said = site.content(site.board).text
    assert "1 of 18 answers failed after all attempts and count as 0" in said
    assert "of 50 verdicts 1 failed after all attempts and 0 could not be parsed; they count in no mean" in said


def test_a_contestants_page_says_what_ended_its_answers_and_who_gave_them(site: Site) -> None:
    found = figures(site, "lead-2")
    assert found["Answers cut off or blocked"] == "1 answer 1 ended at the token limit"
    served = found["Answered by another model"]
    assert served.startswith("2 answers asked for lead, answered by <img src=x onerror=alert(1)> ")
    assert served.endswith(" and lead-2-of-may (1)")
    assert "Answered by another model" not in figures(site, "textrank-2")


def test_a_hostile_name_of_a_model_is_text_on_one_line_without_control_characters(site: Site) -> None:
    page = site.content("models/lead-2/")
    assert not [image for image in page.all("img") if image.attributes.get("src") == "x"]
    assert not {"\u202e", "\x1b", "\x02", "\x03"} & set(page.raw)
    assert "{{ 7*7 }}" in page.text
    assert [h.text for h in page.all("h1")] == ["Lead-2"]


def test_the_evidence_shows_what_endpoints_told_and_nothing_where_they_told_nothing(site: Site) -> None:
    answers = {item: answer["samples"][0] for item, answer in shown_answers(site.folder, "small", "lead-2").items()}
    first, second, *_, last = (answers[item] for item in sorted(answers))
    assert (first["ended"], first["cost_usd"], first["output_tokens"]) == ("length", 0.01, 50)
    assert (first["reasoning"], first["reasoning_length"]) == ("t" * MOST_REASONING, MOST_REASONING + 1)
    assert (second["served_model"], second["finish_reason"]) == (HOSTILE, "moonrise")
    told = {"input_tokens", "output_tokens", "cost_usd", "ended", "finish_reason", "reasoning", "served_model"}
    assert not told & set(last)
    verdicts = [
        verdict
        for answer in shown_answers(site.folder, "small", "textrank-2").values()
        for verdict in answer["samples"][0]["verdicts"]
    ]
    assert [verdict["error"] for verdict in verdicts if verdict["state"] == "errored"] == [HOSTILE]
    assert [verdict["repaired"] for verdict in verdicts if "repaired" in verdict] == ["clarity: missing"]


@pytest.mark.parametrize(
    ("usage", "counts", "said"),
    [
        (Usages(), Counts(answered=3), "none: no answer came with a count of tokens"),
        (Usages(), Counts(errored=3), "not measured"),
        (
            Usages({"m": Usage(calls=3, input_tokens=9, unpriced=3)}),
            Counts(answered=3),
            "not measured: no price is known",
        ),
        (
            Usages({"m": Usage(calls=3, cost_usd=1.5)}, {"j": Usage(calls=1, cost_usd=0.75)}),
            Counts(answered=3),
            "$2.25",
        ),
        (
            Usages({"m": Usage(calls=3, cost_usd=1.5)}, {"j": Usage(calls=2, unpriced=2)}),
            Counts(answered=3),
            "at least $1.50; 2 answers without a known price",
        ),
        (Usages({"m": Usage(calls=3)}), Counts(answered=3), "$0.00"),
    ],
)
def test_the_cost_of_a_run_is_said_with_what_is_not_in_it(site: Site, usage: Usages, counts: Counts, said: str) -> None:
    assert run_cost(msgspec.structs.replace(site.entry.manifest, usage=usage, counts=counts)) == said


def test_tokens_that_no_answer_counted_are_not_measured(site: Site) -> None:
    used = Usage(calls=2, cost_usd=0.5, uncounted=2)
    assert site.fragment("{{ m.tokens(used, used.input_tokens) }}", used=used).text == "not measured"
    assert cost_words([used]) == "$0.5000"


def test_the_panel_and_the_profile_of_a_run_stand_on_its_pages(site: Site, tmp_path: Path) -> None:
    from dataclasses import replace
    from itertools import islice

    from nullbench_site.site.pages import boards, methodology, runs

    manifest: Manifest = write_manifest(tmp_path, msgspec.structs.replace(site.entry.manifest, profile="live"))
    entry = replace(site.entry, manifest=manifest)
    data = replace(site.data, benchmark=replace(site.data.benchmark, profile="live"), entry=entry, runs=[entry])
    assert (
        next(boards.pages(data))
        .context["panel"]
        .endswith(
            "No language model judged. No language model answered either: all contestants are programs. Profile “live”."
        )
    )
    assert next(islice(methodology.pages(data), 1, None)).context["profile"] == "live"
    assert next(runs.pages(data, {})).context["runs"][0]["manifest"].profile == "live"
