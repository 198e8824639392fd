"""How a board can be cheated: screening of answers."""
