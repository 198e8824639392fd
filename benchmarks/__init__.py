"""What must stay fast, as ratios against doing the least that could be done. `python -m benchmarks` runs them all."""
