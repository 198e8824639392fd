"""Benchmarks: ratios of time and memory to the least possible work. `python -m benchmarks` runs them all."""

import os

# As the command line has it. A second thread waits for small products in a loop, which counts as work of whoever asked.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
