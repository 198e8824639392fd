"""Records of a `rubric` board -> its results."""
