"""Records of an `axes` board -> its results."""
