"""Records of an `oracle` board -> its results."""
