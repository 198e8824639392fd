"""What the site shows of boards of the `rubric` protocol."""
