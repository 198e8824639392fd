"""What calls cost, worked by hand."""

from __future__ import annotations

import pytest

from nullbench_site.evaluation.cost import cost_usd, most_input_tokens, most_usd
from nullbench_site.judging.calls import Answer, Message, Request
from nullbench_site.specs.types import Decoding, Prices

PRICES = Prices(input=2.0, cached_input=0.5, output=8.0, date="2026-11-01", source="by hand")
FLAT = Prices(input=2.0, output=8.0, date="2026-11-01", source="by hand")


def request(text: str, max_tokens: int | None = 100, schema: dict[str, str] | None = None) -> Request:
    return Request(
        backend="openai@1", model="m", params={}, messages=(Message("user", text),), fields={},
        decoding=Decoding(max_tokens=max_tokens), sample=0, reply_schema=schema,
    )  # fmt: skip


def answer(input_tokens: int | None, cached: int | None, output: int | None) -> Answer:
    return Answer("", input_tokens=input_tokens, cached_input_tokens=cached, output_tokens=output)


@pytest.mark.parametrize(
    ("prices", "used", "usd"),
    [
        # 600 fresh at 2, 400 cached at 0.5, 50 out at 8 dollars a million: (1200 + 200 + 400) / 1e6
        (PRICES, answer(1000, 400, 50), 0.0018),
        # Cached input without a price of its own costs as other input.
        (FLAT, answer(1000, 400, 50), 0.0024),
        # More cached than input is no discount below nothing.
        (PRICES, answer(100, 400, 0), 100 * 0.5 / 1e6),
        (PRICES, answer(None, None, 5), None),
        (PRICES, answer(5, None, None), None),
    ],
)
def test_a_call_costs_what_was_counted(prices: Prices, used: Answer, usd: float | None) -> None:
    assert cost_usd(prices, used) == (None if usd is None else pytest.approx(usd))


def test_what_has_no_price_has_no_cost() -> None:
    assert cost_usd(None, answer(1000, 0, 50)) is None
    assert most_usd(None, request("x")) is None


def test_the_most_a_call_can_cost_is_a_token_a_byte_and_its_whole_output() -> None:
    # "añb" is 4 bytes, and 16 more frame the message and the conversation each: 36 at 2, 100 out at 8
    assert most_input_tokens(request("añb")) == 36
    assert most_usd(PRICES, request("añb")) == pytest.approx((36 * 2 + 100 * 8) / 1e6)


def test_the_schema_of_the_reply_counts_as_input() -> None:
    assert most_input_tokens(request("añb", schema={"a": "b"})) == 36 + len('{"a":"b"}')


def test_without_a_limit_on_its_output_a_call_has_no_most() -> None:
    assert most_usd(PRICES, request("x", max_tokens=None)) is None
