"""The `echo` protocol: the whole of a way of judging, as a package of somebody else."""
