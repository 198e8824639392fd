"""The `pairwise` protocol: judges compare two answers to a prompt."""

TABLES = ("games.csv", "models.csv", "items.csv", "judges.csv", "gamed.csv")
"""The tables of a board whose games were played elsewhere."""
FULL_REPLIES = ("letter", "reasons")
"""The reply forms of its full judging prompt."""
