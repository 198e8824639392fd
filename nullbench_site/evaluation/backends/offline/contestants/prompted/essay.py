"""A balanced essay that fits every question: what tone, structure and length are worth without a word of substance."""

from ...params import Params, only
from .topics import main_topic, topics

SIDES = 2


def essay(params: Params, prompt: str) -> str:
    """The same essay always, with words of the prompt as its subject and its two sides."""
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
