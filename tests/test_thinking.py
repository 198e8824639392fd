"""Thinking and answer in every form of marks. The texts are our own; the forms are those of the named models."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.thinking import Content, content_of, joined, split_thinking, thinking_fields

THOUGHT = "Is it 12 eggs? No: two were broken. So 10."
ANSWER = "**10** eggs"
FORMS = {
    "DeepSeek R1, Qwen": f"<think>\n{THOUGHT}\n</think>\n\n{ANSWER}",
    "template that begins the thinking": f"{THOUGHT}\n</think>\n\n{ANSWER}",
    "the same on one line": f"{THOUGHT}</think>{ANSWER}",
    "the same before a line end": f"{THOUGHT} </think> \n{ANSWER}",
    "the same, about the tag": f"The user did not mention <think> tags. {THOUGHT}\n</think>\n{ANSWER}",
    "the same with code": f"{THOUGHT}\n```python\nprint(12 - 2)\n```\n</think>\n{ANSWER}",
    "the same with code that is cut": f"{THOUGHT}\n```python\nprint(12\n</think>\n{ANSWER}",
    "attributes": f'<think duration="4s" signature="Zm9v">{THOUGHT}</think>\n{ANSWER}',
    "capitals and blanks": f"<THINK >{THOUGHT}</ think>\r\n\r\n{ANSWER}",
    "byte order mark": f"\ufeff <think>{THOUGHT}</think>{ANSWER}",
    "special tokens before": f"<|im_start|>assistant\n<think>{THOUGHT}</think>{ANSWER}",
    "DeepSeek's tokens": f"<\uff5cAssistant\uff5c><think>\n{THOUGHT}\n</think>\n{ANSWER}",
    "no thinking between": f"<think>\n\n</think>\n\n{ANSWER}",
    "empty element": f"<think/>{ANSWER}",
    "nested": f"<think>{THOUGHT}<think>Again.</think>Sure.</think>{ANSWER}",
    "two blocks": f"<think>{THOUGHT}</think>\n<think>Sure.</think>\n{ANSWER}",
    "quoted end within": f"<think>It ends with `</think>`, or '</think>'. {THOUGHT}</think>{ANSWER}",
    "thinking after the answer": f"{ANSWER}\n<think>{THOUGHT}</think>",
    "thinking within a line": f"<think>Hm.</think>{ANSWER} <think>{THOUGHT}</think>".replace(" <", "\n<"),
    "EXAONE": f"<thought>\n{THOUGHT}\n</thought>\n{ANSWER}",
    "prompted": f"<thinking>{THOUGHT}</thinking>\n<answer>{ANSWER}</answer>",
    "prompted otherwise": f"<reasoning>\n{THOUGHT}\n</reasoning>\n<answer>\n{ANSWER}\n</answer>\n",
    "mixed names": f"<think>{THOUGHT}</thinking>{ANSWER}",
    "Seed-OSS": f"<seed:think>{THOUGHT}</seed:think>{ANSWER}",
    "LongCat": f"<longcat_think>{THOUGHT}</longcat_think>\n{ANSWER}",
    "Magistral": f"[THINK]{THOUGHT}[/THINK]{ANSWER}",
    "Kimi-VL": f"\u25c1think\u25b7{THOUGHT}\u25c1/think\u25b7{ANSWER}",
    "OpenThinker": f"<|begin_of_thought|>\n{THOUGHT}\n<|end_of_thought|>\n<|begin_of_solution|>{ANSWER}"
    "<|end_of_solution|>",
    "Command A": f"<|START_THINKING|>{THOUGHT}<|END_THINKING|><|START_RESPONSE|>{ANSWER}<|END_RESPONSE|>",
    "Apertus": f"<|inner_prefix|>{THOUGHT}<|inner_suffix|>{ANSWER}",
    "Gemma": f"<|channel>thought\n{THOUGHT}<channel|>{ANSWER}",
    "MedGemma": f"<unused94>thought\n{THOUGHT}<unused95>{ANSWER}",
    "Granite": f"Here is my thought process: {THOUGHT}\n\nHere is my response: {ANSWER}",
    "Open WebUI": f'<details type="reasoning" done="true">\n<summary>T</summary>\n{THOUGHT}\n</details>\n{ANSWER}',
    "escaped": f"&lt;think&gt;{THOUGHT}&lt;/think&gt;{ANSWER}",
    "gpt-oss": f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}",
    "gpt-oss with an end": f"<|channel|>analysis<|message|>{THOUGHT}<|end|>\n<|start|>assistant<|channel|>final"
    f"<|message|>{ANSWER}<|return|>",
    "gpt-oss that calls": f"<|start|>assistant<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant"
    f"<|channel|>commentary to=f <|constrain|>json<|message|>{{}}<|call|><|start|>assistant<|channel|>"
    f"final<|message|>{ANSWER}",
    "gpt-oss after its first token": f"{THOUGHT}<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}",
    "gpt-oss without special tokens": f"analysis{THOUGHT}assistantfinal{ANSWER}",
    "gpt-oss with a role": f"assistantanalysis{THOUGHT}assistantfinal{ANSWER}",
    "gpt-oss with line ends": f"analysis\n{THOUGHT}\nassistantfinal\n{ANSWER}",
    "gpt-oss with a comment": f"analysisWe count. {THOUGHT}assistantcommentaryI count.assistantfinal{ANSWER}",
}  # fmt: skip


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_the_same_answer_is_left_whatever_the_form_of_the_thinking(text: str) -> None:
    split = split_thinking(text)
    assert (split.answer, split.found, split.cut) == (ANSWER, True, False)
    assert split_thinking(split.answer).answer == ANSWER
    assert ("broken" in split.thinking) == ("broken" in text)


@pytest.mark.parametrize(
    "text",
    [
        f"<think>\n{THOUGHT}",
        f"<think>{THOUGHT}\n```\n10\n</thin",
        f'<think id="1">{THOUGHT}',
        f"[THINK]{THOUGHT}",
        f"<seed:think>{THOUGHT}",
        f"\u25c1think\u25b7{THOUGHT}",
        f"<|begin_of_thought|>{THOUGHT}",
        f"<|channel|>analysis<|message|>{THOUGHT}",
        f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant<|channel|>",
        f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant<|channel|>commentary<|message|>One moment.",
        f"analysisWe count. {THOUGHT}",
        f"<think>It must end with `</think>`. {THOUGHT}",
        "<reasoning>",
    ],
)
def test_thinking_that_never_ends_leaves_no_answer(text: str) -> None:
    split = split_thinking(text)
    assert (split.answer, split.cut) == ("", True)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I think so.",
        "The tag <think> opens the thoughts of a model and </think> closes them.",
        "Put the steps between <reasoning> and </reasoning>, then the result.",
        "`<think>` is a tag of DeepSeek.",
        '"<think>" and "</think>" are added by the template.',
        "The markers (<think>) are stripped.",
        "Its template ends in </think> for this reason.",
        "Use `<think>...</think>` around it.",
        "Like this:\n\n```xml\n<think>\nLet me see.\n</think>\n<answer>4</answer>\n```\nThat is all.",
        "~~~\n</thinking> comes first\n~~~",
        "```html\n<thought>\n```",
        "Add this line:\n```\n</think>\n```\nThen run it.",
        "The tags:\n<think>: begins the thoughts\n</think>: ends them",
        "The format:\n\n    <think>\n    some steps\n    </think>\n\nThen the answer.",
        "| tag | use |\n| --- | --- |\n| <think> | begins |\n| </think> | ends |",
        "> <think>\n> It is quoted.\n> </think>",
        "Vec<Thought> holds them, and Box<Reasoning> one.",
        "fn f() -> Option<Thinking> { None }",
        '{"note": "It said </think>.</think>x", "score": 3}',
        '["<think>", "</think>"]',
        "[Thinking aloud] Ten eggs.",
        "Analysis: ten eggs are left; the assistant final review agrees.",
        "analysis of the assistant final report",
        "analysisType = 3",
        "analysisResults are 10",
        "The turn `<|end|><|start|>assistant<|channel|>final<|message|>` begins the answer.",
        "<thoughtful>10</thoughtful>",
        "x < think > y",
        "Here is my thought process: I count. Ten eggs.",
        "<details>\n<summary>Steps</summary>\n12 - 2\n</details>\n10",
        "My reasoning/thinking: 12 - 2 = 10 [1]",
    ],
)
def test_a_text_about_thinking_is_left_as_it_is(text: str) -> None:
    assert split_thinking(text) == (text, "", False, False)


@given(st.text(max_size=40), st.text(max_size=40).filter(lambda said: "<" not in said and "[" not in said))
def test_any_thought_is_split_off_any_answer(thought: str, said: str) -> None:
    hidden = thought.replace("<", "").replace(">", "")
    split = split_thinking(f"<think>{hidden}</think>\n{said}")
    assert split.answer == said.strip(" \t\r\n")
    assert (split.found, split.cut) == (True, False)


_PIECES = [
    "<think>", "</think>", "[THINK]", "[/THINK]", "```\n", "`", "\n", " ", "a", "assistantfinal", "analysis",
    "<|channel|>", "final", "<|message|>", "<|end|>", "<think/>", "<answer>", "</answer>", "{", '"', "\ud800",
]  # fmt: skip


@given(st.lists(st.sampled_from(_PIECES), max_size=25).map("".join))
def test_nothing_of_a_text_is_lost_or_made_up(text: str) -> None:
    split = split_thinking(text)
    assert split.found or split.answer == text
    for part in (*split.answer.splitlines(), *split.thinking.splitlines()):
        assert part.strip() in text


@pytest.mark.parametrize(
    "piece",
    ["<think>", "</think>", "a <think> ", "a </think> b ", "```\n</think>\n", "`<think> ", "<think></think>", "<think ",
     "<|channel|>", "<|channel|>a<|message|>", "<|end|>", "analysisassistant", "Here is my thought process:", "`think",
     "<think/>", "<|a|>", "&lt;think&gt;", '<details type="reasoning"', "~~~\n</think>", "<answer>", "<think>\n\n"],
)  # fmt: skip
def test_the_time_grows_with_the_length_only(piece: str) -> None:
    split_thinking(piece * (200_000 // len(piece)) + "<think>x</think>y")


@pytest.mark.parametrize(
    ("content", "read_as"),
    [
        (None, Content(None)),
        ("Ten.", Content("Ten.")),
        ([], Content("")),
        ([{"type": "text", "text": "Te"}, {"type": "text", "text": "n."}], Content("Ten.")),
        (["Te", {"text": "n."}], Content("Ten.")),
        ([{"type": "reasoning", "text": "Hm."}, {"type": "text", "text": "Ten."}], Content("Ten.", "Hm.")),
        ([{"type": "reasoning", "reasoning": "Hm.", "signature": "x"}, {"type": "text", "text": "Ten."}],
         Content("Ten.", "Hm.")),
        ([{"type": "thinking", "thinking": "Hm.", "signature": "x"}, {"type": "text", "text": "Ten."}],
         Content("Ten.", "Hm.")),
        ([{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}, {"type": "text", "text": "Ten."}],
         Content("Ten.", "Hm.")),
        ([{"type": "redacted_thinking", "data": "x"}, {"type": "text", "text": "Ten."}], Content("Ten.")),
        ([{"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]},
          {"type": "output_text", "text": "Ten."}], Content("Ten.", "Hm.")),
        ([{"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "Hm."}]}, "Ten."],
         Content("Ten.", "Hm.")),
        ([{"type": "reasoning", "reasoning": "c2VjcmV0", "redacted": True, "summary": "Hm."}, "Ten."],
         Content("Ten.", "Hm.")),
        ([{"text": "Hm.", "thought": True}, {"text": "Ten."}], Content("Ten.", "Hm.")),
        ([{"thinking": "Hm."}, {"type": "text", "text": {"value": "Ten.", "annotations": []}}], Content("Ten.", "Hm.")),
        ([{"type": "thinking", "thinking": "Hm."}], Content("", "Hm.")),
        ([{"type": "refusal", "refusal": "No."}], Content("", "", "No.")),
        ([{"type": "image_url"}, {"type": "text", "text": "Ten."}], Content("Ten.")),
        ({"type": "text", "text": "Ten."}, Content("Ten.")),
        ([{"type": "image_url"}], None), ([3], None), (7, None), ({"type": "audio"}, None),
    ],
)  # fmt: skip
def test_parts_of_a_message_are_text_or_thinking(content: Any, read_as: Content | None) -> None:
    assert content_of(content) == read_as


@pytest.mark.parametrize(
    "message",
    [
        {"reasoning_content": "Hm."}, {"reasoning": "Hm."}, {"reasoning": "Hm.", "reasoning_content": "Hm."},
        {"reasoning": "Hm.", "reasoning_details": [{"type": "reasoning.text", "text": "Hm."}]},
        {"reasoning_details": [{"type": "reasoning.summary", "summary": "Hm."}]}, {"thinking": "Hm."},
        {"reasoning_content": None, "reasoning": "Hm."}, {"reasoning": {"content": "Hm."}},
        {"thinking_blocks": [{"type": "thinking", "thinking": "Hm.", "signature": "x"}]}, {"reasoning_text": "Hm."},
    ],
)  # fmt: skip
def test_each_field_of_thinking_is_read_once(message: dict[str, Any]) -> None:
    assert thinking_fields({"content": "Ten.", **message}) == "Hm."


def test_thoughts_are_joined_once() -> None:
    assert joined(" One.\n", "", "Two.", "One.") == "One.\n\nTwo."
