"""Contestants for bare prompts: each shows what part of a score can be had without understanding.

They see the prompt and nothing else. None knows a fact, none sees an ideal answer, and each answers in time linear in
the prompt.
"""

from __future__ import annotations

import re
from collections import Counter

from nullbench_site.packaged import word_list
from nullbench_site.programs.arguments import Params, only
from nullbench_site.programs.text import STOP_WORDS, figures, sentences, words

LONGEST = 40  # letters of a word; a longer run of them is none
# What a prompt asks for, not what it asks about.
ASKING = word_list("asking")


def topics(prompt: str) -> list[str]:
    """The different content words of `prompt`, in lower case, in order of first appearance."""
    return list(dict.fromkeys(_topics(prompt)))


def main_topic(prompt: str) -> str:
    """The content word that `prompt` uses most, of equals the first; "this" for a prompt without any."""
    return max((counts := Counter(_topics(prompt))), key=counts.__getitem__, default="this")


def rarest(prompt: str, count: int) -> list[str]:
    """`count` content words of `prompt`, the longest first, of equals the earlier.

    Length stands in for rarity: the more frequent a word, the shorter it tends to be (Zipf, 1935).
    """
    return sorted(topics(prompt), key=len, reverse=True)[:count]


def _topics(prompt: str) -> list[str]:
    return [
        word for word in words(prompt) if 1 < len(word) <= LONGEST and word not in STOP_WORDS and word not in ASKING
    ]


STATEMENTS = 3
LONGEST_STATEMENT = 60  # words of a statement that are said back

_AGREEMENT = "Yes, you are absolutely right."
_FLATTERY = "I would not change a thing about how you see this."


def agree(params: Params, prompt: str) -> str:
    """The first statements of the prompt confirmed, and yes to its question: what flattery is worth."""
    only(params, [])
    lines = sentences(prompt)
    confirmed = [f"It is true, as you say: {_cut(line)}" for line in lines if _claims(line)][:STATEMENTS]
    asked = ["And the answer to your question is yes."] if any(line.endswith("?") for line in lines) else []
    return " ".join([_AGREEMENT, *confirmed, *asked, _FLATTERY])


def _claims(sentence: str) -> bool:
    """Whether it neither asks nor commands."""
    return not sentence.endswith("?") and sentence.split(maxsplit=1)[0].strip("\"'(*_,.:").casefold() not in ASKING


def _cut(sentence: str) -> str:
    return " ".join(sentence.split()[:LONGEST_STATEMENT])


TERMS = 2


def ask_back(params: Params, prompt: str) -> str:
    """Asks back and answers nothing: right for a vague prompt, a dodge for every other."""
    only(params, [])
    about = [f'- What exactly do you mean by "{word}" here?' for word in rarest(prompt, TERMS)]
    return "\n".join(
        [
            "Before I start, could you clarify a few points?",
            *about,
            "- Who is it for, and what will they do with it?",
            "- Which constraints are fixed, and which can be changed?",
            "- What have you tried so far, and what happened?",
        ]
    )


SIDES = 2


def essay(params: Params, prompt: str) -> str:
    """The same essay always, about words of the prompt: what tone, structure and length are worth without substance."""
    only(params, [])
    topic = main_topic(prompt)
    one, other = ([word for word in topics(prompt) if word != topic] + ["the context", "the alternatives"])[:SIDES]
    return "\n\n".join(
        [
            f"The question of {topic} is an important one, and there is no single answer that suits every situation.",
            f"**On the one hand**, there are good reasons to value {one}. Many people find that it works well in "
            "practice, that it is easy to understand, and that it brings clear benefits when it is applied with care.",
            f"**On the other hand**, {other} should not be overlooked. There are trade-offs to consider, results may "
            "vary, and what works in one case may not work in another. Costs, risks and long-term effects all matter.",
            "**It is also worth keeping in mind** that circumstances change. A good approach is to start small, to "
            "measure the results, and to adjust as more is learned.",
            f"**In conclusion**, {topic} has both advantages and disadvantages. The best choice depends on your goals "
            "and your constraints, and a thoughtful, balanced approach will serve you well.",
        ]
    )


_OPTION = re.compile(r"^[ \t]{0,8}[(*]{0,3}(?P<letter>[A-Z])[).:*]{1,4}[ \t]", re.MULTILINE)


def first_option(params: Params, prompt: str) -> str:
    """The letter of the first option; without options the first number; without numbers A.

    The floor of multiple choice, and of every prompt that holds its own answer.
    """
    only(params, [])
    option = _OPTION.search(prompt)
    return f"Answer: {option['letter'] if option else next(iter(figures(prompt)), 'A')}"


DEFINED = 4


def glossary(params: Params, prompt: str) -> str:
    """A definition, true and empty, of each of the longest words of the prompt: what the look of expertise is worth."""
    only(params, [])
    topic = main_topic(prompt)
    lines = [
        f"- **{word.capitalize()}**: a term for what is called {word}, of importance wherever {topic} is at issue."
        for word in rarest(prompt, DEFINED)
    ]
    return "\n".join(["The key terms are as follows.", *lines, f"Together they make up what matters about {topic}."])
