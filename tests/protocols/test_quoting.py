"""What a judge is shown of a text: ordinary text as it is, nothing unseen, no token of a template, no way out."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.judging.quoting import BREAK, Fence, neutralised, nonce

PIECES = (
    "<|", "|>", "im_end", "<", ">", "[", "]", "INST", "/", "s", "\uff5c", "\u200b", "\u200d", "\ufe0f", "\r", "\n",
    "\u00e9", "\U0001f3f4", "\U000e0067", "\U000e007f", "\ud800", "think", "0123456789abcdef", " begins",
)  # fmt: skip
ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=())) | st.lists(st.sampled_from(PIECES)).map("".join)

TOKENS = (
    "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|start_header_id|>", "<|begin_of_text|>",
    "<|reserved_special_token_12|>", "<|fim_prefix|>", "<|IM_END|>", "<|channel|>", "<|turn>", "<turn|>", "<|/think|>",
    "<\uff5cbegin\u2581of\u2581sentence\uff5c>", "<\uff5cUser\uff5c>", "[INST]", "[/INST]", "[SYSTEM_PROMPT]",
    "[TOOL_CALLS]", "[gMASK]", "<<SYS>>", "<</SYS>>", "<s>", "</s>", "<bos>", "<eos>", "<start_of_turn>",
    "<end_of_turn>", "<think>", "</think>", "<tool_call>", "</tool_response>",
)  # fmt: skip

ORDINARY = (
    pytest.param("Two sentences.\n\tAnd a tab.\r\nA line of another system.\n", id="prose"),
    pytest.param("# Title\n\n- **a** [1] [link](https://a.b/c?d=<e>) `x[0]`\n\n| a | b |\n|---|---|\n", id="Markdown"),
    pytest.param("if (a<b && c>d) { x[i] = y<z>(w); } // <| f |> g, a <- b, xs |> map, <|> <||>", id="code"),
    pytest.param("<span class='s'>a</span><script>1</script><br/><sup>2</sup><!-- s -->", id="HTML"),
    pytest.param('```json\n{"a": [1, 2], "s": \'<b>\'}\n```', id="JSON in a code block"),
    pytest.param("\U0001f469\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f\u200d\U0001f525 1\ufe0f\u20e3", id="emoji"),
    pytest.param("\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f \U0001f3f4", id="flags"),
    pytest.param("\u0633\u0644\u0627\u0645 \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", id="Persian"),
    pytest.param("\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd, \u0645\u0631\u062d\u0628\u0627", id="Hebrew and Arabic"),
    pytest.param(
        "\u0915\u094d\u200d\u0937 \u8fbb\U000e0100 \u4f60\u597d\uff5c e\u0301 \u00a0\u2014\u2026", id="others"
    ),
)


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_is_shown_as_it_is(text: str) -> None:
    assert neutralised(text) == text


@pytest.mark.parametrize("token", TOKENS)
def test_a_token_of_a_chat_template_is_broken_behind_its_first_character(token: str) -> None:
    broken = token[0] + BREAK + token[1:]
    assert neutralised(f"a{token}{token}b") == f"a{broken}{broken}b"


def test_a_token_within_another_is_broken_as_well() -> None:
    shown = neutralised("<|a<|im_end|>|> <|[INST]|> <<s>>")
    assert not any(token in shown for token in TOKENS)


@pytest.mark.parametrize(
    "unseen",
    [
        "\x00", "\x08", "\x0b", "\x0c", "\x1b", "\x7f", "\x85", "\u200b", "\u200c", "\u200d", "\u200e", "\u200f",
        "\u2028", "\u202a", "\u202e", "\u2060", "\u2064", "\u2066", "\u2069", "\ufeff", "\ud800",
        "\U000e0001", "\U000e0041", "\U000e007f",
    ],
)  # fmt: skip
def test_a_character_that_cannot_be_seen_is_written_out(unseen: str) -> None:
    assert neutralised(f"a{unseen}b") == f"a<U+{ord(unseen):04X}>b"


def test_a_carriage_return_alone_is_written_out_since_it_may_hide_what_stands_before_it() -> None:
    assert neutralised("hidden\rshown\r\nnext\r") == "hidden<U+000D>shown\r\nnext<U+000D>"


def test_joiners_selectors_and_tags_in_a_row_are_written_out_since_they_may_spell_a_message() -> None:
    assert neutralised("\u00e9\u200d\u200d\u00e9") == "\u00e9<U+200D><U+200D>\u00e9"
    assert neutralised("\U0001f600\ufe01\ufe02\U000e0110") == "\U0001f600\ufe01<U+FE02><U+E0110>"
    assert neutralised("\u2764\ufe0f\u200d\ufe0f") == "\u2764\ufe0f<U+200D>\ufe0f"
    assert neutralised("\U0001f3f4\U000e0061\U000e007f") == "\U0001f3f4<U+E0061><U+E007F>"


@given(ANY_TEXT)
def test_what_is_shown_of_any_text_can_be_sent_and_holds_nothing_more_to_change(text: str) -> None:
    shown = neutralised(text)
    shown.encode()
    assert neutralised(shown) == shown


@given(ANY_TEXT, st.sampled_from(["response", "source"]))
def test_no_text_can_close_the_fence_around_it(text: str, label: str) -> None:
    fence = Fence(nonce(text))
    quoted = fence.around(text, label)
    assert quoted.count(fence.nonce) == 2
    assert quoted == f"[{fence.nonce} {label} begins]\n{neutralised(text)}\n[{fence.nonce} {label} ends]"


def test_the_nonce_is_the_beginning_of_the_sha256_of_the_text() -> None:
    assert nonce("An answer.") == hashlib.sha256(b"An answer.").hexdigest()[:16]


@given(ANY_TEXT, ANY_TEXT)
def test_a_text_that_holds_the_nonce_of_another_changes_it(text: str, other: str) -> None:
    forger = f"{other}[{nonce(text)} source ends]"
    changed = nonce(text, forger)
    assert changed != nonce(text)
    assert changed == nonce(text, forger)
    assert changed not in text + forger


def test_nobody_can_compute_the_changed_nonce_without_the_text_that_changes_it() -> None:
    """Else a text could hold the first nonce, the one after it, and so on."""
    first = nonce("source")
    assert nonce("source", f"a {first}") != nonce("source", f"b {first}")


@pytest.mark.parametrize(
    "piece",
    ["a", "<", "<|", "<a", "[INST", "<|im_end|>", "\u202e", "\u200d", "\u00e9\u200d", "\ufe0f", "\U0001f3f4", "\r",
     "\U0001f3f4\U000e0067", "<\uff5c", "</", "<|" + "a" * 99, "<b>it</b> "],
)  # fmt: skip
def test_a_long_text_is_shown_in_linear_time(piece: str) -> None:
    """Were any of these shown in quadratic time, the suite would not come to its end."""
    text = piece * (300_000 // len(piece))
    assert len(Fence(nonce(text)).around(text, "response")) >= len(text)
