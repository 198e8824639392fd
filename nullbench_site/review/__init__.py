"""The effects of a change of specs before anyone pays for it: calls, money and ranks."""
