"""A package, so that one browser serves all its modules and ends with the last of them."""
