"""The `axes` protocol: ratings on axes, goal alignment, quality, refusal gates."""

REVISION = 2
IN_EVERY_DIGEST = True
SPEC_FILES = ("axes.yaml", "goals/*.yaml", "axis-questions.yaml")
FULL_REPLIES = ("reasons",)
"""The reply forms of its full judging prompt."""
REPLY_TOKENS = {"mark": 150, "reasons": 350}
"""The output tokens of replies with a line for each score."""
