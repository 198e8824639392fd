"""What a judge is asked, what its reply scores, and what becomes of calls that fail."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.geval import Ask, measure

from nullbench_site.evaluation.backends.base import BackendError, UnavailableError
from nullbench_site.judging.geval import FIELDS, METRICS, SCHEMA, Case, Measured

CASE = Case("List two primes.\n\n- as {{ Jinja }} {% raw %}", "2 and 3, or any two others.", "7 and 11 {{ prompt }}.\n")
SHOWN = {"input": CASE.prompt, "expected_output": CASE.ideal, "actual_output": CASE.response}
FINE = json.dumps({"reason": "Both are prime.", "score": 9})


class Judge:
    """Gives one reply to all, and keeps what it was asked."""

    def __init__(self, reply: str = FINE) -> None:
        self.reply = reply
        self.asked: list[tuple[str, dict[str, Any] | None]] = []

    async def __call__(self, prompt: str, schema: dict[str, Any] | None) -> str:
        self.asked.append((prompt, schema))
        await asyncio.sleep(0)
        return self.reply


def measured(ask: Ask, case: Case = CASE, metric: str = "correctness") -> Measured:
    async def run() -> Measured:
        return await measure(metric, case, ask)

    return asyncio.run(run())


def prompt_for(case: Case, metric: str = "correctness") -> str:
    judge = Judge()
    measured(judge, case, metric)
    return judge.asked[0][0]


@pytest.mark.parametrize("metric", METRICS)
def test_a_metric_makes_one_call_and_asks_for_a_reason_and_whole_points(metric: str) -> None:
    judge = Judge()
    assert measured(judge, metric=metric) == Measured(0.9, "Both are prime.", None)
    assert [schema for _, schema in judge.asked] == [SCHEMA]


@pytest.mark.parametrize("metric", METRICS)
def test_a_judge_sees_the_steps_in_order_and_verbatim_the_texts_that_the_metric_looks_at(metric: str) -> None:
    chosen, prompt = METRICS[metric], prompt_for(CASE, metric)
    places = [prompt.index(f"{number}. {step}\n") for number, step in enumerate(chosen.steps, start=2)]
    assert places == sorted(places)
    for field, text in SHOWN.items():
        assert prompt.count(text) == (field in chosen.looks_at)


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
def test_the_text_under_judgment_is_looked_at_last_by_steps_that_name_no_other_text(metric: Any) -> None:
    assert metric.looks_at == tuple(name for name in FIELDS if name in metric.looks_at)
    assert metric.looks_at[-1] == "actual_output"
    for name, title in FIELDS.items():
        assert any(title in step for step in metric.steps) == (name in metric.looks_at)


@pytest.mark.parametrize(
    ("points", "score"),
    [(0, 0.0), (1, 0.1), (3, 0.3), (7, 0.7), (10, 1.0), (7.5, 0.75), (0.05, 0.005), ("8", 0.8), (6.0, 0.6)],
)
def test_a_score_is_a_tenth_of_the_points(points: object, score: float) -> None:
    assert measured(Judge(json.dumps({"reason": "So it is.", "score": points}))).score == pytest.approx(
        score, abs=1e-15
    )


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(f"```json\n{FINE}\n```", id="in a code block"),
        pytest.param(f"<think>{{}} 10?</think>\n{FINE} Done.", id="after thinking, before prose"),
        pytest.param(FINE + FINE, id="twice the same"),
        pytest.param('{"score": 9, "more": [1], "reason": "Both are prime."}', id="with more than was asked for"),
    ],
)
def test_a_verdict_is_found_where_it_stands(reply: str) -> None:
    assert measured(Judge(reply)) == Measured(0.9, "Both are prime.", None)


@pytest.mark.parametrize(
    "reply",
    [
        "I give it 9 of 10.",
        f"[{FINE}]",
        '{"reason": "x", "score": "9/10"}',
        '{"reason": "x", "score": [9]}',
        '{"reason": "x", "score": {"value": 9}}',
    ],
)
def test_a_score_is_read_in_the_forms_that_judges_write(reply: str) -> None:
    found = measured(Judge(reply))
    assert found.score == 0.9
    assert found.reason
    assert found.forms


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("", "no JSON object"),
        ('{"reason": "x", "score": 9', "no JSON: it is cut off"),
        ("<think>9", "no JSON: it ends before the thinking does"),
        ('{"a": ' * 10, "no JSON: it is cut off"),
        ('{"a":' * 10_000 + "1" + "}" * 10_000, "no JSON: it is nested too deeply"),
        (FINE + '{"reason": "x", "score": 10}', "ambiguous: several JSON objects that differ"),
        ('{"score": 9, "score": 10}', "ambiguous: 'score' is given twice, with different values"),
        ('{"reason": "x", "score": NaN}', "score: 'NaN' is not a number from 0 to 10"),
        ('{"reason": "x", "score": Infinity}', "score: 'Infinity' is not a number from 0 to 10"),
        ('{"reason": "x", "score": 1e999}', "score: '1e999' is not a number from 0 to 10"),
        ('{"reason": "x", "score": null}', "score: missing"),
        ('{"reason": "x"}', "score: missing"),
        ('{"reason": "x", "score": 11}', "score: '11' is not a number from 0 to 10"),
        ('{"reason": "x", "score": -1}', "score: '-1' is not a number from 0 to 10"),
        ('{"reason": "x", "score": 10.01}', "score: '10.01' is not a number from 0 to 10"),
        ('{"reason": "x", "score": true}', "score: 'True' is not a number from 0 to 10"),
        ('{"reason": "x", "score": "NaN"}', "score: 'NaN' is not a number from 0 to 10"),
        ('{"reason": "x", "score": [8, 9]}', "score: a list is not a number from 0 to 10"),
        ('{"score": 9}', "reason: missing"),
        ('{"reason": null, "score": 9}', "reason: missing"),
        ('{"reason": " \\n", "score": 9}', "reason: missing"),
        ('{"reason": ["x"], "score": 9}', "reason: missing"),
    ],
)  # fmt: skip
def test_a_reply_that_is_no_verdict_has_no_score_and_says_why(reply: str, problem: str) -> None:
    assert measured(Judge(reply)) == Measured(None, "", problem)


@given(
    st.text()
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["score", "reason", "x"]), inner),
        max_leaves=6,
    ).map(json.dumps)
)
def test_whatever_the_reply_there_is_a_score_from_0_to_1_with_a_reason_or_a_problem(reply: str) -> None:
    found = measured(Judge(reply))
    if found.problem is None:
        assert 0 <= found.score <= 1
        assert found.reason
    else:
        assert (found.score, found.reason) == (None, "")


def test_half_of_a_surrogate_pair_in_a_reason_is_replaced() -> None:
    assert measured(Judge('{"reason": "x\\ud800y", "score": 9}')).reason == "x\ufffdy"


FAILURES: tuple[Callable[[], BaseException], ...] = (
    lambda: BackendError("This model's maximum context length is 8192 tokens"),
    lambda: UnavailableError("the endpoint stopped"),
    lambda: asyncio.CancelledError("drained"),
    lambda: TypeError("unexpected keyword argument 'schema'"),
    lambda: AttributeError("a_generate_raw_response"),
    TimeoutError,
    lambda: ValueError("prompt is too long"),
    lambda: KeyError("reason"),
)


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: type(failure()).__name__)
def test_what_a_call_raises_comes_out_as_it_is_after_one_call(failure: Callable[[], BaseException]) -> None:
    raised, calls = failure(), 0

    async def ask(prompt: str, schema: object) -> str:
        nonlocal calls
        calls += 1
        raise raised

    with pytest.raises(type(raised)) as caught:
        measured(ask)
    assert caught.value is raised
    assert (raised.__cause__, raised.__context__, calls) == (None, None, 1)


def test_a_measurement_is_cancelled_while_its_call_is_under_way() -> None:
    async def run() -> str:
        began = asyncio.Event()

        async def ask(prompt: str, schema: object) -> str:
            began.set()
            await asyncio.Event().wait()
            return FINE

        task = asyncio.create_task(measure("coherence", CASE, ask))
        await began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return "cancelled"

    assert asyncio.run(run()) == "cancelled"


def test_two_hundred_measurements_at_once_each_get_their_own_reply() -> None:
    at_once, most = 0, 0
    everyone = 200

    async def run() -> list[Measured]:
        full = asyncio.Event()

        def asker(points: int) -> Callable[[str, Any], Awaitable[str]]:
            async def ask(prompt: str, schema: object) -> str:
                nonlocal at_once, most
                assert f"The answer is {points}." in prompt
                at_once += 1
                most = max(most, at_once)
                if at_once == everyone:
                    full.set()
                await full.wait()
                at_once -= 1
                return json.dumps({"reason": f"Because of {points}.", "score": points % 11})

            return ask

        cases = [Case("Which?", "Any.", f"The answer is {n}.") for n in range(everyone)]
        return await asyncio.gather(*(measure("correctness", case, asker(n)) for n, case in enumerate(cases)))

    found = asyncio.run(run())
    assert most == everyone
    assert found == [Measured(n % 11 / 10, f"Because of {n}.", None) for n in range(everyone)]


def test_the_same_case_is_asked_about_in_the_same_words() -> None:
    assert prompt_for(CASE) == prompt_for(CASE)


def test_a_metric_that_there_is_not_is_refused() -> None:
    with pytest.raises(KeyError, match="truth"):
        measured(Judge(), metric="truth")
