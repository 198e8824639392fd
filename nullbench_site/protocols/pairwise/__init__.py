"""The `pairwise` protocol: judges compare two answers to a prompt."""
