"""The `pairwise` protocol: two answers to a prompt beside each other, and which of them is the better one."""
