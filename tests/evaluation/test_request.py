from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from nullbench_site.judging.calls import Message, Request
from nullbench_site.specs.types import Decoding

REQUEST = Request(
    backend="offline@1", model="lead", params={"k": 2}, messages=(Message("user", "Say it."),),
    fields={"task": "Say it.", "source": "A text."}, decoding=Decoding(), sample=0, reply_schema=None,
)  # fmt: skip
CHANGES: dict[str, list[Any]] = {
    "backend": ["offline@3", "other@1"],
    "model": ["lead ", "Lead"],
    "params": [{}, {"k": 3}, {"k": "2"}, {"k": 2.5}, {"K": 2}, {"k": 2, "seed": 0}, {"k": True}],
    "messages": [
        (),
        (Message("system", "Say it."),),
        (Message("user", "Say it"),),
        (Message("user", "Say it."), Message("user", "")),
        (Message("user", "Say"), Message("user", " it.")),
    ],
    "fields": [
        {},
        {"task": "Say it.", "source": "A text"},
        {"task": "A text.", "source": "Say it."},
        {"task": "Say it.", "source": "A text.", "gates": False},
        {"task": "Say it.", "source": None},
    ],
    "decoding": [Decoding(temperature=0.1), Decoding(max_tokens=1)],
    "sample": [1, 2],
    "reply_schema": [{}, {"type": "object"}],
    "salt": ["0" * 32, "1" * 32],
    "top_logprobs": [1, 5],
}


def test_the_key_changes_with_each_field() -> None:
    assert set(CHANGES) == set(Request.__struct_fields__)
    keys = {REQUEST.key()}
    for name, values in CHANGES.items():
        for value in values:
            keys.add(structs.replace(REQUEST, **{name: value}).key())
    assert len(keys) == 1 + sum(map(len, CHANGES.values()))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=4), JSON, max_size=4), st.dictionaries(st.text(max_size=4), JSON, max_size=4))
def test_two_requests_have_one_key_only_if_they_are_the_same(one: dict[str, Any], other: dict[str, Any]) -> None:
    keys = [structs.replace(REQUEST, fields=fields).key() for fields in (one, other)]
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (keys[0] == keys[1]) is same


@given(st.dictionaries(st.text(max_size=4), JSON, min_size=2, max_size=5))
def test_the_order_of_fields_is_not_part_of_the_request(fields: dict[str, Any]) -> None:
    turned = dict(reversed(fields.items()))
    assert structs.replace(REQUEST, fields=fields).key() == structs.replace(REQUEST, fields=turned).key()


def test_the_key_is_a_sha256_in_hex_that_every_version_finds_again() -> None:
    """Earlier runs are the cache: a key that comes out otherwise throws away every answer there is."""
    assert REQUEST.key() == "5b1c952353c9d3a8ceb86a6a41eda0d4483947eccaf1448ec91d845a93ace349"


@pytest.mark.parametrize("text", ["\u2028", "\x00", "\U0001f600", "é", "e\u0301", "", " "])
def test_any_text_can_be_asked(text: str) -> None:
    key = structs.replace(REQUEST, fields={"task": text}).key()
    assert len(key) == 64
    assert key == structs.replace(REQUEST, fields={"task": text}).key()
