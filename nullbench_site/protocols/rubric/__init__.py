"""The `rubric` protocol: a mark of 1-5 for each answer, by its ideal answer and criteria; checks; G-Eval."""

IN_EVERY_DIGEST = True

FULL_REPLIES = ("reasons",)
"""The reply forms of its full judging prompt."""
