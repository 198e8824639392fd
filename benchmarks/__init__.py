"""What must stay fast, as ratios against doing the least that could be done. `python -m benchmarks` runs them all."""

import os

# As the command line has it: what a library does on two cores would be held against what a program does on one.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
