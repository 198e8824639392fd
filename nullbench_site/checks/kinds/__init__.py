"""One module for each check with a heuristic, and one for those that are left to judges."""
