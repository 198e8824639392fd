"""What the site shows of boards of the `axes` protocol."""
