"""Benchmarks of other programs, read into repositories of ours."""
