"""What the site shows of boards of the `oracle` protocol."""
