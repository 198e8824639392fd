"""A static-site leaderboard generator whose every number comes with its evidence."""

__version__ = "0.1.0"
