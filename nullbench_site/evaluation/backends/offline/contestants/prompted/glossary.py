"""Names the hardest words of the prompt and defines them in a circle: what the look of expertise is worth."""

from ...params import Params, only
from .topics import main_topic, rarest

TERMS = 4


def glossary(params: Params, prompt: str) -> str:
    """A definition, true and empty, of each of the longest words of the prompt."""
    only(params, [])
    topic = main_topic(prompt)
    lines = [
        f"- **{word.capitalize()}**: a term for what is called {word}, of importance wherever {topic} is at issue."
        for word in rarest(prompt, TERMS)
    ]
    return "\n".join(["The key terms are as follows.", *lines, f"Together they make up what matters about {topic}."])
