"""The `scores` protocol: the scores are in a table of the specs, and no model is called."""

TABLES = ("scores.csv", "models.csv", "items.csv", "costs.csv", "seconds.csv")
