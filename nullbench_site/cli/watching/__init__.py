"""What a build tells while it runs: figures of its calls, as a live view, as lines, or as events."""
