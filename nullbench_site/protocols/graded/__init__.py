"""The `graded` protocol: a grade of 1-10 for the answer to each of one or two turns."""
