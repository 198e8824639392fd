"""The `axes` protocol: ratings on axes, goal alignment, quality, refusal gates."""
