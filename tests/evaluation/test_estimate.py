"""Numbers worked out by hand: tokens of texts, ranges of earlier answers, costs."""

from __future__ import annotations

import re
import uuid
from pathlib import Path

import msgspec
import pytest
from support.benchmarks import write_benchmark
from support.fakes import FakeBackend
from support.repositories import adds_up, build, edit
from support.runs import JUDGMENT, RESPONSE, entry, open_run

from nullbench_site import api
from nullbench_site.evaluation.backends.base import BackendError
from nullbench_site.evaluation.forecast import (
    Estimate,
    Lengths,
    Range,
    answer_tokens,
    estimate,
    program_tokens,
    prompt_tokens,
    text_tokens,
)
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.plan_report import report
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.targets import Selection
from nullbench_site.judging.calls import Answer, Message, Request
from nullbench_site.repository import Repository
from nullbench_site.specs.types import Decoding, Prices

PRICES = Prices(input=1, cached_input=0.25, output=2.5, date="2026-11-12", source="a price list")
REQUEST = Request(
    backend="openai@1", model="m", params={}, messages=(Message("user", "abcdefghij"),), fields={},
    decoding=Decoding(), sample=0,
)  # fmt: skip
TALKER = ("contestant", "talker")


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [("", 0, 0), ("a", 1, 1), ("abcdefghij", 2, 4), ("日本語", 1, 3), ("lone \ud800", 2, 2)],
)
def test_tokens_of_a_text_are_a_fifth_of_its_characters_to_a_third_of_its_bytes(text: str, low: int, high: int) -> None:
    assert text_tokens(text) == Range(low, high)


def test_a_message_and_a_conversation_have_frames_and_a_schema_counts_at_the_high_end() -> None:
    assert prompt_tokens(REQUEST) == Range(3 + 2 + 3, 16 + 4 + 16)
    with_schema = msgspec.structs.replace(REQUEST, reply_schema={"type": "object"})  # 17 bytes
    assert prompt_tokens(with_schema) == Range(8, 36 + 6)


def test_an_answer_to_come_is_as_long_as_earlier_ones_and_never_passes_its_limit() -> None:
    assert answer_tokens(Range(20, 90), None) == Range(20, 90)
    assert answer_tokens(Range(20, 90), 50) == Range(20, 50)
    assert answer_tokens(Range(20, 90), 10) == Range(10, 10)


def test_an_answer_of_which_nothing_is_known_has_no_upper_bound_but_its_limit() -> None:
    assert answer_tokens(None, 300) == Range(1, 300)
    assert answer_tokens(None, None) == Range(1, None)


def test_an_answer_of_a_program_is_at_most_its_prompt_or_a_few_sentences() -> None:
    assert program_tokens(Range(3, 5), "x" * 3000) == Range(3, 5)
    assert program_tokens(None, "x" * 3000) == Range(0, 1000)
    assert program_tokens(None, "x") == Range(0, 500)


def test_the_cost_runs_from_all_input_cached_to_none() -> None:
    call = estimate(PRICES, Range(1000, 2000), Range(100, 400))
    assert call.cost_usd == Range((1000 * 0.25 + 100 * 2.5) / 1e6, (2000 * 1 + 400 * 2.5) / 1e6)
    uncached = msgspec.structs.replace(PRICES, cached_input=None)
    assert estimate(uncached, Range(1000, 2000), Range(100, 400)).cost_usd == Range(0.00125, 0.003)


def test_without_a_price_there_is_no_cost_and_without_an_upper_bound_no_upper_cost() -> None:
    assert estimate(None, Range(1, 2), Range(1, 2)).cost_usd is None
    unbounded = estimate(PRICES, Range(1000, 2000), Range(100, None)).cost_usd
    assert unbounded == Range(0.0005, None)
    free = Prices(input=0, output=0, date="2026-11-12", source="my own machine")
    assert estimate(free, Range(1, None), Range(1, None)).cost_usd == Range(0, 0)


def test_estimates_add_up_and_what_is_unknown_of_one_is_unknown_of_the_sum() -> None:
    one, other = estimate(PRICES, Range(1, 2), Range(3, 4)), estimate(PRICES, Range(10, 20), Range(30, None))
    total = one + other
    assert (total.input_tokens, total.output_tokens) == (Range(11, 22), Range(33, None))
    assert total.cost_usd.high is None
    assert (one + estimate(None, Range(1, 2), Range(3, 4))).cost_usd is None
    assert Estimate() + one == one


def test_earlier_answers_give_their_tenth_to_their_ninetieth_percentile() -> None:
    lengths = Lengths()
    for tokens in range(1, 21):
        lengths.add(TALKER, "main", tokens, likens=True)
    assert lengths.of(TALKER, "main") == Range(2, 18)


def test_a_few_answers_say_nothing() -> None:
    lengths = Lengths()
    for _ in range(9):
        lengths.add(TALKER, "main", 7, likens=True)
    assert lengths.of(TALKER, "main") is None
    lengths.add(TALKER, "main", 7, likens=True)
    assert lengths.of(TALKER, "main") == Range(7, 7)


def test_who_never_answered_is_likened_to_others_at_endpoints_of_the_same_board() -> None:
    lengths = Lengths()
    for _ in range(10):
        lengths.add(("contestant", "other"), "main", 40, likens=True)
        lengths.add(("contestant", "program"), "main", 9, likens=False)
    assert lengths.of(TALKER, "main") == Range(40, 40)
    assert lengths.of(TALKER, "second") is None
    assert lengths.of(("judge", "talker"), "main") is None
    assert lengths.of_program(("contestant", "program")) == Range(9, 9)


def test_lengths_of_runs_are_counted_tokens_or_a_quarter_of_the_characters(tmp_path: Path) -> None:
    folder = open_run(tmp_path / "runs" / "1.0.0-00000000")
    for n in range(10):
        text = "x" * 41
        response = msgspec.structs.replace(RESPONSE, model="talker", item=f"item-{n}", text=text)
        folder.append(response)
        folder.append(msgspec.structs.replace(response, model="counted", output_tokens=5))
        folder.append(msgspec.structs.replace(response, model="failing", state="errored", text="", error="gone"))
        # {"clarity":4,"goal_alignment":70} has 33 characters, its rationale 6.
        folder.append(msgspec.structs.replace(JUDGMENT, model="talker", item=f"item-{n}"))
    folder.close()
    with (folder.path / "responses" / "talker.jsonl").open("ab") as shard:
        shard.write(b'{"key":"torn')
    lengths = Lengths.of_runs([entry(folder)], {TALKER})
    assert lengths.of(TALKER, "main") == Range(11, 11)
    assert lengths.of(("contestant", "counted"), "main") == Range(5, 5)
    assert lengths.of(("contestant", "failing"), "main") == Range(5, 11), "nothing of its own"
    assert lengths.of(("judge", "form"), "main") == Range(10, 10)


def test_the_time_of_a_call_is_the_mean_time_of_earlier_answers_on_the_board_or_elsewhere(tmp_path: Path) -> None:
    folder = open_run(tmp_path / "runs" / "1.0.0-00000000")
    for item, seconds in {"one": 1.0, "two": 4.0, "unmeasured": None}.items():
        folder.append(msgspec.structs.replace(RESPONSE, model="talker", item=item, seconds=seconds))
    folder.append(msgspec.structs.replace(RESPONSE, model="talker", board="other", seconds=10.0))
    folder.append(msgspec.structs.replace(RESPONSE, model="program", seconds=1.0))
    folder.close()
    lengths = Lengths.of_runs([entry(folder)], {TALKER})
    assert lengths.seconds(TALKER, "main") == 2.5
    assert lengths.seconds(TALKER, "third") == 5.0
    assert lengths.seconds(("contestant", "program"), "main") is None
    one = estimate(PRICES, Range(1, 2), Range(3, 4), seconds=2.5)
    assert (one + one).seconds == 5.0
    assert (one + estimate(PRICES, Range(1, 2), Range(3, 4))).seconds is None


class Talkers(FakeBackend):
    """Answers in the names of the live contestants, counting tokens; judges do not answer."""

    async def ask(self, request: Request) -> Answer:
        self.asked.append(request)
        if request.reply_schema is not None:
            raise BackendError("no judge is there")
        return Answer("A plain answer.", input_tokens=50, output_tokens=20)


@pytest.fixture
def live(tmp_path: Path) -> Repository:
    write_benchmark(tmp_path, live=True)
    return Repository(tmp_path)


def test_a_live_plan_estimates_everybody_at_an_endpoint(live: Repository) -> None:
    """6 items, 2 samples: the talker writes 12 answers of at most 100 tokens; each judge reads 24."""
    plan = api.plan(live, Selection(), profile="live")
    assert plan.endpoints == {TALKER: "lab", ("judge", "anna"): "jury", ("judge", "ben"): "jury",
                              ("judge", "cleo"): "openai"}  # fmt: skip
    assert plan.estimates[TALKER].output_tokens == Range(12, 1200)
    assert plan.estimates["judge", "anna"].output_tokens == Range(24, 4800)
    assert plan.estimates["judge", "ben"].output_tokens == Range(24, None)
    assert plan.estimates["judge", "ben"].cost_usd is None
    assert ("contestant", "null-empty") not in plan.estimates
    anna, ben = (plan.estimates["judge", name].input_tokens for name in ("anna", "ben"))
    assert anna == ben


def test_what_a_judge_reads_grows_by_the_response_it_will_be_shown(live: Repository) -> None:
    before = api.plan(live, Selection(models=["talker"]), profile="live").estimates["judge", "anna"].input_tokens
    edit(live.specs / "models" / "talker.yaml", "max_tokens: 100", "max_tokens: 1100")
    after = api.plan(live, Selection(models=["talker"]), profile="live").estimates["judge", "anna"].input_tokens
    assert (after.low, after.high) == (before.low, before.high + 12 * 1000)


def test_responses_that_are_known_are_judged_as_they_are(live: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    talkers = Talkers(identity="openai@1", chats=True, contestants=None, judges=None)
    with monkeypatch.context() as patched:
        patched.setattr("nullbench_site.api.backends", lambda: {"offline": FakeBackend(), "openai": talkers})
        api.build(live, BuildOptions(), profile="live", render_site=False)
    plan = api.plan(live, Selection(models=["talker"]), profile="live", retry_failed=True)
    assert (plan.known[TALKER], plan.to_make[TALKER], plan.to_make["judge", "anna"]) == (12, 0, 12)
    assert TALKER not in plan.estimates
    asked = {request.key(): request for request in talkers.asked if request.model == "anna-1"}
    texts = [request for request in asked.values() if "A plain answer." in request.messages[-1].content]
    assert plan.estimates["judge", "anna"].input_tokens == sum(map(prompt_tokens, texts), Range(0, 0))

    # A fresh plan makes all calls again, and takes the lengths of those that were made.
    fresh = api.plan(live, Selection(models=["talker"]), profile="live", fresh=True)
    assert fresh.estimates[TALKER].output_tokens == Range(12 * 20, 12 * 20)


def test_a_sum_in_which_some_have_no_price_has_no_upper_bound(live: Repository) -> None:
    told = report(api.plan(live, Selection(), profile="live"))
    jury, lab, openai = told.endpoints
    assert (jury.id, lab.id, openai.id) == ("jury", "lab", "openai")
    anna = next(row for row in told.calls if row.id == "anna")
    assert jury.cost_usd == Range(anna.cost_usd.low, None)
    assert openai.cost_usd is None
    assert (jury.to_make, lab.to_make, openai.to_make, told.all.to_make) == (48, 12, 24, 96)
    assert told.no_price == told.no_upper_bound == ("judge ben", "judge cleo")


def test_a_call_that_two_boards_share_is_planned_once(repository: Repository) -> None:
    board = repository.specs / "boards" / "main.yaml"
    second = board.with_name("second.yaml")
    text = re.sub(r"nullbench-canary:[0-9a-f-]{36}", f"nullbench-canary:{uuid.uuid4()}", board.read_text("utf-8"))
    second.write_text(text.replace("id: main", "id: second"), "utf-8")
    plan = api.plan(repository, Selection())
    calls = build(repository).calls
    assert (plan.to_make.total(), plan.known.total()) == (calls.made, calls.reused)
    assert calls.made == calls.reused
    assert adds_up(report(plan))


def test_where_a_sealed_run_answers_everything_no_call_is_looked_at(
    built: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = api.plan(built, Selection())
    monkeypatch.delattr(RequestBuilder, "response_request")
    assert api.plan(built, Selection()) == expected
    assert not expected.to_make
