"""The `graded` protocol: a grade of 1-10 for the answer to each of one or two turns."""

FULL_REPLIES = ("reasons", "yes-no")
"""The reply forms of its full judging prompt."""
